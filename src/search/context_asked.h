/*
 * context_asked.h - what a request asks of turns: its terms as words, numbers, months and names.
 */
#ifndef MN_SEARCH_CONTEXT_ASKED_H
#define MN_SEARCH_CONTEXT_ASKED_H

#include "search/context.h"

/* One asked term. */
struct mn_context_term {
    const struct mn_text_asked *as;
    float weight; /* with idf */
    bool is_word; /* neither a speaker's name nor, where other words are left, one of them */
    bool pairs;   /* may stand in a pair */
    int number;   /* it is this number, 0: none */
    int month;    /* it is this month's name, 0: none */
    size_t ordinal;
};

struct mn_context_asked {
    struct mn_context_term term[MN_CONTEXT_TERMS_MAX]; /* as asked: rarest first */
    size_t term_count;
    uint8_t order[MN_CONTEXT_TERMS_MAX]; /* numbers of those that may pair, as they follow in the
                                            request */
    size_t order_count;
    double words_weight;
    uint16_t speaker; /* the one that is named; MN_SPEAKER_NONE: none, or several */
};

struct mn_context_asked mn_context_asked_read(const struct mn_context_request *request);

#endif
