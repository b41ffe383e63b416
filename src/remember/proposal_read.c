/*
 * proposal_read.c - the memories in a model's answer, however it is wrapped.
 *
 * Models put thoughts before it, prose around it, fences at both ends, leave out the object around the
 * list, or stop in the middle. So the list is looked for, and then read object by object: each stands
 * alone, and one that is damaged or cut off takes no other with it. What an object must have is its
 * turn, the words quoted from it, a kind, and the sentence; anything else that has the wrong type is as
 * if it were not there.
 */
#include "remember/proposal.h"

#include <stdlib.h>
#include <string.h>

#include <yyjson.h>

#include "base/array.h"

#define CONTENT_BYTES_MAX 2000
#define QUOTE_BYTES_MAX 4000
#define WORD_BYTES_MAX 200
#define WORDS_MAX 16
#define RELATIONS_MAX 8

const char *const mn_proposal_kinds[] = { "semantic", "episodic", "procedural", NULL };

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t skip_spaces(const char *text, size_t bytes, size_t at)
{
    while (at < bytes && is_space(text[at]))
        at++;
    return at;
}

/* ---- where the list is ---- */

/* Behind the '[' of "memories": [ */
static const char *find_named(const char *text, size_t bytes)
{
    static const char name[] = "\"memories\"";
    const char *end = text + bytes;

    for (const char *at = text; (at = memmem(at, (size_t)(end - at), name, sizeof name - 1));) {
        size_t next = skip_spaces(at, (size_t)(end - at), sizeof name - 1);

        if (at + next < end && at[next] == ':') {
            next = skip_spaces(at, (size_t)(end - at), next + 1);
            if (at + next < end && at[next] == '[')
                return at + next + 1;
        }
        at += sizeof name - 1;
    }
    return NULL;
}

/* Behind the first '[' that an object or a ']' follows. */
static const char *find_bare(const char *text, size_t bytes)
{
    for (size_t at = 0; at < bytes; at++) {
        size_t next;

        if (text[at] != '[')
            continue;
        next = skip_spaces(text, bytes, at + 1);
        if (next < bytes && (text[next] == '{' || text[next] == ']'))
            return text + at + 1;
    }
    return NULL;
}

/* The '}' of the object that begins at `text`, NULL when it is cut off. */
static const char *object_end(const char *text, const char *end)
{
    size_t depth = 0;
    bool in_text = false;

    for (const char *at = text; at < end; at++) {
        if (in_text) {
            if (*at == '\\')
                at++;
            else if (*at == '"')
                in_text = false;
        } else if (*at == '"') {
            in_text = true;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if ((*at == '}' || *at == ']') && --depth == 0) {
            return at;
        }
    }
    return NULL;
}

/* ---- one object ---- */

/* "" when it is no text, empty, or too long. NULL: the arena is full. */
static const char *take_text(yyjson_val *object, const char *field, size_t bytes_max,
                             struct mn_arena *arena)
{
    yyjson_val *value = yyjson_obj_get(object, field);
    const char *text = yyjson_get_str(value);
    size_t bytes = yyjson_get_len(value);

    if (!text || bytes > bytes_max || strlen(text) != bytes)
        return "";
    while (bytes > 0 && is_space(*text))
        text++, bytes--;
    while (bytes > 0 && is_space(text[bytes - 1]))
        bytes--;
    return mn_arena_copy_n(arena, text, bytes);
}

static bool one_of(const char *text, const char *const *names)
{
    for (size_t i = 0; names[i]; i++)
        if (!strcmp(text, names[i]))
            return true;
    return false;
}

/* 3 and "3". */
static size_t take_turn(yyjson_val *object)
{
    yyjson_val *value = yyjson_obj_get(object, "turn");
    long number = yyjson_is_str(value) ? strtol(yyjson_get_str(value), NULL, 10)
                                       : (long)yyjson_get_num(value);

    return number > 0 && number < 100000 ? (size_t)number : 0;
}

static bool take_entities(yyjson_val *object, struct mn_arena *arena, struct mneme_list *ret_list)
{
    yyjson_val *list = yyjson_obj_get(object, "entities");
    const char **item = mn_arena_array(arena, const char *, WORDS_MAX);
    yyjson_arr_iter iter;

    ret_list->item = item;
    if (!item)
        return false;
    if (!yyjson_arr_iter_init(list, &iter))
        return true;
    for (yyjson_val *value; (value = yyjson_arr_iter_next(&iter)) && ret_list->count < WORDS_MAX;) {
        const char *name = yyjson_get_str(value);

        if (mn_empty(name) || strlen(name) > WORD_BYTES_MAX)
            continue;
        name = mn_arena_copy(arena, name);
        if (!name)
            return false;
        item[ret_list->count++] = name;
    }
    return true;
}

static bool take_relations(yyjson_val *object, struct mn_arena *arena, struct mn_proposal *p)
{
    yyjson_arr_iter iter;

    p->relation = mn_arena_array(arena, struct mn_relation, RELATIONS_MAX);
    if (!p->relation)
        return false;
    if (!yyjson_arr_iter_init(yyjson_obj_get(object, "relations"), &iter))
        return true;
    for (yyjson_val *value;
         (value = yyjson_arr_iter_next(&iter)) && p->relation_count < RELATIONS_MAX;) {
        struct mn_relation r = { take_text(value, "source", WORD_BYTES_MAX, arena),
                                 take_text(value, "relation", WORD_BYTES_MAX, arena),
                                 take_text(value, "target", WORD_BYTES_MAX, arena) };

        if (!r.source || !r.relation || !r.target)
            return false;
        if (*r.source && *r.relation && *r.target)
            p->relation[p->relation_count++] = r;
    }
    return true;
}

/* *ret_whole: it has what it must have. False: the arena is full. */
static bool take_proposal(yyjson_val *object, const char *const *kinds, struct mn_arena *arena,
                          struct mn_proposal *p, bool *ret_whole)
{
    yyjson_val *importance = yyjson_obj_get(object, "importance");

    p->turn = take_turn(object);
    p->quote = take_text(object, "quote", QUOTE_BYTES_MAX, arena);
    p->kind = take_text(object, "kind", WORD_BYTES_MAX, arena);
    p->content = take_text(object, "content", CONTENT_BYTES_MAX, arena);
    p->temporal_scope = take_text(object, "temporal_scope", WORD_BYTES_MAX, arena);
    p->expires = take_text(object, "expires", WORD_BYTES_MAX, arena);
    p->key = take_text(object, "key", WORD_BYTES_MAX, arena);
    p->value = take_text(object, "value", WORD_BYTES_MAX, arena);
    p->outcome = take_text(object, "outcome", WORD_BYTES_MAX, arena);
    p->valence = take_text(object, "valence", WORD_BYTES_MAX, arena);
    p->importance = -1.0;
    if (yyjson_is_num(importance) && yyjson_get_num(importance) >= 0 &&
        yyjson_get_num(importance) <= 1)
        p->importance = yyjson_get_num(importance);
    if (!p->quote || !p->kind || !p->content || !p->temporal_scope || !p->expires || !p->key ||
        !p->value || !p->outcome || !p->valence || !take_entities(object, arena, &p->entities) ||
        !take_relations(object, arena, p))
        return false;
    *ret_whole = p->turn && *p->quote && *p->content && one_of(p->kind, kinds);
    return true;
}

static enum mneme_status read_object(const char *at, size_t bytes, const char *const *kinds,
                                     struct mn_arena *arena, struct mn_proposals *out,
                                     struct mneme_error *err)
{
    struct mn_proposal p = { 0 };
    struct mn_proposal *kept;
    bool whole = false;
    /* Not in place; a copy with room behind is what the reader wants. */
    yyjson_doc *doc = yyjson_read_opts((char *)(uintptr_t)at, bytes,
                                       YYJSON_READ_ALLOW_TRAILING_COMMAS, NULL, NULL);

    if (!doc) { /* damaged, or no memory: the latter shows at the next allocation */
        out->refused++;
        return MNEME_OK;
    }
    bool read = take_proposal(yyjson_doc_get_root(doc), kinds, arena, &p, &whole);
    yyjson_doc_free(doc);
    if (!read)
        return mn_fail_memory(err);
    if (!whole) {
        out->refused++;
        return MNEME_OK;
    }
    kept = mn_array_add(arena, out);
    if (!kept)
        return mn_fail_memory(err);
    *kept = p;
    return MNEME_OK;
}

/* ---- the answer ---- */

static enum mneme_status read_list(const char *at, const char *end, const char *const *kinds,
                                   struct mn_arena *arena, struct mn_proposals *out,
                                   struct mneme_error *err)
{
    out->cut = true;
    while (at < end && out->count < MN_PROPOSALS_MAX) {
        const char *close;

        if (*at == ']') {
            out->cut = false;
            return MNEME_OK;
        }
        if (*at != '{') {
            at++;
            continue;
        }
        close = object_end(at, end);
        if (!close)
            return MNEME_OK;
        MN_TRY(read_object(at, (size_t)(close - at) + 1, kinds, arena, out, err));
        at = close + 1;
    }
    out->cut = at >= end;
    return MNEME_OK;
}

enum mneme_status mn_proposals_read(const char *answer, size_t bytes, const char *const *kinds,
                                    struct mn_arena *arena, struct mn_proposals *ret_proposals,
                                    struct mneme_error *err)
{
    static const char thought[] = "</think>";
    const char *end = answer + bytes;
    struct mn_proposals out = { 0 };
    const char *list;

    for (const char *at = answer; (at = memmem(at, (size_t)(end - at), thought, sizeof thought - 1));)
        answer = at += sizeof thought - 1;
    bytes = (size_t)(end - answer);
    list = find_named(answer, bytes);
    if (!list)
        list = find_bare(answer, bytes);
    if (!list) /* one object alone */
        list = memchr(answer, '{', bytes);
    if (!list)
        return mn_fail(err, MNEME_CORRUPT, "answer: holds no JSON");
    MN_TRY(read_list(list, end, kinds, arena, &out, err));
    if (out.count == 0 && out.refused > 0)
        return mn_fail(err, MNEME_CORRUPT, "answer: %zu objects, and none is a memory", out.refused);
    if (out.count == 0 && out.cut)
        return mn_fail(err, MNEME_CORRUPT, "answer: ends before the first memory does");
    *ret_proposals = out;
    return MNEME_OK;
}
