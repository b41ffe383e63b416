/*
 * dated.c - relative days, as the days they are.
 *
 * "The audit is next Friday" is true for a week, and misleads for as long as it is remembered. So the
 * day is worked out when it is said, by the zone of who says it, and stands beside the words: "The
 * audit is next Friday (2026-10-16)." Whoever reads the block sees the day and need not count, and the
 * same words of another week are another memory. The record has the first instant of it as its event
 * time, unless a key makes it the answer to a question with one value at a time: those are compared by
 * when they were said. Where the question is when a thing takes place (schedule.c), the day is also the
 * value: Thursday of this week is another answer than Thursday of the next.
 *
 * A bare weekday or a date without a year is of the past or to come by the tense it stands in, and left
 * where that does not tell. What comes again ("every last Friday", "yesterday's log" of a standing
 * order) has no day. What brings its own id is meant as it is.
 */
#include "remember/draft.h"

#include <string.h>

#include "base/clock.h"
#include "remember/schedule.h"
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
static const char *const TO_WEEKDAY[] = { "due", "due on", "due by", "is on", "are on", "is due", "定在", "安排在", "截止到",
                                          NULL };
/* The same behind what was moved: "rescheduled from Monday to Wednesday". */
static const char *const TO[] = { "to", "until", "till", "for", "on", NULL };
/* The same where the whole says when something takes place: 会议在周二. */
static const char *const AT[] = { "在", "是", "于", NULL };
/* Not from today on, but how long, or after whatever it was. */
static const char *const LASTING[] = {
    "can|could|took|takes|take|able to|within > in", "expire|expires|deleted|removed|purged|rotated|time out|times out >> in",
    "过期|失效|自动|超时|清理", NULL,
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

/* The weekday's day in this week, or the next when that is past. not_today: what is moved to Monday on
 * a Monday is moved to the next. */
static bool coming(struct mn_arena *arena, const char *name, size_t bytes, bool chinese,
                   bool not_today, int64_t said_ms, const char *zone, struct mn_when *ret_when)
{
    static const char *const weeks[2][2] = { { "this ", "next " }, { "这", "下" } };

    for (size_t i = 0; i < 2; i++) {
        const char *phrase = mn_arena_printf(arena, "%s%.*s", weeks[chinese][i], (int)bytes, name);
        struct mn_when when = { 0 };

        if (phrase)
            when = mn_when_find(phrase, said_ms, zone);
        if (!when.found || (not_today ? when.from_ms : when.until_ms - 1) <= said_ms)
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

/* "moved from Tuesday to Thursday", 推迟到周五. */
static bool find_coming(struct mn_arena *arena, const char *lower, bool planned, int64_t said_ms,
                        const char *zone, struct day *ret_day)
{
    size_t moved;

    if (!strstr(lower, "day") && !strstr(lower, "周") && !strstr(lower, "星期") &&
        !strstr(lower, "礼拜")) /* most texts name none */
        return false;
    moved = mn_schedule_behind_move(lower, strlen(lower));
    for (size_t at = 0; lower[at]; at++) {
        size_t bytes = mn_wording_any(lower, at, TO_WEEKDAY);
        bool chinese = false;

        if (!bytes && moved && at >= moved)
            bytes = mn_wording_any(lower, at, TO);
        if (!bytes && planned)
            bytes = mn_wording_any(lower, at, AT);
        if (!bytes && !(moved && at == moved && (unsigned char)lower[at - 1] >= 0x80))
            continue;
        size_t name = at + bytes;
        while (lower[name] == ' ' || !strncmp(lower + name, "了", 3))
            name += lower[name] == ' ' ? 1 : 3;
        bytes = weekday_at(lower, name, &chinese);
        if (!bytes || !coming(arena, lower + name, bytes, chinese, moved > 0, said_ms, zone, &ret_day->when))
            continue;
        ret_day->behind = name + bytes;
        return true;
    }
    return false;
}

/* "Slipped to November 12": the next one, which may be of the next year. */
static bool next_date(int64_t said_ms, const char *zone, struct day *day)
{
    const int64_t year_ms = INT64_C(365) * MN_DAY_MS;
    struct mn_when next = mn_when_find(day->when.phrase.at, day->when.from_ms + year_ms, zone);

    if (!next.found || next.from_ms <= said_ms || next.from_ms > said_ms + year_ms)
        return false;
    day->when = next;
    return true;
}

/* A date without a year, or "on Friday", by the tense it stands in; behind a move it is to come. */
static bool place_bare(struct mn_arena *arena, const char *lower, int64_t said_ms, const char *zone,
                       struct day *day)
{
    const struct mn_cue_text cues = mn_cue_read(lower);
    size_t from = (size_t)(day->when.phrase.at - lower), name = from;
    bool moved = mn_schedule_behind_move(lower, from) > 0;
    bool past = !moved && mn_cue_any(&cues, PAST);
    bool ahead = moved || mn_cue_any(&cues, TO_COME);
    bool chinese = false;

    if (past == ahead)
        return false;
    while (name < day->behind && !weekday_at(lower, name, &chinese))
        name++;
    if (moved && name == day->behind)
        return day->when.from_ms > said_ms || next_date(said_ms, zone, day);
    if (day->when.until_ms - day->when.from_ms > 3 * MN_DAY_MS)
        return past && day->when.until_ms <= said_ms;
    if (past)
        return day->when.from_ms <= said_ms;
    if (day->when.until_ms > said_ms)
        return true;
    return name < day->behind && coming(arena, lower + name, day->behind - name, chinese, moved,
                                        said_ms, zone, &day->when);
}

/* "It took two weeks, done in 3 days", 令牌三十天后过期: no day that is told from this one. */
static bool only_lasts(const char *lower, int64_t said_ms, const struct day *day)
{
    struct mn_str phrase = day->when.phrase;
    bool ahead = phrase.bytes > 3 && (!memcmp(phrase.at, "in ", 3) ||
                                      !memcmp(phrase.at + phrase.bytes - 3, "后", 3));

    if (!ahead || day->when.from_ms <= said_ms)
        return false;
    const struct mn_cue_text cues = mn_cue_read(lower);
    return mn_cue_any(&cues, LASTING) || (mn_cue_any(&cues, PAST) && !mn_cue_any(&cues, TO_COME));
}

/* "Changed from May 5 to May 12": the former day, where something was moved. */
static bool is_left(const char *lower, const char *phrase)
{
    return !strncmp(phrase, "from ", 5) || !strncmp(phrase, "从", 3) ||
           (phrase - lower >= 5 && !strncmp(phrase - 5, "from ", 5));
}

/* planned: the text says when something takes place. */
static bool find_day(struct mn_arena *arena, const char *lower, bool planned, int64_t said_ms,
                     const char *zone, struct day *ret_day)
{
    struct day day = { .when = mn_when_find(lower, said_ms, zone) };
    bool moved = day.when.found && is_left(lower, day.when.phrase.at) &&
                 mn_schedule_behind_move(lower, strlen(lower)) > 0;

    while (moved && day.when.found && is_left(lower, day.when.phrase.at))
        day.when = mn_when_find(day.when.phrase.at + day.when.phrase.bytes, said_ms, zone);

    if (day.when.found)
        day.behind = (size_t)(day.when.phrase.at - lower) + day.when.phrase.bytes;
    if (!day.when.found || day.when.said == MN_WHEN_OPEN) {
        if (!find_coming(arena, lower, planned, said_ms, zone, &day))
            return false;
    } else if (day.when.said == MN_WHEN_ABSOLUTE || only_lasts(lower, said_ms, &day) ||
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

    if (!lower || !find_day(arena, lower, mn_key_is_schedule(memory->memory_key), memory->created_at_ms, "", &day))
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
    if (!find_day(arena, lower, mn_key_is_schedule(memory->memory_key), memory->created_at_ms, zone, &day) ||
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
    bool tells_when = mn_key_is_schedule(memory->memory_key);
    if (tells_when && !mn_empty(memory->value)) {
        memory->value = mn_arena_printf(arena, "%s %s", days, memory->value);
        if (!memory->value)
            return mn_fail_memory(err);
    }
    if ((mn_empty(memory->memory_key) || tells_when) &&
        (!memory->event_time_ms || memory->event_time_ms == memory->created_at_ms))
        memory->event_time_ms = day.when.from_ms;
    return MNEME_OK;
}
