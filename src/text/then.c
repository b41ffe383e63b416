/*
 * then.c - "the week after the Berlin trip": the phrase, and the event in it.
 *
 * English has the unit before its event (the day I moved, two weeks after the move, during the
 * trip), Chinese behind it (我搬家那天, 旅行后的一周, 面试三天前). The event goes to the end of its
 * clause, or to a word that asks. Such phrases also stand in orders and in questions about what is
 * usually done, where no one day is meant: so the rest of the request must ask about the past, or
 * what was planned.
 */
#include "text/then.h"

#include "base/str.h"
#include "text/calendar.h"
#include "text/letters.h"
#include "text/when.h"
#include "text/words.h"

#define WORDS_MAX 96
#define EVENT_WORDS_MAX 14
#define HAN_EVENT_BYTES 48 /* sixteen characters */
#define FEW 5
#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])

static struct mn_str slice(const char *from, const char *until)
{
    return (struct mn_str){ from, (size_t)(until - from) };
}

/* ---- English ---- */

struct word {
    struct mn_str text;
    bool follows; /* in the clause of the word before it */
};
struct words {
    struct word item[WORDS_MAX];
    size_t count;
};

static bool in_word(char c)
{
    return mn_letter_word(c) || c == '\'' || c == '-' || (unsigned char)c >= 0x80;
}

static void read_words(struct mn_str text, struct words *words)
{
    const char *end = text.at + text.bytes;
    bool follows = false;

    words->count = 0;
    for (const char *at = text.at; at < end && words->count < WORDS_MAX;) {
        const char *from = at;

        while (at < end && in_word(*at))
            at++;
        if (at > from) {
            words->item[words->count++] = (struct word){ slice(from, at), follows };
            follows = true;
        } else if (strchr(",;:?!.()\n", *at++)) {
            follows = false;
        }
    }
}

static bool is_at(const struct words *words, size_t i, const char *const *list)
{
    return i < words->count && mn_str_alike_any(words->item[i].text, list);
}

static bool stops(struct mn_str word)
{
    char lowered[24];

    if (word.bytes > sizeof lowered)
        return false;
    for (size_t i = 0; i < word.bytes; i++)
        lowered[i] = mn_letter_to_lower(word.at[i]);
    return mn_words_stop(lowered, word.bytes);
}

static int unit_days(struct mn_str word, bool several)
{
    static const char *const one[][8] = {
        { "day", "night", "evening", "morning", "afternoon", "date", NULL },
        { "week", "weekend", NULL },
        { "month", NULL },
        { "year", NULL },
    };
    static const char *const many[][3] = {
        { "days", NULL }, { "weeks", NULL }, { "months", NULL }, { "years", NULL }
    };
    static const int days[] = { 1, 7, 30, 365 };

    for (size_t i = 0; i < COUNT_OF(days); i++)
        if (mn_str_alike_any(word, one[i]) || (several && mn_str_alike_any(word, many[i])))
            return days[i];
    return 0;
}

/* 1 for "a", 12 for "twelve", -1 for "a few"; 0: no number. *ret_first: where it begins. */
static int count_before(const struct words *words, size_t unit, size_t *ret_first)
{
    static const char *const number[] = { "one",   "two",   "three", "four", "five",   "six",
                                          "seven", "eight", "nine",  "ten",  "eleven", "twelve" };
    static const char *const single[] = { "a", "an", NULL };
    static const char *const few[] = { "few", "couple", "several", NULL };
    static const char *const of[] = { "of", NULL };
    size_t at = unit;
    int count = 0;

    if (!at || !words->item[at].follows)
        return 0;
    at -= at > 1 && is_at(words, at - 1, of) ? 2 : 1;
    *ret_first = at;
    if (is_at(words, at, few)) {
        *ret_first = at && is_at(words, at - 1, single) ? at - 1 : at;
        return -1;
    }
    if (is_at(words, at, single))
        return 1;
    for (int i = 0; i < 12; i++)
        if (mn_str_alike_any(words->item[at].text, (const char *const[]){ number[i], NULL }))
            return i + 1;
    for (size_t i = 0; i < words->item[at].text.bytes && count < 1000; i++) {
        if (!mn_letter_digit(words->item[at].text.at[i]))
            return 0;
        count = count * 10 + (words->item[at].text.at[i] - '0');
    }
    return count <= 400 ? count : 0;
}

/* The event from word `first` on: to the end of its clause, or to what asks. */
static bool read_event(const struct words *words, size_t first, struct mn_then *then)
{
    static const char *const asks[] = { "what", "who", "whom", "where", "which", "how", "did",
                                        "else", NULL };
    static const char *const no_events[] = { "tomorrow", "yesterday", "today", "that",  "this",
                                             "it",       "last",      "next",  "these", "those",
                                             "all",      NULL };
    static const char *const seasons[] = { "spring", "summer", "autumn", "fall",
                                           "winter", "course", NULL };
    bool has_content = false;
    size_t i = first;

    if (is_at(words, first, no_events))
        return false;
    for (; i < words->count && i < first + EVENT_WORDS_MAX; i++) {
        struct mn_str word = words->item[i].text;

        if (!words->item[i].follows || mn_str_alike_any(word, asks))
            break;
        has_content = has_content || (!stops(word) && !unit_days(word, true) && word.bytes > 1 &&
                                      !mn_str_alike_any(word, seasons));
    }
    if (!has_content)
        return false;
    const struct mn_str last = words->item[i - 1].text;
    then->event = slice(words->item[first].text.at, last.at + last.bytes);
    then->phrase = slice(then->phrase.at, last.at + last.bytes);
    return true;
}

static bool read_side(const struct words *words, size_t *at, enum mn_then_side *ret_side)
{
    static const char *const before[] = { "before", NULL }, *const prior[] = { "prior", NULL };
    static const char *const after[] = { "after", "following", NULL };
    static const char *const to[] = { "to", NULL };

    if (is_at(words, *at, after))
        *ret_side = MN_THEN_AFTER;
    else if (is_at(words, *at, before) || (is_at(words, *at, prior) && is_at(words, *at + 1, to)))
        *ret_side = MN_THEN_BEFORE;
    else
        return false;
    *at += is_at(words, *at, prior) ? 2 : 1;
    return true;
}

/* Where the phrase begins: with the preposition before word `first`. */
static const char *with_preposition(const struct words *words, size_t first)
{
    static const char *const preposition[] = { "on", "in", "during", "for", "from", "over", NULL };

    if (first && words->item[first].follows && is_at(words, first - 1, preposition))
        first--;
    return words->item[first].text.at;
}

/* "the day", "the same day" before the unit; SIZE_MAX: neither. */
static size_t article_before(const struct words *words, size_t unit, bool *ret_same)
{
    static const char *const article[] = { "the", "that", NULL };
    static const char *const same[] = { "same", "very", "whole", "exact", NULL };
    size_t at = unit;

    *ret_same = at && is_at(words, at - 1, same);
    at -= *ret_same;
    return at && is_at(words, at - 1, article) ? at - 1 : SIZE_MAX;
}

/* "the day I moved", "the day of the move", "the week after the move", from its unit on. */
static bool by_article(const struct words *words, size_t unit, struct mn_then *then)
{
    static const char *const joins[] = { "of", "that", "when", NULL };
    static const char *const as[] = { "as", NULL };
    static const char *const subject[] = { "i", "we", "he", "she", "they", "you", "my", "our",
                                           "his", "her", "their", "your", "the", NULL };
    bool same = false;
    size_t first = article_before(words, unit, &same), at = unit + 1;

    if (first == SIZE_MAX || at >= words->count || !words->item[at].follows)
        return false;
    then->days = unit_days(words->item[unit].text, false);
    then->away = 0;
    then->side = MN_THEN_SAME;
    then->phrase.at = with_preposition(words, first);
    if (read_side(words, &at, &then->side) || is_at(words, at, joins) ||
        (same && is_at(words, at, as)))
        return read_event(words, then->side == MN_THEN_SAME ? at + 1 : at, then);
    if (!is_at(words, at, subject) && !mn_letter_upper(words->item[at].text.at[0]))
        return false;
    return read_event(words, at, then);
}

/* "three days after the move", "a week before it", from its unit on. */
static bool by_count(const struct words *words, size_t unit, struct mn_then *then)
{
    size_t first = 0, at = unit + 1;
    int count = count_before(words, unit, &first);

    if (!count || !read_side(words, &at, &then->side))
        return false;
    then->days = unit_days(words->item[unit].text, true) * (count < 0 ? FEW : 1);
    then->away = count < 0 ? 0 : count;
    then->phrase.at = words->item[first].text.at;
    return read_event(words, at, then);
}

/* "right after the move", "during the move". */
static bool by_itself(const struct words *words, size_t i, struct mn_then *then)
{
    static const char *const near[] = { "right", "just", "shortly", "soon", "immediately", NULL };
    static const char *const during[] = { "during", NULL };
    static const char *const whose[] = { "the", "my",   "our",  "his", "her",
                                         "their", "your", NULL };
    size_t at = i + 1;

    then->phrase.at = words->item[i].text.at;
    then->away = 0;
    then->days = 7;
    if (is_at(words, i, near) && read_side(words, &at, &then->side))
        return read_event(words, at, then);
    then->side = MN_THEN_DURING;
    return is_at(words, i, during) && at < words->count && /* no "during class", "during lunch" */
           (is_at(words, at, whose) || mn_letter_upper(words->item[at].text.at[0])) &&
           read_event(words, at, then);
}

static bool english(struct mn_str request, struct mn_then *then)
{
    struct words words;

    read_words(request, &words);
    for (size_t i = 0; i < words.count; i++)
        if ((unit_days(words.item[i].text, true) &&
             (by_article(&words, i, then) || by_count(&words, i, then))) ||
            by_itself(&words, i, then))
            return true;
    return false;
}

/* ---- Chinese ---- */

static size_t begins(const char *at, const char *end, const char *with)
{
    size_t bytes = strlen(with);

    return (size_t)(end - at) >= bytes && !memcmp(at, with, bytes) ? bytes : 0;
}

static size_t begins_any(const char *at, const char *end, const char *const *list)
{
    for (; *list; list++)
        if (begins(at, end, *list))
            return strlen(*list);
    return 0;
}

static bool holds_any(struct mn_str text, const char *const *list)
{
    for (const char *at = text.at; at < text.at + text.bytes; at++)
        if (begins_any(at, text.at + text.bytes, list))
            return true;
    return false;
}

/* 天, 个星期, 个月, 年; *at moves behind it. */
static int han_unit(const char **at, const char *end)
{
    static const struct {
        const char *name;
        int days;
    } UNIT[] = { { "天", 1 },   { "晚", 1 },    { "周", 7 },     { "星期", 7 },
                 { "礼拜", 7 }, { "个月", 30 }, { "月", 30 },    { "年", 365 } };
    const char *p = *at + begins(*at, end, "个");

    for (size_t i = 0; i < COUNT_OF(UNIT); i++) {
        const char *from = UNIT[i].days == 30 && p > *at ? *at : p;
        size_t bytes = begins(from, end, UNIT[i].name);

        if (!bytes || (UNIT[i].days == 30 && bytes == strlen("月") && p == *at))
            continue;
        *at = from + bytes;
        return UNIT[i].days;
    }
    return 0;
}

/* A number, 几 as -1, 那 as 1 where it may stand; 0: none. The text ends with NUL. */
static int han_count(const char **at, const char *end, bool that)
{
    size_t bytes = begins(*at, end, "几");
    int count = 0;

    if (bytes) {
        *at += bytes;
        return -1;
    }
    bytes = that ? begins(*at, end, "那") : 0;
    *at += bytes;
    if (*at < end && mn_calendar_number(at, &count))
        return count <= 400 ? count : 0;
    return bytes ? 1 : 0;
}

/* What follows an event: 那天, 当天, 前一天, 后的一周, 三天后, 期间. *ret_end behind it. */
static bool han_marker(const char *at, const char *end, struct mn_then *then, const char **ret_end)
{
    static const char *const same[] = { "那个周末", "那个", "那一", "那", "当", "同一", NULL };
    static const char *const next[] = { "第二天", "次日", "隔天", NULL };
    static const char *const eve[] = { "头一天", NULL };
    static const char *const link[] = { "之", "以", NULL };
    static const char *const during[] = { "期间", "那段时间", NULL };
    const char *p = at;
    size_t bytes = begins_any(at, end, during);

    *then = (struct mn_then){ .side = MN_THEN_DURING, .days = 1 };
    if (!bytes && ((bytes = begins_any(at, end, next)) || (bytes = begins_any(at, end, eve))))
        then->side = begins_any(at, end, eve) ? MN_THEN_BEFORE : MN_THEN_AFTER;
    *ret_end = at + bytes;
    if (bytes)
        return true;
    then->side = MN_THEN_SAME;
    if ((bytes = begins_any(at, end, same))) {
        p = at + bytes;
        then->days = begins(at, end, "那个周末") ? 7 : han_unit(&p, end);
        *ret_end = p + begins(p, end, "晚上");
        return then->days > 0;
    }
    p += begins_any(p, end, link);
    bool before = begins(p, end, "前") > 0, after = begins(p, end, "后") > 0;
    int count = 0;
    if (before || after) {
        p += strlen("前");
        p += begins(p, end, "的");
        count = han_count(&p, end, true);
    } else {
        count = han_count(&p, end, false);
    }
    int days = count ? han_unit(&p, end) : 0;
    if (!days)
        return false;
    if (before || after) { /* 后三天: all of them */
        then->days = days * (count < 0 ? FEW : count);
    } else { /* 三天后: that one */
        p += begins_any(p, end, link);
        before = begins(p, end, "前") > 0;
        after = begins(p, end, "后") > 0;
        p += before || after ? strlen("前") : 0;
        then->days = days * (count < 0 ? FEW : 1);
        then->away = count < 0 ? 0 : count;
    }
    then->side = before ? MN_THEN_BEFORE : MN_THEN_AFTER;
    *ret_end = p;
    return before || after;
}

/* What stands before the marker in its clause, without what leads the question. */
static struct mn_str han_event(const char *from, const char *marker)
{
    static const char *const lead[] = { "请问", "告诉我", "你记得", "还记得", "记得", "那么",
                                        "在",   "从",     "自从",   NULL };
    const char *begin = marker;

    while (begin > from && marker - begin < HAN_EVENT_BYTES) {
        const char *previous = begin - 1;
        size_t read = 0;

        while (previous > from && ((unsigned char)*previous & 0xc0) == 0x80)
            previous--;
        int32_t c = mn_utf8_next(previous, (size_t)(begin - previous), &read);
        if (!mn_letter_han(c) && !(c < 0x80 && (mn_letter_plain((char)c) || c == ' ' || c == '-')))
            break;
        begin = previous;
    }
    for (size_t bytes; (bytes = begins_any(begin, marker, lead)) > 0;)
        begin += bytes;
    while (begin < marker && *begin == ' ')
        begin++;
    const char *until = marker;
    while (until - begin > 3 && (begins(until - 3, until, "的") || begins(until - 3, until, "之")))
        until -= 3;
    return slice(begin, until);
}

/* Two characters of content, or a Latin word. */
static bool has_content(struct mn_str event)
{
    size_t content = 0;

    for (size_t at = 0; at < event.bytes;) {
        bool latin = mn_letter_plain(event.at[at]);
        int32_t c = mn_utf8_next(event.at, event.bytes, &at);

        content += latin || (mn_letter_han(c) && mn_words_han(c) == MN_HAN_CONTENT);
    }
    return content >= 2;
}

static bool chinese(struct mn_str request, struct mn_then *then)
{
    const char *end = request.at + request.bytes, *behind = NULL;

    for (const char *at = request.at; at < end; at++) {
        bool may_begin = (unsigned char)*at >= 0xe0 || mn_letter_digit(*at);

        if (!may_begin || !han_marker(at, end, then, &behind))
            continue;
        then->event = han_event(request.at, at);
        then->phrase = slice(then->event.at, behind);
        if (has_content(then->event))
            return true;
    }
    return false;
}

/* ---- both ---- */

/* Does the rest of the request ask, and about what was or was planned? Not when it was. In Chinese
 * 那天 says already that it was. */
static bool asks_of_the_past(struct mn_str before, struct mn_str behind, bool that_day)
{
    static const char *const english_past[] = {
        "did",  "was",  "were", "had",  "happened", "went", "came",    "met",       "took",
        "else", "been", "saw",  "made", "got",      "said", "planned", "scheduled", NULL
    };
    static const char *const han_past[] = { "了", "过", "还", "发生", "的", NULL };
    static const char *const han_plans[] = { "应该", "需要", "必须", "如何", "可以", "要不要",
                                             "能不能", "怎么办", "怎么做", NULL };
    static const char *const han_asks[] = { "什么", "谁",     "哪",     "几", "多少", "吗",
                                            "啥",   "怎么样", "怎么了", NULL };
    static const char *const when[] = { "when", NULL };
    const struct mn_str part[] = { before, behind };
    bool han = that_day, plans = false, asks = false;

    for (size_t i = 0; i < 2; i++) {
        struct words words;

        read_words(part[i], &words);
        if (is_at(&words, 0, when))
            return false;
        for (size_t w = 0; w < words.count; w++)
            if (mn_str_alike_any(words.item[w].text, english_past))
                return true;
        han = han || holds_any(part[i], han_past);
        plans = plans || holds_any(part[i], han_plans);
        asks = asks || holds_any(part[i], han_asks);
    }
    return han && asks && !plans;
}

/* "What was the date of the exam", 考试那天是几号: when it was, and nothing that was then. */
static bool asks_when(struct mn_str before, struct mn_str behind)
{
    static const char *const what[] = { "what", "which", NULL }, *const was[] = { "was", "is", NULL };
    static const char *const han_when[] = { "是几",   "是哪",   "是什么时候", "是什么日子",
                                            "是星期", "是礼拜", "是周",       NULL };
    struct words words, rest;

    read_words(before, &words);
    read_words(behind, &rest);
    return begins_any(behind.at, behind.at + behind.bytes, han_when) > 0 ||
           (!rest.count && words.count > 1 && is_at(&words, words.count - 1, was) &&
            is_at(&words, words.count - 2, what));
}

/* Is the event nothing but a date? "August 3", 上个月. */
static bool is_date(struct mn_str event)
{
    char lowered[256];
    struct words words;

    if (event.bytes >= sizeof lowered)
        return false;
    for (size_t i = 0; i < event.bytes; i++)
        lowered[i] = mn_letter_to_lower(event.at[i]);
    lowered[event.bytes] = '\0';
    struct mn_when when = mn_when_find(lowered, 0, "");
    if (!when.found)
        return false;
    const char *behind = when.phrase.at + when.phrase.bytes;
    struct mn_str rest[] = { slice(lowered, when.phrase.at),
                             slice(behind, lowered + event.bytes) };
    for (size_t i = 0; i < 2; i++) {
        read_words(rest[i], &words);
        for (size_t w = 0; w < words.count; w++)
            if (!stops(words.item[w].text))
                return false;
    }
    return true;
}

bool mn_then_asked(struct mn_str request, struct mn_then *ret_then)
{
    struct mn_then then;

    if (!english(request, &then) && !chinese(request, &then))
        return false;
    const struct mn_str before = slice(request.at, then.phrase.at);
    const struct mn_str behind = slice(then.phrase.at + then.phrase.bytes, request.at + request.bytes);
    if (is_date(then.event) || asks_when(before, behind) ||
        !asks_of_the_past(before, behind, then.side == MN_THEN_SAME))
        return false;
    *ret_then = then;
    return true;
}

/* Is there no word that says what of? */
static bool is_general(struct mn_str part)
{
    static const char *const english_general[] = {
        "do",    "did",       "done",      "doing", "happen",   "happened", "happening",
        "else",  "planned",   "scheduled", "going", "anything", "something", "everything",
        "thing", "things",    "up",        "been",  "tell",     "remember", NULL
    };
    static const char *const han_general[] = { "发生", "什么", "事情", "哪些", "记得", "告诉",
                                               "做",   "干",   "事",   "忙",   "啥",   NULL };
    const char *end = part.at + part.bytes;
    struct words words;

    read_words(part, &words);
    for (size_t w = 0; w < words.count; w++)
        if ((unsigned char)words.item[w].text.at[0] < 0x80 && !stops(words.item[w].text) &&
            !mn_str_alike_any(words.item[w].text, english_general))
            return false;
    for (const char *at = part.at; at < end;) {
        size_t bytes = begins_any(at, end, han_general);
        int32_t c = bytes ? 0 : mn_utf8_next(at, (size_t)(end - at), &bytes);

        if (mn_letter_han(c) && mn_words_han(c) == MN_HAN_CONTENT)
            return false;
        at += bytes;
    }
    return true;
}

bool mn_then_open(struct mn_str before, struct mn_str behind)
{
    return is_general(before) && is_general(behind) && asks_of_the_past(before, behind, false);
}
