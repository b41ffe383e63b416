/*
 * sqlite_values.c - values into a statement, and out of its rows.
 *
 * Parameters are found by name; callers bind them in the order of the statement, so that the next name
 * is nearly always the one asked for, and the address of the name it was asked by last.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "store/half.h"
#include "store/sqlite_stmt.h"

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
