/*
 * test_search_memory.c - the in-memory engine keeps what search.h promises.
 */
#include "test_search_suite.h"

#include <assert.h>

static struct mn_search *make(const struct mn_space *space)
{
    struct mn_search *search = NULL;

    assert(mn_search_memory_new(space, (size_t)1 << 30, &search, NULL) == MNEME_OK);
    return search;
}

int main(void)
{
    return search_suite_run("in memory", make, true);
}
