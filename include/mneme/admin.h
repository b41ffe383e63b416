/*
 * admin.h - seeing what is remembered: one row, lists, history; erasing it for good, and proof of that.
 */
#ifndef MNEME_ADMIN_H
#define MNEME_ADMIN_H

#include <mneme/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mneme;
struct mneme_options;
struct mneme_change;

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

/*
 * The memory with what it replaced and what replaced it, what holds last first: along `supersedes` both
 * ways, and what its key held before in the same scope. Present rows of any status,
 * each with the validity that it had; `row` returning 1 ends it.
 *
 * MNEME_INVALID    without a tenant or an id.
 * MNEME_NOT_FOUND  no such memory of the user or shared in the tenant.
 */
MNEME_API enum mneme_status mneme_versions(struct mneme *handle, const char *tenant_id,
                                           const char *user_id, const char *memory_id,
                                           mneme_row_fn row, void *context,
                                           struct mneme_error *err);

/* ---- erasing ---- */

enum mneme_erase_scope {
    MNEME_ERASE_NONE = 0,
    MNEME_ERASE_MEMORY,  /* one memory or event */
    MNEME_ERASE_SESSION, /* its events, checkpoints and memories */
    MNEME_ERASE_USER,    /* all that the user owns in the tenant */
    MNEME_ERASE_TENANT   /* all of the tenant, shared rows included */
};

struct mneme_erasure {
    size_t size;
    enum mneme_erase_scope scope;
    const char *tenant_id; /* must be set */
    const char *user_id;   /* whose memory or session, empty: the tenant's shared one; or who */
    const char *id;        /* of the memory, event or session */
    int with_evidence;     /* 1: of a memory, the events of its owner it was drawn from go too */
    int preview;           /* 1: nothing is erased; the receipt has the counts alone */
    const char *actor;
    int64_t now_ms; /* 0: the clock */
};
#define MNEME_ERASURE_INIT                                                                         \
    {                                                                                              \
        .size = sizeof(struct mneme_erasure)                                                       \
    }

/*
 * Erase for good, in every copy the store has: rows, former rows, events, sessions, vectors, edges,
 * rules, checkpoints, usage, traces, clarifications, index partitions, the embedding cache, the log
 * and free pages. What was drawn from erased evidence alone goes with it; what was drawn from it and
 * from other evidence says again what it said before. What stays of a user is one change row with the
 * id, which tells the indexes of other processes, and text-free tombstones. Durable before the files
 * are scanned; cut short in between, the next call or mneme_run_due() finishes it.
 *
 * *ret_receipt_json: what was erased, counted, with salted digests of ids and texts and the result of
 * a scan of the files' bytes (docs/operating.md). No text. Free with mneme_free(). Keep it: it can be
 * checked later, and it is all that is left.
 *
 * MNEME_NOT_FOUND    no such memory or session. A user or a tenant without rows is erased all the same.
 * MNEME_UNAVAILABLE  rows are erased, but another process keeps the log from being merged, or bytes
 *                    were found that should be gone: call again.
 */
MNEME_API enum mneme_status mneme_erase(struct mneme *handle, const struct mneme_erasure *what,
                                        char **ret_receipt_json, struct mneme_error *err);

/*
 * Check a receipt against the store as it is now: the seal, that no row has one of the ids, that no
 * row of those owners from before the erasure has one of the texts, and the files' bytes for the ids.
 * *ret_clean: 1 when nothing was found. *ret_report_json (may be NULL): what was found; mneme_free().
 *
 * MNEME_INVALID    no receipt, or one that was changed.
 * MNEME_FORBIDDEN  a receipt of another store.
 */
MNEME_API enum mneme_status mneme_erase_verify(struct mneme *handle, const char *receipt_json,
                                               int *ret_clean, char **ret_report_json,
                                               struct mneme_error *err);

/* ---- maintenance ---- */

enum mneme_job_state {
    MNEME_JOB_DONE = 1, /* nothing is left of it */
    MNEME_JOB_LEFT,     /* pieces or time were used up, or it waits for who does not answer (message):
                         * the next call goes on */
    MNEME_JOB_NOT_DUE,
    MNEME_JOB_HELD,     /* another process is at it */
    MNEME_JOB_FAILED    /* see message; it is tried again with the next call */
};

/* What became of one job. Pointers live as long as the call of `row`. */
struct mneme_job {
    const char *name;
    const char *what; /* what it does, in a sentence */
    enum mneme_job_state state;
    int64_t looked;  /* at so many rows, in this call */
    int64_t changed; /* so many groups of rows written */
    int64_t due_at_ms;   /* when it is due next; 0: whenever there is something to do */
    int64_t ended_at_ms; /* of its last whole run; 0: never */
    const char *message; /* why it failed, waits, or did it otherwise than meant; "" */
    const char *file;    /* of the tenant, where each has its own; "" */
};
/* Called once a job, and a tenant's file. */
typedef void (*mneme_job_fn)(void *context, const struct mneme_job *job);

struct mneme_maintenance {
    size_t size;
    const char *job;     /* one of them; NULL or "": all */
    int all;             /* 1: also what is not due yet */
    size_t pieces_max;   /* 0: as many as there are; a piece is at most some hundred rows */
    int64_t time_max_ms; /* 0: no limit; looked at between pieces */
    int64_t now_ms;      /* 0: the clock */
};
#define MNEME_MAINTENANCE_INIT                                                                     \
    {                                                                                              \
        .size = sizeof(struct mneme_maintenance)                                                   \
    }

/*
 * Do what is due (docs/operating.md lists the jobs). Each piece is one durable transaction: cut short
 * anywhere, the next call, of any process, goes on behind the last piece that was done, and to do it
 * again changes nothing. Two processes do no piece twice. mneme_run_due() does the same in small bites.
 * `what` may be NULL: all that is due.
 *
 * *ret_left (may be NULL): 1 when there is more. A job that fails does not keep the others from running;
 * the first failure is the call's.
 *
 * MNEME_INVALID    job: there is none of this name.
 * MNEME_FORBIDDEN  the store was opened read-only.
 */
MNEME_API enum mneme_status mneme_maintain(struct mneme *handle,
                                           const struct mneme_maintenance *what, mneme_job_fn row,
                                           void *context, int *ret_left, struct mneme_error *err);

/* ---- turns in an archive ---- */

/*
 * Move the turns of a session out of the store into its archive (mneme_options.archive), in sealed files
 * under a key that lies in the store. They leave recall and every index; memories drawn from them stay,
 * and so do the ids of the turns. A turn leaves the store only when it is durable in the archive.
 * *ret_turns (may be NULL): how many were moved; those moved before are not counted.
 *
 * MNEME_INVALID      the store was opened without an archive.
 * MNEME_NOT_FOUND    there is no such session of this user.
 * MNEME_UNAVAILABLE  it does not answer: the turns that are not moved yet stay; call again.
 */
MNEME_API enum mneme_status mneme_archive_session(struct mneme *handle, const char *tenant_id,
                                                  const char *user_id, const char *session_id,
                                                  size_t *ret_turns, struct mneme_error *err);
/*
 * Bring all turns of a session back, as they were. Vectors follow with mneme_run_due().
 *
 * MNEME_NOT_FOUND    nothing of the session is in the archive, or a file is not there any more.
 * MNEME_UNAVAILABLE  the archive does not answer; call again.
 * MNEME_CORRUPT      a file is damaged, or not what was put there; nothing of it comes back.
 */
MNEME_API enum mneme_status mneme_archive_restore(struct mneme *handle, const char *tenant_id,
                                                  const char *user_id, const char *session_id,
                                                  size_t *ret_turns, struct mneme_error *err);

/* A file of the archive. Pointers live as long as the call of `row`. */
struct mneme_archived {
    const char *session_id; /* "" of one that is to be removed: nothing tells whose it was */
    const char *object;     /* its name there */
    const char *state; /* "whole"; "pending": being made, or cut short; "removing", "rewriting": an
                          erasure waits for the archive (mneme_run_due() tries again) */
    int64_t turns;
    int64_t bytes;
    int64_t at_ms;
};
typedef int (*mneme_archived_fn)(void *context, const struct mneme_archived *file);

/* Files of one user (empty: of what is shared), and those of anybody that wait to be removed; asked of
 * the store alone. Non-zero stops. */
MNEME_API enum mneme_status mneme_archive_list(struct mneme *handle, const char *tenant_id,
                                               const char *user_id, mneme_archived_fn row,
                                               void *context, struct mneme_error *err);

/* ---- granularity ---- */

/* A memory that is too coarse or too fine. Pointers live as long as the call of `row`. */
struct mneme_grain {
    const char *id;
    const char *into;        /* of a piece: the memory it belongs to; "": the memory is too coarse */
    struct mneme_list parts; /* too coarse: what it is to be split into, none: it is long (over 1,200
                                bytes) and nothing says where; of a piece the one text of both */
    int done;                /* it was split or merged */
};
/* Non-zero stops. */
typedef int (*mneme_grain_fn)(void *context, const struct mneme_grain *grain);

/*
 * Which memories of one owner (user_id empty: shared ones) hold several titled sections, which are
 * pieces that point to the one before them, and which are long: a block shows passages of these.
 * apply 1: they are split and merged; what was forgotten by that stays in the store until it is
 * erased, and can be brought back. change may be NULL; rows that need its admin grant are told and
 * left.
 */
MNEME_API enum mneme_status mneme_granularity(struct mneme *handle, const char *tenant_id,
                                              const char *user_id, int apply,
                                              const struct mneme_change *change, mneme_grain_fn row,
                                              void *context, struct mneme_error *err);

/* ---- the audit ---- */

/*
 * One entry: who wrote, recalled or erased what and when. Texts are not in it. Names stand in the store
 * beside the chain and leave it when their user is erased; then only the digest is left. Pointers live
 * as long as the call of `row`.
 */
struct mneme_audit_entry {
    int64_t seq; /* from 1, without a gap */
    int64_t at_ms;
    const char *tenant_id, *user_id, *actor; /* "": not known any more, or none */
    const char *tenant_digest, *user_digest, *actor_digest;
    const char *action; /* "write", "recall", "erase", "backup", "restore", "rotate-key", ... */
    const char *detail; /* a JSON object; ids of rows digested */
    const char *hash;
};
/* Non-zero stops. */
typedef int (*mneme_audit_fn)(void *context, const struct mneme_audit_entry *entry);

/* Entries in their order: of one tenant, one of its users, one row (all may be empty: any). A recall's
 * entry is written with its trace: by mneme_run_due(), mneme_close() or an erasure.
 * MNEME_INVALID: a user or a row without a tenant. */
MNEME_API enum mneme_status mneme_audit_list(struct mneme *handle, const char *tenant_id,
                                             const char *user_id, const char *row_id,
                                             mneme_audit_fn row, void *context,
                                             struct mneme_error *err);

/*
 * Is the chain as it was made? An entry that was changed, moved or removed breaks it. Who can write the
 * file and knows mneme could make a whole new one: against that, note the end that a check prints
 * ("SEQ:HASH", also in each receipt of an erasure), and give it as `noted` later (else NULL).
 *
 * *ret_sound: 1 when nothing was found. *ret_report_json (may be NULL): entries, end, and what was
 * found first: "changed", "missing", "cut", "other", or "name" (one beside the chain is not that of its
 * digest, `at` 0); mneme_free().
 * MNEME_INVALID: `noted` is no such text (an empty one is none either).
 */
MNEME_API enum mneme_status mneme_audit_verify(struct mneme *handle, const char *noted,
                                               int *ret_sound, char **ret_report_json,
                                               struct mneme_error *err);

/* ---- the store as a whole ---- */

/*
 * One state of the whole store as a file at `path`, where none may be: made while others read and write,
 * under the store's own key, checked, durable, and there only when it is whole. A store that was opened
 * read-only can be backed up too, but has no entry of it in its audit.
 *
 * MNEME_CONFLICT     there is a file at path.
 * MNEME_UNAVAILABLE  the disk is full, or the file cannot be made.
 */
MNEME_API enum mneme_status mneme_backup(struct mneme *handle, const char *path, const char *actor,
                                         struct mneme_error *err);

/*
 * Make a store of a backup. Of options store_path and key are read; at store_path there must be nothing:
 * who replaces a store stops its users and moves its files away first. The backup is not changed; it is
 * opened, brought to the present form and checked before anything is at store_path.
 *
 * MNEME_NOT_FOUND  no such backup, or no folder for the store.
 * MNEME_CONFLICT   there is something at store_path.
 * MNEME_FORBIDDEN  a wrong key, or none for an encrypted backup.
 * MNEME_CORRUPT    damaged, no store, or made by a newer version.
 */
MNEME_API enum mneme_status mneme_restore(const struct mneme_options *options,
                                          const char *backup_path, const char *actor,
                                          struct mneme_error *err);

/*
 * Put the store under another key, whole: file, log and free pages; a store without a key gets one.
 * Others read meanwhile, writers wait. Killed at any point, the store opens with the old key or with the
 * new one. This handle goes on under the new key; other handles answer MNEME_FORBIDDEN from then on and
 * must be opened again. Backups stay under the key that they were made with. Needs room for a second
 * copy of the store.
 *
 * key          1..MNEME_NAME_BYTES_MAX bytes; copied, the copy is wiped at the end.
 *
 * MNEME_INVALID      no key, or the one that the store has.
 * MNEME_LIMIT        key too long.
 * MNEME_FORBIDDEN    the store was opened read-only.
 * MNEME_UNAVAILABLE  another process reads an older state for too long, or the disk is full; the old
 *                    key holds, unless the message says that it was changed.
 */
MNEME_API enum mneme_status mneme_rotate_key(struct mneme *handle, const void *key,
                                             size_t key_bytes, const char *actor,
                                             struct mneme_error *err);
/* ---- what is derived ---- */

struct mneme_reconciliation {
    size_t size;
    int repair;       /* 1: what differs is put right */
    int retry_parked; /* 1: texts that the model refused too often are tried once more */
    const char *actor;
    int64_t now_ms; /* 0: the clock */
};
#define MNEME_RECONCILIATION_INIT                                                                  \
    {                                                                                              \
        .size = sizeof(struct mneme_reconciliation)                                                \
    }

/*
 * Hold what is derived against the rows it is derived from: hashes of texts, vectors, usage, rules,
 * edges and entities, sessions, open questions, kept answers, positions of indexes, by count and row;
 * and the partition indexes this handle holds, by count, revisions and hash. Locks no writer out;
 * repairing is one transaction over what was found. `how` NULL: looks only.
 *
 * *ret_clean: 1 when nothing differs (any more). *ret_report_json (may be NULL): what was compared and
 * found, and the texts that are parked; ids, no texts; mneme_free(). Vectors that were lost are made
 * again by mneme_run_due().
 *
 * MNEME_FORBIDDEN    repair on a store that was opened read-only.
 * MNEME_UNAVAILABLE  retry_parked, and the model does not answer.
 */
MNEME_API enum mneme_status mneme_reconcile(struct mneme *handle,
                                            const struct mneme_reconciliation *how, int *ret_clean,
                                            char **ret_report_json, struct mneme_error *err);

struct mneme_rebuilding {
    size_t size;
    int with_vectors;      /* 1: every text is embedded again; each former vector serves until then */
    int drop_other_models; /* 1: vectors of models that are not in force go */
    const char *actor;
    int64_t now_ms; /* 0: the clock */
};
#define MNEME_REBUILDING_INIT                                                                      \
    {                                                                                              \
        .size = sizeof(struct mneme_rebuilding)                                                    \
    }

/*
 * Make what is derived anew from the rows: the tables' own indexes, all that mneme_reconcile() repairs,
 * and the partition indexes that this handle holds, each beside the one that serves meanwhile. Others are
 * built from the rows when they are first used. `how` NULL: the defaults.
 *
 * *ret_report_json (may be NULL): how much was done; mneme_free().
 * MNEME_UNAVAILABLE  no model, or one that does not answer, where vectors were asked for.
 * MNEME_CONFLICT     drop_other_models, and the model in force has not embedded everything yet.
 */
MNEME_API enum mneme_status mneme_rebuild(struct mneme *handle, const struct mneme_rebuilding *how,
                                          char **ret_report_json, struct mneme_error *err);

/* ---- health ---- */

struct mneme_health {
    size_t size;
    const char *tenant_id; /* empty: all */
    const char *user_id;   /* empty: all of the tenant */
    int64_t now_ms;        /* 0: the clock */
};
#define MNEME_HEALTH_INIT                                                                          \
    {                                                                                              \
        .size = sizeof(struct mneme_health)                                                        \
    }

/*
 * Figures of each user, of each tenant (its users and what it shares together) and of the store, held
 * against their limits (docs/operating.md). `what` NULL: of all. At most one pass over each table.
 *
 * *ret_healthy: 1 when no alarm stands. *ret_report_json (may be NULL): `users` and `tenants` with their
 * figures, null where one cannot be known; `store`; `alarms`, each with the figure, its goal and what to `do`;
 * mneme_free(). Recalls count as far as traces are kept, of the last seven days.
 *
 * MNEME_INVALID    a user without a tenant.
 * MNEME_NOT_FOUND  the tenant or user has left nothing here, not even a recall.
 */
MNEME_API enum mneme_status mneme_health_report(struct mneme *handle,
                                                const struct mneme_health *what, int *ret_healthy,
                                                char **ret_report_json, struct mneme_error *err);

/*
 * Look at an installation, writing nothing: does the store open with these options, is its file whole,
 * its audit unbroken, does what is derived agree with the rows, was an erasure cut short; does the
 * model answer; who may read store and key (key_path, may be NULL); room on the disk, leftovers, clock,
 * descriptors.
 *
 * *ret_sound: 1 when nothing was found. *ret_report_json (may be NULL): `findings`, each with what
 * was `found` and what to `do`, and the `file` of a tenant that has one of its own; `pending`, the
 * same of what mends itself (vectors still to be made, a store of an older version); mneme_free().
 *
 * MNEME_INVALID  no store_path.
 */
MNEME_API enum mneme_status mneme_doctor(const struct mneme_options *options, const char *key_path,
                                         int *ret_sound, char **ret_report_json,
                                         struct mneme_error *err);

/*
 * Where tenants have files of their own, under keys of their own: a new random key for this tenant's
 * file. The former one is destroyed, and with it every backup of the file that was made under it.
 * (mneme_rotate_key() changes the key that guards the tenants' keys, and touches none of their files.)
 * MNEME_INVALID: all tenants are in one file, or the store has no key. MNEME_NOT_FOUND: it has no
 * such tenant.
 */
MNEME_API enum mneme_status mneme_rotate_tenant_key(struct mneme *handle, const char *tenant_id,
                                                    const char *actor, struct mneme_error *err);

/* Memories that answer one key differently, where nobody could say which holds. */
struct mneme_clarification {
    const char *id;
    const char *memory_key;
    struct mneme_list memory_ids;
    const char *question; /* without their texts */
    int blocking;         /* the risk is high */
    int64_t created_at_ms;
};

/* Open questions of one user, or of what is shared (user_id empty). They close when a memory
 * supersedes the rivals. Pointers live as long as the call of `row`; non-zero stops. */
typedef int (*mneme_clarification_fn)(void *context, const struct mneme_clarification *open);
MNEME_API enum mneme_status mneme_clarifications(struct mneme *handle, const char *tenant_id,
                                                 const char *user_id, mneme_clarification_fn row,
                                                 void *context, struct mneme_error *err);

#ifdef __cplusplus
}
#endif

#endif
