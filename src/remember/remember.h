/*
 * remember.h - one memory, written on purpose.
 *
 * check -> authorise -> secrets -> complete -> duplicate or new -> commit -> embed. What a model says
 * enters as an inference; what looks like a secret enters only when asked to; the same text of the
 * same owner and scope confirms what is there.
 */
#ifndef MN_REMEMBER_REMEMBER_H
#define MN_REMEMBER_REMEMBER_H

#include <mneme/remember.h>

#include "base/arena.h"
#include "base/world.h"

enum mneme_status mn_remember(struct mn_world *world, const struct mneme_memory *memory,
                              const struct mneme_change *change, struct mn_arena *arena,
                              struct mneme_receipt *ret_receipt, struct mneme_error *err);
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

/* ---- pure parts ---- */

/* Fills type, scope and key where they are empty, by rules over the text. */
void mn_classify(struct mneme_memory *memory);

/* MNEME_FORBIDDEN when the row needs an admin grant that `admin` does not give. Names the field. */
enum mneme_status mn_authorise(const struct mneme_memory *memory, const struct mneme_memory *former,
                               int admin, struct mneme_error *err);

/* MNEME_INVALID when a text field holds a secret and allow is 0; else raises the sensitivity. */
enum mneme_status mn_guard_secrets(struct mneme_memory *memory, int allow, struct mneme_error *err);

#endif
