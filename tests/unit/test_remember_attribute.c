/*
 * test_remember_attribute.c - what a thing is, where it is, how much of it there is: which key and value a
 * sentence gives, and which frames fit more than one thing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "remember/draft.h"

struct row {
    const char *sentence, *key, *value; /* NULL: none */
};

static int wrong_of(const struct row *rows, size_t count)
{
    int wrong = 0;

    for (size_t i = 0; i < count; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        struct mn_keyed keyed = { NULL, NULL, false };
        bool found = mn_key_of(arena, rows[i].sentence, &keyed);

        if (found == (rows[i].key != NULL) &&
            (!found || (!strcmp(keyed.key, rows[i].key) && !strcmp(keyed.value, rows[i].value) &&
                        !keyed.states)))
            continue;
        print_message("%s\n    %s = %s\n", rows[i].sentence, found ? keyed.key : "no key",
                      found ? keyed.value : "");
        wrong++;
    }
    return wrong;
}

#define CHECK(rows) assert_int_equal(wrong_of(rows, sizeof(rows) / sizeof *(rows)), 0)

static void one_frame_gives_one_key_and_its_value(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "The office is in Berlin", "fact.office.place", "Berlin" },
        { "Our office is now located in New York.", "fact.office.place", "New York" },
        { "The office is in Germany.", "fact.office.country", "Germany" },
        { "The office is in Building 5", "fact.office.spot", "Building 5" },
        { "The staging server is in eu-central-1.", "fact.staging_server.zone", "eu-central-1" },
        { "The incident response team is in Porto.", "fact.incident_response_team.place", "Porto" },
        { "The office is no longer in Berlin", "fact.office.place", "no longer Berlin" },
        { "The office is in Berlin on Mondays", "fact.office.place.on_mondays", "Berlin" },
        { "Anna lives in Lyon", "fact.anna.home.place", "Lyon" },
        { "The API limit is 100", "fact.api_limit.number", "100" },
        { "Actually, the API limit is now 1,000.", "fact.api_limit.number", "1,000" },
        { "The API limit is set to 100 per user", "fact.api_limit.number.per_user", "100" },
        { "The API limit for free plans is 100", "fact.api_limit_for_free_plans.number", "100" },
        { "The API limit is 100 requests per minute", "fact.api_limit.request.per_minute", "100 request" },
        { "The timeout is 30 seconds", "fact.timeout.time", "30 s" },
        { "The timeout is 30s.", "fact.timeout.time", "30 s" },
        { "The box is 3 kg", "fact.box.weight", "3 kg" },
        { "The box is 40 cm", "fact.box.length", "40 cm" },
        { "The license costs $20 a month", "fact.license.cost.a_month", "20 $" },
        { "The team has 5 members", "fact.team.has.member", "5 member" },
        { "The shop opens at 9:00", "fact.shop.opens", "9:00" },
        { "The default port is 8080", "fact.default_port.number", "8080" },
        { "The backups are kept for 30 days.", "fact.backups.time", "30 day" },
        { "The release manager is Anna Berg", "fact.release_manager.name", "Anna Berg" },
        { "The default branch is trunk", "fact.default_branch.name", "trunk" },
        { "The service is called Pelican", "fact.service.name", "Pelican" },
        { "办公室在柏林", "fact.办公室.place", "柏林" },
        { "我们的办公室现在位于慕尼黑。", "fact.办公室.place", "慕尼黑" },
        { "办公室在德国", "fact.办公室.country", "德国" },
        { "办公室在三楼", "fact.办公室.spot", "三楼" },
        { "办公室不在柏林了", "fact.办公室.place", "no longer 柏林" },
        { "小王住在杭州", "fact.小王.home.place", "杭州" },
        { "API 限额是 100", "fact.api_限额.number", "100" },
        { "API 限额已经改为 200 了", "fact.api_限额.number", "200" },
        { "超时时间为30秒", "fact.超时时间.time", "30 s" },
        { "超时时间是三十秒", "fact.超时时间.time", "三十 s" },
        { "访问日志保留 30 天。", "fact.访问日志.time", "30 day" },
        { "API 限额是每分钟 100 次", "fact.api_限额.次.每分钟", "100 次" },
        { "项目负责人是小王", "fact.项目负责人.name", "小王" },
        { "默认分支是 main", "fact.默认分支.name", "main" },
    };

    CHECK(rows);
}

static void a_frame_that_may_fit_two_things_gives_none(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "We have an office in Berlin", NULL, NULL },
        { "An office is in Berlin", NULL, NULL },
        { "The office is in Berlin and Munich", NULL, NULL },
        { "The office is in Berlin. The lease ends in May.", NULL, NULL },
        { "The office is in a tower", NULL, NULL },
        { "The office is in trouble", NULL, NULL },
        { "The office is in Berlin until Friday", NULL, NULL },
        { "The office is in Berlin today", NULL, NULL },
        { "The office was in Berlin", NULL, NULL },
        { "The office will be in Berlin", NULL, NULL },
        { "Is the office in Berlin?", NULL, NULL },
        { "If the office is in Berlin, I will take the train", NULL, NULL },
        { "The bug is in Parser", NULL, NULL },
        { "My brother is in Berlin", NULL, NULL },
        { "My sister is Anna", NULL, NULL },
        { "It is in Berlin", NULL, NULL },
        { "The holiday is in May", NULL, NULL },
        { "The fence is 3 metres long", NULL, NULL },
        { "The API limit is at least 100", NULL, NULL },
        { "The API limit is 100 for reads and 200 for writes", NULL, NULL },
        { "The API limit is too low", NULL, NULL },
        { "The build is green", NULL, NULL },
        { "The server is 3 years old", NULL, NULL },
        { "The manager is German", NULL, NULL },
        { "The manager is kind", NULL, NULL },
        { "The car is red", NULL, NULL },
        { "The default is the 3rd one", NULL, NULL },
        { "办公室在装修", NULL, NULL },
        { "办公室在柏林吗？", NULL, NULL },
        { "办公室在柏林和慕尼黑", NULL, NULL },
        { "我们在柏林有一个办公室", NULL, NULL },
        { "问题是三个", NULL, NULL },
        { "限额至少是 100", NULL, NULL },
        { "这是一个好主意", NULL, NULL },
        { "负责人是谁", NULL, NULL },
        { "负责人是德国人", NULL, NULL },
        { "我哥哥在柏林", NULL, NULL },
        { "他正在开会", NULL, NULL },
        { "这个方案是好的", NULL, NULL },
        { "会议室在打扫", NULL, NULL },
    };

    CHECK(rows);
}

static void only_what_holds_is_keyed_whatever_its_scope(void **state)
{
    (void)state;
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_error err;

    m.content = "The API limit is 100";
    m.type = "fact";
    m.scope_kind = MNEME_SCOPE_PROJECT;
    m.scope_id = "shop";
    assert_int_equal(mn_describe(&m, arena, &err), MNEME_OK);
    assert_string_equal(m.memory_key, "fact.api_limit.number");
    m.memory_key = m.value = "";
    m.type = "incident";
    assert_int_equal(mn_describe(&m, arena, &err), MNEME_OK);
    assert_string_equal(m.memory_key, "");
    m.type = "fact";
    m.content = "I live in Rome"; /* of the user, and so of no project */
    assert_int_equal(mn_describe(&m, arena, &err), MNEME_OK);
    assert_string_equal(m.memory_key, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_frame_gives_one_key_and_its_value),
        cmocka_unit_test(a_frame_that_may_fit_two_things_gives_none),
        cmocka_unit_test(only_what_holds_is_keyed_whatever_its_scope),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
