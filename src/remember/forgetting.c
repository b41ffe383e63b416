/*
 * forgetting.c - "forget what I said about Berlin", 忘掉我说的关于柏林的事.
 *
 * Narrow on purpose: the order opens a clause, names what it is of ("what I said", "everything you know",
 * 你记住的) and then the topic, or takes a statement back ("forget that I live in Berlin"). "Forget it",
 * "I forgot", 忘了告诉你 and "don't forget" order nothing of the kind, and a file or a table is deleted by
 * other words.
 */
#include "remember/forgetting.h"

#include <string.h>

#include "remember/calls.h"
#include "remember/wording.h"

/* clang-format off */
static const char *const MAY[] = { "you can", "you may", "i'd like you to", "i want you to", NULL };
static const char *const FORGET[] = { "forget", "please forget", "just forget", "disregard", "unlearn", NULL };
static const char *const DELETE[] = { "delete", "erase", "remove", "wipe", "clear", "drop", NULL };
/* The longer first. */
static const char *const SAID[] = {
    "what i just said", "what i said earlier", "what i said before", "what i said", "what i just told you", "what i told you",
    "what i wrote", "what i mentioned", "everything i said", "everything i told you", "everything i've told you",
    "everything i've said", "all i said", "all i told you", "anything i said", "anything i told you", "whatever i said",
    "whatever i told you", "the things i said", "the things i told you", "what you know", "everything you know", "all you know",
    "anything you know", "what you remember", "everything you remember", "all you remember", "what you have stored",
    "what you stored", "what you saved", "what you have", "everything you have", "everything you stored", "your memories",
    "your memory", "the memories", "the memory", "all memories", "all memory", "any memories", "any memory", "all your memories",
    "my note", "my notes", "the note", NULL,
};
static const char *const EVERYTHING[] = { "everything", "anything", "all", "all that", NULL }; /* of "forget" alone */
static const char *const ABOUT[] = { "about", "regarding", "concerning", "of", "on", NULL };
static const char *const ENDS_TOPIC[] = { "please", "for now", "from now on", "entirely", "completely", "again", "too", "ok", NULL };
static const char *const SURELY_ABOUT[] = { "about", "regarding", "concerning", NULL };
/* A topic that is none. */
static const char *const NO_TOPIC[] = { "it", "this", "that", "them", "these", "those", "which", "how", "what", NULL };

static const char *const FORGET_ZH[] = { "忘掉", "忘了", "忘记", "忘却", "别再记得", "别再记着", "不要再记得", "不用记", NULL };
static const char *const DELETE_ZH[] = { "删掉", "删除", "清除", "清掉", "抹掉", "移除", NULL };
static const char *const SAID_ZH[] = {
    "我之前说的", "我之前说过的", "我刚才说的", "我刚刚说的", "我上次说的", "我说过的", "我说的", "我告诉你的", "我跟你说的", "我跟你说过的",
    "我对你说的", "我提到的", "你记住的", "你记得的", "你知道的", "你保存的", "你存的", NULL,
};
static const char *const ALL_ZH[] = { "所有", "一切", "全部", "那些", "之前", "的", NULL };
static const char *const ABOUT_ZH[] = { "关于", "有关", NULL };
static const char *const OF_ZH[] = {
    "的所有记忆", "的记忆", "的所有事", "的一切", "的所有内容", "的内容", "的信息", "的事情", "的事儿", "的事", "的话", "的部分", "的东西",
    "这件事", "这事", "这一点", NULL,
};
/* These make an order of a question. */
static const char *const POLITE_ZH[] = {
    "好吗", "行吗", "可以吗", "好不好", "请忘", "请把", "请删", "请你忘", "请你把", "请你删", "麻烦", NULL,
};
static const char *const MINE_ZH[] = { "忘掉我的", "请忘记我的", "把我的", NULL };
/* clang-format on */

static size_t blanks(const char *cue, size_t at)
{
    while (cue[at] == ' ')
        at++;
    return at;
}

/* The topic [from, until) without what stands behind it; false: it is none. */
static bool trim_topic(const char *cue, size_t *from, size_t *until)
{
    bool cut = true;

    *from = blanks(cue, *from);
    while (*until > *from && strchr(" .!?,", cue[*until - 1]))
        (*until)--;
    for (size_t at = *from + 1; at < *until; at++)
        if (cue[at - 1] == ' ' && mn_wording_any(cue, at, ENDS_TOPIC))
            *until = at - 1;
    while (cut && *until >= *from + 3) {
        static const char *const particles[] = { "吧", "了", "啊", "。", "！", "？" };

        cut = false;
        for (size_t i = 0; i < sizeof particles / sizeof *particles && !cut; i++)
            cut = !memcmp(cue + *until - 3, particles[i], 3);
        *until -= cut ? 3 : 0;
    }
    return *until > *from && !mn_wording_any(cue, *from, NO_TOPIC) &&
           !memchr(cue + *from, MN_QUOTED, *until - *from);
}

static enum mn_call english(const char *cue, size_t at, size_t end, size_t *from, size_t *until)
{
    static const char *const that[] = { "that i", "that we", "that my", "that our", NULL };
    static const char *const mine[] = { "my", "our", NULL };
    static const char *const yours[] = { "your", "all your", NULL };
    size_t may = mn_wording_any(cue, at, MAY), bytes;

    at = may ? blanks(cue, at + may) : at;
    size_t forget = mn_wording_any(cue, at, FORGET);
    size_t verb = forget ? forget : mn_wording_any(cue, at, DELETE);
    if (!verb)
        return MN_CALL_NONE;
    at = blanks(cue, at + verb);
    *until = end;
    if (forget && mn_wording_any(cue, at, that)) {
        *from = at + strlen("that ");
        return trim_topic(cue, from, until) ? MN_CALL_TAKEN_BACK : MN_CALL_NONE;
    }
    if (forget && (bytes = mn_wording_any(cue, at, mine))) {
        *from = at + bytes;
        return trim_topic(cue, from, until) ? MN_CALL_FORGET : MN_CALL_NONE;
    }
    bytes = mn_wording_any(cue, at, SAID);
    if (!bytes && forget)
        bytes = mn_wording_any(cue, at, EVERYTHING);
    bool ours = forget || mn_wording_any(cue, at, yours); /* no device's memory, no note on a line */
    at = blanks(cue, at + bytes);
    size_t about = bytes ? mn_wording_any(cue, at, ours ? ABOUT : SURELY_ABOUT) : 0;
    *from = at + about;
    return about && trim_topic(cue, from, until) ? MN_CALL_FORGET : MN_CALL_NONE;
}

/* Behind any number of these. */
static size_t behind_all(const char *cue, size_t at, const char *const *words, bool *ret_any)
{
    for (size_t bytes; (bytes = mn_wording_any(cue, at, words)); at += bytes)
        *ret_any = true;
    return at;
}

/* Ends the topic before 的事 and the like; *ret_of: it had one. */
static void cut_of(const char *cue, size_t from, size_t *until, bool *ret_of)
{
    for (size_t at = from; at < *until; at++) {
        size_t bytes = mn_wording_any(cue, at, OF_ZH);

        if (bytes) {
            *until = at;
            *ret_of = true;
            return;
        }
    }
}

/* "[我说的][关于]柏林[的事]" from `at` on. deletes: the verb may be of files as well. */
static enum mn_call chinese_topic(const char *cue, size_t at, size_t end, bool deletes, size_t *from,
                                  size_t *until)
{
    static const char *const i[] = { "我说", "我", NULL };
    bool said = false, all = false, of = false;

    at = behind_all(cue, at, ALL_ZH, &all);
    at = behind_all(cue, at, SAID_ZH, &said);
    at = behind_all(cue, at, ALL_ZH, &all);
    size_t about = mn_wording_any(cue, at, ABOUT_ZH);
    *from = at + about;
    *until = end;
    cut_of(cue, *from, until, &of);
    if ((about && (said || of || !deletes)) || (said && of))
        return trim_topic(cue, from, until) ? MN_CALL_FORGET : MN_CALL_NONE;
    if (!said && !about && of && !deletes && mn_wording_any(cue, at, i) == strlen("我"))
        return trim_topic(cue, from, until) ? MN_CALL_TAKEN_BACK : MN_CALL_NONE;
    return MN_CALL_NONE;
}

static enum mn_call chinese(const char *cue, size_t at, size_t end, size_t *from, size_t *until)
{
    size_t forget = mn_wording_any(cue, at, FORGET_ZH);
    size_t verb = forget ? forget : mn_wording_any(cue, at, DELETE_ZH);
    size_t mine = mn_wording_any(cue, at, MINE_ZH);

    if (verb && !mine)
        return chinese_topic(cue, at + verb, end, !forget, from, until);
    if (mine && strncmp(cue + at, "把", 3) != 0) {
        *from = at + mine;
        *until = end;
        return trim_topic(cue, from, until) ? MN_CALL_FORGET : MN_CALL_NONE;
    }
    if (strncmp(cue + at, "把", 3) != 0)
        return MN_CALL_NONE;
    for (size_t i = at + 3; i < end; i++) { /* "把关于柏林的事都忘掉" */
        size_t bytes = mn_wording_any(cue, i, FORGET_ZH);
        bool deletes = !bytes;

        bytes = bytes ? bytes : mn_wording_any(cue, i, DELETE_ZH);
        if (!bytes)
            continue;
        while (i > at + 3 && (!memcmp(cue + i - 3, "都", 3) || !memcmp(cue + i - 3, "全", 3)))
            i -= 3;
        return chinese_topic(cue, at + 3, i, deletes, from, until);
    }
    return MN_CALL_NONE;
}

enum mn_call mn_forgetting_find(const struct mn_sentence *s, size_t *ret_from, size_t *ret_until)
{
    for (size_t clause = 0; clause < s->w.bytes; clause = mn_wording_clause(s->cue, clause)) {
        size_t at = mn_call_openings(s->cue, clause), end = mn_wording_end(s->cue, at);
        size_t from = 0, until = 0;
        enum mn_call call = english(s->cue, at, end, &from, &until);

        if (call == MN_CALL_NONE && (!s->asks || mn_wording_holds(s->cue, POLITE_ZH)))
            call = chinese(s->cue, at, end, &from, &until); /* else "have you forgotten ...?" */
        if (call == MN_CALL_NONE)
            continue;
        *ret_from = from;
        *ret_until = until;
        return call;
    }
    return MN_CALL_NONE;
}
