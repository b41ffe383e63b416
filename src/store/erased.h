/*
 * erased.h - what an erasure took away, and what is looked for afterwards.
 */
#ifndef MN_STORE_ERASED_H
#define MN_STORE_ERASED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "memory/partition.h"
#include "store/condition.h"

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

#endif
