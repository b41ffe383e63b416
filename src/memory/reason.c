/*
 * reason.c - the table of reasons, read by index.
 */
#include "memory/reason.h"

#include <stddef.h>

struct reason {
    const char *name;
    const char *words;
    bool leak;
};

static const struct reason REASONS[] = {
#define MN_REASON_ROW(name, text, words, leak) { text, words, leak },
    MN_REASONS(MN_REASON_ROW)
#undef MN_REASON_ROW
};

static const struct reason *reason_at(enum mn_reason reason)
{
    return &REASONS[(size_t)reason < MN_REASON_COUNT ? reason : MN_REASON_NONE];
}

const char *mn_reason_name(enum mn_reason reason)
{
    return reason_at(reason)->name;
}

const char *mn_reason_words(enum mn_reason reason)
{
    return reason_at(reason)->words;
}

bool mn_reason_is_leak(enum mn_reason reason)
{
    return reason_at(reason)->leak;
}
