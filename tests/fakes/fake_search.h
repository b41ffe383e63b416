/*
 * fake_search.h - an index that fails, lags and remembers wrongly when told to.
 *
 * Stands before a real engine and passes calls on. Not for several threads.
 */
#ifndef MN_TESTS_FAKE_SEARCH_H
#define MN_TESTS_FAKE_SEARCH_H

#include "search/search.h"

/* NULL when malloc fails. Owns `real`: freed by mn_search_free(). */
struct mn_search *fake_search_new(struct mn_search *real);

/* The next `calls` calls (apply, position, top, score, context, similarity) succeed, all after them fail
 * with `status` and are not passed on; MNEME_OK: none fails. */
void fake_search_fail_after(struct mn_search *search, size_t calls, enum mneme_status status);

/* Those calls so far, failed ones too. */
size_t fake_search_calls(const struct mn_search *search);

/* What position() answers for every partition that is loaded; NULL: the truth. Lent. */
void fake_search_stale_position(struct mn_search *search, const char *cursor);

/* top() and score() answer with these documents where a hit has one's id: an index that has missed
 * changes. Scores are the real ones. Lent; 0: the truth. */
void fake_search_stale_documents(struct mn_search *search,
                                 const struct mneme_memory *const *memories, size_t count);

#endif
