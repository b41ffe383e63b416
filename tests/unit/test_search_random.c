/*
 * test_search_random.c - the in-memory index answers as the plain model does, whatever happens to
 * it.
 */
#include "fakes/search_play.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define BYTES 20000

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void random_stories_are_answered_as_by_the_model(void **state)
{
    size_t compared = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);
        uint8_t *bytes = malloc(BYTES);

        assert_non_null(bytes);
        for (size_t i = 0; i < BYTES; i++)
            bytes[i] = (uint8_t)(next_random(&random) >> 32);
        compared += search_play(bytes, BYTES);
        free(bytes);
    }
    assert_true(compared > 3000); /* that they were compared at all */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_stories_are_answered_as_by_the_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
