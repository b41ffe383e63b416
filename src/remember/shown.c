/*
 * shown.c - lines of JSON between <turns> and </turns>, and the question behind them.
 */
#include "remember/shown.h"

#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "model/chat.h"
#include "remember/parts.h"
#include "remember/sentence.h"

#define ASKED_MAX 2 /* times for one piece, where the answer is none */

enum mneme_status mn_shown_add(struct mn_shown *shown, size_t turn, const struct mneme_event *event,
                               size_t bytes_max, struct mn_arena *arena, struct mneme_error *err)
{
    const char *text = mn_own_text(arena, event->text);
    size_t bytes = text ? strlen(text) : 0;

    if (!text)
        return mn_fail_memory(err);
    for (size_t at = 0; at < bytes;) {
        size_t end = mn_piece_end(text, bytes, at, bytes_max);
        struct mn_shown_piece *piece = mn_array_add(arena, shown);

        if (!piece)
            return mn_fail_memory(err);
        piece->event = event;
        piece->turn = turn;
        piece->text = mn_arena_copy_n(arena, text + at, end - at);
        if (!piece->text)
            return mn_fail_memory(err);
        at = end;
    }
    return MNEME_OK;
}

static void put_piece(struct mn_buf *out, const struct mn_shown_piece *piece, size_t number)
{
    const struct mneme_event *event = piece->event;
    struct mn_json_writer w = { .out = out };

    mn_json_open(&w, '{');
    mn_json_field_integer(&w, "n", (int64_t)number);
    mn_json_field_text(&w, "role", mn_empty(event->role) ? "user" : event->role);
    if (!mn_empty(event->speaker))
        mn_json_field_text(&w, "speaker", event->speaker);
    mn_json_field_time(&w, "time", event->event_time_ms);
    mn_json_field_text(&w, "text", piece->text);
    mn_json_close(&w, '}');
    mn_buf_char(out, '\n');
}

/* No tag and no special token can stand in it: '<' only ever is inside of JSON texts. */
static void escape(const struct mn_buf *plain, struct mn_buf *out)
{
    for (size_t i = 0; i < plain->bytes; i++) {
        if (plain->at[i] == '<')
            mn_buf_text(out, "\\u003c");
        else
            mn_buf_char(out, plain->at[i]);
    }
    out->failed = out->failed || plain->failed;
}

/* The pieces from `first` on that fit, at least one: *ret_count. */
static enum mneme_status render(const struct mn_shown *shown, size_t first, size_t bytes_max,
                                const char *question, struct mn_buf *out, size_t *ret_count,
                                struct mneme_error *err)
{
    size_t count = 0;

    mn_buf_text(out, "<turns>\n");
    while (first + count < shown->count) {
        MN_BUF_AUTO plain = { 0 };
        MN_BUF_AUTO line = { 0 };

        put_piece(&plain, &shown->item[first + count], count + 1);
        escape(&plain, &line);
        if (line.failed)
            return mn_fail_memory(err);
        if (count && out->bytes + line.bytes > bytes_max)
            break;
        mn_buf_put(out, line.at, line.bytes);
        count++;
    }
    mn_buf_text(out, "</turns>\n");
    mn_buf_text(out, question);
    if (out->failed)
        return mn_fail_memory(err);
    *ret_count = count;
    return MNEME_OK;
}

enum mneme_status mn_shown_ask(struct mn_world *world, const struct mn_prompt *prompt,
                               const struct mn_shown *shown, size_t first, struct mn_arena *arena,
                               size_t *ret_count, struct mn_proposals *ret_proposals,
                               struct mneme_error *err)
{
    struct mn_chat *chat = world->chat;
    struct mn_chat_call call = { .task = prompt->task,
                                 .schema = prompt->schema,
                                 .grammar = prompt->grammar,
                                 .tokens_max = prompt->tokens_max };
    enum mneme_status status = MNEME_CORRUPT;
    MN_BUF_AUTO data = { 0 };

    MN_TRY(render(shown, first, chat->data_bytes_max, prompt->question, &data, ret_count, err));
    call.data = data.at;
    for (int i = 0; i < ASKED_MAX && status == MNEME_CORRUPT; i++) {
        MN_BUF_AUTO answer = { 0 };

        status = chat->ops->answer(chat, &call, &answer, err);
        if (status == MNEME_OK)
            status = mn_proposals_read(answer.at ? answer.at : "", answer.bytes, prompt->kinds,
                                       arena, ret_proposals, err);
    }
    return status;
}
