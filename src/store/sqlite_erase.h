/*
 * sqlite_erase.h - the erasing transaction in its parts: what is meant, what names it, what goes.
 *
 * sqlite_erase_find.c finds the units, sqlite_derived.c what was drawn from them; sqlite_erase.c
 * takes them out; sqlite_links.c goes through what is left and names one of them; sqlite_tombstone.c
 * keeps them from coming back.
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

/* sqlite_erase_find.c: the units that are meant. MNEME_NOT_FOUND: as mneme_erase() says. */
enum mneme_status mn_erasing_find(struct mn_erasing *e, struct mneme_error *err);
/* One of them; owner and id live in e->arena. */
enum mneme_status mn_erasing_add_item(struct mn_erasing *e, bool is_event, const char *owner,
                                      const char *id, struct mneme_error *err);
/* A partition that lost something; owner lives in e->arena. */
enum mneme_status mn_erasing_add_partition(struct mn_erasing *e, const char *owner,
                                           struct mneme_error *err);
/* The set of ids. */
enum mneme_status mn_erasing_add(struct mn_erasing *e, const char *id, struct mneme_error *err);
bool mn_erasing_has(const struct mn_erasing *e, const char *id, size_t bytes);
/* Entries of a provenance that are evidence, and how many of those go. */
void mn_erasing_judge(const struct mn_erasing *e, struct mneme_list provenance, size_t *ret_evidence,
                      size_t *ret_gone);

/* sqlite_erase.c. A copy of a text column of an erased row, unless there is nothing in it. */
enum mneme_status mn_erasing_keep(struct mn_erasing *e, const char *owner, const void *bytes,
                                  size_t count, bool said, bool is_vector, struct mneme_error *err);
/* So of every column of the rows of a statement; the first `said` are texts as they were written. */
enum mneme_status mn_erasing_keep_rows(struct mn_erasing *e, struct mn_stmt *stmt,
                                       const char *owner, size_t said, bool is_vector,
                                       struct mneme_error *err);

/* sqlite_derived.c. What was drawn from nothing but what goes, found like it. */
enum mneme_status mn_erasing_find_derived(struct mn_erasing *e, struct mneme_error *err);
/* Memories and former rows that stay, and were drawn from what goes, or name it. */
enum mneme_status mn_erasing_unlink_memories(struct mn_erasing *e, struct mneme_error *err);

/* sqlite_links.c: rules, edges, questions, traces and changes of what stays. */
enum mneme_status mn_erasing_unlink(struct mn_erasing *e, struct mneme_error *err);

/* sqlite_tombstone.c. Numbers are in the file. */
enum mn_tombstone_kind {
    MN_TOMBSTONE_SESSION = 0,
    MN_TOMBSTONE_UNIT = 7, /* a memory or an event */
    MN_TOMBSTONE_USER = 8,
    MN_TOMBSTONE_TENANT = 9 /* its id is empty */
};
enum mneme_status mn_tombstone_put(const struct mn_writing *w, enum mn_tombstone_kind kind,
                                   const char *tenant, const char *id, struct mneme_error *err);
enum mneme_status mn_tombstone_find(const struct mn_writing *w, enum mn_tombstone_kind kind,
                                    const char *tenant, const char *id, bool *ret_found,
                                    struct mneme_error *err);
/* ...at this instant or later? */
enum mneme_status mn_tombstone_since(const struct mn_writing *w, enum mn_tombstone_kind kind,
                                     const char *tenant, const char *id, int64_t since_ms,
                                     bool *ret_found, struct mneme_error *err);
/* Is there one at all? */
enum mneme_status mn_tombstone_any(const struct mn_writing *w, bool *ret_any,
                                   struct mneme_error *err);
/* MNEME_CONFLICT naming id, or provenance, when the row or its evidence was erased. */
enum mneme_status mn_tombstone_check(const struct mn_writing *w, const char *tenant, const char *id,
                                     struct mneme_list provenance, struct mneme_error *err);
/* Was one of these erased? */
enum mneme_status mn_tombstone_among(const struct mn_writing *w, const char *tenant,
                                     struct mneme_list ids, bool *ret_erased,
                                     struct mneme_error *err);
/* Does the trace name something that was erased, or is it of a user or a session that was erased
 * since? */
enum mneme_status mn_tombstone_covers(const struct mn_writing *w, const struct mn_trace_row *trace,
                                      bool *ret_covered, struct mneme_error *err);

#endif
