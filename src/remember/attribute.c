/*
 * attribute.c - what a thing is, where it is and how much of it there is: one value at a time.
 *
 * "The office is in Berlin" and "The office is in Munich" have one frame and two values, and both
 * cannot hold. So the frame is a key, by which the later ends the earlier, or both are asked about,
 * like versions of any key. A frame that fits more than one thing would end what still holds:
 *
 *   the sentence is all there is    what is said beside it would be ended with it
 *   the thing is definite           "the office", "our API limit", "Anna"; not "an office", "my
 *                                   brother", "the bug": there are others, or another tomorrow
 *   the value has a known shape     a place, a number, a name of who holds what one holds
 *   values of two kinds are apart   Germany beside Berlin, 3 kg beside 40 cm, Room 4 beside Munich
 *   what limits it is part of it    "per user", "for free plans", "on weekends"
 *
 * A bound ("at least 100"), a passing state ("until Friday", "today") and what was or will be have
 * no key.
 */
#include "remember/attribute.h"

#include <string.h>

#include "base/str.h"
#include "remember/preference.h"
#include "remember/value.h"
#include "text/letters.h"

#define CLAUSE_BYTES_MAX 160

/* clang-format off */
/* The kind, its one spelling, then others. */
static const char *const UNITS[][10] = {
    { "time", "ms", "msec", "millisecond", "milliseconds", "毫秒", NULL },
    { "time", "s", "sec", "secs", "second", "seconds", "秒", "秒钟", NULL },
    { "time", "min", "mins", "minute", "minutes", "分钟", "分", NULL },
    { "time", "h", "hr", "hrs", "hour", "hours", "小时", "个小时", "个钟头", NULL },
    { "time", "day", "days", "天", "日", NULL },
    { "time", "week", "weeks", "周", "星期", "个星期", NULL },
    { "time", "month", "months", "个月", NULL },
    { "time", "year", "years", "年", NULL },
    { "size", "b", "byte", "bytes", "字节", NULL },
    { "size", "kb", "kib", NULL }, { "size", "mb", "mib", NULL }, { "size", "gb", "gib", "g", NULL },
    { "size", "tb", "tib", NULL },
    { "length", "mm", "毫米", NULL }, { "length", "cm", "厘米", NULL }, { "length", "m", "meter", "meters", "metre", "metres", "米", NULL },
    { "length", "km", "kilometer", "kilometers", "公里", "千米", NULL },
    { "weight", "mg", "毫克", NULL }, { "weight", "kg", "kilo", "kilos", "公斤", "千克", NULL }, { "weight", "t", "tons", "吨", NULL },
    { "share", "%", "percent", NULL },
    { "money", "$", "usd", "dollar", "dollars", "美元", "美金", NULL }, { "money", "€", "eur", "euro", "euros", "欧元", NULL },
    { "money", "£", "gbp", "pounds", NULL }, { "money", "元", "¥", "yuan", "rmb", "cny", "块", "块钱", "人民币", NULL },
    { "heat", "°c", "°", "degree", "degrees", "度", NULL },
    { "clock", "am", "a.m.", NULL }, { "clock", "pm", "p.m.", NULL }, { "clock", "o'clock", "点", "点钟", NULL },
    { "number", "k", NULL }, { "number", "万", NULL }, { "number", "亿", NULL },
};
static const char *const ASIDE[] = {
    "actually", "now", "currently", "btw", "by the way", "fyi", "also", "so", "well", "update", "correction", "note",
    "其实", "现在", "目前", "另外", "对了", "更正", "顺便说一下", NULL,
};
/* clang-format on */

const char *mn_attribute_unit(struct mn_arena *arena, struct mn_str unit, const char **ret_unit)
{
    char *own;

    *ret_unit = "";
    if (!unit.bytes)
        return "number";
    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS; i++) {
        for (size_t k = 1; UNITS[i][k]; k++) {
            if (mn_str_equal(unit, mn_str_of(UNITS[i][k]))) {
                *ret_unit = UNITS[i][1];
                return UNITS[i][0];
            }
        }
    }
    own = mn_arena_copy_n(arena, unit.at, unit.bytes);
    if (own && unit.bytes > 3 && own[unit.bytes - 1] == 's' && own[unit.bytes - 2] != 's')
        own[unit.bytes - 1] = '\0';
    *ret_unit = own;
    return own;
}

size_t mn_attribute_number(const char *lower, size_t at, size_t end)
{
    size_t i = at + (lower[at] == 'v' && mn_letter_digit(lower[at + 1]));
    size_t until = at;

    while (i < end && (mn_letter_digit(lower[i]) || (until > at && strchr(".,:-", lower[i]))))
        if (mn_letter_digit(lower[i++]))
            until = i;
    for (size_t k = 0; until > at && k < 4; k++)
        if (!strncmp(lower + until, (const char *const[]){ "st", "nd", "rd", "th" }[k], 2) &&
            !mn_letter_plain(lower[until + 2]))
            return 0;
    return until - at;
}

/* Behind the last sign of the text? */
static bool is_over(const char *lower, size_t at)
{
    return lower[mn_wording_clause(lower, at)] == '\0';
}

static size_t behind_asides(const char *lower, size_t at)
{
    size_t bytes;

    while ((bytes = mn_wording_any(lower, at, ASIDE))) {
        at += bytes;
        while (lower[at] && strchr(" ,:", lower[at]))
            at++;
        while (!strncmp(lower + at, "，", 3) || !strncmp(lower + at, "：", 3))
            at += 3;
    }
    return at;
}

static bool is_chinese(const char *lower, size_t at, size_t end)
{
    for (size_t i = at; i < end; i++)
        if ((unsigned char)lower[i] >= 0xe3 && (unsigned char)lower[i] <= 0xe9)
            return true;
    return false;
}

bool mn_key_of_attribute(struct mn_arena *arena, const struct mn_wording *w,
                         struct mn_keyed *ret_keyed)
{
    struct mn_attribute a = { .kind = NULL };
    size_t at = behind_asides(w->lower, 0), end = mn_wording_end(w->lower, at);

    if (end - at > CLAUSE_BYTES_MAX || w->lower[end] == '?' || !strncmp(w->lower + end, "？", 3) ||
        !is_over(w->lower, end))
        return false;
    if (!(is_chinese(w->lower, at, end) ? mn_attribute_chinese(arena, w, at, end, &a)
                                        : mn_attribute_english(arena, w, at, end, &a)))
        return false;
    const char *of = mn_key_part(arena, a.of.at, a.of.bytes);
    const char *when = a.when.bytes ? mn_key_part(arena, a.when.at, a.when.bytes) : "";
    if (!of || !when || !a.kind || !a.value)
        return false;
    *ret_keyed = (struct mn_keyed){
        mn_arena_printf(arena, MN_KEY_ATTRIBUTE "%s.%s%s%s", of, a.kind, *when ? "." : "", when),
        a.denied ? mn_arena_printf(arena, MN_VALUE_DENIES "%s", a.value) : a.value, false
    };
    return ret_keyed->key && ret_keyed->value;
}
