/*
 * topics.h - what a conversation is mainly about. Pure.
 */
#ifndef MN_LIFECYCLE_TOPICS_H
#define MN_LIFECYCLE_TOPICS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#define MN_TOPICS_MAX 3

struct mn_topic {
    const char *name;   /* as it was first said */
    size_t turns;       /* that speak of it */
    size_t first, last; /* of them, by their place among the texts */
};
struct mn_topics {
    struct mn_topic item[MN_TOPICS_MAX];
    size_t count;
};

/*
 * The words, pairs of words, names and runs of Chinese characters that come back in most of the texts,
 * at least in two of them; longer ones before those that stand in them. Texts that are NULL are passed
 * over. Names live in the arena.
 */
enum mneme_status mn_topics_find(const char *const *texts, size_t count, struct mn_arena *arena,
                                 struct mn_topics *ret_topics, struct mneme_error *err);

#endif
