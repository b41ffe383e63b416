/*
 * model.c - what every model owes its callers, whichever runtime it has.
 *
 * Texts are folded here, so that no caller can forget it: embedding folded text matters as much as
 * indexing it (a traditional-script request finds the simplified memory by either). What comes back
 * is checked here: a vector that is not of length 1, or holds a NaN, would poison every mean and
 * every score it enters.
 *
 * There is no lock here. What must not run twice at once is a matter of the runtime (a libllama
 * context; not a hashing fake), and folding need not wait for it.
 */
#include "model/model.h"

#include <math.h>
#include <string.h>

#include "text/analyze.h"

/* NFKC can make a code point eleven times as long (U+FDFA), and folding works in UTF-16. */
#define FOLD_BYTES_PER_BYTE 32
#define FOLD_BYTES_MIN 65536

#define LENGTH_TOLERANCE 1e-3

static enum mneme_status fold(const char *text, struct mn_arena **ret_arena,
                              const char **ret_folded, struct mneme_error *err)
{
    size_t bytes = strlen(text);

    *ret_arena = mn_arena_new(FOLD_BYTES_MIN + bytes * FOLD_BYTES_PER_BYTE);
    if (*ret_arena == NULL)
        return mn_fail_memory(err);
    *ret_folded = mn_text_fold(*ret_arena, text, bytes);
    return *ret_folded == NULL ? mn_fail_memory(err) : MNEME_OK;
}

static enum mneme_status embed(struct mn_model *model, enum mn_embed_kind kind, const char *text,
                               float *vector, struct mn_buf *codes, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = NULL;
    const char *folded;
    float made[MN_VECTOR_DIM_MAX];
    size_t dim = model->profile.dim;
    double squares = 0;

    if (dim == 0 || dim > MN_VECTOR_DIM_MAX)
        return mn_fail(err, MNEME_INVALID, "dim: %zu, possible are 1 to %d", dim,
                       MN_VECTOR_DIM_MAX);
    MN_TRY(fold(text, &arena, &folded, err));
    MN_TRY(codes ? model->ops->embed_tokens(model, kind, folded, made, codes, err)
                 : model->ops->embed(model, kind, folded, made, err));

    for (size_t i = 0; i < dim; i++)
        squares += (double)made[i] * made[i];
    if (!(fabs(sqrt(squares) - 1) <= LENGTH_TOLERANCE)) /* a NaN fails too */
        return mn_fail(err, MNEME_CORRUPT, "model: %s made a vector of length %g instead of 1",
                       model->profile.name, sqrt(squares));
    memcpy(vector, made, dim * sizeof(float));
    return MNEME_OK;
}

enum mneme_status mn_model_embed(struct mn_model *model, enum mn_embed_kind kind, const char *text,
                                 float *vector, struct mneme_error *err)
{
    return embed(model, kind, text, vector, NULL, err);
}

/* ---- states of tokens ---- */

bool mn_model_gives_tokens(const struct mn_model *model)
{
    return model->ops->embed_tokens && model->profile.token_axes;
}

enum mneme_status mn_model_embed_tokens(struct mn_model *model, enum mn_embed_kind kind,
                                        const char *text, float *vector, struct mn_buf *codes,
                                        struct mneme_error *err)
{
    return embed(model, kind, text, vector, mn_model_gives_tokens(model) ? codes : NULL, err);
}

enum mneme_status mn_model_token_states(struct mn_model *model, enum mn_embed_kind kind,
                                        const char *text, struct mn_buf *states,
                                        struct mneme_error *err)
{
    MN_ARENA_AUTO arena = NULL;
    const char *folded;

    if (!model->ops->token_states)
        return mn_fail(err, MNEME_UNAVAILABLE, "model: %s gives no states of tokens",
                       model->profile.name);
    MN_TRY(fold(text, &arena, &folded, err));
    return model->ops->token_states(model, kind, folded, states, err);
}

void mn_model_put_code(const struct mn_model_profile *profile, enum mn_embed_kind kind,
                       uint32_t token, const float *state, struct mn_buf *codes)
{
    unsigned char code[MN_TOKEN_REQUEST_BYTES];
    float turned[MN_TOKEN_AXES];
    bool is_request = kind == MN_EMBED_REQUEST;

    mn_model_profile_turn(profile, state, turned);
    (is_request ? mn_token_code_request : mn_token_code_passage)(token, turned, code);
    mn_buf_put(codes, code, is_request ? MN_TOKEN_REQUEST_BYTES : MN_TOKEN_PASSAGE_BYTES);
}

enum mneme_status mn_model_count_tokens(struct mn_model *model, const char *text, size_t *ret_count,
                                        struct mneme_error *err)
{
    MN_ARENA_AUTO arena = NULL;
    const char *folded;

    MN_TRY(fold(text, &arena, &folded, err));
    return model->ops->count_tokens(model, folded, ret_count, err);
}

void mn_model_free(struct mn_model *model)
{
    if (model != NULL)
        model->ops->free(model);
}
