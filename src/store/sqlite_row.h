/*
 * sqlite_row.h - the store's nouns as rows: columns to structs and back.
 *
 * A reader takes the columns of a statement that selects them in the order of sql/sqlite: `SELECT
 * *` of the view memory_rows or of history, or the list that the statements of its noun share.
 */
#ifndef MN_STORE_SQLITE_ROW_H
#define MN_STORE_SQLITE_ROW_H

#include "memory/unit.h"
#include "store/sqlite_db.h"
#include "store/store.h"

/* The 38 columns of a memory. */
void mn_row_read_memory(struct mn_reader *reader, struct mneme_memory *memory);
/* Those and usage's, of the view. *ret_usage (may be NULL) is left alone when there is none. */
void mn_row_read(struct mn_reader *reader, struct mn_row *row, struct mneme_usage *ret_usage);
void mn_row_read_event(struct mn_reader *reader, struct mneme_event *event);
void mn_row_read_rule(struct mn_reader *reader, struct mneme_rule *rule, const char **ret_owner);
void mn_row_read_task_state(struct mn_reader *reader, struct mneme_task_state *state);
void mn_row_read_edge(struct mn_reader *reader, struct mneme_edge *edge);

/* The present row of a statement over the view, appended; ret_usage as above. */
enum mneme_status mn_row_add(struct mn_stmt *stmt, struct mn_arena *arena, struct mn_rows *rows,
                             struct mneme_usage *ret_usage, struct mneme_error *err);

/* All parameters of MEMORY_INSERT. */
void mn_row_bind_memory(struct mn_stmt *stmt, const struct mneme_memory *memory, int64_t revision,
                        const char *embed_hash);

/* SHA-256 of the text that is embedded. */
enum mneme_status mn_row_embed_hash(const struct mneme_memory *memory, const char *speaker,
                                    struct mn_arena *arena, const char **ret_hash,
                                    struct mneme_error *err);
/* Of an event, as the memory it may be recalled as. */
enum mneme_status mn_row_event_embed_hash(const struct mneme_event *event, struct mn_arena *arena,
                                          const char **ret_hash, struct mneme_error *err);

#endif
