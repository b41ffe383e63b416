/*
 * import_lines.c - mneme's own JSON Lines: a record each.
 *
 * They are checked line by line as they come; a bad one ends the import before anything is written.
 */
#include "cli/import.h"

#include <string.h>

#include "base/err.h"

static bool is_blank(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (!strchr(" \t\r", text[i]))
            return false;
    return true;
}

enum mneme_status cli_import_lines(struct cli_importing *in, struct cli_stream *s,
                                   struct mneme_error *err)
{
    for (size_t number = 1;; number++) {
        struct mneme_parsed *parsed = NULL;
        struct mneme_error why;
        bool found = false;

        MN_TRY(cli_stream_line(s, &found, err));
        if (!found)
            return MNEME_OK;
        if (number > CLI_LINES_MAX)
            return mn_fail(err, MNEME_LIMIT, "%s has more than %zu lines: import it in parts", s->path,
                           CLI_LINES_MAX);
        if (is_blank(s->text.at, s->text.bytes))
            continue;
        enum mneme_status status =
            mneme_record_parse(s->text.at, s->text.bytes, &in->defaults, &parsed, &why);
        if (status != MNEME_OK)
            return mn_fail(err, status, "%s line %zu: %s", s->path, number, why.message);
        MN_TRY(cli_import_add(in, parsed, number, s->text.bytes, err));
    }
}
