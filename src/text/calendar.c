/*
 * calendar.c - names and numerals.
 */
#include "text/calendar.h"

#include <string.h>

#include "text/letters.h"

#define NUMBER_MAX 9999

static int find(struct mn_str word, const char *const *name, int count, bool abbreviated)
{
    for (int i = 0; i < count; i++) {
        struct mn_str whole;

        if (!word.bytes || word.at[0] != name[i][0])
            continue;
        whole = mn_str_of(name[i]);
        if (mn_str_equal(word, whole) ||
            (abbreviated && word.bytes == 3 && memcmp(word.at, whole.at, 3) == 0))
            return i + 1;
    }
    return 0;
}

int mn_calendar_month(struct mn_str word)
{
    static const char *const NAME[12] = { "january",   "february", "march",    "april",
                                          "may",       "june",     "july",     "august",
                                          "september", "october",  "november", "december" };

    return mn_str_equal(word, MN_STR("sept")) ? 9 : find(word, NAME, 12, true);
}

int mn_calendar_weekday(struct mn_str word)
{
    static const char *const NAME[7] = { "monday", "tuesday",  "wednesday", "thursday",
                                         "friday", "saturday", "sunday" };

    return find(word, NAME, 7, false);
}

int mn_calendar_days_of_month(int year, int month)
{
    static const int DAYS[12] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return month == 2 && leap ? 29 : DAYS[month - 1];
}

/* The value of a Chinese digit, 10 or 100; -1 for anything else. All are three bytes long. */
static int han_digit(const char *at)
{
    static const char *const DIGIT[] = { "零", "一", "二", "三", "四", "五", "六",
                                         "七", "八", "九", "〇", "两", "十", "百" };
    static const int VALUE[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 2, 10, 100 };

    for (size_t i = 0; i < sizeof VALUE / sizeof VALUE[0]; i++) {
        if (at[0] == DIGIT[i][0] && at[1] == DIGIT[i][1] && at[2] == DIGIT[i][2])
            return VALUE[i];
    }
    return -1;
}

static bool han_number(const char **at, int *ret_number)
{
    int total = 0;  /* tens and hundreds that are complete */
    int number = 0; /* digits not yet multiplied */
    bool units = false;
    const char *p = *at;
    int digit;

    for (; (digit = han_digit(p)) >= 0; p += 3) {
        if (digit >= 10) {
            total += (p == *at || number == 0 ? 1 : number) * digit;
            number = 0;
            units = true;
        } else {
            number = units ? digit : number * 10 + digit;
        }
        if (number > NUMBER_MAX || total > NUMBER_MAX)
            return false;
    }
    if (p == *at)
        return false;
    *at = p;
    *ret_number = total + number;
    return true;
}

bool mn_calendar_number(const char **at, int *ret_number)
{
    const char *p = *at;
    int number = 0;

    if (!mn_letter_digit(*p))
        return han_number(at, ret_number);
    for (; mn_letter_digit(*p); p++) {
        number = number * 10 + (*p - '0');
        if (number > NUMBER_MAX)
            return false;
    }
    *at = p;
    *ret_number = number;
    return true;
}
