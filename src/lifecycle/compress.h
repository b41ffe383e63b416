/*
 * compress.h - a session that has ended becomes a few memories; its turns go to the archive.
 *
 * A session ends when somebody says so (mneme_end_session()), when nothing was recorded in it for half an
 * hour, or, as far as it has come, with every thousand turns. By rules (summary.h), or by what is lent
 * here; whatever that says, type, owner, scope and authority are stamped here, evidence is kept only as
 * far as it names turns of the session, and lines with secrets or orders to a model are dropped. Where it
 * has nothing to say or says it in no shape, the rules do it. Where it does not answer the session waits,
 * for an hour at most: the job says so, nothing of the session changes, and then the rules do it.
 */
#ifndef MN_LIFECYCLE_COMPRESS_H
#define MN_LIFECYCLE_COMPRESS_H

#include "lifecycle/jobs.h"
#include "lifecycle/summary.h"

#define MN_SESSION_IDLE_MS INT64_C(1800000)
#define MN_SESSION_TURNS_MAX 1000
#define MN_SESSION_WAITS_MS INT64_C(3600000) /* for who does not answer */

/* Draws a summary from turns; the texts of turns are data and give it no orders. */
struct mn_summarise {
    enum mneme_status (*draw)(void *context, struct mn_world *world,
                              const struct mn_session *session, const struct mn_events *turns,
                              struct mn_arena *arena, struct mn_summary *ret_summary,
                              struct mneme_error *err);
    void *context;
    /* Fails with what keeps it from answering at this moment. NULL: it may be asked. */
    enum mneme_status (*ready)(void *context, struct mn_world *world, struct mneme_error *err);
};

enum mneme_status mn_piece_compress(struct mn_piece *piece, struct mneme_error *err);
/* Hands over to world->archive what is compressed. */
enum mneme_status mn_piece_archive(struct mn_piece *piece, struct mneme_error *err);

/* As mneme_end_session() says. */
enum mneme_status mn_session_end(struct mn_world *world, struct mn_partition partition,
                                 const char *session_id, const char *actor, int64_t now_ms,
                                 struct mneme_error *err);

#endif
