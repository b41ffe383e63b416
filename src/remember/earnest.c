/*
 * earnest.c - words that are in a turn and are not what its speaker states.
 *
 * A task carries the text it is about, and that text decides, moves and prefers for nobody. What is a
 * joke, a wish or a dream is no report, and what others say binds or describes them. A memory that is
 * missed costs a repetition; one that nobody meant misleads.
 */
#include "remember/earnest.h"

#include <string.h>

#include "remember/calls.h"
#include "remember/wording.h"
#include "text/cue.h"

/* clang-format off */
static const char *const TASKS[] = {
    "^translate|summarize|summarise|paraphrase|rephrase|proofread|rewrite|reword",
    "^write|draft|compose|make up|tell|create|generate|give > email|mail|message|story|stories|poem|letter|essay|joke|jokes|tweet|"
    "post|song|dialogue|reply|paragraph|sentence|slogan|speech|headline|fairy tale|scene|script for a play",
    "^fix|correct|check|improve|polish|analyze|analyse|parse|explain > sentence|sentences|grammar|spelling|wording|phrase|paragraph",
    "^翻译|润色|改写|校对|续写", "^把 > 翻译成|译成", "^总结|概括 > 这|以下|下面|上面|文章|全文",
    "^写|起草|编|讲|拟|生成|来 > 邮件|故事|首诗|诗歌|封信|消息|文案|作文|短信|回复|笑话|小说|剧本|段子|对话|台词",
    "^用户|助手|user|assistant|human|system|ai|客户 > :",
    NULL,
};
/* These make an order of it. */
static const char *const STANDING[] = { "from now on|always|every time|whenever|in future|going forward|以后|每次|今后|一律|从现在起", NULL };
static const char *const LABELS[] = { "user:", "assistant:", "human:", "system:", "ai:", "用户:", "助手:", "用户：", "助手：", NULL };

static const char *const JOKES[] = {
    "just kidding", "i'm kidding", "only kidding", "kidding", "i'm joking", "i am joking", "just joking", "only joking", "jk", "lol",
    "haha", "hahaha", "hehe", "rofl", "lmao", "开玩笑的", "开个玩笑", "开玩笑", "逗你的", "逗你玩", "哈哈哈", "哈哈", "嘿嘿", "才怪", NULL,
};
static const char *const UNREAL[] = {
    "i wish|we wish|i dreamed|i dreamt|i had a dream|i imagine|i don't think|i doubt|i doubt that|in my dream",
    "almost|nearly|never|should have|would have|could have|might have|was going to|were going to|will have > decided|agreed|chosen|"
    "chose|settled|finished|completed|shipped|deployed|merged|released|launched|fixed|solved|resolved|switched|migrated|moved",
    "i'd|i would|we'd|we would > be > if", "if only",
    "差点|差一点|几乎 > 决定|就决定|选定|换成|改用|搬到|上线", "梦见|梦到|做梦", "以为 > 决定|改|换|上线|解决", "要是 >> 就好了", NULL,
};
#define SAYS "says|said|say|told|tells|wrote|writes|claims|claimed|recommends|suggests|insists|wants us to|wants me to|demands"
static const char *const HEARSAY[] = {
    "^my|the|his|her|our|their|he|she|they|someone|somebody|people|you|everyone|docs|documentation >> " SAYS, "according to|as they say|as the saying goes",
    "老板|同事|他|她|他们|她们|文档|网上|手册|有人|朋友|老师|经理|领导|客户|教程|书|博客|大家|报错|错误信息|别人 > 说|写着|写道|要求|建议|认为|提到|提示", "你说过|你说",
    "据说|听说|俗话说", NULL,
};
/* He speaks of himself. */
static const char *const OWN[] = { "i > said|say|told|wrote", "我 > 说过|说了|告诉", NULL };
/* clang-format on */

bool mn_earnest_carries(const struct mn_sentence *s, bool *ret_rest)
{
    size_t at = mn_call_openings(s->cue, 0);
    bool labelled = mn_wording_any(s->cue, at, LABELS) > 0;
    const char *colon = strpbrk(s->cue, ":");

    if (!colon)
        colon = strstr(s->cue, "：");
    if (!labelled && (!mn_cue_any(&s->cues, TASKS) || (!colon && mn_cue_any(&s->cues, STANDING))))
        return false;
    *ret_rest = labelled || colon;
    return true;
}

bool mn_earnest_jokes(const struct mn_sentence *s, bool *ret_bare)
{
    size_t at = mn_call_openings(s->cue, 0), bytes;
    bool jokes = false;

    while ((bytes = mn_wording_any(s->cue, at, JOKES))) {
        at = mn_call_marks(s->cue, at + bytes);
        jokes = true;
    }
    *ret_bare = jokes && mn_wording_is_all(s->cue, at);
    return jokes || mn_wording_holds(s->cue, JOKES);
}

bool mn_earnest_unreal(const struct mn_sentence *s)
{
    return mn_cue_any(&s->cues, UNREAL);
}

bool mn_earnest_hearsay(const struct mn_sentence *s)
{
    return mn_cue_any(&s->cues, HEARSAY) && !mn_cue_any(&s->cues, OWN);
}
