/*
 * time.c - the public call that reads an instant as people spell it.
 */
#include <mneme/memory.h>

#include "base/str.h"
#include "text/when.h"

enum mneme_status mneme_time_parse_spelled(const char *text, int64_t *ret_ms,
                                           struct mneme_error *err)
{
    if (!ret_ms)
        return mn_fail(err, MNEME_INVALID, "ret_ms: is NULL");
    return mn_when_parse_spelled(mn_or_empty(text), ret_ms, err);
}
