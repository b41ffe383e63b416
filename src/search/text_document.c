/*
 * text_document.c - fields to weighted terms.
 *
 * Who spoke and when belong to what a turn says ("what did Ann tell in May"): measured on
 * conversations, they bring .05 of recall. The date is UTC's, spelled as people ask for it.
 */
#include "search/text_document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"

/* In halves. */
enum { TITLE = 4, CONTENT = 2, KEYWORD = 3, SCENARIO = 2, ENTITY = 3, SPEAKER = 2, DATE = 2 };

struct gathering {
    struct mn_arena *arena;
    struct mn_terms terms;
    struct {
        size_t terms;    /* terms up to here ... */
        unsigned halves; /* ... count so much, from where the part before ends */
    } * part;
    size_t part_count;
};

static enum mneme_status gather(struct gathering *g, const char *text, unsigned halves,
                                struct mneme_error *err)
{
    if (mn_empty(text))
        return MNEME_OK;
    MN_TRY(mn_text_terms(g->arena, text, strlen(text), &g->terms, err));
    g->part[g->part_count].terms = g->terms.count;
    g->part[g->part_count++].halves = halves;
    return MNEME_OK;
}

static enum mneme_status gather_list(struct gathering *g, const struct mneme_list *list,
                                     unsigned halves, struct mneme_error *err)
{
    for (size_t i = 0; i < list->count; i++)
        MN_TRY(gather(g, list->item[i], halves, err));
    return MNEME_OK;
}

enum mn_language mn_text_document_language(const struct mn_unit *unit)
{
    const char *title = mn_or_empty(unit->memory.title);
    const char *content = mn_or_empty(unit->memory.content);
    MN_BUF_AUTO both = { 0 };

    if (!*title)
        return mn_text_language(content, strlen(content));
    mn_buf_text(&both, title);
    mn_buf_char(&both, ' ');
    mn_buf_text(&both, content);
    if (both.failed) /* the title alone is too little to tell by */
        return mn_text_language(content, strlen(content));
    return mn_text_language(both.at, both.bytes);
}

enum mn_text_kind mn_text_document_kind(const struct mn_unit *unit)
{
    if (unit->kind == MN_UNIT_PASSAGE)
        return MN_TEXT_PASSAGE;
    return unit->is_event ? MN_TEXT_TURN : MN_TEXT_MEMORY;
}

static enum mneme_status gather_turn(struct gathering *g, const struct mn_unit *unit,
                                     struct mneme_error *err)
{
    static const char *const MONTHS[] = { "January",   "February", "March",    "April",
                                          "May",       "June",     "July",     "August",
                                          "September", "October",  "November", "December" };
    char date[48];
    int year, month, day;
    int64_t at_ms = unit->memory.event_time_ms;

    MN_TRY(gather(g, unit->speaker, SPEAKER, err));
    if (!at_ms)
        return MNEME_OK;
    mn_civil_from_days(at_ms / MN_DAY_MS - (at_ms % MN_DAY_MS < 0), &year, &month, &day);
    if (mn_text_document_language(unit) == MN_LANGUAGE_ZH)
        snprintf(date, sizeof date, "%d年%d月%d日", year, month, day);
    else
        snprintf(date, sizeof date, "%d %s %d", day, MONTHS[month - 1], year);
    return gather(g, date, DATE, err);
}

static int by_hash(const void *a, const void *b)
{
    uint64_t x = ((const struct mn_text_entry *)a)->term.hash;
    uint64_t y = ((const struct mn_text_entry *)b)->term.hash;

    return (x > y) - (x < y);
}

static int by_place(const void *a, const void *b)
{
    uint32_t x = ((const struct mn_text_entry *)a)->place;
    uint32_t y = ((const struct mn_text_entry *)b)->place;

    return (x > y) - (x < y);
}

static uint8_t halves_sum(unsigned a, unsigned b)
{
    return (uint8_t)(a + b < MN_TEXT_HALVES_MAX ? a + b : MN_TEXT_HALVES_MAX);
}

/* Equal terms become one. */
static void fold_entries(struct mn_text_document *document)
{
    size_t kept = 0;

    qsort(document->item, document->count, sizeof document->item[0], by_hash);
    for (size_t i = 0; i < document->count; i++) {
        struct mn_text_entry *last = kept ? &document->item[kept - 1] : NULL;

        if (last && last->term.hash == document->item[i].term.hash) {
            last->halves = halves_sum(last->halves, document->item[i].halves);
            if (document->item[i].place < last->place)
                last->place = document->item[i].place;
        } else {
            document->item[kept++] = document->item[i];
        }
    }
    document->count = kept;
    qsort(document->item, document->count, sizeof document->item[0], by_place);
}

enum mneme_status mn_text_document_make(const struct mn_unit *unit, struct mn_arena *arena,
                                        struct mn_text_document *ret_document,
                                        struct mneme_error *err)
{
    const struct mneme_memory *memory = &unit->memory;
    struct mn_text_document made = { .kind = mn_text_document_kind(unit) };
    struct gathering g = { .arena = arena };
    size_t halves = 0, head = 0, term = 0;

    g.part = mn_arena_calloc(arena,
                             4 + memory->keywords.count + memory->usage_scenario.count +
                                 memory->entities.count,
                             sizeof *g.part);
    if (!g.part)
        return mn_fail_memory(err);
    MN_TRY(gather(&g, memory->title, TITLE, err));
    MN_TRY(gather(&g, memory->content, CONTENT, err));
    MN_TRY(gather_list(&g, &memory->keywords, KEYWORD, err));
    MN_TRY(gather_list(&g, &memory->usage_scenario, SCENARIO, err));
    MN_TRY(gather_list(&g, &memory->entities, ENTITY, err));
    size_t body_terms = g.terms.count;
    if (made.kind == MN_TEXT_TURN)
        MN_TRY(gather_turn(&g, unit, err));

    made.item = mn_arena_array(arena, struct mn_text_entry, g.terms.count + 1);
    if (!made.item)
        return mn_fail_memory(err);
    made.count = g.terms.count;
    for (size_t p = 0; p < g.part_count; p++) {
        for (; term < g.part[p].terms; term++) {
            made.item[term].term = g.terms.item[term];
            made.item[term].halves = (uint8_t)g.part[p].halves;
            made.item[term].place = (uint32_t)term;
            halves += g.part[p].halves;
            if (term >= body_terms)
                head += g.part[p].halves;
        }
    }
    made.length = (float)halves / 2;
    made.head = (float)head / 2;
    fold_entries(&made);
    *ret_document = made;
    return MNEME_OK;
}
