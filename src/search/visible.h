/*
 * visible.h - which rows of a partition a request may see: one bit a row.
 *
 * The rules stay in memory/access.c. Rows that are equal in everything but instants that a request
 * judges them by form a class, and a request judges each class once. Whether a row's state holds is
 * asked when it is added, once for the present and once for the past; what is left for the request
 * are comparisons of instants over columns.
 */
#ifndef MN_SEARCH_VISIBLE_H
#define MN_SEARCH_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/access.h"
#include "memory/type.h"
#include "memory/unit.h"

struct mn_visible_class {
    struct mneme_memory *memory; /* with the class's fields alone */
    uint8_t type;
    uint8_t state; /* does it hold now, did it in the past: visible.c */
    size_t bytes;  /* of its block */
    uint64_t hash;
    size_t rows;    /* alive ones; 0: not asked */
    uint32_t moved; /* while compacting: where it goes */
};

struct mn_visible {
    size_t count;    /* rows, dead ones included */
    size_t room;     /* a multiple of 64 */
    uint64_t *alive; /* one bit a row */
    uint32_t *class_of;
    int64_t *created_at;
    /* NULL while no row has one. */
    int64_t *valid_from;  /* INT64_MIN: open */
    int64_t *valid_until; /* INT64_MAX: open */
    int64_t *event_time;  /* 0: none */

    struct {
        struct mn_visible_class *item;
        size_t count;
        size_t room;
        uint32_t *slot; /* hash table: class + 1; 0 is free */
        size_t slots;   /* a power of two */
        size_t bytes;   /* of the documents */
    } classes;

    /* Bounds over all rows there have been: most partitions need no look at these columns. */
    int64_t latest_from;
    int64_t earliest_until;
};

struct mn_visible_request {
    const struct mn_access *access;
    mn_type_set text_types;
    mn_type_set vector_types;
    int64_t after_ms;
    int64_t before_ms;
};

static inline size_t mn_visible_words(const struct mn_visible *visible)
{
    return (visible->count + 63) / 64;
}

/* Adds row `count`. False when malloc fails; the rows are as they were. */
bool mn_visible_add(struct mn_visible *visible, const struct mn_unit *unit);
void mn_visible_remove(struct mn_visible *visible, size_t row);
bool mn_visible_alive(const struct mn_visible *visible, size_t row);

/* Squeezes dead rows and classes out; rows keep their order. */
void mn_visible_compact(struct mn_visible *visible);

/* What a request makes of each class. */
struct mn_visible_judged {
    const struct mn_visible *visible;
    const struct mn_visible_request *request;
    const uint8_t *verdict; /* by class: bits MN_VISIBLE_... */
    bool timed;             /* instants tell as well */
};

enum { MN_VISIBLE_AS_TEXT = 1, MN_VISIBLE_AS_VECTOR = 2, MN_VISIBLE_AS_ANY = 4 };

/* Judges the classes into `verdict`, which has room for mn_visible_verdict_count(), at least 1. The request
 * must outlive what is returned. */
size_t mn_visible_verdict_count(const struct mn_visible *visible);
struct mn_visible_judged mn_visible_judge(const struct mn_visible *visible,
                                          const struct mn_visible_request *request,
                                          uint8_t *verdict);

/* Fills mn_visible_words() words of both: rows that may be seen and are of those types. */
void mn_visible_bits(const struct mn_visible_judged *judged, uint64_t *text_bits,
                     uint64_t *vector_bits);

/* May this row be seen, whatever its type? */
bool mn_visible_row(const struct mn_visible_judged *judged, size_t row);

size_t mn_visible_bytes(const struct mn_visible *visible);
void mn_visible_release(struct mn_visible *visible);

#endif
