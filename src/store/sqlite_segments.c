/*
 * sqlite_segments.c - indexes of partitions as bytes, kept in the store so that they are encrypted,
 * copied and erased with it.
 *
 * A segment lies in parts, each written in a transaction of its own, so that nobody waits long. Who
 * reads while one is written gets parts of two; the segment's own checksum says so. What is drawn
 * from a state that lies before an erasure is refused, and the erasure takes away what is there: so
 * no segment ever says what was erased.
 */
#include <stdlib.h>
#include <string.h>

#include "sql/sqlite.gen.h"
#include "store/sqlite_store.h"

#define PART_BYTES ((size_t)4 << 20)

static void bind_segment(struct mn_stmt *stmt, struct mn_partition partition, const char *profile)
{
    mn_bind_text(stmt, ":tenant", partition.tenant);
    mn_bind_text(stmt, ":owner", partition.owner);
    mn_bind_text(stmt, ":profile", profile);
}

/* Has nothing been erased since the cursor, as far as can be told? */
static enum mneme_status check_cursor(struct mn_sqlite_store *self, const struct mn_segment_row *row,
                                      struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    bool erased = false, gap = false;
    int64_t seq = 0;

    MN_TRY(mn_changes_since(self, self->writer, row->cursor, &seq, &gap, err));
    if (!gap) {
        MN_TRY(mn_sqlite_prepare(self->writer, SQL_SQLITE_SEGMENT_ERASED, &stmt, err));
        mn_bind_text(stmt, ":tenant", row->partition.tenant);
        mn_bind_text(stmt, ":owner", row->partition.owner);
        mn_bind_integer(stmt, ":kind", MN_CHANGE_ERASE);
        mn_bind_integer(stmt, ":seq", seq);
        MN_TRY(mn_sqlite_step(stmt, &erased, err));
    }
    if (gap || erased)
        return mn_fail(err, MNEME_CONFLICT, "segment: was drawn before something was erased");
    return MNEME_OK;
}

static enum mneme_status remove_parts(struct mn_sqlite *db, const struct mn_segment_row *row,
                                      struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_SEGMENT_REMOVE, &stmt, err));
    bind_segment(stmt, row->partition, row->profile);
    return mn_sqlite_done(stmt, err);
}

static enum mneme_status put_part(struct mn_sqlite *db, const struct mn_segment_row *row,
                                  size_t from, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;
    size_t left = row->bytes.bytes - from;

    MN_TRY(mn_sqlite_prepare(db, SQL_SQLITE_SEGMENT_PUT, &stmt, err));
    bind_segment(stmt, row->partition, row->profile);
    mn_bind_integer(stmt, ":part", (int64_t)(from / PART_BYTES));
    mn_bind_integer(stmt, ":total", (int64_t)row->bytes.bytes);
    mn_bind_blob(stmt, ":bytes", row->bytes.at + from, left < PART_BYTES ? left : PART_BYTES);
    return mn_sqlite_done(stmt, err);
}

/* The first takes away what was there. */
static enum mneme_status write_inside(struct mn_sqlite_store *self, const struct mn_segment_row *row,
                                      size_t from, struct mneme_error *err)
{
    MN_TRY(check_cursor(self, row, err));
    if (from == 0)
        MN_TRY(remove_parts(self->writer, row, err));
    return put_part(self->writer, row, from, err);
}

static enum mneme_status write_part(struct mn_sqlite_store *self, const struct mn_segment_row *row,
                                    size_t from, struct mneme_error *err)
{
    enum mneme_status status;

    MN_TRY(mn_turn_begin(self, err));
    status = mn_sqlite_run(self->writer, SQL_SQLITE_BEGIN_WRITE, err);
    if (status == MNEME_OK)
        status = mn_sqlite_end(self->writer, write_inside(self, row, from, err), err);
    mn_turn_end(self);
    return status;
}

enum mneme_status mn_sqlite_segment_put(struct mn_store *store, const struct mn_segment_row *row,
                                        struct mneme_error *err)
{
    struct mn_sqlite_store *self = (struct mn_sqlite_store *)store;

    for (size_t from = 0; from < row->bytes.bytes; from += PART_BYTES)
        MN_TRY(write_part(self, row, from, err));
    return MNEME_OK;
}

static enum mneme_status read_parts(struct mn_stmt *stmt, struct mn_arena *arena,
                                    struct mn_str *ret_bytes, struct mneme_error *err)
{
    char *bytes = NULL;
    size_t total = 0, at = 0;
    bool row = false;

    for (;;) {
        struct mn_reader reader = { .stmt = stmt };
        size_t count;

        MN_TRY(mn_sqlite_step(stmt, &row, err));
        if (!row)
            break;
        int64_t said = mn_read_integer(&reader);
        const void *part = mn_read_bytes(&reader, &count);
        if (!bytes && (said <= 0 || (uint64_t)said > MN_SEGMENT_BYTES_MAX))
            break;
        if (!bytes) {
            total = (size_t)said;
            bytes = mn_arena_room(arena, total);
            if (!bytes)
                return mn_fail_memory(err);
        }
        if (count > total - at) /* parts of two */
            break;
        memcpy(bytes + at, part, count);
        at += count;
    }
    if (!bytes || row || at != total)
        return mn_fail(err, MNEME_NOT_FOUND, "segment: there is none");
    *ret_bytes = (struct mn_str){ bytes, total };
    return MNEME_OK;
}

enum mneme_status mn_sqlite_segment_get(struct mn_store *store, struct mn_partition partition,
                                        const char *profile, struct mn_arena *arena,
                                        struct mn_str *ret_bytes, struct mneme_error *err)
{
    MN_READING_AUTO reading = { 0 };
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_reading_begin(store, &reading, err));
    MN_TRY(mn_sqlite_prepare(reading.db, SQL_SQLITE_SEGMENT_PARTS, &stmt, err));
    bind_segment(stmt, partition, profile);
    return read_parts(stmt, arena, ret_bytes, err);
}
