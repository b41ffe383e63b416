/*
 * floor.h - what stage 8 and the trace ask of the floor besides whether it is passed.
 */
#ifndef MN_RETRIEVE_FLOOR_H
#define MN_RETRIEVE_FLOOR_H

#include "retrieve/stages.h"

/* Does the candidate bear on the request, so that it is worth asking the user about? As passing the
 * floor, but that the mode asks for all of a kind is not enough. */
bool mn_floor_bears(const struct mneme_request *request, const struct mn_access *access,
                    const struct mn_plan *plan, const struct mn_model_profile *profile,
                    const struct mn_candidate *candidate);

/* What the candidate's likeness is measured against: its raw relevance, or its raw text score where
 * it has no vector. */
double mn_floor_of(const struct mn_plan *plan, const struct mn_model_profile *profile,
                   const struct mn_candidate *candidate);

#endif
