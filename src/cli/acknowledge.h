/*
 * acknowledge.h - what a change became, for people or for programs.
 */
#ifndef MN_CLI_ACKNOWLEDGE_H
#define MN_CLI_ACKNOWLEDGE_H

#include "cli/cli.h"

/* supersedes: the id of what was replaced; "" or NULL: nothing. */
int cli_print_receipt(const struct cli_common *common, const char *supersedes,
                      const struct mneme_receipt *receipt);

/* What was drawn from a turn: more than these are drawn as well, but not told. */
#define CLI_DRAWN_MAX 128
struct cli_drawn {
    struct mneme_receipt receipt[CLI_DRAWN_MAX];
    char *content[CLI_DRAWN_MAX];
    int64_t event_time_ms[CLI_DRAWN_MAX], valid_until_ms[CLI_DRAWN_MAX]; /* 0: none */
    char *supersedes[CLI_DRAWN_MAX]; /* NULL: nothing */
    size_t count;
};

/* For mneme_change.drawn; context is the struct cli_drawn. */
void cli_note_drawn(void *context, const struct mneme_memory *memory,
                    const struct mneme_receipt *receipt);
void cli_print_observed(const struct cli_common *common, const struct mneme_receipt *receipt,
                        const struct cli_drawn *drawn);
void cli_drawn_release(struct cli_drawn *drawn);

#endif
