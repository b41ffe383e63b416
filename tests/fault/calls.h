/*
 * calls.h - every public call, for loops in which something fails.
 */
#ifndef MN_FAULT_CALLS_H
#define MN_FAULT_CALLS_H

#include <mneme/mneme.h>

#include <stdbool.h>

#include "fakes/store_folder.h"

#define FAULT_DIM 16 /* of the model, where a test gives one */
#define FAULT_NOW INT64_C(1790000000000)

/* Given by the test: nothing fails between the two. */
long faults_pause(void);
void faults_resume(long paused);

extern struct store_folder fault_folder;
extern struct mneme *fault_handle;

/* ---- the calls ---- */

struct fault_call {
    const char *name; /* the public functions in it */
    enum mneme_status (*call)(struct mneme_error *err);
};
struct fault_group {
    const char *name;
    const struct fault_call *calls;
    size_t count;
    bool opens; /* the calls open what they work on: to them no handle is one that has done it before */
};
extern const struct fault_group fault_files, fault_keys, fault_tenant_keys, fault_sweeps,
    fault_writing, fault_reading, fault_upkeep;
extern const struct fault_group *const fault_groups[]; /* all of them */
extern const size_t fault_group_count;

/* What calls need beforehand, with nothing failing: a memory as those of the store, for the caller to
 * change; one that is written; and the index brought up to date by a request, whose trace waits. */
struct mneme_memory faults_memory(const char *id, const char *content);
void faults_put(struct mneme *handle, const struct mneme_memory *memory);
void faults_catch_up(void);
struct mneme_answer *faults_answer(void); /* that request's, for the caller to free */
void faults_close_keyed(void); /* the stores that key_calls.c keeps open */

/* ---- the store ---- */

/* A store with three memories in which each call has been done once, on a new handle; `name` says whose
 * folder it is. And the same again, however often. 0, or -1. */
int faults_set_up(const char *name);
int faults_renew(void);
int faults_tear_down(void);

/* After failure `at` of the call `name`: the memories of the store are there; its file is sound. */
void faults_assert_kept(const char *name, long at);
void faults_assert_whole(const char *name, long at);

#endif
