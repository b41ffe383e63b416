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
 * are back. An order that fits too much forgets nothing and is answered by a question.
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

static enum mneme_status note(struct forgetting *f, struct mn_forgotten *forgotten,
                              const struct mneme_receipt *receipt, struct mneme_error *err)
{
    struct mneme_receipt *added = mn_array_add(f->arena, forgotten);

    if (!added)
        return mn_fail_memory(err);
    *added = *receipt;
    added->outcome = MNEME_FORGOTTEN;
    return MNEME_OK;
}

/* Somebody may write the same row meanwhile. */
static enum mneme_status withdraw_one(struct forgetting *f, const char *id,
                                      struct mneme_receipt *ret_receipt, struct mneme_error *err)
{
    enum mneme_status status = MNEME_CONFLICT;

    for (int i = 0; i < ATTEMPTS_MAX && status == MNEME_CONFLICT; i++)
        status = mn_remember_forget(f->world, f->partition.tenant, f->partition.owner, id, f->change,
                                    f->arena, ret_receipt, err);
    return status;
}

/* What is gone by now, and what only an administrator may withdraw, is passed over. */
static enum mneme_status withdraw(struct forgetting *f, struct mn_forgotten *forgotten,
                                  struct mneme_error *err)
{
    for (size_t i = 0; i < f->memories.count; i++) {
        struct mneme_receipt receipt;
        enum mneme_status status = withdraw_one(f, f->memories.item[i], &receipt, err);

        if (status == MNEME_FORBIDDEN || status == MNEME_NOT_FOUND)
            continue;
        MN_TRY(status);
        MN_TRY(note(f, forgotten, &receipt, err));
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
                                  struct mn_forgotten *forgotten, struct mneme_error *err)
{
    const char **from = mn_arena_array(f->arena, const char *, count + 1);
    struct mneme_memory draft = MNEME_MEMORY_INIT, row;
    struct mn_written written;
    struct mneme_receipt receipt = { 0 };
    int64_t now_ms = mn_change_now(f->world, f->change);

    if (!from)
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
    MN_TRY(mn_memory_complete(&draft, now_ms, f->arena, &row, err));
    struct mn_write write = { .kind = MN_WRITE_MEMORY,
                              .expected_revision = MN_REVISION_NEW,
                              .memory = &row,
                              .forgets = true };
    struct mn_commit commit = { .write = &write,
                                .count = 1,
                                .actor = mn_or_empty(f->change->actor),
                                .reason = mn_or_empty(f->change->reason),
                                .now_ms = now_ms,
                                .own_links = true };
    MN_TRY(mn_store_commit_one(f->world->store, &commit, &written, err));
    mn_receipt_fill(&receipt, MNEME_FORGOTTEN, row.id, written.revision);
    return note(f, forgotten, &receipt, err);
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

    if (called->call == MN_CALL_TAKEN_BACK && !mn_key_of(arena, called->said.at, &f.keyed))
        f.keyed.key = NULL;
    MN_TRY(look(&f, err));
    if (f.memories.count > FORGOTTEN_MAX)
        return ask(&f, ret_forgotten, err);
    if (!f.memories.count && !f.turns.count)
        return MNEME_OK;
    MN_TRY(withdraw(&f, ret_forgotten, err));
    for (size_t at = 0; at == 0 || at < f.turns.count; at += WITHHELD_AT_ONCE) {
        size_t left = f.turns.count - at;

        MN_TRY(withhold(&f, f.turns.item + at, left < WITHHELD_AT_ONCE ? left : WITHHELD_AT_ONCE,
                        ret_forgotten, err));
    }
    return MNEME_OK;
}
