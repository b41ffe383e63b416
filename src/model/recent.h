/*
 * recent.h - the vectors of what was asked last, with the codes of its tokens where the model gives them.
 */
#ifndef MN_MODEL_RECENT_H
#define MN_MODEL_RECENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"
#include "base/str.h"
#include "model/profile.h"

#define MN_RECENT_REQUESTS 256

struct mn_recent;

struct mn_recent *mn_recent_new(void); /* NULL: no memory */
void mn_recent_free(struct mn_recent *recent); /* accepts NULL, as the others do */

/* Who asks what of which model. False, and the key empty: no memory. */
bool mn_recent_key(const struct mn_model_profile *profile, const char *tenant, const char *user,
                   const char *text, char ret_key[MN_SHA256_HEX_BYTES])
    __attribute__((warn_unused_result));

/* ret_vector: dim floats; codes of tokens are put behind what ret_codes holds. Both are untouched when it
 * is not there. */
bool mn_recent_find(struct mn_recent *recent, const char *key, size_t dim, float *ret_vector,
                    struct mn_buf *ret_codes);
/* In the place of what was asked for the longest time ago. Without memory it is not kept. */
void mn_recent_keep(struct mn_recent *recent, const char *key, size_t dim, const float *vector,
                    struct mn_str codes);
/* Forgets all of them. */
void mn_recent_clear(struct mn_recent *recent);

#endif
