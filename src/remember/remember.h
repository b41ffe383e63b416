/*
 * remember.h - one memory, written on purpose.
 *
 * check -> authorise -> secrets -> complete -> duplicate or new -> commit -> embed. What a model says
 * enters as an inference; what looks like a secret enters only when asked to; the same text of the
 * same owner and scope confirms what is there.
 */
#ifndef MN_REMEMBER_REMEMBER_H
#define MN_REMEMBER_REMEMBER_H

#include <stdbool.h>

#include <mneme/remember.h>

#include "base/arena.h"
#include "base/world.h"
#include "memory/partition.h"
#include "store/store.h"

enum mneme_status mn_remember(struct mn_world *world, const struct mneme_memory *memory,
                              const struct mneme_change *change, struct mn_arena *arena,
                              struct mneme_receipt *ret_receipt, struct mneme_error *err);
/* All that can be said of the memory without looking at the store; *ret_draft: classified and described,
 * in the arena. */
enum mneme_status mn_remember_check(const struct mneme_memory *memory,
                                    const struct mneme_change *change, struct mn_arena *arena,
                                    struct mneme_memory *ret_draft, struct mneme_error *err);
enum mneme_status mn_remember_edit(struct mn_world *world, const struct mneme_memory *memory,
                                   const struct mneme_change *change, struct mn_arena *arena,
                                   struct mneme_receipt *ret_receipt, struct mneme_error *err);
enum mneme_status mn_remember_forget(struct mn_world *world, const char *tenant_id,
                                     const char *user_id, const char *memory_id,
                                     const struct mneme_change *change, struct mn_arena *arena,
                                     struct mneme_receipt *ret_receipt, struct mneme_error *err);
enum mneme_status mn_remember_events(struct mn_world *world, const struct mneme_event *events,
                                     size_t count, const struct mneme_change *change,
                                     struct mn_arena *arena, struct mneme_receipt *ret_receipts,
                                     struct mneme_error *err);
enum mneme_status mn_remember_records(struct mn_world *world, const struct mneme_record *records,
                                      size_t count, const struct mneme_change *change,
                                      struct mn_arena *arena, struct mneme_receipt *ret_receipts,
                                      size_t *ret_failed, struct mneme_error *err);

/* The instant that a change speaks of: its own, else that of the clock. */
int64_t mn_change_now(const struct mn_world *world, const struct mneme_change *change);
/* A receipt of one row in one part. */
void mn_receipt_fill(struct mneme_receipt *receipt, enum mneme_outcome outcome, const char *id,
                     int64_t revision);

/* Of the partition's own row, else of the tenant's shared one. */
enum mneme_status mn_remember_confirm(struct mn_world *world, struct mn_partition partition,
                                      const char *memory_id, const struct mneme_change *change,
                                      struct mn_arena *arena, struct mneme_receipt *ret_receipt,
                                      struct mneme_error *err);

/* Rows of the draft's partition, agent and scope that are like it by their words, and those that are
 * like it by its vector (NULL: none). *ret_position: what the index had seen. */
enum mneme_status mn_nominate(struct mn_world *world, const struct mneme_memory *draft,
                              const float *vector, int64_t now_ms, struct mn_arena *arena,
                              const char **ret_position, struct mn_rows *ret_near,
                              struct mn_rows *ret_close, struct mneme_error *err);

/* Answers an open question of the partition: keep_id holds, its rivals held until now. */
enum mneme_status mn_remember_clarify(struct mn_world *world, struct mn_partition partition,
                                      const char *question_id, const char *keep_id,
                                      const struct mneme_change *change, struct mn_arena *arena,
                                      struct mneme_receipt *ret_receipt, struct mneme_error *err);

/* What a turn that orders to forget has withdrawn, each with the outcome MNEME_FORGOTTEN. */
struct mn_forgotten {
    struct mneme_receipt *item;
    size_t count, room;
    const char *question; /* instead: it fits too much; NULL */
};
struct mn_called;
struct mn_place;
/* The order is stored. All of it is withdrawn, or nothing. */
enum mneme_status mn_remember_told_to_forget(struct mn_world *world, const struct mneme_event *order,
                                             const struct mn_called *called,
                                             const struct mn_place *place,
                                             const struct mneme_change *change,
                                             struct mn_arena *arena,
                                             struct mn_forgotten *ret_forgotten,
                                             struct mneme_error *err);

/* Draws memories from one turn that is stored, in these events, and tells of each memory once.
 * said_at_ms: its time where one was given, else 0. */
void mn_remember_turn(struct mn_world *world, const struct mneme_event *const *parts, size_t count,
                      int64_t said_at_ms, const struct mneme_change *change, struct mn_arena *arena);

/* ---- turns that a language model reads (reader.c) ---- */

#define MN_READ_TOGETHER 20    /* turns of one session that wait are read */
#define MN_READ_ATTEMPTS_MAX 8 /* by itself; then only when somebody asks */

/* Is there anything in the turn to read? */
bool mn_reader_wants(const struct mneme_event *event, struct mn_arena *arena);
/* Its row in the queue; borrows the event and the change. */
void mn_reader_queue(const struct mneme_event *event, const struct mneme_change *change,
                     int64_t now_ms, struct mn_arena *arena, struct mn_extraction *ret_row);
/* What waits of one session; asked: also what is not due. Adds to the report; that the model failed is
 * no failure of the call. */
enum mneme_status mn_read_session(struct mn_world *world, struct mn_partition partition,
                                  const char *session, bool asked, struct mneme_read *report,
                                  struct mneme_error *err);
/* The same of all sessions of the partition, or of one; stops where the model fails. */
enum mneme_status mn_read_asked(struct mn_world *world, struct mn_partition partition,
                                const char *session, struct mneme_read *report,
                                struct mneme_error *err);
/* Sessions that are due; *ret_done: how many were tried. Nothing without a model. */
enum mneme_status mn_read_due(struct mn_world *world, size_t sessions_max, size_t *ret_done,
                              struct mneme_error *err);

/* The caller's idempotency key as it is kept, for one part of one call; "" without one. */
enum mneme_status mn_request_key(const char *call, const struct mneme_change *change, size_t part,
                                 struct mn_arena *arena, const char **ret_key,
                                 struct mneme_error *err);
/* Has a request of this key been answered? *ret_found; then the receipt is as it was. */
enum mneme_status mn_request_answered(struct mn_world *world, struct mn_partition partition,
                                      const char *key, const struct mneme_change *change,
                                      struct mn_arena *arena, struct mneme_receipt *ret_receipt,
                                      bool *ret_found, struct mneme_error *err);

/* ---- pure parts; the stages are in draft.h ---- */

/* Fills type, scope and key where they are empty, by rules over the text. */
void mn_classify(struct mneme_memory *memory);
/* Importance (when < 0) and sensitivity (when none) of a classified memory, by type and words. What it
 * leaves without a sensitivity is as sensitive as any. */
void mn_weigh(struct mneme_memory *memory);

/* MNEME_FORBIDDEN when the row needs an admin grant that `admin` does not give. Names the field. */
enum mneme_status mn_authorise(const struct mneme_memory *memory, const struct mneme_memory *former,
                               int admin, struct mneme_error *err);

/* MNEME_INVALID naming the field when the text holds a secret and allow is 0; *ret_secret (may be
 * NULL) is set to 1 when it holds one. */
enum mneme_status mn_guard_text(const char *name, const char *text, int allow, int *ret_secret,
                                struct mneme_error *err);
/* The same for every text of a memory, whose sensitivity is raised to secret when one does. */
enum mneme_status mn_guard_secrets(struct mneme_memory *memory, int allow, struct mneme_error *err);

#endif
