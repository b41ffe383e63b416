/*
 * records.c - events and whole rows: what happened, and what is loaded as it is.
 *
 * A record keeps its ids, versions, statuses and times; it is checked, authorised and searched for
 * secrets like anything else, but not compared with what is there, except with its own former row: the
 * same row again changes nothing, an older revision never overwrites a newer one. Everything of one
 * call is one commit.
 */
#include "remember/remember.h"

#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "index/index.h"
#include "memory/record.h"
#include "memory/rule.h"
#include "remember/parts.h"
#include "store/store.h"
#include "text/recalled.h"

/* The writes of one call, and for each the record it came of. */
struct batch {
    struct mn_world *world;
    struct mn_arena *arena;
    struct {
        struct mn_write *item;
        size_t count;
        size_t room;
    } writes;
    size_t *of; /* record index of each write */
    size_t of_room;
    int64_t now_ms;
    const struct mneme_change *change;
    const char *profile; /* of vectors that come with records; "" none */
    size_t dim;
};

static enum mneme_status add_write(struct batch *b, size_t record, struct mn_write write,
                                   struct mneme_error *err)
{
    struct mn_write *made = mn_array_add(b->arena, &b->writes);

    if (!made || !mn_array_grow(b->arena, (void **)&b->of, b->writes.count - 1, &b->of_room,
                                sizeof *b->of))
        return mn_fail_memory(err);
    *made = write;
    b->of[b->writes.count - 1] = record;
    return MNEME_OK;
}

/* A vector that came with a memory or an event, as a row of its own. */
static enum mneme_status add_vector(struct batch *b, size_t record,
                                    const struct mneme_record *source,
                                    const struct mneme_memory *memory, const char *speaker,
                                    struct mneme_error *err)
{
    struct mn_vector_row *row;
    const char *text = NULL;
    char *hash;

    if (!source->vector)
        return MNEME_OK;
    if (!b->profile[0])
        return mn_fail(err, MNEME_INVALID, "vector: the store was opened without a model profile");
    if (source->vector_dim != b->dim)
        return mn_fail(err, MNEME_INVALID, "vector: %zu numbers, the model's have %zu",
                       source->vector_dim, b->dim);
    row = mn_arena_one(b->arena, struct mn_vector_row);
    hash = mn_arena_alloc(b->arena, MN_SHA256_HEX_BYTES);
    if (!row || !hash)
        return mn_fail_memory(err);
    MN_TRY(mn_memory_embed_text(memory, speaker, b->arena, &text, err));
    if (!mn_sha256_hex(text, strlen(text), hash))
        return mn_fail_memory(err);
    *row = (struct mn_vector_row){
        .partition = mn_partition_of(memory),
        .unit_id = memory->id,
        .profile = b->profile,
        .text_hash = hash,
        .dim = b->dim,
        .vector = source->vector,
    };
    return add_write(b, record, (struct mn_write){ .kind = MN_WRITE_VECTOR, .vector = row }, err);
}

/*
 * Loading over a row needs what editing it needs: without an admin grant the former row is asked. The
 * same row again changes nothing, and needs nothing.
 */
static enum mneme_status authorise(const struct batch *b, const struct mneme_memory *row,
                                   bool brings_id, struct mneme_error *err)
{
    struct mn_store *store = b->world->store;
    enum mneme_status status = MNEME_NOT_FOUND;
    struct mn_row former;

    if (b->change->admin)
        return MNEME_OK;
    if (brings_id)
        status = store->ops->memory_get(store, mn_partition_of(row), row->id, b->arena, &former,
                                        err);
    if (status == MNEME_NOT_FOUND)
        return mn_authorise(row, NULL, 0, err);
    MN_TRY(status);
    return mn_memory_same_row(&former.memory, row) ? MNEME_OK
                                                   : mn_authorise(row, &former.memory, 0, err);
}

static enum mneme_status add_memory(struct batch *b, size_t record,
                                    const struct mneme_record *source, struct mneme_error *err)
{
    struct mneme_memory *row = mn_arena_one(b->arena, struct mneme_memory);
    struct mneme_memory draft;

    if (!row)
        return mn_fail_memory(err);
    MN_TRY(mn_memory_adopt(source->memory, &draft, err));
    mn_classify(&draft);
    MN_TRY(mn_memory_check(&draft, err));
    MN_TRY(mn_guard_secrets(&draft, b->change->allow_secrets, err));
    MN_TRY(mn_memory_complete(&draft, b->now_ms, b->arena, row, err));
    MN_TRY(authorise(b, row, !mn_empty(draft.id), err));
    MN_TRY(add_write(b, record,
                     (struct mn_write){ .kind = MN_WRITE_MEMORY,
                                        .expected_revision = MN_REVISION_LOAD,
                                        .memory = row },
                     err));
    MN_TRY(add_vector(b, record, source, row, NULL, err));
    if (source->usage) {
        struct mneme_usage *usage = mn_arena_one(b->arena, struct mneme_usage);

        if (!usage)
            return mn_fail_memory(err);
        *usage = *source->usage;
        usage->tenant_id = row->tenant_id;
        usage->memory_id = row->id;
        MN_TRY(mn_usage_check(usage, err));
        return add_write(b, record, (struct mn_write){ .kind = MN_WRITE_USAGE, .usage = usage },
                         err);
    }
    return MNEME_OK;
}

/* The turn as the extractor shall read it; NULL when there is nothing to read or nobody to. */
static enum mneme_status extraction_of(struct batch *b, const struct mneme_event *row,
                                       struct mn_extraction **ret_extraction,
                                       struct mneme_error *err)
{
    *ret_extraction = NULL;
    if (!b->world->chat || b->change->without_drafts || !mn_reader_wants(row, b->arena))
        return MNEME_OK;
    *ret_extraction = mn_arena_one(b->arena, struct mn_extraction);
    if (!*ret_extraction)
        return mn_fail_memory(err);
    mn_reader_queue(row, b->change, b->now_ms, b->arena, *ret_extraction);
    return MNEME_OK;
}

/* Somebody said something beside what a recall put there. */
static enum mneme_status own_words(const struct mneme_event *event, struct mn_arena *arena,
                                   bool *ret_own, struct mneme_error *err)
{
    const char *own = mn_recalled_without(arena, event->text);

    if (!own)
        return mn_fail_memory(err);
    *ret_own = own == event->text || own[0];
    return MNEME_OK;
}

/* source: the record it came with; NULL: it was said just now. said: it is to be drawn from. */
static enum mneme_status add_event(struct batch *b, size_t record, const struct mneme_event *event,
                                   const struct mneme_record *source, bool said,
                                   struct mneme_error *err)
{
    struct mn_extraction *extraction = NULL;
    struct mneme_event *row = mn_arena_one(b->arena, struct mneme_event);
    struct mneme_memory as_memory;
    int secret = 0;
    bool own = false;

    if (!row)
        return mn_fail_memory(err);
    MN_TRY(mn_event_check(event, err));
    MN_TRY(mn_guard_text("text", event->text, b->change->allow_secrets, &secret, err));
    MN_TRY(mn_guard_text("attributes", event->attributes, b->change->allow_secrets, &secret, err));
    MN_TRY(mn_event_complete(event, b->now_ms, b->arena, row, err));
    MN_TRY(own_words(row, b->arena, &own, err));
    if (secret || !own)
        row->not_recallable = 1; /* kept as evidence; a turn has no sensitivity to raise */
    if (said && own)
        MN_TRY(extraction_of(b, row, &extraction, err));
    MN_TRY(add_write(
        b, record,
        (struct mn_write){ .kind = MN_WRITE_EVENT, .event = row, .extraction = extraction,
                           .task_id = source ? NULL : b->change->task_id }, err));
    if (!source || !source->vector)
        return MNEME_OK;
    MN_TRY(mn_event_as_memory(row, b->arena, &as_memory, err));
    return add_vector(b, record, source, &as_memory, row->speaker, err);
}

static enum mneme_status add_rule(struct batch *b, size_t record, const struct mneme_rule *rule,
                                  struct mneme_error *err)
{
    struct mneme_rule *row = mn_arena_one(b->arena, struct mneme_rule);

    if (!b->change->admin)
        return mn_fail(err, MNEME_FORBIDDEN, "rule: needs an admin grant");
    if (!row)
        return mn_fail_memory(err);
    MN_TRY(mn_rule_check(rule, err));
    if (rule->trigger_type == MNEME_TRIGGER_REGEX)
        MN_TRY(mn_rule_pattern_check(rule->trigger_value, err));
    MN_TRY(mn_rule_complete(rule, b->arena, row, err));
    return add_write(b, record, (struct mn_write){ .kind = MN_WRITE_RULE, .rule = row }, err);
}

static enum mneme_status add_task_state(struct batch *b, size_t record,
                                        const struct mneme_task_state *state,
                                        struct mneme_error *err)
{
    struct mneme_task_state *row = mn_arena_one(b->arena, struct mneme_task_state);

    if (!row)
        return mn_fail_memory(err);
    MN_TRY(mn_task_state_check(state, err));
    MN_TRY(mn_guard_text("state", state->state, b->change->allow_secrets, NULL, err));
    MN_TRY(mn_task_state_complete(state, b->now_ms, b->arena, row, err));
    row->updated_at_ms = state->updated_at_ms; /* 0: the commit's, where the state is another */
    return add_write(b, record, (struct mn_write){ .kind = MN_WRITE_TASK_STATE, .task_state = row },
                     err);
}

static enum mneme_status add_edge(struct batch *b, size_t record, const struct mneme_edge *edge,
                                  struct mneme_error *err)
{
    struct mneme_edge *row = mn_arena_one(b->arena, struct mneme_edge);

    if (!row)
        return mn_fail_memory(err);
    MN_TRY(mn_edge_check(edge, err));
    if (mn_empty(edge->user_id) && !b->change->admin)
        return mn_fail(err, MNEME_FORBIDDEN,
                       "user_id: an edge that the whole tenant shares needs an admin grant");
    MN_TRY(mn_edge_complete(edge, b->arena, row, err));
    return add_write(b, record, (struct mn_write){ .kind = MN_WRITE_EDGE, .edge = row }, err);
}

static enum mneme_status add_record(struct batch *b, size_t at, const struct mneme_record *r,
                                    struct mneme_error *err)
{
    switch (r->kind) {
    case MNEME_RECORD_MEMORY:
        return add_memory(b, at, r, err);
    case MNEME_RECORD_EVENT:
        return add_event(b, at, r->event, r, false, err);
    case MNEME_RECORD_RULE:
        return add_rule(b, at, r->rule, err);
    case MNEME_RECORD_TASK_STATE:
        return add_task_state(b, at, r->task_state, err);
    case MNEME_RECORD_EDGE:
        return add_edge(b, at, r->edge, err);
    case MNEME_RECORD_USAGE:
        if (!b->change->admin)
            return mn_fail(err, MNEME_FORBIDDEN,
                           "usage: apart from its memory it needs an admin grant");
        MN_TRY(mn_usage_check(r->usage, err));
        return add_write(b, at, (struct mn_write){ .kind = MN_WRITE_USAGE, .usage = r->usage }, err);
    case MNEME_RECORD_NONE:
        break;
    }
    return mn_fail(err, MNEME_INVALID, "kind: not one of the record kinds");
}

/* What each record became: the first of its writes tells. */
static void fill_receipts(const struct batch *b, const struct mn_written *written,
                          struct mneme_receipt *receipts)
{
    for (size_t i = 0; receipts && i < b->writes.count; i++) {
        const struct mn_write *w = &b->writes.item[i];
        const char *id = w->memory ? w->memory->id : w->event ? w->event->id : "";

        if ((i && b->of[i] == b->of[i - 1]) || w->kind == MN_WRITE_REQUEST)
            continue;
        mn_receipt_fill(&receipts[b->of[i]],
                        written[i].unchanged  ? MNEME_UNCHANGED
                        : written[i].replaced ? MNEME_UPDATED
                                              : MNEME_INSERTED,
                        id, written[i].revision);
    }
}

/* Embeds what was written, partition by partition in the order of the writes. */
static void embed_written(struct mn_world *world, const struct batch *b,
                          const struct mn_written *written)
{
    const char **ids = mn_arena_array(b->arena, const char *, b->writes.count + 1);
    struct mn_partition partition = { "", "" };
    struct mneme_error ignored;
    size_t count = 0;

    if (!ids || b->change->without_embedding)
        return;
    for (size_t i = 0; i < b->writes.count; i++) {
        const struct mn_write *w = &b->writes.item[i];

        if ((!w->memory && !w->event) || written[i].unchanged)
            continue;
        struct mn_partition own = w->memory
                                      ? (struct mn_partition){ w->memory->tenant_id,
                                                               w->memory->user_id }
                                      : (struct mn_partition){ w->event->tenant_id,
                                                               w->event->user_id };
        if (count && (strcmp(own.tenant, partition.tenant) || strcmp(own.owner, partition.owner))) {
            mn_index_embed_units(world, partition, ids, count, &ignored);
            count = 0;
        }
        partition = own;
        ids[count++] = w->memory ? w->memory->id : w->event->id;
    }
    mn_index_embed_units(world, partition, ids, count, &ignored);
}

/* Commits the batch; on failure *ret_failed names the record at fault. */
static enum mneme_status commit_batch(struct mn_world *world, struct batch *b,
                                      struct mneme_receipt *ret_receipts, size_t *ret_failed,
                                      struct mneme_error *err)
{
    struct mn_written *written = mn_arena_array(b->arena, struct mn_written, b->writes.count + 1);
    struct mn_commit commit = {
        .write = b->writes.item,
        .count = b->writes.count,
        .actor = mn_or_empty(b->change->actor),
        .reason = mn_or_empty(b->change->reason),
        .now_ms = b->now_ms,
        .own_links = !b->change->admin,
    };
    struct mn_commit_result result = { .written = written };

    if (!written)
        return mn_fail_memory(err);
    if (!b->writes.count)
        return MNEME_OK;
    MN_TRY(world->store->ops->commit(world->store, &commit, 1, &result, err));
    if (result.status != MNEME_OK) {
        if (ret_failed)
            *ret_failed = b->of[result.failed];
        if (err)
            *err = result.error;
        return result.status;
    }
    fill_receipts(b, written, ret_receipts);
    embed_written(world, b, written);
    return MNEME_OK;
}

static struct batch batch_of(struct mn_world *world, const struct mneme_change *change,
                             struct mn_arena *arena)
{
    return (struct batch){
        .world = world,
        .arena = arena,
        .now_ms = mn_change_now(world, change),
        .change = change,
        .profile = mn_index_profile(world),
        .dim = world->model ? world->model->profile.dim : 0,
    };
}

enum mneme_status mn_remember_records(struct mn_world *world, const struct mneme_record *records,
                                      size_t count, const struct mneme_change *change,
                                      struct mn_arena *arena, struct mneme_receipt *ret_receipts,
                                      size_t *ret_failed, struct mneme_error *err)
{
    struct batch b = batch_of(world, change, arena);

    for (size_t i = 0; i < count; i++) {
        enum mneme_status status = add_record(&b, i, &records[i], err);

        if (status != MNEME_OK) {
            if (ret_failed)
                *ret_failed = i;
            return status;
        }
    }
    return commit_batch(world, &b, ret_receipts, ret_failed, err);
}

/* *ret_answered: the same call was made before, and these were its receipts. */
static enum mneme_status events_answered(struct mn_world *world, const struct mneme_event *events,
                                         size_t count, const struct mneme_change *change,
                                         struct mn_arena *arena, struct mneme_receipt *receipts,
                                         bool *ret_answered, struct mneme_error *err)
{
    const char *key = NULL;

    *ret_answered = count > 0 && change->idempotency_key != NULL;
    for (size_t i = 0; i < count && *ret_answered; i++) {
        MN_TRY(mn_request_key("observe", change, i, arena, &key, err));
        MN_TRY(mn_request_answered(
            world, (struct mn_partition){ events[i].tenant_id, mn_or_empty(events[i].user_id) },
            key, change, arena, &receipts[i], ret_answered, err));
    }
    return MNEME_OK;
}

/* Behind the events, what this call is answered. */
static enum mneme_status add_requests(struct batch *b, const struct mn_parts *parts,
                                      struct mneme_error *err)
{
    struct mn_request_row *rows = mn_arena_array(b->arena, struct mn_request_row, parts->count + 1);

    if (mn_empty(b->change->idempotency_key))
        return MNEME_OK;
    if (!rows)
        return mn_fail_memory(err);
    for (size_t i = 0; i < parts->count; i++) {
        const struct mneme_event *event = b->writes.item[i].event;

        if (i && parts->item[i].turn == parts->item[i - 1].turn) /* the turn's is the first part's */
            continue;
        rows[i] = (struct mn_request_row){ .partition = { event->tenant_id, event->user_id },
                                           .outcome = MNEME_INSERTED,
                                           .id = event->id,
                                           .revision = 1 };
        MN_TRY(mn_request_key("observe", b->change, parts->item[i].turn, b->arena, &rows[i].key,
                              err));
        MN_TRY(add_write(b, parts->item[i].turn,
                         (struct mn_write){ .kind = MN_WRITE_REQUEST, .request = &rows[i] }, err));
    }
    return MNEME_OK;
}

/* Memories, turn by turn, of those that are new. */
static void draw_turns(const struct batch *b, const struct mn_parts *parts,
                       const struct mneme_receipt *receipts, const struct mneme_change *change)
{
    const struct mneme_event **said = mn_arena_array(b->arena, const struct mneme_event *,
                                                     parts->count + 1);

    for (size_t i = 0, count = 0; said && i < parts->count; i++) {
        const struct mn_turn_part *part = &parts->item[i];

        if (!part->recalled && receipts[part->turn].outcome != MNEME_UNCHANGED)
            said[count++] = b->writes.item[i].event;
        if (i + 1 < parts->count && part[1].turn == part->turn)
            continue;
        mn_remember_turn(b->world, said, count, part->event.event_time_ms, change, b->arena);
        count = 0;
    }
}

/* The sessions of the turns, each once; what the model does not answer waits. */
static enum mneme_status read_now(struct mn_world *world, const struct batch *b, size_t count,
                                  struct mneme_error *err)
{
    struct mneme_read report = MNEME_READ_INIT;

    for (size_t i = 0; i < count && !report.failed; i++) {
        const struct mneme_event *event = b->writes.item[i].event;
        const struct mneme_event *last = i ? b->writes.item[i - 1].event : NULL;

        if (last && mn_same(last->session_id, event->session_id) &&
            mn_same(last->user_id, event->user_id))
            continue;
        MN_TRY(mn_read_session(world, (struct mn_partition){ event->tenant_id, event->user_id },
                               event->session_id, false, &report, err));
    }
    return MNEME_OK;
}

enum mneme_status mn_remember_events(struct mn_world *world, const struct mneme_event *events,
                                     size_t count, const struct mneme_change *change,
                                     struct mn_arena *arena, struct mneme_receipt *ret_receipts,
                                     struct mneme_error *err)
{
    struct mneme_change own = *change;
    struct batch b = batch_of(world, &own, arena);
    struct mneme_receipt *receipts = mn_arena_array(arena, struct mneme_receipt, count + 1);
    struct mn_parts parts = { 0 };
    enum mneme_status status;
    bool answered = false;

    if (!receipts)
        return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++) /* what is cut could hide a secret at a cut */
        MN_TRY(mn_guard_text("text", events[i].text, change->allow_secrets, NULL, err));
    MN_TRY(mn_parts_of(events, count, b.now_ms, arena, &parts, err));
    own.without_embedding = change->without_embedding || parts.cut;
    for (size_t i = 0; i < parts.count; i++)
        MN_TRY(add_event(&b, parts.item[i].turn, &parts.item[i].event, NULL,
                         !parts.item[i].recalled, err));
    MN_TRY(add_requests(&b, &parts, err));
    MN_TRY(events_answered(world, events, count, change, arena, receipts, &answered, err));
    status = answered ? MNEME_OK : commit_batch(world, &b, receipts, NULL, err);
    if (status == MNEME_CONFLICT) /* somebody was faster with the same call */
        MN_TRY(events_answered(world, events, count, change, arena, receipts, &answered, err));
    if (!answered && status != MNEME_OK)
        return status;
    for (size_t i = 0; i < parts.count; i++)
        receipts[parts.item[i].turn].parts++;
    if (ret_receipts)
        memcpy(ret_receipts, receipts, count * sizeof *receipts);
    if (answered)
        return MNEME_OK;
    if (!change->without_drafts)
        draw_turns(&b, &parts, receipts, change);
    if (world->chat && change->extract_now)
        return read_now(world, &b, parts.count, err);
    return MNEME_OK;
}
