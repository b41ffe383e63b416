/*
 * llama_runtime.c - libllama as little as can be.
 *
 * Its interface changes between versions, so that what is used of it stands in as few files as
 * possible. It writes its complaints to a callback: the first of a call is the cause, later ones
 * follow from it.
 */
#include "model/llama_runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char complaint[160];

static void listen(enum ggml_log_level level, const char *text, void *user)
{
    (void)user;
    if (level == GGML_LOG_LEVEL_ERROR && complaint[0] == '\0') {
        strncpy(complaint, text, sizeof(complaint) - 1);
        complaint[strcspn(complaint, "\n")] = '\0';
    }
}

const char *mn_llama_complaint(void)
{
    return complaint;
}

static void start_backend(void)
{
    llama_log_set(listen, NULL);
    llama_backend_init();
}

void mn_llama_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, start_backend);
    complaint[0] = '\0';
}

enum mneme_status mn_llama_check_processor(struct mneme_error *err)
{
#if defined(__x86_64__)
    /* Without them it dies of an illegal instruction. */
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("f16c") || !__builtin_cpu_supports("bmi2"))
        return mn_fail(err, MNEME_UNAVAILABLE,
                       "model: this processor lacks AVX2, FMA, F16C or BMI2");
#endif
    (void)err;
    return MNEME_OK;
}

enum mneme_status mn_llama_load(const char *path, struct llama_model **ret_model,
                                struct mneme_error *err)
{
    mn_llama_begin();
    *ret_model = llama_model_load_from_file(path, llama_model_default_params());
    if (*ret_model == NULL)
        return mn_fail(err, MNEME_CORRUPT, "model: %s cannot be loaded: %s", path, complaint);
    return MNEME_OK;
}

enum mneme_status mn_llama_file_load_once(struct mn_llama_file *file,
                                          enum mneme_status (*load)(void *owner,
                                                                    struct mneme_error *err),
                                          void *owner, struct mneme_error *err)
{
    if (!file->load_tried) {
        file->load_tried = true;
        file->load_status = load(owner, &file->load_error);
    }
    if (file->load_status != MNEME_OK && err != NULL)
        *err = file->load_error;
    return file->load_status;
}

void mn_llama_file_release(struct mn_llama_file *file)
{
    if (file->context != NULL)
        llama_free(file->context);
    if (file->model != NULL)
        llama_model_free(file->model);
    free(file->path);
}

struct llama_context *mn_llama_context_new(struct llama_model *model, int32_t tokens_max,
                                           enum llama_pooling_type pooling)
{
    struct llama_context_params params = llama_context_default_params();

    params.n_ctx = params.n_batch = params.n_ubatch = (uint32_t)tokens_max;
    params.n_threads = params.n_threads_batch = 1;
    params.embeddings = true;
    params.no_perf = true;
    params.pooling_type = pooling;
    mn_llama_begin();
    return llama_init_from_model(model, params);
}

enum mneme_status mn_llama_tokenise(const struct llama_vocab *vocab, const char *text, size_t bytes,
                                    bool whole, struct mn_llama_tokens *tokens, int32_t *ret_count,
                                    struct mneme_error *err)
{
    int32_t count;

    if (bytes > INT32_MAX / 2)
        return mn_fail(err, MNEME_LIMIT, "text: %zu bytes are too many to tokenise", bytes);
    count = llama_tokenize(vocab, text, (int32_t)bytes, tokens->at, tokens->room, whole, false);
    if (count < 0) { /* minus the room it takes */
        llama_token *grown = realloc(tokens->at, (size_t)-count * sizeof(llama_token));

        if (grown == NULL)
            return mn_fail_memory(err);
        tokens->at = grown;
        tokens->room = -count;
        count = llama_tokenize(vocab, text, (int32_t)bytes, tokens->at, tokens->room, whole, false);
    }
    *ret_count = count;
    return MNEME_OK;
}

static bool run(struct llama_context *context, llama_token *tokens, int32_t count)
{
    struct llama_batch batch = llama_batch_get_one(tokens, count);
    llama_memory_t memory = llama_get_memory(context);
    int32_t failed;

    mn_llama_begin();
    if (memory != NULL) { /* a decoder: it must not remember the text before */
        llama_memory_clear(memory, true);
        failed = llama_decode(context, batch);
    } else {
        failed = llama_encode(context, batch);
    }
    return failed == 0;
}

const float *mn_llama_run(struct llama_context *context, llama_token *tokens, int32_t count)
{
    return run(context, tokens, count) ? llama_get_embeddings_seq(context, 0) : NULL;
}

const float *mn_llama_run_states(struct llama_context *context, llama_token *tokens, int32_t count)
{
    return run(context, tokens, count) ? llama_get_embeddings(context) : NULL;
}
