/*
 * recall_set.h - measuring retrieval alone, on sets of items and questions.
 *
 * Items are lines {user, id, session, time, speaker, text, order}, questions {user, qid, text, ...}.
 * What comes of it is a run file: {"qid": ..., "ids": [best, next, ...]}, for others to score.
 */
#ifndef MN_EVAL_RECALL_SET_H
#define MN_EVAL_RECALL_SET_H

#include <stdio.h>

#include <mneme/retrieve.h>

#include "eval/scratch.h"

struct mn_recall_options {
    struct mn_eval_setup setup;
    const char *items_path;
    const char *queries_path;
    const char *out_path;
    const char *signals_path; /* NULL: not told */
    size_t depth;
    enum mneme_profile profile;
    FILE *progress; /* NULL: none */
};

struct mn_recall_report {
    size_t items;
    size_t events; /* of the items; the others are memories */
    size_t queries;
    size_t unanswered; /* queries for which nothing was found */
    double load_s;
    double ask_s;
};

/*
 * An item that shares its session with others of its user is an event of that session; one that
 * stands alone is a memory, of type event where it has a time, else a fact. Each user is asked only
 * for its own, in mode hybrid, at an instant after its last item, floor and caps off. A memory that
 * was merged into another follows it. The run file is written when all is done.
 *
 * The file of signals has a line for each query, {"qid", "user", "names": [...], "weights": [...],
 * "turns": {id: [...]}}: what ranks the turns found, scaled, each turn that reached ranking.
 */
enum mneme_status mn_recall_run(const struct mn_recall_options *options,
                                struct mn_recall_report *ret_report, struct mneme_error *err);

#endif
