/*
 * afresh.c - the export of a store written into a new one, and both asked the same.
 */
#include "crash/afresh.h"
#include "crash/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void afresh_ask(struct mneme *handle, const char *user, const char *text, char xml[AFRESH_XML_BYTES])
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    struct mneme_error err;

    request.identity.tenant_id = "acme";
    request.identity.user_id = user;
    request.text = text;
    request.now_ms = INT64_C(2000000000000);
    if (mneme_retrieve(handle, &request, &answer, &err) != MNEME_OK) {
        fprintf(stderr, "retrieve: %s\n", err.message);
        _exit(3);
    }
    (void)snprintf(xml, AFRESH_XML_BYTES, "%s", answer->xml);
    mneme_answer_free(answer);
}

struct kept {
    struct mneme_parsed *parsed[1024];
    struct mneme_record record[1024];
    size_t count;
};

static int keep_record(void *context, const struct mneme_record *record)
{
    struct kept *kept = context;
    struct mneme_error err;
    char *json = NULL;

    assert_true(kept->count < 1024);
    if (mneme_record_print(record, &json, &err) != MNEME_OK ||
        mneme_record_parse(json, strlen(json), NULL, &kept->parsed[kept->count], &err) != MNEME_OK)
        fail_msg("%s", err.message);
    kept->record[kept->count] = *mneme_parsed_record(kept->parsed[kept->count]);
    kept->count++;
    mneme_free(json);
    return 0;
}

static void load_afresh(struct mneme *handle, struct mneme *afresh)
{
    static struct kept kept;
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_error err;

    kept.count = 0;
    filter.tenant_id = "acme";
    filter.all_users = 1;
    filter.with_all_statuses = 1;
    change.admin = 1;
    if (mneme_export(handle, &filter, keep_record, &kept, &err) != MNEME_OK ||
        mneme_write(afresh, kept.record, kept.count, &change, NULL, NULL, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < kept.count; i++)
        mneme_parsed_free(kept.parsed[i]);
}

/* What is derived agrees with the rows. */
static void assert_reconciled(struct mneme *handle)
{
    struct mneme_error err;
    char *report = NULL;
    int clean = 0;

    if (mneme_reconcile(handle, NULL, &clean, &report, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    if (!clean)
        fail_msg("not clean: %s", report);
    mneme_free(report);
}

static void assert_same_answers(struct mneme *handle, struct mneme *afresh,
                                const struct afresh_request *requests, size_t count)
{
    char one[AFRESH_XML_BYTES], other[AFRESH_XML_BYTES];

    for (size_t i = 0; i < count; i++) {
        afresh_ask(handle, requests[i].user, requests[i].text, one);
        afresh_ask(afresh, requests[i].user, requests[i].text, other);
        assert_string_equal(one, other);
    }
}

void afresh_check(struct mneme *handle, struct mneme *afresh,
                  const struct afresh_request *requests, size_t count)
{
    load_afresh(handle, afresh);
    place_run_all(afresh);
    assert_same_answers(handle, afresh, requests, count);
    mneme_close(afresh);
    assert_reconciled(handle);
}
