/*
 * synthetic.h - seeded memories that look like real ones to an index: two languages, words as rare as
 * words are, a mixture of types, scopes, keys and sessions. The same seed gives the same memories.
 */
#ifndef MN_EVAL_SYNTHETIC_H
#define MN_EVAL_SYNTHETIC_H

#include <stddef.h>
#include <stdint.h>

#include <mneme/memory.h>

#include "base/arena.h"

struct mn_synthetic {
    uint64_t random; /* the state; begin with any number but 0 */
    int64_t now_ms;  /* memories are up to a year older */
    const char *tenant_id;
    const char *user_id;
    double structured_share; /* 0..1: of rows that are looked up, not told */
};

#define MN_SYNTHETIC_PROJECT "harbour"
#define MN_SYNTHETIC_REPO "harbour-api"

/*
 * The next record: a preference or rule as often as structured_share says, else a memory that is told
 * or, as often, a turn of a session. Memories are of the user, one in ten shared in the tenant. Lives
 * in the arena. `number` makes its id.
 */
enum mneme_status mn_synthetic_next(struct mn_synthetic *source, size_t number,
                                    struct mn_arena *arena, struct mneme_record *ret_record,
                                    struct mneme_error *err);

/* A request about something that the same words may be found in; NULL: no memory. */
const char *mn_synthetic_request(struct mn_synthetic *source, struct mn_arena *arena);

/* A text of one language, of about `words` words; NULL: no memory. */
const char *mn_synthetic_text(struct mn_synthetic *source, int chinese, size_t words,
                              struct mn_arena *arena);

/* Of length 1, around `mean` as the vectors of a sentence encoder lie around theirs. */
void mn_synthetic_vector(struct mn_synthetic *source, const float *mean, size_t dim, float *vector);

#endif
