/*
 * remember.c - the write path of one memory.
 *
 * Every way in is the same short walk: check, classify, authorise, look for secrets, complete, see
 * whether it is there already, commit, embed. Rows to load as they are (records.c) skip only the
 * look-up of duplicates. The commit is durable when it returns; the embedding follows it and may fail
 * without taking the memory back: the text is found by its words at once, and the vector comes with
 * the next mneme_run_due().
 */
#include "remember/remember.h"

#include <pthread.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "index/index.h"
#include "memory/record.h"
#include "memory/type.h"
#include "model/model.h"
#include "remember/draft.h"
#include "store/store.h"
#include "text/analyze.h"
#include "text/passages.h"
#include "text/sections.h"
#include "text/when.h"

int64_t mn_change_now(const struct mn_world *world, const struct mneme_change *change)
{
    return change->now_ms ? change->now_ms : world->now_ms();
}

/* Commits writes that stand or fall together. */
static enum mneme_status commit_all(struct mn_world *world, const struct mn_write *writes,
                                    size_t count, const struct mneme_change *change,
                                    struct mn_arena *arena, struct mn_written **ret_written,
                                    struct mneme_error *err)
{
    struct mn_written *written = mn_arena_array(arena, struct mn_written, count);
    struct mn_commit commit = {
        .write = writes,
        .count = count,
        .actor = mn_or_empty(change->actor),
        .reason = mn_or_empty(change->reason),
        .now_ms = mn_change_now(world, change),
        .own_links = !change->admin,
    };

    if (!written)
        return mn_fail_memory(err);
    MN_TRY(mn_store_commit_one(world->store, &commit, written, err));
    *ret_written = written;
    return MNEME_OK;
}

/* The memory is stored; a vector that does not come now comes later. */
static void embed_now(struct mn_world *world, const struct mneme_change *change,
                      struct mn_partition partition, const char *const *ids, size_t count)
{
    struct mneme_error ignored;

    if (!change->without_embedding)
        mn_index_embed_units(world, partition, ids, count, &ignored);
}

void mn_receipt_fill(struct mneme_receipt *receipt, enum mneme_outcome outcome, const char *id,
                     int64_t revision)
{
    receipt->outcome = outcome;
    receipt->revision = revision;
    receipt->parts = 0;
    strncpy(receipt->id, id, sizeof receipt->id - 1);
    receipt->id[sizeof receipt->id - 1] = '\0';
}

/* ---- one memory ---- */

#define ATTEMPTS_MAX 64 /* each time somebody else wrote of the same key or text meanwhile */
/* A memory that is being written: what it is, and what it stands beside. */
struct writing {
    struct mn_world *world;
    const struct mneme_change *change;
    struct mn_arena *arena;
    struct mneme_memory row;
    int64_t said_at_ms; /* 0: undated */
    struct mneme_memory given; /* before it was completed */
    bool keeps_id;
    const char *request_key; /* "": none */
    struct mn_vector_row vector; /* of the row's own text; its vector is NULL without */
    bool embedding_tried;
    struct mn_guard guard;
    struct mn_verdict verdict;
};

/* The vector of the row's text, when somebody may wait for it: it nominates look-alikes, and is committed
 * with the row. What does not come now comes later. A text that is there already has one. */
static void embed_draft(struct writing *w)
{
    struct mn_model *model = w->world->model;
    struct mn_rows alike = { 0 };
    struct mn_alike_mark mark;
    const char *text = NULL;
    struct mneme_error ignored;

    if (!model || w->change->without_embedding ||
        w->world->store->ops->memories_alike(w->world->store, &w->row, w->arena, &alike, &mark,
                                             &ignored) != MNEME_OK)
        return;
    for (size_t i = 0; i < alike.count; i++)
        if (mn_same(alike.item[i].memory.content_hash, w->row.content_hash))
            return;
    w->embedding_tried = true;
    float *vector = mn_arena_array(w->arena, float, model->profile.dim);
    char *hash = mn_arena_alloc(w->arena, MN_SHA256_HEX_BYTES);

    if (!vector || !hash ||
        mn_memory_embed_text(&w->row, NULL, w->arena, &text, &ignored) != MNEME_OK ||
        !mn_sha256_hex(text, strlen(text), hash) ||
        mn_model_embed(model, MN_EMBED_PASSAGE_AWAITED, text, vector, &ignored) != MNEME_OK)
        return;
    w->vector = (struct mn_vector_row){ .partition = mn_partition_of(&w->row),
                                        .unit_id = w->row.id,
                                        .profile = model->profile.vectors_hash,
                                        .text_hash = hash,
                                        .dim = model->profile.dim,
                                        .vector = vector };
}

/* Why the rows change, unless the caller says it. */
static const char *reason_of(const struct writing *w)
{
    const char *by = w->row.id;

    if (!mn_empty(w->change->reason))
        return w->change->reason;
    if (w->verdict.ended_count)
        return mn_arena_printf(w->arena, "superseded by %s",
                               w->verdict.into ? w->verdict.into->memory.id : by);
    return w->verdict.act == MN_ACT_CONFIRM ? "confirmed"
           : w->verdict.act == MN_ACT_MERGE ? "merged with another that says the same"
                                            : "";
}

/* When the draft takes the place of what it replaces. */
static int64_t takes_place_ms(const struct writing *w)
{
    return w->row.valid_from_ms ? w->row.valid_from_ms
           : w->said_at_ms      ? w->said_at_ms
                                : mn_change_now(w->world, w->change);
}

/* What is replaced in the millisecond that it began in held for that one. */
static int64_t end_of(const struct writing *w, const struct mneme_memory *ended)
{
    int64_t at = takes_place_ms(w);

    return at > ended->valid_from_ms ? at : ended->valid_from_ms + 1;
}

static struct mn_write *add_row(struct mn_write *at, const struct mneme_memory *row,
                                int64_t expected)
{
    *at = (struct mn_write){ .kind = MN_WRITE_MEMORY,
                             .expected_revision = expected,
                             .memory = row };
    return at + 1;
}

/* What the draft supersedes: it keeps its text and gets an end. */
static enum mneme_status add_ended(const struct writing *w, struct mn_write **at,
                                   struct mneme_error *err)
{
    int64_t now_ms = mn_change_now(w->world, w->change);
    struct mneme_memory *rows =
        mn_arena_array(w->arena, struct mneme_memory, w->verdict.ended_count + 1);

    if (!rows)
        return mn_fail_memory(err);
    for (size_t i = 0; i < w->verdict.ended_count; i++) {
        const struct mneme_memory *former = &w->verdict.ended[i]->memory;
        int64_t end_ms = end_of(w, former);

        rows[i] = *former;
        rows[i].valid_until_ms = former->valid_until_ms && former->valid_until_ms < end_ms
                                     ? former->valid_until_ms
                                     : end_ms;
        if (takes_place_ms(w) <= now_ms) /* else it holds until its successor does */
            rows[i].status = MNEME_SUPERSEDED;
        rows[i].updated_at_ms = now_ms;
        *at = add_row(*at, &rows[i], former->revision);
    }
    return MNEME_OK;
}

/* The question that stays open, or the answer to those that were. */
static enum mneme_status add_question(const struct writing *w, struct mn_write **at,
                                      struct mneme_error *err)
{
    const struct mn_verdict *v = &w->verdict;
    struct mn_clarification *c = mn_arena_one(w->arena, struct mn_clarification);
    const char **ids = mn_arena_array(w->arena, const char *, v->rival_count + 1);
    bool chinese = mn_text_language(w->row.content, strlen(w->row.content)) == MN_LANGUAGE_ZH;

    if (!v->rival_count && !v->ended_count)
        return MNEME_OK;
    if (!c || !ids)
        return mn_fail_memory(err);
    c->partition = mn_partition_of(&w->row);
    c->memory_key = w->row.memory_key;
    c->resolved = !v->rival_count;
    ids[c->memory_ids.count++] = w->row.id;
    for (size_t i = 0; i < v->rival_count; i++) {
        ids[c->memory_ids.count++] = v->rival[i]->memory.id;
        c->blocking = c->blocking || v->rival[i]->memory.risk == MNEME_RISK_HIGH;
    }
    c->memory_ids.item = ids;
    c->blocking = c->blocking || w->row.risk == MNEME_RISK_HIGH;
    c->id = mn_arena_printf(w->arena, "clr_%s", w->row.id);
    c->question = mn_arena_printf(w->arena,
                                  chinese ? "关于“%s”，记忆互相矛盾：以哪一条为准？"
                                          : "Memories disagree about \"%s\": which one holds?",
                                  w->row.memory_key);
    if (!c->id || !c->question)
        return mn_fail_memory(err);
    **at = (struct mn_write){ .kind = MN_WRITE_CLARIFICATION, .clarification = c };
    (*at)++;
    return MNEME_OK;
}

/* The row as it enters: its place in the history of its key. */
static void take_place(struct writing *w)
{
    const struct mn_verdict *v = &w->verdict;
    struct mneme_memory *row = &w->row;

    for (size_t i = 0; i < v->ended_count; i++)
        if (v->ended[i]->memory.version >= row->version)
            row->version = v->ended[i]->memory.version + 1;
    if (v->ended_count) {
        int64_t from_ms = takes_place_ms(w);

        if (mn_empty(row->supersedes))
            row->supersedes = v->ended[0]->memory.id;
        if (!row->valid_from_ms && (!row->valid_until_ms || from_ms < row->valid_until_ms))
            row->valid_from_ms = from_ms;
    }
    if (v->planned_ms && (!row->valid_until_ms || row->valid_until_ms > v->planned_ms))
        row->valid_until_ms = v->planned_ms;
    if (v->act == MN_ACT_PAST) {
        row->status = MNEME_SUPERSEDED;
        if (!row->valid_until_ms || row->valid_until_ms > v->past_until_ms)
            row->valid_until_ms = v->past_until_ms;
        if (!row->valid_from_ms && w->said_at_ms)
            row->valid_from_ms = w->said_at_ms;
    }
}

static enum mneme_outcome outcome_of(const struct mn_verdict *v)
{
    if (v->into)
        return v->act == MN_ACT_MERGE ? MNEME_MERGED : MNEME_CONFIRMED;
    return v->rival_count ? MNEME_RIVAL : v->ended_count ? MNEME_SUPERSEDES : MNEME_INSERTED;
}

/* One transaction: the guard, the row or the one it is taken into, what it ends, what stays open. */
static enum mneme_status commit_verdict(struct writing *w, struct mneme_receipt *receipt,
                                        struct mneme_error *err)
{
    const struct mn_verdict *v = &w->verdict;
    struct mn_write *writes = mn_arena_array(w->arena, struct mn_write, v->ended_count + 5);
    struct mneme_change change = *w->change;
    struct mn_write *at = writes;
    struct mn_written *written = NULL;
    struct mneme_memory row;
    bool grew = true;

    if (!writes)
        return mn_fail_memory(err);
    *at++ = (struct mn_write){ .kind = MN_WRITE_GUARD, .guard = &w->guard };
    take_place(w);
    row = w->row;
    if (v->into)
        MN_TRY(mn_join(&v->into->memory, &w->row, &w->given, v->act,
                       mn_change_now(w->world, w->change), w->arena, &row, &grew, err));
    struct mn_request_row request = {
        .partition = mn_partition_of(&row),
        .key = w->request_key,
        .outcome = outcome_of(v),
        .id = row.id,
        .revision = !v->into ? 1 : row.revision + grew,
    };
    if (!mn_empty(request.key))
        *at++ = (struct mn_write){ .kind = MN_WRITE_REQUEST, .request = &request };
    if (!grew) {
        if (!mn_empty(request.key))
            MN_TRY(commit_all(w->world, writes, (size_t)(at - writes), &change, w->arena, &written,
                              err));
        mn_receipt_fill(receipt, outcome_of(v), row.id, row.revision);
        embed_now(w->world, w->change, mn_partition_of(&row), &row.id, 1); /* it may have none yet */
        return MNEME_OK;
    }
    at = add_row(at, &row, v->into ? v->into->memory.revision : MN_REVISION_NEW);
    MN_TRY(add_ended(w, &at, err));
    MN_TRY(add_question(w, &at, err));
    if (!v->into && w->vector.vector)
        *at++ = (struct mn_write){ .kind = MN_WRITE_VECTOR, .vector = &w->vector };
    change.reason = reason_of(w);
    MN_TRY(commit_all(w->world, writes, (size_t)(at - writes), &change, w->arena, &written, err));
    mn_receipt_fill(receipt, outcome_of(v), row.id, written[mn_empty(request.key) ? 1 : 2].revision);
    receipt->parts = mn_text_passage_count(strlen(row.content));
    if (v->into || !w->embedding_tried) /* its words may be others now */
        embed_now(w->world, w->change, mn_partition_of(&row), &row.id, 1);
    return MNEME_OK;
}

enum mneme_status mn_request_key(const char *call, const struct mneme_change *change, size_t part,
                                 struct mn_arena *arena, const char **ret_key,
                                 struct mneme_error *err)
{
    const char *given = mn_or_empty(change->idempotency_key);
    const char *key = "";

    if (change->idempotency_key && !*given) /* taken for none, a call sent again would write again */
        return mn_fail(err, MNEME_INVALID, "idempotency_key: is empty; NULL is none");
    if (strlen(given) > MNEME_NAME_BYTES_MAX)
        return mn_fail(err, MNEME_LIMIT, "idempotency_key: %zu bytes, at most %d", strlen(given),
                       MNEME_NAME_BYTES_MAX);
    if (*given)
        key = mn_arena_printf(arena, "%s:%zu:%s", call, part, given);
    if (!key)
        return mn_fail_memory(err);
    *ret_key = key;
    return MNEME_OK;
}

enum mneme_status mn_request_answered(struct mn_world *world, struct mn_partition partition,
                                      const char *key, const struct mneme_change *change,
                                      struct mn_arena *arena, struct mneme_receipt *ret_receipt,
                                      bool *ret_found, struct mneme_error *err)
{
    struct mn_request_row row;
    enum mneme_status status;

    *ret_found = false;
    if (mn_empty(key))
        return MNEME_OK;
    status = world->store->ops->request_get(world->store, partition, key,
                                            mn_change_now(world, change), arena, &row, err);
    if (status == MNEME_NOT_FOUND)
        return MNEME_OK;
    MN_TRY(status);
    mn_receipt_fill(ret_receipt, (enum mneme_outcome)row.outcome, row.id, row.revision);
    *ret_found = true;
    return MNEME_OK;
}

/*
 * What the caller says is replaced ends, whatever its key: a row that a link alone hides would still be
 * listed as active. Not what he may not withdraw, and no statement by an inference.
 */
static enum mneme_status end_named(struct writing *w, struct mneme_error *err)
{
    struct mn_store *store = w->world->store;
    struct mn_verdict *v = &w->verdict;
    struct mn_row *former = mn_arena_one(w->arena, struct mn_row);
    const struct mn_row **ended = mn_arena_array(w->arena, const struct mn_row *, v->ended_count + 1);
    const char *id = mn_or_empty(w->given.supersedes);
    struct mneme_error refused;

    if (!*id || v->into || v->act == MN_ACT_PAST)
        return MNEME_OK;
    for (size_t i = 0; i < v->ended_count; i++)
        if (mn_same(v->ended[i]->memory.id, id))
            return MNEME_OK;
    for (size_t i = 0; i < v->rival_count; i++)
        if (mn_same(v->rival[i]->memory.id, id))
            return MNEME_OK;
    if (!former || !ended)
        return mn_fail_memory(err);
    enum mneme_status status =
        store->ops->memory_get(store, mn_partition_of(&w->row), id, w->arena, former, err);
    if (status == MNEME_NOT_FOUND) /* another owner's: the commit says what that means */
        return MNEME_OK;
    MN_TRY(status);
    if (former->memory.status != MNEME_ACTIVE || !mn_join_may_set(&former->memory, &w->row) ||
        mn_authorise(&former->memory, &former->memory, w->change->admin, &refused) != MNEME_OK)
        return MNEME_OK;
    if (v->ended_count)
        memcpy(ended, v->ended, v->ended_count * sizeof *ended);
    ended[v->ended_count++] = former;
    v->ended = ended;
    return MNEME_OK;
}

/* *ret_answered: the request was made before, and the receipt says what it was told. */
static enum mneme_status decide(struct writing *w, struct mneme_receipt *receipt,
                                bool *ret_answered, struct mneme_error *err)
{
    const struct mneme_memory row = w->row;
    struct mn_rows alike = { 0 };
    struct mn_rows near = { 0 };
    struct mn_rows close = { 0 };
    struct mneme_error ignored;
    int64_t now_ms = mn_change_now(w->world, w->change);
    bool same = false;

    MN_TRY(mn_request_answered(w->world, mn_partition_of(&row), w->request_key, w->change,
                               w->arena, receipt, ret_answered, err));
    if (*ret_answered)
        return MNEME_OK;
    w->guard = (struct mn_guard){ .partition = mn_partition_of(&row),
                                  .content_hash = row.content_hash,
                                  .memory_key = row.memory_key };
    MN_TRY(w->world->store->ops->memories_alike(w->world->store, &row, w->arena, &alike,
                                                &w->guard.mark, err));
    for (size_t i = 0; i < alike.count && !same; i++)
        same = mn_same(alike.item[i].memory.content_hash, row.content_hash);
    /* An index that does not answer nominates nobody: the memory is stored all the same. */
    if (!same && !w->keeps_id &&
        mn_nominate(w->world, &w->row, w->vector.vector, now_ms, w->arena, &w->guard.position, &near,
                    &close, &ignored) == MNEME_OK)
        w->guard.like = &w->row;
    MN_TRY(mn_dedupe(&row, &alike, &near, &close, w->said_at_ms, now_ms, w->keeps_id, w->arena,
                     &w->verdict, err));
    if (w->verdict.keyless)
        w->row.memory_key = w->row.value = "";
    return end_named(w, err);
}

/* Looks, decides and commits; MNEME_CONFLICT when somebody wrote of the same meanwhile. */
static enum mneme_status attempt(struct writing *w, struct mneme_receipt *receipt,
                                 struct mneme_error *err)
{
    const struct mn_store_ops *ops = w->world->store->ops;
    const struct mneme_memory row = w->row;
    enum mneme_status status;
    bool answered = false;

    ops->reads_begin(w->world->store);
    status = decide(w, receipt, &answered, err);
    ops->reads_end(w->world->store);
    if (status != MNEME_OK || answered)
        return status;
    status = commit_verdict(w, receipt, err);
    if (status != MNEME_OK)
        w->row = row;
    return status;
}

/* Between looking and committing others may write, all of them together. Who lost to one looks again
 * alone: of many threads on one key each would lose again and again. Of another process he may lose
 * once more. */
static pthread_rwlock_t turns = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static enum mneme_status attempt_in_turn(struct writing *w, bool alone,
                                         struct mneme_receipt *receipt, struct mneme_error *err)
{
    if (alone)
        pthread_rwlock_wrlock(&turns);
    else
        pthread_rwlock_rdlock(&turns);
    enum mneme_status status = attempt(w, receipt, err);
    pthread_rwlock_unlock(&turns);
    return status;
}

/* Several titled things are several memories, which may then be found, changed and erased alone. What
 * brings its own id is meant as it is; the steps of a procedure belong together. */
static enum mneme_status check_grain(const struct mneme_memory *draft, struct mneme_error *err)
{
    struct mn_titled sections[MN_SECTIONS_MAX];
    size_t count = mn_text_sections(draft->content, sections);
    MN_BUF_AUTO titles = { 0 };

    if (!count || !mn_empty(draft->id) || mn_type_of(draft->type)->kind == MN_KIND_PROCEDURAL)
        return MNEME_OK;
    for (size_t i = 0; i < count; i++)
        mn_buf_printf(&titles, "%s%.*s", i ? "; " : "", (int)sections[i].title.bytes,
                      sections[i].title.at);
    return mn_fail(err, MNEME_INVALID, "content: holds %zu things, remember each alone: %.250s", count,
                   titles.failed ? "" : titles.at);
}

/* The zone that its owner's day is told by: the caller's, else the one that is remembered, else UTC. */
static const char *zone_of(const struct writing *w, const struct mneme_memory *draft)
{
    struct mneme_memory probe = MNEME_MEMORY_INIT;
    struct mn_alike_mark mark;
    struct mn_rows rows = { 0 };
    struct mneme_error ignored;

    if (!mn_empty(w->change->timezone))
        return w->change->timezone;
    probe.tenant_id = draft->tenant_id;
    probe.user_id = mn_or_empty(draft->user_id);
    probe.memory_key = "user.timezone";
    probe.content_hash = probe.id = probe.agent_id = "";
    probe.scope_kind = MNEME_SCOPE_USER;
    probe.scope_id = probe.user_id;
    if (mn_empty(draft->user_id) ||
        w->world->store->ops->memories_alike(w->world->store, &probe, w->arena, &rows, &mark,
                                             &ignored) != MNEME_OK)
        return "";
    for (size_t i = 0; i < rows.count; i++)
        if (mn_same(rows.item[i].memory.memory_key, probe.memory_key) &&
            mn_when_zone_known(rows.item[i].memory.value))
            return rows.item[i].memory.value;
    return "";
}

/* Days that were said relative to today get their dates. */
static enum mneme_status date_draft(const struct writing *w, struct mneme_memory *draft,
                                    struct mneme_error *err)
{
    int64_t created_at_ms = draft->created_at_ms;

    if (!draft->created_at_ms)
        draft->created_at_ms = mn_change_now(w->world, w->change);
    if (mn_date_wants(draft, w->arena))
        MN_TRY(mn_date(draft, zone_of(w, draft), w->arena, err));
    draft->created_at_ms = created_at_ms;
    return MNEME_OK;
}

enum mneme_status mn_remember_check(const struct mneme_memory *memory,
                                    const struct mneme_change *change, struct mn_arena *arena,
                                    struct mneme_memory *ret_draft, struct mneme_error *err)
{
    struct mneme_memory draft;

    MN_TRY(mn_memory_adopt(memory, &draft, err));
    mn_classify(&draft);
    MN_TRY(mn_memory_check(&draft, err));
    MN_TRY(check_grain(&draft, err));
    MN_TRY(mn_describe(&draft, arena, err));
    MN_TRY(mn_authorise(&draft, NULL, change->admin, err));
    MN_TRY(mn_guard_secrets(&draft, change->allow_secrets, err));
    *ret_draft = draft;
    return MNEME_OK;
}

enum mneme_status mn_remember(struct mn_world *world, const struct mneme_memory *memory,
                              const struct mneme_change *change, struct mn_arena *arena,
                              struct mneme_receipt *ret_receipt, struct mneme_error *err)
{
    struct writing w = { .world = world, .change = change, .arena = arena };
    struct mneme_receipt receipt = { 0 };
    struct mneme_error failed;
    struct mneme_memory draft;
    enum mneme_status status = MNEME_CONFLICT;

    MN_TRY(mn_remember_check(memory, change, arena, &draft, err));
    w.given = draft;
    MN_TRY(date_draft(&w, &draft, err));
    mn_weigh(&draft);
    MN_TRY(mn_memory_complete(&draft, mn_change_now(world, change), arena, &w.row, err));
    w.keeps_id = !mn_empty(draft.id);
    MN_TRY(mn_request_key("remember", change, 0, arena, &w.request_key, err));
    embed_draft(&w);
    w.said_at_ms = w.given.event_time_ms && !mn_key_is_schedule(w.given.memory_key)
                       ? w.given.event_time_ms
                   : w.given.valid_from_ms ? w.given.valid_from_ms
                                           : w.given.created_at_ms;
    for (int i = 0; i < ATTEMPTS_MAX && status == MNEME_CONFLICT; i++) {
        status = attempt_in_turn(&w, i > 0, &receipt, &failed);
        if (status == MNEME_CONFLICT && strcmp(failed.field, "revision") != 0)
            break;
    }
    if (status != MNEME_OK) {
        if (err)
            *err = failed;
        return status;
    }
    *ret_receipt = receipt;
    return MNEME_OK;
}
