/*
 * inquiry.c - question words and dates, without a grammar.
 *
 * The kind of a question is read from its first words, where English puts it; a date from month
 * names and the numbers beside them. "may" is a month only where a preposition or a number says so.
 */
#include "text/inquiry.h"

#include <string.h>

#include "text/analyze.h"
#include "text/calendar.h"
#include "text/letters.h"
#include "text/words.h"

#define WORDS_MAX 64 /* of a request; what stands behind is not read */
#define WORD_BYTES 24
#define LEAP_YEAR 2024 /* of a day without a year */
#define OPENING 4 /* words in which a question says its kind */

struct word {
    char text[WORD_BYTES]; /* lowered; "" when longer */
    bool capital;
};
struct words {
    struct word item[WORDS_MAX];
    size_t count;
};

static void split(const char *text, size_t bytes, struct words *words)
{
    for (size_t at = 0; at < bytes && words->count < WORDS_MAX;) {
        struct word *word = &words->item[words->count];
        size_t length = 0;

        if (!mn_letter_plain(text[at])) {
            at++;
            continue;
        }
        words->count++;
        word->capital = mn_letter_upper(text[at]);
        for (; at < bytes && mn_letter_plain(text[at]); at++, length++)
            if (length < WORD_BYTES - 1)
                word->text[length] = mn_letter_to_lower(text[at]);
        word->text[length < WORD_BYTES ? length : 0] = '\0';
    }
}

static bool is(const struct words *words, size_t i, const char *list)
{
    char wanted[WORD_BYTES + 2];
    size_t bytes;

    if (i >= words->count || !words->item[i].text[0])
        return false;
    bytes = strlen(words->item[i].text);
    wanted[0] = ' ';
    memcpy(wanted + 1, words->item[i].text, bytes);
    memcpy(wanted + 1 + bytes, " ", 2);
    return strstr(list, wanted) != NULL;
}

/* ---- the kind ---- */

static bool has_any(const char *text, size_t bytes, const char *const *phrase)
{
    for (; *phrase; phrase++)
        if (memmem(text, bytes, *phrase, strlen(*phrase)))
            return true;
    return false;
}

static void read_kind(const struct words *words, struct mn_inquiry *inquiry)
{
    for (size_t i = 0; i < words->count; i++) {
        if (is(words, i, " how ") && is(words, i + 1, " long ")) {
            inquiry->asks_when = true;
            return;
        }
        inquiry->asks_how_many |=
            is(words, i, " how ") && is(words, i + 1, " many much often old ");
    }
    if (inquiry->asks_how_many)
        return;
    for (size_t i = 0; i < words->count; i++)
        inquiry->asks_when |=
            (i < OPENING && is(words, i, " when ")) ||
            (is(words, i, " what which ") && is(words, i + 1, " year month date day time week "));
}

static void read_kind_chinese(const char *text, size_t bytes, struct mn_inquiry *inquiry)
{
    static const char *const WHEN[] = { "什么时候", "何时",     "哪天",   "哪一天", "哪年",
                                        "哪一年",   "哪个月",   "几月",   "几号",   "几点",
                                        "多久",     "多长时间", "啥时候", "哪周",   NULL };
    static const char *const MANY[] = { "多少", "几次", "几个", "几岁", "多大", "几只", "几位",
                                        "几本", "几家", "几条", "几天", "几年", NULL };

    inquiry->asks_when |= has_any(text, bytes, WHEN);
    inquiry->asks_how_many |= !inquiry->asks_when && has_any(text, bytes, MANY);
}

/* ---- dates ---- */

static void put(int *list, size_t *count, int value)
{
    for (size_t i = 0; i < *count; i++)
        if (list[i] == value)
            return;
    if (*count < MN_INQUIRY_FEW)
        list[(*count)++] = value;
}

/* 8, 8th; 0: no day of a month. */
static int day_of(const struct words *words, size_t i)
{
    const char *at = i < words->count ? words->item[i].text : "";
    int day = 0, digits = 0;

    for (; mn_letter_digit(*at) && digits < 3; at++, digits++)
        day = day * 10 + (*at - '0');
    if (!digits || digits > 2 || day > 31 ||
        (*at && strcmp(at, "st") && strcmp(at, "nd") && strcmp(at, "rd") && strcmp(at, "th")))
        return 0;
    return day;
}

static int year_of(const struct words *words, size_t i)
{
    const char *at = i < words->count ? words->item[i].text : "";

    if (strlen(at) != 4 || strncmp(at, "20", 2) || !mn_letter_digit(at[2]) ||
        !mn_letter_digit(at[3]))
        return 0;
    return 2000 + (at[2] - '0') * 10 + (at[3] - '0');
}

static int month_of(const struct words *words, size_t i)
{
    int month = mn_calendar_month(mn_str_of(words->item[i].text));

    if (strcmp(words->item[i].text, "may"))
        return month;
    return (i && (is(words, i - 1, " in of during on by since ") || day_of(words, i - 1))) ||
                   day_of(words, i + 1) || year_of(words, i + 1)
               ? month
               : 0;
}

static uint16_t season_of(const struct words *words, size_t i)
{
    if (is(words, i, " spring "))
        return 1 << 3 | 1 << 4 | 1 << 5;
    if (is(words, i, " summer "))
        return 1 << 6 | 1 << 7 | 1 << 8;
    if (is(words, i, " fall autumn "))
        return 1 << 9 | 1 << 10 | 1 << 11;
    return is(words, i, " winter ") ? 1 << 12 | 1 << 1 | 1 << 2 : 0;
}

/* The 30th of February is no day; the month was named all the same. */
static void put_day(struct mn_inquiry *inquiry, int month, int day)
{
    if (day >= 1 && day <= mn_calendar_days_of_month(LEAP_YEAR, month))
        put(inquiry->day, &inquiry->day_count, day);
}

static void read_dates(const struct words *words, struct mn_inquiry *inquiry)
{
    for (size_t i = 0; i < words->count; i++) {
        int month = words->item[i].text[0] ? month_of(words, i) : 0;
        size_t before = i && is(words, i - 1, " of ") ? i - 1 : i;

        if (year_of(words, i))
            put(inquiry->year, &inquiry->year_count, year_of(words, i));
        inquiry->months |= season_of(words, i);
        if (!month)
            continue;
        inquiry->months |= (uint16_t)(1 << month);
        if (before && day_of(words, before - 1))
            put_day(inquiry, month, day_of(words, before - 1));
        if (day_of(words, i + 1))
            put_day(inquiry, month, day_of(words, i + 1));
    }
}

/* A number and what stands behind it: 2023年, 5月, 8日, 8号, 五月. */
static void read_dates_chinese(const char *text, struct mn_inquiry *inquiry)
{
    static const struct {
        const char *word;
        uint16_t months;
    } SEASON[] = { { "春天", 1 << 3 | 1 << 4 | 1 << 5 },   { "春季", 1 << 3 | 1 << 4 | 1 << 5 },
                   { "夏天", 1 << 6 | 1 << 7 | 1 << 8 },   { "夏季", 1 << 6 | 1 << 7 | 1 << 8 },
                   { "秋天", 1 << 9 | 1 << 10 | 1 << 11 }, { "秋季", 1 << 9 | 1 << 10 | 1 << 11 },
                   { "冬天", 1 << 12 | 1 << 1 | 1 << 2 },  { "冬季", 1 << 12 | 1 << 1 | 1 << 2 } };
    int month = 0; /* that was just read; 0: none */

    for (size_t i = 0; i < sizeof SEASON / sizeof SEASON[0]; i++)
        if (strstr(text, SEASON[i].word))
            inquiry->months |= SEASON[i].months;
    for (const char *at = text; *at;) {
        int number = 0;

        if (!mn_calendar_number(&at, &number)) {
            month = 0;
            at++;
        } else if (!strncmp(at, "年", 3) && number >= 1900 && number < 2200) {
            put(inquiry->year, &inquiry->year_count, number);
        } else if (!strncmp(at, "月", 3) && number >= 1 && number <= 12) {
            inquiry->months |= (uint16_t)(1 << number);
            month = number;
            at += strlen("月");
        } else if (month && (!strncmp(at, "日", 3) || !strncmp(at, "号", 3))) {
            put_day(inquiry, month, number);
        }
    }
}

/* ---- the whole ---- */

static void read_names(const struct words *words, struct mn_inquiry *inquiry)
{
    for (size_t i = 0; i < words->count && inquiry->name_count < MN_INQUIRY_NAMES_MAX; i++)
        if (words->item[i].capital && strlen(words->item[i].text) > 2)
            memcpy(inquiry->name[inquiry->name_count++], words->item[i].text, WORD_BYTES);
}

struct mn_inquiry mn_inquiry_read(const char *text)
{
    size_t bytes = strlen(text);
    struct mn_inquiry inquiry = { 0 };
    struct words words = { 0 };

    split(text, bytes, &words);
    read_kind(&words, &inquiry);
    read_kind_chinese(text, bytes, &inquiry);
    read_dates(&words, &inquiry);
    read_dates_chinese(text, &inquiry);
    read_names(&words, &inquiry);
    return inquiry;
}

float mn_inquiry_fits_date(const struct mn_inquiry *inquiry, int year, int month, int day)
{
    bool right_year = !inquiry->year_count;
    int apart = 31;
    float fit = 0;

    for (size_t i = 0; i < inquiry->year_count; i++)
        right_year |= inquiry->year[i] == year;
    if (!inquiry->months)
        return inquiry->year_count && right_year ? 0.3f : 0;
    if (!(inquiry->months >> month & 1))
        return 0;
    for (size_t i = 0; i < inquiry->day_count; i++) {
        int away = day > inquiry->day[i] ? day - inquiry->day[i] : inquiry->day[i] - day;

        apart = away < apart ? away : apart;
    }
    fit = 0.6f;
    if (inquiry->day_count)
        fit += apart <= 1 ? 0.4f : apart <= 7 ? 0.2f : 0;
    return right_year ? fit : fit / 2;
}

bool mn_inquiry_nearly_names(const struct mn_inquiry *inquiry, struct mn_str name)
{
    for (size_t i = 0; i < inquiry->name_count; i++) {
        struct mn_str asked = mn_str_of(inquiry->name[i]);

        if (name.bytes < 3 || asked.bytes < 3 || memcmp(asked.at, name.at, 3))
            ; /* may still be spelled wrongly */
        else if (name.bytes == 3 || (asked.bytes == 3 && !mn_words_stop(asked.at, 3)) ||
                 (name.bytes > 3 && asked.bytes > 3 && asked.at[3] == name.at[3]))
            return true;
        if (name.bytes > 4 && asked.bytes > 3 && asked.at[0] == name.at[0] &&
            mn_text_distance(asked, name, 2) <= 2)
            return true;
    }
    return false;
}
