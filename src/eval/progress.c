/*
 * progress.c - said seldom, so that a terminal is no brake.
 */
#include "eval/progress.h"

#define PROGRESS_EVERY 50

void mn_progress_tell(FILE *progress, const char *what, size_t done, size_t count)
{
    if (progress && (done % PROGRESS_EVERY == 0 || done == count)) {
        fprintf(progress, "\r%s %zu of %zu%s", what, done, count, done == count ? "\n" : "");
        fflush(progress);
    }
}
