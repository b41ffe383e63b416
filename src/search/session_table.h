/*
 * session_table.h - which turns of a partition stand next to each other, and what is known of each.
 *
 * A row that is a turn of a conversation is linked to the turns before and after it in its session,
 * by order, then by row. Rows are counted as elsewhere; those that are no turns cost eight bytes, and
 * nothing where there are no turns at all. Sessions are told apart by the hash of their ids.
 *
 * Speakers are numbered and known by the terms of their names, and by what others call them: in a
 * conversation of two, a name that one of them greets three times is the other's.
 */
#ifndef MN_SEARCH_SESSION_TABLE_H
#define MN_SEARCH_SESSION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "memory/unit.h"
#include "search/text_document.h"
#include "text/turn.h"

#define MN_ROW_NONE UINT32_MAX
#define MN_SPEAKERS_MAX 1024 /* further ones are nobody */
#define MN_SPEAKER_NONE UINT16_MAX
#define MN_SPEAKER_TERMS_MAX 4
#define MN_SPEAKER_NAME_BYTES 32

struct mn_packed;

struct mn_session_turn {
    int64_t order;
    uint32_t before; /* rows; MN_ROW_NONE at the ends */
    uint32_t after;
    float letters; /* ln(1 + characters) */
    float head;    /* weighted number of its terms that say who and when */
    float length;  /* of all its terms */
    uint16_t speaker;
    int16_t year; /* of the event's day in UTC; 0: none */
    uint8_t month;
    uint8_t day;
    struct mn_turn_cues cues;
};

struct mn_session {
    uint64_t hash; /* of its id */
    uint32_t last; /* row */
    uint32_t turns;
    double length;  /* sum over its turns */
    uint32_t moved; /* while compacting: its new number */
};

struct mn_speaker {
    uint64_t hash;
    uint64_t term[MN_SPEAKER_TERMS_MAX]; /* hashes of its words */
    size_t term_count;
    char name[MN_SPEAKER_NAME_BYTES]; /* folded, cut */
    size_t turns;                     /* 0: nobody any more */
    uint16_t moved;                   /* while compacting: the new number */
};

struct mn_session_table {
    size_t count; /* rows */
    size_t room;  /* of the two below; 0 while no row has been a turn */
    uint32_t *session; /* by row; MN_ROW_NONE: no turn. Apart, since postings ask for nothing else */
    uint32_t *place;   /* by row: among the turns */
    struct mn_session_turn *turn; /* dead rows' included */
    size_t turn_count;
    size_t turn_room;

    struct {
        struct mn_session *item;
        size_t count;
        size_t room;
        uint32_t *slot; /* hash table: session + 1; 0 is free */
        size_t slots;   /* a power of two */
    } sessions;
    size_t live_sessions; /* with turns */

    struct mn_speaker *speaker;
    size_t speaker_count;
    size_t speaker_room;

    size_t turns;
    double length_sum;
    double head_sum;
    /* Over all turns: how many turns stand in the windows of 3 and of 6 around them. */
    size_t window3_turns;
    size_t window6_turns;
};

/* What a row needs, made ready outside any lock. */
struct mn_session_entry {
    bool is_turn;
    uint64_t session_hash;
    struct mn_session_turn turn; /* without its links */
    struct mn_speaker speaker;
    bool has_speaker;
};
enum mneme_status mn_session_entry_make(const struct mn_unit *unit,
                                        const struct mn_text_document *document,
                                        struct mn_arena *arena, struct mn_session_entry *ret_entry,
                                        struct mneme_error *err);

/* The number of a speaker, given one when there is a place; false when malloc fails. */
bool mn_session_speaker_of(struct mn_session_table *table, const struct mn_speaker *speaker,
                           uint16_t *ret_number);

/* Adds row `count`. False when malloc fails; the table is then not whole. */
bool mn_session_table_add(struct mn_session_table *table, const struct mn_session_entry *entry);
void mn_session_table_remove(struct mn_session_table *table, size_t row);
/* Row r becomes row_map[r], UINT32_MAX: dead. Sessions without turns leave. */
void mn_session_table_compact(struct mn_session_table *table, const uint32_t *row_map);

/* In a segment: the speakers, then row by row, of a table without dead rows. Loaded into one that is
 * empty. False: they are none, not of this unit, or malloc fails. */
void mn_session_table_save_speakers(const struct mn_session_table *table, struct mn_buf *out);
void mn_session_table_save_row(const struct mn_session_table *table, size_t row,
                               struct mn_buf *out);
bool mn_session_table_load_speakers(struct mn_session_table *table, struct mn_packed *in);
bool mn_session_table_load_row(struct mn_session_table *table, const struct mn_unit *unit,
                               struct mn_packed *in);

size_t mn_session_table_bytes(const struct mn_session_table *table);
void mn_session_table_release(struct mn_session_table *table);

static inline bool mn_session_table_is_turn(const struct mn_session_table *table, size_t row)
{
    return table->room && table->session[row] != MN_ROW_NONE;
}

/* Of a row that is a turn. */
static inline struct mn_session_turn *mn_session_turn_of(const struct mn_session_table *table,
                                                         size_t row)
{
    return &table->turn[table->place[row]];
}

#endif
