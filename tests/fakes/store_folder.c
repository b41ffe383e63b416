/*
 * store_folder.c - a temporary folder of a test's own, with a store in it.
 */
#include "fakes/store_folder.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

int store_folder_make(struct store_folder *folder, const char *name)
{
    (void)snprintf(folder->path, sizeof folder->path, "/tmp/mneme-%s-XXXXXX", name);
    if (!mkdtemp(folder->path))
        return -1;
    (void)snprintf(folder->store, sizeof folder->store, "%s/store", folder->path);
    return 0;
}

enum mneme_status store_folder_open(const struct store_folder *folder, struct mneme **ret_handle,
                                    struct mneme_error *err)
{
    struct mneme_options options = MNEME_OPTIONS_INIT;
    char archive[96];

    (void)snprintf(archive, sizeof archive, "%s/archive", folder->path);
    options.archive = archive;
    options.store_path = folder->store;
    options.create = 1;
    options.per_tenant = getenv("MN_TEST_PER_TENANT") != NULL;
    options.tokenizer = "estimate";
    return mneme_open(&options, ret_handle, err);
}

static int remove_one(const char *path, const struct stat *info, int flag, struct FTW *walk)
{
    (void)info, (void)flag, (void)walk;
    return remove(path);
}

int store_folder_remove(const struct store_folder *folder)
{
    return nftw(folder->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
