/*
 * test_search_suite.h - what search.h promises, for any engine behind it.
 */
#ifndef MN_TESTS_SEARCH_SUITE_H
#define MN_TESTS_SEARCH_SUITE_H

#include "search/search.h"

typedef struct mn_search *(*search_maker)(const struct mn_space *space);

/* Runs every promise as a cmocka group; the number that failed. full_arena: the engine answers a
 * full arena with a status. */
int search_suite_run(const char *engine, search_maker make, bool full_arena);

#endif
