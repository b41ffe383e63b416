/*
 * json.c - JSON at the edges: refused early, read by name. It is written by json_write.c.
 *
 * yyjson parses without recursion and strictly (UTF-8, no comments, nothing behind the root), but
 * leaves three things to its caller that RFC 8259 leaves open: how deep values nest, keys given
 * twice, and NUL inside texts. One walk over the finished document refuses them, so that what comes
 * after may recurse, look up by name and use C strings.
 *
 * Keys of an object are compared in sorted order: two by two, an object of a million keys would
 * cost a million squared.
 */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_number.h"

#define KEYS_COMPARED_IN_PAIRS 16

/* ---- the document ---- */

static enum mneme_status fail_twice(const char *key, struct mneme_error *err)
{
    return mn_fail(err, MNEME_INVALID, "%.80s: given twice in one object", key);
}

static int compare_keys(const void *a, const void *b)
{
    yyjson_val *left = *(yyjson_val *const *)a;
    yyjson_val *right = *(yyjson_val *const *)b;
    size_t left_bytes = yyjson_get_len(left);
    size_t right_bytes = yyjson_get_len(right);

    if (left_bytes != right_bytes)
        return left_bytes < right_bytes ? -1 : 1;
    return memcmp(yyjson_get_str(left), yyjson_get_str(right), left_bytes);
}

static enum mneme_status check_keys_in(yyjson_val **key, yyjson_val *object,
                                       struct mneme_error *err)
{
    size_t count = 0;
    yyjson_obj_iter iter = yyjson_obj_iter_with(object);
    yyjson_val *next;

    while ((next = yyjson_obj_iter_next(&iter)))
        key[count++] = next;
    if (count <= KEYS_COMPARED_IN_PAIRS) {
        for (size_t i = 1; i < count; i++) {
            for (size_t j = 0; j < i; j++) {
                if (compare_keys(&key[i], &key[j]) == 0)
                    return fail_twice(yyjson_get_str(key[i]), err);
            }
        }
        return MNEME_OK;
    }
    qsort(key, count, sizeof *key, compare_keys);
    for (size_t i = 1; i < count; i++) {
        if (compare_keys(&key[i], &key[i - 1]) == 0)
            return fail_twice(yyjson_get_str(key[i]), err);
    }
    return MNEME_OK;
}

static enum mneme_status check_keys(yyjson_val *object, struct mneme_error *err)
{
    yyjson_val *few[KEYS_COMPARED_IN_PAIRS];
    yyjson_val **many;
    enum mneme_status status;

    if (yyjson_obj_size(object) <= KEYS_COMPARED_IN_PAIRS)
        return check_keys_in(few, object, err);
    many = malloc(yyjson_obj_size(object) * sizeof(yyjson_val *));
    if (!many)
        return mn_fail_memory(err);
    status = check_keys_in(many, object, err);
    free(many);
    return status;
}

static bool has_nul(yyjson_val *text)
{
    return memchr(yyjson_get_str(text), '\0', yyjson_get_len(text)) != NULL;
}

/* A container being walked; `key` names what its values belong to, "" in a list of the root. */
struct level {
    yyjson_arr_iter array;
    yyjson_obj_iter object;
    bool is_object;
    const char *key;
};

static void enter(struct level *level, yyjson_val *container, const char *key)
{
    level->is_object = yyjson_is_obj(container);
    level->key = key;
    if (level->is_object)
        (void)yyjson_obj_iter_init(container, &level->object);
    else
        (void)yyjson_arr_iter_init(container, &level->array);
}

/* The next value of a container, or NULL at its end; *ret_key its name. */
static enum mneme_status next_value(struct level *level, yyjson_val **ret_value,
                                    const char **ret_key, struct mneme_error *err)
{
    yyjson_val *key;

    *ret_key = level->key;
    if (!level->is_object) {
        *ret_value = yyjson_arr_iter_next(&level->array);
        return MNEME_OK;
    }
    key = yyjson_obj_iter_next(&level->object);
    *ret_value = key ? yyjson_obj_iter_get_val(key) : NULL;
    if (key && has_nul(key))
        return mn_fail(err, MNEME_INVALID, "%.80s: the name holds a NUL", yyjson_get_str(key));
    if (key)
        *ret_key = yyjson_get_str(key);
    return MNEME_OK;
}

static enum mneme_status check(const char *name, yyjson_val *root, struct mneme_error *err)
{
    struct level level[MN_JSON_DEPTH_MAX];
    int depth = 1;

    MN_TRY(check_keys(root, err));
    enter(&level[0], root, name);
    while (depth > 0) {
        const char *key;
        yyjson_val *value;

        MN_TRY(next_value(&level[depth - 1], &value, &key, err));
        if (!value) {
            depth--;
            continue;
        }
        if (yyjson_is_str(value) && has_nul(value))
            return mn_fail(err, MNEME_INVALID, "%.80s: holds a NUL", key);
        if (!yyjson_is_ctn(value))
            continue;
        if (depth == MN_JSON_DEPTH_MAX)
            return mn_fail(err, MNEME_LIMIT, "%.80s: nested deeper than %d levels", name,
                           MN_JSON_DEPTH_MAX);
        if (yyjson_is_obj(value))
            MN_TRY(check_keys(value, err));
        enter(&level[depth++], value, key);
    }
    return MNEME_OK;
}

enum mneme_status mn_json_parse(const char *name, const char *text, size_t bytes,
                                yyjson_doc **ret_doc, struct mneme_error *err)
{
    return mn_json_parse_within(name, text, bytes, MN_JSON_BYTES_MAX, ret_doc, err);
}

enum mneme_status mn_json_parse_within(const char *name, const char *text, size_t bytes,
                                       size_t bytes_max, yyjson_doc **ret_doc,
                                       struct mneme_error *err)
{
    MN_JSON_AUTO doc = NULL;
    yyjson_read_err fault;

    if (!text || bytes == 0)
        return mn_fail(err, MNEME_INVALID, "%s: empty, expected a JSON object", name);
    if (bytes > bytes_max)
        return mn_fail(err, MNEME_LIMIT, "%s: %zu bytes, at most %zu", name, bytes, bytes_max);
    /* without YYJSON_READ_INSITU the text is only read; the parameter is not const for its sake */
    doc = yyjson_read_opts((char *)(uintptr_t)text, bytes, YYJSON_READ_NOFLAG, NULL, &fault);
    if (!doc && fault.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION)
        return mn_fail_memory(err);
    if (!doc)
        return mn_fail(err, MNEME_INVALID, "%s: not JSON: %s at byte %zu", name, fault.msg,
                       fault.pos);
    if (!yyjson_is_obj(yyjson_doc_get_root(doc)))
        return mn_fail(err, MNEME_INVALID, "%s: must be a JSON object, not %s", name,
                       yyjson_get_type_desc(yyjson_doc_get_root(doc)));
    MN_TRY(check(name, yyjson_doc_get_root(doc), err));
    *ret_doc = doc;
    doc = NULL;
    return MNEME_OK;
}

void mn_json_free(yyjson_doc **doc)
{
    yyjson_doc_free(*doc);
    *doc = NULL;
}

/* ---- fields ---- */

/* NULL when absent or null. */
static yyjson_val *field_of(yyjson_val *object, const char *field)
{
    yyjson_val *value = yyjson_obj_get(object, field);

    return yyjson_is_null(value) ? NULL : value;
}

static enum mneme_status fail_type(const char *field, const char *wanted, yyjson_val *value,
                                   struct mneme_error *err)
{
    return mn_fail(err, MNEME_INVALID, "%s: must be %s, not %s", field, wanted,
                   yyjson_get_type_desc(value));
}

/* A text value that may become a C string. */
static enum mneme_status check_text(const char *field, yyjson_val *value, size_t bytes_max,
                                    struct mneme_error *err)
{
    if (!yyjson_is_str(value))
        return fail_type(field, "a text", value, err);
    if (yyjson_get_len(value) > bytes_max)
        return mn_fail(err, MNEME_LIMIT, "%s: %zu bytes, at most %zu", field, yyjson_get_len(value),
                       bytes_max);
    if (has_nul(value))
        return mn_fail(err, MNEME_INVALID, "%s: holds a NUL", field);
    return MNEME_OK;
}

enum mneme_status mn_json_text(yyjson_val *object, const char *field, size_t bytes_max,
                               struct mn_arena *arena, const char **ret, struct mneme_error *err)
{
    yyjson_val *value = field_of(object, field);
    char *copy;

    if (!value)
        return MNEME_OK;
    MN_TRY(check_text(field, value, bytes_max, err));
    copy = mn_arena_copy_n(arena, yyjson_get_str(value), yyjson_get_len(value));
    if (!copy)
        return mn_fail_memory(err);
    *ret = copy;
    return MNEME_OK;
}

enum mneme_status mn_json_number(yyjson_val *object, const char *field, double low, double high,
                                 double *ret, struct mneme_error *err)
{
    yyjson_val *value = field_of(object, field);
    char low_text[MN_JSON_NUMBER_BYTES];
    char high_text[MN_JSON_NUMBER_BYTES];
    double number;

    if (!value)
        return MNEME_OK;
    if (!yyjson_is_num(value))
        return fail_type(field, "a number", value, err);
    number = yyjson_get_num(value);
    if (!(number >= low && number <= high)) {
        mn_json_print_number(low, 6, low_text);
        mn_json_print_number(high, 6, high_text);
        return mn_fail(err, MNEME_INVALID, "%s: must be from %.40s to %.40s", field, low_text,
                       high_text);
    }
    *ret = number;
    return MNEME_OK;
}

/* Whole numbers in any spelling: 3, 3.0, 3e0. */
static bool whole(yyjson_val *value, int64_t *ret)
{
    double real = yyjson_get_real(value);

    if (yyjson_is_sint(value)) {
        *ret = yyjson_get_sint(value);
        return true;
    }
    if (yyjson_is_uint(value)) {
        *ret = (int64_t)yyjson_get_uint(value);
        return yyjson_get_uint(value) <= INT64_MAX;
    }
    if (!yyjson_is_real(value) || !(fabs(real) <= 9007199254740992.0) || real != trunc(real))
        return false;
    *ret = (int64_t)real;
    return true;
}

enum mneme_status mn_json_integer(yyjson_val *object, const char *field, int64_t low, int64_t high,
                                  int64_t *ret, struct mneme_error *err)
{
    yyjson_val *value = field_of(object, field);
    int64_t integer = 0;

    if (!value)
        return MNEME_OK;
    if (!yyjson_is_num(value))
        return fail_type(field, "a whole number", value, err);
    if (!whole(value, &integer) || integer < low || integer > high)
        return mn_fail(err, MNEME_INVALID,
                       "%s: must be a whole number from %" PRId64 " to %" PRId64, field, low, high);
    *ret = integer;
    return MNEME_OK;
}

enum mneme_status mn_json_bool(yyjson_val *object, const char *field, int *ret,
                               struct mneme_error *err)
{
    yyjson_val *value = field_of(object, field);

    if (!value)
        return MNEME_OK;
    if (!yyjson_is_bool(value))
        return fail_type(field, "true or false", value, err);
    *ret = yyjson_get_bool(value);
    return MNEME_OK;
}

enum mneme_status mn_json_time(yyjson_val *object, const char *field, int64_t *ret_ms,
                               struct mneme_error *err)
{
    yyjson_val *value = field_of(object, field);

    if (!value)
        return MNEME_OK;
    if (!yyjson_is_str(value))
        return fail_type(field, "a time as text", value, err);
    if (has_nul(value))
        return mn_fail(err, MNEME_INVALID, "%s: holds a NUL", field);
    return mn_time_parse(field, yyjson_get_str(value), ret_ms, err);
}

enum mneme_status mn_json_texts(yyjson_val *object, const char *field, size_t items_max,
                                size_t bytes_max, struct mn_arena *arena,
                                const char *const **ret_item, size_t *ret_count,
                                struct mneme_error *err)
{
    yyjson_val *value = field_of(object, field);
    const char **item;
    size_t count = 0;
    yyjson_arr_iter iter;
    yyjson_val *next;

    if (!value)
        return MNEME_OK;
    if (!yyjson_is_arr(value))
        return fail_type(field, "a list of texts", value, err);
    if (yyjson_arr_size(value) > items_max)
        return mn_fail(err, MNEME_LIMIT, "%s: %zu items, at most %zu", field,
                       yyjson_arr_size(value), items_max);
    item = mn_arena_array(arena, const char *, yyjson_arr_size(value));
    if (!item)
        return mn_fail_memory(err);
    iter = yyjson_arr_iter_with(value);
    while ((next = yyjson_arr_iter_next(&iter))) {
        char name[sizeof err->field];

        (void)snprintf(name, sizeof name, "%.40s[%zu]", field, count);
        MN_TRY(check_text(name, next, bytes_max, err));
        item[count] = mn_arena_copy_n(arena, yyjson_get_str(next), yyjson_get_len(next));
        if (!item[count++])
            return mn_fail_memory(err);
    }
    *ret_item = item;
    *ret_count = count;
    return MNEME_OK;
}

enum mneme_status mn_json_object_text(yyjson_val *object, const char *field, size_t bytes_max,
                                      struct mn_arena *arena, const char **ret,
                                      struct mneme_error *err)
{
    yyjson_val *value = field_of(object, field);
    yyjson_write_err fault;
    size_t bytes = 0;
    char *text;
    char *copy;

    if (!value)
        return MNEME_OK;
    if (!yyjson_is_obj(value))
        return fail_type(field, "an object", value, err);
    text = yyjson_val_write_opts(value, YYJSON_WRITE_NOFLAG, NULL, &bytes, &fault);
    if (!text && fault.code == YYJSON_WRITE_ERROR_MEMORY_ALLOCATION)
        return mn_fail_memory(err);
    if (!text)
        return mn_fail(err, MNEME_INVALID, "%s: cannot be written back: %s", field, fault.msg);
    if (bytes > bytes_max) {
        free(text);
        return mn_fail(err, MNEME_LIMIT, "%s: %zu bytes, at most %zu", field, bytes, bytes_max);
    }
    copy = mn_arena_copy_n(arena, text, bytes);
    free(text);
    if (!copy)
        return mn_fail_memory(err);
    *ret = copy;
    return MNEME_OK;
}

enum mneme_status mn_json_only(yyjson_val *object, const char *const *known,
                               struct mneme_error *err)
{
    yyjson_obj_iter iter = yyjson_obj_iter_with(object);
    yyjson_val *key;

    while ((key = yyjson_obj_iter_next(&iter))) {
        size_t i = 0;

        while (known[i] && !yyjson_equals_str(key, known[i]))
            i++;
        if (!known[i])
            return mn_fail(err, MNEME_INVALID, "%.80s: not a known field", yyjson_get_str(key));
    }
    return MNEME_OK;
}

/* ---- texts in a text ---- */

static struct mn_str unescaped(struct mn_str string, struct mn_buf *room)
{
    /* with the quotes around it, it is a whole document */
    MN_JSON_AUTO doc = yyjson_read(string.at - 1, string.bytes + 2, 0);
    yyjson_val *value = yyjson_doc_get_root(doc);

    mn_buf_reset(room);
    if (!yyjson_is_str(value)) {
        room->failed = true;
        return string;
    }
    mn_buf_put(room, yyjson_get_str(value), yyjson_get_len(value));
    return room->failed ? string : (struct mn_str){ mn_or_empty(room->at), room->bytes };
}

bool mn_json_next_string(struct mn_str json, size_t *at, struct mn_buf *room,
                         struct mn_str *ret_string)
{
    struct mn_str string;
    size_t i = *at;

    while (i < json.bytes && json.at[i] != '"')
        i++;
    if (i >= json.bytes)
        return false;
    string.at = json.at + ++i;
    while (i < json.bytes && json.at[i] != '"')
        i += json.at[i] == '\\' ? 2 : 1;
    if (i >= json.bytes)
        return false;
    string.bytes = (size_t)(json.at + i - string.at);
    *at = i + 1;
    *ret_string =
        memchr(string.at, '\\', string.bytes) ? unescaped(string, room) : string;
    return true;
}
