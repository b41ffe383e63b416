/*
 * test_remember_weigh.c - importance by type and words; what is confidential, and what only looks so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "remember/remember.h"

static struct mneme_memory weighed(const char *content, const char *type)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;

    m.user_id = "ann";
    m.content = content;
    m.type = type;
    mn_classify(&m);
    mn_weigh(&m);
    return m;
}

static void importance_follows_the_type_and_the_words(void **state)
{
    (void)state;
    static const struct {
        const char *content, *type;
        double importance;
    } rows[] = {
        { "Commits are signed.", "repository_rule", 0.8 },
        { "The service targets Python 3.12.", "project_constraint", 0.8 },
        { "We decided to use NATS.", NULL, 0.7 },
        { "I prefer short answers.", NULL, 0.6 },
        { "The outage was caused by a stale lock: root cause found.", NULL, 0.6 },
        { "The depot opens at six.", NULL, 0.5 },
        { "The talk went well.", "event", 0.4 },
        { "Something of a registered type.", "recipe", 0.5 },
        { "I'm allergic to peanuts.", NULL, 0.9 },
        { "我对青霉素过敏", NULL, 0.9 },
        { "Never drop tables in production.", "repository_rule", 0.9 },
        { "It is important that the depot opens at six.", NULL, 0.6 },
        { "交接文档很重要", NULL, 0.6 },
        { "Maybe the depot opens at six.", NULL, 0.3 },
        { "仓库可能六点开门", NULL, 0.3 },
        { "Perhaps the talk went well.", "event", 0.3 }, /* not below */
        { "It is important that commits are signed, critical even.", "repository_rule", 0.9 },
    };
    struct mneme_memory given = MNEME_MEMORY_INIT;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mneme_memory m = weighed(rows[i].content, rows[i].type);

        if (fabs(m.importance - rows[i].importance) > 1e-9)
            fail_msg("%s: %s %f", rows[i].content, m.type, m.importance);
    }
    given.content = "I'm allergic to peanuts.";
    given.type = "fact";
    given.importance = 0.1;
    given.sensitivity = MNEME_PUBLIC;
    mn_weigh(&given);
    assert_true(given.importance == 0.1); /* what the caller says stands */
    assert_int_equal(given.sensitivity, MNEME_PUBLIC);
}

static void what_people_keep_to_themselves_is_confidential(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "I was diagnosed with diabetes.",
        "My mother has dementia.",
        "I take antidepressants.",
        "My blood type is B negative.",
        "I'm on insulin.",
        "My salary is 5000 a month.",
        "I owe 3000 dollars to the bank.",
        "My bank account is at the savings bank.",
        "My home address is 12 Harbour Lane.",
        "I live at 12 Harbour Lane.",
        "My phone number is 555 0100.",
        "My passport number is X1234567.",
        "I'm gay.",
        "The card 4111 1111 1111 1111 is for travel.",
        "Pay to DE89 3704 0044 0532 0130 00 please.",
        "Pay to GB82WEST12345698765432.",
        "The number is 078-05-1120.",
        "证件是 11010519491231002X",
        "我的身份证号是一个秘密",
        "我确诊了糖尿病",
        "我妈妈患有高血压",
        "我月薪两万",
        "我的存款有十万",
        "我家住在和平路 3 号",
        "我的手机号是 13800000000",
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (weighed(rows[i], NULL).sensitivity != MNEME_CONFIDENTIAL)
            fail_msg("%s", rows[i]);
}

static void what_a_project_is_about_is_not(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "I'm allergic to peanuts.",
        "I'm vegetarian.",
        "I live in Lisbon.",
        "The diabetes app uses PostgreSQL.",
        "The salary service is written in Go.",
        "The address parser handles two lines.",
        "Passport photos are resized to 600 pixels.",
        "The card 4111 1111 1111 1112 is a typo.",
        "Order 1234567890123456 was shipped.",
        "Build 20261005123456789 is green.",
        "DE88 3704 0044 0532 0130 00 has a wrong check.",
        "Commit 9fceb02d0ae598e95dc970b74767f19372d61af8 broke it.",
        "The phone 555-010-1120 rings.",
        "订单号 110105194912310021 已发货",
        "我们做的是银行系统",
        "体检系统用 Go 写",
        "我住在上海",
        "我对花生过敏",
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (weighed(rows[i], NULL).sensitivity != MNEME_SENSITIVITY_NONE)
            fail_msg("%s", rows[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(importance_follows_the_type_and_the_words),
        cmocka_unit_test(what_people_keep_to_themselves_is_confidential),
        cmocka_unit_test(what_a_project_is_about_is_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
