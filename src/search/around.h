/*
 * around.h - turns that were not chosen themselves but stand among those that were.
 */
#ifndef MN_SEARCH_AROUND_H
#define MN_SEARCH_AROUND_H

#include "search/best.h"
#include "search/picked.h"

/* Offers the turns within 3 of these, which were chosen by text, that are not among them. `allowed`: of
 * each view, one bit a row. */
enum mneme_status mn_around_offer(const struct mn_picking *of, const struct mn_picked *picked,
                                  size_t count, uint64_t *const *allowed, struct mn_best *best,
                                  struct mneme_error *err);

#endif
