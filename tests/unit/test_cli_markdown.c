/*
 * test_cli_markdown.c - the rules of a rule file, line by line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/import.h"

static struct cli_rule_texts rules_of(struct mn_arena *arena, const char *text)
{
    struct cli_rule_texts rules = { 0 };

    assert_int_equal(cli_markdown_rules(text, strlen(text), arena, &rules, NULL), MNEME_OK);
    return rules;
}

static void each_list_item_and_each_paragraph_is_a_rule_under_its_headings(void **state)
{
    (void)state;
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct cli_rule_texts rules = rules_of(arena, "# shop\n\nKeep handlers small.\nVery small.\n\n"
                                                  "## Style\n- Use tabs.\n* 注释写中文。\n"
                                                  "3. Third\n   goes on\n- [ ] open task\n");

    assert_int_equal(rules.count, 5);
    assert_string_equal(rules.item[0].text, "Keep handlers small. Very small.");
    assert_string_equal(rules.item[0].heading, "shop");
    assert_int_equal(rules.item[0].line, 3);
    assert_string_equal(rules.item[1].text, "Use tabs.");
    assert_string_equal(rules.item[1].heading, "shop / Style");
    assert_string_equal(rules.item[2].text, "注释写中文。");
    assert_string_equal(rules.item[3].text, "Third goes on");
    assert_string_equal(rules.item[4].text, "open task");
    assert_int_equal(rules.item[4].line, 11);
}

static void nested_items_belong_to_the_rule_above_them(void **state)
{
    (void)state;
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct cli_rule_texts rules = rules_of(arena, "- Before a release:\n  - run the tests\n"
                                                  "  - tag it\n- Next\n");

    assert_int_equal(rules.count, 2);
    assert_string_equal(rules.item[0].text, "Before a release:\n- run the tests\n- tag it");
    assert_string_equal(rules.item[1].text, "Next");
}

static void a_paragraph_after_a_list_is_a_rule_of_its_own(void **state)
{
    (void)state;
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct cli_rule_texts rules = rules_of(arena, "- One\n\nTwo stands alone.\n");

    assert_int_equal(rules.count, 2);
    assert_string_equal(rules.item[0].text, "One");
    assert_string_equal(rules.item[1].text, "Two stands alone.");
}

static void fences_tables_comments_and_front_matter_are_no_rules(void **state)
{
    (void)state;
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct cli_rule_texts rules = rules_of(arena, "---\nname: x\n---\n<!-- note\n- not this -->\n"
                                                  "```sh\n- nor this\n```\n| a | b |\n|---|---|\n"
                                                  "![logo](a.png)\n\n- This.\n");

    assert_int_equal(rules.count, 1);
    assert_string_equal(rules.item[0].text, "This.");
}

static void a_sibling_heading_replaces_the_deeper_ones(void **state)
{
    (void)state;
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct cli_rule_texts rules = rules_of(arena, "# A\n## B\n### C\n- x\n## D ##\n- y\n");

    assert_string_equal(rules.item[0].heading, "A / B / C");
    assert_string_equal(rules.item[1].heading, "A / D");
}

static void an_empty_file_holds_none(void **state)
{
    (void)state;
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);

    assert_int_equal(rules_of(arena, "").count, 0);
    assert_int_equal(rules_of(arena, "\n\n# Only a heading\n").count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_list_item_and_each_paragraph_is_a_rule_under_its_headings),
        cmocka_unit_test(nested_items_belong_to_the_rule_above_them),
        cmocka_unit_test(a_paragraph_after_a_list_is_a_rule_of_its_own),
        cmocka_unit_test(fences_tables_comments_and_front_matter_are_no_rules),
        cmocka_unit_test(a_sibling_heading_replaces_the_deeper_ones),
        cmocka_unit_test(an_empty_file_holds_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
