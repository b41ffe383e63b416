/*
 * lines.h - files of JSON Lines, read line by line and written whole.
 */
#ifndef MN_EVAL_LINES_H
#define MN_EVAL_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/* Called once for each line that is not blank; `line` ends with NUL and lives during the call. */
typedef enum mneme_status (*mn_line_fn)(void *context, struct mn_str line,
                                        struct mneme_error *err);

/*
 * A failure of `line` ends the reading; the message then begins with the file's name and the line's
 * number. MNEME_NOT_FOUND: no such file (MNEME_OK and no call unless `must_exist`).
 */
enum mneme_status mn_lines_read(const char *path, bool must_exist, mn_line_fn line, void *context,
                                struct mneme_error *err);

/* MNEME_UNAVAILABLE: it cannot be written; what is there then is not whole. */
enum mneme_status mn_lines_write(const char *path, const struct mn_buf *lines,
                                 struct mneme_error *err);

#endif
