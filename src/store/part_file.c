/*
 * part_file.c - made by mkstemp, named by link, which takes no name that is taken, or by rename.
 */
#include "store/part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void mn_part_file_remove(struct mn_part_file *part)
{
    static const char *const ends[] = { "", "-wal", "-shm", "-journal", ".lock" };
    size_t bytes = part->path.bytes;

    for (size_t i = 0; bytes > 0 && i < sizeof ends / sizeof *ends; i++) {
        MN_BUF_AUTO name = { 0 };

        mn_buf_printf(&name, "%.*s%s", (int)bytes, part->path.at, ends[i]);
        if (!name.failed)
            (void)unlink(name.at);
    }
    mn_buf_release(&part->path);
}

static enum mneme_status cannot(const char *path, struct mneme_error *err)
{
    int why = errno;

    if (why == EEXIST)
        return mn_fail(err, MNEME_CONFLICT, "file: %s is there already", path);
    if (why == ENOENT || why == ENOTDIR)
        return mn_fail(err, MNEME_NOT_FOUND, "file: there is no folder for %s", path);
    if (why == EACCES || why == EPERM || why == EROFS)
        return mn_fail(err, MNEME_FORBIDDEN, "file: %s cannot be made (%s)", path, strerror(why));
    return mn_fail(err, MNEME_UNAVAILABLE, "file: %s cannot be made (%s)", path, strerror(why));
}

enum mneme_status mn_part_file_begin(const char *path, struct mn_part_file *part,
                                     struct mneme_error *err)
{
    int fd;

    mn_buf_printf(&part->path, "%s.part-XXXXXX", path);
    if (part->path.failed)
        return mn_fail_memory(err);
    fd = mkstemp(part->path.at); /* mode 0600 */
    if (fd < 0) {
        part->path.bytes = 0;
        return cannot(path, err);
    }
    (void)close(fd); /* nobody else has opened it */
    return MNEME_OK;
}

static bool sync_path(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC);
    bool done = fd >= 0 && fsync(fd) == 0;

    if (fd >= 0)
        (void)close(fd);
    return done;
}

static enum mneme_status sync_folder(const char *path, struct mneme_error *err)
{
    MN_BUF_AUTO folder = { 0 };
    const char *slash = strrchr(path, '/');

    mn_buf_put(&folder, path, slash ? (size_t)(slash - path) + 1 : 0);
    mn_buf_char(&folder, '.');
    if (folder.failed)
        return mn_fail_memory(err);
    if (!sync_path(folder.at, O_RDONLY | O_DIRECTORY))
        return mn_fail(err, MNEME_UNAVAILABLE, "file: the folder of %s cannot be made durable", path);
    return MNEME_OK;
}

enum mneme_status mn_part_file_sync(const struct mn_part_file *part, struct mneme_error *err)
{
    MN_BUF_AUTO log = { 0 };

    mn_buf_printf(&log, "%s-wal", part->path.at);
    if (log.failed)
        return mn_fail_memory(err);
    if (access(log.at, F_OK) == 0) /* the file alone would not be all of it */
        return mn_fail(err, MNEME_UNAVAILABLE, "file: %s could not be merged with its log",
                       part->path.at);
    if (!sync_path(part->path.at, O_RDONLY))
        return mn_fail(err, MNEME_UNAVAILABLE, "file: %s cannot be made durable", part->path.at);
    return MNEME_OK;
}

enum mneme_status mn_part_file_keep(struct mn_part_file *part, const char *path,
                                    struct mneme_error *err)
{
    MN_TRY(mn_part_file_sync(part, err));
    if (link(part->path.at, path) != 0)
        return cannot(path, err);
    return sync_folder(path, err);
}

enum mneme_status mn_part_file_replace(struct mn_part_file *part, const char *path,
                                       struct mneme_error *err)
{
    if (rename(part->path.at, path) != 0)
        return cannot(path, err);
    part->replaced = true;
    return sync_folder(path, err);
}
