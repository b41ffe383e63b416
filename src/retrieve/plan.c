/*
 * plan.c - stage 3: what to look for, where, and in which types.
 *
 * A request becomes terms, names, a time range and three sets: the types its mode asks for (asked),
 * the types its words ask for (wanted), and the sources worth probing. Words want a type in two
 * ways. They name it (故障 and "incident" want incidents, 偏好 and "prefer" preferences), or they
 * say what will be done: whoever is about to write code should know the constraints, rules and
 * decisions that hold, and whoever goes on with work also its state and the incidents met before.
 * Work wants no preferences by itself: a taste in tea would ride along with every change; they come
 * when named, or by the floor.
 *
 * The text is read with its case, for names and identifiers need it. A text without content words
 * ("继续", "go on") is read together with the end of the dialogue. Time phrases count in the
 * instruction only: a log that mentions "yesterday" asks for no day.
 */
#include "retrieve/stages.h"

#include <string.h>

#include "base/array.h"
#include "text/cue.h"
#include "text/synonyms.h"

#define PROBE_LIMIT 200
#define DEPTH 30
#define TOPICS_MAX 64
#define TOPIC_BYTES_MAX 4096
#define DIALOGUE_TAIL_BYTES 800
#define TOOL_TAIL_BYTES 400
#define VAGUE_BYTES_MAX 90 /* a longer text says something by itself */

/* ---- which types the words want ---- */

#define CONSTRAINTS "project_constraint", "repository_rule"
#define PROFILE "user_preference", "fact"

struct want {
    const char *cue;
    const char *types[6];
};

static const struct want WANTS[] = {
    /* named */
    { "incident*|outage*|postmortem|post-mortem|failure*|failed|fails|failing|error*|crash*|bug|bugs|"
      "broken|broke|exception*|timeout*|is down|stopped|root cause|problem*|issue*|regression*",
      { "incident" } },
    { "故障|事故|报错|出错|错误|异常|崩溃|宕机|挂了|失败|超时|不通|中断|问题|起不来|踩坑|坑|复盘|告警",
      { "incident" } },
    { "decision*|decide*|agreed|agree on|agreement|chosen|chose|settled on|why did we|rationale",
      { "previous_decision" } },
    { "决定|决策|约定|商定|定下|选型|结论|拍板|敲定|为什么选|方案", { "previous_decision" } },
    { "prefer*|preference*|habit*|favourite|favorite|my style|my tone|my usual|i like|i usually|do i like|"
      "do i usually|do i want|do i always",
      { "user_preference" } },
    { "偏好|喜好|风格|习惯|口味|我喜欢|我一般|我通常|我平时|我爱|喜欢用|惯用",
      { "user_preference" } },
    { "rule|rules|constraint*|convention*|guideline*|policy|policies|standard|standards|restriction*|"
      "allowed|forbidden|permitted|must not|compliance",
      { CONSTRAINTS } },
    { "规则|约束|限制|规范|约定|规定|禁止|允许|标准|准则|红线|可以直接", { CONSTRAINTS } },
    { "how to|how do i|how do we|how can i|how can we|how should|steps|procedure*|runbook*|playbook*|"
      "workflow*|process|experience|lessons|instructions|recipe|roll back|rollback",
      { "successful_procedure", "skill" } },
    { "步骤|流程|怎么做|怎么办|如何|怎么处理|怎么解决|怎么回滚|怎么恢复|操作手册|手册|经验|做法|教程|办法|方法|先查|从哪里查|先看哪里",
      { "successful_procedure", "skill" } },
    { "checkpoint|task state|pending|next step*|next action|left off|to do|todo|remaining|progress",
      { "task_state" } },
    { "检查点|断点|任务状态|待办|下一步|进度|没做完|未完成|停下的地方|剩下", { "task_state" } },
    { "summary|summaries|meeting|session|discussed|talked about|conversation",
      { "session_summary", "event" } },
    { "总结|纪要|会议|会话|聊过|讨论过|说过|谈过|提过", { "session_summary", "event" } },
    { "when did|happened|what did|log of|records|history of", { "event", "session_summary" } },
    { "发生|做过|去过|见过|记录", { "event", "session_summary" } },
    /* done */
    { "^implement|build|write|create|develop|code|refactor|add|make|extend|rename|remove|delete|change|"
      "update|modify|migrate|port|fix|deploy|release|test|tidy|clean|configure|set up|install|upgrade",
      { CONSTRAINTS, "previous_decision" } },
    { "^实现|编写|开发|写|新增|新建|添加|加|改|修改|修|重构|删除|删|清理|迁移|部署|发布|上线|升级|配置|安装|测试|创建|生成|搭建|设计",
      { CONSTRAINTS, "previous_decision" } },
    { "^给|在|为 >> 新增|新建|添加|加一|加个|实现|写一|写个|改成|创建|接入",
      { CONSTRAINTS, "previous_decision" } },
};
#define WANT_COUNT (sizeof WANTS / sizeof *WANTS)

static const struct {
    const char *intent;
    const char *types[6];
} INTENT_WANTS[] = {
    { "load_preferences", { "user_preference" } },
    { "load_profile", { PROFILE } },
    { "resume_task", { "task_state" } },
    { "apply_project_rules", { CONSTRAINTS } },
    { "find_previous_fix", { "incident", "successful_procedure", "skill", "previous_decision" } },
    { "reuse_experience", { "successful_procedure", "skill", "incident" } },
    { "resume_implementation", { CONSTRAINTS, "previous_decision", "incident", "task_state" } },
};
#define INTENT_WANT_COUNT (sizeof INTENT_WANTS / sizeof *INTENT_WANTS)

static mn_type_set set_of(const char *const types[6])
{
    mn_type_set set = 0;

    for (size_t i = 0; i < 6 && types[i]; i++) {
        int type = mn_type_find(types[i]);

        if (type != MN_TYPE_NONE)
            set |= MN_TYPE_BIT(type);
    }
    return set;
}

static bool is_of_the_user(const struct mn_gate *gate)
{
    return mn_same(gate->intent, "load_profile");
}

static mn_type_set wanted_types(const char *folded, const struct mn_gate *gate)
{
    static const char *const preference[6] = { "user_preference" };
    mn_type_set wanted = gate->own_ways ? set_of(preference) : 0;
    struct mn_cue_text text = mn_cue_read(folded);

    for (size_t i = 0; i < WANT_COUNT; i++) {
        if (mn_cue_found(&text, WANTS[i].cue))
            wanted |= set_of(WANTS[i].types);
    }
    for (size_t i = 0; i < INTENT_WANT_COUNT; i++) {
        if (mn_same(INTENT_WANTS[i].intent, gate->intent))
            wanted |= set_of(INTENT_WANTS[i].types);
    }
    return wanted;
}

static mn_type_set listed(const struct mneme_list *names)
{
    mn_type_set set = 0;

    for (size_t i = 0; i < names->count; i++) {
        int type = mn_type_find(names->item[i]);

        if (type != MN_TYPE_NONE)
            set |= MN_TYPE_BIT(type);
    }
    return set;
}

/* What the mode asks for. Required types the gate's own guess would leave out are asked all the
 * same: the caller's word stands above a guess. */
static mn_type_set asked_types(const struct mneme_request *request, const struct mn_gate *gate)
{
    static const char *const profile[6] = { PROFILE };
    enum mneme_mode mode = gate->mode;
    mn_type_set asked = mn_types_of_mode(mode);
    mn_type_set required = listed(&request->types_required);

    if (is_of_the_user(gate) && mode == MNEME_MODE_STRUCTURED_ONLY)
        asked = set_of(profile);
    if (required)
        asked = request->mode == MNEME_MODE_AUTO && mode != MNEME_MODE_NONE ? required
                                                                            : asked & required;
    return asked & ~listed(&request->types_excluded);
}

/* A source is worth asking when it may bring an asked type. Rules are asked in every mode; the
 * graph walks by likeness of topic, which is not what a request for exactly known things means. */
static void choose_probes(struct mn_plan *plan, enum mneme_mode mode)
{
    static const unsigned found_by[MN_SOURCE_COUNT] = {
        [MN_SOURCE_STRUCTURED] = MN_FOUND_STRUCTURED,
        [MN_SOURCE_TASK_STATE] = MN_FOUND_TASK,
        [MN_SOURCE_TEXT] = MN_FOUND_TEXT,
        [MN_SOURCE_VECTOR] = MN_FOUND_VECTOR,
        [MN_SOURCE_GRAPH] = MN_FOUND_GRAPH,
    };

    for (int source = 0; source < MN_SOURCE_COUNT; source++)
        plan->probes[source] = (plan->asked & mn_types_found_by(found_by[source])) != 0;
    plan->probes[MN_SOURCE_RULE] = true;
    if (mode == MNEME_MODE_STRUCTURED_ONLY)
        plan->probes[MN_SOURCE_GRAPH] = false;
}

/* ---- the text to search with ---- */

/* Words that only say "on with it", or point at something said before. */
/* clang-format off */
static const char *const ONWARD[] = {
    "继续", "接着", "然后呢", "然后", "下一步", "下一个", "再来", "开始吧", "开始", "就这么做", "就这样做", "按这个来", "照做", "同意",
    "可以", "好的", "好", "嗯", "行", "是的", "对", "没问题", "吧", "呢", "了", "啊", "请", "你", "那", "就", "做", "来",
    "它", "这个", "那个", "刚才", "为什么", "怎么", "怎么做", "如何", "什么", "什么意思", "然后怎么办", "怎么办", "go on",
    "go ahead", "carry on", "continue", "proceed", "next", "next step", "do it", "do that",
    "do so", "keep going", "yes", "yeah", "yep", "ok", "okay", "sure", "please", "and", "then",
    "so", "now", "it", "that", "this", "the", "why", "how", "what", "again", "more", "same",
    "one", "other", "another", "go", "with", "about", "start", "resume", NULL,
};
/* clang-format on */

/* Does the text say nothing by itself? */
static bool is_vague(const char *folded)
{
    size_t bytes = strlen(folded);

    if (bytes > VAGUE_BYTES_MAX)
        return false;
    for (size_t at = 0; at < bytes;) {
        size_t next = at;
        size_t longest = 0;

        if (!mn_cue_is_word_character(mn_utf8_next(folded, bytes, &next))) {
            at = next;
            continue;
        }
        for (size_t i = 0; ONWARD[i]; i++) {
            size_t word = mn_cue_literal_at(folded, folded + at, ONWARD[i]);

            if (word > longest)
                longest = word;
        }
        if (!longest)
            return false;
        at += longest;
    }
    return true;
}

/* The last `bytes_max` bytes, from the beginning of a line or a word where one is near. */
static const char *tail_of(const char *text, size_t bytes_max)
{
    size_t bytes = strlen(text);
    const char *from = text;

    if (bytes <= bytes_max)
        return text;
    from = text + bytes - bytes_max;
    const char *line = strchr(from, '\n');
    if (line && line[1] && (size_t)(line - from) < bytes_max / 2)
        return line + 1;
    while (((unsigned char)*from & 0xc0) == 0x80)
        from++;
    return from;
}

/* The text; behind the end of dialogue and tool results where it says nothing by itself. */
static const char *search_text(const struct mneme_request *request, const char *folded,
                               struct mn_arena *arena)
{
    const char *dialogue = mn_or_empty(request->signals.dialogue);
    const char *results = mn_or_empty(request->signals.tool_results);

    if ((!dialogue[0] && !results[0]) || !is_vague(folded))
        return mn_arena_copy(arena, request->text);
    return mn_arena_printf(arena, "%s%s%s%s%s", tail_of(dialogue, DIALOGUE_TAIL_BYTES),
                           dialogue[0] ? "\n" : "", tail_of(results, TOOL_TAIL_BYTES),
                           results[0] ? "\n" : "", request->text);
}

/* ---- topics ---- */

static bool is_topic(const struct mn_plan *plan, const char *topic)
{
    for (size_t i = 0; i < plan->topic_count; i++) {
        if (strcmp(plan->topics[i], topic) == 0)
            return true;
    }
    return false;
}

static enum mneme_status add_topic(struct mn_plan *plan, struct mn_arena *arena, struct mn_str text,
                                   struct mneme_error *err)
{
    char *topic = mn_text_fold(arena, text.at, text.bytes);

    if (!topic)
        return mn_fail_memory(err);
    if (topic[0] && plan->topic_count < TOPICS_MAX && !is_topic(plan, topic))
        plan->topics[plan->topic_count++] = topic;
    return MNEME_OK;
}

/* Is this folded Latin word more than a stop word? Then it is a term of its own. */
static enum mneme_status has_terms(struct mn_arena *arena, struct mn_str word, bool *ret_has,
                                   struct mneme_error *err)
{
    struct mn_terms terms = { 0 };

    MN_TRY(mn_text_query_terms(arena, word.at, word.bytes, &terms, err));
    *ret_has = terms.count > 0;
    return MNEME_OK;
}

/* Latin words as they are spelled, not their stems: they are looked for in what people wrote. Of a
 * long text the beginning. */
static enum mneme_status add_words(struct mn_plan *plan, struct mn_arena *arena,
                                   struct mneme_error *err)
{
    const char *until = plan->folded + strnlen(plan->folded, TOPIC_BYTES_MAX);

    for (const char *at = plan->folded; at < until && plan->topic_count < TOPICS_MAX;) {
        size_t bytes = 0;
        bool has = false;

        while ((at[bytes] >= 'a' && at[bytes] <= 'z') || (at[bytes] >= '0' && at[bytes] <= '9'))
            bytes++;
        if (bytes >= 2) {
            struct mn_str word = { at, bytes };

            MN_TRY(has_terms(arena, word, &has, err));
            if (has)
                MN_TRY(add_topic(plan, arena, word, err));
        }
        at += bytes ? bytes : 1;
    }
    return MNEME_OK;
}

/* Names and identifiers first, then Han bigrams and exact tokens, then words. */
static enum mneme_status find_topics(struct mn_plan *plan, struct mn_arena *arena,
                                     struct mneme_error *err)
{
    plan->topics = mn_arena_array(arena, const char *, TOPICS_MAX);
    if (!plan->topics)
        return mn_fail_memory(err);
    for (size_t i = 0; i < plan->mentions.count; i++) {
        if (plan->mentions.item[i].kind != MN_MENTION_NUMBER)
            MN_TRY(add_topic(plan, arena, plan->mentions.item[i].text, err));
    }
    for (size_t i = 0; i < plan->terms.count; i++) {
        const struct mn_term *term = &plan->terms.item[i];
        bool is_han = term->text.bytes && (unsigned char)term->text.at[0] >= 0xe0;

        if (term->kind == MN_TERM_EXACT || (term->kind == MN_TERM_WORD && is_han))
            MN_TRY(add_topic(plan, arena, term->text, err));
    }
    return add_words(plan, arena, err);
}

/* ---- the plan ---- */

void mn_plan_read_time(struct mn_plan *plan, int64_t now_ms, const char *zone)
{
    plan->zone = zone;
    plan->when = mn_when_find(plan->time_text, now_ms, zone);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

enum mneme_status mn_plan_make(const struct mneme_request *request, const struct mn_access *access,
                               const struct mn_gate *gate, struct mn_arena *arena,
                               struct mn_plan *ret_plan, struct mneme_error *err)
{
    char *folded = mn_text_fold(arena, request->text, strlen(request->text));
    struct mn_plan plan = {
        .after_ms = request->after_ms,
        .before_ms = request->before_ms,
        .depth = larger(larger(DEPTH, request->depth), request->items_max),
        .intent = gate->intent,
        .is_statement = gate->is_statement,
        .own_ways = gate->own_ways,
        .of_the_user = is_of_the_user(gate),
    };

    plan.probe_limit = larger(PROBE_LIMIT, plan.depth);
    plan.time_text = mn_text_fold(arena, gate->instruction.at, gate->instruction.bytes);
    if (!folded || !plan.time_text)
        return mn_fail_memory(err);
    plan.search_text = search_text(request, folded, arena);
    if (!plan.search_text)
        return mn_fail_memory(err);
    plan.folded = mn_text_fold(arena, plan.search_text, strlen(plan.search_text));
    if (!plan.folded)
        return mn_fail_memory(err);
    MN_TRY(
        mn_text_query_terms(arena, plan.search_text, strlen(plan.search_text), &plan.terms, err));
    MN_TRY(mn_synonyms_common(arena, plan.folded, &plan.terms, err));
    plan.language = mn_text_language(plan.search_text, strlen(plan.search_text));
    MN_TRY(mn_mention_find(arena, plan.search_text, &plan.mentions, err));
    plan.inquiry = mn_inquiry_read(plan.search_text);
    mn_plan_read_time(&plan, request->now_ms ? request->now_ms : access->at_ms,
                      mn_or_empty(request->identity.timezone));
    plan.asked = asked_types(request, gate);
    plan.wanted = wanted_types(plan.time_text, gate) & plan.asked;
    choose_probes(&plan, gate->mode);
    MN_TRY(find_topics(&plan, arena, err));
    *ret_plan = plan;
    return MNEME_OK;
}
