/*
 * part_file.h - a file that gets its name when it is whole.
 *
 * It is made beside the name that it is to have, private to the user, and synced to the disk before it
 * gets that name; so under that name there is never half a file. What is not kept goes.
 */
#ifndef MN_STORE_PART_FILE_H
#define MN_STORE_PART_FILE_H

#include "base/err.h"
#include "base/str.h"

struct mn_part_file {
    struct mn_buf path; /* empty: none */
    bool replaced;      /* it has taken another's place */
};
/* Also of SQLite's files beside it. */
void mn_part_file_remove(struct mn_part_file *part);
#define MN_PART_FILE_AUTO MN_CLEANUP(mn_part_file_remove) struct mn_part_file

/* An empty file path.part-XXXXXX. MNEME_NOT_FOUND, MNEME_FORBIDDEN, MNEME_UNAVAILABLE name `file`. */
enum mneme_status mn_part_file_begin(const char *path, struct mn_part_file *part,
                                     struct mneme_error *err);
/* Gives it the name, which nobody may have: else MNEME_CONFLICT. A log beside it: MNEME_UNAVAILABLE. */
enum mneme_status mn_part_file_keep(struct mn_part_file *part, const char *path,
                                    struct mneme_error *err);
/* On the disk, without a log beside it? */
enum mneme_status mn_part_file_sync(const struct mn_part_file *part, struct mneme_error *err);
/* Takes the place of the file of that name, which is gone; also when this fails, `replaced` tells. */
enum mneme_status mn_part_file_replace(struct mn_part_file *part, const char *path,
                                       struct mneme_error *err);

#endif
