/*
 * fixture.c - for tests of a whole store: one in a folder of its own, opened before each case.
 */
#include "pipeline/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/handle.h"
#include "fakes/fake_model.h"
#include "fakes/store_folder.h"
#include "model/model.h"
#include "search/search.h"

struct mneme_options fixture_options(const struct fixture *f, const char *path)
{
    struct mneme_options options = MNEME_OPTIONS_INIT;

    options.store_path = path;
    options.tokenizer = "estimate";
    options.key = f->key;
    options.key_bytes = f->key ? strlen(f->key) : 0;
    options.embedding_cache_path = f->cache;
    options.archive = f->archive;
    options.per_tenant = f->per_tenant;
    return options;
}

void fixture_open(struct fixture *f)
{
    struct mneme_options options = fixture_options(f, f->path);

    options.create = 1;
    if (mneme_open(&options, &f->handle, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
}

void fixture_reopen(struct fixture *f)
{
    mneme_close(f->handle);
    f->handle = NULL;
    fixture_open(f);
}

void fixture_fill(struct fixture *f, int count)
{
    enum { AT_ONCE = 250 };
    static struct mneme_memory memory[AT_ONCE];
    static struct mneme_record record[AT_ONCE];
    static char id[AT_ONCE][32], text[AT_ONCE][160];
    struct mneme_change change = MNEME_CHANGE_INIT;

    change.admin = 1;
    change.now_ms = INT64_C(1790000000000);
    for (int from = 0; from < count; from += AT_ONCE) {
        int rows = count - from < AT_ONCE ? count - from : AT_ONCE;

        for (int i = 0; i < rows; i++) {
            int n = from + i;

            (void)snprintf(id[i], sizeof id[i], "mem-%d", n);
            (void)snprintf(text[i], sizeof text[i],
                           "Harbour number%d holds the ferry of line%d, moored at pier%d.", n, n % 50,
                           n % 7);
            memory[i] = (struct mneme_memory)MNEME_MEMORY_INIT;
            memory[i].id = id[i];
            memory[i].tenant_id = "acme";
            memory[i].user_id = "ann";
            memory[i].type = "fact";
            memory[i].content = text[i];
            record[i] =
                (struct mneme_record){ .kind = MNEME_RECORD_MEMORY, .memory = &memory[i] };
        }
        if (mneme_write(f->handle, record, (size_t)rows, &change, NULL, NULL, &f->err) != MNEME_OK)
            fail_msg("%s", f->err.message);
    }
}

static sqlite3 *look_in(const struct fixture *f)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open_v2(f->path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    (void)sqlite3_busy_timeout(db, 5000);
    return db;
}

void fixture_set_status(struct fixture *f, const char *id, enum mneme_memory_status status,
                        int64_t now_ms)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_parsed *row = NULL;
    struct mneme_receipt receipt;
    struct mneme_memory m;

    if (mneme_get(f->handle, "acme", "ann", id, &row, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    m = *mneme_parsed_record(row)->memory;
    m.status = status;
    change.now_ms = now_ms;
    if (mneme_edit(f->handle, &m, &change, &receipt, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
    mneme_parsed_free(row);
}

void fixture_sql(const struct fixture *f, const char *sql)
{
    sqlite3 *db = look_in(f);

    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    if (sqlite3_total_changes(db) == 0)
        fail_msg("nothing is changed by it: %s", sql);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

long fixture_sql_number(const struct fixture *f, const char *sql)
{
    sqlite3 *db = look_in(f);
    sqlite3_stmt *stmt = NULL;
    long found;

    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    found = (long)sqlite3_column_int64(stmt, 0);
    (void)sqlite3_finalize(stmt);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return found;
}

void fixture_take_model(struct fixture *f, struct mn_model *model)
{
    struct mn_world *world = &f->handle->world;
    struct mn_space space = { .own_mean_share = 0.5F, .partition_k = 8 };

    assert_non_null(model);
    space.dim = model->profile.dim;
    mn_model_free(world->model);
    mn_search_free(world->search);
    world->model = model;
    world->search = NULL;
    f->handle->model_status[0] = '\0';
    assert_int_equal(mn_search_memory_new(&space, (size_t)1 << 30, &world->search, &f->err),
                     MNEME_OK);
}

struct mn_model *fixture_give_model(struct fixture *f, const char *name, size_t dim)
{
    struct mn_model *model = fake_model_named(name, dim);

    fixture_take_model(f, model);
    return model;
}

int fixture_set_up_folder(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct store_folder folder;

    if (!f)
        return 1;
    *state = f;
    if (store_folder_make(&folder, "case") != 0)
        return 1;
    (void)snprintf(f->folder, sizeof f->folder, "%s", folder.path);
    (void)snprintf(f->path, sizeof f->path, "%s", folder.store);
    (void)snprintf(f->cache, sizeof f->cache, "%.60s/vectors", folder.path);
    (void)snprintf(f->file, sizeof f->file, "%.60s/backup", folder.path);
    (void)snprintf(f->archive, sizeof f->archive, "%.60s/archive", folder.path);
    (void)snprintf(f->again, sizeof f->again, "%.60s/again", folder.path);
    f->per_tenant = getenv("MN_TEST_PER_TENANT") != NULL;
    return 0;
}

int fixture_set_up(void **state)
{
    if (fixture_set_up_folder(state) != 0)
        return 1;
    fixture_open(*state);
    return 0;
}

int fixture_tear_down(void **state)
{
    struct fixture *f = *state;
    struct store_folder folder = { 0 };
    int result;

    mneme_close(f->handle);
    (void)snprintf(folder.path, sizeof folder.path, "%s", f->folder);
    result = store_folder_remove(&folder);
    free(f);
    return result;
}
