/*
 * parts.c - long turns as several events, cut where sentences end.
 *
 * A vector speaks of the first 512 tokens of a text, and a block of memories has room for 700. What
 * stands behind that in a pasted log or a long answer would be stored and neither found by its meaning
 * nor shown. So a turn that is longer is kept in parts of some 300 tokens, one behind the other in its
 * session; each is a turn like any other, and the parts beside one are its surroundings.
 */
#include "remember/parts.h"

#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "text/letters.h"
#include "text/recalled.h"

size_t mn_piece_end(const char *text, size_t bytes, size_t at, size_t bytes_max)
{
    size_t end;

    if (bytes - at <= bytes_max)
        return bytes;
    end = at + mn_utf8_cut(text + at, bytes - at, bytes_max);
    for (size_t i = end; i > at + bytes_max / 2; i--)
        if (text[i - 1] == '\n' || (text[i - 1] == ' ' && strchr(".!?", text[i - 2])) ||
            (i >= 3 && !memcmp(text + i - 3, "。", 3)))
            return i;
    return end;
}

static enum mneme_status add_part(const struct mneme_event *event, size_t turn, bool recalled,
                                  struct mn_arena *arena, struct mn_parts *parts,
                                  struct mneme_error *err)
{
    struct mn_turn_part *part = mn_array_add(arena, parts);

    if (!part)
        return mn_fail_memory(err);
    *part = (struct mn_turn_part){ *event, turn, recalled };
    return MNEME_OK;
}

static bool is_blank(const char *text, size_t bytes)
{
    for (size_t at = 0; at < bytes;)
        if (!mn_letter_invisible(mn_utf8_next(text, bytes, &at)))
            return false;
    return true;
}

/* text[at, until) of the turn, in pieces; those of blanks alone are left out. */
static enum mneme_status cut_span(const struct mneme_event *turn, const char *first, size_t of,
                                  size_t at, size_t until, bool recalled, size_t *number,
                                  struct mn_arena *arena, struct mn_parts *parts,
                                  struct mneme_error *err)
{
    while (at < until) {
        size_t end = mn_piece_end(turn->text, until, at, MN_TURN_PART_BYTES_MAX);
        struct mneme_event part = *turn;

        if (is_blank(turn->text + at, end - at)) { /* an event says something */
            at = end;
            continue;
        }
        part.id = (*number)++ ? mn_arena_printf(arena, "%s.%04zu", first, *number) : first;
        part.text = mn_arena_copy_n(arena, turn->text + at, end - at);
        if (!part.id || !part.text)
            return mn_fail_memory(err);
        if (recalled)
            part.not_recallable = 1;
        MN_TRY(add_part(&part, of, recalled, arena, parts, err));
        at = end;
    }
    return MNEME_OK;
}

static enum mneme_status cut(const struct mneme_event *turn, size_t of, size_t bytes, int64_t now_ms,
                             struct mn_arena *arena, struct mn_parts *parts, struct mneme_error *err)
{
    char id[MN_ID_BYTES];
    const char *first = turn->id;
    size_t number = 0;

    if (mn_empty(first)) {
        mn_id_make("evt", now_ms, id);
        first = mn_arena_copy(arena, id);
    }
    if (!first)
        return mn_fail_memory(err);
    for (size_t at = 0, blocks = 0; at < bytes; blocks++) {
        struct mn_str block = { turn->text + bytes, 0 };

        if (blocks < MN_RECALLED_MAX)
            block = mn_recalled_find(turn->text, at);
        size_t from = (size_t)(block.at - turn->text);

        MN_TRY(cut_span(turn, first, of, at, from, false, &number, arena, parts, err));
        at = from + block.bytes;
        MN_TRY(cut_span(turn, first, of, from, at, true, &number, arena, parts, err));
    }
    if (!number) /* that it is empty is told as of a short one */
        return add_part(turn, of, false, arena, parts, err);
    parts->cut = true;
    return MNEME_OK;
}

enum mneme_status mn_parts_of(const struct mneme_event *turns, size_t count, int64_t now_ms,
                              struct mn_arena *arena, struct mn_parts *ret_parts,
                              struct mneme_error *err)
{
    struct mn_parts parts = { 0 };

    for (size_t i = 0; i < count; i++) {
        size_t bytes = strlen(mn_or_empty(turns[i].text));

        if (bytes > MNEME_TURN_BYTES_MAX)
            return mn_fail(err, MNEME_LIMIT, "text: %zu bytes, at most %d", bytes,
                           MNEME_TURN_BYTES_MAX);
        if (bytes > MN_TURN_WHOLE_BYTES_MAX && mn_utf8_valid(turns[i].text, bytes))
            MN_TRY(cut(&turns[i], i, bytes, now_ms, arena, &parts, err));
        else
            MN_TRY(add_part(&turns[i], i, false, arena, &parts, err));
    }
    *ret_parts = parts;
    return MNEME_OK;
}
