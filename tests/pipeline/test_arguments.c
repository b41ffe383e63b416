/*
 * test_arguments.c - a public call without what it cannot do without says what is missing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <mneme/mneme.h>

#include "pipeline/fixture.h"

static int keep(void *context, const struct mneme_record *record)
{
    (void)context, (void)record;
    return 0;
}

#define MISSES(name, call)                                                                         \
    do {                                                                                           \
        assert_int_equal((call), MNEME_INVALID);                                                   \
        assert_string_equal(f->err.field, name);                                                   \
    } while (0)

static void a_missing_handle_or_output_is_named(void **state)
{
    struct fixture *f = *state;
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_memory memory = MNEME_MEMORY_INIT;
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct mneme_options options = MNEME_OPTIONS_INIT;
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mneme_answer *answer = NULL;
    struct mneme_parsed *row = NULL;
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = &memory };
    struct mneme_use use = MNEME_USE_INIT;
    char *text = NULL;
    int64_t at_ms = 0;
    size_t count = 0;
    int flag = 0;
    float vector[1];

    MISSES("handle", mneme_remember(NULL, &memory, NULL, NULL, &f->err));
    MISSES("handle", mneme_remember_check(NULL, &memory, NULL, &f->err));
    MISSES("handle", mneme_observe(NULL, &event, 1, NULL, NULL, &f->err));
    MISSES("handle", mneme_edit(NULL, &memory, NULL, NULL, &f->err));
    MISSES("handle", mneme_forget(NULL, "t", "u", "m", NULL, NULL, &f->err));
    MISSES("handle", mneme_confirm(NULL, "t", "u", "m", NULL, NULL, &f->err));
    MISSES("handle", mneme_clarify(NULL, "t", "u", "q", "m", NULL, NULL, &f->err));
    MISSES("handle", mneme_write(NULL, NULL, 0, NULL, NULL, NULL, &f->err));
    MISSES("handle", mneme_retrieve(NULL, &request, &answer, &f->err));
    MISSES("ret_answer", mneme_retrieve(f->handle, &request, NULL, &f->err));
    MISSES("handle", mneme_trace_get(NULL, "t", "u", "x", &text, &f->err));
    MISSES("ret_json", mneme_trace_get(f->handle, "t", "u", "x", NULL, &f->err));
    MISSES("handle", mneme_close_task(NULL, "t", "u", "k", NULL, NULL, &f->err));
    MISSES("tenant_id", mneme_close_task(f->handle, "", "u", "k", NULL, NULL, &f->err));
    MISSES("task_id", mneme_close_task(f->handle, "t", "u", "", NULL, NULL, &f->err));
    MISSES("handle", mneme_report_use(NULL, &use, NULL, NULL, &f->err));
    MISSES("use", mneme_report_use(f->handle, NULL, NULL, NULL, &f->err));
    MISSES("tenant_id", mneme_report_use(f->handle, &use, NULL, NULL, &f->err));
    MISSES("handle", mneme_get(NULL, "t", "u", "m", &row, &f->err));
    MISSES("ret_row", mneme_get(f->handle, "t", "u", "m", NULL, &f->err));
    MISSES("handle", mneme_list_memories(NULL, &filter, keep, NULL, &f->err));
    MISSES("row", mneme_list_memories(f->handle, &filter, NULL, NULL, &f->err));
    MISSES("handle", mneme_export(NULL, &filter, keep, NULL, &f->err));
    MISSES("row", mneme_export(f->handle, &filter, NULL, NULL, &f->err));
    MISSES("row", mneme_history(f->handle, "t", "u", "m", NULL, NULL, &f->err));
    MISSES("row", mneme_versions(f->handle, "t", "u", "m", NULL, NULL, &f->err));
    MISSES("row", mneme_clarifications(f->handle, "t", "u", NULL, NULL, &f->err));
    MISSES("handle", mneme_erase(NULL, &what, &text, &f->err));
    MISSES("ret_receipt_json", mneme_erase(f->handle, &what, NULL, &f->err));
    MISSES("handle", mneme_erase_verify(NULL, "{}", &flag, NULL, &f->err));
    MISSES("ret_clean", mneme_erase_verify(f->handle, "{}", NULL, NULL, &f->err));
    MISSES("handle", mneme_audit_verify(NULL, NULL, &flag, NULL, &f->err));
    MISSES("ret_sound", mneme_audit_verify(f->handle, NULL, NULL, NULL, &f->err));
    MISSES("handle", mneme_reconcile(NULL, NULL, &flag, NULL, &f->err));
    MISSES("ret_clean", mneme_reconcile(f->handle, NULL, NULL, NULL, &f->err));
    MISSES("handle", mneme_health_report(NULL, NULL, &flag, NULL, &f->err));
    MISSES("ret_healthy", mneme_health_report(f->handle, NULL, NULL, NULL, &f->err));
    MISSES("options", mneme_doctor(NULL, NULL, &flag, NULL, &f->err));
    options.store_path = f->path;
    MISSES("ret_sound", mneme_doctor(&options, NULL, NULL, NULL, &f->err));
    MISSES("json", mneme_record_parse(NULL, 3, NULL, &row, &f->err));
    MISSES("ret_parsed", mneme_record_parse("{}", 2, NULL, NULL, &f->err));
    MISSES("record", mneme_record_print(NULL, &text, &f->err));
    MISSES("ret_json", mneme_record_print(&record, NULL, &f->err));
    MISSES("text", mneme_time_parse(NULL, &at_ms, &f->err));
    MISSES("ret_ms", mneme_time_parse("2026-10-14", NULL, &f->err));
    MISSES("ret_ms", mneme_time_parse_spelled("tomorrow", NULL, &f->err));
    MISSES("ret_text", mneme_trace_explain("{}", NULL, &f->err));
    MISSES("handle", mneme_backup(NULL, f->file, NULL, &f->err));
    MISSES("handle", mneme_run_due(NULL, 0, NULL, &f->err));
    MISSES("handle", mneme_embed(NULL, "x", 0, vector, 1, &f->err));
    MISSES("handle", mneme_token_states(NULL, "x", 0, vector, 1, &count, &f->err));
    MISSES("ret_states", mneme_token_states(f->handle, "x", 0, NULL, 1, &count, &f->err));
    MISSES("ret_count", mneme_token_states(f->handle, "x", 0, vector, 1, NULL, &f->err));
    MISSES("ret_handle", mneme_open(&options, NULL, &f->err));
    assert_string_equal(mneme_model_name(NULL), "");
    assert_int_equal(mneme_model_dim(NULL), 0);
    assert_int_equal(mneme_token_count(NULL, "x"), 0);
    assert_string_not_equal(mneme_model_status(NULL), "");
    mneme_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_missing_handle_or_output_is_named, fixture_set_up,
                                        fixture_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
