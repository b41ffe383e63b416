/*
 * sqlite_read.c - memories: by their full key, and as an identity may see them as they stood once.
 * As they stand now: sqlite_now.c.
 *
 * A filtered read asks the store's own question in SQL (sql/sqlite/memories.sql) and then access.c
 * of every row, which also judges the environment; only rows that pass count towards a limit.
 *
 * The past: what an identity may reach, and what was withdrawn, is judged now by the present row;
 * how a memory stood, and whether it held, by the row of that time: one that was forgotten since is
 * there, one that was revoked since is not. So a row that is refused today
 * is handed out as it is today, to be refused with its present reason, and not in an older form
 * that would be allowed. The environment is a matter of versions, not of access: the row of that
 * time decides.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "memory/record.h"
#include "memory/weight.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_row.h"
#include "store/sqlite_store.h"

#define ROW_BYTES_MAX ((size_t)16 << 20) /* one row with all its lists, several times over */

/* ---- single rows ---- */

/* Appends the row; *ret_usage (may be NULL) is left alone when it has none. */
static enum mneme_status find(struct mn_sqlite *db, struct mn_partition partition, const char *id,
                              struct mn_arena *arena, struct mn_rows *rows,
                              struct mneme_usage *ret_usage, bool *ret_found,
                              struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_MEMORY_GET, &stmt, err));
    mn_bind_text(stmt, ":tenant", partition.tenant);
    mn_bind_text(stmt, ":owner", partition.owner);
    mn_bind_text(stmt, ":id", id);
    MN_TRY(mn_sqlite_step(stmt, ret_found, err));
    return *ret_found ? mn_row_add(stmt, arena, rows, ret_usage, err) : MNEME_OK;
}

enum mneme_status mn_read_reachable(struct mn_sqlite *db, const struct mn_access *access,
                                    const char *id, struct mn_arena *arena, struct mn_rows *rows,
                                    struct mneme_usage *ret_usage, bool *ret_found,
                                    struct mneme_error *err)
{
    struct mn_partition own = { access->tenant, access->user };
    struct mn_partition shared = { access->tenant, "" };

    MN_TRY(find(db, own, id, arena, rows, ret_usage, ret_found, err));
    if (*ret_found || mn_empty(access->user))
        return MNEME_OK;
    return find(db, shared, id, arena, rows, ret_usage, ret_found, err);
}

enum mneme_status mn_sqlite_memory_get(struct mn_store *store, struct mn_partition partition,
                                       const char *memory_id, struct mn_arena *arena,
                                       struct mn_row *ret_row, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    struct mn_rows rows = { 0 };
    bool found;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(find(reading.db, partition, memory_id, arena, &rows, NULL, &found, err));
    if (!found)
        return mn_fail(err, MNEME_NOT_FOUND, "there is no memory %.200s", memory_id);
    *ret_row = rows.item[0];
    return MNEME_OK;
}

enum mneme_status mn_sqlite_history(struct mn_store *store, struct mn_partition partition,
                                    const char *memory_id, struct mn_arena *arena,
                                    struct mn_history_rows *ret_rows, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;
    struct {
        struct mn_history_row *item;
        size_t count, room;
    } rows = { 0 };
    bool row = false;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_HISTORY_OF, &stmt, err));
    mn_bind_text(stmt, ":tenant", partition.tenant);
    mn_bind_text(stmt, ":owner", partition.owner);
    mn_bind_text(stmt, ":id", memory_id);
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct mn_history_row *former;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        former = mn_array_add(arena, &rows);
        if (!former)
            return mn_fail_memory(err);
        mn_row_read_memory(&reader, &former->memory);
        former->changed_at_ms = mn_read_integer(&reader);
        former->actor = mn_read_text(&reader);
        former->reason = mn_read_text(&reader);
        MN_TRY(mn_read_end(&reader, err));
    }
    ret_rows->item = rows.item;
    ret_rows->count = rows.count;
    return MNEME_OK;
}

enum mneme_status mn_sqlite_memories_line(struct mn_store *store, struct mn_partition partition,
                                          const char *memory_id, struct mn_arena *arena,
                                          struct mn_rows *ret_rows, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;
    struct mn_rows rows = { 0 };
    bool row = false;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_MEMORIES_LINE, &stmt, err));
    mn_bind_text(stmt, ":tenant", partition.tenant);
    mn_bind_text(stmt, ":owner", partition.owner);
    mn_bind_text(stmt, ":id", memory_id);
    for (;;) {
        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        MN_TRY(mn_row_add(stmt, arena, &rows, NULL, err));
    }
    *ret_rows = rows;
    return MNEME_OK;
}

/* ---- the past ---- */

/* May the identity have it today, leaving aside what only matters at the instant? */
static bool is_open_today(const struct mn_access *access, const struct mneme_memory *present)
{
    struct mneme_memory row = *present;
    enum mn_reason reason;

    row.applies_to = (struct mneme_pairs){ NULL, 0 };
    return row.status != MNEME_REVOKED && row.authority != MNEME_AUTHORITY_REVOKED &&
           mn_access_reaches(access, &row, &reason);
}

/* Makes of the present row the row of the instant. has_confidence: usage has one, which stays. */
static enum mneme_status go_back(struct mn_sqlite *db, const struct mn_access *access,
                                 bool has_confidence, struct mn_arena *arena, struct mn_row *row,
                                 struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { .arena = arena };
    bool found = false;

    if (access->as_of_ms == 0 || !is_open_today(access, &row->memory))
        return MNEME_OK;
    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_HISTORY_AS_OF, &stmt, err));
    mn_bind_text(stmt, ":tenant", row->memory.tenant_id);
    mn_bind_text(stmt, ":owner", row->memory.user_id);
    mn_bind_text(stmt, ":id", row->memory.id);
    mn_bind_integer(stmt, ":as_of", access->as_of_ms);
    MN_TRY(mn_sqlite_step(stmt, &found, err));
    if (!found)
        return MNEME_OK;
    reader.stmt = stmt;
    mn_row_read_memory(&reader, &row->memory);
    if (!has_confidence)
        row->confidence = row->memory.confidence;
    return mn_read_end(&reader, err);
}

enum mneme_status mn_sqlite_memories_as_of(struct mn_store *store, const struct mn_access *access,
                                           const char *const *ids, size_t count,
                                           struct mn_arena *arena, struct mn_rows *ret_rows,
                                           struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    struct mn_rows rows = { 0 };
    bool found;

    MN_TRY(mn_reading_begin(store, &reading, err));
    for (size_t i = 0; i < count; i++) {
        struct mneme_usage usage = { .confidence = -1.0 };

        MN_TRY(mn_read_reachable(reading.db, access, ids[i], arena, &rows, &usage, &found, err));
        if (found)
            MN_TRY(go_back(reading.db, access, usage.confidence >= 0.0, arena,
                           &rows.item[rows.count - 1], err));
    }
    *ret_rows = rows;
    return MNEME_OK;
}

/* A question about rows of the past: the statement, and the list it takes under `parameter`. */
struct question {
    const char *sql;
    const char *parameter; /* NULL: every row answers */
    struct mneme_list wanted;
    size_t offset; /* of the text in struct mneme_memory that is to be one of `wanted` */
    bool is_link;  /* it names a memory, which must be of the same owner */
};

static bool answers(const struct question *question, const struct mneme_memory *memory)
{
    const char *text = *(const char *const *)((const char *)memory + question->offset);

    if (!question->parameter)
        return true;
    for (size_t i = 0; i < question->wanted.count; i++) {
        if (!mn_empty(text) && mn_same(question->wanted.item[i], text))
            return true;
    }
    return false;
}

static enum mneme_status link_holds(struct mn_sqlite *db, const struct mneme_memory *memory,
                                    bool *ret_holds, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_MEMORY_IS_OF_OWNER, &stmt, err));
    mn_bind_text(stmt, ":tenant", memory->tenant_id);
    mn_bind_text(stmt, ":owner", memory->user_id);
    mn_bind_text(stmt, ":id", memory->supersedes);
    return mn_sqlite_step(stmt, ret_holds, err);
}

/* The present row of `stmt`, appended if it (at the instant) answers and is allowed. */
static enum mneme_status take(struct mn_sqlite *db, struct mn_stmt *stmt,
                              const struct mn_access *access, const struct question *question,
                              struct mn_arena *arena, struct mn_rows *rows, struct mneme_error *err)
{
    MN_ARENA_AUTO scratch = mn_arena_new(ROW_BYTES_MAX);
    struct mn_reader reader = { .stmt = stmt, .arena = scratch };
    struct mneme_usage usage = { .confidence = -1.0 };
    enum mn_reason reason;
    struct mn_row row = { 0 };
    struct mn_row *kept;
    bool holds = true;

    mn_row_read(&reader, &row, &usage);
    MN_TRY(mn_read_end(&reader, err));
    MN_TRY(go_back(db, access, usage.confidence >= 0.0, scratch, &row, err));
    if (!answers(question, &row.memory) ||
        !mn_access_allows(access, &row.memory, row.confidence, &reason))
        return MNEME_OK;
    if (question->is_link)
        MN_TRY(link_holds(db, &row.memory, &holds, err));
    if (!holds)
        return MNEME_OK;
    kept = mn_array_add(arena, rows);
    if (!kept)
        return mn_fail_memory(err);
    *kept = row;
    return mn_memory_copy(&row.memory, arena, &kept->memory, err);
}

/* At most `limit` rows, in the order of the statement. */
static enum mneme_status ask(struct mn_store *store, const struct mn_access *access,
                             const struct question *question, size_t limit, struct mn_arena *arena,
                             struct mn_rows *ret_rows, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;
    struct mn_rows rows = { 0 };
    bool row = true;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, question->sql, &stmt, err));
    mn_bind_access(stmt, access);
    if (question->parameter)
        mn_bind_list(stmt, question->parameter, question->wanted);
    while (rows.count < limit) {
        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        MN_TRY(take(reading.db, stmt, access, question, arena, &rows, err));
    }
    *ret_rows = rows;
    return MNEME_OK;
}

/* ---- structured ---- */

/* Narrow scopes first, then importance, then id. */
static int compare_structured(const void *a, const void *b)
{
    const struct mneme_memory *left = &((const struct mn_row *)a)->memory;
    const struct mneme_memory *right = &((const struct mn_row *)b)->memory;
    int left_width = mn_scope_width(left->scope_kind);
    int right_width = mn_scope_width(right->scope_kind);

    if (left_width != right_width)
        return left_width > right_width ? -1 : 1;
    if (left->importance != right->importance)
        return left->importance > right->importance ? -1 : 1;
    return strcmp(left->id, right->id);
}

static struct mneme_list names_of(mn_type_set types, const char *name[static 64])
{
    size_t count = 0;

    for (int i = 0; i < mn_type_count(); i++) {
        if (types & MN_TYPE_BIT(i))
            name[count++] = mn_type_at(i)->name;
    }
    return (struct mneme_list){ name, count };
}

static enum mneme_status structured_past(struct mn_store *store, const struct mn_access *access,
                                         struct mneme_list types, struct mn_arena *arena,
                                         struct mn_rows *ret_rows, struct mneme_error *err)
{
    struct question question = { .sql = SQL_SQLITE_MEMORIES_STRUCTURED_PAST,
                                 .parameter = ":types",
                                 .wanted = types,
                                 .offset = offsetof(struct mneme_memory, type) };

    return ask(store, access, &question, SIZE_MAX, arena, ret_rows, err);
}

enum mneme_status mn_sqlite_memories_changed(struct mn_store *store, const struct mn_access *access,
                                             size_t limit, struct mn_arena *arena,
                                             struct mn_rows *ret_rows, struct mneme_error *err)
{
    struct question question = { .sql = SQL_SQLITE_MEMORIES_CHANGED_PAST };

    return ask(store, access, &question, limit, arena, ret_rows, err);
}

enum mneme_status mn_sqlite_memories_structured(struct mn_store *store,
                                                const struct mn_access *access, mn_type_set types,
                                                size_t limit, struct mn_arena *arena,
                                                struct mn_rows *ret_rows, struct mneme_error *err)
{
    const char *name[64];
    struct mneme_list wanted = names_of(types, name);
    struct mn_rows rows = { 0 };

    if (access->as_of_ms)
        MN_TRY(structured_past(store, access, wanted, arena, &rows, err));
    else
        MN_TRY(mn_now_structured(store, access, wanted, limit, arena, &rows, err));
    if (rows.count > 1)
        qsort(rows.item, rows.count, sizeof *rows.item, compare_structured);
    rows.count = rows.count < limit ? rows.count : limit;
    *ret_rows = rows;
    return MNEME_OK;
}

/* ---- by key, by link ---- */

static int compare_ids(const void *a, const void *b)
{
    return strcmp(((const struct mn_row *)a)->memory.id, ((const struct mn_row *)b)->memory.id);
}

static void put_in_order(struct mn_rows *rows)
{
    if (rows->count > 1)
        qsort(rows->item, rows->count, sizeof *rows->item, compare_ids);
}

enum mneme_status mn_sqlite_memories_by_key(struct mn_store *store, const struct mn_access *access,
                                            const char *const *keys, size_t count,
                                            const struct mn_had_rows *had, struct mn_arena *arena,
                                            struct mn_rows *ret_rows, struct mneme_error *err)
{
    struct question question = { .sql = SQL_SQLITE_MEMORIES_BY_KEY_PAST,
                                 .parameter = ":keys",
                                 .wanted = { keys, count },
                                 .offset = offsetof(struct mneme_memory, memory_key) };
    struct mn_rows rows = { 0 };

    if (count && access->as_of_ms)
        MN_TRY(ask(store, access, &question, SIZE_MAX, arena, &rows, err));
    else if (count)
        MN_TRY(mn_now_by_key(store, access, question.wanted, had, arena, &rows, err));
    put_in_order(&rows);
    *ret_rows = rows;
    return MNEME_OK;
}

enum mneme_status mn_sqlite_memories_successors(struct mn_store *store,
                                                const struct mn_access *access,
                                                const char *const *ids, size_t count,
                                                struct mn_arena *arena, struct mn_rows *ret_rows,
                                                struct mneme_error *err)
{
    struct question question = { .sql = SQL_SQLITE_MEMORIES_SUCCESSORS_PAST,
                                 .parameter = ":ids",
                                 .wanted = { ids, count },
                                 .offset = offsetof(struct mneme_memory, supersedes),
                                 .is_link = true };
    struct mn_rows rows = { 0 };

    if (count && access->as_of_ms)
        MN_TRY(ask(store, access, &question, SIZE_MAX, arena, &rows, err));
    else if (count)
        MN_TRY(mn_now_successors(store, access, question.wanted, arena, &rows, err));
    put_in_order(&rows);
    *ret_rows = rows;
    return MNEME_OK;
}
