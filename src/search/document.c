/*
 * document.c - struct, lists and strings laid out behind each other.
 *
 * Two tables name the pointers: a field that is added to the record and forgotten here would point
 * into its owner's memory, so the test walks the whole record.
 */
#include "search/document.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name) offsetof(struct mn_unit, name)

static const size_t TEXTS[] = {
    FIELD(id),
    FIELD(parent_id),
    FIELD(session_id),
    FIELD(speaker),
    FIELD(memory.id),
    FIELD(memory.tenant_id),
    FIELD(memory.user_id),
    FIELD(memory.agent_id),
    FIELD(memory.scope_id),
    FIELD(memory.type),
    FIELD(memory.memory_key),
    FIELD(memory.value),
    FIELD(memory.title),
    FIELD(memory.content),
    FIELD(memory.summary),
    FIELD(memory.category),
    FIELD(memory.project),
    FIELD(memory.module),
    FIELD(memory.requires_permission),
    FIELD(memory.supersedes),
    FIELD(memory.content_hash),
    FIELD(memory.attributes),
};
#define TEXT_COUNT (sizeof TEXTS / sizeof TEXTS[0])

static const size_t LISTS[] = {
    FIELD(memory.keywords),
    FIELD(memory.usage_scenario),
    FIELD(memory.entities),
    FIELD(memory.provenance),
};
#define LIST_COUNT (sizeof LISTS / sizeof LISTS[0])

static const char **text_at(struct mn_unit *unit, size_t i)
{
    return (const char **)(void *)((char *)unit + TEXTS[i]);
}

static struct mneme_list *list_at(struct mn_unit *unit, size_t i)
{
    return (struct mneme_list *)(void *)((char *)unit + LISTS[i]);
}

static size_t text_bytes(const char *text)
{
    return text ? strlen(text) + 1 : 1;
}

/* Bytes behind the struct: arrays of pointers first, then strings. */
static size_t tail_bytes(const struct mn_unit *given)
{
    struct mn_unit unit = *given;
    size_t bytes = 0;

    for (size_t i = 0; i < TEXT_COUNT; i++)
        bytes += text_bytes(*text_at(&unit, i));
    for (size_t l = 0; l < LIST_COUNT; l++) {
        const struct mneme_list *list = list_at(&unit, l);

        bytes += list->count * sizeof list->item[0];
        for (size_t i = 0; i < list->count; i++)
            bytes += text_bytes(list->item[i]);
    }
    const struct mneme_pairs *pairs = &unit.memory.applies_to;
    bytes += pairs->count * sizeof pairs->item[0];
    for (size_t i = 0; i < pairs->count; i++)
        bytes += text_bytes(pairs->item[i].name) + text_bytes(pairs->item[i].value);
    return bytes;
}

static const char *put(char **end, const char *text)
{
    char *copy = *end;
    size_t bytes = text_bytes(text);

    memcpy(copy, text ? text : "", bytes);
    *end += bytes;
    return copy;
}

/* The arrays first: they need alignment, which the struct before them leaves right. */
static void fill_tail(struct mn_unit *unit, char *tail)
{
    const char **item[LIST_COUNT];
    struct mneme_pair *pair;

    for (size_t l = 0; l < LIST_COUNT; l++) {
        item[l] = (const char **)(void *)tail;
        tail += list_at(unit, l)->count * sizeof(char *);
    }
    pair = (struct mneme_pair *)(void *)tail;
    tail += unit->memory.applies_to.count * sizeof *pair;

    for (size_t i = 0; i < TEXT_COUNT; i++)
        *text_at(unit, i) = put(&tail, *text_at(unit, i));
    for (size_t l = 0; l < LIST_COUNT; l++) {
        struct mneme_list *list = list_at(unit, l);

        for (size_t i = 0; i < list->count; i++)
            item[l][i] = put(&tail, list->item[i]);
        list->item = item[l];
    }
    for (size_t i = 0; i < unit->memory.applies_to.count; i++) {
        pair[i].name = put(&tail, unit->memory.applies_to.item[i].name);
        pair[i].value = put(&tail, unit->memory.applies_to.item[i].value);
    }
    unit->memory.applies_to.item = pair;
}

struct mn_document *mn_document_new(const struct mn_unit *unit)
{
    size_t bytes = sizeof(struct mn_document) + tail_bytes(unit);
    struct mn_document *document = malloc(bytes);

    if (!document)
        return NULL;
    document->bytes = bytes;
    atomic_init(&document->users, 1);
    document->unit = *unit;
    document->unit.vector = NULL;
    document->unit.vector_dim = 0;
    fill_tail(&document->unit, (char *)(document + 1));
    return document;
}

void mn_document_release(struct mn_document *document)
{
    if (document && atomic_fetch_sub_explicit(&document->users, 1, memory_order_acq_rel) == 1)
        free(document);
}

static void release_all(void *what)
{
    struct mn_documents_held *held = what;

    for (size_t i = 0; i < held->count; i++)
        mn_document_release(held->item[i]);
}

struct mn_documents_held *mn_documents_held_new(struct mn_arena *arena, size_t room)
{
    struct mn_documents_held *held =
        mn_arena_room(arena, sizeof *held + room * sizeof held->item[0]);

    if (!held)
        return NULL;
    held->count = 0;
    held->room = room;
    return mn_arena_at_end(arena, release_all, held) ? held : NULL;
}

const struct mn_unit *mn_document_hold(struct mn_documents_held *held, struct mn_document *document)
{
    assert(held->count < held->room);
    atomic_fetch_add_explicit(&document->users, 1, memory_order_relaxed);
    held->item[held->count++] = document;
    return &document->unit;
}
