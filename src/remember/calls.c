/*
 * calls.c - the tables of what calls for a memory.
 *
 * Asked in the order of their weight: a standing order, a correction, a decision, a recovery, an end,
 * feedback, a statement. Cues hold beginnings of clauses and pairs of words, not single words: missing
 * a memory costs a repetition, a wrong one misleads. What takes a call back stands beside its table.
 *
 * A correction has a head ("no, that's wrong", "不对") that is worth nothing later; what is said
 * begins behind it, and where nothing does, the sentence is bare.
 */
#include "remember/calls.h"

#include <string.h>

#include "base/str.h"
#include "remember/earnest.h"
#include "remember/schedule.h"
#include "remember/wording.h"
#include "text/pleasantry.h"

/* ---- the tables: folded; cues as text/cue.h describes them ---- */

/* clang-format off */
static const char *const OPENINGS[] = {
    "by the way", "one more thing", "please", "can you", "could you", "would you", "will you",
    "i want you to", "i'd like you to", "you should", "you must", "ok", "okay", "hey", "also",
    "and", "so", "btw", "oh", "well", "hi", "hello", "just", "right", "yes", "but",
    "麻烦你", "麻烦", "帮我", "请你", "请", "你要", "你得", "你", "那", "另外", "对了", "顺便说一下", "顺便", "还有",
    "嗯", "很好", "好的", "好", "哦", "啊", "但是", "但", "不过", NULL,
};

/* Reports of what did not, or not yet, happen. */
static const char *const NOT_YET[] = {
    "haven't|hasn't|didn't|not yet|isn't|aren't|wasn't|not > done|finished|complete|decided|fixed|"
    "solved|resolved|deployed|merged|live", "can't|cannot|couldn't|need to|have to|trying to|try to|want to|"
    "going to|help me|about to|when we|when i|once|until|before|after we|after i|unless > decide|"
    "finish|fix|solve|resolve|complete|deploy|merge|ship|finished|completed|fixed|deployed|merged|"
    "shipped|is done|decided",
    "haven't|not|can't|undecided|didn't > decide|decided", "unknown|unclear|no idea|don't know|not clear",
    "if > they|we|you|it|he|she|i > fixed|solved|finished|decided|deployed|merged|shipped|resolved", "go with the flow",
    "不清楚|不知道|未知|不明", "还没|没有|尚未|未能|无法|没能|快要|准备|打算|希望|需要|等|帮我|怎么|还在|正在",
    "取决", NULL,
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
    "以后再说", "以后再聊", "以后有机会", "以后有空", "以后可能", "以后会不会", "always > nice|good|a|the|happy > to", "never mind|nevermind",
    "for|in > this > poem|answer|reply|email|mail|story|text|essay|message|letter|one|sentence|paragraph",
    "this time|just this once|for once|only this once|this one time", "do that|do this|do it|asking me that|say that|asking that > "
    "again|anymore|any more$", "stop > asking me that$", "don't ever change", "never|don't ever > do that|do this|do it",
    "就这次|就这一次|这次用|这次就|这次别|这次不", "别再说了|别再闹|别再问了|别再吵|别再来了|每次都是|每次都这样|不要再下雨", NULL,
};

/* "Next time" makes an order a standing one where an order stands right behind it, or before it. */
static const char *const NEXT_TIMES[] = {
    "next time around", "next time", "for next time", "the next time", "another time", "in the next round",
    "next time you answer", "next time you reply", "下一次", "下次", "下回", "下一回", NULL,
};
static const char *const ORDERS_BEGIN[] = {
    "don't", "do not", "never", "always", "make sure", "try to", "try not to", "remember to", "be", "use", "run",
    "write", "answer", "reply", "respond", "ask", "add", "keep", "put", "start", "push", "commit", "deploy", "format",
    "include", "show", "give me", "give", "explain", "check", "test", "tell me", "send", "store", "log", "delete",
    "merge", "edit", "change", "make", "return", "import", "install", "mention", "suggest", "skip", "leave out",
    "leave", "begin", "quote", "cite", "translate", "assume", "print", "create", "indent", "name", "address", "read",
    "open", "look at", "look up", "wait", "stop", "avoid", "prefer", "list", "sort", "shorten", "summarise",
    "summarize", "verify", "confirm", "double check", "double-check", "update", "follow", "stick to", "split", "group",
    "round", "convert", "save", "backup", "back up", "pull", "rebase", "lint", "build", "review", "document",
    "先", "别", "不要", "要先", "要用", "要把", "要给", "要加", "要记得", "要注意", "记得", "务必", "直接", "用", "改用", "换成",
    "写", "跑", "检查", "运行", "测试", "提交", "问我", "先问", "按", "把", "短一点", "短点", "简短", "简洁", "详细", "具体",
    "尽量", "注意", "加上", "列出", "少用", "多用", "少写", "多写", "多给", "少说", "回答", "回复", "翻译", "输出", "给出",
    "给我一个", "给我列", NULL,
};

static const char *const OUTINGS[] = {
    "lunch|dinner|breakfast|coffee|tea|movie|drink|drinks|beer", "饭|吃|喝|电影|电视|游戏|跑步|健身|带点|带上|一起", NULL,
};

/* The head of a correction, each followed by a sign or by nothing. The first list only leads to it. */
static const char *const CORRECTS_SOFTLY[] = {
    "no", "nope", "no no", "wait", "hold on", "hang on", "hmm", "sorry", "oops", "my bad", "no wait", "不", "不是", "等等", "等一下",
    "抱歉", "不好意思", NULL,
};
static const char *const CORRECTS[] = {
    "that's wrong", "that is wrong", "that was wrong", "this is wrong", "that's not right", "that is not right",
    "that isn't right", "that's not correct", "that is not correct", "that isn't correct", "that's incorrect",
    "that is incorrect", "that's not true", "that is not true", "that's a mistake", "that was a mistake",
    "that's not what i said", "that's not what i meant", "that's not what i asked for", "you got it wrong",
    "you got that wrong", "you're wrong", "you are wrong", "you're mistaken", "you misunderstood me",
    "you misunderstood", "i was wrong", "i was mistaken", "i misspoke",
    "i made a mistake", "my mistake", "scratch that", "strike that", "correction", "let me correct that",
    "let me correct myself", "to correct myself",
    "不对不对", "不对", "错了", "你错了", "你说错了", "你记错了", "你搞错了", "你弄错了", "你理解错了", "弄错了", "搞错了",
    "我说错了", "说错了", "我记错了", "我搞错了", "更正一下", "更正", "纠正一下", "订正一下", "订正", "这不对", "那不对",
    "这是错的", "那是错的", "不是这样的", "不是这样", NULL,
};
/* Feedback where more is said behind it. */
static const char *const CORRECTS_ANSWER[] = {
    "your answer was wrong", "your answer is wrong", "that answer was wrong", "that answer is wrong",
    "your last answer was wrong", "你的回答错了", "你的回答不对", "刚才的回答错了", "刚才的回答不对", "你刚才的回答不对",
    "你刚才的回答错了", NULL,
};
static const char *const CORRECTIONS[] = {
    "^actually > i prefer|i like|i use|i live|i work|i want|i need|i hate|i don't|i no longer|i moved|"
    "i switched|i changed|i meant|i am|i'm|i have|i now|my|we use|we no longer|we moved|it's|the|"
    "our|that's",
    "^i no longer|we no longer|i changed my mind|i've changed my mind|i meant",
    "^i've switched to|i switched to|i have switched to|we switched to|we've switched to|"
    "we have switched to|we've moved to|we moved from|i've moved from",
    "^i|we|they|i've|we've|i have|we have|i just|we just|i recently|we recently|our team|the team|my team > switched|switched over|"
    "migrated|changed|transitioned|moved|moved over|converted > from >> to",
    "^our|the|my|this|they|he|she >> no longer > use|uses|run|runs|support|supports|"
    "need|needs|depend|depends|require|requires|work|works|live|lives|exist|exists|apply|applies|accept|accepts",
    "^i now|we now|we're now|we are now|i'm now|i am now > use|using|run|running|deploy|deploying|host|hosting|store|storing|build|"
    "building|prefer|live|living|work|working|write|writing",
    "^we use|we run|we deploy|we host|we store|we build|we target|i use|i write|it's called|it's spelled|my name is >> , not",
    "^we|i|we now|i now|the team|our team > use|run|deploy|write|build >> instead of",
    "meeting|call|demo|release|deadline|appointment|review|standup|stand-up|sync|flight|interview|launch|exam|class|"
    "workshop|audit|deployment|session|retro|retrospective|kickoff|kick-off|training > moved|rescheduled|postponed|pushed|"
    "pushed back|brought forward|delayed|shifted|is now > to|until|by|on|at|in",
    "^no, > i|my|it's|the|we|that's", "^i don't|we don't|i do not|we do not >> anymore|any more",
    "^not > but rather|, but",
    "^其实|实际上 > 我更|我喜欢|我用|我住|我在|我不|我是|我已经|我改|我们用|我们已经|应该是|不是|我现在", "^我改主意|改主意了",
    "^其实|实际上 >> 改到|改成|改为|改在|换到|换成|挪到|推迟到|提前到|延期到|调到|取消了",
    "会议|例会|会|评审|发布|上线|截止|面试|约会|航班|考试|聚会|培训|演示|活动|出差|课|审计|部署|复盘|周会|晨会 > 改到|改在|挪到|推迟到|提前到|"
    "延到|延期到|调到|推到|提前至|推迟至|改成周|改成星期|改成明天|改成后天|改成下|改为周|改为星期|改为下",
    "^不对 > 我|是|应该", "我不再|我已经不|我们不再|我们已经不|不再使用|不再用|不再支持|不再依赖|停用了|弃用了",
    "我|我们|团队|项目|现在 > 改用|换成|换到|改成|改为|换用|迁到",
    "^我|我们|团队|项目|后端|前端|服务 > 从 >> 换成|换到|迁到|迁移到|切换到|切到|改成|改为|改用|搬到|转到|转向",
    "^我现在|我们现在 > 更喜欢|改用|用|住|在",
    "^你记错了|你搞错了|你弄错了|我说错了|我记错了 >> 是|应该|在|用", NULL,
};
static const char *const OPINIONS[] = { "不是很", "不太", "挺好", "还行", "还可以", "没什么", "觉得", "想问", "不知道", "不太懂", "不确定", "不明白", NULL };
/* What may stand behind "no," and "meeting ... moved" and corrects nothing. */
static const char *const NOT_CORRECTIONS[] = {
    "^no|actually > i don't think|i think|i guess|i don't know|i'm not sure|i'm fine|i'm good|i'm ok|i'm okay|i am fine|i haven't|"
    "i can't|i didn't|i won't|i'll|it's fine|it's ok|it's okay|it's nothing|that's fine|that's ok|that's okay|that's right|"
    "that's all|that's it",
    "want|need|could|can|should|would|might|may|wish|hope|try > meeting|call|demo|release|deadline|appointment|review|sync|"
    "flight|interview|exam|class",
    "meeting|call|demo|release|deadline|appointment|review|sync|flight|interview|exam|class > could|can|should|would|might|may|"
    "won't|can't|wasn't|isn't|not",
    /* of the moment */
    "now > using|use|running|run > outside|inside|here|late|low|behind|out|errands|bathroom|toilet|stairs|lift|elevator|laptop|phone|"
    "computer|tablet|headphones|chair|desk|sofa|couch|kitchen|car|bus|train|bike|door|gym",
    "now > working|work|writing|building > on|from|late|out|outside|here|inside", "now > live|living > in fear|in the moment|in hope|in peace",
    "no longer|not > feel|feeling|hungry|tired|sick|angry|sad|afraid|scared|cold|sleepy|thirsty|worried|upset|late|busy|bored|ill|mad|in "
    "pain|sore|nervous|alone|interested in talking",
    "^actually|in fact >> weather|nice|lovely|beautiful|funny|great|fine|cool|awesome|interesting|hungry|tired|delicious|amusing|"
    "raining|snowing|sunny|freezing",
    "^no, > the|this|that|my >> one$|ones$|other$|thing$|left$|right$", "changed > my mind > about > lunch|dinner|breakfast|coffee|movie|drink*|dessert|film",
    "我现在 > 在 > 外面|家|路上|车上|忙|开会|吃|睡|等|看|听|想|写|做|用|跑|走|找|公司|学校|机场|医院|楼下|楼上|这|哪", "用 > 手机|笔记本|电脑|平板|耳机|厕所|浴室|楼梯|电梯",
    "不再|已经不|现在不 > 困|饿|累|生气|难过|冷|热|疼|痛|烦|怕|担心|紧张|头疼|发烧|咳|忙|渴|晕|伤心|开心|想睡|想吃", "改主意 >> 吃|喝|饭|电影",
    "hasn't|haven't|wasn't|isn't|not|never|might|may|could|can|should|would > moved|rescheduled|postponed|pushed|delayed|"
    "changed|cancelled|canceled",
    "可能|也许|没有|没|想把|打算|希望|差点|不会|不要|别把|能不能 >> 改到|改在|挪到|推迟到|提前到|延到|延期到|调到|推到|取消",
    "moved > sofa|couch|bed|chair|seat|table|desk|kitchen|room", NULL,
};
/* What one asks for behind a word of what was wrong; it states nothing. */
static const char *const ASKS_AGAIN[] = {
    "try", "retry", "check", "recheck", "look", "redo", "do it", "fix", "think", "start over", "revert", "undo",
    "rewrite", "again", "read", "see", "let's", "let me", "sorry", "thanks", "thank you", "never mind", "forget it",
    "run it", "go back", "go on", "continue", "correct it", "answer again", "give me", "show me", "i'm sorry",
    "再", "重新", "请重", "检查", "看看", "重来", "重写", "改一下", "试", "算了", "没事", "继续", "请再", "麻烦再", "修一下",
    "帮我", NULL,
};

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
    "根因|根本原因|问题出在|症结", "修好了|修复了|解决了|恢复了|搞定了 >> 原因|因为|办法|方法|是|改|加|把|重启|升级|清",
    "把|改|加|重启|升级|清|刷新|回滚|换 >> 就好了|就解决了|就恢复了|就正常了|就不报错|就修好|就没事了|就通过了|后恢复了|后就好|后正常了|后解决了",
    "报错|错误|失败|崩溃|异常|超时|故障|挂了 >> 原因是|原来是|是因为|解决了|修好了|修复了|恢复了", NULL,
};
/* "Flushing it fixed the problem": behind what was done. */
static const char *const CURES[] = {
    "fixed|solved|resolved|cured|cleared > it|the|this|that|everything", "did the trick|made it work|got it working", NULL,
};

/* What is worked on: a bicycle that is repaired is nothing to keep. */
#define WORKS                                                                                      \
    "bug|bugs|issue|issues|error|errors|crash|crashes|leak|leaks|timeout|timeouts|failure|failures|test|tests|build|pipeline|"  \
    "deploy|deployment|deadlock|race|regression|ticket|tickets|exception|exceptions|vulnerability|outage|warning|warnings|"     \
    "typo|typos|migration|login|endpoint|query|queries|memory|api|server|database|script|function|parser|conflict|conflicts|"   \
    "ci|page|dashboard|import|export|cache|certificate|latency|problem|problems|glitch|flake|flaky"
#define WORKS_ZH                                                                                   \
    "bug|bugs|缺陷|漏洞|报错|错误|崩溃|闪退|超时|死锁|泄漏|泄露|测试|构建|流水线|部署|接口|登录|登陆|页面|脚本|函数|数据库|"               \
    "服务|服务器|迁移|冲突|告警|警告|异常|问题|缓存|证书|延迟|查询|功能|模块|代码|组件|样式|权限|配置|工单|api|ci"
static const char *const DONE[] = {
    "^i|we|i've|we've|i have|we have|just|finally|i just|we just|i finally|we finally > finished|completed|"
    "shipped|deployed|merged|released|launched|published|submitted|delivered|migrated|wrapped up|"
    "upgraded|rolled out",
    "^the|our|all >> is done|is finished|is complete|is completed|is live|is deployed|is merged|has been "
    "deployed|has been merged|has been released|has been completed|have been migrated|are done|"
    "was deployed|was merged|was released|were migrated|is now live|are migrated|all pass",
    "^i|we|i've|we've|i have|we have|just|finally|i just|we just|i finally|we finally|already|ok|done > fixed|solved|resolved|closed|"
    "repaired|patched >> " WORKS,
    "^fixed|solved|resolved|closed|patched > the|a|an|all|that|this|our|another|both|every >> " WORKS,
    "^finished|completed|shipped|deployed|merged|released|launched|published|submitted|delivered|migrated|upgraded|rolled out > the|a|an|"
    "all|that|this|our|version|v*|to|release|everything|both",
    "^the|our|all|that >> " WORKS " >> is fixed|is resolved|is solved|is closed|are fixed|are resolved|are solved|has been fixed|"
    "has been resolved|has been solved|have been fixed|have been resolved|was fixed|were fixed|is now fixed|got fixed|is gone",
    WORKS_ZH " >> 修好了|修好|修复了|已修复|已经修复|修复好了|修复完成|解决了|已解决|已经解决|搞定|改好了|改完了|修完了",
    "修好了|修复了|修完了|已修复|已经修复|解决了|已解决|已经解决|改好了|改完了 >> " WORKS_ZH,
    "已经|刚刚|刚才|刚|终于|昨天|今天|我|我们|都 > 发布|部署|上线|合并|提交|修复|交付|迁移|升级|重构 > 了|好了|完了|完|到|上去",
    "^部署|发布|合并|升级|迁移|重构|上线 > 完了|好了|了|到生产", "已经发布|已经部署|已经上线|已经合并|已经修复|已经交付|已经迁移|已经升级|已经重构|已重构|已迁移|已升级|已修复", "完成了|做完了|写完了|搞定了|上线了|已上线|已发布|发布了|部署好了|部署完成|已部署|合并了|已合并|交付了|已经完成|已完成|迁移完成|升级完成|测试通过了|全部通过|重构完", NULL,
};
/* What is decided for an hour. */
static const char *const PASSING[] = {
    "nap|sleep|bed|pizza|sushi|burger|takeout|takeaway|snack|wine|beer|walk|jog|gym|shopping|groceries|stay home|stay in|go home|go out|"
    "go to bed|go outside|leave now|eat|cook|rest|drink|ice cream|cake|swim|the beach|the park|the cinema|hat|shirt|shoes|dress|"
    "it was fun|not to go",
    "go with|going with > the|this|that > one|ones|first|second|other|latter|former",
    "睡|披萨|外卖|火锅|出门|回家|散步|逛街|休息|洗澡|出去玩|吃面|喝茶|点菜|不去了|早点走|打车|走路|买衣服|理发", NULL,
};
static const char *const EVERYDAY[] = {
    "lunch|dinner|breakfast|coffee|eating|shower|movie|film|book|workout|episode|game|meal|tea|show|"
    "song|homework|novel|chapter|puzzle|school|laundry|dishes|parcel|package|series|pizza|cake|snack|nap|shopping|groceries|bike|car|"
    "chair|sink|fridge|reading|watching|playing|cooking|eating|drinking|cleaning|packing|garden|lawn|room|bed|sofa|hair|glasses|shoes|soup|cookies|"
    "rice|pasta|bread|roast|food|tax return", "饭|吃|喝|电影|电视|剧|澡|觉|作业|游戏|跑步|健身|书", NULL,
};

/* What an assistant gives: "your answer", "that answer". */
#define ANSWERS                                                                                    \
    "answer|answers|reply|replies|response|responses|explanation|explanations|summary|summaries|"  \
    "formatting|format|wording|tone|style|layout|translation|phrasing"
#define YOURS "output|report|text|message|messages|code|comments|draft|review|examples|suggestion|" ANSWERS
#define VERDICTS                                                                                   \
    "too|wrong|incorrect|inaccurate|confusing|unclear|misleading|incomplete|outdated|vague|hard to|" \
    "not what|not helpful|unhelpful|off|overkill|not detailed|not specific|not concise"
#define LENGTHS "long|verbose|short|wordy|detailed|formal|technical|vague|complicated|brief|terse|dense|"    \
    "chatty|casual|generic|shallow|abstract|basic|advanced|slow"
static const char *const FEEDBACK[] = {
    "your|answers|answer|replies|reply|responses|response|explanation*|summary|summaries > too > " LENGTHS,
    "your > " YOURS " > was|is|were|are|felt|feels|looks|looked|reads|sounds|sounded > " VERDICTS,
    "^that|this|these|those|the last|the previous|your last > " ANSWERS " > was|is|were|are|felt|feels|looks|reads|sounds > "
    VERDICTS,
    "^too > long|verbose|wordy|short|technical|formal|vague", "^that's|that was|this is > too > long|verbose|wordy|"
    "short|technical|formal|vague",
    "^be more > concise|brief|specific|detailed|careful|direct", "^be less > verbose|formal|wordy|technical",
    "^be|try to be > shorter|briefer|clearer|simpler|terser|stricter|politer|friendlier|faster|more > concise|brief|specific|"
    "detailed|careful|direct|precise|thorough",
    "^be|try to be > shorter|briefer|clearer|simpler|terser|stricter|politer|friendlier",
    "^i like|love|liked|loved > how you|the way you|how your", "^i like|love|liked|loved > your > " YOURS,
    "^this|that|the > format > works|is great|is perfect|was great|was perfect",
    "^i didn't like|i did not like|i don't like|i do not like|i dislike|i disliked|i hate|i hated|i'm not a fan of > how "
    "you|the way you|when you",
    "^i didn't like|i did not like|i don't like|i do not like|i dislike|i disliked|i hate|i hated|i'm not a fan of > your > " YOURS,
    "^i didn't like|i did not like|i don't like|i do not like|i dislike|i disliked|i hate|i hated|i'm not a fan of > that|this|"
    "those|these > bullets|bullet points|emojis|headings|" ANSWERS,
    "^i didn't like|i don't like|i dislike|i'm not a fan of > the formatting|the wording|the emojis|the bullet points|"
    "the level of detail",
    "^you > should have|shouldn't have|should not have|should've > asked|run|tested|checked|used|read|told|included|formatted|"
    "committed|pushed|changed|edited|deleted|touched|explained|cited|answered|mentioned|waited|deployed|merged|kept",
    "^you > forgot to|didn't|did not > run|test|check|answer|read|use|include|follow|ask|mention|format|commit|update|explain|"
    "cite|add",
    "回答|答案|回复|解释|总结|你写|你说|代码注释 > 太长|太短|太啰|太简单|太复杂|太详细|太笼统|不够详细|不够具体|不够简洁|太正式|太官方|太技术",
    "你的|你刚才的|你刚刚的|你上次的|刚才的|刚刚的|上一个|上个|上次的|这个|那个 > 回答|答案|回复|解释|总结|翻译|格式|排版|建议 > "
    "错了|不对|有误|有错|有问题|不准|不清楚|看不懂|没用|太",
    "我不喜欢|我不太喜欢|我讨厌|不喜欢 > 这种|这个|那种|那个|刚才的|你的|这样的 > 格式|排版|写法|风格|语气|回答|回复|解释|措辞|表情|列表",
    "^你 > 忘了|漏了|没有|没|不应该|不该|应该先|本该 > 跑测试|跑|测试|检查|提交|运行|加上|问我|引用|格式化|按|先问",
    "^太长了|太啰嗦|太啰唆|太笼统|说重点|少说废话|别啰嗦|别那么啰嗦|简短一点|简短些|简洁一点|简洁些|详细一点|详细些|具体一点", "我喜欢|我不喜欢 > 你这样|你的回答|你这种|你用|你写|你回答",
    "这个格式|这种格式|这样回答|这样写|这种写法 > 很好|不错|挺好|正好|不好|不行", NULL,
};
/* That it was wrong and no more: what is right stands in the next sentence, or nowhere. */
#define WRONG_ALONE "wrong$|incorrect$|inaccurate$|off$|misleading$|broken$|unhelpful$|bad$|terrible$|useless$|not right$|" \
                    "not correct$|not helpful$"
static const char *const VERDICT_ALONE[] = {
    "your|that|this|the last|the previous|your last > " YOURS " > was|is|were|are > " WRONG_ALONE,
    "你的|你刚才的|刚才的|这个|那个|上个 > 回答|答案|代码|回复|总结|翻译 > 错了$|不对$|有误$|有错$|有问题$|没用$",
    "i changed my mind$|i've changed my mind$|i have changed my mind$|我改主意了$|改主意了$|我改变主意了$", NULL,
};
/* Somebody else's. */
static const char *const NOT_FEEDBACK[] = {
    "my|his|her|their|our|teacher's|boss's|whose > answer|answers|reply|replies|response|responses|explanation|summary",
    "他的|她的|我的|老师的|老板的|同事的 > 回答|答案|回复|解释|总结", NULL,
};

/* What somebody's taste is about when it is about what is written for him. */
#define IN_WHAT_I_GET "in answers$|in your answers$|in responses$|in your responses$|in replies$|in your replies$|" \
                      "in explanations$|in your explanations$|in summaries$|in your summaries$|in code comments$|" \
                      "in commit messages$"
static const char *const STATEMENTS[] = {
    "^i prefer|i much prefer|i'd rather you|i'm allergic to|i am allergic to|i'm vegetarian|i'm vegan|"
    "i am vegetarian|i am vegan|i always use|i usually use|i always write|i never use",
    "^i like|i love|i hate|i dislike|i can't stand|i cannot stand|i don't like|i do not like > " IN_WHAT_I_GET,
    "^我喜欢|我讨厌|我不喜欢|我受不了 > 回答里|回复里|答案里|解释里|总结里|代码注释里|提交信息里 > 用|有|出现|加|带|看到",
    "^我更喜欢|我偏好|我比较喜欢|我习惯|我一般用|我通常用|我平时用|我平常用|我吃素|我不吃|我是素食", "^我对 > 过敏", "^写|做|开发|用|在 >> 我更喜欢|我偏好|我习惯", NULL,
};
/* Of the moment, of this one time, or of somebody. */
static const char *const NOT_STATEMENTS[] = {
    "like|love|hate|dislike|stand > ,|it|what|how|when|where|that|this|the|these|those|my|his|her|their|you|him|them > " IN_WHAT_I_GET,
    "回答里|回复里|答案里|解释里|总结里 > 用的|有的|出现的|加的|带的|看到的",
    "喜欢|讨厌|受不了 > ，|这|的回答|的回复|的答案|的解释|的总结|的代码注释|的提交信息 > 里|有|用",
    "prefer|rather|like|love > not to|to stay|to wait|to leave|to sleep|to sit|him|her|them", "prefer|rather|like >> today|tonight|"
    "right now|this time|tomorrow",
    "习惯了$", "喜欢|偏好 > 你|他|她|今天|昨天|这次|刚才", "今天|今晚|这会儿|现在先 >> 喜欢|偏好|想", NULL,
};
/* clang-format on */

/* ---- where it begins ---- */

size_t mn_call_marks(const char *cue, size_t at)
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

size_t mn_call_openings(const char *cue, size_t at)
{
    size_t bytes = 1;

    while (bytes) {
        at = mn_call_marks(cue, at);
        bytes = mn_wording_any(cue, at, OPENINGS);
        at += bytes;
    }
    return at;
}

/* Behind "from now on" where it opens. */
static size_t behind_now(const char *cue)
{
    static const char *const nows[] = { "from now on", "from today on", "going forward",
                                        "henceforth", "从现在起", "从现在开始", "从今以后", "从今天起", NULL };
    size_t at = mn_call_openings(cue, 0);
    size_t bytes = mn_wording_any(cue, at, nows);

    return bytes ? mn_call_marks(cue, at + bytes) : at;
}

static bool is_over(const char *cue, size_t at)
{
    while (cue[at] && (strchr(".!?; ", cue[at]) || !strncmp(cue + at, "。", 3) ||
                       !strncmp(cue + at, "！", 3) || !strncmp(cue + at, "；", 3)))
        at += (unsigned char)cue[at] < 0x80 ? 1 : 3;
    return !cue[at];
}

static bool ends_head(const char *cue, size_t at)
{
    while (cue[at] == ' ')
        at++;
    return !cue[at] || strchr(",:;.!-", cue[at]) || mn_call_marks(cue, at) > at ||
           !strncmp(cue + at, "。", 3) || !strncmp(cue + at, "；", 3);
}

/* Behind "no, that's wrong:"; *ret_corrects: it says that something was wrong. */
static size_t behind_head(const char *cue, bool *ret_corrects)
{
    size_t at = mn_call_marks(cue, 0);
    bool more = true;

    *ret_corrects = false;
    while (more) {
        size_t bytes = mn_wording_any(cue, at, CORRECTS);
        bool corrects = bytes > 0;

        if (!bytes && (bytes = mn_wording_any(cue, at, CORRECTS_ANSWER)))
            corrects = is_over(cue, at + bytes);
        else if (!bytes)
            bytes = mn_wording_any(cue, at, CORRECTS_SOFTLY);
        more = bytes && ends_head(cue, at + bytes) &&
               (corrects || mn_wording_any(cue, at, CORRECTS_SOFTLY));
        if (!more)
            break;
        *ret_corrects = *ret_corrects || corrects;
        at = mn_call_marks(cue, at + bytes);
        while (cue[at] && strchr(".; ", cue[at]))
            at++;
    }
    return at;
}

/* ---- what it is ---- */

static bool any_of(const struct mn_sentence *s, const char *const *cues)
{
    return mn_cue_any(&s->cues, cues);
}

/* "Next time, run the tests first", "be shorter next time"; not "next time we meet". */
static bool orders_for_next_time(const struct mn_sentence *s)
{
    if (any_of(s, OUTINGS))
        return false;
    for (size_t at = 0; at < s->w.bytes; at = mn_wording_clause(s->cue, at)) {
        size_t order = mn_call_openings(s->cue, at);
        size_t bytes = mn_wording_any(s->cue, order, NEXT_TIMES);
        size_t end = mn_wording_end(s->cue, order);

        if (bytes) {
            if (mn_wording_any(s->cue, mn_call_openings(s->cue, order + bytes), ORDERS_BEGIN))
                return true;
            continue;
        }
        if (!mn_wording_any(s->cue, order, ORDERS_BEGIN) || (unsigned char)s->cue[order] >= 0x80)
            continue;
        for (size_t i = order; i < end; i++)
            if (s->cue[i] == ' ' && (bytes = mn_wording_any(s->cue, i + 1, NEXT_TIMES)) &&
                i + 1 + bytes == end)
                return true;
    }
    return false;
}

/* "Restarting the pod": what was done, before what it cured. */
static bool begins_with_doing(const struct mn_sentence *s)
{
    static const char *const no_deeds[] = { "something", "anything", "everything", "nothing", "during",
                                            "according", "morning", "evening", NULL };
    size_t at = mn_call_openings(s->cue, 0);
    size_t end = at + strcspn(s->cue + at, " ,.");

    return !mn_wording_any(s->cue, at, no_deeds) && end - at > 5 && !memcmp(s->cue + end - 3, "ing", 3);
}

static enum mn_call report_of(const struct mn_sentence *s)
{
    if (any_of(s, NOT_YET))
        return MN_CALL_NONE;
    if (any_of(s, DECISIONS))
        return any_of(s, PASSING) || any_of(s, EVERYDAY) ? MN_CALL_NONE : MN_CALL_DECISION;
    if (any_of(s, RECOVERIES) || (begins_with_doing(s) && any_of(s, CURES)))
        return MN_CALL_RECOVERED;
    if (any_of(s, DONE) && !any_of(s, EVERYDAY))
        return MN_CALL_DONE;
    return MN_CALL_NONE;
}

/* "The meeting with Dr. Lee has been moved to Thursday." */
static bool moves(const struct mn_sentence *s, struct mn_arena *scratch)
{
    return !strchr(s->cue, MN_QUOTED) && mn_schedule_moves(scratch, &s->w);
}

static enum mn_call statement_of(const struct mn_sentence *s, struct mn_arena *scratch)
{
    struct mn_keyed keyed;

    if (any_of(s, FEEDBACK) && !any_of(s, NOT_FEEDBACK))
        return MN_CALL_FEEDBACK;
    if (any_of(s, NOT_STATEMENTS))
        return MN_CALL_NONE;
    if (any_of(s, STATEMENTS))
        return MN_CALL_STATEMENT;
    if (!strchr(s->cue, MN_QUOTED) && mn_key_of(scratch, s->w.text, &keyed) && keyed.states)
        return MN_CALL_STATEMENT;
    return MN_CALL_NONE;
}

/* A sentence of the user's. */
static struct mn_heard heard_of(const struct mn_sentence *s, struct mn_arena *scratch)
{
    struct mn_heard heard = { .from = mn_call_marks(s->cue, 0) };
    bool corrects = false;
    bool own = !mn_earnest_hearsay(s); /* what others want or like is no order, and not his taste */
    size_t behind = behind_head(s->cue, &corrects);

    if (own && ((any_of(s, STANDING) && !mn_wording_holds(s->cue, NOT_STANDING) &&
                 !any_of(s, NOT_STANDING)) ||
                orders_for_next_time(s))) {
        heard.call = MN_CALL_STANDING;
        heard.from = behind_now(s->cue);
        return heard;
    }
    heard.bare = (corrects && is_over(s->cue, behind)) || any_of(s, VERDICT_ALONE);
    if (heard.bare)
        return heard;
    if (!mn_wording_holds(s->cue, OPINIONS) && !any_of(s, NOT_CORRECTIONS) &&
        (corrects ? !mn_wording_any(s->cue, mn_call_openings(s->cue, behind), ASKS_AGAIN)
                  : any_of(s, CORRECTIONS) || moves(s, scratch))) {
        heard.call = MN_CALL_CORRECTION;
        heard.from = behind;
        return heard;
    }
    heard.call = report_of(s);
    if (heard.call == MN_CALL_NONE && own)
        heard.call = statement_of(s, scratch);
    return heard;
}

struct mn_heard mn_call_of(const struct mn_sentence *s, bool user, struct mn_arena *scratch)
{
    if (user)
        return heard_of(s, scratch);
    return (struct mn_heard){ .call = report_of(s), .from = mn_call_marks(s->cue, 0) };
}

bool mn_call_states(const struct mn_sentence *s)
{
    size_t at = mn_call_openings(s->cue, 0);

    return !s->asks && !mn_sentence_supposes(s, at) && !is_over(s->cue, at) &&
           !mn_wording_any(s->cue, at, ASKS_AGAIN) &&
           mn_pleasantry_find(s->w.text, s->w.lower) == MN_PLEASANTRY_NO;
}
