/*
 * field_json.c - one field of a record as JSON, by its kind.
 *
 * Both directions in one place, so that each kind is printed as it is read. A number is printed with
 * the fewest digits that read back as the same one.
 */
#include "memory/field_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static enum mneme_status read_enum(yyjson_val *value, const struct mn_field *field, unsigned *ret,
                                   struct mneme_error *err)
{
    char known[160];
    unsigned found;

    if (!yyjson_is_str(value))
        return mn_fail(err, MNEME_INVALID, "%s: must be a text, not %s", field->name,
                       yyjson_get_type_desc(value));
    found = mn_names_find(field->names, yyjson_get_str(value));
    if (!found)
        return mn_fail(err, MNEME_INVALID, "%s: '%.64s' is none of %s", field->name,
                       yyjson_get_str(value), mn_names_list(field->names, known, sizeof known));
    *ret = found;
    return MNEME_OK;
}

static enum mneme_status read_off(yyjson_val *value, const struct mn_field *field, int *ret,
                                  struct mneme_error *err)
{
    if (!yyjson_equals_str(value, "active") && !yyjson_equals_str(value, "disabled"))
        return mn_fail(err, MNEME_INVALID, "%s: must be \"active\" or \"disabled\"", field->name);
    *ret = yyjson_equals_str(value, "disabled");
    return MNEME_OK;
}

static enum mneme_status read_second(yyjson_val *object, const char *name, int *changed,
                                     struct mneme_error *err)
{
    int given = 0;

    MN_TRY(mn_json_bool(object, name, &given, err));
    if (given)
        *changed = 2;
    return MNEME_OK;
}

static enum mneme_status read_pairs(yyjson_val *value, const struct mn_field *field,
                                    struct mn_arena *arena, struct mneme_pairs *ret,
                                    struct mneme_error *err)
{
    struct mneme_pair *item;
    size_t count = 0;
    yyjson_obj_iter iter;
    yyjson_val *key;

    if (!yyjson_is_obj(value))
        return mn_fail(err, MNEME_INVALID, "%s: must be an object of texts, not %s", field->name,
                       yyjson_get_type_desc(value));
    if (yyjson_obj_size(value) > MNEME_LIST_ITEMS_MAX)
        return mn_fail(err, MNEME_LIMIT, "%s: %zu items, at most %d", field->name,
                       yyjson_obj_size(value), MNEME_LIST_ITEMS_MAX);
    item = mn_arena_array(arena, struct mneme_pair, yyjson_obj_size(value));
    if (!item)
        return mn_fail_memory(err);
    iter = yyjson_obj_iter_with(value);
    while ((key = yyjson_obj_iter_next(&iter))) {
        yyjson_val *wanted = yyjson_obj_iter_get_val(key);

        if (!yyjson_is_str(wanted))
            return mn_fail(err, MNEME_INVALID, "%s: %.80s must be a text, not %s", field->name,
                           yyjson_get_str(key), yyjson_get_type_desc(wanted));
        item[count].name = mn_arena_copy(arena, yyjson_get_str(key));
        item[count].value = mn_arena_copy(arena, yyjson_get_str(wanted));
        if (!item[count].name || !item[count].value)
            return mn_fail_memory(err);
        count++;
    }
    *ret = (struct mneme_pairs){ item, count };
    return MNEME_OK;
}

enum mneme_status mn_field_read(yyjson_val *object, const struct mn_field *field,
                                struct mn_arena *arena, void *place, struct mneme_error *err)
{
    const char *name = field->name;
    yyjson_val *value = yyjson_obj_get(object, name);
    struct mneme_list *list = place;

    if (!value || yyjson_is_null(value) || yyjson_equals_str(value, ""))
        return MNEME_OK;
    switch (field->kind) {
    case MN_FIELD_ID:
    case MN_FIELD_TEXT:
    case MN_FIELD_HASH:
        return mn_json_text(object, name, field->limit ? field->limit : MNEME_NAME_BYTES_MAX, arena,
                            place, err);
    case MN_FIELD_OBJECT:
        return mn_json_object_text(object, name, field->limit, arena, place, err);
    case MN_FIELD_LIST:
        return mn_json_texts(object, name, MNEME_LIST_ITEMS_MAX, field->limit, arena, &list->item,
                             &list->count, err);
    case MN_FIELD_PAIRS:
        return read_pairs(value, field, arena, place, err);
    case MN_FIELD_ENUM:
        return read_enum(value, field, place, err);
    case MN_FIELD_SHARE:
        return mn_json_number(object, name, 0.0, 1.0, place, err);
    case MN_FIELD_TIME:
        return mn_json_time(object, name, place, err);
    case MN_FIELD_COUNT:
    case MN_FIELD_PLACE:
        return mn_json_integer(object, name, 0, INT64_MAX, place, err);
    case MN_FIELD_INTEGER:
        return mn_json_integer(object, name, INT64_MIN, INT64_MAX, place, err);
    case MN_FIELD_FLAG:
        return mn_json_bool(object, name, place, err);
    case MN_FIELD_SECOND:
        return read_second(object, name, place, err);
    case MN_FIELD_OFF:
        return read_off(value, field, place, err);
    case MN_FIELD_IGNORED:
        break;
    }
    return MNEME_OK;
}

/* ---- writing ---- */

/* The fewest of `digits`..17 significant digits that read back as the same number; -0 is 0, since it
 * would read back as a whole number, which has no sign then. */
static void put_real(struct mn_json_writer *w, double value, int digits, bool single)
{
    char text[32];
    char *comma;

    value += 0.0;
    for (; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, value);
        if (single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
            break;
    }
    comma = strchr(text, ','); /* the locale's point, for both of the above */
    if (comma)
        *comma = '.';
    mn_json_put_raw(w, text);
}

void mn_field_put_single(struct mn_json_writer *w, float value)
{
    put_real(w, (double)value, 9, true);
}

static void put_list(struct mn_json_writer *w, const struct mneme_list *list)
{
    mn_json_open(w, '[');
    for (size_t i = 0; i < list->count; i++)
        mn_json_put_text(w, list->item[i]);
    mn_json_close(w, ']');
}

static void put_pairs(struct mn_json_writer *w, const struct mneme_pairs *pairs)
{
    mn_json_open(w, '{');
    for (size_t i = 0; i < pairs->count; i++)
        mn_json_field_text(w, pairs->item[i].name, pairs->item[i].value);
    mn_json_close(w, '}');
}

/* One line whatever the caller's layout. */
static void put_object(struct mn_json_writer *w, const char *text)
{
    MN_JSON_AUTO doc = NULL;
    char *compact = NULL;

    if (mn_json_parse("object", text, strlen(text), &doc, NULL) == MNEME_OK)
        compact = yyjson_write(doc, YYJSON_WRITE_NOFLAG, NULL);
    if (compact)
        mn_json_put_raw(w, compact);
    else
        w->out->failed = true; /* no memory: it was checked before */
    free(compact);
}

void mn_field_put(struct mn_json_writer *w, const struct mn_field *field, const void *place)
{
    switch (field->kind) {
    case MN_FIELD_ID:
    case MN_FIELD_TEXT:
    case MN_FIELD_HASH:
        mn_json_put_text(w, *(const char *const *)place);
        break;
    case MN_FIELD_OBJECT:
        put_object(w, *(const char *const *)place);
        break;
    case MN_FIELD_LIST:
        put_list(w, place);
        break;
    case MN_FIELD_PAIRS:
        put_pairs(w, place);
        break;
    case MN_FIELD_ENUM:
        mn_json_put_text(w, mn_names_at(field->names, *(const unsigned *)place));
        break;
    case MN_FIELD_SHARE:
        put_real(w, *(const double *)place, 1, false);
        break;
    case MN_FIELD_TIME:
        mn_json_put_time(w, *(const int64_t *)place);
        break;
    case MN_FIELD_COUNT:
    case MN_FIELD_PLACE:
    case MN_FIELD_INTEGER:
        mn_json_put_integer(w, *(const int64_t *)place);
        break;
    case MN_FIELD_FLAG:
    case MN_FIELD_SECOND: /* printed where it is given alone */
        mn_json_put_bool(w, *(const int *)place != 0);
        break;
    case MN_FIELD_OFF:
        mn_json_put_text(w, *(const int *)place ? "disabled" : "active");
        break;
    case MN_FIELD_IGNORED:
        break;
    }
}
