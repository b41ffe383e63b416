/*
 * sqlite_commit.c - writing: requests that stand or fall by themselves, in one durable transaction.
 *
 * Callers that wait are written together (commit_queue.h): one transaction, one wait for the disk.
 *
 * A request that is refused does not sink the others: what it has written is undone, by savepoints. A
 * fault of the file or the disk ends the whole. Inside a request rows may come in any order: what
 * needs another row (a rule its memory, usage and vectors their unit) is written after the rest,
 * and supersedes links are followed when all is there (sqlite_supersedes.c).
 *
 * A commit that fails while the log is written may yet be found there by the next opening: then the
 * error says `uncertain`, and a retry with the same ids is safe.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "memory/fields.h"
#include "memory/record.h"
#include "sql/sqlite.gen.h"
#include "store/commit_queue.h"
#include "store/commit_touched.h"
#include "store/sqlite_audit.h"
#include "store/sqlite_erase.h"
#include "store/sqlite_row.h"
#include "store/sqlite_store.h"
#include "store/sqlite_supersedes.h"
#include "store/sqlite_write.h"

#define WRITE_BYTES_MAX ((size_t)64 << 20) /* one write: former row, copy, text to embed */

/* ---- memories ---- */

static enum mneme_status find_former(const struct mn_writing *w, const struct mneme_memory *memory,
                                     struct mn_row *ret_row, bool *ret_found,
                                     struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = w->arena };

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_MEMORY_GET, &stmt, err));
    mn_bind_text(stmt, ":tenant", memory->tenant_id);
    mn_bind_text(stmt, ":owner", memory->user_id);
    mn_bind_text(stmt, ":id", memory->id);
    MN_TRY(mn_sqlite_step(stmt, ret_found, err));
    if (!*ret_found)
        return MNEME_OK;
    reader.stmt = stmt;
    mn_row_read(&reader, ret_row, NULL);
    return mn_read_end(&reader, err);
}

/* Loading tells rows apart by what they say; other writers mean confirmation and place as well. */
static bool is_unchanged(const struct mneme_memory *former, const struct mneme_memory *memory,
                         int64_t expected)
{
    return mn_memory_same_row(former, memory) &&
           (expected == MN_REVISION_LOAD || (former->confirmed_at_ms == memory->confirmed_at_ms &&
                                             former->version == memory->version));
}

static enum mneme_status check_revision(const struct mneme_memory *former,
                                        const struct mneme_memory *memory, int64_t expected,
                                        struct mneme_error *err)
{
    if (expected == MN_REVISION_NEW && former)
        return mn_fail(err, MNEME_CONFLICT, "id: %.200s is there already", memory->id);
    if (expected > 0 && !former)
        return mn_fail(err, MNEME_CONFLICT, "revision: expected %lld, but the row is not there",
                       (long long)expected);
    if (expected > 0 && former->revision != expected)
        return mn_fail(err, MNEME_CONFLICT, "revision: expected %lld, but the row has %lld",
                       (long long)expected, (long long)former->revision);
    return MNEME_OK;
}

static enum mneme_status retire(const struct mn_writing *w, const struct mneme_memory *former,
                                struct mneme_error *err)
{
    MN_STMT_AUTO keep = NULL;
    MN_STMT_AUTO remove = NULL;

    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_HISTORY_KEEP, &keep, err));
    mn_bind_integer(keep, ":changed_at_ms", w->commit->now_ms);
    mn_bind_text(keep, ":actor", w->commit->actor);
    mn_bind_text(keep, ":reason", w->commit->reason);
    mn_bind_text(keep, ":tenant", former->tenant_id);
    mn_bind_text(keep, ":owner", former->user_id);
    mn_bind_text(keep, ":id", former->id);
    MN_TRY(mn_sqlite_done(keep, err));
    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_MEMORY_REMOVE, &remove, err));
    mn_bind_text(remove, ":tenant", former->tenant_id);
    mn_bind_text(remove, ":owner", former->user_id);
    mn_bind_text(remove, ":id", former->id);
    return mn_sqlite_done(remove, err);
}

/* The id is another owner's, or an event's: whose is not told. */
static enum mneme_status fail_taken(const struct mneme_memory *memory, struct mneme_error *err)
{
    return mn_fail(err, MNEME_CONFLICT, "id: %.200s is taken", memory->id);
}

static enum mneme_status insert(const struct mn_writing *w, const struct mneme_memory *memory,
                                int64_t revision, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    const char *embed_hash = "";
    enum mneme_status status;

    MN_TRY(mn_row_embed_hash(memory, "", w->arena, &embed_hash, err));
    MN_TRY(mn_sqlite_prepare(w->db, SQL_SQLITE_MEMORY_INSERT, &stmt, err));
    mn_row_bind_memory(stmt, memory, revision, embed_hash);
    status = mn_sqlite_done(stmt, err);
    return status == MNEME_CONFLICT ? fail_taken(memory, err) : status;
}

/* The revision of the row that is written over `former` (NULL: none). */
static int64_t next_revision(const struct mneme_memory *former, const struct mneme_memory *memory,
                             int64_t expected)
{
    int64_t least = former ? former->revision + 1 : 1;
    bool brought = expected == MN_REVISION_LOAD && memory->revision > least;

    return brought ? memory->revision : least;
}

/* Most rows are new: that is tried first, and only where it fails is it asked what is there. *ret_new:
 * the row is written. Where something was erased it is always asked. */
static enum mneme_status insert_new(const struct mn_writing *w, const struct mneme_memory *memory,
                                    int64_t revision, bool *ret_new, struct mneme_error *err)
{
    enum mneme_status status;
    bool other = false;

    *ret_new = false;
    MN_TRY(mn_tombstone_any(w, &other, err));
    if (!other)
        MN_TRY(mn_write_exists(w, SQL_SQLITE_ID_IS_EVENT, memory->tenant_id, memory->id, &other,
                               err));
    if (other)
        return MNEME_OK;
    status = insert(w, memory, revision, err);
    *ret_new = status == MNEME_OK;
    return status == MNEME_CONFLICT ? MNEME_OK : status;
}

/* *ret_former: what the row replaces, in *row; NULL: nothing. *ret_revision 0: it is there as it is. */
static enum mneme_status insert_over(const struct mn_writing *w, const struct mneme_memory *memory,
                                     int64_t expected, struct mn_row *row,
                                     const struct mneme_memory **ret_former, int64_t *ret_revision,
                                     struct mneme_error *err)
{
    const struct mneme_memory *former;
    bool found = false;
    bool taken = false;

    MN_TRY(find_former(w, memory, row, &found, err));
    former = found ? &row->memory : NULL;
    *ret_former = former;
    *ret_revision = 0;
    MN_TRY(check_revision(former, memory, expected, err));
    if (former && is_unchanged(former, memory, expected))
        return MNEME_OK;
    if (former && expected == MN_REVISION_LOAD && memory->revision > 0 &&
        former->revision > memory->revision)
        return mn_fail(err, MNEME_CONFLICT, "revision: %lld is older than the row there, %lld",
                       (long long)memory->revision, (long long)former->revision);
    if (!former)
        MN_TRY(mn_write_exists(w, SQL_SQLITE_ID_IS_EVENT, memory->tenant_id, memory->id, &taken,
                               err));
    if (taken)
        return fail_taken(memory, err);
    MN_TRY(mn_tombstone_check(w, memory->tenant_id, memory->id, memory->provenance, err));
    if (former)
        MN_TRY(retire(w, former, err));
    *ret_revision = next_revision(former, memory, expected);
    MN_TRY(insert(w, memory, *ret_revision, err));
    return former ? mn_write_usage_reset(w, former, memory, err) : MNEME_OK;
}

/* For guards to come: right behind the row's change. Of a row that had another text or key that one is
 * gone. */
static void tell_fresh(const struct mn_writing *w, const struct mneme_memory *former,
                       const struct mneme_memory *memory)
{
    int64_t change = w->known->state.changes;

    if (former && !(mn_same(former->content_hash, memory->content_hash) &&
                    mn_same(former->memory_key, memory->memory_key))) {
        struct mneme_memory gone = *former;

        gone.status = MNEME_SUPERSEDED;
        mn_fresh_add(&w->known->fresh, change, &gone);
    }
    mn_fresh_add(&w->known->fresh, change, memory);
}

/* *ret_link: the row brings a supersedes link that was not there. */
static enum mneme_status write_memory(const struct mn_writing *w, const struct mn_write *write,
                                      struct mn_written *ret_written, bool *ret_link,
                                      struct mneme_error *err)
{
    const struct mneme_memory *memory = write->memory;
    int64_t expected = write->expected_revision;
    int64_t revision = next_revision(NULL, memory, expected);
    struct mn_row row = { 0 };
    const struct mneme_memory *former = NULL;
    bool is_new = false;

    MN_TRY(mn_fields_check_times(&mn_memory_fields, memory, err));
    if (expected <= 0)
        MN_TRY(insert_new(w, memory, revision, &is_new, err));
    if (!is_new)
        MN_TRY(insert_over(w, memory, expected, &row, &former, &revision, err));
    if (revision == 0) {
        *ret_written = (struct mn_written){ .revision = former->revision, .unchanged = true };
        return MNEME_OK;
    }
    *ret_written = (struct mn_written){ .revision = revision, .replaced = former != NULL };
    *ret_link = !mn_empty(memory->supersedes) &&
                !(former && mn_same(former->supersedes, memory->supersedes));
    MN_TRY(mn_write_turns(w, memory, write->forgets, err));
    MN_TRY(mn_write_change(w, MN_CHANGE_MEMORY, memory->tenant_id, memory->user_id, memory->id,
                           revision, err));
    tell_fresh(w, former, memory);
    return MNEME_OK;
}

/* ---- one request ---- */

static bool needs_others(enum mn_write_kind kind)
{
    return kind == MN_WRITE_RULE || kind == MN_WRITE_USAGE || kind == MN_WRITE_USAGE_ADD ||
           kind == MN_WRITE_VECTOR || kind == MN_WRITE_REVIEW;
}

static enum mneme_status write_one(struct mn_writing *w, const struct mn_write *write,
                                   struct mn_written *ret_written, bool *ret_link,
                                   struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(WRITE_BYTES_MAX);

    w->arena = arena;
    *ret_written = (struct mn_written){ 0 }; /* some kinds have nothing to say of themselves */
    switch (write->kind) {
    case MN_WRITE_MEMORY:
        return write_memory(w, write, ret_written, ret_link, err);
    case MN_WRITE_EVENT:
        MN_TRY(mn_write_event(w, write->event, write->task_id, ret_written, err));
        return write->extraction && !ret_written->unchanged
                   ? mn_write_extraction(w, write->extraction, err)
                   : MNEME_OK;
    case MN_WRITE_RULE:
        return mn_write_rule(w, write->rule, ret_written, err);
    case MN_WRITE_TASK_STATE:
        return mn_write_task_state(w, write->task_state, write->expected_revision, ret_written,
                                   err);
    case MN_WRITE_EDGE:
        return mn_write_edge(w, write->edge, ret_written, err);
    case MN_WRITE_USAGE:
    case MN_WRITE_USAGE_ADD:
        return mn_write_usage(w, write->usage, write->kind == MN_WRITE_USAGE_ADD, ret_written, err);
    case MN_WRITE_VECTOR:
        return mn_write_vector(w, write->vector, ret_written, err);
    case MN_WRITE_TRACE:
        return mn_write_trace(w, write->trace, ret_written, err);
    case MN_WRITE_USE:
        return mn_write_use(w, write->use, ret_written, err);
    case MN_WRITE_CLARIFICATION:
        return mn_write_clarification(w, write->clarification, ret_written, err);
    case MN_WRITE_INDEX:
        return mn_write_index(w, write->index, err);
    case MN_WRITE_GUARD:
        return mn_write_guard(w, write->guard, err);
    case MN_WRITE_REQUEST:
        return mn_write_request(w, write->request, err);
    case MN_WRITE_JOB:
        return mn_write_job(w, write->job, ret_written, err);
    case MN_WRITE_SESSION:
        return mn_write_session(w, write->session, err);
    case MN_WRITE_REVIEW:
        return mn_write_review(w, write->review, ret_written, err);
    case MN_WRITE_ARCHIVE:
        return mn_write_archive(w, write->archive, err);
    case MN_WRITE_AUDIT: /* with what the request has written, below */
        return MNEME_OK;
    case MN_WRITE_EXTRACTION:
        return mn_write_extraction(w, write->extraction, err);
    }
    return mn_fail(err, MNEME_INVALID, "kind: %d is no kind of write", write->kind);
}

static void id_of(const struct mn_write *write, const char **ret_tenant, const char **ret_id)
{
    *ret_tenant =
        write->kind == MN_WRITE_MEMORY ? write->memory->tenant_id : write->event->tenant_id;
    *ret_id = write->kind == MN_WRITE_MEMORY ? write->memory->id : write->event->id;
}

/* Of the memories and events of a request none may have the id of another. */
static enum mneme_status check_ids(const struct mn_commit *commit, size_t *ret_failed,
                                   struct mneme_error *err)
{
    MN_ARENA_AUTO arena = NULL;
    size_t room = 2;
    size_t *slot; /* index + 1 of the write, by the hash of its id */

    if (commit->count < 2)
        return MNEME_OK;
    while (room < commit->count * 2)
        room *= 2;
    arena = mn_arena_new(room * sizeof *slot + 4096);
    slot = mn_arena_array(arena, size_t, room);
    if (!slot)
        return mn_fail_memory(err);
    for (size_t i = 0; i < commit->count; i++) {
        const struct mn_write *write = &commit->write[i];
        const char *tenant, *id, *other_tenant, *other_id;
        size_t at;

        if (write->kind != MN_WRITE_MEMORY && write->kind != MN_WRITE_EVENT)
            continue;
        id_of(write, &tenant, &id);
        at = (size_t)mn_hash64(id, strlen(id), 0) & (room - 1);
        for (; slot[at]; at = (at + 1) & (room - 1)) {
            id_of(&commit->write[slot[at] - 1], &other_tenant, &other_id);
            if (strcmp(id, other_id) != 0 || !mn_same(tenant, other_tenant))
                continue;
            *ret_failed = i;
            return mn_fail(err, MNEME_INVALID, "id: %.200s is given twice", id);
        }
        slot[at] = i + 1;
    }
    return MNEME_OK;
}

/* Inside the savepoint. *ret_failed is set to the write at work. */
static enum mneme_status write_request(struct mn_sqlite *db, struct mn_known *known,
                                       const struct mn_commit *commit, struct mn_written *written,
                                       size_t *ret_failed, struct mneme_error *err)
{
    struct mn_writing w = { .db = db, .commit = commit, .known = known };
    MN_ARENA_AUTO arena = mn_arena_new(commit->count * sizeof(bool) + 4096);
    bool *link = mn_arena_array(arena, bool, commit->count + 1);

    if (!link)
        return mn_fail_memory(err);
    MN_TRY(check_ids(commit, ret_failed, err));
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < commit->count; i++) {
            if (needs_others(commit->write[i].kind) != (pass == 1))
                continue;
            *ret_failed = i;
            MN_TRY(write_one(&w, &commit->write[i], &written[i], &link[i], err));
        }
    }
    MN_TRY(mn_write_links(&w, link, written, ret_failed, err));
    return mn_audit_written(&w, written, err);
}

/* A fault of the request's own, after which the others may go on? */
static bool is_own_fault(enum mneme_status status)
{
    return status == MNEME_INVALID || status == MNEME_NOT_FOUND || status == MNEME_CONFLICT ||
           status == MNEME_LIMIT;
}

/* What a request is held apart by from the others of its group. A refused one that has written nothing
 * needs neither; most that are refused are so by a guard, which stands before their rows. */
enum apart { APART_SAVEPOINT, APART_NOTHING };

/* Fails when the whole commit has to end. *ret_mixed: rows of a refused request stand among the others'. */
static enum mneme_status commit_request(struct mn_sqlite *db, struct mn_known *known,
                                        enum apart apart, const struct mn_commit *commit,
                                        struct mn_commit_result *result, bool *ret_mixed,
                                        struct mneme_error *err)
{
    int64_t changes = mn_sqlite_changed_ever(db);

    *ret_mixed = false;
    if (apart == APART_SAVEPOINT)
        MN_TRY(mn_sqlite_run(db, SQL_SQLITE_REQUEST_BEGIN, err));
    result->status =
        write_request(db, known, commit, result->written, &result->failed, &result->error);
    if (result->status != MNEME_OK) {
        if (!is_own_fault(result->status) || sqlite3_get_autocommit(mn_sqlite_handle(db))) {
            if (err)
                *err = result->error;
            return result->status;
        }
        *ret_mixed = apart == APART_NOTHING && mn_sqlite_changed_ever(db) != changes;
        if (apart == APART_NOTHING)
            return MNEME_OK;
        mn_known_forget(known);
        MN_TRY(mn_sqlite_run(db, SQL_SQLITE_REQUEST_UNDO, err));
    }
    return apart == APART_NOTHING ? MNEME_OK : mn_sqlite_run(db, SQL_SQLITE_REQUEST_KEEP, err);
}

/* ---- all requests of a group ---- */

/* The states of the rows before the commit and after it. */
struct step {
    struct mn_row_state from;
    struct mn_row_state to;
};

static enum mneme_status write_call(struct mn_sqlite *db, struct mn_known *known, enum apart apart,
                                    const struct mn_commit_call *call, bool *ret_mixed,
                                    struct mneme_error *err)
{
    *ret_mixed = false;
    for (size_t i = 0; i < call->count && !*ret_mixed; i++) {
        struct mn_commit_result *result = &call->results[i];

        result->status = MNEME_OK;
        result->failed = 0;
        mn_error_clear(&result->error);
        MN_TRY(commit_request(db, known, apart, &call->commits[i], result, ret_mixed, err));
    }
    return MNEME_OK;
}

/* When it is refused, nothing is left of the transaction. */
static bool is_alone(const struct mn_commit_call *group)
{
    return !group->next && group->count == 1;
}

/* *ret_at_fault: the call that ended it, NULL when it was none of them. *ret_mixed: it cannot be committed
 * as it stands. */
static enum mneme_status write_group(struct mn_sqlite *db, struct mn_known *known, enum apart apart,
                                     const struct mn_commit_call *group, struct step *ret_step,
                                     const struct mn_commit_call **ret_at_fault, bool *ret_mixed,
                                     struct mneme_error *err)
{
    *ret_at_fault = NULL;
    *ret_mixed = false;
    if (!known->has_state)
        MN_TRY(mn_now_state(db, &known->state, err));
    known->has_state = true;
    ret_step->from = known->state;
    mn_fresh_begin(&known->fresh, known->state.changes);
    for (const struct mn_commit_call *call = group; call && !*ret_mixed; call = call->next) {
        *ret_at_fault = call;
        MN_TRY(write_call(db, known, apart, call, ret_mixed, err));
    }
    *ret_at_fault = NULL;
    if (!known->has_state) /* a request was undone */
        MN_TRY(mn_now_state(db, &known->state, err));
    known->has_state = true;
    ret_step->to = known->state;
    mn_fresh_begin(&known->fresh, known->state.changes);
    return MNEME_OK;
}

/* *ret_mixed: nothing was committed, since that needs savepoints. */
static enum mneme_status try_group(struct mn_sqlite *db, struct mn_known *known, enum apart apart,
                                   const struct mn_commit_call *group, struct step *ret_step,
                                   const struct mn_commit_call **ret_at_fault, bool *ret_mixed,
                                   struct mneme_error *err)
{
    enum mneme_status status;
    bool refused;

    *ret_at_fault = NULL;
    *ret_mixed = false;
    MN_TRY(mn_sqlite_run(db, SQL_SQLITE_BEGIN_WRITE, err));
    mn_known_begin(known, db);
    status = write_group(db, known, apart, group, ret_step, ret_at_fault, ret_mixed, err);
    refused = *ret_mixed ||
              (status == MNEME_OK && is_alone(group) && group->results[0].status != MNEME_OK);
    if (status == MNEME_OK && !refused)
        status = mn_sqlite_keep(db, err);
    if (!sqlite3_get_autocommit(mn_sqlite_handle(db)))
        (void)mn_sqlite_run(db, SQL_SQLITE_ROLLBACK, NULL);
    mn_known_end(known, db, status == MNEME_OK && !refused);
    if (refused)
        ret_step->to = ret_step->from;
    return status;
}

/* Savepoints copy each page that a request is the first to change: they are set only where a request was
 * refused half way. */
static enum mneme_status commit_group(struct mn_sqlite *db, struct mn_known *known,
                                      const struct mn_commit_call *group, struct step *ret_step,
                                      const struct mn_commit_call **ret_at_fault,
                                      struct mneme_error *err)
{
    bool mixed = false;

    MN_TRY(try_group(db, known, APART_NOTHING, group, ret_step, ret_at_fault, &mixed, err));
    return mixed && !is_alone(group) ? try_group(db, known, APART_SAVEPOINT, group, ret_step,
                                                 ret_at_fault, &mixed, err)
                                     : MNEME_OK;
}

static void answer(struct mn_commit_call *group, enum mneme_status status,
                   const struct mneme_error *error)
{
    for (struct mn_commit_call *call = group; call; call = call->next) {
        call->status = status;
        call->error = *error;
    }
}

/* With the lock in hand. What one call breaks off is undone for all; then each writes for itself, so
 * that only the one at fault fails. */
static void serve(struct mn_sqlite_store *self, struct mn_commit_call *group)
{
    const struct mn_commit_call *at_fault = NULL;
    struct mneme_error error;
    struct step step = { 0 };
    enum mneme_status status;

    mn_error_clear(&error);
    status = commit_group(self->writer, &self->known, group, &step, &at_fault, &error);
    if (status == MNEME_OK)
        mn_commit_touched(self->rows, step.from, step.to, group);
    if (status == MNEME_OK || !at_fault || !group->next) {
        answer(group, status, &error);
        return;
    }
    for (struct mn_commit_call *call = group; call; call = call->next) {
        struct mn_commit_call alone = *call;

        alone.next = NULL;
        serve(self, &alone);
        call->status = alone.status;
        call->error = alone.error;
    }
}

/* The first of the queue writes for who waits behind it. */
static void lead(struct mn_sqlite_store *self)
{
    struct mn_commit_call *group;
    struct mneme_error error;
    enum mneme_status status;

    mn_error_clear(&error);
    status = mn_turn_begin(self, &error);
    group = mn_commit_queue_take(&self->queue,
                                 status == MNEME_OK ? MN_SQLITE_GROUP_ROWS : SIZE_MAX);
    if (status == MNEME_OK) {
        serve(self, group);
        mn_turn_end(self);
    } else {
        answer(group, status, &error);
    }
    mn_commit_queue_end(&self->queue, group);
}

enum mneme_status mn_sqlite_commit(struct mn_store *store, const struct mn_commit *commits,
                                   size_t count, struct mn_commit_result *results,
                                   struct mneme_error *err)
{
    struct mn_sqlite_store *self = (struct mn_sqlite_store *)store;
    struct mn_commit_call call = { .commits = commits, .count = count, .results = results };
    bool leads = false;

    if (self->read_only)
        return mn_fail(err, MNEME_FORBIDDEN, "the store was opened read only");
    MN_TRY(mn_commit_queue_join(&self->queue, &call, MN_SQLITE_WAIT_MS, &leads, err));
    if (leads)
        lead(self);
    if (call.status != MNEME_OK && err)
        *err = call.error;
    return call.status;
}
