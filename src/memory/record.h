/*
 * record.h - the record's own rules: validation, defaults, hashes, copies, JSON.
 *
 * Pure: time and ids are handed in. mneme_record_parse() and mneme_record_print() (memory.h of the
 * public headers) are implemented here too, over one table of fields.
 */
#ifndef MN_MEMORY_RECORD_H
#define MN_MEMORY_RECORD_H

#include <mneme/memory.h>

#include "base/arena.h"

/*
 * A caller's struct in today's shape: reads its `size` (0 or more than ours is MNEME_INVALID naming
 * size), copies what it has, and gives the defaults for fields an older caller does not know. Shallow.
 */
enum mneme_status mn_memory_adopt(const struct mneme_memory *memory,
                                  struct mneme_memory *ret_memory, struct mneme_error *err);
enum mneme_status mn_event_adopt(const struct mneme_event *event, struct mneme_event *ret_event,
                                 struct mneme_error *err);

/*
 * Checks every field against its limits and against the others (valid_until after valid_from,
 * scope_id empty exactly for global, shared rows only in global, project, repo, task, value only
 * beside a key ...). The first fault is MNEME_INVALID or MNEME_LIMIT and names the field.
 */
enum mneme_status mn_memory_check(const struct mneme_memory *memory, struct mneme_error *err);
enum mneme_status mn_event_check(const struct mneme_event *event, struct mneme_error *err);
enum mneme_status mn_rule_check(const struct mneme_rule *rule, struct mneme_error *err);
enum mneme_status mn_task_state_check(const struct mneme_task_state *state,
                                      struct mneme_error *err);
enum mneme_status mn_edge_check(const struct mneme_edge *edge, struct mneme_error *err);
enum mneme_status mn_usage_check(const struct mneme_usage *usage, struct mneme_error *err);

/*
 * A deep copy in the arena with everything absent derived: id when empty (prefix mem_), confidence
 * by authority (at most 0.9 for an unconfirmed inference), importance 0.5, sensitivity internal,
 * status active, version 1, created and updated `now_ms`, attributes {}, content_hash. Strings are
 * never NULL in the copy. The value is kept as given.
 */
enum mneme_status mn_memory_complete(const struct mneme_memory *memory, int64_t now_ms,
                                     struct mn_arena *arena, struct mneme_memory *ret_memory,
                                     struct mneme_error *err);
enum mneme_status mn_event_complete(const struct mneme_event *event, int64_t now_ms,
                                    struct mn_arena *arena, struct mneme_event *ret_event,
                                    struct mneme_error *err);

/* The same for the others: an id of a rule or edge is derived from what makes it this one, so that
 * loading it again finds it; a checkpoint's time is `now_ms`, an edge's confidence 1. */
enum mneme_status mn_rule_complete(const struct mneme_rule *rule, struct mn_arena *arena,
                                   struct mneme_rule *ret_rule, struct mneme_error *err);
enum mneme_status mn_task_state_complete(const struct mneme_task_state *state, int64_t now_ms,
                                         struct mn_arena *arena,
                                         struct mneme_task_state *ret_state,
                                         struct mneme_error *err);
enum mneme_status mn_edge_complete(const struct mneme_edge *edge, struct mn_arena *arena,
                                   struct mneme_edge *ret_edge, struct mneme_error *err);

/* Deep copy, nothing derived; NULL strings become "". `memory` is a whole struct of this version, as
 * mn_memory_complete() gives. */
enum mneme_status mn_memory_copy(const struct mneme_memory *memory, struct mn_arena *arena,
                                 struct mneme_memory *ret_memory, struct mneme_error *err);

/* Lower-case hex SHA-256 of the squeezed content (text/compare.h). */
enum mneme_status mn_memory_hash(const char *content, struct mn_arena *arena, const char **ret_hash,
                                 struct mneme_error *err);

/* What the memory says of its key, for comparison: the form (text/compare.h) of the value, else of
 * the content. NULL when the arena is full. */
const char *mn_memory_value(const struct mneme_memory *memory, struct mn_arena *arena);

/* The event as the episodic memory it may be recalled as: type event, its id, owner its user, scope
 * user, confidence 1, authority by role, session and speaker as attributes. */
enum mneme_status mn_event_as_memory(const struct mneme_event *event, struct mn_arena *arena,
                                     struct mneme_memory *ret_memory, struct mneme_error *err);

/* Do two rows say the same in every field but id, times, revision and version? For imports. */
bool mn_memory_same_row(const struct mneme_memory *a, const struct mneme_memory *b);

/* The text that is embedded, by the recipe "title.content.usage.1": title, content, usage_scenario
 * joined by sentence marks; for an event time, speaker, text. White space collapsed. */
enum mneme_status mn_memory_embed_text(const struct mneme_memory *memory, const char *speaker,
                                       struct mn_arena *arena, const char **ret_text,
                                       struct mneme_error *err);

/* A deep copy of a record that outlives what it was made from: free with mneme_parsed_free(). */
enum mneme_status mn_parsed_of(const struct mneme_record *record, struct mneme_parsed **ret_parsed,
                               struct mneme_error *err);

#endif
