/*
 * fields.c - the tables, and what can be said of a field without knowing its record.
 *
 * A field is reached by its offset as the very type it was declared with, so nothing here is read
 * through a type it is not. Enumerations are read as unsigned, which is what the compiler makes of
 * one without negative values; an assertion holds it to that.
 */
#include "memory/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "text/letters.h"

_Static_assert(sizeof(enum mneme_scope) == sizeof(unsigned), "enumerations are read as unsigned");

#define ID MNEME_ID_BYTES_MAX
#define NAME MNEME_NAME_BYTES_MAX
#define TEXT MNEME_TEXT_BYTES_MAX
#define JSON MNEME_JSON_BYTES_MAX
#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

#define AT(member) offsetof(struct mneme_memory, member)
static const struct mn_field MEMORY[] = {
    { "id", MN_FIELD_ID, MN_FIELD_STAMP, AT(id), ID, NULL },
    { "tenant_id", MN_FIELD_ID, MN_FIELD_SHOWN, AT(tenant_id), ID, NULL },
    { "user_id", MN_FIELD_ID, MN_FIELD_SHOWN, AT(user_id), ID, NULL },
    { "agent_id", MN_FIELD_ID, MN_FIELD_SHOWN, AT(agent_id), ID, NULL },
    { "scope_kind", MN_FIELD_ENUM, 0, AT(scope_kind), 0, &mn_scope_names },
    { "scope_id", MN_FIELD_ID, 0, AT(scope_id), ID, NULL },
    { "type", MN_FIELD_ID, 0, AT(type), NAME, NULL },
    { "memory_key", MN_FIELD_ID, 0, AT(memory_key), NAME, NULL },
    { "value", MN_FIELD_TEXT, 0, AT(value), TEXT, NULL },
    { "title", MN_FIELD_TEXT, 0, AT(title), NAME, NULL },
    { "content", MN_FIELD_TEXT, 0, AT(content), TEXT, NULL },
    { "summary", MN_FIELD_TEXT, 0, AT(summary), TEXT, NULL },
    { "keywords", MN_FIELD_LIST, 0, AT(keywords), NAME, NULL },
    { "usage_scenario", MN_FIELD_LIST, 0, AT(usage_scenario), NAME, NULL },
    { "entities", MN_FIELD_LIST, 0, AT(entities), NAME, NULL },
    { "category", MN_FIELD_ID, 0, AT(category), NAME, NULL },
    { "project", MN_FIELD_ID, 0, AT(project), NAME, NULL },
    { "module", MN_FIELD_ID, 0, AT(module), NAME, NULL },
    { "authority", MN_FIELD_ENUM, 0, AT(authority), 0, &mn_authority_names },
    { "confidence", MN_FIELD_SHARE, 0, AT(confidence), 0, NULL },
    { "importance", MN_FIELD_SHARE, 0, AT(importance), 0, NULL },
    { "sensitivity", MN_FIELD_ENUM, 0, AT(sensitivity), 0, &mn_sensitivity_names },
    { "requires_permission", MN_FIELD_ID, 0, AT(requires_permission), ID, NULL },
    { "risk", MN_FIELD_ENUM, 0, AT(risk), 0, &mn_risk_names },
    { "applies_to", MN_FIELD_PAIRS, 0, AT(applies_to), NAME, NULL },
    { "valid_from", MN_FIELD_TIME, 0, AT(valid_from_ms), 0, NULL },
    { "valid_until", MN_FIELD_TIME, 0, AT(valid_until_ms), 0, NULL },
    { "event_time", MN_FIELD_TIME, 0, AT(event_time_ms), 0, NULL },
    { "status", MN_FIELD_ENUM, 0, AT(status), 0, &mn_memory_status_names },
    { "version", MN_FIELD_COUNT, MN_FIELD_STAMP, AT(version), 0, NULL },
    { "supersedes", MN_FIELD_ID, 0, AT(supersedes), ID, NULL },
    { "revision", MN_FIELD_COUNT, MN_FIELD_STAMP, AT(revision), 0, NULL },
    { "content_hash", MN_FIELD_HASH, MN_FIELD_STAMP, AT(content_hash), 0, NULL },
    { "provenance", MN_FIELD_LIST, 0, AT(provenance), ID, NULL },
    { "created_at", MN_FIELD_TIME, MN_FIELD_STAMP, AT(created_at_ms), 0, NULL },
    { "updated_at", MN_FIELD_TIME, MN_FIELD_STAMP, AT(updated_at_ms), 0, NULL },
    { "confirmed_at", MN_FIELD_TIME, MN_FIELD_STAMP, AT(confirmed_at_ms), 0, NULL },
    { "attributes", MN_FIELD_OBJECT, 0, AT(attributes), JSON, NULL },
};
#undef AT

#define AT(member) offsetof(struct mneme_event, member)
static const struct mn_field EVENT[] = {
    { "id", MN_FIELD_ID, MN_FIELD_STAMP, AT(id), ID, NULL },
    { "tenant_id", MN_FIELD_ID, MN_FIELD_SHOWN, AT(tenant_id), ID, NULL },
    { "user_id", MN_FIELD_ID, MN_FIELD_SHOWN, AT(user_id), ID, NULL },
    { "agent_id", MN_FIELD_ID, MN_FIELD_SHOWN, AT(agent_id), ID, NULL },
    { "session_id", MN_FIELD_ID, 0, AT(session_id), ID, NULL },
    { "role", MN_FIELD_ID, 0, AT(role), NAME, NULL },
    { "speaker", MN_FIELD_ID, 0, AT(speaker), NAME, NULL },
    { "text", MN_FIELD_TEXT, 0, AT(text), TEXT, NULL },
    { "event_time", MN_FIELD_TIME, 0, AT(event_time_ms), 0, NULL },
    { "order", MN_FIELD_PLACE, 0, AT(order), 0, NULL },
    { "not_recallable", MN_FIELD_FLAG, 0, AT(not_recallable), 0, NULL },
    { "withheld", MN_FIELD_SECOND, 0, AT(not_recallable), 0, NULL },
    { "attributes", MN_FIELD_OBJECT, 0, AT(attributes), JSON, NULL },
};
#undef AT

#define AT(member) offsetof(struct mneme_rule, member)
static const struct mn_field RULE[] = {
    { "id", MN_FIELD_ID, MN_FIELD_STAMP, AT(id), ID, NULL },
    { "tenant_id", MN_FIELD_ID, 0, AT(tenant_id), ID, NULL },
    { "memory_id", MN_FIELD_ID, 0, AT(memory_id), ID, NULL },
    { "trigger_type", MN_FIELD_ENUM, 0, AT(trigger_type), 0, &mn_trigger_names },
    { "trigger_value", MN_FIELD_TEXT, 0, AT(trigger_value), NAME, NULL },
    { "priority", MN_FIELD_INTEGER, 0, AT(priority), 0, NULL },
    { "status", MN_FIELD_OFF, 0, AT(disabled), 0, NULL },
};
#undef AT

#define AT(member) offsetof(struct mneme_task_state, member)
static const struct mn_field TASK_STATE[] = {
    { "id", MN_FIELD_IGNORED, 0, 0, 0, NULL }, /* data may name its checkpoints; the key is below */
    { "tenant_id", MN_FIELD_ID, MN_FIELD_SHOWN, AT(tenant_id), ID, NULL },
    { "user_id", MN_FIELD_ID, MN_FIELD_SHOWN, AT(user_id), ID, NULL },
    { "session_id", MN_FIELD_ID, 0, AT(session_id), ID, NULL },
    { "task_id", MN_FIELD_ID, 0, AT(task_id), ID, NULL },
    { "state", MN_FIELD_OBJECT, 0, AT(state), JSON, NULL },
    { "updated_at", MN_FIELD_TIME, MN_FIELD_STAMP, AT(updated_at_ms), 0, NULL },
};
#undef AT

#define AT(member) offsetof(struct mneme_edge, member)
static const struct mn_field EDGE[] = {
    { "id", MN_FIELD_ID, MN_FIELD_STAMP, AT(id), ID, NULL },
    { "tenant_id", MN_FIELD_ID, MN_FIELD_SHOWN, AT(tenant_id), ID, NULL },
    { "user_id", MN_FIELD_ID, MN_FIELD_SHOWN, AT(user_id), ID, NULL },
    { "source", MN_FIELD_ID, 0, AT(source), NAME, NULL },
    { "relation", MN_FIELD_ID, 0, AT(relation), NAME, NULL },
    { "target", MN_FIELD_ID, 0, AT(target), NAME, NULL },
    { "source_aliases", MN_FIELD_LIST, 0, AT(source_aliases), NAME, NULL },
    { "target_aliases", MN_FIELD_LIST, 0, AT(target_aliases), NAME, NULL },
    { "origin", MN_FIELD_ID, 0, AT(origin), NAME, NULL },
    { "confidence", MN_FIELD_SHARE, 0, AT(confidence), 0, NULL },
    { "valid_from", MN_FIELD_TIME, 0, AT(valid_from_ms), 0, NULL },
    { "valid_until", MN_FIELD_TIME, 0, AT(valid_until_ms), 0, NULL },
    { "provenance", MN_FIELD_LIST, 0, AT(provenance), ID, NULL },
};
#undef AT

#define AT(member) offsetof(struct mneme_usage, member)
static const struct mn_field USAGE_KEY[] = {
    { "tenant_id", MN_FIELD_ID, MN_FIELD_SHOWN, AT(tenant_id), ID, NULL },
    { "memory_id", MN_FIELD_ID, 0, AT(memory_id), ID, NULL },
};
static const struct mn_field USAGE[] = {
    { "last_accessed_at", MN_FIELD_TIME, 0, AT(last_accessed_at_ms), 0, NULL },
    { "access_count", MN_FIELD_COUNT, 0, AT(access_count), 0, NULL },
    { "used_count", MN_FIELD_COUNT, 0, AT(used_count), 0, NULL },
    { "decayed_confidence", MN_FIELD_SHARE, 0, AT(confidence), 0, NULL },
    { "confidence_computed_at", MN_FIELD_TIME, 0, AT(confidence_computed_at_ms), 0, NULL },
};
#undef AT

#define AT(member) offsetof(struct mneme_identity, member)
static const struct mn_field IDENTITY[] = {
    { "tenant_id", MN_FIELD_ID, 0, AT(tenant_id), ID, NULL },
    { "user_id", MN_FIELD_ID, 0, AT(user_id), ID, NULL },
    { "agent_id", MN_FIELD_ID, 0, AT(agent_id), ID, NULL },
    { "session_id", MN_FIELD_ID, 0, AT(session_id), ID, NULL },
    { "task_id", MN_FIELD_ID, 0, AT(task_id), ID, NULL },
    { "project_id", MN_FIELD_ID, 0, AT(project_id), ID, NULL },
    { "repository_id", MN_FIELD_ID, 0, AT(repository_id), ID, NULL },
    { "locale", MN_FIELD_ID, 0, AT(locale), NAME, NULL },
    { "timezone", MN_FIELD_ID, 0, AT(timezone), NAME, NULL },
    { "clearance", MN_FIELD_ENUM, 0, AT(clearance), 0, &mn_sensitivity_names },
    { "permissions", MN_FIELD_LIST, 0, AT(permissions), ID, NULL },
    { "environment", MN_FIELD_PAIRS, 0, AT(environment), NAME, NULL },
};
#undef AT

const struct mn_fields mn_memory_fields = { MEMORY, COUNT_OF(MEMORY) };
const struct mn_fields mn_event_fields = { EVENT, COUNT_OF(EVENT) };
const struct mn_fields mn_rule_fields = { RULE, COUNT_OF(RULE) };
const struct mn_fields mn_task_state_fields = { TASK_STATE, COUNT_OF(TASK_STATE) };
const struct mn_fields mn_edge_fields = { EDGE, COUNT_OF(EDGE) };
const struct mn_fields mn_usage_key_fields = { USAGE_KEY, COUNT_OF(USAGE_KEY) };
const struct mn_fields mn_usage_fields = { USAGE, COUNT_OF(USAGE) };
const struct mn_fields mn_identity_fields = { IDENTITY, COUNT_OF(IDENTITY) };

static const void *place_of(const struct mn_field *field, const void *record)
{
    return (const char *)record + field->offset;
}

/* ---- checking ---- */

static enum mneme_status check_text(const char *name, const char *text, size_t limit,
                                    struct mneme_error *err)
{
    size_t bytes = strlen(text);

    if (bytes > limit)
        return mn_fail(err, MNEME_LIMIT, "%s: %zu bytes, at most %zu", name, bytes, limit);
    if (!mn_utf8_valid(text, bytes))
        return mn_fail(err, MNEME_INVALID, "%s: is not well-formed UTF-8", name);
    return MNEME_OK;
}

static enum mneme_status check_id(const char *name, const char *text, size_t limit,
                                  struct mneme_error *err)
{
    MN_TRY(check_text(name, text, limit, err));
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return mn_fail(err, MNEME_INVALID, "%s: holds the control character 0x%02x", name,
                           (unsigned)(unsigned char)*c);
    }
    return MNEME_OK;
}

static enum mneme_status check_hash(const char *name, const char *text, struct mneme_error *err)
{
    size_t bytes = strlen(text);

    if (bytes && (bytes != 64 || strspn(text, "0123456789abcdef") != bytes))
        return mn_fail(err, MNEME_INVALID, "%s: must be 64 lower-case hexadecimal digits", name);
    return MNEME_OK;
}

static enum mneme_status check_object(const char *name, const char *text, size_t limit,
                                      struct mneme_error *err)
{
    MN_JSON_AUTO doc = NULL;

    MN_TRY(check_text(name, text, limit, err));
    if (mn_empty(text) || strcmp(text, "{}") == 0)
        return MNEME_OK;
    return mn_json_parse(name, text, strlen(text), &doc, err);
}

static enum mneme_status check_item_count(const char *name, size_t count, struct mneme_error *err)
{
    if (count > MNEME_LIST_ITEMS_MAX)
        return mn_fail(err, MNEME_LIMIT, "%s: %zu items, at most %d", name, count,
                       MNEME_LIST_ITEMS_MAX);
    return MNEME_OK;
}

static enum mneme_status check_list(const struct mn_field *field, const struct mneme_list *list,
                                    struct mneme_error *err)
{
    char name[64];

    MN_TRY(check_item_count(field->name, list->count, err));
    if (list->count && !list->item)
        return mn_fail(err, MNEME_INVALID, "%s: has items and no array", field->name);
    for (size_t i = 0; i < list->count; i++) {
        (void)snprintf(name, sizeof name, "%s[%zu]", field->name, i);
        if (mn_empty(list->item[i]))
            return mn_fail(err, MNEME_INVALID, "%s: is empty", name);
        MN_TRY(check_text(name, list->item[i], field->limit, err));
    }
    return MNEME_OK;
}

static enum mneme_status check_pairs(const struct mn_field *field, const struct mneme_pairs *pairs,
                                     struct mneme_error *err)
{
    MN_TRY(check_item_count(field->name, pairs->count, err));
    if (pairs->count && !pairs->item)
        return mn_fail(err, MNEME_INVALID, "%s: has items and no array", field->name);
    for (size_t i = 0; i < pairs->count; i++) {
        const struct mneme_pair *pair = &pairs->item[i];

        if (mn_empty(pair->name))
            return mn_fail(err, MNEME_INVALID, "%s: a name in it is empty", field->name);
        MN_TRY(check_id(field->name, pair->name, field->limit, err));
        MN_TRY(check_id(field->name, mn_or_empty(pair->value), field->limit, err));
        for (size_t j = 0; j < i; j++) {
            if (strcmp(pairs->item[j].name, pair->name) == 0)
                return mn_fail(err, MNEME_INVALID, "%s: %.80s is given twice", field->name,
                               pair->name);
        }
    }
    return MNEME_OK;
}

static enum mneme_status check_share(const char *name, double value, struct mneme_error *err)
{
    if (isnan(value))
        return mn_fail(err, MNEME_INVALID, "%s: is not a number", name);
    if (value > 1.0 || isinf(value))
        return mn_fail(err, MNEME_INVALID, "%s: must be from 0 to 1", name);
    return MNEME_OK;
}

/* What JSON keeps exactly everywhere, and far from where counting on would overflow. */
static enum mneme_status check_magnitude(const char *name, int64_t value, struct mneme_error *err)
{
    if (value > MNEME_NUMBER_MAX || value < -MNEME_NUMBER_MAX)
        return mn_fail(err, MNEME_INVALID, "%s: is beyond 2^53", name);
    return MNEME_OK;
}

static enum mneme_status check_time(const char *name, int64_t at_ms, struct mneme_error *err)
{
    if (at_ms < mn_days_from_civil(0, 1, 1) * MN_DAY_MS ||
        at_ms >= mn_days_from_civil(10000, 1, 1) * MN_DAY_MS)
        return mn_fail(err, MNEME_INVALID, "%s: is outside the years 0000 to 9999", name);
    return MNEME_OK;
}

static enum mneme_status check_field(const struct mn_field *field, const void *place,
                                     struct mneme_error *err)
{
    const char *name = field->name;

    switch (field->kind) {
    case MN_FIELD_ID:
        return check_id(name, mn_or_empty(*(const char *const *)place), field->limit, err);
    case MN_FIELD_TEXT:
        return check_text(name, mn_or_empty(*(const char *const *)place), field->limit, err);
    case MN_FIELD_HASH:
        return check_hash(name, mn_or_empty(*(const char *const *)place), err);
    case MN_FIELD_OBJECT:
        return check_object(name, mn_or_empty(*(const char *const *)place), field->limit, err);
    case MN_FIELD_LIST:
        return check_list(field, place, err);
    case MN_FIELD_PAIRS:
        return check_pairs(field, place, err);
    case MN_FIELD_ENUM:
        if (*(const unsigned *)place >= field->names->count)
            return mn_fail(err, MNEME_INVALID, "%s: %u is no value of it", name,
                           *(const unsigned *)place);
        return MNEME_OK;
    case MN_FIELD_SHARE:
        return check_share(name, *(const double *)place, err);
    case MN_FIELD_TIME:
        return check_time(name, *(const int64_t *)place, err);
    case MN_FIELD_COUNT:
        if (*(const int64_t *)place < 0)
            return mn_fail(err, MNEME_INVALID, "%s: is negative", name);
        return check_magnitude(name, *(const int64_t *)place, err);
    case MN_FIELD_PLACE:
    case MN_FIELD_INTEGER:
        return check_magnitude(name, *(const int64_t *)place, err);
    case MN_FIELD_FLAG:
    case MN_FIELD_OFF:
    case MN_FIELD_SECOND:
    case MN_FIELD_IGNORED:
        break;
    }
    return MNEME_OK;
}

enum mneme_status mn_fields_check(const struct mn_fields *fields, const void *record,
                                  struct mneme_error *err)
{
    for (size_t i = 0; i < fields->count; i++)
        MN_TRY(check_field(&fields->item[i], place_of(&fields->item[i], record), err));
    return MNEME_OK;
}

enum mneme_status mn_fields_check_times(const struct mn_fields *fields, const void *record,
                                        struct mneme_error *err)
{
    for (size_t i = 0; i < fields->count; i++)
        if (fields->item[i].kind == MN_FIELD_TIME)
            MN_TRY(check_field(&fields->item[i], place_of(&fields->item[i], record), err));
    return MNEME_OK;
}

enum mneme_status mn_field_must(const char *name, const char *text, struct mneme_error *err)
{
    size_t bytes = strlen(mn_or_empty(text));
    size_t at = 0;

    while (at < bytes) {
        if (!mn_letter_invisible(mn_utf8_next(text, bytes, &at)))
            return MNEME_OK;
    }
    return mn_fail(err, MNEME_INVALID, "%s: is empty, and must not be", name);
}

/* ---- copying ---- */

static enum mneme_status copy_list(const struct mneme_list *from, struct mn_arena *arena,
                                   struct mneme_list *to, struct mneme_error *err)
{
    size_t count = from->count;
    const char **item = NULL;

    if (count && !(item = mn_arena_array(arena, const char *, count)))
        return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        item[i] = mn_arena_copy(arena, from->item[i]);
        if (!item[i])
            return mn_fail_memory(err);
    }
    *to = (struct mneme_list){ item, count };
    return MNEME_OK;
}

static enum mneme_status copy_pairs(const struct mneme_pairs *from, struct mn_arena *arena,
                                    struct mneme_pairs *to, struct mneme_error *err)
{
    size_t count = from->count;
    struct mneme_pair *item = NULL;

    if (count && !(item = mn_arena_array(arena, struct mneme_pair, count)))
        return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        item[i].name = mn_arena_copy(arena, from->item[i].name);
        item[i].value = mn_arena_copy(arena, from->item[i].value);
        if (!item[i].name || !item[i].value)
            return mn_fail_memory(err);
    }
    *to = (struct mneme_pairs){ item, count };
    return MNEME_OK;
}

static enum mneme_status copy_field(const struct mn_field *field, const void *from,
                                    struct mn_arena *arena, void *to, struct mneme_error *err)
{
    switch (field->kind) {
    case MN_FIELD_ID:
    case MN_FIELD_TEXT:
    case MN_FIELD_HASH:
    case MN_FIELD_OBJECT: {
        char *copy = mn_arena_copy(arena, *(const char *const *)from);

        if (!copy)
            return mn_fail_memory(err);
        *(const char **)to = copy;
        break;
    }
    case MN_FIELD_LIST:
        return copy_list(from, arena, to, err);
    case MN_FIELD_PAIRS:
        return copy_pairs(from, arena, to, err);
    case MN_FIELD_ENUM:
        *(unsigned *)to = *(const unsigned *)from;
        break;
    case MN_FIELD_SHARE:
        *(double *)to = *(const double *)from;
        break;
    case MN_FIELD_TIME:
    case MN_FIELD_COUNT:
    case MN_FIELD_PLACE:
    case MN_FIELD_INTEGER:
        *(int64_t *)to = *(const int64_t *)from;
        break;
    case MN_FIELD_FLAG:
    case MN_FIELD_OFF:
    case MN_FIELD_SECOND:
        *(int *)to = *(const int *)from;
        break;
    case MN_FIELD_IGNORED:
        break;
    }
    return MNEME_OK;
}

enum mneme_status mn_fields_copy(const struct mn_fields *fields, const void *record,
                                 struct mn_arena *arena, void *ret_record, struct mneme_error *err)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct mn_field *field = &fields->item[i];

        MN_TRY(copy_field(field, place_of(field, record), arena, (char *)ret_record + field->offset,
                          err));
    }
    return MNEME_OK;
}

/* ---- comparing ---- */

static bool lists_same(const struct mneme_list *a, const struct mneme_list *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (!mn_same(a->item[i], b->item[i]))
            return false;
    }
    return true;
}

static bool pairs_same(const struct mneme_pairs *a, const struct mneme_pairs *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (!mn_same(a->item[i].name, b->item[i].name) ||
            !mn_same(a->item[i].value, b->item[i].value))
            return false;
    }
    return true;
}

static bool field_same(const struct mn_field *field, const void *a, const void *b)
{
    switch (field->kind) {
    case MN_FIELD_ID:
    case MN_FIELD_TEXT:
    case MN_FIELD_HASH:
    case MN_FIELD_OBJECT:
        return mn_same(*(const char *const *)a, *(const char *const *)b);
    case MN_FIELD_LIST:
        return lists_same(a, b);
    case MN_FIELD_PAIRS:
        return pairs_same(a, b);
    case MN_FIELD_ENUM:
        return *(const unsigned *)a == *(const unsigned *)b;
    case MN_FIELD_SHARE:
        return *(const double *)a == *(const double *)b;
    case MN_FIELD_TIME:
    case MN_FIELD_COUNT:
    case MN_FIELD_PLACE:
    case MN_FIELD_INTEGER:
        return *(const int64_t *)a == *(const int64_t *)b;
    case MN_FIELD_SECOND:
        return (*(const int *)a == 2) == (*(const int *)b == 2);
    case MN_FIELD_FLAG:
    case MN_FIELD_OFF:
        return !*(const int *)a == !*(const int *)b;
    case MN_FIELD_IGNORED:
        break;
    }
    return true;
}

bool mn_fields_same(const struct mn_fields *fields, const void *a, const void *b)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct mn_field *field = &fields->item[i];

        if (!(field->flags & MN_FIELD_STAMP) &&
            !field_same(field, place_of(field, a), place_of(field, b)))
            return false;
    }
    return true;
}

bool mn_field_given(const struct mn_field *field, const void *record)
{
    const void *place = place_of(field, record);

    switch (field->kind) {
    case MN_FIELD_ID:
    case MN_FIELD_TEXT:
    case MN_FIELD_HASH:
    case MN_FIELD_OBJECT:
        return !mn_empty(*(const char *const *)place);
    case MN_FIELD_LIST:
        return ((const struct mneme_list *)place)->count > 0;
    case MN_FIELD_PAIRS:
        return ((const struct mneme_pairs *)place)->count > 0;
    case MN_FIELD_ENUM:
        return *(const unsigned *)place != 0;
    case MN_FIELD_SHARE:
        return *(const double *)place >= 0;
    case MN_FIELD_TIME:
    case MN_FIELD_COUNT:
    case MN_FIELD_INTEGER:
        return *(const int64_t *)place != 0;
    case MN_FIELD_PLACE:
        return *(const int64_t *)place >= 0;
    case MN_FIELD_SECOND:
        return *(const int *)place == 2;
    case MN_FIELD_FLAG:
    case MN_FIELD_OFF:
        return *(const int *)place != 0;
    case MN_FIELD_IGNORED:
        break;
    }
    return false;
}

/* ---- structs of other versions ---- */

enum mneme_status mn_struct_take(const char *type, const void *given, size_t whole_bytes,
                                 void *ret_whole, struct mneme_error *err)
{
    size_t size;

    if (!given)
        return mn_fail(err, MNEME_INVALID, "%s: is NULL", type);
    memcpy(&size, given, sizeof size);
    if (size == 0)
        return mn_fail(err, MNEME_INVALID,
                       "size: is 0 in struct mneme_%s; begin the struct with its _INIT macro",
                       type);
    if (size > whole_bytes)
        return mn_fail(err, MNEME_INVALID,
                       "size: %zu bytes in struct mneme_%s, but this version of mneme knows %zu",
                       size, type, whole_bytes);
    if (size % sizeof(int64_t) != 0) /* members are that wide, or two share that much */
        return mn_fail(err, MNEME_INVALID, "size: no struct mneme_%s ever had %zu bytes", type,
                       size);
    memcpy(ret_whole, given, size);
    memcpy(ret_whole, &whole_bytes, sizeof whole_bytes);
    return MNEME_OK;
}
