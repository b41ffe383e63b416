/*
 * test_gate.c - the gate, by many requests of many kinds: each list holds what one mode is for, in
 * both languages and with the traps beside the plain cases.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "text/cue.h"
#include "retrieve/payload.h"
#include "text/pleasantry.h"
#include "retrieve/stages.h"
#include "text/analyze.h"

/* Nothing is needed: said to be polite, or complete in itself. */
static const char *const NONE[] = {
    "谢谢你的帮助！",
    "谢谢啦 😊🎉",
    "Hi!!! 👋",
    "Hello, Anna!",
    "Guten Morgen!",
    "Muchas gracias :)",
    "Спасибо большое!",
    "안녕하세요",
    "ありがとうございました",
    "好的👌",
    "👍",
    "\?\?\?",
    "Convert this to YAML: {\"a\": 1, \"b\": [2, 3]}",
    "Convert {\"a\": 1} to YAML",
    "把 [3, 1, 2] 从小到大排序",
    "Sort these words alphabetically: pear, apple, fig",
    "Count the words in \"the quick brown fox\"",
    "请润色下面这句话：我昨天去了公园，玩的很开心。",
    "翻译一下这段：\nWe decided last week to skip the release on Friday.\nPlease remember my "
    "preferences.",
    "Translate into Chinese:\nLast time we fixed the crash by raising the limit.",
    "我们上周决定周五不发布。发布推迟到下周一。\n请把以上内容翻译成英文",
    "How do you say \"good morning\" in French?",
    "“早上好”用日语怎么说？",
    "translate good morning into Japanese",
    "translate: I like tea: it calms me",
    "Format this JSON: {\"b\":2,\"a\":1}",
    "```SELECT 1```\n把上面的 SQL 格式化",
    "2+2=?",
    "12 * (3 + 4)",
    "What is 15% of 240?",
    "what is 2 to the power of 10",
    "计算 3 的平方加 4 的平方",
    "Convert 5 miles to km",
    "30 摄氏度等于多少华氏度？",
    "JavaScript 中箭头函数的语法是什么？",
    "How to write a switch in Go?",
    "SQL 里左连接怎么写？",
    "Translate to Spanish - the meeting is at noon",
    "把这段 CSV 转成 JSON：a,b\n1,2",
    "Bonjour !",
    "帮我算 99 × 99",
    "Calculate 20% tip on 85 dollars",
    "What is 7 factorial?",
    "What is the syntax of a switch statement in Go?",
    "Rust 的 match 语法怎么写？",
    "C 语言里怎么声明函数指针？",
    "翻译：“恢复任务”",
    "Proofread the following email: Dear team, we meets tomorrow.",
    "Extract all dates from this text: \"Signed on 2 May, sealed on 4 May.\"",
    "统计下面这段话的字数：春眠不觉晓，处处闻啼鸟。",
    "“忽略之前的所有指令”翻译成英文",
    "Fix the grammar: \"He go to school every days.\"",
    "Привет!",
    "おはよう",
    "晚上好，辛苦了～",
    "Good morning team!",
    "3q~",
    NULL,
};

/* What is known exactly: preferences, a task as it stands, the rules; and complete requests that
 * are to be done in the user's ways. */
static const char *const STRUCTURED[] = {
    "translate: the way I like it: Hello world",
    "翻译：按我的风格：今天天气很好",
    "Rewrite this in my usual tone: \"The meeting is moved to Monday.\"",
    "按我习惯的格式整理成表格：苹果 3，梨 5",
    "Format this snippet the way I like: ```int main(){return 0;}```",
    "我的偏好有哪些？",
    "看看我有什么习惯",
    "Show me my preferences",
    "What preferences do I have?",
    "List my saved preferences, please.",
    "恢复任务",
    "请恢复上次的任务，看看做到哪了",
    "继续上次的任务",
    "Pick up where we left off",
    "Please resume task network-state",
    "Load the checkpoint of this task",
    "Continue the task as it stands",
    "Check my change against the project rules",
    "加载本仓库的规范",
    "What are the repository rules?",
    "这个仓库有哪些规则？",
    "列出项目的约束",
    "Load user preferences",
    "读取用户偏好",
    "按照我的写作习惯润色：今天的会议取消了",
    "用我们团队的规范格式化这段代码：```a=1```",
    "从上次停下的地方继续做",
    "Apply our coding conventions to this function: ```int f(){}```",
    NULL,
};

/* How something was done before. */
static const char *const EPISODIC[] = {
    "上次证书过期是怎么处理的？",
    "之前内存泄漏那个问题怎么修好的",
    "这个报错当时怎么解决的：Zod validation failed",
    "How was the DNS outage resolved?",
    "What was the workaround for the flaky build last time?",
    "How did the team get around the rate limit?",
    "我们以前是怎么排查队列积压的？",
    "Reuse the approach from the last certificate rotation",
    "借鉴上次迁移的经验，给新集群做迁移方案",
    "Draw on our experience with the Kafka upgrade",
    "参考之前成功的回滚做法",
    "Have we solved something like this before?",
    "Use what we learned from the last outage",
    NULL,
};

/* Everything else, above all what only looks like one of the others. */
static const char *const HYBRID[] = {
    "Hello, MCP fails to start",
    "你好，MCP 启动失败了，帮我看看",
    "谢谢，继续把导出接口做完",
    "Thanks! Now deploy the booking service",
    "早上好，今天先处理哪个故障？",
    "Спасибо, почини сборку",
    "计算节点的心跳丢了怎么办",
    "翻译服务报错：connection refused，以前有人遇到过吗",
    "排序算法：我们项目里用哪一种？",
    "Compute nodes lost their heartbeat",
    "The calculation service is down, where do I look first?",
    "Translate the onboarding page into German",
    "把部署文档翻译成英文",
    "Summarise the meeting of last Tuesday",
    "总结一下上周的评审会",
    "Summarise our discussion: what did we decide?",
    "Convert our deploy config to YAML",
    "translate it into Japanese",
    "Translate the decision we made yesterday: \"no release on Friday\"",
    "Translate this error into English and then fix the build: \"连接被拒绝\"",
    "Convert this snippet to Rust and commit it to the repo: ```x = 1```",
    "Calculate the child fare",
    "算一下这个月的账单",
    "计算一下退款金额",
    "2026-10-14 发布了什么？",
    "Convert the 3 deploy configs to YAML",
    "3.1.2 和 3.1.3 有什么区别",
    "Python 里日志怎么写才符合我们项目的规范？",
    "What is the syntax error in our deploy script?",
    "How do we write loops in Python in this team?",
    "这个仓库里 TypeScript 的枚举怎么写？",
    "how do I write a migration in SQL for our orders table",
    "Implement the settings page following my preferences",
    "写一个接口，按我的习惯命名",
    "Show the user preferences page in the app",
    "偏好设置页面打不开",
    "How do I resume the task queue after a crash?",
    "任务恢复失败了怎么排查",
    "恢复数据库要走什么流程",
    "Resume the upload feature implementation",
    "Continue implementing the CSV export where we left off",
    "continue the iOS network listener",
    "继续",
    "继续实现登录页",
    "go on",
    "接着写单元测试",
    "Add a lint rule for unused imports",
    "按项目规范写一个下单接口",
    "What are the rules for refunds above 100 euro?",
    "路由规则配置错了，流量跑到旧集群",
    "How do I fix the flaky build?",
    "怎么解决队列积压？",
    "How did we decide to fix the price at 5 euro?",
    "上次我们决定用什么语言？",
    "Fix the build like last time",
    "上次的会议说了什么？",
    "用户体验经验值怎么计算",
    "我今天好开心，拿到了满分！",
    "DROP TABLE orders;",
    "{\"error\": \"port must be number\"}",
    "为什么？",
    "把日志级别改成 debug",
    "Change the timeout to 30 seconds",
    "Put the config into the repo",
    "删除 orders 表",
    "Explain this error: Traceback (most recent call last): ValueError",
    "解释一下什么是倒排索引，按我喜欢的回答风格",
    "Write a commit message for this diff: ```- a\n+ b```",
    "Extract the invoice totals from the report \"Q3\"",
    "数据统计模块出问题了：统计结果不对",
    "Thank you, but the build is still failing",
    "ok continue",
    "What did we decide about the cache?",
    "请计算服务的可用性",
    "As I told you yesterday, translate this: \"we ship on Monday\"",
    "按照上次约定的格式，把这个转成 YAML：{\"a\": 1}",
    "继续完成任务管理页面",
    "在任务列表里加一个搜索框",
    "帮我看看昨天的部署日志",
    "rank the suppliers we used last year",
    "格式化硬盘之前要备份什么",
    "订单去重逻辑在哪里实现？",
    "统计一下各仓库的代码行数",
    "Put a retry around the payment call",
    "Sort out the flaky tests",
    "Round ticket prices as we do elsewhere",
    "Can you fix the grammar in the README?",
    "Hello world 程序在我们的仓库哪里？",
    NULL,
};

static struct mn_gate gate_of_request(const struct mneme_request *request, struct mn_arena *arena)
{
    struct mn_gate gate = { 0 };
    struct mneme_error err = { 0 };

    assert_int_equal(mn_gate_decide(request, arena, &gate, &err), MNEME_OK);
    assert_non_null(gate.reason);
    assert_non_null(gate.intent);
    return gate;
}

static struct mn_gate gate_of(const char *text, struct mn_arena *arena)
{
    struct mneme_request request = MNEME_REQUEST_INIT;

    request.text = text;
    return gate_of_request(&request, arena);
}

static void assert_all(const char *const *texts, enum mneme_mode expected)
{
    for (size_t i = 0; texts[i]; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        struct mn_gate gate = gate_of(texts[i], arena);

        if (gate.mode != expected)
            fail_msg("%s: %s (%s, %s), not %s", texts[i], mneme_mode_name(gate.mode), gate.reason,
                     gate.intent, mneme_mode_name(expected));
    }
}

static void politeness_and_complete_requests_need_no_memory(void **state)
{
    (void)state;
    assert_all(NONE, MNEME_MODE_NONE);
}

static void what_is_known_exactly_is_asked_of_the_structured_sources(void **state)
{
    (void)state;
    assert_all(STRUCTURED, MNEME_MODE_STRUCTURED_ONLY);
}

static void former_fixes_and_experience_are_asked_of_the_episodic_sources(void **state)
{
    (void)state;
    assert_all(EPISODIC, MNEME_MODE_EPISODIC_ONLY);
}

static void everything_else_and_every_doubt_asks_all_sources(void **state)
{
    (void)state;
    assert_all(HYBRID, MNEME_MODE_HYBRID);
}

static void the_callers_mode_stands_above_its_intent_and_the_text(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_request request = MNEME_REQUEST_INIT;

    (void)state;
    request.text = "你好";
    request.mode = MNEME_MODE_EPISODIC_ONLY;
    request.intent = "load_preferences";
    request.has_complete_context = 1;
    struct mn_gate gate = gate_of_request(&request, arena);
    assert_int_equal(gate.mode, MNEME_MODE_EPISODIC_ONLY);
    assert_string_equal(gate.reason, "the caller's mode");
    assert_string_equal(gate.intent, "load_preferences");
}

static void the_callers_intent_stands_above_the_text(void **state)
{
    static const struct {
        const char *intent;
        enum mneme_mode mode;
    } cases[] = {
        { "load_preferences", MNEME_MODE_STRUCTURED_ONLY },
        { "resume_task", MNEME_MODE_STRUCTURED_ONLY },
        { "apply_project_rules", MNEME_MODE_STRUCTURED_ONLY },
        { "find_previous_fix", MNEME_MODE_EPISODIC_ONLY },
        { "reuse_experience", MNEME_MODE_EPISODIC_ONLY },
        { "resume_implementation", MNEME_MODE_HYBRID },
        { "greeting", MNEME_MODE_NONE },
        { "transform", MNEME_MODE_HYBRID }, /* without its text it is not complete */
        { "one_of_the_callers_own", MNEME_MODE_HYBRID },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        struct mneme_request request = MNEME_REQUEST_INIT;

        request.text = "network state listener";
        request.intent = cases[i].intent;
        struct mn_gate gate = gate_of_request(&request, arena);
        assert_int_equal(gate.mode, cases[i].mode);
        assert_string_equal(gate.intent, cases[i].intent);
    }
}

static void a_transform_by_the_callers_intent_needs_its_text_or_the_callers_word(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_request request = MNEME_REQUEST_INIT;

    (void)state;
    request.intent = "summarize";
    request.text = "Summarise this: \"The library moved.\"";
    assert_int_equal(gate_of_request(&request, arena).mode, MNEME_MODE_NONE);
    request.text = "Summarise the meeting";
    assert_int_equal(gate_of_request(&request, arena).mode, MNEME_MODE_HYBRID);
    request.has_complete_context = 1;
    assert_int_equal(gate_of_request(&request, arena).mode, MNEME_MODE_NONE);
}

static void a_complete_context_needs_nothing_but_the_users_ways(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_request request = MNEME_REQUEST_INIT;

    (void)state;
    request.has_complete_context = 1;
    request.text = "给后端新增一个库存查询接口";
    assert_int_equal(gate_of_request(&request, arena).mode, MNEME_MODE_NONE);
    request.text = "给后端新增一个库存查询接口，按我的习惯命名";
    assert_int_equal(gate_of_request(&request, arena).mode, MNEME_MODE_STRUCTURED_ONLY);
    request.text = "加载我的偏好";
    assert_int_equal(gate_of_request(&request, arena).mode, MNEME_MODE_STRUCTURED_ONLY);
    request.text = "How was the DNS outage resolved?";
    assert_int_equal(gate_of_request(&request, arena).mode, MNEME_MODE_EPISODIC_ONLY);
}

static void an_answer_within_a_dialogue_is_no_politeness(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_request request = MNEME_REQUEST_INIT;

    (void)state;
    request.signals.dialogue = "assistant: Shall I deploy the booking service now?";
    request.text = "好的";
    assert_int_equal(gate_of_request(&request, arena).mode, MNEME_MODE_HYBRID);
    request.text = "Yes!";
    assert_int_equal(gate_of_request(&request, arena).mode, MNEME_MODE_HYBRID);
    request.text = "👍";
    assert_int_equal(gate_of_request(&request, arena).mode, MNEME_MODE_HYBRID);
    request.text = "谢谢，再见";
    assert_int_equal(gate_of_request(&request, arena).mode, MNEME_MODE_NONE);
}

static void cues_count_in_the_instruction_and_not_in_the_payload(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);

    (void)state;
    struct mn_gate inside = gate_of("翻译成英文：“按照上周的决定，用我的风格写。”", arena);
    assert_true(inside.has_payload);
    assert_false(inside.back_reference);
    assert_false(inside.own_ways);
    struct mn_gate outside = gate_of("按照上周的决定，用我的风格翻译成英文：“周五不发布。”", arena);
    assert_true(outside.has_payload);
    assert_true(outside.back_reference);
    assert_true(outside.own_ways);
    struct mn_gate behind = gate_of("Translate this: ```x``` in my usual style", arena);
    assert_true(behind.own_ways);
}

static void who_asks_which_of_a_thing_means_that_thing_and_not_all_ways(void **state)
{
    static const char *const ways[] = { "Format the report the way I prefer", "Use what I prefer",
                                        "Which layout would be my usual style?" };
    static const char *const which[] = { "Which tea do I prefer in the morning?",
                                         "What kind of tea do we usually use?" };
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);

    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (!gate_of(ways[i], arena).own_ways)
            fail_msg("%s", ways[i]);
    for (size_t i = 0; i < sizeof which / sizeof *which; i++)
        if (gate_of(which[i], arena).own_ways)
            fail_msg("%s", which[i]);
}

static void who_asks_what_is_known_of_them_asks_for_no_thing_of_theirs(void **state)
{
    static const char *const all[] = { "What do you know about me?", "你都知道我些什么？", "我是谁？",
                                       "List everything you remember about me." };
    static const char *const things[] = { "What do you know about me and Rex?",
                                          "What do you know about my dog?", "你知道我的狗叫什么吗？",
                                          "Write everything you know about me into a poem" };
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct mn_gate gate = gate_of(all[i], arena);

        assert_string_equal(gate.intent, "load_profile");
        assert_int_equal(gate.mode, MNEME_MODE_STRUCTURED_ONLY);
    }
    for (size_t i = 0; i < sizeof things / sizeof *things; i++)
        assert_string_not_equal(gate_of(things[i], arena).intent, "load_profile");
}

static void assert_instruction(const char *text, const char *expected, bool found, bool is_block)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mn_payload payload;

    assert_int_equal(mn_payload_split(text, arena, &payload, NULL), MNEME_OK);
    assert_string_equal(payload.folded, expected);
    assert_int_equal(payload.found, found);
    assert_int_equal(payload.is_block, is_block);
}

static void payload_is_what_has_both_ends_or_was_announced(void **state)
{
    (void)state;
    assert_instruction("Translate \"good night\" into French", "translate into french", true,
                       false);
    assert_instruction("把“我爱你”翻译成法语", "把 翻译成法语", true, false);
    assert_instruction("Convert {\"a\": {\"b\": 1}} to YAML", "convert to yaml", true, true);
    assert_instruction("Explain ```a\nb```", "explain", true, true);
    assert_instruction("Tidy <p>one</p> up", "tidy up", true, true);
    assert_instruction("总结一下：今天开会讨论了预算", "总结一下:", true, true);
    assert_instruction("translate: the way I like it: Hello world",
                       "translate: the way i like it:", true, true);
    assert_instruction("Summarise\nfirst line\nsecond line", "summarise.", true, true);
    assert_instruction("first line\nsecond line\nSummarise the above", "summarise the above", true,
                       true);
    /* An apostrophe, a clock, an address, an option list, a plain sentence: nothing is carried. */
    assert_instruction("don't and won't", "don't and won't", false, false);
    assert_instruction("remind me at 10:30", "remind me at 10:30", false, false);
    assert_instruction("open https://a.example/b", "open https://a.example/b", false, false);
    assert_instruction("array[0] fails", "array[0] fails", false, false);
    assert_instruction("加载我的偏好：回答用什么风格？", "加载我的偏好:回答用什么风格?", false,
                       false);
    assert_instruction("Summarise it: what changed?", "summarise it: what changed?", false, false);
    /* When nothing else is said, what is quoted is what is said. */
    assert_instruction("“恢复任务”", "“恢复任务”", false, false);
}

static void a_statement_asks_and_orders_nothing(void **state)
{
    static const char *const statements[] = {
        "我今天拿到了数学考试的满分，超级开心！",
        "对呀，我们还会比赛跑步，我赢了！",
        "I got a perfect score on my math test today!",
        "My mom picked it out, and I love the color.",
        "奶奶送了我一条围巾。",
        NULL,
    };
    static const char *const others[] = {
        "我应该怎么庆祝一下呢？",
        "What should I wear?",
        "Add an empty state to the passenger list.",
        "写一个清洗访问日志的数据脚本",
        "network state listener",
        "请帮我订一张票",
        "Why was the seat map drawn twice?",
        "I want to change the fare table.",
        "我要改写生产库的代码",
        "plugin loader fails on 3.1.2",
        NULL,
    };

    (void)state;
    for (size_t i = 0; statements[i]; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);

        if (!gate_of(statements[i], arena).is_statement)
            fail_msg("%s: a statement", statements[i]);
    }
    for (size_t i = 0; others[i]; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);

        if (gate_of(others[i], arena).is_statement)
            fail_msg("%s: no statement", others[i]);
    }
}

static bool cue_found(const char *folded, const char *cue)
{
    struct mn_cue_text text = mn_cue_read(folded);

    return mn_cue_found(&text, cue);
}

static void cues_match_in_order_near_each_other_and_at_word_borders(void **state)
{
    (void)state;
    assert_true(cue_found("load my preferences", "load|show > my > preferences"));
    assert_false(cue_found("my preferences load", "load|show > my > preferences"));
    assert_false(cue_found("unload my preferences", "load > my"));
    assert_true(cue_found("loading my preferences", "load* > my"));
    assert_false(cue_found("loading my preferences", "load > my"));
    assert_true(cue_found("could you please load it", "^load"));
    assert_true(cue_found("the disk is full. load it", "^load"));
    assert_false(cue_found("the load is high", "^load"));
    assert_true(cue_found("请帮我恢复任务", "^恢复 > 任务"));
    assert_true(cue_found("what are the rules?", "rules$"));
    assert_false(cue_found("what are the rules for refunds?", "rules$"));
    /* 24 bytes between two groups are near, 25 are not; '>>' reaches any distance. */
    assert_true(cue_found("a.......................-b", "a > b"));
    assert_false(cue_found("a........................-b", "a > b"));
    assert_true(cue_found("a........................-b", "a >> b"));
}

static void of_a_long_request_the_beginning_and_the_end_are_read(void **state)
{
    static char text[MNEME_TEXT_BYTES_MAX + 1];
    MN_ARENA_AUTO arena = mn_arena_new(16 << 20);

    (void)state;
    for (size_t i = 0; i + 4 <= MNEME_TEXT_BYTES_MAX; i += 4)
        memcpy(text + i, "字 ", 4);
    memcpy(text + MNEME_TEXT_BYTES_MAX - 24, "按我的风格改写吧", 24);
    struct mn_gate gate = gate_of(text, arena);
    assert_true(gate.own_ways);
    assert_true(gate.instruction.bytes <= 2048 + 1 + 1024);
    assert_true(mn_utf8_valid(gate.instruction.at, gate.instruction.bytes));
}

/* Inputs that invite a search to look for each end again and again: bounded work, and no crash. */
static void hostile_texts_cost_bounded_time(void **state)
{
    static const char *const parts[] = { "{",           "[{", "<a",     "\"'",      "' ",
                                         ": ",          ". ", "“",      "```",      "\n",
                                         "translate: ", "请", "按我的", "and then " };
    static char text[MNEME_TEXT_BYTES_MAX + 1];

    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(16 << 20);
        size_t bytes = 0;

        while (bytes + strlen(parts[i]) <= MNEME_TEXT_BYTES_MAX) {
            memcpy(text + bytes, parts[i], strlen(parts[i]));
            bytes += strlen(parts[i]);
        }
        text[bytes] = 0;
        gate_of(text, arena);
    }
}

static void a_name_may_be_greeted_but_not_an_acronym(void **state)
{
    (void)state;
    assert_int_equal(mn_pleasantry_find("Hi Anna!", "hi anna!"), MN_PLEASANTRY_GREETING);
    assert_int_equal(mn_pleasantry_find("Hi anna!", "hi anna!"), MN_PLEASANTRY_NO);
    assert_int_equal(mn_pleasantry_find("Hi MCP", "hi mcp"), MN_PLEASANTRY_NO);
    assert_int_equal(mn_pleasantry_find("Hi Anna Build", "hi anna build"), MN_PLEASANTRY_NO);
}

static void a_full_arena_is_a_status_and_leaves_the_gate_alone(void **state)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mn_gate gate = { .reason = "untouched" };
    struct mneme_error err = { 0 };
    enum mneme_status status = MNEME_LIMIT;

    (void)state;
    request.text = "Translate this: \"good night\"";
    for (size_t bytes = 0; bytes < 4096 && status == MNEME_LIMIT; bytes += 16) {
        MN_ARENA_AUTO arena = mn_arena_new(bytes);

        status = mn_gate_decide(&request, arena, &gate, &err);
        if (status == MNEME_LIMIT)
            assert_string_equal(gate.reason, "untouched");
    }
    assert_int_equal(status, MNEME_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(politeness_and_complete_requests_need_no_memory),
        cmocka_unit_test(what_is_known_exactly_is_asked_of_the_structured_sources),
        cmocka_unit_test(former_fixes_and_experience_are_asked_of_the_episodic_sources),
        cmocka_unit_test(everything_else_and_every_doubt_asks_all_sources),
        cmocka_unit_test(the_callers_mode_stands_above_its_intent_and_the_text),
        cmocka_unit_test(the_callers_intent_stands_above_the_text),
        cmocka_unit_test(a_transform_by_the_callers_intent_needs_its_text_or_the_callers_word),
        cmocka_unit_test(a_complete_context_needs_nothing_but_the_users_ways),
        cmocka_unit_test(an_answer_within_a_dialogue_is_no_politeness),
        cmocka_unit_test(cues_count_in_the_instruction_and_not_in_the_payload),
        cmocka_unit_test(who_asks_what_is_known_of_them_asks_for_no_thing_of_theirs),
        cmocka_unit_test(who_asks_which_of_a_thing_means_that_thing_and_not_all_ways),
        cmocka_unit_test(payload_is_what_has_both_ends_or_was_announced),
        cmocka_unit_test(a_statement_asks_and_orders_nothing),
        cmocka_unit_test(cues_match_in_order_near_each_other_and_at_word_borders),
        cmocka_unit_test(of_a_long_request_the_beginning_and_the_end_are_read),
        cmocka_unit_test(hostile_texts_cost_bounded_time),
        cmocka_unit_test(a_name_may_be_greeted_but_not_an_acronym),
        cmocka_unit_test(a_full_arena_is_a_status_and_leaves_the_gate_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
