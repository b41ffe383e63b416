/*
 * test_model_profile.c - what a profile may say, what is refused and by which name, and what its
 * hash depends on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/profile.h"

/* Fault injection: the allocation of this number fails, counted from 0; -1: none. */
static int fail_at = -1;
static int allocations;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    return allocations++ == fail_at ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return allocations++ == fail_at ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return allocations++ == fail_at ? NULL : __real_realloc(old, bytes);
}

/* A profile of dimension 2 with these means of "zh"; "en" is fixed. */
#define WITH_ZH(zh)                                                                                \
    "{\"name\":\"m\",\"dim\":2,\"mean\":{\"zh\":" zh                                               \
    ",\"en\":{\"request\":[0.1,0.2],\"passage\":[0.3,0.4]}}}"

static void the_built_in_profile_is_that_of_the_default_model(void **state)
{
    struct mn_model_profile profile;

    (void)state;
    assert_int_equal(mn_model_profile_parse(NULL, &profile, NULL), MNEME_OK);
    assert_string_equal(profile.name, "multilingual-e5-small-q4_0");
    assert_int_equal(profile.dim, 384);
    assert_string_equal(profile.request_prefix, "query: ");
    assert_string_equal(profile.passage_prefix, "passage: ");
    assert_string_equal(profile.pooling, "gguf");
    assert_int_equal(profile.tokens_max, 512);
    assert_int_equal(strlen(profile.hash), 16);
    assert_true(profile.request_mean[MN_LANGUAGE_ZH][0] == 0.062725f);
    assert_true(profile.passage_mean[MN_LANGUAGE_ZH][0] == 0.058243f);
    assert_true(profile.floor_question == 0.28f);
    assert_true(profile.floor_statement == 0.19f);
    assert_true(profile.own_mean_share == 0.3f);
    for (size_t i = 0; i < profile.dim; i++) {
        float mean =
            (profile.passage_mean[MN_LANGUAGE_ZH][i] + profile.passage_mean[MN_LANGUAGE_EN][i]) / 2;

        assert_true(profile.passage_mean[MN_LANGUAGE_OTHER][i] == mean);
    }
    mn_model_profile_release(&profile);
    assert_null(profile.request_mean[0]);
}

static void two_fields_are_enough_and_the_rest_is_neutral(void **state)
{
    struct mn_model_profile profile;

    (void)state;
    assert_int_equal(mn_model_profile_parse("{\"name\":\"m\",\"dim\":3}", &profile, NULL),
                     MNEME_OK);
    assert_string_equal(profile.request_prefix, "");
    assert_string_equal(profile.pooling, "gguf");
    assert_int_equal(profile.tokens_max, 512);
    for (int language = 0; language < MN_LANGUAGE_COUNT; language++)
        for (size_t i = 0; i < profile.dim; i++) {
            assert_true(profile.request_mean[language][i] == 0);
            assert_true(profile.passage_mean[language][i] == 0);
        }
    mn_model_profile_release(&profile);
}

static void what_is_wrong_is_named(void **state)
{
    static const struct {
        const char *json;
        const char *field;
    } CASE[] = {
        { "{}", "name" },
        { "{\"name\":\"\",\"dim\":3}", "name" },
        { "{\"name\":3,\"dim\":3}", "name" },
        { "{\"name\":\"1234567890123456789012345678901234567890123456789012345678901234\","
          "\"dim\":3}",
          "name" },
        { "{\"name\":\"m\"}", "dim" },
        { "{\"name\":\"m\",\"dim\":0}", "dim" },
        { "{\"name\":\"m\",\"dim\":4097}", "dim" },
        { "{\"name\":\"m\",\"dim\":1.5}", "dim" },
        { "{\"name\":\"m\",\"dim\":3,\"request_prefix\":\"12345678901234567890123456789012\"}",
          "request_prefix" },
        { "{\"name\":\"m\",\"dim\":3,\"pooling\":\"max\"}", "pooling" },
        { "{\"name\":\"m\",\"dim\":3,\"tokens_max\":0}", "tokens_max" },
        { "{\"name\":\"m\",\"dim\":3,\"tokens_max\":32769}", "tokens_max" },
        { "{\"name\":\"m\",\"dim\":3,\"impute\":1.01}", "impute" },
        { "{\"name\":\"m\",\"dim\":3,\"own_mean_share\":-0.01}", "own_mean_share" },
        { "{\"name\":\"m\",\"dim\":3,\"floor_question\":\"high\"}", "floor_question" },
        { "{\"name\":\"m\",\"dim\":3,\"florr\":1}", "florr" },
        { "{\"name\":\"m\",\"dim\":2,\"mean\":{}}", "mean.zh" },
        { "{\"name\":\"m\",\"dim\":2,\"mean\":5}", "mean.zh" },
        { WITH_ZH("{\"request\":[0,0]}"), "mean.zh.passage" },
        { WITH_ZH("{\"request\":[0],\"passage\":[0,0]}"), "mean.zh.request" },
        { WITH_ZH("{\"request\":[0,0,0],\"passage\":[0,0]}"), "mean.zh.request" },
        { WITH_ZH("{\"request\":[0,0],\"passage\":[0,1.001]}"), "mean.zh.passage" },
        { WITH_ZH("{\"request\":[0,\"0\"],\"passage\":[0,0]}"), "mean.zh.request" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(CASE) / sizeof(CASE[0]); i++) {
        struct mn_model_profile profile = { .dim = 77 };
        struct mneme_error err = { 0 };
        enum mneme_status status = mn_model_profile_parse(CASE[i].json, &profile, &err);

        if (status == MNEME_OK || strcmp(err.field, CASE[i].field) != 0)
            fail_msg("%s: status %d, \"%s\"", CASE[i].json, status, err.message);
        assert_true(status == MNEME_INVALID || status == MNEME_LIMIT);
        assert_int_equal(profile.dim, 77);
    }
}

static void values_at_the_limit_are_taken(void **state)
{
    static const char *const JSON[] = {
        "{\"name\":\"123456789012345678901234567890123456789012345678901234567890123\",\"dim\":1}",
        "{\"name\":\"m\",\"dim\":4096}",
        "{\"name\":\"m\",\"dim\":3,\"request_prefix\":\"1234567890123456789012345678901\"}",
        "{\"name\":\"m\",\"dim\":3,\"tokens_max\":32768,\"impute\":1,\"own_mean_share\":0}",
        WITH_ZH("{\"request\":[-1,1],\"passage\":[0,0.5]}"),
    };

    (void)state;
    for (size_t i = 0; i < sizeof(JSON) / sizeof(JSON[0]); i++) {
        struct mn_model_profile profile;

        assert_int_equal(mn_model_profile_parse(JSON[i], &profile, NULL), MNEME_OK);
        mn_model_profile_release(&profile);
    }
}

#define OF_ORIGIN 7 /* of OTHER below */

static void the_hash_depends_on_every_field_and_on_nothing_else(void **state)
{
    static const char *const OTHER[] = {
        "{\"name\":\"n\",\"dim\":2}",
        "{\"name\":\"m\",\"dim\":3}",
        "{\"name\":\"m\",\"dim\":2,\"request_prefix\":\"q: \"}",
        "{\"name\":\"m\",\"dim\":2,\"passage_prefix\":\"q: \"}",
        "{\"name\":\"m\",\"dim\":2,\"pooling\":\"cls\"}",
        "{\"name\":\"m\",\"dim\":2,\"recipe\":\"content.1\"}",
        "{\"name\":\"m\",\"dim\":2,\"tokens_max\":511}",
        /* from here on only what reads a vector differs */
        "{\"name\":\"m\",\"dim\":2,\"floor_question\":0.26}",
        WITH_ZH("{\"request\":[0,0],\"passage\":[0,0]}"),
    };
    struct mn_model_profile base, same;

    (void)state;
    assert_int_equal(mn_model_profile_parse("{\"name\":\"m\",\"dim\":2}", &base, NULL), MNEME_OK);
    assert_int_equal(
        mn_model_profile_parse("{ \"impute\": 0.70, \"tokens_max\":512,\"dim\":2, \"name\":\"m\" }",
                               &same, NULL),
        MNEME_OK);
    assert_string_equal(base.hash, same.hash);
    for (size_t i = 0; i < sizeof(OTHER) / sizeof(OTHER[0]); i++) {
        struct mn_model_profile other;

        assert_int_equal(mn_model_profile_parse(OTHER[i], &other, NULL), MNEME_OK);
        assert_string_not_equal(base.hash, other.hash);
        if (i < OF_ORIGIN)
            assert_string_not_equal(base.vectors_hash, other.vectors_hash);
        else
            assert_string_equal(base.vectors_hash, other.vectors_hash);
        mn_model_profile_release(&other);
    }
    assert_int_equal(mn_model_profile_rename(&same, "n", NULL), MNEME_OK);
    assert_string_equal(same.name, "n");
    assert_string_not_equal(base.hash, same.hash);
    mn_model_profile_release(&base);
    mn_model_profile_release(&same);
}

static void without_a_model_there_is_a_floor_but_no_dimension(void **state)
{
    struct mn_model_profile profile;

    (void)state;
    mn_model_profile_none(&profile);
    assert_string_equal(profile.name, "none");
    assert_string_equal(profile.hash, "");
    assert_int_equal(profile.dim, 0);
    assert_null(profile.passage_mean[MN_LANGUAGE_ZH]);
    assert_true(profile.floor_text_only > 0);
    mn_model_profile_release(&profile);
}

static void each_allocation_that_fails_is_a_status(void **state)
{
    struct mn_model_profile profile = { .dim = 77 };
    int failed = 0;

    (void)state;
    for (;; failed++) {
        struct mneme_error err = { 0 };
        enum mneme_status status;

        allocations = 0;
        fail_at = failed;
        status = mn_model_profile_parse(NULL, &profile, &err);
        fail_at = -1;
        if (status == MNEME_OK && allocations <= failed)
            break;
        /* A buffer that cannot be had at one size may be had at another: OK is possible too. */
        if (status != MNEME_OK) {
            assert_int_equal(status, MNEME_LIMIT);
            assert_int_equal(profile.dim, 77);
        } else {
            mn_model_profile_release(&profile);
            profile.dim = 77;
        }
    }
    assert_true(failed > 3);
    mn_model_profile_release(&profile);
}

/* ---- axes of tokens ---- */

/* A profile of dimension 2 whose axes are `first` and MN_TOKEN_AXES - 1 times [0,1]. */
static enum mneme_status parse_tokens(const char *mean, const char *first, size_t axes,
                                      struct mn_model_profile *profile, struct mneme_error *err)
{
    static char json[8192];
    size_t bytes = (size_t)snprintf(json, sizeof json,
                                    "{\"name\":\"m\",\"dim\":2,\"tokens\":{\"mean\":%s,\"axes\":[%s",
                                    mean, first);

    for (size_t i = 1; i < axes; i++)
        bytes += (size_t)snprintf(json + bytes, sizeof json - bytes, ",[0,1]");
    (void)snprintf(json + bytes, sizeof json - bytes, "]}}");
    return mn_model_profile_parse(json, profile, err);
}

static void a_state_is_turned_onto_the_axes_less_the_mean(void **state)
{
    struct mn_model_profile profile, other, without;
    const float given[2] = { 3, 5 };
    float turned[MN_TOKEN_AXES];

    (void)state;
    assert_int_equal(parse_tokens("[1,-1]", "[127,-127]", MN_TOKEN_AXES, &profile, NULL), MNEME_OK);
    mn_model_profile_turn(&profile, given, turned);
    assert_true(turned[0] == 2 * 127 - 6 * 127);
    assert_true(turned[1] == 6 && turned[127] == 6);
    assert_int_equal(parse_tokens("[1,-1]", "[127,-126]", MN_TOKEN_AXES, &other, NULL), MNEME_OK);
    assert_int_equal(mn_model_profile_parse("{\"name\":\"m\",\"dim\":2}", &without, NULL), MNEME_OK);
    assert_string_equal(profile.vectors_hash, without.vectors_hash); /* vectors stay as they are */
    assert_string_equal(without.tokens_hash, "");
    assert_int_equal(strlen(profile.tokens_hash), 33);
    assert_memory_equal(profile.tokens_hash, profile.vectors_hash, 16);
    assert_int_equal(profile.tokens_hash[16], '.');
    assert_string_not_equal(profile.tokens_hash, other.tokens_hash);
    assert_string_not_equal(profile.hash, other.hash);
    assert_string_not_equal(profile.hash, without.hash);
    mn_model_profile_release(&profile);
    mn_model_profile_release(&other);
    mn_model_profile_release(&without);
}

static void axes_that_are_none_are_refused_by_name(void **state)
{
    static const struct {
        const char *mean, *first, *message;
        size_t axes;
    } wrong[] = {
        { "[1]", "[0,1]", "tokens.mean:", MN_TOKEN_AXES },
        { "[1,1001]", "[0,1]", "tokens.mean:", MN_TOKEN_AXES },
        { "[1,null]", "[0,1]", "tokens.mean:", MN_TOKEN_AXES },
        { "null", "[0,1]", "tokens.mean:", MN_TOKEN_AXES },
        { "[1,1]", "[0,128]", "tokens.axes:", MN_TOKEN_AXES },
        { "[1,1]", "[0,-128]", "tokens.axes:", MN_TOKEN_AXES },
        { "[1,1]", "[0,0.5]", "tokens.axes:", MN_TOKEN_AXES },
        { "[1,1]", "[0]", "tokens.axes:", MN_TOKEN_AXES },
        { "[1,1]", "7", "tokens.axes:", MN_TOKEN_AXES },
        { "[1,1]", "[0,1]", "tokens.axes:", MN_TOKEN_AXES - 1 },
        { "[1,1]", "[0,1]", "tokens.axes:", MN_TOKEN_AXES + 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct mn_model_profile profile;
        struct mneme_error err;

        assert_int_equal(parse_tokens(wrong[i].mean, wrong[i].first, wrong[i].axes, &profile, &err),
                         MNEME_INVALID);
        assert_memory_equal(err.message, wrong[i].message, strlen(wrong[i].message));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_is_turned_onto_the_axes_less_the_mean),
        cmocka_unit_test(axes_that_are_none_are_refused_by_name),
        cmocka_unit_test(the_built_in_profile_is_that_of_the_default_model),
        cmocka_unit_test(two_fields_are_enough_and_the_rest_is_neutral),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(values_at_the_limit_are_taken),
        cmocka_unit_test(the_hash_depends_on_every_field_and_on_nothing_else),
        cmocka_unit_test(without_a_model_there_is_a_floor_but_no_dimension),
        cmocka_unit_test(each_allocation_that_fails_is_a_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
