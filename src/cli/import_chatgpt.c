/*
 * import_chatgpt.c - a conversation of ChatGPT's export.
 *
 * Its messages are a tree: asking again or editing begins a branch. The conversation is the path from
 * current_node up to the root; without one, from the message that was said last. What lies on other
 * branches is counted, not taken: it was taken back.
 */
#include "cli/import.h"

#include <string.h>

#include "base/array.h"
#include "base/err.h"

struct path {
    yyjson_val **item; /* nodes, the last one first */
    size_t count;
};

/* ---- the tree ---- */

static yyjson_val *message_of(yyjson_val *node)
{
    yyjson_val *message = yyjson_obj_get(node, "message");

    return yyjson_is_obj(message) ? message : NULL;
}

/* The message that was said last and was not answered. */
static yyjson_val *last_leaf(yyjson_val *mapping)
{
    yyjson_obj_iter iter = yyjson_obj_iter_with(mapping);
    yyjson_val *key, *leaf = NULL;
    double latest = 0;

    while ((key = yyjson_obj_iter_next(&iter))) {
        yyjson_val *node = yyjson_obj_iter_get_val(key);
        double at = yyjson_get_num(yyjson_obj_get(message_of(node), "create_time"));

        if (!yyjson_arr_size(yyjson_obj_get(node, "children")) && (!leaf || at >= latest)) {
            leaf = node;
            latest = at;
        }
    }
    return leaf;
}

static enum mneme_status find_path(yyjson_val *conversation, struct mn_arena *arena,
                                   struct path *ret_path, struct mneme_error *err)
{
    yyjson_val *mapping = yyjson_obj_get(conversation, "mapping");
    const char *current = yyjson_get_str(yyjson_obj_get(conversation, "current_node"));
    size_t room = yyjson_obj_size(mapping);
    struct cli_tree tree;
    yyjson_val *node;

    if (!yyjson_is_obj(mapping))
        return mn_fail(err, MNEME_INVALID, "mapping: must be an object, not %s",
                       yyjson_get_type_desc(mapping));
    MN_TRY(cli_tree_make(mapping, "", arena, &tree, err));
    ret_path->item = mn_arena_array(arena, yyjson_val *, room + 1);
    if (!ret_path->item)
        return mn_fail_memory(err);
    node = mn_empty(current) ? last_leaf(mapping) : cli_tree_find(&tree, current);
    if (!node && room)
        return mn_fail(err, MNEME_INVALID, "current_node: there is no message %.64s",
                       mn_or_empty(current));
    while (node) {
        const char *parent = yyjson_get_str(yyjson_obj_get(node, "parent"));

        if (ret_path->count == room)
            return mn_fail(err, MNEME_INVALID, "mapping: a message is its own ancestor");
        ret_path->item[ret_path->count++] = node;
        node = mn_empty(parent) ? NULL : cli_tree_find(&tree, parent);
        if (!node && !mn_empty(parent))
            return mn_fail(err, MNEME_INVALID, "parent: there is no message %.64s", parent);
    }
    return MNEME_OK;
}

static size_t count_messages(yyjson_val *mapping)
{
    yyjson_obj_iter iter = yyjson_obj_iter_with(mapping);
    yyjson_val *key;
    size_t count = 0;

    while ((key = yyjson_obj_iter_next(&iter)))
        count += message_of(yyjson_obj_iter_get_val(key)) != NULL;
    return count;
}

/* ---- a message ---- */

/* Parts are texts or objects with one; pictures and sounds are counted. */
static enum mneme_status text_of(struct cli_importing *in, yyjson_val *content, struct mn_buf *out,
                                 struct mneme_error *err)
{
    static const char *const names[] = { "text", "result", "content" };
    yyjson_val *parts = yyjson_obj_get(content, "parts"), *part;
    yyjson_arr_iter iter = yyjson_arr_iter_with(parts);

    while (parts && (part = yyjson_arr_iter_next(&iter))) {
        yyjson_val *text = yyjson_is_str(part) ? part : yyjson_obj_get(part, "text");

        if (!yyjson_is_str(text)) {
            in->left[CLI_LEFT_ATTACHMENT]++;
            continue;
        }
        if (out->bytes && yyjson_get_len(text))
            mn_buf_text(out, "\n\n");
        mn_buf_put(out, yyjson_get_str(text), yyjson_get_len(text));
    }
    for (size_t i = 0; !parts && !out->bytes && i < sizeof names / sizeof *names; i++)
        mn_buf_text(out, yyjson_get_str(yyjson_obj_get(content, names[i])));
    return out->failed ? mn_fail_memory(err) : MNEME_OK;
}

/* What the program kept to itself: thoughts, and messages that it did not show. */
static bool is_hidden(yyjson_val *message)
{
    yyjson_val *type = yyjson_obj_get(yyjson_obj_get(message, "content"), "content_type");
    yyjson_val *metadata = yyjson_obj_get(message, "metadata");

    return yyjson_get_bool(yyjson_obj_get(metadata, "is_visually_hidden_from_conversation")) ||
           yyjson_equals_str(type, "thoughts") || yyjson_equals_str(type, "reasoning_recap") ||
           yyjson_equals_str(type, "user_editable_context") ||
           yyjson_equals_str(type, "model_editable_context");
}

static enum mneme_status read_message(struct cli_importing *in, yyjson_val *message, size_t number,
                                      struct mn_arena *arena, struct cli_chat *chat,
                                      struct mneme_error *err)
{
    yyjson_val *author = yyjson_obj_get(message, "author");
    const char *role = yyjson_get_str(yyjson_obj_get(author, "role"));
    const char *recipient = yyjson_get_str(yyjson_obj_get(message, "recipient"));
    bool calls = !mn_empty(recipient) && strcmp(recipient, "all") != 0;
    struct cli_turn turn = { .number = number };
    MN_BUF_AUTO out = { 0 };

    if (mn_same(role, "system") || is_hidden(message)) {
        in->left[mn_same(role, "system") ? CLI_LEFT_SYSTEM : CLI_LEFT_HIDDEN]++;
        return MNEME_OK;
    }
    turn.role = mn_same(role, "user")        ? "user"
                : mn_same(role, "assistant") ? (calls ? "tool_call" : "assistant")
                : mn_same(role, "tool")      ? "tool_result"
                                             : NULL;
    if (!turn.role)
        return mn_fail(err, MNEME_INVALID, "author.role: '%.40s' is none of system, user, assistant, "
                       "tool", mn_or_empty(role));
    if (!yyjson_is_obj(yyjson_obj_get(message, "content")))
        return mn_fail(err, MNEME_INVALID, "content: must be an object");
    turn.speaker = calls ? mn_arena_copy(arena, recipient) : cli_json_text(author, "name", arena);
    turn.own_id = cli_json_text(message, "id", arena);
    if (!turn.speaker || !turn.own_id)
        return mn_fail_memory(err);
    MN_TRY(cli_json_when(message, "create_time", &turn.at_ms, err));
    MN_TRY(text_of(in, yyjson_obj_get(message, "content"), &out, err));
    turn.text = (struct mn_str){ out.at, out.bytes };
    return cli_chat_add(in, chat, arena, &turn, err);
}

enum mneme_status cli_read_chatgpt(struct cli_importing *in, const struct cli_stream *s,
                                   yyjson_val *conversation, struct mn_arena *arena,
                                   struct cli_chat *chat, struct mneme_error *err)
{
    static const char *const names[] = { "conversation_id", "id" };
    struct path path = { 0 };
    size_t on_path = 0;

    MN_TRY(find_path(conversation, arena, &path, err));
    for (size_t i = 0; i < sizeof names / sizeof *names && mn_empty(chat->session); i++)
        chat->session = cli_json_text(conversation, names[i], arena);
    chat->title = cli_json_text(conversation, "title", arena);
    if (!chat->session || !chat->title)
        return mn_fail_memory(err);
    MN_TRY(cli_json_when(conversation, "create_time", &chat->at_ms, err));
    for (size_t i = path.count; i-- > 0;) {
        yyjson_val *message = message_of(path.item[i]);
        char where[40];

        if (!message)
            continue;
        snprintf(where, sizeof where, "message %zu", ++on_path);
        enum mneme_status status = read_message(in, message, on_path, arena, chat, err);
        if (status == MNEME_INVALID)
            cli_import_leave(in, CLI_LEFT_MALFORMED, s, where, err->message);
        else if (status != MNEME_OK)
            return status;
    }
    in->left[CLI_LEFT_BRANCH] +=
        count_messages(yyjson_obj_get(conversation, "mapping")) - on_path;
    return MNEME_OK;
}
