/*
 * model_none.c - the engine built without a neural runtime: pure C, recall by text and rules alone.
 */
#include "model/chat.h"
#include "model/model.h"
#include "model/rerank.h"

enum mneme_status mn_model_llama_new(const char *path, const char *profile_json,
                                     struct mn_model **ret_model, struct mneme_error *err)
{
    (void)path;
    (void)profile_json;
    (void)ret_model;
    return mn_fail(err, MNEME_UNAVAILABLE,
                   "model: built without a runtime (configure with MNEME_WITH_LLAMA=ON)");
}

enum mneme_status mn_chat_llama_new(const char *path, int timeout_ms, struct mn_chat **ret_chat,
                                    struct mneme_error *err)
{
    (void)path;
    (void)timeout_ms;
    (void)ret_chat;
    return mn_fail(err, MNEME_UNAVAILABLE,
                   "extractor: built without a runtime (configure with MNEME_WITH_LLAMA=ON)");
}

enum mneme_status mn_reranker_llama_new(const char *path, struct mn_reranker **ret_reranker,
                                        struct mneme_error *err)
{
    (void)path;
    (void)ret_reranker;
    return mn_fail(err, MNEME_UNAVAILABLE,
                   "rerank: built without a runtime (configure with MNEME_WITH_LLAMA=ON)");
}
