/*
 * classify.c - what kind of memory is it, when nobody said?
 *
 * Cues in both languages, asked in order; the first row that fires wins, and a plain statement is a
 * fact. A word alone decides little: "never" is an order in "never push to main" and none in "my
 * daughter never eats fish". So a cue names who speaks of what: an order begins a clause or has us,
 * the code or everyone as its subject, a preference is the user's own, a procedure has a second step.
 *
 * The same order is a rule of the repository, a constraint of the project, or what the user wants,
 * by where it holds: nothing that is the user's alone is put before others as binding. A scope that
 * is missing is the user's own, or the tenant's for a shared row: never wider than asked.
 */
#include "remember/remember.h"

#include <string.h>

#include "base/str.h"
#include "text/analyze.h"
#include "text/cue.h"

/* Who or what an order binds when it is not said to somebody's face. */
#define BOUND                                                                                      \
    "everyone|nobody|no one|all|every|each|any|code|commits|commit messages|migrations|"           \
    "deployments|releases|branches|pull requests|agents|the agent"

/* What is said to use something. */
#define USERS                                                                                      \
    "we|our team|this repo|this repository|this project|the repo|the repository|the project|"      \
    "our backend|the backend|our frontend|the frontend|this service|the service|the code|"         \
    "the codebase|this codebase|all services"

/* clang-format off */
static const char *const preferences[] = {
    "i prefer|i like|i love|i enjoy|i dislike|i hate|i favour|i favor|i now prefer|i still prefer",
    "i really like|i really prefer|i strongly prefer|i much prefer|i also like|i also prefer",
    "i'd rather|i would rather|i'd prefer|i would prefer|i don't like|i do not like|i don't want",
    "i do not want|i can't stand|my favourite|my favorite|my preferred|my preference",
    "i no longer > prefer|like|want|enjoy|love", "i usually|i normally", "^i > always|never > use|work|write|test|want|prefer|start|run|ask|need|read|eat|drink",
    "user > prefers|likes|dislikes|hates|usually|always",
    "我喜欢|我更喜欢|我最喜欢|我也喜欢|我很喜欢|我不喜欢|我偏好|我偏爱|我习惯|我讨厌|我爱用|我倾向",
    "我 > 喜欢用|习惯用|偏好用|倾向于",
    "我其实更喜欢|我现在更喜欢|我还是更喜欢|其实我更喜欢|我不再喜欢|我不再偏好|我已经不喜欢|我现在不喜欢", "我一般|我通常|我总是|我从不|我从来不|我一向",
    "用户 > 喜欢|偏好|偏爱|习惯|讨厌|倾向", "^更喜欢|喜欢|不喜欢|偏好|偏爱|习惯用|讨厌", NULL
};
static const char *const decisions[] = {
    "decided to|decided on|decided that|decided against|was decided|we chose|we picked|agreed to",
    "agreed on|we will use|we'll use|we are going with|we're going with|we settled on|decision:",
    "决定|选定|商定|敲定|拍板", NULL
};
static const char *const no_decisions[] = { "决定性|决定权", "由 > 决定", NULL };
static const char *const incidents[] = {
    "crashed|outage|failed with|root cause|post-mortem|postmortem",
    "incident on|incident in|incident at|incident was|incident:", "故障|崩溃|报错|宕机|事故|根因", NULL
};
static const char *const no_incidents[] = { "故障转移|故障率|故障域|故障演练|崩溃率|事故率", NULL };
static const char *const procedures[] = {
    "^steps:|steps to|step 1|how to", "^first|firstly >> then|next|finally|after that|second|lastly",
    "步骤:|流程:|步骤如下|流程如下|步骤是|第一步",
    "^先|首先 >> 再|然后|接着|最后|其次", "时先|要先|需先|应先|得先|前先|后先 >> 再|然后|接着|最后", NULL
};
static const char *const orders[] = {
    "^never|always > use|push|commit|merge|deploy|delete|change|edit|run|call|write|add|remove|store",
    "^never|always > log|test|ask|answer|reply|respond|send|share|touch|force|skip|start|check",
    "^do not|don't|only use|must not|avoid|make sure|ensure",
    "^use > for|in|as|instead|everywhere|only", BOUND " > must|must not|shall|may not",
    "^必须|禁止|不得|不准|一律|务必|严禁|切勿|统一用|统一使用|别再|别用|别在|别把|别直接|别改|别动",
    "^不要 > 用|使用|提交|改|删|推|合并|部署|直接|在|把|再|给|写|动",
    "禁止|严禁|切勿|务必", NULL
};
static const char *const obligations[] = {
    "must|must not|shall|is required|are required|is mandatory|is forbidden|are forbidden",
    "is not allowed|are not allowed|always use|never use|only use",
    "必须|不得|一律|不准|不允许|只能|不要", NULL
};
/* What is supposed to have happened; who speaks of himself. */
#define SUPPOSED "must have > been|had|gone|left|passed|missed|lost|got|forgotten|happened|failed"
static const char *const no_orders[] = { SUPPOSED, "我们必须|我必须|咱们必须", NULL };
static const char *const no_obligations[] = { SUPPOSED, NULL };
static const char *const statements[] = {
    USERS " > use|uses|run|runs|target|targets|deploy|deploys|stick to|sticks to|require|requires",
    USERS " > is written in|are written in|is built with|are built with|is based on|is hosted",
    "we > write|build|test|store|keep > in|with|on",
    "我们|仓库|项目|后端|前端|服务|代码|团队 > 使用|采用|基于|运行在|部署在|统一用|默认用|只用|都用|遵循",
    "我们用|仓库用|项目用|后端用|前端用|服务用|代码用|团队用", NULL
};
static const char *const no_statements[] = { "用户|用途|用量|用例", NULL };
/* clang-format on */

static const struct {
    const char *type; /* NULL: by the scope */
    const char *const *cues;
    const char *const *unless; /* NULL: nothing */
    bool shared; /* only of what holds beyond one user and one conversation */
} table[] = {
    { "user_preference", preferences, NULL, false },
    { "previous_decision", decisions, no_decisions, false },
    { "incident", incidents, no_incidents, false },
    { "successful_procedure", procedures, NULL, false },
    { NULL, orders, no_orders, false },
    { NULL, obligations, no_obligations, true },
    { "project_constraint", statements, no_statements, true },
};

static const char *type_of_order(enum mneme_scope scope)
{
    switch (scope) {
    case MNEME_SCOPE_REPO:
        return "repository_rule";
    case MNEME_SCOPE_USER:
        return "user_preference";
    default:
        return "project_constraint";
    }
}

static const char *type_of(const char *content, enum mneme_scope scope)
{
    bool shared = scope != MNEME_SCOPE_USER && scope != MNEME_SCOPE_SESSION;
    MN_ARENA_AUTO arena = mn_arena_new(strlen(content) * 8 + 65536);
    char *folded = arena ? mn_text_fold(arena, content, strlen(content)) : NULL;

    if (!folded)
        return "fact";
    struct mn_cue_text text = mn_cue_read(folded);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if ((shared || !table[i].shared) && mn_cue_any(&text, table[i].cues) &&
            !(table[i].unless && mn_cue_any(&text, table[i].unless)))
            return table[i].type ? table[i].type : type_of_order(scope);
    return "fact";
}

void mn_classify(struct mneme_memory *memory)
{
    if (memory->scope_kind == MNEME_SCOPE_NONE) {
        memory->scope_kind = mn_empty(memory->user_id) ? MNEME_SCOPE_GLOBAL : MNEME_SCOPE_USER;
        memory->scope_id = mn_empty(memory->user_id) ? "" : memory->user_id;
    }
    if (mn_empty(memory->type))
        memory->type = type_of(mn_or_empty(memory->content), memory->scope_kind);
    if (memory->authority == MNEME_AUTHORITY_NONE)
        memory->authority = MNEME_EXPLICIT_USER;
}
