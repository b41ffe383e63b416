/*
 * mneme.c - the library's door: opening, closing, asking, and what may wait.
 *
 * Here the world is put together: store, index, model, tokens, clock. A model that cannot be had does
 * not keep the store shut; the handle remembers why, and every trace says so.
 */
#include "engine/handle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "index/index.h"
#include "lifecycle/archive.h"
#include "lifecycle/jobs.h"
#include "model/chat.h"
#include "model/model.h"
#include "model/model_cache.h"
#include "model/recent.h"
#include "remember/remember.h"
#include "model/rerank.h"
#include "retrieve/retrieve.h"
#include "search/search.h"
#include "store/store.h"
#include "text/tokens.h"

#define INDEX_BYTES_MAX ((size_t)1 << 30)
#define PROFILE_BYTES_MAX ((size_t)1 << 20)
#define PRUNE_EVERY_MS 600000
#define PRUNE_ROWS 5000
#define SEGMENTS_AT_CLOSE 2 /* a request's own partition and the shared one */
#define LOOK_EVERY_MS 60000

/* ---- opening ---- */

static enum mneme_status check_options(struct mneme *handle, const struct mneme_options *options,
                                       struct mneme_error *err)
{
    if (mn_empty(options->store_path))
        return mn_fail(err, MNEME_INVALID, "store_path: is empty");
    if (!options->key != !options->key_bytes)
        return mn_fail(err, MNEME_INVALID, "key: its bytes and their number go together");
    handle->read_only = options->read_only;
    if (options->trace_days < 0 || options->trace_days > 36500)
        return mn_fail(err, MNEME_INVALID, "trace_days: %d, must be 0 to 36500",
                       options->trace_days);
    handle->trace_days = options->trace_days;
    return MNEME_OK;
}

static enum mneme_status open_store(struct mneme *handle, const struct mneme_options *options,
                                    struct mneme_error *err)
{
    struct mn_store_options store = {
        .path = options->store_path,
        .create = options->create,
        .read_only = options->read_only,
        .key = options->key,
        .key_bytes = options->key_bytes,
    };

    return mn_store_sqlite_open(&store, &handle->world.store, err);
}

/* The profile's text; *ret_json is malloc'd, NULL when the built-in one is meant. */
static enum mneme_status read_profile(const char *path, char **ret_json, struct mneme_error *err)
{
    MN_BUF_AUTO text = { 0 };
    char chunk[8192];
    size_t got;

    if (mn_empty(path)) {
        *ret_json = NULL;
        return MNEME_OK;
    }
    FILE *file = fopen(path, "rb");
    if (!file)
        return mn_fail(err, MNEME_NOT_FOUND, "profile_path: cannot read %s", path);
    while (text.bytes <= PROFILE_BYTES_MAX && (got = fread(chunk, 1, sizeof chunk, file)) > 0)
        mn_buf_put(&text, chunk, got);
    int failed = ferror(file);
    fclose(file);
    if (failed)
        return mn_fail(err, MNEME_UNAVAILABLE, "profile_path: reading %s failed", path);
    if (text.failed)
        return mn_fail_memory(err);
    if (text.bytes > PROFILE_BYTES_MAX)
        return mn_fail(err, MNEME_LIMIT, "profile_path: %s has more than %zu bytes", path,
                       PROFILE_BYTES_MAX);
    *ret_json = text.at ? text.at : strdup("");
    text = (struct mn_buf){ 0 };
    return *ret_json ? MNEME_OK : mn_fail_memory(err);
}

/* Vectors that were made before are read from a file, where one is asked for. */
static enum mneme_status open_model_cache(struct mneme *handle, const char *path,
                                          struct mneme_error *err)
{
    if (mn_empty(path))
        return MNEME_OK;
    handle->embedding_cache_path = strdup(path);
    if (!handle->embedding_cache_path)
        return mn_fail_memory(err);
    handle->world.embedding_cache_path = handle->embedding_cache_path;
    if (!handle->world.model)
        return MNEME_OK;
    return mn_model_cache_new(handle->world.model, path, &handle->world.model, err);
}

static enum mneme_status new_model(const struct mneme_options *options, const char *profile,
                                   struct mn_model **ret_model, struct mneme_error *err)
{
    if (mn_model_is_url(options->model_path))
        return mn_model_http_new(options->model_path, options->model_key, profile, ret_model, err);
    return mn_model_llama_new(options->model_path, profile, ret_model, err);
}

/* Without a model the handle works, and says why there is none. */
static enum mneme_status open_model(struct mneme *handle, const struct mneme_options *options,
                                    struct mneme_error *err)
{
    struct mneme_error failed;
    char *profile = NULL;

    mn_error_clear(&failed);
    if (mn_empty(options->model_path) || !strcmp(options->model_path, "none")) {
        strcpy(handle->model_status, "model: none is configured");
    } else if (read_profile(options->profile_path, &profile, &failed) != MNEME_OK ||
               new_model(options, profile, &handle->world.model, &failed) != MNEME_OK) {
        memcpy(handle->model_status, failed.message, sizeof handle->model_status);
        handle->world.model = NULL;
        handle->world.model_given = true;
    }
    free(profile);
    handle->world.model_status = handle->model_status;
    return open_model_cache(handle, options->embedding_cache_path, err);
}

/* One that cannot be opened fails nothing: the order stays as ranked, and each trace says why. */
static enum mneme_status open_reranker(struct mneme *handle, const struct mneme_options *options,
                                       struct mneme_error *err)
{
    const char *path = options->rerank_path;
    struct mneme_error failed;
    enum mneme_status status;
    const char *why;

    handle->world.rerank_status = handle->rerank_status;
    handle->world.rerank_count = options->rerank_count;
    handle->world.rerank_timeout_ms = options->rerank_timeout_ms;
    if (mn_empty(path) || !strcmp(path, "none"))
        return MNEME_OK;
    handle->world.rerank_cache = mn_rerank_cache_new();
    if (!handle->world.rerank_cache)
        return mn_fail_memory(err);
    mn_error_clear(&failed);
    status = mn_model_is_url(path)
                 ? mn_reranker_http_new(path, options->rerank_key, options->rerank_model,
                                        &handle->world.reranker, &failed)
                 : mn_reranker_llama_new(path, &handle->world.reranker, &failed);
    if (status != MNEME_OK) {
        handle->world.reranker = NULL;
        why = strstr(failed.message, ": "); /* it begins with the field, which is another here */
        snprintf(handle->rerank_status, sizeof handle->rerank_status, "rerank: %.380s",
                 why ? why + 2 : failed.message);
    }
    return MNEME_OK;
}

static enum mneme_status open_index(struct mneme *handle, const struct mneme_options *options,
                                    struct mneme_error *err)
{
    const struct mn_model_profile *profile =
        handle->world.model ? &handle->world.model->profile : NULL;
    struct mn_space space = { 0 };

    if (profile) {
        space.dim = profile->dim;
        space.own_mean_share = profile->own_mean_share;
        space.partition_k = profile->partition_k;
        for (int language = 0; language < MN_LANGUAGE_COUNT; language++) {
            space.request_mean[language] = profile->request_mean[language];
            space.passage_mean[language] = profile->passage_mean[language];
        }
    }
    handle->world.index = mn_index_new();
    handle->world.recent = mn_recent_new(); /* each tenant's file has its own */
    if (!handle->world.index || !handle->world.recent)
        return mn_fail_memory(err);
    return mn_search_memory_new(&space,
                                options->index_bytes_max ? options->index_bytes_max
                                                         : INDEX_BYTES_MAX,
                                &handle->world.search, err);
}

static enum mneme_status open_own(struct mneme *handle, const struct mneme_options *options,
                                  struct mneme_error *err)
{
    MN_TRY(mn_tokens_new(mn_empty(options->tokenizer) ? "o200k" : options->tokenizer,
                         &handle->tokens, err));
    handle->world.tokens = handle->tokens;
    mn_engine_open_extractor(handle, options);
    MN_TRY(mn_engine_open_archive(handle, options, err));
    MN_TRY(open_reranker(handle, options, err));
    return open_model(handle, options, err);
}

static void borrow(struct mneme *handle, const struct mneme *lender)
{
    handle->model_lent = true;
    handle->world.tokens = lender->world.tokens;
    handle->world.model = lender->world.model;
    handle->world.model_given = lender->world.model_given;
    handle->world.chat = lender->world.chat;
    handle->world.summarise = lender->world.summarise;
    handle->world.archive = lender->world.archive;
    handle->world.reranker = lender->world.reranker;
    handle->world.rerank_cache = lender->world.rerank_cache;
    handle->world.rerank_status = lender->world.rerank_status;
    handle->world.rerank_count = lender->world.rerank_count;
    handle->world.rerank_timeout_ms = lender->world.rerank_timeout_ms;
    memcpy(handle->extractor_status, lender->extractor_status, sizeof handle->extractor_status);
    handle->world.embedding_cache_path = lender->world.embedding_cache_path;
    memcpy(handle->model_status, lender->model_status, sizeof handle->model_status);
    handle->world.model_status = handle->model_status;
}

/* The store before the model: what is wrong with it is told at once. */
static enum mneme_status open_world(struct mneme *handle, const struct mneme_options *options,
                                    struct mneme *lender, struct mn_store *store,
                                    struct mneme_error *err)
{
    bool per_tenant = !lender && mn_tenants_wanted(options);

    handle->executor = options->executor;
    handle->world.executor = &handle->executor;
    handle->world.now_ms = mn_clock_now_ms;
    handle->journal = mn_journal_new();
    if (!handle->journal)
        return mn_fail_memory(err);
    MN_TRY(check_options(handle, options, err));
    handle->world.store = store;
    handle->store_lent = store != NULL;
    if (!store && !per_tenant)
        MN_TRY(open_store(handle, options, err));
    if (lender)
        borrow(handle, lender);
    else
        MN_TRY(open_own(handle, options, err));
    if (per_tenant)
        return mn_tenants_open(handle, options, &handle->tenants, err);
    return open_index(handle, options, err);
}

static void handle_free(struct mneme *handle)
{
    mn_tenants_free(handle->tenants);
    mn_search_free(handle->world.search);
    mn_index_free(handle->world.index);
    mn_recent_free(handle->world.recent);
    if (!handle->model_lent) {
        mn_model_free(handle->world.model);
        mn_chat_free(handle->world.chat);
        mn_archive_free(handle->world.archive);
        mn_reranker_free(handle->world.reranker);
        mn_rerank_cache_free(handle->world.rerank_cache);
    }
    if (!handle->store_lent)
        mn_store_free(handle->world.store);
    mn_tokens_free(handle->tokens);
    mn_journal_free(handle->journal);
    free(handle->embedding_cache_path);
    free(handle);
}

enum mneme_status mn_handle_open(const struct mneme_options *options, struct mneme *lender,
                                 struct mn_store *store, struct mneme **ret_handle,
                                 struct mneme_error *err)
{
    struct mneme *handle = calloc(1, sizeof *handle);
    enum mneme_status status;

    if (!handle)
        return mn_fail_memory(err);
    status = open_world(handle, options, lender, store, err);
    if (status != MNEME_OK) {
        handle_free(handle);
        return status;
    }
    *ret_handle = handle;
    return MNEME_OK;
}

enum mneme_status mneme_open(const struct mneme_options *options, struct mneme **ret_handle,
                             struct mneme_error *err)
{
    MN_CHECK_GIVEN(ret_handle, "ret_handle", err);
    MN_CHECK_SIZE(options, "options", err);
    struct mneme_options known = MNEME_OPTIONS_INIT;

    memcpy(&known, options, options->size);
    return mn_handle_open(&known, NULL, NULL, ret_handle, err);
}

void mneme_close(struct mneme *handle)
{
    struct mneme_error ignored;

    if (!handle)
        return;
    if (!handle->read_only && !handle->tenants && !handle->store_lent) {
        size_t kept;

        mn_journal_flush(handle->journal, &handle->world, &ignored);
        (void)mn_index_keep_segments(&handle->world, SEGMENTS_AT_CLOSE, &kept, &ignored);
    }
    handle_free(handle);
}

/* ---- what may wait ---- */

/* Has so much time gone by since? A clock that was set back is asked again. */
static bool is_past(int64_t since_ms, int64_t now_ms, int64_t period_ms)
{
    return !since_ms || now_ms < since_ms || now_ms - since_ms >= period_ms;
}

static enum mneme_status forget_old(struct mneme *handle, bool *ret_more, struct mneme_error *err)
{
    const struct mn_retention keep = {
        .now_ms = handle->world.now_ms(),
        .changes_ms = MN_CHANGES_KEPT_MS,
        .changes_max = MN_CHANGES_KEPT_MAX,
        .traces_ms = handle->trace_days ? handle->trace_days * MN_DAY_MS : MN_TRACES_KEPT_MS,
        .traces_max = MN_TRACES_KEPT_MAX,
    };

    *ret_more = false;
    if (!is_past(handle->pruned_at_ms, keep.now_ms, PRUNE_EVERY_MS))
        return MNEME_OK;
    MN_TRY(handle->world.store->ops->prune(handle->world.store, &keep, PRUNE_ROWS, ret_more, err));
    if (!*ret_more)
        handle->pruned_at_ms = keep.now_ms;
    return MNEME_OK;
}

static enum mneme_status run_jobs(struct mneme *handle, size_t pieces, bool *ret_more,
                                  struct mneme_error *err)
{
    const struct mn_maintenance due = { .pieces_max = pieces, .now_ms = handle->world.now_ms() };
    size_t done = 0;

    if (!is_past(handle->idle_at_ms, due.now_ms, LOOK_EVERY_MS))
        return MNEME_OK;
    enum mneme_status status =
        mn_maintain(&handle->world, &due, NULL, NULL, &done, ret_more, err);
    if (!*ret_more) /* what failed waits as well */
        handle->idle_at_ms = due.now_ms;
    return status;
}

static void settle_archive(struct mneme *handle)
{
    int64_t now_ms = handle->world.now_ms();

    if (!is_past(handle->archive_at_ms, now_ms, LOOK_EVERY_MS))
        return;
    handle->archive_at_ms = now_ms;
    mn_engine_settle_archive(handle, now_ms);
}

struct due {
    size_t pieces; /* that may still be done */
    bool more;
};

static enum mneme_status run_due_of(void *context, struct mneme *inner, const char *stem,
                                    struct mneme_error *err)
{
    struct due *due = context;
    size_t left = 0;

    (void)stem;
    MN_TRY(mneme_run_due(inner, due->pieces, &left, err));
    due->more = due->more || left > 0;
    if (left > 0) /* its pieces are used up; the others flush what was buffered */
        due->pieces = 0;
    return MNEME_OK;
}

static enum mneme_status run_all_due(struct mneme *front, size_t pieces_max, size_t *ret_left,
                                     struct mneme_error *err)
{
    struct due due = { .pieces = pieces_max };

    MN_TRY(mn_tenants_each(front, true, run_due_of, &due, err));
    if (ret_left)
        *ret_left = due.more;
    return MNEME_OK;
}

enum mneme_status mneme_run_due(struct mneme *handle, size_t pieces_max, size_t *ret_left,
                                struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    size_t done = 0;
    size_t read = 0;
    bool more = false;
    bool jobs = false;
    size_t kept = 0;

    if (handle->read_only)
        return mn_fail(err, MNEME_FORBIDDEN, "store: was opened read-only");
    if (handle->tenants)
        return run_all_due(handle, pieces_max, ret_left, err);
    MN_TRY(mn_journal_flush(handle->journal, &handle->world, err));
    MN_TRY(handle->world.store->ops->erase_settle(handle->world.store, MN_SETTLE_REST, err));
    MN_TRY(mn_index_embed_missing(&handle->world, pieces_max, &done, err));
    if (pieces_max > done)
        MN_TRY(mn_read_due(&handle->world, pieces_max - done, &read, err));
    if (pieces_max > 0) {
        settle_archive(handle);
        MN_TRY(forget_old(handle, &more, err));
    }
    if (pieces_max > done + read)
        MN_TRY(run_jobs(handle, pieces_max - done - read, &jobs, err));
    if (pieces_max > done + read)
        MN_TRY(mn_index_keep_segments(&handle->world, 1, &kept, err));
    if (ret_left)
        *ret_left = (done + read >= pieces_max && pieces_max > 0) || more || jobs || kept > 0;
    return MNEME_OK;
}

/* ---- asking ---- */

/* The answer as it is handed out: with the arena that everything in it lives in. */
struct answer_box {
    struct mneme_answer answer; /* first: the caller's pointer is the box's */
    struct mn_arena *arena;
};

enum mneme_status mneme_retrieve(struct mneme *handle, const struct mneme_request *request,
                                 struct mneme_answer **ret_answer, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_CHECK_GIVEN(ret_answer, "ret_answer", err);
    MN_ROUTED(handle, request ? request->identity.tenant_id : NULL, false,
              mneme_retrieve(inner, request, ret_answer, err));
    MN_CHECK_SIZE(request, "request", err);
    struct mneme_request known = MNEME_REQUEST_INIT;
    MN_ARENA_AUTO arena = mn_arena_new(request->memory_bytes_max ? request->memory_bytes_max
                                                                 : MN_CALL_BYTES_MAX);
    struct answer_box *box = mn_arena_one(arena, struct answer_box);

    if (!box)
        return mn_fail_memory(err);
    memcpy(&known, request, request->size);
    known.size = sizeof known;
    if (!known.now_ms)
        known.now_ms = handle->world.now_ms();
    MN_TRY(mn_retrieve(&handle->world, &known, arena, &box->answer, err));
    mn_journal_add(handle->journal, &known.identity, known.now_ms, &box->answer);
    box->arena = arena;
    arena = NULL;
    *ret_answer = &box->answer;
    return MNEME_OK;
}

void mneme_answer_free(struct mneme_answer *answer)
{
    if (answer)
        mn_arena_free(((struct answer_box *)answer)->arena);
}

/* A trace tells which memories somebody has: it is shown to the user whose retrieval it was. */
static enum mneme_status check_trace_user(const char *json, const char *user_id,
                                          const char *trace_id, struct mneme_error *err)
{
    MN_JSON_AUTO doc = NULL;

    if (mn_empty(user_id))
        return MNEME_OK;
    MN_TRY(mn_json_parse("trace", json, strlen(json), &doc, err));
    const char *user = yyjson_get_str(
        yyjson_obj_get(yyjson_obj_get(yyjson_doc_get_root(doc), "identity"), "user"));
    if (!mn_same(user, user_id))
        return mn_fail(err, MNEME_NOT_FOUND, "trace_id: there is no trace %.80s", trace_id);
    return MNEME_OK;
}

enum mneme_status mneme_trace_get(struct mneme *handle, const char *tenant_id, const char *user_id,
                                  const char *trace_id, char **ret_json, struct mneme_error *err)
{
    MN_CHECK_GIVEN(handle, "handle", err);
    MN_CHECK_GIVEN(ret_json, "ret_json", err);
    MN_ROUTED(handle, tenant_id, false,
              mneme_trace_get(inner, tenant_id, user_id, trace_id, ret_json, err));
    MN_ARENA_AUTO arena = mn_arena_new(MN_CALL_BYTES_MAX);
    const char *stored = NULL;

    if (mn_empty(tenant_id) || mn_empty(trace_id))
        return mn_fail(err, MNEME_INVALID, "%s: is empty",
                       mn_empty(tenant_id) ? "tenant_id" : "trace_id");
    char *json = mn_journal_trace(handle->journal, tenant_id, trace_id);
    if (!json) {
        MN_TRY(handle->world.store->ops->trace_get(handle->world.store, tenant_id, trace_id, arena,
                                                   &stored, err));
        json = strdup(stored);
        if (!json)
            return mn_fail_memory(err);
    }
    enum mneme_status status = check_trace_user(json, user_id, trace_id, err);
    if (status != MNEME_OK) {
        free(json);
        return status;
    }
    *ret_json = json;
    return MNEME_OK;
}
