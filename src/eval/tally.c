/*
 * tally.c - sums and counts, divided when they are shown.
 */
#include "eval/tally.h"

#include <math.h>
#include <string.h>

#include "base/array.h"

static struct mn_tally_line *line_of(const struct mn_tally *tally, const char *name)
{
    for (size_t i = 0; i < tally->lines.count; i++)
        if (!strcmp(tally->lines.item[i].name, name))
            return &tally->lines.item[i];
    return NULL;
}

bool mn_tally_add(struct mn_tally *tally, const char *name, const double *values)
{
    struct mn_tally_line *line = line_of(tally, name);

    if (!line) {
        const char *kept = mn_arena_copy(tally->arena, name);

        line = kept ? mn_array_add(tally->arena, &tally->lines) : NULL;
        if (!line)
            return false;
        *line = (struct mn_tally_line){ .name = kept };
    }
    line->count++;
    for (size_t i = 0; tally->column[i]; i++)
        line->sum[i] += values[i];
    return true;
}

double mn_tally_mean(const struct mn_tally *tally, const char *name, const char *column)
{
    const struct mn_tally_line *line = line_of(tally, name);

    for (size_t i = 0; line && tally->column[i]; i++)
        if (!strcmp(tally->column[i], column))
            return line->sum[i] / (double)line->count;
    return (double)NAN;
}

void mn_tally_put(struct mn_json_writer *w, const struct mn_tally *tally)
{
    mn_json_open(w, '{');
    for (size_t i = 0; i < tally->lines.count; i++) {
        const struct mn_tally_line *line = &tally->lines.item[i];

        mn_json_key(w, line->name);
        mn_json_open(w, '{');
        mn_json_field_integer(w, "count", (int64_t)line->count);
        for (size_t c = 0; tally->column[c]; c++)
            mn_json_field_number(w, tally->column[c], line->sum[c] / (double)line->count, 4);
        mn_json_close(w, '}');
    }
    mn_json_close(w, '}');
}

void mn_tally_tell(struct mn_buf *out, const struct mn_tally *tally)
{
    mn_buf_printf(out, "%-24s%8s", "", "count");
    for (size_t c = 0; tally->column[c]; c++)
        mn_buf_printf(out, " %16s", tally->column[c]);
    mn_buf_char(out, '\n');
    for (size_t i = 0; i < tally->lines.count; i++) {
        const struct mn_tally_line *line = &tally->lines.item[i];

        mn_buf_printf(out, "%-24s%8zu", line->name, line->count);
        for (size_t c = 0; tally->column[c]; c++)
            mn_buf_printf(out, " %16.3f", line->sum[c] / (double)line->count);
        mn_buf_char(out, '\n');
    }
}
