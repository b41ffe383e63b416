/*
 * health.c - figures of each user and of each tenant held against limits, each alarm with what to do.
 *
 * A tenant's figures are those of its users together, and of what it shares. Who has only asked is no user
 * of it, but his requests count. An alarm of a user is not told again of his tenant.
 *
 * A figure that cannot be known is NaN, null in the report, and alarms nobody: the share of hits of
 * a user who never recalled anything is not 0, and one slow recall, the first, makes no mean.
 * Judging is pure; the figures come from the store, in one pass over each table.
 */
#include "lifecycle/health.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "index/index.h"
#include "lifecycle/jobs.h"
#include "lifecycle/lifecycle.h"

#define ARENA_BYTES_MAX ((size_t)512 << 20)
#define GROWTH_LEAST 1000 /* rows of a month: below that growth is no matter */
#define RATES_LEAST 20    /* rows or recalls: a share or a mean of fewer says little */
#define DAYS 7.0

/* clang-format off */
const struct mn_figure_limit mn_figure_limits[MN_FIGURE_COUNT] = {
    [MN_FIGURE_MEMORIES] = { "memories", "< 50000", NAN, 49999,
        "set valid_until on what ends, let sessions be compressed (mneme maintain), forget or erase what "
        "nobody needs", .of_user = true },
    [MN_FIGURE_GROWTH] = { "growth", "levels off", NAN, 0.9999,
        "each of the last three months added at least as much as the one before: see what writes "
        "(mneme audit list), and whether routine talk is drawn from" },
    [MN_FIGURE_HIT_RATE] = { "hit_rate", "> 0.85", 0.70, NAN,
        "recalls bring what is not used: look at some (mneme explain TRACE), correct scopes, types and "
        "keywords of what comes in vain" },
    [MN_FIGURE_LATENCY_MS] = { "latency_ms", "< 200", NAN, 500,
        "see which stage is slow (mneme explain TRACE): a model service, a disk, an index that does not "
        "fit (index_bytes_max)" },
    [MN_FIGURE_DUPLICATES] = { "duplicates", "< 0.10", NAN, 0.20,
        "the same text stands several times: whoever writes gives ids of his own; let him remember "
        "without, and merge what is there (mneme list, mneme forget)" },
    [MN_FIGURE_UPDATES] = { "updates_a_day", "5 to 20", 1.0 / DAYS, NAN,
        "it is asked, and nothing was written for a week: see whether observe or remember is still "
        "called" },
    [MN_FIGURE_BURST] = { "updates_last_day", "5 to 20", NAN, 100,
        "far more was written than people say: see who (mneme audit list --user), an import or a loop",
        .of_user = true },
    [MN_FIGURE_STALE] = { "stale", "< 0.10", NAN, 0.30,
        "active, but ended or decayed below 0.60: mneme maintain ends them, mneme confirm renews what "
        "is right" },
    [MN_FIGURE_CONTRADICTORY] = { "contradictory", "0", NAN, 0.05,
        "memories answer one key differently: mneme clarify shows the questions and takes answers" },
    [MN_FIGURE_NEVER_RECALLED] = { "never_recalled", "< 0.50", NAN, 0.80,
        "older than a month and never brought: too much is kept, or scopes and types hide it" },
    [MN_FIGURE_LOOPS] = { "recall_loops", "< 0.05", NAN, 0.20,
        "the same question again within a minute: the agent asks in a loop, or does not get what it "
        "needs (mneme explain TRACE)" },
    [MN_FIGURE_VECTORS_MISSING] = { "vectors_missing", "0", NAN, 1000,
        "texts are found by words alone: let mneme_run_due() or mneme maintain run until none is left",
        .of_user = true },
};
/* clang-format on */

static double share(int64_t part, int64_t of, int64_t least)
{
    return of >= least ? (double)part / (double)of : NAN;
}

static double growth_of(const struct mn_health_user *u)
{
    if (u->added[0] < GROWTH_LEAST || u->added[1] == 0 || u->added[2] == 0)
        return 0;
    return u->added[1] >= u->added[2] ? (double)u->added[0] / (double)u->added[1] : 0;
}

double mn_figure_of(const struct mn_health_user *u, enum mn_figure figure, bool with_model)
{
    switch (figure) {
    case MN_FIGURE_MEMORIES:
        return (double)u->memories;
    case MN_FIGURE_GROWTH:
        return growth_of(u);
    case MN_FIGURE_HIT_RATE: /* nobody reports use: nothing is known */
        return u->reported ? share(u->hits, u->wanted, RATES_LEAST) : NAN;
    case MN_FIGURE_LATENCY_MS:
        return share(u->recall_us, u->recalls, RATES_LEAST) / 1000.0;
    case MN_FIGURE_DUPLICATES:
        return share(u->duplicates, u->active, RATES_LEAST);
    case MN_FIGURE_UPDATES: /* who is not asked for either is away */
        return u->recalls || u->updates_week ? (double)u->updates_week / DAYS : NAN;
    case MN_FIGURE_BURST:
        return (double)u->updates_day;
    case MN_FIGURE_STALE:
        return share(u->stale, u->active, RATES_LEAST);
    case MN_FIGURE_CONTRADICTORY:
        return share(u->questions, u->active, RATES_LEAST);
    case MN_FIGURE_NEVER_RECALLED:
        return u->recalls ? share(u->never_recalled, u->old, RATES_LEAST) : NAN;
    case MN_FIGURE_LOOPS:
        return share(u->loops, u->wanted, RATES_LEAST);
    case MN_FIGURE_VECTORS_MISSING:
        return with_model ? (double)u->vectors_missing : NAN;
    case MN_FIGURE_COUNT:
        break;
    }
    return NAN;
}

bool mn_figure_alarms(enum mn_figure figure, double value)
{
    return value < mn_figure_limits[figure].low || value > mn_figure_limits[figure].high;
}

/* ---- the report ---- */

struct report {
    struct mn_world *world;
    int64_t now_ms;
    struct mn_buf *out, alarms;
    struct mn_json_writer w, a; /* all; and the alarms, which come first for people */
    size_t alarm_count;
};

static void put_alarm(struct report *r, const struct mn_partition *of, const char *figure,
                      double value, const char *goal, const char *cure)
{
    r->alarm_count++;
    mn_json_open(&r->a, '{');
    if (of)
        mn_json_field_text(&r->a, "tenant_id", of->tenant);
    if (of && of->owner)
        mn_json_field_text(&r->a, "user_id", of->owner);
    mn_json_field_text(&r->a, "figure", figure);
    mn_json_field_number(&r->a, "value", value, 3);
    mn_json_field_text(&r->a, "goal", goal);
    mn_json_field_text(&r->a, "do", cure);
    mn_json_close(&r->a, '}');
}

static void put_figure(struct report *r, enum mn_figure figure, double value,
                       const struct mn_partition *alarmed)
{
    const struct mn_figure_limit *limit = &mn_figure_limits[figure];

    mn_json_field_number(&r->w, limit->name, value, 3);
    if (alarmed)
        put_alarm(r, alarmed, limit->name, value, limit->goal, limit->cure);
}

/* alarmed: set where one of its figures calls for somebody. */
static void put_user(struct report *r, const struct mn_health_user *user,
                     bool alarmed[MN_FIGURE_COUNT])
{
    mn_json_open(&r->w, '{');
    mn_json_field_text(&r->w, "tenant_id", user->partition.tenant);
    mn_json_field_text(&r->w, "user_id", user->partition.owner);
    for (int i = 0; i < MN_FIGURE_COUNT; i++) {
        double value = mn_figure_of(user, (enum mn_figure)i, r->world->model != NULL);
        bool alarms = mn_figure_alarms((enum mn_figure)i, value);

        alarmed[i] = alarmed[i] || alarms;
        put_figure(r, (enum mn_figure)i, value, alarms ? &user->partition : NULL);
    }
    mn_json_field_integer(&r->w, "recalls", user->recalls);
    mn_json_field_integer(&r->w, "open_questions", user->questions);
    mn_json_close(&r->w, '}');
}

static void add_user(struct mn_health_user *sum, const struct mn_health_user *user)
{
    sum->memories += user->memories;
    sum->active += user->active;
    sum->stale += user->stale;
    for (int i = 0; i < 3; i++)
        sum->added[i] += user->added[i];
    sum->updates_day += user->updates_day;
    sum->updates_week += user->updates_week;
    sum->duplicates += user->duplicates;
    sum->questions += user->questions;
    sum->old += user->old;
    sum->never_recalled += user->never_recalled;
    sum->reported += user->reported;
    sum->vectors_missing += user->vectors_missing;
    sum->recalls += user->recalls;
    sum->wanted += user->wanted;
    sum->hits += user->hits;
    sum->loops += user->loops;
    sum->recall_us += user->recall_us;
}

/* A tenant: its rows in order, and which figures its users were alarmed for. */
struct tenant {
    struct mn_health_user sum;
    size_t users;
    bool alarmed[MN_FIGURE_COUNT];
};

static void put_tenant(struct report *r, const struct tenant *tenant)
{
    const struct mn_partition of = { tenant->sum.partition.tenant, NULL };

    mn_json_open(&r->w, '{');
    mn_json_field_text(&r->w, "tenant_id", of.tenant);
    mn_json_field_integer(&r->w, "users", (int64_t)tenant->users);
    for (int i = 0; i < MN_FIGURE_COUNT; i++) {
        double value = mn_figure_of(&tenant->sum, (enum mn_figure)i, r->world->model != NULL);
        bool alarms = mn_figure_alarms((enum mn_figure)i, value) && !mn_figure_limits[i].of_user &&
                      !tenant->alarmed[i];

        put_figure(r, (enum mn_figure)i, value, alarms ? &of : NULL);
    }
    mn_json_field_integer(&r->w, "recalls", tenant->sum.recalls);
    mn_json_field_integer(&r->w, "open_questions", tenant->sum.questions);
    mn_json_close(&r->w, '}');
}

static int64_t bytes_of(const char *path, const char *end)
{
    MN_BUF_AUTO name = { 0 };
    struct stat about;

    mn_buf_printf(&name, "%s%s", path, end);
    return !name.failed && stat(name.at, &about) == 0 ? (int64_t)about.st_size : 0;
}

static size_t jobs_due(const struct mn_job_rows *jobs, int64_t now_ms)
{
    size_t due = 0;

    for (size_t i = 0; i < jobs->count; i++)
        due += jobs->item[i].due_at_ms > 0 && jobs->item[i].due_at_ms <= now_ms;
    return due;
}

static enum mneme_status put_store(struct report *r, const char *path, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mn_job_rows jobs = { 0 };
    int64_t wal = bytes_of(path, "-wal");
    size_t parked = 0, due;

    MN_TRY(r->world->store->ops->jobs(r->world->store, arena, &jobs, err));
    MN_TRY(mn_index_parked(r->world, &parked, err));
    due = jobs_due(&jobs, r->now_ms);
    mn_json_key(&r->w, "store");
    mn_json_open(&r->w, '{');
    mn_json_field_integer(&r->w, "bytes", bytes_of(path, ""));
    mn_json_field_integer(&r->w, "wal_bytes", wal);
    mn_json_key(&r->w, "parked");
    if (r->world->model)
        mn_json_put_integer(&r->w, (int64_t)parked);
    else
        mn_json_put_null(&r->w);
    mn_json_field_integer(&r->w, "jobs_due", (int64_t)due);
    mn_json_close(&r->w, '}');
    if (parked)
        put_alarm(r, NULL, "parked", (double)parked, "0",
                  "the model refused these texts five times, they are found by words alone: mneme "
                  "reconcile names them, --retry-parked tries again, mneme edit gives another text");
    if (wal > MN_WAL_BYTES_ALARM)
        put_alarm(r, NULL, "wal_bytes", (double)wal, "< 64 MiB",
                  "somebody has been reading one state for long, so that the log cannot be merged: "
                  "close what hangs");
    return MNEME_OK;
}

/* Users, then their tenants; of one user alone there is no tenant's sum. */
static enum mneme_status put_figures(struct report *r, const struct mn_health_users *users,
                                     bool of_one, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct tenant *tenants = mn_arena_array(arena, struct tenant, users->count + 1);
    size_t count = 0;

    if (!tenants)
        return mn_fail_memory(err);
    mn_json_key(&r->w, "users");
    mn_json_open(&r->w, '[');
    for (size_t i = 0; i < users->count; i++) {
        const struct mn_health_user *user = &users->item[i];

        if (!i || strcmp(user->partition.tenant, users->item[i - 1].partition.tenant) != 0)
            tenants[count++].sum.partition.tenant = user->partition.tenant;
        add_user(&tenants[count - 1].sum, user);
        if (!user->holds)
            continue;
        tenants[count - 1].users += user->partition.owner[0] != '\0';
        put_user(r, user, tenants[count - 1].alarmed);
    }
    mn_json_close(&r->w, ']');
    mn_json_key(&r->w, "tenants");
    mn_json_open(&r->w, '[');
    for (size_t i = 0; i < count && !of_one; i++)
        put_tenant(r, &tenants[i]);
    mn_json_close(&r->w, ']');
    return MNEME_OK;
}

static enum mneme_status put_all(struct report *r, const struct mn_health_users *users,
                                 bool of_one, struct mneme_error *err)
{
    mn_json_open(&r->a, '[');
    mn_json_open(&r->w, '{');
    mn_json_field_time(&r->w, "at", r->now_ms);
    MN_TRY(put_store(r, users->path, err));
    MN_TRY(put_figures(r, users, of_one, err));
    mn_json_close(&r->a, ']');
    mn_json_key(&r->w, "alarms");
    if (r->alarms.failed)
        return mn_fail_memory(err);
    mn_json_put_raw(&r->w, r->alarms.at);
    mn_json_close(&r->w, '}');
    return r->out->failed ? mn_fail_memory(err) : MNEME_OK;
}

enum mneme_status mn_health(struct mn_world *world, const struct mn_partition *only,
                            int64_t now_ms, size_t *ret_alarms,
                            struct mn_buf *ret_report, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct report r = { .world = world, .now_ms = now_ms, .out = ret_report };
    struct mn_health_users users = { 0 };

    MN_TRY(world->store->ops->health(world->store, only, mn_index_profile(world), now_ms, arena,
                                     &users, err));
    if (only->tenant && users.count == 0)
        return mn_fail(err, MNEME_NOT_FOUND, "%s: nothing is known of %.200s",
                       only->owner ? "user_id" : "tenant_id",
                       only->owner ? only->owner : only->tenant);
    r.w.out = ret_report;
    r.a.out = &r.alarms;
    enum mneme_status status = put_all(&r, &users, only->owner != NULL, err);
    mn_buf_release(&r.alarms);
    if (status == MNEME_OK)
        *ret_alarms = r.alarm_count;
    return status;
}
