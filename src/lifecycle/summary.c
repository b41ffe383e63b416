/*
 * summary.c - the lines of a session, sorted by what they are good for.
 *
 * What calls for a memory in a turn is found by the same rules that draw single memories from it
 * (remember/trigger.c); they see no quotation, no code and no recalled text. What was done and what
 * is pending have words of their own (actions.c), and what is pending ends with a report that
 * speaks of the same. A reason stands in the sentence of the decision or right behind it.
 */
#include "lifecycle/summary.h"

#include <stdio.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/json.h"
#include "lifecycle/actions.h"
#include "lifecycle/topics.h"
#include "text/analyze.h"
#include "text/compare.h"
#include "text/cue.h"
#include "text/orders.h"
#include "text/pleasantry.h"

#define LINES_MAX 6
#define LINE_BYTES_MAX 300
#define SCRATCH_BYTES_MAX ((size_t)64 << 20)
#define DONE_SHARE 0.5 /* of the words of what was pending */

/* clang-format off */
static const char *const REASONS[] = { "because", "since", "the reason", "so that", "due to", "as it", "that way",
                                       "因为", "由于", "原因", "理由", "这样", "为了", "毕竟", NULL };
static const char *const REASON_HEADS[] = {
    "^because|since|the reason|reason:|the main reason|that way|this way|it is|it's|due to", "^因为|由于|原因|理由|这样|主要是|毕竟", NULL,
};
static const char *const QUESTION_ENDS[] = { "?", "？", "吗", "呢", NULL };
static const char *const RECALLED[] = { "<agent_memory", "## agent memory", "Recalled data, not instructions", NULL };
/* clang-format on */

struct line {
    enum mn_summary_part part;
    const char *text;
    size_t turn;
    bool over;  /* pending, and done by now */
    bool drawn; /* its turn gave a memory of its own, which says it */
};

struct making {
    const struct mn_session *session;
    const struct mn_events *turns;
    struct mn_arena *arena;
    struct mn_arena *scratch;
    bool chinese;
    struct {
        struct line *item;
        size_t count, room;
    } lines;
    size_t part_count[MN_PART_COUNT];
    struct mn_topics topics;
    const struct mn_summary_lines *told; /* NULL: found by the rules */
    const bool *drawn; /* by turn: memories were drawn from it; NULL: of none is that known */
    struct mn_summary made;
};

static bool by_user(const struct mneme_event *event)
{
    return mn_empty(event->role) || !strcmp(event->role, "user") ||
           !strcmp(event->role, "feedback");
}

static bool speaks(const struct mneme_event *event)
{
    return by_user(event) || !strcmp(event->role, "assistant");
}

static bool holds_any(const char *text, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

/* ---- lines ---- */

/* A copy that ends at a character, without a stop behind it. */
static const char *cut_line(struct mn_arena *arena, struct mn_str said)
{
    while (said.bytes && strchr(" \n\t\r", said.at[0])) {
        said.at++;
        said.bytes--;
    }
    while (said.bytes && strchr(" \n\t\r.;,!", said.at[said.bytes - 1]))
        said.bytes--;
    while (said.bytes >= 3 && (!memcmp(said.at + said.bytes - 3, "。", 3) ||
                               !memcmp(said.at + said.bytes - 3, "；", 3) ||
                               !memcmp(said.at + said.bytes - 3, "！", 3)))
        said.bytes -= 3;
    if (said.bytes <= LINE_BYTES_MAX)
        return mn_arena_copy_n(arena, said.at, said.bytes);
    return mn_arena_printf(arena, "%.*s…", (int)mn_utf8_cut(said.at, said.bytes, LINE_BYTES_MAX),
                           said.at);
}

static bool is_there(const struct making *m, enum mn_summary_part part, const char *text)
{
    for (size_t i = 0; i < m->lines.count; i++)
        if (m->lines.item[i].part == part && mn_text_identical(m->lines.item[i].text, text))
            return true;
    return false;
}

/* Does a line of the turn hold these words? */
static bool is_told_of(const struct making *m, size_t turn, const char *text)
{
    for (size_t i = 0; text && i < m->lines.count; i++)
        if (m->lines.item[i].turn == turn && strstr(m->lines.item[i].text, text))
            return true;
    return false;
}

static enum mneme_status add_line(struct making *m, enum mn_summary_part part, const char *text,
                                  size_t turn, struct mneme_error *err)
{
    struct line *line;

    if (!text)
        return mn_fail_memory(err);
    if (!*text || m->part_count[part] >= LINES_MAX || mn_text_secret(text) ||
        mn_text_orders(m->scratch, text) == MN_ORDERS_GIVEN || is_there(m, part, text))
        return MNEME_OK;
    line = mn_array_add(m->scratch, &m->lines);
    if (!line)
        return mn_fail_memory(err);
    *line = (struct line){ part, text, turn, false, false };
    m->part_count[part]++;
    return MNEME_OK;
}

/* The sentence at *at, which moves behind it; false at the end. */
static bool next_sentence(const char **at, struct mn_str *ret_sentence)
{
    static const char *const stops[] = { "。", "！", "？", "；", "?", "!", "\n", NULL };
    const char *from = *at;
    const char *p = from;

    if (!*p)
        return false;
    while (*p) {
        size_t stop = *p == '.' && (!p[1] || p[1] == ' ' || p[1] == '\n') ? 1 : 0;

        for (size_t i = 0; stops[i] && !stop; i++)
            if (!strncmp(p, stops[i], strlen(stops[i])))
                stop = strlen(stops[i]);
        p += stop ? stop : 1;
        if (stop)
            break;
    }
    *at = p;
    *ret_sentence = (struct mn_str){ from, (size_t)(p - from) };
    while (ret_sentence->bytes && strchr(" \n\r\t", ret_sentence->at[0])) {
        ret_sentence->at++;
        ret_sentence->bytes--;
    }
    return true;
}

static bool ends_with_any(struct mn_str text, const char *const *ends)
{
    while (text.bytes && strchr(" \n\r\t", text.at[text.bytes - 1]))
        text.bytes--;
    for (size_t i = 0; ends[i]; i++) {
        size_t bytes = strlen(ends[i]);

        if (text.bytes >= bytes && !memcmp(text.at + text.bytes - bytes, ends[i], bytes))
            return true;
    }
    return false;
}

/* Does the sentence hold one of the cues? */
static bool cued(struct making *m, struct mn_str sentence, const char *const *cues)
{
    const char *folded = mn_text_fold(m->scratch, sentence.at, sentence.bytes);
    struct mn_cue_text read;

    if (!folded)
        return false;
    read = mn_cue_read(folded);
    return mn_cue_any(&read, cues);
}

/* What was decided, with the reason that stands behind it. */
static const char *with_reason(struct making *m, const char *text, struct mn_str said)
{
    const char *line = cut_line(m->arena, said);
    const char *folded = mn_text_fold(m->scratch, said.at, said.bytes);
    const char *at = line ? strstr(text, line) : NULL;
    struct mn_str sentence;

    if (!at || !folded || holds_any(folded, REASONS))
        return line;
    (void)next_sentence(&at, &sentence); /* the rest of its own */
    if (!next_sentence(&at, &sentence) || ends_with_any(sentence, QUESTION_ENDS) ||
        !cued(m, sentence, REASON_HEADS))
        return line;
    const char *reason = cut_line(m->scratch, sentence);
    return reason ? mn_arena_printf(m->arena, m->chinese ? "%s（%s）" : "%s (%s)", line, reason) : NULL;
}

static enum mneme_status read_calls(struct making *m, size_t turn, struct mneme_error *err)
{
    const struct mneme_event *event = &m->turns->item[turn];
    struct mn_calls calls = { 0 };
    size_t first = m->lines.count;

    MN_TRY(mn_trigger_find(m->scratch, event->text, event->role, &calls, err));
    for (size_t i = 0; i < calls.count; i++) {
        const struct mn_called *c = &calls.item[i];
        enum mn_summary_part part = MN_PART_PREFERENCES;

        if (c->call == MN_CALL_DECISION)
            part = MN_PART_DECISIONS;
        else if (c->call == MN_CALL_DONE)
            part = MN_PART_DONE;
        else if (c->call == MN_CALL_RECOVERED)
            part = MN_PART_SOLUTIONS;
        MN_TRY(add_line(m, part,
                        part == MN_PART_DECISIONS ? with_reason(m, event->text, c->said)
                                                  : cut_line(m->arena, c->said),
                        turn, err));
    }
    for (size_t i = first; m->drawn && m->drawn[turn] && i < m->lines.count; i++)
        m->lines.item[i].drawn = true;
    return MNEME_OK;
}

/* Steps that were taken, unless the turn was told of them already; what is pending, in any case. */
static enum mneme_status read_actions(struct making *m, size_t turn, struct mneme_error *err)
{
    const char *at = m->turns->item[turn].text;
    struct mn_str sentence;
    bool code = false;

    while (next_sentence(&at, &sentence)) {
        const char *folded = mn_text_fold(m->scratch, sentence.at, sentence.bytes);

        if (!folded)
            return mn_fail_memory(err);
        if (memmem(sentence.at, sentence.bytes, "```", 3))
            code = !code;
        if (code || memchr(sentence.at, '`', sentence.bytes) || !sentence.bytes ||
            sentence.at[0] == '>' || ends_with_any(sentence, QUESTION_ENDS))
            continue;
        if (mn_actions_pending(folded))
            MN_TRY(add_line(m, MN_PART_PENDING, cut_line(m->arena, sentence), turn, err));
        else if (mn_actions_done(folded) && !is_told_of(m, turn, cut_line(m->scratch, sentence)))
            MN_TRY(add_line(m, MN_PART_DONE, cut_line(m->arena, sentence), turn, err));
    }
    return MNEME_OK;
}

/* The share of its words that the other has too. */
static double shared(struct making *m, const char *of, const char *other)
{
    struct mn_terms a = { 0 }, b = { 0 };
    struct mneme_error ignored;
    size_t found = 0;

    if (mn_text_terms(m->scratch, of, strlen(of), &a, &ignored) != MNEME_OK ||
        mn_text_terms(m->scratch, other, strlen(other), &b, &ignored) != MNEME_OK || !a.count)
        return 0;
    for (size_t i = 0; i < a.count; i++)
        for (size_t j = 0; j < b.count; j++)
            if (a.item[i].hash == b.item[j].hash) {
                found++;
                break;
            }
    return (double)found / (double)a.count;
}

/* What was reported done later is pending no more. */
static void close_pending(struct making *m)
{
    for (size_t i = 0; i < m->lines.count; i++) {
        struct line *pending = &m->lines.item[i];

        if (pending->part != MN_PART_PENDING)
            continue;
        for (size_t j = 0; j < m->lines.count && !pending->over; j++) {
            const struct line *done = &m->lines.item[j];

            pending->over = (done->part == MN_PART_DONE || done->part == MN_PART_SOLUTIONS) &&
                            done->turn > pending->turn &&
                            shared(m, pending->text, done->text) >= DONE_SHARE;
        }
        m->part_count[MN_PART_PENDING] -= pending->over;
    }
}

/* ---- memories ---- */

static enum mneme_status add_draft(struct making *m, const char *part, const char *content,
                                   const size_t *turns, size_t count, double importance,
                                   struct mneme_error *err)
{
    struct mneme_memory draft = MNEME_MEMORY_INIT;
    const char **sources = mn_arena_array(m->arena, const char *, count + 1);
    MN_BUF_AUTO attributes = { 0 };
    struct mn_json_writer w = { .out = &attributes };
    char day[32];
    size_t n = 0;

    if (!content || !sources)
        return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        if (!i || turns[i] != turns[i - 1])
            sources[n++] = m->turns->item[turns[i]].id;
    if (n > 1)
        sources[n++] = MN_NEEDS_ALL;
    mn_json_open(&w, '{');
    mn_json_field_text(&w, "session_id", m->session->session_id);
    mn_json_field_text(&w, "part", part);
    if (m->told) {
        mn_json_field_text(&w, "extractor", m->told->extractor);
        mn_json_field_text(&w, "prompt", m->told->prompt);
    }
    mn_json_close(&w, '}');
    mn_time_print(m->turns->item[0].event_time_ms, day, sizeof day);
    draft.type = "session_summary";
    draft.content = content;
    draft.title = mn_arena_printf(m->arena, m->chinese ? "%.10s 的会话" : "Session of %.10s", day);
    draft.attributes = attributes.failed ? NULL : mn_arena_copy(m->arena, attributes.at);
    draft.authority = MNEME_TOOL_OBSERVATION;
    draft.importance = importance;
    draft.event_time_ms = m->turns->item[m->turns->count - 1].event_time_ms;
    draft.provenance = (struct mneme_list){ sources, n };
    if (!draft.title || !draft.attributes)
        return mn_fail_memory(err);
    m->made.drafts.item[m->made.drafts.count++] = draft;
    return MNEME_OK;
}

/* Label, lines; label, lines. */
static enum mneme_status add_parts(struct making *m, const char *name,
                                   const enum mn_summary_part *parts, const char *const *labels,
                                   size_t part_count, struct mneme_error *err)
{
    MN_BUF_AUTO out = { 0 };
    size_t turns[2 * LINES_MAX];
    size_t count = 0;

    for (size_t p = 0; p < part_count; p++) {
        size_t of_part = 0;

        for (size_t i = 0; i < m->lines.count; i++) {
            const struct line *line = &m->lines.item[i];

            if (line->part != parts[p] || line->over || line->drawn)
                continue;
            mn_buf_printf(&out, "%s%s",
                          of_part++ ? (m->chinese ? "；" : "; ")
                                    : labels[2 * p + m->chinese],
                          line->text);
            turns[count++] = line->turn;
        }
        if (of_part)
            mn_buf_text(&out, m->chinese ? "。" : ". ");
    }
    if (!count)
        return MNEME_OK;
    if (out.failed)
        return mn_fail_memory(err);
    while (out.bytes && out.at[out.bytes - 1] == ' ')
        out.at[--out.bytes] = '\0';
    return add_draft(m, name, mn_arena_copy(m->arena, out.at), turns, count, 0.6, err);
}

static enum mneme_status add_topics(struct making *m, struct mneme_error *err)
{
    MN_BUF_AUTO out = { 0 };
    size_t turns[2 * MN_TOPICS_MAX];
    size_t count = 0;

    for (size_t i = 0; i < m->topics.count; i++) {
        mn_buf_printf(&out, "%s%s", i ? (m->chinese ? "、" : ", ") : m->chinese ? "主要谈了："
                                                                               : "Main topics: ",
                      m->topics.item[i].name);
        turns[count++] = m->topics.item[i].first;
        turns[count++] = m->topics.item[i].last;
    }
    if (!count)
        return MNEME_OK;
    mn_buf_text(&out, m->chinese ? "。" : ".");
    return out.failed ? mn_fail_memory(err)
                      : add_draft(m, "topics", mn_arena_copy(m->arena, out.at), turns, count, 0.4,
                                  err);
}

/* The longest sentence of a user's that speaks of it and asks nothing, in a turn that gave no memory. */
static enum mneme_status add_said(struct making *m, const struct mn_topic *topic,
                                  struct mneme_error *err)
{
    struct mn_str best = { "", 0 };
    size_t turn = 0;

    for (size_t i = 0; i < m->turns->count; i++) {
        const char *at = m->turns->item[i].text;
        struct mn_str sentence;

        if (!by_user(&m->turns->item[i]) || holds_any(at, RECALLED) || (m->drawn && m->drawn[i]))
            continue;
        while (next_sentence(&at, &sentence))
            if (sentence.bytes > best.bytes && sentence.bytes <= LINE_BYTES_MAX &&
                !ends_with_any(sentence, QUESTION_ENDS) &&
                memmem(sentence.at, sentence.bytes, topic->name, strlen(topic->name))) {
                best = sentence;
                turn = i;
            }
    }
    const char *line = cut_line(m->scratch, best);
    if (!line)
        return mn_fail_memory(err);
    if (!*line || mn_text_secret(line) || mn_text_orders(m->scratch, line) == MN_ORDERS_GIVEN)
        return MNEME_OK;
    return add_draft(m, "topic",
                     mn_arena_printf(m->arena, m->chinese ? "关于%s：%s。" : "On %s: %s.", topic->name,
                                     line),
                     &turn, 1, 0.4, err);
}

static enum mneme_status add_all(struct making *m, struct mneme_error *err)
{
    static const char *const decided[] = { "Decided: ", "决定：" };
    static const char *const acted[] = { "Done: ", "已完成：", "Pending: ", "待办：" };
    static const char *const wanted[] = { "The user wants: ", "用户的偏好与要求：" };
    static const char *const solved[] = { "Solved: ", "已解决：" };
    static const char *const about[] = { "Main topics: ", "主要谈了：" };
    static const enum mn_summary_part topics[] = { MN_PART_TOPICS };
    static const enum mn_summary_part decisions[] = { MN_PART_DECISIONS };
    static const enum mn_summary_part actions[] = { MN_PART_DONE, MN_PART_PENDING };
    static const enum mn_summary_part preferences[] = { MN_PART_PREFERENCES };
    static const enum mn_summary_part solutions[] = { MN_PART_SOLUTIONS };

    MN_TRY(add_parts(m, "topics", topics, about, 1, err));
    if (!m->made.drafts.count)
        MN_TRY(add_topics(m, err));
    MN_TRY(add_parts(m, "decisions", decisions, decided, 1, err));
    MN_TRY(add_parts(m, "actions", actions, acted, 2, err));
    MN_TRY(add_parts(m, "preferences", preferences, wanted, 1, err));
    MN_TRY(add_parts(m, "solutions", solutions, solved, 1, err));
    for (size_t i = 0; i < m->topics.count && m->made.drafts.count < 3; i++)
        MN_TRY(add_said(m, &m->topics.item[i], err));
    return MNEME_OK;
}

static enum mneme_status join_pending(struct making *m, struct mneme_error *err)
{
    const char **from = mn_arena_array(m->arena, const char *, m->lines.count + 1);
    MN_BUF_AUTO out = { 0 };
    size_t count = 0;

    if (!from)
        return mn_fail_memory(err);
    for (size_t i = 0; i < m->lines.count; i++) {
        const struct line *line = &m->lines.item[i];

        if (line->part != MN_PART_PENDING || line->over)
            continue;
        mn_buf_printf(&out, "%s%s", out.bytes ? (m->chinese ? "；" : "; ") : "", line->text);
        from[count++] = m->turns->item[line->turn].id;
    }
    m->made.pending = out.failed ? NULL : mn_arena_copy(m->arena, out.at);
    m->made.pending_from = (struct mneme_list){ from, count };
    return m->made.pending ? MNEME_OK : mn_fail_memory(err);
}

/* ---- the whole ---- */

static bool in_chinese(const struct mn_events *turns)
{
    size_t chinese = 0, other = 0;

    for (size_t i = 0; i < turns->count; i++) {
        const char *text = turns->item[i].text;

        if (!by_user(&turns->item[i]))
            continue;
        if (mn_text_language(text, strlen(text)) == MN_LANGUAGE_ZH)
            chinese++;
        else
            other++;
    }
    return chinese > other;
}

static enum mneme_status begin(struct making *m, const char ***ret_texts, struct mneme_error *err)
{
    m->chinese = in_chinese(m->turns);
    *ret_texts = mn_arena_array(m->scratch, const char *, m->turns->count + 1);
    m->made.drafts.item = mn_arena_array(m->arena, struct mneme_memory, MN_SUMMARY_MEMORIES_MAX);
    return *ret_texts && m->made.drafts.item ? MNEME_OK : mn_fail_memory(err);
}

/* What of the turns is taken at its word: *ret_said. */
static enum mneme_status is_said(struct making *m, size_t turn, bool *ret_said,
                                 struct mneme_error *err)
{
    const char *text = m->turns->item[turn].text;
    const char *folded;

    *ret_said = false;
    if (!speaks(&m->turns->item[turn]))
        return MNEME_OK;
    folded = mn_text_fold(m->scratch, text, strlen(text));
    if (!folded)
        return mn_fail_memory(err);
    *ret_said = !holds_any(text, RECALLED) &&
                mn_pleasantry_find(text, folded) == MN_PLEASANTRY_NO && !mn_text_secret(text) &&
                mn_text_orders(m->scratch, text) != MN_ORDERS_GIVEN;
    return MNEME_OK;
}

/* From the lines to the memories. */
static enum mneme_status end(struct making *m, const char *const *texts, struct mneme_error *err)
{
    close_pending(m);
    MN_TRY(mn_topics_find(texts, m->turns->count, m->arena, &m->topics, err));
    MN_TRY(add_all(m, err));
    return join_pending(m, err);
}

enum mneme_status mn_summary_make(const struct mn_session *session, const struct mn_events *turns,
                                  const bool *drawn, struct mn_arena *arena, struct mn_summary *ret_summary,
                                  struct mneme_error *err)
{
    MN_ARENA_AUTO scratch = mn_arena_new(SCRATCH_BYTES_MAX);
    struct making m = {
        .session = session, .turns = turns, .arena = arena, .scratch = scratch, .drawn = drawn
    };
    const char **texts = NULL;

    MN_TRY(begin(&m, &texts, err));
    for (size_t i = 0; i < turns->count; i++) {
        bool said = false;

        if (!speaks(&turns->item[i]))
            continue;
        MN_TRY(read_calls(&m, i, err));
        MN_TRY(is_said(&m, i, &said, err));
        if (!said)
            continue;
        MN_TRY(read_actions(&m, i, err));
        texts[i] = turns->item[i].text;
    }
    MN_TRY(end(&m, texts, err));
    *ret_summary = m.made;
    return MNEME_OK;
}

enum mneme_status mn_summary_of_lines(const struct mn_session *session,
                                      const struct mn_events *turns,
                                      const struct mn_summary_lines *lines, struct mn_arena *arena,
                                      struct mn_summary *ret_summary, struct mneme_error *err)
{
    MN_ARENA_AUTO scratch = mn_arena_new(SCRATCH_BYTES_MAX);
    struct making m = {
        .session = session, .turns = turns, .arena = arena, .scratch = scratch, .told = lines
    };
    const char **texts = NULL;

    MN_TRY(begin(&m, &texts, err));
    for (size_t i = 0; i < turns->count; i++) {
        bool said = false;

        MN_TRY(is_said(&m, i, &said, err));
        if (said)
            texts[i] = turns->item[i].text;
    }
    for (size_t i = 0; i < lines->count; i++)
        MN_TRY(add_line(&m, lines->item[i].part,
                        cut_line(arena, mn_str_of(lines->item[i].text)), lines->item[i].turn, err));
    MN_TRY(end(&m, texts, err));
    m.made.by = mn_arena_printf(arena, "%s with %s", lines->extractor, lines->prompt);
    if (!m.made.by)
        return mn_fail_memory(err);
    *ret_summary = m.made;
    return MNEME_OK;
}
