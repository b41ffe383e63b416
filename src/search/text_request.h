/*
 * text_request.h - a request's way through one or two full-text indexes.
 *
 * BM25 with the statistics of all indexes searched, and beside it the share of the request that was
 * found at all:
 *
 *   I     = sum over the request's terms of weight * idf       idf = ln(1 + (N - df + .5)/(df +
 * .5)) C     = the part of I whose terms are in the row, / I BM25  = sum of weight * idf * tf (k1 +
 * 1) / (tf + k1 (1 - b + b length / average length)) X     = 1/2 C + 1/2 BM25 / I
 *
 * k1 and b differ for memories, turns of conversations and passages of long texts, as do their
 * average lengths. A term that is nowhere and may be a typo is replaced by the nearest spellings
 * that are, an identifier also by those that it begins; they share its place in I and are found at
 * a part of their weight. A term with a star stands for all that it begins, one with other forms
 * (text/synonyms.h) for these as well, at its whole weight.
 */
#ifndef MN_SEARCH_TEXT_REQUEST_H
#define MN_SEARCH_TEXT_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "search/best.h"
#include "search/text_index.h"
#include "text/analyze.h"

#define MN_TEXT_INDEXES_MAX 2   /* own and shared */
#define MN_TEXT_SPELLINGS_MAX 16 /* of one term, in each index */
#define MN_TEXT_NEAR_MAX 4       /* of them, taken for a mistyped one */
#define MN_TEXT_GUESSES_MAX 16  /* terms of one request that are looked up as typos */
#define MN_TEXT_GUESS_WEIGHT 0.7f
#define MN_TEXT_FILTER_PLACES 2048

/* A term of a request as one index has it. */
struct mn_text_asked {
    uint32_t term[MN_TEXT_SPELLINGS_MAX]; /* more than one: a typo, a beginning or other forms */
    size_t term_count;
    size_t ordinal; /* among the terms of the request */
    const uint32_t *joined; /* the postings of several terms; NULL: those of term[0], in the index */
    const uint8_t *column; /* of term[0]; NULL: it has none, or they are several */
    size_t posting_count;
    float weight;  /* with idf; of a guess less */
    float most;    /* that it can add to a row's X * I */
    float to_come; /* the same of it and all behind it */
};

struct mn_text_place {
    uint32_t term; /* UINT32_MAX: free */
    uint32_t asked;
};

struct mn_text_request {
    const struct mn_text_index *index[MN_TEXT_INDEXES_MAX];
    size_t index_count;
    struct mn_text_asked *asked[MN_TEXT_INDEXES_MAX]; /* rarest first */
    size_t asked_count[MN_TEXT_INDEXES_MAX];
    struct mn_text_place *place[MN_TEXT_INDEXES_MAX]; /* where a term stands in asked: hash table */
    size_t places[MN_TEXT_INDEXES_MAX]; /* a power of two, at least four times the terms */
    bool *filter[MN_TEXT_INDEXES_MAX]; /* one of MN_TEXT_FILTER_PLACES for each asked term */
    uint8_t *halves;      /* room while a row is scored: one at a time */
    uint64_t *held;       /* the same: one bit for each asked term that the row holds */
    double weight_sum;    /* I; 0 without terms */
    /* By enum mn_text_kind. */
    float saturation[MN_TEXT_KINDS];  /* k1 + 1 */
    float norm_base[MN_TEXT_KINDS];   /* k1 (1 - b) */
    float norm_length[MN_TEXT_KINDS]; /* k1 b / average length */
};

/* Looks the terms up. What is found lives in the arena and in the indexes: they may not change. */
enum mneme_status mn_text_request_make(const struct mn_text_index *const *index, size_t index_count,
                                       const struct mn_terms *terms, struct mn_arena *arena,
                                       struct mn_text_request *ret_request,
                                       struct mneme_error *err);

/* Room for a search, lent. */
struct mn_text_room {
    float *score;            /* one a row; all zero, before and after */
    uint32_t *touched;       /* one a row, and one more */
    uint64_t *among;         /* one bit a row; all zero, before and after */
    uint64_t *key;           /* twice as many as best->room */
};

/* The postings of an asked term, piece by piece, as text_index.h says. */
struct mn_text_asked_walk {
    const uint32_t *joined; /* NULL: none, or told already */
    size_t joined_count;
    struct mn_text_walk walk;
};
void mn_text_asked_begin(const struct mn_text_index *index, const struct mn_text_asked *asked,
                         struct mn_text_asked_walk *ret_walk);
/* How many there are at *ret_posting; 0 at the end. */
size_t mn_text_asked_next(struct mn_text_asked_walk *walk, const uint32_t **ret_posting);

/* Offers rows of index[which] with their X * I; `allowed`: one bit a row. No row that belongs among
 * the best is missed. */
void mn_text_request_top(const struct mn_text_request *request, size_t which,
                         const uint64_t *allowed, const struct mn_text_room *room, uint32_t tag,
                         struct mn_best *best);

struct mn_text_score {
    double bm25;
    double coverage; /* C */
    double text;     /* X */
};
struct mn_text_score mn_text_request_score(const struct mn_text_request *request, size_t which,
                                           size_t row);

#endif
