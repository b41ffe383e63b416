/*
 * handle.h - what a struct mneme is: the world, and what is freed with it.
 */
#ifndef MN_ENGINE_HANDLE_H
#define MN_ENGINE_HANDLE_H

#include <mneme/mneme.h>

#include "base/world.h"
#include "engine/journal.h"
#include "engine/tenants.h"
#include "lifecycle/compress.h"

struct mneme {
    struct mn_world world;
    struct mn_journal *journal;
    struct mn_tokens *tokens; /* the world's, owned */
    struct mneme_executor executor;
    char model_status[400];
    char extractor_status[400];
    struct mn_summarise extractor_missed; /* the world's, where one is meant and not there */
    char rerank_status[400];
    char *embedding_cache_path; /* the world's, owned */
    int read_only;
    int trace_days;
    _Atomic int64_t pruned_at_ms; /* when everything old was forgotten last */
    _Atomic int64_t archive_at_ms; /* when the archive was put in order last */
    _Atomic int64_t idle_at_ms;   /* when no job was due last */
    struct mn_tenants *tenants; /* NULL: all tenants are in one file. Else the world has no store */
    bool model_lent; /* with the tokens: another handle's */
    bool store_lent;
};

/* Opens the archive of the options, if there is one. */
enum mneme_status mn_engine_open_archive(struct mneme *handle, const struct mneme_options *options,
                                         struct mneme_error *err);

/* Files that wait to be removed from the archive. One that does not answer is asked again later. */
void mn_engine_settle_archive(struct mneme *handle, int64_t now_ms);

/* Opens the extractor of the options, if there is one. One that cannot be opened fails nothing: the status says why. */
void mn_engine_open_extractor(struct mneme *handle, const struct mneme_options *options);

/* lender, store: NULL, or whose model and tokens, and which store, the handle has on loan; it is closed
 * before them. */
enum mneme_status mn_handle_open(const struct mneme_options *options, struct mneme *lender,
                                 struct mn_store *store, struct mneme **ret_handle,
                                 struct mneme_error *err);

/* Memory a single call may use when the request says nothing. */
#define MN_CALL_BYTES_MAX ((size_t)64 << 20)

/* What a call cannot do without: MNEME_INVALID naming the argument. */
#define MN_CHECK_GIVEN(argument, name, err)                                                        \
    do {                                                                                           \
        if (!(argument))                                                                           \
            return mn_fail((err), MNEME_INVALID, "%s: is NULL", (name));                           \
    } while (0)

/* `value->size` must be set and not larger than ours: MNEME_INVALID naming the struct. */
#define MN_CHECK_SIZE(value, name, err)                                                            \
    do {                                                                                           \
        if (!(value))                                                                              \
            return mn_fail((err), MNEME_INVALID, "%s: is NULL", (name));                           \
        if ((value)->size == 0 || (value)->size > sizeof *(value))                                 \
            return mn_fail((err), MNEME_INVALID,                                                   \
                           "%s: its size is %zu, this library knows %zu; use the _INIT macro",     \
                           (name), (value)->size, sizeof *(value));                                \
    } while (0)

#endif
