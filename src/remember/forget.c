/*
 * forget.c - a turn that orders to forget what was said.
 *
 * "Forget what I said about Berlin" withdraws the speaker's own memories that hold all the words of the
 * topic, and the turns that hold them, the assistant's among them: in whose words it comes back is all
 * one. "Forget that I live in Berlin" withdraws what says just that. What others share, and what he may
 * not withdraw, stays.
 *
 * Nothing is lost. Each memory is withdrawn as mneme_forget() does it. The turns are held by a memory of
 * the order, which is written as withdrawn and names them as its source: where it is made active, they
 * are back. All of it is one commit. An order that fits too much forgets nothing and is answered by a
 * question.
 *
 * It reaches what a recall of the same identity reaches, and so no other task or project and nothing that
 * asks for a permission he does not hold now: he is told what was forgotten, and whoever speaks for one
 * project shall not learn of another. Nor what is in the archive unless a memory names it: there it is
 * found by no words, and no recall brings it back.
 */
#include "remember/remember.h"

#include <string.h>

#include "base/array.h"
#include "index/index.h"
#include "memory/record.h"
#include "remember/draft.h"
#include "search/search.h"
#include "store/store.h"
#include "text/analyze.h"
#include "text/compare.h"
#include "text/orders.h"

#define LOOKED_AT_MAX 16384 /* rows that hold words of the topic, those that are shared among them */
#define LOOK_BYTES_MAX ((size_t)256 << 20)
#define TEXT_BYTES_MAX ((size_t)32 << 20) /* to read one of them */
#define FORGOTTEN_MAX 16 /* memories at once */
#define WITHHELD_AT_ONCE (MNEME_LIST_ITEMS_MAX - 1) /* turns beside the order's own */
#define ATTEMPTS_MAX 16

struct ids {
    const char **item;
    size_t count, room;
};

struct forgetting {
    struct mn_world *world;
    const struct mneme_event *order;
    const struct mn_called *called;
    const struct mneme_change *change;
    struct mn_arena *arena;
    struct mn_partition partition;
    struct mn_access access;
    struct mn_terms terms; /* of the topic */
    struct mn_keyed keyed; /* of a statement; key NULL: no rule knows one */
    struct ids memories, turns;
};

static enum mneme_status add_id(struct mn_arena *arena, struct ids *ids, const char *id,
                                struct mneme_error *err)
{
    const char **added = mn_array_add(arena, ids);

    if (!added || !(*added = mn_arena_copy(arena, id)))
        return mn_fail_memory(err);
    return MNEME_OK;
}

/* ---- what the order means ---- */

/* text NULL: no memory. */
static enum mneme_status holds_topic(const struct forgetting *f, const char *text,
                                     struct mn_arena *scratch, bool *ret_holds,
                                     struct mneme_error *err)
{
    struct mn_terms own = { 0 };
    bool all = f->terms.count > 0;

    if (!text)
        return mn_fail_memory(err);
    MN_TRY(mn_text_terms(scratch, text, strlen(text), &own, err));
    for (size_t i = 0; i < f->terms.count && all; i++) {
        all = false;
        for (size_t k = 0; k < own.count && !all; k++)
            all = own.item[k].hash == f->terms.item[i].hash;
    }
    *ret_holds = all;
    return MNEME_OK;
}

/* Says it just what is to be forgotten? */
static bool says_it(const struct forgetting *f, const char *content, struct mn_arena *scratch)
{
    struct mn_keyed keyed;

    if (f->keyed.key && mn_key_of(scratch, content, &keyed))
        return mn_same(keyed.key, f->keyed.key) && mn_same(keyed.value, f->keyed.value);
    enum mn_likeness likeness = mn_text_likeness(scratch, f->called->said.at, content);
    return likeness == MN_LIKENESS_IDENTICAL || likeness == MN_LIKENESS_REWORDED;
}

/* What is said of it later is no matter of the order. */
static bool is_before(const struct forgetting *f, const struct mneme_memory *m, bool is_event)
{
    int64_t at_ms = is_event ? m->event_time_ms : m->created_at_ms;

    return !f->order->event_time_ms || at_ms <= f->order->event_time_ms;
}

static enum mneme_status look_at(struct forgetting *f, const struct mn_hit *hit,
                                 struct mneme_error *err)
{
    const struct mneme_memory *m = &hit->unit->memory;
    bool is_event = hit->unit->is_event, meant = false;
    MN_ARENA_AUTO scratch = mn_arena_new(TEXT_BYTES_MAX);

    if (!scratch)
        return mn_fail_memory(err);
    if (hit->shared || mn_same(hit->unit->parent_id, f->order->id) || !is_before(f, m, is_event))
        return MNEME_OK;
    if (f->called->call == MN_CALL_TAKEN_BACK)
        meant = says_it(f, m->content, scratch);
    else
        MN_TRY(holds_topic(f, mn_arena_printf(scratch, "%s %s", m->title, m->content), scratch, &meant,
                           err));
    return meant ? add_id(f->arena, is_event ? &f->turns : &f->memories, hit->unit->parent_id, err)
                 : MNEME_OK;
}

static enum mneme_status look(struct forgetting *f, struct mneme_error *err)
{
    struct mn_query query = {
        .access = &f->access,
        .text_types = (mn_type_set)-1,
        .terms = &f->terms,
        .language = mn_text_language(f->called->said.at, f->called->said.bytes),
        .text_k = LOOKED_AT_MAX,
    };
    MN_ARENA_AUTO arena = mn_arena_new(LOOK_BYTES_MAX);
    const char *position = NULL;
    struct mn_hits hits = { 0 };

    if (!arena)
        return mn_fail_memory(err);
    MN_TRY(mn_text_query_terms(f->arena, f->called->said.at, f->called->said.bytes, &f->terms, err));
    if (!f->terms.count)
        return MNEME_OK;
    for (size_t i = 0; i < f->terms.count; i++)
        f->terms.item[i].text = (struct mn_str){ NULL, 0 }; /* what is misspelt is another word */
    MN_TRY(mn_index_catch_up(f->world, &f->access, arena, &position, err));
    MN_TRY(f->world->search->ops->top(f->world->search, &query, arena, &hits, err));
    if (hits.partial) /* half of it forgotten would pass for all of it */
        return mn_fail(err, MNEME_UNAVAILABLE, "index: a partition is not loaded");
    if (hits.count >= LOOKED_AT_MAX)
        return mn_fail(err, MNEME_LIMIT, "%zu rows and more hold words of it, at most %d are looked at",
                       hits.count, LOOKED_AT_MAX - 1);
    for (size_t i = 0; i < hits.count; i++)
        MN_TRY(look_at(f, &hits.item[i], err));
    return MNEME_OK;
}

/* ---- forgetting ---- */

static enum mneme_status note(struct forgetting *f, struct mn_forgotten *forgotten, const char *id,
                              int64_t revision, struct mneme_error *err)
{
    struct mneme_receipt *added = mn_array_add(f->arena, forgotten);

    if (!added)
        return mn_fail_memory(err);
    *added = (struct mneme_receipt){ 0 };
    mn_receipt_fill(added, MNEME_FORGOTTEN, id, revision);
    return MNEME_OK;
}

/* The memories as they shall be. What is gone by now, and what only an administrator may withdraw, is
 * passed over. */
static enum mneme_status withdraw(struct forgetting *f, struct mn_write **at, struct mneme_error *err)
{
    const struct mn_store_ops *ops = f->world->store->ops;
    struct mneme_memory *rows = mn_arena_array(f->arena, struct mneme_memory, f->memories.count + 1);

    if (!rows)
        return mn_fail_memory(err);
    for (size_t i = 0; i < f->memories.count; i++) {
        struct mn_row former;
        struct mneme_error refused;
        enum mneme_status status = ops->memory_get(f->world->store, f->partition, f->memories.item[i],
                                                   f->arena, &former, err);

        if (status == MNEME_NOT_FOUND)
            continue;
        MN_TRY(status);
        if (former.memory.status == MNEME_REVOKED || former.memory.status == MNEME_DELETED ||
            mn_authorise(&former.memory, &former.memory, f->change->admin, &refused) != MNEME_OK)
            continue;
        rows[i] = former.memory;
        rows[i].status = MNEME_DELETED;
        rows[i].updated_at_ms = mn_change_now(f->world, f->change);
        *(*at)++ = (struct mn_write){ .kind = MN_WRITE_MEMORY,
                                      .expected_revision = former.memory.revision,
                                      .memory = &rows[i],
                                      .forgets = true };
    }
    return MNEME_OK;
}

/* A secret is not said again. */
static const char *words_of(struct forgetting *f)
{
    bool chinese = mn_text_language(f->order->text, strlen(f->order->text)) == MN_LANGUAGE_ZH;

    if (mn_text_secret(f->order->text))
        return chinese ? "用户要求忘掉一个密码或密钥" : "The user asked to forget a secret";
    return mn_arena_printf(f->arena, chinese ? "用户要求忘掉：%.*s" : "The user asked to forget: %.*s",
                           (int)f->called->said.bytes, f->called->said.at);
}

/* The order as a memory that is withdrawn: its turns are withheld for as long. */
static enum mneme_status withhold(struct forgetting *f, const char *const *turns, size_t count,
                                  struct mn_write **at, struct mneme_error *err)
{
    const char **from = mn_arena_array(f->arena, const char *, count + 1);
    struct mneme_memory *row = mn_arena_one(f->arena, struct mneme_memory);
    struct mneme_memory draft = MNEME_MEMORY_INIT;

    if (!from || !row)
        return mn_fail_memory(err);
    if (count)
        memcpy(from, turns, count * sizeof *turns);
    from[count] = f->order->id; /* last: with this turn its words are erased */
    draft.tenant_id = f->partition.tenant;
    draft.user_id = f->partition.owner;
    draft.agent_id = f->order->agent_id;
    draft.type = "event";
    draft.scope_kind = MNEME_SCOPE_USER;
    draft.scope_id = f->partition.owner;
    draft.authority = MNEME_EXPLICIT_USER;
    draft.status = MNEME_DELETED;
    draft.event_time_ms = f->order->event_time_ms;
    draft.provenance = (struct mneme_list){ from, count + 1 };
    draft.category = MN_ORDERED;
    draft.content = words_of(f);
    if (!draft.content)
        return mn_fail_memory(err);
    mn_weigh(&draft);
    MN_TRY(mn_memory_complete(&draft, mn_change_now(f->world, f->change), f->arena, row, err));
    *(*at)++ = (struct mn_write){ .kind = MN_WRITE_MEMORY,
                                  .expected_revision = MN_REVISION_NEW,
                                  .memory = row,
                                  .forgets = true };
    return MNEME_OK;
}

/* All of it in one commit: who is killed has forgotten everything or nothing. */
static enum mneme_status forget_once(struct forgetting *f, struct mn_forgotten *forgotten,
                                     struct mneme_error *err)
{
    size_t rows_max = f->memories.count + f->turns.count / WITHHELD_AT_ONCE + 1;
    struct mn_write *writes = mn_arena_array(f->arena, struct mn_write, rows_max);
    struct mn_written *written = mn_arena_array(f->arena, struct mn_written, rows_max);
    struct mn_write *at = writes;
    struct mn_commit commit = { .write = writes,
                                .actor = mn_or_empty(f->change->actor),
                                .reason = mn_or_empty(f->change->reason),
                                .now_ms = mn_change_now(f->world, f->change),
                                .own_links = true };

    if (!writes || !written)
        return mn_fail_memory(err);
    MN_TRY(withdraw(f, &at, err));
    for (size_t from = 0; from == 0 || from < f->turns.count; from += WITHHELD_AT_ONCE) {
        size_t left = f->turns.count - from;

        MN_TRY(withhold(f, f->turns.item + from, left < WITHHELD_AT_ONCE ? left : WITHHELD_AT_ONCE,
                        &at, err));
    }
    commit.count = (size_t)(at - writes);
    MN_TRY(mn_store_commit_one(f->world->store, &commit, written, err));
    for (size_t i = 0; i < commit.count; i++)
        MN_TRY(note(f, forgotten, writes[i].memory->id, written[i].revision, err));
    return MNEME_OK;
}

/* So many that he may not have meant all of them. */
static enum mneme_status ask(struct forgetting *f, struct mn_forgotten *forgotten,
                             struct mneme_error *err)
{
    bool chinese = mn_text_language(f->order->text, strlen(f->order->text)) == MN_LANGUAGE_ZH;

    forgotten->question = mn_arena_printf(
        f->arena,
        chinese ? "有 %zu 条记忆符合“%.*s”，要忘掉其中哪些？"
                : "%zu memories fit \"%.*s\": which of them shall be forgotten?",
        f->memories.count, (int)f->called->said.bytes, f->called->said.at);
    return forgotten->question ? MNEME_OK : mn_fail_memory(err);
}

enum mneme_status mn_remember_told_to_forget(struct mn_world *world, const struct mneme_event *order,
                                             const struct mn_called *called,
                                             const struct mn_place *place,
                                             const struct mneme_change *change,
                                             struct mn_arena *arena, struct mn_forgotten *ret_forgotten,
                                             struct mneme_error *err)
{
    struct forgetting f = {
        .world = world,
        .order = order,
        .called = called,
        .change = change,
        .arena = arena,
        .partition = { order->tenant_id, order->user_id },
        .access = { .tenant = order->tenant_id,
                    .user = order->user_id,
                    .agent = mn_or_empty(order->agent_id),
                    .session = mn_or_empty(place->session_id),
                    .task = mn_or_empty(place->task_id),
                    .project = mn_or_empty(place->project_id),
                    .repository = mn_or_empty(place->repository_id),
                    .clearance = MNEME_SECRET,
                    .at_ms = mn_change_now(world, change) },
    };
    enum mneme_status status = MNEME_CONFLICT;

    if (called->call == MN_CALL_TAKEN_BACK && !mn_key_of(arena, called->said.at, &f.keyed))
        f.keyed.key = NULL;
    MN_TRY(look(&f, err));
    if (f.memories.count > FORGOTTEN_MAX)
        return ask(&f, ret_forgotten, err);
    if (!f.memories.count && !f.turns.count)
        return MNEME_OK;
    for (int i = 0; i < ATTEMPTS_MAX && status == MNEME_CONFLICT; i++)
        status = forget_once(&f, ret_forgotten, err); /* somebody may write the same row meanwhile */
    return status;
}
