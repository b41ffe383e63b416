/*
 * test_contract.c - lines of the contract about writing that no other test tells as a whole: a turn far
 * longer than any model reads, event times with zones out of order, one user's deletion among look-alikes,
 * and a machine without a network.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <mneme/mneme.h>

#include "base/clock.h"
#include "base/str.h"
#include "pipeline/fixture.h"

#define ASSERT_OK(call)                                                                            \
    do {                                                                                           \
        if ((call) != MNEME_OK)                                                                    \
            fail_msg("%s", f->err.message);                                                        \
    } while (0)

static struct mneme_answer *recall(struct fixture *f, const char *user, const char *text,
                                   int64_t as_of_ms)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = "acme";
    request.identity.user_id = user;
    request.text = text;
    request.as_of_ms = as_of_ms;
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    return answer;
}

static bool recalls(struct fixture *f, const char *user, const char *text, const char *expected)
{
    struct mneme_answer *answer = recall(f, user, text, 0);
    bool found = strstr(answer->xml, expected) != NULL;

    mneme_answer_free(answer);
    return found;
}

static struct mneme_receipt remember(struct fixture *f, const char *user, const char *key,
                                     const char *content, const char *event_time)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_receipt receipt;

    m.tenant_id = "acme";
    m.user_id = user;
    m.memory_key = key;
    m.content = content;
    if (event_time)
        ASSERT_OK(mneme_time_parse(event_time, &m.event_time_ms, &f->err));
    ASSERT_OK(mneme_remember(f->handle, &m, NULL, &receipt, &f->err));
    return receipt;
}

/* ---- one long turn ---- */

static struct mneme_receipt observe(struct fixture *f, const char *id, const char *text)
{
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mneme_receipt receipt;

    event.id = id;
    event.tenant_id = "acme";
    event.user_id = "ann";
    event.session_id = "long";
    event.role = "user";
    event.text = text;
    ASSERT_OK(mneme_observe(f->handle, &event, 1, NULL, &receipt, &f->err));
    return receipt;
}

static void of_sixty_thousand_tokens_the_last_sentence_is_found(void **state)
{
    struct fixture *f = *state;
    MN_BUF_AUTO text = { 0 };
    struct mneme_options options = fixture_options(f, f->path);
    struct mneme_receipt receipt;

    mneme_close(f->handle);
    f->handle = NULL;
    options.tokenizer = "o200k"; /* counted, not estimated */
    ASSERT_OK(mneme_open(&options, &f->handle, &f->err));
    for (int i = 0; mneme_token_count(f->handle, text.at ? text.at : "") < 60000; i += 500)
        for (int k = 0; k < 500; k++)
            mn_buf_printf(&text, "Crate %d was weighed, sealed and put into bay %d. ", i + k, k % 40);
    mn_buf_text(&text, "The spare key of the boathouse hangs behind the barometer.");
    assert_false(text.failed);
    receipt = observe(f, "evt-long", text.at);
    assert_string_equal(receipt.id, "evt-long");
    assert_int_equal(receipt.outcome, MNEME_INSERTED);
    assert_in_range(receipt.parts, text.bytes / 1200, text.bytes / 600 + 1); /* the cut is told */
    assert_true(recalls(f, "ann", "Where is the spare key of the boathouse?",
                        "The spare key of the boathouse hangs behind the barometer."));
    receipt = observe(f, "evt-long", text.at);
    assert_int_equal(receipt.outcome, MNEME_UNCHANGED);
}

/* Its former row would end behind the last year, and no export could tell it. */
static void nothing_ends_behind_the_last_year(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_receipt planned = { 0 };

    m.tenant_id = "acme";
    m.user_id = "ann";
    m.memory_key = "quay.colour";
    m.value = "red";
    m.content = "The quay will be red.";
    m.valid_from_ms = INT64_C(253402300799999);
    ASSERT_OK(mneme_remember(f->handle, &m, NULL, &planned, &f->err));
    m.value = "blue";
    m.content = "The quay is blue.";
    m.valid_from_ms = 0;
    m.supersedes = planned.id;
    assert_int_equal(mneme_remember(f->handle, &m, NULL, NULL, &f->err), MNEME_INVALID);
    assert_string_equal(f->err.message, "valid_until: is outside the years 0000 to 9999");
}

static void blanks_in_a_long_turn_are_no_part_of_it(void **state)
{
    struct fixture *f = *state;
    struct mneme_event event = MNEME_EVENT_INIT;
    MN_BUF_AUTO text = { 0 };
    struct mneme_receipt receipt;

    mn_buf_printf(&text, "The boat leaves at dawn.%5000s", "");
    receipt = observe(f, "evt-blanks-behind", text.at);
    assert_int_equal(receipt.outcome, MNEME_INSERTED);
    assert_int_equal(receipt.parts, 1);
    mn_buf_reset(&text);
    mn_buf_printf(&text, "%5000sThe ferry leaves at noon.%5000sThe barge leaves at dusk.", "", "");
    assert_false(text.failed);
    receipt = observe(f, "evt-blanks-within", text.at);
    assert_string_equal(receipt.id, "evt-blanks-within");
    assert_int_equal(receipt.parts, 2);
    assert_true(recalls(f, "ann", "When does the barge leave?", "The barge leaves at dusk."));
    mn_buf_reset(&text);
    mn_buf_printf(&text, "%5000s", "");
    event.tenant_id = "acme";
    event.user_id = "ann";
    event.session_id = "long";
    event.text = text.at;
    assert_int_equal(mneme_observe(f->handle, &event, 1, NULL, NULL, &f->err), MNEME_INVALID);
    assert_string_equal(f->err.message, "text: is empty, and must not be");
}

static void a_turn_is_cut_past_its_limit_and_refused_past_the_greatest(void **state)
{
    struct fixture *f = *state;
    struct mneme_event event = MNEME_EVENT_INIT;
    char *text = malloc(MNEME_TURN_BYTES_MAX + 2);

    assert_non_null(text);
    memset(text, 'a', MNEME_TURN_BYTES_MAX + 1);
    text[4096] = '\0';
    assert_int_equal(observe(f, "whole", text).parts, 1);
    text[4096] = 'a';
    text[4097] = '\0';
    assert_int_equal(observe(f, "cut", text).parts, 4);
    text[4097] = 'a';
    text[MNEME_TURN_BYTES_MAX] = '\0';
    assert_int_equal(observe(f, "greatest", text).parts, 874);
    text[MNEME_TURN_BYTES_MAX] = 'a';
    text[MNEME_TURN_BYTES_MAX + 1] = '\0';
    event.tenant_id = "acme";
    event.user_id = "ann";
    event.session_id = "long";
    event.role = "user";
    event.text = text;
    assert_int_equal(mneme_observe(f->handle, &event, 1, NULL, NULL, &f->err), MNEME_LIMIT);
    assert_string_equal(f->err.field, "text");
    free(text);
}

/* ---- times ---- */

static int note_times(void *context, const struct mneme_record *record)
{
    int64_t *at_ms = context;

    if (strstr(record->memory->content, "Oslo"))
        at_ms[0] = record->memory->event_time_ms;
    if (strstr(record->memory->content, "Rome"))
        at_ms[1] = record->memory->event_time_ms;
    return 0;
}

static void times_with_zones_out_of_order_are_kept_in_utc_and_the_later_holds(void **state)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct fixture *f = *state;
    int64_t at_ms[2] = { 0 }, oslo_ms, rome_ms;

    /* By the clock on the wall Oslo is later; in UTC it is an hour and a half before Rome. */
    assert_int_equal(remember(f, "ann", "user.city", "Ann lives in Rome.", "2026-03-01T08:30:00-02:00").outcome,
                     MNEME_INSERTED);
    remember(f, "ann", "user.city", "Ann lives in Oslo.", "2026-03-01T18:00:00+09:00");
    ASSERT_OK(mneme_time_parse("2026-03-01T09:00:00Z", &oslo_ms, &f->err));
    ASSERT_OK(mneme_time_parse("2026-03-01T10:30:00Z", &rome_ms, &f->err));
    filter.tenant_id = "acme";
    filter.user_id = "ann";
    filter.with_all_statuses = 1;
    ASSERT_OK(mneme_list_memories(f->handle, &filter, note_times, at_ms, &f->err));
    assert_int_equal(at_ms[0], oslo_ms);
    assert_int_equal(at_ms[1], rome_ms);
    assert_true(recalls(f, "ann", "Where does Ann live?", "Rome"));
    assert_false(recalls(f, "ann", "Where does Ann live?", "Oslo"));
}

/* ---- one of three who say nearly the same ---- */

static int count_row(void *context, const struct mneme_record *record)
{
    (void)record;
    ++*(int *)context;
    return 0;
}

static int rows_of(struct fixture *f, const char *user)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    int count = 0;

    filter.tenant_id = "acme";
    filter.user_id = user;
    filter.with_all_statuses = 1;
    ASSERT_OK(mneme_export(f->handle, &filter, count_row, &count, &f->err));
    return count;
}

static void one_user_is_deleted_whole_and_the_others_keep_all(void **state)
{
    static const char *const users[] = { "ann", "bob", "eve" };
    static const char *const nobody[] = { "", NULL, "*", "%", "ann*", "_nn" };
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    struct fixture *f = *state;
    char *receipt = NULL;
    int before;

    for (size_t i = 0; i < 3; i++) {
        char text[96];

        (void)snprintf(text, sizeof text, "The alarm code of the boathouse of %s hangs by the door.",
                       users[i]);
        remember(f, users[i], "", text, NULL);
        remember(f, users[i], "", "The alarm code of the boathouse hangs by the door.", NULL);
    }
    before = rows_of(f, "bob");
    what.scope = MNEME_ERASE_USER;
    what.tenant_id = "acme";
    what.user_id = "ann";
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err));
    assert_non_null(strstr(receipt, "\"clean\":true"));
    mneme_free(receipt);
    assert_int_equal(rows_of(f, "ann"), 0);
    assert_int_equal(rows_of(f, "bob"), before);
    assert_int_equal(rows_of(f, "eve"), before);
    assert_true(recalls(f, "bob", "Where is the alarm code of the boathouse?", "boathouse of bob"));
    assert_false(recalls(f, "bob", "Where is the alarm code of the boathouse?", "boathouse of eve"));
    assert_true(recalls(f, "eve", "Where is the alarm code of the boathouse?", "boathouse of eve"));

    for (size_t i = 0; i < sizeof nobody / sizeof *nobody; i++) {
        struct mneme_filter filter = MNEME_FILTER_INIT;
        struct mneme_request request = MNEME_REQUEST_INIT;
        struct mneme_answer *answer = NULL;
        int count = 0;

        filter.tenant_id = "acme";
        filter.user_id = nobody[i];
        if (mneme_export(f->handle, &filter, count_row, &count, &f->err) == MNEME_OK)
            assert_int_equal(count, 0);
        request.identity.tenant_id = "acme";
        request.identity.user_id = nobody[i];
        request.text = "Where is the alarm code of the boathouse?";
        if (mneme_retrieve(f->handle, &request, &answer, &f->err) == MNEME_OK)
            assert_int_equal(answer->item_count, 0);
        mneme_answer_free(answer);
        what.user_id = nobody[i];
        receipt = NULL;
        if (mneme_erase(f->handle, &what, &receipt, &f->err) == MNEME_OK)
            mneme_free(receipt);
        assert_int_equal(rows_of(f, "bob"), before);
    }
}

/* ---- no network ---- */

static int sockets; /* asked for */

/* In place of the system's, also for the shared libraries of this process. */
int socket(int domain, int type, int protocol)
{
    (void)domain, (void)type, (void)protocol;
    sockets++;
    errno = ENETUNREACH;
    return -1;
}

static void without_a_network_nothing_is_tried_and_no_time_lost(void **state)
{
    struct fixture *f = *state;
    int64_t begun_us;

    sockets = 0;
    begun_us = mn_clock_monotonic_us();
    remember(f, "ann", "", "The alarm code of the boathouse hangs by the door.", NULL);
    observe(f, "evt-1", "Remember that the boat is called Njord.");
    assert_true(recalls(f, "ann", "Where is the alarm code of the boathouse?", "by the door"));
    ASSERT_OK(mneme_run_due(f->handle, 100, NULL, &f->err));
    assert_int_equal(sockets, 0);
    assert_in_range(mn_clock_monotonic_us() - begun_us, 0, 3000000); /* no name is waited for */

    /* Who asks for a service, and has no network, learns it at once; that the count counts shows too. */
    struct mneme_options options = fixture_options(f, f->path);
    struct mneme_read read = MNEME_READ_INIT;
    struct mneme *reading = NULL;
    options.extractor_path = "http://127.0.0.1:9/v1";
    ASSERT_OK(mneme_open(&options, &reading, &f->err));
    struct mneme_event event = MNEME_EVENT_INIT;
    event.tenant_id = "acme";
    event.user_id = "ann";
    event.session_id = "s2";
    event.role = "user";
    event.text = "The lighthouse at Skagen is white.";
    ASSERT_OK(mneme_observe(reading, &event, 1, NULL, NULL, &f->err));
    assert_int_equal(sockets, 0);
    ASSERT_OK(mneme_extract(reading, "acme", "ann", NULL, &read, &f->err));
    assert_int_equal(read.failed, 1);
    assert_true(sockets > 0);
    mneme_close(reading);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(of_sixty_thousand_tokens_the_last_sentence_is_found),
        TEST(nothing_ends_behind_the_last_year),
        TEST(blanks_in_a_long_turn_are_no_part_of_it),
        TEST(a_turn_is_cut_past_its_limit_and_refused_past_the_greatest),
        TEST(times_with_zones_out_of_order_are_kept_in_utc_and_the_later_holds),
        TEST(one_user_is_deleted_whole_and_the_others_keep_all),
        TEST(without_a_network_nothing_is_tried_and_no_time_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
