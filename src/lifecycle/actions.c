/*
 * actions.c - what a sentence says is done, and what is yet to be done.
 *
 * A summary tells more steps than are worth a memory each: "I added the index" belongs to what a
 * session did, while only an end ("finished", "deployed") is drawn from the turn itself
 * (remember/calls.c). So a step has its verb right behind who took it, which leaves out what was not
 * done, is wished for or belongs to somebody's evening.
 */
#include "lifecycle/actions.h"

#include <stddef.h>
#include <string.h>

#include "remember/wording.h"
#include "text/cue.h"

/* clang-format off */
static const char *const PENDING[] = {
    "^todo|to-do|to do:|still to do|still to be done|left to do|what is left|what's left|what remains|open items|open points|"
    "open tasks|outstanding:|pending:|remaining:|remaining work|remaining steps|remaining tasks|next:|next up|next step|next steps|"
    "next we|next i|action item|action items|follow-up|follow-ups|follow up:|up next|not done yet|later:",
    "todo:|todos:|to-dos:|still open|left to do|remains to do|remains to be done|yet to be done",
    "i|we|you > still need to|still have to|still must|need to finish|have to finish|have yet to|haven't yet|still want to",
    "still needs to be|still need to be|still has to be|remains to be|has yet to be|is still missing|are still missing|"
    "still left to|is not done yet|are not done yet|isn't done yet|aren't done yet",
    "^i'll|i will|we'll|we will >> tomorrow|next week|later|next time|afterwards|on monday|after the release",
    "还需要|还要|还得|还差|还没有|还没|尚未|待办|待完成|待处理|有待|下一步|接下来要|接下来还|接下来:|接下来：|剩下的|剩余的|未完成|遗留",
    "明天|下周|下次|稍后|之后|回头 > 再|继续", NULL,
};
static const char *const DOERS[] = { "i've", "we've", "i have", "we have", "i", "we", "我", "我们", "我已经", "我们已经", "已", "已经",
                                     "刚刚", "刚", "我刚", "我们刚", NULL };
static const char *const ADVERBS[] = { "just", "also", "already", "now", "finally", "then", "successfully", "both", "have",
                                       "把", "也", "又", "先", "已经", NULL };
static const char *const DEEDS[] = {
    "added", "created", "wrote", "updated", "removed", "deleted", "renamed", "refactored", "implemented", "configured",
    "enabled", "disabled", "installed", "replaced", "moved", "split", "merged", "bumped", "pinned", "rewrote", "cleaned up",
    "set up", "rolled back", "reverted", "changed", "extended", "documented", "tested", "extracted", "introduced", "dropped",
    "migrated", "patched", "rebuilt", "backed up", "restored", "rotated", "scheduled", "opened a pull request", "opened a pr",
    "pushed", "committed", "converted", "tuned", "indexed", "wired up", "hooked up", "switched on", "switched off", "turned on",
    "turned off", "reduced", "increased", "raised", "lowered", NULL,
};
static const char *const DEEDS_ZH[] = {
    "加了", "加上了", "加好了", "添加了", "新增了", "写了", "写好了", "改了", "改好了", "修改了", "更新了", "删了", "删掉了", "删除了",
    "重命名了", "重构了", "实现了", "配置了", "配置好了", "启用了", "关闭了", "安装了", "装好了", "替换了", "换掉了", "拆分了", "合并了",
    "升级了", "回滚了", "提交了", "推送了", "建好了", "建了", "创建了", "补上了", "补了", "调整了", "备份了", "恢复了", NULL,
};
static const char *const EVERYDAY[] = {
    "lunch|dinner|breakfast|coffee|tea|milk|sugar|salt|movie|film|homework|sofa|couch|kitchen|garden|song|chair",
    "饭|菜|吃|喝|盐|糖|电影|作业|游戏|衣服|家具", NULL,
};
/* clang-format on */

bool mn_actions_pending(const char *folded)
{
    const struct mn_cue_text cues = mn_cue_read(folded);

    return mn_cue_any(&cues, PENDING);
}

static size_t skip_space(const char *folded, size_t at)
{
    while (folded[at] == ' ')
        at++;
    return at;
}

/* "I just added", "we've also removed". */
static bool did(const char *folded, size_t at)
{
    size_t bytes = 0;
    bool doer = false;

    while ((bytes = mn_wording_any(folded, at, DOERS)) > 0) { /* "i have", "我" and 已经 */
        at = skip_space(folded, at + bytes);
        doer = true;
    }
    while (doer && (bytes = mn_wording_any(folded, at, ADVERBS)) > 0)
        at = skip_space(folded, at + bytes);
    return doer && mn_wording_any(folded, at, DEEDS) > 0;
}

bool mn_actions_done(const char *folded)
{
    const struct mn_cue_text cues = mn_cue_read(folded);
    size_t bytes = strlen(folded);

    if (mn_cue_any(&cues, EVERYDAY) || mn_actions_pending(folded))
        return false;
    for (size_t at = 0; at < bytes; at = mn_wording_clause(folded, at)) {
        size_t end = mn_wording_end(folded, at);

        if (did(folded, at))
            return true;
        if (!mn_wording_any(folded, at, DOERS) || (unsigned char)folded[at] < 0x80)
            continue;
        for (size_t i = at; i < end; i++) /* 我把索引加上了 */
            if (mn_wording_any(folded, i, DEEDS_ZH))
                return true;
    }
    return false;
}
