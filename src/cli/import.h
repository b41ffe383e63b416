/*
 * import.h - readers of what import takes, each giving records one by one.
 */
#ifndef MN_CLI_IMPORT_H
#define MN_CLI_IMPORT_H

#include "cli/cli.h"

#include "base/arena.h"

/* A rule of a Markdown file. */
struct cli_rule_text {
    const char *heading; /* the headings above it, "A / B"; "" */
    const char *text;
    size_t line;         /* in the file, from 1 */
};
struct cli_rule_texts {
    struct cli_rule_text *item;
    size_t count;
    size_t room;
};

/*
 * The rules of AGENTS.md, CLAUDE.md and their like: each list item (with what is nested in it) and each
 * paragraph is one. Headings give the title; code fences, tables, HTML comments and front matter are
 * left out.
 */
enum mneme_status cli_markdown_rules(const char *text, size_t bytes, struct mn_arena *arena,
                                     struct cli_rule_texts *ret_rules, struct mneme_error *err);

#endif
