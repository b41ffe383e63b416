/*
 * store_folder.c - a temporary folder of a test's own, with a store in it.
 */
#include "fakes/store_folder.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

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

static int remove_tree(const char *path)
{
    return nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static int copy_file(const char *from, const char *to, const struct stat *info)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, info->st_mode & 0777);
    off_t left = info->st_size;

    while (in >= 0 && out >= 0 && left > 0) {
        ssize_t copied = sendfile(out, in, NULL, (size_t)left);

        if (copied <= 0)
            break;
        left -= copied;
    }
    int failed = in < 0 || out < 0 || left > 0;
    if (in >= 0)
        (void)close(in);
    if (out >= 0 && close(out) != 0)
        failed = 1;
    return failed ? -1 : 0;
}

static const char *copy_to; /* nftw() hands nothing through */
static size_t copy_from_bytes;

static int copy_one(const char *path, const struct stat *info, int flag, struct FTW *walk)
{
    char to[512];

    (void)walk;
    (void)snprintf(to, sizeof to, "%s%s", copy_to, path + copy_from_bytes);
    return flag == FTW_D ? mkdir(to, info->st_mode & 0777) : copy_file(path, to, info);
}

static int copy_tree(const char *from, const char *to)
{
    copy_to = to;
    copy_from_bytes = strlen(from);
    return nftw(from, copy_one, 8, FTW_PHYS);
}

static void kept_path(const struct store_folder *folder, char path[80])
{
    (void)snprintf(path, 80, "%s.kept", folder->path);
}

int store_folder_keep(const struct store_folder *folder)
{
    char kept[80];

    kept_path(folder, kept);
    return copy_tree(folder->path, kept);
}

int store_folder_renew(const struct store_folder *folder)
{
    char kept[80];

    kept_path(folder, kept);
    return remove_tree(folder->path) == 0 ? copy_tree(kept, folder->path) : -1;
}

int store_folder_remove(const struct store_folder *folder)
{
    char kept[80];

    kept_path(folder, kept);
    if (access(kept, F_OK) == 0 && remove_tree(kept) != 0)
        return -1;
    return remove_tree(folder->path);
}
