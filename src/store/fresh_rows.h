/*
 * fresh_rows.h - the memories that this handle wrote last, so that a guard need not ask the file for
 * what was written since its look.
 *
 * Of a group of writers each has to be held against those before it. Here a row is a glance at what lies
 * in memory; in the file it is three tables. Kept are the last few, by the number of their change: whoever
 * looked before the oldest of them asks the file.
 */
#ifndef MN_STORE_FRESH_ROWS_H
#define MN_STORE_FRESH_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mneme/memory.h>

#include "base/arena.h"
#include "text/glance.h"

/* ---- what a text looks like ---- */

#define MN_FIGURES_MAX 16

/* The numbers of a text written in digits, in any order. */
struct mn_figures {
    uint64_t hash[MN_FIGURES_MAX];
    size_t count; /* more than there is room for: not all are here */
};
struct mn_look {
    struct mn_glance glance;
    struct mn_figures figures;
};

struct mn_look mn_look_at(const char *text);
/* Does the one reword the other? Most are told apart by how they look, what is left as a writer would,
 * with so much room for working it out. */
bool mn_look_rewords(const struct mn_look *a, const char *a_text, const struct mn_look *b,
                     const char *b_text, size_t scratch_bytes_max);

/* ---- the rows ---- */

#define MN_FRESH_ROWS 128
#define MN_FRESH_BYTES_MAX 4096 /* a row's texts; of a longer one the file is asked */

struct mn_fresh_row {
    int64_t change; /* its number */
    const char *tenant, *owner, *agent, *scope_id;
    const char *id;
    const char *content_hash;
    const char *memory_key;
    const char *content;
    enum mneme_scope scope_kind;
    enum mneme_memory_status status;
    bool looked; /* `look` was taken: when it is first wanted */
    struct mn_look look;
    char text[];
};

/* Empty when zeroed. */
struct mn_fresh_rows {
    bool known;    /* every memory that was written behind `since` is here */
    int64_t since; /* the number of a change */
    struct mn_fresh_row *row[MN_FRESH_ROWS]; /* a ring */
    size_t first, count;
};

void mn_fresh_release(struct mn_fresh_rows *fresh); /* nothing is known any more */
/* From the change with this number on everything will be told, unless it is already. */
void mn_fresh_begin(struct mn_fresh_rows *fresh, int64_t change);
/* A row was written. The oldest makes room; what cannot be kept is not known. */
void mn_fresh_add(struct mn_fresh_rows *fresh, int64_t change, const struct mneme_memory *memory);
bool mn_fresh_reaches(const struct mn_fresh_rows *fresh, int64_t change);
/* The youngest is 0; NULL when there is none, or none behind the change. */
struct mn_fresh_row *mn_fresh_behind(const struct mn_fresh_rows *fresh, int64_t change, size_t at);

#endif
