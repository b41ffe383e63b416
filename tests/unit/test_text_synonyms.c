/*
 * test_text_synonyms.c - what else may stand for the terms of a request.
 */
#include "text/synonyms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct mn_terms asked(struct mn_arena *arena, const char *text)
{
    struct mn_terms terms = { 0 };

    assert_int_equal(mn_text_query_terms(arena, text, strlen(text), &terms, NULL), MNEME_OK);
    return terms;
}

/* Does the request's term have a form that holds all terms but single characters of `other`? */
static bool stands_for(struct mn_arena *arena, const struct mn_terms *terms, const char *term,
                       const char *other)
{
    struct mn_terms wanted = { 0 };

    assert_int_equal(mn_text_terms(arena, other, strlen(other), &wanted, NULL), MNEME_OK);
    for (size_t f = 0; f < terms->forms.count; f++) {
        const struct mn_term_form *form = &terms->forms.item[f];
        size_t same = 0;

        if (!mn_str_equal(terms->item[form->ordinal].text, mn_str_of(term)))
            continue;
        for (size_t w = 0; w < wanted.count; w++)
            same += wanted.item[w].kind != MN_TERM_HAN && same < form->count &&
                    wanted.item[w].hash == form->hash[same];
        if (same == form->count)
            return true;
    }
    return false;
}

static void each_term_of_a_name_may_be_answered_by_another_name(void **state)
{
    static const char *const group[] = { "ci", "continuous integration", "持续集成" };
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    const char *text = "the continuous integration is red";
    struct mn_terms terms = asked(arena, text);

    (void)state;
    assert_int_equal(mn_synonyms_group(arena, text, group, 3, &terms, NULL), MNEME_OK);
    assert_int_equal(terms.forms.count, 4);
    assert_true(stands_for(arena, &terms, "continu", "ci"));
    assert_true(stands_for(arena, &terms, "integr", "ci"));
    assert_true(stands_for(arena, &terms, "integr", "持续集成"));
    assert_false(stands_for(arena, &terms, "red", "ci"));
    assert_int_equal(mn_synonyms_group(arena, text, group, 3, &terms, NULL), MNEME_OK);
    assert_int_equal(terms.forms.count, 4); /* there already */
}

static void names_count_at_word_borders_and_not_as_one_character(void **state)
{
    static const char *const group[] = { "ci", "pipeline" };
    static const char *const ann[] = { "芳", "王芳" };
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mn_terms terms = asked(arena, "a circle of ci_x");
    struct mn_terms flower = asked(arena, "花很芳香");

    (void)state;
    assert_int_equal(mn_synonyms_group(arena, "a circle of ci_x", group, 2, &terms, NULL),
                     MNEME_OK);
    assert_int_equal(terms.forms.count, 0);
    assert_int_equal(mn_synonyms_group(arena, "花很芳香", ann, 2, &flower, NULL), MNEME_OK);
    assert_int_equal(flower.forms.count, 0);
}

static void common_abbreviations_are_known_both_ways_and_languages(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mn_terms k8s = asked(arena, "k8s is down");
    struct mn_terms long_form = asked(arena, "kubernetes is down");
    struct mn_terms han = asked(arena, "数据库连接");

    (void)state;
    assert_int_equal(mn_synonyms_common(arena, "k8s is down", &k8s, NULL), MNEME_OK);
    assert_true(stands_for(arena, &k8s, "k8s", "kubernetes"));
    assert_int_equal(mn_synonyms_common(arena, "kubernetes is down", &long_form, NULL), MNEME_OK);
    assert_true(stands_for(arena, &long_form, "kubernet", "k8s"));
    assert_int_equal(mn_synonyms_common(arena, "数据库连接", &han, NULL), MNEME_OK);
    assert_true(stands_for(arena, &han, "据库", "database"));
    assert_false(stands_for(arena, &han, "连接", "database"));
}

static void no_more_forms_than_the_limit_are_kept(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 24);
    struct mn_terms terms = asked(arena, "zebra");
    char other[32];

    (void)state;
    for (int i = 0; i < MN_SYNONYM_FORMS_MAX + 1; i++) {
        const char *const group[] = { "zebra", other };

        snprintf(other, sizeof other, "stripe%d", i);
        assert_int_equal(mn_synonyms_group(arena, "zebra", group, 2, &terms, NULL), MNEME_OK);
        assert_int_equal(terms.forms.count,
                         i < MN_SYNONYM_FORMS_MAX ? i + 1 : MN_SYNONYM_FORMS_MAX);
    }
}

static void a_full_arena_is_a_limit_and_changes_nothing(void **state)
{
    static const char *const group[] = { "zebra", "striped horse" };
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    MN_ARENA_AUTO small = mn_arena_new(64);
    struct mn_terms terms = asked(arena, "zebra");

    (void)state;
    assert_int_equal(mn_synonyms_group(small, "zebra", group, 2, &terms, NULL), MNEME_LIMIT);
    assert_int_equal(terms.forms.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_term_of_a_name_may_be_answered_by_another_name),
        cmocka_unit_test(names_count_at_word_borders_and_not_as_one_character),
        cmocka_unit_test(common_abbreviations_are_known_both_ways_and_languages),
        cmocka_unit_test(no_more_forms_than_the_limit_are_kept),
        cmocka_unit_test(a_full_arena_is_a_limit_and_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
