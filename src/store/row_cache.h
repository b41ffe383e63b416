/*
 * row_cache.h - decoded rows, lists of ids and codes of tokens, as long as the store's state vouches
 * for them.
 *
 * A recall reads the same rows again and again: a user's preferences and rules, the rivals of a key.
 * Here they are kept decoded, for all identities alike; who may have one is asked each time it is
 * handed out. Everything is bound to a state of the store, and a caller says in which state it reads:
 * what is kept for another one is not there for it. So nothing stale is ever handed out, whoever
 * wrote: whoever sees a newer state first says what it changed, and that leaves.
 *
 * Bounded by bytes; what was used longest ago leaves. A failed allocation keeps less, no more. Safe
 * from several threads.
 */
#ifndef MN_STORE_ROW_CACHE_H
#define MN_STORE_ROW_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "memory/access.h"
#include "store/store.h"

struct mn_row_cache;

/* Of a snapshot. Both only grow. */
struct mn_row_state {
    int64_t changes; /* number of the last change */
    int64_t usage;   /* writes of usage, which leave no change */
};

/* What a write touched. */
struct mn_row_touch {
    const char *tenant;
    const char *owner; /* NULL: the row's usage alone, in whichever partition it lies */
    const char *id;
};

struct mn_row_cache *mn_row_cache_new(size_t bytes_max); /* NULL: no memory */
void mn_row_cache_free(struct mn_row_cache *cache);      /* accepts NULL */

/* The state that what is kept belongs to. */
struct mn_row_state mn_row_cache_state(struct mn_row_cache *cache);
/* From one state to a later one, between which this was touched; NULL: not known, everything leaves.
 * False when the cache is not at `from` (any more). */
bool mn_row_cache_move(struct mn_row_cache *cache, struct mn_row_state from, struct mn_row_state to,
                       const struct mn_row_touch *touch, size_t count);
/* Everything leaves, at once. */
void mn_row_cache_forget(struct mn_row_cache *cache);

/* Rows. */
enum mn_row_kept {
    MN_ROW_UNKNOWN = 0, /* ask the store */
    MN_ROW_TAKEN,       /* appended */
    MN_ROW_REFUSED      /* of neither partition of the access or, filtered, not for this identity */
};
enum mneme_status mn_row_cache_take(struct mn_row_cache *cache, struct mn_row_state state,
                                    const struct mn_access *access, bool filtered, const char *id,
                                    struct mn_arena *arena, struct mn_rows *rows,
                                    enum mn_row_kept *ret_kept, struct mneme_error *err);
void mn_row_cache_keep(struct mn_row_cache *cache, struct mn_row_state state,
                       const struct mn_row *row);

/* Lists of one partition: leave with any change of a memory, a rule or an edge there. */
enum mn_list_kind {
    MN_LIST_SCOPE = 1, /* of one scope and type: a scope id, b type */
    MN_LIST_KEY,       /* a memory key */
    MN_LIST_LINKS,     /* pairs: the memory that is superseded, the one that does */
    MN_LIST_TURNS,     /* pairs: a turn, what stands in the place of a memory drawn from it */
    MN_LIST_RULES,
    MN_LIST_EDGES
};
struct mn_list_name {
    enum mn_list_kind kind;
    struct mn_partition partition;
    enum mneme_scope scope;
    const char *a;
    const char *b;
};
struct mn_list {
    const char *const *item;
    size_t count;
    bool whole; /* no more than these */
};
enum mneme_status mn_row_cache_list(struct mn_row_cache *cache, struct mn_row_state state,
                                    const struct mn_list_name *name, struct mn_arena *arena,
                                    struct mn_list *ret_list, bool *ret_known,
                                    struct mneme_error *err);
void mn_row_cache_keep_list(struct mn_row_cache *cache, struct mn_row_state state,
                            const struct mn_list_name *name, const struct mn_list *list);

/* Codes of a unit's tokens: leave with any change of the unit. That there are none is not kept, since
 * codes may come to a vector that stays as it is, which leaves no change. */
struct mn_codes_name {
    struct mn_partition partition;
    const char *unit;
    const char *profile; /* of the tokens */
};
enum mneme_status mn_row_cache_codes(struct mn_row_cache *cache, struct mn_row_state state,
                                     const struct mn_codes_name *name, struct mn_arena *arena,
                                     struct mn_str *ret_codes, bool *ret_known,
                                     struct mneme_error *err);
void mn_row_cache_keep_codes(struct mn_row_cache *cache, struct mn_row_state state,
                             const struct mn_codes_name *name, struct mn_str codes);

#endif
