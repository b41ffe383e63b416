/*
 * err.h - the one way to fail, inside.
 *
 * The message is made once, where the fault happens, by mn_fail(); above that it passes through
 * MN_TRY(). A message that begins with a name and a colon ("valid_until: not a date") also sets the
 * error's field to that name. `err` may be NULL everywhere.
 */
#ifndef MN_BASE_ERR_H
#define MN_BASE_ERR_H

#include <mneme/error.h>

enum mneme_status mn_fail(struct mneme_error *err, enum mneme_status status, const char *format,
                          ...)
    __attribute__((format(printf, 3, 4)));

/* The usual answer to an allocation that failed: MNEME_LIMIT, "memory: cannot allocate". */
enum mneme_status mn_fail_memory(struct mneme_error *err);

void mn_error_clear(struct mneme_error *err);

#define MN_TRY(call)                                                                               \
    do {                                                                                           \
        enum mneme_status mn_try_status_ = (call);                                                 \
        if (mn_try_status_ != MNEME_OK)                                                            \
            return mn_try_status_;                                                                 \
    } while (0)

#define MN_CLEANUP(function) __attribute__((cleanup(function)))

#endif
