/*
 * scratch.c - temporary stores.
 */
#include "eval/scratch.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

#define RECORDS_AT_ONCE 256
#define FOLDERS_MAX 8
#define FOLDER_BYTES sizeof(((struct mn_scratch *)NULL)->folder)

/* The folders that are there, for the handler of signals. A place is free while its first byte is 0:
 * written last and cleared first, so that the handler never sees half a name. */
static char folders[FOLDERS_MAX][FOLDER_BYTES];

static void note_folder(const char *folder)
{
    for (size_t i = 0; i < FOLDERS_MAX; i++) {
        volatile char *first = &folders[i][0];

        if (*first)
            continue;
        strcpy(folders[i] + 1, folder + 1);
        *first = folder[0];
        return;
    }
}

static void forget_folder(const char *folder)
{
    for (size_t i = 0; i < FOLDERS_MAX; i++)
        if (!strcmp(folders[i], folder))
            *(volatile char *)&folders[i][0] = '\0';
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    (void)kind;
    (void)place;
    remove(path); /* what cannot be removed is left to the system's cleaning of its folder */
    return 0;
}

void mn_scratch_close(struct mn_scratch *scratch)
{
    mneme_close(scratch->handle);
    scratch->handle = NULL;
    if (scratch->folder[0]) {
        nftw(scratch->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
        forget_folder(scratch->folder);
    }
    scratch->folder[0] = '\0';
}

/* Calls nothing but what may be called in a handler: the files are known by name. */
static void remove_and_die(int number)
{
    static const char *const names[] = { "/store.mneme", "/store.mneme-wal", "/store.mneme-shm",
                                         "/store.mneme-journal", "/store.mneme.lock", "/vectors" };
    char path[FOLDER_BYTES + 32];

    for (size_t i = 0; i < FOLDERS_MAX; i++) {
        if (!folders[i][0])
            continue;
        for (size_t j = 0; j < sizeof names / sizeof *names; j++) {
            strcpy(path, folders[i]);
            strcat(path, names[j]);
            unlink(path);
        }
        rmdir(folders[i]);
    }
    signal(number, SIG_DFL);
    raise(number);
}

void mn_scratch_heed_signals(void)
{
    signal(SIGINT, remove_and_die);
    signal(SIGTERM, remove_and_die);
    signal(SIGHUP, remove_and_die);
}

static enum mneme_status make_folder(struct mn_scratch *scratch, struct mneme_error *err)
{
    const char *under = getenv("TMPDIR");
    int bytes = snprintf(scratch->folder, sizeof scratch->folder, "%s/mneme-eval-XXXXXX",
                         mn_empty(under) ? "/tmp" : under);

    if (bytes < 0 || (size_t)bytes >= sizeof scratch->folder || !mkdtemp(scratch->folder)) {
        scratch->folder[0] = '\0';
        return mn_fail(err, MNEME_UNAVAILABLE, "no temporary folder can be made under %s: %s",
                       mn_empty(under) ? "/tmp" : under, strerror(errno));
    }
    note_folder(scratch->folder);
    return MNEME_OK;
}

enum mneme_status mn_scratch_open(const struct mn_eval_setup *setup, struct mn_scratch *ret_scratch,
                                  struct mneme_error *err)
{
    MN_SCRATCH_AUTO scratch = { 0 };
    struct mneme_options options = MNEME_OPTIONS_INIT;
    char path[sizeof scratch.folder + 16];

    MN_TRY(make_folder(&scratch, err));
    snprintf(path, sizeof path, "%s/store.mneme", scratch.folder);
    options.store_path = path;
    options.create = 1;
    options.model_path = setup->model_path;
    options.profile_path = setup->profile_path;
    options.model_key = setup->model_key;
    options.rerank_path = setup->rerank_path;
    options.rerank_key = setup->rerank_key;
    options.rerank_model = setup->rerank_model;
    options.tokenizer = setup->tokenizer;
    options.embedding_cache_path = setup->cache_path;
    MN_TRY(mneme_open(&options, &scratch.handle, err));
    *ret_scratch = scratch;
    scratch = (struct mn_scratch){ 0 };
    return MNEME_OK;
}

enum mneme_status mn_scratch_load(struct mn_scratch *scratch, const struct mneme_record *records,
                                  size_t count, struct mneme_error *err)
{
    struct mneme_change change = MNEME_CHANGE_INIT;

    change.actor = "eval";
    change.admin = 1;
    change.allow_secrets = 1;
    for (size_t at = 0; at < count; at += RECORDS_AT_ONCE) {
        size_t some = count - at < RECORDS_AT_ONCE ? count - at : RECORDS_AT_ONCE;

        MN_TRY(mneme_write(scratch->handle, records + at, some, &change, NULL, NULL, err));
    }
    return MNEME_OK;
}
