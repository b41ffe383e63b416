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
    return options;
}

void fixture_open(struct fixture *f)
{
    struct mneme_options options = fixture_options(f, f->path);

    options.create = 1;
    options.per_tenant = getenv("MN_TEST_PER_TENANT") != NULL;
    if (mneme_open(&options, &f->handle, &f->err) != MNEME_OK)
        fail_msg("%s", f->err.message);
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
    (void)snprintf(f->archive, sizeof f->archive, "%.60s/archive", folder.path);
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
