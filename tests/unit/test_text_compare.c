/*
 * test_text_compare.c - rewordings, rivals, and texts that are neither.
 *
 * The pairs were written for these rules. What they claim is what the product promises: a changed
 * number, name, negation, opposite, identifier or role is never a rewording.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "text/compare.h"

static const struct pair {
    enum mn_likeness likeness;
    const char *a, *b;
} PAIR[] = {
    { MN_LIKENESS_REWORDED, "会议室在三楼。", "会议室位于三楼。" },
    { MN_LIKENESS_RIVAL, "会议室在三楼。", "会议室在四楼。" },
    { MN_LIKENESS_REWORDED, "小王每周三下午打羽毛球。", "每周三下午小王打羽毛球。" },
    { MN_LIKENESS_RIVAL, "小王每周三下午打羽毛球。", "小王每周五下午打羽毛球。" },
    { MN_LIKENESS_RIVAL, "小王每周三下午打羽毛球。", "小王每周三上午打羽毛球。" },
    { MN_LIKENESS_REWORDED, "代码提交前必须跑单元测试。", "提交代码前需要跑单元测试。" },
    { MN_LIKENESS_RIVAL, "代码提交前必须跑单元测试。", "代码提交前不必跑单元测试。" },
    { MN_LIKENESS_RIVAL, "深色主题看着舒服", "浅色主题看着舒服" },
    { MN_LIKENESS_REWORDED, "数据库密码每九十天更换一次。", "数据库的密码每 90 天更换一次。" },
    { MN_LIKENESS_RIVAL, "数据库密码每九十天更换一次。", "数据库密码每六十天更换一次。" },
    { MN_LIKENESS_RIVAL, "小李向小张汇报工作。", "小张向小李汇报工作。" },
    { MN_LIKENESS_NONE, "用户喜欢喝绿茶，不加糖。", "用户爱喝绿茶，不放糖。" },
    { MN_LIKENESS_NONE, "用户喜欢喝绿茶，不加糖。", "用户喜欢喝红茶，不加糖。" },
    { MN_LIKENESS_RIVAL, "支付成功后发送短信。", "支付失败后发送短信。" },
    { MN_LIKENESS_RIVAL, "列表按时间升序排列。", "列表按时间降序排列。" },
    { MN_LIKENESS_REWORDED, "项目文档存放在 docs/guide.md 中。", "项目文档保存在 docs/guide.md" },
    { MN_LIKENESS_RIVAL, "项目文档存放在 docs/guide.md 中。",
      "项目文档存放在 docs/guides.md 中。" },
    { MN_LIKENESS_RIVAL, "允许在周五发布。", "不允许在周五发布。" },
    { MN_LIKENESS_RIVAL, "比起咖啡，她更喜欢茶。", "比起茶，她更喜欢咖啡。" },
    { MN_LIKENESS_REWORDED, "The API key rotates every ninety days.",
      "The API key is rotated every 90 days." },
    { MN_LIKENESS_RIVAL, "The API key rotates every ninety days.",
      "The API key rotates every sixty days." },
    { MN_LIKENESS_REWORDED, "She prefers tea over coffee.", "She likes tea over coffee." },
    { MN_LIKENESS_RIVAL, "She prefers tea over coffee.", "She prefers coffee over tea." },
    { MN_LIKENESS_RIVAL, "Turn on dark mode by default.", "Turn off dark mode by default." },
    { MN_LIKENESS_REWORDED, "Tests must pass before a merge.",
      "Before a merge, tests have to pass." },
    { MN_LIKENESS_RIVAL, "Run the linter before the merge.", "Run the linter after the merge." },
    { MN_LIKENESS_RIVAL, "Tests must pass before a merge.", "Tests need not pass before a merge." },
    { MN_LIKENESS_REWORDED, "Bob is Alice's manager.", "Alice's manager is Bob." },
    { MN_LIKENESS_RIVAL, "Bob is Alice's manager.", "Alice is Bob's manager." },
    { MN_LIKENESS_RIVAL, "Stand-up is on Monday at 10:00.", "Stand-up is on Tuesday at 10:00." },
    { MN_LIKENESS_REWORDED, "Stand-up is on Monday at 10:00.",
      "The stand-up is at 10:00 on Monday." },
    { MN_LIKENESS_RIVAL, "Deploys go through Jenkins.", "Deploys go through Drone." },
    { MN_LIKENESS_RIVAL, "max_retry_count is 5", "min_retry_count is 5" },
    { MN_LIKENESS_REWORDED, "max_retry_count is 5.", "The max_retry_count is set to 5" },
    { MN_LIKENESS_RIVAL, "Sort the list in ascending order.",
      "Sort the list in descending order." },
    { MN_LIKENESS_RIVAL, "Use tabs for indentation.", "Never use tabs for indentation." },
    { MN_LIKENESS_REWORDED, "I no longer eat meat.", "I don't eat meat any more." },
    { MN_LIKENESS_NONE, "I used to live in Berlin.", "I live in Berlin." },
    { MN_LIKENESS_RIVAL, "The dog bit the cat.", "The cat bit the dog." },
    { MN_LIKENESS_RIVAL, "The dog was bitten by the cat.", "The dog bit the cat." },
    { MN_LIKENESS_REWORDED, "Backups are stored in the S3 bucket \"cold\".",
      "We store backups in the S3 bucket \"cold\"." },
    { MN_LIKENESS_RIVAL, "必须使用 HTTPS。", "可以使用 HTTPS。" },
    { MN_LIKENESS_RIVAL, "她的生日是五月三日。", "她的生日是三月五日。" },
    { MN_LIKENESS_REWORDED, "她的生日是 5 月 3 日。", "她生日是五月三日。" },
    { MN_LIKENESS_NONE, "除了周末每天都开会。", "每天都开会。" },
    { MN_LIKENESS_RIVAL, "用户想少放盐。", "用户想多放盐。" },
    { MN_LIKENESS_NONE, "也许会换到 Go。", "会换到 Go。" },
    { MN_LIKENESS_RIVAL, "日志写到本地磁盘后上传云端。", "日志上传云端后写到本地磁盘。" },
    { MN_LIKENESS_REWORDED, "前端用 React 写。", "前端是用 React 编写的。" },
    { MN_LIKENESS_RIVAL, "前端用 React 写。", "后端用 React 写。" },
    { MN_LIKENESS_RIVAL, "The limit is 1,000 requests.", "The limit is 10,000 requests." },
    { MN_LIKENESS_REWORDED, "The limit is 1,000 requests.", "The limit is 1000 requests." },
    { MN_LIKENESS_RIVAL, "Anna lent the book to Tom.", "Tom lent the book to Anna." },
    { MN_LIKENESS_RIVAL, "Take 20mg daily.", "Take 25 mg daily." },
    { MN_LIKENESS_IDENTICAL, "Take 20mg daily.", "Take 20 mg daily." },
    { MN_LIKENESS_REWORDED, "支付網關超時先查熔斷開關。", "支付网关超时，先查熔断开关" },
    { MN_LIKENESS_RIVAL, "我们没有用 Redis 做缓存。", "我们用 Redis 做缓存。" },
    { MN_LIKENESS_REWORDED, "缓存用 Redis。", "我们使用 Redis 缓存。" },
    { MN_LIKENESS_IDENTICAL, "Order 7781: refund approved, waiting for the courier.",
      "Order 7781:  refund approved,  waiting for the courier. " },
    { MN_LIKENESS_IDENTICAL, "支付網關 ＥＲＲ", "支付网关err" },
    { MN_LIKENESS_IDENTICAL, "", "" },
    { MN_LIKENESS_NONE, "", "x" },
    { MN_LIKENESS_RIVAL, "码头自助终端允许游客模式登录。", "码头自助终端禁止游客模式登录。" },
    { MN_LIKENESS_RIVAL, "At Westpier the Aurora hands its passengers over to the Borealis.",
      "At Westpier the Borealis hands its passengers over to the Aurora." },
    { MN_LIKENESS_NONE, "短信验证码故障：通道欠费，停发十五分钟。",
      "支付回调故障：证书链不全，延迟二十分钟。" },
    { MN_LIKENESS_NONE, "仓库盘点脚本每周三凌晨两点运行。", "仓库盘点脚本的结果会抄送财务组。" },
    { MN_LIKENESS_NONE, "The winter timetable keeps the late crossing.",
      "A late crossing of the winter timetable was cancelled by fog." },
    { MN_LIKENESS_NONE, "ERR_4041 means the quota is used up; raise it in the billing console.",
      "ERR_4014 means the upload signature is stale; ask for a new one." },
    { MN_LIKENESS_NONE, "交付文档一律用中文撰写。", "交付文档一律用英文撰写。" },
    { MN_LIKENESS_NONE, "Run the tests on Linux.", "Run the tests on Linux with 4 workers." },
    { MN_LIKENESS_RIVAL, "不允许部署", "允许部署" },
    { MN_LIKENESS_RIVAL, "The deploy key is valid for two hours.",
      "The deploy key is valid for three hours." },
};

/* What stands in "The setting of Qx is %s." or "设置 Qx 的值是 %s。": no two mean the same. */
static const char *const SIGN[][2] = {
    { "-20 degrees", "20 degrees" },
    { "minus 20 degrees", "20 degrees" },
    { "20 degrees below zero", "20 degrees" },
    { "−20", "20" },
    { "－20", "20" },
    { "–20", "20" },
    { "-20", "+20" },
    { "+5", "5" },
    { "±5", "5" },
    { "±5", "+5" },
    { "5%", "5" },
    { "5 percent", "5" },
    { "5%", "5‰" },
    { "~5", "5" },
    { "$5", "€5" },
    { "$5", "5" },
    { "5'", "5\"" },
    { "20°", "20" },
    { "A→B", "B→A" },
    { "北京→上海", "上海→北京" },
    { "`cat` -> `dog`", "`dog` -> `cat`" },
    { "x > y", "y > x" },
    { "A -> B", "A <- B" },
    { "A → B", "A ← B" },
    { "A -> B", "A <-> B" },
    { "A => B", "A -> B" },
    { "A -> B", "A B" },
    { "C", "C++" },
    { "C", "C#" },
    { "C++", "C#" },
    { "A-", "A" },
    { "A-", "A+" },
    { "x == y", "x != y" },
    { "x == y", "x = y" },
    { "x >= y", "x > y" },
    { "x < y", "x > y" },
    { "x ≥ y", "x ≤ y" },
    { "x + y", "x - 5" },
    { "x + y", "x y" },
    { "x * y", "x / y" },
    { "2 * 3", "2 / 3" },
    { "10 / 2", "10, 2" },
    { "x && y", "x || y" },
    { "x | y", "x & y" },
    { "!ready", "ready" },
    { "--force", "force" },
    { "-v", "v" },
    { "/etc/hosts", "etc/hosts" },
    { "../lib", "lib" },
    { ".env", "env" },
    { "*.log", ".log" },
    { "$HOME", "HOME" },
    { "@ann", "ann" },
    { "~/bin", "/bin" },
    { "[x] done", "[ ] done" },
    { "✅", "❌" },
    { "👍", "👎" },
    { "🇺🇸", "🇬🇧" },
    { "☑ ready", "☐ ready" },
    { "★★★", "★★" },
    { "ready?", "ready" },
    { "US", "us" },
    { "IT", "it" },
    { "WHO", "who" },
    { "20 MB", "20 Mb" },
    { "20MB", "20Mb" },
    { "100 mbps", "100 MBps" },
    { "5²", "52" },
    { "2³¹", "2311" },
    { "２⁸", "28" },
    { "10₂", "102" },
    { "5 mW", "5 MW" },
    { "5 mg", "5 Mg" },
    { "5M", "5m" },
    { "5G", "5g" },
    { "－5度", "5度" },
    { "零下5度", "5度" },
    { "零下五度", "五度" },
    { "负5度", "5度" },
    { "正负5度", "5度" },
    { "百分之五", "五" },
};

/* And these do. */
static const char *const SAME_SIGN[][2] = {
    { "-20 degrees", "−20 degrees" },
    { "-20", "minus 20" },
    { "-5度", "零下5度" },
    { "-5度", "负5度" },
    { "5%", "5 percent" },
    { "5%", "5 ％" },
    { "A -> B", "A→B" },
    { "x >= y", "x≥y" },
    { "x != y", "x ≠ y" },
    { "+/-5", "±5" },
    { "**tabs**", "tabs" },
    { "*tabs*", "tabs" },
    { "`tabs`", "\"tabs\"" },
    { "(tabs)", "tabs" },
    { "tabs, spaces", "tabs and spaces" },
    { "tabs & spaces", "tabs and spaces" },
    { "long- and short-term", "long and short-term" },
    { "Monday – Friday", "Monday Friday" },
    { "16 gb", "16 GB" },
    { "40 m²", "40 m2" },
    { "H₂O", "H2O" },
    { "20 MG", "20 mg" },
    { "5 KM", "5 km" },
    { "NOT tabs", "not tabs" },
    { "tabs!", "tabs." },
    { "tabs…", "tabs" },
    { "the \"5\"", "the 5" },
    { "制表符、空格", "制表符，空格" },
};

static enum mn_likeness likeness_of(const char *form, const char *a, const char *b)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    const char *whole_a = mn_arena_printf(arena, form, a);
    const char *whole_b = mn_arena_printf(arena, form, b);
    enum mn_likeness there = mn_text_likeness(arena, whole_a, whole_b);

    if (mn_text_likeness(arena, whole_b, whole_a) != there)
        fail_msg("%s, %s: not the same in both directions", whole_a, whole_b);
    return there;
}

/* The form of a text says what likeness says, for texts of one squeezed spelling. */
static void two_texts_have_one_form_where_they_are_identical(void **state)
{
    static const struct {
        const char *a, *b;
        bool same;
    } pair[] = {
        { "tell US", "tell us", false },          { "tell us", "Tell us ", true },
        { "a file of 20 MB", "a file of 20 Mb", false }, { "5² units", "52 units", false },
        { "40 m² of floor", "40 m2 of floor", true },    { "网關", "网关", true },
        { "", NULL, true },                       { "tea", "coffee", false },
    };
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);

    (void)state;
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        const char *a = mn_text_form(arena, pair[i].a);
        const char *b = mn_text_form(arena, pair[i].b);

        if ((strcmp(a, b) == 0) != pair[i].same ||
            mn_text_identical(pair[i].a, pair[i].b) != pair[i].same ||
            (mn_text_likeness(arena, pair[i].a, pair[i].b) == MN_LIKENESS_IDENTICAL) !=
                pair[i].same)
            fail_msg("%s, %s", pair[i].a, pair[i].b);
    }
}

static void what_differs_in_a_sign_is_never_one(void **state)
{
    static const char *const FORM[] = { "The setting of Qx is %s.", "设置 Qx 的值是 %s。",
                                        "%s is what the crew agreed on for the pump" };
    size_t wrong = 0;

    (void)state;
    for (size_t i = 0; i < sizeof SIGN / sizeof SIGN[0]; i++) {
        for (size_t k = 0; k < sizeof FORM / sizeof FORM[0]; k++) {
            enum mn_likeness found = likeness_of(FORM[k], SIGN[i][0], SIGN[i][1]);

            if (found == MN_LIKENESS_RIVAL || found == MN_LIKENESS_NONE)
                continue;
            print_error("%s, %s in %s: %d\n", SIGN[i][0], SIGN[i][1], FORM[k], (int)found);
            wrong++;
        }
        if (likeness_of("%s", SIGN[i][0], SIGN[i][0]) != MN_LIKENESS_IDENTICAL)
            fail_msg("%s is not itself", SIGN[i][0]);
    }
    assert_int_equal(wrong, 0);
}

static void punctuation_and_spelling_of_signs_keep_nothing_apart(void **state)
{
    static const char *const FORM[] = { "The setting of the outer pump is %s.",
                                        "外部水泵的设置一定是 %s 才行" };
    size_t wrong = 0;

    (void)state;
    for (size_t i = 0; i < sizeof SAME_SIGN / sizeof SAME_SIGN[0]; i++) {
        for (size_t k = 0; k < sizeof FORM / sizeof FORM[0]; k++) {
            enum mn_likeness found = likeness_of(FORM[k], SAME_SIGN[i][0], SAME_SIGN[i][1]);

            if (found == MN_LIKENESS_IDENTICAL || found == MN_LIKENESS_REWORDED)
                continue;
            print_error("%s, %s in %s: %d\n", SAME_SIGN[i][0], SAME_SIGN[i][1], FORM[k],
                        (int)found);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static void pairs_are_judged_alike_in_both_directions(void **state)
{
    static const char *const NAME[] = { "none", "identical", "reworded", "rival" };

    (void)state;
    for (size_t i = 0; i < sizeof PAIR / sizeof PAIR[0]; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        enum mn_likeness there = mn_text_likeness(arena, PAIR[i].a, PAIR[i].b);
        enum mn_likeness back = mn_text_likeness(arena, PAIR[i].b, PAIR[i].a);

        if (there != PAIR[i].likeness || back != PAIR[i].likeness)
            fail_msg("%s / %s: %s, %s", PAIR[i].a, PAIR[i].b, NAME[there], NAME[back]);
    }
}

static void a_full_arena_never_merges(void **state)
{
    bool reworded = false;

    (void)state;
    for (size_t bytes = 0; bytes < 64 * 1024 && !reworded; bytes += 64) {
        MN_ARENA_AUTO arena = mn_arena_new(bytes);
        enum mn_likeness likeness =
            mn_text_likeness(arena, "The API key rotates every ninety days.",
                             "The API key is rotated every 90 days.");

        assert_true(likeness == MN_LIKENESS_NONE || likeness == MN_LIKENESS_REWORDED);
        reworded = likeness == MN_LIKENESS_REWORDED;
    }
    assert_true(reworded);
}

static void long_texts_are_compared_for_equality_alone(void **state)
{
    static char a[8000];
    static char b[8000];
    MN_ARENA_AUTO arena = mn_arena_new(1 << 24);

    (void)state;
    for (int i = 0; i < 500; i++) {
        strcat(a, "word number ");
        strcat(b, "number word ");
    }
    assert_int_equal(mn_text_likeness(arena, a, a), MN_LIKENESS_IDENTICAL);
    assert_int_equal(mn_text_likeness(arena, a, b), MN_LIKENESS_NONE);
}

/* Each asked anew how far its run goes, or where its emphasis closes, took ten seconds and more. */
static void thousands_of_marks_are_read_as_fast_as_words(void **state)
{
    static const char *const MARK[] = { ".", "-", "*", "_", "*a ", "**a* ", "_a ", "…" };
    static char text[60001], other[60001];

    (void)state;
    for (size_t i = 0; i < sizeof MARK / sizeof *MARK; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 24);
        size_t bytes = strlen(MARK[i]);
        clock_t begun = clock();

        for (size_t at = 0; at + bytes < sizeof text; at += bytes)
            memcpy(text + at, MARK[i], bytes + 1);
        (void)snprintf(other, sizeof other, "a %.59900s", text);
        assert_non_null(mn_text_form(arena, text));
        assert_false(mn_text_identical(text, other));
        if ((double)(clock() - begun) / CLOCKS_PER_SEC > 4)
            fail_msg("%s: took %.1f s", MARK[i], (double)(clock() - begun) / CLOCKS_PER_SEC);
    }
}

static void squeezing_leaves_no_white_space(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);

    (void)state;
    assert_string_equal(mn_text_squeeze(arena, " A b\n網\u200b關　x "), "ab网关x");
    assert_string_equal(mn_text_squeeze(arena, "－5 ± 3 → C++ ≠ ✅ 👍 %"), "-5±3→c++≠✅👍%");
    assert_string_equal(mn_text_squeeze(arena, ""), "");
    assert_string_equal(mn_text_squeeze(arena, NULL), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_judged_alike_in_both_directions),
        cmocka_unit_test(two_texts_have_one_form_where_they_are_identical),
        cmocka_unit_test(what_differs_in_a_sign_is_never_one),
        cmocka_unit_test(punctuation_and_spelling_of_signs_keep_nothing_apart),
        cmocka_unit_test(a_full_arena_never_merges),
        cmocka_unit_test(long_texts_are_compared_for_equality_alone),
        cmocka_unit_test(thousands_of_marks_are_read_as_fast_as_words),
        cmocka_unit_test(squeezing_leaves_no_white_space),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
