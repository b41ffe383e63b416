/*
 * import_chat.c - conversations of other programs become events of sessions.
 *
 * Each reader makes turns of its own kind of conversation; here they are observed, with the times they
 * had, and memories are drawn from them as from any turn. An event's id is made of whose it is, its
 * session, its own id or place, and its words: what was imported once is there, and adds nothing and
 * draws nothing again. A turn too long for an event is cut into several at its line ends. What the
 * store refuses (a secret) is left alone, not the turns around it.
 *
 * Messages in one list, one after another, are one conversation; its session is the one that is named,
 * else one made of all they say.
 */
#include "cli/import.h"

#include <string.h>

#include "base/array.h"
#include "base/err.h"

#define EVENTS_AT_ONCE 128
#define BYTES_AT_ONCE ((size_t)2 << 20)
#define PIECE_BYTES ((size_t)60000)
#define CHAT_BYTES_MAX (CLI_ITEM_BYTES_MAX * 8) /* what is noted of one conversation */
#define COUNT_OF(table) (sizeof(table) / sizeof *(table))

/* Events ready to be observed, and the turn each came of. */
struct batch {
    struct mneme_event event[EVENTS_AT_ONCE];
    size_t number[EVENTS_AT_ONCE];
    size_t count;
    size_t bytes;
};

static void note_drawn(void *context, const struct mneme_memory *memory,
                       const struct mneme_receipt *receipt)
{
    struct cli_importing *in = context;

    (void)memory;
    in->drawn++;
    cli_import_acknowledge(in, receipt);
}

static void count(struct cli_importing *in, const struct mneme_receipt *receipt)
{
    if (receipt->outcome == MNEME_UNCHANGED)
        in->there++;
    else
        in->taken++;
    cli_import_acknowledge(in, receipt);
}

/* One turn that the store refuses leaves the others as they are. */
static enum mneme_status observe_apart(struct cli_importing *in, const struct cli_stream *s,
                                       const struct batch *b, const struct mneme_change *change,
                                       struct mneme_error *err)
{
    for (size_t i = 0; i < b->count; i++) {
        struct mneme_receipt receipt;
        enum mneme_status status =
            mneme_observe(in->handle, &b->event[i], 1, change, &receipt, err);
        char where[40];

        snprintf(where, sizeof where, "message %zu", b->number[i]);
        if (status == MNEME_OK)
            count(in, &receipt);
        else if (status == MNEME_INVALID || status == MNEME_LIMIT || status == MNEME_CONFLICT)
            cli_import_leave(in, CLI_LEFT_REFUSED, s, where, err->message);
        else
            return status;
    }
    return MNEME_OK;
}

static enum mneme_status observe(struct cli_importing *in, const struct cli_stream *s,
                                 struct batch *b, struct mneme_error *err)
{
    struct mneme_receipt receipts[EVENTS_AT_ONCE];
    struct mneme_change change = in->change;
    enum mneme_status status;

    change.drawn = note_drawn;
    change.drawn_context = in;
    status = mneme_observe(in->handle, b->event, b->count, &change, receipts, err);
    for (size_t i = 0; status == MNEME_OK && i < b->count; i++)
        count(in, &receipts[i]);
    if (status == MNEME_INVALID || status == MNEME_LIMIT || status == MNEME_CONFLICT)
        status = observe_apart(in, s, b, &change, err);
    b->count = b->bytes = 0;
    fflush(stdout);
    return status;
}

/* ---- turns ---- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

enum mneme_status cli_chat_add(struct cli_importing *in, struct cli_chat *chat,
                               struct mn_arena *arena, const struct cli_turn *turn,
                               struct mneme_error *err)
{
    struct mn_str text = turn->text;

    for (; text.bytes && is_space(text.at[text.bytes - 1]);)
        text.bytes--;
    for (; text.bytes && is_space(*text.at); text.at++)
        text.bytes--;
    if (!text.bytes) {
        in->left[CLI_LEFT_EMPTY]++;
        return MNEME_OK;
    }
    struct cli_turn *added = mn_array_add(arena, &chat->turns);
    if (!added)
        return mn_fail_memory(err);
    *added = *turn;
    added->text = (struct mn_str){ mn_arena_copy_n(arena, text.at, text.bytes), text.bytes };
    return added->text.at ? MNEME_OK : mn_fail_memory(err);
}

/* How much of the text goes into the next event: cut at the end of a line, else of a word. */
static size_t piece_of(struct mn_str text)
{
    if (text.bytes <= PIECE_BYTES)
        return text.bytes;
    for (size_t at = PIECE_BYTES; at > PIECE_BYTES / 2; at--)
        if (text.at[at - 1] == '\n')
            return at;
    for (size_t at = PIECE_BYTES; at > PIECE_BYTES / 2; at--)
        if (text.at[at - 1] == ' ')
            return at;
    return mn_utf8_cut(text.at, text.bytes, PIECE_BYTES);
}

static enum mneme_status attributes_of(const struct cli_chat *chat, struct mn_arena *arena,
                                       const char **ret, struct mneme_error *err)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    mn_json_open(&w, '{');
    mn_json_field_text(&w, "imported_from", chat->program);
    if (!mn_empty(chat->title))
        mn_json_field_text(&w, "title", chat->title);
    mn_json_close(&w, '}');
    *ret = out.failed ? NULL : mn_arena_copy(arena, out.at);
    return *ret ? MNEME_OK : mn_fail_memory(err);
}

static enum mneme_status name_event(const struct cli_turn *turn, size_t piece,
                                    struct mn_arena *arena, struct mneme_event *e,
                                    struct mneme_error *err)
{
    char place[64];

    snprintf(place, sizeof place, "%zu/%zu", mn_empty(turn->own_id) ? turn->number : 0, piece);
    const char *parts[] = { e->tenant_id, e->user_id, e->session_id, turn->own_id,
                            place,        e->role,    e->text };
    return cli_import_id(arena, "evt_import", parts, COUNT_OF(parts), &e->id, err);
}

static enum mneme_status add_event(struct cli_importing *in, const struct cli_stream *s,
                                   struct batch *b, const struct mneme_event *event, size_t number,
                                   struct mneme_error *err)
{
    size_t bytes = strlen(event->text);

    if (b->count == EVENTS_AT_ONCE || (b->count && b->bytes + bytes > BYTES_AT_ONCE))
        MN_TRY(observe(in, s, b, err));
    b->event[b->count] = *event;
    b->number[b->count++] = number;
    b->bytes += bytes;
    return MNEME_OK;
}

/* Of turns before the first that has a time. */
static int64_t first_time(const struct cli_chat *chat)
{
    for (size_t i = 0; i < chat->turns.count && !chat->at_ms; i++)
        if (chat->turns.item[i].at_ms)
            return chat->turns.item[i].at_ms;
    return chat->at_ms;
}

static enum mneme_status observe_chat(struct cli_importing *in, const struct cli_stream *s,
                                      struct cli_chat *chat, struct mn_arena *arena,
                                      struct mneme_error *err)
{
    struct batch *b = mn_arena_one(arena, struct batch);
    const char *attributes = NULL;
    int64_t order = 0, said_ms = first_time(chat);

    if (!b)
        return mn_fail_memory(err);
    MN_TRY(attributes_of(chat, arena, &attributes, err));
    for (size_t i = 0; i < chat->turns.count; i++) {
        const struct cli_turn *turn = &chat->turns.item[i];
        struct mn_str left = turn->text;

        said_ms = turn->at_ms ? turn->at_ms : said_ms; /* an undated turn follows the one before */
        for (size_t piece = 0; left.bytes; piece++) {
            size_t bytes = piece_of(left);
            struct mneme_event event = MNEME_EVENT_INIT;

            event.tenant_id = in->defaults.tenant_id;
            event.user_id = in->defaults.user_id;
            event.agent_id = in->defaults.agent_id;
            event.session_id = chat->session;
            event.role = turn->role;
            event.speaker = turn->speaker;
            event.text = mn_arena_copy_n(arena, left.at, bytes);
            event.event_time_ms = said_ms;
            event.order = order++;
            event.attributes = attributes;
            if (!event.text)
                return mn_fail_memory(err);
            MN_TRY(name_event(turn, piece, arena, &event, err));
            MN_TRY(add_event(in, s, b, &event, turn->number, err));
            left = (struct mn_str){ left.at + bytes, left.bytes - bytes };
        }
    }
    return b->count ? observe(in, s, b, err) : MNEME_OK;
}

/* ---- conversations ---- */

/* A session for what names none: made of all that is said in it. */
static enum mneme_status name_session(struct cli_chat *chat, struct mn_arena *arena,
                                      struct mneme_error *err)
{
    const char **parts = mn_arena_array(arena, const char *, chat->turns.count * 2 + 1);
    size_t count = 0;

    if (!parts)
        return mn_fail_memory(err);
    for (size_t i = 0; i < chat->turns.count; i++) {
        const struct cli_turn *turn = &chat->turns.item[i];

        parts[count++] = turn->role;
        parts[count++] = mn_arena_copy_n(arena, turn->text.at, turn->text.bytes);
        if (!parts[count - 1])
            return mn_fail_memory(err);
    }
    return cli_import_id(arena, "import", parts, count, &chat->session, err);
}

static enum mneme_status finish_chat(struct cli_importing *in, const struct cli_stream *s,
                                     struct cli_chat *chat, struct mn_arena *arena,
                                     struct mneme_error *err)
{
    if (!chat->turns.count)
        return MNEME_OK;
    if (!mn_empty(in->session) && in->session_used)
        return mn_fail(err, MNEME_LIMIT,
                       "session: %s item %zu is another conversation: import it apart", s->path,
                       s->item);
    in->session_used = true;
    if (!mn_empty(in->session))
        chat->session = in->session;
    if (mn_empty(chat->session))
        MN_TRY(name_session(chat, arena, err));
    return observe_chat(in, s, chat, arena, err);
}

static bool is_whole_chat(enum cli_format format, yyjson_val *item)
{
    return format != CLI_OPENAI || yyjson_is_arr(yyjson_obj_get(item, "messages"));
}

static enum mneme_status read_chat(struct cli_importing *in, enum cli_format format,
                                   const struct cli_stream *s, yyjson_val *item,
                                   struct mn_arena *arena, struct cli_chat *chat,
                                   struct mneme_error *err)
{
    if (format == CLI_CHATGPT)
        return cli_read_chatgpt(in, s, item, arena, chat, err);
    if (format == CLI_CLAUDE)
        return cli_read_claude(in, s, item, arena, chat, err);
    return cli_read_messages(in, s, item, arena, chat, err);
}

/* The messages of one list, which come item by item. */
struct listed {
    struct mn_arena *arena; /* NULL: no list is open */
    struct cli_chat chat;
    size_t list;
};

static enum mneme_status end_list(struct cli_importing *in, const struct cli_stream *s,
                                  struct listed *l, struct mneme_error *err)
{
    enum mneme_status status =
        l->arena ? finish_chat(in, s, &l->chat, l->arena, err) : MNEME_OK;

    mn_arena_free(l->arena);
    *l = (struct listed){ 0 };
    return status;
}

static enum mneme_status take_item(struct cli_importing *in, enum cli_format format,
                                   const struct cli_stream *s, yyjson_val *item, struct listed *l,
                                   struct mneme_error *err)
{
    if (!is_whole_chat(format, item)) {
        if (l->arena && l->list != s->list)
            MN_TRY(end_list(in, s, l, err));
        if (!l->arena)
            *l = (struct listed){ mn_arena_new(CHAT_BYTES_MAX), { .program = "openai" }, s->list };
        return read_chat(in, format, s, item, l->arena, &l->chat, err);
    }
    MN_TRY(end_list(in, s, l, err));
    MN_ARENA_AUTO arena = mn_arena_new(CHAT_BYTES_MAX);
    struct cli_chat chat = { .program = cli_format_name(format) };
    MN_TRY(read_chat(in, format, s, item, arena, &chat, err));
    return finish_chat(in, s, &chat, arena, err);
}

static enum mneme_status take_items(struct cli_importing *in, enum cli_format format,
                                    struct cli_stream *s, struct listed *l,
                                    struct mneme_error *err)
{
    for (;;) {
        MN_JSON_AUTO doc = NULL;
        bool found = false;

        MN_TRY(cli_stream_item(s, &found, err));
        if (!found)
            return MNEME_OK;
        enum mneme_status status = mn_json_parse_within("item", s->text.at, s->text.bytes,
                                                        CLI_ITEM_BYTES_MAX, &doc, err);
        if (status == MNEME_LIMIT && err->field[0]) /* too deep */
            status = MNEME_INVALID;
        if (status == MNEME_OK)
            status = take_item(in, format, s, yyjson_doc_get_root(doc), l, err);
        if (status == MNEME_INVALID)
            cli_import_leave(in, CLI_LEFT_MALFORMED, s, "", err->message);
        else if (status != MNEME_OK)
            return status;
    }
}

enum mneme_status cli_import_chats(struct cli_importing *in, enum cli_format format,
                                   struct cli_stream *s, struct mneme_error *err)
{
    struct listed l = { 0 };
    struct mneme_error own;

    if (!mn_empty(in->session) && format != CLI_OPENAI)
        return mn_fail(err, MNEME_INVALID, "session: the conversations of %s have their own", s->path);
    enum mneme_status status = take_items(in, format, s, &l, &own);
    enum mneme_status ended = end_list(in, s, &l, status == MNEME_OK ? &own : NULL);
    if (status == MNEME_OK)
        status = ended;
    if (status != MNEME_OK && err)
        *err = own;
    return status;
}
