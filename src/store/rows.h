/*
 * rows.h - rows as a store gives them, and the log of what has changed.
 */
#ifndef MN_STORE_ROWS_H
#define MN_STORE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mneme/memory.h>

#include "memory/partition.h"

/* ---- changes ---- */

enum mn_change_kind {
    MN_CHANGE_MEMORY = 1,
    MN_CHANGE_EVENT,
    MN_CHANGE_EDGE,
    MN_CHANGE_RULE,
    MN_CHANGE_TASK_STATE,
    MN_CHANGE_VECTOR,
    MN_CHANGE_ERASE /* of a partition, its id empty: units of it are gone, build it anew */
};

#define MN_CURSOR_BYTES 40
struct mn_cursor {
    char text[MN_CURSOR_BYTES]; /* opaque; "" is before everything */
};

struct mn_change {
    enum mn_change_kind kind;
    struct mn_partition partition;
    const char *id;
    int64_t revision;
};
struct mn_changes {
    struct mn_change *item;
    size_t count;
    struct mn_cursor next;
    bool too_old; /* the log no longer reaches back to the cursor: rebuild */
    bool more;    /* limit reached: ask again with next */
};

/* How long what only serves for a while is kept. */
#define MN_CHANGES_KEPT_MS (INT64_C(7) * 86400000)
#define MN_CHANGES_KEPT_MAX 100000
#define MN_TRACES_KEPT_MS (INT64_C(30) * 86400000)
#define MN_TRACES_KEPT_MAX 10000
struct mn_retention {
    int64_t now_ms;
    int64_t changes_ms; /* the last change is kept for ever */
    int64_t changes_max;
    int64_t traces_ms;
    int64_t traces_max;
};

/* ---- rows ---- */

struct mn_row {
    struct mneme_memory memory;
    double confidence; /* as usage has it; the row's own where there is no usage */
    int64_t last_accessed_at_ms;
    int64_t access_count;
    int64_t used_count;
    double importance_base; /* before use changed it; negative: memory.importance is the row's own */
};
struct mn_rows {
    struct mn_row *item;
    size_t count;
    size_t room;
};

struct mn_rules {
    struct mneme_rule *item; /* with tenant_id and memory_id; the owner beside it */
    const char **owner;
    size_t count;
};
struct mn_edges {
    struct mneme_edge *item;
    size_t count;
};
struct mn_task_states {
    struct mneme_task_state *item;
    size_t count;
    const int64_t *revision; /* beside each; of session_get alone, else NULL */
};
struct mn_history_row {
    struct mneme_memory memory;
    const char *actor;
    const char *reason;
    int64_t changed_at_ms;
};
struct mn_history_rows {
    struct mn_history_row *item;
    size_t count;
};

/* Behind which turn of a session: place, and of turns of one place the id; -1 and "": from the first on. */
struct mn_event_place {
    int64_t place;
    const char *id;
};

#endif
