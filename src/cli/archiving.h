/*
 * archiving.h - where the archive is, as the options and the environment say it.
 */
#ifndef MN_CLI_ARCHIVING_H
#define MN_CLI_ARCHIVING_H

#include "cli/cli.h"

/* The fields of mneme_options about the archive. Keys come from the environment alone. */
enum mneme_status cli_archive_options(const struct cli_common *common,
                                      struct mneme_options *options, struct mneme_error *err);

#endif
