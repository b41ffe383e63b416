/*
 * test_text_mention.c - what a text names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "text/mention.h"

/* "I:db-config.json P:Anna": kind and text, in order, between bars. */
static void names(const char *text, const char *expected)
{
    static const char KIND[] = "?IVNQP";
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mn_mentions mentions = { 0 };
    char *printed = mn_arena_copy(arena, "");

    assert_int_equal(mn_mention_find(arena, text, &mentions, NULL), MNEME_OK);
    for (size_t i = 0; i < mentions.count; i++)
        printed = mn_arena_printf(arena, "%s%s%c:%.*s", printed, i ? "|" : "",
                                  KIND[mentions.item[i].kind], (int)mentions.item[i].text.bytes,
                                  mentions.item[i].text.at);
    if (strcmp(printed, expected) != 0)
        fail_msg("%s: %s", text, printed);
}

static void identifiers_are_known_by_their_looks(void **state)
{
    (void)state;
    names("", "");
    names("db-config.json createdByAgent ERR_4041 src/main.c",
          "I:db-config.json|I:createdByAgent|I:ERR_4041|I:src/main.c");
    names("see ~/x/y.c, ./run.sh and .env by @ann", "I:~/x/y.c|I:./run.sh|I:.env|I:@ann");
    names("On iOS, harbor-api has an up-to-date stand-up and/or e.g. this.", "I:iOS|I:harbor-api");
    names("给 br0 关闭 STP", "I:br0|P:STP");
}

static void numbers_and_versions_are_told_apart(void **state)
{
    (void)state;
    names("3.1.2 and 3.12 or v2", "V:3.1.2|N:3.12|V:v2");
    names("1,000 euro, 20mg, 10:00, 2026-10-14", "N:1,000|N:20mg|N:10:00|N:2026-10-14");
    names("sin(30°) 保留 30 天", "N:30|N:30");
    names("sha256 172.30.0.0/16", "I:sha256|N:172.30.0.0/16");
}

static void a_capital_names_unless_it_heads_a_sentence(void **state)
{
    (void)state;
    names("Send the notes to Maria Lopez. Then call Tom.", "P:Maria Lopez|P:Tom");
    names("The Aurora met the Borealis.", "P:Aurora|P:Borealis");
    names("I saw it on Monday in May.", "");
    names("DROP TABLE is forbidden", "P:DROP TABLE");
    names("偏好 Python。Zod 校验失败", "P:Python|P:Zod");
    names("Linux Bridge 转发不了数据包", "P:Linux Bridge");
    names("She lives in Zürich", "P:Zürich");
}

static void quotations_are_named_and_looked_into(void **state)
{
    (void)state;
    names("call it \"cold\" or “第二版”", "Q:cold|Q:第二版");
    names("《Anna》和「b_c」", "Q:Anna|P:Anna|Q:b_c|I:b_c");
    names("an open \" mark", "");
    names("a 5\" disk and a 3\" one", "N:5|N:3");
}

static void a_full_arena_is_a_limit(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(16);
    struct mn_mentions mentions = { 0 };

    (void)state;
    assert_int_equal(mn_mention_find(arena, "see a_b", &mentions, NULL), MNEME_LIMIT);
    assert_int_equal(mentions.count, 0);
    assert_int_equal(mn_mention_find(arena, "nothing", &mentions, NULL), MNEME_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identifiers_are_known_by_their_looks),
        cmocka_unit_test(numbers_and_versions_are_told_apart),
        cmocka_unit_test(a_capital_names_unless_it_heads_a_sentence),
        cmocka_unit_test(quotations_are_named_and_looked_into),
        cmocka_unit_test(a_full_arena_is_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
