/*
 * candidate.h - what passes from stage to stage: a memory that may be worth telling, with
 * everything that is known about how it was found and what it scores.
 */
#ifndef MN_RETRIEVE_CANDIDATE_H
#define MN_RETRIEVE_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mneme/memory.h>

#include "memory/reason.h"
#include "memory/type.h"
#include "search/context_signals.h"
#include "text/analyze.h"

enum mn_source {
    MN_SOURCE_STRUCTURED = 0,
    MN_SOURCE_TASK_STATE,
    MN_SOURCE_TEXT,
    MN_SOURCE_VECTOR,
    MN_SOURCE_GRAPH,
    MN_SOURCE_RULE,
    MN_SOURCE_COUNT
};
const char *mn_source_name(enum mn_source source);

/* What a second step found it by (second_step.c). */
enum mn_step { MN_STEP_NONE = 0, MN_STEP_NAME, MN_STEP_TIME };
const char *mn_step_name(enum mn_step step);

/* How one source saw it. rank 1 is best; 0: that source did not bring it. */
struct mn_finding {
    size_t rank;
    double raw;    /* the source's own scale */
    double scaled; /* 0..1 over the request's pool (stage 7) */
};

/* Parts of the final score (stage 7), each in [0, 1]; penalties are positive and subtracted. */
struct mn_parts {
    double relevance;
    double task_fit;
    double scope;
    double authority;
    double freshness;
    double confidence;
    double recency; /* profiles balanced and recency only */
    double importance;
    double conflict;   /* stage 8 */
    double redundancy; /* stage 9; not part of final */
    double suspicion;
    double final; /* after stage 8; at most 1, and not below -1 */
};

struct mn_candidate {
    const struct mneme_memory *memory;
    double confidence; /* as the last decay job left it */
    int64_t last_accessed_at_ms;
    bool shared;        /* of the tenant's shared partition */
    bool is_event;      /* a turn of a conversation */
    bool is_checkpoint; /* a task state; memory->id is made of session and task */
    bool scored;        /* the index was asked for its scores, and had it */
    bool from_truth;    /* the row was read from the store, not from an index's document */
    bool replaced;      /* a row that the identity may see stands in its place */
    const char *replaced_by; /* of a turn: what stands in the place of what it told; NULL: nothing */
    const char *speaker; /* "": no name; the block then tells the role (stage 9 puts it here) */
    const char *session_id;
    int64_t order;
    enum mn_language language;

    struct mn_finding found[MN_SOURCE_COUNT];
    enum mn_step step; /* the last that brought it, known before or not */
    bool by_key; /* fetched because another candidate answers the same key */
    double text; /* X of search/search.h, raw */
    double coverage;
    size_t passage; /* of a long text: the one nearest to the request; 0: not known, or it is short */
    bool has_vector;
    double vector;        /* F, raw */
    double raw_relevance; /* J = F + text_weight X, with imputation; absolute (stage 7 sets it
                             early) */
    struct mn_context *context; /* of a turn: what those around it say; NULL: not known */
    double conversation;    /* 0..1: how much that is, of the best of the pool (stage 7) */
    bool has_rerank;
    double rerank;          /* of a cross-encoder, on a scale of its own */
    double path_confidence; /* graph: product along the path; 0 when the graph did not bring it */
    bool forced;            /* a rule's trigger fired */
    int64_t rule_priority;
    const char *rule_trigger; /* "regex", "keyword" ... of the rule that forced it */

    bool orders_read;     /* its text was read for orders (stage 7, of those that are not cut) */
    bool suspicious;      /* its text gives orders to a model */
    bool orders_noted;    /* it does, but negated or an administrator's */
    size_t similarity_at; /* row of the similarity matrix; SIZE_MAX: none */

    const char **merged_from; /* ids that say the same, this one survived (stage 6) */
    size_t merged_count;
    /* Whose key and value it answers with: a merged row's, where its own memory has no key (stage
     * 6). NULL: the memory's own. Read it through mn_answer_of() (retrieve/key.h). */
    const struct mneme_memory *answer;

    double overlap;        /* 0..1: how much of the request its labels name (stage 7) */
    struct mn_parts parts; /* stage 7 */
    bool key_passes; /* another answer to its key passes the floor, so it does too (stage 8) */

    const char *section_name; /* stage 9 and 10: where it stands in the block */
    bool shortened;           /* its summary stands in the block */
    const char *excerpt; /* these passages stand in the block for a long text; NULL: all of it */
    size_t excerpt_first, excerpt_last;
    /* The turns next to it in its session that stand in its element; NULL: not shown. */
    const struct mn_candidate *before;
    const struct mn_candidate *after;
    size_t tokens;            /* of its element in the block */
    const char *why;          /* selection_reason */
};

struct mn_candidates {
    struct mn_candidate *item;
    size_t count;
    size_t room;
};

/* Rows that name a candidate in `supersedes`. */
struct mn_successors {
    const struct mneme_memory **item;
    size_t count;
    size_t room;
};

/* Centred passage-passage cosines among some candidates, for merging and diversity. */
struct mn_similarity {
    size_t count;
    const float *value; /* count x count; NaN where unknown */
};
/* NaN when either has no row. */
double mn_similarity_of(const struct mn_similarity *similarity, const struct mn_candidate *a,
                        const struct mn_candidate *b);

/* A key whose memories disagree (stage 8). */
struct mn_conflict {
    const char *memory_key;
    const char **ids; /* all that answer it */
    size_t id_count;
    const char **withheld;
    size_t withheld_count;
    bool needs_clarification;
    bool blocking;
    const char *question; /* "" when nothing is asked */
};
struct mn_conflicts {
    struct mn_conflict *item;
    size_t count;
    size_t room;
};

#endif
