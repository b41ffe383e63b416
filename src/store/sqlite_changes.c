/*
 * sqlite_changes.c - the outbox, read by a cursor.
 *
 * A cursor is "v1:<store>:<seq>": the number of the last change seen, and the file it was seen in,
 * so that one that was kept beside a deleted and re-made file is too old instead of silently wrong.
 * Numbers follow the order of commits, because one transaction writes at a time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sql/sqlite.gen.h"
#include "store/sqlite_store.h"

void mn_cursor_print(const struct mn_sqlite_store *store, int64_t seq, struct mn_cursor *ret_cursor)
{
    (void)snprintf(ret_cursor->text, sizeof ret_cursor->text, "v1:%.8s:%" PRId64, store->id, seq);
}

/* False: of another file, or none of ours. */
static bool parse_cursor(const struct mn_sqlite_store *store, const struct mn_cursor *cursor,
                         int64_t *ret_seq)
{
    struct mn_cursor again;
    const char *number = strrchr(cursor->text, ':');

    *ret_seq = 0;
    if (cursor->text[0] == '\0')
        return true;
    if (!number)
        return false;
    *ret_seq = strtoll(number + 1, NULL, 10);
    mn_cursor_print(store, *ret_seq, &again);
    return strcmp(again.text, cursor->text) == 0;
}

enum mneme_status mn_sqlite_position(struct mn_store *store, struct mn_cursor *ret_cursor,
                                     struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    struct mn_row_state state;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_reading_state(&reading, &state, err));
    mn_cursor_print(reading.store, state.changes, ret_cursor);
    return MNEME_OK;
}

/* Is what came right after the cursor no longer in the log, or the cursor from a later state? */
static enum mneme_status find_gap(struct mn_sqlite *db, int64_t seq, int64_t last, bool *ret_gap,
                                  struct mneme_error *err)
{
    int64_t first = 0;

    *ret_gap = seq > last || seq < 0;
    if (*ret_gap || seq == last)
        return MNEME_OK;
    MN_TRY(mn_sqlite_integer(db, SQL_SQLITE_CHANGES_FIRST_KEPT, &first, err));
    *ret_gap = first == 0 || first > seq + 1;
    return MNEME_OK;
}

static enum mneme_status read_changes(struct mn_sqlite *db, const struct mn_partition *only,
                                      int64_t seq, size_t limit, struct mn_arena *arena,
                                      struct mn_changes *changes, int64_t *ret_seq,
                                      struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    struct {
        struct mn_change *item;
        size_t count, room;
    } found = { 0 };
    bool row = false;

    MN_TRY(mn_sqlite_prepare(
        db, only ? SQL_SQLITE_CHANGES_AFTER_OF_PARTITION : SQL_SQLITE_CHANGES_AFTER, &stmt, err));
    if (only) {
        mn_bind_text(stmt, ":tenant", only->tenant);
        mn_bind_text(stmt, ":owner", only->owner);
    }
    mn_bind_integer(stmt, ":seq", seq);
    mn_bind_integer(stmt, ":limit", limit < INT64_MAX ? (int64_t)limit + 1 : -1);
    for (;;) {
        struct mn_reader reader = { .stmt = stmt, .arena = arena };
        struct mn_change *change;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        changes->more = row && found.count == limit;
        if (!row || changes->more)
            break;
        change = mn_array_add(arena, &found);
        if (!change)
            return mn_fail_memory(err);
        *ret_seq = mn_read_integer(&reader);
        change->kind = (enum mn_change_kind)mn_read_integer(&reader);
        change->partition.tenant = mn_read_text(&reader);
        change->partition.owner = mn_read_text(&reader);
        change->id = mn_read_text(&reader);
        change->revision = mn_read_integer(&reader);
        MN_TRY(mn_read_end(&reader, err));
    }
    changes->item = found.item;
    changes->count = found.count;
    return MNEME_OK;
}

enum mneme_status mn_changes_read(struct mn_sqlite *db, const struct mn_partition *only, int64_t seq,
                                  int64_t last, size_t limit, struct mn_arena *arena,
                                  struct mn_changes *changes, int64_t *ret_seq,
                                  struct mneme_error *err)
{
    *ret_seq = seq;
    MN_TRY(find_gap(db, seq, last, &changes->too_old, err));
    if (changes->too_old || seq == last)
        return MNEME_OK;
    return read_changes(db, only, seq, limit, arena, changes, ret_seq, err);
}

enum mneme_status mn_sqlite_changes_after(struct mn_store *store, const struct mn_partition *only,
                                          const struct mn_cursor *cursor, size_t limit,
                                          struct mn_arena *arena, struct mn_changes *ret_changes,
                                          struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    struct mn_changes changes = { 0 };
    struct mn_row_state state;
    int64_t seq = 0;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_reading_state(&reading, &state, err));
    if (!parse_cursor(reading.store, cursor, &seq))
        changes.too_old = true;
    else
        MN_TRY(mn_changes_read(reading.db, only, seq, state.changes, limit, arena, &changes, &seq,
                               err));
    mn_cursor_print(reading.store, changes.more ? seq : state.changes, &changes.next);
    *ret_changes = changes;
    return MNEME_OK;
}

enum mneme_status mn_changes_since(const struct mn_sqlite_store *store, struct mn_sqlite *db,
                                   const char *cursor, int64_t *ret_seq, bool *ret_gap,
                                   struct mneme_error *err)
{
    struct mn_cursor known;
    int64_t last = 0;

    (void)snprintf(known.text, sizeof known.text, "%s", cursor);
    MN_TRY(mn_sqlite_integer(db, SQL_SQLITE_CHANGES_LAST, &last, err));
    *ret_gap = !parse_cursor(store, &known, ret_seq);
    return *ret_gap ? MNEME_OK : find_gap(db, *ret_seq, last, ret_gap, err);
}
