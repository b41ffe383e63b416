/*
 * file_reads.h - a read that the disk refuses is not taken for one that it did.
 *
 * The layer of SQLite that deciphers passes over a failed read, and what lay in memory is then taken for
 * the page: kept, answered with, merged into the file. So reads are looked at on their way from the
 * system. From a failed one on the thread writes nothing, until whoever asked has been told.
 */
#ifndef MN_STORE_FILE_READS_H
#define MN_STORE_FILE_READS_H

#include <stdbool.h>

/* Before the process's first connection; may be called again. */
void mn_file_reads_begin(void);
/* Has a read of this thread failed since this was asked last? */
bool mn_file_reads_failed(void);

#endif
