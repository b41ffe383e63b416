/*
 * chat.h - a language model that is asked once and answers with a text.
 *
 * Implementations: chat_http.c (a service with OpenAI's chat call) and chat_llama.c (a GGUF in this
 * process), so the contract is a table of functions. May be shared by threads: calls wait for each
 * other.
 */
#ifndef MN_MODEL_CHAT_H
#define MN_MODEL_CHAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct mn_chat;

struct mn_chat_call {
    const char *task;    /* what the model is to do */
    const char *data;    /* what it is to do it with: never read for special tokens */
    const char *schema;  /* of the answer, as a JSON schema */
    const char *grammar; /* the same as GBNF, its root "root" */
    size_t tokens_max;   /* of the answer */
};

struct mn_chat_ops {
    /* Appends the answer as it comes: it may be no JSON, or cut off. */
    enum mneme_status (*answer)(struct mn_chat *chat, const struct mn_chat_call *call,
                                struct mn_buf *ret_text, struct mneme_error *err);
    void (*free)(struct mn_chat *chat);
};

/* Embedded first in each implementation's own struct. */
struct mn_chat {
    const struct mn_chat_ops *ops;
    char name[64];         /* of the model, for records of what it drew */
    size_t data_bytes_max; /* of one call */
    _Atomic int64_t left_alone_until_us; /* by the monotonic clock: it did not answer */
};

/*
 * A service: url up to and with its version ("https://host/v1"), or with /chat/completions. model: its
 * name there; "" is "default". key: its bearer token, NULL or "" for none. timeout_ms: of one call, 0:
 * 60 s. Nothing is asked before the first call.
 *
 * Answering gives MNEME_UNAVAILABLE when the service does not answer in time, with 429 or 5xx;
 * MNEME_FORBIDDEN where the key is refused; MNEME_INVALID where it does not understand; MNEME_CORRUPT
 * where its answer holds no text; MNEME_LIMIT when that is too long.
 *
 * MNEME_INVALID  the URL or the key is none.
 */
enum mneme_status mn_chat_http_new(const char *url, const char *key, const char *model,
                                   int timeout_ms, struct mn_chat **ret_chat,
                                   struct mneme_error *err);

/*
 * A GGUF by path, loaded at the first call. Answers follow the grammar as far as they go: the time and
 * the tokens may end before it does.
 *
 * Answering gives MNEME_LIMIT when the call is too long for the model; MNEME_CORRUPT, MNEME_UNAVAILABLE
 * as with embedding (model.h).
 *
 * MNEME_NOT_FOUND, MNEME_CORRUPT, MNEME_UNAVAILABLE: as mn_model_llama_new() says.
 */
enum mneme_status mn_chat_llama_new(const char *path, int timeout_ms, struct mn_chat **ret_chat,
                                    struct mneme_error *err);

/* It did not answer: for half a minute nobody asks it who need not. */
void mn_chat_leave_alone(struct mn_chat *chat);
bool mn_chat_left_alone(const struct mn_chat *chat);

void mn_chat_free(struct mn_chat *chat); /* accepts NULL */

#define MN_CHAT_TIMEOUT_MS 60000

#endif
