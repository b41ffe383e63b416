/*
 * import_messages.c - messages with a role and a content, as the OpenAI calls take and give them.
 *
 * A content is a text or a list of parts; what a message calls becomes tool calls, what a tool answered
 * its results. System prompts are the program's, not something that was said, and stay out. The input
 * and output items of the newer call (function_call, function_call_output) are read as well.
 */
#include "cli/import.h"

#include <string.h>

#include "base/array.h"
#include "base/err.h"

/* ---- fields, as exports spell them ---- */

const char *cli_json_text(yyjson_val *object, const char *name, struct mn_arena *arena)
{
    return mn_arena_copy(arena, yyjson_get_str(yyjson_obj_get(object, name)));
}

enum mneme_status cli_json_when(yyjson_val *object, const char *name, int64_t *ret_ms,
                                struct mneme_error *err)
{
    yyjson_val *value = yyjson_obj_get(object, name);
    struct mneme_error why;
    int64_t at_ms = 0;

    if (yyjson_is_num(value)) {
        double number = yyjson_get_num(value);
        double ms = number < 1e11 ? number * 1000.0 : number; /* seconds, until the year 5138 */

        if (!(ms >= 0 && ms < 253402300800000.0))
            return mn_fail(err, MNEME_INVALID, "%s: is outside the years 1970 to 9999", name);
        at_ms = (int64_t)(ms + 0.5);
    } else if (yyjson_get_len(value) && yyjson_is_str(value)) {
        if (mneme_time_parse_spelled(yyjson_get_str(value), &at_ms, &why) != MNEME_OK)
            return mn_fail(err, MNEME_INVALID, "%s: '%.40s' is no time", name, yyjson_get_str(value));
    } else if (value && !yyjson_is_null(value) && !yyjson_is_str(value)) {
        return mn_fail(err, MNEME_INVALID, "%s: must be a time, not %s", name,
                       yyjson_get_type_desc(value));
    }
    *ret_ms = at_ms;
    return MNEME_OK;
}

/* ---- one message ---- */

static enum mneme_status when_said(yyjson_val *message, int64_t *ret_ms, struct mneme_error *err)
{
    static const char *const names[] = { "created_at", "timestamp", "create_time", "created", "time" };

    *ret_ms = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && !*ret_ms; i++)
        MN_TRY(cli_json_when(message, names[i], ret_ms, err));
    return MNEME_OK;
}

/* Texts of the parts, a line apart; the other parts are counted. */
static void join_parts(struct cli_importing *in, yyjson_val *parts, struct mn_buf *out)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(parts);
    yyjson_val *part;

    while ((part = yyjson_arr_iter_next(&iter))) {
        yyjson_val *text = yyjson_is_str(part) ? part : yyjson_obj_get(part, "text");

        if (!text)
            text = yyjson_obj_get(part, "refusal");
        if (!yyjson_is_str(text)) {
            in->left[CLI_LEFT_ATTACHMENT]++;
            continue;
        }
        if (out->bytes)
            mn_buf_text(out, "\n\n");
        mn_buf_put(out, yyjson_get_str(text), yyjson_get_len(text));
    }
}

static enum mneme_status content_of(struct cli_importing *in, yyjson_val *content,
                                    struct mn_buf *out, struct mneme_error *err)
{
    if (yyjson_is_str(content))
        mn_buf_put(out, yyjson_get_str(content), yyjson_get_len(content));
    else if (yyjson_is_arr(content))
        join_parts(in, content, out);
    else if (content && !yyjson_is_null(content))
        return mn_fail(err, MNEME_INVALID, "content: must be a text or a list of parts, not %s",
                       yyjson_get_type_desc(content));
    return out->failed ? mn_fail_memory(err) : MNEME_OK;
}

/* "name(arguments)"; arguments are a text or an object. */
static enum mneme_status add_call(struct cli_importing *in, yyjson_val *function,
                                  struct cli_chat *chat, struct mn_arena *arena,
                                  struct cli_turn turn, struct mneme_error *err)
{
    const char *name = yyjson_get_str(yyjson_obj_get(function, "name"));
    yyjson_val *arguments = yyjson_obj_get(function, "arguments");
    MN_BUF_AUTO out = { 0 };

    if (!name)
        return mn_fail(err, MNEME_INVALID, "tool_calls: a call without a name");
    mn_buf_printf(&out, "%s(", name);
    if (yyjson_is_str(arguments)) {
        mn_buf_put(&out, yyjson_get_str(arguments), yyjson_get_len(arguments));
    } else if (yyjson_is_ctn(arguments)) {
        char *json = yyjson_val_write(arguments, 0, NULL);

        mn_buf_text(&out, json);
        out.failed = out.failed || !json;
        free(json);
    }
    mn_buf_text(&out, ")");
    if (out.failed)
        return mn_fail_memory(err);
    turn.role = "tool_call";
    turn.text = (struct mn_str){ out.at, out.bytes };
    return cli_chat_add(in, chat, arena, &turn, err);
}

static enum mneme_status add_calls(struct cli_importing *in, yyjson_val *message,
                                   struct cli_chat *chat, struct mn_arena *arena,
                                   const struct cli_turn *turn, struct mneme_error *err)
{
    yyjson_val *calls = yyjson_obj_get(message, "tool_calls"), *call;
    yyjson_val *former = yyjson_obj_get(message, "function_call");
    yyjson_arr_iter iter = yyjson_arr_iter_with(calls);

    while (calls && (call = yyjson_arr_iter_next(&iter)))
        MN_TRY(add_call(in, yyjson_obj_get(call, "function"), chat, arena, *turn, err));
    return yyjson_is_obj(former) ? add_call(in, former, chat, arena, *turn, err) : MNEME_OK;
}

static const char *role_of(const char *role)
{
    static const char *const pairs[][2] = {
        { "user", "user" },          { "human", "user" },          { "assistant", "assistant" },
        { "ai", "assistant" },       { "model", "assistant" },     { "tool", "tool_result" },
        { "function", "tool_result" }, { "tool_call", "tool_call" }, { "tool_result", "tool_result" },
        { "system", "" },            { "developer", "" },
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (mn_same(role, pairs[i][0]))
            return pairs[i][1];
    return NULL;
}

/* Items of the newer call that are no messages. *ret_done: it was one. */
static enum mneme_status read_item(struct cli_importing *in, yyjson_val *item,
                                   struct cli_chat *chat, struct mn_arena *arena,
                                   struct cli_turn *turn, bool *ret_done, struct mneme_error *err)
{
    yyjson_val *type = yyjson_obj_get(item, "type");
    MN_BUF_AUTO out = { 0 };

    *ret_done = true;
    if (yyjson_equals_str(type, "function_call"))
        return add_call(in, item, chat, arena, *turn, err);
    if (yyjson_equals_str(type, "reasoning")) {
        in->left[CLI_LEFT_HIDDEN]++;
        return MNEME_OK;
    }
    *ret_done = yyjson_equals_str(type, "function_call_output");
    if (!*ret_done)
        return MNEME_OK;
    MN_TRY(content_of(in, yyjson_obj_get(item, "output"), &out, err));
    turn->role = "tool_result";
    turn->text = (struct mn_str){ out.at, out.bytes };
    return cli_chat_add(in, chat, arena, turn, err);
}

static enum mneme_status read_message(struct cli_importing *in, yyjson_val *message, size_t number,
                                      struct mn_arena *arena, struct cli_chat *chat,
                                      struct mneme_error *err)
{
    struct cli_turn turn = { .number = number };
    MN_BUF_AUTO out = { 0 };
    bool done = false;

    if (!yyjson_is_obj(message))
        return mn_fail(err, MNEME_INVALID, "a message must be an object, not %s",
                       yyjson_get_type_desc(message));
    turn.speaker = cli_json_text(message, "name", arena);
    turn.own_id = ""; /* a call's ids are not those of its messages */
    if (!turn.speaker)
        return mn_fail_memory(err);
    MN_TRY(when_said(message, &turn.at_ms, err));
    MN_TRY(read_item(in, message, chat, arena, &turn, &done, err));
    if (done)
        return MNEME_OK;
    const char *role = yyjson_get_str(yyjson_obj_get(message, "role"));
    turn.role = role_of(role);
    if (!turn.role)
        return mn_fail(err, MNEME_INVALID, "role: '%.40s' is none of system, developer, user, "
                       "assistant, tool, function", mn_or_empty(role));
    if (!*turn.role) {
        in->left[CLI_LEFT_SYSTEM]++;
        return MNEME_OK;
    }
    MN_TRY(content_of(in, yyjson_obj_get(message, "content"), &out, err));
    turn.text = (struct mn_str){ out.at, out.bytes };
    size_t before = chat->turns.count;
    if (out.bytes)
        MN_TRY(cli_chat_add(in, chat, arena, &turn, err));
    MN_TRY(add_calls(in, message, chat, arena, &turn, err));
    in->left[CLI_LEFT_EMPTY] += chat->turns.count == before && !out.bytes;
    return MNEME_OK;
}

enum mneme_status cli_read_messages(struct cli_importing *in, const struct cli_stream *s,
                                    yyjson_val *item, struct mn_arena *arena,
                                    struct cli_chat *chat, struct mneme_error *err)
{
    static const char *const names[] = { "session_id", "conversation_id", "thread_id", "id" };
    yyjson_val *messages = yyjson_obj_get(item, "messages"), *message;
    yyjson_arr_iter iter = yyjson_arr_iter_with(messages);
    size_t number = 0;

    if (!yyjson_is_arr(messages))
        return read_message(in, item, s->item, arena, chat, err);
    for (size_t i = 0; i < sizeof names / sizeof *names && mn_empty(chat->session); i++)
        if (!(chat->session = cli_json_text(item, names[i], arena)))
            return mn_fail_memory(err);
    chat->title = cli_json_text(item, "title", arena);
    if (!chat->title)
        return mn_fail_memory(err);
    MN_TRY(when_said(item, &chat->at_ms, err));
    while ((message = yyjson_arr_iter_next(&iter))) {
        char where[40];

        snprintf(where, sizeof where, "message %zu", ++number);
        enum mneme_status status = read_message(in, message, number, arena, chat, err);
        if (status == MNEME_INVALID)
            cli_import_leave(in, CLI_LEFT_MALFORMED, s, where, err->message);
        else if (status != MNEME_OK)
            return status;
    }
    return MNEME_OK;
}
