/*
 * test_health.c - figures against their limits, at each limit and one past it; figures of a real store;
 * what doctor finds in an installation that somebody damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yyjson.h>

#include <mneme/mneme.h>

#include "lifecycle/health.h"
#include "pipeline/fixture.h"

#define NOW INT64_C(1790000000000)
#define DAY INT64_C(86400000)
#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)

/* ---- pure ---- */

static void each_figure_alarms_past_its_limit_and_not_at_it(void **state)
{
    static const struct {
        enum mn_figure figure;
        double fine, alarm;
    } limits[] = {
        { MN_FIGURE_MEMORIES, 49999, 50000 },
        { MN_FIGURE_HIT_RATE, 0.70, 0.699 },
        { MN_FIGURE_LATENCY_MS, 500, 500.1 },
        { MN_FIGURE_DUPLICATES, 0.20, 0.201 },
        { MN_FIGURE_UPDATES, 1.0 / 7, 0 },
        { MN_FIGURE_BURST, 100, 101 },
        { MN_FIGURE_STALE, 0.30, 0.31 },
        { MN_FIGURE_CONTRADICTORY, 0.05, 0.051 },
        { MN_FIGURE_NEVER_RECALLED, 0.80, 0.81 },
        { MN_FIGURE_LOOPS, 0.20, 0.21 },
        { MN_FIGURE_VECTORS_MISSING, 1000, 1001 },
        { MN_FIGURE_GROWTH, 0.99, 1.0 },
    };

    (void)state;
    assert_int_equal(sizeof limits / sizeof *limits, MN_FIGURE_COUNT);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        assert_false(mn_figure_alarms(limits[i].figure, limits[i].fine));
        assert_true(mn_figure_alarms(limits[i].figure, limits[i].alarm));
        assert_false(mn_figure_alarms(limits[i].figure, NAN)); /* not known */
        assert_true(strlen(mn_figure_limits[limits[i].figure].cure) > 10);
    }
}

static void what_cannot_be_known_is_no_figure(void **state)
{
    const struct mn_health_user nobody = { .memories = 3, .active = 0 };
    static const enum mn_figure unknown[] = { MN_FIGURE_HIT_RATE,       MN_FIGURE_LATENCY_MS,
                                              MN_FIGURE_DUPLICATES,     MN_FIGURE_UPDATES,
                                              MN_FIGURE_STALE,          MN_FIGURE_CONTRADICTORY,
                                              MN_FIGURE_NEVER_RECALLED, MN_FIGURE_LOOPS,
                                              MN_FIGURE_VECTORS_MISSING };

    (void)state;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_true(isnan(mn_figure_of(&nobody, unknown[i], false)));
    assert_float_equal(mn_figure_of(&nobody, MN_FIGURE_MEMORIES, false), 3, 0);
    assert_float_equal(mn_figure_of(&nobody, MN_FIGURE_VECTORS_MISSING, true), 0, 0);
}

static void figures_are_shares_of_what_they_are_about(void **state)
{
    const struct mn_health_user ann = {
        .memories = 50, .active = 40, .stale = 4, .duplicates = 8, .questions = 2, .old = 20,
        .never_recalled = 15, .reported = 1, .recalls = 25, .wanted = 20, .hits = 15, .loops = 5,
        .recall_us = 250000, .updates_week = 70, .updates_day = 9,
    };
    struct mn_health_user quiet = ann;

    (void)state;
    assert_float_equal(mn_figure_of(&ann, MN_FIGURE_HIT_RATE, true), 0.75, 1e-9);
    assert_float_equal(mn_figure_of(&ann, MN_FIGURE_LATENCY_MS, true), 10, 1e-9);
    assert_float_equal(mn_figure_of(&ann, MN_FIGURE_DUPLICATES, true), 0.2, 1e-9);
    assert_float_equal(mn_figure_of(&ann, MN_FIGURE_UPDATES, true), 10, 1e-9);
    assert_float_equal(mn_figure_of(&ann, MN_FIGURE_BURST, true), 9, 1e-9);
    assert_float_equal(mn_figure_of(&ann, MN_FIGURE_STALE, true), 0.1, 1e-9);
    assert_float_equal(mn_figure_of(&ann, MN_FIGURE_CONTRADICTORY, true), 0.05, 1e-9);
    assert_float_equal(mn_figure_of(&ann, MN_FIGURE_NEVER_RECALLED, true), 0.75, 1e-9);
    assert_float_equal(mn_figure_of(&ann, MN_FIGURE_LOOPS, true), 0.25, 1e-9);
    quiet.reported = 0;
    assert_true(isnan(mn_figure_of(&quiet, MN_FIGURE_HIT_RATE, true))); /* nobody reports use */
    quiet.updates_week = 0;
    assert_float_equal(mn_figure_of(&quiet, MN_FIGURE_UPDATES, true), 0, 0);
}

static void a_few_rows_or_recalls_make_no_share(void **state)
{
    static const enum mn_figure shares[] = { MN_FIGURE_HIT_RATE,       MN_FIGURE_LATENCY_MS,
                                             MN_FIGURE_DUPLICATES,     MN_FIGURE_STALE,
                                             MN_FIGURE_CONTRADICTORY,  MN_FIGURE_NEVER_RECALLED,
                                             MN_FIGURE_LOOPS };
    struct mn_health_user few = {
        .memories = 19, .active = 19, .stale = 1, .duplicates = 1, .questions = 1, .old = 19,
        .never_recalled = 1, .reported = 1, .recalls = 19, .wanted = 19, .hits = 1, .loops = 1,
        .recall_us = 19 * 3000000,
    };

    (void)state;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        assert_true(isnan(mn_figure_of(&few, shares[i], true)));
    few.active = few.old = few.recalls = few.wanted = 20;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        assert_false(isnan(mn_figure_of(&few, shares[i], true)));
}

static void growth_alarms_only_when_three_months_do_not_level_off(void **state)
{
    static const struct {
        int64_t added[3]; /* the latest first */
        bool alarms;
    } months[] = {
        { { 3000, 2000, 1000 }, true },  { { 2000, 2000, 2000 }, true },
        { { 1999, 2000, 2000 }, false }, { { 3000, 2000, 2001 }, false },
        { { 999, 500, 100 }, false },    { { 1000, 500, 100 }, true },
        { { 5000, 0, 0 }, false },       { { 5000, 100, 0 }, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof months / sizeof *months; i++) {
        struct mn_health_user user = { 0 };

        memcpy(user.added, months[i].added, sizeof user.added);
        assert_int_equal(mn_figure_alarms(MN_FIGURE_GROWTH,
                                          mn_figure_of(&user, MN_FIGURE_GROWTH, true)),
                         months[i].alarms);
    }
}

/* ---- of a store ---- */

static void put(struct fixture *f, const char *user, const char *id, const char *content,
                int64_t created_at_ms, int64_t valid_until_ms)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = &m };
    struct mneme_change change = MNEME_CHANGE_INIT;

    m.tenant_id = "acme";
    m.user_id = user;
    m.id = id;
    m.type = "fact";
    m.content = content;
    m.created_at_ms = created_at_ms;
    m.valid_until_ms = valid_until_ms;
    change.now_ms = created_at_ms;
    if (mneme_write(f->handle, &record, 1, &change, NULL, NULL, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
}

/* used: the first memory that comes is reported as used. */
static void ask_and_use(struct fixture *f, const char *text, int64_t now_ms, bool used)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_use use = MNEME_USE_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.text = text;
    request.now_ms = now_ms;
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    if (used) {
        assert_true(answer->item_count > 0);
        use.tenant_id = "acme";
        use.user_id = "ann";
        use.trace_id = answer->trace_id;
        use.memory_ids = (struct mneme_list){ &answer->item[0].memory->id, 1 };
        ASSERT_OK(mneme_report_use(f->handle, &use, NULL, NULL, &f->err));
    }
    mneme_answer_free(answer);
}

static void ask(struct fixture *f, const char *text, int64_t now_ms)
{
    ask_and_use(f, text, now_ms, false);
}

struct report {
    yyjson_doc *doc;
    int good;
};

static struct report health(struct fixture *f, const char *tenant, const char *user)
{
    struct mneme_health what = MNEME_HEALTH_INIT;
    struct report report = { 0 };
    char *json = NULL;

    what.tenant_id = tenant;
    what.user_id = user;
    what.now_ms = NOW;
    if (mneme_health_report(f->handle, &what, &report.good, &json, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    report.doc = yyjson_read(json, strlen(json), 0);
    assert_non_null(report.doc);
    mneme_free(json);
    return report;
}

static yyjson_val *figure(const struct report *report, const char *user, const char *name)
{
    size_t i, max;
    yyjson_val *u;

    yyjson_arr_foreach(yyjson_obj_get(yyjson_doc_get_root(report->doc), "users"), i, max, u)
        if (!strcmp(yyjson_get_str(yyjson_obj_get(u, "user_id")), user))
            return yyjson_obj_get(u, name);
    return NULL;
}

static bool alarmed(const struct report *report, const char *user, const char *name)
{
    size_t i, max;
    yyjson_val *a;

    yyjson_arr_foreach(yyjson_obj_get(yyjson_doc_get_root(report->doc), "alarms"), i, max, a)
        if (yyjson_equals_str(yyjson_obj_get(a, "user_id"), user) &&
            !strcmp(yyjson_get_str(yyjson_obj_get(a, "figure")), name)) {
            assert_true(strlen(yyjson_get_str(yyjson_obj_get(a, "do"))) > 10);
            return true;
        }
    return false;
}

static void a_store_tells_the_figures_of_each_of_its_users(void **state)
{
    struct fixture *f = *state;
    struct report report;

    for (int i = 0; i < 20; i++) { /* seven say one thing, seven have ended, six are fine */
        char id[16], content[64];

        snprintf(id, sizeof id, "a-%d", i);
        snprintf(content, sizeof content, "The harbour pilots use quay one.");
        if (i >= 7)
            snprintf(content, sizeof content, "Locker %d holds the spare lamps.", i);
        put(f, "ann", id, content,
            i == 0   ? NOW - DAY / 2
            : i == 7 ? NOW - 2 * DAY
                     : NOW - 60 * DAY,
            i >= 7 && i < 14 ? NOW - DAY : 0);
    }
    put(f, "bob", "b-1", "The crane is red.", NOW - 40 * DAY, 0);
    report = health(f, NULL, NULL);
    assert_true(yyjson_is_null(figure(&report, "ann", "hit_rate")));
    assert_true(yyjson_is_null(figure(&report, "ann", "latency_ms")));
    assert_float_equal(yyjson_get_num(figure(&report, "ann", "memories")), 20, 0);
    assert_float_equal(yyjson_get_num(figure(&report, "ann", "duplicates")), 0.3, 1e-9);
    assert_float_equal(yyjson_get_num(figure(&report, "ann", "stale")), 0.35, 1e-9);
    assert_float_equal(yyjson_get_num(figure(&report, "ann", "updates_last_day")), 1, 0);
    assert_float_equal(yyjson_get_num(figure(&report, "ann", "updates_a_day")), 0.286, 1e-9);
    assert_true(yyjson_is_null(figure(&report, "bob", "updates_a_day")));
    assert_true(yyjson_is_null(figure(&report, "bob", "duplicates")));      /* of one memory */
    assert_true(yyjson_is_null(figure(&report, "ann", "vectors_missing"))); /* no model */
    assert_true(alarmed(&report, "ann", "duplicates"));
    assert_true(alarmed(&report, "ann", "stale"));
    assert_int_equal(report.good, 0);
    yyjson_doc_free(report.doc);

    for (int i = 0; i < 19; i++)
        ask(f,
            i < 13 ? "Which quay do the harbour pilots use?" : "When is the next eclipse of the moon?",
            NOW - 8 * DAY + i * 1000);
    report = health(f, "acme", "ann");
    assert_int_equal(yyjson_get_int(figure(&report, "ann", "recalls")), 0); /* not of the week */
    yyjson_doc_free(report.doc);
    for (int i = 0; i < 19; i++)
        ask(f,
            i < 6 ? "Which quay do the harbour pilots use?" : "When is the next eclipse of the moon?",
            NOW - 500000 + i * 1000);
    report = health(f, "acme", "ann");
    assert_true(yyjson_is_null(figure(&report, "ann", "latency_ms"))); /* of 19 recalls */
    assert_int_equal(yyjson_get_int(figure(&report, "ann", "recalls")), 19);
    assert_null(figure(&report, "bob", "memories"));
    yyjson_doc_free(report.doc);

    ask(f, "When is the next eclipse of the moon?", NOW - 3000);
    report = health(f, "acme", NULL);
    assert_false(yyjson_is_null(figure(&report, "ann", "latency_ms")));
    assert_true(yyjson_is_null(figure(&report, "ann", "hit_rate"))); /* no use was reported */
    yyjson_doc_free(report.doc);

    /* Of recalls whose use was reported, and of no other, whatever they brought. */
    ask_and_use(f, "Which quay do the harbour pilots use?", NOW - 8 * DAY, true);
    report = health(f, "acme", NULL);
    assert_float_equal(yyjson_get_num(figure(&report, "ann", "hit_rate")), 0, 1e-9);
    yyjson_doc_free(report.doc);
    for (int i = 0; i < 5; i++)
        ask_and_use(f, "Which quay do the harbour pilots use?", NOW - 2000 + i, true);
    report = health(f, "acme", NULL);
    assert_float_equal(yyjson_get_num(figure(&report, "ann", "hit_rate")), 0.2, 1e-9);
    assert_true(alarmed(&report, "ann", "hit_rate"));
    yyjson_doc_free(report.doc);
}

static yyjson_val *of_tenant(const struct report *report, const char *name)
{
    yyjson_val *tenants = yyjson_obj_get(yyjson_doc_get_root(report->doc), "tenants");

    assert_int_equal(yyjson_arr_size(tenants), 1);
    assert_string_equal(yyjson_get_str(yyjson_obj_get(yyjson_arr_get(tenants, 0), "tenant_id")),
                        "acme");
    return yyjson_obj_get(yyjson_arr_get(tenants, 0), name);
}

static size_t alarms_of_the_tenant(const struct report *report, const char *name)
{
    size_t i, max, count = 0;
    yyjson_val *a;

    yyjson_arr_foreach(yyjson_obj_get(yyjson_doc_get_root(report->doc), "alarms"), i, max, a)
        count += !yyjson_obj_get(a, "user_id") && yyjson_obj_get(a, "tenant_id") &&
                 yyjson_equals_str(yyjson_obj_get(a, "figure"), name);
    return count;
}

static void a_tenant_has_the_figures_of_its_users_together(void **state)
{
    struct fixture *f = *state;
    struct report report;

    /* Of twelve each says little; of twenty-four half stand twice. */
    for (int i = 0; i < 24; i++) {
        char id[16], content[64];

        snprintf(id, sizeof id, "m-%d", i);
        snprintf(content, sizeof content, "Locker %d holds the spare lamps.", i % 12 < 6 ? 0 : i);
        put(f, i < 12 ? "ann" : "bob", id, content, NOW - 5 * DAY, 0);
    }
    report = health(f, NULL, NULL);
    assert_true(yyjson_is_null(figure(&report, "ann", "duplicates")));
    assert_int_equal(yyjson_get_int(of_tenant(&report, "users")), 2);
    assert_float_equal(yyjson_get_num(of_tenant(&report, "memories")), 24, 0);
    assert_float_equal(yyjson_get_num(of_tenant(&report, "duplicates")), 10.0 / 24, 0.001);
    assert_int_equal(alarms_of_the_tenant(&report, "duplicates"), 1);
    assert_int_equal(report.good, 0);
    yyjson_doc_free(report.doc);

    /* What one of them is alarmed for is not told again; of one user alone there is no sum. */
    for (int i = 24; i < 34; i++) {
        char id[16];

        snprintf(id, sizeof id, "m-%d", i);
        put(f, "ann", id, "Locker 0 holds the spare lamps.", NOW - 5 * DAY, 0);
    }
    report = health(f, "acme", NULL);
    assert_true(alarmed(&report, "ann", "duplicates"));
    assert_int_equal(alarms_of_the_tenant(&report, "duplicates"), 0);
    yyjson_doc_free(report.doc);
    report = health(f, "acme", "ann");
    assert_int_equal(
        yyjson_arr_size(yyjson_obj_get(yyjson_doc_get_root(report.doc), "tenants")), 0);
    yyjson_doc_free(report.doc);
}

static void who_has_only_asked_is_no_user_and_his_requests_are_the_tenants(void **state)
{
    struct fixture *f = *state;
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    struct report report;

    put(f, "ann", "a-1", "The harbour pilots use quay one.", NOW - DAY, 0);
    request.identity.tenant_id = "acme";
    request.identity.user_id = "*";
    request.text = "Which quay do the harbour pilots use?";
    request.now_ms = NOW - 1000;
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    assert_int_equal(answer->item_count, 0); /* the name is taken as it is written */
    mneme_answer_free(answer);
    report = health(f, NULL, NULL);
    assert_null(figure(&report, "*", "memories"));
    assert_non_null(figure(&report, "ann", "memories"));
    assert_int_equal(yyjson_get_int(of_tenant(&report, "users")), 1);
    assert_int_equal(yyjson_get_int(of_tenant(&report, "recalls")), 1);
    assert_int_equal(report.good, 1);
    yyjson_doc_free(report.doc);
}

static void a_healthy_store_has_no_alarm(void **state)
{
    struct fixture *f = *state;
    struct report report;

    put(f, "ann", "a-1", "The harbour pilots use quay one.", NOW - 5 * DAY, 0);
    put(f, "ann", "a-2", "The office closes at six.", NOW - DAY, 0);
    report = health(f, NULL, NULL);
    assert_int_equal(report.good, 1);
    assert_int_equal(yyjson_arr_size(yyjson_obj_get(yyjson_doc_get_root(report.doc), "alarms")), 0);
    yyjson_doc_free(report.doc);
    assert_int_equal(mneme_health_report(f->handle, NULL, &report.good, NULL, &f->err), MNEME_OK);
    struct mneme_health what = MNEME_HEALTH_INIT;
    what.user_id = "ann";
    assert_int_equal(mneme_health_report(f->handle, &what, &report.good, NULL, &f->err),
                     MNEME_INVALID);
    assert_string_equal(f->err.field, "tenant_id");
}

static int64_t jobs_due(struct fixture *f)
{
    struct report report = health(f, NULL, NULL);
    yyjson_val *store = yyjson_obj_get(yyjson_doc_get_root(report.doc), "store");
    int64_t due = yyjson_get_sint(yyjson_obj_get(store, "jobs_due"));

    assert_true(yyjson_is_int(yyjson_obj_get(store, "jobs_due")));
    yyjson_doc_free(report.doc);
    return due;
}

static void a_job_that_was_done_is_not_told_to_be_due(void **state)
{
    struct fixture *f = *state;
    struct mneme_maintenance what = MNEME_MAINTENANCE_INIT;
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mneme_change change = MNEME_CHANGE_INIT;

    event.tenant_id = "acme";
    event.user_id = "ann";
    event.session_id = "s";
    event.role = "user";
    event.text = "We decided to use NATS; Kafka is too heavy for us.";
    event.event_time_ms = change.now_ms = NOW - 2 * DAY;
    ASSERT_OK(mneme_observe(f->handle, &event, 1, &change, NULL, &f->err));
    what.now_ms = NOW - DAY - 1;
    ASSERT_OK(mneme_maintain(f->handle, &what, NULL, NULL, NULL, &f->err));
    assert_int_equal(jobs_due(f), 2); /* daily ones, a day and a millisecond ago */
    what.now_ms = NOW - DAY + 1;
    what.all = 1;
    ASSERT_OK(mneme_maintain(f->handle, &what, NULL, NULL, NULL, &f->err));
    assert_int_equal(jobs_due(f), 0);
}

/* ---- the installation ---- */

static struct report doctor(struct fixture *f)
{
    struct mneme_options options = fixture_options(f, f->path);
    struct report report = { 0 };
    char *json = NULL;

    if (mneme_doctor(&options, f->file, &report.good, &json, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    report.doc = yyjson_read(json, strlen(json), 0);
    assert_non_null(report.doc);
    mneme_free(json);
    return report;
}

/* Findings about `what`; each says what to do. */
static size_t found(const struct report *report, const char *what)
{
    size_t i, max, count = 0;
    yyjson_val *finding;

    yyjson_arr_foreach(yyjson_obj_get(yyjson_doc_get_root(report->doc), "findings"), i, max, finding)
    {
        assert_true(strlen(yyjson_get_str(yyjson_obj_get(finding, "do"))) > 5);
        count += !strcmp(yyjson_get_str(yyjson_obj_get(finding, "what")), what);
    }
    return count;
}

static void doctor_finds_what_somebody_damaged(void **state)
{
    struct fixture *f = *state;
    struct report report;
    char name[128];
    int fd;

    put(f, "ann", "a-1", "The harbour pilots use quay one.", NOW, 0);
    mneme_close(f->handle);
    f->handle = NULL;
    assert_int_equal(chmod(f->path, 0600), 0);
    report = doctor(f);
    assert_int_equal(report.good, 1);
    assert_int_equal(yyjson_arr_size(yyjson_obj_get(yyjson_doc_get_root(report.doc), "findings")),
                     0);
    yyjson_doc_free(report.doc);

    assert_int_equal(chmod(f->path, 0640), 0);
    fd = open(f->file, O_CREAT | O_WRONLY, 0644); /* the key */
    (void)close(fd);
    (void)snprintf(name, sizeof name, "%s.part-abcdef", f->path);
    fd = open(name, O_CREAT | O_WRONLY, 0600);
    (void)close(fd);
    fixture_sql(f, "UPDATE memories SET content_hash = 'x'");
    fixture_sql(f, "INSERT INTO meta VALUES ('erase_unsettled', '1')");
    fixture_sql(f, "DROP TRIGGER audit_is_as_it_was; UPDATE audit SET action = 'x';"
                   "CREATE TRIGGER audit_is_as_it_was BEFORE UPDATE ON audit\n"
                   "BEGIN SELECT raise(ABORT, 'the audit is only added to'); END");
    report = doctor(f);
    assert_int_equal(report.good, 0);
    assert_int_equal(found(&report, "store"), 1);
    assert_int_equal(found(&report, "key"), 1);
    assert_int_equal(found(&report, "leftover"), 1);
    assert_int_equal(found(&report, "derived"), 1);
    assert_int_equal(found(&report, "erasure"), 1);
    assert_int_equal(found(&report, "audit"), 1);
    yyjson_doc_free(report.doc);
}

static void doctor_says_what_keeps_a_store_shut(void **state)
{
    struct fixture *f = *state;
    struct mneme_options options = fixture_options(f, f->again); /* there is none */
    struct report report = { 0 };
    char *json = NULL;

    options.model_path = "/nowhere/model.gguf";
    ASSERT_OK(mneme_doctor(&options, NULL, &report.good, &json, &f->err));
    assert_int_equal(report.good, 0);
    assert_non_null(strstr(json, "mneme init"));
    mneme_free(json);
    options = fixture_options(f, f->path);
    options.model_path = "/nowhere/model.gguf";
    ASSERT_OK(mneme_doctor(&options, NULL, &report.good, &json, &f->err));
    assert_non_null(strstr(json, "\"what\":\"model\""));
    mneme_free(json);
    options.store_path = "";
    assert_int_equal(mneme_doctor(&options, NULL, &report.good, NULL, &f->err), MNEME_INVALID);
    assert_string_equal(f->err.field, "store_path");
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_figure_alarms_past_its_limit_and_not_at_it),
        cmocka_unit_test(what_cannot_be_known_is_no_figure),
        cmocka_unit_test(figures_are_shares_of_what_they_are_about),
        cmocka_unit_test(a_few_rows_or_recalls_make_no_share),
        cmocka_unit_test(growth_alarms_only_when_three_months_do_not_level_off),
        CASE(a_store_tells_the_figures_of_each_of_its_users),
        CASE(a_tenant_has_the_figures_of_its_users_together),
        CASE(who_has_only_asked_is_no_user_and_his_requests_are_the_tenants),
        CASE(a_healthy_store_has_no_alarm),
        CASE(a_job_that_was_done_is_not_told_to_be_due),
        CASE(doctor_finds_what_somebody_damaged),
        CASE(doctor_says_what_keeps_a_store_shut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
