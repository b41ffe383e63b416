/*
 * import.h - what the parts of import share: the call, the stream of a file, its readers.
 *
 * Rows that are mneme's own (JSON Lines, rules of Markdown) are gathered over all files and committed
 * as a whole. What another program exported goes in item by item: it may be large, and an item that
 * cannot be read is named, counted, and keeps out nothing else.
 */
#ifndef MN_CLI_IMPORT_H
#define MN_CLI_IMPORT_H

#include <stdio.h>

#include "cli/cli.h"

#include "base/arena.h"
#include "base/json.h"
#include "base/str.h"

/* What is held of mneme's own rows until they are committed; one more is MNEME_LIMIT. */
#define CLI_LINES_BYTES_MAX ((size_t)1 << 30)
#define CLI_LINES_MAX ((size_t)4000000) /* of one file, empty ones counted */
/* Of an export only one item is held at a time: a conversation, a message, a memory. */
#define CLI_ITEM_BYTES_MAX ((size_t)64 << 20)

enum cli_format {
    CLI_AUTO,
    CLI_JSONL,
    CLI_MARKDOWN,
    CLI_DOCUMENT,      /* Markdown whose paragraphs tell, and bind nobody */
    CLI_OPENAI,        /* messages with role and content */
    CLI_CHATGPT,       /* conversations with a tree of messages */
    CLI_CLAUDE,        /* conversations with chat_messages */
    CLI_MEMORY_SERVER, /* lines of entities and relations */
    CLI_MEM0           /* memories with id, memory, user_id, metadata */
};

/* Why something of an export was not taken. */
enum cli_left {
    CLI_LEFT_MALFORMED, /* named */
    CLI_LEFT_REFUSED,   /* named: a secret, a wrong character */
    CLI_LEFT_SYSTEM,
    CLI_LEFT_HIDDEN,    /* thoughts, and what its program did not show */
    CLI_LEFT_BRANCH,    /* of a conversation that went on elsewhere */
    CLI_LEFT_ATTACHMENT,
    CLI_LEFT_EMPTY,
    CLI_LEFT_COUNT
};

/* A row of mneme's own, waiting for its commit. */
struct cli_line {
    const char *path;
    struct mneme_parsed *parsed;
    struct mneme_record record;
    size_t number; /* in the file, from 1 */
    size_t bytes;
    bool said;     /* a statement, to be remembered as any */
    bool repeated; /* a row that stands in the call already */
};

/* Texts, each with what is known of it: import_names.c. */
struct cli_name {
    const char *text; /* NULL: free */
    const char *id;   /* of the memory that came of it */
    size_t count;     /* how often it came */
};
struct cli_names {
    struct mn_arena *arena;
    struct cli_name *slot;
    size_t room, count;
};
/* NULL: it was not added. */
const struct cli_name *cli_names_find(const struct cli_names *names, const char *text);
/* The text, which must stay, as it stands there or anew; until the next one. NULL: out of memory. */
struct cli_name *cli_names_add(struct cli_names *names, const char *text);

struct cli_importing {
    struct mneme *handle;
    const struct cli_common *common;
    struct mneme_change change;
    struct mneme_memory defaults; /* tenant, user, agent for what names none */
    const char *session;          /* of a list of messages; "" */
    const char *repo;             /* of Markdown rules */
    bool document; /* the file at hand tells, and binds nobody */
    bool owner_given;             /* the user stands on the command line */
    bool session_used;
    const char *path;             /* of the file being read */
    const char *source;           /* what its rules call it */

    struct mn_arena *arena;
    struct {
        struct cli_line *item;
        size_t count;
        size_t room;
    } lines;
    size_t held_bytes;
    struct cli_names made; /* ids of import_rows.c, and how often each */
    bool as_rows; /* what brings no id is no statement either */

    size_t inserted, updated, unchanged, deprecated; /* of mneme's own rows */
    size_t taken, there, drawn;                      /* of exports */
    size_t left[CLI_LEFT_COUNT];
};

/* ---- a file, as it comes ---- */

struct cli_stream {
    FILE *file;
    const char *path;
    struct mn_buf held; /* read and not yet used; from the first byte while `keeping` */
    size_t at;
    bool keeping;
    size_t line;  /* where the reader stands, from 1 */
    size_t list;  /* which list of the file's top level; 0: none has begun */
    bool in_list;
    size_t item;  /* how many items were given */
    struct mn_buf text; /* of the last item */
    size_t item_line;   /* where it began */
};

enum mneme_status cli_stream_open(struct cli_stream *s, const char *path, struct mneme_error *err);
void cli_stream_close(struct cli_stream *s); /* also one that was never opened */
/* The next byte without using it up; -1 at the end or when reading fails (cli_stream_check). */
int cli_stream_peek(struct cli_stream *s);
void cli_stream_next(struct cli_stream *s);
enum mneme_status cli_stream_check(struct cli_stream *s, struct mneme_error *err);
/* Past the mark that some editors put before a text. */
void cli_stream_skip_mark(struct cli_stream *s);
/* Back to the first byte; possible while `keeping`, and ends it. */
void cli_stream_rewind(struct cli_stream *s);

/*
 * The next item: an element of a list at the top level, or a value of its own. It lies in s->text until
 * the next one, with U+FFFD for a NUL that is escaped. *ret_found: false at the end.
 *
 * MNEME_INVALID  no JSON from here on; nothing more can be read.
 * MNEME_LIMIT    an item of more than CLI_ITEM_BYTES_MAX.
 */
enum mneme_status cli_stream_item(struct cli_stream *s, bool *ret_found, struct mneme_error *err);
/* The same for a line, without its end, of at most MNEME_LINE_BYTES_MAX. */
enum mneme_status cli_stream_line(struct cli_stream *s, bool *ret_found, struct mneme_error *err);

/* What the stream holds, by its first item; MNEME_INVALID says what was seen instead. The stream stands
 * at its first byte again. */
enum mneme_status cli_format_see(struct cli_stream *s, enum cli_format *ret_format,
                                 struct mneme_error *err);
/* CLI_AUTO for NULL and "auto". MNEME_INVALID names them all. */
enum mneme_status cli_format_of(const char *name, enum cli_format *ret_format,
                                struct mneme_error *err);
const char *cli_format_name(enum cli_format format);

/* ---- mneme's own rows ---- */

/* An id made of what the row says, so that the same row is found again. In the arena. */
enum mneme_status cli_import_id(struct mn_arena *arena, const char *prefix,
                                const char *const *parts, size_t count, const char **ret_id,
                                struct mneme_error *err);
/* ...of what a memory says, and whose it is. */
enum mneme_status cli_import_name(struct mn_arena *arena, const char *prefix,
                                  const struct mneme_memory *memory, const char **ret_id,
                                  struct mneme_error *err);
/* Counts and acknowledges it. */
void cli_import_count(struct cli_importing *in, const struct mneme_receipt *receipt);
/* What an error adds when rows before it are in the store already. */
const char *cli_import_stayed(struct cli_importing *in, size_t count);
/* Remembers the statements among the lines (import_said.c); before that, could it? */
enum mneme_status cli_import_said_check(struct cli_importing *in, struct mneme_error *err);
enum mneme_status cli_import_said(struct cli_importing *in, struct mneme_error *err);
/* The line is the importing's from now on, also when this fails. */
enum mneme_status cli_import_add(struct cli_importing *in, struct mneme_parsed *parsed,
                                 size_t number, size_t bytes, struct mneme_error *err);
/* Was a row of this id gathered? */
bool cli_import_gathered(const struct cli_importing *in, const char *id);
enum mneme_status cli_import_commit(struct cli_importing *in, struct mneme_error *err);
void cli_import_release(struct cli_importing *in);

enum mneme_status cli_import_lines(struct cli_importing *in, struct cli_stream *s,
                                   struct mneme_error *err);
/* Rules of a Markdown file, or the points that a document makes (in->document); and, after the
 * commit, the end of those that left it. */
enum mneme_status cli_import_rules(struct cli_importing *in, struct mneme_error *err);
enum mneme_status cli_import_leaving(struct cli_importing *in, struct mneme_error *err);
/* The file as its repository knows it; in the arena, NULL when that is full. */
const char *cli_import_source(const char *path, struct mn_arena *arena);

/* ---- exports of other programs ---- */

/* Reads the stream to its end. What cannot be taken is named on standard error and counted. */
enum mneme_status cli_import_chats(struct cli_importing *in, enum cli_format format,
                                   struct cli_stream *s, struct mneme_error *err);
enum mneme_status cli_import_facts(struct cli_importing *in, enum cli_format format,
                                   struct cli_stream *s, struct mneme_error *err);

void cli_import_acknowledge(const struct cli_importing *in, const struct mneme_receipt *receipt);
/* Names what is left on standard error and counts it; `where` is within the item, "" for all of it. */
void cli_import_leave(struct cli_importing *in, enum cli_left why, const struct cli_stream *s,
                      const char *where, const char *message);

/* Sources of memories that are in the store: import_known.c. */
struct cli_known {
    struct mneme *handle;
    const char *program;
    struct cli_names sources; /* with whose they are */
    bool failed;
};
enum mneme_status cli_known_init(struct cli_known *known, struct mneme *handle,
                                 enum cli_format format, struct mneme_error *err);
void cli_known_release(struct cli_known *known);
/* *ret_id: the memory that came of it; NULL: none did. */
enum mneme_status cli_known_find(struct cli_known *known, const char *tenant, const char *owner,
                                 const char *source, const char **ret_id, struct mneme_error *err);
enum mneme_status cli_known_add(struct cli_known *known, const char *tenant, const char *owner,
                                const char *source, const char *id, struct mneme_error *err);

/* One turn of a conversation; texts lie in the conversation's arena. */
struct cli_turn {
    const char *role; /* of mneme's events */
    const char *speaker;
    struct mn_str text;
    int64_t at_ms; /* 0: undated */
    const char *own_id; /* "": none */
    size_t number; /* of its message, from 1 */
};
struct cli_chat {
    const char *session;
    const char *title;
    const char *program; /* "chatgpt" ... */
    int64_t at_ms;       /* for turns before the first that has a time; 0: undated */
    struct {
        struct cli_turn *item;
        size_t count;
        size_t room;
    } turns;
};
/* A turn more, its text (copied) without white space around it; one of nothing else is left. */
enum mneme_status cli_chat_add(struct cli_importing *in, struct cli_chat *chat,
                               struct mn_arena *arena, const struct cli_turn *turn,
                               struct mneme_error *err);

/* ---- readers of one item ---- */

/* Messages with role and content: an object with a list of them, or one alone. */
enum mneme_status cli_read_messages(struct cli_importing *in, const struct cli_stream *s,
                                    yyjson_val *item, struct mn_arena *arena,
                                    struct cli_chat *chat, struct mneme_error *err);
enum mneme_status cli_read_chatgpt(struct cli_importing *in, const struct cli_stream *s,
                                   yyjson_val *conversation, struct mn_arena *arena,
                                   struct cli_chat *chat, struct mneme_error *err);
enum mneme_status cli_read_claude(struct cli_importing *in, const struct cli_stream *s,
                                  yyjson_val *conversation, struct mn_arena *arena,
                                  struct cli_chat *chat, struct mneme_error *err);

/* The messages of a conversation by their ids: members of an object, or items of a list that have a text
 * named id_name. */
struct cli_node {
    const char *id;
    yyjson_val *message;
    size_t place;
};
struct cli_tree {
    struct cli_node *item;
    size_t count;
};
enum mneme_status cli_tree_make(yyjson_val *messages, const char *id_name, struct mn_arena *arena,
                                struct cli_tree *ret_tree, struct mneme_error *err);
/* NULL: none has it. */
yyjson_val *cli_tree_find(const struct cli_tree *tree, const char *id);

/* A text of the object, copied; "" when it is absent or no text. NULL when the arena is full. */
const char *cli_json_text(yyjson_val *object, const char *name, struct mn_arena *arena);
/* An instant as exports write it: RFC 3339 or what people write, or seconds or milliseconds since 1970.
 * 0 when absent; MNEME_INVALID when it cannot be read. */
enum mneme_status cli_json_when(yyjson_val *object, const char *name, int64_t *ret_ms,
                                struct mneme_error *err);

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
