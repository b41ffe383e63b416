/*
 * phrases.c - the lists that comparing texts needs.
 *
 * They cannot be complete. What they miss errs to the safe side: an unknown synonym leaves
 * something over in both texts, and those are not merged. Every negation must be known, though, and
 * every word listed as saying nothing must indeed say nothing that two memories could differ in.
 */
#include "text/phrases.h"

#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "text/letters.h"

/* The longest wins, so that a word which only contains a negation's character is listed whole. */
static const struct group {
    enum mn_mark mark;
    const char *token; /* NULL: none */
    const char *words; /* between bars; a word of one group may begin one of another */
} GROUP[] = {
    /* negation */
    { MN_MARK_NOT, NULL,
      "不允许|不许|不准|不得|不能够|不能|不可以|不可|不要|不应该|不应|不该|不会|绝不能|"
      "绝不|决不|从不|从未|从来不|从来没有|禁止|严禁|禁|杜绝|避免|防止|请勿|切勿|勿|没有|"
      "没法|没|无法|无|未|不|别|非" },
    { MN_MARK_NOT, "想", "不想" },
    { MN_MARK_NOT, "需", "不用|不必|不需要|无需|无须" },
    { MN_MARK_NOT, "再", "不再" },
    { MN_MARK_NOT, "用", "禁用|停用" },
    { MN_MARK_NOT, "接受", "拒绝" },
    { MN_MARK_NOT, "是", "并非|不是" },
    { MN_MARK_NOT, "喜欢", "不喜欢|讨厌|反感" },
    { MN_MARK_NOT, "同意", "反对" },
    /* the same characters without negation */
    { MN_MARK_NONE, "须", "不得不|不能不|非得" },
    { MN_MARK_NONE, "异", "不同" },
    { MN_MARK_NONE, NULL,
      "不过|不但|不仅|差不多|不管|不论|无论|不然|对不起|不好意思|特别|分别|非常|莫非" },
    { MN_MARK_NONE, "好", "不错" },
    { MN_MARK_NONE, "持续", "不断" },
    { MN_MARK_NONE, "久", "不久" },
    { MN_MARK_NONE, "多", "不少" },
    { MN_MARK_NONE, "无线", "无线" },
    { MN_MARK_NONE, "无人机", "无人机" },
    { MN_MARK_NONE, "未来", "未来" },
    { MN_MARK_NONE, "别人", "别人" },
    { MN_MARK_NONE, "别名", "别名" },
    { MN_MARK_NONE, "区别", "区别" },
    { MN_MARK_NONE, "级别", "级别" },
    { MN_MARK_NONE, "类别", "类别" },
    { MN_MARK_NONE, "性别", "性别" },
    { MN_MARK_NONE, "识别", "识别" },
    { MN_MARK_NONE, "个别", "个别" },
    { MN_MARK_NONE, "告别", "告别" },
    { MN_MARK_NONE, "鉴别", "鉴别" },
    { MN_MARK_NONE, "非洲", "非洲" },
    { MN_MARK_NONE, "是非", "是非" },
    /* except */
    { MN_MARK_EXCEPT, NULL,
      "除非|除了|除外|以外|之外|except for|except|unless|apart from|other than|excluding" },
    /* formerly */
    { MN_MARK_FORMER, NULL, "曾经|曾|原先|原本|从前|used to|formerly|previously|originally" },
    /* hedges */
    { MN_MARK_HEDGE, NULL,
      "可能|也许|或许|大概|似乎|好像|看起来|估计|疑似|maybe|perhaps|probably|possibly|"
      "likely|might|seems to|seem to|seems|seem|appears to|appear to|apparently" },
    /* plans */
    { MN_MARK_PLAN, NULL,
      "打算|计划|考虑|准备|plans to|plan to|planning to|considering|intends to|intend to|"
      "going to|would like to" },
    /* English negation */
    { MN_MARK_NOT, NULL,
      "not|no|never|none|nobody|nothing|no one|nor|neither|without|cannot|can't|couldn't|"
      "don't|doesn't|didn't|isn't|aren't|wasn't|weren't|won't|wouldn't|hasn't|haven't|"
      "hadn't|mustn't|shouldn't|needn't|forbid|forbids|forbidden|prohibit|prohibits|"
      "prohibited|ban|bans|banned|disallow|disallows|disallowed|avoid|avoids|stop|stopped|"
      "unable|instead of|rather than" },
    { MN_MARK_NOT, "still", "no longer" },
    { MN_MARK_NOT, "accept", "refuse|refuses|refused|reject|rejects|rejected" },
    { MN_MARK_NOT, "like", "dislike|dislikes|hate|hates" },
    { MN_MARK_NOT, "enabl", "disable|disabled|disables" },
    { MN_MARK_NOT, "safe", "unsafe" },
    { MN_MARK_NONE, NULL, "not only" },
    /* says nothing */
    { MN_MARK_MUST, NULL, "必须|务必|须|have to|has to" },
    { MN_MARK_NONE, NULL,
      "需要|需|一律|全部|全都|统一|所有|总是|始终|一直|均|已经|已|目前|现在|当前|正在|我们|"
      "咱们|一下|一些|一点|一个|一种|请|尽量|以及|比较|必|仍然|仍|即|就是|的时候|时候|"
      "need to|needs to|always|already|currently|at the moment|right now|for now|"
      "at present|in order to|able to|please|according to" },
    { MN_MARK_MAY, NULL, "允许|可以|准许|allowed|allow|allows|permitted|permit|permits" },
    { MN_MARK_NONE, "后", "之后|以后" },
    { MN_MARK_NONE, "前", "之前|以前" },
    /* synonyms */
    { MN_MARK_NONE, "写", "撰写|编写|书写" },
    { MN_MARK_NONE, "用", "使用|采用|选用|运用" },
    { MN_MARK_NONE, "喜欢", "喜欢|偏好|偏爱|喜爱|爱|倾向于" },
    { MN_MARK_NONE, "存", "保存|存放|存储|储存|保留" },
    { MN_MARK_NONE, "放", "放置" },
    { MN_MARK_NONE, NULL, "位于|由于" },
    /* said by a sign (signs.c) */
    { MN_MARK_NONE, NULL, "百分之|%|percent|per cent|零下|零上|below zero" },
    { MN_MARK_NONE, "改", "修改|更改|变更|改动" },
    { MN_MARK_NONE, "删", "删除|移除|去掉" },
    { MN_MARK_NONE, "换", "换成|换到|换为|改为|改成|改用|切换到|更换为" },
    { MN_MARK_NONE, "答", "回答|答复|回复" },
    { MN_MARK_NONE, "简", "简短|简洁|简明|精简" },
    { MN_MARK_NONE, "详", "详细|详尽" },
    { MN_MARK_NONE, "周", "星期|礼拜" },
    { MN_MARK_NONE, "每天", "每日|每天" },
    { MN_MARK_NONE, "查", "检查|核查|检验" },
    { MN_MARK_NONE, "跑", "运行|执行" },
    { MN_MARK_NONE, "启", "启动" },
    { MN_MARK_NONE, "开", "开启|打开|启用" },
    { MN_MARK_NONE, "关", "关闭|关掉" },
    { MN_MARK_NONE, "买", "购买" },
    { MN_MARK_NONE, "发", "寄送|发送" },
    { MN_MARK_NONE, "名", "名叫|名为" },
    { MN_MARK_NONE, "住", "居住" },
    { MN_MARK_NONE, "约", "大约|左右" },
    { MN_MARK_NONE, "公里", "公里|千米" },
    { MN_MARK_NONE, "同意", "同意" },
};

/* Stems, by their first: each line is one meaning. Irregular forms have no stem in common. */
static const char *const SYNONYM[] = {
    "keep kept retain retent hold held",
    "send sent",
    "write written wrote",
    "run ran execut",
    "make made",
    "take taken took",
    "give given gave",
    "go went gone",
    "say said",
    "tell told",
    "find found",
    "build built",
    "buy bought purchas",
    "bring brought",
    "think thought",
    "choos chose chosen",
    "begin began begun start",
    "break broke broken",
    "drive drove driven",
    "eat ate eaten",
    "fall fell fallen",
    "feel felt",
    "forget forgot forgotten",
    "freez froze frozen",
    "grow grew grown",
    "hear heard",
    "know knew known",
    "lose lost",
    "meet met",
    "pay paid",
    "see saw seen",
    "sell sold",
    "sit sat",
    "sleep slept",
    "speak spoke spoken",
    "spend spent",
    "stand stood",
    "teach taught",
    "throw thrown threw",
    "wear wore worn",
    "win won",
    "child children kid",
    "person peopl",
    "move migrat switch",
    "use util",
    "prefer favor favour like love",
    "fix repair solv resolv",
    "end finish",
    "delet remov eras",
    "creat generat",
    "show display",
    "big larg",
    "small littl tini",
    "quick fast rapid",
    "repli answer respons respond",
    "brief short concis",
    "detail thorough",
    "document doc",
    "configur config",
    "repositori repo",
    "databas db",
    "applic app",
    "product prod",
    "environ env",
    "messag msg",
    "mother mom mum",
    "father dad",
    "photo photograph pictur",
    "telephon phone",
    "requir need",
    "live resid locat",
    "releas deploy ship",
    "alter chang modifi",
    "licens licenc",
    "colour color",
};

/* Stems as stem.c gives them, synonyms by their first; Chinese single characters. */
static const char OPPOSITE[] =
    "on/off up/down in/out before/after above/below over/under more/less more/fewer "
    "most/least from/to must/may must/can should/may requir/option alway/sometim all/some "
    "dark/light open/close left/right begin/end first/last first/second increas/decreas "
    "rais/lower maximum/minimum max/min morn/even morn/afternoon am/pm day/night "
    "noon/midnight accept/declin brief/long brief/detail public/privat intern/extern "
    "add/delet win/lose buy/sell true/fals yes/no male/femal north/south east/west "
    "inbound/outbound upload/download import/export push/pull encrypt/decrypt client/server "
    "new/old cheap/expens quick/slow hot/cold high/low higher/lower earli/late earlier/later "
    "synchron/asynchron sync/async read/write lock/unlock instal/uninstal mount/unmount "
    "connect/disconnect big/small success/failur succeed/fail pass/fail top/bottom "
    "front/back frontend/backend ascend/descend input/output incom/outgo weekday/weekend "
    "daili/week week/month month/year manual/automat singl/doubl tab/space allow/deni "
    "grant/revok join/leav borrow/lend child/adult strict/lenient 上/下 前/后 左/右 开/关 "
    "早/晚 大/小 多/少 高/低 快/慢 新/旧 长/短 简/详 冷/热 进/出 入/出 买/卖 男/女 内/外 "
    "真/假 增/减 升/降 加/减 加/删 增/删 公/私 同/异 深/浅 明/暗 收/支 收/发 成/败 白/晚 "
    "昼/夜 东/西 南/北 涨/跌 强/弱 里/外 来/去 先/后 正/反 正/负 宽/严 松/紧 借/还 输/赢 "
    "胜/负 首/末 始/终 启/停 存/删 手/自";

/* ---- finding them ---- */

#define PHRASES_MAX 512
#define BUCKETS 1024 /* of each table; more than twice what is in it */

/* Built at the first look-up; the same for every thread. */
static struct {
    pthread_once_t once;
    struct mn_phrase phrase[PHRASES_MAX];
    size_t phrase_count;
    uint16_t phrase_first[BUCKETS]; /* by the first character: 1 + place in phrase; 0: none */
    uint16_t phrase_next[PHRASES_MAX];
    struct {
        struct mn_str word; /* .at NULL: empty */
        struct mn_str common;
    } synonym[BUCKETS];
    struct {
        struct mn_str a, b; /* .at NULL: empty */
    } opposite[BUCKETS];
    struct mn_str opposed[BUCKETS]; /* each word of those pairs; .at NULL: empty */
} built = { .once = PTHREAD_ONCE_INIT };

static size_t bucket_of(struct mn_str word)
{
    return mn_hash64(word.at, word.bytes, 0) % BUCKETS;
}

/* The same in either order. */
static size_t bucket_of_both(struct mn_str a, struct mn_str b)
{
    return (mn_hash64(a.at, a.bytes, 0) + mn_hash64(b.at, b.bytes, 0)) % BUCKETS;
}

/* What all phrases of a bucket share. */
static struct mn_str first_character(const char *at)
{
    return (struct mn_str){ at, (unsigned char)at[0] < 0x80 ? 1 : strnlen(at, 3) };
}

/* The next piece of a list; empty at its end. */
static struct mn_str next_piece(const char **at, const char *separators)
{
    struct mn_str piece = { *at, strcspn(*at, separators) };

    *at += piece.bytes;
    *at += **at != '\0';
    return piece;
}

static void build_phrases(const struct group *group)
{
    for (const char *at = group->words; *at;) {
        struct mn_str words = next_piece(&at, "|");
        size_t bucket = bucket_of(first_character(words.at));
        size_t place = built.phrase_count++;

        assert(place < PHRASES_MAX);
        built.phrase[place] = (struct mn_phrase){ words, group->token, group->mark };
        built.phrase_next[place] = built.phrase_first[bucket];
        built.phrase_first[bucket] = (uint16_t)(place + 1);
    }
}

static void build_synonyms(const char *line)
{
    struct mn_str common = { line, strcspn(line, " ") };

    while (*line) {
        struct mn_str word = next_piece(&line, " ");
        size_t bucket = bucket_of(word);

        while (built.synonym[bucket].word.at)
            bucket = (bucket + 1) % BUCKETS;
        built.synonym[bucket].word = word;
        built.synonym[bucket].common = common;
    }
}

static void build_opposed(struct mn_str word)
{
    size_t bucket = bucket_of(word);

    while (built.opposed[bucket].at)
        bucket = (bucket + 1) % BUCKETS;
    built.opposed[bucket] = word;
}

static void build(void)
{
    for (size_t i = 0; i < sizeof GROUP / sizeof GROUP[0]; i++)
        build_phrases(&GROUP[i]);
    for (size_t i = 0; i < sizeof SYNONYM / sizeof SYNONYM[0]; i++)
        build_synonyms(SYNONYM[i]);
    for (const char *at = OPPOSITE; *at;) {
        struct mn_str a = next_piece(&at, "/");
        struct mn_str b = next_piece(&at, " ");
        size_t bucket = bucket_of_both(a, b);

        while (built.opposite[bucket].a.at)
            bucket = (bucket + 1) % BUCKETS;
        built.opposite[bucket].a = a;
        built.opposite[bucket].b = b;
        build_opposed(a);
        build_opposed(b);
    }
}

static bool word_byte(char c)
{
    return mn_letter_plain(c) || c == '\'' || c == '_';
}

const struct mn_phrase *mn_phrase_at(const char *folded)
{
    const struct mn_phrase *best = NULL;
    struct mn_str first = first_character(folded);
    size_t i;

    (void)pthread_once(&built.once, build);
    for (i = built.phrase_first[bucket_of(first)]; i > 0; i = built.phrase_next[i - 1]) {
        struct mn_str words = built.phrase[i - 1].words;

        if ((best && words.bytes <= best->words.bytes) || words.at[0] != folded[0] ||
            (words.bytes > first.bytes && words.at[first.bytes] != folded[first.bytes]) ||
            strncmp(words.at, folded, words.bytes) != 0 ||
            (word_byte(words.at[0]) && word_byte(folded[words.bytes])))
            continue;
        best = &built.phrase[i - 1];
    }
    return best;
}

struct mn_str mn_phrase_synonym(struct mn_str stem)
{
    size_t bucket = bucket_of(stem);

    (void)pthread_once(&built.once, build);
    for (; built.synonym[bucket].word.at; bucket = (bucket + 1) % BUCKETS) {
        if (mn_str_equal(built.synonym[bucket].word, stem))
            return built.synonym[bucket].common;
    }
    return stem;
}

bool mn_phrase_opposite(struct mn_str a, struct mn_str b)
{
    size_t bucket = bucket_of_both(a, b);

    (void)pthread_once(&built.once, build);
    for (; built.opposite[bucket].a.at; bucket = (bucket + 1) % BUCKETS) {
        struct mn_str x = built.opposite[bucket].a;
        struct mn_str y = built.opposite[bucket].b;

        if ((mn_str_equal(a, x) && mn_str_equal(b, y)) ||
            (mn_str_equal(a, y) && mn_str_equal(b, x)))
            return true;
    }
    return false;
}

bool mn_phrase_has_opposite(struct mn_str stem)
{
    size_t bucket = bucket_of(stem);

    (void)pthread_once(&built.once, build);
    for (; built.opposed[bucket].at; bucket = (bucket + 1) % BUCKETS) {
        if (mn_str_equal(built.opposed[bucket], stem))
            return true;
    }
    return false;
}
