/*
 * session_table.c - a linked list a session.
 *
 * Turns arrive in order nearly always, so that a new one is linked behind the last; one that
 * arrives late walks back to its place. A lone turn (an event without a session) has a session of
 * its own that nobody finds by its id.
 */
#include "search/session_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/str.h"

#define ROWS_FIRST 64
#define GROWTH 8 /* room grows by an eighth */
#define SESSIONS_FIRST 16
#define SLOTS_FIRST 64
#define SPEAKERS_FIRST 8

/* ---- outside any lock ---- */

static size_t characters(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static enum mneme_status read_speaker(const char *name, struct mn_arena *arena,
                                      struct mn_speaker *speaker, struct mneme_error *err)
{
    char *folded = mn_text_fold(arena, name, strlen(name));
    struct mn_terms terms = { 0 };

    if (!folded)
        return mn_fail_memory(err);
    MN_TRY(mn_text_query_terms(arena, name, strlen(name), &terms, err));
    speaker->hash = mn_hash64(folded, strlen(folded), 0);
    memcpy(speaker->name, folded, mn_utf8_cut(folded, strlen(folded), MN_SPEAKER_NAME_BYTES - 1));
    for (size_t i = 0; i < terms.count && speaker->term_count < MN_SPEAKER_TERMS_MAX; i++)
        if (terms.item[i].kind == MN_TERM_WORD)
            speaker->term[speaker->term_count++] = terms.item[i].hash;
    return MNEME_OK;
}

enum mneme_status mn_session_entry_make(const struct mn_unit *unit,
                                        const struct mn_text_document *document,
                                        struct mn_arena *arena, struct mn_session_entry *ret_entry,
                                        struct mneme_error *err)
{
    struct mn_session_entry entry = { .is_turn = unit->is_event && unit->kind == MN_UNIT_ITEM };
    const char *text = mn_or_empty(unit->memory.content);
    int64_t at_ms = unit->memory.event_time_ms;
    int year = 0, month = 0, day = 0;

    if (entry.is_turn) {
        if (at_ms)
            mn_civil_from_days(at_ms / MN_DAY_MS - (at_ms % MN_DAY_MS < 0), &year, &month, &day);
        if (!mn_empty(unit->session_id))
            entry.session_hash = mn_hash64(unit->session_id, strlen(unit->session_id), 0);
        entry.has_speaker = !mn_empty(unit->speaker);
        if (entry.has_speaker)
            MN_TRY(read_speaker(unit->speaker, arena, &entry.speaker, err));
        entry.turn = (struct mn_session_turn){ .year = (int16_t)year,
                                               .month = (uint8_t)month,
                                               .day = (uint8_t)day,
                                               .cues = mn_turn_read(text, strlen(text)),
                                               .letters = logf(1 + (float)characters(text)),
                                               .head = document->head,
                                               .length = document->length,
                                               .order = unit->order };
    }
    *ret_entry = entry;
    return MNEME_OK;
}

/* ---- sessions ---- */

static void slot_fill(struct mn_session_table *table, uint32_t session)
{
    size_t at = table->sessions.item[session].hash & (table->sessions.slots - 1);

    while (table->sessions.slot[at])
        at = (at + 1) & (table->sessions.slots - 1);
    table->sessions.slot[at] = session + 1;
}

static uint32_t find_session(const struct mn_session_table *table, uint64_t hash)
{
    if (!table->sessions.slots || !hash)
        return MN_ROW_NONE;
    for (size_t at = hash & (table->sessions.slots - 1); table->sessions.slot[at];
         at = (at + 1) & (table->sessions.slots - 1)) {
        uint32_t session = table->sessions.slot[at] - 1;

        if (table->sessions.item[session].hash == hash)
            return session;
    }
    return MN_ROW_NONE;
}

static bool session_room(struct mn_session_table *table)
{
    if (table->sessions.count == table->sessions.room) {
        size_t room = table->sessions.room ? table->sessions.room * 2 : SESSIONS_FIRST;
        void *grown = realloc(table->sessions.item, room * sizeof table->sessions.item[0]);

        if (!grown)
            return false;
        table->sessions.item = grown;
        table->sessions.room = room;
    }
    if ((table->sessions.count + 1) * 2 > table->sessions.slots) {
        size_t slots = table->sessions.slots ? table->sessions.slots * 2 : SLOTS_FIRST;
        uint32_t *slot = calloc(slots, sizeof *slot);

        if (!slot)
            return false;
        free(table->sessions.slot);
        table->sessions.slot = slot;
        table->sessions.slots = slots;
        for (uint32_t s = 0; s < table->sessions.count; s++)
            if (table->sessions.item[s].hash)
                slot_fill(table, s);
    }
    return true;
}

/* The session of this id, made when there is none; MN_ROW_NONE when malloc fails. */
static uint32_t session_of(struct mn_session_table *table, uint64_t hash)
{
    uint32_t session = find_session(table, hash);

    if (session != MN_ROW_NONE)
        return session;
    if (!session_room(table))
        return MN_ROW_NONE;
    session = (uint32_t)table->sessions.count++;
    table->sessions.item[session] = (struct mn_session){ .hash = hash, .last = MN_ROW_NONE };
    if (hash)
        slot_fill(table, session);
    return session;
}

/* How many turns stand in all windows of `reach` turns to both sides, in a session of `turns`. */
static size_t window_turns(size_t turns, size_t reach)
{
    size_t sum = turns;

    for (size_t away = 1; away <= reach && away < turns; away++)
        sum += 2 * (turns - away);
    return sum;
}

static void resize(struct mn_session_table *table, struct mn_session *session, uint32_t turns)
{
    table->window3_turns += window_turns(turns, 3) - window_turns(session->turns, 3);
    table->window6_turns += window_turns(turns, 6) - window_turns(session->turns, 6);
    table->live_sessions += !session->turns && turns;
    table->live_sessions -= session->turns && !turns;
    session->turns = turns;
}

static void link_turn(struct mn_session_table *table, uint32_t row)
{
    struct mn_session_turn *turn = mn_session_turn_of(table, row);
    struct mn_session *session = &table->sessions.item[table->session[row]];
    uint32_t before = session->last;

    while (before != MN_ROW_NONE && mn_session_turn_of(table, before)->order > turn->order)
        before = mn_session_turn_of(table, before)->before;
    turn->before = before;
    if (before != MN_ROW_NONE) {
        turn->after = mn_session_turn_of(table, before)->after;
        mn_session_turn_of(table, before)->after = row;
    } else { /* the first: the old first is found by walking, which only latecomers pay */
        turn->after = session->last;
        while (turn->after != MN_ROW_NONE && mn_session_turn_of(table, turn->after)->before != MN_ROW_NONE)
            turn->after = mn_session_turn_of(table, turn->after)->before;
    }
    if (turn->after != MN_ROW_NONE)
        mn_session_turn_of(table, turn->after)->before = row;
    else
        session->last = row;
}

/* ---- speakers ---- */

bool mn_session_speaker_of(struct mn_session_table *table, const struct mn_speaker *speaker,
                           uint16_t *ret_number)
{
    size_t at = 0;

    while (at < table->speaker_count && table->speaker[at].hash != speaker->hash)
        at++;
    *ret_number = at < MN_SPEAKERS_MAX ? (uint16_t)at : MN_SPEAKER_NONE;
    if (at < table->speaker_count || at == MN_SPEAKERS_MAX)
        return true;
    if (at == table->speaker_room) {
        size_t room = at ? at * 2 : SPEAKERS_FIRST;
        void *grown = realloc(table->speaker, room * sizeof *table->speaker);

        if (!grown)
            return false;
        table->speaker = grown;
        table->speaker_room = room;
    }
    table->speaker[table->speaker_count++] = *speaker;
    return true;
}

/* ---- rows ---- */

static bool grow(void *column, size_t room, size_t bytes)
{
    void *grown = realloc(*(void **)column, room * bytes);

    if (!grown)
        return false;
    *(void **)column = grown;
    return true;
}

static size_t more_room(size_t room)
{
    return room + room / GROWTH + ROWS_FIRST;
}

/* Room for row `count`. Without a turn so far there is nothing to be said of any row. */
static bool row_room(struct mn_session_table *table, bool is_turn)
{
    size_t room = more_room(table->count);

    if (is_turn && table->turn_count == table->turn_room) {
        size_t turns = more_room(table->turn_room);

        if (!grow(&table->turn, turns, sizeof *table->turn))
            return false;
        table->turn_room = turns;
    }
    if ((!table->room && !is_turn) || table->count < table->room)
        return true;
    if (!grow(&table->session, room, sizeof *table->session) ||
        !grow(&table->place, room, sizeof *table->place))
        return false;
    if (!table->room)
        memset(table->session, 0xff, table->count * sizeof *table->session);
    table->room = room;
    return true;
}

bool mn_session_table_add(struct mn_session_table *table, const struct mn_session_entry *entry)
{
    struct mn_session_turn turn = entry->turn;
    uint32_t number = MN_ROW_NONE;

    turn.before = turn.after = MN_ROW_NONE;
    turn.speaker = MN_SPEAKER_NONE;
    if (!row_room(table, entry->is_turn))
        return false;
    if (entry->is_turn) {
        number = session_of(table, entry->session_hash);
        if (number == MN_ROW_NONE ||
            (entry->has_speaker && !mn_session_speaker_of(table, &entry->speaker, &turn.speaker)))
            return false;
    }
    if (table->room) {
        table->session[table->count] = number;
        table->place[table->count] = (uint32_t)table->turn_count;
    }
    if (entry->is_turn) {
        table->turn[table->turn_count++] = turn;
        struct mn_session *session = &table->sessions.item[number];

        link_turn(table, (uint32_t)table->count);
        resize(table, session, session->turns + 1);
        session->length += (double)turn.length;
        if (turn.speaker != MN_SPEAKER_NONE)
            table->speaker[turn.speaker].turns++;
        table->turns++;
        table->length_sum += (double)turn.length;
        table->head_sum += (double)turn.head;
    }
    table->count++;
    return true;
}

void mn_session_table_remove(struct mn_session_table *table, size_t row)
{
    if (!mn_session_table_is_turn(table, row))
        return;
    struct mn_session_turn *turn = mn_session_turn_of(table, row);
    struct mn_session *session = &table->sessions.item[table->session[row]];
    if (turn->before != MN_ROW_NONE)
        mn_session_turn_of(table, turn->before)->after = turn->after;
    if (turn->after != MN_ROW_NONE)
        mn_session_turn_of(table, turn->after)->before = turn->before;
    else
        session->last = turn->before;
    resize(table, session, session->turns - 1);
    session->length -= (double)turn->length;
    if (turn->speaker != MN_SPEAKER_NONE)
        table->speaker[turn->speaker].turns--;
    table->turns--;
    table->length_sum -= (double)turn->length;
    table->head_sum -= (double)turn->head;
    table->session[row] = turn->before = turn->after = MN_ROW_NONE;
}

static uint32_t moved(const uint32_t *map, uint32_t row)
{
    return row == MN_ROW_NONE ? row : map[row];
}

static void compact_sessions(struct mn_session_table *table, const uint32_t *row_map)
{
    uint32_t kept = 0;

    for (size_t s = 0; s < table->sessions.count; s++) {
        struct mn_session *session = &table->sessions.item[s];

        session->moved = session->turns ? kept++ : MN_ROW_NONE;
        session->last = moved(row_map, session->last);
    }
    for (size_t row = 0; row < table->count; row++)
        if (mn_session_table_is_turn(table, row))
            table->session[row] = table->sessions.item[table->session[row]].moved;
    for (size_t s = 0; s < table->sessions.count; s++)
        if (table->sessions.item[s].moved != MN_ROW_NONE)
            table->sessions.item[table->sessions.item[s].moved] = table->sessions.item[s];
    table->sessions.count = kept;
    if (table->sessions.slots)
        memset(table->sessions.slot, 0, table->sessions.slots * sizeof table->sessions.slot[0]);
    for (uint32_t s = 0; s < kept; s++)
        if (table->sessions.item[s].hash)
            slot_fill(table, s);
}

static void compact_speakers(struct mn_session_table *table)
{
    uint16_t kept = 0;

    for (size_t s = 0; s < table->speaker_count; s++)
        table->speaker[s].moved = table->speaker[s].turns ? kept++ : MN_SPEAKER_NONE;
    for (size_t row = 0; row < table->count; row++)
        if (mn_session_table_is_turn(table, row) && mn_session_turn_of(table, row)->speaker != MN_SPEAKER_NONE)
            mn_session_turn_of(table, row)->speaker = table->speaker[mn_session_turn_of(table, row)->speaker].moved;
    for (size_t s = 0; s < table->speaker_count; s++)
        if (table->speaker[s].moved != MN_SPEAKER_NONE)
            table->speaker[table->speaker[s].moved] = table->speaker[s];
    table->speaker_count = kept;
}

void mn_session_table_compact(struct mn_session_table *table, const uint32_t *row_map)
{
    size_t kept = 0, turns = 0;

    compact_sessions(table, row_map);
    compact_speakers(table);
    for (size_t row = 0; row < table->count; row++) {
        if (row_map[row] == UINT32_MAX)
            continue;
        if (table->room) {
            bool is_turn = mn_session_table_is_turn(table, row);
            struct mn_session_turn turn = { 0 };

            if (is_turn) {
                turn = *mn_session_turn_of(table, row);
                turn.before = moved(row_map, turn.before);
                turn.after = moved(row_map, turn.after);
            }
            table->session[kept] = table->session[row];
            table->place[kept] = (uint32_t)turns;
            if (is_turn)
                table->turn[turns++] = turn;
        }
        kept++;
    }
    table->count = kept;
    table->turn_count = turns;
}

size_t mn_session_table_bytes(const struct mn_session_table *table)
{
    return table->room * (sizeof *table->session + sizeof *table->place) +
           table->turn_room * sizeof *table->turn +
           table->sessions.room * sizeof table->sessions.item[0] +
           table->sessions.slots * sizeof table->sessions.slot[0] +
           table->speaker_room * sizeof *table->speaker;
}

void mn_session_table_release(struct mn_session_table *table)
{
    free(table->turn);
    free(table->session);
    free(table->place);
    free(table->sessions.item);
    free(table->sessions.slot);
    free(table->speaker);
    memset(table, 0, sizeof *table);
}
