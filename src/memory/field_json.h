/*
 * field_json.h - one field of a record, read from JSON and written as JSON.
 */
#ifndef MN_MEMORY_FIELD_JSON_H
#define MN_MEMORY_FIELD_JSON_H

#include "base/json.h"
#include "memory/fields.h"

/* The field of that name into `place`, where the record has it; absent, null and "" leave it as it
 * is. Only the shape is checked: see mn_fields_check(). */
enum mneme_status mn_field_read(yyjson_val *object, const struct mn_field *field,
                                struct mn_arena *arena, void *place, struct mneme_error *err);

/* The value at `place`, which was checked. */
void mn_field_put(struct mn_json_writer *w, const struct mn_field *field, const void *place);
void mn_field_put_single(struct mn_json_writer *w, float value); /* of a vector; finite */

#endif
