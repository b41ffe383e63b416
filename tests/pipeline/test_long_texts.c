/*
 * test_long_texts.c - a fact at the end of a long memory: found by its passage, shown by it, and gone
 * with it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <mneme/mneme.h>

#include "engine/handle.h"
#include "index/index.h"
#include "pipeline/fixture.h"

#define NOW INT64_C(1790000000000)
#define DIM 64
#define TOKENS 4000 /* without a tokenizer a byte counts as one */
#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)
#define LONG_BYTES "SELECT length(vector) FROM vectors WHERE unit = 'mem-long'"
#define FACT "The violin of grandmother Ottilie was made in Cremona. "

/* `bytes` of sentences that say something else, each another, then the fact. */
static const char *long_text(size_t bytes, const char *fact)
{
    static char text[24576];
    size_t at = 0;

    for (int i = 0; at < bytes; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "Entry %d: cargo %d was weighed, sealed and stored at dock %d. ", i,
                               i * 7, i * 3);
    (void)snprintf(text + at, sizeof text - at, "%s", fact);
    return text;
}

static void put(struct fixture *f, const char *id, const char *text)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = &m };

    m.id = id;
    m.tenant_id = "acme";
    m.user_id = "ann";
    m.type = "fact";
    m.content = text;
    change.admin = 1;
    change.now_ms = NOW;
    if (mneme_write(f->handle, &record, 1, &change, NULL, NULL, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
}

static void embed_all(struct fixture *f)
{
    size_t left = 1;

    while (left)
        ASSERT_OK(mneme_run_due(f->handle, 16, &left, &f->err));
}

static struct mneme_answer *ask(struct fixture *f, const char *text)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.text = text;
    request.mode = MNEME_MODE_HYBRID;
    request.now_ms = NOW;
    request.tokens_max = TOKENS;
    if (mneme_retrieve(f->handle, &request, &answer, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    return answer;
}

static void a_fact_at_the_end_of_20_kb_is_found_and_shown(void **state)
{
    struct fixture *f = *state;

    (void)fixture_give_model(f, "fake", DIM);
    put(f, "mem-long", long_text(20000, FACT));
    embed_all(f);
    struct mneme_answer *answer = ask(f, "Where was the violin of grandmother Ottilie made?");

    assert_int_equal(answer->item_count, 1);
    assert_string_equal(answer->item[0].memory->id, "mem-long");
    assert_int_equal(answer->item[0].shortened, 1);
    assert_int_equal(strncmp(answer->item[0].text, "… ", strlen("… ")), 0);
    assert_non_null(strstr(answer->item[0].text, "made in Cremona."));
    assert_non_null(strstr(answer->xml, "made in Cremona."));
    assert_true(answer->tokens_used > TOKENS / 2 && answer->tokens_used <= TOKENS); /* neighbours too */
    assert_non_null(strstr(answer->trace, "\"passage\":{\"best\":23,\"of\":23}"));
    assert_non_null(strstr(answer->trace, "\"last\":23}"));
    mneme_answer_free(answer);
}

/* The vector of the whole is the mean of its words, and the fact is few of them. */
static void its_vector_is_that_of_its_best_passage(void **state)
{
    struct fixture *f = *state;

    (void)fixture_give_model(f, "fake", DIM);
    put(f, "mem-other", "The ferry leaves at noon.");
    put(f, "mem-long", long_text(700, FACT FACT FACT FACT FACT FACT FACT FACT FACT FACT FACT FACT));
    assert_int_equal(fixture_sql_number(f, LONG_BYTES), 2 * DIM); /* not waited for */
    struct mneme_answer *before = ask(f, "violin grandmother Ottilie Cremona");
    embed_all(f);
    assert_int_equal(fixture_sql_number(f, LONG_BYTES), 3 * 2 * DIM);
    struct mneme_answer *after = ask(f, "violin grandmother Ottilie Cremona");

    assert_string_equal(before->item[0].memory->id, "mem-long");
    assert_string_equal(after->item[0].memory->id, "mem-long");
    const char *was = strstr(before->trace, "\"vector\":"), *is = strstr(after->trace, "\"vector\":");
    double vector_before = 0, vector_after = 0;
    assert_non_null(was);
    assert_non_null(is);
    assert_int_equal(sscanf(was, "\"vector\":%lf", &vector_before), 1);
    assert_int_equal(sscanf(is, "\"vector\":%lf", &vector_after), 1);
    assert_true(vector_after > vector_before + 0.05);
    mneme_answer_free(before);
    mneme_answer_free(after);
}

static void three_long_ones_have_room_beside_each_other(void **state)
{
    struct fixture *f = *state;
    struct mneme_answer *answer;

    put(f, "mem-1", long_text(3000, "The violin of Ottilie hangs in the hall. "));
    put(f, "mem-2", long_text(3500, "The violin of Ottilie lost a string in May. "));
    put(f, "mem-3", long_text(4000, "The violin of Ottilie was lent to Bruno. "));
    answer = ask(f, "What of the violin of Ottilie?");
    assert_int_equal(answer->item_count, 3);
    assert_true(answer->tokens_used <= TOKENS);
    for (size_t i = 0; i < 3; i++)
        assert_non_null(strstr(answer->item[i].text, "violin of Ottilie"));
    mneme_answer_free(answer);
}

static void a_long_one_that_has_room_is_shown_whole(void **state)
{
    struct fixture *f = *state;
    struct mneme_answer *answer;

    put(f, "mem-long", long_text(1300, FACT));
    answer = ask(f, "Where was the violin of grandmother Ottilie made?");
    assert_int_equal(answer->item_count, 1);
    assert_int_equal(answer->item[0].shortened, 0);
    assert_string_equal(answer->item[0].text, long_text(1300, FACT));
    mneme_answer_free(answer);
}

static void what_is_derived_from_it_is_whole_and_made_again(void **state)
{
    struct mneme_rebuilding how = MNEME_REBUILDING_INIT;
    struct mneme_reconciliation check = MNEME_RECONCILIATION_INIT;
    struct fixture *f = *state;
    int clean = 0;

    (void)fixture_give_model(f, "fake", DIM);
    put(f, "mem-long", long_text(5000, FACT));
    embed_all(f);
    mneme_answer_free(ask(f, "violin")); /* the index is loaded */
    ASSERT_OK(mneme_reconcile(f->handle, NULL, &clean, NULL, &f->err));
    assert_int_equal(clean, 1);
    /* One of its vectors has no length any more; then all but the first are gone. */
    fixture_sql(f, "UPDATE vectors SET vector = "
                   "CAST(substr(vector, 1, length(vector) - 128) || zeroblob(128) AS BLOB)");
    ASSERT_OK(mneme_reconcile(f->handle, NULL, &clean, NULL, &f->err));
    assert_int_equal(clean, 0);
    check.repair = 1;
    ASSERT_OK(mneme_reconcile(f->handle, &check, &clean, NULL, &f->err));
    embed_all(f);
    assert_int_equal(fixture_sql_number(f, "SELECT length(vector) FROM vectors"), 7 * 2 * DIM);
    embed_all(f); /* to the position of what was embedded */
    mneme_answer_free(ask(f, "violin"));
    fixture_sql(f, "UPDATE vectors SET vector = substr(vector, 1, 128)");
    ASSERT_OK(mneme_reconcile(f->handle, NULL, &clean, NULL, &f->err));
    assert_int_equal(clean, 0);
    how.with_vectors = 1;
    ASSERT_OK(mneme_rebuild(f->handle, &how, NULL, &f->err));
    assert_int_equal(fixture_sql_number(f, "SELECT length(vector) FROM vectors"), 7 * 2 * DIM);
    ASSERT_OK(mneme_reconcile(f->handle, NULL, &clean, NULL, &f->err));
    assert_int_equal(clean, 1);
}

static void it_is_erased_with_its_passages(void **state)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    struct fixture *f = *state;
    struct mneme_answer *answer;

    (void)fixture_give_model(f, "fake", DIM);
    put(f, "mem-long", long_text(5000, FACT));
    embed_all(f);
    mneme_answer_free(ask(f, "violin"));
    what.scope = MNEME_ERASE_MEMORY;
    what.tenant_id = "acme";
    what.user_id = "ann";
    what.id = "mem-long";
    what.now_ms = NOW;
    char *receipt = NULL;
    if (mneme_erase(f->handle, &what, &receipt, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    mneme_free(receipt);
    assert_int_equal(fixture_sql_number(f, "SELECT count(*) FROM vectors"), 0);
    answer = ask(f, "Where was the violin of grandmother Ottilie made?");
    assert_int_equal(answer->item_count, 0);
    mneme_answer_free(answer);
}

static void who_writes_it_is_told_that_it_is_long(void **state)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_receipt receipt;
    struct fixture *f = *state;
    char exact[1201];

    m.tenant_id = "acme";
    m.user_id = "ann";
    m.content = long_text(5000, FACT);
    ASSERT_OK(mneme_remember(f->handle, &m, NULL, &receipt, &f->err));
    assert_int_equal(receipt.parts, 6);
    (void)snprintf(exact, sizeof exact, "%s", long_text(2000, FACT));
    m.content = exact; /* 1,200 bytes */
    ASSERT_OK(mneme_remember(f->handle, &m, NULL, &receipt, &f->err));
    assert_int_equal(receipt.parts, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_fact_at_the_end_of_20_kb_is_found_and_shown, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(its_vector_is_that_of_its_best_passage, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(three_long_ones_have_room_beside_each_other, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(a_long_one_that_has_room_is_shown_whole, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(what_is_derived_from_it_is_whole_and_made_again, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(it_is_erased_with_its_passages, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(who_writes_it_is_told_that_it_is_long, fixture_set_up,
                                        fixture_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
