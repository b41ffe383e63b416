/*
 * schedule.c - when and where a known thing takes place.
 *
 * "The meeting with Dr. Lee has been moved to Thursday" ends what "the meeting with Dr. Lee is on Tuesday"
 * said. So both answer one key, made of the words the thing is called by; when and where are two keys,
 * since another room is no other day. Known are things that have a day (a meeting, a flight), called by a
 * definite article, a possessive or none: "a meeting" is another one each time it is said.
 *
 * Only what was moved or called off calls for a memory by itself; that a thing is on some day does not.
 */
#include "remember/schedule.h"

#include <string.h>

#include "remember/value.h"
#include "text/calendar.h"
#include "text/letters.h"

#define THING_WORDS_MAX 6 /* where no article says where it begins */
#define CLAUSE_BYTES_MAX 512 /* who says when a thing is takes no longer */

/* clang-format off */
/* The longer first. */
static const char *const MOVED[] = {
    "moved up", "moved back", "moved", "rescheduled", "postponed", "pushed back", "pushed out", "pushed",
    "brought forward", "delayed", "shifted", "changed", "slipped", "deferred", "switched", "relocated", "put off", "rebooked",
    "改签到", "改期到", "改到", "挪到", "推迟到", "推到", "提前到", "延期到", "延迟到", "延后到", "延到", "调整到", "调到", "改在",
    "改成", "改为", "换到", "移到", "搬到", "转到", "拖到", "推迟至", "提前至", "延期至", "改至", NULL,
};
static const char *const CALLED_OFF[] = {
    "cancelled", "canceled", "called off", "scrapped", "取消了", "取消", "不开了", "不办了", NULL,
};
static const char *const IS_AT[] = {
    "is now", "is", "are", "takes place", "starts", "定在", "安排在", "在", "是", NULL,
};
static const char *const ENGLISH_THINGS[] = {
    "meeting", "meetings", "call", "demo", "release", "launch", "deadline", "appointment", "review", "standup", "stand-up",
    "sync", "flight", "train", "interview", "exam", "class", "workshop", "audit", "deployment", "session", "retro",
    "retrospective", "kickoff", "kick-off", "training", "visit", "party", "dinner", "lunch", "wedding", "conference", "talk",
    "presentation", "lesson", "trip", "checkup", "surgery", "delivery", "inspection", "webinar", "rehearsal", "concert",
    "match", "tournament", "due date", "maintenance", "migration", "hearing", "defense", "defence", "planning", NULL,
};
static const char *const CHINESE_THINGS[] = {
    "会议", "例会", "评审会", "周会", "晨会", "早会", "站会", "年会", "发布会", "家长会", "聚会", "大会", "研讨会", "讨论会",
    "评审", "发布", "上线", "截止日期", "截止", "面试", "约会", "航班", "考试", "培训", "演示", "活动", "出差", "课", "审计",
    "部署", "复盘", "预约", "聚餐", "婚礼", "火车", "高铁", "飞机", "体检", "手术", "讲座", "旅行", "开庭", "答辩", "交付", "比赛",
    "演出", "聚餐地点", "会议地点", "地点", "时间", NULL,
};
static const char *const DETERMINERS[] = { "the", "my", "our", "this", "that", NULL };
static const char *const OTHERS[] = { "his", "her", "their", "your", NULL };
/* Between the thing and what became of it. */
static const char *const AUXILIARIES[] = {
    "has", "have", "been", "was", "were", "is", "are", "got", "gets", "being", "be", "will", "just", "now", "also",
    "recently", "again", "already", "had", NULL,
};
/* Such a clause tells of no change. */
static const char *const DOUBTS[] = {
    "not", "never", "could", "can", "should", "would", "may", "might", "must", "if", "whether", "when", "want", "wants", "need",
    "needs", "wish", "hope", "maybe", "perhaps", "almost", "nearly", "a", "an", "any", "every", "each", "some", "another",
    "哪", "没", "不", "别把", "是否", "可能", "也许", "希望", "想", "如果", "要是", "能不能", "能否", "可以", "应该", "打算", "差点",
    "说不定", "每", "一个", NULL,
};
static const char *const TO[] = { "to", "until", "till", "for", NULL };
static const char *const ON[] = { "on", "at", "in", "for", "by", NULL };
/* A value does not go beyond. */
static const char *const ENDS[] = {
    "because", "since", "so", "but", "instead", "due to", "as", "and", "which", "where", "rather", "not", NULL,
};
static const char *const TIMES[] = {
    "today", "tomorrow", "tonight", "noon", "midnight", "morning", "afternoon", "evening", "week", "weeks", "month", "months",
    "day", "days", "year", "quarter", "o'clock", "am", "pm", "周", "星期", "礼拜", "上午", "下午", "晚上",
    "早上", "中午", "今晚", "明早", "季度", "明年", "年底", NULL,
};
/* A time where no place is named: "room 4" and 三号会议室 are none. */
static const char *const WEAK_TIMES[] = { "点", "月", "号", "日", "天", NULL };
static const char *const PLACES[] = {
    "room", "building", "hall", "office", "floor", "zoom", "teams", "online", "会议室", "楼", "线上", "办公室", "号厅", "腾讯会议", NULL,
};
static const char *const CHINESE_LEADS[] = { "其实", "那个", "这个", "我的", "我们的", "咱们的", "我们", "咱们", "本次", "这次", "的", NULL };
static const char *const CHINESE_TAILS[] = { "已经", "被", "又", "也", "临时", "现在", "都", "改", "的", NULL };
/* clang-format on */

struct span {
    size_t from, until;
};

/* ---- words ---- */

static bool begins_word(const char *lower, size_t at)
{
    return at == 0 || (unsigned char)lower[at] >= 0x80 || !mn_letter_word(lower[at - 1]);
}

/* Where one of the words stands in the span, with its bytes; s.until: nowhere. */
static size_t find_word(const char *lower, struct span s, const char *const *words,
                        size_t *ret_bytes)
{
    for (size_t at = s.from; at < s.until; at++) {
        size_t bytes = begins_word(lower, at) ? mn_wording_any(lower, at, words) : 0;

        if (bytes && at + bytes <= s.until) {
            *ret_bytes = bytes;
            return at;
        }
    }
    *ret_bytes = 0;
    return s.until;
}

static bool holds(const char *lower, struct span s, const char *const *words)
{
    size_t bytes;

    (void)find_word(lower, s, words, &bytes);
    return bytes > 0;
}

static bool doubts(const char *lower, struct span s)
{
    for (size_t at = s.from; at + 3 <= s.until; at++)
        if (!strncmp(lower + at, "n't", 3))
            return true;
    return holds(lower, s, DOUBTS);
}

static struct span trim(const char *lower, struct span s)
{
    while (s.from < s.until && lower[s.from] == ' ')
        s.from++;
    while (s.until > s.from && strchr(" ,:-", lower[s.until - 1]))
        s.until--;
    return s;
}

/* Without one of the words at its end, whole words; false: none is there. */
static bool cut_tail(const char *lower, struct span *s, const char *const *words)
{
    for (size_t i = 0; words[i]; i++) {
        size_t bytes = strlen(words[i]);

        if (s->until - s->from > bytes && !memcmp(lower + s->until - bytes, words[i], bytes) &&
            begins_word(lower, s->until - bytes)) {
            s->until -= bytes;
            *s = trim(lower, *s);
            return true;
        }
    }
    return false;
}

static size_t word_count(const char *lower, struct span s)
{
    size_t count = s.from < s.until;

    for (size_t at = s.from; at < s.until; at++)
        count += lower[at] == ' ';
    return count;
}

static bool is_chinese(const char *lower, struct span s)
{
    return s.until > s.from && (unsigned char)lower[s.until - 1] >= 0x80;
}

/* ---- the thing ---- */

/* "thursday's", "下周的": which one it is says its day. */
static bool is_time(const char *lower, struct span s)
{
    bool weak = holds(lower, s, WEAK_TIMES);

    for (size_t at = s.from; at < s.until; at++) {
        struct mn_str word = { lower + at, 0 };

        if (!begins_word(lower, at))
            continue;
        weak = weak || mn_letter_digit(lower[at]);
        while (at + word.bytes < s.until && mn_letter_latin(word.at[word.bytes]))
            word.bytes++;
        if (word.bytes && (mn_calendar_weekday(word) || mn_calendar_month(word)))
            return true;
    }
    return holds(lower, s, TIMES) || (weak && !holds(lower, s, PLACES));
}

static struct span without_day(const char *lower, struct span s)
{
    static const char *const marks[] = { "'s ", "的" };

    for (size_t i = 0; i < 2; i++) {
        const char *mark = strstr(lower + s.from, marks[i]);
        size_t at = mark ? (size_t)(mark - lower) : s.until;

        if (at + strlen(marks[i]) < s.until && is_time(lower, (struct span){ s.from, at }))
            s.from = at + strlen(marks[i]);
    }
    return s;
}

/* Where the noun stands that says what it is: behind it only "with Dr. Lee"; s.until: nowhere. */
static size_t find_head(const char *lower, struct span s)
{
    static const char *const links[] = { "with", "for", "on", "about", "at", "of", "in", "between", "to", "from",
                                         "and", NULL };
    size_t bytes = 0;

    for (size_t at = s.from; at < s.until; at += bytes) {
        at = find_word(lower, (struct span){ at, s.until }, ENGLISH_THINGS, &bytes);
        struct span rest = trim(lower, (struct span){ at + bytes, s.until });

        if (at < s.until && (rest.from >= rest.until || mn_wording_any(lower, rest.from, links)))
            return at;
        bytes += !bytes;
    }
    return s.until;
}

static bool english_thing(const char *lower, struct span *s)
{
    size_t begins = s->from, head;
    bool named = false;

    while (cut_tail(lower, s, AUXILIARIES))
        ;
    head = find_head(lower, *s);
    if (head == s->until || doubts(lower, *s))
        return false;
    for (size_t at = s->from; at <= head; at++) {
        size_t bytes = begins_word(lower, at) ? mn_wording_any(lower, at, DETERMINERS) : 0;

        if (bytes && at + bytes < head) {
            begins = at + bytes;
            named = true;
        } else if (begins_word(lower, at) && mn_wording_any(lower, at, OTHERS)) {
            begins = at;
            named = true;
        }
    }
    s->from = begins;
    *s = without_day(lower, trim(lower, *s));
    return s->from < s->until && (named || word_count(lower, *s) <= THING_WORDS_MAX);
}

static bool chinese_thing(const char *lower, struct span *s)
{
    bool known = false;
    size_t bytes;

    for (size_t at = s->from; at < s->until; at++) { /* "我把会议改到…" */
        if (!strncmp(lower + at, "把", 3) || !strncmp(lower + at, "将", 3))
            s->from = at + 3;
        else if (!strncmp(lower + at, "从", 3))
            s->until = at;
    }
    *s = trim(lower, *s);
    while (cut_tail(lower, s, CHINESE_TAILS))
        ;
    while ((bytes = mn_wording_any(lower, s->from, CHINESE_LEADS)) && s->from + bytes < s->until)
        s->from += bytes;
    *s = without_day(lower, *s);
    for (size_t i = 0; CHINESE_THINGS[i] && !known; i++) {
        size_t n = strlen(CHINESE_THINGS[i]);

        known = s->until - s->from >= n && !memcmp(lower + s->until - n, CHINESE_THINGS[i], n);
    }
    return known && !doubts(lower, *s);
}

static bool find_thing(const char *lower, struct span *s)
{
    *s = trim(lower, *s);
    if (s->from >= s->until)
        return false;
    return is_chinese(lower, *s) ? chinese_thing(lower, s) : english_thing(lower, s);
}

/* ---- what is said of it ---- */

static struct span value_at(const char *lower, size_t at, size_t end)
{
    struct span s = trim(lower, (struct span){ at, end });
    size_t bytes, stop = s.from < s.until ? find_word(lower, (struct span){ s.from + 1, s.until }, ENDS, &bytes)
                                          : s.until;

    s.until = stop > s.from && stop < s.until ? stop : s.until;
    s = trim(lower, s);
    while (cut_tail(lower, &s, (const char *const[]){ "了", "啦", "吧", "now", NULL }))
        ;
    return s;
}

static bool keyed_as(struct mn_arena *arena, const struct mn_wording *w, struct span thing,
                     const char *value, bool time, bool states, struct mn_keyed *ret_keyed)
{
    const char *part = mn_key_part(arena, w->lower + thing.from, thing.until - thing.from);

    if (!part || !value)
        return false;
    *ret_keyed = (struct mn_keyed){
        mn_arena_printf(arena, MN_KEY_SCHEDULE "%s.%s", part, time ? "time" : "place"), value, states
    };
    return ret_keyed->key != NULL;
}

static bool keyed_by_value(struct mn_arena *arena, const struct mn_wording *w, struct span thing,
                           struct span value, bool states, struct mn_keyed *ret_keyed)
{
    bool time = is_time(w->lower, value);

    if (value.from >= value.until || value.until - value.from > MN_VALUE_BYTES_MAX ||
        (!states && !time && !holds(w->lower, value, PLACES)))
        return false;
    return keyed_as(arena, w, thing,
                    mn_arena_copy_n(arena, w->lower + value.from, value.until - value.from), time,
                    states, ret_keyed);
}

/* Bytes of a word that says that something was moved, at `at`; 0. */
static size_t moved_at(const char *lower, size_t at)
{
    return begins_word(lower, at) ? mn_wording_any(lower, at, MOVED) : 0;
}

size_t mn_schedule_behind_move(const char *lower, size_t until)
{
    size_t behind = 0;

    for (size_t at = 0; at < until; at++) {
        size_t bytes = moved_at(lower, at);

        behind = bytes ? at + bytes : behind;
    }
    return behind;
}

/* "moved [the meeting] [from Tuesday] to Thursday": verb [from, until) in the clause [at, end). */
static bool key_of_move(struct mn_arena *arena, const struct mn_wording *w, size_t at, size_t end,
                        struct span verb, struct mn_keyed *ret_keyed)
{
    static const char *const source[] = { "from", NULL };
    const char *lower = w->lower;
    struct span behind = trim(lower, (struct span){ verb.until, end });
    struct span thing = { at, verb.from };
    size_t bytes = 0, to = behind.from;

    if ((unsigned char)lower[verb.from] >= 0x80)
        return find_thing(lower, &thing) &&
               keyed_by_value(arena, w, thing, value_at(lower, behind.from + (strncmp(lower + behind.from, "了", 3) == 0 ? 3 : 0), end),
                              true, ret_keyed);
    to = find_word(lower, behind, TO, &bytes);
    if (to == behind.until)
        return false;
    if (mn_wording_any(lower, behind.from, DETERMINERS)) { /* somebody moved it */
        size_t ignored;
        size_t from = find_word(lower, behind, source, &ignored);

        if (doubts(lower, thing))
            return false;
        thing = (struct span){ behind.from, from < to ? from : to };
    }
    return find_thing(lower, &thing) &&
           keyed_by_value(arena, w, thing, value_at(lower, to + bytes, end), true, ret_keyed);
}

static bool key_of_place_in_time(struct mn_arena *arena, const struct mn_wording *w, size_t at,
                                 size_t end, struct span verb, struct mn_keyed *ret_keyed)
{
    struct span thing = { at, verb.from };
    size_t value = trim(w->lower, (struct span){ verb.until, end }).from;
    size_t bytes = value < end ? mn_wording_any(w->lower, value, ON) : 0;

    return find_thing(w->lower, &thing) &&
           keyed_by_value(arena, w, thing, value_at(w->lower, value + bytes, end), false, ret_keyed);
}

bool mn_key_of_schedule(struct mn_arena *arena, const struct mn_wording *w, size_t at,
                        struct mn_keyed *ret_keyed)
{
    size_t end = mn_wording_end(w->lower, at);

    if (end - at > CLAUSE_BYTES_MAX)
        return false;
    for (size_t i = at + 1; i < end; i++) {
        size_t bytes = moved_at(w->lower, i);
        struct span thing = { at, i };

        if (bytes && key_of_move(arena, w, at, end, (struct span){ i, i + bytes }, ret_keyed))
            return true;
        bytes = begins_word(w->lower, i) ? mn_wording_any(w->lower, i, CALLED_OFF) : 0;
        if (bytes && find_thing(w->lower, &thing) &&
            keyed_as(arena, w, thing, "cancelled", true, true, ret_keyed))
            return true;
    }
    for (size_t i = at + 1; i < end; i++) {
        size_t bytes = begins_word(w->lower, i) ? mn_wording_any(w->lower, i, IS_AT) : 0;

        if (bytes &&
            key_of_place_in_time(arena, w, at, end, (struct span){ i, i + bytes }, ret_keyed))
            return true;
    }
    return false;
}

bool mn_schedule_moves(struct mn_arena *arena, const struct mn_wording *w)
{
    struct mn_keyed keyed;

    for (size_t at = 0; at < w->bytes; at = mn_wording_clause(w->lower, at))
        if (mn_key_of_schedule(arena, w, at, &keyed) && keyed.states)
            return true;
    return false;
}
