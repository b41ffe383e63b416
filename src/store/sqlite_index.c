/*
 * sqlite_index.c - what an index that lies in the store has come to: its position, and the units it
 * failed at.
 *
 * The position is the number of a change, in a row of the index's own without a unit.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_store.h"
#include "store/sqlite_write.h"

enum mneme_status mn_write_index(const struct mn_writing *w, const struct mn_index_row *row,
                                 struct mneme_error *err)
{
    bool of_unit = !mn_empty(row->unit);
    bool gone = of_unit && row->failures == 0;
    const char *number = of_unit ? NULL : strrchr(row->cursor, ':');
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(w->db, gone ? SQL_SQLITE_INDEX_REMOVE : SQL_SQLITE_INDEX_PUT, &stmt,
                             err));
    mn_bind_text(stmt, ":index", row->index);
    mn_bind_text(stmt, ":tenant", of_unit ? row->partition.tenant : "");
    mn_bind_text(stmt, ":owner", of_unit ? row->partition.owner : "");
    mn_bind_text(stmt, ":unit", row->unit);
    if (!gone) {
        mn_bind_integer(stmt, ":position", number ? strtoll(number + 1, NULL, 10) : 0);
        mn_bind_integer(stmt, ":failures", row->failures);
        mn_bind_integer(stmt, ":now_ms", w->commit->now_ms);
    }
    return mn_sqlite_done(stmt, err);
}

enum mneme_status mn_sqlite_index_position(struct mn_store *store, const char *index,
                                           struct mn_cursor *ret_cursor, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;
    struct mn_reader reader = { 0 };
    bool row = false;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_INDEX_POSITION, &stmt, err));
    mn_bind_text(stmt, ":index", index);
    MN_TRY(mn_sqlite_step(stmt, &row, err));
    reader.stmt = stmt;
    if (row)
        mn_cursor_print(reading.store, mn_read_integer(&reader), ret_cursor);
    else
        ret_cursor->text[0] = '\0';
    return MNEME_OK;
}

static enum mneme_status read_failed(struct mn_stmt *stmt, const char *index,
                                     struct mn_arena *arena, struct mn_index_rows *rows,
                                     struct mneme_error *err)
{
    bool row = false;

    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct mn_index_row *failed;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            return MNEME_OK;
        failed = mn_array_add(arena, rows);
        if (!failed)
            return mn_fail_memory(err);
        failed->index = index;
        failed->cursor = "";
        failed->partition.tenant = mn_read_text(&reader);
        failed->partition.owner = mn_read_text(&reader);
        failed->unit = mn_read_text(&reader);
        failed->failures = mn_read_integer(&reader);
        MN_TRY(mn_read_end(&reader, err));
    }
}

enum mneme_status mn_sqlite_index_failed(struct mn_store *store, const char *index,
                                         int64_t failures_max, int64_t now_ms, size_t limit,
                                         struct mn_arena *arena, struct mn_index_rows *ret_rows,
                                         size_t *ret_parked, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO failed = NULL;
    MN_STMT_AUTO parked = NULL;
    struct mn_index_rows rows = { 0 };
    struct mn_reader reader = { 0 };
    bool row = false;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_INDEX_FAILED, &failed, err));
    mn_bind_text(failed, ":index", index);
    mn_bind_integer(failed, ":failures_max", failures_max);
    mn_bind_integer(failed, ":now_ms", now_ms);
    mn_bind_integer(failed, ":limit", limit < INT64_MAX ? (int64_t)limit : -1);
    MN_TRY(read_failed(failed, index, arena, &rows, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_INDEX_PARKED, &parked, err));
    mn_bind_text(parked, ":index", index);
    mn_bind_integer(parked, ":failures_max", failures_max);
    MN_TRY(mn_sqlite_step(parked, &row, err));
    reader.stmt = parked;
    *ret_parked = row ? (size_t)mn_read_integer(&reader) : 0;
    *ret_rows = rows;
    return MNEME_OK;
}

enum mneme_status mn_sqlite_index_parked(struct mn_store *store, const char *index,
                                         int64_t failures_max, size_t limit,
                                         struct mn_arena *arena, struct mn_index_rows *ret_rows,
                                         struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;
    struct mn_index_rows rows = { 0 };

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_INDEX_PARKED_UNITS, &stmt, err));
    mn_bind_text(stmt, ":index", index);
    mn_bind_integer(stmt, ":failures_max", failures_max);
    mn_bind_integer(stmt, ":limit", limit < INT64_MAX ? (int64_t)limit : -1);
    MN_TRY(read_failed(stmt, index, arena, &rows, err));
    *ret_rows = rows;
    return MNEME_OK;
}
