/*
 * sqlite_db.c - one connection: opened with its key and settings, its statements kept.
 *
 * Statements are kept in a table under the address of their text, which is static. Parameters are
 * found by name; callers bind them in the order of the statement, so that the next name is nearly
 * always the one asked for, and the address of the name it was asked by last.
 *
 * SQLite says "file is not a database" of a foreign file, a damaged one, one under another key and
 * one under none. The first bytes tell them apart: the cipher leaves bytes 16 to 23 of the header
 * in clear. They are read through SQLite's own file, because closing any other descriptor of the
 * database would drop the locks this process holds on it.
 */
#include "store/sqlite_db.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "sql/sqlite.gen.h"
#include "store/file_reads.h"
#include "store/half.h"
#include "store/joined_log.h"

#define STATEMENTS_MAX 256 /* a power of two, well above their number */

struct mn_stmt {
    sqlite3_stmt *handle;
    struct mn_sqlite *db;
    const char **asked; /* by which name each parameter was asked for last */
    int parameters;
    int bound; /* number of the parameter bound last */
    bool failed; /* a binding did not succeed: no memory */
};

struct mn_sqlite {
    sqlite3 *handle;
    bool unread; /* a read failed: the transaction goes back, and pages in memory are read again */
    struct {
        const char *sql;
        struct mn_stmt stmt;
    } kept[STATEMENTS_MAX];
};

/* ---- errors ---- */

static enum mneme_status fail_unread(struct mneme_error *err)
{
    return mn_fail(err, MNEME_UNAVAILABLE, "the store cannot be read: the disk fails");
}

bool mn_sqlite_unread(struct mn_sqlite *db)
{
    bool unread = mn_file_reads_failed();

    db->unread = db->unread || unread;
    return unread;
}

bool mn_sqlite_is_spoiled(const struct mn_sqlite *db)
{
    return db->unread;
}

enum mneme_status mn_sqlite_fail(struct mn_sqlite *db, int code, struct mneme_error *err)
{
    const char *why = db && db->handle ? sqlite3_errmsg(db->handle) : sqlite3_errstr(code);

    if (code == SQLITE_IOERR_NOMEM)
        return mn_fail_memory(err);
    if (db ? mn_sqlite_unread(db) : mn_file_reads_failed())
        return fail_unread(err);
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return mn_fail_memory(err);
    case SQLITE_TOOBIG:
        return mn_fail(err, MNEME_LIMIT, "the store cannot hold so much in one row");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return mn_fail(err, MNEME_UNAVAILABLE, "the store is busy: another process holds it");
    case SQLITE_FULL:
        return mn_fail(err, MNEME_UNAVAILABLE, "the store cannot grow: the disk is full");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return mn_fail(err, MNEME_FORBIDDEN, "the store cannot be written (%s)", why);
    case SQLITE_CONSTRAINT:
        return mn_fail(err, MNEME_CONFLICT, "the store holds such a row already");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_ERROR: /* statements are tested: a table or column is not as it should be */
        return mn_fail(err, MNEME_CORRUPT, "the store is damaged (%s)", why);
    default:
        return mn_fail(err, MNEME_UNAVAILABLE, "the store does not answer (%s)", why);
    }
}

/* ---- opening ---- */

/* "file:" and the path, with what has a meaning in a URI escaped. */
static enum mneme_status make_uri(const char *path, struct mn_buf *uri, struct mneme_error *err)
{
    mn_buf_text(uri, "file:");
    for (; *path; path++) {
        if (*path == '%' || *path == '?' || *path == '#')
            mn_buf_printf(uri, "%%%02x", (unsigned)(unsigned char)*path);
        else
            mn_buf_char(uri, *path);
    }
    mn_buf_text(uri, "?immutable=1");
    return uri->failed ? mn_fail_memory(err) : MNEME_OK;
}

static int open_immutable(const char *path, sqlite3 **ret_handle)
{
    MN_BUF_AUTO uri = { 0 };

    if (make_uri(path, &uri, NULL) != MNEME_OK)
        return SQLITE_NOMEM;
    return sqlite3_open_v2(uri.at, ret_handle,
                           SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                               SQLITE_OPEN_EXRESCODE,
                           NULL);
}

/* Why is it "not a database"? */
static enum mneme_status judge_header(const char *path, bool with_key, struct mneme_error *err)
{
    static const char plain[] = "SQLite format 3";
    unsigned char head[24] = { 0 };
    sqlite3_file *file = NULL;
    sqlite3 *handle = NULL;
    bool read = false;
    unsigned page;

    if (open_immutable(path, &handle) == SQLITE_OK &&
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK && file)
        read = file->pMethods->xRead(file, head, sizeof head, 0) == SQLITE_OK;
    (void)sqlite3_close(handle);

    if (read && memcmp(head, plain, sizeof plain) == 0) {
        if (with_key)
            return mn_fail(err, MNEME_FORBIDDEN, "key: the store at %s is not encrypted", path);
        return mn_fail(err, MNEME_CORRUPT, "the store at %s is damaged: its header is wrong", path);
    }
    page = (unsigned)head[16] << 8 | head[17];
    if (read && (page == 1 || (page >= 512 && (page & (page - 1)) == 0)) && head[21] == 64 &&
        head[22] == 32 && head[23] == 32) {
        if (with_key)
            return mn_fail(err, MNEME_FORBIDDEN, "key: wrong for the store at %s", path);
        return mn_fail(err, MNEME_FORBIDDEN, "key: missing; the store at %s is encrypted", path);
    }
    return mn_fail(err, MNEME_CORRUPT, "%s is not a mneme store", path);
}

static int settle(sqlite3 *handle)
{
    static const char *const settings[] = { SQL_SQLITE_SET_SYNCHRONOUS,
                                            SQL_SQLITE_SET_SECURE_DELETE, SQL_SQLITE_SET_CACHE_SIZE,
                                            SQL_SQLITE_SCHEMA_COUNT /* reads the header */ };
    int code = SQLITE_OK;

    (void)sqlite3_busy_timeout(handle, MN_SQLITE_WAIT_MS);
    (void)sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
    /* A plan that looks at what is bound is made anew with every binding. */
    (void)sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_QPSG, 1, NULL);
    (void)sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    for (size_t i = 0; code == SQLITE_OK && i < sizeof settings / sizeof *settings; i++)
        code = sqlite3_exec(handle, settings[i], NULL, NULL, NULL);
    return code;
}

enum mneme_status mn_sqlite_connect(const char *path, enum mn_sqlite_mode mode, const void *key,
                                    size_t key_bytes, struct mn_sqlite **ret_db,
                                    struct mneme_error *err)
{
    MN_SQLITE_AUTO db = calloc(1, sizeof *db);
    int flags = mode == MN_SQLITE_WRITE ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    int code;

    if (!db)
        return mn_fail_memory(err);
    mn_file_reads_begin();
    (void)mn_file_reads_failed();
    if (mode == MN_SQLITE_IMMUTABLE)
        code = open_immutable(path, &db->handle);
    else
        code = sqlite3_open_v2(path, &db->handle,
                               flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                               mode == MN_SQLITE_WRITE ? mn_joined_log_vfs() : NULL);
    if (code == SQLITE_OK && key_bytes > 0)
        code = sqlite3_key(db->handle, key, (int)key_bytes);
    if (code == SQLITE_OK)
        code = settle(db->handle);
    if (mn_file_reads_failed())
        return fail_unread(err);
    if ((code & 0xff) == SQLITE_CANTOPEN)
        return mn_fail(err, MNEME_FORBIDDEN, "the store at %s cannot be opened (%s)", path,
                       sqlite3_errmsg(db->handle));
    if (code == SQLITE_NOTADB)
        return judge_header(path, key_bytes > 0, err);
    if (code != SQLITE_OK)
        return mn_sqlite_fail(db, code, err);
    *ret_db = db;
    db = NULL;
    return MNEME_OK;
}

void mn_sqlite_free(struct mn_sqlite *db)
{
    if (!db)
        return;
    for (size_t i = 0; i < STATEMENTS_MAX; i++) {
        (void)sqlite3_finalize(db->kept[i].stmt.handle);
        free(db->kept[i].stmt.asked);
    }
    (void)sqlite3_close(db->handle);
    free(db);
}

void mn_sqlite_free_at(struct mn_sqlite **db)
{
    mn_sqlite_free(*db);
    *db = NULL;
}

sqlite3 *mn_sqlite_handle(struct mn_sqlite *db)
{
    return db->handle;
}

void mn_sqlite_merge_at_close(struct mn_sqlite *db)
{
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
}

/* ---- statements ---- */

enum mneme_status mn_sqlite_script(struct mn_sqlite *db, const char *sql, struct mneme_error *err)
{
    int code;

    (void)mn_file_reads_failed();
    code = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
    if (code != SQLITE_OK)
        return mn_sqlite_fail(db, code, err);
    return mn_sqlite_unread(db) ? fail_unread(err) : MNEME_OK;
}

enum mneme_status mn_sqlite_prepare(struct mn_sqlite *db, const char *sql,
                                    struct mn_stmt **ret_stmt, struct mneme_error *err)
{
    size_t slot = ((uintptr_t)sql >> 3) * 31 % STATEMENTS_MAX;
    struct mn_stmt *stmt;
    int code;

    for (size_t tries = 0; db->kept[slot].sql && db->kept[slot].sql != sql; tries++) {
        if (tries == STATEMENTS_MAX)
            return mn_fail(err, MNEME_LIMIT, "too many statements");
        slot = (slot + 1) % STATEMENTS_MAX;
    }
    stmt = &db->kept[slot].stmt;
    if (!db->kept[slot].sql) {
        (void)mn_file_reads_failed();
        code =
            sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt->handle, NULL);
        if (code != SQLITE_OK)
            return mn_sqlite_fail(db, code, err);
        if (mn_sqlite_unread(db)) { /* what it made of the schema is made of what was not read */
            (void)sqlite3_finalize(stmt->handle);
            stmt->handle = NULL;
            return fail_unread(err);
        }
        stmt->parameters = sqlite3_bind_parameter_count(stmt->handle);
        stmt->asked = calloc((size_t)stmt->parameters + 1, sizeof *stmt->asked);
        if (!stmt->asked) {
            (void)sqlite3_finalize(stmt->handle);
            stmt->handle = NULL;
            return mn_fail_memory(err);
        }
        stmt->db = db;
        db->kept[slot].sql = sql;
    }
    stmt->bound = 0;
    stmt->failed = false;
    *ret_stmt = stmt;
    return MNEME_OK;
}

void mn_stmt_reset_at(struct mn_stmt **stmt)
{
    if (!*stmt)
        return;
    (void)sqlite3_reset((*stmt)->handle);
    (void)sqlite3_clear_bindings((*stmt)->handle);
    *stmt = NULL;
}

/* Behind a failed read a connection can only go back; it is closed when nobody uses it. */
static enum mneme_status refuse_spoiled(const struct mn_stmt *stmt, struct mneme_error *err)
{
    (void)mn_file_reads_failed();
    if (!stmt->db->unread || strncmp(sqlite3_sql(stmt->handle), "ROLLBACK", 8) == 0)
        return MNEME_OK;
    return fail_unread(err);
}

enum mneme_status mn_sqlite_step(struct mn_stmt *stmt, bool *ret_row, struct mneme_error *err)
{
    int code = SQLITE_NOMEM;

    MN_TRY(refuse_spoiled(stmt, err));
    if (!stmt->failed)
        code = sqlite3_step(stmt->handle);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return mn_sqlite_fail(stmt->db, code, err);
    if (mn_sqlite_unread(stmt->db))
        return fail_unread(err);
    *ret_row = code == SQLITE_ROW;
    return MNEME_OK;
}

enum mneme_status mn_sqlite_done(struct mn_stmt *stmt, struct mneme_error *err)
{
    bool row;

    return mn_sqlite_step(stmt, &row, err);
}

enum mneme_status mn_sqlite_run(struct mn_sqlite *db, const char *sql, struct mneme_error *err)
{
    MN_STMT_AUTO stmt = NULL;

    MN_TRY(mn_sqlite_prepare(db, sql, &stmt, err));
    return mn_sqlite_done(stmt, err);
}

size_t mn_stmt_columns(const struct mn_stmt *stmt)
{
    return (size_t)sqlite3_column_count(stmt->handle);
}

int mn_sqlite_changed(struct mn_sqlite *db)
{
    return sqlite3_changes(db->handle);
}

/* ---- binding ---- */

static int find_parameter(struct mn_stmt *stmt, const char *name)
{
    const char *next;

    if (stmt->bound < stmt->parameters && stmt->asked[stmt->bound] == name)
        return ++stmt->bound;
    next = sqlite3_bind_parameter_name(stmt->handle, stmt->bound + 1);
    stmt->bound = next && strcmp(next, name) == 0
                      ? stmt->bound + 1
                      : sqlite3_bind_parameter_index(stmt->handle, name);
    assert(stmt->bound > 0);
    stmt->asked[stmt->bound - 1] = name;
    return stmt->bound;
}

static void keep(struct mn_stmt *stmt, int code)
{
    if (code != SQLITE_OK)
        stmt->failed = true;
}

void mn_bind_text(struct mn_stmt *stmt, const char *name, const char *text)
{
    text = mn_or_empty(text);
    keep(stmt, sqlite3_bind_text64(stmt->handle, find_parameter(stmt, name), text, strlen(text),
                                   SQLITE_STATIC, SQLITE_UTF8));
}

void mn_bind_integer(struct mn_stmt *stmt, const char *name, int64_t value)
{
    keep(stmt, sqlite3_bind_int64(stmt->handle, find_parameter(stmt, name), value));
}

void mn_bind_real(struct mn_stmt *stmt, const char *name, double value)
{
    keep(stmt, sqlite3_bind_double(stmt->handle, find_parameter(stmt, name), value));
}

void mn_bind_blob(struct mn_stmt *stmt, const char *name, const void *bytes, size_t count)
{
    keep(stmt, sqlite3_bind_blob64(stmt->handle, find_parameter(stmt, name), bytes, count,
                                   SQLITE_STATIC));
}

void mn_bind_null(struct mn_stmt *stmt, const char *name)
{
    keep(stmt, sqlite3_bind_null(stmt->handle, find_parameter(stmt, name)));
}

/* Hands the buffer's bytes to the statement. */
static void bind_buf(struct mn_stmt *stmt, const char *name, struct mn_buf *json)
{
    if (json->failed || !json->at) {
        mn_buf_release(json);
        stmt->failed = true;
        return;
    }
    keep(stmt, sqlite3_bind_text64(stmt->handle, find_parameter(stmt, name), json->at, json->bytes,
                                   free, SQLITE_UTF8));
}

void mn_bind_list(struct mn_stmt *stmt, const char *name, struct mneme_list list)
{
    struct mn_buf json = { 0 };
    struct mn_json_writer writer = { .out = &json };

    if (list.count == 0) {
        mn_bind_text(stmt, name, "[]");
        return;
    }
    mn_json_open(&writer, '[');
    for (size_t i = 0; i < list.count; i++)
        mn_json_put_text(&writer, list.item[i]);
    mn_json_close(&writer, ']');
    bind_buf(stmt, name, &json);
}

void mn_bind_pairs(struct mn_stmt *stmt, const char *name, struct mneme_pairs pairs)
{
    struct mn_buf json = { 0 };
    struct mn_json_writer writer = { .out = &json };

    if (pairs.count == 0) {
        mn_bind_text(stmt, name, "{}");
        return;
    }
    mn_json_open(&writer, '{');
    for (size_t i = 0; i < pairs.count; i++)
        mn_json_field_text(&writer, mn_or_empty(pairs.item[i].name), pairs.item[i].value);
    mn_json_close(&writer, '}');
    bind_buf(stmt, name, &json);
}

/* For statements that ask only part of it. An id that is not open equals nothing: NULL. */
static void bind_if_asked(struct mn_stmt *stmt, const char *name, const char *text, bool open)
{
    if (sqlite3_bind_parameter_index(stmt->handle, name) == 0)
        return;
    if (open)
        mn_bind_text(stmt, name, text);
    else
        mn_bind_null(stmt, name);
}

void mn_bind_access(struct mn_stmt *stmt, const struct mn_access *access)
{
    const struct {
        const char *name;
        const char *id;
    } scopes[] = {
        { ":project", access->project },
        { ":repository", access->repository },
        { ":task", access->task },
        { ":session", access->session },
    };

    bind_if_asked(stmt, ":tenant", access->tenant, true);
    bind_if_asked(stmt, ":user", access->user, true);
    bind_if_asked(stmt, ":agent", access->agent, true);
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
        bind_if_asked(stmt, scopes[i].name, scopes[i].id, !mn_empty(scopes[i].id));
    if (sqlite3_bind_parameter_index(stmt->handle, ":clearance"))
        mn_bind_integer(stmt, ":clearance", access->clearance);
    if (sqlite3_bind_parameter_index(stmt->handle, ":permissions"))
        mn_bind_list(stmt, ":permissions", access->permissions);
    if (sqlite3_bind_parameter_index(stmt->handle, ":at"))
        mn_bind_integer(stmt, ":at", access->at_ms);
    if (sqlite3_bind_parameter_index(stmt->handle, ":as_of"))
        mn_bind_integer(stmt, ":as_of", access->as_of_ms);
}

/* ---- reading ---- */

/* A text's bytes as they lie on the page. As a text SQLite would copy them to add a NUL, only to be
 * copied again; the bytes are UTF-8 either way. NULL when empty. */
static const char *text_bytes(struct mn_reader *reader, size_t *ret_bytes)
{
    sqlite3_stmt *handle = reader->stmt->handle;
    int column = reader->column++;
    const char *text = sqlite3_column_blob(handle, column);

    *ret_bytes = text ? (size_t)sqlite3_column_bytes(handle, column) : 0;
    return text;
}

const char *mn_read_text(struct mn_reader *reader)
{
    size_t bytes;
    const char *text = text_bytes(reader, &bytes);
    const char *copy = text ? mn_arena_copy_n(reader->arena, text, bytes) : "";

    if (!copy)
        reader->full = true;
    return mn_or_empty(copy);
}

const void *mn_read_bytes(struct mn_reader *reader, size_t *ret_bytes)
{
    return text_bytes(reader, ret_bytes);
}

int64_t mn_read_integer(struct mn_reader *reader)
{
    return sqlite3_column_int64(reader->stmt->handle, reader->column++);
}

double mn_read_real(struct mn_reader *reader)
{
    return sqlite3_column_double(reader->stmt->handle, reader->column++);
}

bool mn_read_null(struct mn_reader *reader)
{
    return sqlite3_column_type(reader->stmt->handle, reader->column) == SQLITE_NULL;
}

void mn_read_skip(struct mn_reader *reader)
{
    reader->column++;
}

#define POOL_BYTES 4096 /* a document of a few short texts needs no malloc */

/* The column's JSON; NULL when it is empty or when that is remembered as a failure. `pool` has
 * POOL_BYTES and lives as long as the document. */
static yyjson_doc *read_json(struct mn_reader *reader, void *pool)
{
    size_t bytes;
    const char *text = text_bytes(reader, &bytes);
    yyjson_alc alc;
    yyjson_read_err fault;
    yyjson_doc *doc;

    if (!text || bytes <= 2)
        return NULL;
    (void)yyjson_alc_pool_init(&alc, pool, POOL_BYTES);
    doc = yyjson_read_opts((char *)(uintptr_t)text, bytes, 0,
                           yyjson_read_max_memory_usage(bytes, 0) <= POOL_BYTES - 256 ? &alc : NULL,
                           &fault);
    if (!doc && fault.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION)
        reader->full = true;
    else if (!doc)
        reader->damaged = true;
    return doc;
}

static const char *copy_value(struct mn_reader *reader, yyjson_val *value)
{
    const char *copy;

    if (!yyjson_is_str(value)) {
        reader->damaged = true;
        return "";
    }
    copy = mn_arena_copy_n(reader->arena, yyjson_get_str(value), yyjson_get_len(value));
    if (!copy)
        reader->full = true;
    return mn_or_empty(copy);
}

struct mneme_list mn_read_list(struct mn_reader *reader)
{
    _Alignas(16) char pool[POOL_BYTES];
    MN_JSON_AUTO doc = read_json(reader, pool);
    yyjson_val *root = yyjson_doc_get_root(doc);
    yyjson_arr_iter iter;
    yyjson_val *value;
    const char **item;
    size_t count = 0;

    if (!doc)
        return (struct mneme_list){ NULL, 0 };
    if (!yyjson_arr_iter_init(root, &iter)) {
        reader->damaged = !yyjson_is_arr(root);
        return (struct mneme_list){ NULL, 0 };
    }
    item = mn_arena_array(reader->arena, const char *, yyjson_arr_size(root));
    if (!item) {
        reader->full = true;
        return (struct mneme_list){ NULL, 0 };
    }
    while ((value = yyjson_arr_iter_next(&iter)))
        item[count++] = copy_value(reader, value);
    return (struct mneme_list){ item, count };
}

struct mneme_pairs mn_read_pairs(struct mn_reader *reader)
{
    _Alignas(16) char pool[POOL_BYTES];
    MN_JSON_AUTO doc = read_json(reader, pool);
    yyjson_val *root = yyjson_doc_get_root(doc);
    yyjson_obj_iter iter;
    yyjson_val *name;
    struct mneme_pair *item;
    size_t count = 0;

    if (!doc)
        return (struct mneme_pairs){ NULL, 0 };
    if (!yyjson_obj_iter_init(root, &iter)) {
        reader->damaged = !yyjson_is_obj(root);
        return (struct mneme_pairs){ NULL, 0 };
    }
    item = mn_arena_array(reader->arena, struct mneme_pair, yyjson_obj_size(root));
    if (!item) {
        reader->full = true;
        return (struct mneme_pairs){ NULL, 0 };
    }
    while ((name = yyjson_obj_iter_next(&iter))) {
        item[count].name = copy_value(reader, name);
        item[count++].value = copy_value(reader, yyjson_obj_iter_get_val(name));
    }
    return (struct mneme_pairs){ item, count };
}

const float *mn_read_vector(struct mn_reader *reader, size_t *ret_dim)
{
    sqlite3_stmt *handle = reader->stmt->handle;
    int column = reader->column++;
    const void *blob = sqlite3_column_blob(handle, column);
    size_t dim = (size_t)sqlite3_column_bytes(handle, column) / sizeof(uint16_t);
    float *vector;

    *ret_dim = 0;
    if (!blob || dim == 0)
        return NULL;
    vector = mn_arena_array(reader->arena, float, dim);
    if (!vector) {
        reader->full = true;
        return NULL;
    }
    mn_half_unpack(blob, dim, vector);
    *ret_dim = dim;
    return vector;
}

enum mneme_status mn_read_end(const struct mn_reader *reader, struct mneme_error *err)
{
    if (reader->full)
        return mn_fail_memory(err);
    if (reader->damaged)
        return mn_fail(err, MNEME_CORRUPT, "the store is damaged (a list is not JSON)");
    return MNEME_OK;
}
