/*
 * blobs_folder.c - files in a folder.
 *
 * A file is written beside its name, flushed to the disk, renamed, and the folder flushed: it is there
 * whole or not at all, also after a power cut.
 */
#include "lifecycle/blobs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

struct folder {
    struct mn_blobs base;
    char *path;
};

static enum mneme_status fail(const char *doing, const char *path, struct mneme_error *err)
{
    int code = errno;

    return mn_fail(err,
                   code == ENOENT                     ? MNEME_NOT_FOUND
                   : code == EACCES || code == EPERM ? MNEME_FORBIDDEN
                                                      : MNEME_UNAVAILABLE,
                   "archive: %s %.300s failed (%s)", doing, path, strerror(code));
}

static void close_at(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}
#define FD_AUTO MN_CLEANUP(close_at) int

static enum mneme_status path_of(const struct folder *folder, const char *name, const char *end,
                                 struct mn_buf *ret_path, struct mneme_error *err)
{
    mn_buf_printf(ret_path, "%s/%s%s", folder->path, name, end);
    return ret_path->failed ? mn_fail_memory(err) : MNEME_OK;
}

/* Makes what is missing of the folders above a file. */
static enum mneme_status make_folders(char *path, struct mneme_error *err)
{
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        int made = mkdir(path, 0700);
        enum mneme_status status =
            made != 0 && errno != EEXIST ? fail("making", path, err) : MNEME_OK;
        *at = '/';
        MN_TRY(status);
    }
    return MNEME_OK;
}

static enum mneme_status write_all(int fd, const char *path, const char *bytes, size_t count,
                                   struct mneme_error *err)
{
    while (count) {
        ssize_t put = write(fd, bytes, count);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return fail("writing", path, err);
        bytes += put;
        count -= (size_t)put;
    }
    return fsync(fd) == 0 ? MNEME_OK : fail("flushing", path, err);
}

/* The folder of a file, so that its entry is durable too. */
static enum mneme_status flush_folder(const char *path, struct mneme_error *err)
{
    MN_BUF_AUTO above = { 0 };
    const char *slash = strrchr(path, '/');

    mn_buf_put(&above, path, (size_t)(slash - path));
    if (above.failed)
        return mn_fail_memory(err);
    FD_AUTO fd = open(above.at, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd >= 0 && fsync(fd) == 0 ? MNEME_OK : fail("flushing", above.at, err);
}

static enum mneme_status put(struct mn_blobs *blobs, const char *name, const void *bytes,
                             size_t count, struct mneme_error *err)
{
    struct folder *folder = (struct folder *)blobs;
    MN_BUF_AUTO path = { 0 };
    MN_BUF_AUTO beside = { 0 };

    MN_TRY(path_of(folder, name, "", &path, err));
    MN_TRY(path_of(folder, name, ".new", &beside, err));
    MN_TRY(make_folders(beside.at, err));
    FD_AUTO fd = open(beside.at, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return fail("making", beside.at, err);
    enum mneme_status status = write_all(fd, beside.at, bytes, count, err);
    if (status == MNEME_OK && rename(beside.at, path.at) != 0)
        status = fail("renaming", beside.at, err);
    if (status != MNEME_OK) {
        (void)unlink(beside.at);
        return status;
    }
    return flush_folder(path.at, err);
}

static enum mneme_status get(struct mn_blobs *blobs, const char *name, struct mn_buf *ret_bytes,
                             struct mneme_error *err)
{
    struct folder *folder = (struct folder *)blobs;
    MN_BUF_AUTO path = { 0 };
    char chunk[65536];
    size_t whole = 0;
    ssize_t got;

    MN_TRY(path_of(folder, name, "", &path, err));
    FD_AUTO fd = open(path.at, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail("reading", path.at, err);
    while ((got = read(fd, chunk, sizeof chunk)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail("reading", path.at, err);
        whole += (size_t)got;
        if (whole > MN_BLOB_BYTES_MAX)
            return mn_fail(err, MNEME_CORRUPT, "archive: %.300s has more than %zu bytes", path.at,
                           MN_BLOB_BYTES_MAX);
        mn_buf_put(ret_bytes, chunk, (size_t)got);
    }
    return ret_bytes->failed ? mn_fail_memory(err) : MNEME_OK;
}

static enum mneme_status remove_file(struct mn_blobs *blobs, const char *name,
                                     struct mneme_error *err)
{
    struct folder *folder = (struct folder *)blobs;
    static const char *const ends[] = { "", ".new" }; /* and what was cut short while it was made */

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        MN_BUF_AUTO path = { 0 };

        MN_TRY(path_of(folder, name, ends[i], &path, err));
        if (unlink(path.at) == 0)
            MN_TRY(flush_folder(path.at, err));
        else if (errno != ENOENT)
            return fail("removing", path.at, err);
    }
    /* No file is gone when the whole folder is: it may be a disk that is not there. */
    return access(folder->path, F_OK) == 0 ? MNEME_OK : fail("looking at", folder->path, err);
}

static enum mneme_status list_names(DIR *dir, struct mn_arena *arena, struct mneme_list *ret_names,
                                    struct mneme_error *err)
{
    struct {
        const char **item;
        size_t count, room;
    } names = { 0 };
    struct dirent *entry;

    while ((entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        const char **name = mn_array_add(arena, &names);
        if (!name || !(*name = mn_arena_copy(arena, entry->d_name)))
            return mn_fail_memory(err);
    }
    *ret_names = (struct mneme_list){ names.item, names.count };
    return MNEME_OK;
}

static enum mneme_status list(struct mn_blobs *blobs, const char *store, struct mn_arena *arena,
                              struct mneme_list *ret_names, struct mneme_error *err)
{
    struct folder *folder = (struct folder *)blobs;
    MN_BUF_AUTO path = { 0 };

    MN_TRY(path_of(folder, store, "", &path, err));
    DIR *dir = opendir(path.at);
    if (!dir && errno == ENOENT && access(folder->path, F_OK) == 0) {
        *ret_names = (struct mneme_list){ 0 };
        return MNEME_OK;
    }
    if (!dir)
        return fail("reading", path.at, err);
    enum mneme_status status = list_names(dir, arena, ret_names, err);
    (void)closedir(dir);
    return status;
}

static void free_folder(struct mn_blobs *blobs)
{
    struct folder *folder = (struct folder *)blobs;

    free(folder->path);
    free(folder);
}

static const struct mn_blobs_ops ops = {
    .put = put,
    .get = get,
    .remove = remove_file,
    .list = list,
    .free = free_folder,
};

enum mneme_status mn_blobs_folder_new(const char *path, struct mn_blobs **ret_blobs,
                                      struct mneme_error *err)
{
    struct folder *folder = calloc(1, sizeof *folder);

    if (folder)
        folder->path = strdup(path);
    if (!folder || !folder->path) {
        free(folder);
        return mn_fail_memory(err);
    }
    folder->base.ops = &ops;
    *ret_blobs = &folder->base;
    return MNEME_OK;
}

void mn_blobs_free(struct mn_blobs *blobs)
{
    if (blobs)
        blobs->ops->free(blobs);
}
