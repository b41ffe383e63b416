/*
 * tally.h - means by kind: of so many cases of a kind, how many were found, rejected, merged.
 *
 * A case is added under every name it counts for ("all", its kind). Names stand in the order in
 * which they came first.
 */
#ifndef MN_EVAL_TALLY_H
#define MN_EVAL_TALLY_H

#include <stddef.h>

#include "base/arena.h"
#include "base/json.h"

#define MN_TALLY_COLUMNS_MAX 4

struct mn_tally_line {
    const char *name;
    size_t count;
    double sum[MN_TALLY_COLUMNS_MAX];
};

struct mn_tally {
    struct mn_arena *arena;
    const char *const *column; /* names; ends with NULL */
    struct {
        struct mn_tally_line *item;
        size_t count, room;
    } lines;
};

/* values: one for each column. False when the arena is full. */
bool mn_tally_add(struct mn_tally *tally, const char *name, const double *values);

/* Mean of a column over the cases of that name; NaN where there are none. */
double mn_tally_mean(const struct mn_tally *tally, const char *name, const char *column);

/* {"all": {"count": 61, "mrr": 0.5, ...}, ...} */
void mn_tally_put(struct mn_json_writer *w, const struct mn_tally *tally);
void mn_tally_tell(struct mn_buf *out, const struct mn_tally *tally);

#endif
