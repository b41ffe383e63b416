/*
 * task.h - a task that is closed: what was remembered for it alone ends.
 */
#ifndef MN_LIFECYCLE_TASK_H
#define MN_LIFECYCLE_TASK_H

#include <mneme/remember.h>

#include "base/world.h"
#include "memory/partition.h"

/* As mneme_close_task() says. */
enum mneme_status mn_task_close(struct mn_world *world, struct mn_partition partition,
                                const char *task_id, const struct mneme_change *change,
                                size_t *ret_ended, struct mneme_error *err);

#endif
