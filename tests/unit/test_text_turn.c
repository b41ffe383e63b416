/*
 * test_text_turn.c - what a turn says of itself.
 */
#include "text/turn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Letters of what is expected: q asks, e at its end, s self, t time, r relative, n number. */
static const struct {
    const char *text;
    const char *cues;
    unsigned names;
} TURNS[] = {
    { "", "", 0 },
    { "Wow, that looks great.", "", 0 },
    { "How are you?", "qe", 0 },
    { "How are you? Fine.", "q", 0 },
    { "She said \"why?\" ", "qe", 0 },
    { "I went there yesterday", "str", 0 },
    { "im tired", "s", 0 },
    { "It\xe2\x80\x99s ok, I\xe2\x80\x99ve been", "s", 0 },
    { "Today's the day", "tr", 0 },
    { "we met two years ago", "strn", 0 },
    { "ago", "t", 0 },
    { "last week", "tr", 0 },
    { "last of the week", "t", 0 },
    { "the other day", "tr", 0 },
    { "other day", "", 0 },
    { "a few months", "tr", 0 },
    { "next Friday", "tr", 1 },
    { "this morning", "tr", 0 },
    { "on Friday", "t", 1 },
    { "in September 2023", "tn", 1 },
    { "in may", "t", 0 },
    { "sept", "t", 0 },
    { "the first of 12", "n", 0 },
    { "met Ann, then Bob in New York", "", 3 },
    { "met Ann, Bob, Cid, Dan", "", 3 },
    { "Ann. Bob! Cid", "", 0 },
    { "a Xylophonelongerthanfifteen words", "", 1 },
    { "我昨天去了", "str", 0 },
    { "他最近忙", "t", 0 },
    { "三个苹果", "n", 0 },
    { "三心二意", "", 0 },
    { "为什么？", "qe", 0 },
    { "为什么？”", "qe", 0 },
    { "下个月见", "tr", 0 },
};

static void cues_are_read_in_both_languages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof TURNS / sizeof TURNS[0]; i++) {
        struct mn_turn_cues c = mn_turn_read(TURNS[i].text, strlen(TURNS[i].text));
        char found[8];

        snprintf(found, sizeof found, "%s%s%s%s%s%s", c.asks ? "q" : "",
                 c.asks_at_its_end ? "e" : "", c.of_self ? "s" : "", c.has_time ? "t" : "",
                 c.has_past_or_to_come ? "r" : "", c.has_number ? "n" : "");
        if (strcmp(found, TURNS[i].cues) || c.names != TURNS[i].names)
            fail_msg("\"%s\": %s and %u names, not %s and %u", TURNS[i].text, found, c.names,
                     TURNS[i].cues, TURNS[i].names);
    }
}

static void the_bytes_given_are_all_that_is_read(void **state)
{
    (void)state;
    assert_false(mn_turn_read("why?", 3).asks);
    assert_true(mn_turn_read("why?", 4).asks_at_its_end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cues_are_read_in_both_languages),
        cmocka_unit_test(the_bytes_given_are_all_that_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
