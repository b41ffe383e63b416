/*
 * test_remember_rules.c - the pure parts of writing: classification, authorisation, secrets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "remember/remember.h"

static struct mneme_memory memory(const char *content)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;

    m.tenant_id = "t";
    m.user_id = "ann";
    m.content = content;
    m.sensitivity = MNEME_INTERNAL;
    m.authority = MNEME_EXPLICIT_USER;
    return m;
}

struct classified {
    const char *content;
    const char *type;
};

static void check_types(const struct classified *rows, size_t count, enum mneme_scope scope)
{
    for (size_t i = 0; i < count; i++) {
        struct mneme_memory m = memory(rows[i].content);

        m.scope_kind = scope;
        m.scope_id = scope == MNEME_SCOPE_NONE ? "" : "shop";
        mn_classify(&m);
        if (strcmp(m.type, rows[i].type))
            print_error("%s\n", rows[i].content);
        assert_string_equal(m.type, rows[i].type);
        if (scope == MNEME_SCOPE_NONE) {
            assert_int_equal(m.scope_kind, MNEME_SCOPE_USER);
            assert_string_equal(m.scope_id, "ann");
        }
    }
}
#define CHECK_TYPES(rows, scope) check_types(rows, sizeof(rows) / sizeof *(rows), scope)

static void the_type_is_told_by_cues_in_both_languages(void **state)
{
    (void)state;
    static const struct classified rows[] = {
        { "I prefer short answers.", "user_preference" },
        { "写脚本时我更喜欢 Python", "user_preference" },
        { "我写脚本时喜欢用 Python", "user_preference" },
        { "I don't like tea.", "user_preference" },
        { "We decided on PostgreSQL.", "previous_decision" },
        { "最后决定用 Go", "previous_decision" },
        { "The gateway crashed at night.", "incident" },
        { "构建报错：缺少 libssl", "incident" },
        { "First run the migrations, then restart the service.", "successful_procedure" },
        { "部署时先跑迁移，再重启服务", "successful_procedure" },
        { "The office is in Porto.", "fact" },
    };

    CHECK_TYPES(rows, MNEME_SCOPE_NONE);
}

static void an_order_is_what_its_scope_makes_of_it(void **state)
{
    (void)state;
    static const struct classified of_user[] = { { "Never push to main.", "user_preference" },
                                                 { "I always use tabs.", "user_preference" },
                                                 { "不要直接改生产库", "user_preference" },
                                                 { "禁止直接改生产库", "user_preference" } };
    static const struct classified of_repo[] = {
        { "Never push to main.", "repository_rule" },
        { "禁止直接改生产库", "repository_rule" },
        { "Timestamps must be UTC.", "repository_rule" },
        { "Every pull request must have a test.", "repository_rule" },
        { "In this repository we use Go for backend services.", "project_constraint" },
        { "The backend is written in Go.", "project_constraint" },
        { "我们后端用 Go", "project_constraint" },
        { "本项目使用 PostgreSQL 16", "project_constraint" },
    };
    static const struct classified of_project[] = {
        { "Never push to main.", "project_constraint" },
        { "提交前必须跑测试", "project_constraint" },
    };

    CHECK_TYPES(of_user, MNEME_SCOPE_NONE);
    CHECK_TYPES(of_repo, MNEME_SCOPE_REPO);
    CHECK_TYPES(of_project, MNEME_SCOPE_PROJECT);
}

/* A cue's word that orders, prefers or counts nothing. */
static void a_word_alone_makes_no_rule(void **state)
{
    (void)state;
    static const struct classified of_user[] = {
        { "My daughter never eats fish.", "fact" },
        { "The report must be late, Bob said.", "fact" },
        { "My office is on the first, his on the second floor.", "fact" },
        { "王先生是项目经理", "fact" },
        { "王先生说再议", "fact" },
        { "审批流程由李雷负责", "fact" },
        { "我女儿不喜欢吃鱼", "fact" },
        { "别人都叫他老王", "fact" },
        { "温度是决定性因素", "fact" },
        { "She knows how to cook.", "fact" },
        { "We use Go for backend services.", "fact" },
        { "You must be tired after that trip.", "fact" },
        { "We must have missed the bus.", "fact" },
        { "The tests must have passed on Friday.", "fact" },
        { "Never mind, I found my keys.", "fact" },
        { "I never finished that book.", "fact" },
        { "I always forget her birthday.", "fact" },
        { "The repo must be public by Monday, says Bob.", "fact" },
        { "不要紧，我找到了。", "fact" },
        { "我们必须在周五之前付房租。", "fact" },
    };
    static const struct classified of_repo[] = {
        { "项目用户有三千人", "fact" },
        { "The build must have passed on Friday.", "fact" },
        { "故障转移由 Sentinel 负责", "fact" },
        { "The incident response team is in Porto.", "fact" },
        { "The staging server is in Frankfurt.", "fact" },
    };

    CHECK_TYPES(of_user, MNEME_SCOPE_NONE);
    CHECK_TYPES(of_repo, MNEME_SCOPE_REPO);
}

static void what_was_given_is_left_alone(void **state)
{
    (void)state;
    struct mneme_memory m = memory("I prefer short answers.");

    m.type = "fact";
    m.scope_kind = MNEME_SCOPE_REPO;
    m.scope_id = "shop";
    mn_classify(&m);
    assert_string_equal(m.type, "fact");
    assert_int_equal(m.scope_kind, MNEME_SCOPE_REPO);
    assert_string_equal(m.scope_id, "shop");
}

static void an_admins_word_and_shared_rows_need_a_grant(void **state)
{
    (void)state;
    struct mneme_memory m = memory("x");
    struct mneme_error err;

    assert_int_equal(mn_authorise(&m, NULL, 0, &err), MNEME_OK);
    m.authority = MNEME_EXPLICIT_ADMIN;
    assert_int_equal(mn_authorise(&m, NULL, 0, &err), MNEME_FORBIDDEN);
    assert_string_equal(err.field, "authority");
    assert_int_equal(mn_authorise(&m, NULL, 1, &err), MNEME_OK);
    m.authority = MNEME_EXPLICIT_USER;
    m.user_id = "";
    assert_int_equal(mn_authorise(&m, NULL, 0, &err), MNEME_FORBIDDEN);
    assert_string_equal(err.field, "user_id");
}

static void lowering_a_sensitivity_needs_a_grant_raising_it_none(void **state)
{
    (void)state;
    struct mneme_memory former = memory("x"), m = memory("x");
    struct mneme_error err;

    former.sensitivity = MNEME_CONFIDENTIAL;
    assert_int_equal(mn_authorise(&m, &former, 0, &err), MNEME_FORBIDDEN);
    assert_string_equal(err.field, "sensitivity");
    m.sensitivity = MNEME_SECRET;
    assert_int_equal(mn_authorise(&m, &former, 0, &err), MNEME_OK);
}

static void a_secret_is_refused_unless_it_is_asked_for(void **state)
{
    (void)state;
    struct mneme_memory m = memory("the key is AKIAIOSFODNN7EXAMPLE");
    struct mneme_error err;

    assert_int_equal(mn_guard_secrets(&m, 0, &err), MNEME_INVALID);
    assert_string_equal(err.field, "content");
    assert_null(strstr(err.message, "AKIA"));
    assert_int_equal(m.sensitivity, MNEME_INTERNAL);
    assert_int_equal(mn_guard_secrets(&m, 1, &err), MNEME_OK);
    assert_int_equal(m.sensitivity, MNEME_SECRET);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_type_is_told_by_cues_in_both_languages),
        cmocka_unit_test(an_order_is_what_its_scope_makes_of_it),
        cmocka_unit_test(a_word_alone_makes_no_rule),
        cmocka_unit_test(what_was_given_is_left_alone),
        cmocka_unit_test(an_admins_word_and_shared_rows_need_a_grant),
        cmocka_unit_test(lowering_a_sensitivity_needs_a_grant_raising_it_none),
        cmocka_unit_test(a_secret_is_refused_unless_it_is_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
