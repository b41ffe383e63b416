/*
 * model_search.h - the index as plainly as it can be written: every unit looked at, every figure by
 * the book, in double.
 *
 * A second engine behind search.h. The contract suite runs against it too, and the real engine is
 * compared with it on random data.
 */
#ifndef MN_TESTS_MODEL_SEARCH_H
#define MN_TESTS_MODEL_SEARCH_H

#include "search/search.h"

/* Never evicts. Asserts where malloc fails. Free with mn_search_free(). */
struct mn_search *model_search_new(const struct mn_space *space);

#endif
