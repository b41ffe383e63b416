/*
 * retrieve.h - what is worth telling the agent before it answers.
 *
 * One request goes through eleven stages (src/retrieve/retrieve.c reads like their table of
 * contents) and comes back as an answer: the chosen memories, the block to put into the prompt,
 * what is in conflict, and a trace that says why.
 */
#ifndef MNEME_RETRIEVE_H
#define MNEME_RETRIEVE_H

#include <mneme/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who asks. Given by the caller or its credential, never guessed from text. */
struct mneme_identity {
    const char *tenant_id; /* must be set */
    const char *user_id;   /* must be set */
    const char *agent_id;
    const char *session_id;
    const char *task_id;
    const char *project_id;
    const char *repository_id;
    const char *locale;
    const char *timezone; /* IANA name; empty: the memory `user.timezone`, else UTC */
    enum mneme_sensitivity clearance; /* 0: internal */
    struct mneme_list permissions;    /* live ones of this call */
    struct mneme_pairs environment;   /* what is stated; anything else is unknown, not a mismatch */
};

enum mneme_mode {
    MNEME_MODE_AUTO = 0, /* the gate decides */
    MNEME_MODE_NONE,
    MNEME_MODE_STRUCTURED_ONLY,
    MNEME_MODE_EPISODIC_ONLY,
    MNEME_MODE_HYBRID
};

enum mneme_consistency {
    MNEME_CONSISTENCY_MIXED = 0, /* ordinary memories from the index, the rest from the truth */
    MNEME_CONSISTENCY_CANDIDATE, /* index finds ids, canonical rows are read and checked */
    MNEME_CONSISTENCY_READ_MODEL /* the index's own document */
};

enum mneme_profile {
    MNEME_PROFILE_DEFAULT = 0,
    MNEME_PROFILE_SIMILARITY, /* relevance alone */
    MNEME_PROFILE_BALANCED,
    MNEME_PROFILE_RECENCY
};

/* What the host touches or knows besides the text. All optional. */
struct mneme_signals {
    const char *tool;
    const char *task_type;
    struct mneme_list paths;
    const char *dialogue;     /* the turns so far, oldest first */
    const char *tool_results; /* a summary of them */
};

struct mneme_request {
    size_t size;
    struct mneme_identity identity;
    const char *text; /* UTF-8, 1..MNEME_TEXT_BYTES_MAX bytes */

    int64_t now_ms;   /* 0: the clock; validity and decay are judged at this instant */
    int64_t as_of_ms; /* 0: the present; else the past as it stood then */

    enum mneme_mode mode;
    const char *intent;       /* e.g. "find_previous_fix"; empty: the gate's guess */
    int has_complete_context; /* 1: the text holds all that is needed */
    enum mneme_consistency consistency;
    enum mneme_profile profile;

    struct mneme_signals signals;
    struct mneme_list task_fields;    /* fields of a checkpoint wanted; none: the default three */
    int64_t after_ms, before_ms;      /* event time filter, from <= t < before; 0: open */
    struct mneme_list types_required; /* none: as the mode says */
    struct mneme_list types_excluded;

    size_t items_max;    /* 0: 6 */
    size_t tokens_max;   /* 0: 700, of the configured tokenizer */
    size_t per_type_max; /* 0: 3 */
    size_t depth;        /* 0: 30; candidates that reach ranking's end */
    int without_limits;  /* 1: floor, item, token and type caps off (evaluation) */

    struct mneme_list evidence; /* knowledge the caller brings (RAG results), shown apart */
    size_t memory_bytes_max;    /* 0: 64 MiB for this call */
    int trace_signals; /* 1: the trace tells every signal of every turn found (evaluation) */
};
#define MNEME_REQUEST_INIT                                                                         \
    {                                                                                              \
        .size = sizeof(struct mneme_request)                                                       \
    }

/* One chosen memory. Pointers live as long as the answer. */
struct mneme_item {
    const struct mneme_memory *memory;
    double score;         /* at most 1; comparable only within this answer */
    double relevance;     /* 0..1, its largest part */
    double confidence;    /* in force: as decay left it; memory->confidence is as it was written */
    int forced;           /* a rule brought it */
    int suspicious;       /* its text gives orders to a model */
    int shortened;        /* the block holds its summary, or passages of it, instead of its content */
    const char *section;  /* "constraints", "preferences", ... */
    const char *reason;   /* why it was chosen, in a sentence */
    const char *text;     /* what the block shows of it */
    struct mneme_list merged_from; /* ids of those that say the same */
    const char *replaced_by; /* of a turn: the memory that stands in the place of what it told; "" */
};

/* A key whose memories disagree. */
struct mneme_conflict {
    const char *memory_key;
    struct mneme_list ids;      /* all that answer it */
    struct mneme_list withheld; /* those kept out of the answer */
    int needs_clarification;
    int blocking;
    const char *question; /* to ask the user; empty when nothing is to be asked */
};

struct mneme_answer {
    const char *trace_id;
    enum mneme_mode mode;
    const char *mode_reason;
    const char *intent;

    const struct mneme_item *item; /* best first */
    size_t item_count;
    const struct mneme_conflict *conflict;
    size_t conflict_count;

    const char *xml; /* the block for the prompt; "" when there is nothing to say */
    const char *markdown;
    const char *json;
    size_t tokens_used; /* of the XML block, by the configured tokenizer */
    int budget_exceeded; /* 1: forced memories alone exceed tokens_max */
    int degraded;        /* 1: a source was silent; the trace names it */

    const char *trace; /* versioned JSON, without memory texts (docs/trace.md) */
};

/*
 * Find what is worth telling the agent before it answers.
 *
 * *ret_answer   0..items_max memories, best first (more when rules force more). Free with
 *               mneme_answer_free(). Empty is a success; so is needs_clarification.
 *
 * MNEME_INVALID      text empty or not UTF-8, or without a tenant or a user.
 * MNEME_LIMIT        text too long, or the request's memory limit reached.
 * MNEME_UNAVAILABLE  the store does not answer. A silent index or model does not fail the call:
 *                    the other sources answer and the trace names the silent ones.
 *
 * Safe to call from several threads on one handle.
 */
struct mneme;
MNEME_API enum mneme_status mneme_retrieve(struct mneme *handle,
                                           const struct mneme_request *request,
                                           struct mneme_answer **ret_answer,
                                           struct mneme_error *err);
MNEME_API void mneme_answer_free(struct mneme_answer *answer);

/* The stored trace of an earlier retrieval of this user; user_id "" is the operator, who may read any
 * of the tenant. Free *ret_json with mneme_free(). */
MNEME_API enum mneme_status mneme_trace_get(struct mneme *handle, const char *tenant_id,
                                            const char *user_id, const char *trace_id,
                                            char **ret_json, struct mneme_error *err);

/* A trace for people: stages, what was chosen and why, what was rejected and why. mneme_free(). */
MNEME_API enum mneme_status mneme_trace_explain(const char *trace_json, char **ret_text,
                                                struct mneme_error *err);

/* Which of the memories that a recall brought were used, and by what. */
struct mneme_use {
    size_t size;
    const char *tenant_id; /* must be set */
    const char *user_id;   /* whose recall it was; empty: the operator, for any of the tenant */
    const char *trace_id;  /* of the recall */
    struct mneme_list memory_ids; /* of the answer's items; 1..MNEME_LIST_ITEMS_MAX */
    const char *by; /* the answer or the tool call, by its caller's own name; NULL or "": not said */
};
#define MNEME_USE_INIT                                                                             \
    {                                                                                              \
        .size = sizeof(struct mneme_use)                                                           \
    }

struct mneme_change;
/*
 * Report use. It is kept with the trace, as long as that is, and counted once a recall and memory:
 * reporting again changes nothing. A memory that was used has the confidence that it was written
 * with again, gains importance with the next review, and the share of recalls that bring something
 * used is a figure of mneme_health_report(). Of `change` (may be NULL) actor and now_ms are read.
 *
 * *ret_counted (may be NULL): how many were not reported before.
 *
 * MNEME_NOT_FOUND  no such trace of this user, or it is forgotten by now.
 * MNEME_INVALID    tenant_id, trace_id or memory_ids empty; or an id that this recall did not bring.
 * MNEME_LIMIT      too many ids, or `by` longer than MNEME_NAME_BYTES_MAX.
 */
MNEME_API enum mneme_status mneme_report_use(struct mneme *handle, const struct mneme_use *use,
                                             const struct mneme_change *change, size_t *ret_counted,
                                             struct mneme_error *err);

MNEME_API const char *mneme_mode_name(enum mneme_mode mode);
MNEME_API enum mneme_mode mneme_mode_of(const char *name); /* unknown: MNEME_MODE_AUTO */
MNEME_API const char *mneme_profile_name(enum mneme_profile profile);

#ifdef __cplusplus
}
#endif

#endif
