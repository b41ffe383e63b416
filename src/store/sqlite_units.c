/*
 * sqlite_units.c - what an index is built from: items of a partition with their vectors.
 *
 * Memories and events stand in two tables, each in order of id; a scan reads a batch of both and
 * merges them. A vector counts only while it was made of the text that is there now, which the
 * store knows by the hash it keeps with each row.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "memory/record.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_row.h"
#include "store/sqlite_store.h"
#include "text/passages.h"

/* One or several behind each other; what is no multiple of its length is none. */
static void read_vectors(struct mn_reader *reader, struct mn_unit *unit)
{
    size_t numbers;

    unit->vector = mn_read_vector(reader, &numbers);
    unit->vector_dim = 0;
    if (mn_read_null(reader))
        mn_read_skip(reader);
    else
        unit->vector_dim = (size_t)mn_read_integer(reader);
    unit->vector_count = unit->vector_dim ? numbers / unit->vector_dim : 0;
    if (!unit->vector_count || numbers % unit->vector_dim) {
        unit->vector = NULL;
        unit->vector_dim = unit->vector_count = 0;
    }
}

static enum mneme_status read_memory(struct mn_stmt *stmt, struct mn_arena *arena,
                                     struct mn_unit *unit, struct mneme_error *err)
{
    struct mn_reader reader = { .stmt = stmt, .arena = arena };
    struct mn_row row = { 0 };

    mn_row_read(&reader, &row, NULL);
    unit->memory = row.memory;
    unit->confidence = row.confidence;
    unit->session_id = "";
    unit->speaker = "";
    read_vectors(&reader, unit);
    return mn_read_end(&reader, err);
}

static enum mneme_status read_event(struct mn_stmt *stmt, struct mn_arena *arena,
                                    struct mn_unit *unit, struct mneme_error *err)
{
    struct mn_reader reader = { .stmt = stmt, .arena = arena };
    struct mneme_event event = MNEME_EVENT_INIT;
    double confidence = -1.0;

    mn_row_read_event(&reader, &event);
    if (!mn_read_null(&reader))
        confidence = mn_read_real(&reader);
    else
        mn_read_skip(&reader);
    read_vectors(&reader, unit);
    MN_TRY(mn_read_end(&reader, err));
    MN_TRY(mn_event_as_memory(&event, arena, &unit->memory, err));
    unit->confidence = confidence >= 0.0 ? confidence : unit->memory.confidence;
    unit->is_event = true;
    unit->session_id = event.session_id;
    unit->order = event.order;
    unit->speaker = event.speaker;
    return MNEME_OK;
}

/* All rows of a bound statement, appended. */
static enum mneme_status read_all(struct mn_stmt *stmt, bool events, struct mn_arena *arena,
                                  struct mn_units *units, struct mneme_error *err)
{
    bool row = false;

    for (;;) {
        struct mn_unit *unit;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        unit = mn_array_add(arena, units);
        if (!unit)
            return mn_fail_memory(err);
        MN_TRY(events ? read_event(stmt, arena, unit, err) : read_memory(stmt, arena, unit, err));
        unit->kind = MN_UNIT_ITEM;
        unit->id = unit->memory.id;
        unit->parent_id = unit->memory.id;
    }
}

static enum mneme_status scan(struct mn_sqlite *db, bool events, struct mn_partition partition,
                              const char *after_id, size_t limit, const char *profile,
                              struct mn_arena *arena, struct mn_units *units,
                              struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(db,
                             events ? SQL_SQLITE_UNIT_EVENTS_SCAN : SQL_SQLITE_UNIT_MEMORIES_SCAN,
                             &stmt, err));
    mn_bind_text(stmt, ":profile", profile);
    mn_bind_text(stmt, ":tenant", partition.tenant);
    mn_bind_text(stmt, ":owner", partition.owner);
    mn_bind_text(stmt, ":after", after_id);
    mn_bind_integer(stmt, ":limit", limit < INT64_MAX ? (int64_t)limit : -1);
    return read_all(stmt, events, arena, units, err);
}

static int compare_units(const void *a, const void *b)
{
    return strcmp(((const struct mn_unit *)a)->id, ((const struct mn_unit *)b)->id);
}

enum mneme_status mn_sqlite_units_scan(struct mn_store *store, struct mn_partition partition,
                                       const char *after_id, size_t limit, const char *profile,
                                       struct mn_arena *arena, struct mn_units *ret_units,
                                       struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    struct mn_units units = { 0 };
    size_t memories;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(scan(reading.db, false, partition, after_id, limit, profile, arena, &units, err));
    memories = units.count;
    MN_TRY(scan(reading.db, true, partition, after_id, limit, profile, arena, &units, err));
    if (memories > 0 && memories < units.count)
        qsort(units.item, units.count, sizeof *units.item, compare_units);
    units.count = units.count < limit ? units.count : limit;
    *ret_units = units;
    return MNEME_OK;
}

static enum mneme_status get(struct mn_sqlite *db, bool events, struct mn_partition partition,
                             const char *id, const char *profile, struct mn_arena *arena,
                             struct mn_units *units, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(db, events ? SQL_SQLITE_UNIT_EVENT_GET : SQL_SQLITE_UNIT_MEMORY_GET,
                             &stmt, err));
    mn_bind_text(stmt, ":profile", profile);
    mn_bind_text(stmt, ":tenant", partition.tenant);
    mn_bind_text(stmt, ":owner", partition.owner);
    mn_bind_text(stmt, ":id", id);
    return read_all(stmt, events, arena, units, err);
}

enum mneme_status mn_sqlite_units_get(struct mn_store *store, struct mn_partition partition,
                                      const char *const *ids, size_t count, const char *profile,
                                      struct mn_arena *arena, struct mn_units *ret_units,
                                      struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    struct mn_units units = { 0 };

    MN_TRY(mn_reading_begin(store, &reading, err));
    for (size_t i = 0; i < count; i++) {
        size_t before = units.count;

        MN_TRY(get(reading.db, false, partition, ids[i], profile, arena, &units, err));
        if (units.count == before)
            MN_TRY(get(reading.db, true, partition, ids[i], profile, arena, &units, err));
    }
    *ret_units = units;
    return MNEME_OK;
}

/* Behind the place, which is before all when it is of the other kind. */
static enum mneme_status lacking(struct mn_sqlite *db, bool events,
                                 const struct mn_unit_place *after, size_t limit,
                                 const char *profile, struct mn_arena *arena,
                                 struct mn_units *units, struct mneme_error *err)
{
    bool inside = after->is_event == events;
    MN_STMT_AUTO stmt = NULL;

    if (limit == 0)
        return MNEME_OK;
    MN_TRY(mn_sqlite_prepare(db,
                             events ? SQL_SQLITE_UNIT_EVENTS_WITHOUT_VECTOR
                                    : SQL_SQLITE_UNIT_MEMORIES_WITHOUT_VECTOR,
                             &stmt, err));
    mn_bind_text(stmt, ":tenant", inside ? after->tenant : "");
    mn_bind_text(stmt, ":owner", inside ? after->owner : "");
    mn_bind_text(stmt, ":id", inside ? after->id : "");
    mn_bind_text(stmt, ":profile", profile);
    mn_bind_integer(stmt, ":long_bytes", MN_PASSAGE_TEXT_BYTES_MAX);
    mn_bind_integer(stmt, ":limit", limit < INT64_MAX ? (int64_t)limit : -1);
    return read_all(stmt, events, arena, units, err);
}

enum mneme_status mn_sqlite_units_without_vector(struct mn_store *store, const char *profile,
                                                 const struct mn_unit_place *after, size_t limit,
                                                 struct mn_arena *arena, struct mn_units *ret_units,
                                                 struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    struct mn_units units = { 0 };

    MN_TRY(mn_reading_begin(store, &reading, err));
    if (!after->is_event)
        MN_TRY(lacking(reading.db, false, after, limit, profile, arena, &units, err));
    MN_TRY(lacking(reading.db, true, after, limit - units.count, profile, arena, &units, err));
    *ret_units = units;
    return MNEME_OK;
}

/* Whose codes are asked for; what is kept of them. */
struct tokens_asked {
    struct mn_codes_name name; /* its unit is set for each */
    const char *const *ids;
    const char *profile;
    struct mn_row_state state;
    struct mn_row_cache *cache; /* NULL: it stands elsewhere */
};

/* Codes of the units at these places, from the store. Rows come in the order of the key: a unit's
 * vector first, then its codes. */
static enum mneme_status step_tokens(struct mn_stmt *stmt, struct tokens_asked *asked,
                                     const size_t *place, size_t count, struct mn_arena *arena,
                                     struct mn_str *codes, struct mneme_error *err)
{
    const char *vector_text = "";
    size_t vector_at = SIZE_MAX;
    bool row = false;

    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        size_t bytes;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        size_t at = (size_t)mn_read_integer(&reader);
        bool is_codes = mn_read_integer(&reader) != 0;
        const char *text = mn_read_text(&reader);
        const void *blob = mn_read_bytes(&reader, &bytes);

        MN_TRY(mn_read_end(&reader, err));
        if (!is_codes) {
            vector_at = at;
            vector_text = text;
        } else if (at < count && at == vector_at && mn_same(text, vector_text)) {
            struct mn_str *to = &codes[place[at]];

            to->at = mn_arena_copy_n(arena, blob ? blob : "", bytes);
            to->bytes = bytes;
            if (!to->at)
                return mn_fail_memory(err);
            asked->name.unit = asked->ids[place[at]];
            if (asked->cache)
                mn_row_cache_keep_codes(asked->cache, asked->state, &asked->name, *to);
        }
    }
}

static enum mneme_status read_tokens(struct mn_sqlite *db, struct tokens_asked *asked,
                                     const size_t *place, size_t count, struct mn_arena *arena,
                                     struct mn_str *codes, struct mneme_error *err)
{
    const char **ids = mn_arena_array(arena, const char *, count + 1);
    MN_STMT_AUTO stmt = NULL;

    if (!ids)
        return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        ids[i] = asked->ids[place[i]];
    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_TOKENS_GET, &stmt, err));
    mn_bind_text(stmt, ":tokens", asked->name.profile);
    mn_bind_list(stmt, ":ids", (struct mneme_list){ ids, count });
    mn_bind_text(stmt, ":tenant", asked->name.partition.tenant);
    mn_bind_text(stmt, ":owner", asked->name.partition.owner);
    mn_bind_text(stmt, ":profile", asked->profile);
    return step_tokens(stmt, asked, place, count, arena, codes, err);
}

enum mneme_status mn_sqlite_tokens_get(struct mn_store *store, struct mn_partition partition,
                                       const char *const *ids, size_t count, const char *profile,
                                       const char *tokens_profile, struct mn_arena *arena,
                                       struct mn_str *ret_codes, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    struct tokens_asked asked = { .name = { .partition = partition, .profile = tokens_profile },
                                  .ids = ids,
                                  .profile = profile };
    struct mn_str *codes = mn_arena_array(arena, struct mn_str, count + 1);
    size_t *place = mn_arena_array(arena, size_t, count + 1), asked_count = 0;

    if (!codes || !place)
        return mn_fail_memory(err);
    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_now_cache(&reading, &asked.state, &asked.cache, err));
    for (size_t i = 0; i < count; i++) {
        bool known = false;

        asked.name.unit = ids[i];
        if (asked.cache)
            MN_TRY(mn_row_cache_codes(asked.cache, asked.state, &asked.name, arena, &codes[i],
                                      &known, err));
        if (!known)
            place[asked_count++] = i;
    }
    if (asked_count)
        MN_TRY(read_tokens(reading.db, &asked, place, asked_count, arena, codes, err));
    memcpy(ret_codes, codes, count * sizeof *codes);
    return MNEME_OK;
}
