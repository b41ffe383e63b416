/*
 * text_pool.h - texts as the memories of one user, so that only what they say tells them apart.
 *
 * What a memory says is kept: type, title, content, summary, keywords, usage scenarios, entities,
 * when it happened. What says for whom and how long it holds is left out: owner, scope, status,
 * validity, key, permissions, environment. A task state becomes a fact, because only its task could
 * find it.
 */
#ifndef MN_EVAL_TEXT_POOL_H
#define MN_EVAL_TEXT_POOL_H

#include "base/arena.h"
#include "eval/golden_data.h"
#include "eval/scratch.h"

struct mn_text_pool {
    struct mn_scratch store;
    int64_t now_ms; /* questions are asked an hour after the latest date in it */
    const char *model_status;
};
void mn_text_pool_close(struct mn_text_pool *pool);
#define MN_TEXT_POOL_AUTO MN_CLEANUP(mn_text_pool_close) struct mn_text_pool

/* All memories of the folder, whatever their status. */
enum mneme_status mn_text_pool_open_golden(const struct mn_golden *golden,
                                           const struct mn_eval_setup *setup,
                                           struct mn_text_pool *ret_pool, struct mneme_error *err);

/* Facts with the numbers of the texts as their ids: "0", "1", ... */
enum mneme_status mn_text_pool_open_texts(const char *const *texts, size_t count,
                                          const struct mn_eval_setup *setup,
                                          struct mn_text_pool *ret_pool, struct mneme_error *err);

/* A request of the pool's user, the rest as MNEME_REQUEST_INIT has it. */
struct mneme_request mn_text_pool_request(const struct mn_text_pool *pool, const char *text);

/* The place of the memory in the answer, from 1; 0: not there. One that was merged into another has
 * its place. */
size_t mn_text_pool_rank(const struct mneme_answer *answer, const char *id);

#endif
