/*
 * test_base_sort.c - in order, stable, for none, one, a run, one past it, and many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sort.h"

#define MOST 1000

struct one {
    uint32_t key;
    size_t came; /* before which others it came */
};

static inline bool is_less(const struct one *a, const struct one *b)
{
    return a->key < b->key;
}
MN_SORT_OF(sort_by_key, struct one, is_less)

static void check(size_t count, uint32_t keys)
{
    struct one item[MOST], spare[MOST];
    uint32_t chance = 1;
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        chance = chance * 1664525 + 1013904223;
        item[i] = (struct one){ (chance >> 8) % keys, i };
        sum += item[i].key;
    }
    sort_by_key(item, count, spare);
    for (size_t i = 0; i < count; i++) {
        sum -= item[i].key;
        if (i == 0)
            continue;
        assert_true(item[i - 1].key <= item[i].key);
        if (item[i - 1].key == item[i].key)
            assert_true(item[i - 1].came < item[i].came);
    }
    assert_int_equal(sum, 0);
}

static void sorting_puts_in_order_and_keeps_the_order_of_equals(void **state)
{
    const size_t count[] = { 0,  1,  2,  MN_SORT_RUN - 1, MN_SORT_RUN, MN_SORT_RUN + 1,
                             16, 17, 31, 32,              33,          MOST };

    (void)state;
    for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
        check(count[i], 1);
        check(count[i], 3);
        check(count[i], UINT32_C(1) << 24);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorting_puts_in_order_and_keeps_the_order_of_equals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
