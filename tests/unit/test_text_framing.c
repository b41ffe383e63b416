/*
 * test_text_framing.c - what a request asks about is left; what says that it asks is not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "text/analyze.h"
#include "text/framing.h"

/* The text with its frames blanked, runs of blanks as one, none at the ends. */
static const char *bare(const char *folded)
{
    static char text[256];
    size_t kept = 0;

    assert_true(strlen(folded) < sizeof text);
    strcpy(text, folded);
    (void)mn_framing_blank(text);
    for (const char *at = text; *at; at++) {
        if (*at != ' ' || (kept && text[kept - 1] != ' '))
            text[kept++] = *at;
    }
    while (kept && text[kept - 1] == ' ')
        kept--;
    text[kept] = 0;
    return text;
}

static void frames_at_the_head_of_a_clause_are_blanked(void **state)
{
    static const char *const CASE[][2] = {
        { "tell me about zebra", "about zebra" },
        { "could you please tell me about zebra", "could you please about zebra" },
        { "do you know where the zebra lives?", "where the zebra lives?" },
        { "can you remind me of the zebra", "can you of the zebra" },
        { "hello, i was wondering, do you remember my zebra?", "hello, , my zebra?" },
        { "the zebra, do you know it?", "the zebra, it?" },
        { "what do i need to know about the backup", "about the backup" },
        { "recall what the zebra did", "what the zebra did" },
        { "show the zebra", "the zebra" },
        { "告诉我斑马住在哪", "斑马住在哪" },
        { "请问你知道斑马住在哪吗", "斑马住在哪吗" },
        { "你能告诉我斑马的事吗", "你能 斑马的事吗" },
        { "你好,我想知道斑马住在哪", "你好, 斑马住在哪" },
        { "还记得斑马吗", "斑马吗" },
        { "麻烦你跟我说说斑马", "斑马" },
        { "kindly tell me about zebra", "about zebra" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++)
        assert_string_equal(bare(CASE[i][0]), CASE[i][1]);
}

static void the_same_words_elsewhere_stay(void **state)
{
    static const char *const CASE[] = {
        "does the client know its peers",
        "who will tell me",
        "recall metrics for search",
        "recall-rate of the model",
        "explain.txt",
        "explain analyze output",
        "showing the zebra",
        "remembering the zebra",
        "介绍信放在哪",
        "请假流程是什么",
        "帮我订票",
        "斑马知道什么",
        "他告诉我的事",
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++)
        assert_string_equal(bare(CASE[i]), CASE[i]);
}

static void asks_for(const char *text, const char *expected)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mn_terms terms = { 0 };
    char found[256] = "";

    assert_int_equal(mn_text_query_terms(arena, text, strlen(text), &terms, NULL), MNEME_OK);
    for (size_t i = 0; i < terms.count; i++) {
        strcat(found, i ? " " : "");
        strncat(found, terms.item[i].text.at, terms.item[i].text.bytes);
    }
    assert_string_equal(found, expected);
}

static void a_request_asks_for_what_is_in_the_frame_alone(void **state)
{
    (void)state;
    asks_for("Tell me about the createdByAgent flag",
             "createdbyagent createdbyag creat agent flag");
    asks_for("ＴＥＬＬ me about zebras", "zebra");
    asks_for("請告訴我斑馬", "斑 斑马 马");
    asks_for("Do you know?", "know"); /* nothing else is left */
    asks_for("告诉我", "告 告诉 诉");
    asks_for("", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_at_the_head_of_a_clause_are_blanked),
        cmocka_unit_test(the_same_words_elsewhere_stay),
        cmocka_unit_test(a_request_asks_for_what_is_in_the_frame_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
