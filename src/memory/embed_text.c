/*
 * embed_text.c - the text a vector is made of, and the event as a memory.
 *
 * Recipe "title.content.usage.1": title, content and usage scenarios as sentences; before an
 * event's, its day and its speaker ("8 May 2023. Caroline: ..."), in the language of the text,
 * because people ask by them ("what did Caroline say in May"). A change of the recipe is a new
 * model profile: the number at its end goes up.
 *
 * Parts are joined by a sentence mark where they do not end with one; it costs nothing, and titles
 * without one run into the sentence behind them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "memory/fields.h"
#include "memory/record.h"
#include "memory/type.h"
#include "text/analyze.h"
#include "text/recalled.h"

static bool is_space(int32_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xa0 || c == 0x3000;
}

/* White space becomes one blank, none at the ends. */
static void put_collapsed(struct mn_buf *out, const char *text)
{
    size_t bytes = strlen(text);
    size_t word = 0; /* where the one that is being read begins */
    bool begun = false;

    for (size_t at = 0, next = 0; word < bytes; at = next) {
        bool space = at == bytes || is_space(mn_utf8_next(text, bytes, &next));

        if (!space)
            continue;
        if (at > word && begun)
            mn_buf_char(out, ' ');
        mn_buf_put(out, text + word, at - word);
        begun = begun || at > word;
        word = at == bytes ? bytes : next;
    }
}

static bool ends_sentence(const struct mn_buf *text)
{
    static const char *const MARKS[] = { ".", "!", "?", ":", "。", "！", "？", "：", "…" };

    for (size_t i = 0; i < sizeof MARKS / sizeof MARKS[0]; i++) {
        size_t bytes = strlen(MARKS[i]);

        if (text->bytes >= bytes && memcmp(text->at + text->bytes - bytes, MARKS[i], bytes) == 0)
            return true;
    }
    return false;
}

static void put_sentence(struct mn_buf *out, enum mn_language language, const char *text)
{
    bool chinese = language == MN_LANGUAGE_ZH;

    if (mn_empty(text))
        return;
    if (out->bytes && !ends_sentence(out))
        mn_buf_text(out, chinese ? "。" : ".");
    if (out->bytes && !chinese)
        mn_buf_char(out, ' ');
    put_collapsed(out, text);
}

static void put_day(struct mn_buf *out, enum mn_language language, int64_t at_ms)
{
    static const char *const MONTHS[] = { "January",   "February", "March",    "April",
                                          "May",       "June",     "July",     "August",
                                          "September", "October",  "November", "December" };
    int64_t days = at_ms / MN_DAY_MS - (at_ms % MN_DAY_MS < 0);
    int year, month, day;

    mn_civil_from_days(days, &year, &month, &day);
    if (language == MN_LANGUAGE_ZH)
        mn_buf_printf(out, "%d年%d月%d日", year, month, day);
    else
        mn_buf_printf(out, "%d %s %d", day, MONTHS[month - 1], year);
}

enum mneme_status mn_memory_embed_text(const struct mneme_memory *memory, const char *speaker,
                                       struct mn_arena *arena, const char **ret_text,
                                       struct mneme_error *err)
{
    const char *content = mn_or_empty(memory->content);
    enum mn_language language = mn_text_language(content, strlen(content));
    MN_BUF_AUTO out = { 0 };
    char *copy;

    if (memory->event_time_ms && mn_same(memory->type, "event"))
        put_day(&out, language, memory->event_time_ms);
    if (!mn_empty(speaker)) {
        put_sentence(&out, language, speaker);
        mn_buf_text(&out, language == MN_LANGUAGE_ZH ? "：" : ":");
    }
    put_sentence(&out, language, memory->title);
    put_sentence(&out, language, content);
    for (size_t i = 0; i < memory->usage_scenario.count; i++)
        put_sentence(&out, language, memory->usage_scenario.item[i]);

    copy = out.failed ? NULL : mn_arena_copy_n(arena, mn_or_empty(out.at), out.bytes);
    if (!copy)
        return mn_fail_memory(err);
    *ret_text = copy;
    return MNEME_OK;
}

/* ---- the event as a memory ---- */

static enum mneme_authority authority_of_role(const char *role)
{
    if (mn_same(role, "assistant"))
        return MNEME_MODEL_INFERENCE;
    if (mn_same(role, "tool_call") || mn_same(role, "tool_result"))
        return MNEME_TOOL_OBSERVATION;
    return MNEME_EXPLICIT_USER; /* user, feedback */
}

/* {"session_id":"s-1","role":"user","speaker":"Ann","order":3,"attributes":{...}} */
static enum mneme_status event_attributes(const struct mneme_event *event, struct mn_arena *arena,
                                          const char **ret_json, struct mneme_error *err)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };
    char *copy;

    mn_json_open(&w, '{');
    mn_json_field_text(&w, "session_id", event->session_id);
    if (!mn_empty(event->role))
        mn_json_field_text(&w, "role", event->role);
    if (!mn_empty(event->speaker))
        mn_json_field_text(&w, "speaker", event->speaker);
    if (event->order >= 0)
        mn_json_field_integer(&w, "order", event->order);
    if (!mn_empty(event->attributes) && strcmp(event->attributes, "{}") != 0) {
        mn_json_key(&w, "attributes");
        mn_json_put_raw(&w, event->attributes);
    }
    mn_json_close(&w, '}');
    copy = out.failed ? NULL : mn_arena_copy(arena, out.at);
    if (!copy)
        return mn_fail_memory(err);
    *ret_json = copy;
    return MNEME_OK;
}

enum mneme_status mn_event_as_memory(const struct mneme_event *event, struct mn_arena *arena,
                                     struct mneme_memory *ret_memory, struct mneme_error *err)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_memory copy = MNEME_MEMORY_INIT;

    m.id = event->id;
    m.tenant_id = event->tenant_id;
    m.user_id = event->user_id;
    m.agent_id = event->agent_id;
    m.scope_kind = MNEME_SCOPE_USER;
    m.scope_id = event->user_id;
    m.type = "event";
    m.content = mn_recalled_without(arena, mn_or_empty(event->text));
    if (!m.content)
        return mn_fail_memory(err);
    m.authority = authority_of_role(event->role);
    m.confidence = 1.0;
    m.importance = 0.5;
    m.sensitivity = MNEME_INTERNAL;
    m.risk = MNEME_RISK_NORMAL;
    m.status = MNEME_ACTIVE;
    m.version = 1;
    m.revision = 1;
    m.event_time_ms = event->event_time_ms;
    m.created_at_ms = event->event_time_ms;
    m.updated_at_ms = event->event_time_ms;

    MN_TRY(mn_memory_copy(&m, arena, &copy, err));
    MN_TRY(event_attributes(event, arena, &copy.attributes, err));
    MN_TRY(mn_memory_hash(copy.content, arena, &copy.content_hash, err));
    *ret_memory = copy;
    return MNEME_OK;
}
