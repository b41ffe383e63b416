/*
 * tenant_files.c - a tenant's file is found by a digest of the tenant's name, so that any name is a
 * file's name and a folder listed tells no names.
 */
#include "engine/tenant_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"

#define STEM_DIGITS 32
#define END ".mneme"
#define KEY_BYTES 32

bool mn_tenant_stem(const char *tenant, char stem[MN_TENANT_STEM_BYTES])
{
    char hex[MN_SHA256_HEX_BYTES];

    if (!mn_sha256_hex(tenant, strlen(tenant), hex))
        return false;
    (void)snprintf(stem, MN_TENANT_STEM_BYTES, "t-%.*s", STEM_DIGITS, hex);
    return true;
}

enum mneme_status mn_tenant_path(const char *folder, const char *stem, struct mn_buf *path,
                                 struct mneme_error *err)
{
    mn_buf_printf(path, "%s/%s" END, folder, stem);
    return path->failed ? mn_fail_memory(err) : MNEME_OK;
}

static bool is_stem(const char *name)
{
    return strncmp(name, "t-", 2) == 0 &&
           strspn(name + 2, "0123456789abcdef") == STEM_DIGITS &&
           strcmp(name + 2 + STEM_DIGITS, END) == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum mneme_status read_stems(DIR *at, struct mn_arena *arena, const char ***ret_stems,
                                    size_t *ret_count, struct mneme_error *err)
{
    struct {
        const char **item;
        size_t count, room;
    } stems = { 0 };
    struct dirent *entry;

    while ((entry = readdir(at))) {
        char stem[MN_TENANT_STEM_BYTES];
        const char **slot;

        if (!is_stem(entry->d_name))
            continue;
        (void)snprintf(stem, sizeof stem, "%.*s", STEM_DIGITS + 2, entry->d_name);
        slot = mn_array_add(arena, &stems);
        if (!slot || !(*slot = mn_arena_copy(arena, stem)))
            return mn_fail_memory(err);
    }
    if (stems.count > 0)
        qsort(stems.item, stems.count, sizeof *stems.item, by_name);
    *ret_stems = stems.item;
    *ret_count = stems.count;
    return MNEME_OK;
}

enum mneme_status mn_tenant_stems(const char *folder, struct mn_arena *arena,
                                  const char ***ret_stems, size_t *ret_count,
                                  struct mneme_error *err)
{
    DIR *at = opendir(folder);
    enum mneme_status status;

    if (!at)
        return mn_fail(err, errno == ENOENT ? MNEME_NOT_FOUND : MNEME_FORBIDDEN,
                       "file: the folder %s cannot be read (%s)", folder, strerror(errno));
    status = read_stems(at, arena, ret_stems, ret_count, err);
    (void)closedir(at);
    return status;
}

void mn_tenant_key_name(const char *stem, bool next, char name[MN_SECRET_BYTES])
{
    (void)snprintf(name, MN_SECRET_BYTES, "%s/%s", next ? "tenant_key_next" : "tenant_key", stem);
}

enum mneme_status mn_tenant_key_make(char key[MN_SECRET_BYTES], struct mneme_error *err)
{
    unsigned char random[KEY_BYTES];
    size_t at;

    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return mn_fail(err, MNEME_UNAVAILABLE, "the system gives no random bits");
    at = (size_t)snprintf(key, MN_SECRET_BYTES, "raw:");
    for (size_t i = 0; i < sizeof random; i++)
        at += (size_t)snprintf(key + at, MN_SECRET_BYTES - at, "%02x", random[i]);
    explicit_bzero(random, sizeof random);
    return MNEME_OK;
}

/* ---- a folder made whole ---- */

enum mneme_status mn_part_folder_begin(const char *path, struct mn_part_folder *part,
                                       struct mneme_error *err)
{
    struct stat about;

    if (lstat(path, &about) == 0)
        return mn_fail(err, MNEME_CONFLICT, "file: %s is there already", path);
    mn_buf_printf(&part->path, "%s.part-XXXXXX", path);
    if (part->path.failed)
        return mn_fail_memory(err);
    if (mkdtemp(part->path.at)) /* mode 0700 */
        return MNEME_OK;
    part->path.bytes = 0;
    return mn_fail(err,
                   errno == ENOENT || errno == ENOTDIR ? MNEME_NOT_FOUND
                   : errno == EACCES || errno == EROFS ? MNEME_FORBIDDEN
                                                       : MNEME_UNAVAILABLE,
                   "file: the folder %s cannot be made (%s)", path, strerror(errno));
}

static bool sync_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool done = fd >= 0 && fsync(fd) == 0;

    if (fd >= 0)
        (void)close(fd);
    return done;
}

enum mneme_status mn_part_folder_keep(struct mn_part_folder *part, const char *path,
                                      struct mneme_error *err)
{
    MN_BUF_AUTO above = { 0 };
    const char *slash = strrchr(path, '/');

    mn_buf_put(&above, path, slash ? (size_t)(slash - path) + 1 : 0);
    mn_buf_char(&above, '.');
    if (above.failed)
        return mn_fail_memory(err);
    if (!sync_folder(part->path.at))
        return mn_fail(err, MNEME_UNAVAILABLE, "file: %s cannot be made durable", path);
    if (renameat2(AT_FDCWD, part->path.at, AT_FDCWD, path, RENAME_NOREPLACE) != 0)
        return mn_fail(err, errno == EEXIST ? MNEME_CONFLICT : MNEME_UNAVAILABLE,
                       "file: %s cannot get its name (%s)", path, strerror(errno));
    part->path.bytes = 0;
    if (!sync_folder(above.at))
        return mn_fail(err, MNEME_UNAVAILABLE, "file: the folder of %s cannot be made durable",
                       path);
    return MNEME_OK;
}

void mn_part_folder_remove(struct mn_part_folder *part)
{
    DIR *folder = part->path.bytes > 0 ? opendir(part->path.at) : NULL;
    struct dirent *entry;

    while (folder && (entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder) {
        (void)closedir(folder);
        (void)rmdir(part->path.at);
    }
    mn_buf_release(&part->path);
}
