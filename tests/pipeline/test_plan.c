/*
 * test_plan.c - what a request is turned into: types, sources, time, text and topics.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "retrieve/stages.h"

static int64_t at(const char *time)
{
    int64_t ms = 0;

    assert_int_equal(mn_time_parse("time", time, &ms, NULL), MNEME_OK);
    return ms;
}

static struct mneme_request request_of(const char *text)
{
    struct mneme_request request = MNEME_REQUEST_INIT;

    request.identity.tenant_id = "t";
    request.identity.user_id = "ann";
    request.text = text;
    request.now_ms = at("2026-10-14T01:00:00Z"); /* a Wednesday */
    return request;
}

static struct mn_plan plan_of(const struct mneme_request *request, struct mn_arena *arena)
{
    struct mn_access access;
    struct mn_gate gate;
    struct mn_plan plan;

    assert_int_equal(mn_identify(request, 0, &access, NULL), MNEME_OK);
    assert_int_equal(mn_gate_decide(request, arena, &gate, NULL), MNEME_OK);
    assert_int_equal(mn_plan_make(request, &access, &gate, arena, &plan, NULL), MNEME_OK);
    return plan;
}

static bool has_type(mn_type_set set, const char *type)
{
    assert_true(mn_type_find(type) != MN_TYPE_NONE);
    return (set & MN_TYPE_BIT(mn_type_find(type))) != 0;
}

static bool has_topic(const struct mn_plan *plan, const char *topic)
{
    for (size_t i = 0; i < plan->topic_count; i++) {
        if (strcmp(plan->topics[i], topic) == 0)
            return true;
    }
    return false;
}

static void each_mode_probes_its_sources(void **state)
{
    static const struct {
        enum mneme_mode mode;
        bool probes[MN_SOURCE_COUNT]; /* structured, task state, text, vector, graph, rule */
    } cases[] = {
        { MNEME_MODE_NONE, { false, false, false, false, false, true } },
        { MNEME_MODE_STRUCTURED_ONLY, { true, true, false, false, false, true } },
        { MNEME_MODE_EPISODIC_ONLY, { false, false, true, true, true, true } },
        { MNEME_MODE_HYBRID, { true, true, true, true, true, true } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        struct mneme_request request = request_of("network state listener");

        request.mode = cases[i].mode;
        struct mn_plan plan = plan_of(&request, arena);
        assert_memory_equal(plan.probes, cases[i].probes, sizeof plan.probes);
        assert_int_equal(plan.asked, mn_types_of_mode(cases[i].mode));
    }
}

static void excluded_types_go_and_required_ones_are_what_remains(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_request request = request_of("network state listener");

    (void)state;
    request.types_excluded = (struct mneme_list){ (const char *const[]){ "event" }, 1 };
    struct mn_plan plan = plan_of(&request, arena);
    assert_false(has_type(plan.asked, "event"));
    assert_true(has_type(plan.asked, "incident"));
    request.types_required = (struct mneme_list){ (const char *const[]){ "event", "incident" }, 2 };
    plan = plan_of(&request, arena);
    assert_int_equal(plan.asked, MN_TYPE_BIT(mn_type_find("incident")));
    assert_false(plan.probes[MN_SOURCE_STRUCTURED]);
    assert_true(plan.probes[MN_SOURCE_TEXT]);
    /* Against a mode of the caller's own both hold; against a guess of the gate's the types do. */
    request.text = "加载我的偏好";
    assert_int_equal(plan_of(&request, arena).asked, MN_TYPE_BIT(mn_type_find("incident")));
    request.mode = MNEME_MODE_STRUCTURED_ONLY;
    assert_int_equal(plan_of(&request, arena).asked, 0);
}

static void the_limits_are_200_and_30_or_what_is_asked_for(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_request request = request_of("network state listener");

    (void)state;
    struct mn_plan plan = plan_of(&request, arena);
    assert_int_equal(plan.probe_limit, 200);
    assert_int_equal(plan.depth, 30);
    request.items_max = 31;
    assert_int_equal(plan_of(&request, arena).depth, 31);
    request.depth = 201;
    plan = plan_of(&request, arena);
    assert_int_equal(plan.depth, 201);
    assert_int_equal(plan.probe_limit, 201);
}

static void words_and_work_want_types(void **state)
{
    static const struct {
        const char *text;
        const char *wants;    /* "" for none at all */
        const char *not_this; /* NULL for any */
    } cases[] = {
        { "昨天出了什么故障？", "incident", "user_preference" },
        { "What incidents did we have last month?", "incident", "user_preference" },
        { "上次我们决定用什么语言？", "previous_decision", "user_preference" },
        { "我写系统服务一般喜欢用什么语言？", "user_preference", "incident" },
        { "What do I prefer for charts?", "user_preference", "incident" },
        { "ferry-app 发布前的扫描有什么规定？", "repository_rule", "user_preference" },
        { "How do I clear a queue backlog?", "successful_procedure", "user_preference" },
        { "怎么回滚到上一个版本？", "successful_procedure", "user_preference" },
        { "Add an empty state to the passenger list.", "project_constraint", "user_preference" },
        { "写一个清洗访问日志的数据脚本", "project_constraint", "user_preference" },
        { "给后端新增一个库存查询接口", "previous_decision", "user_preference" },
        { "继续完成 iOS 网络状态监听。", "task_state", "user_preference" },
        { "继续完成 iOS 网络状态监听。", "incident", NULL },
        { "写一个接口，按我的习惯命名", "user_preference", NULL },
        { "harbor 的发布窗口是什么时候？", "", NULL },
        { "Which ship hands its passengers over to which at Westpier?", "", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        struct mneme_request request = request_of(cases[i].text);

        request.mode = MNEME_MODE_HYBRID;
        struct mn_plan plan = plan_of(&request, arena);
        if (cases[i].wants[0] ? !has_type(plan.wanted, cases[i].wants) : plan.wanted != 0)
            fail_msg("%s: wanted %llx", cases[i].text, (unsigned long long)plan.wanted);
        if (cases[i].not_this && has_type(plan.wanted, cases[i].not_this))
            fail_msg("%s: wants %s", cases[i].text, cases[i].not_this);
        assert_int_equal(plan.wanted & ~plan.asked, 0);
    }
}

static void time_is_read_in_the_identitys_zone_and_again_in_the_memorys(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_request request = request_of("昨天出了什么故障？");

    (void)state;
    struct mn_plan plan = plan_of(&request, arena);
    assert_string_equal(plan.zone, "");
    assert_true(plan.when.found);
    assert_int_equal(plan.when.from_ms, at("2026-10-13T00:00:00Z"));
    request.identity.timezone = "America/Phoenix";
    plan = plan_of(&request, arena);
    assert_int_equal(plan.when.from_ms, at("2026-10-12T07:00:00Z"));
    assert_int_equal(plan.when.until_ms, at("2026-10-13T07:00:00Z"));
    mn_plan_read_time(&plan, request.now_ms, "Asia/Shanghai");
    assert_int_equal(plan.when.from_ms, at("2026-10-12T16:00:00Z"));
    assert_string_equal(plan.zone, "Asia/Shanghai");
}

static void a_time_phrase_in_the_payload_is_none(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_request request = request_of("Why does it fail with this log:\nyesterday: ok");

    (void)state;
    assert_false(plan_of(&request, arena).when.found);
    request.text = "Why did it fail yesterday, with this log:\nlast month: ok";
    assert_int_equal(plan_of(&request, arena).when.from_ms, at("2026-10-13T00:00:00Z"));
}

static void a_range_given_as_a_field_is_kept_as_it_is(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_request request = request_of("release notes");

    (void)state;
    request.after_ms = 5;
    request.before_ms = 7;
    struct mn_plan plan = plan_of(&request, arena);
    assert_int_equal(plan.after_ms, 5);
    assert_int_equal(plan.before_ms, 7);
    assert_false(plan.when.found);
}

static void what_says_nothing_by_itself_is_read_with_the_dialogue(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_request request = request_of("继续");

    (void)state;
    assert_string_equal(plan_of(&request, arena).search_text, "继续");
    request.signals.dialogue = "user: rotate the certificate\nassistant: done for Westpier";
    request.signals.tool_results = "openssl: ok";
    assert_string_equal(
        plan_of(&request, arena).search_text,
        "user: rotate the certificate\nassistant: done for Westpier\nopenssl: ok\n继续");
    request.text = "go on, please";
    assert_non_null(strstr(plan_of(&request, arena).search_text, "Westpier"));
    request.text = "继续完成导出接口";
    assert_string_equal(plan_of(&request, arena).search_text, "继续完成导出接口");
    request.text = "Which ship is late?";
    assert_string_equal(plan_of(&request, arena).search_text, "Which ship is late?");
}

static void of_a_long_dialogue_the_end_is_read_from_the_beginning_of_a_line(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_request request = request_of("继续");
    char dialogue[2000];

    (void)state;
    memset(dialogue, 'x', sizeof dialogue);
    strcpy(dialogue + 1000, "\nassistant: a turn\nuser: another");
    memset(dialogue + strlen(dialogue), 'y', 700);
    dialogue[1700] = 0;
    request.signals.dialogue = dialogue;
    const char *text = plan_of(&request, arena).search_text;
    assert_int_equal(strncmp(text, "assistant: a turn\nuser: anotheryyy", 34), 0);
    /* No line near: cut at a character, never within one. */
    for (size_t i = 0; i < 1500; i += 3)
        memcpy(dialogue + i, "字", 3);
    dialogue[1500] = 0;
    text = plan_of(&request, arena).search_text;
    assert_true(mn_utf8_valid(text, strlen(text)));
    assert_in_range(strlen(text), 798, 800 + strlen("\n继续"));
}

static void topics_are_names_identifiers_and_words_as_they_are_spelled(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_request request =
        request_of("How do the deployments of harbor-api at Westpier read db-config.json?");

    (void)state;
    struct mn_plan plan = plan_of(&request, arena);
    assert_true(has_topic(&plan, "deployments"));
    assert_true(has_topic(&plan, "westpier"));
    assert_true(has_topic(&plan, "db-config.json"));
    assert_false(has_topic(&plan, "the"));
    assert_false(has_topic(&plan, "of"));
    request.text = "证书轮换失败";
    plan = plan_of(&request, arena);
    assert_true(has_topic(&plan, "证书"));
    assert_true(has_topic(&plan, "轮换"));
    assert_int_equal(plan.language, MN_LANGUAGE_ZH);
}

static void a_long_request_has_no_more_topics_than_the_limit(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(64 << 20);
    char text[9000];
    size_t bytes = 0;

    (void)state;
    for (int i = 0; i < 1000; i++)
        bytes += (size_t)snprintf(text + bytes, sizeof text - bytes, "word%d ", i);
    struct mneme_request request = request_of(text);
    assert_int_equal(plan_of(&request, arena).topic_count, 64);
}

static void a_full_arena_is_a_status(void **state)
{
    struct mneme_request request = request_of("继续完成 iOS 网络状态监听。");
    enum mneme_status status = MNEME_LIMIT;
    struct mn_access access;

    (void)state;
    assert_int_equal(mn_identify(&request, 0, &access, NULL), MNEME_OK);
    for (size_t bytes = 0; bytes < (1 << 16) && status == MNEME_LIMIT; bytes += 64) {
        MN_ARENA_AUTO arena = mn_arena_new(bytes);
        struct mn_plan plan = { .intent = "untouched" };
        struct mn_gate gate;

        status = mn_gate_decide(&request, arena, &gate, NULL);
        if (status == MNEME_OK)
            status = mn_plan_make(&request, &access, &gate, arena, &plan, NULL);
        if (status == MNEME_LIMIT)
            assert_string_equal(plan.intent, "untouched");
    }
    assert_int_equal(status, MNEME_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mode_probes_its_sources),
        cmocka_unit_test(excluded_types_go_and_required_ones_are_what_remains),
        cmocka_unit_test(the_limits_are_200_and_30_or_what_is_asked_for),
        cmocka_unit_test(words_and_work_want_types),
        cmocka_unit_test(time_is_read_in_the_identitys_zone_and_again_in_the_memorys),
        cmocka_unit_test(a_time_phrase_in_the_payload_is_none),
        cmocka_unit_test(a_range_given_as_a_field_is_kept_as_it_is),
        cmocka_unit_test(what_says_nothing_by_itself_is_read_with_the_dialogue),
        cmocka_unit_test(of_a_long_dialogue_the_end_is_read_from_the_beginning_of_a_line),
        cmocka_unit_test(topics_are_names_identifiers_and_words_as_they_are_spelled),
        cmocka_unit_test(a_long_request_has_no_more_topics_than_the_limit),
        cmocka_unit_test(a_full_arena_is_a_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
