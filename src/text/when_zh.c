/*
 * when_zh.c - time phrases in Chinese.
 *
 * There are no word borders, so that some phrases look at their neighbours: 前天 is none in
 * 目前天气.
 */
#include <string.h>

#include "text/calendar.h"
#include "text/letters.h"
#include "text/when_read.h"

#define NO_SUCH 99 /* month, day or quarter */

/* Is the character (3 bytes) before `at` one of these? */
static bool stands_after(const char *text, const char *at, const char *characters)
{
    char before[4] = { 0 };

    if (at - text < 3)
        return false;
    memcpy(before, at - 3, 3);
    return strstr(characters, before) != NULL;
}

static bool stands_before(const char *at, const char *characters)
{
    char behind[4] = { 0 };

    strncpy(behind, at, 3);
    return strlen(behind) == 3 && (unsigned char)behind[0] >= 0xe0 &&
           strstr(characters, behind) != NULL;
}

static bool chinese_week_unit(const char **at)
{
    return mn_when_eat(at, "周") || mn_when_eat(at, "星期") || mn_when_eat(at, "礼拜");
}

static enum mn_when_unit chinese_unit(const char **at)
{
    if (mn_when_eat(at, "小时") || mn_when_eat(at, "个小时") || mn_when_eat(at, "个钟头"))
        return MN_WHEN_UNIT_HOUR;
    if (mn_when_eat(at, "天") || mn_when_eat(at, "日"))
        return MN_WHEN_UNIT_DAY;
    if (mn_when_eat(at, "个星期") || mn_when_eat(at, "个礼拜") || chinese_week_unit(at))
        return MN_WHEN_UNIT_WEEK;
    if (mn_when_eat(at, "个月"))
        return MN_WHEN_UNIT_MONTH;
    if (mn_when_eat(at, "个季度"))
        return MN_WHEN_UNIT_QUARTER;
    return mn_when_eat(at, "年") ? MN_WHEN_UNIT_YEAR : MN_WHEN_UNIT_NONE;
}

/* 三天, 2个月, 几周, 半年. */
static bool chinese_amount(const char **at, int *ret_count, enum mn_when_unit *ret_unit)
{
    const char *p = *at;
    int count;
    enum mn_when_unit unit;

    if (mn_when_eat(&p, "半年")) {
        count = 6;
        unit = MN_WHEN_UNIT_MONTH;
    } else if (mn_when_eat(&p, "半个月")) {
        count = 15;
        unit = MN_WHEN_UNIT_DAY;
    } else {
        if (mn_when_eat(&p, "几") || mn_when_eat(&p, "数"))
            count = MN_WHEN_FEW;
        else if (!mn_calendar_number(&p, &count))
            return false;
        (void)mn_when_eat(&p, " ");
        unit = chinese_unit(&p);
    }
    if (unit == MN_WHEN_UNIT_NONE || count < 1 || count > MN_WHEN_FEW)
        return false;
    *at = p;
    *ret_count = count;
    *ret_unit = unit;
    return true;
}

/* 三天前, 两周之前; not 三年前端经验, and not 15日前, which is a day of a month. */
static bool chinese_ago(const char *text, const char **at, struct mn_when_meaning *m)
{
    bool in_digits = mn_letter_digit(**at);
    int count;
    enum mn_when_unit unit;

    if (stands_after(text, *at, "第") || !chinese_amount(at, &count, &unit))
        return false;
    if (in_digits && stands_after(text, *at, "日"))
        return false;
    if (!mn_when_eat(at, "以前") && !mn_when_eat(at, "之前")) {
        if (!mn_when_eat(at, "前") || stands_before(*at, "端台线沿后"))
            return false;
    }
    *m = count == MN_WHEN_FEW ? mn_when_span(unit, -MN_WHEN_FEW) : mn_when_block(unit, -count);
    return true;
}

/* 三天后, 两周之后; not 三年后端经验, and not 工作三年后, which begins elsewhere. */
static bool chinese_ahead(const char *text, const char **at, struct mn_when_meaning *m)
{
    int count;
    enum mn_when_unit unit;

    if (stands_after(text, *at, "第每作职了过满学住婚生练用干做业到") ||
        !chinese_amount(at, &count, &unit))
        return false;
    if (!mn_when_eat(at, "以后") && !mn_when_eat(at, "之后")) {
        if (!mn_when_eat(at, "后") || stands_before(*at, "端台面勤卫悔"))
            return false;
    }
    *m = count == MN_WHEN_FEW ? mn_when_span(unit, MN_WHEN_FEW) : mn_when_block(unit, count);
    return true;
}

/* 过去三天, 最近一周, 近半年, 这两天, 前几天; not 提前两天 and 比赛前两天, which count from something
 * else, nor 将近三天, which is an amount. */
static bool chinese_span(const char *text, const char **at, struct mn_when_meaning *m)
{
    static const char not_near[] = "附将接靠临";
    static const char not_before[] = "提目之以此先会赛试假节婚布线期止动礼发产行课学";
    const char *start = *at;
    int count;
    enum mn_when_unit unit;
    bool near = mn_when_eat(at, "过去") || mn_when_eat(at, "最近") || mn_when_eat(at, "近");
    bool here = !near && mn_when_eat(at, "这");

    if (!near && !here) {
        if (!mn_when_eat(at, "前些天") && !mn_when_eat(at, "前几天") &&
            !mn_when_eat(at, "前两天") && !mn_when_eat(at, "前几日"))
            return false;
        if (stands_after(text, start, not_before))
            return false;
        *m = mn_when_span(MN_WHEN_UNIT_DAY, -MN_WHEN_FEW);
        return true;
    }
    (void)mn_when_eat(at, "的");
    (void)mn_when_eat(at, "这");
    if (near && stands_after(text, start, not_near))
        return false;
    if (!chinese_amount(at, &count, &unit) || (here && count == 1 && unit <= MN_WHEN_UNIT_DAY))
        return false;
    *m = mn_when_span(unit, -count);
    return true;
}

static bool chinese_day(const char *text, const char **at, struct mn_when_meaning *m)
{
    static const struct {
        const char *words;
        const char *not_after; /* the pair is part of another word: 目前天气 */
        int offset;
    } DAY[] = { { "大前天", "", -3 },       { "前天", "目以之提生眼此先午", -2 },
                { "前日", "目以之提", -2 }, { "昨天", "", -1 },
                { "昨日", "", -1 },         { "昨晚", "", -1 },
                { "昨夜", "", -1 },         { "今天", "", 0 },
                { "今日", "", 0 },          { "今早", "", 0 },
                { "今晨", "", 0 },          { "今晚", "", 0 },
                { "大后天", "", 3 },        { "后天", "今以之先最此", 2 },
                { "明天", "说表证声", 1 },  { "明日", "说表证声", 1 },
                { "明早", "说表证声", 1 },  { "明晚", "说表证声", 1 } };

    for (size_t i = 0; i < sizeof DAY / sizeof DAY[0]; i++) {
        const char *p = *at;

        if (mn_when_eat(&p, DAY[i].words) && !stands_after(text, *at, DAY[i].not_after)) {
            *at = p;
            *m = mn_when_block(MN_WHEN_UNIT_DAY, DAY[i].offset);
            return true;
        }
    }
    return false;
}

/* 一 to 六, 日, 天 behind 周 or 星期; 0 for none. */
static int chinese_weekday(const char **at)
{
    static const char *const DAY[] = { "一", "二", "三", "四", "五", "六", "日",
                                       "天", "1",  "2",  "3",  "4",  "5",  "6" };

    for (int i = 0; i < 14; i++) {
        const char *p = *at;

        if (!mn_when_eat(&p, DAY[i]))
            continue;
        if ((i == 0 && stands_before(p, "共直些起次般定样边")) || mn_letter_digit(*p))
            return 0;
        *at = p;
        return i < 7 ? i + 1 : i == 7 ? 7 : i - 7;
    }
    return 0;
}

/* 上周, 本月, 这个季度, 下下个星期五. */
static bool chinese_block(const char *text, const char **at, struct mn_when_meaning *m)
{
    static const struct {
        const char *words;
        int offset;
    } FIRST[] = { { "上上", -2 }, { "上", -1 },  { "本", 0 }, { "这", 0 },
                  { "当", 0 },    { "下下", 2 }, { "下", 1 } };
    const char *start = *at;
    size_t i = 0;
    int weekday;

    while (i < sizeof FIRST / sizeof FIRST[0] && !mn_when_eat(at, FIRST[i].words))
        i++;
    if (i == sizeof FIRST / sizeof FIRST[0] ||
        stands_after(text, start, "晚早马登以身手网线如基剧"))
        return false;
    (void)mn_when_eat(at, "一");
    (void)mn_when_eat(at, "个");
    if (chinese_week_unit(at)) {
        if (stands_before(*at, "期边围转刊年"))
            return false;
        if (mn_when_eat(at, "末")) {
            *m = (struct mn_when_meaning){ .shape = MN_WHEN_SHAPE_WEEKEND,
                                           .offset = FIRST[i].offset };
            return true;
        }
        weekday = chinese_weekday(at);
        *m = weekday ? (struct mn_when_meaning){ .shape = MN_WHEN_SHAPE_WEEKDAY,
                                                 .day = weekday,
                                                 .in_week = true,
                                                 .offset = FIRST[i].offset }
                     : mn_when_block(MN_WHEN_UNIT_WEEK, FIRST[i].offset);
        return true;
    }
    if (mn_when_eat(at, "季度")) {
        *m = mn_when_block(MN_WHEN_UNIT_QUARTER, FIRST[i].offset);
        return true;
    }
    if (!mn_when_eat(at, "月") || stands_before(*at, "球亮饼光"))
        return false;
    *m = mn_when_block(MN_WHEN_UNIT_MONTH, FIRST[i].offset);
    return true;
}

/* 9月12日, 九月, 第三季度, behind a year or alone. What no calendar has (13月, 45日) is read as
 * well, to be refused as a whole: half of a wrong date is none. */
static bool chinese_part_of_year(const char **at, struct mn_when_meaning *m)
{
    const char *p = *at;
    const char *behind;
    int number;

    (void)mn_when_eat(&p, "第");
    if (!mn_calendar_number(&p, &number))
        return false;
    if (mn_when_eat(&p, "季度")) {
        m->shape = MN_WHEN_SHAPE_QUARTER;
        m->day = number ? number : NO_SUCH;
        *at = p;
        return true;
    }
    if (!mn_when_eat(&p, "月"))
        return false;
    m->month = number ? number : NO_SUCH;
    (void)mn_when_eat(&p, "份");
    behind = p;
    if (mn_calendar_number(&behind, &number) &&
        (mn_when_eat(&behind, "日") || mn_when_eat(&behind, "号"))) {
        m->day = number ? number : NO_SUCH;
        p = behind;
    }
    *at = p;
    return true;
}

/* 2026年, 二零二六年九月, 去年5月, 9月12日. */
static bool chinese_date(const char *text, const char **at, struct mn_when_meaning *m)
{
    static const struct {
        const char *words;
        const char *not_after;
        int offset;
    } YEAR[] = { { "今年", "", 0 },          { "本年", "", 0 },       { "去年", "过", -1 },
                 { "前年", "目以之提", -2 }, { "明年", "说表证", 1 }, { "后年", "今以之先", 2 } };
    struct mn_when_meaning date = { .shape = MN_WHEN_SHAPE_DATE };
    const char *p = *at;
    bool with_year = false;

    for (size_t i = 0; i < sizeof YEAR / sizeof YEAR[0] && !with_year; i++) {
        if (mn_when_eat(&p, YEAR[i].words)) {
            if (stands_after(text, *at, YEAR[i].not_after))
                return false;
            date.year_offset = with_year = true;
            date.offset = YEAR[i].offset;
        }
    }
    if (!with_year) {
        const char *behind = p;

        if (mn_calendar_number(&behind, &date.year) && date.year >= 1900 && date.year <= 2199 &&
            mn_when_eat(&behind, "年")) {
            with_year = true;
            p = behind;
        } else {
            date.year = 0;
        }
    }
    (void)(with_year && mn_when_eat(&p, "的"));
    if (!chinese_part_of_year(&p, &date) && !with_year)
        return false;
    *at = p;
    *m = date;
    return true;
}

bool mn_when_chinese(const char *text, const char **at, struct mn_when_meaning *m)
{
    const char *start = *at;
    const char *p = start;
    bool from = mn_when_eat(&p, "自从") || mn_when_eat(&p, "自") || mn_when_eat(&p, "从");
    const char *first = p;
    bool found = chinese_day(text, &p, m) || (p = first, chinese_block(text, &p, m)) ||
                 (p = first, chinese_span(text, &p, m)) || (p = first, chinese_ago(text, &p, m)) ||
                 (p = first, chinese_ahead(text, &p, m)) ||
                 (p = first, chinese_date(text, &p, m)) || (p = first, mn_when_iso_date(&p, m));

    if (!found)
        return false;
    *at = p;
    if (mn_when_eat(at, "以来") ||
        (from && (mn_when_eat(at, "开始") || mn_when_eat(at, "至今") || mn_when_eat(at, "起"))))
        m->side = MN_WHEN_SIDE_SINCE;
    else if (m->shape == MN_WHEN_SHAPE_SPAN)
        m->side = MN_WHEN_SIDE_WITHIN;
    else if (mn_when_eat(at, "以前") || mn_when_eat(at, "之前"))
        m->side = MN_WHEN_SIDE_BEFORE;
    else if (mn_when_eat(at, "以后") || mn_when_eat(at, "之后"))
        m->side = MN_WHEN_SIDE_AFTER;
    return true;
}
