/*
 * maintain.c - the public calls of the life cycle: doing what is due.
 */
#include "engine/handle.h"

#include <string.h>

#include "base/str.h"
#include "lifecycle/jobs.h"

#define NOW_MAX_MS INT64_C(253402300799999) /* the last millisecond of the year 9999 */

struct all {
    const struct mneme_maintenance *what;
    mneme_job_fn row;
    void *context;
    int left;
    const char *file;
};

static void tell_of_file(void *context, const struct mneme_job *job)
{
    const struct all *all = context;
    struct mneme_job of_file = *job;

    of_file.file = all->file;
    if (all->row)
        all->row(all->context, &of_file);
}

static enum mneme_status maintain_of(void *context, struct mneme *inner, const char *stem,
                                     struct mneme_error *err)
{
    struct all *all = context;
    int left = 0;

    all->file = stem;
    MN_TRY(mneme_maintain(inner, all->what, tell_of_file, all, &left, err));
    all->left = all->left || left;
    return MNEME_OK;
}

/* Tenant by tenant, each with the whole of the limits. */
static enum mneme_status maintain_all(struct mneme *front, const struct mneme_maintenance *what,
                                      mneme_job_fn row, void *context, int *ret_left,
                                      struct mneme_error *err)
{
    struct all all = { what, row, context, 0, "" };

    MN_TRY(mn_tenants_each(front, false, maintain_of, &all, err));
    if (ret_left)
        *ret_left = all.left;
    return MNEME_OK;
}

enum mneme_status mneme_maintain(struct mneme *handle, const struct mneme_maintenance *what,
                                 mneme_job_fn row, void *context, int *ret_left,
                                 struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    struct mneme_maintenance known = MNEME_MAINTENANCE_INIT;
    struct mn_maintenance want;
    size_t done = 0;
    bool left = false;

    if (what) {
        MN_CHECK_SIZE(what, "maintenance", err);
        memcpy(&known, what, what->size);
    }
    if (known.time_max_ms < 0)
        return mn_fail(err, MNEME_INVALID, "time_max_ms: is negative");
    if (known.now_ms < 0 || known.now_ms > NOW_MAX_MS)
        return mn_fail(err, MNEME_INVALID, "now_ms: is outside the years 1970 to 9999");
    if (handle->read_only)
        return mn_fail(err, MNEME_FORBIDDEN, "store: was opened read-only");
    if (handle->tenants)
        return maintain_all(handle, &known, row, context, ret_left, err);
    want = (struct mn_maintenance){
        .job = mn_or_empty(known.job),
        .now = known.all != 0,
        .pieces_max = known.pieces_max ? known.pieces_max : SIZE_MAX,
        .time_max_ms = known.time_max_ms,
        .now_ms = known.now_ms ? known.now_ms : handle->world.now_ms(),
    };
    MN_TRY(mn_journal_flush(handle->journal, &handle->world, err)); /* use that waits counts */
    MN_TRY(mn_maintain(&handle->world, &want, row, context, &done, &left, err));
    if (mn_empty(want.job) || !strcmp(want.job, "archive"))
        mn_engine_settle_archive(handle, want.now_ms);
    if (ret_left)
        *ret_left = left;
    return MNEME_OK;
}
