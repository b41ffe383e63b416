/*
 * file_locks.h - locks on the store's files that no stray close() gives away.
 *
 * SQLite locks with POSIX locks, which belong to the process: when other code of the process opens
 * and closes the store's file (a backup, an upload, a hash), all of them are gone, and nobody is
 * told. Another process would then think itself alone when it closes the store: it merges the log
 * and removes it, and what this process writes from there on goes into a file without a name. Or it
 * would begin the log's index anew under our feet.
 *
 * So the locks that matter are locks of the open file description, which only their own descriptor
 * gives back. Those of the log's index are turned into such locks on their way to the system. That
 * somebody has the store open, which SQLite says by a shared lock on the file itself, is said once
 * more by a guard, one for each handle, on the same bytes.
 */
#ifndef MN_STORE_FILE_LOCKS_H
#define MN_STORE_FILE_LOCKS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* Before the process's first connection; may be called again. */
void mn_file_locks_begin(void);

struct mn_file_guard {
    int fd; /* -1: none */
    dev_t device;
    ino_t number; /* of the file that was opened */
};

/* The store is open already: SQLite's own lock is there. */
enum mneme_status mn_file_guard_open(const char *store_path, struct mn_file_guard *guard,
                                     struct mneme_error *err);
/* Is the file of that name still the one that was opened? Without a guard: yes. */
bool mn_file_guard_holds(const struct mn_file_guard *guard, const char *store_path);
/* Before the handle's last connection closes, which may be the last one of all. */
void mn_file_guard_yield(struct mn_file_guard *guard);
/* After it; with the lock file's turn in hand. May drop SQLite's locks of another handle of this
 * process: that one has its own guard. */
void mn_file_guard_close(struct mn_file_guard *guard);

#endif
