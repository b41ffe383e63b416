/*
 * sqlite_list.c - everything as records: for lists, exports, backups.
 *
 * Rows are read in batches, each in a transaction of its own, and handed to the caller between
 * them: however long he takes, no reader is lent and the log can be merged. A batch begins behind
 * the last key of the one before, so that rows written meanwhile neither repeat nor shift the
 * others.
 *
 * Memories come in order of id over all owners asked for; the other kinds owner by owner.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_row.h"
#include "store/sqlite_store.h"

#define BATCH ((size_t)200)
#define BATCH_BYTES_MAX                                                                            \
    ((size_t)512 << 20) /* two partitions' batch of rows as long as they get                       \
                         */

/* A record and what it points to. */
struct item {
    struct mneme_record record;
    struct mn_row row;
    struct mneme_usage usage;
    struct mneme_event event;
    struct mneme_rule rule;
    const char *owner; /* of the rule */
    struct mneme_task_state task_state;
    struct mneme_edge edge;
};
struct items {
    struct item *item;
    size_t count;
    size_t room;
};

/* One list being made. */
struct listing {
    struct mn_store *store;
    const struct mneme_filter *filter;
    mneme_row_fn row;
    void *context;
    size_t left; /* rows that may still be given */
    bool stopped;
};

/* Where the next batch begins: behind this key. */
struct place {
    char owner[MNEME_ID_BYTES_MAX + 1];
    char session[MNEME_ID_BYTES_MAX + 1];
    char id[MNEME_ID_BYTES_MAX + 1];
};

static void keep_key(char *place, const char *key)
{
    size_t bytes = strlen(mn_or_empty(key));

    bytes = bytes < MNEME_ID_BYTES_MAX ? bytes : MNEME_ID_BYTES_MAX;
    memcpy(place, mn_or_empty(key), bytes);
    place[bytes] = '\0';
}

static void read_item(struct mn_reader *reader, enum mneme_record_kind kind, struct item *item)
{
    item->record.kind = kind;
    switch (kind) {
    case MNEME_RECORD_MEMORY:
        item->usage.confidence = -1.0;
        mn_row_read(reader, &item->row, &item->usage);
        break;
    case MNEME_RECORD_EVENT:
        mn_row_read_event(reader, &item->event);
        break;
    case MNEME_RECORD_RULE:
        mn_row_read_rule(reader, &item->rule, &item->owner);
        break;
    case MNEME_RECORD_TASK_STATE:
        mn_row_read_task_state(reader, &item->task_state);
        break;
    case MNEME_RECORD_EDGE:
        mn_row_read_edge(reader, &item->edge);
        break;
    case MNEME_RECORD_NONE:
    case MNEME_RECORD_USAGE:
        break;
    }
}

/* Once the array stands still. */
static void point(struct item *item)
{
    switch (item->record.kind) {
    case MNEME_RECORD_MEMORY:
        item->record.memory = &item->row.memory;
        item->record.usage = item->usage.memory_id ? &item->usage : NULL;
        break;
    case MNEME_RECORD_EVENT:
        item->record.event = &item->event;
        break;
    case MNEME_RECORD_RULE:
        item->record.rule = &item->rule;
        break;
    case MNEME_RECORD_TASK_STATE:
        item->record.task_state = &item->task_state;
        break;
    case MNEME_RECORD_EDGE:
        item->record.edge = &item->edge;
        break;
    case MNEME_RECORD_NONE:
    case MNEME_RECORD_USAGE:
        break;
    }
}

static enum mneme_status read_all(struct mn_stmt *stmt, enum mneme_record_kind kind,
                                  struct mn_arena *arena, struct items *items,
                                  struct mneme_error *err)
{
    bool row = false;

    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct item *item;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        item = mn_array_add(arena, items);
        if (!item)
            return mn_fail_memory(err);
        read_item(&reader, kind, item);
        MN_TRY(mn_read_end(&reader, err));
    }
}

static void give(struct listing *list, struct items *items, size_t count)
{
    for (size_t i = 0; i < count && !list->stopped; i++) {
        point(&items->item[i]);
        list->stopped = list->row(list->context, &items->item[i].record) != 0 || --list->left == 0;
    }
}

/* ---- memories ---- */

/* owner NULL: of the tenant. */
static enum mneme_status read_memories(struct mn_sqlite *db, const struct mneme_filter *filter,
                                       const char *owner, const char *after, struct mn_arena *arena,
                                       struct items *items, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    enum mneme_memory_status status = filter->status ? filter->status : MNEME_ACTIVE;

    MN_TRY(mn_sqlite_prepare(db,
                             owner ? SQL_SQLITE_LIST_MEMORIES_OF_OWNER
                                   : SQL_SQLITE_LIST_MEMORIES_OF_TENANT,
                             &stmt, err));
    mn_bind_text(stmt, ":tenant", filter->tenant_id);
    if (owner)
        mn_bind_text(stmt, ":owner", owner);
    else
        mn_bind_integer(stmt, ":shared", filter->with_shared != 0);
    mn_bind_text(stmt, ":after", after);
    mn_bind_text(stmt, ":type", filter->type);
    mn_bind_integer(stmt, ":scope_kind", filter->scope_kind);
    mn_bind_text(stmt, ":scope_id", filter->scope_id);
    mn_bind_integer(stmt, ":status", filter->with_all_statuses ? 0 : status);
    mn_bind_integer(stmt, ":limit", BATCH);
    return read_all(stmt, MNEME_RECORD_MEMORY, arena, items, err);
}

static int compare_ids(const void *a, const void *b)
{
    return strcmp(((const struct item *)a)->row.memory.id, ((const struct item *)b)->row.memory.id);
}

/* The next BATCH over all owners: each gives its own next BATCH, so the first of them are there. */
static enum mneme_status read_memory_batch(struct listing *list, const char *after,
                                           struct mn_arena *arena, struct items *items,
                                           struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    const struct mneme_filter *filter = list->filter;

    MN_TRY(mn_reading_begin(list->store, &reading, err));
    if (filter->all_users)
        return read_memories(reading.db, filter, NULL, after, arena, items, err);
    MN_TRY(
        read_memories(reading.db, filter, mn_or_empty(filter->user_id), after, arena, items, err));
    if (filter->with_shared && !mn_empty(filter->user_id)) {
        MN_TRY(read_memories(reading.db, filter, "", after, arena, items, err));
        if (items->count > 0)
            qsort(items->item, items->count, sizeof *items->item, compare_ids);
    }
    return MNEME_OK;
}

static enum mneme_status list_memories(struct listing *list, struct mneme_error *err)
{
    char after[MNEME_ID_BYTES_MAX + 1] = "";

    while (!list->stopped) {
        MN_ARENA_AUTO arena = mn_arena_new(BATCH_BYTES_MAX);
        struct items items = { 0 };
        size_t count;

        MN_TRY(read_memory_batch(list, after, arena, &items, err));
        count = items.count < BATCH ? items.count : BATCH;
        if (count == 0)
            break;
        keep_key(after, items.item[count - 1].row.memory.id);
        give(list, &items, count);
        if (items.count < BATCH)
            break;
    }
    return MNEME_OK;
}

/* ---- the other kinds ---- */

static const char *statement_of(enum mneme_record_kind kind)
{
    switch (kind) {
    case MNEME_RECORD_EVENT:
        return SQL_SQLITE_LIST_EVENTS;
    case MNEME_RECORD_RULE:
        return SQL_SQLITE_LIST_RULES;
    case MNEME_RECORD_TASK_STATE:
        return SQL_SQLITE_LIST_TASK_STATES;
    default:
        return SQL_SQLITE_LIST_EDGES;
    }
}

static void keep_place(struct place *place, const struct item *item)
{
    switch (item->record.kind) {
    case MNEME_RECORD_EVENT:
        keep_key(place->owner, item->event.user_id);
        keep_key(place->id, item->event.id);
        break;
    case MNEME_RECORD_RULE:
        keep_key(place->owner, item->owner);
        keep_key(place->id, item->rule.id);
        break;
    case MNEME_RECORD_TASK_STATE:
        keep_key(place->owner, item->task_state.user_id);
        keep_key(place->session, item->task_state.session_id);
        keep_key(place->id, item->task_state.task_id);
        break;
    default:
        keep_key(place->owner, item->edge.user_id);
        keep_key(place->id, item->edge.id);
        break;
    }
}

/* owner_last NULL: to the last owner of the tenant. */
static enum mneme_status read_batch(struct listing *list, enum mneme_record_kind kind,
                                    const struct place *after, const char *owner_last, bool shared,
                                    struct mn_arena *arena, struct items *items,
                                    struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_reading_begin(list->store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, statement_of(kind), &stmt, err));
    mn_bind_text(stmt, ":tenant", list->filter->tenant_id);
    mn_bind_text(stmt, ":owner", after->owner);
    if (kind == MNEME_RECORD_TASK_STATE)
        mn_bind_text(stmt, ":after_session", after->session);
    mn_bind_text(stmt, ":after", after->id);
    if (owner_last)
        mn_bind_text(stmt, ":owner_last", owner_last);
    else
        mn_bind_null(stmt, ":owner_last");
    mn_bind_integer(stmt, ":shared", shared);
    mn_bind_integer(stmt, ":limit", BATCH);
    return read_all(stmt, kind, arena, items, err);
}

static enum mneme_status list_kind(struct listing *list, enum mneme_record_kind kind,
                                   const char *owner_first, const char *owner_last, bool shared,
                                   struct mneme_error *err)
{
    struct place after = { 0 };

    keep_key(after.owner, owner_first);
    while (!list->stopped) {
        MN_ARENA_AUTO arena = mn_arena_new(BATCH_BYTES_MAX);
        struct items items = { 0 };

        MN_TRY(read_batch(list, kind, &after, owner_last, shared, arena, &items, err));
        if (items.count == 0)
            break;
        keep_place(&after, &items.item[items.count - 1]);
        give(list, &items, items.count);
        if (items.count < BATCH)
            break;
    }
    return MNEME_OK;
}

enum mneme_status mn_sqlite_list(struct mn_store *store, const struct mneme_filter *filter,
                                 bool memories_only, mneme_row_fn row, void *context,
                                 struct mneme_error *err)
{
    static const enum mneme_record_kind kinds[] = { MNEME_RECORD_EVENT, MNEME_RECORD_RULE,
                                                    MNEME_RECORD_TASK_STATE, MNEME_RECORD_EDGE };
    struct listing list = { .store = store, .filter = filter, .row = row, .context = context };
    bool has_user = !mn_empty(filter->user_id);

    list.left = filter->rows_max ? filter->rows_max : SIZE_MAX;
    if (mn_empty(filter->tenant_id))
        return mn_fail(err, MNEME_INVALID, "tenant_id: must be set");
    if (!has_user && !filter->all_users && !filter->with_shared)
        return mn_fail(err, MNEME_INVALID, "user_id: must be set, or all users asked for");

    MN_TRY(list_memories(&list, err));
    for (size_t i = 0; !memories_only && i < sizeof kinds / sizeof *kinds; i++) {
        if (filter->all_users) {
            MN_TRY(list_kind(&list, kinds[i], "", NULL, filter->with_shared != 0, err));
            continue;
        }
        if (has_user)
            MN_TRY(list_kind(&list, kinds[i], filter->user_id, filter->user_id, true, err));
        if (filter->with_shared)
            MN_TRY(list_kind(&list, kinds[i], "", "", true, err));
    }
    return MNEME_OK;
}
