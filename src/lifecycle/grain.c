/*
 * grain.c - the report on granularity, and what is done about it.
 *
 * A split forgets the memory and writes its sections, each with the evidence the whole had and the mark
 * split:HASH of it: an erasure of one of them finds the forgotten whole by that, and one of the whole its
 * sections. A merge writes both texts into the first row, whose evidence the piece becomes, and forgets
 * the piece. Each is one group of rows that stands on the revisions that were read.
 */
#include "lifecycle/grain.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/str.h"
#include "memory/record.h"
#include "memory/type.h"
#include "remember/remember.h"
#include "text/cue.h"
#include "text/analyze.h"
#include "text/passages.h"
#include "text/sections.h"

#define PIECE_BYTES_MAX 200
#define WHOLE_BYTES_MAX 2000
#define TOGETHER_MS INT64_C(600000)
#define ARENA_BYTES_MAX ((size_t)1 << 30)

/* clang-format off */
static const char *const POINTING[] = {
    "^it|it's|this|that|they|these|those|he|she|also|and|but|which|then|both > is|are|was|were|has|have|had|does|do|did|can|"
    "cannot|can't|must|should|needs|need|uses|use|runs|run|listens|listen|works|work|will|only|also|the|a|it|not|takes|wants",
    "^它|它们|他|她|这|那|其|并且|而且|另外|此外|还有|还要|同时", NULL,
};
/* clang-format on */

/* ---- finding ---- */

static bool points(const struct mneme_memory *memory, struct mn_arena *scratch)
{
    const char *folded = mn_text_fold(scratch, memory->content, strlen(memory->content));
    struct mn_cue_text read;

    if (!folded)
        return false;
    read = mn_cue_read(folded);
    return mn_cue_any(&read, POINTING);
}

static bool belongs(const struct mneme_memory *piece, const struct mneme_memory *whole)
{
    return piece != whole && whole->created_at_ms <= piece->created_at_ms &&
           piece->created_at_ms - whole->created_at_ms <= TOGETHER_MS &&
           mn_empty(whole->memory_key) && strlen(whole->content) <= WHOLE_BYTES_MAX &&
           piece->scope_kind == whole->scope_kind && mn_same(piece->scope_id, whole->scope_id) &&
           mn_same(piece->agent_id, whole->agent_id) && mn_same(piece->type, whole->type) &&
           piece->sensitivity == whole->sensitivity && piece->authority == whole->authority;
}

static enum mneme_status add(struct mn_grains *grains, const struct mneme_memory *memory,
                             const struct mneme_memory *into, const char **parts, size_t count,
                             struct mn_arena *arena, struct mneme_error *err)
{
    struct mn_grain *grain = mn_array_add(arena, grains);

    if (!grain)
        return mn_fail_memory(err);
    *grain = (struct mn_grain){ memory, into, { parts, count } };
    return MNEME_OK;
}

static enum mneme_status find_coarse(const struct mneme_memory *memory, struct mn_arena *arena,
                                     struct mn_grains *grains, struct mneme_error *err)
{
    struct mn_titled sections[MN_SECTIONS_MAX];
    size_t count = mn_text_sections(memory->content, sections);
    const char **parts;

    if (!count || mn_type_of(memory->type)->kind == MN_KIND_PROCEDURAL)
        return MNEME_OK;
    parts = mn_arena_array(arena, const char *, count);
    if (!parts)
        return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const struct mn_titled *s = &sections[i];

        parts[i] = mn_arena_printf(arena, "%.*s%s%.*s", (int)s->title.bytes, s->title.at,
                                   s->title.bytes ? "\n" : "", (int)s->body.bytes, s->body.at);
        if (!parts[i])
            return mn_fail_memory(err);
    }
    return add(grains, memory, NULL, parts, count, arena, err);
}

static enum mneme_status find_piece(const struct mneme_memory *memories, size_t count, size_t at,
                                    const bool *pointing, bool *taken, struct mn_arena *arena,
                                    struct mn_grains *grains, struct mneme_error *err)
{
    const struct mneme_memory *piece = &memories[at];
    const struct mneme_memory *best = NULL;
    const char **joined;

    for (size_t i = 0; i < count; i++)
        if (!pointing[i] && !taken[i] && belongs(piece, &memories[i]) &&
            (!best || memories[i].created_at_ms > best->created_at_ms))
            best = &memories[i];
    if (!best)
        return MNEME_OK;
    taken[at] = taken[best - memories] = true; /* one at a time: the next run sees what it became */
    joined = mn_arena_array(arena, const char *, 1);
    if (joined)
        joined[0] = mn_arena_printf(arena, "%s %s", best->content, piece->content);
    return joined && joined[0] ? add(grains, piece, best, joined, 1, arena, err)
                               : mn_fail_memory(err);
}

enum mneme_status mn_grain_find(const struct mneme_memory *memories, size_t count,
                                struct mn_arena *arena, struct mn_grains *ret_grains,
                                struct mneme_error *err)
{
    bool *pointing = mn_arena_array(arena, bool, count + 1);
    bool *taken = mn_arena_array(arena, bool, count + 1);
    struct mn_grains grains = { 0 };

    if (!pointing || !taken)
        return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        size_t before = grains.count;

        MN_TRY(find_coarse(&memories[i], arena, &grains, err));
        taken[i] = grains.count > before;
        if (!taken[i] && mn_text_passage_count(strlen(memories[i].content)))
            MN_TRY(add(&grains, &memories[i], NULL, NULL, 0, arena, err));
        pointing[i] = points(&memories[i], arena);
    }
    for (size_t i = 0; i < count; i++)
        if (pointing[i] && !taken[i] && mn_empty(memories[i].memory_key) &&
            strlen(memories[i].content) <= PIECE_BYTES_MAX)
            MN_TRY(find_piece(memories, count, i, pointing, taken, arena, &grains, err));
    *ret_grains = grains;
    return MNEME_OK;
}

/* ---- doing ---- */

struct doing {
    struct mn_world *world;
    const struct mneme_change *change;
    struct mn_arena *arena;
    int64_t now_ms;
};

/* The list with one more entry, unless it is there. */
static enum mneme_status with_entry(struct mn_arena *arena, struct mneme_list list,
                                    const char *entry, struct mneme_list *ret_list,
                                    struct mneme_error *err)
{
    const char **item = mn_arena_array(arena, const char *, list.count + 1);
    size_t count = 0;

    if (!item)
        return mn_fail_memory(err);
    for (size_t i = 0; i < list.count && count + 1 < MNEME_LIST_ITEMS_MAX; i++)
        if (!mn_same(list.item[i], entry))
            item[count++] = list.item[i];
    item[count++] = entry;
    *ret_list = (struct mneme_list){ item, count };
    return MNEME_OK;
}

static struct mn_write over(const struct mneme_memory *row)
{
    return (struct mn_write){ .kind = MN_WRITE_MEMORY,
                              .expected_revision = row->revision,
                              .memory = row };
}

static enum mneme_status split(struct doing *d, const struct mn_grain *grain,
                               struct mn_write *writes, size_t *count, struct mneme_error *err)
{
    struct mneme_memory *rows = mn_arena_array(d->arena, struct mneme_memory, grain->parts.count + 1);
    const char *mark = mn_arena_printf(d->arena, MN_SPLIT "%s", grain->memory->content_hash);

    if (!rows || !mark)
        return mn_fail_memory(err);
    rows[0] = *grain->memory;
    rows[0].status = MNEME_DELETED;
    rows[0].updated_at_ms = d->now_ms;
    writes[(*count)++] = over(&rows[0]);
    for (size_t i = 0; i < grain->parts.count; i++) {
        struct mneme_memory part = *grain->memory;

        part.id = part.summary = part.content_hash = part.supersedes = part.memory_key = part.value =
            part.title = NULL;
        part.version = part.revision = 0;
        part.updated_at_ms = d->now_ms;
        part.content = grain->parts.item[i];
        MN_TRY(with_entry(d->arena, grain->memory->provenance, mark, &part.provenance, err));
        MN_TRY(mn_memory_check(&part, err));
        MN_TRY(mn_memory_complete(&part, d->now_ms, d->arena, &rows[i + 1], err));
        writes[(*count)++] = (struct mn_write){ .kind = MN_WRITE_MEMORY,
                                                .expected_revision = MN_REVISION_NEW,
                                                .memory = &rows[i + 1] };
    }
    return MNEME_OK;
}

static enum mneme_status join(struct doing *d, const struct mn_grain *grain, struct mn_write *writes,
                              size_t *count, struct mneme_error *err)
{
    struct mneme_memory *rows = mn_arena_array(d->arena, struct mneme_memory, 2);
    struct mneme_memory whole = *grain->into;

    if (!rows)
        return mn_fail_memory(err);
    whole.content = grain->parts.item[0];
    whole.summary = whole.content_hash = NULL;
    whole.updated_at_ms = d->now_ms;
    MN_TRY(with_entry(d->arena, whole.provenance, grain->memory->id, &whole.provenance, err));
    MN_TRY(mn_memory_check(&whole, err));
    MN_TRY(mn_memory_complete(&whole, d->now_ms, d->arena, &rows[0], err));
    rows[1] = *grain->memory;
    rows[1].status = MNEME_DELETED;
    rows[1].updated_at_ms = d->now_ms;
    writes[(*count)++] = over(&rows[0]);
    writes[(*count)++] = over(&rows[1]);
    return MNEME_OK;
}

/* *ret_done: it was neither changed meanwhile nor is it somebody else's to change. */
static enum mneme_status do_one(struct doing *d, const struct mn_grain *grain, bool *ret_done,
                                struct mneme_error *err)
{
    struct mn_write *writes = mn_arena_array(d->arena, struct mn_write, grain->parts.count + 3);
    struct mn_written *written = mn_arena_array(d->arena, struct mn_written, grain->parts.count + 3);
    struct mn_commit commit = { .write = writes,
                                .actor = mn_or_empty(d->change->actor),
                                .reason = grain->into ? "merged into what it belongs to"
                                                      : "split into its sections",
                                .now_ms = d->now_ms };
    struct mneme_error refused;
    enum mneme_status status;

    *ret_done = false;
    if (!writes || !written)
        return mn_fail_memory(err);
    if (mn_authorise(grain->memory, grain->memory, d->change->admin, &refused) != MNEME_OK)
        return MNEME_OK;
    MN_TRY(grain->into ? join(d, grain, writes, &commit.count, err)
                       : split(d, grain, writes, &commit.count, err));
    status = mn_store_commit_one(d->world->store, &commit, written, err);
    *ret_done = status == MNEME_OK;
    return status == MNEME_CONFLICT ? MNEME_OK : status;
}

/* ---- the report ---- */

struct reading {
    struct mn_arena *arena;
    struct {
        struct mneme_memory *item;
        size_t count, room;
    } rows;
    bool failed;
};

static int note(void *context, const struct mneme_record *record)
{
    struct reading *r = context;
    struct mneme_memory *row = mn_array_add(r->arena, &r->rows);
    struct mneme_error ignored;

    r->failed = !row || mn_memory_copy(record->memory, r->arena, row, &ignored) != MNEME_OK;
    return r->failed;
}

enum mneme_status mn_grain_report(struct mn_world *world, struct mn_partition partition, bool apply,
                                  const struct mneme_change *change, mneme_grain_fn row,
                                  void *context, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct reading r = { .arena = arena };
    struct doing d = { world, change, arena, mn_change_now(world, change) };
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct mn_grains grains = { 0 };

    filter.tenant_id = partition.tenant;
    filter.user_id = partition.owner;
    MN_TRY(world->store->ops->list(world->store, &filter, true, note, &r, err));
    if (r.failed)
        return mn_fail_memory(err);
    MN_TRY(mn_grain_find(r.rows.item, r.rows.count, arena, &grains, err));
    for (size_t i = 0; i < grains.count; i++) {
        const struct mn_grain *g = &grains.item[i];
        bool done = false;

        if (apply && g->parts.count)
            MN_TRY(do_one(&d, g, &done, err));
        const struct mneme_grain told = { g->memory->id, g->into ? g->into->id : "", g->parts, done };
        if (row && row(context, &told))
            break;
    }
    return MNEME_OK;
}
