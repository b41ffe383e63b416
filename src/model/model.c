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

enum mneme_status mn_model_embed(struct mn_model *model, enum mn_embed_kind kind, const char *text,
                                 float *vector, struct mneme_error *err)
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
    MN_TRY(model->ops->embed(model, kind, folded, made, err));

    for (size_t i = 0; i < dim; i++)
        squares += (double)made[i] * made[i];
    if (!(fabs(sqrt(squares) - 1) <= LENGTH_TOLERANCE)) /* a NaN fails too */
        return mn_fail(err, MNEME_CORRUPT, "model: %s made a vector of length %g instead of 1",
                       model->profile.name, sqrt(squares));
    memcpy(vector, made, dim * sizeof(float));
    return MNEME_OK;
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
