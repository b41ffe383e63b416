/*
 * describe.c - which decision does a sentence answer, and how?
 *
 * A small table of sentence beginnings in both languages knows the keys that everyone has: name,
 * city, employer, time zone, languages, answer style, favourites, which tool for what; preference.c
 * those of what somebody prefers and likes, schedule.c those of when and where a thing takes place,
 * attribute.c those of what a thing is, where it is and how much of it there is. Two sentences with one
 * key are versions of each other, so that "I live in Rome" ends "I live in Paris"; a key given wrongly
 * would end what still holds. Therefore the rules are narrow: a beginning at the start of a clause, a short value of the expected kind (a capital for names and places, a word from a
 * list for languages), nothing else. A sentence that no rule knows has no key, and is no worse for
 * it: it is found by its words.
 *
 * Entities are the identifiers and names that the text mentions.
 */
#include "remember/draft.h"

#include <string.h>

#include "base/array.h"
#include "memory/type.h"
#include "remember/attribute.h"
#include "remember/preference.h"
#include "remember/schedule.h"
#include "remember/value.h"
#include "remember/wording.h"
#include "text/cue.h"
#include "text/fold.h"
#include "text/letters.h"
#include "text/mention.h"
#include "text/when.h"

#define ENTITIES_MAX 8
#define ENTITY_BYTES_MAX 60

enum kind {
    KIND_NAMED = 1,   /* begins with a capital, a digit or is Chinese */
    KIND_ZONE,        /* an IANA zone */
    KIND_TONGUE,      /* a language people speak */
    KIND_STYLE        /* of answers */
};

struct rule {
    const char *before; /* at the start of a clause */
    const char *after;  /* what must follow the value: "工作"; NULL: the end of the clause */
    const char *key;
    enum kind kind;
    bool states;
};

/* clang-format off */
static const struct rule rules[] = {
    { "my name is", NULL, "user.name", KIND_NAMED, true },
    { "the user's name is", NULL, "user.name", KIND_NAMED, true },
    { "call me", NULL, "user.name", KIND_NAMED, true },
    { "i live in", NULL, "user.city", KIND_NAMED, true },
    { "i now live in", NULL, "user.city", KIND_NAMED, true },
    { "i'm living in", NULL, "user.city", KIND_NAMED, true },
    { "i'm based in", NULL, "user.city", KIND_NAMED, true },
    { "i am based in", NULL, "user.city", KIND_NAMED, true },
    { "i moved to", NULL, "user.city", KIND_NAMED, true },
    { "i've moved to", NULL, "user.city", KIND_NAMED, true },
    { "i have moved to", NULL, "user.city", KIND_NAMED, true },
    { "i just moved to", NULL, "user.city", KIND_NAMED, true },
    { "the user lives in", NULL, "user.city", KIND_NAMED, true },
    { "the user now lives in", NULL, "user.city", KIND_NAMED, true },
    { "the user moved to", NULL, "user.city", KIND_NAMED, true },
    { "user lives in", NULL, "user.city", KIND_NAMED, true },
    { "i work at", NULL, "user.employer", KIND_NAMED, true },
    { "i work for", NULL, "user.employer", KIND_NAMED, true },
    { "i now work at", NULL, "user.employer", KIND_NAMED, true },
    { "i now work for", NULL, "user.employer", KIND_NAMED, true },
    { "the user works at", NULL, "user.employer", KIND_NAMED, true },
    { "the user works for", NULL, "user.employer", KIND_NAMED, true },
    { "my time zone is", NULL, "user.timezone", KIND_ZONE, true },
    { "my timezone is", NULL, "user.timezone", KIND_ZONE, true },
    { "the user's time zone is", NULL, "user.timezone", KIND_ZONE, true },
    { "answer in", NULL, "user.answer_language", KIND_TONGUE, false },
    { "answer me in", NULL, "user.answer_language", KIND_TONGUE, false },
    { "always answer in", NULL, "user.answer_language", KIND_TONGUE, false },
    { "reply in", NULL, "user.answer_language", KIND_TONGUE, false },
    { "always reply in", NULL, "user.answer_language", KIND_TONGUE, false },
    { "respond in", NULL, "user.answer_language", KIND_TONGUE, false },
    { "i prefer answers in", NULL, "user.answer_language", KIND_TONGUE, true },
    { "keep answers", NULL, "user.answer_style", KIND_STYLE, false },
    { "keep your answers", NULL, "user.answer_style", KIND_STYLE, false },
    { "keep replies", NULL, "user.answer_style", KIND_STYLE, false },
    { "answers should be", NULL, "user.answer_style", KIND_STYLE, false },
    { "i prefer", "answers", "user.answer_style", KIND_STYLE, true },
    { "i like", "answers", "user.answer_style", KIND_STYLE, true },

    { "我的名字是", NULL, "user.name", KIND_NAMED, true },
    { "我的名字叫", NULL, "user.name", KIND_NAMED, true },
    { "我叫", NULL, "user.name", KIND_NAMED, true },
    { "我住在", NULL, "user.city", KIND_NAMED, true },
    { "我现在住在", NULL, "user.city", KIND_NAMED, true },
    { "我搬到了", NULL, "user.city", KIND_NAMED, true },
    { "我搬到", NULL, "user.city", KIND_NAMED, true },
    { "我已经搬到", NULL, "user.city", KIND_NAMED, true },
    { "用户住在", NULL, "user.city", KIND_NAMED, true },
    { "我在", "工作", "user.employer", KIND_NAMED, true },
    { "我在", "上班", "user.employer", KIND_NAMED, true },
    { "我的时区是", NULL, "user.timezone", KIND_ZONE, true },
    { "用", "回答", "user.answer_language", KIND_TONGUE, false },
    { "用", "回复", "user.answer_language", KIND_TONGUE, false },
    { "用", "交流", "user.answer_language", KIND_TONGUE, false },
    { "以后都用", "回答", "user.answer_language", KIND_TONGUE, false },
    { "以后都用", "回复", "user.answer_language", KIND_TONGUE, false },
    { "以后用", "回答", "user.answer_language", KIND_TONGUE, false },
    { "以后请用", "回答", "user.answer_language", KIND_TONGUE, false },
    { "今后都用", "回答", "user.answer_language", KIND_TONGUE, false },
    { "都用", "回答", "user.answer_language", KIND_TONGUE, false },
    { "都用", "回复", "user.answer_language", KIND_TONGUE, false },
    { "请用", "回答", "user.answer_language", KIND_TONGUE, false },
    { "请用", "回复", "user.answer_language", KIND_TONGUE, false },
    { "我喜欢", "回答", "user.answer_style", KIND_STYLE, true },
    { "我更喜欢", "回答", "user.answer_style", KIND_STYLE, true },
    { "我偏好", "回答", "user.answer_style", KIND_STYLE, true },
    { "回答要", NULL, "user.answer_style", KIND_STYLE, false },
    { "回答请", NULL, "user.answer_style", KIND_STYLE, false },
    { "回答尽量", NULL, "user.answer_style", KIND_STYLE, false },
};

/* One spelling each: the first of its row. */
static const char *const tongues[][6] = {
    { "chinese", "mandarin", "中文", "汉语", "普通话", NULL },
    { "english", "英文", "英语", NULL }, { "german", "deutsch", "德语", "德文", NULL },
    { "french", "法语", "法文", NULL }, { "spanish", "西班牙语", NULL },
    { "japanese", "日语", "日文", NULL }, { "korean", "韩语", "韩文", NULL },
    { "italian", "意大利语", NULL }, { "portuguese", "葡萄牙语", NULL },
    { "russian", "俄语", "俄文", NULL }, { "dutch", NULL }, { "polish", NULL },
};
static const char *const styles[][6] = {
    { "concise", "short", "brief", "简短", "简洁", NULL },
    { "detailed", "long", "thorough", "详细", "详尽", NULL },
};
static const char *const no_names[] = { "这里", "这儿", "那里", "那儿", "哪里", "哪", "你", "他", "她",
                                        "它", "家", "什么", "楼上", "楼下", "附近", "当下", "过去", "梦", "了", "过", "车", "外卖",
                                        "醒", "停", "住", "不", "人", "一声", "起", "得", "路上", "公司", "学校", "医院", "酒店", NULL };
/* clang-format on */

/* ---- values ---- */

static bool is_named(const struct mn_wording *w, struct mn_value v)
{
    unsigned char first = (unsigned char)w->text[v.from];

    if (first < 0x80)
        return mn_letter_upper((char)first);
    return v.until - v.from <= 30 && !mn_wording_any(w->lower, v.from, no_names);
}

/* The value as it is kept; NULL when it is not of the kind. */
static const char *value_of(struct mn_arena *arena, const struct mn_wording *w, struct mn_value v,
                            enum kind kind)
{
    char *text = mn_arena_copy_n(arena, w->text + v.from, v.until - v.from);

    if (!text)
        return NULL;
    switch (kind) {
    case KIND_NAMED:
        return is_named(w, v) ? text : NULL;
    case KIND_ZONE:
        if (!strcmp(text, "北京时间"))
            return "Asia/Shanghai";
        return mn_when_zone_known(text) ? text : NULL;
    case KIND_TONGUE:
        for (size_t i = 0; i < sizeof tongues / sizeof *tongues; i++)
            if (mn_value_one_of(w, v, tongues[i]))
                return tongues[i][0];
        return NULL;
    case KIND_STYLE:
        for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
            if (mn_value_one_of(w, v, styles[i]))
                return styles[i][0];
        return NULL;
    }
    return NULL;
}

/* ---- keys ---- */

static bool key_by_rule(struct mn_arena *arena, const struct mn_wording *w, size_t at,
                        struct mn_keyed *ret_keyed)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const struct rule *r = &rules[i];
        size_t bytes = mn_cue_literal_at(w->lower, w->lower + at, r->before);
        const char *value;
        struct mn_value v;

        if (!bytes || !mn_value_find(w, at + bytes, r->after, &v))
            continue;
        value = value_of(arena, w, v, r->kind);
        if (!value)
            continue;
        *ret_keyed = (struct mn_keyed){ r->key, value, r->states };
        return true;
    }
    return false;
}

/* "我从巴黎搬到了罗马". Not "I moved from": tools are moved from as well. */
static bool key_by_move(struct mn_arena *arena, const struct mn_wording *w, size_t at,
                        struct mn_keyed *ret_keyed)
{
    static const char *const from[] = { "我从", "我已经从", "用户从", NULL };
    static const char moved[] = "搬到", done[] = "了";
    size_t bytes = mn_wording_any(w->lower, at, from);
    struct mn_value left, v;

    if (!bytes || !mn_value_find(w, at + bytes, moved, &left) || !is_named(w, left))
        return false;
    at = left.until + sizeof moved - 1;
    at += strncmp(w->lower + at, done, sizeof done - 1) == 0 ? sizeof done - 1 : 0;
    if (!mn_value_find(w, at, NULL, &v) || !is_named(w, v))
        return false;
    ret_keyed->key = "user.city";
    ret_keyed->value = mn_arena_copy_n(arena, w->text + v.from, v.until - v.from);
    ret_keyed->states = true;
    return ret_keyed->value != NULL;
}

/* "my favourite editor is Vim", "我最喜欢的编辑器是 Vim" */
static bool key_by_favourite(struct mn_arena *arena, const struct mn_wording *w, size_t at,
                             struct mn_keyed *ret_keyed)
{
    static const char *const mine[] = { "my favourite", "my favorite", "the user's favourite",
                                        "the user's favorite", "我最喜欢的", NULL };
    size_t bytes = mn_wording_any(w->lower, at, mine);
    size_t end = mn_wording_end(w->lower, at);
    const char *is = NULL;
    const char *what;
    struct mn_value v;

    if (!bytes)
        return false;
    is = strstr(w->lower + at + bytes, " is ");
    if (!is)
        is = strstr(w->lower + at + bytes, "是");
    if (!is || (size_t)(is - w->lower) >= end ||
        !mn_value_find(w, (size_t)(is - w->lower) + (is[0] == ' ' ? 4 : 3), NULL, &v))
        return false;
    what = mn_key_part(arena, w->lower + at + bytes, (size_t)(is - w->lower) - at - bytes);
    ret_keyed->key = what ? mn_arena_printf(arena, "user.favourite.%s", what) : NULL;
    ret_keyed->value = mn_arena_copy_n(arena, w->text + v.from, v.until - v.from);
    ret_keyed->states = true;
    return ret_keyed->key && ret_keyed->value;
}

/* "use pnpm for package management" */
static bool key_by_tool(struct mn_arena *arena, const struct mn_wording *w, size_t at,
                        struct mn_keyed *ret_keyed)
{
    static const char *const uses[] = { "use", "always use", "we use", "i use", "please use",
                                        "let's use", "we will use", "we'll use", NULL };
    static const char *const pronouns[] = { "it", "this", "that", "them", "these", "those", NULL };
    size_t bytes = mn_wording_any(w->lower, at, uses);
    const char *context;
    struct mn_value v;

    if (!bytes || !mn_value_find(w, at + bytes, NULL, &v) ||
        strncmp(w->lower + v.until, " for ", 5) != 0 || v.until - v.from > 30)
        return false;
    if (mn_wording_any(w->lower, v.from, pronouns))
        return false;
    context = mn_key_context(arena, w, v.until);
    ret_keyed->key = context ? mn_arena_printf(arena, "tool.%s", context) : NULL;
    ret_keyed->value = mn_arena_copy_n(arena, w->text + v.from, v.until - v.from);
    ret_keyed->states = false;
    return ret_keyed->key && ret_keyed->value;
}

/* "包管理统一用 pnpm": some Chinese, 用, and a name in Latin letters to the end of the clause. */
static bool key_by_chinese_tool(struct mn_arena *arena, const struct mn_wording *w, size_t at,
                                struct mn_keyed *ret_keyed)
{
    static const char *const uses[] = { "统一用", "一律用", "默认用", "都用", "改用", "用", NULL };
    static const char *const whose[] = { "我", "你", "他", "她", "以后", "不", "别", "请", "其实",
                                         "决定", "最后", "最终", "现在", NULL };
    size_t end = mn_wording_end(w->lower, at);

    if (mn_wording_any(w->lower, at, whose))
        return false;

    for (size_t i = at; i < end && i - at <= 24; i++) {
        size_t bytes = mn_wording_any(w->lower, i, uses);
        struct mn_value v;

        if (!bytes)
            continue;
        if (i == at || !mn_value_find(w, i + bytes, NULL, &v) ||
            !mn_letter_plain(w->lower[v.from]) || v.until != end)
            return false;
        for (size_t k = v.from; k < v.until; k++)
            if ((unsigned char)w->lower[k] >= 0x80)
                return false;
        for (size_t k = at; k < i; k++)
            if ((unsigned char)w->lower[k] < 0x80 && w->lower[k] != ' ' &&
                !mn_letter_plain(w->lower[k]))
                return false;
        const char *what = mn_key_part(arena, w->lower + at, i - at);
        ret_keyed->key = what ? mn_arena_printf(arena, "tool.%s", what) : NULL;
        ret_keyed->value = mn_arena_copy_n(arena, w->text + v.from, v.until - v.from);
        ret_keyed->states = false;
        return ret_keyed->key && ret_keyed->value;
    }
    return false;
}

/* Keys are compared as they are, so that one in full width, or with something invisible within, would be
 * another: where folding changes the length, what is read is the folded sentence. */
static struct mn_wording plain_wording(struct mn_arena *arena, const char *sentence)
{
    struct mn_str said = mn_str_of(sentence);
    struct mn_str plain = mn_fold_cased(arena, said.at, said.bytes);

    if (!plain.at)
        return (struct mn_wording){ NULL, NULL, 0 };
    return mn_wording_of(arena, plain.bytes == said.bytes ? said : plain);
}

/* Where the clause begins behind words that change nothing of what it says. */
static size_t behind_leads(const struct mn_wording *w, size_t at)
{
    static const char *const leads[] = { "actually", "in fact", "well", "so", "oh", "by the way",
                                         "btw", "fyi", "as it happens", "其实", "实际上", "事实上",
                                         "对了", "顺便说一下", "顺便说", NULL };
    size_t bytes;

    while ((bytes = mn_wording_any(w->lower, at, leads))) {
        at += bytes;
        at += strspn(w->lower + at, " ");
    }
    return at;
}

/* The next clause of the sentence behind `at`. */
static size_t next_clause(const struct mn_wording *w, size_t at)
{
    return behind_leads(w, mn_wording_clause(w->lower, at));
}

bool mn_key_of(struct mn_arena *arena, const char *sentence, struct mn_keyed *ret_keyed)
{
    struct mn_wording w = plain_wording(arena, sentence);
    struct mn_keyed keyed = { NULL, NULL, false };
    size_t first = w.text ? behind_leads(&w, 0) : 0;

    for (size_t at = first; w.text && at < w.bytes; at = next_clause(&w, at)) {
        if (key_by_rule(arena, &w, at, &keyed) || key_by_move(arena, &w, at, &keyed) ||
            key_by_favourite(arena, &w, at, &keyed) ||
            mn_key_of_preference(arena, &w, at, &keyed) || key_by_tool(arena, &w, at, &keyed) ||
            key_by_chinese_tool(arena, &w, at, &keyed) ||
            mn_key_of_schedule(arena, &w, at, &keyed)) {
            *ret_keyed = keyed;
            return true;
        }
    }
    /* What is said beside it tells more than what is over: "I no longer use Rust, I prefer Go". */
    for (size_t at = first; w.text && at < w.bytes; at = next_clause(&w, at)) {
        if (mn_key_of_denial(arena, &w, at, &keyed)) {
            *ret_keyed = keyed;
            return true;
        }
    }
    if (w.text && (mn_key_of_liking(arena, &w, &keyed) || mn_key_of_attribute(arena, &w, &keyed))) {
        *ret_keyed = keyed;
        return true;
    }
    return false;
}

bool mn_key_is_schedule(const char *key)
{
    return key && !strncmp(key, MN_KEY_SCHEDULE, strlen(MN_KEY_SCHEDULE));
}

bool mn_key_is_attribute(const char *key)
{
    return key && !strncmp(key, MN_KEY_ATTRIBUTE, strlen(MN_KEY_ATTRIBUTE));
}

bool mn_key_known(const char *key)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!strcmp(rules[i].key, key))
            return true;
    return false;
}

/* ---- the memory ---- */

static bool has_entity(const char *const *list, size_t count, struct mn_str text)
{
    for (size_t i = 0; i < count; i++)
        if (mn_str_equal(mn_str_of(list[i]), text))
            return true;
    return false;
}

static enum mneme_status find_entities(const char *content, struct mn_arena *arena,
                                       struct mneme_list *ret_entities, struct mneme_error *err)
{
    const char **entities = mn_arena_array(arena, const char *, ENTITIES_MAX);
    struct mn_mentions mentions = { 0 };
    size_t count = 0;

    if (!entities)
        return mn_fail_memory(err);
    MN_TRY(mn_mention_find(arena, content, &mentions, err));
    for (size_t i = 0; i < mentions.count && count < ENTITIES_MAX; i++) {
        const struct mn_mention *m = &mentions.item[i];

        if ((m->kind != MN_MENTION_IDENTIFIER && m->kind != MN_MENTION_NAME) ||
            m->text.bytes > ENTITY_BYTES_MAX || has_entity(entities, count, m->text))
            continue;
        entities[count] = mn_arena_copy_n(arena, m->text.at, m->text.bytes);
        if (!entities[count++])
            return mn_fail_memory(err);
    }
    *ret_entities = (struct mneme_list){ entities, count };
    return MNEME_OK;
}

/* Keys of the user fit his own memories alone; of what a thing is, what holds and did not just happen. */
static bool fits(const struct mneme_memory *memory, const char *key)
{
    return mn_key_is_attribute(key) ? mn_type_of(memory->type)->kind == MN_KIND_SEMANTIC
                                    : memory->scope_kind == MNEME_SCOPE_USER;
}

enum mneme_status mn_describe(struct mneme_memory *memory, struct mn_arena *arena,
                              struct mneme_error *err)
{
    struct mn_keyed keyed;

    if (mn_empty(memory->memory_key) && mn_empty(memory->value) &&
        mn_key_of(arena, memory->content, &keyed) && fits(memory, keyed.key)) {
        memory->memory_key = keyed.key;
        memory->value = keyed.value;
    }
    if (!memory->entities.count)
        MN_TRY(find_entities(memory->content, arena, &memory->entities, err));
    return MNEME_OK;
}
