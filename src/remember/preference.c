/*
 * preference.c - what somebody prefers, likes, and does no longer.
 *
 * Who prefers the one of two opposites does not prefer the other, so that both answer one key, and so
 * do both orders of two things of which one is preferred ("tea over coffee"); who likes a thing may
 * like another as well, so that each thing has a key of its own, and only scales whose ends exclude
 * each other have one key for liking, too. What holds no longer answers the key of what it ends, with
 * a value that says so: the statement before it is then its former version, and does not come back.
 * Of another value of the same key it says nothing (dedupe.c).
 */
#include "remember/preference.h"

#include <string.h>

#include "base/str.h"
#include "remember/value.h"

/* clang-format off */
/* The longer first. */
static const char *const prefers[] = {
    "i prefer", "i now prefer", "actually i prefer", "i really prefer", "i'd rather have",
    "i would rather have", "the user prefers", "user prefers",
    "我现在更喜欢用", "我现在更喜欢", "其实我更喜欢用", "其实我更喜欢", "我其实更喜欢用", "我其实更喜欢",
    "我还是更喜欢", "我更喜欢用", "我更喜欢", "我偏好用", "我偏好", "我偏爱", "我习惯用", "用户更喜欢", "用户偏好", NULL
};
static const char *const likes[] = {
    "i like", "i really like", "i also like", "the user likes", "user likes",
    "我很喜欢", "我也喜欢", "我喜欢用", "我喜欢", "用户喜欢", NULL
};
static const char *const prefers_no_longer[] = {
    "i no longer prefer", "i no longer want", "i no longer use", "the user no longer prefers",
    "我不再偏好", "我不再更喜欢", "我不再使用", "我不再用", "我已经不用", "我不再习惯用", "用户不再偏好", NULL
};
static const char *const likes_no_longer[] = {
    "i no longer like", "i don't like", "i do not like", "the user no longer likes",
    "我不再喜欢用", "我不再喜欢", "我已经不喜欢", "我现在不喜欢", "我不喜欢", "用户不再喜欢", NULL
};
static const char *const codes[] = {
    "python", "go", "golang", "rust", "java", "c", "c++", "c#", "javascript", "typescript",
    "kotlin", "swift", "ruby", "php", "scala", "haskell", "elixir", "erlang", "zig", "lua", "perl",
    "julia", "dart", "r", "ocaml", "clojure", NULL,
};
static const char *const pronouns[] = {
    "it", "this", "that", "them", "these", "those", "you", "him", "her", "how", "when", "what", "your", "his", "not",
    "它", "这", "那", "你", "他", "她", "什么", "怎么", NULL
};
static const char *const articles[] = { "the", "a", "an", "my", "to have", "to use", NULL };
/* clang-format on */

static size_t behind_blank(const char *lower, size_t at)
{
    return at + (lower[at] == ' ');
}

/* ---- the one rather than the other ---- */

/* clang-format off */
/* Between what is preferred and what it is preferred to. */
static const char *const rather_than[] = {
    " over ", " rather than ", " instead of ", " more than ", " better than ", " than ", " to ",
    "胜过", "多过", "多于", "而不是", NULL
};
/* What is preferred comes last: "比起咖啡我更喜欢茶". */
static const char *const compared_with[] = { "比起", "相比于", "相比", "与其", NULL };
/* clang-format on */

/* "talking to people" compares nothing, "reading to watching TV" does. */
static bool is_doing(const char *from, const char *end)
{
    size_t bytes = strcspn(from, " ");

    return bytes > 3 && from + bytes <= end && !strncmp(from + bytes - 3, "ing", 3);
}

static bool to_compares(const char *from, const char *to, const char *end)
{
    const char *other = to + strlen(" to ");

    return strncmp(from, "to ", 3) != 0 && (!is_doing(from, to) || is_doing(other, end));
}

/* Where the clause parts in two that are compared; NULL: nowhere. Of several places the first. */
static const char *parted_at(const char *lower, size_t at, const char **ret_link)
{
    const char *first = NULL, *end = lower + mn_wording_end(lower, at);

    for (size_t i = 0; rather_than[i]; i++) {
        const char *found = strstr(lower + at, rather_than[i]);

        if (found && found < end && (!first || found < first) &&
            (strcmp(rather_than[i], " to ") != 0 || to_compares(lower + at, found, end))) {
            first = found;
            *ret_link = rather_than[i];
        }
    }
    return first;
}

static const char *thing_part(struct mn_arena *arena, const struct mn_wording *w, struct mn_value v)
{
    size_t bytes = mn_wording_any(w->lower, v.from, articles);

    v.from = bytes && w->lower[v.from + bytes] == ' ' ? v.from + bytes + 1 : v.from;
    return v.from < v.until && !mn_wording_any(w->lower, v.from, pronouns)
               ? mn_key_part(arena, w->lower + v.from, v.until - v.from)
               : NULL;
}

/* One key for both orders; the context is what follows the later of the two. */
static bool keyed_by_both(struct mn_arena *arena, const struct mn_wording *w, struct mn_value wanted,
                          struct mn_value other, struct mn_keyed *ret_keyed)
{
    const char *preferred = thing_part(arena, w, wanted), *left = thing_part(arena, w, other);
    const char *context = mn_key_context(
        arena, w, wanted.until > other.until ? wanted.until : other.until);

    if (!preferred || !left || mn_same(preferred, left))
        return false;
    bool in_order = strcmp(preferred, left) < 0;
    *ret_keyed = (struct mn_keyed){
        mn_arena_printf(arena, "user.preference.%s_or_%s%s%s", in_order ? preferred : left,
                        in_order ? left : preferred, context ? "." : "", mn_or_empty(context)),
        preferred, true
    };
    return ret_keyed->key != NULL;
}

/* "tea over coffee", "茶胜过咖啡", behind the beginning. Who likes goes "to" somewhere. */
static bool key_of_rather(struct mn_arena *arena, const struct mn_wording *w, size_t at,
                          bool merely_liked, struct mn_keyed *ret_keyed)
{
    const char *link = NULL;
    const char *parted = parted_at(w->lower, behind_blank(w->lower, at), &link);
    struct mn_value wanted, other;

    if (!parted || (merely_liked && mn_same(link, " to ")))
        return false;
    size_t from = (size_t)(parted - w->lower);
    return mn_value_find(w, at, link, &wanted) && wanted.until == from &&
           mn_value_find(w, from + strlen(link), NULL, &other) &&
           keyed_by_both(arena, w, wanted, other, ret_keyed);
}

/* "比起咖啡，我更喜欢茶", from its beginning. */
static bool key_of_compared(struct mn_arena *arena, const struct mn_wording *w, size_t at,
                            struct mn_keyed *ret_keyed)
{
    size_t bytes = mn_wording_any(w->lower, at, compared_with);
    struct mn_value wanted, other;

    if (!bytes)
        return false;
    for (size_t i = at + bytes; i < w->bytes; i++) {
        size_t behind = mn_wording_any(w->lower, i, prefers);

        if (!behind)
            continue;
        size_t until = i < mn_wording_end(w->lower, at) ? i : mn_wording_end(w->lower, at);
        other = (struct mn_value){ at + bytes, until };
        return mn_value_find(w, i + behind, NULL, &wanted) &&
               keyed_by_both(arena, w, wanted, other, ret_keyed);
    }
    return false;
}

/* ---- a programming language ---- */

/* "Python for scripts", "Go 写后端", behind the beginning. */
static bool key_of_code(struct mn_arena *arena, const struct mn_wording *w, size_t at,
                        struct mn_keyed *ret_keyed)
{
    const char *key = "user.programming_language";
    struct mn_value v;

    if (!mn_value_find(w, at, NULL, &v))
        return false;
    const char *value = mn_value_one_of(w, v, codes);
    if (!value)
        return false;
    if (mn_same(value, "golang"))
        value = "go";
    size_t behind = v.until;
    if (!strncmp(w->lower + behind_blank(w->lower, behind), "语言", strlen("语言")))
        behind = behind_blank(w->lower, behind) + strlen("语言");
    /* "Go over Rust for services": what it is for stands behind the other. */
    const char *link = NULL;
    if (parted_at(w->lower, at, &link) == w->lower + behind &&
        mn_value_find(w, behind + strlen(link), NULL, &v))
        behind = v.until;
    const char *context = mn_key_context(arena, w, behind);
    if (context)
        key = mn_arena_printf(arena, "%s.%s", key, context);
    *ret_keyed = (struct mn_keyed){ key, value, true };
    return key != NULL;
}

/* ---- which of two opposites ---- */

/* One scale and its ends. A word is looked for in the longest spelling first. */
struct scale {
    const char *name; /* part of the key */
    struct {
        const char *value;
        const char *words[7];
    } end[3];
    bool is_a_thing; /* the word is what is preferred, not how a thing is */
    bool excludes;   /* who merely likes the one does not like the other */
};

/* clang-format off */
static const struct scale scales[] = {
    { "length", { { "short", { "short", "brief", "concise", "terse", "简短", "简洁", NULL } },
                  { "long", { "long", "detailed", "verbose", "详细", "详尽", "长", NULL } } }, false, true },
    { "theme", { { "dark", { "dark", "深色", "暗色", "暗黑", NULL } },
                 { "light", { "light", "浅色", "亮色", NULL } } }, false, true },
    { "size", { { "small", { "small", "tiny", "小", NULL } },
                { "big", { "big", "large", "大", NULL } } }, false, false },
    { "manner", { { "manual", { "manual", "手动", "人工", NULL } },
                  { "automatic", { "automatic", "automated", "自动", NULL } } }, false, false },
    { "strictness", { { "strict", { "strict", "严格", NULL } },
                      { "lenient", { "lenient", "loose", "relaxed", "宽松", NULL } } }, false, false },
    { "tone", { { "formal", { "formal", "正式", NULL } },
                { "casual", { "informal", "casual", "随意", "口语化", NULL } } }, false, true },
    { "time", { { "morning", { "morning", "early", "上午", "早上", NULL } },
                { "afternoon", { "afternoon", "下午", NULL } },
                { "evening", { "evening", "late", "晚上", NULL } } }, false, false },
    { "often", { { "daily", { "daily", "每天", "每日", NULL } },
                 { "weekly", { "weekly", "每周", NULL } },
                 { "monthly", { "monthly", "每月", NULL } } }, false, false },
    { "temperature", { { "hot", { "hot", "热", NULL } },
                       { "cold", { "cold", "iced", "冷", "冰", NULL } } }, false, false },
    { "indentation", { { "tabs", { "tabs", "制表符", NULL } },
                       { "spaces", { "spaces", "空格", NULL } } }, true, true },
};
/* clang-format on */

/* The scale one of whose words stands at `at`; its value, and where the word ends. */
static const struct scale *scale_at(const char *lower, size_t at, const char **ret_value,
                                    size_t *ret_end)
{
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        for (size_t e = 0; e < 3 && scales[i].end[e].value; e++) {
            size_t bytes = mn_wording_any(lower, at, scales[i].end[e].words);

            if (!bytes)
                continue;
            *ret_value = scales[i].end[e].value;
            *ret_end = at + bytes;
            return &scales[i];
        }
    }
    return NULL;
}

/* "short commit messages", "深色主题", behind the beginning: the thing and the scale are the key. */
static bool key_of_opposite(struct mn_arena *arena, const struct mn_wording *w, size_t at,
                            bool merely_liked, struct mn_keyed *ret_keyed)
{
    const char *thing = "", *value = NULL;
    size_t behind = 0;
    struct mn_value v;

    at = behind_blank(w->lower, at);
    size_t bytes = mn_wording_any(w->lower, at, articles);
    at = bytes ? behind_blank(w->lower, at + bytes) : at;
    const struct scale *scale = scale_at(w->lower, at, &value, &behind);
    if (!scale || (merely_liked && !scale->excludes))
        return false;
    if (!strncmp(w->lower + behind, "的", strlen("的")))
        behind += strlen("的");
    if (mn_value_ends(w->lower, behind) || !mn_value_find(w, behind, NULL, &v))
        v = (struct mn_value){ behind, behind };
    if ((v.until > v.from) == scale->is_a_thing)
        return false;
    if (v.until > v.from)
        thing = mn_key_part(arena, w->lower + v.from, v.until - v.from);
    const char *context = mn_key_context(arena, w, v.until);
    if (!thing)
        return false;
    *ret_keyed = (struct mn_keyed){
        mn_arena_printf(arena, "user.preference.%s%s%s%s%s", thing, *thing ? "." : "", scale->name,
                        context ? "." : "", mn_or_empty(context)),
        value, true
    };
    return ret_keyed->key != NULL;
}

bool mn_key_of_preference(struct mn_arena *arena, const struct mn_wording *w, size_t at,
                          struct mn_keyed *ret_keyed)
{
    size_t bytes = mn_wording_any(w->lower, at, prefers);

    if (bytes)
        return key_of_code(arena, w, at + bytes, ret_keyed) ||
               key_of_opposite(arena, w, at + bytes, false, ret_keyed) ||
               key_of_rather(arena, w, at + bytes, false, ret_keyed);
    bytes = mn_wording_any(w->lower, at, likes);
    if (bytes)
        return key_of_opposite(arena, w, at + bytes, true, ret_keyed) ||
               key_of_rather(arena, w, at + bytes, true, ret_keyed);
    return key_of_compared(arena, w, at, ret_keyed);
}

/* ---- no longer ---- */

bool mn_key_of_denial(struct mn_arena *arena, const struct mn_wording *w, size_t at,
                      struct mn_keyed *ret_keyed)
{
    size_t bytes = mn_wording_any(w->lower, at, prefers_no_longer);
    struct mn_keyed denied;

    if (bytes) {
        if (!key_of_code(arena, w, at + bytes, &denied) &&
            !key_of_opposite(arena, w, at + bytes, false, &denied))
            return false;
    } else {
        bytes = mn_wording_any(w->lower, at, likes_no_longer);
        if (!bytes || !key_of_opposite(arena, w, at + bytes, true, &denied))
            return false;
    }
    denied.value = mn_arena_printf(arena, "%s%s", MN_VALUE_DENIES, denied.value);
    if (!denied.value)
        return false;
    *ret_keyed = denied;
    return true;
}

/* ---- liking ---- */

bool mn_key_of_liking(struct mn_arena *arena, const struct mn_wording *w,
                      struct mn_keyed *ret_keyed)
{
    const char *value = "yes";
    size_t bytes = mn_wording_any(w->lower, 0, likes);
    struct mn_value v;

    if (!bytes)
        bytes = mn_wording_any(w->lower, 0, prefers);
    if (!bytes) {
        bytes = mn_wording_any(w->lower, 0, likes_no_longer);
        value = "no";
    }
    if (!bytes || !mn_value_find(w, bytes, NULL, &v) ||
        mn_wording_any(w->lower, v.from, pronouns) || !mn_wording_is_all(w->lower, v.until))
        return false;
    const char *thing = mn_key_part(arena, w->lower + v.from, v.until - v.from);
    if (!thing)
        return false;
    *ret_keyed = (struct mn_keyed){ mn_arena_printf(arena, "user.likes.%s", thing), value, false };
    return ret_keyed->key != NULL;
}
