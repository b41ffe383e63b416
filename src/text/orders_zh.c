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
static const char *const OVERRIDE[] = { "忽略",   "无视", "忽视",   "跳过",   "绕过",
                                        "绕开",   "忘记", "忘掉",   "忘了",   "抛弃",
                                        "抛开",   "违反", "违背",   "推翻",   "覆盖",
                                        "不理会", "别管", "不用管", "不要管", "不要理会" };
static const char *const OBEY[] = { "不要遵守", "不遵守",   "不必遵守", "不再遵守",
                                    "停止遵守", "不要遵循", "不必遵循", "不再遵循",
                                    "不要听从", "无需遵守", "不用遵守", "不要执行" };
static const char *const BE[] = { "你现在是",      "从现在起你是",    "从现在开始你是",
                                  "从现在起,你是", "从现在开始,你是", "扮演",
                                  "假装你是",      "你将扮演",        "进入" };
static const char *const SHOW[] = { "输出", "打印", "告诉我", "泄露", "显示", "说出", "重复",
                                    "给出", "发送", "公开",   "透露", "复述", "导出", "发给我" };
/* Of the first, those whose object may be all that came before. */
static const char *const FORGET[] = { "忽略", "无视", "忘记",   "忘掉",  "忘了",
                                      "抛开", "别管", "不用管", "不要管" };

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
    note_first(OVERRIDE, COUNT_OF(OVERRIDE));
    note_first(OBEY, COUNT_OF(OBEY));
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
    static const char *const QUALIFIER_HAN[] = { "之前", "以上",   "以前",   "此前", "上面", "前面",
                                                 "上述", "先前",   "前述",   "系统", "安全", "你的",
                                                 "您的", "开发者", "管理员", "原始", "初始", "内置",
                                                 "默认", "既定",   "预设",   "上文", "前文" };
    static const char *const OBJECT_HAN[] = { "指令",     "指示",     "提示词",       "提示",
                                              "设定",     "prompt",   "systemprompt", "安全检查",
                                              "安全策略", "安全规则", "安全限制",     "安全审查",
                                              "安全机制", "安全防护", "安全校验",     "护栏" };
    static const char *const OBJECT_QUALIFIED_HAN[] = { "规则", "约束", "限制", "要求", "命令",
                                                        "规定", "内容", "对话", "检查", "策略",
                                                        "规范", "准则", "消息", "话",   "说明",
                                                        "审查", "防护", "信息" };
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
    static const char *const FREE[] = { "没有限制",     "没有任何限制", "不受限制", "不受任何限制",
                                        "无限制",       "不受约束",     "没有约束", "越狱",
                                        "dan模式",      "上帝模式",     "无视规则", "没有任何约束",
                                        "不受任何约束", "摆脱限制" };
    size_t bytes = ONE_OF(at, BE);

    return bytes > 0 &&
           contains_any(at + bytes, clause_end(at + bytes), FREE, sizeof FREE / sizeof FREE[0]);
}

static bool chinese_exfiltrates(const char *at)
{
    static const char *const MODIFIER[] = { "你的", "您的",   "完整的", "完整", "原始",
                                            "全部", "所有",   "初始",   "的",   "已存储",
                                            "存储", "已保存", "保存",   "一切", "隐藏" };
    static const char *const PROMPT[] = { "系统提示词",   "系统提示", "系统指令", "系统prompt",
                                          "systemprompt", "初始指令", "提示词" };
    static const char *const SECRET[] = { "密钥", "密码",  "apikey", "凭证", "凭据",
                                          "令牌", "token", "口令",   "私钥", "api密钥" };
    const char *start = at;
    size_t bytes = ONE_OF(at, SHOW);
    bool yours = strncmp(start, "泄露", 6) == 0 || strncmp(start, "透露", 6) == 0;
    bool every = false;

    if (bytes == 0)
        return false;
    for (at += bytes; bytes > 0; at += bytes) {
        if (ONE_OF(at, PROMPT) > 0)
            return yours;
        if (ONE_OF(at, SECRET) > 0)
            return every;
        bytes = ONE_OF(at, MODIFIER);
        yours = yours || strncmp(at, "你的", 6) == 0 || strncmp(at, "您的", 6) == 0;
        every = every || strncmp(at, "所有", 6) == 0 || strncmp(at, "全部", 6) == 0 ||
                strncmp(at, "一切", 6) == 0;
    }
    return false;
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
        if (end) {
            if (chinese_negated(text, at, end))
                *harmless = true;
            else
                *given = true;
        }
        bytes = ONE_OF(at, OBEY);
        if ((bytes > 0 && chinese_object(at + bytes, false)) || chinese_persona(at))
            *given = true;
        if (chinese_exfiltrates(at)) {
            if (chinese_negated(text, at, ""))
                *harmless = true;
            else
                *given = true;
        }
    }
}
