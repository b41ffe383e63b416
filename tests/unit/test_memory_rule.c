/*
 * test_memory_rule.c - triggers: each kind fires on its own and on nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "memory/rule.h"
#include "text/analyze.h"

static bool fires_on(enum mneme_trigger type, const char *value, const char *text)
{
    static const struct mneme_signals none = { 0 };
    struct mneme_rule rule = MNEME_RULE_INIT;
    MN_ARENA_AUTO arena = mn_arena_new(1 << 22);
    struct mn_rule_steps steps = { .left = MN_RULE_STEPS_MAX };
    struct mn_trigger_input input = { text, mn_text_fold(arena, text, strlen(text)), "", &none,
                                      &steps };

    rule.trigger_type = type;
    rule.trigger_value = value;
    return mn_rule_fires(&rule, &input);
}

static void keywords_are_literals_whatever_their_case_and_width(void **state)
{
    (void)state;
    assert_true(fires_on(MNEME_TRIGGER_KEYWORD, "MCP", "the mcp server does not start"));
    assert_true(fires_on(MNEME_TRIGGER_KEYWORD, "MCP", "ＭＣＰ 启动时报错"));
    assert_true(fires_on(MNEME_TRIGGER_KEYWORD, "舱位", "给舱位模块加一个筛选框"));
    assert_true(fires_on(MNEME_TRIGGER_ENTITY, "数据库", "資料庫還是數據庫？"));
    assert_false(fires_on(MNEME_TRIGGER_KEYWORD, "M.P", "the mcp server"));
    assert_false(fires_on(MNEME_TRIGGER_KEYWORD, "fare", "the welfare office"));
    assert_true(fires_on(MNEME_TRIGGER_KEYWORD, "fare", "works out the child fare."));
    assert_false(fires_on(MNEME_TRIGGER_KEYWORD, "", "anything"));
    assert_false(fires_on(MNEME_TRIGGER_KEYWORD, " ", "any thing"));
}

static void patterns_are_pcre2_with_unicode(void **state)
{
    static const char *const DDL = "(?i)drop\\s+(table|column)|truncate\\s+table|删表|删除列";

    (void)state;
    assert_true(fires_on(MNEME_TRIGGER_REGEX, DDL, "please DROP  TABLE users"));
    assert_true(fires_on(MNEME_TRIGGER_REGEX, DDL, "帮我删表"));
    assert_false(fires_on(MNEME_TRIGGER_REGEX, DDL, "drop the table"));
    assert_true(fires_on(MNEME_TRIGGER_REGEX, "^.$", "列")); /* one character, three bytes */
    assert_true(fires_on(MNEME_TRIGGER_REGEX, "(?i)É", "é"));
    assert_false(fires_on(MNEME_TRIGGER_REGEX, "(", "("));
}

static double cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void a_hostile_pattern_costs_bounded_time_and_does_not_fire(void **state)
{
    static const char *const HOSTILE[] = { "(a+)+$",      "(a|a)*b", "(?:a{0,50}){0,50}b",
                                           "a*a*a*a*a*c", "a.*[xy]", "a*+[xy]",
                                           "(?R)?a+b" };
    char *text = malloc(MNEME_TEXT_BYTES_MAX + 1);

    (void)state;
    memset(text, 'a', MNEME_TEXT_BYTES_MAX);
    memcpy(text + MNEME_TEXT_BYTES_MAX - 4, "!!!b", 5);
    text[0] = 'c';
    for (size_t i = 0; i < sizeof HOSTILE / sizeof HOSTILE[0]; i++) {
        double begun_s = cpu_s();

        (void)fires_on(MNEME_TRIGGER_REGEX, HOSTILE[i], text);
        if (cpu_s() - begun_s > 1.0) /* 0.1 s without sanitizers */
            fail_msg("%s took %.1f s", HOSTILE[i], cpu_s() - begun_s);
    }
    text[MNEME_TEXT_BYTES_MAX - 1] = '!';
    assert_false(fires_on(MNEME_TRIGGER_REGEX, "(a+)+$", text));
    free(text);
}

static void searches_share_their_steps_and_tell_when_they_run_out(void **state)
{
    static const struct mneme_signals none = { 0 };
    char text[64] = "";
    struct mn_rule_steps steps = { .left = 100000 };
    struct mn_trigger_input input = { text, text, "", &none, &steps };
    struct mneme_rule rule = MNEME_RULE_INIT;

    (void)state;
    memset(text, 'a', 40);
    text[40] = '!';
    rule.trigger_type = MNEME_TRIGGER_REGEX;
    rule.trigger_value = "^a+!";
    assert_true(mn_rule_fires(&rule, &input));
    assert_false(steps.ran_out);
    int64_t left = steps.left;
    assert_true(left < 100000 && left > 99000);
    rule.trigger_value = "^b";
    assert_false(mn_rule_fires(&rule, &input));
    assert_false(steps.ran_out);
    rule.trigger_value = "^(a+)+$"; /* 2^40 ways */
    assert_false(mn_rule_fires(&rule, &input));
    assert_true(steps.ran_out);
    assert_int_equal(steps.left, 0);
    rule.trigger_value = "^a+!"; /* nothing is left for it */
    assert_false(mn_rule_fires(&rule, &input));
    assert_true(steps.ran_out);
    steps = (struct mn_rule_steps){ .left = 100 };
    assert_true(mn_rule_fires(&rule, &input));
    assert_false(steps.ran_out);
}

static void a_pattern_that_is_none_is_named(void **state)
{
    struct mneme_error err = { 0 };

    (void)state;
    assert_int_equal(mn_rule_pattern_check("(?i)drop\\s+table", &err), MNEME_OK);
    assert_int_equal(mn_rule_pattern_check("a(b", &err), MNEME_INVALID);
    assert_string_equal(err.field, "trigger_value");
    assert_non_null(strstr(err.message, "at byte 3"));
    assert_int_equal(mn_rule_pattern_check("\\C", &err), MNEME_INVALID);
    assert_int_equal(mn_rule_pattern_check("\xff", &err), MNEME_INVALID);
}

static void names_are_compared_whole(void **state)
{
    static const char *const paths[] = { "README.md", "Sources/Generated/LNNetwork.m" };
    struct mneme_signals signals = { .tool = "db.execute",
                                     .task_type = "audit",
                                     .paths = { paths, 2 } };
    struct mn_trigger_input input = { "text", "text", "resume_task", &signals, NULL };
    struct mneme_rule rule = MNEME_RULE_INIT;

    (void)state;
    rule.trigger_type = MNEME_TRIGGER_TOOL;
    rule.trigger_value = "db.execute";
    assert_true(mn_rule_fires(&rule, &input));
    rule.disabled = 1;
    assert_false(mn_rule_fires(&rule, &input));
    rule.disabled = 0;
    rule.trigger_value = "db.exec";
    assert_false(mn_rule_fires(&rule, &input));
    rule.trigger_type = MNEME_TRIGGER_TASK_TYPE;
    rule.trigger_value = "audit";
    assert_true(mn_rule_fires(&rule, &input));
    rule.trigger_type = MNEME_TRIGGER_INTENT;
    assert_false(mn_rule_fires(&rule, &input));
    rule.trigger_value = "resume_task";
    assert_true(mn_rule_fires(&rule, &input));
    rule.trigger_type = MNEME_TRIGGER_PATH_GLOB;
    rule.trigger_value = "**/Generated/**";
    assert_true(mn_rule_fires(&rule, &input));
    rule.trigger_value = "**/generated/**";
    assert_false(mn_rule_fires(&rule, &input));
    rule.trigger_type = MNEME_TRIGGER_ALWAYS;
    assert_true(mn_rule_fires(&rule, &input));
    rule.trigger_type = MNEME_TRIGGER_NONE;
    assert_false(mn_rule_fires(&rule, &input));
    signals = (struct mneme_signals){ 0 };
    rule.trigger_type = MNEME_TRIGGER_TOOL; /* an empty name names nothing */
    rule.trigger_value = "";
    assert_false(mn_rule_fires(&rule, &input));
}

static void stars_of_a_glob_stop_at_a_slash_unless_there_are_two(void **state)
{
    static const struct {
        const char *glob, *path;
        bool matches;
    } row[] = {
        { "*.c", "a.c", true },
        { "*.c", "src/a.c", false },
        { "**.c", "src/a.c", true },
        { "**/*.c", "src/base/a.c", true },
        { "**/*.c", "a.c", true }, /* no folder is a run of folders, too */
        { "**/Generated/**", "Generated/x", true },
        { "**/Generated/**", "a/b/Generated/c/d", true },
        { "**/Generated/**", "a/NotGenerated/d", false },
        { "src/**/test.c", "src/test.c", true },
        { "src/**/test.c", "src/a/b/test.c", true },
        { "src/**/test.c", "src/a/btest.c", false },
        { "src/*/test.c", "src/a/b/test.c", false },
        { "src/**", "src", false },
        { "src/**", "src/", true },
        { "?.c", "列.c", true },
        { "?.c", "/.c", false },
        { "a?c", "ac", false },
        { "", "", true },
        { "", "a", false },
        { "*", "", true },
        { "*", "a/b", false },
        { "**", "a/b", true },
        { "a.c", "a.c", true },
        { "a.c", "axc", false },
        { "A.c", "a.c", false },
        { "[a].c", "a.c", false }, /* brackets are themselves */
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        if (mn_path_matches(row[i].glob, row[i].path) != row[i].matches)
            fail_msg("%s and %s", row[i].glob, row[i].path);
    }
}

#define PATH_BYTES 8192

static void a_glob_of_stars_costs_no_more_than_glob_times_path(void **state)
{
    char glob[MNEME_NAME_BYTES_MAX + 2];
    char *path = malloc(PATH_BYTES + 1);
    double begun_s = cpu_s();

    (void)state;
    for (size_t i = 0; i < MNEME_NAME_BYTES_MAX; i++)
        glob[i] = i % 2 ? 'a' : '*';
    glob[MNEME_NAME_BYTES_MAX] = '\0';
    memset(path, 'a', PATH_BYTES);
    path[PATH_BYTES] = '\0';
    assert_true(mn_path_matches(glob, path));
    path[PATH_BYTES - 1] = 'b';
    assert_false(mn_path_matches(glob, path));
    assert_true(cpu_s() - begun_s < 5.0);
    strcpy(glob + MNEME_NAME_BYTES_MAX, "*"); /* one past what a rule may hold */
    assert_false(mn_path_matches(glob, path));
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keywords_are_literals_whatever_their_case_and_width),
        cmocka_unit_test(patterns_are_pcre2_with_unicode),
        cmocka_unit_test(a_hostile_pattern_costs_bounded_time_and_does_not_fire),
        cmocka_unit_test(searches_share_their_steps_and_tell_when_they_run_out),
        cmocka_unit_test(a_pattern_that_is_none_is_named),
        cmocka_unit_test(names_are_compared_whole),
        cmocka_unit_test(stars_of_a_glob_stop_at_a_slash_unless_there_are_two),
        cmocka_unit_test(a_glob_of_stars_costs_no_more_than_glob_times_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
