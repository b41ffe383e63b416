/*
 * search_play.h - plays bytes as a story of changes and requests, on a real index and on the plain
 * model at once, and compares every answer.
 *
 * The same for random bytes (tests/unit/test_search_random.c) and for a fuzzer's.
 */
#ifndef MN_TESTS_SEARCH_PLAY_H
#define MN_TESTS_SEARCH_PLAY_H

#include <stddef.h>
#include <stdint.h>

/* Aborts with a message at the first difference. Returns the number of answers compared. */
size_t search_play(const uint8_t *bytes, size_t count);

#endif
