/*
 * model_items.h - what model_search.c and model_context.c share: units and a request's view of
 * them.
 */
#ifndef MN_TESTS_MODEL_ITEMS_H
#define MN_TESTS_MODEL_ITEMS_H

#include <assert.h>

#include "search/search.h"

#define K_LANGUAGES MN_LANGUAGE_COUNT

struct word {
    uint64_t hash;
    double tf;      /* weighted */
    double date_tf; /* of it in the turn's head, as its date */
    struct mn_term term;
};

struct item {
    struct mn_arena *arena; /* all of it */
    struct mn_unit unit;
    struct word *word;
    size_t word_count;
    double length;
    double body_length; /* without who and when */
    enum mn_language language;
    double *vector; /* length 1, or NULL */
};

struct box {
    struct box *next;
    char *tenant, *owner, *cursor; /* cursor "" while building */
    struct item **item;
    size_t count;
    double *mean[K_LANGUAGES]; /* M */
    size_t mean_rows[K_LANGUAGES];
};

struct scored {
    struct item *item;
    const struct box *box;
    struct mn_hit hit;
    bool chosen;
    bool seen_as_text, seen_as_vector;
    bool dated; /* among the earliest of the time asked for */
};

struct pool {
    struct scored *item;
    size_t count;
    bool partial;
    double weight_sum;
};

/* A term of the request: what it weighs and what stands for it in either partition. */
#define SOUGHT_MAX 16
struct sought {
    const struct mn_term *term;
    double weight; /* with idf */
    double factor; /* of a guess less than 1 */
    uint64_t hash[2][SOUGHT_MAX];
    size_t count[2];
};

static inline void *must(void *memory)
{
    assert(memory);
    return memory;
}

const struct word *model_word_of(const struct item *item, uint64_t hash);
size_t model_seek(const struct pool *pool, const struct mn_terms *terms, struct sought *sought);
/* The item's word of that term with the highest frequency; NULL. */
const struct word *model_sought_in(const struct pool *pool, const struct sought *sought,
                                   const struct scored *one);

/* Adds ranks behind those by text for turns that stand near them. */
void model_context_around(struct pool *pool, const struct mn_query *query);
void model_context_read(const struct pool *pool, const struct mn_query *query,
                        const char *const *ids, size_t count, struct mn_arena *arena,
                        struct mn_contexts *ret_contexts);
/* Those next to the turn of this id that may be seen; NULL where there is none. */
void model_context_adjacent(const struct pool *pool, const char *id,
                            const struct mn_unit *ret_beside[2]);

#endif
