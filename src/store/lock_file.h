/*
 * lock_file.h - whose turn it is to write, between processes.
 *
 * SQLite would let the second writer fail or wait by polling with growing pauses; here writers take
 * turns on a file of our own beside the store, in the order in which they ask, nearly. A process
 * that dies gives its turn back.
 */
#ifndef MN_STORE_LOCK_FILE_H
#define MN_STORE_LOCK_FILE_H

#include "base/err.h"

struct mn_lock_file {
    int fd; /* -1: not open */
};
#define MN_LOCK_FILE_NONE                                                                          \
    {                                                                                              \
        -1                                                                                         \
    }

/* Opens <store_path>.lock, making it with the permissions of the store when it is there. */
enum mneme_status mn_lock_file_open(const char *store_path, struct mn_lock_file *lock,
                                    struct mneme_error *err);
void mn_lock_file_close(struct mn_lock_file *lock);

/* MNEME_UNAVAILABLE when another process has kept its turn for wait_ms. */
enum mneme_status mn_lock_file_take(struct mn_lock_file *lock, int wait_ms,
                                    struct mneme_error *err);
void mn_lock_file_give(struct mn_lock_file *lock);

#endif
