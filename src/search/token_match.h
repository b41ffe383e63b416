/*
 * token_match.h - how like each word of a request a text is, word by word.
 *
 * For every token of the request the best cosine that any token of the text has with it (MaxSim,
 * Khattab and Zaharia, SIGIR 2020), over the codes of text/token_codes.h. In plain C, for AVX-512, AVX2
 * and NEON, with the same bits: sums of whole numbers, and one product of floats for each pair.
 */
#ifndef MN_SEARCH_TOKEN_MATCH_H
#define MN_SEARCH_TOKEN_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "text/token_codes.h"

#define MN_TOKEN_GROUP 8 /* request's tokens side by side */

/* A request made ready. The codes lie in groups: of each four axes those of eight tokens. */
struct mn_token_request {
    size_t count;
    size_t groups;
    uint32_t number[MN_TOKENS_REQUEST_MAX];
    float scale[MN_TOKENS_REQUEST_MAX]; /* 1 / length of the code; 0 of one without */
    int32_t sum[MN_TOKENS_REQUEST_MAX]; /* of its numbers */
    const int8_t *code;                 /* groups of MN_TOKEN_GROUP * MN_TOKEN_AXES */
};

/* codes: those of a request, at most MN_TOKENS_REQUEST_MAX tokens are read; in the arena. */
enum mneme_status mn_token_request_make(const void *codes, size_t bytes, struct mn_arena *arena,
                                        struct mn_token_request *ret_request,
                                        struct mneme_error *err);

/*
 * best: for each token of the request, the best cosine; 0 where the text has none above that.
 * has: does the text hold this very token?
 * codes must be whole (mn_token_codes_whole).
 */
void mn_token_match(const struct mn_token_request *request, const void *codes, size_t bytes,
                    float best[MN_TOKENS_REQUEST_MAX], bool has[MN_TOKENS_REQUEST_MAX]);

/* ---- the ways ---- */

/* Raises best[0 .. groups * MN_TOKEN_GROUP): the products of one token of the text, unit = its numbers
 * plus one, times `scale`, with each of the request's. */
typedef void (*mn_token_raise_fn)(const struct mn_token_request *request,
                                  const uint8_t unit[MN_TOKEN_AXES], float scale, float *best);
/* From the two masks of a code to its numbers plus one: 0, 1, 2. */
typedef void (*mn_token_unit_fn)(const unsigned char *masks, uint8_t unit[MN_TOKEN_AXES]);

struct mn_token_way {
    const char *name;
    mn_token_unit_fn unit;
    mn_token_raise_fn raise;
};
extern const struct mn_token_way mn_token_plain;
/* NULL where this processor, or the one compiled for, has none. */
const struct mn_token_way *mn_token_avx512(void);
const struct mn_token_way *mn_token_avx2(void);
const struct mn_token_way *mn_token_neon(void);
/* The fastest this processor has. */
const struct mn_token_way *mn_token_here(void);
/* As mn_token_match(), in this way. */
void mn_token_match_in(const struct mn_token_way *way, const struct mn_token_request *request,
                       const void *codes, size_t bytes, float best[MN_TOKENS_REQUEST_MAX],
                       bool has[MN_TOKENS_REQUEST_MAX]);

#endif
