/*
 * summary.h - a session in three to five memories. Pure.
 *
 * What it was mainly about (three topics at most); what was decided, with the reasons; what was done and
 * what is pending; what the user prefers and wants kept; what was solved. One memory for each of these
 * that there is something to say of, in the language the user writes, with the turns it is drawn from as
 * its evidence. Where that makes fewer than three, topics get a memory of their own, as far as they go.
 * The lines of each are found by rules, or handed in by who read the session otherwise
 * (summary_asked.h).
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
    struct mneme_list pending_from; /* the turns that say so */
    const char *by;          /* whom it was asked of; NULL: made by rules */
};

enum mn_summary_part {
    MN_PART_TOPICS = 0,
    MN_PART_DECISIONS,
    MN_PART_DONE,
    MN_PART_PENDING,
    MN_PART_PREFERENCES,
    MN_PART_SOLUTIONS,
    MN_PART_COUNT
};
struct mn_summary_line {
    enum mn_summary_part part;
    const char *text;
    size_t turn; /* that it stands on, by its place */
};
struct mn_summary_lines {
    struct mn_summary_line *item;
    size_t count, room;
    const char *extractor; /* who found them, and asked with what: into the attributes */
    const char *prompt;
};

/*
 * Of the turns of one span, in their order. Greetings, questions, recalled text and code give nothing;
 * nor does a line that holds a secret or gives orders to a model. drawn: by turn, whether memories were
 * drawn from it when it was said, whose lines would only repeat them; NULL: from none.
 */
enum mneme_status mn_summary_make(const struct mn_session *session, const struct mn_events *turns,
                                  const bool *drawn, struct mn_arena *arena, struct mn_summary *ret_summary,
                                  struct mneme_error *err);

/* The same of lines that somebody else found, at least one. */
enum mneme_status mn_summary_of_lines(const struct mn_session *session,
                                      const struct mn_events *turns,
                                      const struct mn_summary_lines *lines, struct mn_arena *arena,
                                      struct mn_summary *ret_summary, struct mneme_error *err);

#endif
