/*
 * rank_raw.c - what is read absolutely: raw relevance.
 *
 * J = F + w X: the centred cosine and the share of the request's words that are there, both on
 * scales that mean the same in every request and partition, so that a floor can be held against
 * their sum. Where item and request are written in different languages no word can be shared; X is
 * then imputed from the best X in the request's own language, in the proportion of the cosines
 * (measured: without it a question in one language never finds the answer in the other). Without
 * any vector J is X.
 */
#include "retrieve/rank.h"

static bool other_language(const struct mn_plan *plan, const struct mn_candidate *c)
{
    return c->language != plan->language;
}

double mn_rank_text(const struct mn_plan *plan, const struct mn_model_profile *profile,
                    const struct mn_best *best, const struct mn_candidate *c)
{
    if (!c->has_vector || c->vector <= 0 || best->vector <= 0 || !other_language(plan, c))
        return c->text;
    double imputed = (double)profile->impute * best->text_same_language * c->vector / best->vector;
    return imputed > c->text ? imputed : c->text;
}

struct mn_best mn_best_of(const struct mn_plan *plan, const struct mn_model_profile *profile,
                          const struct mn_candidates *found)
{
    struct mn_best best = { 0 };

    for (size_t i = 0; i < found->count; i++) {
        const struct mn_candidate *c = &found->item[i];

        best.any_rule = best.any_rule || c->forced;
        best.any_vector = best.any_vector || c->has_vector;
        if (c->has_vector && c->vector > best.vector)
            best.vector = c->vector;
        if (other_language(plan, c))
            continue;
        if (c->text > best.text_same_language)
            best.text_same_language = c->text;
        if (c->coverage > best.coverage)
            best.coverage = c->coverage;
    }
    for (size_t i = 0; i < found->count; i++) {
        double text = mn_rank_text(plan, profile, &best, &found->item[i]);

        if (text > best.text)
            best.text = text;
    }
    return best;
}

void mn_rank_raw(const struct mn_plan *plan, const struct mn_model_profile *profile,
                 struct mn_candidates *found)
{
    struct mn_best best = mn_best_of(plan, profile, found);

    for (size_t i = 0; i < found->count; i++) {
        struct mn_candidate *c = &found->item[i];
        double text = mn_rank_text(plan, profile, &best, c);

        c->raw_relevance = best.any_vector ? c->vector + (double)profile->text_weight * text : text;
    }
}
