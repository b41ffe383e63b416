/*
 * retrieve.h - one retrieval from request to answer.
 */
#ifndef MN_RETRIEVE_RETRIEVE_H
#define MN_RETRIEVE_RETRIEVE_H

#include "retrieve/stages.h"

/* The fields stand in the order in which they come to be. Owned by mn_retrieve(). */
struct mn_retrieval {
    const struct mneme_request *request;
    struct mn_arena *arena;
    const struct mn_model_profile *profile; /* calibration: the model's, or that for none */
    const char *model_name;
    struct mn_trace trace;
    struct mn_access access;         /* 1 identify */
    struct mn_gate gate;             /* 2 gate */
    struct mn_plan plan;             /* 3 plan */
    struct mn_candidates found;      /* 4 recall, then 5 filter, 6 merge, 7 rank */
    struct mn_similarity similarity; /* 6 */
    struct mn_conflicts conflicts;   /* 8 resolve */
    struct mn_selection selection;   /* 9 budget */
    const char *markdown;            /* 10 assemble */
    const char *json;
};

/*
 * Runs the eleven stages. *ret_answer and everything it points to live in `arena`. Writes nothing.
 */
enum mneme_status mn_retrieve(struct mn_world *world, const struct mneme_request *request,
                              struct mn_arena *arena, struct mneme_answer *ret_answer,
                              struct mneme_error *err);

#endif
