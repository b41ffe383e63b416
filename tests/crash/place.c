/*
 * place.c - made, opened, looked through.
 */
#include "crash/place.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

static void stop(const char *what)
{
    fprintf(stderr, "place: %s\n", what);
    _exit(9);
}

struct place place_make(void)
{
    struct place place;

    (void)snprintf(place.folder, sizeof place.folder, "/tmp/mneme-crash-XXXXXX");
    if (!mkdtemp(place.folder))
        stop("no folder");
    (void)snprintf(place.file, sizeof place.file, "%s/store", place.folder);
    (void)snprintf(place.afresh, sizeof place.afresh, "%s/afresh", place.folder);
    return place;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about;
    (void)kind;
    return where->level > 0 ? remove(path) : 0;
}

void place_clear(const struct place *place)
{
    if (nftw(place->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS) != 0)
        stop("the folder cannot be cleared");
}

void place_remove(const struct place *place)
{
    place_clear(place);
    (void)rmdir(place->folder);
}

struct mneme *place_open(const char *file)
{
    struct mneme_options options = MNEME_OPTIONS_INIT;
    struct mneme *handle = NULL;
    struct mneme_error err;

    options.store_path = file;
    options.create = 1;
    if (mneme_open(&options, &handle, &err) != MNEME_OK)
        stop(err.message);
    return handle;
}

struct mneme *place_open_afresh(const struct place *place)
{
    (void)unlink(place->afresh);
    return place_open(place->afresh);
}

void place_run_all(struct mneme *handle)
{
    struct mneme_error err;
    size_t left = 1;

    for (int calls = 0; left > 0 && calls < 100; calls++)
        if (mneme_run_due(handle, 100, &left, &err) != MNEME_OK)
            stop(err.message);
    if (left > 0)
        stop("what is due does not end");
}

void place_check_integrity(const char *file, char text[200])
{
    sqlite3_stmt *stmt = NULL;
    sqlite3 *db = NULL;

    (void)snprintf(text, 200, "cannot be checked");
    if (sqlite3_open(file, &db) == SQLITE_OK &&
        sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW)
        (void)snprintf(text, 200, "%s", (const char *)sqlite3_column_text(stmt, 0));
    (void)sqlite3_finalize(stmt);
    (void)sqlite3_close(db);
}

static int keep_row(void *context, const struct mneme_record *record)
{
    struct rows *rows = context;
    struct row *row;

    if (rows->count == rows->room) {
        rows->room = rows->room ? rows->room * 2 : 256;
        rows->item = realloc(rows->item, rows->room * sizeof *rows->item);
        if (!rows->item)
            stop("no memory");
    }
    row = &rows->item[rows->count++];
    (void)snprintf(row->id, sizeof row->id, "%s", record->memory->id);
    (void)snprintf(row->content, sizeof row->content, "%s", record->memory->content);
    (void)snprintf(row->key, sizeof row->key, "%s",
                   record->memory->memory_key ? record->memory->memory_key : "");
    row->status = record->memory->status;
    return 0;
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct row *)a)->content, ((const struct row *)b)->content);
}

void rows_read(struct mneme *handle, struct rows *ret_rows)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct mneme_error err;

    filter.tenant_id = "acme";
    filter.all_users = 1;
    filter.with_all_statuses = 1;
    *ret_rows = (struct rows){ 0 };
    if (mneme_list_memories(handle, &filter, keep_row, ret_rows, &err) != MNEME_OK)
        stop(err.message);
    if (ret_rows->count)
        qsort(ret_rows->item, ret_rows->count, sizeof *ret_rows->item, compare);
}

void rows_free(struct rows *rows)
{
    free(rows->item);
    *rows = (struct rows){ 0 };
}

size_t rows_with(const struct rows *rows, const char *content)
{
    size_t from = 0;
    size_t to = rows->count;
    size_t found = 0;

    while (from < to) {
        size_t middle = (from + to) / 2;

        if (strcmp(rows->item[middle].content, content) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    for (; from < rows->count && !strcmp(rows->item[from].content, content); from++)
        found++;
    return found;
}
