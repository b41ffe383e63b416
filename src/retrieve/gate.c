/*
 * gate.c - stage 2: is memory needed at all, and which kinds?
 *
 * What is not recalled costs nothing, and cannot mislead. So greetings and requests that hold all
 * they need recall nothing but rules; requests for what is known exactly ask the structured
 * sources; requests for a former experience ask the episodic ones; and everything else asks all.
 * The caller's word stands above any guess: its mode, then its intent, then its saying that the
 * text is complete.
 *
 * The guess reads the instruction alone, never the payload (payload.c), by the tables below: cues
 * as cue.h describes them, the first row that matches names the intent. A cue to the past ("last
 * week", "上次") makes a request incomplete whatever else it says. In doubt the mode is hybrid: a
 * memory too many is cut by the floor, a memory too few is not found again.
 *
 * Considered: a classifier. It would have to be trained per language, and "why" could not be shown.
 */
#include "retrieve/stages.h"

#include <string.h>

#include "text/cue.h"
#include "retrieve/payload.h"
#include "text/pleasantry.h"
#include "retrieve/self_contained.h"

/* ---- intents ---- */

struct intent {
    const char *name;
    enum mneme_mode mode; /* AUTO: as complete requests go */
    const char *reason;
};

static const struct intent INTENTS[] = {
    { "load_preferences", MNEME_MODE_STRUCTURED_ONLY, "asks for the user's preferences" },
    { "load_profile", MNEME_MODE_STRUCTURED_ONLY, "asks what is known of the user" },
    { "resume_task", MNEME_MODE_STRUCTURED_ONLY, "picks a task up as it stands" },
    { "apply_project_rules", MNEME_MODE_STRUCTURED_ONLY, "asks for the rules that hold here" },
    { "find_previous_fix", MNEME_MODE_EPISODIC_ONLY, "asks how something was solved before" },
    { "reuse_experience", MNEME_MODE_EPISODIC_ONLY, "reuses an experience" },
    { "resume_implementation", MNEME_MODE_HYBRID, "goes on with work" },
    { "greeting", MNEME_MODE_NONE, "a greeting" },
    { "thanks", MNEME_MODE_NONE, "thanks" },
    { "transform", MNEME_MODE_AUTO, "" },
    { "translate", MNEME_MODE_AUTO, "" },
    { "summarize", MNEME_MODE_AUTO, "" },
    { "summarise", MNEME_MODE_AUTO, "" },
    { "calculate", MNEME_MODE_AUTO, "" },
    { "syntax_question", MNEME_MODE_AUTO, "" },
};
#define INTENT_COUNT (sizeof INTENTS / sizeof *INTENTS)

static const struct intent *intent_of(const char *name)
{
    for (size_t i = 0; i < INTENT_COUNT; i++) {
        if (mn_same(INTENTS[i].name, name))
            return &INTENTS[i];
    }
    return NULL;
}

/* Work that makes something: never only a look at preferences, rules or a checkpoint. */
static const char *const MAKES[] = {
    "^implement|build|write|create|develop|code|refactor|add|make|design|draft|generate|set up|"
    "migrate|port",
    "实现|编写|开发一|开发个|写一个|写个|写一份|写一段|新增|新建|添加一|添加个|加一个|加个|生成一|设计一|重构|搭建|起草",
    NULL,
};

static const char *const TASK_AS_IT_STANDS[] = {
    "^resume|restore|reload|reopen > task",
    "^resume|restore|reload|load|pick up|show > checkpoint|task state|saved state",
    "^resume|restore > session|my work|our work|the work|job|my progress",
    "^continue|pick up|go on with > task$|my task|the task|this task|our task|task where",
    "^恢复任务|恢复这个任务|恢复该任务|恢复当前任务|恢复上次的任务|恢复之前的任务|恢复未完成的任务|恢复进度|恢复会话|"
    "恢复检查点|恢复断点|恢复到断点|恢复到检查点|恢复上次的|恢复现场|恢复工作",
    "^加载|读取|载入|查看 > 检查点|断点|任务状态|任务进度",
    "^继续|接着 > 任务$|上次的任务|上次的工作|当前任务|这个任务|该任务|未完成的任务|没做完的任务|检查点",
    "task > as it stands",
    NULL,
};
/* A task of this kind is a thing of the system: "the task queue". */
static const char *const TASK_THINGS[] = {
    "task > queue|scheduler|runner|executor|manager|service|pool|worker*|board|tracker|template|"
    "processing|list component",
    "任务 > 调度|队列|执行器|管理器|管理系统|看板|模板|服务|系统|失败|卡住|报错",
    "how > resume|restore|continue",
    "怎么|如何|为什么 > 恢复|继续",
    NULL,
};
/* Work is named: the constraints and incidents around it are wanted, not only its state. */
static const char *const GOES_ON_WITH_WORK[] = {
    "^continue|resume|keep|carry on|go on|proceed|finish > implement*|writing|building|developing|"
    "coding|working on|refactoring|migrating|fixing|work on|implementation|development",
    "^pick up > the|our|my > implementation|feature",
    "^继续|接着 > 完成|实现|开发|编写|重构|推进|搭建|优化|迁移|完善|调试|修改",
    "^把 >> 做完|写完|完成|补完",
    NULL,
};
static const char *const GOES_ON[] = {
    "^continue|resume|finish > the|our|my|this|that|with",
    "^continue$|go on$|go ahead$|proceed$|carry on$|keep going$",
    "^pick up > the|our|my > work",
    "^继续|接着",
    NULL,
};
static const char *const LEFT_OFF[] = {
    "where > left off|stopped|were|was interrupted",
    "从上次 > 停下|中断|断开|离开|开始",
    "上次 > 停下|中断|停在",
    "接着上次",
    NULL,
};

static const char *const LOADS_PREFERENCES[] = {
    "^load|show|list|display|fetch|get|recall|read|tell me|give me|look up|check > my|mine > "
    "preference*|preferred settings|saved settings|habits",
    "what|which > my > preferences|saved preferences|preference|habits|saved settings",
    "what preferences|which preferences|my preferences$|my preference$|my saved preferences",
    "what > you > know about > my > preferences|taste|habits|style",
    "^加载|读取|列出|查看|显示|载入|看看|看一下|告诉我|查一下|查询|调出|说说|总结 > 我的|我 > 偏好|习惯|喜好|个人设置",
    "我的 > 偏好|喜好 > 是什么|有哪些|有什么|是怎样|都有|是哪些",
    "^load|fetch|read > user preferences|user's preferences|preferences$",
    "^加载|读取|载入 > 用户偏好|个人偏好|偏好设置$|偏好$",
    "我有 > 哪些|什么 > 偏好|喜好|习惯",
    "我 > 保存|存|设置 > 的偏好|过的偏好|过哪些偏好|了哪些偏好",
    "^我的偏好$",
    NULL,
};
/* Of the user, and of nothing in particular. */
static const char *const LOADS_PROFILE[] = {
    "what|all|everything|anything > you > know|remember|recall|learned|learnt|stored > "
    "about me$|of me$|about myself$",
    "^who am i$",
    "^tell me|show me > about me$|about myself$",
    "你 > 知道|记得|记住|了解 > 我 > 什么$|些什么$|哪些$|哪些事$|多少$",
    "你 > 知道|记得|记住|了解 > 关于我的$|哪些关于我的",
    "关于我 > 你 > 知道|记得|记住|了解",
    "对我 > 知道|了解|记得 > 多少$|什么$|哪些$",
    "^我是谁$",
    NULL,
};
static const char *const APPLIES_RULES[] = {
    "^apply|follow|enforce|load|show|list|respect|use|check against|check|obey|get|give me|recall > "
    "project|repository|repo|team|codebase|coding|our|team's|house > "
    "rules|conventions|guidelines|constraints|standards",
    "^check|review|validate|verify >> against|with|to > rules|conventions|guidelines|constraints",
    "^what|which > the|our|project|repository|repo > rules$|conventions$|guidelines$|constraints$",
    "^应用|加载|套用|遵守|遵循|列出|查看|读取|显示|检查|按照|按|执行 > 项目|仓库|团队|代码库|工程|本仓 > "
    "规则|规范|约定|约束|限制",
    "^这个|该|本|我们|当前 > 仓库|项目 > 哪些规则|哪些约束|什么规则|什么约束|哪些规范|什么规范|哪些约定 ",
    NULL,
};
static const char *const REUSES[] = {
    "^reuse|re-use|draw on|apply|use|repeat|follow|borrow > "
    "experience|approach|procedure|lessons|playbook|recipe|steps|method >> "
    "from|last|previous|earlier|before|past|that worked|we used|again",
    "^reuse|re-use|draw on > our|my|the|past|previous|earlier > "
    "experience|approach|procedure|lessons|playbook|recipe|solution|fix",
    "^reuse|re-use|use|apply > what > worked|learned|learnt|did",
    "^apply > lessons",
    "^do it|do this > the way|like > did|last time",
    "复用|借鉴|沿用|照搬|套用|参考|参照|重复|照着|利用 >> 经验|做法|教训|成功的|成功方案|办法|打法",
    "复用|沿用|照搬 > 上次|之前|以前|上回|当时 >> 方案|流程|步骤|方法",
    NULL,
};
static const char *const FINDS_FIX[] = {
    "how did|how had|how have > we|i|you|they|the team|people|someone|anyone > "
    "fix|fixed|solve|solved|resolve|resolved|handle|handled|get around|get rid|work around|"
    "recover|repair|deal with|cure|unblock|mitigate",
    "have|had > we|i|you|they|anyone|somebody|someone > fixed|solved|resolved >> before|already|"
    "earlier|previously|last",
    "how was|how were|how has|how is it that >> fixed|solved|resolved|handled|mitigated|repaired",
    "what > fixed|solved|resolved|cured",
    "what was|what were|what is|find|show|recall|remember >> fix|solution|workaround|remedy|cure >> "
    "last time|previous*|earlier|before|we used|back then|last",
    "last time|previous*|earlier|back then >> fix|solution|workaround|solved|resolved|remedy",
    "previous|earlier|former|last|old|past > fix|solution|workaround",
    "上次|上回|上一次|之前|以前|当时|曾经|过去|从前|那次 >> 怎么|如何|怎样|咋 > 解决|修|处理|搞定|排查|恢复|绕过|应对|弄好",
    "上次|上回|上一次|之前|以前|当时|曾经|过去|那次 >> 解决方案|解决办法|解决方法|修复方案|修复方法|修复办法|处理办法|"
    "处理方法|解法|怎么解|对策",
    "怎么|如何|怎样 > 解决的|修好的|修复的|修的|处理的|搞定的|排查的|恢复的|绕过去的|弄好的",
    NULL,
};
/* Decided, not repaired. */
static const char *const NO_FIX[] = { "how did > decide|agree|choose", NULL };

/* ---- cues besides the intent ---- */

static const char *const BACK_REFERENCES[] = {
    "last > time|week|month|year|night|quarter|sprint|session|meeting|monday|tuesday|wednesday|"
    "thursday|friday|saturday|sunday|summer|winter|spring|autumn",
    "yesterday|previously|earlier|the other day|back then|a while ago|days ago|weeks ago|"
    "months ago|years ago|recently|lately",
    "previous|prior|former|earlier > one|version|decision|discussion|conversation|fix|attempt|"
    "session|release|meeting|task|chat|time|solution",
    "we|you|i|they > agreed|decided|discussed|talked about|settled|chose|picked|planned|used to|"
    "said|told|mentioned|promised|wrote down|noted|had",
    "as > agreed|discussed|decided|planned|mentioned|before|promised",
    "remember|recall|don't forget",
    "like > before|last",
    "same > as before|as last|way as",
    "上次|上回|上一次|上周|上个月|上月|上星期|上礼拜|昨天|前天|前几天|前两天|前阵子|前段时间|之前|以前|先前|此前|刚才|刚刚|"
    "早些时候|去年|前年|当时|那次|那天|那时|曾经|过去|最近|近来",
    "我们|咱们|你|我|大家|团队 > 说过|提过|讨论过|讨论的|商量|定的|定过|定好|决定|约定|说好|聊过|答应|同意",
    "约定的|商定的|决定过|说过|提过|讨论过|定好的|说好的|既定",
    "记得|记不记得|回忆|忘了",
    "一直用|一直以来",
    NULL,
};

/* ---- statement, question or order ---- */

static const char *const ASKS[] = {
    "?",
    "^what|how|why|when|where|who|whom|whose|which|is|are|am|was|were|do|does|did|can|could|"
    "should|would|will|has|have|had|may|might|shall|any|anyone",
    "what|how > about|come|many|much",
    "i wonder|wondering|tell me|let me know|do you",
    "什么|怎么|怎样|为什么|为何|哪|谁|几个|几点|几次|多少|多久|多大|多长|如何|是否|能不能|可不可以|有没有|要不要|是不是|会不会|"
    "该不该|吗|咋|难道",
    "呢$|么$",
    NULL,
};
static const char *const ORDERS[] = {
    "^add|apply|analyse|analyze|append|arrange|ask|assign|begin|book|bring|build|buy|call|cancel|"
    "change|check|clean|clear|close|compare|configure|connect|continue|convert|copy|count|create|"
    "delete|deploy|describe|design|disable|draft|draw|edit|enable|ensure|estimate|evaluate|explain|"
    "export|extract|fetch|fill|find|finish|fix|format|generate|get|give|go on|help|implement|"
    "import|improve|insert|install|investigate|keep|launch|list|load|look|make|merge|migrate|move|"
    "open|optimise|optimize|order|organise|organize|plan|prepare|print|proceed|publish|push|put|"
    "read|rebuild|recommend|reduce|refactor|release|remember|remind|remove|rename|reopen|replace|"
    "reply|report|reproduce|reset|restart|restore|resume|reuse|review|revert|rewrite|roll back|run|"
    "save|schedule|search|select|send|set|show|simplify|solve|sort|start|stop|suggest|summarise|"
    "summarize|switch|test|tidy|translate|try|turn|uninstall|update|upgrade|upload|use|validate|"
    "verify|write",
    "^i need|i want|i'd like|i would like|we need|we want|we should|let me|make sure",
    "^请|帮|把|将|写|做一|做个|实现|生成|创建|新建|新增|添加|加一|加个|修复|修一|修改|改一|改成|删|设计|翻译|总结|继续|恢复|看看|看一下|"
    "告诉|列出|列一|展示|显示|查一|查看|查询|查找|找一|找出|找找|分析|检查|运行|执行|部署|发布|开始|启动|停止|重启|打开|关闭|提醒|记住|记一|复用|"
    "参考|推荐|解释|介绍|说明|说说|讲讲|整理|对比|比较|优化|重构|测试|计算|算一|准备|安排|预订|预定|回复|加载|应用|调用|配置|安装|升级|回滚|迁移|"
    "导出|导入|画|编写|起草|拟|排查|确认|更新|替换|移除|合并|提交|按|照|帮我|给我|给后端|给前端|给系统|让",
    "^给 >> 加|写|做|发|新增|添加|实现|设计|买|画|建|换|配",
    "我要 > 改|写|做|加|把|实现",
    "需要你|想让你|要你|帮我|麻烦你",
    NULL,
};
/* People in a conversation speak of themselves, of each other, and with feeling. */
static const char *const TALKS[] = {
    "i|i'm|i've|i'd|i'll|me|my|we|we're|we've|us|our|you|your|you're|he|she|him|her|his|they|them|"
    "their|mom|mum|dad|grandma|grandpa",
    "我|你|您|他|她|咱|大家|妈妈|爸爸|奶奶|爷爷|老师|同学",
    "了$|啊$|呀$|吧$|嘛$|哦$|啦$|哈$|哇$|的$|呢$",
    "!",
    NULL,
};

/* Where the last sentence of the folded text begins, and how many there are. */
static const char *last_sentence(const char *folded, size_t *ret_count)
{
    const char *begin = folded;
    bool ended = true;

    *ret_count = 0;
    for (const char *at = folded; *at; at++) {
        bool is_stop = *at == '!' || *at == '?' || strncmp(at, "。", 3) == 0 ||
                       (*at == '.' && (at[1] == ' ' || !at[1])); /* not the dots of 3.1.2 */

        if (is_stop) {
            ended = true;
            if (*at != '.' && *at != '!' && *at != '?')
                at += 2;
        } else if (ended && *at != ' ' && (unsigned char)*at > ' ') {
            begin = at;
            ended = false;
            ++*ret_count;
        }
    }
    return begin;
}

/*
 * Chat-like: tells, asks nothing, orders nothing. Of a dialogue given as one text the last sentence
 * counts; a short text tells only when none of its sentences asks.
 */
static bool is_statement(const struct mn_cue_text *text)
{
    size_t sentences;
    const char *last = last_sentence(text->folded, &sentences);
    const char *read = sentences <= 2 ? text->folded : last;

    struct mn_cue_text cues = mn_cue_read(read);

    return !mn_cue_any(&cues, ASKS) && !mn_cue_any(&cues, ORDERS) && mn_cue_any(text, TALKS);
}

/* ---- the guess ---- */

/* What the instruction is after; "" when no row says. Who only tells of a former fix asks for none.
 */
static const char *guess_intent(const struct mn_cue_text *text, bool tells)
{
    bool makes = mn_cue_any(text, MAKES);

    if (!makes && mn_cue_any(text, TASK_AS_IT_STANDS) && !mn_cue_any(text, TASK_THINGS))
        return "resume_task";
    if (!makes && mn_cue_any(text, LOADS_PREFERENCES))
        return "load_preferences";
    if (!makes && mn_cue_any(text, LOADS_PROFILE))
        return "load_profile";
    if (mn_cue_any(text, GOES_ON_WITH_WORK) ||
        (mn_cue_any(text, GOES_ON) && !mn_cue_any(text, LEFT_OFF)))
        return "resume_implementation";
    if (!makes && mn_cue_any(text, LEFT_OFF) && !mn_cue_any(text, ASKS))
        return "resume_task";
    if (!makes && mn_cue_any(text, APPLIES_RULES))
        return "apply_project_rules";
    if (!makes && mn_cue_any(text, REUSES))
        return "reuse_experience";
    if (!makes && !tells && mn_cue_any(text, FINDS_FIX) && !mn_cue_any(text, NO_FIX))
        return "find_previous_fix";
    return "";
}

static void decide(struct mn_gate *gate, enum mneme_mode mode, const char *reason,
                   const char *intent)
{
    gate->mode = mode;
    gate->reason = reason;
    gate->intent = intent;
}

/* A request that holds all it needs, but perhaps not how the user likes it done. */
static void decide_complete(struct mn_gate *gate, const char *reason, const char *intent)
{
    if (gate->own_ways)
        decide(gate, MNEME_MODE_STRUCTURED_ONLY, "complete, but to be done in the user's ways",
               intent);
    else
        decide(gate, MNEME_MODE_NONE, reason, intent);
}

/* True when the whole text is a pleasantry. An answer to what the dialogue asks is none. */
static bool decide_pleasantry(struct mn_gate *gate, const struct mneme_request *request,
                              const char *folded)
{
    bool in_dialogue = !mn_empty(request->signals.dialogue);

    switch (mn_pleasantry_find(request->text, folded)) {
    case MN_PLEASANTRY_GREETING:
        decide(gate, MNEME_MODE_NONE, "a greeting", "greeting");
        return true;
    case MN_PLEASANTRY_THANKS:
        decide(gate, MNEME_MODE_NONE, "thanks", "thanks");
        return true;
    case MN_PLEASANTRY_CLOSING:
        decide(gate, MNEME_MODE_NONE, "a farewell or an acknowledgement", "greeting");
        return true;
    case MN_PLEASANTRY_ASSENT:
        if (in_dialogue)
            return false;
        decide(gate, MNEME_MODE_NONE, "an acknowledgement", "greeting");
        return true;
    case MN_PLEASANTRY_WORDLESS:
        if (in_dialogue)
            return false;
        decide(gate, MNEME_MODE_NONE, "says nothing in words", "");
        return true;
    case MN_PLEASANTRY_NO:
        break;
    }
    return false;
}

static void guess(struct mn_gate *gate, const struct mneme_request *request,
                  const struct mn_payload *payload)
{
    const struct mn_self_contained complete = mn_self_contained_find(payload);
    const struct intent *intent = intent_of(guess_intent(&payload->cues, gate->is_statement));

    if (!payload->found && decide_pleasantry(gate, request, payload->folded))
        return;
    if (request->has_complete_context && (!intent || intent->mode == MNEME_MODE_HYBRID))
        decide_complete(gate, "complete by the caller's word", complete.intent);
    else if (intent)
        decide(gate, intent->mode, intent->reason, intent->name);
    else if (complete.intent[0] && !gate->back_reference)
        decide_complete(gate, complete.reason, complete.intent);
    else if (complete.intent[0])
        decide(gate, MNEME_MODE_HYBRID, "points at the past", complete.intent);
    else
        decide(gate, MNEME_MODE_HYBRID, "in doubt, every source", "");
}

/* The caller's intent: its mode, where it has one; for complete requests only with their text. */
static void obey_intent(struct mn_gate *gate, const struct mneme_request *request,
                        const struct mn_payload *payload)
{
    const struct intent *intent = intent_of(request->intent);

    if (!intent)
        decide(gate, MNEME_MODE_HYBRID, "the caller's intent", request->intent);
    else if (intent->mode != MNEME_MODE_AUTO)
        decide(gate, intent->mode, "the caller's intent", request->intent);
    else if (request->has_complete_context ||
             (mn_self_contained_find(payload).intent[0] && !gate->back_reference))
        decide_complete(gate, "the caller's intent, complete", request->intent);
    else
        decide(gate, MNEME_MODE_HYBRID, "the caller's intent, but not complete", request->intent);
}

enum mneme_status mn_gate_decide(const struct mneme_request *request, struct mn_arena *arena,
                                 struct mn_gate *ret_gate, struct mneme_error *err)
{
    struct mn_gate gate = { 0 };
    struct mn_payload payload;

    MN_TRY(mn_payload_split(request->text, arena, &payload, err));
    gate.instruction = payload.instruction;
    gate.has_payload = payload.found;
    gate.own_ways = mn_self_contained_own_ways(&payload.cues);
    gate.back_reference = mn_cue_any(&payload.cues, BACK_REFERENCES);
    gate.is_statement = is_statement(&payload.cues);
    if (request->mode != MNEME_MODE_AUTO)
        decide(&gate, request->mode, "the caller's mode",
               mn_empty(request->intent) ? guess_intent(&payload.cues, gate.is_statement)
                                         : request->intent);
    else if (!mn_empty(request->intent))
        obey_intent(&gate, request, &payload);
    else
        guess(&gate, request, &payload);
    *ret_gate = gate;
    return MNEME_OK;
}
