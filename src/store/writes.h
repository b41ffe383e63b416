/*
 * writes.h - what a store is asked to write.
 *
 * A commit is an array of requests, each a group of rows that stand or fall together. What is written
 * of a job, a session, the archive or a turn that has still to be read comes back in the same shape.
 */
#ifndef MN_STORE_WRITES_H
#define MN_STORE_WRITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mneme/memory.h>

#include "base/err.h"
#include "base/str.h"
#include "memory/partition.h"

/* In a provenance: the memory stands on all of its evidence together, not on each piece of it. When one
 * is erased, it goes. */
#define MN_NEEDS_ALL "needs:all"
/* In a provenance: the memory was a section of another, whose content_hash follows. */
#define MN_SPLIT "split:"

/* In a checkpoint, beside its pending_action: the turns that this was drawn from. When one of them is
 * erased, both go. */
#define MN_PENDING_FROM "pending_from"

/* category of the memory of an order to forget: withdrawn, it withholds the turns of its provenance whatever
 * else was drawn from them. */
#define MN_ORDERED "order to forget"

/* not_recallable of an event: what was drawn from it is forgotten, and it comes back with that. */
#define MN_TURN_WITHHELD 2

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
    MN_WRITE_USE,    /* a memory that a recall brought was used; a change row when its confidence is restored */
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

/* That something used a memory (or a turn) which this recall brought. Counted once a recall: said again,
 * or of a trace that is gone, it is unchanged. */
struct mn_use_row {
    const char *tenant;
    const char *trace_id;
    const char *memory_id;
    const char *by; /* the answer or the tool call; "": not said */
    int64_t at_ms;
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
    int64_t change; /* number of the last one then */
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
    const char *task_id;  /* that the last turn was said in of which one is known; "" */
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
    const char *task_id; /* of an event: the task that it was said in; NULL or "": not known */
    const struct mneme_rule *rule;
    const struct mneme_task_state *task_state;
    const struct mneme_edge *edge;
    const struct mneme_usage *usage;
    const struct mn_vector_row *vector;
    const struct mn_trace_row *trace;
    const struct mn_use_row *use;
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

#endif
