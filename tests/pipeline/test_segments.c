/*
 * test_segments.c - the index that is kept in the store: it answers as one built from rows, follows what
 * was written since, and is gone with what was erased.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <mneme/mneme.h>

#include "pipeline/fixture.h"

#define NOW INT64_C(1790000000000)
#define MEMORIES 1000 /* from here on an index is kept */
#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)

static void put(struct fixture *f, struct mneme *handle, int number, const char *format)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = &m };
    char id[32], text[160];

    (void)snprintf(id, sizeof id, "mem-%d", number);
    (void)snprintf(text, sizeof text, format, number);
    m.id = id;
    m.tenant_id = "acme";
    m.user_id = "ann";
    m.type = "fact";
    m.content = text;
    change.admin = 1;
    change.now_ms = NOW;
    if (mneme_write(handle, &record, 1, &change, NULL, NULL, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
}

/* What a request is told, with the scores. */
static void ask(struct fixture *f, struct mneme *handle, const char *text, char *ret, size_t bytes)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    size_t at = 0;

    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.text = text;
    request.mode = MNEME_MODE_HYBRID;
    request.now_ms = NOW;
    if (mneme_retrieve(handle, &request, &answer, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    for (size_t i = 0; i < answer->item_count; i++)
        at += (size_t)snprintf(ret + at, bytes - at, "%s %.17g\n", answer->item[i].memory->id,
                               answer->item[i].score);
    ret[at] = '\0';
    mneme_answer_free(answer);
}

#define COUNT_SEGMENTS "SELECT count(*) FROM segments"
#define HAS_357 "SELECT instr(bytes, CAST('number357' AS BLOB)) > 0 FROM segments"
#define REQUEST "Where is the ferry of line7 moored, harbour number357?"

/* Filled, asked once, closed: the index is kept. */
static void keep(struct fixture *f, char *ret_answer, size_t bytes)
{
    fixture_fill(f, MEMORIES);
    assert_int_equal(fixture_sql_number(f, COUNT_SEGMENTS), 0);
    ask(f, f->handle, REQUEST, ret_answer, bytes);
    assert_non_null(strstr(ret_answer, "mem-357 "));
    fixture_reopen(f);
    assert_true(fixture_sql_number(f, COUNT_SEGMENTS) > 0);
}

static void a_kept_index_answers_as_one_that_is_built(void **state)
{
    struct fixture *f = *state;
    char built[4096], loaded[4096], again[4096];

    keep(f, built, sizeof built);
    ask(f, f->handle, REQUEST, loaded, sizeof loaded);
    assert_string_equal(loaded, built);
    fixture_sql(f, "DELETE FROM segments"); /* it can be deleted at any time */
    fixture_reopen(f);
    ask(f, f->handle, REQUEST, again, sizeof again);
    assert_string_equal(again, built);
}

static void a_request_writes_no_segment(void **state)
{
    struct fixture *f = *state;
    char answer[4096];
    size_t left = 0;

    fixture_fill(f, MEMORIES);
    ask(f, f->handle, REQUEST, answer, sizeof answer);
    assert_int_equal(fixture_sql_number(f, COUNT_SEGMENTS), 0);
    ASSERT_OK(mneme_run_due(f->handle, 0, NULL, &f->err)); /* no piece of work is granted */
    assert_int_equal(fixture_sql_number(f, COUNT_SEGMENTS), 0);
    ASSERT_OK(mneme_run_due(f->handle, 8, &left, &f->err));
    assert_true(fixture_sql_number(f, COUNT_SEGMENTS) > 0);
}

/* Damaged bytes are passed over, and written anew by the next who builds. */
static void damaged_bytes_are_passed_over(void **state)
{
    static const char *const damages[] = {
        "UPDATE segments SET bytes = substr(bytes, 1, length(bytes) - 9)",
        "UPDATE segments SET bytes = CAST(substr(bytes, 1, 5000) || zeroblob(1) || "
        "substr(bytes, 5002) AS BLOB)",
        "UPDATE segments SET bytes = zeroblob(length(bytes))",
        "UPDATE segments SET total = total + 1", "UPDATE segments SET total = -1",
        "UPDATE segments SET owner = 'bob'", "UPDATE segments SET profile = 'another'",
    };
    struct fixture *f = *state;
    char built[4096], answer[4096];

    keep(f, built, sizeof built);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        fixture_sql(f, damages[i]);
        ask(f, f->handle, REQUEST, answer, sizeof answer);
        assert_string_equal(answer, built);
        fixture_reopen(f);
        assert_int_equal(
            fixture_sql_number(f, COUNT_SEGMENTS " WHERE owner = 'ann' AND profile = '' "
                                                 "AND total > 9000"), 1);
    }
}

static void what_was_written_since_is_seen(void **state)
{
    struct fixture *f = *state;
    struct mneme *other = NULL;
    struct mneme_options options = fixture_options(f, f->path);
    char answer[4096];

    keep(f, answer, sizeof answer);
    put(f, f->handle, 2000, "The zeppelin of line%d lands on the roof.");
    put(f, f->handle, 357, "Nothing stands here any more, not even %d.");
    ASSERT_OK(mneme_open(&options, &other, &f->err)); /* loads, and follows */
    ask(f, other, "Where does the zeppelin land?", answer, sizeof answer);
    assert_non_null(strstr(answer, "mem-2000 "));
    ask(f, other, "Is there harbour number357?", answer, sizeof answer);
    assert_null(strstr(answer, "mem-357 "));
    mneme_close(other);
}

/* The log no longer reaches back to where the segment stands. */
static void a_segment_that_is_too_old_is_built_anew(void **state)
{
    struct fixture *f = *state;
    char answer[4096];

    keep(f, answer, sizeof answer);
    put(f, f->handle, 2000, "The zeppelin of line%d lands on the roof.");
    put(f, f->handle, 2001, "The zeppelin of line%d is repaired.");
    fixture_sql(f, "DELETE FROM changes WHERE seq < (SELECT max(seq) FROM changes)");
    fixture_reopen(f);
    ask(f, f->handle, "Where does the zeppelin land?", answer, sizeof answer);
    assert_non_null(strstr(answer, "mem-2000 "));
}

static void a_backup_that_is_put_back_has_its_own(void **state)
{
    struct fixture *f = *state;
    struct mneme_options options = fixture_options(f, f->again);
    struct mneme *restored = NULL;
    char built[4096], answer[4096];

    keep(f, built, sizeof built);
    ASSERT_OK(mneme_backup(f->handle, f->file, "operator", &f->err));
    put(f, f->handle, 357, "Nothing stands here any more, not even %d.");
    ASSERT_OK(mneme_restore(&options, f->file, "operator", &f->err));
    ASSERT_OK(mneme_open(&options, &restored, &f->err));
    ask(f, restored, REQUEST, answer, sizeof answer);
    assert_string_equal(answer, built);
    mneme_close(restored);
}

static void erase(struct fixture *f, const char *id)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    char *receipt = NULL;
    int clean = -1;

    what.scope = id ? MNEME_ERASE_MEMORY : MNEME_ERASE_USER;
    what.tenant_id = "acme";
    what.user_id = "ann";
    what.id = id;
    what.now_ms = NOW + 1000;
    if (mneme_erase(f->handle, &what, &receipt, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    if (!strstr(receipt, "\"clean\":true"))
        fail_msg("%s", receipt);
    ASSERT_OK(mneme_erase_verify(f->handle, receipt, &clean, NULL, &f->err));
    assert_int_equal(clean, 1);
    mneme_free(receipt);
}

static void what_is_erased_is_in_no_segment(void **state)
{
    struct fixture *f = *state;
    char answer[4096];

    keep(f, answer, sizeof answer);
    assert_int_equal(fixture_sql_number(f, HAS_357), 1);
    erase(f, "mem-357");
    assert_int_equal(fixture_sql_number(f, COUNT_SEGMENTS), 0);
    ask(f, f->handle, REQUEST, answer, sizeof answer);
    assert_null(strstr(answer, "mem-357 "));
    put(f, f->handle, 2000, "The zeppelin of line%d lands on the roof."); /* a thousand again */
    ask(f, f->handle, REQUEST, answer, sizeof answer);
    fixture_reopen(f);
    assert_int_equal(fixture_sql_number(f, COUNT_SEGMENTS), 1);
    assert_int_equal(fixture_sql_number(f, HAS_357), 0);
    erase(f, NULL);
    assert_int_equal(fixture_sql_number(f, COUNT_SEGMENTS), 0);
}

/* Somebody else holds the index from before the erasure, and closes after it. */
static void what_was_held_from_before_is_not_kept(void **state)
{
    struct fixture *f = *state;
    struct mneme *other = NULL;
    struct mneme_options options = fixture_options(f, f->path);
    char answer[4096];

    fixture_fill(f, MEMORIES);
    ASSERT_OK(mneme_open(&options, &other, &f->err));
    ask(f, other, REQUEST, answer, sizeof answer); /* built: due to be kept */
    erase(f, "mem-357");
    mneme_close(other);
    assert_int_equal(fixture_sql_number(f, COUNT_SEGMENTS), 0);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_kept_index_answers_as_one_that_is_built),
        CASE(a_request_writes_no_segment),
        CASE(damaged_bytes_are_passed_over),
        CASE(what_was_written_since_is_seen),
        CASE(a_segment_that_is_too_old_is_built_anew),
        CASE(a_backup_that_is_put_back_has_its_own),
        CASE(what_is_erased_is_in_no_segment),
        CASE(what_was_held_from_before_is_not_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
