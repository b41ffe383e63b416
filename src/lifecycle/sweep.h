/*
 * sweep.h - looking for what was erased in bytes that may hold anything.
 *
 * Looked for: ids and whole texts as they are, and of texts every sequence of five words, or of eight
 * Han characters, or a mixture that weighs as much. Words are compared byte by byte, what stands
 * between them is not. Of each thing only a hash of 64 bits is kept.
 */
#ifndef MN_LIFECYCLE_SWEEP_H
#define MN_LIFECYCLE_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "store/erased.h"

#define MN_SWEEP_BYTES_MIN 8 /* shorter ones stand everywhere by accident: not looked for */

struct mn_sweep;

struct mn_sweep *mn_sweep_new(void); /* NULL: out of memory */
void mn_sweep_free(struct mn_sweep *sweep);
void mn_sweep_free_at(struct mn_sweep **sweep); /* for MN_CLEANUP */
#define MN_SWEEP_AUTO MN_CLEANUP(mn_sweep_free_at) struct mn_sweep *

/* False: out of memory. */
bool mn_sweep_add_text(struct mn_sweep *sweep, struct mn_str text);
bool mn_sweep_add_exact(struct mn_sweep *sweep, struct mn_str bytes);
size_t mn_sweep_count(const struct mn_sweep *sweep);

/* What stands in these bytes is found... */
void mn_sweep_look(struct mn_sweep *sweep, const void *bytes, size_t count);
/* ...and what stands in these has a right to be there: found no more. */
void mn_sweep_excuse(struct mn_sweep *sweep, const void *bytes, size_t count);
/* For the store's texts: a text, its row's id, and whose it is; `sweep` is a struct mn_sweep *. */
void mn_sweep_excuse_kept(void *sweep, const struct mn_kept_text *kept);
size_t mn_sweep_found(const struct mn_sweep *sweep);
void mn_sweep_forget_found(struct mn_sweep *sweep);

#endif
