/*
 * engine_sqlite.c - stores of SQLite for the contract: each a file in a folder of its own.
 */
#include "contract/store_engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct folder {
    char path[64];
    char file[80];
};

static struct mn_store *open_at(const struct folder *folder)
{
    struct mn_store_options options = { .path = folder->file, .create = true };
    struct mneme_error err = { 0 };
    struct mn_store *store = NULL;

    if (mn_store_sqlite_open(&options, &store, &err) != MNEME_OK && err.status != MNEME_LIMIT)
        (void)fprintf(stderr, "%s\n", err.message);
    return store;
}

static struct mn_store *open_empty(void **ret_context)
{
    struct folder *folder = calloc(1, sizeof *folder);

    if (!folder)
        return NULL;
    (void)snprintf(folder->path, sizeof folder->path, "/tmp/mneme-store-XXXXXX");
    if (!mkdtemp(folder->path))
        perror(folder->path);
    (void)snprintf(folder->file, sizeof folder->file, "%s/a b%%?#.mneme", folder->path);
    *ret_context = folder;
    return open_at(folder);
}

static struct mn_store *open_again(void *context)
{
    return open_at(context);
}

static void throw_away(void *context)
{
    static const char *const ends[] = { "", "-wal", "-shm", ".lock" };
    struct folder *folder = context;

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char name[96];

        (void)snprintf(name, sizeof name, "%s%s", folder->file, ends[i]);
        (void)unlink(name);
    }
    (void)rmdir(folder->path);
    free(folder);
}

const struct store_engine store_engine = { "sqlite", open_empty, open_again, throw_away };
