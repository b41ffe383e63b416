/*
 * tokens.h - how many tokens a text costs.
 *
 * Pure after loading: byte-pair encoding with the ranks of o200k or cl100k, which are embedded at
 * build (scripts/deps); "estimate" is an upper bound that needs no table (documented in tokens.c).
 */
#ifndef MN_TEXT_TOKENS_H
#define MN_TEXT_TOKENS_H

#include <stddef.h>

#include "base/err.h"

struct mn_tokens;

/* name: "o200k", "cl100k", "estimate". MNEME_INVALID: unknown; MNEME_LIMIT: memory. */
enum mneme_status mn_tokens_new(const char *name, struct mn_tokens **ret_tokens,
                                struct mneme_error *err);
void mn_tokens_free(struct mn_tokens *tokens); /* accepts NULL */

/* Safe from several threads. Ill-formed bytes count as one token each. */
size_t mn_tokens_count(const struct mn_tokens *tokens, const char *text, size_t bytes);
const char *mn_tokens_name(const struct mn_tokens *tokens);

#endif
