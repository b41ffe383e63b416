/*
 * trace.h - stage 11: the record of one retrieval, and its rendering.
 *
 * Gathered while the stages run, printed as versioned JSON at the end (docs/trace.md), explained for
 * people by mneme_trace_explain(). No memory text, and request words only as hashes. A trace never
 * makes a retrieval fail: when its arena is full it goes on counting and says `truncated`.
 */
#ifndef MN_RETRIEVE_TRACE_H
#define MN_RETRIEVE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "memory/reason.h"
#include "retrieve/candidate.h"

#define MN_TRACE_VERSION 1

enum mn_stage {
    MN_STAGE_IDENTIFY = 0,
    MN_STAGE_GATE,
    MN_STAGE_PLAN,
    MN_STAGE_RECALL,
    MN_STAGE_FILTER,
    MN_STAGE_MERGE,
    MN_STAGE_RANK,
    MN_STAGE_RESOLVE,
    MN_STAGE_BUDGET,
    MN_STAGE_ASSEMBLE,
    MN_STAGE_COUNT
};
const char *mn_stage_name(enum mn_stage stage);

struct mn_rejection {
    struct mn_candidate candidate; /* as it was; texts are never printed */
    enum mn_stage stage;
    enum mn_reason reason;
    const char *by; /* id of what it lost to or was merged into; NULL */
};

struct mn_trace_source {
    bool asked;
    size_t count;
    int64_t us;
    const char *silent; /* why it did not answer; NULL when it did */
};

/* A second step, or one more (second_step.c). */
struct mn_trace_step {
    enum mn_step by;
    const char *from;          /* id of the memory that says who, or when */
    uint64_t name_hash;        /* of who */
    int64_t from_ms, until_ms; /* when */
    size_t count;              /* of what it brought, known before or not */
};
#define MN_STEPS_MAX 4 /* three names, one after the other, and a time */

struct mn_trace {
    struct mn_arena *arena; /* for rejections and notes; NULL: only counts */
    char id[48];
    struct {
        struct mn_rejection *item;
        size_t count;
        size_t room;
    } rejections;
    size_t reason_count[MN_REASON_COUNT];
    size_t first_wall_leaks; /* access reasons caught by the second wall: must stay 0 */
    struct mn_trace_source source[MN_SOURCE_COUNT];
    struct {
        const char *model; /* NULL: none is configured, or nothing was to be ordered */
        size_t count;
        int64_t us;
        bool cached;
        const char *silent;
    } rerank;
    struct {
        size_t turns; /* that lead; 0: nothing was held against the request word by word */
        size_t measured; /* of them, whose codes of tokens were there */
        int64_t us;
    } tokens;
    struct {
        bool fired; /* the request speaks of somebody or a time only through something else */
        struct mn_trace_step step[MN_STEPS_MAX];
        size_t step_count;
        int64_t us;
    } second;
    int64_t stage_us[MN_STAGE_COUNT];
    int64_t embed_us;
    size_t candidate_count; /* after recall */
    size_t eligible_count;  /* after filter */
    size_t deduplicated_count;
    size_t ranked_count;
    size_t request_tokens;  /* of text and dialogue, for the block's share of the prompt; 0: unknown */
    const char *index_position;
    const char *signals; /* JSON, where the request asks for it (retrieve/conversation.h); NULL */
    struct {
        const char **item;
        size_t count;
        size_t room;
    } notes; /* degraded answers and other remarks, sentences */
    bool degraded;
    bool truncated;
};

/* So many may be rejected: room for them at once. */
void mn_trace_expect(struct mn_trace *trace, size_t count);
/* The only way a candidate leaves. `by` may be NULL. */
void mn_trace_reject(struct mn_trace *trace, const struct mn_candidate *candidate,
                     enum mn_stage stage, enum mn_reason reason, const char *by);
void mn_trace_note(struct mn_trace *trace, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A note that also marks the answer as degraded. */
void mn_trace_degraded(struct mn_trace *trace, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct mn_retrieval;
/* The whole retrieval as JSON into the arena. */
enum mneme_status mn_trace_print(const struct mn_retrieval *retrieval, struct mn_arena *arena,
                                 const char **ret_json, struct mneme_error *err);

#endif
