/*
 * operate.c - the public calls that look after a store: what is derived compared and made anew,
 * figures and alarms.
 */
#include "engine/handle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "lifecycle/lifecycle.h"
#include "store/store.h"

#define NOW_MAX_MS INT64_C(253402300799999) /* the last millisecond of the year 9999 */

static enum mneme_status check_who(const char *actor, int64_t now_ms, struct mneme_error *err)
{
    size_t bytes = strlen(mn_or_empty(actor));

    if (bytes > MNEME_NAME_BYTES_MAX)
        return mn_fail(err, MNEME_LIMIT, "actor: %zu bytes, at most %d", bytes,
                       MNEME_NAME_BYTES_MAX);
    if (!mn_utf8_valid(mn_or_empty(actor), bytes))
        return mn_fail(err, MNEME_INVALID, "actor: is not UTF-8");
    if (now_ms < 0 || now_ms > NOW_MAX_MS)
        return mn_fail(err, MNEME_INVALID, "now_ms: is outside the years 1970 to 9999");
    return MNEME_OK;
}

/* Hands the report over. */
static void give(struct mn_buf *report, char **ret_report_json)
{
    if (!ret_report_json)
        return;
    *ret_report_json = report->at;
    *report = (struct mn_buf){ 0 };
}

/* Of a store whose tenants have files of their own: one after the other, and of the reports the first
 * that is not clean, else the last. */
struct one_by_one {
    const struct mneme_reconciliation *compare;
    const struct mneme_rebuilding *rebuild;
    int clean;
    char *report;
};

static enum mneme_status reconcile_of(void *context, struct mneme *inner, const char *stem,
                                      struct mneme_error *err)
{
    struct one_by_one *all = context;
    char *report = NULL;
    int clean = 0;

    (void)stem;
    MN_TRY(mneme_reconcile(inner, all->compare, &clean, &report, err));
    if (all->clean) {
        mneme_free(all->report);
        all->report = report;
    } else {
        mneme_free(report);
    }
    all->clean = all->clean && clean;
    return MNEME_OK;
}

static enum mneme_status rebuild_of(void *context, struct mneme *inner, const char *stem,
                                    struct mneme_error *err)
{
    struct one_by_one *all = context;
    char *report = NULL;

    (void)stem;
    MN_TRY(mneme_rebuild(inner, all->rebuild, &report, err));
    mneme_free(all->report);
    all->report = report;
    return MNEME_OK;
}

static enum mneme_status each(struct mneme *front, mn_tenant_fn call, struct one_by_one *all,
                              char **ret_report_json, struct mneme_error *err)
{
    enum mneme_status status = mn_tenants_each(front, false, call, all, err);

    if (status == MNEME_OK && !all->report && !(all->report = strdup("{}")))
        status = mn_fail_memory(err);
    if (status != MNEME_OK || !ret_report_json) {
        mneme_free(all->report);
        return status;
    }
    *ret_report_json = all->report;
    return MNEME_OK;
}

enum mneme_status mneme_reconcile(struct mneme *handle, const struct mneme_reconciliation *how,
                                  int *ret_clean, char **ret_report_json, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_CHECK_GIVEN(ret_clean, "ret_clean", err);
    struct mneme_reconciliation known = MNEME_RECONCILIATION_INIT;
    MN_BUF_AUTO report = { 0 };
    bool clean = false;

    if (how) {
        MN_CHECK_SIZE(how, "how", err);
        memcpy(&known, how, how->size);
    }
    MN_TRY(check_who(known.actor, known.now_ms, err));
    if (handle->tenants) {
        struct one_by_one all = { .compare = &known, .clean = 1 };

        MN_TRY(each(handle, reconcile_of, &all, ret_report_json, err));
        *ret_clean = all.clean;
        return MNEME_OK;
    }
    if (handle->read_only && (known.repair || known.retry_parked))
        return mn_fail(err, MNEME_FORBIDDEN, "store: was opened read-only");
    if (!known.now_ms)
        known.now_ms = handle->world.now_ms();
    MN_TRY(mn_reconcile(&handle->world, &known, &clean, &report, err));
    if (known.repair)
        MN_TRY(mn_store_note(handle->world.store, "reconcile", mn_or_empty(known.actor),
                             known.now_ms, err));
    *ret_clean = clean;
    give(&report, ret_report_json);
    return MNEME_OK;
}

enum mneme_status mneme_rebuild(struct mneme *handle, const struct mneme_rebuilding *how,
                                char **ret_report_json, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    struct mneme_rebuilding known = MNEME_REBUILDING_INIT;
    MN_BUF_AUTO report = { 0 };

    if (how) {
        MN_CHECK_SIZE(how, "how", err);
        memcpy(&known, how, how->size);
    }
    MN_TRY(check_who(known.actor, known.now_ms, err));
    if (handle->read_only)
        return mn_fail(err, MNEME_FORBIDDEN, "store: was opened read-only");
    if (handle->tenants)
        return each(handle, rebuild_of, &(struct one_by_one){ .rebuild = &known }, ret_report_json,
                    err);
    if (!known.now_ms)
        known.now_ms = handle->world.now_ms();
    MN_TRY(mn_rebuild(&handle->world, &known, &report, err));
    MN_TRY(mn_store_note(handle->world.store, "rebuild", mn_or_empty(known.actor), known.now_ms,
                         err));
    give(&report, ret_report_json);
    return MNEME_OK;
}

/* Of a store whose tenants have files of their own: one report, of the users of all. */
struct all_health {
    const struct mneme_health *what;
    int healthy;
    struct mn_buf users, tenants, alarms;
    int64_t sum[4]; /* of what a report says of its store */
    bool parked_known;
    char at[32];
};

static const char *const store_figures[4] = { "bytes", "wal_bytes", "parked", "jobs_due" };

/* The items of a list behind those that are there. */
static enum mneme_status add_items(yyjson_val *list, struct mn_buf *all, struct mneme_error *err)
{
    size_t i, max;
    yyjson_val *item;

    yyjson_arr_foreach(list, i, max, item)
    {
        char *json = yyjson_val_write(item, 0, NULL);

        if (!json)
            return mn_fail_memory(err);
        mn_buf_printf(all, "%s%s", all->bytes ? "," : "", json);
        free(json);
    }
    return all->failed ? mn_fail_memory(err) : MNEME_OK;
}

static enum mneme_status health_of(void *context, struct mneme *inner, const char *stem,
                                   struct mneme_error *err)
{
    struct all_health *all = context;
    MN_JSON_AUTO doc = NULL;
    char *report = NULL;
    int healthy = 0;

    (void)stem;
    MN_TRY(mneme_health_report(inner, all->what, &healthy, &report, err));
    enum mneme_status status = mn_json_parse("report", report, strlen(report), &doc, err);
    mneme_free(report);
    MN_TRY(status);
    yyjson_val *root = yyjson_doc_get_root(doc);
    yyjson_val *store = yyjson_obj_get(root, "store");
    all->healthy = all->healthy && healthy;
    for (size_t i = 0; i < sizeof all->sum / sizeof *all->sum; i++)
        all->sum[i] += yyjson_get_sint(yyjson_obj_get(store, store_figures[i]));
    all->parked_known = !yyjson_is_null(yyjson_obj_get(store, "parked"));
    (void)snprintf(all->at, sizeof all->at, "%s", mn_json_text_of(root, "at"));
    MN_TRY(add_items(yyjson_obj_get(root, "users"), &all->users, err));
    MN_TRY(add_items(yyjson_obj_get(root, "tenants"), &all->tenants, err));
    return add_items(yyjson_obj_get(root, "alarms"), &all->alarms, err);
}

static void print_health(const struct all_health *all, struct mn_buf *out)
{
    struct mn_json_writer w = { .out = out };

    mn_json_open(&w, '{');
    mn_json_field_text(&w, "at", all->at);
    mn_json_key(&w, "store");
    mn_json_open(&w, '{');
    for (size_t i = 0; i < sizeof all->sum / sizeof *all->sum; i++) {
        mn_json_key(&w, store_figures[i]);
        if (!strcmp(store_figures[i], "parked") && !all->parked_known)
            mn_json_put_null(&w);
        else
            mn_json_put_integer(&w, all->sum[i]);
    }
    mn_json_close(&w, '}');
    mn_buf_printf(out, ",\"users\":[%s],\"tenants\":[%s],\"alarms\":[%s]}",
                  all->users.bytes ? all->users.at : "", all->tenants.bytes ? all->tenants.at : "",
                  all->alarms.bytes ? all->alarms.at : "");
}

static enum mneme_status health_of_all(struct mneme *front, const struct mneme_health *what,
                                       int *ret_healthy, char **ret_report_json,
                                       struct mneme_error *err)
{
    struct all_health all = { .what = what, .healthy = 1 };
    MN_BUF_AUTO report = { 0 };

    enum mneme_status status = mn_tenants_each(front, false, health_of, &all, err);
    if (status == MNEME_OK)
        print_health(&all, &report);
    mn_buf_release(&all.users);
    mn_buf_release(&all.tenants);
    mn_buf_release(&all.alarms);
    if (status == MNEME_OK && report.failed)
        status = mn_fail_memory(err);
    MN_TRY(status);
    *ret_healthy = all.healthy;
    give(&report, ret_report_json);
    return MNEME_OK;
}

enum mneme_status mneme_health_report(struct mneme *handle, const struct mneme_health *what,
                                      int *ret_healthy, char **ret_report_json,
                                      struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_CHECK_GIVEN(ret_healthy, "ret_healthy", err);
    struct mneme_health known = MNEME_HEALTH_INIT;
    MN_BUF_AUTO report = { 0 };
    size_t alarms = 0;

    if (what) {
        MN_CHECK_SIZE(what, "health", err);
        memcpy(&known, what, what->size);
    }
    MN_TRY(check_who(NULL, known.now_ms, err));
    if (!mn_empty(known.user_id) && mn_empty(known.tenant_id))
        return mn_fail(err, MNEME_INVALID, "tenant_id: whose user is it?");
    if (handle->tenants && mn_empty(known.tenant_id))
        return health_of_all(handle, &known, ret_healthy, ret_report_json, err);
    MN_ROUTED(handle, known.tenant_id, false,
              mneme_health_report(inner, what, ret_healthy, ret_report_json, err));
    const struct mn_partition only = {
        mn_empty(known.tenant_id) ? NULL : known.tenant_id,
        mn_empty(known.user_id) ? NULL : known.user_id,
    };
    if (!handle->read_only) /* recalls that wait count */
        MN_TRY(mn_journal_flush(handle->journal, &handle->world, err));
    MN_TRY(mn_health(&handle->world, &only, known.now_ms ? known.now_ms : handle->world.now_ms(),
                     &alarms, &report, err));
    *ret_healthy = alarms == 0;
    give(&report, ret_report_json);
    return MNEME_OK;
}
