/*
 * jobs.c - the table of jobs, and how one of them is run.
 *
 * A run leaves nothing behind that a kill could break: there is no lock to be left over, only a mark
 * until when somebody is at it, which moves with each piece and lapses by itself.
 */
#include "lifecycle/jobs.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/str.h"
#include "lifecycle/compress.h"

#define ARENA_BYTES_MAX ((size_t)256 << 20)
#define HOUR_MS INT64_C(3600000)
#define DAY_MS (24 * HOUR_MS)
#define BUSY_MS 20000 /* longer than a piece takes */
#define BUSY_LONG_MS 600000 /* one in which somebody is asked */

const struct mn_job mn_jobs[] = {
    { "expire", "memories whose validity has ended leave the indexes", 0, mn_piece_expire },
    { "compress", "sessions that have ended become a few memories", 0, mn_piece_compress },
    { "archive", "turns of compressed sessions go to the archive", 0, mn_piece_archive },
    { "decay", "confidence falls with time", DAY_MS, mn_piece_decay },
    { "deprecate", "procedures whose environment has changed leave the indexes", DAY_MS,
      mn_piece_deprecate },
    { "review", "importance follows use", 7 * DAY_MS, mn_piece_review },
    { NULL, NULL, 0, NULL },
};

enum mneme_status mn_piece_add(struct mn_piece *piece, const struct mn_write *writes, size_t count,
                               const char *reason, struct mneme_error *err)
{
    struct mn_commit *commit = mn_array_add(piece->arena, &piece->commits);

    if (!commit)
        return mn_fail_memory(err);
    *commit = (struct mn_commit){ .write = writes,
                                  .count = count,
                                  .actor = "mneme",
                                  .reason = reason,
                                  .now_ms = piece->now_ms };
    return MNEME_OK;
}

/* ---- one run of one job ---- */

struct run {
    struct mn_world *world;
    const struct mn_job *job;
    const struct mn_maintenance *want;
    int64_t now_ms;
    struct mn_job_row row; /* as it is in the store; its texts are in `place` */
    struct mn_arena *place;
    bool held;
    bool claimed;
    bool ended;
    int64_t busy_ms;
    char note[400];
    bool waits;
    bool stuck;              /* a piece in which others were faster with everything: later */
    int64_t looked, changed; /* in this call */
};

static enum mneme_status keep_place(struct run *run, const struct mn_unit_place *place,
                                    struct mneme_error *err)
{
    struct mn_arena *arena = mn_arena_new((size_t)64 << 10);
    const char *tenant = mn_arena_copy(arena, place->tenant);
    const char *owner = mn_arena_copy(arena, place->owner);
    const char *id = mn_arena_copy(arena, place->id);

    if (!tenant || !owner || !id) {
        mn_arena_free(arena);
        return mn_fail_memory(err);
    }
    mn_arena_free(run->place);
    run->place = arena;
    run->row.tenant = tenant;
    run->row.owner = owner;
    run->row.id = id;
    return MNEME_OK;
}

/* Commits groups and, behind them, the job's row as it shall be. *ret_held: somebody was faster. */
static enum mneme_status commit_with(struct run *run, struct mn_piece *piece,
                                     struct mn_job_row *next, bool *ret_held,
                                     struct mneme_error *err)
{
    const struct mn_write move = { .kind = MN_WRITE_JOB, .job = next };
    size_t count = piece->commits.count;
    struct mn_commit_result *results =
        mn_arena_array(piece->arena, struct mn_commit_result, count + 1);

    if (!results)
        return mn_fail_memory(err);
    MN_TRY(mn_piece_add(piece, &move, 1, "", err));
    for (size_t i = 0; i <= count; i++) {
        results[i].written =
            mn_arena_array(piece->arena, struct mn_written, piece->commits.item[i].count);
        if (!results[i].written)
            return mn_fail_memory(err);
    }
    MN_TRY(run->world->store->ops->commit(run->world->store, piece->commits.item, count + 1,
                                          results, err));
    piece->commits.count = count;
    for (size_t i = 0; i < count; i++)
        run->changed += results[i].status == MNEME_OK && !results[i].written[0].unchanged;
    *ret_held = results[count].status == MNEME_CONFLICT;
    if (results[count].status != MNEME_OK && !*ret_held) {
        if (err)
            *err = results[count].error;
        return results[count].status;
    }
    next->revision++;
    return MNEME_OK;
}

/* The job's row behind a piece. */
static struct mn_job_row row_after(const struct run *run, const struct mn_piece *piece)
{
    struct mn_job_row next = run->row;
    bool begins = next.begun_at_ms == 0;

    next.looked = (begins ? 0 : next.looked) + piece->looked;
    next.changed = (begins ? 0 : next.changed) + (int64_t)piece->commits.count;
    if (begins)
        next.begun_at_ms = run->now_ms;
    next.tenant = piece->after.tenant;
    next.owner = piece->after.owner;
    next.id = piece->after.id;
    next.busy_until_ms = run->world->now_ms() + run->busy_ms;
    if (!piece->ended)
        return next;
    next.begun_at_ms = next.busy_until_ms = 0;
    next.ended_at_ms = run->now_ms;
    next.due_at_ms = run->job->period_ms ? run->now_ms + run->job->period_ms : 0;
    next.tenant = next.owner = next.id = "";
    return next;
}

/* Says that somebody is at it (busy_until_ms 0: no more). Who read an older row is refused. */
static enum mneme_status mark(struct run *run, int64_t busy_until_ms, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mn_piece piece = { .world = run->world, .arena = arena, .now_ms = run->now_ms };
    struct mn_job_row next = run->row;
    bool held = false;

    if (!arena)
        return mn_fail_memory(err);
    next.busy_until_ms = busy_until_ms;
    MN_TRY(commit_with(run, &piece, &next, &held, err));
    run->held = held;
    if (!held)
        run->row = next;
    return MNEME_OK;
}

static enum mneme_status run_piece(struct run *run, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mn_piece piece = { .world = run->world,
                              .arena = arena,
                              .now_ms = run->now_ms,
                              .claimed = run->claimed,
                              .after = { false, run->row.tenant, run->row.owner, run->row.id } };
    struct mn_job_row next;
    int64_t changed;
    bool held = false;

    if (!arena)
        return mn_fail_memory(err);
    MN_TRY(run->job->piece(&piece, err));
    if (piece.claims && !piece.claimed) {
        run->busy_ms = BUSY_LONG_MS;
        MN_TRY(mark(run, run->world->now_ms() + run->busy_ms, err));
        run->claimed = true;
        return MNEME_OK;
    }
    if (piece.note)
        (void)snprintf(run->note, sizeof run->note, "%s", piece.note);
    run->waits = piece.waits;
    run->looked += piece.looked;
    run->ended = piece.ended;
    if (run->job->period_ms == 0 && piece.commits.count == 0 && !piece.more) {
        piece.ended = run->ended = true;
        if (run->row.begun_at_ms == 0)
            return MNEME_OK; /* nothing to do, and nothing that has to be kept in mind */
    }
    /* Two may have read the same rows; the first one to say so writes. */
    if (!run->claimed && piece.commits.count > 0)
        MN_TRY(mark(run, run->world->now_ms() + run->busy_ms, err));
    if (run->held)
        return MNEME_OK;
    run->claimed = true;
    next = row_after(run, &piece);
    changed = run->changed;
    MN_TRY(commit_with(run, &piece, &next, &held, err));
    run->held = held;
    run->stuck = run->job->period_ms == 0 && piece.commits.count > 0 && run->changed == changed;
    if (held)
        return MNEME_OK;
    /* The new place lives in the piece's arena; without memory for it the former one is as good. */
    const struct mn_unit_place place = { false, next.tenant, next.owner, next.id };
    next.tenant = run->row.tenant;
    next.owner = run->row.owner;
    next.id = run->row.id;
    run->row = next;
    return keep_place(run, &place, err);
}

/* Who is due later than in a whole period was judged by a clock that went wrong. */
static bool is_due(const struct run *run)
{
    return run->want->now || run->job->period_ms == 0 || run->row.begun_at_ms ||
           run->row.due_at_ms <= run->now_ms ||
           run->row.due_at_ms > run->now_ms + run->job->period_ms;
}

static enum mneme_status run_job(struct run *run, int64_t stop_at_ms, size_t *pieces,
                                 struct mneme_error *err)
{
    enum mneme_status status = MNEME_OK;
    bool began = false;

    run->held = run->row.busy_until_ms > run->world->now_ms() &&
                run->row.busy_until_ms <= run->world->now_ms() + BUSY_LONG_MS;
    while (status == MNEME_OK && !run->held && !run->ended && !run->stuck && *pieces > 0 &&
           (!stop_at_ms || run->world->now_ms() < stop_at_ms)) {
        status = run_piece(run, err);
        (*pieces)--;
        began = true;
    }
    if (began && run->row.busy_until_ms && !run->held) {
        /* others need not wait for the mark to lapse */
        enum mneme_status given = mark(run, 0, status == MNEME_OK ? err : NULL);

        status = status == MNEME_OK ? given : status;
    }
    return status;
}

static void tell(const struct run *run, bool due, const struct mneme_error *failed,
                 mneme_job_fn row, void *context)
{
    const struct mneme_job told = {
        .name = run->job->name,
        .what = run->job->what,
        .state = failed      ? MNEME_JOB_FAILED
                 : !due      ? MNEME_JOB_NOT_DUE
                 : run->held ? MNEME_JOB_HELD
                 : run->ended && !run->waits ? MNEME_JOB_DONE
                                             : MNEME_JOB_LEFT,
        .looked = run->looked,
        .changed = run->changed,
        .due_at_ms = run->job->period_ms ? run->row.due_at_ms : 0,
        .ended_at_ms = run->row.ended_at_ms,
        .message = failed ? failed->message : run->note,
        .file = "",
    };

    if (row)
        row(context, &told);
}

static const struct mn_job_row *find_row(const struct mn_job_rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->count; i++)
        if (!strcmp(rows->item[i].name, name))
            return &rows->item[i];
    return NULL;
}

/* ---- all of them ---- */

static enum mneme_status check_name(const char *name, struct mneme_error *err)
{
    MN_BUF_AUTO known = { 0 };

    if (mn_empty(name))
        return MNEME_OK;
    for (const struct mn_job *job = mn_jobs; job->name; job++) {
        if (!strcmp(job->name, name))
            return MNEME_OK;
        mn_buf_printf(&known, "%s%s", known.bytes ? ", " : "", job->name);
    }
    return mn_fail(err, MNEME_INVALID, "job: '%.64s' is not known; known are %s", name,
                   known.failed ? "" : known.at);
}

enum mneme_status mn_maintain(struct mn_world *world, const struct mn_maintenance *want,
                              mneme_job_fn row, void *context, size_t *ret_done, bool *ret_left,
                              struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    int64_t stop_at_ms = want->time_max_ms ? world->now_ms() + want->time_max_ms : 0;
    size_t pieces = want->pieces_max;
    enum mneme_status status = MNEME_OK;
    struct mn_job_rows rows = { 0 };
    struct mneme_error failed;
    bool left = false;

    if (!arena)
        return mn_fail_memory(err);
    MN_TRY(check_name(want->job, err));
    MN_TRY(world->store->ops->jobs(world->store, arena, &rows, err));
    for (const struct mn_job *job = mn_jobs; job->name; job++) {
        const struct mn_job_row *there = find_row(&rows, job->name);
        struct run run = {
            .world = world, .job = job, .want = want, .now_ms = want->now_ms, .busy_ms = BUSY_MS
        };
        enum mneme_status one = MNEME_OK;
        bool due;

        if (!mn_empty(want->job) && strcmp(want->job, job->name) != 0)
            continue;
        run.row = there ? *there
                        : (struct mn_job_row){ .name = job->name, .tenant = "", .owner = "", .id = "" };
        due = is_due(&run);
        mn_error_clear(&failed);
        if (due)
            one = run_job(&run, stop_at_ms, &pieces, &failed);
        left = left || (due && !run.ended && !run.held && one == MNEME_OK);
        tell(&run, due, one == MNEME_OK ? NULL : &failed, row, context);
        mn_arena_free(run.place);
        if (one != MNEME_OK && status == MNEME_OK) { /* the others may go on */
            status = one;
            if (err)
                *err = failed;
        }
    }
    *ret_done = want->pieces_max - pieces;
    *ret_left = left;
    return status;
}
