/*
 * turn.c - one pass over the words, and Chinese phrases looked up in the whole.
 *
 * English is read word by word; of the words before only what kind they were is kept, which is
 * enough for "last week", "two years ago" and "the other day". Chinese has no words to walk along:
 * its phrases are looked for where a text holds any character beyond Latin.
 *
 * The lists are those that paid on people's conversations; adding rarer words moved nothing.
 */
#include "text/turn.h"

#include <string.h>

#include "base/str.h"
#include "text/calendar.h"
#include "text/letters.h"

#define WORD_BYTES_MAX 15 /* no word of the lists is longer */

/* What a word may be. */
enum {
    SELF = 1 << 0,
    TIME = 1 << 1,
    NEAR_DAY = 1 << 2,    /* a day told from this one */
    SPAN_BEHIND = 1 << 3, /* ... behind "last" and "next" */
    SPAN_NOW = 1 << 4,    /* ... behind "this" */
    SPAN_FEW = 1 << 5,    /* ... behind "few" */
    NUMBER = 1 << 6
};

/* In order of their bytes. */
static const struct {
    const char *word;
    unsigned kinds;
} WORDS[] = {
    { "ago", TIME },
    { "couple", NUMBER },
    { "days", SPAN_FEW },
    { "dozen", NUMBER },
    { "eight", NUMBER },
    { "first", NUMBER },
    { "five", NUMBER },
    { "four", NUMBER },
    { "i", SELF },
    { "i'd", SELF },
    { "i'll", SELF },
    { "i'm", SELF },
    { "i've", SELF },
    { "im", SELF },
    { "ive", SELF },
    { "just", TIME },
    { "last", TIME },
    { "me", SELF },
    { "mine", SELF },
    { "month", TIME | SPAN_BEHIND | SPAN_NOW },
    { "months", TIME | SPAN_FEW },
    { "morning", TIME | SPAN_NOW },
    { "my", SELF },
    { "next", TIME },
    { "night", SPAN_BEHIND },
    { "nine", NUMBER },
    { "once", NUMBER },
    { "our", SELF },
    { "recently", TIME },
    { "second", NUMBER },
    { "seven", NUMBER },
    { "since", TIME },
    { "six", NUMBER },
    { "soon", TIME },
    { "ten", NUMBER },
    { "third", NUMBER },
    { "three", NUMBER },
    { "today", NEAR_DAY | TIME },
    { "tomorrow", NEAR_DAY | TIME },
    { "tonight", NEAR_DAY | TIME },
    { "twice", NUMBER },
    { "two", NUMBER },
    { "upcoming", TIME },
    { "us", SELF },
    { "we", SELF },
    { "we're", SELF },
    { "we've", SELF },
    { "week", TIME | SPAN_BEHIND | SPAN_NOW },
    { "weekend", TIME | SPAN_BEHIND | SPAN_NOW },
    { "weeks", TIME | SPAN_FEW },
    { "year", TIME | SPAN_BEHIND | SPAN_NOW },
    { "years", TIME | SPAN_FEW },
    { "yesterday", NEAR_DAY | TIME },
};
#define WORD_COUNT (sizeof WORDS / sizeof WORDS[0])

static const char *const SELF_ZH[] = { "我", "咱", "俺", NULL };
/* Counted from the day of the turn; each is a time too. */
static const char *const RELATIVE_ZH[] = { "昨天", "今天", "明天",   "前天",   "后天",   "昨晚",
                                           "今晚", "明晚", "上周",   "上星期", "上个月", "上月",
                                           "去年", "前年", "下周",   "下星期", "下个月", "下月",
                                           "明年", "这周", "这个月", "今年",   "今早",   "今晨",
                                           "天前", "周前", "月前",   "年前",   "前几天", "这几天",
                                           "周末", NULL };
static const char *const TIME_ZH[] = { "最近", "刚刚", "刚才", "以前", "之前", "早上", "晚上",
                                       "上午", "下午", "星期", "周一", "周二", "周三", "周四",
                                       "周五", "周六", "周日", "年",   "月",   "号",   NULL };
static const char *const COUNTED_ZH[] = { "个", "次", "岁", "年", "天",   "月",   "周",
                                          "只", "位", "本", "件", "条",   "张",   "块",
                                          "元", "遍", "名", "家", "小时", "分钟", NULL };
static const char *const NUMERAL_ZH[] = { "一", "二", "两", "三", "四", "五", "六",
                                          "七", "八", "九", "十", "几", NULL };

static unsigned kinds_of(const char *word)
{
    size_t from = 0, until = WORD_COUNT;

    while (from < until) {
        size_t middle = (from + until) / 2;
        int order = strcmp(word, WORDS[middle].word);

        if (order == 0)
            return WORDS[middle].kinds;
        if (order < 0)
            until = middle;
        else
            from = middle + 1;
    }
    return 0;
}

static bool has_any(struct mn_str text, const char *const *phrase)
{
    for (; *phrase; phrase++)
        if (memmem(text.at, text.bytes, *phrase, strlen(*phrase)))
            return true;
    return false;
}

/* ---- English ---- */

/* What is kept of the words before. */
struct reading {
    bool last, next, these, few; /* the word before was so */
    bool the, the_other;         /* "the", "the other" end there */
    bool any;                    /* there was a word */
};

static bool is_year(const char *word)
{
    return strlen(word) == 4 && !strncmp(word, "20", 2) && mn_letter_digit(word[2]) &&
           mn_letter_digit(word[3]);
}

static bool ends_in_day(const char *word)
{
    size_t bytes = strlen(word);

    return bytes > 3 && !strcmp(word + bytes - 3, "day");
}

static bool is_relative(const struct reading *before, const char *word, unsigned kinds)
{
    if (kinds & NEAR_DAY || (!strcmp(word, "ago") && before->any) ||
        (before->the_other && !strcmp(word, "day")))
        return true;
    if (before->last || before->next)
        return kinds & SPAN_BEHIND || ends_in_day(word);
    return (before->these && (kinds & SPAN_NOW || ends_in_day(word))) ||
           (before->few && kinds & SPAN_FEW);
}

static void read_word(struct reading *r, char *word, struct mn_turn_cues *cues)
{
    struct mn_str whole = mn_str_of(word);

    if (whole.bytes > 2 && !strcmp(word + whole.bytes - 2, "'s"))
        word[whole.bytes -= 2] = '\0'; /* today's */
    unsigned kinds = kinds_of(word);
    bool month = (whole.bytes > 3 || !strcmp(word, "may")) && mn_calendar_month(whole) > 0;
    bool digits = word[0] && strspn(word, "0123456789") == whole.bytes;
    bool relative = is_relative(r, word, kinds);

    cues->of_self |= (kinds & SELF) != 0;
    cues->has_past_or_to_come |= relative;
    cues->has_time |=
        relative || kinds & TIME || month || mn_calendar_weekday(whole) > 0 || is_year(word);
    cues->has_number |= digits || kinds & NUMBER;
    *r = (struct reading){ .last = !strcmp(word, "last"),
                           .next = !strcmp(word, "next"),
                           .these = !strcmp(word, "this"),
                           .few = !strcmp(word, "few"),
                           .the = !strcmp(word, "the"),
                           .the_other = r->the && !strcmp(word, "other"),
                           .any = true };
}

/* Bytes of an apostrophe, straight or curly; 0 for anything else. */
static size_t apostrophe(const char *at, size_t left)
{
    if (left && at[0] == '\'')
        return 1;
    return left >= 3 && !memcmp(at, "\xe2\x80\x99", 3) ? 3 : 0;
}

/* The word at `at`, lowered, apostrophes straight; its bytes in the text. One too long to be in a
 * list is given as "". */
static size_t take_word(const char *at, size_t left, char word[WORD_BYTES_MAX + 1])
{
    size_t from = 0, bytes = 0;

    while (from < left) {
        size_t mark = apostrophe(at + from, left - from);

        if (mark && from + mark < left && mn_letter_latin(at[from + mark])) {
            if (bytes < WORD_BYTES_MAX)
                word[bytes] = '\'';
            from += mark;
        } else if (mn_letter_plain(at[from])) {
            if (bytes < WORD_BYTES_MAX)
                word[bytes] = mn_letter_to_lower(at[from]);
            from++;
        } else {
            break;
        }
        bytes++;
    }
    word[bytes <= WORD_BYTES_MAX ? bytes : 0] = '\0';
    return from;
}

/* A capitalised word behind a lower-case letter or a comma: no beginning of a sentence. */
static bool is_name(const char *text, size_t at, size_t bytes)
{
    return at >= 2 && text[at - 1] == ' ' &&
           (mn_letter_lower(text[at - 2]) || text[at - 2] == ',') && mn_letter_upper(text[at]) &&
           at + 1 < bytes && mn_letter_lower(text[at + 1]);
}

/* ---- Chinese ---- */

static bool counts_something(struct mn_str text)
{
    for (const char *const *numeral = NUMERAL_ZH; *numeral; numeral++) {
        size_t bytes = strlen(*numeral);
        const char *at = text.at;
        size_t left = text.bytes;

        while ((at = memmem(at, left, *numeral, bytes))) {
            at += bytes;
            left = text.bytes - (size_t)(at - text.at);
            for (const char *const *what = COUNTED_ZH; *what; what++)
                if (left >= strlen(*what) && !memcmp(at, *what, strlen(*what)))
                    return true;
        }
    }
    return false;
}

static void read_chinese(struct mn_str text, struct mn_turn_cues *cues)
{
    cues->of_self |= has_any(text, SELF_ZH);
    cues->has_past_or_to_come |= has_any(text, RELATIVE_ZH);
    cues->has_time |= has_any(text, RELATIVE_ZH) || has_any(text, TIME_ZH);
    cues->has_number |= counts_something(text);
}

/* ---- both ---- */

/* Nothing behind the last question mark but blanks and quotation marks? */
static bool ends_asking(const char *text, size_t bytes)
{
    static const char *const CLOSING[] = { " ", "\n", "\"", "'", "”", "’", "」", "』" };

    for (bool cut = true; cut;) {
        cut = false;
        for (size_t i = 0; i < sizeof CLOSING / sizeof CLOSING[0]; i++) {
            size_t mark = strlen(CLOSING[i]);

            if (bytes >= mark && !memcmp(text + bytes - mark, CLOSING[i], mark)) {
                bytes -= mark;
                cut = true;
            }
        }
    }
    return (bytes && text[bytes - 1] == '?') || (bytes >= 3 && !memcmp(text + bytes - 3, "？", 3));
}

struct mn_turn_cues mn_turn_read(const char *text, size_t bytes)
{
    struct mn_turn_cues cues = { 0 };
    struct reading r = { 0 };
    bool beyond_latin = false;

    for (size_t at = 0; at < bytes;) {
        char word[WORD_BYTES_MAX + 1];

        if (mn_letter_plain(text[at])) {
            if (cues.names < MN_TURN_NAMES_MAX && is_name(text, at, bytes))
                cues.names++;
            at += take_word(text + at, bytes - at, word);
            read_word(&r, word, &cues);
        } else {
            beyond_latin |= (unsigned char)text[at] >= 0xe3;
            at++;
        }
    }
    if (beyond_latin)
        read_chinese((struct mn_str){ text, bytes }, &cues);
    cues.asks = memchr(text, '?', bytes) || memmem(text, bytes, "？", strlen("？"));
    cues.asks_at_its_end = cues.asks && ends_asking(text, bytes);
    return cues;
}
