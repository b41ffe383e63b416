/*
 * sqlite_erase.h - the erasing transaction in its parts: what is meant, what names it, what goes.
 *
 * sqlite_erase.c finds the units and takes them out; sqlite_links.c goes through what is left and
 * names one of them; sqlite_tombstone.c keeps them from coming back.
 */
#ifndef MN_STORE_SQLITE_ERASE_H
#define MN_STORE_SQLITE_ERASE_H

#include "store/sqlite_db.h"
#include "store/sqlite_write.h"
#include "store/store.h"

/* One erasure, inside its transaction. */
struct mn_erasing {
    const struct mn_writing *w;
    const struct mneme_erasure *what;
    struct mn_arena *arena; /* of the result */
    struct mn_erased *out;
    const char **slot; /* the ids that go, by their hash */
    size_t slot_room;  /* a power of two */
    size_t slot_count;
};

/* The set of ids. */
enum mneme_status mn_erasing_add(struct mn_erasing *e, const char *id, struct mneme_error *err);
bool mn_erasing_has(const struct mn_erasing *e, const char *id, size_t bytes);
/* Entries of a provenance that are evidence, and how many of those go. */
void mn_erasing_judge(const struct mn_erasing *e, struct mneme_list provenance, size_t *ret_evidence,
                      size_t *ret_gone);
/* A copy of a text column of an erased row, unless there is nothing in it. */
enum mneme_status mn_erasing_keep(struct mn_erasing *e, const char *owner, const void *bytes,
                                  size_t count, bool said, bool is_vector, struct mneme_error *err);

/* sqlite_links.c: rules, edges, questions, traces, changes, provenance and links of what stays. */
enum mneme_status mn_erasing_unlink(struct mn_erasing *e, struct mneme_error *err);

/* sqlite_tombstone.c. kind: MN_CHANGE_ERASE of memories and events, 0 of sessions. */
enum mneme_status mn_tombstone_put(const struct mn_writing *w, int kind, const char *tenant,
                                   const char *id, struct mneme_error *err);
enum mneme_status mn_tombstone_find(const struct mn_writing *w, int kind, const char *tenant,
                                    const char *id, bool *ret_found, struct mneme_error *err);
/* MNEME_CONFLICT naming id, or provenance, when the row or its evidence was erased. */
enum mneme_status mn_tombstone_check(const struct mn_writing *w, const char *tenant, const char *id,
                                     struct mneme_list provenance, struct mneme_error *err);
/* Does the trace name something that was erased? */
enum mneme_status mn_tombstone_named(const struct mn_writing *w, const struct mn_trace_row *trace,
                                     bool *ret_named, struct mneme_error *err);

/* The next quoted string of a JSON text from *at on, without its quotes and as it is escaped; false
 * behind the last one. */
bool mn_next_quoted(struct mn_str json, size_t *at, struct mn_str *ret_string);

#endif
