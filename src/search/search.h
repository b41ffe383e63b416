/*
 * search.h - what can be rebuilt: the text and vector index.
 *
 * The contract of an index engine. Engines: search_memory.c (one in-memory index per partition) and
 * the fakes of the tests; later OpenSearch. An index is a fold over the store's changes: it is fed
 * units and the cursor they bring it to, and can always be dropped and fed again. It answers four
 * questions: the best k by text and by vector, the scores of *these* ids, what the turns around
 * *these* turns say for them, and which turns stand next to them.
 *
 * Isolation: a query reaches the two partitions of its access, and inside them only units that the
 * access allows (memory/access.h, asked once per class of equal rows) at its instant, of the asked
 * types. The filter is inside the scan, not behind it.
 *
 * Raw scores are absolute and comparable between partitions, requests and engines of one profile:
 *   text    X = 1/2 C + 1/2 BM25 / I   (C: share of the request's weighted IDF found; I: their sum)
 *   vector  F = a A + (1 - a) B        (centred cosines: A by the partition's mean, B by language)
 * BM25 statistics are summed over the partitions searched.
 */
#ifndef MN_SEARCH_SEARCH_H
#define MN_SEARCH_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "memory/access.h"
#include "memory/partition.h"
#include "memory/type.h"
#include "memory/unit.h"
#include "search/context_signals.h"
#include "text/analyze.h"
#include "text/inquiry.h"

struct mn_search;

/* The vector space of the profile in force (model/profile.h says where the figures come from). */
struct mn_space {
    size_t dim;                                   /* 0: no vectors */
    const float *request_mean[MN_LANGUAGE_COUNT]; /* dim floats each, or NULL; borrowed */
    const float *passage_mean[MN_LANGUAGE_COUNT];
    float own_mean_share; /* a in F */
    float partition_k;    /* weight of the prior in the partition's own mean */
};

/* What an engine made of a request, for its next question; each engine has its own. */
struct mn_query_kept;

struct mn_query {
    const struct mn_access *access;
    mn_type_set text_types;   /* types that text may bring; one not in the table counts as a fact */
    mn_type_set vector_types; /* types that vectors may bring */
    int64_t after_ms;         /* event time filter, after <= t < before; 0: open. With one of the */
    int64_t before_ms;        /* two, a unit without an event time is outside */
    const struct mn_terms *terms; /* of the request, each hash once; may be empty */
    enum mn_language language;    /* of the request */
    const float *vector;          /* length 1; NULL: text alone */
    size_t text_k;
    size_t vector_k; /* per language of the units */
    size_t dated_k; /* items that happened within after_ms and before_ms, the earliest, however unlike */
    size_t around_k; /* turns that the best turns by text bring along, standing within 3 of them */
    const struct mn_inquiry *inquiry; /* for context(); NULL: asks for nothing by itself */
    const char *const *also; /* of top(): units to score beside what it finds, as score() would */
    size_t also_count;
    /* NULL, or between calls with the same terms, vector and arena, NULL at first: where the engine
     * keeps what it need not make again. */
    struct mn_query_kept **kept;
};

struct mn_hit {
    const struct mn_unit *unit; /* an item, without its vector; lives as long as the arena */
    bool shared;         /* from the shared partition */
    enum mn_language language;
    double text;        /* X; 0 when no term is there */
    double bm25;        /* raw */
    double coverage;    /* C */
    bool has_vector;    /* the unit has one and the query brought one */
    double vector;      /* F; 0 without */
    double cosine;      /* plain cosine of the raw vectors */
    size_t text_rank;   /* 1 is best; 0: not in that list; what came along stands behind it */
    size_t vector_rank; /* among the lists of all languages together */
    size_t passage; /* of a long item: the best of them; 0: it has none */
};
struct mn_hits {
    struct mn_hit *item;
    size_t count;
    size_t room;
    double term_weight_sum; /* I */
    bool partial;           /* a partition is not loaded: what is here is not all */
};

/* What a partition holds, in figures that do not depend on the order of its units. */
struct mn_digest {
    size_t units;
    size_t vectors;
    int64_t revisions;
    uint64_t hash; /* of ids, revisions, hashes of texts, and whether there is a vector */
};

struct mn_search_stats {
    size_t partitions;
    size_t units;
    size_t bytes;
};

struct mn_search_ops {
    /*
     * Feed one partition. `dropped` items leave first, then `units` come, replacing items of the
     * same id (an id may be in both). Passages leave with their item, and come right behind it.
     * `reset` empties the partition before all. `cursor` is the store position reached, "" while a
     * build goes on (the partition then counts as not loaded). Atomic to readers.
     */
    enum mneme_status (*apply)(struct mn_search *search, struct mn_partition partition, bool reset,
                               const struct mn_unit *units, size_t unit_count,
                               const char *const *dropped, size_t dropped_count, const char *cursor,
                               struct mneme_error *err);
    /* Where the partition stands: *ret_cursor is copied into the arena; MNEME_NOT_FOUND when it is
     * not loaded (never was, was evicted, or is being built). */
    enum mneme_status (*position)(struct mn_search *search, struct mn_partition partition,
                                  struct mn_arena *arena, const char **ret_cursor,
                                  struct mneme_error *err);
    /* The best by text and the best by vector, united, and what is to come also; each hit has both
     * scores. An item with passages scores what the best of it scores, by words and by vector, itself
     * included. Order: none. */
    enum mneme_status (*top)(struct mn_search *search, const struct mn_query *query,
                             struct mn_arena *arena, struct mn_hits *ret_hits,
                             struct mneme_error *err);
    /* Scores of these units, filtered like top() but of any type; ids not there are left out. */
    enum mneme_status (*score)(struct mn_search *search, const struct mn_query *query,
                               const char *const *ids, size_t count, struct mn_arena *arena,
                               struct mn_hits *ret_hits, struct mneme_error *err);
    /* Signals of those of these units that are turns, filtered like top() but of any type, as are
     * the turns around them: what the access may not see says nothing. Others are left out. */
    enum mneme_status (*context)(struct mn_search *search, const struct mn_query *query,
                                 const char *const *ids, size_t count, struct mn_arena *arena,
                                 struct mn_contexts *ret_contexts, struct mneme_error *err);
    /* The turns next to these in their sessions, as documents: ret[2 * i] stands before ids[i],
     * ret[2 * i + 1] after it; NULL where nothing that the access allows stands there, or ids[i] is
     * no turn. Without vectors; they live as long as the arena. */
    enum mneme_status (*adjacent)(struct mn_search *search, const struct mn_access *access,
                                  const char *const *ids, size_t count, struct mn_arena *arena,
                                  const struct mn_unit **ret, struct mneme_error *err);
    /* Centred passage-passage cosines (B) of units of the access's partitions, for duplicates:
     * ret[i * count + j]; NaN where one has no vector. */
    enum mneme_status (*similarity)(struct mn_search *search, const struct mn_access *access,
                                    const char *const *ids, size_t count, float *ret,
                                    struct mneme_error *err);
    /* Of what the partition holds; MNEME_NOT_FOUND when it is not loaded. *ret_cursor, in the arena:
     * where it stands. */
    enum mneme_status (*digest)(struct mn_search *search, struct mn_partition partition,
                                struct mn_arena *arena, struct mn_digest *ret_digest,
                                const char **ret_cursor, struct mneme_error *err);
    /* Like apply(), to the same partition built once more, which nobody sees until adopt(). */
    enum mneme_status (*beside)(struct mn_search *search, struct mn_partition partition, bool reset,
                                const struct mn_unit *units, size_t unit_count,
                                const char *const *dropped, size_t dropped_count,
                                const char *cursor, struct mneme_error *err);
    /* Puts what was built beside in the place of what is there, in one step for readers.
     * MNEME_NOT_FOUND when nothing whole was built. */
    enum mneme_status (*adopt)(struct mn_search *search, struct mn_partition partition,
                               struct mneme_error *err);
    /* The partition as bytes (segment.h), appended, and where it stands. MNEME_NOT_FOUND when it is
     * not loaded. */
    enum mneme_status (*save)(struct mn_search *search, struct mn_partition partition,
                              const char *profile, struct mn_arena *arena, const char **ret_cursor,
                              struct mn_buf *out, struct mneme_error *err);
    /* The partition from such bytes, in the place of what is there. MNEME_INVALID: they are no
     * segment of this partition and profile, or not of this program: build it. */
    enum mneme_status (*load)(struct mn_search *search, struct mn_partition partition,
                              const char *profile, struct mn_str bytes, struct mneme_error *err);
    /* One that was built, or has changed much, since it was last saved or loaded, and is large enough
     * to be worth it; its names are in the arena. False: none. */
    bool (*due)(struct mn_search *search, struct mn_arena *arena,
                struct mn_partition *ret_partition);
    void (*drop)(struct mn_search *search, struct mn_partition partition);
    void (*stats)(struct mn_search *search, struct mn_search_stats *ret_stats);
    void (*free)(struct mn_search *search);
};

/* Embedded first in each engine's own struct. */
struct mn_search {
    const struct mn_search_ops *ops;
};

/* Adds one unit to the figures of its partition. */
void mn_digest_add(struct mn_digest *digest, const struct mn_unit *unit, bool has_vector);

/* bytes_max: partitions beyond it leave, least recently used first; the two used last stay, since a
 * request needs both of its own. Safe from several threads: a partition is read by many and applied
 * by one. */
enum mneme_status mn_search_memory_new(const struct mn_space *space, size_t bytes_max,
                                       struct mn_search **ret_search, struct mneme_error *err);
void mn_search_free(struct mn_search *search); /* accepts NULL */

#endif
