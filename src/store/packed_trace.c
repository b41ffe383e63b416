/*
 * packed_trace.c - the function that statements read traces by.
 *
 * Rows from before traces were packed have their JSON, and nothing packed.
 */
#include "store/packed_trace.h"

#include <stdlib.h>

#include <sqlite3.h>

#include "base/pack.h"

#define JSON_BYTES_MAX ((size_t)256 << 20) /* as much as a request may use at all */

static void give_unpacked(sqlite3_context *context, struct mn_str packed)
{
    size_t bytes = 0;
    char *json;

    if (!mn_packed_says(packed, &bytes) || bytes > JSON_BYTES_MAX)
        return; /* NULL */
    json = malloc(bytes + 1);
    enum mneme_status status = json ? mn_unpack("trace", packed, json, bytes, NULL) : MNEME_LIMIT;
    if (status == MNEME_OK) {
        sqlite3_result_text64(context, json, bytes, free, SQLITE_UTF8);
        return;
    }
    free(json);
    if (status == MNEME_LIMIT)
        sqlite3_result_error_nomem(context);
}

static void trace_json(sqlite3_context *context, int count, sqlite3_value **value)
{
    struct mn_str packed;

    (void)count;
    if (sqlite3_value_type(value[1]) != SQLITE_BLOB) {
        sqlite3_result_value(context, value[0]);
        return;
    }
    packed.at = sqlite3_value_blob(value[1]);
    packed.bytes = (size_t)sqlite3_value_bytes(value[1]);
    give_unpacked(context, packed);
}

int mn_packed_trace_known(sqlite3 *handle)
{
    return sqlite3_create_function_v2(handle, "trace_json", 2,
                                      SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, NULL,
                                      trace_json, NULL, NULL, NULL);
}
