/*
 * models.c - the public calls about the models of a handle: why one is missing, vectors, tokens.
 */
#include "engine/handle.h"

#include <string.h>

#include "base/str.h"
#include "model/model.h"
#include "text/tokens.h"

const char *mneme_model_status(const struct mneme *handle)
{
    return handle ? handle->model_status : "handle: is NULL";
}

const char *mneme_extractor_status(const struct mneme *handle)
{
    return handle ? handle->extractor_status : "handle: is NULL";
}

const char *mneme_rerank_status(const struct mneme *handle)
{
    return handle ? handle->rerank_status : "handle: is NULL";
}

const char *mneme_model_name(const struct mneme *handle)
{
    return handle && handle->world.model ? handle->world.model->profile.name : "";
}

size_t mneme_model_dim(const struct mneme *handle)
{
    return handle && handle->world.model ? handle->world.model->profile.dim : 0;
}

enum mneme_status mneme_embed(struct mneme *handle, const char *text, int is_request,
                              float *ret_vector, size_t dim, struct mneme_error *err)
{
    MN_BUF_AUTO codes = { 0 };

    MN_CHECK_GIVEN(handle, "handle", err);
    MN_CHECK_GIVEN(ret_vector, "ret_vector", err);
    if (!handle->world.model)
        return mn_fail(err, MNEME_UNAVAILABLE, "%s", handle->model_status);
    if (dim != handle->world.model->profile.dim)
        return mn_fail(err, MNEME_INVALID, "dim: %zu, the model has %zu", dim,
                       handle->world.model->profile.dim);
    if (mn_empty(text))
        return mn_fail(err, MNEME_INVALID, "text: is empty");
    if (!is_request)
        return mn_model_embed(handle->world.model, MN_EMBED_PASSAGE, text, ret_vector, err);
    /* as a recall does it, so that a cache has all that one will ask for */
    return mn_model_embed_tokens(handle->world.model, MN_EMBED_REQUEST, text, ret_vector, &codes,
                                 err);
}

enum mneme_status mneme_token_states(struct mneme *handle, const char *text, int is_request,
                                     float *ret_states, size_t states_max, size_t *ret_count,
                                     struct mneme_error *err)
{
    MN_BUF_AUTO states = { 0 };
    size_t count, state_bytes;

    MN_CHECK_GIVEN(handle, "handle", err);
    MN_CHECK_GIVEN(ret_states, "ret_states", err);
    MN_CHECK_GIVEN(ret_count, "ret_count", err);
    if (!handle->world.model)
        return mn_fail(err, MNEME_UNAVAILABLE, "%s", handle->model_status);
    if (mn_empty(text))
        return mn_fail(err, MNEME_INVALID, "text: is empty");
    MN_TRY(mn_model_token_states(handle->world.model,
                                 is_request ? MN_EMBED_REQUEST : MN_EMBED_PASSAGE, text, &states,
                                 err));
    state_bytes = handle->world.model->profile.dim * sizeof(float);
    count = states.bytes / state_bytes;
    count = count < states_max ? count : states_max;
    if (count > 0)
        memcpy(ret_states, states.at, count * state_bytes);
    *ret_count = count;
    return MNEME_OK;
}

size_t mneme_token_count(struct mneme *handle, const char *text)
{
    text = mn_or_empty(text);
    return handle ? mn_tokens_count(handle->world.tokens, text, strlen(text)) : 0;
}
