/*
 * llama_runtime.h - what every use of libllama shares: starting it, loading, tokens, one run.
 *
 * For model_llama.c, chat_llama.c and rerank_llama.c alone; nothing else knows of libllama.
 */
#ifndef MN_MODEL_LLAMA_RUNTIME_H
#define MN_MODEL_LLAMA_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llama.h>

#include "base/err.h"

/* Before a call of libllama's own: starts it where nobody has, and forgets former complaints. */
void mn_llama_begin(void);

/* MNEME_UNAVAILABLE: this processor lacks what libllama is compiled for. */
enum mneme_status mn_llama_check_processor(struct mneme_error *err);

/* MNEME_CORRUPT: the file is no model, or damaged. */
enum mneme_status mn_llama_load(const char *path, struct llama_model **ret_model,
                                struct mneme_error *err);

/* The file of a model that is loaded when it is first asked, by what knows what it is for; how that
 * went is kept. Whoever has it locks. */
struct mn_llama_file {
    char *path; /* owned */
    struct llama_model *model;
    struct llama_context *context;
    const struct llama_vocab *vocab;
    bool load_tried;
    enum mneme_status load_status;
    struct mneme_error load_error;
};
/* load: fills model, context and vocab of the file that `owner` has. */
enum mneme_status mn_llama_file_load_once(struct mn_llama_file *file,
                                          enum mneme_status (*load)(void *owner,
                                                                    struct mneme_error *err),
                                          void *owner, struct mneme_error *err);
void mn_llama_file_release(struct mn_llama_file *file);

/* A context of one thread with room for so many tokens at once; NULL: see mn_llama_complaint(). */
struct llama_context *mn_llama_context_new(struct llama_model *model, int32_t tokens_max,
                                           enum llama_pooling_type pooling);

struct mn_llama_tokens {
    llama_token *at; /* free() it */
    int32_t room;
};
/* `whole`: with the begin and end tokens of the model. Text is never parsed for special tokens. */
enum mneme_status mn_llama_tokenise(const struct llama_vocab *vocab, const char *text, size_t bytes,
                                    bool whole, struct mn_llama_tokens *tokens, int32_t *ret_count,
                                    struct mneme_error *err);

/* Runs so many tokens, at most what the context has room for; what was pooled, or NULL. */
const float *mn_llama_run(struct llama_context *context, llama_token *tokens, int32_t count);

/* The same in a context without pooling: a state for each token, or NULL. */
const float *mn_llama_run_states(struct llama_context *context, llama_token *tokens, int32_t count);

/* The first complaint of libllama since the last of these calls on this thread; "" for none. */
const char *mn_llama_complaint(void);

#endif
