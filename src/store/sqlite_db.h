/*
 * sqlite_db.h - one connection to a SQLite file, and its statements.
 *
 * A connection is used by one thread at a time. Statements are prepared once and kept with it;
 * MN_STMT_AUTO gives one back on every way out. Binding is by name and a reader takes the columns
 * in their order; both remember a failure, so that it is checked once: by mn_sqlite_step() and by
 * mn_read_end().
 */
#ifndef MN_STORE_SQLITE_DB_H
#define MN_STORE_SQLITE_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sqlite3.h>

#include <mneme/memory.h>

#include "base/arena.h"
#include "base/err.h"
#include "memory/access.h"

struct mn_sqlite;
struct mn_stmt;

#define MN_SQLITE_WAIT_MS 30000 /* for another process; below it nothing is reported busy */

enum mn_sqlite_mode {
    MN_SQLITE_WRITE = 1, /* reads and writes a file that is there */
    MN_SQLITE_READ,
    MN_SQLITE_IMMUTABLE /* nobody writes: no lock is taken and no file beside it made */
};

/* path is absolute. MNEME_FORBIDDEN, MNEME_CORRUPT: as mneme_open() says. */
enum mneme_status mn_sqlite_connect(const char *path, enum mn_sqlite_mode mode, const void *key,
                                    size_t key_bytes, struct mn_sqlite **ret_db,
                                    struct mneme_error *err);
void mn_sqlite_free(struct mn_sqlite *db);     /* accepts NULL */
void mn_sqlite_free_at(struct mn_sqlite **db); /* for MN_CLEANUP */
#define MN_SQLITE_AUTO MN_CLEANUP(mn_sqlite_free_at) struct mn_sqlite *

sqlite3 *mn_sqlite_handle(struct mn_sqlite *db);
/* Closing a connection leaves the files as they are, unless this was said: then the last one of all
 * merges the log into the file and removes it. */
void mn_sqlite_merge_at_close(struct mn_sqlite *db);

/* Has a read failed in this thread since it was asked last? Then the connection is spoiled. For
 * what is done with its handle; statements look by themselves. */
bool mn_sqlite_unread(struct mn_sqlite *db);
/* It may keep pages that were not read, and the layer that deciphers stays with its error: its
 * statements are refused, and who has it closes it and opens another. */
bool mn_sqlite_is_spoiled(const struct mn_sqlite *db);

/* What the connection's last error means; `code` is SQLite's. */
enum mneme_status mn_sqlite_fail(struct mn_sqlite *db, int code, struct mneme_error *err);

/* A script of several statements without parameters. */
enum mneme_status mn_sqlite_script(struct mn_sqlite *db, const char *sql, struct mneme_error *err);

/* sql: static text; the statement is kept under its address. One user of it at a time. */
enum mneme_status mn_sqlite_prepare(struct mn_sqlite *db, const char *sql,
                                    struct mn_stmt **ret_stmt, struct mneme_error *err);
void mn_stmt_reset_at(struct mn_stmt **stmt); /* for MN_CLEANUP: reset, bindings dropped */
#define MN_STMT_AUTO MN_CLEANUP(mn_stmt_reset_at) struct mn_stmt *

/* Prepare and step once, for statements without parameters: BEGIN, COMMIT, ... */
enum mneme_status mn_sqlite_run(struct mn_sqlite *db, const char *sql, struct mneme_error *err);
/* Commits. Where that fails and the commit may yet be found in the log by the next opening, err says
 * `uncertain`. */
enum mneme_status mn_sqlite_keep(struct mn_sqlite *db, struct mneme_error *err);
/* Ends a transaction: commits when `status`, of what was done in it, is OK, and takes back what stays
 * open. What came of it all. */
enum mneme_status mn_sqlite_end(struct mn_sqlite *db, enum mneme_status status,
                                struct mneme_error *err);

/* Binding. Names are static texts: under their addresses they are found again. Texts and blobs are
 * borrowed until the statement is reset. NULL texts are "". */
void mn_bind_text(struct mn_stmt *stmt, const char *name, const char *text);
void mn_bind_integer(struct mn_stmt *stmt, const char *name, int64_t value);
void mn_bind_real(struct mn_stmt *stmt, const char *name, double value);
void mn_bind_blob(struct mn_stmt *stmt, const char *name, const void *bytes, size_t count);
void mn_bind_null(struct mn_stmt *stmt, const char *name);
/* The list and the pairs as JSON; the text is copied. */
void mn_bind_list(struct mn_stmt *stmt, const char *name, struct mneme_list list);
void mn_bind_pairs(struct mn_stmt *stmt, const char *name, struct mneme_pairs pairs);
/* :tenant :user :agent :project :repository :task :session (NULL where not open) :clearance
 * :permissions, and :at, the instant of validity, or :as_of where the statement has that. */
void mn_bind_access(struct mn_stmt *stmt, const struct mn_access *access);

/* *ret_row: whether there is one (more). */
enum mneme_status mn_sqlite_step(struct mn_stmt *stmt, bool *ret_row, struct mneme_error *err);
/* A statement that gives no rows. */
enum mneme_status mn_sqlite_done(struct mn_stmt *stmt, struct mneme_error *err);
size_t mn_stmt_columns(const struct mn_stmt *stmt);
/* Rows changed by the last INSERT, UPDATE or DELETE. */
int mn_sqlite_changed(struct mn_sqlite *db);
/* By all of them, undone or not. */
int64_t mn_sqlite_changed_ever(struct mn_sqlite *db);

/* Reading the present row's columns, from `column` on. */
struct mn_reader {
    struct mn_stmt *stmt;
    struct mn_arena *arena;
    int column;
    bool full;    /* the arena */
    bool damaged; /* not what the store writes */
};
const char *mn_read_text(struct mn_reader *reader); /* copied into the arena; never NULL */
/* The column's bytes, borrowed until the next step; NULL when empty. */
const void *mn_read_bytes(struct mn_reader *reader, size_t *ret_bytes);
int64_t mn_read_integer(struct mn_reader *reader);  /* NULL: 0 */
double mn_read_real(struct mn_reader *reader);
bool mn_read_null(struct mn_reader *reader); /* looks, does not move on */
void mn_read_skip(struct mn_reader *reader);
struct mneme_list mn_read_list(struct mn_reader *reader);
struct mneme_pairs mn_read_pairs(struct mn_reader *reader);
const float *mn_read_vector(struct mn_reader *reader, size_t *ret_dim); /* NULL: none */
enum mneme_status mn_read_end(const struct mn_reader *reader, struct mneme_error *err);

#endif
