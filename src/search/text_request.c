/*
 * text_request.c - what a request's terms are in each index, and what one row scores.
 *
 * What is told of a row is computed in double from the row's own terms; which rows are told of is
 * text_top.c's.
 */
#include "search/text_request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* By kind of row: memories, turns, passages. Turns and passages are of even length, which then says less;
 * short turns repeat little. */
static const float K1[MN_TEXT_KINDS] = { 1.2f, 0.9f, 1.2f };
static const float B[MN_TEXT_KINDS] = { 0.75f, 0.4f, 0.4f };

/* ---- looking up ---- */

/* A term before it is known in which index it is. */
struct found {
    uint32_t term[MN_TEXT_INDEXES_MAX][MN_TEXT_SPELLINGS_MAX];
    size_t term_count[MN_TEXT_INDEXES_MAX];
    size_t df;
};

static bool in_use(const void *context, uint32_t term)
{
    const struct mn_text_index *index = context;

    return index->terms.alive[term] > 0;
}

/* Adds a term of one index, once, while there is room. */
static void take(const struct mn_text_request *r, size_t which, uint32_t term, struct found *found)
{
    for (size_t t = 0; t < found->term_count[which]; t++)
        if (found->term[which][t] == term)
            return;
    if (found->term_count[which] == MN_TEXT_SPELLINGS_MAX)
        return;
    found->term[which][found->term_count[which]++] = term;
    found->df += mn_text_index_df(r->index[which], term);
}

/* The nearest spellings that are in use, of one distance in all indexes. */
static void find_nearly(const struct mn_text_request *r, struct mn_str text, struct found *found)
{
    struct mn_dictionary_match match[MN_TEXT_INDEXES_MAX][MN_TEXT_NEAR_MAX];
    size_t count[MN_TEXT_INDEXES_MAX];
    unsigned nearest = UINT32_MAX;

    for (size_t i = 0; i < r->index_count; i++) {
        count[i] = mn_dictionary_find(&r->index[i]->dictionary, text, in_use, r->index[i], match[i],
                                      MN_TEXT_NEAR_MAX);
        if (count[i] && match[i][0].distance < nearest)
            nearest = match[i][0].distance;
    }
    for (size_t i = 0; i < r->index_count; i++) {
        for (size_t m = 0; m < count[i] && match[i][m].distance == nearest; m++)
            take(r, i, match[i][m].term, found);
    }
}

/* Those that a term begins, the shortest of each index. */
static void find_begun(const struct mn_text_request *r, struct mn_str text, struct found *found)
{
    struct mn_dictionary_match match[MN_TEXT_SPELLINGS_MAX];

    for (size_t i = 0; i < r->index_count; i++) {
        size_t count = mn_dictionary_begun(&r->index[i]->dictionary, text, in_use, r->index[i],
                                           match, MN_TEXT_SPELLINGS_MAX);

        for (size_t m = 0; m < count; m++)
            take(r, i, match[m].term, found);
    }
}

/* The rarest term of a form in each index that has them all. */
static void find_form(const struct mn_text_request *r, const struct mn_term_form *form,
                      struct found *found)
{
    for (size_t i = 0; i < r->index_count; i++) {
        uint32_t rarest = UINT32_MAX;
        size_t h = 0;

        for (; h < form->count; h++) {
            uint32_t term = mn_text_index_find(r->index[i], form->hash[h]);

            if (term == UINT32_MAX || !in_use(r->index[i], term))
                break;
            if (rarest == UINT32_MAX ||
                mn_text_index_df(r->index[i], term) < mn_text_index_df(r->index[i], rarest))
                rarest = term;
        }
        if (h == form->count && rarest != UINT32_MAX)
            take(r, i, rarest, found);
    }
}

/* All that a term of the request stands for. True when that is only guessed at. */
static bool find_term(const struct mn_text_request *r, const struct mn_terms *terms, size_t ordinal,
                      size_t *guesses, struct found *found)
{
    const struct mn_term *term = &terms->item[ordinal];

    find_form(r, &(struct mn_term_form){ ordinal, &term->hash, 1 }, found);
    for (size_t f = 0; f < terms->forms.count; f++)
        if (terms->forms.item[f].ordinal == ordinal)
            find_form(r, &terms->forms.item[f], found);
    if (term->begins && *guesses < MN_TEXT_GUESSES_MAX) {
        ++*guesses;
        find_begun(r, term->text, found);
    }
    if (found->df || *guesses >= MN_TEXT_GUESSES_MAX || !mn_dictionary_may_ask(term))
        return false;
    ++*guesses;
    find_nearly(r, term->text, found);
    if (!found->df && term->kind == MN_TERM_EXACT)
        find_begun(r, term->text, found);
    return true;
}

static int by_posting(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

void mn_text_asked_begin(const struct mn_text_index *index, const struct mn_text_asked *asked,
                         struct mn_text_asked_walk *ret_walk)
{
    ret_walk->joined = asked->joined;
    ret_walk->joined_count = asked->joined ? asked->posting_count : 0;
    if (!asked->joined)
        mn_text_walk_begin(&index->blocks, &index->terms.item[asked->term[0]],
                           &ret_walk->walk);
}

size_t mn_text_asked_next(struct mn_text_asked_walk *walk, const uint32_t **ret_posting)
{
    size_t count = walk->joined_count;

    if (walk->joined) {
        *ret_posting = walk->joined;
        walk->joined_count = 0;
        return count;
    }
    *ret_posting = walk->walk.piece;
    return mn_text_walk_next(&walk->walk);
}

/* All of a list, appended to what is there. */
static bool append_postings(const struct mn_text_index *index, uint32_t term, struct mn_buf *joined)
{
    struct mn_text_walk walk;
    size_t count;

    mn_text_walk_begin(&index->blocks, &index->terms.item[term], &walk);
    while ((count = mn_text_walk_next(&walk)) > 0)
        mn_buf_put(joined, walk.piece, count * sizeof *walk.piece);
    return !joined->failed;
}

/* One list of several: each row once, with the most of its frequencies. */
static bool join_postings(const struct mn_text_index *index, struct mn_text_asked *asked,
                          struct mn_arena *arena)
{
    MN_BUF_AUTO all = { 0 };
    size_t kept = 0;

    for (size_t t = 0; t < asked->term_count; t++)
        if (!append_postings(index, asked->term[t], &all))
            return false;
    size_t count = all.bytes / sizeof(uint32_t);
    uint32_t *joined = mn_arena_array(arena, uint32_t, count + 1);
    if (!joined)
        return false;
    memcpy(joined, all.at, all.bytes);
    qsort(joined, count, sizeof *joined, by_posting);
    for (size_t i = 0; i < count; i++) {
        if (kept && joined[kept - 1] >> 8 == joined[i] >> 8)
            joined[kept - 1] = joined[i]; /* in order of frequency */
        else
            joined[kept++] = joined[i];
    }
    asked->joined = joined;
    asked->posting_count = kept;
    return true;
}

/* What a list can add to a row at most: its highest frequency in an empty text. */
static float most_of(const struct mn_text_request *r, float weight, uint8_t halves)
{
    float tf = (float)halves / 2, most = 0;

    for (size_t kind = 0; kind < MN_TEXT_KINDS; kind++)
        most = fmaxf(most, tf * r->saturation[kind] / (tf + r->norm_base[kind]));
    return weight * (0.5f + 0.5f * most) * 1.00001f; /* sums round; the bound must not */
}

static enum mneme_status ask(struct mn_text_request *r, size_t which, const struct found *found,
                             size_t ordinal, float weight, struct mn_arena *arena,
                             struct mneme_error *err)
{
    const struct mn_text_index *index = r->index[which];
    struct mn_text_asked *asked = &r->asked[which][r->asked_count[which]];
    uint8_t halves_max = 0;

    if (!found->term_count[which])
        return MNEME_OK;
    asked->term_count = found->term_count[which];
    asked->ordinal = ordinal;
    for (size_t t = 0; t < asked->term_count; t++) {
        const struct mn_text_term *term = &index->terms.item[found->term[which][t]];

        asked->term[t] = found->term[which][t];
        asked->posting_count = index->terms.alive[found->term[which][t]];
        mn_text_walk_fetch(&index->blocks, term);
        if (term->halves_max > halves_max)
            halves_max = term->halves_max;
    }
    if (asked->term_count > 1 && !join_postings(index, asked, arena))
        return mn_fail_memory(err);
    if (!asked->joined)
        asked->column = mn_text_columns_of(&index->columns, asked->term[0]);
    asked->weight = weight;
    asked->most = most_of(r, weight, halves_max);
    r->asked_count[which]++;
    return MNEME_OK;
}

static int by_rarity(const void *a, const void *b)
{
    const struct mn_text_asked *x = a, *y = b;

    if (x->posting_count != y->posting_count)
        return x->posting_count < y->posting_count ? -1 : 1;
    return (x->term[0] > y->term[0]) - (x->term[0] < y->term[0]);
}

static void put_in_order(struct mn_text_asked *asked, size_t count)
{
    float to_come = 0;

    qsort(asked, count, sizeof *asked, by_rarity);
    for (size_t i = count; i-- > 0;) {
        to_come += asked[i].most;
        asked[i].to_come = to_come;
    }
}

/* A term may stand for several: asked for as it is and once more as what a typo meant. Then it has
 * several places, behind each other. */
static enum mneme_status place_terms(struct mn_text_request *r, size_t which, struct mn_arena *arena,
                                     struct mneme_error *err)
{
    size_t count = 0, places = 1;

    for (size_t i = 0; i < r->asked_count[which]; i++)
        count += r->asked[which][i].term_count;
    while (places < 4 * count)
        places *= 2;
    r->places[which] = places;
    r->place[which] = mn_arena_array(arena, struct mn_text_place, places);
    if (!r->place[which])
        return mn_fail_memory(err);
    memset(r->place[which], 0xff, places * sizeof *r->place[which]);
    for (size_t i = 0; i < r->asked_count[which]; i++) {
        for (size_t t = 0; t < r->asked[which][i].term_count; t++) {
            size_t at = r->asked[which][i].term[t] & (places - 1);

            while (r->place[which][at].term != UINT32_MAX)
                at = (at + 1) & (places - 1);
            r->place[which][at] = (struct mn_text_place){ r->asked[which][i].term[t], (uint32_t)i };
            r->filter[which][r->asked[which][i].term[t] % MN_TEXT_FILTER_PLACES] = true;
        }
    }
    return MNEME_OK;
}

/* Returns how many documents there are. */
static size_t set_norms(struct mn_text_request *r)
{
    size_t documents = 0;

    for (size_t i = 0; i < r->index_count; i++)
        documents += mn_text_index_documents(r->index[i]);
    for (size_t kind = 0; kind < MN_TEXT_KINDS; kind++) {
        size_t rows = 0;
        double lengths = 0;

        for (size_t i = 0; i < r->index_count; i++) {
            rows += r->index[i]->alive[kind];
            lengths += r->index[i]->length_sum[kind];
        }
        double average = rows && lengths > 0 ? lengths / (double)rows : 1;
        r->saturation[kind] = K1[kind] + 1;
        r->norm_base[kind] = K1[kind] * (1 - B[kind]);
        r->norm_length[kind] = K1[kind] * B[kind] / (float)average;
    }
    return documents;
}

static double idf_of(size_t rows, size_t df)
{
    double n = (double)rows, d = (double)(df < rows ? df : rows);

    return log(1 + (n - d + 0.5) / (d + 0.5));
}

enum mneme_status mn_text_request_make(const struct mn_text_index *const *index, size_t index_count,
                                       const struct mn_terms *terms, struct mn_arena *arena,
                                       struct mn_text_request *ret_request, struct mneme_error *err)
{
    struct mn_text_request r = { .index_count = index_count };
    size_t guesses = 0;

    for (size_t i = 0; i < index_count; i++) {
        r.index[i] = index[i];
        r.asked[i] = mn_arena_array(arena, struct mn_text_asked, terms->count + 1);
        r.filter[i] = mn_arena_array(arena, bool, MN_TEXT_FILTER_PLACES);
        if (!r.asked[i] || !r.filter[i])
            return mn_fail_memory(err);
    }
    r.halves = mn_arena_alloc(arena, terms->count + 1);
    r.held = mn_arena_array(arena, uint64_t, terms->count / 64 + 1);
    if (!r.halves || !r.held)
        return mn_fail_memory(err);
    size_t rows = set_norms(&r);

    for (size_t t = 0; t < terms->count; t++) {
        const struct mn_term *term = &terms->item[t];
        struct found found = { 0 };

        if (!(term->weight > 0))
            continue;
        bool guessed = find_term(&r, terms, t, &guesses, &found);
        double weight = (double)term->weight * idf_of(rows, found.df);
        r.weight_sum += weight;
        for (size_t i = 0; i < index_count; i++)
            MN_TRY(ask(&r, i, &found, t, (float)weight * (guessed ? MN_TEXT_GUESS_WEIGHT : 1),
                       arena, err));
    }
    for (size_t i = 0; i < index_count; i++) {
        put_in_order(r.asked[i], r.asked_count[i]);
        MN_TRY(place_terms(&r, i, arena, err));
    }
    *ret_request = r;
    return MNEME_OK;
}

/* ---- one row ---- */

/* Notes a row's frequency of a term for all that asked for it. */
static inline void note(const struct mn_text_request *r, size_t which,
                        const struct mn_text_forward *forward, uint32_t nth)
{
    const struct mn_text_place *place = r->place[which];
    uint32_t term = mn_text_forward_term(forward, nth);

    for (size_t at = term & (r->places[which] - 1); place[at].term != UINT32_MAX;
         at = (at + 1) & (r->places[which] - 1)) {
        size_t i = place[at].asked;

        if (place[at].term != term)
            continue;
        uint8_t halves = mn_text_forward_halves(forward, nth);
        bool first = !(r->held[i / 64] >> (i % 64) & 1);
        r->held[i / 64] |= UINT64_C(1) << (i % 64);
        if (first || halves > r->halves[i])
            r->halves[i] = halves;
    }
}

/*
 * Looks through all of the row's terms: they are few dozens and lie side by side. Searching each
 * asked term in their order took several times as long. Nearly all are passed over by one byte.
 */
struct mn_text_score mn_text_request_score(const struct mn_text_request *r, size_t which,
                                           size_t row)
{
    const struct mn_text_index *index = r->index[which];
    const struct mn_text_forward forward = mn_text_forward_of(index, row);
    const bool *filter = r->filter[which];
    size_t kind = mn_text_length_kind(index->length[row]);
    size_t words = r->asked_count[which] / 64 + 1;
    double length = (double)mn_text_length_of(index->length[row]);
    double norm = (double)r->norm_base[kind] + (double)r->norm_length[kind] * length;
    struct mn_text_score score = { 0 };

    if (!(r->weight_sum > 0) || !r->asked_count[which])
        return score;
    memset(r->held, 0, words * sizeof *r->held);
    for (uint32_t i = 0; i < forward.count; i++) {
        if (filter[forward.low[i] % MN_TEXT_FILTER_PLACES])
            note(r, which, &forward, i);
    }
    for (size_t w = 0; w < words; w++) {
        for (uint64_t held = r->held[w]; held; held &= held - 1) {
            size_t i = w * 64 + (size_t)__builtin_ctzll(held);
            double weight = (double)r->asked[which][i].weight, tf = (double)r->halves[i] / 2;

            if (r->halves[i] == 0)
                continue;
            score.coverage += weight;
            score.bm25 += weight * (tf * (double)r->saturation[kind] / (tf + norm));
        }
    }
    score.coverage /= r->weight_sum;
    score.text = 0.5 * score.coverage + 0.5 * score.bm25 / r->weight_sum;
    return score;
}
