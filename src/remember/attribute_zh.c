/*
 * attribute_zh.c - 办公室在柏林, API 限额是 100, 项目负责人是小王.
 *
 * 在 may also say what is going on (办公室在装修), and a Chinese name has no capital: behind 在 stands
 * a place only where it is a known one or ends like one, and behind 是 a name only of what one holds.
 */
#include "remember/attribute.h"

#include <string.h>

#include "remember/value.h"
#include "text/calendar.h"
#include "text/letters.h"
#include "text/nations.h"

#define THING_BYTES_MAX 48
#define NAME_BYTES_MAX 24
#define PLACE_BYTES_MAX 30

struct span {
    size_t from, until;
};

/* clang-format off */
/* The longer first. */
static const char *const LOCATED[] = { "位于", "坐落在", "坐落于", "设在", "搬到了", "搬到", "迁到了", "迁到", NULL };
static const char *const LIVES[] = { "住在", NULL };
static const char *const AMOUNTS[] = {
    "设置为", "设定为", "设为", "调整为", "定为", "改为", "改成", "等于", "限制为", "限制在", "是", "为", "有", "共", "保留", "需要", "只有",
    "要花", "花", NULL,
};
static const char *const COUNTS[] = { "有", "共", "只有", NULL }; /* what is counted is part of the kind */
static const char *const NOT[] = { "已经不再", "已经不", "不再", "不", NULL };
static const char *const NOW[] = { "现在", "目前", "如今", "已经", "仍然", "依然", "一共", "总共", "已", "现", "仍", "还", "都", "就", NULL };
static const char *const LEADS[] = { "我们的", "咱们的", "我们", "咱们", "这个", "该", "本", "其实", "现在", "目前", NULL };
static const char *const NO_THING[] = {
    "我", "你", "他", "她", "它", "这", "那", "谁", "哪", "什么", "有人", "有个", "有些", "大家", "一个", "一些", "一家", "每", "某", "另",
    "如果", "要是", "因为", "所以", "但", "可能", "也许", "不", "没", NULL,
};
static const char *const INNER[] = { "如果", "要是", "的话", "不", "没", "或", "和", "跟", "每个", "有的", "可能", "也许", "希望", "应该", "正", NULL };
static const char *const PASSING[] = {
    "问题", "错误", "报错", "答案", "文件", "测试", "提交", "消息", "例子", "原因", "天气", "温度", "气温", "朋友", "同事", "哥哥", "弟弟",
    "姐姐", "妹妹", "兄弟", "姐妹", "孩子", "儿子", "女儿", "猫", "狗", "客户", "用户", "老师", "医生", "邻居", "订单", "任务", "事", NULL,
};
static const char *const CITIES[] = {
    "北京", "上海", "广州", "深圳", "杭州", "南京", "成都", "重庆", "武汉", "西安", "苏州", "天津", "长沙", "郑州", "青岛", "厦门", "宁波",
    "大连", "合肥", "济南", "福州", "昆明", "沈阳", "哈尔滨", "无锡", "东莞", "佛山", "珠海", "香港", "澳门", "台北", "高雄", "柏林", "慕尼黑",
    "汉堡", "法兰克福", "科隆", "维也纳", "苏黎世", "日内瓦", "巴黎", "里昂", "伦敦", "曼彻斯特", "都柏林", "马德里", "巴塞罗那", "里斯本", "罗马",
    "米兰", "阿姆斯特丹", "布鲁塞尔", "斯德哥尔摩", "哥本哈根", "奥斯陆", "赫尔辛基", "华沙", "布拉格", "布达佩斯", "雅典", "伊斯坦布尔", "莫斯科",
    "基辅", "纽约", "旧金山", "洛杉矶", "西雅图", "芝加哥", "波士顿", "华盛顿", "多伦多", "温哥华", "墨西哥城", "东京", "大阪", "京都", "首尔",
    "釜山", "曼谷", "新德里", "孟买", "班加罗尔", "雅加达", "吉隆坡", "悉尼", "墨尔本", "开罗", "迪拜", NULL,
};
static const char *const PLACE_TAILS[] = { "市", "省", "区", "县", "州", "岛", "镇", "村", "路", "街", "大道", NULL };
static const char *const SPOT_TAILS[] = { "楼", "层", "号", "室", "大厦", "广场", "园区", "机房", "会议室", "座", NULL };
static const char *const HELD[] = {
    "负责人", "经理", "老板", "主管", "组长", "队长", "店长", "校长", "市长", "总裁", "董事长", "维护者", "所有者", "名称", "名字", "域名", "主机名",
    "默认分支", "主分支", "代号", "首都", "总部", "妻子", "丈夫", "老婆", "老公", "妈妈", "爸爸", "母亲", "父亲", "联系人", "供应商", "房东", NULL,
};
static const char *const NO_NAME[] = {
    "谁", "什么", "哪", "的", "很", "不", "一", "个", "他", "她", "它", "我", "你", "这", "那", "好", "人", "最", "要", "有", NULL,
};
static const char *const NO_PLACE[] = {
    "谁", "什么", "哪", "的", "很", "不", "个", "他", "她", "它", "我", "你", "这", "那", "好", "人", "最", "要", "有", "和", NULL,
};
static const char *const BOUNDS[] = { "至少", "最少", "最多", "不超过", "不低于", "超过", "以上", "以下", "以内", "多于", "少于", "之前", "直到", NULL };
static const char *const DIGITS[] = { "一", "二", "两", "三", "四", "五", "六", "七", "八", "九", "十", "百", NULL };
/* clang-format on */

static struct mn_str str_of(const struct mn_wording *w, struct span s)
{
    return (struct mn_str){ w->lower + s.from, s.until - s.from };
}

static struct span trim(const char *lower, struct span s)
{
    while (s.from < s.until && lower[s.from] == ' ')
        s.from++;
    while (s.until > s.from && lower[s.until - 1] == ' ')
        s.until--;
    return s;
}

static size_t tail(const char *lower, struct span s, const char *const *words)
{
    for (size_t i = 0; words[i]; i++) {
        size_t bytes = strlen(words[i]);

        if (s.until - s.from >= bytes && !memcmp(lower + s.until - bytes, words[i], bytes))
            return bytes;
    }
    return 0;
}

static bool cut_tail(const char *lower, struct span *s, const char *const *words)
{
    size_t bytes = tail(lower, *s, words);

    s->until -= bytes;
    *s = trim(lower, *s);
    return bytes > 0;
}

static bool holds(const char *lower, struct span s, const char *const *words)
{
    for (size_t at = s.from; at < s.until; at++)
        for (size_t i = 0; words[i]; i++)
            if (s.until - at >= strlen(words[i]) && !memcmp(lower + at, words[i], strlen(words[i])))
                return true;
    return false;
}

/* Where one of the words begins; s.until: nowhere. The first of the text. */
static size_t find(const char *lower, struct span s, const char *const *words, size_t *ret_bytes)
{
    for (size_t at = s.from; at < s.until; at++)
        if ((*ret_bytes = mn_wording_any(lower, at, words)))
            return at;
    return s.until;
}

/* ---- the thing ---- */

static bool thing(const struct mn_wording *w, struct span s, struct mn_attribute *a)
{
    static const char *const mine[] = { "我的", NULL };
    size_t bytes;

    s = trim(w->lower, s);
    while (cut_tail(w->lower, &s, NOW))
        ;
    a->denied = cut_tail(w->lower, &s, NOT);
    while (cut_tail(w->lower, &s, NOW))
        ;
    while ((bytes = mn_wording_any(w->lower, s.from, LEADS)) && s.from + bytes < s.until)
        s = trim(w->lower, (struct span){ s.from + bytes, s.until });
    if (s.until - s.from < 3 || s.until - s.from > THING_BYTES_MAX || tail(w->lower, s, PASSING) ||
        holds(w->lower, s, INNER) || holds(w->lower, s, BOUNDS) ||
        (mn_wording_any(w->lower, s.from, NO_THING) && !mn_wording_any(w->lower, s.from, mine)))
        return false;
    a->of = str_of(w, s);
    return true;
}

/* ---- the value ---- */

static struct span value_of(const struct mn_wording *w, size_t at, size_t end)
{
    static const char *const particles[] = { "了", "啦", "吧", "呢", "哦", "左右", NULL };
    struct span s = trim(w->lower, (struct span){ at, end });

    while (cut_tail(w->lower, &s, particles))
        ;
    return s;
}

static const char *as_written(struct mn_arena *arena, const struct mn_wording *w, struct span s)
{
    return mn_arena_copy_n(arena, w->text + s.from, s.until - s.from);
}

/* surely: the words before it are said of places alone. */
static bool place(struct mn_arena *arena, const struct mn_wording *w, struct span s, bool surely,
                  struct mn_attribute *a)
{
    bool spot = tail(w->lower, s, SPOT_TAILS) > 0, country = mn_nation_country(str_of(w, s));
    bool latin = s.from < s.until && mn_letter_upper(w->text[s.from]);

    if (s.from >= s.until || s.until - s.from > PLACE_BYTES_MAX || holds(w->lower, s, NO_PLACE) ||
        !(spot || country || latin || surely || tail(w->lower, s, PLACE_TAILS) ||
          mn_wording_any(w->lower, s.from, CITIES) == s.until - s.from))
        return false;
    a->kind = country ? "country" : spot ? "spot" : "place";
    a->value = as_written(arena, w, s);
    return a->value != NULL;
}

/* 100, 三十: its bytes; 0: none. 一 alone counts nothing (是一个好主意). */
static size_t number_bytes(const char *lower, struct span s)
{
    size_t bytes = mn_attribute_number(lower, s.from, s.until);
    const char *end = lower + s.from;
    int ignored;

    if (bytes || !mn_wording_any(lower, s.from, DIGITS) || !mn_calendar_number(&end, &ignored))
        return bytes;
    bytes = (size_t)(end - (lower + s.from));
    return bytes <= s.until - s.from && strncmp(lower + s.from, "一", 3) != 0 ? bytes : 0;
}

static bool amount(struct mn_arena *arena, const struct mn_wording *w, struct span s, bool counts,
                   struct mn_attribute *a)
{
    struct span unit;
    const char *spelled = NULL, *kind;
    size_t bytes;

    if (!strncmp(w->lower + s.from, "每", 3)) { /* 每分钟 100 次 */
        size_t at = s.from;

        while (at < s.until && !number_bytes(w->lower, (struct span){ at, s.until }))
            at++;
        a->when = str_of(w, trim(w->lower, (struct span){ s.from, at }));
        s.from = at;
    }
    bytes = s.from < s.until ? number_bytes(w->lower, s) : 0;
    unit = trim(w->lower, (struct span){ s.from + bytes, s.until });
    if (!bytes || unit.until - unit.from > NAME_BYTES_MAX || holds(w->lower, unit, BOUNDS) ||
        holds(w->lower, unit, DIGITS) || holds(w->lower, unit, INNER))
        return false;
    for (size_t i = unit.from; i < unit.until; i++)
        if (mn_letter_digit(w->lower[i]))
            return false;
    kind = mn_attribute_unit(arena, str_of(w, unit), &spelled);
    if (!kind || (counts && unit.from == unit.until))
        return false;
    a->kind = counts ? mn_arena_printf(arena, "has.%s", kind) : kind;
    a->value = mn_arena_printf(arena, "%.*s%s%s", (int)bytes, w->lower + s.from,
                               *spelled ? " " : "", spelled);
    return a->kind && a->value;
}

static bool holder(struct mn_arena *arena, const struct mn_wording *w, struct span s,
                   struct mn_attribute *a)
{
    struct span of = { (size_t)(a->of.at - w->lower), (size_t)(a->of.at + a->of.bytes - w->lower) };

    if (!tail(w->lower, of, HELD) || s.from >= s.until || s.until - s.from > NAME_BYTES_MAX ||
        holds(w->lower, s, NO_NAME) || mn_nation_people(str_of(w, s)))
        return false;
    a->kind = "name";
    a->value = as_written(arena, w, s);
    return a->value != NULL;
}

/* ---- the sentence ---- */

/* 会议室 holds 在, 现在 does too: each place where the word stands is tried. */
static bool placed(struct mn_arena *arena, const struct mn_wording *w, struct span s,
                   struct mn_attribute *a)
{
    static const char *const in[] = { "在", NULL };
    size_t bytes = 0, at = find(w->lower, s, LIVES, &bytes);

    if (at < s.until && thing(w, (struct span){ s.from, at }, a) &&
        place(arena, w, value_of(w, at + bytes, s.until), true, a)) {
        a->kind = mn_arena_printf(arena, "home.%s", a->kind);
        return a->kind != NULL;
    }
    at = find(w->lower, s, LOCATED, &bytes);
    if (at < s.until)
        return thing(w, (struct span){ s.from, at }, a) &&
               place(arena, w, value_of(w, at + bytes, s.until), true, a);
    for (at = s.from; (at = find(w->lower, (struct span){ at, s.until }, in, &bytes)) < s.until;
         at += bytes)
        if (thing(w, (struct span){ s.from, at }, a) &&
            place(arena, w, value_of(w, at + bytes, s.until), false, a))
            return true;
    return false;
}

bool mn_attribute_chinese(struct mn_arena *arena, const struct mn_wording *w, size_t at, size_t end,
                          struct mn_attribute *ret_attribute)
{
    struct span s = trim(w->lower, (struct span){ at, end });
    size_t bytes = 0;

    if (holds(w->lower, s, BOUNDS))
        return false;
    if (placed(arena, w, s, ret_attribute))
        return true;
    for (size_t i = s.from; i < s.until; i += bytes) {
        i = find(w->lower, (struct span){ i, s.until }, AMOUNTS, &bytes);
        if (i == s.until)
            break;
        struct span value = value_of(w, i + bytes, s.until);
        bool counts = mn_wording_any(w->lower, i, COUNTS) > 0;

        if (!thing(w, (struct span){ s.from, i }, ret_attribute))
            continue;
        if (amount(arena, w, value, counts, ret_attribute) ||
            (!strncmp(w->lower + i, "是", 3) && holder(arena, w, value, ret_attribute)))
            return true;
    }
    return false;
}
