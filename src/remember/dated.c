/*
 * dated.c - relative days, as the days they are.
 *
 * "The audit is next Friday" is true for a week, and misleads for as long as it is remembered. So the
 * day is worked out when it is said, by the zone of who says it, and stands beside the words: "The
 * audit is next Friday (2026-10-16)." Whoever reads the block sees the day and need not count, and the
 * same words of another week are another memory. The record has the first instant of it as its event
 * time, unless a key makes it the answer to a question with one value at a time: those are compared by
 * when they were said.
 *
 * A bare weekday or a date without a year is of the past or to come by the tense it stands in, and left
 * where that does not tell. What comes again ("every last Friday", "yesterday's log" of a standing
 * order) has no day. What brings its own id is meant as it is.
 */
#include "remember/draft.h"

#include <string.h>

#include "remember/wording.h"
#include "text/analyze.h"
#include "text/calendar.h"
#include "text/cue.h"
#include "text/letters.h"
#include "text/when.h"

/* clang-format off */
static const char *const DATED_TYPES[] = { "fact", "event", "incident", "previous_decision", "project_constraint", NULL };
static const char *const HABITS[] = {
    "every|each|always|usually|never|often|sometimes|weekly|daily|monthly|whenever|each time",
    "每|总是|一般|通常|经常|一向|从来|往往|总会", NULL,
};
static const char *const PAST[] = {
    "was|were|did|had|happened|crashed|broke|failed|went|met|came|got|took|lost|found|said|told|began|started|ended|left|"
    "moved|changed|finished|released|shipped|deployed|merged|fixed|decided|agreed|bought|saw|since", NULL,
};
static const char *const TO_COME[] = {
    "is|are|will|going to|due|scheduled|planned|must|should|has to|have to|needs to|deadline|starts|begins|ends|opens|closes|"
    "leaves|launches|ships|happens|expires|we'll|i'll|it'll|moved to|rescheduled|postponed|pushed|brought forward|until|by", NULL,
};
/* Before a bare weekday that is to come. */
static const char *const TO_WEEKDAY[] = {
    "moved to", "rescheduled to", "postponed to", "postponed until", "postponed till", "pushed to", "pushed back to",
    "brought forward to", "delayed until", "delayed to", "shifted to", "due", "due on", "due by", "is on", "are on", "is due",
    "推迟到", "改到", "挪到", "提前到", "延到", "延期到", "调到", "定在", "安排在", "截止到", "改在", "改成", "改为", NULL,
};
/* clang-format on */

static bool is_one_of(const char *text, const char *const *list)
{
    for (size_t i = 0; list[i]; i++)
        if (mn_same(text, list[i]))
            return true;
    return false;
}

/* ---- which day ---- */

struct day {
    struct mn_when when;
    size_t behind; /* where its words end */
};

/* The weekday's day in this week, or the next when that is past. week: "this ", "这". */
static bool coming(struct mn_arena *arena, const char *name, size_t bytes, bool chinese,
                   int64_t said_ms, const char *zone, struct mn_when *ret_when)
{
    static const char *const weeks[2][2] = { { "this ", "next " }, { "这", "下" } };

    for (size_t i = 0; i < 2; i++) {
        const char *phrase = mn_arena_printf(arena, "%s%.*s", weeks[chinese][i], (int)bytes, name);
        struct mn_when when = { 0 };

        if (phrase)
            when = mn_when_find(phrase, said_ms, zone);
        if (!when.found || when.until_ms <= said_ms)
            continue;
        *ret_when = when;
        return true;
    }
    return false;
}

/* Bytes of the name of a weekday at `at`; 0. */
static size_t weekday_at(const char *lower, size_t at, bool *ret_chinese)
{
    static const char *const weeks[] = { "周", "星期", "礼拜", NULL };
    static const char *const days[] = { "一", "二", "三", "四", "五", "六", "日", "天", NULL };
    struct mn_str name = { lower + at, 0 };
    size_t bytes = mn_wording_any(lower, at, weeks);
    size_t day = bytes ? mn_wording_any(lower, at + bytes, days) : 0;

    *ret_chinese = day > 0;
    if (day)
        return bytes + day;
    while (mn_letter_latin(name.at[name.bytes]))
        name.bytes++;
    return name.bytes && mn_calendar_weekday(name) ? name.bytes : 0;
}

/* "moved to Thursday", 推迟到周五. */
static bool find_coming(struct mn_arena *arena, const char *lower, int64_t said_ms, const char *zone,
                        struct day *ret_day)
{
    if (!strstr(lower, "day") && !strstr(lower, "周") && !strstr(lower, "星期") &&
        !strstr(lower, "礼拜")) /* most texts name none */
        return false;
    for (size_t at = 0; lower[at]; at++) {
        size_t bytes = mn_wording_any(lower, at, TO_WEEKDAY);
        size_t name = at + bytes;
        bool chinese = false;

        if (!bytes)
            continue;
        while (lower[name] == ' ')
            name++;
        bytes = weekday_at(lower, name, &chinese);
        if (!bytes || !coming(arena, lower + name, bytes, chinese, said_ms, zone, &ret_day->when))
            continue;
        ret_day->behind = name + bytes;
        return true;
    }
    return false;
}

/* A date without a year, or "on Friday", by the tense it stands in. */
static bool place_bare(struct mn_arena *arena, const char *lower, int64_t said_ms, const char *zone,
                       struct day *day)
{
    const struct mn_cue_text cues = mn_cue_read(lower);
    bool past = mn_cue_any(&cues, PAST);
    bool ahead = mn_cue_any(&cues, TO_COME);
    size_t from = (size_t)(day->when.phrase.at - lower);
    bool chinese = false;

    if (past == ahead)
        return false;
    if (day->when.until_ms - day->when.from_ms > INT64_C(3) * 86400000)
        return past && day->when.until_ms <= said_ms;
    if (past)
        return day->when.from_ms <= said_ms;
    if (day->when.until_ms > said_ms)
        return true;
    while (from < day->behind && !weekday_at(lower, from, &chinese))
        from++;
    return from < day->behind && coming(arena, lower + from, day->behind - from, chinese, said_ms,
                                        zone, &day->when);
}

static bool find_day(struct mn_arena *arena, const char *lower, int64_t said_ms, const char *zone,
                     struct day *ret_day)
{
    struct day day = { .when = mn_when_find(lower, said_ms, zone) };

    if (day.when.found)
        day.behind = (size_t)(day.when.phrase.at - lower) + day.when.phrase.bytes;
    if (!day.when.found || day.when.said == MN_WHEN_OPEN) {
        if (!find_coming(arena, lower, said_ms, zone, &day))
            return false;
    } else if (day.when.said == MN_WHEN_ABSOLUTE ||
               (day.when.said == MN_WHEN_BARE && !place_bare(arena, lower, said_ms, zone, &day))) {
        return false;
    }
    *ret_day = day;
    return true;
}

/* ---- the memory ---- */

/* The content in lower case, byte for byte as long. */
static const char *lower_of(struct mn_arena *arena, const char *content)
{
    size_t bytes = strlen(content);
    const char *folded = mn_text_fold(arena, content, bytes);
    char *lower = mn_arena_copy_n(arena, content, bytes);

    for (size_t i = 0; lower && i < bytes; i++)
        lower[i] = mn_letter_to_lower(lower[i]);
    return folded && strlen(folded) == bytes ? folded : lower;
}

bool mn_date_wants(const struct mneme_memory *memory, struct mn_arena *arena)
{
    const char *content = mn_or_empty(memory->content);
    const char *lower = mn_empty(memory->id) && is_one_of(memory->type, DATED_TYPES)
                            ? lower_of(arena, content)
                            : NULL;
    struct day day;

    if (!lower || !find_day(arena, lower, memory->created_at_ms, "", &day))
        return false;
    const struct mn_cue_text cues = mn_cue_read(lower);
    return !mn_cue_any(&cues, HABITS);
}

enum mneme_status mn_date(struct mneme_memory *memory, const char *zone, struct mn_arena *arena,
                          struct mneme_error *err)
{
    const char *lower = lower_of(arena, memory->content);
    bool chinese = mn_text_language(memory->content, strlen(memory->content)) == MN_LANGUAGE_ZH;
    char days[MN_WHEN_DAYS_BYTES];
    const char *content;
    struct day day;

    if (!lower)
        return mn_fail_memory(err);
    if (!find_day(arena, lower, memory->created_at_ms, zone, &day) ||
        !mn_when_days(day.when.from_ms, day.when.until_ms, zone, chinese ? " 至 " : " to ", days))
        return MNEME_OK;
    if (!strncmp(lower + day.behind, "'s", 2))
        day.behind += 2;
    if (day.behind >= 3 && !memcmp(lower + day.behind - 3, "的", 3))
        day.behind -= 3;
    if (strncmp(lower + day.behind, " (", 2) != 0 && strncmp(lower + day.behind, "（", 3) != 0) {
        content = mn_arena_printf(arena, chinese ? "%.*s（%s）%s" : "%.*s (%s)%s", (int)day.behind,
                                  memory->content, days, memory->content + day.behind);
        if (!content)
            return mn_fail_memory(err);
        memory->content = content;
    }
    if (mn_empty(memory->memory_key) &&
        (!memory->event_time_ms || memory->event_time_ms == memory->created_at_ms))
        memory->event_time_ms = day.when.from_ms;
    return MNEME_OK;
}
