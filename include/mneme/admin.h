/*
 * admin.h - seeing what is remembered: one row, lists, history, figures of the store.
 */
#ifndef MNEME_ADMIN_H
#define MNEME_ADMIN_H

#include <mneme/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mneme;

/* One row of this tenant that belongs to user_id or is shared; free with mneme_parsed_free(). */
MNEME_API enum mneme_status mneme_get(struct mneme *handle, const char *tenant_id,
                                      const char *user_id, const char *memory_id,
                                      struct mneme_parsed **ret_row, struct mneme_error *err);

/* Called once a row, in a stable order; return non-zero to stop early. */
typedef int (*mneme_row_fn)(void *context, const struct mneme_record *record);

struct mneme_filter {
    size_t size;
    const char *tenant_id; /* must be set */
    const char *user_id;   /* must be set unless all_users */
    int all_users;         /* 1: every owner of the tenant (operator) */
    int with_shared;       /* 1: the tenant's shared rows too */
    const char *type;      /* empty: any */
    enum mneme_scope scope_kind;
    const char *scope_id;
    enum mneme_memory_status status; /* 0: active; with_all_statuses: any */
    int with_all_statuses;
    size_t rows_max; /* 0: all */
};
#define MNEME_FILTER_INIT                                                                          \
    {                                                                                              \
        .size = sizeof(struct mneme_filter)                                                        \
    }

/* Memories, oldest id first. */
MNEME_API enum mneme_status mneme_list_memories(struct mneme *handle,
                                                const struct mneme_filter *filter, mneme_row_fn row,
                                                void *context, struct mneme_error *err);

/* Everything of these owners as records: memories with usage, events, rules, task states, edges. */
MNEME_API enum mneme_status mneme_export(struct mneme *handle, const struct mneme_filter *filter,
                                         mneme_row_fn row, void *context, struct mneme_error *err);

/* Former rows of one memory, newest first, then the present one is not repeated. */
typedef int (*mneme_history_fn)(void *context, const struct mneme_memory *former,
                                const char *actor, const char *reason, int64_t changed_at_ms);
MNEME_API enum mneme_status mneme_history(struct mneme *handle, const char *tenant_id,
                                          const char *user_id, const char *memory_id,
                                          mneme_history_fn row, void *context,
                                          struct mneme_error *err);

#ifdef __cplusplus
}
#endif

#endif
