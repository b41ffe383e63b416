/*
 * mention.h - what a text names: identifiers, versions, codes, quoted strings, proper names.
 *
 * Pure. Used by the plan (entities of a request) and by the comparison of texts.
 */
#ifndef MN_TEXT_MENTION_H
#define MN_TEXT_MENTION_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

enum mn_mention_kind {
    MN_MENTION_IDENTIFIER = 1, /* db-config.json, createdByAgent, ERR_4041, src/main.c */
    MN_MENTION_VERSION,        /* 3.1.2 */
    MN_MENTION_NUMBER,
    MN_MENTION_QUOTED,
    MN_MENTION_NAME /* a capitalised word not at the head of a sentence, an acronym */
};

struct mn_mention {
    enum mn_mention_kind kind;
    struct mn_str text; /* in the given text */
};
struct mn_mentions {
    struct mn_mention *item;
    size_t count;
    size_t room;
};

/* In the order of the text. `text` keeps its case. */
enum mneme_status mn_mention_find(struct mn_arena *arena, const char *text,
                                  struct mn_mentions *mentions, struct mneme_error *err);

#endif
