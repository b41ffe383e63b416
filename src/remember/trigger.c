/*
 * trigger.c - what in a turn calls for a memory?
 *
 * Most of what is said is said once: greetings, questions, the work of the moment. A memory is
 * drawn only where the words ask for one ("remember", "以后都") or report what will matter later: a
 * correction, a decision, an end, a recovery, feedback, a statement about the user that a key
 * exists for. Sentence by sentence; the first table that matches names the call.
 *
 * What is no word of the speaker calls for nothing: quotations, code, quoted lines, and text that a
 * recall put into the prompt, which would otherwise feed on itself. Nor do questions and
 * suppositions: "if I said remember this" orders nothing. "Can you remember that ...?" is an order
 * in the form of a question.
 *
 * Missing a memory costs a repetition, since the turn itself stays recallable; a wrong one misleads.
 * So the tables hold beginnings of clauses and pairs of words, not single words. Measured by
 * tests/unit/test_remember_trigger.c.
 */
#include "remember/draft.h"

#include <string.h>

#include "base/array.h"
#include "remember/sentence.h"
#include "remember/wording.h"
#include "text/cue.h"
#include "text/pleasantry.h"
#include "text/analyze.h"

#define SCRATCH_BYTES_MAX ((size_t)32 << 20)

/* ---- the tables: folded; cues as text/cue.h describes them ---- */

/* clang-format off */
static const char *const OPENINGS[] = {
    "by the way", "one more thing", "please", "can you", "could you", "would you", "will you",
    "i want you to", "i'd like you to", "you should", "you must", "ok", "okay", "hey", "also",
    "and", "so", "btw", "oh", "well", "hi", "hello", "just", "right", "yes", "but",
    "麻烦你", "麻烦", "帮我", "请你", "请", "你要", "你得", "你", "那", "另外", "对了", "顺便说一下", "顺便", "还有",
    "嗯", "好的", "好", "哦", "啊", "但是", "但", NULL,
};

/* Reports of what did not, or not yet, happen. */
static const char *const NOT_YET[] = {
    "haven't|hasn't|didn't|not yet|isn't|aren't|wasn't|not > done|finished|complete|decided|fixed|"
    "solved|resolved|deployed|merged|live", "can't|cannot|couldn't|need to|have to|trying to|try to|want to|"
    "going to|help me|about to|when we|when i|once|until|before|after we|after i|unless > decide|"
    "finish|fix|solve|resolve|complete|deploy|merge|ship|finished|completed|fixed|deployed|merged|"
    "shipped|is done|decided",
    "haven't|not|can't|undecided|didn't > decide|decided", "还没|没有|尚未|未能|无法|没能|快要|准备|打算|希望|需要|等|帮我|怎么|还在|正在",
    "取决", NULL,
};

static const char *const REMEMBER[] = {
    "remember that", "remember this", "remember to", "remember", "keep in mind that",
    "keep in mind", "bear in mind that", "bear in mind", "don't forget that", "don't forget to",
    "don't forget", "do not forget that", "do not forget", "note that", "make a note that",
    "make a note of", "make a note", "take note that", "take a note", "for future reference",
    "for the record", "memorize that", "memorize", "memorise", "save to memory", "save this",
    "add to your memory that", "add this to your memory",
    "记住", "记下来", "记一下", "记下", "记好", "牢记", "记得", "记着", "别忘了", "不要忘了", "不要忘记", "别忘记", "勿忘", NULL,
};
/* Behind them: what is recalled is not ordered. */
static const char *const REMEMBERS_PAST[] = {
    "when", "how", "the time", "that time", "last", "what", "who", "where", "why", "if", "whether",
    "me", "us", "him", "her", "上次", "那次", "当时", "小时候", "吗", "我们上次", "上回", "那天", "你", NULL,
};
static const char *const REMEMBER_TAILS[] = {
    "了", "下来", "一下", "哦", "啊", "这一点", "这点", "这件事", "这个", "that", "it", "this", "too", "please", "then",
    "for me", "for next time", "for later", NULL,
};

static const char *const STANDING[] = {
    "from now on|from today on|from here on out|going forward|henceforth|in future,|for all future",
    "^in the future > please|use|don't|always|never|do|keep|write|answer",
    "^every time|whenever > i|you|we > you|please|use|add|run|ask|always|never",
    "^always|never|don't ever|never ever > use|write|run|answer|reply|respond|ask|add|keep|put|start|"
    "push|commit|deploy|format|include|show|give|call|explain|check|test|tell|send|store|log|"
    "delete|touch|merge|edit|change|make|return|import|install|mention|suggest|skip|end|begin|"
    "quote|cite|translate|assume|share|print|create|indent|name|do|address",
    "^stop > using|adding|writing|doing|apologizing|apologising|calling|asking|putting|sending|"
    "saying|explaining|repeating|suggesting|being",
    "^don't|do not >> anymore|any more|again|ever", "^no more > emoji*|bullet*|comment*|apolog*|jargon",
    "以后|今后|往后|从现在起|从现在开始|从今天起|从今以后|从此 > 都|请|不要|别|就|一律|只|统一|默认|必须|务必|每次|回答|回复|叫我|用|不用|不许|不能|不准",
    "^别再|不要再|不许再|不准再|永远不要|永远别|千万别|千万不要|一律|每次 > 都|用|说|写|给|发|加|把|提|问|叫|做|让|在|对|使|改|推|删|直|道|重|擅|跳",
    "^每次 >> 都要|都请|都先|必须|都得", "^一律|严禁|禁止", NULL,
};
static const char *const NOT_STANDING[] = {
    "以后再说", "以后再聊", "以后有机会", "以后有空", "以后可能", "以后会不会", "always > nice|good|a|the|happy > to", NULL,
};

static const char *const CORRECTIONS[] = {
    "^actually > i prefer|i like|i use|i live|i work|i want|i need|i hate|i don't|i no longer|i moved|"
    "i switched|i changed|i meant|i am|i'm|i have|i now|my|we use|we no longer|we moved|it's|the|"
    "our|that's",
    "^correction|scratch that|i no longer|we no longer|i changed my mind|i've changed my mind|i meant|"
    "i was wrong|that's wrong|that is wrong|that's not right|that is not right|that's incorrect|"
    "that is incorrect|you got it wrong|you got that wrong",
    "^i've switched to|i switched to|i have switched to|we switched to|we've switched to|"
    "we have switched to|we've moved to|we moved from|i've moved from",
    "^no, > i|my|it's|the|we|that's", "^i don't|we don't|i do not|we do not >> anymore|any more",
    "^not > but rather|, but",
    "^其实|实际上 > 我更|我喜欢|我用|我住|我在|我不|我是|我已经|我改|我们用|我们已经|应该是|不是|我现在", "^更正|纠正一下|订正|我说错了|说错了|我记错了|你记错了|你搞错了|弄错了|我改主意|改主意了",
    "^不对 > 我|是|应该", "我不再|我已经不|我们不再|我们已经不|不再使用|不再用", "我|我们|团队|项目|现在 > 改用|换成|换到|改成|改为|换用|迁到", "^我现在 > 更喜欢|改用|用|住|在", NULL,
};
static const char *const OPINIONS[] = { "觉得", "想问", "不知道", "不太懂", "不确定", "不明白", NULL };

static const char *const DECISIONS[] = {
    "we|i|we've|we have|i've|i have|team|they > decided|agreed|settled on|chosen|chose > to|on|that|not|"
    "against|it|the|a*", "we decided|we've decided|i decided|i've decided|the decision is|decision:|we settled on|"
    "we agreed|we chose|we're going with|we are going with|we'll go with|we will go with|"
    "let's go with|let's settle on|i'm going with|i'll go with|going with",
    "我们|我|最终|最后|团队|会上|已经|大家|刚刚|经过讨论 > 决定|敲定|选定|商定|拍板|定了", "^决定 > 用|采用|把|不|改|选|先|将|放弃|在|由|从|以|对|推迟|取消", "就这么定|就这么决定|那就定|方案定为|定为|说好了", NULL,
};

static const char *const RECOVERIES[] = {
    "root cause|the fix was|the fix is|the problem was|the issue was|the cause was|the culprit was|"
    "the bug was|the error was",
    "turned out > error|bug|cache|config|port|version|missing|wrong|expired|stale|permission|race|the|"
    "a|that >> error|bug|cache|config|port|version|missing|wrong|expired|stale|permission|race|"
    "lock|token|driver|path|variable|dns|firewall|proxy|certificate",
    "fixed|solved|resolved|got around > by|with|after|it|the|that >> by|with|after",
    "works again|working again|is fixed now|was fixed by|got fixed by|it works after|recovered by",
    "根因|根本原因|问题出在|症结", "修好了|修复了|解决了|恢复了|搞定了 >> 原因|因为|办法|方法|是|改|加|把|重启|升级|清", "把|改|加|重启|升级|清 >> 就好了|就解决了|就恢复了|就正常了|就不报错|就修好",
    "报错|错误|失败|崩溃|异常|超时|故障|挂了 >> 原因是|原来是|是因为|解决了|修好了|修复了|恢复了", NULL,
};

static const char *const DONE[] = {
    "^i|we|i've|we've|i have|we have|just|finally|i just|we just|i finally|we finally > finished|completed|"
    "shipped|deployed|merged|released|launched|published|submitted|delivered|migrated|wrapped up|"
    "upgraded|rolled out",
    "^the|our|all >> is done|is finished|is complete|is completed|is live|is deployed|is merged|has been "
    "deployed|has been merged|has been released|has been completed|have been migrated|are done|"
    "was deployed|was merged|was released|were migrated|is now live|are migrated|all pass",
    "完成了|做完了|写完了|搞定了|上线了|已上线|已发布|发布了|部署好了|部署完成|已部署|合并了|已合并|交付了|已经完成|已完成|迁移完成|升级完成|测试通过了|全部通过|重构完", NULL,
};
static const char *const EVERYDAY[] = {
    "lunch|dinner|breakfast|coffee|eating|shower|movie|film|book|workout|episode|game|meal|tea|show|"
    "song|homework", "饭|吃|喝|电影|电视|剧|澡|觉|作业|游戏|跑步|健身|书", NULL,
};

static const char *const FEEDBACK[] = {
    "your|answers|answer|replies|reply|responses|response|explanation*|summary|summaries > too > long|"
    "verbose|short|wordy|detailed|formal|technical|vague|complicated",
    "^too > long|verbose|wordy|short|technical|formal|vague", "^that's|that was|this is > too > long|verbose|wordy|"
    "short|technical|formal|vague",
    "^be more > concise|brief|specific|detailed|careful|direct", "^be less > verbose|formal|wordy|technical",
    "^i like|love|liked|loved > how you|the way you|your", "^i like how|i like the way|i love how|i love the way",
    "^this|that|the > format > works|is great|is perfect|was great|was perfect", "^i didn't like|i don't like|i dislike > how "
    "you|the way you|your|when you",
    "回答|答案|回复|解释|总结|你写|你说|代码注释 > 太长|太短|太啰|太简单|太复杂|太详细|太笼统|不够详细|不够具体|不够简洁|太正式|太官方|太技术",
    "^太长了|太啰嗦|太啰唆|太笼统|说重点|少说废话|别啰嗦|别那么啰嗦|简短一点|简短些|简洁一点|简洁些|详细一点|详细些|具体一点", "我喜欢|我不喜欢 > 你这样|你的回答|你这种|你用|你写|你回答",
    "这个格式|这种格式|这样回答|这样写|这种写法 > 很好|不错|挺好|正好|不好|不行", NULL,
};

static const char *const STATEMENTS[] = {
    "^i prefer|i much prefer|i'd rather you|i'm allergic to|i am allergic to|i'm vegetarian|i'm vegan|"
    "i am vegetarian|i am vegan|i always use|i usually use|i always write|i never use",
    "^我更喜欢|我偏好|我比较喜欢|我习惯|我一般用|我通常用|我平时用|我平常用|我吃素|我不吃|我是素食", "^我对 > 过敏", "^写|做|开发|用|在 >> 我更喜欢|我偏好|我习惯", NULL,
};
/* clang-format on */

/* ---- one sentence ---- */

static size_t skip_marks(const char *cue, size_t at)
{
    static const char *const marks[] = { " ", ",", ":", "-", "，", "：", "、", "！", "!", NULL };
    size_t bytes = 1;

    while (bytes && cue[at]) {
        bytes = 0;
        for (size_t i = 0; marks[i] && !bytes; i++)
            if (strncmp(cue + at, marks[i], strlen(marks[i])) == 0)
                bytes = strlen(marks[i]);
        at += bytes;
    }
    return at;
}

/* Behind what people say before they say what they want. */
static size_t skip_openings(const char *cue, size_t at)
{
    size_t bytes = 1;

    while (bytes) {
        at = skip_marks(cue, at);
        bytes = mn_wording_any(cue, at, OPENINGS);
        at += bytes;
    }
    return at;
}

/* Nothing is left of it but signs, or words that point elsewhere. */
static bool is_bare(const char *cue, size_t at)
{
    size_t bytes = 1;

    while (bytes) {
        at = skip_marks(cue, at);
        bytes = mn_wording_any(cue, at, REMEMBER_TAILS);
        at += bytes;
    }
    while (cue[at] && (strchr(".!?; ", cue[at]) || !strncmp(cue + at, "。", 3) ||
                       !strncmp(cue + at, "！", 3) || !strncmp(cue + at, "？", 3)))
        at += (unsigned char)cue[at] < 0x80 ? 1 : 3;
    return !cue[at];
}

static struct mn_str slice(const struct mn_sentence *s, size_t from, size_t until)
{
    return (struct mn_str){ s->w.text + from, until - from };
}

/* An order to remember. *ret_said is empty when its object stands in the sentence before. */
static bool find_order(const struct mn_sentence *s, struct mn_str *ret_said)
{
    for (size_t clause = 0; clause < s->w.bytes; clause = mn_wording_clause(s->cue, clause)) {
        size_t at = skip_openings(s->cue, clause);
        size_t bytes = mn_wording_any(s->cue, at, REMEMBER);
        size_t behind;

        if (!bytes)
            continue;
        behind = skip_marks(s->cue, at + bytes);
        if (mn_wording_any(s->cue, behind, REMEMBERS_PAST))
            continue;
        if (s->asks && !strstr(s->cue + at, "that ") && !strstr(s->cue + at, " to "))
            continue;
        if (is_bare(s->cue, behind)) {
            *ret_said = slice(s, 0, clause);
            return true;
        }
        for (size_t tail; (tail = mn_wording_any(s->cue, behind, (const char *const[]){
                               "了", "下来", "一下", "哦", "啊", "this", "that", NULL }));)
            behind = skip_marks(s->cue, behind + tail);
        *ret_said = slice(s, behind, s->w.bytes);
        return true;
    }
    return false;
}

/* Without the opening, and without "from now on" where it opens. */
static struct mn_str without_opening(const struct mn_sentence *s)
{
    static const char *const nows[] = { "from now on", "from today on", "going forward",
                                        "henceforth", "从现在起", "从现在开始", "从今以后", "从今天起", NULL };
    size_t at = skip_openings(s->cue, 0);
    size_t bytes = mn_wording_any(s->cue, at, nows);

    if (bytes)
        at = skip_marks(s->cue, at + bytes);
    return slice(s, at, s->w.bytes);
}

static bool any_of(const struct mn_sentence *s, const char *const *cues)
{
    return mn_cue_any(&s->cues, cues);
}

static bool has_any(const struct mn_sentence *s, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        if (mn_text_contains(s->cue, words[i]))
            return true;
    return false;
}

static enum mn_call report_of(const struct mn_sentence *s)
{
    if (any_of(s, NOT_YET))
        return MN_CALL_NONE;
    if (any_of(s, DECISIONS))
        return MN_CALL_DECISION;
    if (any_of(s, RECOVERIES))
        return MN_CALL_RECOVERED;
    if (any_of(s, DONE) && !any_of(s, EVERYDAY))
        return MN_CALL_DONE;
    return MN_CALL_NONE;
}

/* A sentence of the user's. */
static enum mn_call call_of(const struct mn_sentence *s, struct mn_arena *scratch)
{
    struct mn_keyed keyed;
    enum mn_call report;

    if (any_of(s, STANDING) && !has_any(s, NOT_STANDING) && !any_of(s, NOT_STANDING))
        return MN_CALL_STANDING;
    if (any_of(s, CORRECTIONS) && !has_any(s, OPINIONS))
        return MN_CALL_CORRECTION;
    report = report_of(s);
    if (report != MN_CALL_NONE)
        return report;
    if (any_of(s, FEEDBACK))
        return MN_CALL_FEEDBACK;
    if (any_of(s, STATEMENTS))
        return MN_CALL_STATEMENT;
    if (!strchr(s->cue, MN_QUOTED) && mn_key_of(scratch, s->w.text, &keyed) && keyed.states)
        return MN_CALL_STATEMENT;
    return MN_CALL_NONE;
}

/* ---- the turn ---- */

struct hearing {
    struct mn_arena *arena;
    struct mn_arena *scratch;
    bool user;      /* else an assistant */
    bool feedback;  /* the whole turn is feedback */
    struct mn_str before; /* the sentence before; empty when it asks */
    struct mn_calls calls;
};

static enum mneme_status add_call(struct hearing *h, enum mn_call call, struct mn_str said,
                                  struct mneme_error *err)
{
    struct mn_called *made;
    char *text;

    while (said.bytes && strchr(" ,;:", said.at[said.bytes - 1]))
        said.bytes--;
    while (said.bytes >= 3 && !memcmp(said.at + said.bytes - 3, "，", 3))
        said.bytes -= 3;
    if (!said.bytes)
        return MNEME_OK;
    made = mn_array_add(h->arena, &h->calls);
    text = mn_arena_copy_n(h->arena, said.at, said.bytes);
    if (!made || !text)
        return mn_fail_memory(err);
    *made = (struct mn_called){ call, { text, said.bytes } };
    return MNEME_OK;
}

static enum mneme_status hear(struct hearing *h, const struct mn_sentence *s, struct mneme_error *err)
{
    struct mn_str said = { "", 0 };
    enum mn_call call = MN_CALL_NONE;

    if (mn_sentence_supposes(s, skip_openings(s->cue, 0)))
        return MNEME_OK;
    if (h->user && find_order(s, &said)) {
        if (!said.bytes)
            said = h->before;
        call = MN_CALL_ORDER;
    } else if (!s->asks) {
        call = h->user ? call_of(s, h->scratch) : report_of(s);
        if (call == MN_CALL_NONE && h->feedback && !h->calls.count &&
            mn_pleasantry_find(s->w.text, s->w.lower) == MN_PLEASANTRY_NO)
            call = MN_CALL_FEEDBACK;
        said = call == MN_CALL_STANDING ? without_opening(s)
                                        : slice(s, skip_marks(s->cue, 0), s->w.bytes);
    }
    return call == MN_CALL_NONE ? MNEME_OK : add_call(h, call, said, err);
}

enum mneme_status mn_trigger_find(struct mn_arena *arena, const char *text, const char *role,
                                  struct mn_calls *ret_calls, struct mneme_error *err)
{
    MN_ARENA_AUTO scratch = mn_arena_new(SCRATCH_BYTES_MAX);
    struct hearing h = {
        .arena = arena,
        .scratch = scratch,
        .user = mn_empty(role) || !strcmp(role, "user") || !strcmp(role, "feedback"),
        .feedback = mn_same(role, "feedback"),
        .before = { "", 0 },
    };
    struct mn_sentences sentences;

    *ret_calls = h.calls;
    if (!h.user && !mn_same(role, "assistant"))
        return MNEME_OK;
    if (!mn_sentences_begin(scratch, mn_or_empty(text), &sentences))
        return mn_fail_memory(err);
    for (struct mn_sentence s; h.calls.count < MN_CALLS_MAX;) {
        bool more = false;

        if (!mn_sentences_next(&sentences, &s, &more))
            return mn_fail_memory(err);
        if (!more)
            break;
        MN_TRY(hear(&h, &s, err));
        h.before = s.asks ? (struct mn_str){ "", 0 } : (struct mn_str){ s.w.text, s.w.bytes };
    }
    *ret_calls = h.calls;
    return MNEME_OK;
}
