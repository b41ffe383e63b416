/*
 * store.h - the truth.
 *
 * The contract of a canonical store. Engines: sqlite_store.c, and the failing fake of the tests;
 * later PostgreSQL. Three habits keep the engines exchangeable:
 *
 *   Writes are values. A commit takes an array of requests, each a group of rows that stand or fall
 *   together, and answers one result each. The change row and the history are written inside; no
 * open transaction crosses this header. Changes are read by an opaque cursor. Reads are already
 * filtered: those that take `struct mn_access` return only rows that the identity reaches and that
 * hold (memory/access.h asked in SQL), from its own and the shared partition.
 *
 * Rows are returned in the arena, strings never NULL. Safe from several threads.
 */
#ifndef MN_STORE_STORE_H
#define MN_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mneme/admin.h>
#include <mneme/memory.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "memory/access.h"
#include "memory/partition.h"
#include "memory/type.h"
#include "memory/unit.h"

struct mn_store;

/* In a provenance: the memory stands on all of its evidence together, not on each piece of it. When one
 * is erased, it goes. */
#define MN_NEEDS_ALL "needs:all"
/* In a provenance: the memory was a section of another, whose content_hash follows. */
#define MN_SPLIT "split:"

/* not_recallable of an event, as read: what was drawn from it is forgotten. As written it is 1. */
#define MN_TURN_WITHHELD 2

/* ---- writes ---- */

enum mn_write_kind {
    MN_WRITE_MEMORY = 1, /* insert or replace a complete row (mn_memory_complete) */
    MN_WRITE_EVENT,      /* insert; an equal id with equal text is unchanged */
    MN_WRITE_RULE,
    MN_WRITE_TASK_STATE,
    MN_WRITE_EDGE,
    MN_WRITE_USAGE,     /* replaces the usage row; no history; a change row when the confidence moved */
    MN_WRITE_USAGE_ADD, /* counts are added, the later access stays; unknown memories are skipped */
    MN_WRITE_VECTOR, /* no history; a change row, so that indexes pick it up. Of a unit that is gone
                      * or has another text by now: skipped */
    MN_WRITE_TRACE,  /* no history, no change row */
    MN_WRITE_CLARIFICATION, /* opens a question, or closes those of a key; no history, no change */
    MN_WRITE_INDEX,         /* how far an index is, or that it failed; no history, no change row */
    MN_WRITE_GUARD,         /* writes nothing: MNEME_CONFLICT when what it guards has moved */
    MN_WRITE_REQUEST,       /* MNEME_CONFLICT naming revision when the request is there */
    MN_WRITE_ARCHIVE,       /* turns leave for the archive, or come back */
    MN_WRITE_AUDIT,         /* an entry of the audit; those of other writes are made by the store */
    MN_WRITE_JOB,           /* where a job stands; MNEME_CONFLICT when it is not as it was read */
    MN_WRITE_SESSION,       /* how far a session is drawn from; MNEME_CONFLICT as of a job */
    MN_WRITE_REVIEW,        /* what an importance was before it was reviewed; no history, no change */
    MN_WRITE_EXTRACTION     /* how drawing from a turn goes; no history, no change row */
};

#define MN_REVISION_ANY INT64_C(-1)
#define MN_REVISION_NEW INT64_C(0) /* the row must not exist */
/* Load: a new row keeps the revision it brings (1 when it brings none); a row that is there is
 * replaced unless its revision is greater than the one brought (then MNEME_CONFLICT naming
 * revision; a row that brings none replaces). The same row is unchanged, whatever the revisions. */
#define MN_REVISION_LOAD INT64_C(-2)
/* Of a checkpoint, whose writers otherwise ask for nothing: it must not exist. Its number is asked
 * for as that of a memory is. */
#define MN_REVISION_ABSENT INT64_C(-3)

struct mn_vector_row {
    struct mn_partition partition;
    const char *unit_id;   /* the memory's or event's id */
    const char *profile;   /* hash of the model profile */
    const char *text_hash; /* SHA-256 of the embedded text, hex */
    size_t dim;
    const float *vector; /* stored as fp16 */
    /* Codes of the same text's tokens (text/token_codes.h), a row beside it; tokens NULL: none. */
    const char *tokens_profile;
    const struct mn_str *tokens;
    size_t passage_count; /* vectors behind `vector`, of its passages: of all, or none yet */
};

struct mn_trace_row {
    const char *tenant;
    const char *user;
    const char *trace_id;
    int64_t at_ms;
    const char *json;
};

/* Two memories answer one key, and nobody can say which holds. Text-free: the rows have the texts. */
struct mn_clarification {
    struct mn_partition partition;
    const char *id;
    const char *memory_key;
    struct mneme_list memory_ids;
    const char *question;
    bool blocking;
    int64_t created_at_ms; /* as read */
    bool resolved;         /* a write: all open ones of the key are answered; id is not read */
};
struct mn_clarifications {
    struct mn_clarification *item;
    size_t count;
};

/* How often, and in which revisions, a text and a key are there (memories_alike). A guard stands
 * before the writes that rely on it. */
struct mn_alike_mark {
    int64_t rows;
    int64_t revisions;
};
struct mn_guard {
    struct mn_partition partition;
    const char *content_hash;
    const char *memory_key; /* "": none */
    struct mn_alike_mark mark;
    /* And that nothing written behind this cursor rewords `like` (text/compare.h), in the same agent and
     * scope; NULL: not asked. */
    const struct mneme_memory *like;
    const char *position;
};

/* What a request with an idempotency key was answered. Kept for MN_REQUEST_KEPT_MS at least. */
#define MN_REQUEST_KEPT_MS (INT64_C(7) * 86400000)
struct mn_request_row {
    struct mn_partition partition;
    const char *key;
    int outcome; /* enum mneme_outcome */
    const char *id;
    int64_t revision;
};

/* What was done and is no write of rows. Ids are digested, names too; nothing else may be in it. */
struct mn_audit_note {
    int64_t at_ms;
    struct mn_partition partition; /* tenant "": of the store as a whole */
    const char *actor;
    const char *action;
    const char *trace_id;   /* "": none */
    struct mneme_list ids;  /* of the rows it is about */
    int64_t lost;           /* so many more were done and could not be kept */
};

/* A turn that a language model has still to read. */
enum mn_extraction_step {
    MN_EXTRACTION_QUEUE = 0, /* with its event, where that is new */
    MN_EXTRACTION_CLAIM,     /* until claimed_ms; MNEME_CONFLICT where another has it, or it is gone */
    MN_EXTRACTION_FAIL,      /* one more attempt failed, for `reason`; due_at_ms: the next one */
    MN_EXTRACTION_DONE,
    MN_EXTRACTION_HURRY /* those of its session that were never tried are due at due_at_ms */
};
struct mn_extraction {
    enum mn_extraction_step step; /* of a write */
    struct mneme_event event;     /* a write: its ids; read: all of it, without a text when gone */
    const char *task_id;          /* where it was said */
    const char *project_id;
    const char *repository_id;
    const char *timezone;
    int64_t attempts;    /* that failed */
    const char *reason;  /* of the last failure */
    int64_t due_at_ms;   /* 0: only when somebody asks */
    int64_t queued_at_ms;
    int64_t claimed_ms;  /* until then a reader has it */
    size_t together;     /* queued: so many of a session that were never tried are due at once */
};
struct mn_extractions {
    struct mn_extraction *item;
    size_t count;
    size_t room;
};

/* Of an index that lies in the store, the vectors of one profile: how far it has come (unit empty),
 * or that one unit failed. As written, failures are added to those there; 0 forgets the unit, and so
 * does its vector. */
struct mn_index_row {
    const char *index; /* the profile's hash */
    struct mn_partition partition; /* of the unit */
    const char *unit;
    const char *cursor; /* where unit is empty */
    int64_t failures;
};
struct mn_index_rows {
    struct mn_index_row *item;
    size_t count;
    size_t room;
};

/* A job of maintenance: when it is due, and how far its run has come. Who moves it gives the revision
 * that he read; 0: the job has never run. */
struct mn_job_row {
    const char *name;
    int64_t revision;
    int64_t due_at_ms;
    int64_t begun_at_ms;   /* 0: not under way */
    int64_t busy_until_ms; /* until then somebody is at it */
    int64_t ended_at_ms;   /* of the last run */
    int64_t looked, changed;
    const char *tenant, *owner, *id; /* its walk stands behind this memory; an erasure empties it */
};
struct mn_job_rows {
    struct mn_job_row *item;
    size_t count, room;
};

/* A session, and how far it is drawn from (compressed_place, and so many of its turns) and handed to
 * an archive (taken_place); -1: not at all. */
struct mn_session {
    struct mn_partition partition;
    const char *session_id;
    const char *agent_id; /* of the first turn */
    int64_t first_event_ms, last_event_ms;
    int64_t last_place;
    int64_t event_count;
    int64_t recorded_at_ms; /* when the last turn was written */
    bool ended;             /* somebody said so */
    int64_t compressed_place;
    int64_t taken_place;
    int64_t compressed_count;
};
struct mn_sessions {
    struct mn_session *item;
    size_t count, room;
};
/* `was`: as it was read. Of `now` ended and the last three fields are written. */
struct mn_session_move {
    const struct mn_session *was;
    struct mn_session now;
};
/* Which sessions are to be drawn from. */
struct mn_session_wanted {
    int64_t idle_since_ms; /* nothing was recorded since, or somebody said that they ended */
    int64_t turns_max;     /* or more turns than that are not drawn from */
    bool kept;             /* instead: those that are drawn from and not handed to an archive, and that
                            * no extraction is due of */
};

/* The importance of a memory before use changed it; negative: it is the row's own. */
struct mn_review {
    const char *tenant;
    const char *memory_id;
    double importance_base;
};

/* ---- turns in an archive ---- */

/* Turns of one session, in their order. */
struct mn_events {
    struct mneme_event *item;
    size_t count;
    size_t room;
};

enum mn_archive_state {
    MN_ARCHIVE_MAKING = 1, /* may be in the archive or not */
    MN_ARCHIVE_WHOLE,
    MN_ARCHIVE_DOOMED,  /* to be removed there; nobody's any more */
    MN_ARCHIVE_SHORTEN  /* has turns that were erased: to be made anew without them */
};

/* A file of the archive. */
struct mn_archive_object {
    struct mn_partition partition;
    const char *object; /* its name */
    const char *session_id;
    enum mn_archive_state state;
    int64_t first_place, last_place;
    int64_t event_count;
    int64_t bytes;
    const char *digest; /* SHA-256 of its bytes, hex */
    int64_t at_ms;
};
struct mn_archive_objects {
    struct mn_archive_object *item;
    size_t count;
    size_t room;
};

enum mn_archive_step {
    MN_ARCHIVE_BEGIN = 1, /* its name is noted before it is made */
    MN_ARCHIVE_TAKE,  /* it is durable there: its turns leave the store. MNEME_CONFLICT naming events
                       * when one of them is not as it was copied, or object when it was given up */
    MN_ARCHIVE_BACK,  /* its turns are in the store again; it is doomed. MNEME_CONFLICT as above */
    MN_ARCHIVE_ANEW,  /* it takes the place of `former`, which is doomed. MNEME_CONFLICT naming events
                       * when its turns are not those that are left of that */
    MN_ARCHIVE_DOOM,
    MN_ARCHIVE_GONE   /* it was removed there */
};
struct mn_archive_row {
    enum mn_archive_step step;
    const struct mn_archive_object *object; /* state is not read */
    const struct mn_events *events;         /* of TAKE, BACK, ANEW: those in it */
    const char *former;
};

/* An index as bytes; whose they are, nobody but the index asks. */
#define MN_SEGMENT_BYTES_MAX ((size_t)1 << 29)
struct mn_segment_row {
    struct mn_partition partition;
    const char *profile; /* hash of the model profile, "" without one */
    const char *cursor;  /* where the index stands */
    struct mn_str bytes;
};

/* Where a walk over all units stands: behind this one; "" before the first. */
struct mn_unit_place {
    bool is_event; /* memories come first */
    const char *tenant;
    const char *owner;
    const char *id;
};

struct mn_write {
    enum mn_write_kind kind;
    int64_t expected_revision; /* of a memory: MN_REVISION_ANY, MN_REVISION_NEW, or its number */
    const struct mneme_memory *memory;
    bool forgets; /* of a memory that is withdrawn: turns that only it was drawn from are withheld */
    const struct mneme_event *event;
    const struct mneme_rule *rule;
    const struct mneme_task_state *task_state;
    const struct mneme_edge *edge;
    const struct mneme_usage *usage;
    const struct mn_vector_row *vector;
    const struct mn_trace_row *trace;
    const struct mn_clarification *clarification;
    const struct mn_guard *guard;
    const struct mn_request_row *request;
    const struct mn_audit_note *audit;
    const struct mn_index_row *index;
    const struct mn_job_row *job;
    const struct mn_session_move *session;
    const struct mn_review *review;
    const struct mn_extraction *extraction; /* also beside an event: queued when that is new */
    const struct mn_archive_row *archive;
};

/*
 * One request. Its rows may come in any order. MNEME_INVALID names what is wrong: `id` of two
 * memories or events alike, `memory_id` of a rule or a usage without its memory, `supersedes` that
 * leads to no memory of the tenant (that of another owner is kept and means nothing), or back.
 * MNEME_CONFLICT: `revision`, or `id` when it is another owner's or an event's.
 */
struct mn_commit {
    const struct mn_write *write;
    size_t count;
    const char *actor;
    const char *reason;
    int64_t now_ms;
    bool own_links; /* supersedes leads to the same owner's or a shared memory, or to none */
};

/* One per write. */
struct mn_written {
    int64_t revision; /* of the row after the write; 0 where rows have none */
    bool unchanged;   /* the same row was there: nothing written */
    bool replaced;    /* another row of this key was there before */
};

/* One per commit request. `written` has room for its writes; filled when status is OK. */
struct mn_commit_result {
    enum mneme_status status;
    struct mneme_error error;
    size_t failed; /* index of the write at fault */
    struct mn_written *written;
};

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

/* ---- the audit ---- */

/* Digests as they stand, and the names of those that are still known ("" else). */
struct mn_audit_entry {
    int64_t seq;
    int64_t at_ms;
    const char *tenant, *owner, *actor; /* digests */
    const char *action;
    const char *detail; /* a JSON object */
    const char *hash;
    const char *tenant_name, *owner_name, *actor_name;
};
/* False stops. */
typedef bool (*mn_audit_fn)(void *context, const struct mn_audit_entry *entry);

/* Entries of one tenant, owner, row; empty: any. */
struct mn_audit_filter {
    const char *tenant;
    const char *owner;
    const char *row_id;
};

/* An entry, to be told again: its number and its hash. */
struct mn_audit_mark {
    int64_t seq; /* 0: none */
    char hash[65];
};

enum mn_audit_fault {
    MN_AUDIT_SOUND = 0,
    MN_AUDIT_CHANGED, /* an entry is not what it was, or not where it was */
    MN_AUDIT_MISSING, /* entries are gone from the middle */
    MN_AUDIT_CUT,     /* ...or from the end */
    MN_AUDIT_OTHER,   /* the mark that was noted is not in it */
    MN_AUDIT_NAME     /* a name that is kept beside it is not the one of its digest */
};
struct mn_audit_state {
    enum mn_audit_fault fault;
    int64_t seq;   /* of the first entry at fault; 0: of none */
    int64_t count; /* entries read */
    struct mn_audit_mark end;
};

/* ---- what is derived ---- */

/* Parts of the store that are derived from its rows, each checked alone. */
enum mn_derived {
    MN_DERIVED_TEXT_HASH = 0, /* by which look-alikes are found, and vectors known to be current */
    MN_DERIVED_EVENT_HASH,
    MN_DERIVED_VECTOR,      /* of no unit, or no vector of length 1, or no codes of tokens */
    MN_DERIVED_LOST_VECTOR, /* missing, though the index passes for complete */
    MN_DERIVED_USAGE,
    MN_DERIVED_RULE, /* of no memory, or of another owner than its memory */
    MN_DERIVED_EDGE, /* drawn from evidence that was erased */
    MN_DERIVED_ENTITY, /* that no edge names, or named by one and not there */
    MN_DERIVED_MENTION,
    MN_DERIVED_SESSION, /* that says less than its turns */
    MN_DERIVED_QUESTION, /* open, and one of its memories is gone */
    MN_DERIVED_REQUEST, /* an answer kept for a row that is gone */
    MN_DERIVED_INDEX_STATE, /* of a unit that is gone, or ahead of the changes */
    MN_DERIVED_COUNT
};

struct mn_reconciled {
    struct {
        int64_t rows;     /* there are */
        int64_t differ;   /* of them, or missing among them */
        int64_t repaired;
        struct {
            struct mn_derived_row {
                const char *tenant, *owner, *id;
                const char *profile; /* of a vector; else "" */
            } *item;
            size_t count, room;
        } row; /* those that differ */
    } part[MN_DERIVED_COUNT];
};

struct mn_partitions {
    struct mn_partition *item;
    size_t count;
    size_t room;
};

/* ---- health ---- */

#define MN_WAL_BYTES_ALARM (INT64_C(64) << 20)

/* Figures of one user, or of what a tenant shares. A week is the last seven days. */
struct mn_health_user {
    struct mn_partition partition;
    bool holds; /* memories or turns; else somebody of that name has only asked */
    int64_t memories; /* that are not deleted */
    int64_t active;
    int64_t stale;    /* active, but ended or decayed below what is recalled */
    int64_t added[3]; /* in the last 30 days, in the 30 before, in the 30 before that */
    int64_t updates_day, updates_week; /* rows that came or changed */
    int64_t duplicates; /* active rows whose text another active one of their scope has */
    int64_t questions;  /* open */
    int64_t old;        /* active for 30 days */
    int64_t never_recalled; /* of those */
    int64_t used;            /* how often use was reported, of all of them */
    int64_t vectors_missing; /* of the profile; 0 without one */
    int64_t recalls; /* of the week, as far as traces are kept */
    int64_t wanted;  /* of them: in a mode other than none */
    int64_t hits;    /* of those: brought something whose use was ever reported */
    int64_t loops;   /* of those: the question before again, within a minute */
    int64_t recall_us;
};
struct mn_health_users {
    struct mn_health_user *item;
    size_t count, room;
    const char *path; /* of the store */
};

/* Texts are empty where nothing is wrong. */
struct mn_store_check {
    const char *path;
    const char *whole;      /* what is wrong with the file */
    const char *references; /* a table whose rows refer to nothing */
    bool unsettled;         /* an erasure was begun and not finished */
    int64_t last_at_ms;     /* of the audit's last entry; 0: none */
};

/* ---- erasing ---- */

enum mn_erased_kind {
    MN_ERASED_MEMORY = 0,
    MN_ERASED_EVENT,
    MN_ERASED_HISTORY,
    MN_ERASED_VECTOR,
    MN_ERASED_USAGE,
    MN_ERASED_MENTION,
    MN_ERASED_SESSION,
    MN_ERASED_TASK_STATE,
    MN_ERASED_RULE,
    MN_ERASED_EDGE,
    MN_ERASED_ENTITY,
    MN_ERASED_CLARIFICATION,
    MN_ERASED_TRACE,
    MN_ERASED_CHANGE,
    MN_ERASED_REQUEST,    /* answers kept by idempotency key */
    MN_ERASED_EXTRACTION, /* turns that a model had still to read */
    MN_ERASED_ARCHIVED,   /* turns in the archive */
    MN_ERASED_SHORTENED,  /* rows that stay, with less provenance */
    MN_ERASED_TAKEN_BACK, /* memories that say again what they said before */
    MN_ERASED_KIND_COUNT
};

struct mn_erased_item {
    bool is_event;
    const char *owner;
    const char *id;
};
/* A text that was in an erased row. Those of items are `said`: what a receipt speaks of. */
struct mn_erased_text {
    struct mn_str text; /* or the bytes of a vector */
    const char *owner;
    bool said;
    bool is_vector;
};
struct mn_erased {
    struct {
        struct mn_erased_item *item;
        size_t count, room;
    } items;
    struct {
        struct mn_erased_text *item;
        size_t count, room;
    } texts;
    struct {
        struct mn_partition *item;
        size_t count, room;
    } partitions; /* that lost units */
    size_t counts[MN_ERASED_KIND_COUNT];
    bool cut_short; /* an earlier erasure was never settled: its texts are not known any more */
    struct mn_audit_mark audit; /* its entry */
};

enum mn_settle {
    MN_SETTLE_LOG = 1, /* merge the log into the file and empty it */
    MN_SETTLE_COMPACT, /* write the whole file anew, then as before */
    MN_SETTLE_DONE,    /* the erasure is finished: forget that it was begun */
    MN_SETTLE_REST     /* finish what was cut short, by writing the file anew; else nothing */
};

/* One text of a row that is there. */
enum mn_kept_kind {
    MN_KEPT_MEMORY = 1,
    MN_KEPT_HISTORY,
    MN_KEPT_EVENT,
    MN_KEPT_VECTOR, /* text: the vector's bytes */
    MN_KEPT_TRACE,
    MN_KEPT_OTHER /* checkpoints, names of the graph, questions, ids in records */
};
struct mn_kept_text {
    enum mn_kept_kind kind;
    const char *tenant;
    const char *owner;
    const char *id;
    int64_t created_at_ms;
    bool said; /* a text as it was written; else a list, an object, a name */
    struct mn_str text;
};
typedef void (*mn_kept_fn)(void *context, const struct mn_kept_text *text);
/* part: "store", "log", "shared memory", "lock". Pieces are at most 64 KiB; of the store one page. */
typedef void (*mn_bytes_fn)(void *context, const char *part, const void *bytes, size_t count);

/* ---- the engine ---- */

struct mn_store_ops {
    /* Each request in a savepoint of its own, all in one durable transaction. Fails as a whole only
     * when nothing was written, or with err->uncertain. */
    enum mneme_status (*commit)(struct mn_store *store, const struct mn_commit *commits,
                                size_t count, struct mn_commit_result *results,
                                struct mneme_error *err);

    /* Forgets what is older than it need be, in one transaction and at most about rows_max rows of
     * each kind; *ret_more: there is more of it. Changes go from the oldest on: a cursor before them
     * is then too old. */
    enum mneme_status (*prune)(struct mn_store *store, const struct mn_retention *keep,
                               size_t rows_max, bool *ret_more, struct mneme_error *err);

    /* Until reads_end() in the same thread its reads see one state, where that costs less than reading
     * one by one and keeps nobody waiting; else nothing changes. Meanwhile the thread writes nothing,
     * and waits for nobody who may write. */
    void (*reads_begin)(struct mn_store *store);
    void (*reads_end)(struct mn_store *store);

    /* The position behind the last committed change. */
    enum mneme_status (*position)(struct mn_store *store, struct mn_cursor *ret_cursor,
                                  struct mneme_error *err);
    /* Of one partition, or of all when `only` is NULL. With nothing left, `next` is the position.
     */
    enum mneme_status (*changes_after)(struct mn_store *store, const struct mn_partition *only,
                                       const struct mn_cursor *cursor, size_t limit,
                                       struct mn_arena *arena, struct mn_changes *ret_changes,
                                       struct mneme_error *err);

    /* Canonical rows of these ids within the access's two partitions, whatever their state; absent
     * ids are absent. Not filtered further: the filter stage says why a row is refused. */
    enum mneme_status (*memories_get)(struct mn_store *store, const struct mn_access *access,
                                      const char *const *ids, size_t count, struct mn_arena *arena,
                                      struct mn_rows *ret_rows, struct mneme_error *err);
    /* Filtered. Of these types; past the limit by scope, then importance, then id. */
    enum mneme_status (*memories_structured)(struct mn_store *store, const struct mn_access *access,
                                             mn_type_set types, size_t limit,
                                             struct mn_arena *arena, struct mn_rows *ret_rows,
                                             struct mneme_error *err);
    /* Filtered. All rows of these keys. */
    enum mneme_status (*memories_by_key)(struct mn_store *store, const struct mn_access *access,
                                         const char *const *keys, size_t count,
                                         struct mn_arena *arena, struct mn_rows *ret_rows,
                                         struct mneme_error *err);
    /* Filtered. Rows whose `supersedes` names one of these ids. */
    enum mneme_status (*memories_successors)(struct mn_store *store, const struct mn_access *access,
                                             const char *const *ids, size_t count,
                                             struct mn_arena *arena, struct mn_rows *ret_rows,
                                             struct mneme_error *err);
    /* Rows of these ids as they stood at access->as_of_ms, from the history; a row that is not
     * older than its last change is the present one. */
    enum mneme_status (*memories_as_of)(struct mn_store *store, const struct mn_access *access,
                                        const char *const *ids, size_t count,
                                        struct mn_arena *arena, struct mn_rows *ret_rows,
                                        struct mneme_error *err);
    /* Filtered. Rows that have changed since access->as_of_ms, as they stood then; the last changed
     * first. */
    enum mneme_status (*memories_changed)(struct mn_store *store, const struct mn_access *access,
                                          size_t limit, struct mn_arena *arena,
                                          struct mn_rows *ret_rows, struct mneme_error *err);
    /* Of one owner, agent and scope, whatever else holds of them: the active rows of the same text
     * (content_hash) or key. *ret_mark: for a guard, read in the same instant. */
    enum mneme_status (*memories_alike)(struct mn_store *store, const struct mneme_memory *like,
                                        struct mn_arena *arena, struct mn_rows *ret_rows,
                                        struct mn_alike_mark *ret_mark, struct mneme_error *err);
    /* Of the last MN_REQUEST_KEPT_MS. MNEME_NOT_FOUND. */
    enum mneme_status (*request_get)(struct mn_store *store, struct mn_partition partition,
                                     const char *key, int64_t now_ms, struct mn_arena *arena,
                                     struct mn_request_row *ret_row, struct mneme_error *err);
    /* Open questions of one partition. */
    enum mneme_status (*clarifications)(struct mn_store *store, struct mn_partition partition,
                                        struct mn_arena *arena, struct mn_clarifications *ret_open,
                                        struct mneme_error *err);

    /* The session whose turns have waited longest for a model, and that no reader has; *ret_found:
     * there is one. */
    enum mneme_status (*extraction_due)(struct mn_store *store, int64_t now_ms,
                                        struct mn_arena *arena, struct mn_partition *ret_partition,
                                        const char **ret_session, bool *ret_found,
                                        struct mneme_error *err);
    /* Of one partition and session (NULL: any), due or not, in the order of the talk; at most
     * `limit`. */
    enum mneme_status (*extractions)(struct mn_store *store, struct mn_partition partition,
                                     const char *session, size_t limit, struct mn_arena *arena,
                                     struct mn_extractions *ret_rows, struct mneme_error *err);

    enum mneme_status (*rules_active)(struct mn_store *store, const struct mn_access *access,
                                      struct mn_arena *arena, struct mn_rules *ret_rules,
                                      struct mneme_error *err);
    /* Of the access's tenant, user and task; own session first, then newest; at most 32. */
    enum mneme_status (*task_states)(struct mn_store *store, const struct mn_access *access,
                                     struct mn_arena *arena, struct mn_task_states *ret_states,
                                     struct mneme_error *err);
    /* Turns of one session that are in the store, at most `limit` behind the place. */
    enum mneme_status (*session_events)(struct mn_store *store, struct mn_partition partition,
                                        const char *session_id, struct mn_event_place after,
                                        size_t limit, struct mn_arena *arena,
                                        struct mn_events *ret_events, struct mneme_error *err);
    /* A session, and its checkpoints. MNEME_NOT_FOUND. */
    enum mneme_status (*session_get)(struct mn_store *store, struct mn_partition partition,
                                     const char *session_id, struct mn_arena *arena,
                                     struct mn_session *ret_session,
                                     struct mn_task_states *ret_states, struct mneme_error *err);
    /* Of any partition, those that have waited longest first. */
    enum mneme_status (*sessions_wanted)(struct mn_store *store,
                                         const struct mn_session_wanted *wanted, size_t limit,
                                         struct mn_arena *arena, struct mn_sessions *ret_sessions,
                                         struct mneme_error *err);
    /* All that have ever run. */
    enum mneme_status (*jobs)(struct mn_store *store, struct mn_arena *arena,
                              struct mn_job_rows *ret_jobs, struct mneme_error *err);
    /* Active memories of any partition behind the place, in its order (is_event is not read). */
    enum mneme_status (*memories_after)(struct mn_store *store, const struct mn_unit_place *after,
                                        size_t limit, struct mn_arena *arena,
                                        struct mn_rows *ret_rows, struct mneme_error *err);
    /* Active memories of any partition whose validity has ended. */
    enum mneme_status (*memories_ended)(struct mn_store *store, int64_t now_ms, size_t limit,
                                        struct mn_arena *arena, struct mn_rows *ret_rows,
                                        struct mneme_error *err);
    /* All edges of one partition, valid or not: the walk judges. Their provenance names what of it
     * holds: neither forgotten, revoked nor replaced, or with `past` (of an earlier instant) not revoked;
     * an edge of which nothing holds any more is absent, until it does again. */
    enum mneme_status (*edges)(struct mn_store *store, struct mn_partition partition, bool past,
                               struct mn_arena *arena, struct mn_edges *ret_edges,
                               struct mneme_error *err);

    /* For building an index: items (memories, and events as memories) of one partition with id >
     * after_id, in order of id; deleted and deprecated rows and not recallable events are absent.
     * profile: "" for no vectors. */
    enum mneme_status (*units_scan)(struct mn_store *store, struct mn_partition partition,
                                    const char *after_id, size_t limit, const char *profile,
                                    struct mn_arena *arena, struct mn_units *ret_units,
                                    struct mneme_error *err);
    /* The same for these ids; those that left the index are absent. */
    enum mneme_status (*units_get)(struct mn_store *store, struct mn_partition partition,
                                   const char *const *ids, size_t count, const char *profile,
                                   struct mn_arena *arena, struct mn_units *ret_units,
                                   struct mneme_error *err);
    /* Units of any partition that have no vector of this profile yet, or are long and have one alone,
     * at most `limit`, in order and behind the place. */
    enum mneme_status (*units_without_vector)(struct mn_store *store, const char *profile,
                                              const struct mn_unit_place *after, size_t limit,
                                              struct mn_arena *arena, struct mn_units *ret_units,
                                              struct mneme_error *err);
    /* Codes of the tokens of these units, for each id; .at NULL where there are none that were made
     * with its vector of `profile`. */
    enum mneme_status (*tokens_get)(struct mn_store *store, struct mn_partition partition,
                                    const char *const *ids, size_t count, const char *profile,
                                    const char *tokens_profile, struct mn_arena *arena,
                                    struct mn_str *ret_codes, struct mneme_error *err);
    /* How far the index has come, as MN_WRITE_INDEX said; "" when it has not begun. */
    enum mneme_status (*index_position)(struct mn_store *store, const char *index,
                                        struct mn_cursor *ret_cursor, struct mneme_error *err);
    /* Units that failed fewer than failures_max times and have waited for long enough since: a
     * minute after the first time, twice as long after each further one. At most `limit`.
     * *ret_parked: how many have failed as often as that. */
    enum mneme_status (*index_failed)(struct mn_store *store, const char *index,
                                      int64_t failures_max, int64_t now_ms, size_t limit,
                                      struct mn_arena *arena, struct mn_index_rows *ret_rows,
                                      size_t *ret_parked, struct mneme_error *err);

    /* Those that have failed as often as that, in order, at most `limit`. */
    enum mneme_status (*index_parked)(struct mn_store *store, const char *index,
                                      int64_t failures_max, size_t limit, struct mn_arena *arena,
                                      struct mn_index_rows *ret_rows, struct mneme_error *err);
    /* The index of a partition as bytes, of one profile, in the place of what was kept before.
     * MNEME_CONFLICT: something was erased since the cursor, or it is not known whether. */
    enum mneme_status (*segment_put)(struct mn_store *store, const struct mn_segment_row *row,
                                     struct mneme_error *err);
    /* What was kept last, or bytes of two: their reader tells. MNEME_NOT_FOUND. */
    enum mneme_status (*segment_get)(struct mn_store *store, struct mn_partition partition,
                                     const char *profile, struct mn_arena *arena,
                                     struct mn_str *ret_bytes, struct mneme_error *err);

    enum mneme_status (*history)(struct mn_store *store, struct mn_partition partition,
                                 const char *memory_id, struct mn_arena *arena,
                                 struct mn_history_rows *ret_rows, struct mneme_error *err);
    /* The memory, what it replaced and what replaced it, of any state: of the partition, linked by
     * supersedes or former holders of the key in its place; what holds last first. Empty when it is not
     * there. */
    enum mneme_status (*memories_line)(struct mn_store *store, struct mn_partition partition,
                                       const char *memory_id, struct mn_arena *arena,
                                       struct mn_rows *ret_rows, struct mneme_error *err);
    /* One row by its full key, any state. MNEME_NOT_FOUND. */
    enum mneme_status (*memory_get)(struct mn_store *store, struct mn_partition partition,
                                    const char *memory_id, struct mn_arena *arena,
                                    struct mn_row *ret_row, struct mneme_error *err);
    /* Records of the filter, kind by kind (memories, events, rules, task states, edges), see
     * mneme_export(). Type, scope and status are asked of memories; what is shared is there only
     * with with_shared, also for all users. Calls `row` per record, no transaction being open. */
    enum mneme_status (*list)(struct mn_store *store, const struct mneme_filter *filter,
                              bool memories_only, mneme_row_fn row, void *context,
                              struct mneme_error *err);
    enum mneme_status (*trace_get)(struct mn_store *store, const char *tenant, const char *trace_id,
                                   struct mn_arena *arena, const char **ret_json,
                                   struct mneme_error *err);

    /*
     * Erases in one durable transaction: `what` as mneme_erase() says, now_ms set. Tombstones (digests
     * of ids) keep what is erased from being written again, also by a writer that has begun; each
     * partition that lost units has one change row MN_CHANGE_ERASE, its id empty: build it anew. With
     * what->preview all is undone. Not settled yet: see below.
     */
    enum mneme_status (*erase)(struct mn_store *store, const struct mneme_erasure *what,
                               struct mn_arena *arena, struct mn_erased *ret_erased,
                               struct mneme_error *err);
    /* MNEME_UNAVAILABLE: another process reads an older state; nothing is lost. */
    enum mneme_status (*erase_settle)(struct mn_store *store, enum mn_settle step,
                                      struct mneme_error *err);
    /* The secret that seals this store's receipts; "" before the first erasure. */
    enum mneme_status (*erase_key)(struct mn_store *store, struct mn_arena *arena,
                                   const char **ret_key, struct mneme_error *err);
    /* Every byte of the files, decrypted where the store is encrypted. */
    enum mneme_status (*bytes)(struct mn_store *store, mn_bytes_fn piece, void *context,
                               struct mneme_error *err);
    /* Every text there is; of one tenant, or of all when NULL. One state, no write between. */
    enum mneme_status (*texts)(struct mn_store *store, const char *tenant, mn_kept_fn text,
                               void *context, struct mneme_error *err);

    /* Compares what is derived with the rows it is derived from, in one state; then, with `repair`,
     * puts right what differs, in one durable transaction that looks at each row again. profile:
     * of the model in force, "" without one; tokens_profile: of its codes of tokens, "" likewise. */
    enum mneme_status (*reconcile)(struct mn_store *store, const char *profile,
                                   const char *tokens_profile, bool repair, int64_t now_ms,
                                   struct mn_arena *arena, struct mn_reconciled *ret_reconciled,
                                   struct mneme_error *err);
    /* only: a tenant and an owner, NULL for all. At most one pass over each table. */
    enum mneme_status (*health)(struct mn_store *store, const struct mn_partition *only,
                                const char *profile, int64_t now_ms, struct mn_arena *arena,
                                struct mn_health_users *ret_users, struct mneme_error *err);
    /* Reads the whole file. */
    enum mneme_status (*check)(struct mn_store *store, struct mn_arena *arena,
                               struct mn_store_check *ret_check, struct mneme_error *err);
    /* Builds the tables' own indexes anew, from the rows. */
    enum mneme_status (*reindex)(struct mn_store *store, struct mneme_error *err);
    /* Vectors of other profiles than these go, with what is kept of their indexes. */
    enum mneme_status (*keep_vectors)(struct mn_store *store, const char *profile,
                                      const char *tokens_profile, int64_t *ret_dropped,
                                      struct mneme_error *err);
    /* Those that have a memory or an event, in order. */
    enum mneme_status (*partitions)(struct mn_store *store, struct mn_arena *arena,
                                    struct mn_partitions *ret_partitions, struct mneme_error *err);

    /* One state of the whole store as a file at path, where none may be; see mneme_backup(). */
    enum mneme_status (*backup)(struct mn_store *store, const char *path, struct mneme_error *err);
    /* See mneme_rotate_key(). The entry in the audit is there exactly if the new key is in force. */
    enum mneme_status (*rekey)(struct mn_store *store, const void *key, size_t key_bytes,
                               const char *actor, int64_t now_ms, struct mneme_error *err);

    /* Files of the archive, by partition and session; NULL: of any. Owner and session are then those
     * that are left, "" of what is doomed. */
    enum mneme_status (*archive_objects)(struct mn_store *store, const struct mn_partition *only,
                                         const char *session_id, struct mn_arena *arena,
                                         struct mn_archive_objects *ret_objects,
                                         struct mneme_error *err);
    /* Those of any partition that are not whole. */
    enum mneme_status (*archive_waiting)(struct mn_store *store, struct mn_arena *arena,
                                         struct mn_archive_objects *ret_objects,
                                         struct mneme_error *err);
    /* The ids of the turns that are in one of them, in order. */
    enum mneme_status (*archive_events)(struct mn_store *store, struct mn_partition partition,
                                        const char *object, struct mn_arena *arena,
                                        struct mneme_list *ret_ids, struct mneme_error *err);
    /* This store's name in an archive, and the key of its files, 32 and 64 hex digits: both are made
     * when `make` says so and there are none; "" otherwise. */
    enum mneme_status (*archive_secret)(struct mn_store *store, bool make, struct mn_arena *arena,
                                        const char **ret_name, const char **ret_key,
                                        struct mneme_error *err);

    /* Entries of the audit, in their order. */
    enum mneme_status (*audit_list)(struct mn_store *store, const struct mn_audit_filter *filter,
                                    mn_audit_fn entry, void *context, struct mneme_error *err);
    /* Is the chain whole, and is the noted mark (NULL, or seq 0: none) in it? */
    enum mneme_status (*audit_verify)(struct mn_store *store, const struct mn_audit_mark *noted,
                                      struct mn_audit_state *ret_state, struct mneme_error *err);
    void (*free)(struct mn_store *store);
};

/* Embedded first in each engine's own struct. */
struct mn_store {
    const struct mn_store_ops *ops;
};

struct mn_store_options {
    const char *path;
    bool create;
    bool read_only;
    const void *key;
    size_t key_bytes;
};

/* As mneme_open() says. */
enum mneme_status mn_store_sqlite_open(const struct mn_store_options *options,
                                       struct mn_store **ret_store, struct mneme_error *err);
/* Its file was replaced since it was opened: only opening it again helps. */
bool mn_store_sqlite_replaced(struct mn_store *store);
/*
 * Commits one group alone; its own failure is the call's. ret_written: room for commit->count. Who
 * needs to know which write failed, or hands over several groups, asks ops->commit himself.
 */
enum mneme_status mn_store_commit_one(struct mn_store *store, const struct mn_commit *commit,
                                      struct mn_written *ret_written, struct mneme_error *err);
/* Puts into the audit what was done to the store as a whole. */
enum mneme_status mn_store_note(struct mn_store *store, const char *action, const char *actor,
                                int64_t now_ms, struct mneme_error *err);
/* And that so much of it could not be done. */
enum mneme_status mn_store_note_lost(struct mn_store *store, const char *action, const char *actor,
                                     int64_t lost, int64_t now_ms, struct mneme_error *err);
void mn_store_free(struct mn_store *store); /* accepts NULL */
/* As mneme_restore() says; of options path and key are read. */
enum mneme_status mn_store_sqlite_restore(const struct mn_store_options *options,
                                          const char *backup_path, const char *actor,
                                          int64_t now_ms, struct mneme_error *err);

#endif
