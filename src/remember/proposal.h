/*
 * proposal.h - what a language model says a turn holds, and whether it does.
 *
 * Pure. A model's answer is not believed: it is read however it comes (proposal_read.c), each memory in
 * it is held against the words of its turn (proposal_check.c), and only then it becomes a draft
 * (proposal_draft.c), which goes the way of every draft, as an inference.
 */
#ifndef MN_REMEMBER_PROPOSAL_H
#define MN_REMEMBER_PROPOSAL_H

#include <stdbool.h>

#include <mneme/memory.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "remember/draft.h"

/* The prompt, its schema and its grammar are prompts/extract-1.*; the name goes into what they drew. */
#define MN_PROMPT_NAME "extract-1"

#define MN_PROPOSALS_MAX 32

struct mn_relation {
    const char *source;
    const char *relation;
    const char *target;
};

/* Texts are "" where the model gave none. */
struct mn_proposal {
    size_t turn; /* the number that it was shown under */
    const char *quote;
    const char *kind; /* one of those that were asked for */
    const char *content;
    const char *temporal_scope;
    const char *expires;
    const char *key;
    const char *value;
    const char *outcome;
    const char *valence;
    double importance; /* 0..1; negative: none */
    struct mneme_list entities;
    struct mn_relation *relation;
    size_t relation_count;
};
struct mn_proposals {
    struct mn_proposal *item;
    size_t count;
    size_t room;
    size_t refused; /* that lack what each must have */
    bool cut;       /* the answer ended before its list did: these are the whole ones */
};

/* Those of a memory: "semantic", "episodic", "procedural"; ended by NULL. */
extern const char *const mn_proposal_kinds[];

/*
 * Finds the list in the answer, past prose, thoughts and code fences, and reads what is whole of it.
 * An empty list is a success. kinds: what a proposal may be, ended by NULL.
 *
 * MNEME_CORRUPT  there is no list, nothing in it is a memory, or it was cut off in the first.
 */
enum mneme_status mn_proposals_read(const char *answer, size_t bytes, const char *const *kinds,
                                    struct mn_arena *arena, struct mn_proposals *ret_proposals,
                                    struct mneme_error *err);

enum mn_support {
    MN_SUPPORTED = 0,
    MN_UNSUPPORTED_QUOTE,    /* the turn does not say these words */
    MN_UNSUPPORTED_MODE,     /* it asks, supposes or quotes them */
    MN_UNSUPPORTED_NEGATION, /* not, unless, maybe, used to, plans to: of the one and not the other */
    MN_UNSUPPORTED_NUMBER,   /* a number is not in the turn, or counts something else there */
    MN_UNSUPPORTED_NAME,
    MN_UNSUPPORTED_WORDS, /* too few of its words are the turn's */
    MN_UNSUPPORTED_ORDERS, /* it gives orders to a model */
    MN_UNSUPPORTED_SECRET,
    MN_UNSUPPORTED_SPEAKER, /* an assistant's, of whom only reports of work are taken */
    MN_UNSUPPORTED_MEMORY /* there was no room to look: never believed by accident */
};

/* text: of the turn, or of the part of it that the model was shown. */
enum mn_support mn_proposal_support(const struct mn_proposal *proposal, const char *text,
                                    const char *role, const char *speaker);

/* Of a supported one. extractor: the model's name. */
enum mneme_status mn_proposal_draft(const struct mn_proposal *proposal,
                                    const struct mneme_event *event, const struct mn_place *place,
                                    const char *extractor, struct mn_arena *arena,
                                    struct mneme_memory *ret_draft, struct mneme_error *err);

#endif
