/*
 * synonyms.h - one thing under several names: k8s and kubernetes, 数据库 and database.
 *
 * Pure. Where a request holds one of the names, a text that holds another is found by it, as if it
 * were written there. Names are folded (analyze.h); Latin ones count at word borders.
 */
#ifndef MN_TEXT_SYNONYMS_H
#define MN_TEXT_SYNONYMS_H

#include "base/arena.h"
#include "base/err.h"
#include "text/analyze.h"

#define MN_SYNONYM_FORMS_MAX 128 /* of one request; further ones are left out */

/* Adds to the terms of the folded request what the other names of the group say. A name that is one
 * Chinese character is not looked for: it stands in too many words. */
enum mneme_status mn_synonyms_group(struct mn_arena *arena, const char *folded,
                                    const char *const *name, size_t count, struct mn_terms *terms,
                                    struct mneme_error *err);

/* The same of the built-in groups: abbreviations that software people write either way. */
enum mneme_status mn_synonyms_common(struct mn_arena *arena, const char *folded,
                                     struct mn_terms *terms, struct mneme_error *err);

#endif
