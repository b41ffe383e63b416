/*
 * test_model_recent.c - the vectors of what was asked last: as many as there is room for, each its
 * owner's, and none after they were forgotten.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "model/recent.h"

#define DIM 3

static void key_of(size_t number, char key[MN_SHA256_HEX_BYTES])
{
    (void)snprintf(key, MN_SHA256_HEX_BYTES, "k-%zu", number);
}

static void keep(struct mn_recent *recent, size_t number)
{
    const float vector[DIM] = { (float)number, 0, 1 };
    char key[MN_SHA256_HEX_BYTES];

    key_of(number, key);
    mn_recent_keep(recent, key, DIM, vector, (struct mn_str){ key, number % 3 });
}

static bool is_there(struct mn_recent *recent, size_t number)
{
    float vector[DIM] = { -1, -1, -1 };
    MN_BUF_AUTO codes = { 0 };
    char key[MN_SHA256_HEX_BYTES];

    key_of(number, key);
    if (!mn_recent_find(recent, key, DIM, vector, &codes)) {
        assert_float_equal(vector[0], -1, 0); /* untouched */
        assert_int_equal(codes.bytes, 0);
        return false;
    }
    assert_int_equal(codes.bytes, number % 3);
    assert_memory_equal(codes.bytes ? codes.at : key, key, number % 3);
    assert_float_equal(vector[0], (float)number, 0);
    assert_float_equal(vector[2], 1, 0);
    return true;
}

static void the_one_asked_for_the_longest_time_ago_leaves(void **state)
{
    struct mn_recent *recent = mn_recent_new();

    (void)state;
    assert_non_null(recent);
    for (size_t i = 0; i < MN_RECENT_REQUESTS; i++)
        keep(recent, i);
    assert_true(is_there(recent, 0)); /* asked again: 1 is the oldest now */
    keep(recent, MN_RECENT_REQUESTS);
    assert_false(is_there(recent, 1));
    assert_true(is_there(recent, 0));
    for (size_t i = 2; i <= MN_RECENT_REQUESTS; i++)
        assert_true(is_there(recent, i));
    mn_recent_free(recent);
}

static void one_that_is_kept_twice_takes_one_place(void **state)
{
    struct mn_recent *recent = mn_recent_new();

    (void)state;
    for (size_t i = 0; i < MN_RECENT_REQUESTS; i++)
        keep(recent, i);
    for (int i = 0; i < 5; i++)
        keep(recent, 7);
    for (size_t i = 0; i < MN_RECENT_REQUESTS; i++)
        assert_true(is_there(recent, i));
    mn_recent_free(recent);
}

static void nothing_is_left_of_what_was_forgotten(void **state)
{
    struct mn_recent *recent = mn_recent_new();
    const struct mn_str none = { "", 0 };
    MN_BUF_AUTO codes = { 0 };
    float vector[DIM + 1] = { 0 };

    (void)state;
    keep(recent, 1);
    assert_false(mn_recent_find(recent, "k-1", DIM + 1, vector, &codes)); /* of another model */
    mn_recent_clear(recent);
    assert_false(is_there(recent, 1));
    keep(recent, 1);
    assert_true(is_there(recent, 1));
    mn_recent_keep(recent, "", DIM, vector, none); /* what has no key is not kept */
    assert_false(mn_recent_find(recent, "", DIM, vector, &codes));
    mn_recent_free(recent);
    mn_recent_keep(NULL, "k-1", DIM, vector, none);
    mn_recent_clear(NULL);
    mn_recent_free(NULL);
    assert_false(mn_recent_find(NULL, "k-1", DIM, vector, &codes));
}

static void a_key_tells_model_tenant_user_and_text_apart(void **state)
{
    const struct mn_model_profile model = { .hash = "0123456789abcdef" };
    const struct mn_model_profile other = { .hash = "fedcba9876543210" };
    const struct {
        const struct mn_model_profile *profile;
        const char *tenant, *user, *text;
    } asked[] = {
        { &model, "t", "ann", "where?" },  { &other, "t", "ann", "where?" },
        { &model, "u", "ann", "where?" },  { &model, "t", "bob", "where?" },
        { &model, "t", "ann", "when?" },   { &model, "ta", "nn", "where?" },
        { &model, "t", "an", "n where?" },
    };
    char key[sizeof asked / sizeof *asked][MN_SHA256_HEX_BYTES];
    char again[MN_SHA256_HEX_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        assert_true(mn_recent_key(asked[i].profile, asked[i].tenant, asked[i].user, asked[i].text,
                                  key[i]));
        assert_true(mn_recent_key(asked[i].profile, asked[i].tenant, asked[i].user, asked[i].text,
                                  again));
        assert_string_equal(again, key[i]);
        for (size_t b = 0; b < i; b++)
            assert_string_not_equal(key[i], key[b]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_one_asked_for_the_longest_time_ago_leaves),
        cmocka_unit_test(one_that_is_kept_twice_takes_one_place),
        cmocka_unit_test(nothing_is_left_of_what_was_forgotten),
        cmocka_unit_test(a_key_tells_model_tenant_user_and_text_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
