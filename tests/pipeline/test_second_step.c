/*
 * test_second_step.c - what is said of somebody by name, and what was on a day, is found where
 * the request names neither. Whole retrievals without a model.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <mneme/mneme.h>

#include "pipeline/fixture.h"

#define NOW INT64_C(1790000000000)

#define DAY INT64_C(86400000)

/* What happened at `happened_ms`; 0: no event. Written at `now_ms`. */
static void say_at(struct fixture *f, const char *user, const char *id, const char *text,
                   int64_t happened_ms, int64_t now_ms)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = &m };
    struct mneme_change change = MNEME_CHANGE_INIT;
    size_t failed = 0;

    m.tenant_id = "t";
    m.user_id = m.scope_id = user;
    m.scope_kind = MNEME_SCOPE_USER;
    m.type = happened_ms ? "event" : "fact";
    m.id = id;
    m.content = text;
    m.event_time_ms = happened_ms;
    m.authority = MNEME_EXPLICIT_USER;
    m.confidence = 1;
    m.importance = 0.5;
    change.now_ms = now_ms;
    if (mneme_write(f->handle, &record, 1, &change, NULL, &failed, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
}

static void say_of(struct fixture *f, const char *user, const char *id, const char *text,
                   int64_t happened_ms)
{
    say_at(f, user, id, text, happened_ms, NOW);
}

static void say(struct fixture *f, const char *user, const char *id, const char *text)
{
    say_of(f, user, id, text, 0);
}

/* Is `id` in ann's answer, as of an instant or 0, and does the trace hold `told`? */
static bool finds_as_of(struct fixture *f, const char *text, int64_t as_of_ms, const char *id,
                        const char *told)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    bool found = false;

    request.identity.tenant_id = "t";
    request.identity.user_id = "ann";
    request.text = text;
    request.now_ms = NOW;
    request.as_of_ms = as_of_ms;
    if (mneme_retrieve(f->handle, &request, &answer, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    for (size_t i = 0; i < answer->item_count; i++)
        found = found || !strcmp(answer->item[i].memory->id, id);
    if (!strstr(answer->trace, told))
        fail_msg("%s: %s", told, answer->trace);
    mneme_answer_free(answer);
    return found;
}

static bool finds(struct fixture *f, const char *text, const char *id, const char *told)
{
    return finds_as_of(f, text, 0, id, told);
}

static void world(struct fixture *f)
{
    say(f, "ann", "who", "Tom's sister is Clara.");
    say(f, "ann", "clara", "Clara lives in Lyon.");
    say(f, "ann", "tom", "Tom lives in Graz.");
    say(f, "ann", "bob", "Bob lives in the city of Turin.");
    say(f, "ann", "eva", "Eva lives in the city of Porto.");
    say(f, "ann", "kim", "Kim and Tom live in a city.");
    say(f, "bea", "theirs", "Clara lives in the city of Cork.");
    say(f, "ann", "zh-who", "李雷的姐姐叫周敏。");
    say(f, "ann", "zh-min", "周敏住在杭州。");
    say(f, "ann", "zh-lei", "李雷住在成都。");
}

static void the_name_that_the_first_results_give_brings_what_is_said_of_it(void **state)
{
    struct fixture *f = *state;

    world(f);
    assert_true(finds(f, "In which city does Tom's sister live?", "clara",
                      "\"second_step\":{\"fired\":true,\"steps\":[{\"by\":\"name\",\"from\":\"who\",\"name_hash\":\""));
    assert_true(finds(f, "李雷的姐姐住在哪个城市？", "zh-min",
                      "\"second_step\":{\"fired\":true,\"steps\":[{\"by\":\"name\",\"from\":\"zh-who\",\"name_hash\":\""));
}

static void what_another_user_says_of_that_name_stays_theirs(void **state)
{
    struct fixture *f = *state;

    world(f);
    assert_false(finds(f, "In which city does Tom's sister live?", "theirs", "\"brought\":2}"));
}

static void a_chain_of_relations_is_followed_link_by_link_or_at_once(void **state)
{
    struct fixture *f = *state;

    world(f);
    say(f, "ann", "hub", "Clara's husband is Max.");
    say(f, "ann", "max", "Max repairs clocks.");
    say(f, "ann", "boss", "Ida is my brother's boss.");
    say(f, "ann", "ida", "Ida repairs boats.");
    assert_true(finds(f, "What does Tom's sister's husband repair?", "max",
                      "\"by\":\"name\",\"from\":\"hub\""));
    assert_true(finds(f, "What does my brother's boss repair?", "ida",
                      "\"steps\":[{\"by\":\"name\",\"from\":\"boss\""));
}

static void days(struct fixture *f)
{
    int64_t day_ms = NOW - 40 * DAY;

    say_of(f, "ann", "luna", "I adopted Luna from the shelter.", day_ms);
    say_of(f, "ann", "ramen", "Had ramen with Jonas.", day_ms + DAY / 48);
    say_of(f, "bea", "pier", "Had lunch on the pier.", day_ms + DAY / 48);
    say_of(f, "ann", "tap", "A plumber came.", day_ms + 3 * DAY);
    say_of(f, "ann", "gym", "Joined a gym.", day_ms + 20 * DAY);
    say(f, "ann", "food", "Luna only eats salmon.");
    say_of(f, "ann", "zh-move", "我搬家到了滨江。", day_ms - 9 * DAY);
    say_of(f, "ann", "zh-rain", "沙发被雨淋湿。", day_ms - 9 * DAY + DAY / 48);
}

static void the_day_that_the_first_results_give_brings_what_was_then(void **state)
{
    struct fixture *f = *state;

    days(f);
    assert_true(finds(f, "What else happened on the day I adopted Luna?", "ramen",
                      "\"steps\":[{\"by\":\"time\",\"from\":\"luna\",\"after\":\""));
    assert_true(finds(f, "我搬家那天还发生了什么？", "zh-rain",
                      "\"steps\":[{\"by\":\"time\",\"from\":\"zh-move\",\"after\":\""));
    assert_true(finds(f, "What did I do the week after I adopted Luna?", "tap",
                      "\"selection_reason\":\"happened in the time that the request means"));
}

static void what_was_at_another_time_or_another_users_is_not_brought(void **state)
{
    struct fixture *f = *state;

    days(f);
    assert_false(finds(f, "What else happened on the day I adopted Luna?", "tap", "\"by\":\"time\""));
    assert_false(finds(f, "What else happened on the day I adopted Luna?", "pier", "\"by\":\"time\""));
    assert_false(finds(f, "What did I do the week after I adopted Luna?", "gym", "\"by\":\"time\""));
}

static void a_day_told_in_words_is_taken_before_the_day_of_the_telling(void **state)
{
    struct fixture *f = *state;

    say_of(f, "ann", "back", "The Berlin trip was wonderful.", NOW - 10 * DAY);
    say_of(f, "ann", "trip", "The Berlin trip was from 2026-08-10 to 2026-08-14.", NOW - 60 * DAY);
    say_of(f, "ann", "clay", "Joined a pottery course.", NOW - 36 * DAY); /* 2026-08-16 */
    say_of(f, "ann", "card", "Lost a library card.", NOW - 8 * DAY);
    assert_true(finds(f, "What did I do the week after the Berlin trip?", "clay",
                      "\"by\":\"time\",\"from\":\"trip\",\"after\":\"2026-08-15T00:00:00Z\""));
    assert_false(finds(f, "What did I do the week after the Berlin trip?", "card", "\"by\":\"time\""));
}

static void a_time_that_is_named_and_no_more_brings_what_was_in_it(void **state)
{
    struct fixture *f = *state;

    days(f);
    assert_true(finds(f, "What did I do on 12 August 2026?", "ramen",
                      "\"steps\":[{\"by\":\"time\",\"from\":\"\",\"after\":\"2026-08-12T00:00:00Z\""));
    assert_true(finds(f, "2026年8月3日我做了什么？", "zh-rain", "\"by\":\"time\""));
    assert_false(finds(f, "What did I do on 12 August 2026?", "tap", "\"by\":\"time\""));
    assert_false(finds(f, "Which plumber was here on 12 August 2026?", "ramen",
                       "\"second_step\":{\"fired\":false}"));
}

static void of_an_event_that_nothing_tells_no_time_is_asked(void **state)
{
    struct fixture *f = *state;

    days(f);
    assert_false(finds(f, "What else happened on the day I sold the boat?", "ramen",
                       "\"second_step\":{\"fired\":true,\"steps\":[],"));
    assert_false(finds(f, "What does Luna eat?", "ramen", "\"second_step\":{\"fired\":false}"));
}

static void no_more_come_by_a_time_than_the_step_brings(void **state)
{
    struct fixture *f = *state;
    char id[24];

    days(f);
    for (int i = 0; i < 20; i++) {
        snprintf(id, sizeof id, "more-%d", i);
        say_of(f, "ann", id, "Another thing.", NOW - 40 * DAY + i + 1);
    }
    finds(f, "What else happened on the day I adopted Luna?", "ramen", "\"brought\":16}");
}

/* What the memory says from now on. */
static void reword(struct fixture *f, const char *id, const char *text)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_parsed *row = NULL;
    struct mneme_memory m;

    assert_int_equal(mneme_get(f->handle, "t", "ann", id, &row, &f->err), MNEME_OK);
    m = *mneme_parsed_record(row)->memory;
    m.content = text;
    change.now_ms = NOW;
    assert_int_equal(mneme_edit(f->handle, &m, &change, NULL, &f->err), MNEME_OK);
    mneme_parsed_free(row);
}

static void of_the_past_the_name_and_the_day_are_those_that_were_said_then(void **state)
{
    struct fixture *f = *state;
    int64_t then_ms = NOW - 20 * DAY;

    say_at(f, "ann", "who", "Tom's sister is Clara.", 0, then_ms);
    say_at(f, "ann", "clara", "Clara lives in Lyon.", 0, then_ms);
    say_at(f, "ann", "eva", "Eva lives in Porto.", 0, then_ms);
    say_at(f, "ann", "luna", "I adopted Luna on 2026-05-04.", 0, then_ms);
    say_at(f, "ann", "ramen", "Had ramen with Jonas.", INT64_C(1777899600000), then_ms);
    say_at(f, "ann", "tap", "A plumber came.", INT64_C(1778504400000), then_ms);
    reword(f, "who", "Tom's sister is Eva.");
    reword(f, "luna", "I adopted Luna on 2026-05-11.");
    assert_true(finds(f, "In which city does Tom's sister live?", "eva", "\"second_step\":\"name\""));
    assert_true(finds_as_of(f, "In which city does Tom's sister live?", then_ms + DAY, "clara",
                            "\"second_step\":\"name\""));
    assert_false(finds_as_of(f, "In which city does Tom's sister live?", then_ms + DAY, "eva",
                             "\"second_step\":\"name\""));
    assert_true(finds(f, "What else happened on the day I adopted Luna?", "tap",
                      "\"after\":\"2026-05-11T00:00:00Z\""));
    assert_true(finds_as_of(f, "What else happened on the day I adopted Luna?", then_ms + DAY,
                            "ramen", "\"after\":\"2026-05-04T00:00:00Z\""));
}

/* Of ann's answer to the text, asked for what happened from `after_ms` on and before `before_ms`: is
 * `id` in it, and how many are? */
static size_t count_given(struct fixture *f, const char *text, int64_t after_ms, int64_t before_ms,
                          const char *id, bool *ret_found)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = "t";
    request.identity.user_id = "ann";
    request.text = text;
    request.now_ms = NOW;
    request.after_ms = after_ms;
    request.before_ms = before_ms;
    assert_int_equal(mneme_retrieve(f->handle, &request, &answer, &f->err), MNEME_OK);
    size_t count = answer->item_count;
    *ret_found = false;
    for (size_t i = 0; i < count; i++)
        *ret_found = *ret_found || !strcmp(answer->item[i].memory->id, id);
    mneme_answer_free(answer);
    return count;
}

static void what_happened_in_a_range_that_is_given_is_brought_however_unlike(void **state)
{
    static const char *const asked[] = { "What happened?", "发生了什么？" };
    struct fixture *f = *state;
    const int64_t at_ms = NOW - 5 * DAY;
    bool found;

    say_of(f, "ann", "tap", "A plumber came.", at_ms);
    say_of(f, "ann", "ramen", "Had ramen with Jonas.", NOW - 9 * DAY);
    say_of(f, "bea", "theirs", "A painter came.", at_ms);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(count_given(f, asked[i], at_ms, 0, "tap", &found), 1);
        assert_true(found);
        assert_int_equal(count_given(f, asked[i], at_ms + 1, 0, "tap", &found), 0);
        assert_int_equal(count_given(f, asked[i], 0, at_ms, "ramen", &found), 1);
        assert_true(found);
        assert_int_equal(count_given(f, asked[i], 0, at_ms + 1, "tap", &found), 2);
        assert_int_equal(count_given(f, asked[i], 0, 0, "tap", &found), 0); /* no range, no likeness */
    }
    /* What is of something in particular is asked by its words. */
    assert_int_equal(count_given(f, "What happened to the aquarium?", at_ms, 0, "tap", &found), 0);
}

static void without_the_relation_or_the_name_nothing_is_brought(void **state)
{
    struct fixture *f = *state;

    world(f);
    assert_true(finds(f, "In which city does Tom live?", "kim", "\"second_step\":{\"fired\":false}"));
    assert_false(finds(f, "In which city does Bob's sister live?", "clara",
                       "\"second_step\":{\"fired\":true,\"steps\":[],"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            the_name_that_the_first_results_give_brings_what_is_said_of_it, fixture_set_up,
            fixture_tear_down),
        cmocka_unit_test_setup_teardown(what_another_user_says_of_that_name_stays_theirs,
                                        fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_chain_of_relations_is_followed_link_by_link_or_at_once,
                                        fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(the_day_that_the_first_results_give_brings_what_was_then,
                                        fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(what_was_at_another_time_or_another_users_is_not_brought,
                                        fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_day_told_in_words_is_taken_before_the_day_of_the_telling,
                                        fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_time_that_is_named_and_no_more_brings_what_was_in_it,
                                        fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(of_an_event_that_nothing_tells_no_time_is_asked,
                                        fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(
            of_the_past_the_name_and_the_day_are_those_that_were_said_then, fixture_set_up,
            fixture_tear_down),
        cmocka_unit_test_setup_teardown(
            what_happened_in_a_range_that_is_given_is_brought_however_unlike, fixture_set_up,
            fixture_tear_down),
        cmocka_unit_test_setup_teardown(no_more_come_by_a_time_than_the_step_brings,
                                        fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(without_the_relation_or_the_name_nothing_is_brought,
                                        fixture_set_up, fixture_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
