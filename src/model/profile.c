/*
 * profile.c - from a JSON profile to numbers, checked, and a hash that names them.
 *
 * A profile is an object with `name` and `dim`; every other field has a default, so that a file
 * of two lines makes any model usable. `mean`, where given, holds the calibration of both
 * languages, {"zh": {"request": [...], "passage": [...]}, "en": ...}: with one language centred and
 * the other not, every comparison across them would be wrong. Other languages take the mean of the
 * two. They are means of folded texts with their prefix, since that is what is embedded; capitals
 * alone move the English means by a fifth of their distance from the Chinese ones.
 *
 * `tokens`, where given, has the mean of the states of tokens and the axes they are kept on: whole
 * numbers, since the axes' length says nothing and a step of 1/127 turns a state by less than its
 * code does.
 *
 * The hashes are made from a rendering of its own (fields in a fixed order, six decimals), not from
 * the file's bytes, so that white space and the order of fields do not make another profile.
 *
 * The built-in profile is models/profiles/multilingual-e5-small-q4_0.json, embedded at build.
 */
#include "model/profile.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/str.h"

/* models/profiles/multilingual-e5-small-q4_0.json, by mn_embed_file() */
extern const unsigned char mn_profile_multilingual_e5_small_q4_0[];
extern const unsigned char mn_profile_multilingual_e5_small_q4_0_end[];

#define PROFILE_BYTES_MAX (4 << 20) /* means of 4096 dimensions, written out, are about 200 kB */
#define PARSE_BYTES_MAX 65536       /* the few texts of a profile */

static const struct {
    const char *field;
    size_t offset;
    float initial, low, high;
} NUMBER[] = {
    { "text_weight", offsetof(struct mn_model_profile, text_weight), 0.5f, 0, 10 },
    { "impute", offsetof(struct mn_model_profile, impute), 0.7f, 0, 1 },
    { "floor_question", offsetof(struct mn_model_profile, floor_question), 0.25f, -2, 10 },
    { "floor_statement", offsetof(struct mn_model_profile, floor_statement), 0.15f, -2, 10 },
    { "floor_text_only", offsetof(struct mn_model_profile, floor_text_only), 0.2f, -2, 10 },
    { "unrelated_mean", offsetof(struct mn_model_profile, unrelated_mean), 0, -1, 1 },
    { "duplicate_cosine", offsetof(struct mn_model_profile, duplicate_cosine), 0.8f, -1, 1 },
    { "partition_k", offsetof(struct mn_model_profile, partition_k), 20, 0, 1000000 },
    { "own_mean_share", offsetof(struct mn_model_profile, own_mean_share), 0.3f, 0, 1 },
};
#define NUMBER_COUNT (sizeof(NUMBER) / sizeof(NUMBER[0]))

static const char *const FIELDS[] = {
    "name",
    "dim",
    "request_prefix",
    "passage_prefix",
    "pooling",
    "recipe",
    "tokens_max",
    "text_weight",
    "impute",
    "floor_question",
    "floor_statement",
    "floor_text_only",
    "unrelated_mean",
    "duplicate_cosine",
    "partition_k",
    "own_mean_share",
    "mean",
    "tokens",
    NULL,
};

static const char *const TOKENS_FIELDS[] = { "mean", "axes", NULL };
#define VECTOR_MEAN_MAX 1 /* a mean of vectors of length 1 has no coordinate beyond it */
#define TOKEN_MEAN_MAX 1000 /* states have no length of their own; a bound against nonsense */

static const struct {
    const char *name;
    enum mn_language language;
} LANGUAGE[] = { { "zh", MN_LANGUAGE_ZH }, { "en", MN_LANGUAGE_EN } };
#define LANGUAGE_COUNT (sizeof(LANGUAGE) / sizeof(LANGUAGE[0]))

static float *number_at(const struct mn_model_profile *profile, size_t i)
{
    return (float *)(void *)((char *)(uintptr_t)profile + NUMBER[i].offset);
}

static void set_defaults(struct mn_model_profile *profile)
{
    *profile = (struct mn_model_profile){ .tokens_max = 512 };
    strcpy(profile->pooling, "gguf");
    strcpy(profile->recipe, "title.content.usage.1");
    for (size_t i = 0; i < NUMBER_COUNT; i++)
        *number_at(profile, i) = NUMBER[i].initial;
}

static enum mneme_status read_text(yyjson_val *root, const char *field, struct mn_arena *arena,
                                   char *out, size_t room, struct mneme_error *err)
{
    const char *text = NULL;

    MN_TRY(mn_json_text(root, field, room - 1, arena, &text, err));
    if (text != NULL)
        strcpy(out, text);
    return MNEME_OK;
}

static enum mneme_status read_size(yyjson_val *root, const char *field, int64_t high, size_t *size,
                                   struct mneme_error *err)
{
    int64_t value = (int64_t)*size;

    MN_TRY(mn_json_integer(root, field, 1, high, &value, err));
    *size = (size_t)value;
    return MNEME_OK;
}

static enum mneme_status read_scalars(yyjson_val *root, struct mn_model_profile *profile,
                                      struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(PARSE_BYTES_MAX);

    if (arena == NULL)
        return mn_fail_memory(err);
    MN_TRY(read_text(root, "name", arena, profile->name, sizeof(profile->name), err));
    if (profile->name[0] == '\0')
        return mn_fail(err, MNEME_INVALID, "name: missing");
    MN_TRY(read_size(root, "dim", MN_VECTOR_DIM_MAX, &profile->dim, err));
    if (profile->dim == 0)
        return mn_fail(err, MNEME_INVALID, "dim: missing");
    MN_TRY(read_text(root, "request_prefix", arena, profile->request_prefix,
                     sizeof(profile->request_prefix), err));
    MN_TRY(read_text(root, "passage_prefix", arena, profile->passage_prefix,
                     sizeof(profile->passage_prefix), err));
    MN_TRY(read_text(root, "pooling", arena, profile->pooling, sizeof(profile->pooling), err));
    MN_TRY(read_text(root, "recipe", arena, profile->recipe, sizeof(profile->recipe), err));
    MN_TRY(read_size(root, "tokens_max", 32768, &profile->tokens_max, err));
    for (size_t i = 0; i < NUMBER_COUNT; i++) {
        double value = *number_at(profile, i);

        MN_TRY(mn_json_number(root, NUMBER[i].field, NUMBER[i].low, NUMBER[i].high, &value, err));
        *number_at(profile, i) = (float)value;
    }
    if (!mn_same(profile->pooling, "gguf") && !mn_same(profile->pooling, "mean") &&
        !mn_same(profile->pooling, "cls") && !mn_same(profile->pooling, "last"))
        return mn_fail(err, MNEME_INVALID, "pooling: \"%s\" is none of gguf, mean, cls, last",
                       profile->pooling);
    return MNEME_OK;
}

static enum mneme_status read_mean(yyjson_val *list, const char *name, size_t dim, int most,
                                   float *mean, struct mneme_error *err)
{
    yyjson_arr_iter iter;

    if (!yyjson_is_arr(list))
        return mn_fail(err, MNEME_INVALID, "%s: missing, or not a list of numbers", name);
    if (yyjson_arr_size(list) != dim)
        return mn_fail(err, MNEME_INVALID, "%s: %zu numbers, but dim is %zu", name,
                       yyjson_arr_size(list), dim);
    yyjson_arr_iter_init(list, &iter);
    for (size_t i = 0; i < dim; i++) {
        yyjson_val *value = yyjson_arr_iter_next(&iter);
        double number = yyjson_get_num(value);

        if (!yyjson_is_num(value) || !(fabs(number) <= most))
            return mn_fail(err, MNEME_INVALID, "%s: item %zu is no number in -%d..%d", name, i,
                           most, most);
        mean[i] = (float)number;
    }
    return MNEME_OK;
}

/* Of requests or of passages in one language. */
static enum mneme_status read_mean_of(yyjson_val *of_language, const char *language,
                                      const char *kind, size_t dim, float *mean,
                                      struct mneme_error *err)
{
    char name[32];

    snprintf(name, sizeof(name), "mean.%s.%s", language, kind);
    return read_mean(yyjson_obj_get(of_language, kind), name, dim, VECTOR_MEAN_MAX, mean, err);
}

static enum mneme_status read_means(yyjson_val *root, struct mn_model_profile *profile,
                                    struct mneme_error *err)
{
    yyjson_val *means = yyjson_obj_get(root, "mean");

    if (means == NULL || yyjson_is_null(means))
        return MNEME_OK;
    for (size_t i = 0; i < LANGUAGE_COUNT; i++) {
        const char *name = LANGUAGE[i].name;
        enum mn_language language = LANGUAGE[i].language;
        yyjson_val *of_language = yyjson_obj_get(means, name);

        if (!yyjson_is_obj(of_language))
            return mn_fail(err, MNEME_INVALID, "mean.%s: missing, or not an object", name);
        MN_TRY(read_mean_of(of_language, name, "request", profile->dim,
                            profile->request_mean[language], err));
        MN_TRY(read_mean_of(of_language, name, "passage", profile->dim,
                            profile->passage_mean[language], err));
    }
    for (size_t i = 0; i < profile->dim; i++) {
        profile->request_mean[MN_LANGUAGE_OTHER][i] =
            (profile->request_mean[MN_LANGUAGE_ZH][i] + profile->request_mean[MN_LANGUAGE_EN][i]) /
            2;
        profile->passage_mean[MN_LANGUAGE_OTHER][i] =
            (profile->passage_mean[MN_LANGUAGE_ZH][i] + profile->passage_mean[MN_LANGUAGE_EN][i]) /
            2;
    }
    return MNEME_OK;
}

/* ---- axes of token states ---- */

/* One row of {"mean": [dim numbers], "axes": [[dim whole numbers in -127..127] * MN_TOKEN_AXES]}. */
static enum mneme_status read_axis(yyjson_val *list, size_t axis, size_t dim, float *axes,
                                   struct mneme_error *err)
{
    yyjson_arr_iter iter;

    if (!yyjson_is_arr(list) || yyjson_arr_size(list) != dim)
        return mn_fail(err, MNEME_INVALID, "tokens.axes: axis %zu is no list of %zu numbers", axis,
                       dim);
    yyjson_arr_iter_init(list, &iter);
    for (size_t i = 0; i < dim; i++) {
        yyjson_val *value = yyjson_arr_iter_next(&iter);

        if (!yyjson_is_int(value) || llabs(yyjson_get_sint(value)) > 127)
            return mn_fail(err, MNEME_INVALID,
                           "tokens.axes: item %zu of axis %zu is no whole number in -127..127", i,
                           axis);
        axes[i * MN_TOKEN_AXES + axis] = (float)yyjson_get_sint(value);
    }
    return MNEME_OK;
}

static enum mneme_status read_tokens(yyjson_val *root, struct mn_model_profile *profile,
                                     struct mneme_error *err)
{
    yyjson_val *tokens = yyjson_obj_get(root, "tokens");
    yyjson_val *axes = yyjson_obj_get(tokens, "axes");

    if (tokens == NULL || yyjson_is_null(tokens))
        return MNEME_OK;
    if (!yyjson_is_obj(tokens))
        return mn_fail(err, MNEME_INVALID, "tokens: is no object");
    MN_TRY(mn_json_only(tokens, TOKENS_FIELDS, err));
    if (!yyjson_is_arr(axes) || yyjson_arr_size(axes) != MN_TOKEN_AXES)
        return mn_fail(err, MNEME_INVALID, "tokens.axes: is no list of %d axes", MN_TOKEN_AXES);
    profile->token_mean = calloc(profile->dim * (MN_TOKEN_AXES + 1), sizeof(float));
    if (profile->token_mean == NULL)
        return mn_fail_memory(err);
    profile->token_axes = profile->token_mean + profile->dim;
    MN_TRY(read_mean(yyjson_obj_get(tokens, "mean"), "tokens.mean", profile->dim, TOKEN_MEAN_MAX,
                     profile->token_mean, err));
    for (size_t i = 0; i < MN_TOKEN_AXES; i++)
        MN_TRY(read_axis(yyjson_arr_get(axes, i), i, profile->dim, profile->token_axes, err));
    return MNEME_OK;
}

void mn_model_profile_turn(const struct mn_model_profile *profile, const float *state,
                           float ret_turned[MN_TOKEN_AXES])
{
    float turned[MN_TOKEN_AXES] = { 0 };

    for (size_t i = 0; i < profile->dim; i++) {
        const float *adds = profile->token_axes + i * MN_TOKEN_AXES;
        float much = state[i] - profile->token_mean[i];

        for (size_t a = 0; a < MN_TOKEN_AXES; a++)
            turned[a] += much * adds[a];
    }
    memcpy(ret_turned, turned, sizeof turned);
}

/* One block for all the means; the first pointer owns it. */
static enum mneme_status allocate_means(struct mn_model_profile *profile, struct mneme_error *err)
{
    float *block = calloc(2 * MN_LANGUAGE_COUNT * profile->dim, sizeof(float));

    if (block == NULL)
        return mn_fail_memory(err);
    for (size_t i = 0; i < MN_LANGUAGE_COUNT; i++) {
        profile->request_mean[i] = block + 2 * i * profile->dim;
        profile->passage_mean[i] = block + (2 * i + 1) * profile->dim;
    }
    return MNEME_OK;
}

static void render_mean(struct mn_json_writer *w, const float *mean, size_t dim)
{
    mn_json_open(w, '[');
    for (size_t i = 0; i < dim; i++)
        mn_json_put_number(w, mean[i], 6);
    mn_json_close(w, ']');
}

/* What a vector depends on. */
static void render_origin(struct mn_json_writer *w, const struct mn_model_profile *profile)
{
    mn_json_field_text(w, "name", profile->name);
    mn_json_field_integer(w, "dim", (int64_t)profile->dim);
    mn_json_field_text(w, "request_prefix", profile->request_prefix);
    mn_json_field_text(w, "passage_prefix", profile->passage_prefix);
    mn_json_field_text(w, "pooling", profile->pooling);
    mn_json_field_text(w, "recipe", profile->recipe);
    mn_json_field_integer(w, "tokens_max", (int64_t)profile->tokens_max);
}

/* What reads it. */
static void render_calibration(struct mn_json_writer *w, const struct mn_model_profile *profile)
{
    for (size_t i = 0; i < NUMBER_COUNT; i++)
        mn_json_field_number(w, NUMBER[i].field, *number_at(profile, i), 6);
    for (size_t i = 0; i < LANGUAGE_COUNT; i++) {
        mn_json_key(w, LANGUAGE[i].name);
        mn_json_open(w, '[');
        render_mean(w, profile->request_mean[LANGUAGE[i].language], profile->dim);
        render_mean(w, profile->passage_mean[LANGUAGE[i].language], profile->dim);
        mn_json_close(w, ']');
    }
}

static enum mneme_status hash_of_tokens(struct mn_model_profile *profile, struct mneme_error *err)
{
    char hex[MN_SHA256_HEX_BYTES];

    profile->tokens_hash[0] = '\0';
    if (profile->token_mean == NULL)
        return MNEME_OK;
    if (!mn_sha256_hex(profile->token_mean, profile->dim * (MN_TOKEN_AXES + 1) * sizeof(float), hex))
        return mn_fail_memory(err);
    snprintf(profile->tokens_hash, sizeof(profile->tokens_hash), "%s.%.16s", profile->vectors_hash,
             hex);
    return MNEME_OK;
}

static enum mneme_status hash_of(const struct mn_model_profile *profile, bool whole, char hash[17],
                                 struct mneme_error *err)
{
    MN_BUF_AUTO text = { 0 };
    struct mn_json_writer w = { .out = &text };
    char hex[MN_SHA256_HEX_BYTES];

    mn_json_open(&w, '{');
    render_origin(&w, profile);
    if (whole)
        render_calibration(&w, profile);
    if (whole && profile->tokens_hash[0])
        mn_json_field_text(&w, "tokens", profile->tokens_hash);
    mn_json_close(&w, '}');
    if (text.failed || !mn_sha256_hex(text.at, text.bytes, hex))
        return mn_fail_memory(err);
    memcpy(hash, hex, 16);
    hash[16] = '\0';
    return MNEME_OK;
}

static enum mneme_status set_hashes(struct mn_model_profile *profile, struct mneme_error *err)
{
    MN_TRY(hash_of(profile, false, profile->vectors_hash, err));
    MN_TRY(hash_of_tokens(profile, err));
    return hash_of(profile, true, profile->hash, err);
}

enum mneme_status mn_model_profile_parse(const char *json, struct mn_model_profile *ret_profile,
                                         struct mneme_error *err)
{
    MN_JSON_AUTO doc = NULL;
    MN_CLEANUP(mn_model_profile_release) struct mn_model_profile profile;
    size_t bytes;

    set_defaults(&profile);
    if (json == NULL) {
        json = (const char *)mn_profile_multilingual_e5_small_q4_0;
        bytes = (size_t)(mn_profile_multilingual_e5_small_q4_0_end -
                         mn_profile_multilingual_e5_small_q4_0);
    } else {
        bytes = strlen(json);
    }
    if (bytes > PROFILE_BYTES_MAX)
        return mn_fail(err, MNEME_LIMIT, "profile: %zu bytes, at most %d", bytes,
                       PROFILE_BYTES_MAX);
    MN_TRY(mn_json_parse("profile", json, bytes, &doc, err));
    MN_TRY(mn_json_only(yyjson_doc_get_root(doc), FIELDS, err));
    MN_TRY(read_scalars(yyjson_doc_get_root(doc), &profile, err));
    MN_TRY(allocate_means(&profile, err));
    MN_TRY(read_means(yyjson_doc_get_root(doc), &profile, err));
    MN_TRY(read_tokens(yyjson_doc_get_root(doc), &profile, err));
    MN_TRY(set_hashes(&profile, err));

    *ret_profile = profile;
    profile = (struct mn_model_profile){ 0 }; /* the means went with the copy */
    return MNEME_OK;
}

enum mneme_status mn_model_profile_rename(struct mn_model_profile *profile, const char *name,
                                          struct mneme_error *err)
{
    size_t bytes = mn_utf8_cut(name, strlen(name), sizeof(profile->name) - 1);
    struct mn_model_profile renamed = *profile;

    memcpy(renamed.name, name, bytes);
    renamed.name[bytes] = '\0';
    MN_TRY(set_hashes(&renamed, err));
    *profile = renamed;
    return MNEME_OK;
}

void mn_model_profile_release(struct mn_model_profile *profile)
{
    free(profile->request_mean[0]);
    free(profile->token_mean);
    *profile = (struct mn_model_profile){ 0 };
}

void mn_model_profile_none(struct mn_model_profile *ret_profile)
{
    set_defaults(ret_profile);
    strcpy(ret_profile->name, "none");
}
