/*
 * orders_zh.c - orders in Chinese.
 *
 * Reads text that is folded and closed up (no marks between characters), as bytes: a verb of
 * overriding, qualifiers and fillers, an object. Most positions begin no verb at all; a small table
 * of first characters lets them pass at the cost of one look.
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "text/orders_read.h"

#define QUALIFIERS_BYTES_MAX 48 /* between a verb and its object */

/* The longest of the words at `at`; 0 for none. */
static size_t one_of(const char *at, const char *const *word, size_t count)
{
    size_t best = 0;

    for (size_t i = 0; i < count; i++) {
        size_t bytes = strlen(word[i]);

        if (bytes > best && strncmp(at, word[i], bytes) == 0)
            best = bytes;
    }
    return best;
}
#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))
#define ONE_OF(at, list) one_of((at), (list), COUNT_OF(list))

/* What begins an order. */
static const char *const OVERRIDE[] = {
    "忽略", "无视", "忽视", "跳过", "绕过", "绕开",   "忘记",     "忘掉",     "忘了",    "抛弃",
    "抛开", "违反", "违背", "推翻", "覆盖", "不理会", "别管",     "不用管",   "不要管",  "不要理会",
    "不理", "撇开", "规避", "避开", "越过", "罔顾",   "无需理会", "不必理会", "不用理会"
};
static const char *const DISABLE[] = { "关闭", "关掉", "停用", "禁用", "解除",
                                       "取消", "去掉", "卸下", "移除" };
static const char *const NOT[] = { "不",   "不要", "不要再", "不必", "不再", "停止", "无需",
                                   "无须", "不用", "不需要", "别",   "别再", "请勿", "勿",
                                   "拒绝", "不许", "不准",   "不得", "切勿" };
static const char *const OBEY[] = { "遵守", "遵循", "遵从", "听从", "服从", "依照" };
static const char *const CARRY_OUT[] = { "不要执行", "不再执行", "停止执行", "拒绝执行",
                                         "别再执行" };
static const char *const PRETEND[] = { "假装", "当作", "当做", "就当", "假设", "想象", "设想" };
static const char *const VOID[] = { "不存在", "无效",   "失效",   "作废",     "没有",
                                    "从未",   "不适用", "不算数", "不再有效", "不再适用" };
static const char *const BE[] = { "你现在是",      "从现在起你是",    "从现在开始你是",
                                  "从现在起,你是", "从现在开始,你是", "扮演",
                                  "假装你是",      "你将扮演",        "进入" };
static const char *const SHOW[] = { "输出", "打印", "告诉我", "泄露", "显示", "说出", "重复",
                                    "给出", "发送", "公开",   "透露", "复述", "导出", "发给我" };
/* Behind 把 and what is to be given away. */
static const char *const TO_ME[] = { "告诉我",   "告知我",   "发给我",   "给我",     "说出来",
                                     "打印出来", "输出给我", "输出出来", "展示给我", "显示出来",
                                     "写出来",   "泄露",     "透露",     "复述",     "念出来",
                                     "贴出来",   "公开" };
/* Of the first, those whose object may be all that came before. */
static const char *const FORGET[] = { "忽略", "无视", "忘记",   "忘掉",  "忘了",
                                      "抛开", "别管", "不用管", "不要管" };

/* What orders are about. */
static const char *const QUALIFIER_HAN[] = { "之前", "以上",   "以前",   "此前", "上面", "前面",
                                             "上述", "先前",   "前述",   "系统", "安全", "你的",
                                             "您的", "开发者", "管理员", "原始", "初始", "内置",
                                             "默认", "既定",   "预设",   "上文", "前文" };
static const char *const OBJECT_HAN[] = {
    "指令",     "指示",     "提示词",   "提示",     "设定",     "prompt",   "systemprompt",
    "安全检查", "安全策略", "安全规则", "安全限制", "安全审查", "安全机制", "安全防护",
    "安全校验", "护栏",     "权限检查", "权限校验", "权限验证", "权限限制", "权限控制",
    "访问控制", "内容过滤", "内容审查", "内容审核", "内容限制"
};
static const char *const OBJECT_QUALIFIED_HAN[] = {
    "规则", "约束", "限制", "要求", "命令", "规定", "内容", "对话", "检查",
    "策略", "规范", "准则", "消息", "话",   "说明", "审查", "防护", "信息"
};
static const char *const GUARD[] = { "安全检查", "安全策略", "安全规则", "安全限制", "安全审查",
                                     "安全机制", "安全防护", "安全校验", "安全护栏", "护栏",
                                     "内容过滤", "内容审查", "内容审核", "内容限制", "权限检查",
                                     "权限校验", "权限验证" };
static const char *const LIMIT[] = { "限制", "过滤", "约束", "审查", "防护", "规则", "准则" };
static const char *const FREE[] = { "没有限制",     "没有任何限制", "不受限制", "不受任何限制",
                                    "无限制",       "不受约束",     "没有约束", "越狱",
                                    "dan模式",      "上帝模式",     "无视规则", "没有任何约束",
                                    "不受任何约束", "摆脱限制" };
static const char *const PROMPT[] = { "系统提示词",   "系统提示", "系统指令", "系统prompt",
                                      "systemprompt", "初始指令", "提示词" };
static const char *const SECRET[] = { "密钥", "密码",  "apikey", "凭证", "凭据",
                                      "令牌", "token", "口令",   "私钥", "api密钥" };

/* Which first characters are those of a list? */
static struct {
    pthread_once_t once;
    uint64_t begins[0x10000 / 64]; /* a bit for each of three bytes in UTF-8 */
} first = { .once = PTHREAD_ONCE_INIT };

/* `at` begins three bytes, or the text ends before. */
static size_t first_of(const char *at)
{
    if (at[1] == '\0' || at[2] == '\0')
        return 0;
    return (size_t)(at[0] & 0x0f) << 12 | (size_t)(at[1] & 0x3f) << 6 | (size_t)(at[2] & 0x3f);
}

static bool begins_one(const char *at)
{
    size_t c = first_of(at);

    return first.begins[c / 64] >> (c % 64) & 1;
}

static void note_first(const char *const *word, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t c = first_of(word[i]);

        first.begins[c / 64] |= UINT64_C(1) << (c % 64);
    }
}

static void build(void)
{
    static const char *const GIVE[] = { "把", "将", "之前的", "以上", "上面的", "上述", "此前的" };

    note_first(OVERRIDE, COUNT_OF(OVERRIDE));
    note_first(DISABLE, COUNT_OF(DISABLE));
    note_first(NOT, COUNT_OF(NOT));
    note_first(PRETEND, COUNT_OF(PRETEND));
    note_first(GIVE, COUNT_OF(GIVE));
    note_first(BE, COUNT_OF(BE));
    note_first(SHOW, COUNT_OF(SHOW));
}

static bool ends_with(const char *text, const char *end, const char *const *word, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t bytes = strlen(word[i]);

        if ((size_t)(end - text) >= bytes && memcmp(end - bytes, word[i], bytes) == 0)
            return true;
    }
    return false;
}

static bool chinese_negated(const char *text, const char *verb, const char *behind)
{
    static const char *const BEFORE[] = {
        "禁止",     "不得",     "不要",     "不可",     "不可以",  "勿",     "严禁",
        "不能",     "不准",     "不许",     "不应",     "不应该",  "不允许", "别",
        "绝不",     "不会",     "从不",     "避免",     "防止",    "拒绝",   "不得擅自",
        "禁止擅自", "不能随意", "不要随意", "不可随意", "不得随意"
    };
    static const char *const VERDICT[] = { "是被禁止", "是禁止", "被禁止", "是不允许", "是不被允许",
                                           "属于违规", "是违规", "的行为", "的后果",   "的风险",
                                           "是不对",   "会导致", "将导致", "的操作",   "都要" };

    return ends_with(text, verb, BEFORE, sizeof BEFORE / sizeof BEFORE[0]) ||
           ONE_OF(behind, VERDICT) > 0;
}

/* Behind a verb: qualifiers, then an object. Returns where the object ends, NULL for none. */
static const char *chinese_object(const char *at, bool forgetting)
{
    static const char *const BETWEEN_HAN[] = { "的",   "了",   "掉",   "所有", "全部", "一切",
                                               "任何", "这些", "那些", "其他", "其它", "原有",
                                               "原来", "给你", "给定", "现有", "当前", "本",
                                               "和",   "与",   "及",   "你",   "您" };
    const char *start = at;
    bool qualified = false;
    bool before = false; /* what came before, whatever it is */
    bool all = false;

    while (at - start <= QUALIFIERS_BYTES_MAX) {
        size_t object = ONE_OF(at, OBJECT_HAN);
        size_t bytes = ONE_OF(at, OBJECT_QUALIFIED_HAN);

        if (object > 0)
            return at + object;
        if (qualified && bytes > 0)
            return at + bytes;
        bytes = ONE_OF(at, QUALIFIER_HAN);
        if (bytes > 0) {
            qualified = true;
            before = before || strncmp(at, "以上", 6) == 0 || strncmp(at, "上面", 6) == 0 ||
                     strncmp(at, "上述", 6) == 0 || strncmp(at, "前面", 6) == 0 ||
                     strncmp(at, "之前", 6) == 0 || strncmp(at, "此前", 6) == 0;
        } else {
            bytes = ONE_OF(at, BETWEEN_HAN);
            all = all || strncmp(at, "所有", 6) == 0 || strncmp(at, "一切", 6) == 0 ||
                  strncmp(at, "全部", 6) == 0;
        }
        if (bytes == 0)
            break;
        at += bytes;
    }
    if (forgetting && before &&
        (all || *at == '\0' || *at == ',' || *at == '.' || *at == '!' || strncmp(at, "。", 3) == 0))
        return at; /* 忽略以上所有 */
    return NULL;
}

/* 关闭安全检查, 取消你的限制: behind the verb. NULL for none. */
static const char *chinese_guard(const char *at)
{
    static const char *const BETWEEN[] = {
        "的", "了", "掉", "所有", "全部", "一切", "任何", "系统"
    };
    static const char *const YOURS[] = { "你的", "您的", "你自己的", "你", "您" };
    bool yours = false;

    for (size_t i = 0; i < 6; i++) {
        size_t guard = ONE_OF(at, GUARD);
        size_t limit = ONE_OF(at, LIMIT);
        size_t bytes = ONE_OF(at, YOURS);

        if (guard > 0)
            return at + guard;
        if (yours && limit > 0)
            return at + limit;
        yours = yours || bytes > 0;
        if (bytes == 0)
            bytes = ONE_OF(at, BETWEEN);
        if (bytes == 0)
            return NULL;
        at += bytes;
    }
    return NULL;
}

/* 不要再遵循, 停止遵守, but not 不得不遵守. Behind it, NULL for none. */
static const char *chinese_disobeys(const char *text, const char *at)
{
    static const char *const TWICE[] = { "不得", "不能", "不可" };
    size_t bytes = ONE_OF(at, CARRY_OUT);
    size_t obey;

    if (bytes > 0)
        return at + bytes;
    bytes = ONE_OF(at, NOT);
    obey = bytes > 0 ? ONE_OF(at + bytes, OBEY) : 0;
    if (obey == 0 || ends_with(text, at, TWICE, COUNT_OF(TWICE)))
        return NULL;
    return at + bytes + obey;
}

/* 都, 已经, 全部: before a verdict. */
static const char *chinese_adverbs(const char *at)
{
    static const char *const ADVERB[] = { "都",   "已",   "已经", "全部", "均",
                                          "一律", "现在", "从",   "是" };
    size_t bytes;

    while ((bytes = ONE_OF(at, ADVERB)) > 0)
        at += bytes;
    return at;
}

/* 假装上面的规则不存在, 就当没有这些规则; 以上指令全部作废. */
static bool chinese_voids(const char *at)
{
    static const char *const BEFORE[] = { "之前的", "以上", "以上的", "上面的", "上述", "此前的" };
    static const char *const NONE[] = { "没有", "不存在" };
    static const char *const RULE[] = { "指令", "指示", "提示词", "规则", "限制", "约束" };
    static const char *const THESE[] = {
        "这些", "那些", "任何", "所有", "上面的", "之前的", "你的"
    };
    static const char *const NO_MORE[] = {
        "作废", "失效", "无效", "不再有效", "不再适用", "不算数"
    };
    size_t bytes = ONE_OF(at, PRETEND);
    const char *object;

    if (bytes > 0) {
        object = chinese_object(at + bytes, false);
        if (object && ONE_OF(chinese_adverbs(object), VOID) > 0)
            return true;
        at += bytes;
        bytes = ONE_OF(at, NONE);
        if (bytes == 0)
            return false;
        at += bytes;
        bytes = ONE_OF(at, THESE);
        return bytes > 0 && ONE_OF(at + bytes, RULE) > 0;
    }
    bytes = ONE_OF(at, BEFORE);
    if (bytes == 0)
        return false;
    at += bytes;
    bytes = ONE_OF(at, THESE);
    at += bytes;
    bytes = strncmp(at, "指令", 6) == 0 ? 6 : strncmp(at, "提示词", 9) == 0 ? 9 : 0;
    return bytes > 0 && ONE_OF(chinese_adverbs(at + bytes), NO_MORE) > 0;
}

static bool contains_any(const char *from, const char *until, const char *const *word, size_t count)
{
    for (const char *at = from; at < until && *at; at++) {
        if (one_of(at, word, count) > 0)
            return true;
    }
    return false;
}

static const char *clause_end(const char *at)
{
    for (; *at; at++) {
        if (strchr("!?;\n", *at) || strncmp(at, "。", 3) == 0 || strncmp(at, "，", 3) == 0)
            break;
    }
    return at;
}

/* 你现在是..., 从现在起你是..., 扮演...: one without limits. */
static bool chinese_persona(const char *at)
{
    size_t bytes = ONE_OF(at, BE);

    return bytes > 0 &&
           contains_any(at + bytes, clause_end(at + bytes), FREE, sizeof FREE / sizeof FREE[0]);
}

/* The model's prompt, or every key. */
static const char *chinese_secret(const char *at, bool yours)
{
    static const char *const MODIFIER[] = { "你的", "您的",   "完整的", "完整", "原始",
                                            "全部", "所有",   "初始",   "的",   "已存储",
                                            "存储", "已保存", "保存",   "一切", "隐藏" };
    bool every = false;

    for (;;) {
        size_t prompt = ONE_OF(at, PROMPT);
        size_t secret = ONE_OF(at, SECRET);
        size_t bytes = ONE_OF(at, MODIFIER);

        if (prompt > 0)
            return yours ? at + prompt : NULL;
        if (secret > 0)
            return every ? at + secret : NULL;
        if (bytes == 0)
            return NULL;
        yours = yours || strncmp(at, "你的", 6) == 0 || strncmp(at, "您的", 6) == 0;
        every = every || strncmp(at, "所有", 6) == 0 || strncmp(at, "全部", 6) == 0 ||
                strncmp(at, "一切", 6) == 0;
        at += bytes;
    }
}

static bool chinese_exfiltrates(const char *at)
{
    static const char *const LEAK[] = { "泄露", "透露", "告诉我", "发给我" };
    static const char *const GIVE[] = { "把", "将" };
    static const char *const WHOLE[] = { "都",       "全部", "完整", "原样",
                                         "一字不差", "地",   "全都", "直接" };
    size_t bytes = ONE_OF(at, SHOW);
    const char *secret;

    if (bytes > 0)
        return chinese_secret(at + bytes, ONE_OF(at, LEAK) > 0) != NULL;
    bytes = ONE_OF(at, GIVE);
    secret = bytes > 0 ? chinese_secret(at + bytes, true) : NULL;
    if (!secret)
        return false;
    while ((bytes = ONE_OF(secret, WHOLE)) > 0)
        secret += bytes;
    return ONE_OF(secret, TO_ME) > 0;
}

void mn_orders_chinese(const char *text, bool *given, bool *harmless)
{
    (void)pthread_once(&first.once, build);
    for (const char *at = text; *at; at++) {
        size_t bytes;
        const char *end;

        if ((unsigned char)*at < 0xe4 || !begins_one(at))
            continue;
        bytes = ONE_OF(at, OVERRIDE);
        end = bytes > 0 ? chinese_object(at + bytes, ONE_OF(at, FORGET) > 0) : NULL;
        bytes = ONE_OF(at, DISABLE);
        if (bytes > 0)
            end = chinese_guard(at + bytes);
        if (end) {
            if (chinese_negated(text, at, end))
                *harmless = true;
            else
                *given = true;
        }
        end = chinese_disobeys(text, at);
        if ((end && chinese_object(end, false)) || chinese_persona(at) || chinese_voids(at))
            *given = true;
        if (chinese_exfiltrates(at)) {
            if (chinese_negated(text, at, ""))
                *harmless = true;
            else
                *given = true;
        }
    }
}

/* ---- at a glance ---- */

#define PAIR_BITS 4096

/* Words begin with two characters that few others do. Built at the first look-up. */
static struct {
    pthread_once_t once;
    uint64_t first[0x10000 / 64]; /* characters that begin a word of either kind */
    uint64_t verb[PAIR_BITS / 64];
    uint64_t object[PAIR_BITS / 64];
} pairs = { .once = PTHREAD_ONCE_INIT };

static uint32_t pair_of(int32_t a, int32_t b)
{
    return ((uint32_t)a * 31 + (uint32_t)b) % PAIR_BITS;
}

static void note_pairs(uint64_t *bits, const char *const *word, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t bytes = strlen(word[i]);
        size_t at = 0;
        int32_t a = mn_utf8_next(word[i], bytes, &at);
        uint32_t pair;

        if (a < 0x3400 || at >= bytes) /* systemprompt; or a word of one character */
            continue;
        pair = pair_of(a, mn_utf8_next(word[i], bytes, &at));
        pairs.first[a / 64] |= UINT64_C(1) << (a % 64);
        bits[pair / 64] |= UINT64_C(1) << (pair % 64);
    }
}

static void build_pairs(void)
{
    note_pairs(pairs.verb, OVERRIDE, COUNT_OF(OVERRIDE));
    note_pairs(pairs.verb, DISABLE, COUNT_OF(DISABLE));
    note_pairs(pairs.verb, OBEY, COUNT_OF(OBEY));
    note_pairs(pairs.verb, CARRY_OUT, COUNT_OF(CARRY_OUT));
    note_pairs(pairs.verb, PRETEND, COUNT_OF(PRETEND));
    note_pairs(pairs.verb, VOID, COUNT_OF(VOID));
    note_pairs(pairs.verb, BE, COUNT_OF(BE));
    note_pairs(pairs.verb, SHOW, COUNT_OF(SHOW));
    note_pairs(pairs.verb, TO_ME, COUNT_OF(TO_ME));
    note_pairs(pairs.object, QUALIFIER_HAN, COUNT_OF(QUALIFIER_HAN));
    note_pairs(pairs.object, OBJECT_HAN, COUNT_OF(OBJECT_HAN));
    note_pairs(pairs.object, OBJECT_QUALIFIED_HAN, COUNT_OF(OBJECT_QUALIFIED_HAN));
    note_pairs(pairs.object, GUARD, COUNT_OF(GUARD));
    note_pairs(pairs.object, LIMIT, COUNT_OF(LIMIT));
    note_pairs(pairs.object, FREE, COUNT_OF(FREE));
    note_pairs(pairs.object, PROMPT, COUNT_OF(PROMPT));
    note_pairs(pairs.object, SECRET, COUNT_OF(SECRET));
}

unsigned mn_orders_chinese_pair(int32_t a, int32_t b)
{
    uint32_t pair;

    (void)pthread_once(&pairs.once, build_pairs);
    if (a <= 0 || a > 0xffff || !(pairs.first[a / 64] >> (a % 64) & 1))
        return 0;
    pair = pair_of(a, b);
    return (pairs.verb[pair / 64] >> (pair % 64) & 1 ? MN_ORDERS_HINT_VERB : 0) |
           (pairs.object[pair / 64] >> (pair % 64) & 1 ? MN_ORDERS_HINT_OBJECT : 0);
}
