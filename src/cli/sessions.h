/*
 * sessions.h - the conversations of a user, as their turns in the store tell them.
 */
#ifndef MN_CLI_SESSIONS_H
#define MN_CLI_SESSIONS_H

#include "cli/cli.h"

#include "base/arena.h"

struct cli_session {
    const char *id;
    size_t turns;
    int64_t first_ms, last_ms;
    size_t pending, failed; /* turns to be read; of the command sessions alone */
};
struct cli_sessions {
    struct cli_session *item; /* the latest first */
    size_t count;
    size_t room;
};

enum mneme_status cli_sessions_read(struct mneme *handle, const struct mneme_identity *identity,
                                    struct mn_arena *arena, struct cli_sessions *ret_sessions,
                                    struct mneme_error *err);

#endif
