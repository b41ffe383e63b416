/*
 * lifecycle.h - what becomes of memories in the end: erasing them, and proving it.
 */
#ifndef MN_LIFECYCLE_LIFECYCLE_H
#define MN_LIFECYCLE_LIFECYCLE_H

#include <mneme/admin.h>

#include "base/str.h"
#include "base/world.h"
#include "memory/partition.h"

/* As mneme_erase() says; what->now_ms is set, texts are not NULL. The receipt is put into an empty
 * buffer. Once the rows are gone there always is a receipt, unless memory runs out: what could not be
 * put in order or looked at then stands in its scan. */
enum mneme_status mn_erase(struct mn_world *world, const struct mneme_erasure *what,
                           bool key_destroyed, struct mn_buf *ret_receipt, struct mneme_error *err);

/* As mneme_erase_verify() says. */
enum mneme_status mn_erase_verify(struct mn_world *world, const char *receipt, bool *ret_clean,
                                  struct mn_buf *ret_report, struct mneme_error *err);

/* As mneme_reconcile() and mneme_rebuild() say; now_ms is set. The report is put into an empty
 * buffer. */
enum mneme_status mn_reconcile(struct mn_world *world, const struct mneme_reconciliation *how,
                               bool *ret_clean, struct mn_buf *ret_report,
                               struct mneme_error *err);
enum mneme_status mn_rebuild(struct mn_world *world, const struct mneme_rebuilding *how,
                             struct mn_buf *ret_report, struct mneme_error *err);

/* As mneme_health_report() says; only: NULL members for all. The report is put into an empty buffer. */
enum mneme_status mn_health(struct mn_world *world, const struct mn_partition *only,
                            int64_t now_ms, size_t *ret_alarms, struct mn_buf *ret_report,
                            struct mneme_error *err);

#endif
