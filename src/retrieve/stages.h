/*
 * stages.h - the eleven stages of a retrieval, in their order.
 *
 * Each is given the fields it reads and the one it makes or changes; each removes one kind of risk
 * and says in the trace what it did. Stages that take `struct mn_world *` read the store, the index
 * or the model; all others are pure and tested with literals. Candidates dropped go through
 * mn_trace_reject(); those kept keep their order unless said otherwise.
 */
#ifndef MN_RETRIEVE_STAGES_H
#define MN_RETRIEVE_STAGES_H

#include <mneme/retrieve.h>

#include "base/arena.h"
#include "base/world.h"
#include "memory/access.h"
#include "model/profile.h"
#include "retrieve/candidate.h"
#include "retrieve/trace.h"
#include "text/inquiry.h"
#include "text/mention.h"
#include "text/when.h"

/* ---- 1. identify: who asks, and is the request well formed? ---- */

/* Checks text, lists and enums of the request, and makes the access. now_ms: request's, else this.
 */
enum mneme_status mn_identify(const struct mneme_request *request, int64_t now_ms,
                              struct mn_access *ret_access, struct mneme_error *err);

/* ---- 2. gate: is memory needed at all, and which kinds? ---- */

struct mn_gate {
    enum mneme_mode mode;      /* never AUTO */
    const char *reason;        /* static, e.g. "greeting", "self-contained transformation" */
    const char *intent;        /* static or the caller's: "find_previous_fix", "load_preferences",
                                  "load_profile",
                                  "resume_task", "apply_project_rules", "reuse_experience",
                                  "resume_implementation", "greeting", "transform", "" */
    struct mn_str instruction; /* the request without its payload (quoted text, code, data) */
    bool has_payload;
    bool is_statement;   /* chat-like, asks and orders nothing: the lower floor */
    bool own_ways;       /* a cue to the user's ways outside the payload ("按我的风格") */
    bool back_reference; /* points at the past outside the payload */
};
enum mneme_status mn_gate_decide(const struct mneme_request *request, struct mn_arena *arena,
                                 struct mn_gate *ret_gate, struct mneme_error *err);

/* ---- 3. plan: what to look for ---- */

struct mn_plan {
    const char *folded;      /* mn_text_fold of the text (with the dialogue's tail where the text
                                alone means nothing, "继续") */
    const char *search_text; /* what is tokenised and embedded: not folded */
    struct mn_terms terms;   /* of search_text, each once */
    enum mn_language language;
    struct mn_mentions mentions;
    struct mn_inquiry inquiry; /* what it asks for of turns: a time, a number, a date, somebody */
    const char *time_text;     /* the instruction, folded: a time phrase in the payload is none */
    struct mn_when when;       /* a time phrase in the instruction: lifts and lowers */
    int64_t after_ms;          /* a range given as a field: filters */
    int64_t before_ms;
    const char *zone; /* identity's; "" until the user's memory is read (recall) */

    mn_type_set asked;   /* types the mode asks for, less the excluded, cut to the required */
    mn_type_set wanted;  /* types the request's words ask for ("constraints", "故障"): task_fit
                            and the plan match of stage 9; may be empty */
    const char **topics; /* folded terms for overlap with keywords, entities, usage_scenario */
    size_t topic_count;

    size_t probe_limit; /* of the structured sources: 200 */
    size_t depth;       /* candidates after fusion: 30, or the items asked for if more */
    bool probes[MN_SOURCE_COUNT];
    const char *intent;
    bool is_statement;
    bool own_ways;
    bool of_the_user; /* asks what is known of the user, and of nothing in particular */
};
enum mneme_status mn_plan_make(const struct mneme_request *request, const struct mn_access *access,
                               const struct mn_gate *gate, struct mn_arena *arena,
                               struct mn_plan *ret_plan, struct mneme_error *err);
/* Reads the plan's time phrase again, in this zone. `zone` must live as long as the plan. */
void mn_plan_read_time(struct mn_plan *plan, int64_t now_ms, const char *zone);

/* ---- 4. recall: candidates from all six sources, with both raw scores ---- */

/* *ret_successors: rows that name a candidate, and so may hide it. The last of each chain of them
 * that the identity may see is a candidate itself. */
enum mneme_status mn_recall(struct mn_world *world, const struct mneme_request *request,
                            const struct mn_access *access, struct mn_plan *plan,
                            struct mn_arena *arena, struct mn_candidates *ret_found,
                            struct mn_successors *ret_successors, struct mn_trace *trace,
                            struct mneme_error *err);

/* phrase.c: the words that the request quotes count for more where they stand as quoted. */
enum mneme_status mn_phrase_lean(const struct mn_plan *plan, struct mn_arena *arena,
                                 struct mn_candidates *found, struct mn_trace *trace,
                                 struct mneme_error *err);

/* ---- 5. filter: the second wall ---- */

/*
 * The same rules as in the store, in code: mn_access_allows, superseded by a visible successor
 * (`successors`: rows that name a candidate in `supersedes`, candidates included by the function
 * itself), the mode's types (forced ones excepted). Access reasons it catches are counted as leaks
 * of the first wall in the trace and must stay zero.
 */
void mn_filter_apply(const struct mn_access *access, const struct mn_plan *plan,
                     const struct mneme_memory *const *successors, size_t successor_count,
                     struct mn_candidates *found, struct mn_trace *trace);

/* ---- 6. merge: one candidate per canonical memory ---- */

/* Raw relevance J of every candidate: what merge, rank and floor read. */
void mn_rank_raw(const struct mn_plan *plan, const struct mn_model_profile *profile,
                 struct mn_candidates *found);

/* Cosines among the best by raw relevance, and forced ones; at most `most`. Sets similarity_at. */
enum mneme_status mn_recall_similarity(struct mn_world *world, const struct mn_access *access,
                                       struct mn_candidates *found, size_t most,
                                       struct mn_arena *arena, struct mn_similarity *ret_similarity,
                                       struct mneme_error *err);

/* Keeps the order of what stays. A forced candidate survives an unforced one. */
enum mneme_status mn_merge_apply(const struct mn_similarity *similarity,
                                 const struct mn_model_profile *profile, struct mn_arena *arena,
                                 struct mn_candidates *found, struct mn_trace *trace,
                                 struct mneme_error *err);

/* ---- 7. rank: one score from many; best first; fusion cuts to plan->depth ---- */

/* The rows of one key are kept or cut together, by the best of them, and count once towards
 * plan->depth; forced ones are never cut and do not count. Of those that stay also the flag of
 * suspicion is set. */
enum mneme_status mn_rank_apply(const struct mneme_request *request, const struct mn_access *access,
                                const struct mn_plan *plan, const struct mn_model_profile *profile,
                                struct mn_arena *arena, struct mn_candidates *found,
                                struct mn_trace *trace, struct mneme_error *err);

/*
 * Behind it, and only where a cross-encoder is configured: it reads the first of what was ranked
 * (rules' own and checkpoints left out) and hands their relevance out among them anew. One that is
 * silent or late leaves the order as it was; the trace says so. MNEME_LIMIT: out of memory.
 */
enum mneme_status mn_reorder_apply(struct mn_world *world, const struct mneme_request *request,
                                  const struct mn_access *access, const struct mn_plan *plan,
                                  struct mn_arena *arena, struct mn_candidates *found,
                                  struct mn_trace *trace, struct mneme_error *err);

/* ---- 8. resolve: one answer per key, or a question ---- */

/*
 * Rejects what lost, and both sides of what is left open. Forced rows stay whatever they contradict:
 * where they contradict each other their final scores fall (conflict 0.10). Winners take over the best
 * relevance of their key; best first again.
 */
enum mneme_status mn_resolve_apply(const struct mneme_request *request,
                                   const struct mn_access *access, const struct mn_plan *plan,
                                   const struct mn_model_profile *profile, struct mn_arena *arena,
                                   struct mn_candidates *found, struct mn_conflicts *ret_conflicts,
                                   struct mn_trace *trace, struct mneme_error *err);

/* Which is the stronger answer to the same key? > 0: a; < 0: b; 0 only for one id. Tier, scope,
 * confirmed version, authority, confidence, update time, then the smaller id, so that the order is
 * total. Merge chooses its survivor by the same rule. */
int mn_resolve_compare(const struct mn_candidate *a, const struct mn_candidate *b);

/* Does what brought it suffice? Forced, structured by plan match, floor, path, group of the key.
 * *ret_reason is set when it does not, *ret_why (static) when it does; both may be NULL. */
bool mn_floor_passes(const struct mneme_request *request, const struct mn_access *access,
                     const struct mn_plan *plan, const struct mn_model_profile *profile,
                     const struct mn_candidate *candidate, enum mn_reason *ret_reason,
                     const char **ret_why);

/* ---- 9. budget: what goes in ---- */

struct mn_budget {
    size_t items_max;
    size_t tokens_max;
    size_t per_type_max;
    bool without_limits;
};
struct mn_selection {
    struct mn_candidate *item; /* in the order of the block's importance: best first */
    size_t count;
    bool budget_exceeded;
    size_t tokens_used;         /* of the block, exactly */
    const char *xml;            /* the block itself: counting it means building it */
    struct mneme_list evidence; /* those of the caller's that found room behind the memories */
};
/* What the request gives the block, else the usual 700. */
size_t mn_budget_tokens_max(const struct mneme_request *request);
/* without_limits: everything found, in its order, and no block ("" and 0 tokens): it is asked for
 * by those who read the items. */
enum mneme_status mn_budget_choose(const struct mneme_request *request,
                                   const struct mn_access *access, const struct mn_plan *plan,
                                   const struct mn_model_profile *profile,
                                   const struct mn_similarity *similarity,
                                   const struct mn_tokens *tokens, struct mn_arena *arena,
                                   struct mn_candidates *found, struct mn_selection *ret_selection,
                                   struct mn_trace *trace, struct mneme_error *err);

/*
 * neighbours.c, behind it: the turns next to those chosen stand in their elements, the best event's
 * first, while the tokens hold. An index that fails is noted, and there are none.
 */
enum mneme_status mn_neighbours_add(struct mn_world *world, const struct mneme_request *request,
                                    const struct mn_access *access, const struct mn_plan *plan,
                                    struct mn_arena *arena, struct mn_selection *selection,
                                    struct mn_trace *trace, struct mneme_error *err);
struct mn_unit;
/* Its pure half. unit[2 * i] stands before item[i], unit[2 * i + 1] after it; NULL: nobody does. */
enum mneme_status mn_neighbours_place(const struct mn_access *access, const struct mn_plan *plan,
                                      const struct mn_unit *const *unit, size_t tokens_max,
                                      const struct mn_tokens *tokens, struct mn_arena *arena,
                                      struct mn_selection *selection, struct mn_trace *trace,
                                      struct mneme_error *err);

/* ---- 10. assemble: the block ---- */

/* Each stands in its section (below). evidence: the caller's knowledge, apart. "" when there is
 * neither; "{}" as JSON. */
enum mneme_status mn_assemble_xml(const struct mn_candidate *item, size_t count,
                                  const struct mneme_list *evidence, struct mn_arena *arena,
                                  const char **ret_xml, struct mneme_error *err);
/* The element of one memory as it stands in its section, behind what `out` holds. */
enum mneme_status mn_assemble_element(const struct mn_candidate *item, struct mn_arena *arena,
                                      struct mn_buf *out, struct mneme_error *err);
enum mneme_status mn_assemble_markdown(const struct mn_candidate *item, size_t count,
                                       const struct mneme_list *evidence, struct mn_arena *arena,
                                       const char **ret_markdown, struct mneme_error *err);
enum mneme_status mn_assemble_json(const struct mn_candidate *item, size_t count,
                                   const struct mneme_list *evidence, struct mn_arena *arena,
                                   const char **ret_json, struct mneme_error *err);
/* Its section: by type; a suspicious constraint stands among the facts. */
enum mn_section mn_assemble_section(const struct mn_candidate *candidate);
/* Who said it: the name, else the role that an event's attributes tell; "" where neither is known. */
const char *mn_assemble_speaker(const struct mn_candidate *candidate, struct mn_arena *arena);
/* What the block shows of it: content or passages of it, or the summary when shortened. */
const char *mn_assemble_text(const struct mn_candidate *candidate);

/* ---- 11. trace: see retrieve/trace.h ---- */

#endif
