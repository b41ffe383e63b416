/*
 * store_key.h - the key of a store as the caller hands it over, and gone from memory after use.
 */
#ifndef MNEME_CLI_STORE_KEY_H
#define MNEME_CLI_STORE_KEY_H

#include <mneme/error.h>

#include <stddef.h>

#define CLI_KEY_BYTES_MAX 4096   /* of the source; line ends behind the key count here alone */
#define CLI_KEY_COMMAND_MS 30000 /* a command that takes longer is ended */

struct cli_key {
    size_t bytes; /* 0: none */
    char text[CLI_KEY_BYTES_MAX + 1];
};
void cli_key_wipe(struct cli_key *key);
#define CLI_KEY_AUTO __attribute__((cleanup(cli_key_wipe))) struct cli_key

/* Where a key comes from: by options, else by variables of these names; one way at a time. */
struct cli_key_source {
    const char *file_option, *command_option; /* "key-file", for messages */
    const char *file, *command;               /* as given; NULL or "" */
    const char *text_variable, *file_variable, *command_variable;
};

/*
 * Nothing to ask is no key and a success. The command's standard output is the key; what it says to
 * standard error is seen, and neither its output nor the key ever stands in a message.
 *
 * MNEME_INVALID      two sources at once, an empty key, a folder.
 * MNEME_NOT_FOUND    a file that cannot be read.
 * MNEME_LIMIT        more than CLI_KEY_BYTES_MAX bytes.
 * MNEME_UNAVAILABLE  a command that fails, or does not end in CLI_KEY_COMMAND_MS.
 */
enum mneme_status cli_key_get(const struct cli_key_source *source, struct cli_key *ret_key,
                              struct mneme_error *err);

#endif
