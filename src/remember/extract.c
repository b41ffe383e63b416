/*
 * extract.c - from a turn that calls for a memory to the drafts of it, by rules alone.
 *
 * A draft is the clause that called, made to stand alone: without the order's words, with a subject
 * where the clause has lost it. A clause that points elsewhere ("that is done") and was not ordered
 * is left: nobody could read it later. Its type follows from the key or from the call, its scope
 * from the words ("in this repo") where the turn has such a place, its end from phrases like
 * "until Friday". Who says it decides the authority: the user states, an assistant infers.
 *
 * A scope that is named but not known ("in this repo", and no repository was given) is narrowed to
 * the session, never widened to the user. Secrets and orders to a model are not drafted.
 */
#include "remember/draft.h"

#include <string.h>

#include "base/array.h"
#include "remember/schedule.h"
#include "remember/wording.h"
#include "text/cue.h"
#include "text/analyze.h"
#include "text/letters.h"
#include "text/orders.h"
#include "text/when.h"

#define WEEK_MS (INT64_C(7) * 86400000)
#define OPEN_SINCE_MS INT64_C(-60000000000000) /* earlier: a range without a beginning */

/* clang-format off */
static const char *const REPO_WORDS[] = { "this repo", "this repository", "this codebase", "这个仓库", "本仓库", "该仓库",
                                          "这个代码库", "本代码库", NULL };
static const char *const PROJECT_WORDS[] = { "this project", "our project", "the project", "这个项目", "本项目", "该项目", "项目里", NULL };
static const char *const TASK_WORDS[] = { "this task", "this ticket", "this issue", "这个任务", "本任务", "本次任务", NULL };
static const char *const SESSION_WORDS[] = { "this session", "this conversation", "this chat", "这次对话", "本次对话", "这次会话",
                                             "本次会话", "这个会话", NULL };
static const char *const PRONOUNS[] = { "it", "it's", "this", "that", "that's", "they", "these", "those", "he", "she", "这", "那",
                                        "它", "他", "她", NULL };
/* "This repo" is as good as its name; so is "that answer" in what was not liked of it. */
static const char *const POINTERS[] = { "this", "that", "these", "those", "这个", "这种", "这样的", "这次的", "这", "那个", "那种",
                                        "那样的", "那次的", NULL };
static const char *const THINGS[] = { "repo", "repository", "project", "codebase", "team", "service", "session", "task",
                                      "仓库", "项目", "代码库", "团队", "服务", "会话", "任务", NULL };
static const char *const ANSWER_THINGS[] = { "answer", "answers", "reply", "replies", "response", "responses", "explanation",
                                             "explanations", "summary", "summaries", "formatting", "format", "wording", "tone",
                                             "style", "layout", "translation", "phrasing", "回答", "答案", "回复", "解释", "总结",
                                             "格式", "排版", "写法", "风格", "语气", "措辞", "翻译", "建议", NULL };
static const char *const PAST_VERBS[] = { "finished", "completed", "shipped", "deployed", "merged", "released", "launched",
                                          "published", "submitted", "delivered", "migrated", "upgraded", "fixed", "solved",
                                          "resolved", "decided", "chose", "finally", "just", NULL };
/* clang-format on */

/* What a call is worth. */
static double importance_of(enum mn_call call)
{
    switch (call) {
    case MN_CALL_ORDER:
    case MN_CALL_STANDING:
        return 0.8;
    case MN_CALL_CORRECTION:
    case MN_CALL_DECISION:
        return 0.7;
    case MN_CALL_RECOVERED:
    case MN_CALL_FEEDBACK:
    case MN_CALL_STATEMENT:
        return 0.6;
    case MN_CALL_DONE:
    case MN_CALL_FORGET:
    case MN_CALL_TAKEN_BACK:
    case MN_CALL_NONE:
        break;
    }
    return 0.5;
}

/* ---- the words ---- */

/* Does it begin with a word that points at what nobody will see? */
static bool points_elsewhere(const char *lower, enum mn_call call)
{
    size_t behind = mn_wording_any(lower, 0, POINTERS);

    if (!mn_wording_any(lower, 0, PRONOUNS))
        return false;
    while (behind && lower[behind] == ' ')
        behind++;
    return !behind || !(mn_wording_any(lower, behind, THINGS) ||
                        (call == MN_CALL_FEEDBACK && mn_wording_any(lower, behind, ANSWER_THINGS)));
}

/* The clause so that it can be read alone; "" when it cannot. NULL: the arena is full. */
static const char *stand_alone(struct mn_arena *arena, enum mn_call call, struct mn_str said,
                               bool by_user)
{
    struct mn_wording w = mn_wording_of(arena, said);
    const char *subject = "";
    char *content;

    if (!w.text)
        return NULL;
    if (call != MN_CALL_ORDER && points_elsewhere(w.lower, call))
        return "";
    if (mn_wording_any(w.lower, 0, PAST_VERBS))
        subject = by_user ? "I " : "The assistant ";
    else if (!by_user && mn_wording_any(w.lower, 0, (const char *const[]){ "i", "i've", "we", "我", NULL }))
        subject = mn_text_language(w.text, w.bytes) == MN_LANGUAGE_ZH ? "助手说：" : "The assistant: ";
    content = mn_arena_printf(arena, "%s%s", subject, w.text);
    if (!content)
        return NULL;
    if (*subject && mn_letter_upper(w.text[0]) && strcmp(subject, "The assistant: "))
        content[strlen(subject)] = mn_letter_to_lower(w.text[0]);
    if (content[0] >= 'a' && content[0] <= 'z')
        content[0] = (char)(content[0] - 'a' + 'A');
    return content;
}

/* ---- how far, and how long ---- */

void mn_extract_reach(const char *lower, const struct mneme_event *event,
                      const struct mn_place *place, struct mneme_memory *draft)
{
    const struct {
        const char *const *words;
        enum mneme_scope kind;
        const char *id;
    } scopes[] = { { SESSION_WORDS, MNEME_SCOPE_SESSION, place->session_id },
                   { TASK_WORDS, MNEME_SCOPE_TASK, place->task_id },
                   { REPO_WORDS, MNEME_SCOPE_REPO, place->repository_id },
                   { PROJECT_WORDS, MNEME_SCOPE_PROJECT, place->project_id } };

    draft->scope_kind = MNEME_SCOPE_USER;
    draft->scope_id = event->user_id;
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
        if (!mn_wording_holds(lower, scopes[i].words))
            continue;
        if (!mn_empty(scopes[i].id)) {
            draft->scope_kind = scopes[i].kind;
            draft->scope_id = scopes[i].id;
        } else if (!mn_empty(place->session_id)) {
            draft->scope_kind = MNEME_SCOPE_SESSION;
            draft->scope_id = place->session_id;
        }
        return;
    }
}

static bool stands_before(const char *text, const char *at, const char *const *words)
{
    while (at > text && at[-1] == ' ')
        at--;
    for (size_t i = 0; words[i]; i++) {
        size_t bytes = strlen(words[i]);

        if ((size_t)(at - text) >= bytes && !memcmp(at - bytes, words[i], bytes) &&
            (!mn_letter_latin(words[i][0]) || at - bytes == text || at[-(long)bytes - 1] == ' '))
            return true;
    }
    return false;
}

/* "Postponed until Friday", 改到周五: it begins then, and ends nothing. */
static bool is_new_day(const char *folded, size_t at)
{
    return mn_schedule_behind_move(folded, at) > 0;
}

/* "until Friday": a bare weekday is a time only behind "on", as time phrases are read. */
static int64_t end_after_until(struct mn_arena *arena, const char *folded, int64_t now_ms,
                               const char *zone)
{
    static const char *const untils[] = { "until", "till", "til", "through", NULL };

    for (size_t at = 0; folded[at]; at++) {
        size_t bytes = folded[at] == 'u' || folded[at] == 't' ? mn_wording_any(folded, at, untils)
                                                              : 0;
        const char *copy;
        struct mn_when when;

        if (!bytes || (at > 0 && folded[at - 1] != ' ') || is_new_day(folded, at))
            continue;
        copy = mn_arena_printf(arena, "on%s", folded + at + bytes);
        if (!copy)
            return 0;
        when = mn_when_find(copy, now_ms, zone);
        if (when.found && when.phrase.at - copy <= (long)sizeof "on the")
            return when.until_ms;
    }
    return 0;
}

/* "周五之前": a bare weekday is this week's. */
static const char *with_week(struct mn_arena *arena, const char *folded)
{
    static const char *const weeks[] = { "周", "星期", "礼拜", NULL };
    static const char *const days[] = { "一", "二", "三", "四", "五", "六", "日", "天", NULL };

    for (size_t at = 0; folded[at]; at++) {
        size_t bytes = mn_wording_any(folded, at, weeks);

        if (bytes && mn_wording_any(folded, at + bytes, days))
            return mn_arena_printf(arena, "%.*s这%s", (int)at, folded, folded + at);
    }
    return folded;
}

int64_t mn_extract_end(struct mn_arena *arena, const char *content, int64_t now_ms,
                       const char *zone)
{
    static const char *const untils[] = { "直到", "持续到", "到", "截至", "截止", "截止到", NULL };
    static const char *const fors[] = { "for", "only", "just", "只", "仅", "就", NULL };
    static const char *const within[] = { "之内", "以内", "内", "为止", "only", "结束前", NULL };
    static const char *const before[] = { "之前", "以前", "前", NULL };
    const char *folded = mn_text_fold(arena, content, strlen(content));
    struct mn_when when;
    const char *behind;
    int64_t end_ms = 0;

    if (!folded)
        return 0;
    end_ms = end_after_until(arena, folded, now_ms, zone);
    when = mn_when_find(folded, now_ms, zone);
    if (!when.found && (folded = with_week(arena, folded)))
        when = mn_when_find(folded, now_ms, zone);
    behind = when.found ? when.phrase.at + when.phrase.bytes : "";
    while (*behind == ' ')
        behind++;
    if (end_ms || !when.found)
        ;
    else if (when.from_ms < OPEN_SINCE_MS) /* "before Friday" is read as one phrase */
        end_ms = when.until_ms;
    else if (mn_wording_any(behind, 0, before))
        end_ms = when.from_ms;
    else if ((stands_before(folded, when.phrase.at, untils) &&
              !is_new_day(folded, (size_t)(when.phrase.at - folded))) || mn_wording_any(behind, 0, within) ||
             (stands_before(folded, when.phrase.at, fors) && when.until_ms > now_ms))
        end_ms = when.until_ms;
    /* A weekday is read as the last one; an end lies ahead. */
    while (end_ms && end_ms <= now_ms && now_ms - end_ms < WEEK_MS)
        end_ms += WEEK_MS;
    return end_ms > now_ms ? end_ms : 0;
}

/* ---- the draft ---- */

static bool key_is(const char *key, const char *prefix)
{
    return key && !strncmp(key, prefix, strlen(prefix));
}

/* NULL: by the cues of the text (classify.c). */
static const char *type_of(enum mn_call call, const struct mneme_memory *draft)
{
    if (key_is(draft->memory_key, "user.name") || key_is(draft->memory_key, "user.city") ||
        key_is(draft->memory_key, "user.employer") || key_is(draft->memory_key, "user.timezone") ||
        mn_key_is_schedule(draft->memory_key))
        return "fact";
    if (call == MN_CALL_DECISION)
        return "previous_decision";
    if (call == MN_CALL_RECOVERED)
        return "incident";
    if (call == MN_CALL_DONE)
        return "event";
    if (call == MN_CALL_STANDING || key_is(draft->memory_key, "tool."))
        return draft->scope_kind == MNEME_SCOPE_REPO   ? "repository_rule"
               : draft->scope_kind == MNEME_SCOPE_USER ? "user_preference"
                                                       : "project_constraint";
    if (call == MN_CALL_FEEDBACK || call == MN_CALL_STATEMENT || !mn_empty(draft->memory_key))
        return "user_preference";
    return NULL;
}

static enum mneme_status draft_of(const struct mneme_event *event, const struct mn_place *place,
                                  const struct mn_called *called, int64_t now_ms,
                                  struct mn_arena *arena, struct mneme_memory *ret_draft,
                                  bool *ret_drawn, struct mneme_error *err)
{
    bool by_user = mn_empty(event->role) || strcmp(event->role, "assistant") != 0;
    struct mneme_memory m = MNEME_MEMORY_INIT;
    const char **source = mn_arena_array(arena, const char *, 1);
    struct mn_keyed keyed;
    struct mn_wording w;

    *ret_drawn = false;
    m.content = stand_alone(arena, called->call, called->said, by_user);
    if (!m.content || !source)
        return mn_fail_memory(err);
    if (!*m.content || mn_text_secret(m.content) ||
        mn_text_orders(arena, m.content) == MN_ORDERS_GIVEN)
        return MNEME_OK;
    w = mn_wording_of(arena, mn_str_of(m.content));
    if (!w.text)
        return mn_fail_memory(err);
    m.tenant_id = event->tenant_id;
    m.user_id = event->user_id;
    m.agent_id = event->agent_id;
    mn_extract_reach(w.lower, event, place, &m);
    if (m.scope_kind == MNEME_SCOPE_USER && mn_key_of(arena, m.content, &keyed) &&
        !mn_key_is_attribute(keyed.key)) { /* of a fact: once its type is known (describe.c) */
        m.memory_key = keyed.key;
        m.value = keyed.value;
    }
    m.type = type_of(called->call, &m);
    m.authority = by_user ? MNEME_EXPLICIT_USER : MNEME_MODEL_INFERENCE;
    const struct mn_cue_text words = mn_cue_read(w.lower);
    m.importance = mn_weigh_words(importance_of(called->call), &words);
    m.valid_until_ms = mn_extract_end(arena, m.content, now_ms, mn_or_empty(place->timezone));
    if (called->call == MN_CALL_RECOVERED || called->call == MN_CALL_DONE)
        m.event_time_ms = event->event_time_ms ? event->event_time_ms : now_ms;
    source[0] = event->id;
    m.provenance = (struct mneme_list){ source, mn_empty(event->id) ? 0 : 1 };
    *ret_draft = m;
    *ret_drawn = true;
    return MNEME_OK;
}

enum mneme_status mn_extract(const struct mneme_event *event, const struct mn_place *place,
                             int64_t now_ms, struct mn_arena *arena, struct mn_drafts *ret_drafts,
                             struct mneme_error *err)
{
    struct mn_calls calls = { 0 };
    struct mn_drafts drafts = { 0 };

    MN_TRY(mn_trigger_find(arena, event->text, event->role, &calls, err));
    drafts.item = mn_arena_array(arena, struct mneme_memory, calls.count + 1);
    if (!drafts.item)
        return mn_fail_memory(err);
    for (size_t i = 0; i < calls.count; i++) {
        bool drawn = false;

        if (calls.item[i].call == MN_CALL_FORGET || calls.item[i].call == MN_CALL_TAKEN_BACK) {
            struct mn_called *forget = mn_array_add(arena, &drafts.forget);

            if (!forget)
                return mn_fail_memory(err);
            *forget = calls.item[i];
            continue;
        }
        MN_TRY(draft_of(event, place, &calls.item[i], now_ms, arena, &drafts.item[drafts.count],
                        &drawn, err));
        drafts.count += drawn;
    }
    *ret_drafts = drafts;
    return MNEME_OK;
}
