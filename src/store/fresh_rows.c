/*
 * fresh_rows.c - a ring of rows, each with its texts in one allocation.
 */
#include "store/fresh_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "text/compare.h"
#include "text/letters.h"

#define REWORDED_LOOKS_MIN 0.5 /* light rewordings share .53 and more */

/* ---- what a text looks like ---- */

static struct mn_figures figures_of(const char *text)
{
    struct mn_figures f = { .count = 0 };

    while (*text) {
        size_t digits = 0;

        while (mn_letter_digit(text[digits]))
            digits++;
        if (digits) {
            if (f.count < MN_FIGURES_MAX)
                f.hash[f.count] = mn_hash64(text, digits, 0);
            f.count++;
        }
        text += digits ? digits : 1;
    }
    return f;
}

/* Are all numbers of the one in the other? It may spell out what the other writes in digits. */
static bool within(const struct mn_figures *a, const struct mn_figures *b)
{
    for (size_t i = 0; i < a->count; i++) {
        size_t k = 0;

        while (k < b->count && b->hash[k] != a->hash[i])
            k++;
        if (k == b->count)
            return false;
    }
    return true;
}

static bool may_count_the_same(const struct mn_figures *a, const struct mn_figures *b)
{
    return a->count > MN_FIGURES_MAX || b->count > MN_FIGURES_MAX || within(a, b) || within(b, a);
}

struct mn_look mn_look_at(const char *text)
{
    return (struct mn_look){ mn_glance_at(text), figures_of(text) };
}

bool mn_look_rewords(const struct mn_look *a, const char *a_text, const struct mn_look *b,
                     const char *b_text, size_t scratch_bytes_max)
{
    MN_ARENA_AUTO arena = NULL;

    if (mn_glance_share(&a->glance, &b->glance) < REWORDED_LOOKS_MIN ||
        !may_count_the_same(&a->figures, &b->figures))
        return false;
    arena = mn_arena_new(scratch_bytes_max);
    return mn_text_likeness(arena, a_text, b_text) == MN_LIKENESS_REWORDED;
}

/* ---- the rows ---- */

/* The oldest is 0. */
static size_t place_of(const struct mn_fresh_rows *fresh, size_t at)
{
    return (fresh->first + at) % MN_FRESH_ROWS;
}

static void drop_oldest(struct mn_fresh_rows *fresh)
{
    fresh->since = fresh->row[fresh->first]->change;
    free(fresh->row[fresh->first]);
    fresh->first = (fresh->first + 1) % MN_FRESH_ROWS;
    fresh->count--;
}

void mn_fresh_release(struct mn_fresh_rows *fresh)
{
    while (fresh->count)
        drop_oldest(fresh);
    *fresh = (struct mn_fresh_rows){ .known = false };
}

void mn_fresh_begin(struct mn_fresh_rows *fresh, int64_t change)
{
    if (fresh->known)
        return;
    fresh->known = true;
    fresh->since = change;
}

/* NULL: too long, or no memory. */
static struct mn_fresh_row *copy_of(const struct mneme_memory *m)
{
    const char *const text[] = { m->tenant_id, m->user_id,      m->agent_id,   m->scope_id,
                                 m->id,        m->content_hash, m->memory_key, m->content };
    const char *copied[sizeof text / sizeof *text];
    struct mn_fresh_row *row;
    size_t bytes = 0;
    char *at;

    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        bytes += strlen(mn_or_empty(text[i])) + 1;
    row = bytes <= MN_FRESH_BYTES_MAX ? malloc(sizeof *row + bytes) : NULL;
    if (!row)
        return NULL;
    at = row->text;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        size_t length = strlen(mn_or_empty(text[i])) + 1;

        copied[i] = memcpy(at, mn_or_empty(text[i]), length);
        at += length;
    }
    row->tenant = copied[0];
    row->owner = copied[1];
    row->agent = copied[2];
    row->scope_id = copied[3];
    row->id = copied[4];
    row->content_hash = copied[5];
    row->memory_key = copied[6];
    row->content = copied[7];
    row->scope_kind = m->scope_kind;
    row->status = m->status;
    row->looked = false;
    return row;
}

void mn_fresh_add(struct mn_fresh_rows *fresh, int64_t change, const struct mneme_memory *memory)
{
    struct mn_fresh_row *row;

    if (!fresh->known)
        return;
    row = copy_of(memory);
    if (!row) {
        mn_fresh_release(fresh);
        mn_fresh_begin(fresh, change);
        return;
    }
    if (fresh->count == MN_FRESH_ROWS)
        drop_oldest(fresh);
    row->change = change;
    fresh->row[place_of(fresh, fresh->count++)] = row;
}

bool mn_fresh_reaches(const struct mn_fresh_rows *fresh, int64_t change)
{
    return fresh->known && change >= fresh->since;
}

struct mn_fresh_row *mn_fresh_behind(const struct mn_fresh_rows *fresh, int64_t change, size_t at)
{
    struct mn_fresh_row *row =
        at < fresh->count ? fresh->row[place_of(fresh, fresh->count - 1 - at)] : NULL;

    return row && row->change > change ? row : NULL;
}
