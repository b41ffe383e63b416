/*
 * chat_llama.c - a language model in this process, by libllama: one call, answered under a grammar.
 *
 * The file is loaded at the first call and kept. Each call begins with an empty memory of the model, so
 * that nothing of one conversation is seen by the next. The likeliest token is taken each time: the
 * same call gives the same answer.
 *
 * The model's own template says how a task and its data become a prompt; the built-in form of libllama
 * where the file has none or one that libllama does not know. The data is put in after the template is
 * made to tokens: only the template's tokens may be special ones, so that "<|im_end|>" in a turn is ten
 * characters and ends nothing.
 */
#include "model/chat.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llama.h>

#include "base/clock.h"
#include "model/gguf.h"
#include "model/llama_runtime.h"

#define TOKENS_MAX 4096 /* of the call and its answer */
#define TOKENS_AT_ONCE 512
#define DATA_BYTES_MAX ((size_t)4096)
#define REPEAT_LAST 64
#define REPEAT_PENALTY 1.05f
#define FORM "chatml" /* of a file that names none that is known */
#define PLACE "mneme-data-place" /* in the prompt, where the data goes */

struct llama {
    struct mn_chat base;
    int timeout_ms;

    pthread_mutex_t lock; /* over all below */
    struct mn_llama_file file;
    llama_token *tokens; /* TOKENS_MAX */
};

static enum mneme_status load(void *owner, struct mneme_error *err)
{
    struct llama *llama = owner;
    struct llama_context_params params = llama_context_default_params();
    int32_t trained;

    mn_llama_begin();
    llama->tokens = calloc(TOKENS_MAX, sizeof *llama->tokens);
    if (!llama->tokens)
        return mn_fail_memory(err);
    llama->file.model = llama_model_load_from_file(llama->file.path, llama_model_default_params());
    if (!llama->file.model)
        return mn_fail(err, MNEME_CORRUPT, "extractor: %s cannot be loaded: %s", llama->file.path,
                       mn_llama_complaint());
    llama->file.vocab = llama_model_get_vocab(llama->file.model);
    trained = llama_model_n_ctx_train(llama->file.model);
    params.n_ctx = trained > 0 && trained < TOKENS_MAX ? (uint32_t)trained : TOKENS_MAX;
    params.n_batch = params.n_ubatch = TOKENS_AT_ONCE;
    params.n_threads = params.n_threads_batch = 1;
    params.no_perf = true;
    llama->file.context = llama_init_from_model(llama->file.model, params);
    if (!llama->file.context)
        return mn_fail(err, MNEME_UNAVAILABLE, "extractor: %s cannot be run: %s", llama->file.path,
                       mn_llama_complaint());
    if (!llama_get_memory(llama->file.context))
        return mn_fail(err, MNEME_INVALID, "extractor: %s makes vectors, not texts",
                       llama->file.path);
    return MNEME_OK;
}

static enum mneme_status load_once(struct llama *llama, struct mneme_error *err)
{
    return mn_llama_file_load_once(&llama->file, load, llama, err);
}

/* ---- the prompt ---- */

static enum mneme_status render(const struct llama *llama, const char *task, struct mn_buf *out,
                                struct mneme_error *err)
{
    const struct llama_chat_message messages[] = { { "system", task }, { "user", PLACE } };
    const char *form = llama_model_chat_template(llama->file.model, NULL);
    size_t room = 2 * strlen(task) + 1024;
    char *text = calloc(1, room);
    int32_t bytes = -1;

    if (!text)
        return mn_fail_memory(err);
    if (form)
        bytes = llama_chat_apply_template(form, messages, 2, true, text, (int32_t)room);
    if (bytes < 0)
        bytes = llama_chat_apply_template(FORM, messages, 2, true, text, (int32_t)room);
    if (bytes > 0 && (size_t)bytes < room)
        mn_buf_put(out, text, (size_t)bytes);
    free(text);
    if (out->failed)
        return mn_fail_memory(err);
    if (!out->at || !strstr(out->at, PLACE))
        return mn_fail(err, MNEME_INVALID, "extractor: the chat template of %s leaves out the data",
                       llama->file.path);
    return MNEME_OK;
}

/* Appends the tokens of a piece; special: its words for begin and end are tokens of that kind. */
static enum mneme_status add_tokens(struct llama *llama, const char *text, size_t bytes, bool first,
                                    bool special, int32_t *count, struct mneme_error *err)
{
    int32_t room = TOKENS_MAX - *count;
    int32_t made = llama_tokenize(llama->file.vocab, text, (int32_t)bytes, llama->tokens + *count,
                                  room, first, special);

    if (made < 0)
        return mn_fail(err, MNEME_LIMIT, "extractor: the call has more than %d tokens", TOKENS_MAX);
    *count += made;
    return MNEME_OK;
}

static enum mneme_status read_call(struct llama *llama, const struct mn_chat_call *call,
                                   int32_t *ret_count, struct mneme_error *err)
{
    MN_BUF_AUTO prompt = { 0 };
    int32_t count = 0;
    const char *place;

    MN_TRY(render(llama, call->task, &prompt, err));
    place = strstr(prompt.at, PLACE);
    MN_TRY(add_tokens(llama, prompt.at, (size_t)(place - prompt.at), true, true, &count, err));
    MN_TRY(add_tokens(llama, call->data, strlen(call->data), false, false, &count, err));
    place += sizeof PLACE - 1;
    MN_TRY(add_tokens(llama, place, strlen(place), false, true, &count, err));
    if (count + (int32_t)call->tokens_max > (int32_t)llama_n_ctx(llama->file.context))
        return mn_fail(err, MNEME_LIMIT,
                       "extractor: %d tokens and %zu of answer do not fit into the %d of %s",
                       (int)count, call->tokens_max, (int)llama_n_ctx(llama->file.context),
                       llama->base.name);
    *ret_count = count;
    return MNEME_OK;
}

/* ---- the answer ---- */

static struct llama_sampler *make_sampler(const struct llama *llama, const char *grammar)
{
    struct llama_sampler *chain = llama_sampler_chain_init(llama_sampler_chain_default_params());
    struct llama_sampler *shape = llama_sampler_init_grammar(llama->file.vocab, grammar, "root");

    if (!shape) {
        llama_sampler_free(chain);
        return NULL;
    }
    llama_sampler_chain_add(chain, shape);
    llama_sampler_chain_add(chain,
                            llama_sampler_init_penalties(llama_vocab_n_tokens(llama->file.vocab),
                                                         REPEAT_LAST, REPEAT_PENALTY, 0.0f, 0.0f));
    llama_sampler_chain_add(chain, llama_sampler_init_greedy());
    return chain;
}

static enum mneme_status fail_run(const struct llama *llama, struct mneme_error *err)
{
    return mn_fail(err, MNEME_UNAVAILABLE, "extractor: %s failed: %s", llama->base.name,
                   mn_llama_complaint());
}

static enum mneme_status check_time(const struct llama *llama, int64_t begun_us,
                                    struct mneme_error *err)
{
    if (mn_clock_monotonic_us() - begun_us <= llama->timeout_ms * INT64_C(1000))
        return MNEME_OK;
    return mn_fail(err, MNEME_UNAVAILABLE, "extractor: %s did not answer within %d ms",
                   llama->base.name, llama->timeout_ms);
}

static enum mneme_status generate(struct llama *llama, struct llama_sampler *sampler,
                                  size_t tokens_max, int64_t begun_us, struct mn_buf *out,
                                  struct mneme_error *err)
{
    for (size_t i = 0; i < tokens_max; i++) {
        llama_token token = llama_sampler_sample(sampler, llama->file.context, -1);
        char piece[256];
        int32_t bytes;

        if (llama_vocab_is_eog(llama->file.vocab, token))
            break;
        bytes = llama_token_to_piece(llama->file.vocab, token, piece, sizeof piece, 0, false);
        mn_buf_put(out, piece, bytes > 0 ? (size_t)bytes : 0);
        MN_TRY(check_time(llama, begun_us, err));
        if (llama_decode(llama->file.context, llama_batch_get_one(&token, 1)) != 0)
            return fail_run(llama, err);
    }
    return out->failed ? mn_fail_memory(err) : MNEME_OK;
}

static enum mneme_status run(struct llama *llama, const struct mn_chat_call *call, int32_t count,
                             struct mn_buf *out, struct mneme_error *err)
{
    struct llama_sampler *sampler = make_sampler(llama, call->grammar);
    int64_t begun_us = mn_clock_monotonic_us();
    enum mneme_status status = MNEME_OK;

    if (!sampler)
        return mn_fail(err, MNEME_INVALID, "extractor: the grammar is none that %s can follow",
                       llama->base.name);
    mn_llama_begin();
    llama_memory_clear(llama_get_memory(llama->file.context), true);
    for (int32_t at = 0; at < count && status == MNEME_OK; at += TOKENS_AT_ONCE) {
        int32_t some = count - at < TOKENS_AT_ONCE ? count - at : TOKENS_AT_ONCE;

        if (llama_decode(llama->file.context, llama_batch_get_one(llama->tokens + at, some)) != 0)
            status = fail_run(llama, err);
        else
            status = check_time(llama, begun_us, err);
    }
    if (status == MNEME_OK)
        status = generate(llama, sampler, call->tokens_max, begun_us, out, err);
    llama_sampler_free(sampler);
    return status;
}

static enum mneme_status answer_locked(struct llama *llama, const struct mn_chat_call *call,
                                       struct mn_buf *out, struct mneme_error *err)
{
    int32_t count = 0;

    MN_TRY(load_once(llama, err));
    MN_TRY(read_call(llama, call, &count, err));
    return run(llama, call, count, out, err);
}

static enum mneme_status llama_answer(struct mn_chat *chat, const struct mn_chat_call *call,
                                      struct mn_buf *ret_text, struct mneme_error *err)
{
    struct llama *llama = (struct llama *)chat;
    enum mneme_status status;

    pthread_mutex_lock(&llama->lock);
    status = answer_locked(llama, call, ret_text, err);
    pthread_mutex_unlock(&llama->lock);
    return status;
}

static void llama_release(struct mn_chat *chat)
{
    struct llama *llama = (struct llama *)chat;

    mn_llama_file_release(&llama->file);
    free(llama->tokens);
    pthread_mutex_destroy(&llama->lock);
    free(llama);
}

static const struct mn_chat_ops LLAMA_OPS = { llama_answer, llama_release };

static void free_chat(struct llama **llama)
{
    if (*llama)
        llama_release(&(*llama)->base);
}

static void name_after_file(struct llama *llama)
{
    const char *slash = strrchr(llama->file.path, '/');
    const char *file = slash ? slash + 1 : llama->file.path;
    size_t bytes = strlen(file);

    if (bytes > 5 && strcmp(file + bytes - 5, ".gguf") == 0)
        bytes -= 5;
    bytes = mn_utf8_cut(file, bytes, sizeof llama->base.name - 1);
    (void)snprintf(llama->base.name, sizeof llama->base.name, "%.*s", (int)bytes, file);
}

enum mneme_status mn_chat_llama_new(const char *path, int timeout_ms, struct mn_chat **ret_chat,
                                    struct mneme_error *err)
{
    MN_CLEANUP(free_chat) struct llama *llama = NULL;
    struct mn_gguf_header header;

    MN_TRY(mn_llama_check_processor(err));
    MN_TRY(mn_gguf_read(path, &header, err));
    llama = calloc(1, sizeof *llama);
    if (!llama)
        return mn_fail_memory(err);
    llama->base.ops = &LLAMA_OPS;
    llama->base.data_bytes_max = DATA_BYTES_MAX;
    llama->timeout_ms = timeout_ms > 0 ? timeout_ms : MN_CHAT_TIMEOUT_MS;
    pthread_mutex_init(&llama->lock, NULL);
    llama->file.path = strdup(path);
    if (!llama->file.path)
        return mn_fail_memory(err);
    name_after_file(llama);
    *ret_chat = &llama->base;
    llama = NULL;
    return MNEME_OK;
}
