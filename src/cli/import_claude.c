/*
 * import_claude.c - a conversation of Claude's export.
 *
 * Messages stand in their order, each with a sender and a list of parts; older exports have the text
 * alone. Where the export names the last message and each message its parent, those on other branches
 * are counted, not taken. Calls of tools and their results are turns of their own; thoughts, and the
 * texts of files that were attached, stay out: documents are not memories.
 */
#include "cli/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"

/* ---- branches ---- */

/* The messages from the root to the one that was last; all of them where none is named. */
static enum mneme_status find_path(yyjson_val *conversation, struct mn_arena *arena,
                                   yyjson_val ***ret_item, size_t *ret_count,
                                   struct mneme_error *err)
{
    yyjson_val *messages = yyjson_obj_get(conversation, "chat_messages"), *message;
    const char *leaf = yyjson_get_str(yyjson_obj_get(conversation, "current_leaf_message_uuid"));
    size_t room = yyjson_arr_size(messages), at = room;
    yyjson_arr_iter iter = yyjson_arr_iter_with(messages);
    yyjson_val **item = mn_arena_array(arena, yyjson_val *, room + 1);
    struct cli_tree tree;

    if (!yyjson_is_arr(messages))
        return mn_fail(err, MNEME_INVALID, "chat_messages: must be a list, not %s",
                       yyjson_get_type_desc(messages));
    if (!item)
        return mn_fail_memory(err);
    MN_TRY(cli_tree_make(messages, "uuid", arena, &tree, err));
    message = mn_empty(leaf) ? NULL : cli_tree_find(&tree, leaf);
    for (; message && at > 0; message = cli_tree_find(&tree, mn_or_empty(leaf))) {
        item[--at] = message;
        leaf = yyjson_get_str(yyjson_obj_get(message, "parent_message_uuid"));
    }
    if (message)
        return mn_fail(err, MNEME_INVALID, "chat_messages: a message is its own ancestor");
    if (at == room)
        while ((message = yyjson_arr_iter_next(&iter)))
            item[room - at--] = message;
    else
        item += at;
    *ret_item = item;
    *ret_count = room - at;
    return MNEME_OK;
}

/* ---- a message ---- */

static void result_text(struct cli_importing *in, yyjson_val *content, struct mn_buf *out)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(content);
    yyjson_val *part;

    mn_buf_text(out, yyjson_get_str(content));
    while (yyjson_is_arr(content) && (part = yyjson_arr_iter_next(&iter))) {
        const char *text = yyjson_get_str(yyjson_obj_get(part, "text"));

        in->left[CLI_LEFT_ATTACHMENT] += !text;
        if (text && out->bytes)
            mn_buf_text(out, "\n\n");
        mn_buf_text(out, text);
    }
}

/* A call or a result. *ret_done: the part was one. */
static enum mneme_status read_tool(struct cli_importing *in, yyjson_val *part,
                                   struct cli_chat *chat, struct mn_arena *arena,
                                   struct cli_turn turn, bool *ret_done, struct mneme_error *err)
{
    yyjson_val *type = yyjson_obj_get(part, "type");
    const char *name = mn_json_text_of(part, "name");
    bool call = yyjson_equals_str(type, "tool_use");
    MN_BUF_AUTO out = { 0 };

    *ret_done = call || yyjson_equals_str(type, "tool_result");
    if (!*ret_done)
        return MNEME_OK;
    if (call) {
        char *json = yyjson_val_write(yyjson_obj_get(part, "input"), 0, NULL);

        mn_buf_printf(&out, "%s(%s)", name, mn_or_empty(json));
        free(json);
    } else {
        result_text(in, yyjson_obj_get(part, "content"), &out);
    }
    turn.role = call ? "tool_call" : "tool_result";
    turn.speaker = mn_arena_copy(arena, call ? "" : name);
    turn.text = (struct mn_str){ out.at, out.bytes };
    if (out.failed || !turn.speaker)
        return mn_fail_memory(err);
    return cli_chat_add(in, chat, arena, &turn, err);
}

/* What was said so far in one message, before a tool is called. */
static enum mneme_status end_text(struct cli_importing *in, struct cli_chat *chat,
                                  struct mn_arena *arena, struct cli_turn *turn, struct mn_buf *out,
                                  struct mneme_error *err)
{
    if (out->failed)
        return mn_fail_memory(err);
    turn->text = (struct mn_str){ out->at, out->bytes };
    if (out->bytes)
        MN_TRY(cli_chat_add(in, chat, arena, turn, err));
    mn_buf_reset(out);
    return MNEME_OK;
}

static enum mneme_status read_parts(struct cli_importing *in, yyjson_val *message,
                                    struct cli_chat *chat, struct mn_arena *arena,
                                    struct cli_turn *turn, struct mneme_error *err)
{
    yyjson_val *parts = yyjson_obj_get(message, "content"), *part;
    yyjson_arr_iter iter = yyjson_arr_iter_with(parts);
    size_t before = chat->turns.count;
    MN_BUF_AUTO out = { 0 };

    while (yyjson_is_arr(parts) && (part = yyjson_arr_iter_next(&iter))) {
        yyjson_val *text = yyjson_obj_get(part, "text");
        bool done = false;

        if (yyjson_equals_str(yyjson_obj_get(part, "type"), "thinking")) {
            in->left[CLI_LEFT_HIDDEN]++;
            continue;
        }
        if (yyjson_is_str(text) && out.bytes)
            mn_buf_text(&out, "\n\n");
        mn_buf_text(&out, yyjson_get_str(text));
        if (yyjson_is_str(text))
            continue;
        MN_TRY(end_text(in, chat, arena, turn, &out, err));
        MN_TRY(read_tool(in, part, chat, arena, *turn, &done, err));
        in->left[CLI_LEFT_ATTACHMENT] += !done;
    }
    if (!out.bytes && chat->turns.count == before)
        mn_buf_text(&out, yyjson_get_str(yyjson_obj_get(message, "text")));
    MN_TRY(end_text(in, chat, arena, turn, &out, err));
    in->left[CLI_LEFT_EMPTY] += chat->turns.count == before;
    return MNEME_OK;
}

static enum mneme_status read_message(struct cli_importing *in, yyjson_val *message, size_t number,
                                      struct mn_arena *arena, struct cli_chat *chat,
                                      struct mneme_error *err)
{
    const char *sender = yyjson_get_str(yyjson_obj_get(message, "sender"));
    struct cli_turn turn = { .number = number, .speaker = "" };

    if (!yyjson_is_obj(message))
        return mn_fail(err, MNEME_INVALID, "a message must be an object, not %s",
                       yyjson_get_type_desc(message));
    turn.role = mn_same(sender, "human") || mn_same(sender, "user") ? "user"
                : mn_same(sender, "assistant")                      ? "assistant"
                                                                    : NULL;
    if (!turn.role)
        return mn_fail(err, MNEME_INVALID, "sender: '%.40s' is neither human nor assistant",
                       mn_or_empty(sender));
    turn.own_id = cli_json_text(message, "uuid", arena);
    if (!turn.own_id)
        return mn_fail_memory(err);
    MN_TRY(cli_json_when(message, "created_at", &turn.at_ms, err));
    in->left[CLI_LEFT_ATTACHMENT] += yyjson_arr_size(yyjson_obj_get(message, "attachments")) +
                                     yyjson_arr_size(yyjson_obj_get(message, "files"));
    return read_parts(in, message, chat, arena, &turn, err);
}

enum mneme_status cli_read_claude(struct cli_importing *in, const struct cli_stream *s,
                                  yyjson_val *conversation, struct mn_arena *arena,
                                  struct cli_chat *chat, struct mneme_error *err)
{
    yyjson_val **item = NULL;
    size_t count = 0;

    MN_TRY(find_path(conversation, arena, &item, &count, err));
    in->left[CLI_LEFT_BRANCH] +=
        yyjson_arr_size(yyjson_obj_get(conversation, "chat_messages")) - count;
    chat->session = cli_json_text(conversation, "uuid", arena);
    chat->title = cli_json_text(conversation, "name", arena);
    if (!chat->session || !chat->title)
        return mn_fail_memory(err);
    MN_TRY(cli_json_when(conversation, "created_at", &chat->at_ms, err));
    for (size_t i = 0; i < count; i++) {
        char where[40];

        snprintf(where, sizeof where, "message %zu", i + 1);
        enum mneme_status status = read_message(in, item[i], i + 1, arena, chat, err);
        if (status == MNEME_INVALID)
            cli_import_leave(in, CLI_LEFT_MALFORMED, s, where, err->message);
        else if (status != MNEME_OK)
            return status;
    }
    return MNEME_OK;
}
