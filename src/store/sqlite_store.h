/*
 * sqlite_store.h - the SQLite engine from inside: its connections and the parts of its table.
 *
 * One connection writes, behind a mutex; a few read, each lent to one thread for one call. Writers
 * of other processes wait at the lock file (lock_file.h), readers never wait.
 */
#ifndef MN_STORE_SQLITE_STORE_H
#define MN_STORE_SQLITE_STORE_H

#include <pthread.h>

#include "store/lock_file.h"
#include "store/sqlite_db.h"
#include "store/store.h"

#define MN_SQLITE_READERS_MAX 8

struct mn_sqlite_store {
    struct mn_store base;
    char *path;  /* absolute */
    char id[16]; /* of the file, from its making: part of cursors */
    void *key;
    size_t key_bytes;
    enum mn_sqlite_mode read_mode;

    pthread_mutex_t write_mutex; /* guards writer and lock */
    struct mn_sqlite *writer;    /* NULL: read only */
    struct mn_lock_file lock;

    pthread_mutex_t read_mutex; /* guards what follows */
    pthread_cond_t reader_back;
    struct mn_sqlite *reader[MN_SQLITE_READERS_MAX]; /* those not lent */
    int readers_idle;
    int readers_open;
};

/* A reader, inside a transaction: all statements of one call see one state. */
struct mn_reading {
    struct mn_sqlite_store *store;
    struct mn_sqlite *db;
};
enum mneme_status mn_reading_begin(struct mn_store *store, struct mn_reading *reading,
                                   struct mneme_error *err);
void mn_reading_end(struct mn_reading *reading); /* for MN_CLEANUP */
#define MN_READING_AUTO MN_CLEANUP(mn_reading_end) struct mn_reading

/*
 * sqlite_open.c: brings the file at path into the present form (create: makes it when it is not
 * there) and gives a connection to it, for writing unless read_only; ret_mode is how further
 * readers connect. Where it fails, nothing in the folder was touched.
 */
enum mneme_status mn_sqlite_open(const struct mn_store_options *options, const char *path,
                                 struct mn_lock_file *lock, struct mn_sqlite **ret_db,
                                 enum mn_sqlite_mode *ret_mode, struct mneme_error *err);
/* A row of the table meta into text; "" when it is not there. */
enum mneme_status mn_sqlite_meta(struct mn_sqlite *db, const char *name, char *text,
                                 size_t text_bytes, struct mneme_error *err);

/* The engine's functions, as store.h says; one file a noun. */

/* sqlite_commit.c */
enum mneme_status mn_sqlite_commit(struct mn_store *store, const struct mn_commit *commits,
                                   size_t count, struct mn_commit_result *results,
                                   struct mneme_error *err);
/* sqlite_changes.c */
enum mneme_status mn_sqlite_position(struct mn_store *store, struct mn_cursor *ret_cursor,
                                     struct mneme_error *err);
enum mneme_status mn_sqlite_changes_after(struct mn_store *store, const struct mn_partition *only,
                                          const struct mn_cursor *cursor, size_t limit,
                                          struct mn_arena *arena, struct mn_changes *ret_changes,
                                          struct mneme_error *err);
/* sqlite_read.c */
enum mneme_status mn_sqlite_memories_get(struct mn_store *store, const struct mn_access *access,
                                         const char *const *ids, size_t count,
                                         struct mn_arena *arena, struct mn_rows *ret_rows,
                                         struct mneme_error *err);
enum mneme_status mn_sqlite_memories_structured(struct mn_store *store,
                                                const struct mn_access *access, mn_type_set types,
                                                size_t limit, struct mn_arena *arena,
                                                struct mn_rows *ret_rows, struct mneme_error *err);
enum mneme_status mn_sqlite_memories_by_key(struct mn_store *store, const struct mn_access *access,
                                            const char *const *keys, size_t count,
                                            struct mn_arena *arena, struct mn_rows *ret_rows,
                                            struct mneme_error *err);
enum mneme_status mn_sqlite_memories_successors(struct mn_store *store,
                                                const struct mn_access *access,
                                                const char *const *ids, size_t count,
                                                struct mn_arena *arena, struct mn_rows *ret_rows,
                                                struct mneme_error *err);
enum mneme_status mn_sqlite_memories_as_of(struct mn_store *store, const struct mn_access *access,
                                           const char *const *ids, size_t count,
                                           struct mn_arena *arena, struct mn_rows *ret_rows,
                                           struct mneme_error *err);
enum mneme_status mn_sqlite_memories_by_hash(struct mn_store *store,
                                             const struct mneme_memory *like,
                                             struct mn_arena *arena, struct mn_rows *ret_rows,
                                             struct mneme_error *err);
enum mneme_status mn_sqlite_memory_get(struct mn_store *store, struct mn_partition partition,
                                       const char *memory_id, struct mn_arena *arena,
                                       struct mn_row *ret_row, struct mneme_error *err);
enum mneme_status mn_sqlite_history(struct mn_store *store, struct mn_partition partition,
                                    const char *memory_id, struct mn_arena *arena,
                                    struct mn_history_rows *ret_rows, struct mneme_error *err);
/* sqlite_around.c */
enum mneme_status mn_sqlite_rules_active(struct mn_store *store, const struct mn_access *access,
                                         struct mn_arena *arena, struct mn_rules *ret_rules,
                                         struct mneme_error *err);
enum mneme_status mn_sqlite_task_states(struct mn_store *store, const struct mn_access *access,
                                        struct mn_arena *arena, struct mn_task_states *ret_states,
                                        struct mneme_error *err);
enum mneme_status mn_sqlite_edges(struct mn_store *store, struct mn_partition partition,
                                  struct mn_arena *arena, struct mn_edges *ret_edges,
                                  struct mneme_error *err);
enum mneme_status mn_sqlite_trace_get(struct mn_store *store, const char *tenant,
                                      const char *trace_id, struct mn_arena *arena,
                                      const char **ret_json, struct mneme_error *err);
/* sqlite_units.c */
enum mneme_status mn_sqlite_units_scan(struct mn_store *store, struct mn_partition partition,
                                       const char *after_id, size_t limit, const char *profile,
                                       struct mn_arena *arena, struct mn_units *ret_units,
                                       struct mneme_error *err);
enum mneme_status mn_sqlite_units_get(struct mn_store *store, struct mn_partition partition,
                                      const char *const *ids, size_t count, const char *profile,
                                      struct mn_arena *arena, struct mn_units *ret_units,
                                      struct mneme_error *err);
enum mneme_status mn_sqlite_units_without_vector(struct mn_store *store, const char *profile,
                                                 size_t limit, struct mn_arena *arena,
                                                 struct mn_units *ret_units,
                                                 struct mneme_error *err);
/* sqlite_list.c */
enum mneme_status mn_sqlite_list(struct mn_store *store, const struct mneme_filter *filter,
                                 bool memories_only, mneme_row_fn row, void *context,
                                 struct mneme_error *err);

#endif
