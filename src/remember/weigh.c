/*
 * weigh.c - what is a memory worth, and who may see it, when nobody said?
 *
 * Importance follows the type: what binds above what was decided, that above what is liked, what
 * happened below. Words lift or lower it: what is dangerous stands above all, a passing remark below
 * most.
 *
 * Confidential is what people keep to themselves: illness and treatment, money of one's own, numbers
 * that identify a person or an account, where somebody lives, and what the law calls special. A cue
 * names whose it is ("my salary", 我的病史), since a project may be about any of it; numbers are known by
 * their form, cards and accounts by their check digits. Allergies and what one does not eat are not
 * among it: they are told so that every answer heeds them.
 */
#include "remember/remember.h"

#include <string.h>

#include "base/str.h"
#include "remember/draft.h"
#include "text/analyze.h"
#include "text/cue.h"
#include "text/letters.h"

#define DANGER 0.9
#define STRESSED 0.1
#define PASSING 0.2
#define IMPORTANCE_MIN 0.3
#define IMPORTANCE_MAX 0.95
#define ACCOUNT_BYTES_MIN 15
#define ACCOUNT_BYTES_MAX 34
#define CARD_DIGITS_MIN 13
#define CARD_DIGITS_MAX 19

static const struct {
    const char *type;
    double importance;
} WORTH[] = {
    { "repository_rule", 0.8 },      { "project_constraint", 0.8 }, { "previous_decision", 0.7 },
    { "successful_procedure", 0.6 }, { "skill", 0.6 },              { "incident", 0.6 },
    { "user_preference", 0.6 },      { "fact", 0.5 },               { "event", 0.4 },
};

/* clang-format off */
static const char *const DANGERS[] = {
    "allergic|allergy|anaphyla*|epipen|life-threatening|poisonous|toxic|suicid*",
    "never > production|prod|force|delete|drop|secrets|credentials|without a backup",
    "must not|must never|do not ever > production|prod|delete|drop|force",
    "过敏|致命|有毒|生命危险|严禁|绝对不能|绝不能|千万不要|千万别", NULL,
};
static const char *const STRESSES[] = {
    "important|crucial|critical|essential|vital|above all|at all costs|no matter what", "重要|关键|务必|切记|无论如何|至关", NULL,
};
static const char *const PASSING_REMARKS[] = {
    "maybe|perhaps|probably|i guess|i suppose|not sure|might|someday|some day|just saying|for what it's worth|kind of|sort of",
    "可能|也许|大概|说不定|随便|随口|好像|似乎|或许", NULL,
};

#define ILLNESSES "diabetes|diabetic|cancer|depression|anxiety|asthma|epilepsy|epileptic|adhd|bipolar|hiv|migraines|" \
                  "pregnant|miscarriage|insulin|antidepressant*|chemo*|chemotherapy|medication|medications|surgery|rehab|" \
                  "dementia|parkinson's|high blood pressure|a stroke|a heart attack"
static const char *const CONFIDENTIAL[] = {
    /* health */
    "my|his|her|their|mother's|father's|wife's|husband's|son's|daughter's|user's > diagnosis|prescription|medication|medications|"
    "therapist|psychiatrist|pregnancy|blood type|blood pressure|disability|medical history|illness|disease|surgery|" ILLNESSES,
    "i|he|she|i've|mother|father|mom|mum|dad|wife|husband|son|daughter|partner|sister|brother|user > have|has|had|suffer|suffers|"
    "take|takes|am|is|was|been|got|on > " ILLNESSES,
    "i'm|he's|she's > on|taking|diabetic|pregnant|hiv|bipolar|epileptic > " ILLNESSES, "i'm|she's|he's > diabetic|pregnant|bipolar|"
    "epileptic|hiv positive", "diagnosed with|prescribed me|prescribed him|prescribed her|i was prescribed",
    "我 > 确诊|病史|糖尿病|高血压|抑郁|焦虑症|癌|肿瘤|艾滋|怀孕|流产|做手术|手术|服药|处方|心理医生|血型|残疾|哮喘|癫痫|患有|得了",
    "爸|妈|妻子|丈夫|老公|老婆|儿子|女儿|父亲|母亲|用户 > 确诊|病史|糖尿病|高血压|抑郁|癌|肿瘤|怀孕|流产|患有", "病历|诊断书|体检报告",
    /* money */
    "my|his|her|their|user's > salary|income|wage|wages|bonus|rent|mortgage|debt|debts|savings|net worth|bank account|pension|taxes|"
    "account number|iban|credit card|credit score",
    "i earn|i owe|i make|i'm paid|i get paid > a year|a month|per|k|$|€|£|dollars|euros|eur|usd",
    "我的 > 工资|薪水|收入|存款|负债|欠款|房贷|银行卡|信用卡|卡号|账户|年终奖|股份", "我月薪|我年薪|我工资|月薪是|年薪是|我欠|银行卡号|信用卡号|账户余额",
    /* where somebody lives, how to reach him */
    "my home address|my address is|home address is|i live at|i live on > 1*|2*|3*|4*|5*|6*|7*|8*|9*",
    "my home address|my address is|home address is|my phone number|my mobile number|my number is",
    "家庭住址|我的住址|我的地址|收货地址|我家住在|我的手机号|我的电话|手机号是|电话号码是",
    /* who somebody is by number */
    "passport|social security|ssn|identity card|id card|driver's license|driving licence|driving license|national insurance|"
    "tax id|tax number > number|no|is|:|#", "身份证|护照|社保号|驾照号|驾驶证号|税号|医保卡 > 号|是|:|：",
    /* special */
    "i'm|i am > gay|lesbian|bisexual|transgender|queer", "my > religion|sexual orientation|criminal record|ethnicity",
    "i was > convicted|arrested", "性取向|宗教信仰|犯罪记录|前科|案底", NULL,
};
/* clang-format on */

/* ---- worth ---- */

double mn_weigh_words(double importance, const struct mn_cue_text *words)
{
    if (mn_cue_any(words, DANGERS))
        return importance > DANGER ? importance : DANGER;
    if (mn_cue_any(words, STRESSES))
        importance += STRESSED;
    else if (mn_cue_any(words, PASSING_REMARKS))
        importance -= PASSING;
    return importance < IMPORTANCE_MIN   ? IMPORTANCE_MIN
           : importance > IMPORTANCE_MAX ? IMPORTANCE_MAX
                                         : importance;
}

static double worth_of(const char *type)
{
    for (size_t i = 0; i < sizeof WORTH / sizeof *WORTH; i++)
        if (mn_same(type, WORTH[i].type))
            return WORTH[i].importance;
    return 0.5;
}

/* ---- numbers ---- */

/* The digits of a number that is written in groups; where it ends. */
static size_t read_digits(const char *text, size_t at, char digits[CARD_DIGITS_MAX + 2],
                          size_t *ret_count)
{
    size_t count = 0;

    for (; mn_letter_digit(text[at]) ||
           (count && (text[at] == ' ' || text[at] == '-') && mn_letter_digit(text[at + 1]));
         at++)
        if (mn_letter_digit(text[at]) && count <= CARD_DIGITS_MAX)
            digits[count++] = text[at];
    *ret_count = count;
    return at;
}

/* The last digit of a payment card checks the others (Luhn). */
static bool is_card(const char *digits, size_t count)
{
    int sum = 0;

    if (count < CARD_DIGITS_MIN || count > CARD_DIGITS_MAX || digits[0] == '0')
        return false;
    for (size_t i = 0; i < count; i++) {
        int digit = digits[count - 1 - i] - '0';

        digit = i % 2 ? digit * 2 : digit;
        sum += digit > 9 ? digit - 9 : digit;
    }
    return sum % 10 == 0;
}

/* Chinese identity numbers: 17 digits, a checking 18th that may be X (ISO 7064, MOD 11-2). */
static bool is_identity(const char *at)
{
    static const int weight[] = { 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2 };
    static const char check[] = "10x98765432";
    int sum = 0;

    for (size_t i = 0; i < 17; i++) {
        if (!mn_letter_digit(at[i]))
            return false;
        sum += (at[i] - '0') * weight[i];
    }
    return mn_letter_to_lower(at[17]) == check[sum % 11] && !mn_letter_digit(at[18]);
}

/* 123-45-6789 */
static bool is_social_security(const char *at)
{
    static const char form[] = "ddd-dd-dddd";

    for (size_t i = 0; i < sizeof form - 1; i++)
        if (form[i] == 'd' ? !mn_letter_digit(at[i]) : at[i] != form[i])
            return false;
    return !mn_letter_digit(at[sizeof form - 1]) && at[sizeof form - 1] != '-';
}

/* Letters count from 10 on, the first four signs stand last, the remainder by 97 is 1 (ISO 13616). */
static bool is_checked(const char *sign, size_t count)
{
    int rest = 0;

    for (size_t i = 0; i < count; i++) {
        char c = sign[(i + 4) % count];

        rest = mn_letter_digit(c) ? (rest * 10 + c - '0') % 97 : (rest * 100 + c - 'a' + 10) % 97;
    }
    return count >= ACCOUNT_BYTES_MIN && rest == 1;
}

/* DE89 3704 0044 0532 0130 00: ends with one of its groups. */
static bool is_account(const char *at)
{
    char sign[ACCOUNT_BYTES_MAX];
    size_t count = 0;

    if (!mn_letter_latin(at[0]) || !mn_letter_latin(at[1]) || !mn_letter_digit(at[2]) ||
        !mn_letter_digit(at[3]))
        return false;
    for (;; at++) {
        if (mn_letter_plain(*at) && count < ACCOUNT_BYTES_MAX)
            sign[count++] = mn_letter_to_lower(*at);
        else if (is_checked(sign, count) || *at != ' ')
            return is_checked(sign, count);
    }
}

static bool holds_number(const char *text)
{
    char digits[CARD_DIGITS_MAX + 2];
    size_t count;

    for (size_t at = 0; text[at];) {
        bool begins = at == 0 || !mn_letter_plain(text[at - 1]);

        if (begins && mn_letter_digit(text[at])) {
            if (is_identity(text + at) || is_social_security(text + at))
                return true;
            at = read_digits(text, at, digits, &count);
            if (is_card(digits, count) && !mn_letter_plain(text[at]))
                return true;
            continue;
        }
        if (begins && mn_letter_latin(text[at]) && is_account(text + at))
            return true;
        at++;
    }
    return false;
}

/* ---- both ---- */

void mn_weigh(struct mneme_memory *memory)
{
    const char *content = mn_or_empty(memory->content);
    MN_ARENA_AUTO arena = mn_arena_new(strlen(content) * 8 + 65536);
    const char *folded = arena ? mn_text_fold(arena, content, strlen(content)) : NULL;
    struct mn_cue_text words;

    if (!folded) /* as if no word had weight */
        folded = "";
    words = mn_cue_read(folded);
    if (memory->importance < 0)
        memory->importance = mn_weigh_words(worth_of(memory->type), &words);
    if (memory->sensitivity == MNEME_SENSITIVITY_NONE &&
        (mn_cue_any(&words, CONFIDENTIAL) || holds_number(content)))
        memory->sensitivity = MNEME_CONFIDENTIAL;
}
