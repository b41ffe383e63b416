/*
 * search_memory.c - the embedded engine: one in-memory index per partition, in this process.
 *
 * Each partition has a place in a table (place_table.h) with a lock shared by readers. Who feeds a
 * place analyses the units first, without any lock, and holds the readers up only while rows are
 * added. An allocation that fails in the midst of that empties the place and takes it off the
 * table: no answer ever comes from half a change.
 *
 * Requests lock their own partition before the shared one, writers lock one: no circle can form.
 */
#include "search/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "search/partition_query.h"
#include "search/place_table.h"
#include "search/segment.h"

#define UNIT_BYTES_MAX ((size_t)16 << 20) /* of the lists of one */

struct engine {
    struct mn_search search;
    struct mn_vector_space space;
    struct mn_place_table table;
    struct mn_place_table beside; /* built once more, not asked */
};

static struct engine *engine_of(struct mn_search *search)
{
    return (struct engine *)(void *)search;
}

/* ---- feeding ---- */

struct batch {
    struct mn_prepared *item;
    size_t count;
    struct mn_arena *arena;
    char *cursor;
};

static void batch_release(struct batch *batch)
{
    free(batch->item);
    free(batch->cursor);
    mn_arena_free(batch->arena);
}
#define BATCH_AUTO MN_CLEANUP(batch_release) struct batch

/* before: the unit that comes before it, or NULL. */
static enum mneme_status check_unit(const struct engine *engine, struct mn_partition partition,
                                    const struct mn_unit *before, const struct mn_unit *unit,
                                    struct mneme_error *err)
{
    if (mn_empty(unit->id))
        return mn_fail(err, MNEME_INVALID, "id: a unit has none");
    if (!mn_same(unit->memory.tenant_id, partition.tenant))
        return mn_fail(err, MNEME_INVALID, "tenant_id: unit %.64s is another tenant's", unit->id);
    if (!mn_same(unit->memory.user_id, partition.owner))
        return mn_fail(err, MNEME_INVALID, "user_id: unit %.64s is another owner's", unit->id);
    if (unit->vector && engine->space.dim && unit->vector_dim != engine->space.dim)
        return mn_fail(err, MNEME_INVALID, "vector: unit %.64s has %zu numbers, not %zu", unit->id,
                       unit->vector_dim, engine->space.dim);
    if (unit->kind == MN_UNIT_PASSAGE &&
        (!before || !mn_same(before->parent_id, unit->parent_id)))
        return mn_fail(err, MNEME_INVALID, "parent_id: passage %.64s is not behind its item",
                       unit->id);
    return MNEME_OK;
}

/* Everything that takes time or may fail for what the units say. */
static enum mneme_status prepare(const struct engine *engine, struct mn_partition partition,
                                 const struct mn_unit *units, size_t count, const char *cursor,
                                 struct batch *batch, struct mneme_error *err)
{
    for (size_t i = 0; i < count; i++)
        MN_TRY(check_unit(engine, partition, i ? &units[i - 1] : NULL, &units[i], err));
    batch->arena = mn_arena_new(SIZE_MAX);
    batch->item = calloc(count + 1, sizeof *batch->item);
    batch->cursor = malloc(strlen(cursor) + 1);
    if (!batch->item || !batch->cursor)
        return mn_fail_memory(err);
    memcpy(batch->cursor, cursor, strlen(cursor) + 1);
    for (; batch->count < count; batch->count++) {
        struct mn_prepared *prepared = &batch->item[batch->count];
        const struct mn_unit *unit = &units[batch->count];

        MN_TRY(mn_text_document_make(unit, batch->arena, &prepared->text, err));
        MN_TRY(mn_session_entry_make(unit, &prepared->text, batch->arena, &prepared->session, err));
        prepared->language = mn_text_document_language(unit);
        prepared->unit = unit;
    }
    return MNEME_OK;
}

/* Under the place's lock. False: the index is not whole. */
static bool change(struct mn_place *place, struct batch *batch, const char *const *dropped,
                   size_t dropped_count)
{
    for (size_t i = 0; i < dropped_count; i++)
        mn_partition_index_drop(&place->index, dropped[i]);
    for (size_t i = 0; i < batch->count; i++)
        if (!mn_partition_index_put(&place->index, &batch->item[i]))
            return false;
    if (batch->count || dropped_count || place->state == MN_PLACE_BUILDING)
        mn_partition_index_settle(&place->index, *batch->cursor);
    return true;
}

static enum mneme_status feed(struct engine *engine, struct mn_place_table *table,
                              struct mn_place *place, bool reset, struct batch *batch,
                              const char *const *dropped, size_t dropped_count,
                              struct mneme_error *err)
{
    struct mn_partition_index other; /* with `reset` */
    size_t moved = batch->count > dropped_count ? batch->count : dropped_count; /* or both at once */
    size_t bytes, units;

    if (reset && !mn_partition_index_init(&other, &engine->space, table->scan)) {
        mn_place_release(table, place);
        return mn_fail_memory(err);
    }
    pthread_mutex_lock(&place->feeding);
    pthread_rwlock_wrlock(&place->lock);
    bool known = reset || place->state != MN_PLACE_EMPTY;
    bool whole = known;
    if (known && reset) {
        struct mn_partition_index emptied = other;

        other = place->index; /* freed below, when readers need not wait for it */
        place->index = emptied;
        place->state = MN_PLACE_BUILDING;
    }
    if (known)
        whole = change(place, batch, dropped, dropped_count);
    if (whole) {
        char *cursor = place->cursor;

        place->state = *batch->cursor ? MN_PLACE_LOADED : MN_PLACE_BUILDING;
        place->cursor = batch->cursor;
        batch->cursor = cursor;
    } else {
        place->state = MN_PLACE_EMPTY;
    }
    bytes = sizeof *place + mn_partition_index_bytes(&place->index);
    units = mn_partition_index_units(&place->index);
    pthread_rwlock_unlock(&place->lock);
    pthread_mutex_unlock(&place->feeding);
    if (reset)
        mn_partition_index_release(&other);
    mn_place_settle(table, place, bytes, units, moved, !whole);

    if (!known)
        return mn_fail(err, MNEME_NOT_FOUND, "partition: left the index; feed it from the start");
    return whole ? MNEME_OK : mn_fail_memory(err);
}

static enum mneme_status apply_to(struct engine *engine, struct mn_place_table *table,
                                  struct mn_partition partition, bool reset,
                                  const struct mn_unit *units, size_t unit_count,
                                  const char *const *dropped, size_t dropped_count,
                                  const char *cursor, struct mneme_error *err)
{
    BATCH_AUTO batch = { 0 };
    struct mn_place *place;

    MN_TRY(prepare(engine, partition, units, unit_count, cursor, &batch, err));
    if (reset) {
        place = mn_place_acquire_or_make(table, partition);
        if (!place)
            return mn_fail_memory(err);
    } else {
        place = mn_place_acquire(table, partition);
        if (!place)
            return mn_fail(err, MNEME_NOT_FOUND,
                           "partition: is not in the index; feed it from the start");
    }
    return feed(engine, table, place, reset, &batch, dropped, dropped_count, err);
}

static enum mneme_status memory_apply(struct mn_search *search, struct mn_partition partition,
                                      bool reset, const struct mn_unit *units, size_t unit_count,
                                      const char *const *dropped, size_t dropped_count,
                                      const char *cursor, struct mneme_error *err)
{
    struct engine *engine = engine_of(search);

    return apply_to(engine, &engine->table, partition, reset, units, unit_count, dropped,
                    dropped_count, cursor, err);
}

static enum mneme_status memory_beside(struct mn_search *search, struct mn_partition partition,
                                       bool reset, const struct mn_unit *units, size_t unit_count,
                                       const char *const *dropped, size_t dropped_count,
                                       const char *cursor, struct mneme_error *err)
{
    struct engine *engine = engine_of(search);

    return apply_to(engine, &engine->beside, partition, reset, units, unit_count, dropped,
                    dropped_count, cursor, err);
}

/* The two change places; nobody but the caller knows the one that was built beside. */
static void swap_places(struct mn_place *built, struct mn_place *there, size_t *ret_bytes,
                        size_t *ret_units)
{
    struct mn_partition_index index;
    enum mn_place_state state;
    char *cursor;

    pthread_mutex_lock(&there->feeding);
    pthread_rwlock_wrlock(&there->lock);
    index = there->index, state = there->state, cursor = there->cursor;
    there->index = built->index, there->state = built->state, there->cursor = built->cursor;
    built->index = index, built->state = state, built->cursor = cursor;
    *ret_bytes = sizeof *there + mn_partition_index_bytes(&there->index);
    *ret_units = mn_partition_index_units(&there->index);
    pthread_rwlock_unlock(&there->lock);
    pthread_mutex_unlock(&there->feeding);
}

static enum mneme_status memory_adopt(struct mn_search *search, struct mn_partition partition,
                                      struct mneme_error *err)
{
    struct engine *engine = engine_of(search);
    struct mn_place *built = mn_place_acquire(&engine->beside, partition);
    struct mn_place *there = NULL;
    size_t bytes, units;

    if (built && built->state == MN_PLACE_LOADED)
        there = mn_place_acquire_or_make(&engine->table, partition);
    if (!there) {
        bool whole = built && built->state == MN_PLACE_LOADED;

        if (built)
            mn_place_release(&engine->beside, built);
        return whole ? mn_fail_memory(err)
                     : mn_fail(err, MNEME_NOT_FOUND, "partition: none was built beside");
    }
    swap_places(built, there, &bytes, &units);
    mn_place_settle(&engine->table, there, bytes, units, units, false);
    mn_place_drop(&engine->beside, partition);
    mn_place_release(&engine->beside, built);
    return MNEME_OK;
}

/* ---- asking ---- */

/* Places held and locked for reading. */
struct reading {
    struct engine *engine;
    struct mn_place *place[MN_VIEWS_MAX];
    struct mn_views views;
    bool partial;
};

static void reading_release(struct reading *reading)
{
    for (size_t i = reading->views.count; i-- > 0;) {
        pthread_rwlock_unlock(&reading->place[i]->lock);
        mn_place_release(&reading->engine->table, reading->place[i]);
    }
}
#define READING_AUTO MN_CLEANUP(reading_release) struct reading

static void read_place(struct reading *reading, struct mn_partition partition, bool shared)
{
    struct mn_place *place = mn_place_acquire(&reading->engine->table, partition);

    if (place) {
        pthread_rwlock_rdlock(&place->lock);
        if (place->state == MN_PLACE_LOADED) {
            reading->place[reading->views.count] = place;
            reading->views.index[reading->views.count] = &place->index;
            reading->views.shared[reading->views.count++] = shared;
            return;
        }
        pthread_rwlock_unlock(&place->lock);
        mn_place_release(&reading->engine->table, place);
    }
    reading->partial = true;
}

static void read_partitions(struct reading *reading, const struct mn_access *access)
{
    if (!mn_empty(access->user))
        read_place(reading, (struct mn_partition){ access->tenant, access->user }, false);
    read_place(reading, (struct mn_partition){ access->tenant, "" }, true);
}

static enum mneme_status memory_position(struct mn_search *search, struct mn_partition partition,
                                         struct mn_arena *arena, const char **ret_cursor,
                                         struct mneme_error *err)
{
    READING_AUTO reading = { .engine = engine_of(search) };
    const char *cursor;

    read_place(&reading, partition, false);
    if (reading.partial)
        return mn_fail(err, MNEME_NOT_FOUND, "partition: is not in the index");
    cursor = mn_arena_copy(arena, reading.place[0]->cursor);
    if (!cursor)
        return mn_fail_memory(err);
    *ret_cursor = cursor;
    return MNEME_OK;
}

static enum mneme_status memory_top(struct mn_search *search, const struct mn_query *query,
                                    struct mn_arena *arena, struct mn_hits *ret_hits,
                                    struct mneme_error *err)
{
    READING_AUTO reading = { .engine = engine_of(search) };

    read_partitions(&reading, query->access);
    MN_TRY(mn_views_top(&reading.views, query, arena, ret_hits, err));
    ret_hits->partial = reading.partial;
    return MNEME_OK;
}

static enum mneme_status memory_score(struct mn_search *search, const struct mn_query *query,
                                      const char *const *ids, size_t count, struct mn_arena *arena,
                                      struct mn_hits *ret_hits, struct mneme_error *err)
{
    READING_AUTO reading = { .engine = engine_of(search) };

    read_partitions(&reading, query->access);
    MN_TRY(mn_views_score(&reading.views, query, ids, count, arena, ret_hits, err));
    ret_hits->partial = reading.partial;
    return MNEME_OK;
}

static enum mneme_status memory_context(struct mn_search *search, const struct mn_query *query,
                                        const char *const *ids, size_t count,
                                        struct mn_arena *arena, struct mn_contexts *ret_contexts,
                                        struct mneme_error *err)
{
    READING_AUTO reading = { .engine = engine_of(search) };

    read_partitions(&reading, query->access);
    return mn_views_context(&reading.views, query, ids, count, arena, ret_contexts, err);
}

static enum mneme_status memory_adjacent(struct mn_search *search, const struct mn_access *access,
                                         const char *const *ids, size_t count,
                                         struct mn_arena *arena, const struct mn_unit **ret,
                                         struct mneme_error *err)
{
    READING_AUTO reading = { .engine = engine_of(search) };

    read_partitions(&reading, access);
    return mn_views_adjacent(&reading.views, access, ids, count, arena, ret, err);
}

static enum mneme_status memory_similarity(struct mn_search *search, const struct mn_access *access,
                                           const char *const *ids, size_t count, float *ret,
                                           struct mneme_error *err)
{
    READING_AUTO reading = { .engine = engine_of(search) };

    read_partitions(&reading, access);
    return mn_views_similarity(&reading.views, ids, count, ret, err);
}

static enum mneme_status memory_digest(struct mn_search *search, struct mn_partition partition,
                                       struct mn_arena *arena, struct mn_digest *ret_digest,
                                       const char **ret_cursor, struct mneme_error *err)
{
    READING_AUTO reading = { .engine = engine_of(search) };
    struct mn_digest digest = { 0 };
    const struct mn_partition_index *index;
    const char *cursor;

    read_place(&reading, partition, false);
    if (reading.partial)
        return mn_fail(err, MNEME_NOT_FOUND, "partition: is not in the index");
    index = reading.views.index[0];
    cursor = mn_arena_copy(arena, reading.place[0]->cursor);
    if (!cursor)
        return mn_fail_memory(err);
    for (size_t row = 0; row < index->count; row++) {
        MN_ARENA_AUTO scratch = mn_arena_new(UNIT_BYTES_MAX);
        struct mn_unit unit;

        if (!index->document[row])
            continue;
        if (!mn_documents_read(index->documents, index->document[row], scratch, &unit))
            return mn_fail_memory(err);
        mn_digest_add(&digest, &unit, mn_vector_index_has(&index->vector, row));
    }
    *ret_digest = digest;
    *ret_cursor = cursor;
    return MNEME_OK;
}

/* ---- as bytes ---- */

/* Dead rows are not saved: who would save them squeezes them out first. */
static enum mneme_status squeeze(struct mn_place *place, struct mneme_error *err)
{
    pthread_mutex_lock(&place->feeding);
    pthread_rwlock_wrlock(&place->lock);
    bool done = place->state != MN_PLACE_LOADED || !place->index.dead ||
                mn_partition_index_compact(&place->index);
    pthread_rwlock_unlock(&place->lock);
    pthread_mutex_unlock(&place->feeding);
    return done ? MNEME_OK : mn_fail_memory(err);
}

static enum mneme_status save_place(struct engine *engine, struct mn_place *place,
                                    const char *profile, struct mn_arena *arena,
                                    const char **ret_cursor, struct mn_buf *out,
                                    struct mneme_error *err)
{
    const char *cursor = NULL;

    mn_place_saved(&engine->table, place);
    MN_TRY(squeeze(place, err));
    pthread_rwlock_rdlock(&place->lock);
    bool loaded = place->state == MN_PLACE_LOADED && !place->index.dead;
    if (loaded) {
        cursor = mn_arena_copy(arena, place->cursor);
        mn_segment_save(&place->index, profile, place->cursor, out);
    }
    pthread_rwlock_unlock(&place->lock);
    if (!loaded)
        return mn_fail(err, MNEME_NOT_FOUND, "partition: is not in the index, or just changing");
    if (!cursor || out->failed)
        return mn_fail_memory(err);
    *ret_cursor = cursor;
    return MNEME_OK;
}

static enum mneme_status memory_save(struct mn_search *search, struct mn_partition partition,
                                     const char *profile, struct mn_arena *arena,
                                     const char **ret_cursor, struct mn_buf *out,
                                     struct mneme_error *err)
{
    struct engine *engine = engine_of(search);
    struct mn_place *place = mn_place_acquire(&engine->table, partition);
    enum mneme_status status;

    if (!place)
        return mn_fail(err, MNEME_NOT_FOUND, "partition: is not in the index");
    status = save_place(engine, place, profile, arena, ret_cursor, out, err);
    mn_place_release(&engine->table, place);
    return status;
}

static enum mneme_status memory_load(struct mn_search *search, struct mn_partition partition,
                                     const char *profile, struct mn_str bytes,
                                     struct mneme_error *err)
{
    struct engine *engine = engine_of(search);
    struct mn_place built = { .state = MN_PLACE_LOADED }; /* in no table, and never locked */
    struct mn_place *there = NULL;
    const char *said = NULL;
    enum mneme_status status = MNEME_OK;
    size_t held_bytes, units;

    if (!mn_partition_index_init(&built.index, &engine->space, engine->table.scan))
        return mn_fail_memory(err);
    if (!mn_segment_load(bytes.at, bytes.bytes, partition, profile, &built.index, &said))
        status = mn_fail(err, MNEME_INVALID, "segment: is none of this partition and program");
    if (status == MNEME_OK) {
        built.cursor = strdup(said);
        there = built.cursor ? mn_place_acquire_or_make(&engine->table, partition) : NULL;
        status = there ? MNEME_OK : mn_fail_memory(err);
    }
    if (there) {
        swap_places(&built, there, &held_bytes, &units);
        mn_place_saved(&engine->table, there);
        mn_place_settle(&engine->table, there, held_bytes, units, 0, false);
    }
    free(built.cursor);
    mn_partition_index_release(&built.index);
    return status;
}

static bool memory_due(struct mn_search *search, struct mn_arena *arena,
                       struct mn_partition *ret_partition)
{
    return mn_place_due(&engine_of(search)->table, arena, ret_partition);
}

/* ---- the rest ---- */

static void memory_drop(struct mn_search *search, struct mn_partition partition)
{
    mn_place_drop(&engine_of(search)->table, partition);
}

static void memory_stats(struct mn_search *search, struct mn_search_stats *ret_stats)
{
    struct mn_place_table *table = &engine_of(search)->table;

    pthread_mutex_lock(&table->lock);
    *ret_stats = (struct mn_search_stats){ .partitions = table->places,
                                           .units = table->units,
                                           .bytes = table->bytes };
    pthread_mutex_unlock(&table->lock);
}

static void memory_free(struct mn_search *search)
{
    struct engine *engine = engine_of(search);

    mn_place_table_release(&engine->table);
    mn_place_table_release(&engine->beside);
    mn_vector_space_release(&engine->space);
    free(engine);
}

static const struct mn_search_ops memory_ops = {
    .apply = memory_apply,
    .position = memory_position,
    .top = memory_top,
    .score = memory_score,
    .context = memory_context,
    .adjacent = memory_adjacent,
    .similarity = memory_similarity,
    .digest = memory_digest,
    .beside = memory_beside,
    .adopt = memory_adopt,
    .save = memory_save,
    .load = memory_load,
    .due = memory_due,
    .drop = memory_drop,
    .stats = memory_stats,
    .free = memory_free,
};

static bool make_tables(struct engine *engine, size_t bytes_max)
{
    if (!mn_place_table_init(&engine->table, &engine->space, mn_scan_here(), bytes_max))
        return false;
    if (mn_place_table_init(&engine->beside, &engine->space, mn_scan_here(), SIZE_MAX))
        return true;
    mn_place_table_release(&engine->table);
    return false;
}

enum mneme_status mn_search_memory_new(const struct mn_space *space, size_t bytes_max,
                                       struct mn_search **ret_search, struct mneme_error *err)
{
    struct engine *engine = calloc(1, sizeof *engine);
    enum mneme_status status;

    if (!engine)
        return mn_fail_memory(err);
    engine->search.ops = &memory_ops;
    status = mn_vector_space_make(space, &engine->space, err);
    if (status == MNEME_OK && !make_tables(engine, bytes_max)) {
        mn_vector_space_release(&engine->space);
        status = mn_fail_memory(err);
    }
    if (status != MNEME_OK) {
        free(engine);
        return status;
    }
    *ret_search = &engine->search;
    return MNEME_OK;
}

void mn_search_free(struct mn_search *search)
{
    if (search)
        search->ops->free(search);
}
