/*
 * test_search_dictionary.c - the spellings near a mistyped word.
 */
#include "search/dictionary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const HELD[] = { "kubernetes", "deploy", "deployment", "openssl", "openssh",
                                    "v3.1.2",     "plum",   "café",       "迁移",    "ox" };
#define HELD_COUNT (sizeof HELD / sizeof HELD[0])

static struct mn_term term(const char *text, enum mn_term_kind kind)
{
    return (struct mn_term){ .kind = kind, .text = { text, strlen(text) } };
}

static bool any(const void *context, uint32_t number)
{
    return !context || *(const uint32_t *)context != number;
}

static struct mn_dictionary filled(void)
{
    struct mn_dictionary d = { 0 };

    for (uint32_t i = 0; i < HELD_COUNT; i++) {
        struct mn_term t = term(HELD[i], strchr(HELD[i], '.') ? MN_TERM_EXACT : MN_TERM_WORD);

        assert_true(mn_dictionary_add(&d, &t, i));
    }
    return d;
}

/* Numbers of what is found, as a string of digits. */
static const char *found(const struct mn_dictionary *d, const char *text, const uint32_t *without)
{
    static char numbers[8];
    struct mn_dictionary_match match[4];
    size_t count =
        mn_dictionary_find(d, (struct mn_str){ text, strlen(text) }, any, without, match, 4);

    for (size_t i = 0; i < count; i++)
        numbers[i] = (char)('0' + match[i].term);
    numbers[count] = 0;
    return numbers;
}

static void spellings_within_the_edits_are_found_nearest_first(void **state)
{
    struct mn_dictionary d = filled();
    uint32_t openssh = 4;

    (void)state;
    assert_string_equal(found(&d, "kubernets", NULL), "0");
    assert_string_equal(found(&d, "kubernet", NULL), "0");    /* two edits from eight letters on */
    assert_string_equal(found(&d, "kuberne", NULL), "");      /* three */
    assert_string_equal(found(&d, "deplo", NULL), "1");       /* one below */
    assert_string_equal(found(&d, "depl", NULL), "");         /* two */
    assert_string_equal(found(&d, "openssx", NULL), "43");    /* equals by their letters */
    assert_string_equal(found(&d, "openssx", &openssh), "3"); /* not in use */
    assert_string_equal(found(&d, "opensslx", NULL), "34");   /* one edit, two edits */
    assert_string_equal(found(&d, "dpeloy", NULL), "1");      /* a transposition is one */
    mn_dictionary_release(&d);
}

static void a_digit_is_never_guessed(void **state)
{
    struct mn_dictionary d = filled();

    (void)state;
    assert_string_equal(found(&d, "v3.1.3", NULL), "");
    assert_string_equal(found(&d, "v3.12", NULL), "5");
    mn_dictionary_release(&d);
}

static void short_and_chinese_terms_are_neither_held_nor_asked_for(void **state)
{
    struct mn_dictionary d = filled();
    struct mn_term plum = term("plum", MN_TERM_WORD), plums = term("plums", MN_TERM_WORD);
    struct mn_term han = term("迁移了", MN_TERM_WORD), year = term("20233", MN_TERM_WORD);
    struct mn_term version = term("v3.1.2", MN_TERM_EXACT);
    char sixty_five[66] = { 0 };

    (void)state;
    memset(sixty_five, 'a', 65);
    struct mn_term longer = term(sixty_five, MN_TERM_WORD);
    struct mn_term longest = term(sixty_five + 1, MN_TERM_WORD);
    assert_false(mn_dictionary_may_ask(&plum));
    assert_true(mn_dictionary_may_ask(&plums));
    assert_false(mn_dictionary_may_ask(&han));
    assert_false(mn_dictionary_may_ask(&year));
    assert_true(mn_dictionary_may_ask(&version));
    assert_true(mn_dictionary_may_ask(&longest));
    assert_false(mn_dictionary_may_ask(&longer));
    assert_string_equal(found(&d, "迁移", NULL), "");
    assert_string_equal(found(&d, "oxe", NULL), "");
    mn_dictionary_release(&d);
}

/* The same for what the text begins. */
static const char *begun(const struct mn_dictionary *d, const char *text, size_t room,
                         const uint32_t *without)
{
    static char numbers[8];
    struct mn_dictionary_match match[4];
    size_t count =
        mn_dictionary_begun(d, (struct mn_str){ text, strlen(text) }, any, without, match, room);

    for (size_t i = 0; i < count; i++)
        numbers[i] = (char)('0' + match[i].term);
    numbers[count] = 0;
    return numbers;
}

static void spellings_that_begin_so_are_found_shortest_first(void **state)
{
    struct mn_dictionary d = filled();
    uint32_t deploy = 1;

    (void)state;
    assert_string_equal(begun(&d, "dep", 4, NULL), "12");
    assert_string_equal(begun(&d, "dep", 1, NULL), "1");
    assert_string_equal(begun(&d, "dep", 4, &deploy), "2"); /* not in use */
    assert_string_equal(begun(&d, "deploy", 4, NULL), "2"); /* itself is no beginning */
    assert_string_equal(begun(&d, "openss", 4, NULL), "43");
    assert_string_equal(begun(&d, "pens", 4, NULL), "");
    assert_string_equal(begun(&d, "v3.", 4, NULL), "5");
    assert_string_equal(begun(&d, "v3.1", 4, NULL), "5");
    assert_string_equal(begun(&d, "v", 4, NULL), "5");
    mn_dictionary_release(&d);
}

static void a_number_is_not_gone_on_with(void **state)
{
    struct mn_dictionary d = { 0 };
    struct mn_term version = term("v3.14", MN_TERM_EXACT);

    (void)state;
    assert_true(mn_dictionary_add(&d, &version, 0));
    assert_string_equal(begun(&d, "v3.1", 4, NULL), "");
    assert_string_equal(begun(&d, "v3.", 4, NULL), "0");
    mn_dictionary_release(&d);
}

static void what_leaves_is_not_in_the_copy(void **state)
{
    static const uint32_t map[HELD_COUNT] = { 0, UINT32_MAX, 1, UINT32_MAX, 2, 3, 4, 5, 6, 7 };
    struct mn_dictionary d = filled(), copy;

    (void)state;
    assert_true(mn_dictionary_copy(&d, map, &copy));
    mn_dictionary_release(&d);
    assert_string_equal(found(&copy, "kubernets", NULL), "0");
    assert_string_equal(found(&copy, "deploymen", NULL), "1");
    assert_string_equal(found(&copy, "openssx", NULL), "2");
    for (size_t l = 0; l <= MN_DICTIONARY_LETTERS_MAX; l++)
        if (copy.of_length[l].count) {
            size_t bytes = l * copy.of_length[l].count;

            assert_null(memmem(copy.of_length[l].text, bytes, "openssl", strlen("openssl")));
            assert_true(l != strlen("deploy") ||
                        !memmem(copy.of_length[l].text, bytes, "deploy", l));
        }
    mn_dictionary_release(&copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spellings_within_the_edits_are_found_nearest_first),
        cmocka_unit_test(a_digit_is_never_guessed),
        cmocka_unit_test(short_and_chinese_terms_are_neither_held_nor_asked_for),
        cmocka_unit_test(spellings_that_begin_so_are_found_shortest_first),
        cmocka_unit_test(a_number_is_not_gone_on_with),
        cmocka_unit_test(what_leaves_is_not_in_the_copy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
