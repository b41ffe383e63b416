/*
 * lines.c - files of JSON Lines: the message of a bad line says which line of which file.
 */
#include "eval/lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void close_file(FILE **file)
{
    if (*file)
        fclose(*file);
}

static void free_text(char **text)
{
    free(*text);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

enum mneme_status mn_lines_read(const char *path, bool must_exist, mn_line_fn line, void *context,
                                struct mneme_error *err)
{
    MN_CLEANUP(close_file) FILE *file = fopen(path, "rb");
    MN_CLEANUP(free_text) char *text = NULL;
    size_t number = 0, room = 0;
    ssize_t bytes;

    if (!file && errno == ENOENT && !must_exist)
        return MNEME_OK;
    if (!file)
        return mn_fail(err, MNEME_NOT_FOUND, "cannot read %s: %s", path, strerror(errno));
    while ((bytes = getline(&text, &room, file)) >= 0) {
        struct mneme_error why;

        number++;
        while (bytes && strchr(" \r\n\t", text[bytes - 1]))
            text[--bytes] = '\0';
        if (!bytes)
            continue;
        mn_error_clear(&why);
        enum mneme_status status = line(context, (struct mn_str){ text, (size_t)bytes }, &why);
        if (status != MNEME_OK)
            return mn_fail(err, status, "%s:%zu: %s", name_of(path), number, why.message);
    }
    return ferror(file) ? mn_fail(err, MNEME_UNAVAILABLE, "reading %s failed", path) : MNEME_OK;
}

enum mneme_status mn_lines_write(const char *path, const struct mn_buf *lines,
                                 struct mneme_error *err)
{
    if (lines->failed)
        return mn_fail_memory(err);
    FILE *file = fopen(path, "wb");
    if (!file)
        return mn_fail(err, MNEME_UNAVAILABLE, "out: cannot write %s: %s", path, strerror(errno));
    bool good = fwrite(lines->at, 1, lines->bytes, file) == lines->bytes;
    good = !fclose(file) && good;
    return good ? MNEME_OK : mn_fail(err, MNEME_UNAVAILABLE, "out: writing %s failed", path);
}
