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
struct mneme_receipt;

/* Called with a memory that was drawn from a turn, as it stands in the store, once a turn; or that
 * the turn ordered to forget (MNEME_FORGOTTEN). With MNEME_UNCLEAR its content is a question: the
 * order fits so many memories that none was forgotten; or says why it could not be carried out. */
typedef void (*mneme_drawn_fn)(void *context, const struct mneme_memory *memory,
                               const struct mneme_receipt *drawn);

/* Who changes and why: goes into the history. All optional. */
struct mneme_change {
    size_t size;
    const char *actor;
    const char *reason;
    int64_t now_ms;          /* 0: the clock */
    int64_t if_revision;     /* 0: any; else the change is refused unless the row has it */
    int allow_secrets;       /* 1: keep text that holds a secret: as secret, a turn as evidence */
    int admin;               /* 1: may write what needs an admin grant */
    int without_embedding;   /* 1: do not wait for the vector; it follows with mneme_run_due() */
    int without_drafts;      /* 1: mneme_observe() draws no memories from the turns */
    /* Where the turns of mneme_observe() were said: what they say of "this repo" goes there, and
     * "until Friday" is read in the zone (IANA; empty: UTC). */
    const char *task_id;
    const char *project_id;
    const char *repository_id;
    const char *timezone;
    /* Of mneme_remember(), mneme_observe() and mneme_edit(): the same key of the same tenant and owner
     * within seven days is answered as it was the first time, and writes nothing. 1 to
     * MNEME_NAME_BYTES_MAX bytes; NULL: none. */
    const char *idempotency_key;
    /* Told by mneme_observe() of each memory that is drawn; may be NULL. */
    mneme_drawn_fn drawn;
    void *drawn_context;
    int extract_now; /* 1: mneme_observe() also waits until the extractor has read the turns */
};
#define MNEME_CHANGE_INIT                                                                          \
    {                                                                                              \
        .size = sizeof(struct mneme_change)                                                        \
    }

enum mneme_outcome {
    MNEME_INSERTED = 1,
    MNEME_CONFIRMED, /* the same text of the same owner and scope was there: nothing is doubled */
    MNEME_UPDATED,
    MNEME_UNCHANGED,
    MNEME_MERGED,     /* it says in other words what was there: that one has both now */
    MNEME_SUPERSEDES, /* it replaces what the key held: the former has an end, and stays in history */
    MNEME_RIVAL,      /* it contradicts what the key holds and may not replace it: both are there */
    MNEME_FORGOTTEN,  /* told by mneme_observe(): withdrawn because a turn ordered it */
    MNEME_UNCLEAR     /* likewise: a turn ordered to forget, and it is not clear what */
};
/* "inserted", "confirmed", "updated", "unchanged", "merged", "superseded", "rival", "forgotten",
 * "unclear"; "" for none. */
MNEME_API const char *mneme_outcome_name(enum mneme_outcome outcome);

struct mneme_receipt {
    enum mneme_outcome outcome;
    char id[MNEME_ID_BYTES_MAX + 1];
    int64_t revision;
    /* Of mneme_observe(): in how many events the turn is kept; id is the first's. Of mneme_remember() and
     * mneme_edit(): in how many passages a text of more than 1,200 bytes is searched, and shown where not
     * all of it has room; 0: it is short, or nothing was written. */
    size_t parts;
};

/*
 * Write one memory. Every field is validated; what is missing is derived (type, scope, confidence,
 * importance, sensitivity, and key, value and entities where a rule knows them; for the summary of a
 * long text stands, whenever it is shown, the passage nearest to the request); text that
 * holds a secret is refused unless change->allow_secrets. A day that the content names relative to
 * today ("next Friday") gets its date written behind it, and becomes the event time where there is
 * none. Compared with what is there of the same owner, agent and scope:
 *
 *   the same text            is confirmed, not doubled
 *   the same in other words  is merged into the older one
 *   the same key, another    supersedes it, by authority and then by time; what may not be replaced
 *   value                    stays, and the new one beside it as a rival, with an open question
 *
 * A memory that brings its own id is never confirmed or merged away, nor dated.
 *
 * MNEME_INVALID    a field is wrong: err->field names it, nothing is written.
 * MNEME_FORBIDDEN  authority, shared rows or rules that need change->admin.
 * MNEME_CONFLICT   the id exists, or if_revision does not hold.
 */
MNEME_API enum mneme_status mneme_remember(struct mneme *handle, const struct mneme_memory *memory,
                                           const struct mneme_change *change,
                                           struct mneme_receipt *ret_receipt,
                                           struct mneme_error *err);

/*
 * Would mneme_remember() take it? Fields, rights, secrets and how much it holds are asked as there; the
 * store is not looked at, and nothing is written. For who wants to know of all before the first.
 *
 * MNEME_INVALID, MNEME_LIMIT, MNEME_FORBIDDEN  as there.
 */
MNEME_API enum mneme_status mneme_remember_check(struct mneme *handle,
                                                 const struct mneme_memory *memory,
                                                 const struct mneme_change *change,
                                                 struct mneme_error *err);

/*
 * Append events; all or none. ret_receipts: `count` of them, or NULL. A turn of more than 4,096 bytes is
 * cut where sentences end, into events of at most 1,200, since a vector speaks of the first 512 tokens of a
 * text: the first has the turn's id, the others the id with ".0002", ".0003" ... Their vectors follow with
 * mneme_run_due().
 *
 * Then memories are drawn by rules from turns whose words call for one: "remember ...", "from now on
 * ...", corrections, decisions, ends, recoveries, feedback. They go the way of mneme_remember(), with
 * the event as provenance; an assistant's are inferences. A memory that cannot be drawn is no error.
 *
 * "Forget what I said about Berlin", 忘掉我说的关于柏林的事 withdraws the user's memories that hold the
 * topic, as mneme_forget() does, and his turns that do. They are withheld by a memory of the order,
 * which is told with the others: mneme_edit() to MNEME_ACTIVE brings back what each of them took.
 */
MNEME_API enum mneme_status mneme_observe(struct mneme *handle, const struct mneme_event *events,
                                          size_t count, const struct mneme_change *change,
                                          struct mneme_receipt *ret_receipts,
                                          struct mneme_error *err);

/*
 * Turns that the extractor (mneme_options.extractor_path) has still to read. With one, mneme_observe()
 * queues each turn that may hold something, in the transaction that stores it, and mneme_run_due()
 * reads what is due: at once where the words call for a memory, else when twenty turns of a session
 * wait or half an hour has passed. A memory is written where the turn bears out what the model says,
 * as an inference with the turn as provenance. A model that fails leaves the turn as it was: recallable,
 * and tried again after a minute, two, four ...; after eight times only by mneme_extract().
 */
struct mneme_extraction {
    const char *event_id;
    const char *session_id;
    const char *state;  /* "pending": not tried yet; "failed": tried attempts times */
    const char *reason; /* of the last failure; "" */
    int64_t attempts;
    int64_t due_at_ms; /* of the next attempt; 0: only by mneme_extract() */
    int64_t queued_at_ms;
    const char *user_id;
};
/* Pointers live as long as the call; non-zero stops. */
typedef int (*mneme_extraction_fn)(void *context, const struct mneme_extraction *waiting);

/* Of one user, or of one session of his (else NULL or ""), in the order of the talk; without a user of
 * all users of the tenant. Turns that were read are not among them.
 * MNEME_INVALID: no tenant, or a session without a user. */
MNEME_API enum mneme_status mneme_extractions(struct mneme *handle, const char *tenant_id,
                                              const char *user_id, const char *session_id,
                                              mneme_extraction_fn row, void *context,
                                              struct mneme_error *err);

struct mneme_read {
    size_t size;
    size_t turns;       /* that were read */
    size_t failed;      /* turns that wait on */
    size_t proposed;    /* memories that the model named */
    size_t unsupported; /* of these, that their turn does not bear out, or that may not be written */
    size_t written;     /* inserted, or taken into what was there */
    struct mneme_error first_failure; /* why; status 0: none */
};
#define MNEME_READ_INIT                                                                            \
    {                                                                                              \
        .size = sizeof(struct mneme_read)                                                          \
    }

/*
 * Read now what waits of one user, or of one session of his (else NULL or ""), without a user of
 * all users of the tenant, also what failed or is not due. ret_read (may be NULL) says how it went.
 * That the model fails is told there, as first_failure, and is no failure of the call.
 *
 * MNEME_INVALID      no tenant, or a session without a user.
 * MNEME_UNAVAILABLE  there is no extractor: mneme_extractor_status() says why.
 */
MNEME_API enum mneme_status mneme_extract(struct mneme *handle, const char *tenant_id,
                                          const char *user_id, const char *session_id,
                                          struct mneme_read *ret_read, struct mneme_error *err);

/*
 * Say that a session has ended: the next maintenance (mneme_maintain(), mneme_run_due()) draws what is
 * worth keeping from its turns into three to five memories, what is pending into a checkpoint, hands the
 * turns to the archive, where there is one, and ends what was remembered for the session alone. Its turns
 * that wait for the extractor are due at once. Without
 * this a session has ended when nothing was recorded in it for half an hour. A later turn begins it again.
 * MNEME_NOT_FOUND: no such session. change->if_revision and the like are not read.
 */
MNEME_API enum mneme_status mneme_end_session(struct mneme *handle, const char *tenant_id,
                                              const char *user_id, const char *session_id,
                                              const struct mneme_change *change,
                                              struct mneme_error *err);

/*
 * Say that a task is closed: what this user has remembered for it alone (scope task) ends at
 * now_ms, and is recalled no more but as of before. What ends sooner anyway stays as it is, and so
 * does what needs an admin grant that change->admin does not give. user_id empty: the tenant's
 * shared rows, for an administrator. Checkpoints stay.
 *
 * *ret_ended (may be NULL): how many ended; closing it again ends none.
 *
 * MNEME_INVALID  tenant_id or task_id empty.
 */
MNEME_API enum mneme_status mneme_close_task(struct mneme *handle, const char *tenant_id,
                                             const char *user_id, const char *task_id,
                                             const struct mneme_change *change, size_t *ret_ended,
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
 * Say that a memory is right: its confidence grows by 0.1, to 1 at most, and its age begins anew; an
 * inference that is confirmed no longer decays. The user's own row, or else the tenant's shared one.
 *
 * MNEME_NOT_FOUND  there is no such memory.
 * MNEME_FORBIDDEN  it is shared, an administrator's or revoked, without change->admin.
 * MNEME_CONFLICT   somebody changed it meanwhile, or if_revision does not hold.
 */
MNEME_API enum mneme_status mneme_confirm(struct mneme *handle, const char *tenant_id,
                                          const char *user_id, const char *memory_id,
                                          const struct mneme_change *change,
                                          struct mneme_receipt *ret_receipt,
                                          struct mneme_error *err);

/*
 * Answer an open question (mneme_clarifications): the memory keep_id holds and is confirmed, the others
 * in question held until now and stay in the history. user_id: whose question; empty: a shared one.
 * change->if_revision is not read.
 *
 * MNEME_NOT_FOUND  the question is not open.
 * MNEME_INVALID    keep: is none of the memories in question, or is not active any more.
 * MNEME_FORBIDDEN  one of them is an administrator's, or shared.
 */
MNEME_API enum mneme_status mneme_clarify(struct mneme *handle, const char *tenant_id,
                                          const char *user_id, const char *question_id,
                                          const char *keep_id, const struct mneme_change *change,
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
