/*
 * test_token_likeness.c - turns held against the request word by word: what it changes, and what it
 * leaves alone where the codes are not there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <mneme/mneme.h>

#include "base/json.h"
#include "engine/handle.h"
#include "fakes/fake_model.h"
#include "pipeline/fixture.h"

#define NOW INT64_C(1790000000000)
#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)
#define TURNS 8

static void say(struct fixture *f, int number, const char *text)
{
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_EVENT, .event = &event };
    struct mneme_change change = MNEME_CHANGE_INIT;
    char id[16];

    (void)snprintf(id, sizeof id, "e-%d", number);
    event.id = id;
    event.tenant_id = "acme";
    event.user_id = "ann";
    event.session_id = number < TURNS / 2 ? "first" : "second";
    event.role = "user";
    event.speaker = "Ann";
    event.text = text;
    event.order = number + 1;
    event.event_time_ms = NOW - 1000;
    change.now_ms = NOW;
    change.admin = 1;
    ASSERT_OK(mneme_write(f->handle, &record, 1, &change, NULL, NULL, &f->err));
}

static void talk(struct fixture *f)
{
    static const char *const text[TURNS] = {
        "The harbour crane was painted green",  "We walked to the harbour and saw a crane",
        "The crane lifts crates of lemons",     "Somebody painted the shed",
        "The harbour was closed on Monday",     "A heron is not a crane, said the guide",
        "Green is the colour of the new boats", "The crane driver eats lemons",
    };

    for (int i = 0; i < TURNS; i++)
        say(f, i, text[i]);
}

/* The trace of one recall, with its signals. */
static yyjson_doc *ask(struct fixture *f)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.text = "Which colour was the harbour crane painted?";
    request.now_ms = NOW;
    request.mode = MNEME_MODE_HYBRID;
    request.without_limits = 1;
    request.trace_signals = 1;
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    assert_false(answer->degraded);
    yyjson_doc *doc = yyjson_read(answer->trace, strlen(answer->trace), 0);

    assert_non_null(doc);
    mneme_answer_free(answer);
    return doc;
}

static int64_t told(yyjson_doc *doc, const char *figure)
{
    yyjson_val *tokens = yyjson_obj_get(yyjson_doc_get_root(doc), "tokens");

    return tokens ? yyjson_get_sint(yyjson_obj_get(tokens, figure)) : -1;
}

/* A signal of a turn, scaled: from 0, the least of the pool, to 1, the best. */
static double signal_of(yyjson_doc *doc, const char *id, const char *name)
{
    yyjson_val *signals = yyjson_obj_get(yyjson_doc_get_root(doc), "signals");
    yyjson_val *names = yyjson_obj_get(signals, "names");
    yyjson_val *turn = yyjson_obj_get(yyjson_obj_get(signals, "turns"), id);

    assert_non_null(turn);
    for (size_t i = 0; i < yyjson_arr_size(names); i++)
        if (!strcmp(yyjson_get_str(yyjson_arr_get(names, i)), name))
            return yyjson_get_num(yyjson_arr_get(turn, i));
    fail_msg("no signal %s", name);
    return 0;
}

/* What was said, and then a change of the rows of codes. */
static void talk_and_change(struct fixture *f, const char *sql)
{
    if (getenv("MN_TEST_PER_TENANT"))
        skip(); /* the rows are in a file of their own */
    fixture_take_model(f, fake_model_with_tokens(64));
    talk(f);
    fixture_sql(f, sql);
}

static void the_turn_with_the_words_is_most_like_and_its_neighbours_by_it(void **state)
{
    struct fixture *f = *state;
    yyjson_doc *doc;

    fixture_take_model(f, fake_model_with_tokens(64));
    talk(f);
    doc = ask(f);
    assert_int_equal(told(doc, "turns"), TURNS);
    assert_int_equal(told(doc, "measured"), TURNS);
    assert_true(told(doc, "us") >= 0);
    assert_float_equal(signal_of(doc, "e-0", "tokens"), 1, 0); /* has most of the words */
    assert_float_equal(signal_of(doc, "e-7", "tokens"), 0, 0); /* has "the crane", as many do */
    /* what is beside e-0 has what that has; at the other end of the session nobody does */
    assert_true(signal_of(doc, "e-1", "tokens_1") >= signal_of(doc, "e-0", "tokens_1"));
    assert_float_equal(signal_of(doc, "e-3", "tokens_1"), 0, 0);
    for (int i = 0; i < TURNS; i++) { /* four turns: all within 3 of each other */
        int first = i < TURNS / 2 ? 0 : TURNS / 2;
        char id[16], with[16];

        (void)snprintf(id, sizeof id, "e-%d", i);
        (void)snprintf(with, sizeof with, "e-%d", first);
        assert_float_equal(signal_of(doc, id, "tokens_session"),
                           signal_of(doc, with, "tokens_session"), 0);
        assert_float_equal(signal_of(doc, id, "tokens_3"), signal_of(doc, with, "tokens_3"), 0);
    }
    yyjson_doc_free(doc);
}

static void a_model_that_gives_vectors_alone_says_nothing_word_by_word(void **state)
{
    struct fixture *f = *state;
    yyjson_doc *doc;

    (void)fixture_give_model(f, "fake", 64);
    talk(f);
    doc = ask(f);
    assert_int_equal(told(doc, "turns"), -1);
    assert_float_equal(signal_of(doc, "e-0", "tokens"), 0, 0);
    yyjson_doc_free(doc);
}

static void without_a_model_nothing_is_said_either(void **state)
{
    struct fixture *f = *state;
    yyjson_doc *doc;

    talk(f);
    doc = ask(f);
    assert_int_equal(told(doc, "turns"), -1);
    yyjson_doc_free(doc);
}

/* What turns of its standing have: neither the least of the pool nor the most. */
static void a_turn_without_codes_is_estimated(void **state)
{
    struct fixture *f = *state;
    yyjson_doc *doc;
    double estimated;

    talk_and_change(f, "DELETE FROM vectors WHERE unit = 'e-1' AND profile LIKE '%.%'");
    doc = ask(f);
    assert_int_equal(told(doc, "measured"), TURNS - 1);
    estimated = signal_of(doc, "e-1", "tokens");
    assert_true(estimated > 0.2 && estimated < 1);
    yyjson_doc_free(doc);
}

static void half_of_them_measured_is_enough(void **state)
{
    struct fixture *f = *state;
    yyjson_doc *doc;

    talk_and_change(f, "DELETE FROM vectors WHERE unit < 'e-4' AND profile LIKE '%.%'");
    doc = ask(f);
    assert_int_equal(told(doc, "measured"), TURNS / 2);
    assert_true(signal_of(doc, "e-4", "tokens") + signal_of(doc, "e-7", "tokens") > 0);
    yyjson_doc_free(doc);
}

static void with_less_than_half_measured_nothing_is_said(void **state)
{
    struct fixture *f = *state;
    yyjson_doc *doc;

    talk_and_change(f, "DELETE FROM vectors WHERE unit < 'e-5' AND profile LIKE '%.%'");
    doc = ask(f);
    assert_int_equal(told(doc, "measured"), TURNS / 2 - 1);
    for (int i = 0; i < TURNS; i++) {
        char id[16];

        (void)snprintf(id, sizeof id, "e-%d", i);
        assert_float_equal(signal_of(doc, id, "tokens"), 0, 0);
    }
    yyjson_doc_free(doc);
}

static void damaged_codes_count_as_none(void **state)
{
    struct fixture *f = *state;
    yyjson_doc *doc;

    talk_and_change(
        f, "UPDATE vectors SET vector = x'00ff' WHERE unit = 'e-0' AND profile LIKE '%.%'");
    doc = ask(f);
    assert_int_equal(told(doc, "measured"), TURNS - 1);
    yyjson_doc_free(doc);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(the_turn_with_the_words_is_most_like_and_its_neighbours_by_it),
        CASE(a_model_that_gives_vectors_alone_says_nothing_word_by_word),
        CASE(without_a_model_nothing_is_said_either),
        CASE(a_turn_without_codes_is_estimated),
        CASE(half_of_them_measured_is_enough),
        CASE(with_less_than_half_measured_nothing_is_said),
        CASE(damaged_codes_count_as_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
