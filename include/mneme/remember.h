/*
 * remember.h - writing: one memory, some events, a correction, a withdrawal.
 *
 * Every change is durable when the call returns, writes the whole former row into the history, and
 * is seen by the next retrieval of every process on the same file.
 */
#ifndef MNEME_REMEMBER_H
#define MNEME_REMEMBER_H

#include <mneme/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mneme;

/* Who changes and why: goes into the history. All optional. */
struct mneme_change {
    size_t size;
    const char *actor;
    const char *reason;
    int64_t now_ms;          /* 0: the clock */
    int64_t if_revision;     /* 0: any; else the change is refused unless the row has it */
    int allow_secrets;       /* 1: text that holds keys or passwords is stored, as secret */
    int admin;               /* 1: may write what needs an admin grant */
    int without_embedding;   /* 1: do not wait for the vector; it follows with mneme_run_due() */
};
#define MNEME_CHANGE_INIT                                                                          \
    {                                                                                              \
        .size = sizeof(struct mneme_change)                                                        \
    }

enum mneme_outcome {
    MNEME_INSERTED = 1,
    MNEME_CONFIRMED, /* the same text of the same owner and scope was there: nothing is doubled */
    MNEME_UPDATED,
    MNEME_UNCHANGED
};

struct mneme_receipt {
    enum mneme_outcome outcome;
    char id[MNEME_ID_BYTES_MAX + 1];
    int64_t revision;
};

/*
 * Write one memory. Every field is validated; what is missing is derived (type, scope, confidence,
 * summary); text that holds a secret is refused unless change->allow_secrets. The same normalised
 * text of the same owner, agent, scope, type and key is confirmed, not doubled.
 *
 * MNEME_INVALID    a field is wrong: err->field names it, nothing is written.
 * MNEME_FORBIDDEN  authority, shared rows or rules that need change->admin.
 * MNEME_CONFLICT   the id exists, or if_revision does not hold.
 */
MNEME_API enum mneme_status mneme_remember(struct mneme *handle, const struct mneme_memory *memory,
                                           const struct mneme_change *change,
                                           struct mneme_receipt *ret_receipt,
                                           struct mneme_error *err);

/* Append events; all or none. ret_receipts: `count` of them, or NULL. */
MNEME_API enum mneme_status mneme_observe(struct mneme *handle, const struct mneme_event *events,
                                          size_t count, const struct mneme_change *change,
                                          struct mneme_receipt *ret_receipts,
                                          struct mneme_error *err);

/*
 * Change a row: `memory` is the whole row as it shall be (read it with mneme_get, change, write).
 * tenant_id, user_id and id name it and cannot change.
 */
MNEME_API enum mneme_status mneme_edit(struct mneme *handle, const struct mneme_memory *memory,
                                       const struct mneme_change *change,
                                       struct mneme_receipt *ret_receipt, struct mneme_error *err);

/* Soft and reversible: status deleted; leaves every index. Undo by mneme_edit with status active. */
MNEME_API enum mneme_status mneme_forget(struct mneme *handle, const char *tenant_id,
                                         const char *user_id, const char *memory_id,
                                         const struct mneme_change *change,
                                         struct mneme_receipt *ret_receipt,
                                         struct mneme_error *err);

/*
 * Load rows as they are: ids, versions, statuses and times kept, no handling of duplicates or
 * rivals, validated like everything else. Durable together, all or none; a row that is there
 * already with the same content is MNEME_UNCHANGED. Meant for imports, a few hundred rows a call.
 * ret_receipts: `count` of them, or NULL. On failure *ret_failed (may be NULL) is the index of the
 * record at fault.
 */
MNEME_API enum mneme_status mneme_write(struct mneme *handle, const struct mneme_record *records,
                                        size_t count, const struct mneme_change *change,
                                        struct mneme_receipt *ret_receipts, size_t *ret_failed,
                                        struct mneme_error *err);

#ifdef __cplusplus
}
#endif

#endif
