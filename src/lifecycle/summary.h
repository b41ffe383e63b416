/*
 * summary.h - a session in three to five memories, by rules. Pure.
 *
 * What it was mainly about (three topics at most); what was decided, with the reasons; what was done and
 * what is pending; what the user prefers and wants kept; what was solved. One memory for each of these
 * that there is something to say of, in the language the user writes, with the turns it is drawn from as
 * its evidence. Where that makes fewer than three, topics get a memory of their own, as far as they go.
 */
#ifndef MN_LIFECYCLE_SUMMARY_H
#define MN_LIFECYCLE_SUMMARY_H

#include "base/arena.h"
#include "base/err.h"
#include "remember/draft.h"
#include "store/store.h"

#define MN_SUMMARY_MEMORIES_MAX 5

struct mn_summary {
    struct mn_drafts drafts; /* of type session_summary, without owner, scope and id */
    const char *pending;     /* what is to be done yet, for the checkpoint; "" for nothing */
};

/*
 * Of the turns of one span, in their order. Greetings, questions, recalled text and code give nothing;
 * nor does a line that holds a secret or gives orders to a model.
 */
enum mneme_status mn_summary_make(const struct mn_session *session, const struct mn_events *turns,
                                  struct mn_arena *arena, struct mn_summary *ret_summary,
                                  struct mneme_error *err);

#endif
