/*
 * weight.h - what scope and authority count for: the figures of the ranking formula and the order of
 * the conflict rules, in one place for both.
 */
#ifndef MN_MEMORY_WEIGHT_H
#define MN_MEMORY_WEIGHT_H

#include <mneme/memory.h>

double mn_scope_weight(enum mneme_scope scope);         /* task 1.00 ... global 0.55, other 0.30 */
double mn_authority_weight(enum mneme_authority authority);
int mn_authority_tier(enum mneme_authority authority);  /* 2 explicit or confirmed, 1 tool, 0 model */
int mn_scope_width(enum mneme_scope scope);             /* narrower is larger: global 0 .. task 4 */

#endif
