/*
 * sources.h - the six ways to find a candidate, and the pool they fill.
 *
 * Inside retrieve/ only. A source reads the store or the index, already filtered there, and adds
 * what it finds to the pool; a candidate found twice is one, with two findings.
 */
#ifndef MN_RETRIEVE_SOURCES_H
#define MN_RETRIEVE_SOURCES_H

#include "retrieve/key.h"
#include "retrieve/stages.h"
#include "search/search.h"
#include "store/store.h"

struct mn_pool_slot {
    uint32_t at;   /* UINT32_MAX: free */
    uint32_t hash; /* of the id, so that another id is seldom looked at */
};
/* Candidates by id. The pool's rows live in the arena. */
struct mn_pool {
    struct mn_arena *arena;
    struct mn_candidates found;
    struct mn_pool_slot *slot; /* open addressing over ids */
    size_t slot_count;
};
enum mneme_status mn_pool_init(struct mn_pool *pool, struct mn_arena *arena,
                               struct mneme_error *err);
/* NULL when there is none of this id. */
struct mn_candidate *mn_pool_find(const struct mn_pool *pool, const char *id);
/* The candidate of this row, made when new. A row read from the truth replaces an index's document.
 * Pointers into the pool hold until the next one is added. */
enum mneme_status mn_pool_add_row(struct mn_pool *pool, const struct mn_row *row,
                                  struct mn_candidate **ret_candidate, struct mneme_error *err);
enum mneme_status mn_pool_add_hit(struct mn_pool *pool, const struct mn_hit *hit,
                                  struct mn_candidate **ret_candidate, struct mneme_error *err);

/* The language of those of which no index told it; last, since most are told. */
void mn_pool_read_languages(struct mn_pool *pool);

/* What every source is given. */
struct mn_sourcing {
    struct mn_world *world;
    const struct mneme_request *request;
    const struct mn_access *access;
    struct mn_plan *plan;
    struct mn_arena *arena;
    struct mn_trace *trace;
    const float *vector; /* of the request; NULL without */
    struct mn_pool *pool;
    size_t lists; /* how many times its usual length a list of the index may have; at least 1 */
    bool let_go;  /* rows were read in another state of the store than is asked now */
    bool structured_is_cut; /* there may be more rows than the structured query gave */
    size_t linked;          /* candidates whose successors are known: the first so many */
    struct mn_key_set keys; /* those whose rows are known */
    struct mn_successors successors;
    struct mn_query_kept *kept; /* by the index, from question to question */
    struct mn_str codes; /* of the request's tokens; .bytes 0: none */
};

enum mneme_status mn_source_structured(struct mn_sourcing *s, struct mneme_error *err);
/* Past the limit of that: what is most like the request among all rows of the same types. */
enum mneme_status mn_source_structured_alike(struct mn_sourcing *s, struct mneme_error *err);
enum mneme_status mn_source_task_state(struct mn_sourcing *s, struct mneme_error *err);
enum mneme_status mn_source_search(struct mn_sourcing *s,
                                   struct mneme_error *err); /* text, vector */
/* What the index is asked: of all types that it finds, where it looks at types. */
struct mn_query mn_source_query(struct mn_sourcing *s);
/* Is a list of the last search full, and with less than the plan's depth of different texts that
 * nothing replaced? Then what was looked for may stand behind them. */
bool mn_source_is_crowded(const struct mn_sourcing *s);
enum mneme_status mn_source_graph(struct mn_sourcing *s, struct mneme_error *err);
/* From this folded name, as one hop later; adds what it brought to *count, to `most` at most. */
enum mneme_status mn_source_graph_from(struct mn_sourcing *s, const char *name, size_t most,
                                       size_t *count, struct mneme_error *err);
enum mneme_status mn_source_rule(struct mn_sourcing *s, struct mneme_error *err);

/* Reads the plan's time phrases in the user's zone, where that is remembered and none was given. */
enum mneme_status mn_source_zone(struct mn_sourcing *s, struct mneme_error *err);

/* second_step.c: once more, by the name or the time that the request tells only through another. */
enum mneme_status mn_source_second_step(struct mn_sourcing *s, struct mneme_error *err);
#define MN_STEP_BRINGS_MAX 16
/* The best found so far by raw relevance, `most` of them at most; what was replaced says nothing. */
size_t mn_step_first(struct mn_sourcing *s, struct mn_candidate **first, size_t most);
/* What each of them says at the instant that is asked: as of a past one, in its words of then. */
enum mneme_status mn_step_said(struct mn_sourcing *s, struct mn_candidate *const *first, size_t count,
                               const struct mneme_memory **said, struct mneme_error *err);
/* One more step in the trace; NULL: there were MN_STEPS_MAX. */
struct mn_trace_step *mn_step_told(struct mn_sourcing *s, enum mn_step by, const char *from);

/* back_then.c: what was at the time that the request, folded in its case, tells by something else. */
enum mneme_status mn_source_back_then(struct mn_sourcing *s, struct mn_str request,
                                      struct mneme_error *err);

/* surroundings.c: context of every candidate that is a turn. The last to be asked: it points at
 * candidates that no one drops from the pool any more. */
enum mneme_status mn_source_surroundings(struct mn_sourcing *s, struct mneme_error *err);

/* token_likeness.c: after that, the signals of turns' tokens. Nothing where the model gives none. */
enum mneme_status mn_source_token_likeness(struct mn_sourcing *s, struct mneme_error *err);

/* successors.c: what replaces the candidates not looked at yet; the last of each chain becomes one.
 */
enum mneme_status mn_source_successors(struct mn_sourcing *s, struct mneme_error *err);

/* past.c: for as_of, what was found by words that it has today and had not then is found anew by
 * those it had. */
enum mneme_status mn_source_past(struct mn_sourcing *s, struct mneme_error *err);

/* verify.c: what the sources brought is brought up to the truth and made complete. */

/* All eligible rows of every key among the candidates. */
enum mneme_status mn_verify_keys(struct mn_sourcing *s, struct mneme_error *err);
/* Reads canonical rows where the consistency asks for it; drops what is no longer there. */
enum mneme_status mn_verify_rows(struct mn_sourcing *s, bool index_is_current,
                                 struct mneme_error *err);
/* Replaces texts by those of as_of. */
enum mneme_status mn_verify_as_of(struct mn_sourcing *s, struct mneme_error *err);
/* Text and vector scores for candidates that no search hit brought. */
enum mneme_status mn_verify_scores(struct mn_sourcing *s, struct mneme_error *err);

#endif
