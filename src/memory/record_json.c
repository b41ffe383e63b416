/*
 * record_json.c - records as lines of JSON: read at the edge, written at the edge.
 *
 * Both directions walk the table of fields, so that what is printed can be read again and gives the
 * same record. Absent, null and "" are one thing, with one exception: an owner or agent that is
 * there and empty says "shared" or "any agent", and is not replaced by the reader's default. That
 * is why those are printed even when empty.
 *
 * A line may leave out its kind where its fields tell it. The usage of a memory stands in the
 * memory's line; one in which nothing is given is no usage.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "memory/field_json.h"
#include "memory/fields.h"
#include "memory/record.h"

#define FIELDS_MAX 64 /* of one record, all tables together */
#define VECTOR_DIM_MAX 4096
/* Pointers, copies and an object written back may take more room than the text they came from. */
#define ARENA_BYTES_PER_BYTE 16
#define ARENA_BYTES_MIN (1024 * 1024)

struct mneme_parsed {
    struct mn_arena *arena;
    struct mneme_record record;
};

static void free_parsed(struct mneme_parsed **parsed)
{
    mneme_parsed_free(*parsed);
}
#define PARSED_AUTO MN_CLEANUP(free_parsed) struct mneme_parsed *

static struct mneme_parsed *parsed_new(size_t arena_bytes)
{
    struct mneme_parsed *parsed = calloc(1, sizeof *parsed);

    if (parsed)
        parsed->arena = mn_arena_new(arena_bytes);
    return parsed;
}

const struct mneme_record *mneme_parsed_record(const struct mneme_parsed *parsed)
{
    return &parsed->record;
}

void mneme_parsed_free(struct mneme_parsed *parsed)
{
    if (!parsed)
        return;
    mn_arena_free(parsed->arena);
    free(parsed);
}

/* ---- kinds ---- */

static const struct mneme_memory NO_MEMORY = MNEME_MEMORY_INIT;
static const struct mneme_event NO_EVENT = MNEME_EVENT_INIT;
static const struct mneme_rule NO_RULE = MNEME_RULE_INIT;
static const struct mneme_task_state NO_TASK_STATE = MNEME_TASK_STATE_INIT;
static const struct mneme_edge NO_EDGE = MNEME_EDGE_INIT;
static const struct mneme_usage NO_USAGE = { .confidence = -1.0 };

/* What a line of one kind holds. */
struct shape {
    const char *name;
    enum mneme_record_kind kind;
    size_t place; /* of its pointer in struct mneme_record */
    const struct mn_fields *fields;
    const void *blank; /* its _INIT */
    size_t bytes;
    bool has_usage;
    bool has_vector;
    const char *told_by[4]; /* a line without a kind that has all of these is of this one */
};

#define SHAPE(member, KIND, fields_of, none)                                                       \
    .name = #member, .kind = MNEME_RECORD_##KIND, .place = offsetof(struct mneme_record, member),  \
    .fields = &(fields_of), .blank = &(none), .bytes = sizeof(none)

static const struct shape SHAPES[] = {
    { SHAPE(memory, MEMORY, mn_memory_fields, NO_MEMORY), .has_usage = true, .has_vector = true },
    { SHAPE(event, EVENT, mn_event_fields, NO_EVENT), .has_vector = true,
      .told_by = { "text", "session_id" } },
    { SHAPE(rule, RULE, mn_rule_fields, NO_RULE), .told_by = { "trigger_type" } },
    { SHAPE(task_state, TASK_STATE, mn_task_state_fields, NO_TASK_STATE),
      .told_by = { "state", "task_id" } },
    { SHAPE(edge, EDGE, mn_edge_fields, NO_EDGE), .told_by = { "source", "relation", "target" } },
    { SHAPE(usage, USAGE, mn_usage_key_fields, NO_USAGE), .has_usage = true },
};
#define SHAPE_COUNT (sizeof SHAPES / sizeof SHAPES[0])

union whole {
    struct mneme_memory memory;
    struct mneme_event event;
    struct mneme_rule rule;
    struct mneme_task_state task_state;
    struct mneme_edge edge;
    struct mneme_usage usage;
};

static const struct shape *shape_of_kind(enum mneme_record_kind kind)
{
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        if (SHAPES[i].kind == kind)
            return &SHAPES[i];
    }
    return NULL;
}

/* The struct of the record's own kind. Pointers of several types: copied as bytes. */
static const void *get_struct(const struct mneme_record *record, const struct shape *shape)
{
    const void *at;

    memcpy(&at, (const char *)record + shape->place, sizeof at);
    return at;
}

static void set_struct(struct mneme_record *record, const struct shape *shape, const void *at)
{
    memcpy((char *)record + shape->place, &at, sizeof at);
}

static bool usage_given(const struct mneme_usage *usage)
{
    for (size_t i = 0; usage && i < mn_usage_fields.count; i++) {
        if (mn_field_given(&mn_usage_fields.item[i], usage))
            return true;
    }
    return false;
}

static bool is_told_by(yyjson_val *object, const struct shape *shape)
{
    for (size_t i = 0; shape->told_by[i]; i++) {
        if (!yyjson_obj_get(object, shape->told_by[i]))
            return false;
    }
    return shape->told_by[0] != NULL;
}

static enum mneme_status shape_of(yyjson_val *object, const struct shape **ret_shape,
                                  struct mneme_error *err)
{
    yyjson_val *kind = yyjson_obj_get(object, "kind");

    if (kind && !yyjson_is_str(kind))
        return mn_fail(err, MNEME_INVALID, "kind: must be a text, not %s",
                       yyjson_get_type_desc(kind));
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        if (kind ? yyjson_equals_str(kind, SHAPES[i].name) : is_told_by(object, &SHAPES[i])) {
            *ret_shape = &SHAPES[i];
            return MNEME_OK;
        }
    }
    if (kind)
        return mn_fail(err, MNEME_INVALID,
                       "kind: '%.64s' is none of memory, event, rule, task_state, edge, usage",
                       yyjson_get_str(kind));
    *ret_shape = &SHAPES[0];
    return MNEME_OK;
}

/* ---- reading ---- */

static enum mneme_status check_known(yyjson_val *object, const struct shape *shape,
                                     struct mneme_error *err)
{
    const char *known[FIELDS_MAX] = { "kind" };
    size_t count = 1;

    for (size_t i = 0; i < shape->fields->count; i++)
        known[count++] = shape->fields->item[i].name;
    for (size_t i = 0; shape->has_usage && i < mn_usage_fields.count; i++)
        known[count++] = mn_usage_fields.item[i].name;
    if (shape->has_vector)
        known[count++] = "vector";
    known[count] = NULL;
    return mn_json_only(object, known, err);
}

/* `record` holds its _INIT; what the line does not give becomes "" or stays. */
static enum mneme_status read_fields(yyjson_val *object, const struct mn_fields *fields,
                                     struct mn_arena *arena, void *record, struct mneme_error *err)
{
    MN_TRY(mn_fields_copy(fields, record, arena, record, err));
    for (size_t i = 0; i < fields->count; i++) {
        const struct mn_field *field = &fields->item[i];

        MN_TRY(mn_field_read(object, field, arena, (char *)record + field->offset, err));
    }
    return mn_fields_check(fields, record, err);
}

static const char *default_of(const char *name, const struct mneme_memory *defaults)
{
    if (strcmp(name, "tenant_id") == 0)
        return defaults->tenant_id;
    if (strcmp(name, "user_id") == 0)
        return defaults->user_id;
    return defaults->agent_id;
}

/* Owner and agent that the line does not name at all are the reader's; named, even empty, they
 * stay. A rule's tenant is its memory's, never a default, which could be another. */
static enum mneme_status fill_defaults(yyjson_val *object, const struct mn_fields *fields,
                                       const struct mneme_memory *defaults, struct mn_arena *arena,
                                       void *record, struct mneme_error *err)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct mn_field *field = &fields->item[i];
        char *copy;

        if (!(field->flags & MN_FIELD_SHOWN) || yyjson_obj_get(object, field->name))
            continue;
        copy = mn_arena_copy(arena, default_of(field->name, defaults));
        if (!copy)
            return mn_fail_memory(err);
        *(const char **)((char *)record + field->offset) = copy;
    }
    return MNEME_OK;
}

static enum mneme_status read_vector(yyjson_val *object, struct mn_arena *arena,
                                     struct mneme_record *record, struct mneme_error *err)
{
    yyjson_val *value = yyjson_obj_get(object, "vector");
    size_t dim = yyjson_arr_size(value);
    yyjson_arr_iter iter;
    float *vector;

    if (!value || yyjson_is_null(value))
        return MNEME_OK;
    if (!yyjson_is_arr(value) || dim == 0)
        return mn_fail(err, MNEME_INVALID, "vector: must be a list of numbers");
    if (dim > VECTOR_DIM_MAX)
        return mn_fail(err, MNEME_LIMIT, "vector: %zu numbers, at most %d", dim, VECTOR_DIM_MAX);
    vector = mn_arena_array(arena, float, dim);
    if (!vector)
        return mn_fail_memory(err);
    iter = yyjson_arr_iter_with(value);
    for (size_t i = 0; i < dim; i++) {
        yyjson_val *number = yyjson_arr_iter_next(&iter);

        vector[i] = (float)yyjson_get_num(number);
        if (!yyjson_is_num(number) || !isfinite(vector[i]))
            return mn_fail(err, MNEME_INVALID, "vector[%zu]: must be a finite number", i);
    }
    record->vector = vector;
    record->vector_dim = dim;
    return MNEME_OK;
}

/* The usage in a memory's line: its tenant and id are the memory's. */
static enum mneme_status read_usage_beside(yyjson_val *object, struct mneme_parsed *parsed,
                                           struct mneme_error *err)
{
    struct mneme_usage *usage = mn_arena_one(parsed->arena, struct mneme_usage);

    if (!usage)
        return mn_fail_memory(err);
    *usage = NO_USAGE;
    MN_TRY(read_fields(object, &mn_usage_fields, parsed->arena, usage, err));
    usage->tenant_id = parsed->record.memory->tenant_id;
    usage->memory_id = parsed->record.memory->id;
    parsed->record.usage = usage_given(usage) ? usage : NULL;
    return MNEME_OK;
}

static enum mneme_status read_record(yyjson_val *object, const struct mneme_memory *defaults,
                                     struct mneme_parsed *parsed, struct mneme_error *err)
{
    const struct shape *shape = NULL;
    struct mn_arena *arena = parsed->arena;
    void *record;

    MN_TRY(shape_of(object, &shape, err));
    MN_TRY(check_known(object, shape, err));
    if (yyjson_equals_str(yyjson_obj_get(object, "id"), ""))
        return mn_fail(err, MNEME_INVALID, "id: is empty; leave it out for one to be made");
    record = mn_arena_alloc(arena, shape->bytes);
    if (!record)
        return mn_fail_memory(err);
    memcpy(record, shape->blank, shape->bytes);
    MN_TRY(read_fields(object, shape->fields, arena, record, err));
    MN_TRY(fill_defaults(object, shape->fields, defaults, arena, record, err));
    parsed->record.kind = shape->kind;
    set_struct(&parsed->record, shape, record);

    if (shape->has_vector)
        MN_TRY(read_vector(object, arena, &parsed->record, err));
    if (shape->kind == MNEME_RECORD_USAGE)
        return read_fields(object, &mn_usage_fields, arena, record, err);
    if (shape->has_usage)
        return read_usage_beside(object, parsed, err);
    return MNEME_OK;
}

enum mneme_status mneme_record_parse(const char *json, size_t json_bytes,
                                     const struct mneme_memory *defaults,
                                     struct mneme_parsed **ret_parsed, struct mneme_error *err)
{
    struct mneme_memory fallback = MNEME_MEMORY_INIT;
    PARSED_AUTO parsed = NULL;
    MN_JSON_AUTO doc = NULL;

    if (!ret_parsed || !json)
        return mn_fail(err, MNEME_INVALID, "%s: is NULL", json ? "ret_parsed" : "json");
    if (json_bytes > MNEME_LINE_BYTES_MAX)
        return mn_fail(err, MNEME_LIMIT, "record: %zu bytes, at most %d", json_bytes,
                       MNEME_LINE_BYTES_MAX);
    if (defaults)
        MN_TRY(mn_struct_take("memory", defaults, sizeof fallback, &fallback, err));
    MN_TRY(mn_json_parse("record", json, json_bytes, &doc, err));
    parsed = parsed_new(ARENA_BYTES_MIN + json_bytes * ARENA_BYTES_PER_BYTE);
    if (!parsed)
        return mn_fail_memory(err);
    MN_TRY(read_record(yyjson_doc_get_root(doc), &fallback, parsed, err));
    *ret_parsed = parsed;
    parsed = NULL;
    return MNEME_OK;
}

/* ---- copying ---- */

/* The record's struct in this version's size, and which shape it is of. */
static enum mneme_status take_struct(const struct mneme_record *record,
                                     const struct shape **ret_shape, union whole *ret_whole,
                                     struct mneme_error *err)
{
    const struct shape *shape = record ? shape_of_kind(record->kind) : NULL;
    const void *given;

    if (!shape)
        return mn_fail(err, MNEME_INVALID, "kind: of the record is not set");
    given = get_struct(record, shape);
    if (!given)
        return mn_fail(err, MNEME_INVALID, "kind: is %s, but the record has none", shape->name);
    memcpy(ret_whole, shape->blank, shape->bytes);
    *ret_shape = shape;
    if (shape->kind != MNEME_RECORD_USAGE)
        return mn_struct_take(shape->name, given, shape->bytes, ret_whole, err);
    ret_whole->usage = *record->usage; /* has no size of its own */
    return MNEME_OK;
}

enum mneme_status mn_parsed_of(const struct mneme_record *record, struct mneme_parsed **ret_parsed,
                               struct mneme_error *err)
{
    const struct shape *shape = NULL;
    union whole whole;
    PARSED_AUTO parsed = parsed_new(SIZE_MAX);
    struct mneme_usage *usage;
    void *copy;
    float *vector;

    MN_TRY(take_struct(record, &shape, &whole, err));
    copy = parsed ? mn_arena_alloc(parsed->arena, shape->bytes) : NULL;
    usage = parsed ? mn_arena_one(parsed->arena, struct mneme_usage) : NULL;
    if (!copy || !usage)
        return mn_fail_memory(err);
    memcpy(copy, &whole, shape->bytes);
    MN_TRY(mn_fields_copy(shape->fields, &whole, parsed->arena, copy, err));
    parsed->record.kind = shape->kind;
    set_struct(&parsed->record, shape, copy);

    if (shape->has_usage && shape->kind != MNEME_RECORD_USAGE && record->usage) {
        *usage = *record->usage;
        MN_TRY(mn_fields_copy(&mn_usage_key_fields, usage, parsed->arena, usage, err));
        parsed->record.usage = usage;
    }
    if (shape->has_vector && record->vector && record->vector_dim) {
        vector = mn_arena_array(parsed->arena, float, record->vector_dim);
        if (!vector)
            return mn_fail_memory(err);
        memcpy(vector, record->vector, record->vector_dim * sizeof *vector);
        parsed->record.vector = vector;
        parsed->record.vector_dim = record->vector_dim;
    }
    *ret_parsed = parsed;
    parsed = NULL;
    return MNEME_OK;
}

/* ---- writing ---- */

static enum mneme_status put_fields(struct mn_json_writer *w, const struct mn_fields *fields,
                                    const void *record, struct mneme_error *err)
{
    MN_TRY(mn_fields_check(fields, record, err));
    for (size_t i = 0; i < fields->count; i++) {
        const struct mn_field *field = &fields->item[i];

        if (!(field->flags & MN_FIELD_SHOWN) && !mn_field_given(field, record))
            continue;
        mn_json_key(w, field->name);
        mn_field_put(w, field, (const char *)record + field->offset);
    }
    return MNEME_OK;
}

static enum mneme_status put_vector(struct mn_json_writer *w, const struct mneme_record *record,
                                    struct mneme_error *err)
{
    if (!record->vector || record->vector_dim == 0)
        return MNEME_OK;
    if (record->vector_dim > VECTOR_DIM_MAX)
        return mn_fail(err, MNEME_LIMIT, "vector: %zu numbers, at most %d", record->vector_dim,
                       VECTOR_DIM_MAX);
    mn_json_key(w, "vector");
    mn_json_open(w, '[');
    for (size_t i = 0; i < record->vector_dim; i++) {
        if (!isfinite(record->vector[i]))
            return mn_fail(err, MNEME_INVALID, "vector[%zu]: must be a finite number", i);
        mn_field_put_single(w, record->vector[i]);
    }
    mn_json_close(w, ']');
    return MNEME_OK;
}

enum mneme_status mneme_record_print(const struct mneme_record *record, char **ret_json,
                                     struct mneme_error *err)
{
    const struct shape *shape = NULL;
    union whole whole;
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    if (!ret_json || !record)
        return mn_fail(err, MNEME_INVALID, "%s: is NULL", record ? "ret_json" : "record");
    MN_TRY(take_struct(record, &shape, &whole, err));
    mn_json_open(&w, '{');
    mn_json_field_text(&w, "kind", shape->name);
    MN_TRY(put_fields(&w, shape->fields, &whole, err));
    if (shape->has_usage && record->usage)
        MN_TRY(put_fields(&w, &mn_usage_fields, record->usage, err));
    if (shape->has_vector)
        MN_TRY(put_vector(&w, record, err));
    mn_json_close(&w, '}');
    if (out.failed)
        return mn_fail_memory(err);
    *ret_json = out.at;
    out = (struct mn_buf){ 0 };
    return MNEME_OK;
}
