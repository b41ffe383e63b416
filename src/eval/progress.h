/*
 * progress.h - how far an evaluation has come, on one line of a terminal.
 */
#ifndef MN_EVAL_PROGRESS_H
#define MN_EVAL_PROGRESS_H

#include <stdio.h>

/* "\rqueries 50 of 200", now and then; the line ends with the last one. progress: NULL for none. */
void mn_progress_tell(FILE *progress, const char *what, size_t done, size_t count);

#endif
