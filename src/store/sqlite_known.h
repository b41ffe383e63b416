/*
 * sqlite_known.h - what the writer left in the file with its last commit, so that the next one need not
 * ask for it.
 *
 * It holds while nobody else has written: another connection, another process, or this one by another
 * way than a commit. SQLite counts all of them.
 */
#ifndef MN_STORE_SQLITE_KNOWN_H
#define MN_STORE_SQLITE_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"
#include "store/fresh_rows.h"
#include "store/row_cache.h"
#include "store/sqlite_db.h"
#include "store/store.h"

#define MN_KNOWN_NAMES 16
#define MN_KNOWN_NAME_BYTES 33

struct mn_known {
    unsigned version; /* of the file, as SQLite counts */
    bool has_state;
    struct mn_row_state state; /* moved by each write */
    bool no_tombstones;
    struct mn_hmac *hmac; /* of the audit's secret; NULL: not known */
    bool has_end;
    struct mn_audit_mark end; /* of the audit */
    char name[MN_KNOWN_NAMES][MN_KNOWN_NAME_BYTES]; /* digests whose names the audit has */
    size_t name_count; /* ever put in: the oldest is overwritten */
    struct mn_fresh_rows fresh;
};

/* Inside a transaction that has just begun. */
void mn_known_begin(struct mn_known *known, struct mn_sqlite *writer);
/* Behind it; not committed: nothing is known any more. */
void mn_known_end(struct mn_known *known, struct mn_sqlite *writer, bool committed);
void mn_known_forget(struct mn_known *known);
/* The state that the writer sees, where it reads in a transaction that has begun; false: not known. */
bool mn_known_state(const struct mn_known *known, struct mn_sqlite *writer,
                    struct mn_row_state *ret_state);

bool mn_known_has_name(const struct mn_known *known, const char *digest);
void mn_known_add_name(struct mn_known *known, const char *digest);

#endif
