/*
 * model_search.c - see model_search.h. Slow, and meant to be read beside the formulas of search.h,
 * text_request.h and vector_index.h; shares only the tokenizer, the rules of access and the
 * record's copy with the engine it checks.
 */
#include "fakes/model_search.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/str.h"
#include "fakes/model_items.h"
#include "memory/record.h"

struct model {
    struct mn_search search;
    size_t dim;
    double *request_mean[K_LANGUAGES], *passage_mean[K_LANGUAGES];
    double share, k;
    struct box *first;
};

/* ---- units ---- */

static void add_words(struct item *item, struct mn_terms *terms, size_t *done, const char *text,
                      double weight)
{
    if (mn_empty(text))
        return;
    assert(mn_text_terms(item->arena, text, strlen(text), terms, NULL) == MNEME_OK);
    for (; *done < terms->count; ++*done) {
        const struct mn_term *term = &terms->item[*done];
        size_t w = 0;

        while (w < item->word_count && item->word[w].hash != term->hash)
            w++;
        if (w == item->word_count) {
            item->word = must(realloc(item->word, (w + 1) * sizeof *item->word));
            item->word[w] = (struct word){ .hash = term->hash, .term = *term };
            item->word_count++;
        }
        item->word[w].tf = fmin(item->word[w].tf + weight, 127.5);
        item->length += weight;
    }
}

static void read_words(struct item *item)
{
    static const char *const month[] = { "January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December" };
    const struct mneme_memory *m = &item->unit.memory;
    struct mn_terms terms = { 0 };
    size_t done = 0;
    int year, mon, day;
    char date[64];

    add_words(item, &terms, &done, m->title, 2);
    add_words(item, &terms, &done, m->content, 1);
    for (size_t i = 0; i < m->keywords.count; i++)
        add_words(item, &terms, &done, m->keywords.item[i], 1.5);
    for (size_t i = 0; i < m->usage_scenario.count; i++)
        add_words(item, &terms, &done, m->usage_scenario.item[i], 1);
    for (size_t i = 0; i < m->entities.count; i++)
        add_words(item, &terms, &done, m->entities.item[i], 1.5);
    item->body_length = item->length;
    if (!item->unit.is_event)
        return;
    add_words(item, &terms, &done, item->unit.speaker, 1);
    if (!m->event_time_ms)
        return;
    mn_civil_from_days((int64_t)floor((double)m->event_time_ms / (double)MN_DAY_MS), &year, &mon,
                       &day);
    if (item->language == MN_LANGUAGE_ZH)
        snprintf(date, sizeof date, "%d年%d月%d日", year, mon, day);
    else
        snprintf(date, sizeof date, "%d %s %d", day, month[mon - 1], year);
    size_t first = terms.count;
    add_words(item, &terms, &done, date, 1);
    for (size_t i = first; i < terms.count; i++)
        for (size_t w = 0; w < item->word_count; w++)
            if (item->word[w].hash == terms.item[i].hash && terms.item[i].kind == MN_TERM_WORD)
                item->word[w].date_tf += 1;
}

static struct item *item_new(const struct model *model, const struct mn_unit *unit)
{
    struct item *item = must(calloc(1, sizeof *item));
    char text[4096];

    item->arena = must(mn_arena_new(SIZE_MAX));
    item->unit = *unit;
    item->unit.id = must(mn_arena_copy(item->arena, unit->id));
    item->unit.parent_id = must(mn_arena_copy(item->arena, unit->parent_id));
    item->unit.session_id = must(mn_arena_copy(item->arena, unit->session_id));
    item->unit.speaker = must(mn_arena_copy(item->arena, unit->speaker));
    item->unit.vector = NULL;
    item->unit.vector_dim = 0;
    assert(mn_memory_copy(&unit->memory, item->arena, &item->unit.memory, NULL) == MNEME_OK);
    snprintf(text, sizeof text, "%s%s%s", item->unit.memory.title,
             mn_empty(unit->memory.title) ? "" : " ", item->unit.memory.content);
    item->language = mn_text_language(text, strlen(text));
    read_words(item);
    if (unit->vector && model->dim) {
        double length = 0;

        for (size_t i = 0; i < model->dim; i++)
            length += (double)unit->vector[i] * (double)unit->vector[i];
        if (length > 1e-12) {
            item->vector = must(calloc(model->dim, sizeof(double)));
            for (size_t i = 0; i < model->dim; i++)
                item->vector[i] = (double)unit->vector[i] / sqrt(length);
        }
    }
    return item;
}

static void item_free(struct item *item)
{
    mn_arena_free(item->arena);
    free(item->word);
    free(item->vector);
    free(item);
}

/* ---- partitions ---- */

static struct box *box_find(const struct model *model, struct mn_partition partition)
{
    struct box *box = model->first;

    while (box && (strcmp(box->tenant, partition.tenant) || strcmp(box->owner, partition.owner)))
        box = box->next;
    return box;
}

static void box_empty(struct model *model, struct box *box)
{
    for (size_t i = 0; i < box->count; i++)
        item_free(box->item[i]);
    free(box->item);
    box->item = NULL;
    box->count = 0;
    for (size_t l = 0; l < K_LANGUAGES; l++) {
        memcpy(box->mean[l], model->passage_mean[l], model->dim * sizeof(double));
        box->mean_rows[l] = 0;
    }
}

static struct box *box_make(struct model *model, struct mn_partition partition)
{
    struct box *box = must(calloc(1, sizeof *box));

    box->tenant = must(strdup(partition.tenant));
    box->owner = must(strdup(partition.owner));
    box->cursor = must(strdup(""));
    for (size_t l = 0; l < K_LANGUAGES; l++)
        box->mean[l] = must(calloc(model->dim + 1, sizeof(double)));
    box->next = model->first;
    model->first = box;
    box_empty(model, box);
    return box;
}

static void box_free(struct model *model, struct box *box)
{
    box_empty(model, box);
    for (size_t l = 0; l < K_LANGUAGES; l++)
        free(box->mean[l]);
    free(box->tenant);
    free(box->owner);
    free(box->cursor);
    free(box);
}

static void box_remove(struct box *box, const char *id)
{
    for (size_t i = 0; i < box->count; i++) {
        if (strcmp(box->item[i]->unit.id, id))
            continue;
        item_free(box->item[i]);
        memmove(&box->item[i], &box->item[i + 1], (--box->count - i) * sizeof(struct item *));
        return;
    }
}

static void box_recentre(const struct model *model, struct box *box)
{
    for (size_t l = 0; l < K_LANGUAGES; l++) {
        size_t now = 0, then = box->mean_rows[l];

        for (size_t i = 0; i < box->count; i++)
            now += box->item[i]->vector && box->item[i]->language == l;
        if (now == then || !(now * 4 >= then * 5 || now * 5 <= then * 4))
            continue;
        box->mean_rows[l] = now;
        for (size_t d = 0; d < model->dim; d++) {
            double sum = model->k * model->passage_mean[l][d];

            for (size_t i = 0; i < box->count; i++)
                if (box->item[i]->vector && box->item[i]->language == l)
                    sum += box->item[i]->vector[d];
            box->mean[l][d] = (double)now + model->k > 0 ? sum / ((double)now + model->k)
                                                         : model->passage_mean[l][d];
        }
    }
}

static enum mneme_status model_apply(struct mn_search *search, struct mn_partition partition,
                                     bool reset, const struct mn_unit *units, size_t unit_count,
                                     const char *const *dropped, size_t dropped_count,
                                     const char *cursor, struct mneme_error *err)
{
    struct model *model = (struct model *)(void *)search;
    struct box *box = box_find(model, partition);

    for (size_t i = 0; i < unit_count; i++)
        if (mn_empty(units[i].id) || !mn_same(units[i].memory.tenant_id, partition.tenant) ||
            !mn_same(units[i].memory.user_id, partition.owner) ||
            (units[i].vector && model->dim && units[i].vector_dim != model->dim))
            return mn_fail(err, MNEME_INVALID, "unit: does not belong here");
    if (!box && !reset)
        return mn_fail(err, MNEME_NOT_FOUND, "partition: not here");
    if (!box)
        box = box_make(model, partition);
    if (reset)
        box_empty(model, box);
    for (size_t i = 0; i < dropped_count; i++)
        box_remove(box, dropped[i]);
    for (size_t i = 0; i < unit_count; i++) {
        box_remove(box, units[i].id);
        box->item = must(realloc(box->item, (box->count + 1) * sizeof *box->item));
        box->item[box->count++] = item_new(model, &units[i]);
    }
    box_recentre(model, box);
    free(box->cursor);
    box->cursor = must(strdup(cursor));
    return MNEME_OK;
}

static enum mneme_status model_position(struct mn_search *search, struct mn_partition partition,
                                        struct mn_arena *arena, const char **ret_cursor,
                                        struct mneme_error *err)
{
    struct box *box = box_find((struct model *)(void *)search, partition);

    if (!box || !*box->cursor)
        return mn_fail(err, MNEME_NOT_FOUND, "partition: not here");
    *ret_cursor = must(mn_arena_copy(arena, box->cursor));
    return MNEME_OK;
}

/* ---- a request ---- */

static bool in_set(mn_type_set set, const char *name)
{
    int type = mn_type_find(name);

    return set >> (type == MN_TYPE_NONE ? mn_type_find("fact") : type) & 1;
}

static bool in_range(const struct mn_query *query, int64_t at)
{
    if ((query->after_ms || query->before_ms) && !at)
        return false;
    return !(query->after_ms && at < query->after_ms) &&
           !(query->before_ms && at >= query->before_ms);
}

static struct pool pool_of(struct model *model, const struct mn_query *query)
{
    const char *const owner[2] = { query->access->user, "" };
    struct pool pool = { 0 };

    for (int i = 0; i < 2; i++) {
        struct box *box = box_find(model, (struct mn_partition){ query->access->tenant, owner[i] });

        if (!box || !*box->cursor) {
            pool.partial = true;
            continue;
        }
        pool.item = must(realloc(pool.item, (pool.count + box->count + 1) * sizeof *pool.item));
        for (size_t j = 0; j < box->count; j++) {
            struct item *item = box->item[j];
            enum mn_reason reason;
            bool seen = mn_access_allows(query->access, &item->unit.memory, item->unit.confidence,
                                         &reason) &&
                        in_range(query, item->unit.memory.event_time_ms);

            pool.item[pool.count++] = (struct scored){
                .item = item,
                .box = box,
                .hit = { .shared = i == 1, .language = item->language, .unit = &item->unit },
                .chosen = seen, /* for now: may be seen */
                .seen_as_text = seen && in_set(query->text_types, item->unit.memory.type),
                .seen_as_vector = seen && in_set(query->vector_types, item->unit.memory.type)
            };
        }
    }
    return pool;
}

const struct word *model_word_of(const struct item *item, uint64_t hash)
{
    for (size_t w = 0; w < item->word_count; w++)
        if (item->word[w].hash == hash)
            return &item->word[w];
    return NULL;
}

static bool latin(struct mn_str text)
{
    for (size_t i = 0; i < text.bytes; i++)
        if ((unsigned char)text.at[i] > 0xC9)
            return false;
    return true;
}

static void digits(struct mn_str text, char out[128])
{
    size_t n = 0;

    for (size_t i = 0; i < text.bytes && n < 127; i++)
        if (text.at[i] >= '0' && text.at[i] <= '9')
            out[n++] = text.at[i];
    out[n] = 0;
}

static bool may_guess(const struct mn_term *term)
{
    char found[128];

    digits(term->text, found);
    return term->kind != MN_TERM_HAN && term->text.bytes >= 5 && term->text.bytes <= 64 &&
           latin(term->text) && (term->kind == MN_TERM_EXACT || !*found);
}

struct spelling {
    const struct box *box;
    const struct mn_term *term;
    unsigned distance;
};

static int by_spelling(const void *a, const void *b)
{
    const struct spelling *x = a, *y = b;
    size_t least =
        x->term->text.bytes < y->term->text.bytes ? x->term->text.bytes : y->term->text.bytes;

    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    int order = memcmp(x->term->text.at, y->term->text.at, least);
    return order ? order
                 : (x->term->text.bytes > y->term->text.bytes) -
                       (x->term->text.bytes < y->term->text.bytes);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Adds hashes of what the text begins in one box, shortest first, while there is room for 16. */
static size_t begun(const struct pool *pool, const struct box *box, struct mn_str text, size_t taken,
                    uint64_t hash[SOUGHT_MAX])
{
    struct spelling *found = NULL;
    size_t count = 0;

    for (size_t i = 0; i < pool->count; i++) {
        for (size_t w = 0; pool->item[i].box == box && w < pool->item[i].item->word_count; w++) {
            const struct mn_term *term = &pool->item[i].item->word[w].term;
            size_t bytes = term->text.bytes, same = 0;

            if (term->kind == MN_TERM_HAN || bytes < 4 || bytes > 64 || !latin(term->text) ||
                bytes <= text.bytes || memcmp(term->text.at, text.at, text.bytes) ||
                (is_digit(text.at[text.bytes - 1]) && is_digit(term->text.at[text.bytes])))
                continue;
            while (same < count && found[same].term->hash != term->hash)
                same++;
            if (same < count)
                continue;
            found = must(realloc(found, (count + 1) * sizeof *found));
            found[count++] = (struct spelling){ box, term, (unsigned)(bytes - text.bytes) };
        }
    }
    if (count)
        qsort(found, count, sizeof *found, by_spelling);
    for (size_t i = 0; i < count && taken < SOUGHT_MAX; i++)
        hash[taken++] = found[i].term->hash;
    free(found);
    return taken;
}

/* Hashes that stand for a mistyped term in one box, at most 4 of the nearest distance. */
static size_t guess(const struct pool *pool, const struct box *box, struct mn_str text,
                    unsigned *nearest, uint64_t hash[SOUGHT_MAX])
{
    unsigned edits = text.bytes >= 8 ? 2 : 1;
    struct spelling *found = NULL;
    size_t count = 0, taken = 0;
    char wanted[128], has[128];

    digits(text, wanted);
    for (size_t i = 0; i < pool->count; i++) {
        if (pool->item[i].box != box)
            continue;
        for (size_t w = 0; w < pool->item[i].item->word_count; w++) {
            const struct mn_term *term = &pool->item[i].item->word[w].term;
            size_t same = 0;

            if (term->kind == MN_TERM_HAN || term->text.bytes < 4 || term->text.bytes > 64 ||
                !latin(term->text))
                continue;
            digits(term->text, has);
            unsigned distance = mn_text_distance(text, term->text, edits);
            while (same < count && found[same].term->hash != term->hash)
                same++;
            if (distance > edits || strcmp(has, wanted) || same < count)
                continue;
            found = must(realloc(found, (count + 1) * sizeof *found));
            found[count++] = (struct spelling){ box, term, distance };
        }
    }
    if (count)
        qsort(found, count, sizeof *found, by_spelling);
    if (count && found[0].distance < *nearest)
        *nearest = found[0].distance;
    for (size_t i = 0; i < count && taken < 4 && found[i].distance == *nearest; i++)
        hash[taken++] = found[i].term->hash;
    free(found);
    return taken;
}

static size_t df_of(const struct pool *pool, const struct box *box, uint64_t hash)
{
    size_t df = 0;

    for (size_t i = 0; i < pool->count; i++)
        df += (!box || pool->item[i].box == box) && model_word_of(pool->item[i].item, hash);
    return df;
}

static const struct box *other_box(const struct pool *pool)
{
    for (size_t i = 1; i < pool->count; i++)
        if (pool->item[i].box != pool->item[0].box)
            return pool->item[i].box;
    return NULL;
}

/* The rarest hash of a form in one box, 0 when it has not all of them. */
static uint64_t rarest_of(const struct pool *pool, const struct box *box,
                          const struct mn_term_form *form)
{
    uint64_t rarest = 0;

    for (size_t h = 0; h < form->count; h++) {
        size_t df = df_of(pool, box, form->hash[h]);

        if (!df)
            return 0;
        if (!rarest || df < df_of(pool, box, rarest))
            rarest = form->hash[h];
    }
    return rarest;
}

/* Other forms of the t-th term beside it, in each box that holds them. Returns how many rows of all
 * boxes hold one of the hashes, counted a hash. */
static size_t add_forms(const struct pool *pool, const struct box *const box[2],
                        const struct mn_terms *terms, size_t t, struct sought *s)
{
    size_t df = 0;

    for (int i = 0; i < 2; i++) {
        s->count[i] = box[i] && df_of(pool, box[i], terms->item[t].hash) > 0;
        for (size_t f = 0; box[i] && f < terms->forms.count; f++) {
            uint64_t hash = rarest_of(pool, box[i], &terms->forms.item[f]);
            size_t same = 0;

            while (same < s->count[i] && s->hash[i][same] != hash)
                same++;
            if (terms->forms.item[f].ordinal == t && hash && same == s->count[i] &&
                s->count[i] < SOUGHT_MAX)
                s->hash[i][s->count[i]++] = hash;
        }
        for (size_t h = 0; h < s->count[i]; h++)
            df += df_of(pool, box[i], s->hash[i][h]);
    }
    return df;
}

size_t model_seek(const struct pool *pool, const struct mn_terms *terms, struct sought *sought)
{
    const struct box *box[2] = { pool->count ? pool->item[0].box : NULL, other_box(pool) };
    size_t guesses = 0, count = terms ? terms->count : 0;

    for (size_t t = 0; t < count; t++) {
        const struct mn_term *term = &terms->item[t];
        struct sought *s = &sought[t];
        size_t df;
        double n = (double)pool->count;

        *s = (struct sought){ .term = term,
                              .hash = { { term->hash }, { term->hash } },
                              .count = { 1, 1 },
                              .factor = 1 };
        df = add_forms(pool, box, terms, t, s);
        if (term->begins && guesses < 16) {
            guesses++;
            df = 0;
            for (int i = 0; i < 2; i++) {
                if (box[i])
                    s->count[i] = begun(pool, box[i], term->text, s->count[i], s->hash[i]);
                for (size_t h = 0; h < s->count[i]; h++)
                    df += df_of(pool, box[i], s->hash[i][h]);
            }
        }
        if (!df && may_guess(term) && guesses++ < 16) {
            unsigned nearest = 99;

            s->factor = 0.7;
            for (int round = 0; round < 2; round++) /* the second knows the nearest of both */
                for (int i = 0; i < 2; i++)
                    s->count[i] =
                        box[i] ? guess(pool, box[i], term->text, &nearest, s->hash[i]) : 0;
            for (int i = 0; i < 2; i++)
                for (size_t h = 0; h < s->count[i]; h++)
                    df += df_of(pool, box[i], s->hash[i][h]);
            for (int i = 0; i < 2 && nearest == 99 && term->kind == MN_TERM_EXACT; i++) {
                s->count[i] = box[i] ? begun(pool, box[i], term->text, 0, s->hash[i]) : 0;
                for (size_t h = 0; h < s->count[i]; h++)
                    df += df_of(pool, box[i], s->hash[i][h]);
            }
        }
        double d = fmin((double)df, n);
        s->weight = (double)term->weight * log(1 + (n - d + 0.5) / (d + 0.5));
    }
    return count;
}

const struct word *model_sought_in(const struct pool *pool, const struct sought *s,
                                   const struct scored *one)
{
    int side = one->box == other_box(pool);
    const struct word *most = NULL;

    for (size_t h = 0; h < s->count[side]; h++) {
        const struct word *word = model_word_of(one->item, s->hash[side][h]);

        if (word && (!most || word->tf > most->tf))
            most = word;
    }
    return most;
}

static void score_text(struct pool *pool, const struct mn_terms *terms)
{
    static const double k1[2] = { 1.2, 0.9 }, b[2] = { 0.75, 0.4 };
    struct sought *sought = must(calloc(terms ? terms->count + 1 : 1, sizeof *sought));
    size_t count = model_seek(pool, terms, sought);
    double length[2] = { 0 };
    size_t rows[2] = { 0 };

    for (size_t i = 0; i < pool->count; i++) {
        rows[pool->item[i].item->unit.is_event]++;
        length[pool->item[i].item->unit.is_event] += pool->item[i].item->length;
    }
    for (size_t t = 0; t < count; t++) {
        const struct sought *one = &sought[t];

        pool->weight_sum += one->weight;
        for (size_t i = 0; i < pool->count; i++) {
            struct scored *s = &pool->item[i];
            const struct word *word = model_sought_in(pool, one, s);
            int kind = s->item->unit.is_event;
            double average = length[kind] > 0 ? length[kind] / (double)rows[kind] : 1;

            if (!word)
                continue;
            s->hit.coverage += one->weight * one->factor;
            s->hit.bm25 +=
                one->weight * one->factor * word->tf * (k1[kind] + 1) /
                (word->tf + k1[kind] * (1 - b[kind] + b[kind] * s->item->length / average));
        }
    }
    for (size_t i = 0; i < pool->count && pool->weight_sum > 0; i++) {
        struct mn_hit *hit = &pool->item[i].hit;

        hit->coverage /= pool->weight_sum;
        hit->text = 0.5 * hit->coverage + 0.5 * hit->bm25 / pool->weight_sum;
    }
    free(sought);
}

/* n(x - a) . n(y - b) */
static double centred(const double *x, const double *a, const double *y, const double *b,
                      size_t dim)
{
    double xx = 0, yy = 0, xy = 0;

    for (size_t i = 0; i < dim; i++) {
        xx += (x[i] - a[i]) * (x[i] - a[i]);
        yy += (y[i] - b[i]) * (y[i] - b[i]);
        xy += (x[i] - a[i]) * (y[i] - b[i]);
    }
    return xx > 1e-12 && yy > 1e-12 ? xy / sqrt(xx) / sqrt(yy) : 0;
}

static void score_vectors(const struct model *model, struct pool *pool,
                          const struct mn_query *query)
{
    double *q = must(calloc(model->dim + 1, sizeof *q)), length = 0;

    for (size_t d = 0; query->vector && d < model->dim; d++)
        length += (double)query->vector[d] * (double)query->vector[d];
    for (size_t d = 0; length > 1e-12 && d < model->dim; d++)
        q[d] = (double)query->vector[d] / sqrt(length);
    for (size_t i = 0; length > 1e-12 && i < pool->count; i++) {
        struct scored *s = &pool->item[i];
        const double *p = s->item->vector;
        double share = s->item->unit.is_event ? 1 : model->share;
        enum mn_language lq = query->language, lp = s->item->language;

        if (!p)
            continue;
        double b = centred(q, model->request_mean[lq], p, model->passage_mean[lp], model->dim);
        double a = centred(q, s->box->mean[lq], p, s->box->mean[lp], model->dim);
        s->hit.has_vector = true;
        s->hit.vector = share * a + (1 - share) * b;
        for (size_t d = 0; d < model->dim; d++)
            s->hit.cosine += q[d] * p[d];
    }
    free(q);
}

static int by_text(const void *a, const void *b)
{
    const struct scored *x = *(struct scored *const *)a, *y = *(struct scored *const *)b;

    return (x->hit.text < y->hit.text) - (x->hit.text > y->hit.text);
}

static int by_vector(const void *a, const void *b)
{
    const struct scored *x = *(struct scored *const *)a, *y = *(struct scored *const *)b;

    return (x->hit.vector < y->hit.vector) - (x->hit.vector > y->hit.vector);
}

static bool is_among(const struct mn_query *query, const char *id)
{
    for (size_t i = 0; i < query->also_count; i++)
        if (!strcmp(query->also[i], id))
            return true;
    return false;
}

static int by_event_time(const void *a, const void *b)
{
    const struct scored *x = *(struct scored *const *)a, *y = *(struct scored *const *)b;
    int64_t at = x->item->unit.memory.event_time_ms, other = y->item->unit.memory.event_time_ms;

    return (at > other) - (at < other);
}

/* Marks the earliest in the time asked for. */
static void choose_dated(struct pool *pool, const struct mn_query *query)
{
    struct scored **list = must(calloc(pool->count + 1, sizeof *list));
    size_t count = 0;

    for (size_t i = 0; i < pool->count && (query->after_ms || query->before_ms); i++)
        if (pool->item[i].seen_as_text)
            list[count++] = &pool->item[i];
    qsort(list, count, sizeof *list, by_event_time);
    for (size_t i = 0; i < count && i < query->dated_k; i++)
        list[i]->dated = true;
    free(list);
}

static void choose(struct pool *pool, const struct mn_query *query)
{
    struct scored **list = must(calloc(pool->count + 1, sizeof *list));
    size_t count = 0, of_language[K_LANGUAGES] = { 0 }, rank = 0;

    for (size_t i = 0; i < pool->count; i++)
        if (pool->item[i].seen_as_text && pool->item[i].hit.text > 0)
            list[count++] = &pool->item[i];
    qsort(list, count, sizeof *list, by_text);
    for (size_t i = 0; i < count && i < query->text_k; i++)
        list[i]->hit.text_rank = i + 1;

    count = 0;
    for (size_t i = 0; i < pool->count; i++)
        if (pool->item[i].seen_as_vector && pool->item[i].hit.has_vector)
            list[count++] = &pool->item[i];
    qsort(list, count, sizeof *list, by_vector);
    for (size_t i = 0; i < count; i++)
        if (of_language[list[i]->item->language]++ < query->vector_k)
            list[i]->hit.vector_rank = ++rank;
    free(list);
    model_context_around(pool, query);
    choose_dated(pool, query);
    for (size_t i = 0; i < pool->count; i++)
        pool->item[i].chosen = pool->item[i].hit.text_rank || pool->item[i].hit.vector_rank ||
                               pool->item[i].dated ||
                               (pool->item[i].chosen && is_among(query, pool->item[i].item->unit.id));
}

static void answer(struct pool *pool, struct mn_arena *arena, struct mn_hits *ret_hits)
{
    struct mn_hits hits = { .partial = pool->partial, .term_weight_sum = pool->weight_sum };

    for (size_t i = 0; i < pool->count; i++) {
        if (!pool->item[i].chosen)
            continue;
        const struct mn_unit *unit = pool->item[i].hit.unit;
        struct mn_hit *hit = must(mn_array_add(arena, &hits));
        struct mn_unit *copy = must(mn_arena_one(arena, struct mn_unit));

        *hit = pool->item[i].hit;
        *copy = *unit;
        copy->id = must(mn_arena_copy(arena, unit->id));
        copy->parent_id = must(mn_arena_copy(arena, unit->parent_id));
        copy->session_id = must(mn_arena_copy(arena, unit->session_id));
        copy->speaker = must(mn_arena_copy(arena, unit->speaker));
        assert(mn_memory_copy(&unit->memory, arena, &copy->memory, NULL) == MNEME_OK);
        hit->unit = copy;
    }
    free(pool->item);
    *ret_hits = hits;
}

static enum mneme_status model_top(struct mn_search *search, const struct mn_query *query,
                                   struct mn_arena *arena, struct mn_hits *ret_hits,
                                   struct mneme_error *err)
{
    struct model *model = (struct model *)(void *)search;
    struct pool pool = pool_of(model, query);

    (void)err;
    score_text(&pool, query->terms);
    score_vectors(model, &pool, query);
    choose(&pool, query);
    answer(&pool, arena, ret_hits);
    return MNEME_OK;
}

static enum mneme_status model_score(struct mn_search *search, const struct mn_query *query,
                                     const char *const *ids, size_t count, struct mn_arena *arena,
                                     struct mn_hits *ret_hits, struct mneme_error *err)
{
    struct model *model = (struct model *)(void *)search;
    struct pool pool = pool_of(model, query);

    (void)err;
    score_text(&pool, query->terms);
    score_vectors(model, &pool, query);
    for (size_t i = 0; i < pool.count; i++) {
        bool asked = false;

        for (size_t j = 0; j < count; j++)
            asked = asked || !strcmp(pool.item[i].item->unit.id, ids[j]);
        pool.item[i].chosen = pool.item[i].chosen && asked;
    }
    answer(&pool, arena, ret_hits);
    return MNEME_OK;
}

static const struct item *item_of(struct model *model, const struct mn_access *access,
                                  const char *id)
{
    const char *const owner[2] = { access->user, "" };

    for (int b = 0; b < 2; b++) {
        struct box *box = box_find(model, (struct mn_partition){ access->tenant, owner[b] });

        for (size_t i = 0; box && *box->cursor && i < box->count; i++)
            if (!strcmp(box->item[i]->unit.id, id))
                return box->item[i];
    }
    return NULL;
}

static enum mneme_status model_context(struct mn_search *search, const struct mn_query *query,
                                       const char *const *ids, size_t count,
                                       struct mn_arena *arena, struct mn_contexts *ret_contexts,
                                       struct mneme_error *err)
{
    struct model *model = (struct model *)(void *)search;
    struct pool pool = pool_of(model, query);

    (void)err;
    score_vectors(model, &pool, query);
    model_context_read(&pool, query, ids, count, arena, ret_contexts);
    free(pool.item);
    return MNEME_OK;
}

static enum mneme_status model_adjacent(struct mn_search *search, const struct mn_access *access,
                                        const char *const *ids, size_t count,
                                        struct mn_arena *arena, const struct mn_unit **ret,
                                        struct mneme_error *err)
{
    const struct mn_query query = { .access = access };
    struct pool pool = pool_of((struct model *)(void *)search, &query);

    (void)arena;
    (void)err;
    for (size_t i = 0; i < count; i++)
        model_context_adjacent(&pool, ids[i], ret + 2 * i);
    free(pool.item);
    return MNEME_OK;
}

static enum mneme_status model_similarity(struct mn_search *search, const struct mn_access *access,
                                          const char *const *ids, size_t count, float *ret,
                                          struct mneme_error *err)
{
    struct model *model = (struct model *)(void *)search;

    (void)err;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            const struct item *a = item_of(model, access, ids[i]);
            const struct item *b = item_of(model, access, ids[j]);

            ret[i * count + j] =
                a && b && a->vector && b->vector
                    ? (float)centred(a->vector, model->passage_mean[a->language], b->vector,
                                     model->passage_mean[b->language], model->dim)
                    : NAN;
        }
    }
    return MNEME_OK;
}

/* ---- the rest ---- */

static void model_drop(struct mn_search *search, struct mn_partition partition)
{
    struct model *model = (struct model *)(void *)search;
    struct box *box = box_find(model, partition), **link = &model->first;

    if (!box)
        return;
    while (*link != box)
        link = &(*link)->next;
    *link = box->next;
    box_free(model, box);
}

static void model_stats(struct mn_search *search, struct mn_search_stats *ret_stats)
{
    *ret_stats = (struct mn_search_stats){ 0 };
    for (struct box *box = ((struct model *)(void *)search)->first; box; box = box->next) {
        ret_stats->partitions++;
        ret_stats->units += box->count;
        ret_stats->bytes += sizeof *box;
    }
}

static void model_free(struct mn_search *search)
{
    struct model *model = (struct model *)(void *)search;

    while (model->first) {
        struct box *box = model->first;

        model->first = box->next;
        box_free(model, box);
    }
    for (size_t l = 0; l < K_LANGUAGES; l++) {
        free(model->request_mean[l]);
        free(model->passage_mean[l]);
    }
    free(model);
}

static const struct mn_search_ops model_ops = {
    .apply = model_apply,
    .position = model_position,
    .top = model_top,
    .score = model_score,
    .context = model_context,
    .adjacent = model_adjacent,
    .similarity = model_similarity,
    .drop = model_drop,
    .stats = model_stats,
    .free = model_free,
};

static void means(double *to[K_LANGUAGES], const float *const from[K_LANGUAGES], size_t dim)
{
    size_t known = 0;

    for (size_t l = 0; l < K_LANGUAGES; l++)
        known += from[l] != NULL;
    for (size_t l = 0; l < K_LANGUAGES; l++) {
        to[l] = must(calloc(dim + 1, sizeof(double)));
        for (size_t o = 0; o < K_LANGUAGES; o++)
            for (size_t i = 0; from[o] && i < dim; i++)
                to[l][i] += from[l] ? (o == l ? (double)from[o][i] : 0)
                                    : (double)from[o][i] / (double)known;
    }
}

struct mn_search *model_search_new(const struct mn_space *space)
{
    struct model *model = must(calloc(1, sizeof *model));

    model->search.ops = &model_ops;
    model->dim = space->dim;
    model->share = (double)space->own_mean_share;
    model->k = (double)space->partition_k;
    means(model->request_mean, space->request_mean, space->dim);
    means(model->passage_mean, space->passage_mean, space->dim);
    return &model->search;
}
