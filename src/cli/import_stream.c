/*
 * import_stream.c - a file as it comes: lines, or the items of its JSON.
 *
 * Exports are lists of a few thousand conversations in one file of hundreds of megabytes. Only the ends
 * of an item are looked for here, by brackets and quotes; what it says is read by the JSON parser, item
 * by item, so that memory is bounded by the largest of them and a broken one can be named by its place.
 * Items are what stands in a list at the top level, or values one after another (JSON Lines).
 */
#include "cli/import.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"

#define CHUNK_BYTES 65536
#define KEPT_BYTES_MAX (CLI_ITEM_BYTES_MAX + ((size_t)1 << 20)) /* while it is looked what a file holds */

enum mneme_status cli_stream_open(struct cli_stream *s, const char *path, struct mneme_error *err)
{
    bool is_input = strcmp(path, "-") == 0;
    FILE *file = is_input ? stdin : fopen(path, "rb");
    struct stat about;

    if (!file)
        return mn_fail(err, MNEME_NOT_FOUND, "cannot read %s", path);
    if (!fstat(fileno(file), &about) && S_ISDIR(about.st_mode)) {
        if (!is_input)
            fclose(file);
        return mn_fail(err, MNEME_INVALID, "%s is a folder, not a file", path);
    }
    *s = (struct cli_stream){ .file = file, .path = path, .keeping = true, .line = 1 };
    return MNEME_OK;
}

void cli_stream_close(struct cli_stream *s)
{
    if (s->file && s->file != stdin)
        fclose(s->file);
    s->file = NULL;
    mn_buf_release(&s->held);
    mn_buf_release(&s->text);
}

static bool fill(struct cli_stream *s)
{
    char chunk[CHUNK_BYTES];

    if (s->held.failed || ferror(s->file) || (s->keeping && s->held.bytes > KEPT_BYTES_MAX))
        return false;
    if (!s->keeping) {
        mn_buf_reset(&s->held);
        s->at = 0;
    }
    size_t got = fread(chunk, 1, sizeof chunk, s->file);
    mn_buf_put(&s->held, chunk, got);
    return got > 0 && !s->held.failed;
}

int cli_stream_peek(struct cli_stream *s)
{
    if (s->at == s->held.bytes && !fill(s))
        return -1;
    return (unsigned char)s->held.at[s->at];
}

void cli_stream_next(struct cli_stream *s)
{
    if (s->held.at[s->at] == '\n')
        s->line++;
    s->at++;
}

enum mneme_status cli_stream_check(struct cli_stream *s, struct mneme_error *err)
{
    if (s->held.failed || s->text.failed)
        return mn_fail_memory(err);
    if (ferror(s->file))
        return mn_fail(err, MNEME_UNAVAILABLE, "reading %s failed", s->path);
    return MNEME_OK;
}

void cli_stream_skip_mark(struct cli_stream *s)
{
    if (s->at == 0 && cli_stream_peek(s) == 0xef && s->held.bytes >= 3 &&
        !memcmp(s->held.at, "\xef\xbb\xbf", 3))
        s->at = 3;
}

void cli_stream_rewind(struct cli_stream *s)
{
    s->at = 0;
    s->line = 1;
    s->list = s->item = 0;
    s->in_list = s->keeping = false;
    cli_stream_skip_mark(s);
}

/* ---- lines ---- */

enum mneme_status cli_stream_line(struct cli_stream *s, bool *ret_found, struct mneme_error *err)
{
    mn_buf_reset(&s->text);
    s->item_line = s->line;
    *ret_found = cli_stream_peek(s) >= 0;
    while (cli_stream_peek(s) >= 0) {
        const char *from = s->held.at + s->at;
        const char *end = memchr(from, '\n', s->held.bytes - s->at);
        size_t bytes = end ? (size_t)(end - from) : s->held.bytes - s->at;

        if (bytes > MNEME_LINE_BYTES_MAX - s->text.bytes)
            return mn_fail(err, MNEME_LIMIT, "%s line %zu: more than %d bytes", s->path, s->line,
                           MNEME_LINE_BYTES_MAX);
        mn_buf_put(&s->text, from, bytes);
        s->at += bytes;
        if (end) {
            cli_stream_next(s);
            break;
        }
    }
    return cli_stream_check(s, err);
}

/* ---- items ---- */

static bool is_space(int c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static int skip_space(struct cli_stream *s)
{
    while (is_space(cli_stream_peek(s)))
        cli_stream_next(s);
    return cli_stream_peek(s);
}

static enum mneme_status take(struct cli_stream *s, struct mneme_error *err)
{
    if (s->text.bytes == CLI_ITEM_BYTES_MAX)
        return mn_fail(err, MNEME_LIMIT, "%s item %zu (line %zu): more than %zu bytes", s->path,
                       s->item, s->item_line, CLI_ITEM_BYTES_MAX);
    mn_buf_char(&s->text, (char)cli_stream_peek(s));
    cli_stream_next(s);
    return MNEME_OK;
}

static enum mneme_status ends(struct cli_stream *s, struct mneme_error *err)
{
    MN_TRY(cli_stream_check(s, err));
    return mn_fail(err, MNEME_INVALID, "%s item %zu (line %zu): the file ends within it", s->path,
                   s->item, s->item_line);
}

/* A NUL that is escaped would refuse the whole item. */
static void replace_nul(struct mn_buf *text)
{
    if (text->bytes >= 6 && !memcmp(text->at + text->bytes - 6, "\\u0000", 6))
        memcpy(text->at + text->bytes - 4, "fffd", 4);
}

/* From its quote to the one that ends it. */
static enum mneme_status take_string(struct cli_stream *s, struct mneme_error *err)
{
    MN_TRY(take(s, err));
    for (int c; (c = cli_stream_peek(s)) >= 0;) {
        MN_TRY(take(s, err));
        if (c == '"')
            return MNEME_OK;
        if (c != '\\' || cli_stream_peek(s) < 0)
            continue;
        bool hex = cli_stream_peek(s) == 'u';
        MN_TRY(take(s, err));
        for (int i = 0; hex && i < 4 && cli_stream_peek(s) == '0'; i++)
            MN_TRY(take(s, err));
        if (hex)
            replace_nul(&s->text);
    }
    return ends(s, err);
}

static enum mneme_status take_nested(struct cli_stream *s, struct mneme_error *err)
{
    size_t depth = 0;

    for (int c; (c = cli_stream_peek(s)) >= 0;) {
        if (c == '"') {
            MN_TRY(take_string(s, err));
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        MN_TRY(take(s, err));
        if (!depth)
            return MNEME_OK;
    }
    return ends(s, err);
}

/* A number, true, null, or what is none of them: the parser says it. */
static enum mneme_status take_word(struct cli_stream *s, struct mneme_error *err)
{
    int c;

    do
        MN_TRY(take(s, err));
    while ((c = cli_stream_peek(s)) > 0 && !is_space(c) && !strchr(",]}{[\"", c));
    return MNEME_OK;
}

static enum mneme_status take_value(struct cli_stream *s, struct mneme_error *err)
{
    int c = cli_stream_peek(s);

    s->item++;
    s->item_line = s->line;
    mn_buf_reset(&s->text);
    if (c == '{' || c == '[')
        return take_nested(s, err);
    return c == '"' ? take_string(s, err) : take_word(s, err);
}

static enum mneme_status misplaced(struct cli_stream *s, int c, struct mneme_error *err)
{
    return mn_fail(err, MNEME_INVALID, "%s line %zu: '%c' is not expected here, after item %zu",
                   s->path, s->line, c > ' ' && c < 0x7f ? c : '?', s->item);
}

/* To the next item of a list, behind a comma unless it is the first; or past the list's end. */
static enum mneme_status next_in_list(struct cli_stream *s, bool first, struct mneme_error *err)
{
    int c = skip_space(s);

    if (c < 0)
        return ends(s, err);
    if (c == ']') {
        cli_stream_next(s);
        s->in_list = false;
        return MNEME_OK;
    }
    if (first)
        return MNEME_OK;
    if (c != ',')
        return misplaced(s, c, err);
    cli_stream_next(s);
    c = skip_space(s);
    return c < 0 ? ends(s, err) : c == ',' || c == ']' ? misplaced(s, c, err) : MNEME_OK;
}

enum mneme_status cli_stream_item(struct cli_stream *s, bool *ret_found, struct mneme_error *err)
{
    *ret_found = false;
    if (s->at == 0)
        cli_stream_skip_mark(s);
    if (s->in_list)
        MN_TRY(next_in_list(s, false, err));
    while (!s->in_list) {
        int c = skip_space(s);

        MN_TRY(cli_stream_check(s, err));
        if (c < 0)
            return MNEME_OK;
        if (c == '}' || c == ']' || c == ',' || c == ':')
            return misplaced(s, c, err);
        if (c != '[')
            break;
        cli_stream_next(s);
        s->list++;
        s->in_list = true;
        MN_TRY(next_in_list(s, true, err));
    }
    MN_TRY(take_value(s, err));
    MN_TRY(cli_stream_check(s, err));
    *ret_found = true;
    return MNEME_OK;
}
