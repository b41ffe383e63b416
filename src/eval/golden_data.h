/*
 * golden_data.h - a folder of golden data (eval/golden/README.md): rows, and cases.
 */
#ifndef MN_EVAL_GOLDEN_DATA_H
#define MN_EVAL_GOLDEN_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include <mneme/mneme.h>

#include "base/arena.h"

/* One checkpoint has a name of its own in the data; the record has none. */
struct mn_golden_state {
    const char *id;
    const struct mneme_task_state *row;
};

/* The survivor, and what was merged into it. */
struct mn_golden_merge {
    const char *survivor;
    struct mneme_list merged;
};

struct mn_golden_part {
    const char *id;
    const char *part;
    double value;
};

struct mn_golden_bound {
    const char *type;
    size_t most;
};

/* What must come of a case; a field that is not given expects nothing. */
struct mn_golden_expect {
    enum mneme_mode mode; /* AUTO: not given */
    struct mneme_list required;
    struct mneme_list forbidden;
    struct mneme_pairs reasons; /* id -> why */
    struct mneme_list order;
    bool exactly_given;
    struct mneme_list exactly;
    bool empty;
    struct mneme_list clarify_keys;
    struct mneme_list blocking_keys;
    struct mneme_list unasked_keys;
    struct mneme_list conflict_keys;
    struct mn_golden_merge *merged;
    size_t merged_count;
    int64_t max_prompt_tokens; /* -1: not given */
    struct mneme_list suspicious;
    struct mneme_list plain;
    struct mneme_list outside_constraints;
    struct mn_golden_part *part;
    size_t part_count;
    struct mneme_list forbidden_text;
    bool budget_exceeded;
    int64_t max_items; /* -1: not given */
    struct mn_golden_bound *bound;
    size_t bound_count;
};

struct mn_golden_case {
    const char *id;
    struct mneme_request request;
    bool candidates_given;
    struct mneme_list candidates; /* the only memories in the store, where given */
    struct mn_golden_expect expect;
};

struct mn_golden {
    struct mn_arena *arena;
    struct {
        struct mneme_parsed **item;
        size_t count, room;
    } rows; /* all records, as they were parsed; owned */
    struct {
        const struct mneme_memory **item;
        size_t count, room;
    } memories;
    struct {
        struct mn_golden_state *item;
        size_t count, room;
    } states;
    struct {
        struct mn_golden_case *item;
        size_t count, room;
    } cases;
};

/* Unknown fields, ids that name nothing, twice the same id: MNEME_INVALID with file and line. */
enum mneme_status mn_golden_read(const char *folder, struct mn_golden *ret_golden,
                                 struct mneme_error *err);
void mn_golden_release(struct mn_golden *golden); /* for MN_CLEANUP */

const struct mneme_memory *mn_golden_memory(const struct mn_golden *golden, const char *id);
const struct mn_golden_state *mn_golden_state(const struct mn_golden *golden, const char *id);
bool mn_list_holds(const struct mneme_list *list, const char *text);

/*
 * One line of cases.jsonl, in the full form or in the flat one, where what is expected stands beside
 * the request (`expected_mode`, `expected_clarification`, the others by the same names). A case
 * without `now` is asked at the clock's.
 */
enum mneme_status mn_golden_case_parse(struct mn_str line, struct mn_arena *arena,
                                       struct mn_golden_case *ret_case, struct mneme_error *err);

#endif
