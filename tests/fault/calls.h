/*
 * calls.h - every public call once, for loops in which something fails.
 */
#ifndef MN_FAULT_CALLS_H
#define MN_FAULT_CALLS_H

#include <mneme/mneme.h>

#include "fakes/store_folder.h"

#define FAULT_DIM 16 /* of the model, where a test gives one */

/* Given by the test: nothing fails between the two. */
long faults_pause(void);
void faults_resume(long paused);

extern struct store_folder fault_folder;
extern struct mneme *fault_handle;

struct fault_call {
    const char *name; /* the public functions in it */
    enum mneme_status (*call)(struct mneme_error *err);
};
extern const struct fault_call fault_calls[];
extern const size_t fault_call_count;

/* A store with three memories; `name` says whose folder it is. 0, or -1. */
int faults_set_up(const char *name);
int faults_tear_down(void);

#endif
