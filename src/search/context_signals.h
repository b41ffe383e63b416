/*
 * context_signals.h - what the turns around a turn say for it, as figures.
 *
 * Each signal is raw: who ranks by them scales them over the candidates of one request
 * (retrieve/conversation.c). "Body" is a turn's text without who spoke and when; "words" are the
 * request's without the names of speakers, if any are left. Windows stay inside the session. BM25
 * has k1 .9 and b .4, over a session 1.2 and .75; idf is the partition's.
 */
#ifndef MN_SEARCH_CONTEXT_SIGNALS_H
#define MN_SEARCH_CONTEXT_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>

enum mn_signal {
    MN_SIGNAL_TURN,      /* BM25 of the turn */
    MN_SIGNAL_AROUND_3,  /* BM25 of the 3 turns to both sides and itself, as one text */
    MN_SIGNAL_SESSION,   /* BM25 of the whole session */
    MN_SIGNAL_BODY_6,    /* BM25 of the bodies of 6 to both sides, by the words */
    MN_SIGNAL_COVERED_1, /* share of the words' idf in the bodies of 1 to both sides */
    MN_SIGNAL_PAIRS_1,   /* idf of neighbouring words found in their order close by, in the same */
    MN_SIGNAL_ANSWERS,   /* BM25 of the body before, by the words, where it asks something */
    MN_SIGNAL_AFTER_QUESTION, /* 1: the turn before asks something */
    MN_SIGNAL_SPEAKER,        /* 1: the one speaker the request names speaks */
    MN_SIGNAL_LETTERS,        /* ln(1 + characters) */
    MN_SIGNAL_INFORMATION,    /* sum of its five highest idf */
    MN_SIGNAL_ASKS,           /* 1: holds a question mark */
    MN_SIGNAL_ENDS_ASKING,    /* 1: ends with one */
    MN_SIGNAL_SELF,           /* 1: tells of the speaker */
    MN_SIGNAL_NAMES,          /* capitalised words within sentences, of at most 3 */
    MN_SIGNAL_EDGE,           /* 1: first or last of its session; 2: both */
    MN_SIGNAL_WHEN_RELATIVE,  /* 1: "when" is asked and a time told from the turn's own day */
    MN_SIGNAL_WHEN_TIME,      /* 1: "when" is asked and a time told */
    MN_SIGNAL_MANY_NUMBER,    /* 1: "how many" is asked and a number told */
    MN_SIGNAL_DATE,           /* how well the turn's day fits the dates named (text/inquiry.h) */
    /* of vectors; 0 without */
    MN_SIGNAL_VECTOR,         /* F of the turn */
    MN_SIGNAL_VECTOR_SMOOTH,  /* + 1/2 of those next to it + 1/4 of those next to these */
    MN_SIGNAL_VECTOR_SESSION, /* mean of the session's best 3 among the turns asked for and
                                 those within 2 of them */
    /* word by word (retrieve/token_likeness.c); 0 without */
    MN_SIGNAL_TOKENS,         /* weighted mean, over the request's words, of the best likeness */
    MN_SIGNAL_TOKENS_1,       /* the same by the best of the turn and 1 to both sides */
    MN_SIGNAL_TOKENS_3,       /* 3 to both sides */
    MN_SIGNAL_TOKENS_SESSION, /* its session; all as far as they lead */
    MN_SIGNAL_COUNT
};

struct mn_context {
    const char *id; /* as it was asked for */
    bool has_vector;
    bool has_tokens; /* its tokens' signals were measured, not estimated */
    float signal[MN_SIGNAL_COUNT];
};
struct mn_contexts {
    struct mn_context *item;
    size_t count;
    size_t room;
};

#endif
