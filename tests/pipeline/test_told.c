/*
 * test_told.c - a conversation with a store behind it: what observing a turn tells of, and what a recall
 * tells afterwards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/fixture.h"

#define NOW INT64_C(1791190800000) /* 2026-10-05, a Monday, 09:00 UTC */
#define DAY INT64_C(86400000)
#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)
#define TOLD_MAX 17

struct told {
    struct {
        char id[MNEME_ID_BYTES_MAX + 1], content[256], supersedes[64];
        int64_t event_time_ms;
        enum mneme_outcome outcome;
    } item[TOLD_MAX];
    size_t count;
};

static void note(void *context, const struct mneme_memory *memory,
                 const struct mneme_receipt *receipt)
{
    struct told *told = context;

    assert_true(told->count < TOLD_MAX);
    strcpy(told->item[told->count].id, receipt->id);
    (void)snprintf(told->item[told->count].content, 256, "%s", memory->content);
    (void)snprintf(told->item[told->count].supersedes, 64, "%s", memory->supersedes);
    told->item[told->count].event_time_ms = memory->event_time_ms;
    told->item[told->count++].outcome = receipt->outcome;
}

static struct told say_at(struct fixture *f, const char *text, int64_t now_ms)
{
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct told told = { .count = 0 };

    event.tenant_id = "acme";
    event.user_id = "ann";
    event.session_id = "talk";
    event.role = "user";
    event.text = text;
    event.event_time_ms = now_ms;
    change.now_ms = now_ms;
    change.drawn = note;
    change.drawn_context = &told;
    ASSERT_OK(mneme_observe(f->handle, &event, 1, &change, NULL, &f->err));
    return told;
}

static struct told say(struct fixture *f, const char *text)
{
    return say_at(f, text, NOW);
}

/* ---- what is told of a turn ---- */

static void a_memory_is_told_once_a_turn_as_it_stands_in_the_store(void **state)
{
    struct fixture *f = *state;
    struct told told = say(f, "Remember that the audit is next Friday. Remember that the audit is next "
                              "Friday. Remember that the tug is called Otto.");

    assert_int_equal(told.count, 2);
    assert_string_equal(told.item[0].content, "The audit is next Friday (2026-10-16).");
    assert_int_equal(told.item[0].outcome, MNEME_INSERTED);
    assert_int_equal(told.item[0].event_time_ms, INT64_C(1792108800000)); /* 2026-10-16 */
    assert_string_equal(told.item[1].content, "The tug is called Otto.");
    assert_int_equal(told.item[1].event_time_ms, 0);
    assert_string_not_equal(told.item[0].id, told.item[1].id);

    told = say(f, "Remember that the tug is called Otto."); /* in another turn it is told again */
    assert_int_equal(told.count, 1);
    assert_int_equal(told.item[0].outcome, MNEME_CONFIRMED);
}

/* The parts of a turn that is cut are one turn. */
static void a_long_turn_tells_of_a_memory_once(void **state)
{
    static char turn[8192];
    struct fixture *f = *state;

    strcpy(turn, "Remember that the tug is called Otto. ");
    for (int i = 0; i < 100; i++)
        strcat(turn, "The weather on the quay was as grey as ever. ");
    strcat(turn, "Remember that the tug is called Otto.");
    assert_int_equal(say(f, turn).count, 1);
}

/* ---- what takes the place of what ---- */

static void a_moved_meeting_ends_the_day_it_had(void **state)
{
    static const char *const talks[][2] = {
        { "Remember that the meeting with Dr. Lee is on Tuesday.",
          "The meeting with Dr. Lee has been moved to Thursday." },
        { "记住会议在周二", "会议改到周四了" },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < 2; i++) {
        struct told first = say(f, talks[i][0]), second = say_at(f, talks[i][1], NOW + 3600000);

        assert_int_equal(first.count, 1);
        assert_int_equal(first.item[0].event_time_ms, INT64_C(1791244800000)); /* 2026-10-06 */
        assert_int_equal(second.count, 1);
        assert_int_equal(second.item[0].outcome, MNEME_SUPERSEDES);
        assert_string_equal(second.item[0].supersedes, first.item[0].id);
        assert_int_equal(second.item[0].event_time_ms, INT64_C(1791417600000)); /* 2026-10-08 */
    }
    /* Thursday of another week is another day. */
    struct told again = say_at(f, "会议改到周四了", NOW + 14 * DAY);
    assert_int_equal(again.item[0].outcome, MNEME_SUPERSEDES);
    /* Another room ends no day. */
    again = say_at(f, "会议改到三号会议室", NOW + 14 * DAY);
    assert_int_equal(again.item[0].outcome, MNEME_INSERTED);
}

/* How the turn with these words stands in the answer; NULL where it does not. */
struct shown {
    char replaced_by[MNEME_ID_BYTES_MAX + 1], element[512];
    bool stands, successor_stands;
};

static struct shown ask_for(struct fixture *f, const char *text, const char *words, int64_t as_of_ms)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    struct shown shown = { .stands = false };

    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.text = text;
    request.now_ms = NOW + 4 * DAY;
    request.as_of_ms = as_of_ms;
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    for (size_t i = 0; i < answer->item_count; i++) {
        const struct mneme_item *item = &answer->item[i];
        const char *element = strstr(answer->xml, item->memory->id);

        if (strcmp(item->memory->type, "event") != 0 || !strstr(item->memory->content, words))
            continue;
        shown.stands = true;
        strcpy(shown.replaced_by, item->replaced_by);
        assert_non_null(element);
        (void)snprintf(shown.element, sizeof shown.element, "%.*s",
                       (int)strcspn(element, ">"), element);
        for (size_t j = 0; j < answer->item_count; j++)
            shown.successor_stands = shown.successor_stands ||
                                     !strcmp(answer->item[j].memory->id, item->replaced_by);
    }
    mneme_answer_free(answer);
    return shown;
}

static void a_turn_names_what_stands_in_the_place_of_what_it_told(void **state)
{
    struct fixture *f = *state;
    struct shown shown;
    struct told berlin;

    say_at(f, "I live in Paris.", NOW);
    say_at(f, "My name is Ann. I work at Acme.", NOW);
    assert_false(ask_for(f, "Do I live in Paris?", "Paris", 0).stands); /* its memory stands for it */
    say_at(f, "I moved to Rome.", NOW + DAY);
    berlin = say_at(f, "I moved to Berlin.", NOW + 2 * DAY);
    assert_int_equal(berlin.count, 1);

    shown = ask_for(f, "Do I live in Paris?", "Paris", 0);
    assert_true(shown.stands);
    assert_string_equal(shown.replaced_by, berlin.item[0].id); /* the end of the chain */
    assert_true(shown.successor_stands);
    assert_non_null(strstr(shown.element, "replaced_by=\"mem_"));
    assert_string_equal(ask_for(f, "When did I move to Rome?", "Rome", 0).replaced_by,
                        berlin.item[0].id);
    shown = ask_for(f, "Do I work at Acme?", "Acme", 0);
    assert_string_equal(shown.replaced_by, "");
    assert_null(strstr(shown.element, "replaced_by"));

    /* As of the first day all of it held; and what withdrew its successor holds nothing against it. */
    assert_string_equal(ask_for(f, "Do I live in Paris?", "Paris", NOW + 1000).replaced_by, "");
    ASSERT_OK(mneme_forget(f->handle, "acme", "ann", berlin.item[0].id, NULL, NULL,
                           &f->err));
    shown = ask_for(f, "Do I live in Paris?", "Paris", 0);
    assert_true(shown.stands);
    assert_string_equal(shown.replaced_by, "");
}

static void keep(struct fixture *f, const char *user, const char *id, const char *type,
                 enum mneme_scope scope, const char *scope_id, const char *text)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_change change = MNEME_CHANGE_INIT;

    m.tenant_id = "acme";
    m.user_id = user;
    m.id = id;
    m.type = type;
    m.scope_kind = scope;
    m.scope_id = scope_id;
    m.content = text;
    change.now_ms = NOW;
    ASSERT_OK(mneme_remember(f->handle, &m, &change, NULL, &f->err));
}

static void what_is_known_of_the_user_is_what_his_own_memories_say_of_him(void **state)
{
    struct fixture *f = *state;
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    keep(f, "ann", "m-tea", "user_preference", MNEME_SCOPE_USER, "ann", "Tea at four, please.");
    keep(f, "ann", "m-tug", "fact", MNEME_SCOPE_USER, "ann", "The tug is called Otto.");
    keep(f, "ann", "m-go", "previous_decision", MNEME_SCOPE_USER, "ann", "The harbour uses Go.");
    keep(f, "ann", "m-quay", "fact", MNEME_SCOPE_PROJECT, "quay", "The quay has nine cranes.");
    keep(f, "bob", "m-bob", "fact", MNEME_SCOPE_USER, "bob", "The tug is called Emil.");
    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.identity.project_id = "quay";
    request.text = "What do you know about me?";
    request.now_ms = NOW;
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    assert_int_equal(answer->item_count, 2);
    assert_non_null(strstr(answer->xml, "m-tea"));
    assert_non_null(strstr(answer->xml, "m-tug"));
    mneme_answer_free(answer);
}

/* ---- orders to forget ---- */

static bool recalls(struct fixture *f, const char *text, const char *words)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.text = text;
    request.now_ms = NOW + DAY;
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    bool found = strstr(answer->xml, words) != NULL;
    mneme_answer_free(answer);
    return found;
}

static void make_active(struct fixture *f, const char *id, int64_t now_ms)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_parsed *row = NULL;
    struct mneme_receipt receipt;
    struct mneme_memory m;

    ASSERT_OK(mneme_get(f->handle, "acme", "ann", id, &row, &f->err));
    m = *mneme_parsed_record(row)->memory;
    assert_int_equal(m.status, MNEME_DELETED);
    m.status = MNEME_ACTIVE;
    change.now_ms = now_ms;
    ASSERT_OK(mneme_edit(f->handle, &m, &change, &receipt, &f->err));
    mneme_parsed_free(row);
}

/* The memory that was drawn, the turn that none was drawn from, and the order itself. */
static void what_is_ordered_to_be_forgotten_is_told_no_more_until_it_is_taken_back(void **state)
{
    static const char *const talks[][6] = {
        { "I live in Berlin.", "The museum in Berlin was crowded last week.", "I live on oat milk, remember that.",
          "Forget what I said about Berlin.", "How was the museum in Berlin?", "Berlin" },
        { "我住在汉堡。", "上周汉堡的博物馆人太多了。", "记住我靠燕麦奶生活", "忘掉我说的关于汉堡的事",
          "汉堡的博物馆怎么样？", "汉堡" },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < 2; i++) {
        const char *const *talk = talks[i];
        int64_t now_ms = NOW + (int64_t)i * 3600000;

        for (size_t turn = 0; turn < 3; turn++)
            say_at(f, talk[turn], now_ms);
        assert_true(recalls(f, talk[4], talk[5]));
        struct told told = say_at(f, talk[3], now_ms + 1000);
        assert_int_equal(told.count, 2);
        assert_int_equal(told.item[0].outcome, MNEME_FORGOTTEN);
        assert_string_equal(told.item[0].content, talk[0]);
        assert_int_equal(told.item[1].outcome, MNEME_FORGOTTEN);
        assert_false(recalls(f, talk[4], talk[5]));
        assert_false(recalls(f, talk[0], talk[5]));
        assert_true(recalls(f, talk[2], i ? "燕麦奶" : "oat milk")); /* of something else */

        make_active(f, told.item[0].id, now_ms + 2000);
        assert_true(recalls(f, talk[0], talk[0]));
        make_active(f, told.item[1].id, now_ms + 2000); /* the order's: now its turns are back */
        assert_true(recalls(f, talk[4], talk[1]));
    }
}

/* What holds the turns is written last: where it cannot be, the memories are not forgotten either. */
static void an_order_is_carried_out_whole_or_not_at_all(void **state)
{
    struct fixture *f = *state;

    say(f, "I live in Berlin.");
    fixture_sql(f, "CREATE TRIGGER refuse BEFORE INSERT ON memories WHEN NEW.category = 'order to forget' "
                   "BEGIN SELECT RAISE(ABORT, 'refused'); END; "
                   "UPDATE memories SET importance = importance");
    struct told told = say_at(f, "Forget what I said about Berlin.", NOW + 1000);
    assert_int_equal(told.count, 1);
    assert_int_equal(told.item[0].outcome, MNEME_UNCLEAR);
    assert_true(recalls(f, "Where do I live?", "I live in Berlin."));

    fixture_sql(f, "DROP TRIGGER refuse; UPDATE memories SET importance = importance");
    told = say_at(f, "Forget what I said about Berlin.", NOW + 2000);
    assert_int_equal(told.count, 2);
    assert_int_equal(told.item[0].outcome, MNEME_FORGOTTEN);
    assert_false(recalls(f, "Where do I live?", "Berlin"));
}

/* Another memory of the same turn stays, and does not bring back its words. */
static void an_order_withholds_a_turn_that_said_something_else_as_well(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(say(f, "I live in Berlin. Remember that my cat is called Tom.").count, 2);
    struct told told = say_at(f, "Forget what I said about Berlin.", NOW + 1000);
    assert_int_equal(told.count, 2);
    assert_false(recalls(f, "Do I live in Berlin?", "Berlin"));
    assert_true(recalls(f, "What is my cat called?", "My cat is called Tom"));
    (void)say_at(f, "Remember that my cat is called Tom.", NOW + 2000);
    assert_false(recalls(f, "Do I live in Berlin?", "Berlin"));
    make_active(f, told.item[1].id, NOW + 3000);
    assert_true(recalls(f, "Do I live in Berlin?", "I live in Berlin. Remember"));
}

/* Of one memory of the order at most 256 turns can be told. */
static void an_order_reaches_all_turns_however_many(void **state)
{
    struct fixture *f = *state;
    char text[64];

    for (int i = 0; i < 300; i++) {
        (void)snprintf(text, sizeof text, "The ferry of quay %d was late.", i);
        (void)say(f, text);
    }
    struct told told = say_at(f, "Forget what I said about the ferry.", NOW + 1000);
    assert_int_equal(told.count, 2);
    assert_string_equal(told.item[0].content, "The user asked to forget: the ferry");
    assert_false(recalls(f, "Was the ferry late?", "ferry"));
    make_active(f, told.item[0].id, NOW + 2000);
    assert_true(recalls(f, "Was the ferry late?", "ferry"));
}

/* The words are the turn's; what it withheld stays withheld. */
static void with_the_turn_of_an_order_its_words_are_erased(void **state)
{
    struct fixture *f = *state;
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    struct mneme_parsed *row = NULL;
    char turn[MNEME_ID_BYTES_MAX + 1], *receipt = NULL;

    (void)say(f, "The museum in Berlin was crowded last week.");
    struct told told = say_at(f, "Forget what I said about Berlin.", NOW + 1000);
    assert_int_equal(told.count, 1);
    ASSERT_OK(mneme_get(f->handle, "acme", "ann", told.item[0].id, &row, &f->err));
    const struct mneme_list *from = &mneme_parsed_record(row)->memory->provenance;
    assert_int_equal(from->count, 2);
    strcpy(turn, from->item[1]);
    mneme_parsed_free(row);
    what.scope = MNEME_ERASE_MEMORY;
    what.tenant_id = "acme";
    what.user_id = "ann";
    what.id = turn;
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err));
    assert_non_null(strstr(receipt, "\"clean\":true"));
    mneme_free(receipt);
    assert_int_equal(mneme_get(f->handle, "acme", "ann", told.item[0].id, &row, &f->err),
                     MNEME_NOT_FOUND);
    assert_false(recalls(f, "How was the museum in Berlin?", "Berlin"));
}

static void an_order_does_not_say_a_secret_again(void **state)
{
    struct fixture *f = *state;
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct told told = { .count = 0 };

    say(f, "The harbour pilots use a password that is long.");
    event.tenant_id = "acme";
    event.user_id = "ann";
    event.session_id = "talk";
    event.role = "user";
    event.text = "Forget what I said about the password. My password is hunter2-Quay!99";
    event.event_time_ms = change.now_ms = NOW + 1000;
    change.allow_secrets = 1;
    change.drawn = note;
    change.drawn_context = &told;
    ASSERT_OK(mneme_observe(f->handle, &event, 1, &change, NULL, &f->err));
    assert_int_equal(told.count, 1);
    assert_string_equal(told.item[0].content, "The user asked to forget a secret");
}

static void what_is_taken_back_is_just_what_was_said(void **state)
{
    struct fixture *f = *state;

    say(f, "I live in Berlin.");
    say(f, "Remember that my sister lives in Berlin.");
    struct told told = say_at(f, "Forget that I live in Berlin.", NOW + 1000);

    assert_int_equal(told.count, 2);
    assert_string_equal(told.item[0].content, "I live in Berlin.");
    assert_true(recalls(f, "Who lives in Berlin?", "My sister lives in Berlin"));
    assert_false(recalls(f, "Who lives in Berlin?", "I live in Berlin"));
}

static void an_order_that_fits_too_much_is_a_question(void **state)
{
    struct fixture *f = *state;
    char text[64];

    for (int i = 0; i < 17; i++) {
        (void)snprintf(text, sizeof text, "Remember that crate %d lies on the pier.", i);
        assert_int_equal(say(f, text).count, 1);
    }
    struct told told = say_at(f, "Forget what I said about the pier.", NOW + 1000);
    assert_int_equal(told.count, 1);
    assert_int_equal(told.item[0].outcome, MNEME_UNCLEAR);
    assert_string_equal(told.item[0].content,
                        "17 memories fit \"the pier\": which of them shall be forgotten?");
    assert_true(recalls(f, "Which crates lie on the pier?", "on the pier"));
    told = say_at(f, "Forget what I said about crate 3.", NOW + 2000);
    assert_int_equal(told.item[0].outcome, MNEME_FORGOTTEN);
    assert_string_equal(told.item[0].content, "Crate 3 lies on the pier.");
    told = say_at(f, "Forget what I said about the pier.", NOW + 3000); /* sixteen are left */
    assert_int_equal(told.count, TOLD_MAX);
}

static void what_nobody_said_is_not_forgotten(void **state)
{
    struct fixture *f = *state;

    say(f, "Remember that the tug is called Otto.");
    assert_int_equal(say_at(f, "Forget what I said about the ferry.", NOW + 1000).count, 0);
    assert_true(recalls(f, "What is the tug called?", "Otto"));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_memory_is_told_once_a_turn_as_it_stands_in_the_store),
        CASE(a_long_turn_tells_of_a_memory_once),
        CASE(a_moved_meeting_ends_the_day_it_had),
        CASE(a_turn_names_what_stands_in_the_place_of_what_it_told),
        CASE(what_is_known_of_the_user_is_what_his_own_memories_say_of_him),
        CASE(what_is_ordered_to_be_forgotten_is_told_no_more_until_it_is_taken_back),
        CASE(an_order_withholds_a_turn_that_said_something_else_as_well),
        CASE(an_order_is_carried_out_whole_or_not_at_all),
        CASE(an_order_reaches_all_turns_however_many),
        CASE(with_the_turn_of_an_order_its_words_are_erased),
        CASE(an_order_does_not_say_a_secret_again),
        CASE(what_is_taken_back_is_just_what_was_said),
        CASE(an_order_that_fits_too_much_is_a_question),
        CASE(what_nobody_said_is_not_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
