/*
 * calibrate.c - embed, centre, ask; and write the profile.
 *
 * Twice a store is opened: for the texts' vectors and states, which need no calibration, and with
 * the new means, to ask the requests of all passages as a recall does. So the floors are read on the
 * very figure that a floor is held against. Vectors do not depend on the calibration and come from
 * the cache the second time.
 *
 * A request is asked once of all passages: what its own topic scores says what a floor would lose,
 * and the best of the other topics what a stranger's request would score.
 */
#include "eval/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "base/str.h"
#include "eval/lines.h"
#include "eval/progress.h"
#include "eval/text_pool.h"
#include "eval/token_axes.h"

#define ARENA_BYTES_MAX ((size_t)1 << 30)
#define PROFILE_BYTES_MAX ((size_t)4 << 20)
#define LOST_SHARE 0.02
#define STEP 0.01
#define TOKEN_AXES 128  /* as many as a profile has */
#define STATES_MAX 512  /* of one text */

enum language { ZH = 0, EN, LANGUAGE_COUNT };
enum kind { PASSAGE = 0, REQUEST, STATEMENT, REWORDING, KIND_COUNT };
enum side { OF_PASSAGES = 0, OF_REQUESTS, SIDE_COUNT };

static const char *const LANGUAGE[LANGUAGE_COUNT] = { "zh", "en" };
static const char *const KIND[KIND_COUNT] = { "passage", "request", "statement", "rewording" };
static const char *const SIDE[SIDE_COUNT] = { "passage", "request" };

struct text {
    enum language language;
    enum kind kind;
    const char *topic; /* "": none */
    const char *text;
    float *vector; /* as the model makes it */
    double own[LANGUAGE_COUNT]; /* raw relevance of its topic's passage in each language; NaN: none */
    double other;               /* of the best passage of another topic */
};

struct calibration {
    const struct mn_calibrate_options *options;
    struct mn_arena *arena;
    yyjson_doc *base; /* the profile given */
    size_t dim;
    struct {
        struct text *item;
        size_t count, room;
    } texts;
    float *mean[LANGUAGE_COUNT][SIDE_COUNT];
    size_t token_states;
    double *token_mean; /* of states of tokens; NULL: the model gives none */
    double *token_axes; /* TOKEN_AXES rows */
};

/* ---- reading ---- */

static int name_of(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return i;
    return -1;
}

static enum mneme_status read_text(void *context, struct mn_str line, struct mneme_error *err)
{
    struct calibration *c = context;
    struct text *text = mn_array_add(c->arena, &c->texts);
    const char *language = "", *kind = "";
    MN_JSON_AUTO doc = NULL;

    if (!text)
        return mn_fail_memory(err);
    *text = (struct text){ .topic = "", .text = "", .own = { NAN, NAN } };
    MN_TRY(mn_json_parse("text", line.at, line.bytes, &doc, err));
    yyjson_val *root = yyjson_doc_get_root(doc);
    MN_TRY(mn_json_text(root, "lang", MNEME_NAME_BYTES_MAX, c->arena, &language, err));
    MN_TRY(mn_json_text(root, "kind", MNEME_NAME_BYTES_MAX, c->arena, &kind, err));
    MN_TRY(mn_json_text(root, "topic", MNEME_ID_BYTES_MAX, c->arena, &text->topic, err));
    MN_TRY(mn_json_text(root, "text", MNEME_TEXT_BYTES_MAX, c->arena, &text->text, err));
    int l = name_of(LANGUAGE, LANGUAGE_COUNT, language);
    int k = name_of(KIND, KIND_COUNT, strcmp(kind, "query") ? kind : "request");

    if (l < 0)
        return mn_fail(err, MNEME_INVALID, "lang: '%s' is neither zh nor en", language);
    if (k < 0)
        return mn_fail(err, MNEME_INVALID,
                       "kind: '%s', possible are passage, request, statement, rewording", kind);
    if (mn_empty(text->text))
        return mn_fail(err, MNEME_INVALID, "text: is empty");
    text->language = (enum language)l;
    text->kind = (enum kind)k;
    return MNEME_OK;
}

static enum mneme_status read_base(struct calibration *c, struct mneme_error *err)
{
    const char *path = c->options->setup.profile_path;
    FILE *file = mn_empty(path) ? NULL : fopen(path, "rb");
    MN_BUF_AUTO text = { 0 };
    char chunk[65536];
    size_t got;

    if (mn_empty(path))
        return mn_fail(err, MNEME_INVALID,
                       "model_profile: give one that says name, dim and prefixes");
    if (!file)
        return mn_fail(err, MNEME_NOT_FOUND, "model_profile: cannot read %s", path);
    while (text.bytes <= PROFILE_BYTES_MAX && (got = fread(chunk, 1, sizeof chunk, file)) > 0)
        mn_buf_put(&text, chunk, got);
    fclose(file);
    if (text.failed)
        return mn_fail_memory(err);
    MN_TRY(mn_json_parse("model_profile", text.at ? text.at : "", text.bytes, &c->base, err));
    yyjson_val *root = yyjson_doc_get_root(c->base);
    if (!yyjson_is_obj(root))
        return mn_fail(err, MNEME_INVALID, "model_profile: %s is no object", path);
    if (!yyjson_is_str(yyjson_obj_get(root, "name")) || !yyjson_is_uint(yyjson_obj_get(root, "dim")))
        return mn_fail(err, MNEME_INVALID, "model_profile: %s says no %s", path,
                       yyjson_is_str(yyjson_obj_get(root, "name")) ? "dim" : "name");
    return MNEME_OK;
}

/* ---- what the model makes of them ---- */

static enum side side_of(const struct text *t)
{
    return t->kind == REQUEST || t->kind == STATEMENT ? OF_REQUESTS : OF_PASSAGES;
}

static enum mneme_status embed_all(struct calibration *c, struct mneme *handle,
                                   struct mneme_error *err)
{
    for (size_t i = 0; i < c->texts.count; i++) {
        struct text *t = &c->texts.item[i];

        t->vector = mn_arena_array(c->arena, float, c->dim);
        if (!t->vector)
            return mn_fail_memory(err);
        MN_TRY(mneme_embed(handle, t->text, side_of(t) == OF_REQUESTS, t->vector, c->dim, err));
        mn_progress_tell(c->options->progress, "texts", i + 1, c->texts.count);
    }
    return MNEME_OK;
}

/* A model that gives none, or has fewer dimensions than axes are wanted, goes without. */
static enum mneme_status take_token_axes(struct calibration *c, struct mneme *handle,
                                         struct mneme_error *err)
{
    struct mn_token_axes axes;
    float *states = mn_arena_array(c->arena, float, STATES_MAX *c->dim);
    double *mean = mn_arena_array(c->arena, double, c->dim);
    double *found = mn_arena_array(c->arena, double, TOKEN_AXES *c->dim);

    if (!states || !mean || !found)
        return mn_fail_memory(err);
    if (c->dim < TOKEN_AXES)
        return MNEME_OK;
    MN_TRY(mn_token_axes_init(c->dim, c->arena, &axes, err));
    for (size_t i = 0; i < c->texts.count; i++) {
        const struct text *t = &c->texts.item[i];
        size_t count = 0;
        enum mneme_status status = mneme_token_states(handle, t->text, side_of(t) == OF_REQUESTS,
                                                      states, STATES_MAX, &count, err);

        if (status == MNEME_UNAVAILABLE && i == 0)
            return MNEME_OK;
        MN_TRY(status);
        mn_token_axes_add(&axes, states, count);
        mn_progress_tell(c->options->progress, "tokens", i + 1, c->texts.count);
    }
    MN_TRY(mn_token_axes_find(&axes, TOKEN_AXES, c->arena, mean, found, err));
    c->token_states = axes.count;
    c->token_mean = mean;
    c->token_axes = found;
    return MNEME_OK;
}

static enum mneme_status take_means(struct calibration *c, struct mneme_error *err)
{
    for (int l = 0; l < LANGUAGE_COUNT; l++) {
        for (int s = 0; s < SIDE_COUNT; s++) {
            float *mean = mn_arena_array(c->arena, float, c->dim);
            double *sum = mn_arena_array(c->arena, double, c->dim);
            size_t count = 0;

            if (!mean || !sum)
                return mn_fail_memory(err);
            for (size_t i = 0; i < c->texts.count; i++) {
                const struct text *t = &c->texts.item[i];

                if ((int)t->language != l || t->kind != (s == OF_PASSAGES ? PASSAGE : REQUEST))
                    continue;
                for (size_t d = 0; d < c->dim; d++)
                    sum[d] += (double)t->vector[d];
                count++;
            }
            if (!count)
                return mn_fail(err, MNEME_INVALID, "texts: there is no %s in %s", SIDE[s],
                               LANGUAGE[l]);
            for (size_t d = 0; d < c->dim; d++)
                mean[d] = (float)(sum[d] / (double)count);
            c->mean[l][s] = mean;
        }
    }
    return MNEME_OK;
}

static enum mneme_status ask_model(struct calibration *c, struct mneme_error *err)
{
    MN_SCRATCH_AUTO store = { 0 };

    MN_TRY(mn_scratch_open(&c->options->setup, &store, err));
    if (mneme_model_status(store.handle)[0])
        return mn_fail(err, MNEME_UNAVAILABLE, "%s", mneme_model_status(store.handle));
    c->dim = mneme_model_dim(store.handle);
    MN_TRY(embed_all(c, store.handle, err));
    MN_TRY(take_means(c, err));
    return take_token_axes(c, store.handle, err);
}

static double centred_cosine(const struct calibration *c, const struct text *a,
                             const struct text *b)
{
    const float *mean_a = c->mean[a->language][side_of(a)];
    const float *mean_b = c->mean[b->language][side_of(b)];
    double dot = 0, squares_a = 0, squares_b = 0;

    for (size_t d = 0; d < c->dim; d++) {
        double x = (double)a->vector[d] - (double)mean_a[d];
        double y = (double)b->vector[d] - (double)mean_b[d];

        dot += x * y;
        squares_a += x * x;
        squares_b += y * y;
    }
    return squares_a > 0 && squares_b > 0 ? dot / sqrt(squares_a * squares_b) : 0;
}

/* Of every request with every passage of another topic. */
static void measure_unrelated(const struct calibration *c, struct mn_calibrate_report *report)
{
    double sum = 0, squares = 0, count = 0;

    for (size_t i = 0; i < c->texts.count; i++) {
        for (size_t j = 0; j < c->texts.count; j++) {
            const struct text *a = &c->texts.item[i], *b = &c->texts.item[j];

            if (a->kind != REQUEST || b->kind != PASSAGE || mn_empty(a->topic) ||
                mn_empty(b->topic) || !strcmp(a->topic, b->topic))
                continue;
            double cosine = centred_cosine(c, a, b);

            sum += cosine;
            squares += cosine * cosine;
            count++;
        }
    }
    report->unrelated_mean = count > 0 ? sum / count : NAN;
    report->unrelated_spread =
        count > 0 ? sqrt(fmax(squares / count - sum / count * (sum / count), 0)) : NAN;
}

/* ---- thresholds ---- */

static int rising(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double step_below(double value)
{
    return floor(value / STEP + 1e-9) * STEP;
}

/* The highest step that 2 % of the values, or one of them, are below at most; NaN of none. */
static double highest_step(double *value, size_t count)
{
    size_t below = (size_t)ceil(LOST_SHARE * (double)count - 1e-9);

    if (!count)
        return NAN;
    qsort(value, count, sizeof *value, rising);
    return step_below(value[below < count ? below : count - 1]);
}

/* It only nominates, and so must miss none. */
static double measure_duplicates(const struct calibration *c)
{
    double least = NAN;

    for (size_t i = 0; i < c->texts.count; i++) {
        for (size_t j = 0; j < c->texts.count; j++) {
            const struct text *a = &c->texts.item[i], *b = &c->texts.item[j];

            if (a->kind == REWORDING && b->kind == PASSAGE && a->language == b->language &&
                !mn_empty(a->topic) && !strcmp(a->topic, b->topic))
                least = fmin(least, centred_cosine(c, a, b));
        }
    }
    return isnan(least) ? NAN : step_below(least);
}

static enum mneme_status measure_floor(const struct calibration *c, enum kind kind,
                                       double *ret_floor, double *ret_rejected,
                                       struct mneme_error *err)
{
    double *own = mn_arena_array(c->arena, double, c->texts.count * LANGUAGE_COUNT + 1);
    size_t count = 0, asked = 0, rejected = 0;

    if (!own)
        return mn_fail_memory(err);
    for (size_t i = 0; i < c->texts.count; i++)
        for (int l = 0; l < LANGUAGE_COUNT; l++)
            if (c->texts.item[i].kind == kind && !isnan(c->texts.item[i].own[l]) &&
                (kind == REQUEST || (int)c->texts.item[i].language == l))
                own[count++] = c->texts.item[i].own[l];
    *ret_floor = highest_step(own, count);
    for (size_t i = 0; i < c->texts.count; i++) {
        const struct text *t = &c->texts.item[i];

        if (t->kind != kind || mn_empty(t->topic))
            continue;
        asked++;
        rejected += !(t->other >= *ret_floor);
    }
    *ret_rejected = asked ? (double)rejected / (double)asked : NAN;
    return MNEME_OK;
}

/* ---- asking ---- */

static enum mneme_status read_relevance(const char *trace, const struct text *const *passage,
                                        size_t passage_count, struct text *text,
                                        struct mneme_error *err)
{
    MN_JSON_AUTO doc = NULL;
    size_t at, count;
    yyjson_val *item;

    MN_TRY(mn_json_parse("trace", trace, strlen(trace), &doc, err));
    text->other = -INFINITY; /* not found at all */
    for (size_t i = 0; i < passage_count; i++)
        if (!strcmp(passage[i]->topic, text->topic))
            text->own[passage[i]->language] = -INFINITY;
    yyjson_arr_foreach(yyjson_obj_get(yyjson_doc_get_root(doc), "selected"), at, count, item)
    {
        const char *id = yyjson_get_str(yyjson_obj_get(item, "id"));
        double raw = yyjson_get_num(yyjson_obj_get(yyjson_obj_get(item, "raw"), "relevance"));
        size_t number = id ? strtoul(id, NULL, 10) : passage_count;

        if (number >= passage_count)
            continue;
        if (!strcmp(passage[number]->topic, text->topic))
            text->own[passage[number]->language] = raw;
        else
            text->other = fmax(text->other, raw);
    }
    return MNEME_OK;
}

static enum mneme_status ask(const struct mn_text_pool *pool, const struct text *const *passage,
                             size_t passage_count, struct text *text, struct mneme_error *err)
{
    struct mneme_request request = mn_text_pool_request(pool, text->text);
    struct mneme_answer *answer = NULL;

    request.mode = MNEME_MODE_HYBRID;
    request.profile = MNEME_PROFILE_SIMILARITY;
    request.depth = request.items_max = passage_count;
    request.without_limits = 1;
    MN_TRY(mneme_retrieve(pool->store.handle, &request, &answer, err));
    enum mneme_status status =
        read_relevance(answer->trace, passage, passage_count, text, err);
    mneme_answer_free(answer);
    return status;
}

static enum mneme_status ask_all(struct calibration *c, const char *profile_path,
                                 struct mneme_error *err)
{
    const struct text **passage = mn_arena_array(c->arena, const struct text *, c->texts.count + 1);
    const char **words = mn_arena_array(c->arena, const char *, c->texts.count + 1);
    struct mn_eval_setup setup = c->options->setup;
    MN_TEXT_POOL_AUTO pool = { 0 };
    size_t count = 0;

    if (!passage || !words)
        return mn_fail_memory(err);
    for (size_t i = 0; i < c->texts.count; i++) {
        if (c->texts.item[i].kind != PASSAGE)
            continue;
        words[count] = c->texts.item[i].text;
        passage[count++] = &c->texts.item[i];
    }
    setup.profile_path = profile_path;
    MN_TRY(mn_text_pool_open_texts(words, count, &setup, &pool, err));
    if (!mn_empty(pool.model_status))
        return mn_fail(err, MNEME_UNAVAILABLE, "%s", pool.model_status);
    for (size_t i = 0; i < c->texts.count; i++) {
        struct text *t = &c->texts.item[i];

        if ((t->kind == REQUEST || t->kind == STATEMENT) && !mn_empty(t->topic))
            MN_TRY(ask(&pool, passage, count, t, err));
        mn_progress_tell(c->options->progress, "requests", i + 1, c->texts.count);
    }
    return MNEME_OK;
}

/* ---- the profile ---- */

static void put_means(struct mn_json_writer *w, const struct calibration *c)
{
    mn_json_key(w, "mean");
    mn_json_open(w, '{');
    for (int l = 0; l < LANGUAGE_COUNT; l++) {
        mn_json_key(w, LANGUAGE[l]);
        mn_json_open(w, '{');
        for (int s = SIDE_COUNT - 1; s >= 0; s--) {
            mn_json_key(w, SIDE[s]);
            mn_json_open(w, '[');
            for (size_t d = 0; d < c->dim; d++)
                mn_json_put_number(w, (double)c->mean[l][s][d], 6);
            mn_json_close(w, ']');
        }
        mn_json_close(w, '}');
    }
    mn_json_close(w, '}');
}

/* Whole numbers of one unit, the largest 127. */
static void put_token_axes(struct mn_json_writer *w, const struct calibration *c)
{
    double most = 0;

    for (size_t i = 0; i < TOKEN_AXES * c->dim; i++)
        most = fmax(most, fabs(c->token_axes[i]));
    mn_json_key(w, "tokens");
    mn_json_open(w, '{');
    mn_json_key(w, "mean");
    mn_json_open(w, '[');
    for (size_t d = 0; d < c->dim; d++)
        mn_json_put_number(w, c->token_mean[d], 6);
    mn_json_close(w, ']');
    mn_json_key(w, "axes");
    mn_json_open(w, '[');
    for (size_t a = 0; a < TOKEN_AXES; a++) {
        mn_json_open(w, '[');
        for (size_t d = 0; d < c->dim; d++)
            mn_json_put_integer(w, lrint(c->token_axes[a * c->dim + d] / most * 127));
        mn_json_close(w, ']');
    }
    mn_json_close(w, ']');
    mn_json_close(w, '}');
}

/* The given profile with what was measured in its place. */
static enum mneme_status write_profile(const struct calibration *c, const char *path,
                                       const struct mn_calibrate_report *report,
                                       struct mneme_error *err)
{
    const struct {
        const char *field;
        double value;
        int decimals;
    } measured[] = {
        { "unrelated_mean", report->unrelated_mean, 4 },
        { "floor_question", report->floor_question, 2 },
        { "floor_statement", report->floor_statement, 2 },
        { "duplicate_cosine", report->duplicate_cosine, 2 },
    };
    const size_t measured_count = sizeof measured / sizeof measured[0];
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };
    size_t at, count;
    yyjson_val *key, *value;

    mn_json_open(&w, '{');
    yyjson_obj_foreach(yyjson_doc_get_root(c->base), at, count, key, value)
    {
        const char *field = yyjson_get_str(key);
        bool replaced = !strcmp(field, "mean") || (c->token_axes && !strcmp(field, "tokens"));

        for (size_t i = 0; i < measured_count; i++)
            replaced = replaced || (!strcmp(field, measured[i].field) && !isnan(measured[i].value));
        if (replaced)
            continue;
        char *json = yyjson_val_write(value, 0, NULL);

        if (!json)
            return mn_fail_memory(err);
        mn_json_key(&w, field);
        mn_json_put_raw(&w, json);
        free(json);
    }
    for (size_t i = 0; i < measured_count; i++)
        if (!isnan(measured[i].value))
            mn_json_field_number(&w, measured[i].field, measured[i].value, measured[i].decimals);
    put_means(&w, c);
    if (c->token_axes)
        put_token_axes(&w, c);
    mn_json_close(&w, '}');
    mn_buf_char(&out, '\n');
    return mn_lines_write(path, &out, err);
}

/* ---- beside the given one ---- */

static double base_number(const struct calibration *c, const char *field)
{
    yyjson_val *value = yyjson_obj_get(yyjson_doc_get_root(c->base), field);

    return yyjson_is_num(value) ? yyjson_get_num(value) : NAN;
}

static double cosine_with_base(const struct calibration *c, int l, int s)
{
    yyjson_val *list = yyjson_obj_get(
        yyjson_obj_get(yyjson_obj_get(yyjson_doc_get_root(c->base), "mean"), LANGUAGE[l]), SIDE[s]);
    double dot = 0, squares = 0, base_squares = 0;
    size_t at, count;
    yyjson_val *number;

    if (yyjson_arr_size(list) != c->dim)
        return NAN;
    yyjson_arr_foreach(list, at, count, number)
    {
        double x = yyjson_get_num(number), y = (double)c->mean[l][s][at];

        dot += x * y;
        base_squares += x * x;
        squares += y * y;
    }
    return squares > 0 && base_squares > 0 ? dot / sqrt(squares * base_squares) : NAN;
}

static void compare_with_base(const struct calibration *c, struct mn_calibrate_report *report)
{
    report->mean_cosine = NAN;
    for (int l = 0; l < LANGUAGE_COUNT; l++)
        for (int s = 0; s < SIDE_COUNT; s++)
            report->mean_cosine = fmin(report->mean_cosine, cosine_with_base(c, l, s));
    report->base_unrelated_mean = base_number(c, "unrelated_mean");
    report->base_floor_question = base_number(c, "floor_question");
    report->base_floor_statement = base_number(c, "floor_statement");
    report->base_duplicate_cosine = base_number(c, "duplicate_cosine");
}

/* ---- the whole ---- */

static enum mneme_status run(struct calibration *c, struct mn_calibrate_report *report,
                             struct mneme_error *err)
{
    MN_TRY(read_base(c, err));
    MN_TRY(mn_lines_read(c->options->texts_path, true, read_text, c, err));
    MN_TRY(ask_model(c, err));
    report->texts = c->texts.count;
    report->token_states = c->token_states;
    measure_unrelated(c, report);
    report->duplicate_cosine = measure_duplicates(c);
    report->floor_question = report->floor_statement = NAN;
    MN_TRY(write_profile(c, c->options->out_path, report, err));
    MN_TRY(ask_all(c, c->options->out_path, err));
    MN_TRY(measure_floor(c, REQUEST, &report->floor_question, &report->rejected_question, err));
    MN_TRY(measure_floor(c, STATEMENT, &report->floor_statement, &report->rejected_statement, err));
    compare_with_base(c, report);
    return write_profile(c, c->options->out_path, report, err);
}

enum mneme_status mn_calibrate_run(const struct mn_calibrate_options *options,
                                   struct mn_calibrate_report *ret_report, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct calibration c = { .options = options, .arena = arena };
    struct mn_calibrate_report report = { 0 };

    if (!arena)
        return mn_fail_memory(err);
    enum mneme_status status = run(&c, &report, err);
    yyjson_doc_free(c.base);
    if (status == MNEME_OK)
        *ret_report = report;
    return status;
}
