/*
 * self_contained.c - does the request hold all it needs?
 *
 * Three kinds do, and everything else may need memory. A transformation must name the act at the
 * head of a clause (English) or anywhere (Chinese, where "把...翻译成" comes late), carry what is
 * to be transformed, and want nothing further ("... and commit it"). Nouns that look like the act
 * are no act: 计算服务 is a service, 排序算法 an algorithm. A calculation must hold an expression.
 * A question of syntax must name a public language and a thing of its grammar, and nothing of one's
 * own.
 */
#include "retrieve/self_contained.h"

#include <string.h>

#include "base/str.h"
#include "text/cue.h"

/* ---- transformations ---- */

static const char *const REWORDS_EN[] = {
    "^translate|transliterate|paraphrase|rephrase|rewrite|reword|proofread|polish|correct",
    "^fix|check|correct > grammar|spelling|punctuation|typos",
    "^how > say|translate",
    "^put|turn > into > passive|active|past|present|future|english|french|german|spanish|chinese|"
    "japanese|formal|plain",
    "^make > shorter|longer|formal|friendlier|polite|concise|clearer",
    NULL,
};
static const char *const TRANSFORMS_EN[] = {
    "^summarise|summarize|summary of|sum up|tl;dr|tldr|condense|shorten|abridge|expand|simplify",
    "^convert|transform|reformat|format|prettify|pretty-print|pretty print|minify|beautify|indent",
    "^turn|put|change|reshape >> into",
    "^sort|count|deduplicate|dedupe|reverse|rank|group|tally|alphabetise|alphabetize|shuffle",
    "^extract|pull out|list > all|every|the|each",
    "^encode|decode|escape|unescape|capitalise|capitalize|uppercase|lowercase|title-case|hash",
    "^calculate|compute|evaluate|solve|factor|differentiate|integrate|add up|average|round",
    "^classify|label|transcribe|spell out|bullet",
    NULL,
};

/* clang-format off */
static const char *const REWORDS_ZH[] = {
    "翻译", "译成", "译为", "翻成", "改写", "重写", "润色", "改成", "改为", "变成", "换成", "校对", "纠错", "语法检查", "检查语法",
    "检查拼写", "扩写", "缩写", "怎么说", "换个说法", NULL,
};
static const char *const TRANSFORMS_ZH[] = {
    "总结", "概括", "归纳", "摘要", "提炼", "转成", "转换", "转为", "转化", "格式化", "美化", "排序", "排个序", "去重", "统计",
    "数一数", "数一下", "数数", "提取", "抽取", "列成", "整理成", "反转", "倒序", "编码", "解码", "转义", "压缩成", "精简", "简化",
    "分类", "计算", "算一下", "算算", "求值", "求解", "解方程", "化简", "因式分解", "求和", "求平均", "大写", "小写", "标注拼音",
    "注音", NULL,
};
/* Behind such a word they make a thing of it, or tell of it. */
static const char *const THINGS_ZH[] = {
    "服务", "模块", "系统", "接口", "任务", "节点", "引擎", "功能", "组件", "集群", "平台", "插件", "页面", "脚本", "程序",
    "逻辑", "资源", "函数", "算法", "器", "库", "流程", "规则", "规范", "工具", "队列", "中心", "机房", "网关", "失败", "错误",
    "异常", "报错", "出错", "挂了", "慢", "时", "率", "量", NULL,
};
/* clang-format on */

/* More than a transformation is wanted. */
static const char *const FURTHER_WORK[] = {
    "implement|deploy|commit|push|publish|debug|refactor|merge it|open a pr|pull request",
    "save|add|write|apply|append|send|post > to|into > the|our|my|production|repo|main",
    "^update|fix > the|our|my > code|config|repo|service|build|test|tests|docs|database|page|site",
    "实现|部署|上线|提交到|提交代码|推送|合并到|保存到|写入|写到|加到|添加到|更新到|发布到|发给|发送给|修复",
    NULL,
};
static const char *const TROUBLE[] = {
    "挂了|报错了|失败了|崩溃|崩了|不通|出问题|出错了|起不来|超时了|故障",
    "is down|are down|keeps failing|fails|crashes|crashed|broke|is broken|does not work|"
    "doesn't work|not working|stopped working",
    NULL,
};
/* Things that lie elsewhere: with nothing but a name in quotes they still have to be fetched. */
static const char *const ELSEWHERE[] = {
    "document|documents|doc|docs|file|files|report|notes|minutes|meeting|ticket|tickets|page|wiki|"
    "readme|spec|article|thread|channel|chapter|book|repo|branch|project|config|dashboard",
    "文档|文件|报告|会议|纪要|工单|页面|需求|文章|频道|章节|仓库|分支|项目|配置|邮件|记录|聊天",
    NULL,
};
static const char *const OWN[] = {
    "my|our|ours|mine|we|us",
    "我的|我们|咱们|本项目|本仓|这个项目|该项目|这个仓库|该仓库|公司|团队",
    NULL,
};

static const char *const LANGUAGES =
    "^translate >> to|into|in > english|french|german|spanish|italian|portuguese|dutch|russian|"
    "chinese|mandarin|japanese|korean|arabic|hindi|latin|swedish|polish|turkish|greek|vietnamese|"
    "thai";

/* Does the act stand here and not as part of a thing's name? */
static bool acts_zh(const char *folded, const char *const *words)
{
    for (size_t i = 0; words[i]; i++) {
        for (const char *at = folded; (at = strstr(at, words[i])); at++) {
            const char *behind = at + strlen(words[i]);
            bool is_thing = strncmp(behind, "的", strlen("的")) == 0;

            for (size_t t = 0; THINGS_ZH[t] && !is_thing; t++)
                is_thing = strncmp(behind, THINGS_ZH[t], strlen(THINGS_ZH[t])) == 0;
            if (!is_thing)
                return true;
        }
    }
    return false;
}

bool mn_self_contained_rewords(const struct mn_cue_text *text)
{
    return mn_cue_any(text, REWORDS_EN) || acts_zh(text->folded, REWORDS_ZH);
}

bool mn_self_contained_transforms(const struct mn_cue_text *text)
{
    return mn_self_contained_rewords(text) || mn_cue_any(text, TRANSFORMS_EN) ||
           acts_zh(text->folded, TRANSFORMS_ZH);
}

/* "translate good morning into French": the words between are the text, unless they point at one.
 */
static bool translates_words(const struct mn_cue_text *text)
{
    static const char *const points =
        "translate the|translate this|translate that|translate these|translate those|translate it|"
        "translate all|translate every|translate everything|translate each|translate my|"
        "translate our|translate your|translate his|translate her|translate their|translate its|"
        "translate what|translate to|translate into|translate from|translate between";

    return mn_cue_found(text, LANGUAGES) && !mn_cue_found(text, points) &&
           !mn_cue_any(text, ELSEWHERE);
}

/* "convert 5 miles to km", "把 30 摄氏度换成华氏度": a quantity is payload enough. */
static bool converts_quantity(const struct mn_cue_text *text)
{
    static const char *const cues[] = {
        "^convert|change|turn|how many|how much|what is >> mile*|km|kilomet*|meter*|metre*|feet|foot|"
        "inch*|yard*|pound*|lbs|kg|kilogram*|gram*|ounce*|celsius|fahrenheit|kelvin|litre*|liter*|"
        "gallon*|byte*|kb|mb|gb|kib|mib|gib|hex|hexadecimal|binary|decimal|octal|radian*|degree* >> "
        "to|in|into|as",
        "摄氏|华氏|公里|英里|千米|英尺|英寸|厘米|公斤|千克|英镑|磅|盎司|升|加仑|字节|十进制|二进制|十六进制|八进制 "
        ">> 换成|换算|转成|转换|转为|是多少|等于多少",
        NULL,
    };

    return strpbrk(text->folded, "0123456789") && mn_cue_any(text, cues);
}

static bool is_complete_transformation(const struct mn_payload *payload)
{
    const struct mn_cue_text *text = &payload->cues;

    if (mn_cue_any(text, FURTHER_WORK) || mn_cue_any(text, TROUBLE))
        return false;
    if (payload->found && mn_self_contained_transforms(text))
        return payload->is_block || !mn_cue_any(text, ELSEWHERE);
    if (mn_cue_any(text, OWN))
        return false;
    return translates_words(text) || converts_quantity(text);
}

/* ---- calculations ---- */

/* Words that only ask for the result; longest first where one begins with another. */
/* clang-format off */
static const char *const CALCULATION_WORDS[] = {
    "calculate", "compute", "evaluate", "work out", "solve", "what is", "what's", "whats",
    "how much is", "how much", "the", "of", "value", "result", "answer", "expression", "equals",
    "equal", "to", "is", "for", "me", "please", "can you", "could you", "tell me", "a", "sum",
    "product", "帮我", "请问", "请", "计算一下", "计算出", "计算", "算一下", "算算", "算出", "算", "求解", "求", "等于多少",
    "等于几", "等于", "是多少", "多少", "是几", "几", "得多少", "得几", "得", "的值", "的结果", "的和", "的积", "的差", "的商",
    "的", "值", "结果", "表达式", "式子", "三角函数", "一下", "是", "呢", "吗", NULL,
};
static const char *const NUMBER_WORDS[] = {
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    "hundred", "thousand", "million", "pi", "零", "一", "二", "两", "三", "四", "五", "六", "七", "八", "九",
    "十", "百", "千", "万", "亿", "π", NULL,
};
static const char *const OPERATOR_WORDS[] = {
    "plus", "minus", "times", "divided by", "multiplied by", "to the power of", "squared",
    "cubed", "percent of", "mod", "sin", "cos", "tan", "log", "ln", "sqrt", "exp", "abs",
    "factorial", "square root of", "加上", "减去", "乘以", "除以", "加", "减", "乘", "除", "的平方根", "的平方",
    "的立方", "次方", "阶乘", "百分之", "开方", "×", "÷", "√", "·", NULL,
};
/* clang-format on */

static size_t any_word_at(const char *folded, const char *at, const char *const *words)
{
    size_t longest = 0;

    for (size_t i = 0; words[i]; i++) {
        size_t bytes = mn_cue_literal_at(folded, at, words[i]);

        if (bytes > longest)
            longest = bytes;
    }
    return longest;
}

struct sum {
    size_t numbers;
    size_t operators;       /* signs and words that can mean nothing else */
    size_t vague_operators; /* '-' and '/', which dates and paths have too */
    size_t asked;           /* words that ask for a result */
    size_t other_bytes;     /* what is none of these */
};

static struct sum read_sum(const char *folded)
{
    struct sum sum = { 0 };

    for (const char *at = folded; *at;) {
        size_t bytes = 0;

        if (*at >= '0' && *at <= '9') {
            sum.numbers++;
            at += strspn(at, "0123456789.,_e");
        } else if (strchr("+*^%=", *at)) {
            sum.operators++;
            at++;
        } else if (*at == '-' || *at == '/') {
            bool apart = at > folded && at[-1] == ' ' && at[1] == ' ';
            *(apart ? &sum.operators : &sum.vague_operators) += 1;
            at++;
        } else if ((bytes = any_word_at(folded, at, OPERATOR_WORDS))) {
            sum.operators++;
            at += bytes;
        } else if ((bytes = any_word_at(folded, at, CALCULATION_WORDS))) {
            sum.asked++;
            at += bytes;
        } else if ((bytes = any_word_at(folded, at, NUMBER_WORDS))) {
            sum.numbers++;
            at += bytes;
        } else {
            size_t next = 0;
            int32_t c = mn_utf8_next(at, strlen(at), &next);

            if (mn_cue_is_word_character(c) && c != 0xb0) /* a degree sign is a unit of angles */
                sum.other_bytes += next;
            at += next;
        }
    }
    return sum;
}

static bool is_calculation(const struct mn_cue_text *text)
{
    static const char *const acts[] = { "^calculate|compute|evaluate|work out|计算|算一下|算算|求",
                                        NULL };
    struct sum sum = read_sum(text->folded);

    if (!sum.numbers || !(sum.operators || (sum.vague_operators && sum.asked)))
        return false;
    if (!sum.other_bytes)
        return sum.operators || sum.asked;
    return sum.other_bytes <= 18 && sum.operators && mn_cue_any(text, acts) &&
           !mn_cue_any(text, OWN) && !mn_cue_any(text, TROUBLE);
}

/* ---- questions of syntax ---- */

static const char *const PUBLIC_LANGUAGES[] = {
    "python|javascript|typescript|java|c++|c#|golang|rust|ruby|php|swift|kotlin|scala|haskell|sql|"
    "bash|zsh|perl|lua|html|css|regex|regexp|latex|markdown|yaml|json|toml|xml|objective-c|dart|"
    "elixir|erlang|clojure|julia|matlab|fortran|zig|powershell|sass|jq|awk|sed|graphql|makefile|"
    "cmake|dockerfile|mysql|postgresql|sqlite|nginx",
    "in > c$|go$|r$|shell$",
    "in c|in go|in r|c 语言|go 语言|r 语言|c语言|go语言|r语言|shell|正则",
    NULL,
};
static const char *const GRAMMAR[] = {
    "list comprehension*|dict comprehension*|comprehension|for loop*|while loop*|loop*|lambda*|"
    "ternary|switch|if else|if-else|decorator*|generator*|f-string*|template literal*|"
    "string interpolation|slice*|slicing|arrow function*|async function*|class|enum*|struct*|"
    "interface*|generic*|union type*|left join|inner join|join|group by|window function*|"
    "case statement|subquery|try catch|try-catch|exception*|multiline string*|comment*|"
    "destructuring|spread operator|optional chaining|null coalescing|type hint*|annotation*|"
    "variable|constant*|array*|dictionary|hash map|tuple*|heredoc|lookahead|lookbehind|"
    "capture group*|pointer*|typedef|macro*|guard let|pattern matching|match expression*",
    "列表推导|推导式|循环|三元|装饰器|生成器|字符串插值|字符串拼接|切片|箭头函数|匿名函数|枚举|结构体|泛型|联合类型|左连接|内连接|"
    "窗口函数|子查询|异常捕获|捕获异常|多行字符串|注释|解构|展开运算符|可选链|空值合并|类型注解|数组|字典|元组|捕获组|断言|"
    "运算符|关键字|占位符|指针|宏定义|模式匹配",
    NULL,
};
static const char *const ASKS_FORM[] = {
    "how do i|how do you|how to|how can i|how does one|how would i|how is|how are|what is|what's",
    "怎么写|如何写|怎样写|怎么声明|怎么定义|如何声明|如何定义|怎么用|如何使用|写法|怎么表示|什么意思",
    NULL,
};
static const char *const SYNTAX_ERRORS[] = {
    "error*|fail*|exception in|traceback|crash*|broke*|warning*",
    "错误|报错|失败|异常了|出错|警告",
    NULL,
};

static bool is_syntax_question(const struct mn_cue_text *text)
{
    if (!mn_cue_any(text, PUBLIC_LANGUAGES) || mn_cue_any(text, SYNTAX_ERRORS) ||
        mn_cue_any(text, OWN) || mn_cue_any(text, FURTHER_WORK))
        return false;
    if (mn_cue_found(text, "syntax|语法"))
        return mn_cue_any(text, ASKS_FORM) || mn_cue_found(text, "语法 > 是|怎么|如何|是什么") ||
               mn_cue_found(text, "^show|give|explain|remind > syntax");
    return mn_cue_any(text, GRAMMAR) && mn_cue_any(text, ASKS_FORM);
}

struct mn_self_contained mn_self_contained_find(const struct mn_payload *payload)
{
    if (is_calculation(&payload->cues))
        return (struct mn_self_contained){ "calculate", "a calculation with its expression" };
    if (is_complete_transformation(payload))
        return (struct mn_self_contained){ "transform", "a transformation with its text" };
    if (!payload->is_block && is_syntax_question(&payload->cues))
        return (struct mn_self_contained){ "syntax_question",
                                           "a question about a public language" };
    return (struct mn_self_contained){ "", "" };
}

/* ---- how it is to be done ---- */

static const char *const OWN_WAYS[] = {
    "my|our|the user's > usual|preferred|own|personal|writing|coding|house|favourite|favorite|"
    "standard|normal|regular > style|tone|voice|way|format|conventions|layout|habits|template|"
    "wording",
    "my|our > style|tone|voice|preferences|habits|taste|conventions|house style|style guide|"
    "writing style|ways|preference",
    "the way|how|as|like > i|we > like|prefer|usually|always|normally",
    "as usual|as always|the usual way|like always|in the usual|to my taste|to my liking",
    "按|照|依|根据|用|以|符合|遵循|参照|遵照|保持|贴合 > "
    "我的|我们的|我喜欢的|我习惯的|我平时的|我一贯的|我自己的|我偏好的|"
    "咱们的|团队的|本人的 > "
    "风格|习惯|偏好|方式|写法|口吻|语气|格式|喜好|规范|惯例|约定|要求|模板|排版",
    "我喜欢的|我习惯的|我常用的|我惯用的|我偏好的|我平时的|我一贯的 > "
    "风格|方式|格式|写法|语气|样子|排版|口吻|回答|做法|模板",
    "按|照|用|依 > 项目|仓库|团队 > 规范|约定|规则|风格|惯例",
    "老样子|照旧|像往常|跟往常|和往常|像平时|跟平时|和平时|一如既往|按惯例|照例|老规矩",
    NULL,
};

/* "Use what I prefer" means whatever that is; "which tea do I prefer?" means tea, and no other taste. */
static const char *const LIKES[] = { "i|we > prefer|usually use|always use|like best", NULL };
static const char *const ASKS_WHICH[] = {
    "which|what kind|what sort|what type > do|did|would > i|we > prefer|usually|always|like",
    NULL,
};

bool mn_self_contained_own_ways(const struct mn_cue_text *cues)
{
    return mn_cue_any(cues, OWN_WAYS) || (mn_cue_any(cues, LIKES) && !mn_cue_any(cues, ASKS_WHICH));
}
