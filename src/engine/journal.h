/*
 * journal.h - traces and usage that wait to be written.
 *
 * A retrieval writes nothing durable in its path. What it leaves behind, its trace and which memories
 * it brought, is kept here and committed in one piece by mneme_run_due() and mneme_close(). The audit's
 * entry of it goes with it. The oldest entries are given up when the journal is full; how many were
 * lost is in the audit too.
 */
#ifndef MN_ENGINE_JOURNAL_H
#define MN_ENGINE_JOURNAL_H

#include <mneme/retrieve.h>

#include "base/world.h"

struct mn_journal;

struct mn_journal *mn_journal_new(void); /* NULL: out of memory */
void mn_journal_free(struct mn_journal *journal);

/* Keeps the answer's trace and the ids it brought. Never fails: an entry that finds no room is lost. */
void mn_journal_add(struct mn_journal *journal, const struct mneme_identity *identity,
                    int64_t now_ms, const struct mneme_answer *answer);

/* The trace of an entry not yet written, copied with malloc; NULL when there is none of this id. */
char *mn_journal_trace(struct mn_journal *journal, const char *tenant_id, const char *trace_id);

/* Commits what waits. Safe from several threads. */
enum mneme_status mn_journal_flush(struct mn_journal *journal, struct mn_world *world,
                                   struct mneme_error *err);
size_t mn_journal_waiting(struct mn_journal *journal);

#endif
