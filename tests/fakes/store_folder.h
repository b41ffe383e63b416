/*
 * store_folder.h - a temporary folder of a test's own, with a store in it.
 */
#ifndef MN_FAKES_STORE_FOLDER_H
#define MN_FAKES_STORE_FOLDER_H

#include <mneme/mneme.h>

struct store_folder {
    char path[64];
    char store[96]; /* in it; no file yet */
};

/* 0, or -1. `name` says whose it is. */
int store_folder_make(struct store_folder *folder, const char *name);
/* The store of the folder, made when it is not there, without a model and with estimated tokens; with
 * files for tenants where MN_TEST_PER_TENANT is in the environment. */
enum mneme_status store_folder_open(const struct store_folder *folder, struct mneme **ret_handle,
                                    struct mneme_error *err);
/* Keep all that is in it beside it, and have it so again, however often. No handle may be open on what
 * is in it. 0, or -1. */
int store_folder_keep(const struct store_folder *folder);
int store_folder_renew(const struct store_folder *folder);
/* With all that is in it, and with what was kept; 0, or -1. */
int store_folder_remove(const struct store_folder *folder);

#endif
