/*
 * fixture.c - for tests of a whole store: one in a folder of its own, opened before each case.
 */
#include "pipeline/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fakes/store_folder.h"

struct mneme_options fixture_options(const struct fixture *f, const char *path)
{
    struct mneme_options options = MNEME_OPTIONS_INIT;

    options.store_path = path;
    options.tokenizer = "estimate";
    options.key = f->key;
    options.key_bytes = f->key ? strlen(f->key) : 0;
    options.embedding_cache_path = f->cache;
    return options;
}

void fixture_open(struct fixture *f)
{
    struct mneme_options options = fixture_options(f, f->path);

    options.create = 1;
    if (mneme_open(&options, &f->handle, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
}

int fixture_set_up(void **state)
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
    (void)snprintf(f->again, sizeof f->again, "%.60s/again", folder.path);
    fixture_open(f);
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
