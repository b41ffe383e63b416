/*
 * through.c - relations, who they start from, and the name that a text gives to their other end.
 *
 * A relation counts only with its start beside it: a possessive or "of" in English, 的 or a pronoun
 * in Chinese. Where another relation follows at once, both are one phrase ("my sister's husband"): a
 * text may name who that is, or each of them one after the other. A name counts only right beside
 * the relation, joined to it by a word of naming or by nothing, or set between commas, and in English
 * only with a capital. "Rex is my sister's dog" and "Yesterday, my sister left" name no sister.
 */
#include "text/through.h"

#include <stddef.h>

#include "text/letters.h"
#include "text/nations.h"
#include "text/trades.h"
#include "text/words.h"

#define NAME_WORDS_MAX 3
#define NAME_BYTES_MAX 120 /* with what joins it */
#define CLOSES ",.!?;:)\n"
#define HAN_NAME_BYTES 15 /* five characters */
#define HAN_ANCHOR_BYTES 24

static const char *const ENGLISH[] = {
    "sister",     "brother",    "mother",   "father",   "mom",      "mum",        "dad",
    "wife",       "husband",    "son",      "daughter", "uncle",    "aunt",       "cousin",
    "niece",      "nephew",     "grandma",  "grandpa",  "partner",  "girlfriend", "boyfriend",
    "fiance",     "boss",       "manager",  "mentor",   "coach",    "teacher",    "colleague",
    "roommate",   "neighbor",   "friend",   "doctor",   "dentist",  "assistant",  "landlord",
    "supervisor", "lawyer",     "employer", "company",  "owner",    "maintainer", "predecessor",
    "neighbour",  "successor",  "coworker", "stepson",  "employee", "grandmother", "grandfather",
    "spouse",     "fiancee",    "client",   "tenant",   "therapist", "nanny",      "trainer",
};
/* A longer one before one it holds. */
static const char *const CHINESE[] = {
    "女朋友", "男朋友", "负责人", "维护者", "前女友", "前男友", "姐姐", "妹妹", "哥哥",
    "弟弟",   "妈妈",   "母亲",   "爸爸",   "父亲",   "妻子",   "老婆", "丈夫", "老公",
    "儿子",   "女儿",   "叔叔",   "阿姨",   "舅舅",   "姑姑",   "表哥", "表姐", "表弟",
    "表妹",   "堂哥",   "奶奶",   "爷爷",   "外婆",   "外公",   "朋友", "同事", "老板",
    "上司",   "经理",   "主管",   "导师",   "老师",   "教练",   "室友", "邻居", "助理",
    "房东",   "医生",   "律师",   "搭档",   "公司",   "前任",   "徒弟", "爱人", "嫂子",
    "姐夫",   "妹夫",   "弟媳",   "女婿",   "儿媳",   "岳父",   "岳母", "闺女",
};
/* Words for one relation. */
static const char *const SAME[][4] = {
    { "mom", "mum", "mother" },      { "dad", "father" },        { "boss", "manager", "supervisor" },
    { "grandma", "grandmother" },    { "grandpa", "grandfather" }, { "neighbor", "neighbour" },
    { "colleague", "coworker" },     { "coach", "trainer" },     { "妈妈", "母亲" },
    { "爸爸", "父亲" },              { "妻子", "老婆", "爱人" }, { "丈夫", "老公", "爱人" },
    { "老板", "上司" },              { "经理", "主管" },         { "wife", "spouse" },
    { "husband", "spouse" },         { "女儿", "闺女" },
};
/* Who is one to somebody has the other in them. */
static const char *const MARRIED[] = { "husband", "wife", "spouse", "丈夫",
                                       "老公",    "妻子", "老婆",   "爱人" };
#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])

static struct mn_str slice(const char *from, const char *until)
{
    return (struct mn_str){ from, (size_t)(until - from) };
}

static bool begins(const char *at, const char *end, const char *with)
{
    size_t bytes;

    if (at == end || *at != *with) /* nearly always */
        return false;
    bytes = strlen(with);
    return (size_t)(end - at) >= bytes && !memcmp(at, with, bytes);
}

static bool ends(const char *from, const char *at, const char *with)
{
    return mn_str_ends(slice(from, at), with);
}

/* The list is in lower case. */
static bool is_one_of(struct mn_str word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (word.bytes && mn_letter_to_lower(word.at[0]) == list[i][0] &&
            mn_str_alike(word, mn_str_of(list[i])))
            return true;
    return false;
}

static bool stops(struct mn_str word)
{
    char lowered[24];

    if (word.bytes > sizeof lowered)
        return false;
    for (size_t i = 0; i < word.bytes; i++)
        lowered[i] = mn_letter_to_lower(word.at[i]);
    return mn_words_stop(lowered, word.bytes);
}

/* ---- English ---- */

/* The next Latin word from `at`, without its 's; empty at the end. */
struct word {
    struct mn_str text;
    const char *end; /* behind its 's */
    bool owns;
    bool follows; /* no end of a sentence stands before it */
};

static struct word word_at(const char *at, const char *end)
{
    struct word w = { .follows = true };

    for (; at < end && !mn_letter_latin(*at); at++)
        if (strchr(".!?;\n", *at) || (unsigned char)*at >= 0x80)
            w.follows = false;
    const char *from = at;
    while (at < end && (mn_letter_word(*at) || *at == '-' || (unsigned char)*at >= 0x80))
        at++;
    w.text = slice(from, at);
    if (at < end && *at == '\'') {
        w.owns = at + 1 < end && (at[1] == 's' || at[1] == 'S') &&
                 (at + 2 == end || !mn_letter_word(at[2]));
        w.owns = w.owns || ends(from, at, "s");
        for (at++; at < end && mn_letter_word(*at);)
            at++;
    }
    w.end = at;
    return w;
}

static bool is_name(struct word w)
{
    return w.text.bytes > 1 && mn_letter_upper(w.text.at[0]) && !stops(w.text) &&
           !mn_nation_people(w.text) && !mn_trade_known(w.text);
}

static bool is_relation(struct word w)
{
    return is_one_of(w.text, ENGLISH, COUNT_OF(ENGLISH));
}

/* Tom's, my, the user's: may a relation start here? */
static bool starts(struct word w, struct mn_str *ret_anchor)
{
    static const char *const not_owners[] = { "what", "who",   "it",  "that", "there", "here",
                                              "he",   "she",   "let", "how",  "where", "when",
                                              "this", "which", "one" };
    static const char *const speaker[] = { "my", "our" };

    *ret_anchor = (struct mn_str){ 0 };
    if (is_one_of(w.text, speaker, 2) || (w.owns && mn_str_alike(w.text, MN_STR("user"))))
        return true;
    *ret_anchor = w.text;
    return w.owns && !is_one_of(w.text, not_owners, COUNT_OF(not_owners));
}

/* A relation, or a word and a relation, behind `at`: "younger sister". */
static bool related(const char *at, const char *end, struct word *ret_relation)
{
    for (int between = 0; between < 2; between++) {
        struct word w = word_at(at, end);

        if (!w.text.bytes || !w.follows)
            return false;
        *ret_relation = w;
        if (is_relation(w))
            return true;
        at = w.end;
    }
    return false;
}

static void add_relation(struct mn_through *through, struct mn_str relation)
{
    through->phrase = slice(through->phrase.at, relation.at + relation.bytes);
    if (!through->relation_count)
        through->first = through->phrase;
    through->relation[through->relation_count++] = relation;
}

/* "Tom's younger sister", "my sister's husband", from the word on. */
static bool possessive(const char *at, const char *end, struct mn_through *ret,
                       const char **ret_end)
{
    struct word first = word_at(at, end), relation;
    struct mn_through found = { .phrase = first.text };

    if (!first.text.bytes || !starts(first, &found.anchor) || !related(first.end, end, &relation))
        return false;
    add_relation(&found, relation.text);
    *ret_end = relation.end;
    while (relation.owns && found.relation_count < MN_THROUGH_RELATIONS_MAX &&
           related(relation.end, end, &relation)) {
        add_relation(&found, relation.text);
        *ret_end = relation.end;
    }
    *ret = found;
    return true;
}

/* "the sister of Tom", "the husband of my sister", from the word on. */
static bool of_somebody(const char *at, const char *end, struct mn_through *ret,
                        const char **ret_end)
{
    struct word the = word_at(at, end);

    if (!mn_str_alike(the.text, MN_STR("the")))
        return false;
    struct word relation = word_at(the.end, end);
    struct word of = word_at(relation.end, end);
    struct word who = word_at(of.end, end);
    struct mn_through of_who = { 0 };

    if (!is_relation(relation) || !mn_str_alike(of.text, MN_STR("of")) || !who.follows)
        return false;
    if (possessive(of.end, end, &of_who, ret_end) &&
        of_who.relation_count < MN_THROUGH_RELATIONS_MAX) {
        of_who.relation[of_who.relation_count++] = relation.text;
        of_who.phrase = slice(the.text.at, of_who.phrase.at + of_who.phrase.bytes);
        *ret = of_who;
        return true;
    }
    if (!is_name(who))
        return false;
    const struct mn_str phrase = slice(the.text.at, who.text.at + who.text.bytes);
    *ret = (struct mn_through){ .phrase = phrase,
                                .anchor = who.text,
                                .relation = { relation.text },
                                .relation_count = 1,
                                .first = phrase };
    *ret_end = who.end;
    return true;
}

static bool english(const char *from, const char *end, struct mn_through *ret, const char **ret_end)
{
    for (const char *at = from; at < end;) {
        struct word w = word_at(at, end);

        if (!w.text.bytes)
            return false;
        if (possessive(at, end, ret, ret_end) || of_somebody(at, end, ret, ret_end))
            return true;
        at = w.end > at ? w.end : at + 1;
    }
    return false;
}

/* One to three words with a capital, from `at` on. */
static bool name_from(const char *at, const char *end, struct mn_str *ret_name)
{
    struct word w = word_at(at, end);

    if (w.follows && mn_trade_before_name(w.text)) /* "Dr. Lee" */
        w = word_at(w.end + (w.end < end && *w.end == '.'), end);
    if (!is_name(w) || !w.follows)
        return false;
    *ret_name = w.text;
    for (int i = 1; i < NAME_WORDS_MAX && !w.owns && *w.end == ' '; i++) {
        const char *before = w.end;

        w = word_at(before, end);
        if (!is_name(w) || w.text.at != before + 1)
            break;
        *ret_name = slice(ret_name->at, w.text.at + w.text.bytes);
    }
    return true;
}

/* Does a 's stand between the phrase and what is behind it? */
static bool owns(const struct mn_through *found, const char *behind)
{
    return behind > found->phrase.at + found->phrase.bytes;
}

/* "sister is Ann", "sister's name is Ann", "sister, Ann,", "sister called Ann". */
static bool named_behind(const struct mn_through *found, const char *behind, const char *end,
                         struct mn_str *ret_name)
{
    static const char *const naming[] = { "is", "was", "name", "named", "called" };
    const char *at = behind;

    if (owns(found, behind) && !mn_str_alike(word_at(behind, end).text, MN_STR("name")))
        return false;
    for (int i = 0; i < 3; i++) {
        struct word w = word_at(at, end);

        if (!w.follows || !is_one_of(w.text, naming, COUNT_OF(naming)))
            break;
        at = w.end;
    }
    if (!name_from(at, end, ret_name))
        return false;
    const char *after = ret_name->at + ret_name->bytes;
    return at > behind ? *after != '\'' /* not "is Tom's boss" */
                       : *behind != ',' || strchr(CLOSES, *after);
}

/* "Ann is", "Ann," before the phrase, at the head of its sentence. */
static bool named_before(const char *from, const struct mn_through *found, const char *behind,
                         struct mn_str *ret_name)
{
    const char *phrase = found->phrase.at, *head = phrase;

    while (head > from && !strchr(".!?;\n", head[-1]))
        if (phrase - --head > NAME_BYTES_MAX)
            return false;
    if (owns(found, behind) || !name_from(head, phrase, ret_name))
        return false;
    const char *after = ret_name->at + ret_name->bytes;
    struct word w = word_at(after, phrase);
    bool is = mn_str_alike(w.text, MN_STR("is")) || mn_str_alike(w.text, MN_STR("was"));
    return (!w.text.bytes && after < phrase && *after == ',' && strchr(CLOSES, *behind)) ||
           (is && !word_at(w.end, phrase).text.bytes);
}

/* ---- Chinese ---- */

static const char *relation_at(const char *at, const char *end)
{
    for (size_t i = 0; i < COUNT_OF(CHINESE); i++)
        if (begins(at, end, CHINESE[i]))
            return CHINESE[i];
    return NULL;
}

/* Back from `at` over what may be part of a name. */
static const char *run_before(const char *from, const char *at, size_t most)
{
    const char *begin = at;

    while (begin > from && (size_t)(at - begin) < most) {
        const char *previous = begin - 1;
        size_t read = 0;

        while (previous > from && ((unsigned char)*previous & 0xc0) == 0x80)
            previous--;
        int32_t c = mn_utf8_next(previous, (size_t)(begin - previous), &read);
        if (!mn_letter_han(c) && !(c < 0x80 && mn_letter_plain((char)c)))
            break;
        begin = previous;
    }
    return begin;
}

/* On over the same; what is longer than a name is not looked at to its end. */
static const char *run_behind(const char *at, const char *end)
{
    end = end - at > 2 * HAN_NAME_BYTES ? at + 2 * HAN_NAME_BYTES : end;
    while (at < end) {
        size_t read = 0;
        int32_t c = mn_utf8_next(at, (size_t)(end - at), &read);

        if (!mn_letter_han(c) && !(c < 0x80 && mn_letter_plain((char)c)))
            break;
        at += read;
    }
    return at;
}

/* 汤姆的, 我的, 我, 用户的 before the relation. */
static bool starts_before(const char *from, const char *relation, struct mn_through *ret)
{
    static const char *const speaker[] = { "我", "我们", "用户" };
    static const char *const lead[] = { "请问", "请告诉我", "告诉我", "那么", "是" };
    bool joined = ends(from, relation, "的");
    const char *until = joined ? relation - strlen("的") : relation;
    const char *begin = run_before(from, until, HAN_ANCHOR_BYTES);

    for (size_t i = 0; i < COUNT_OF(lead); i++)
        for (const char *at = begin; at < until; at++)
            if (begins(at, until, lead[i]))
                begin = at + strlen(lead[i]);
    const char *relative = relation_at(begin, until); /* 同事王强的老婆 */
    if (relative && until - begin > (ptrdiff_t)strlen(relative) + 3)
        begin += strlen(relative);
    ret->phrase.at = begin;
    ret->anchor = slice(begin, until);
    for (size_t i = 0; i < COUNT_OF(speaker); i++)
        if (ends(begin, until, speaker[i])) {
            ret->phrase.at = until - strlen(speaker[i]);
            ret->anchor.bytes = 0;
            return true;
        }
    return joined && ret->anchor.bytes && !ends(begin, until, "他") && !ends(begin, until, "她");
}

static bool chinese(const char *from, const char *start, const char *end, struct mn_through *ret,
                    const char **ret_end)
{
    for (const char *at = start; at < end; at++) {
        const char *relation = (unsigned char)*at < 0x80 ? NULL : relation_at(at, end);
        struct mn_through found = { 0 };

        if (!relation || !starts_before(from, at, &found))
            continue;
        while (relation && found.relation_count < MN_THROUGH_RELATIONS_MAX) {
            add_relation(&found, slice(at, at + strlen(relation)));
            *ret_end = at + strlen(relation);
            at = begins(*ret_end, end, "的") ? *ret_end + strlen("的") : *ret_end;
            relation = relation_at(at, end);
        }
        *ret = found;
        return true;
    }
    return false;
}

/* 叫小安, 是小安, ，小安 behind; 小安是 before. A relation, a trade or what has 的 in it is no name. */
static bool han_name(const char *begin, const char *until, struct mn_str *ret_name)
{
    static const char *const not_in[] = { "的", "我", "你", "他", "她", "很", "在", "不" };
    if (begin == until || until - begin > HAN_NAME_BYTES || mn_trade_known(slice(begin, until)))
        return false;
    for (const char *at = begin; at < until; at++) {
        for (size_t i = 0; i < COUNT_OF(not_in); i++)
            if (begins(at, until, not_in[i]))
                return false;
        if (relation_at(at, until))
            return false;
    }
    *ret_name = slice(begin, until);
    return true;
}

static bool han_named(const char *from, const char *end, const struct mn_through *found,
                      const char *behind, struct mn_str *ret_name)
{
    static const char *const naming[] = { "的名字", "名字", "就是", "名叫", "叫做", "叫", "是" };
    const char *first = begins(behind, end, ",") ? behind + 1 : behind;
    const char *at = first;

    for (size_t i = 0; i < COUNT_OF(naming); i++)
        if (begins(at, end, naming[i]))
            at += strlen(naming[i]);
    if (at > first && han_name(at, run_behind(at, end), ret_name))
        return true;
    if (!ends(from, found->phrase.at, "是"))
        return false;
    at = found->phrase.at - strlen("是");
    return han_name(run_before(from, at, HAN_NAME_BYTES + 1), at, ret_name);
}

/* ---- both ---- */

/* Does anything of content stand in it, beside what asks for a name? */
static bool asks_more(const char *at, const char *end)
{
    static const char *const names[] = { "name", "called", "named" };
    static const char *const han_names[] = { "什么", "名字", "谁", "叫", "请问", "告诉" };

    while (at < end) {
        size_t read = 0;
        struct word w = mn_letter_latin(*at) ? word_at(at, end) : (struct word){ 0 };

        if (w.text.bytes && !stops(w.text) && w.text.bytes > 1 &&
            !is_one_of(w.text, names, COUNT_OF(names)))
            return true;
        for (size_t i = 0; i < COUNT_OF(han_names) && !read; i++)
            if (begins(at, end, han_names[i]))
                read = strlen(han_names[i]);
        if (w.text.bytes)
            at = w.end;
        else if (read)
            at += read;
        else {
            int32_t c = mn_utf8_next(at, (size_t)(end - at), &read);

            if (mn_letter_han(c) && mn_words_han(c) == MN_HAN_CONTENT)
                return true;
            at += read;
        }
    }
    return false;
}

bool mn_through_asked(struct mn_str request, struct mn_through *ret_through)
{
    const char *end = request.at + request.bytes;
    const char *behind = NULL;
    struct mn_through found;

    if (!english(request.at, end, &found, &behind) &&
        !chinese(request.at, request.at, end, &found, &behind))
        return false;
    if (found.relation_count == 1 && !asks_more(request.at, found.phrase.at) &&
        !asks_more(found.phrase.at + found.phrase.bytes, end))
        return false;
    *ret_through = found;
    return true;
}

struct mn_through mn_through_first(const struct mn_through *through)
{
    struct mn_through first = *through;

    first.phrase = first.first;
    first.relation_count = 1;
    return first;
}

static bool same_relation(struct mn_str a, struct mn_str b)
{
    bool same = mn_str_alike(a, b);

    for (size_t i = 0; i < COUNT_OF(SAME) && !same; i++) {
        size_t count = 0;

        while (count < COUNT_OF(SAME[0]) && SAME[i][count])
            count++;
        same = is_one_of(a, SAME[i], count) && is_one_of(b, SAME[i], count);
    }
    return same;
}

/* Do both start from the same one? */
static bool same_anchor(const struct mn_through *found, const char *speaker,
                        const struct mn_through *through)
{
    if (!found->anchor.bytes && through->anchor.bytes)
        return mn_str_alike(through->anchor, mn_str_of(speaker));
    return mn_str_equal(found->anchor, through->anchor);
}

/* The same relations of the same one? */
static bool is_meant(const struct mn_through *found, const char *speaker,
                     const struct mn_through *through)
{
    if (found->relation_count != through->relation_count || !same_anchor(found, speaker, through))
        return false;
    for (size_t i = 0; i < found->relation_count; i++)
        if (!same_relation(through->relation[i], found->relation[i]))
            return false;
    return true;
}

static bool is_married(const struct mn_through *through)
{
    return through->relation_count == 1 &&
           is_one_of(through->relation[0], MARRIED, COUNT_OF(MARRIED));
}

/* "Tom's wife is Ann" says who Ann's husband is. */
static bool is_other_half(const struct mn_through *found, const struct mn_through *through,
                          struct mn_str name)
{
    return found->anchor.bytes && is_married(found) && is_married(through) &&
           mn_str_equal(name, through->anchor);
}

/* Is the one that `found` means given a name here, or by it who is meant? */
static bool tells(const struct mn_through *found, const char *speaker,
                  const struct mn_through *through, bool named, struct mn_str name,
                  struct mn_str *ret_name)
{
    if (named && is_meant(found, speaker, through))
        *ret_name = name;
    else if (named && is_other_half(found, through, name))
        *ret_name = found->anchor;
    else
        return false;
    return true;
}

bool mn_through_named(struct mn_str text, const char *speaker, const struct mn_through *through,
                      struct mn_str *ret_name)
{
    const char *end = text.at + text.bytes;
    const char *behind = NULL;
    struct mn_through found;
    struct mn_str name;

    for (const char *at = text.at; english(at, end, &found, &behind); at = behind) {
        bool named = named_behind(&found, behind, end, &name) ||
                     named_before(text.at, &found, behind, &name);

        if (tells(&found, speaker, through, named, name, ret_name))
            return true;
    }
    for (const char *at = text.at; chinese(text.at, at, end, &found, &behind); at = behind)
        if (tells(&found, speaker, through, han_named(text.at, end, &found, behind, &name), name,
                  ret_name))
            return true;
    return false;
}
