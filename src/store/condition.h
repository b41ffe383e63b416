/*
 * condition.h - what a store says of itself: its audit, whether what is derived agrees with the rows,
 * and figures of its users.
 */
#ifndef MN_STORE_CONDITION_H
#define MN_STORE_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/partition.h"

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
    int64_t reported;        /* recalls of which use was reported, as far as traces are kept */
    int64_t vectors_missing; /* of the profile; 0 without one */
    int64_t recalls; /* of the week, as far as traces are kept */
    int64_t wanted;  /* of them: in a mode other than none */
    int64_t hits;    /* of those: something that they brought was reported as used */
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

#endif
