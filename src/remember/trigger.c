/*
 * trigger.c - what in a turn calls for a memory?
 *
 * Most of what is said is said once: greetings, questions, the work of the moment. A memory is
 * drawn only where the words ask for one ("remember", "以后都") or report what will matter later: a
 * correction, a decision, an end, a recovery, feedback, a statement about the user that a key
 * exists for. Sentence by sentence; the first table that matches names the call (calls.c).
 *
 * Some sentences belong together: what stands behind a semicolon to what began before it, a cure to
 * its cause, and behind "no, that's wrong" the sentence that says what is right, which alone is kept.
 *
 * What is no word of the speaker calls for nothing: quotations, code, quoted lines, and text that a
 * recall put into the prompt, which would otherwise feed on itself. Nor do questions and
 * suppositions: "if I said remember this" orders nothing. "Can you remember that ...?" is an order
 * in the form of a question.
 *
 * Measured by tests/unit/test_remember_trigger.c and test_remember_calls.c.
 */
#include "remember/draft.h"

#include <string.h>

#include "base/array.h"
#include "remember/calls.h"
#include "remember/earnest.h"
#include "remember/forgetting.h"
#include "remember/sentence.h"
#include "remember/wording.h"
#include "text/cue.h"
#include "text/pleasantry.h"

#define SCRATCH_BYTES_MAX ((size_t)32 << 20)

/* ---- the tables: folded; cues as text/cue.h describes them ---- */

/* clang-format off */
static const char *const REMEMBER[] = {
    "remember that", "remember this", "remember to", "remember", "keep in mind that",
    "keep in mind", "bear in mind that", "bear in mind", "don't forget that", "don't forget to",
    "don't forget", "do not forget that", "do not forget", "note that", "make a note that",
    "make a note of", "make a note", "take note that", "take a note", "for future reference",
    "for the record", "memorize that", "memorize", "memorise", "save to memory", "save this",
    "add to your memory that", "add this to your memory",
    "记住", "记下来", "记一下", "记下", "记好", "牢记", "记得", "记着", "别忘了", "不要忘了", "不要忘记", "别忘记", "勿忘", NULL,
};
/* Behind them: what is recalled is not ordered. */
static const char *const REMEMBERS_PAST[] = {
    "when", "how", "the time", "that time", "last", "what", "who", "where", "why", "if", "whether",
    "me", "us", "him", "her", "上次", "那次", "当时", "小时候", "吗", "我们上次", "上回", "那天", "你", NULL,
};
/* Said to a person, of the moment. */
static const char *const REMEMBERS_PEOPLE[] = {
    "to smile", "to breathe", "to have fun", "to eat", "to sleep", "to rest", "to relax", "to call me", "to call us", "to drink",
    "to enjoy", "to text me", "the good old", "the old days", "the good times", "the time", "those days",
    "带伞", "带钥匙", "带手机", "带上", "穿", "多穿", "吃饭", "喝水", "多喝", "休息", "早点", "睡觉", "想我", "回家", "回我", "联系我",
    "给我打电话", "打电话给我", NULL,
};
static const char *const REMEMBER_TAILS[] = {
    "了", "下来", "一下", "哦", "啊", "这一点", "这点", "这件事", "这个", "that", "it", "this", "too", "please", "then",
    "for me", "for next time", "for later", NULL,
};
/* clang-format on */

/* ---- one sentence ---- */

/* Nothing is left of it but signs, or words that point elsewhere. */
static bool is_bare(const char *cue, size_t at)
{
    size_t bytes = 1;

    while (bytes) {
        at = mn_call_marks(cue, at);
        bytes = mn_wording_any(cue, at, REMEMBER_TAILS);
        at += bytes;
    }
    while (cue[at] && (strchr(".!?; ", cue[at]) || !strncmp(cue + at, "。", 3) ||
                       !strncmp(cue + at, "！", 3) || !strncmp(cue + at, "？", 3)))
        at += (unsigned char)cue[at] < 0x80 ? 1 : 3;
    return !cue[at];
}

/* "The milk", "your umbrella": a thing in small letters of which nothing is said. */
static bool is_thing_alone(const struct mn_sentence *s, size_t at)
{
    static const char *const articles[] = { "the", "a", "an", "your", "my", "our", "some", NULL };
    size_t bytes = mn_wording_any(s->cue, at, articles);

    at += bytes + (bytes > 0);
    bytes = strspn(s->w.text + at, "abcdefghijklmnopqrstuvwxyz");
    return bytes && is_bare(s->cue, at + bytes);
}

/* "提交前记得跑测试": when to do it stands before the order, and is part of what is kept. */
static bool remembers_behind_when(const struct mn_sentence *s, size_t clause)
{
    static const char *const orders[] = { "记得", "别忘了", "不要忘了", "务必", NULL };
    static const char *const whens[] = { "前", "后", "时", "时候", NULL };

    for (size_t at = clause + 3; at < mn_wording_end(s->cue, clause) && !s->asks; at++)
        if (mn_wording_any(s->cue, at, orders))
            for (size_t i = 0; whens[i]; i++)
                if (at - clause > strlen(whens[i]) &&
                    !memcmp(s->cue + at - strlen(whens[i]), whens[i], strlen(whens[i])))
                    return true;
    return false;
}

/* An order to remember, and where what is to be kept stands in the sentence: [from, until), empty
 * when it stands in the sentence before. */
static bool find_order(const struct mn_sentence *s, size_t *ret_from, size_t *ret_until)
{
    for (size_t clause = 0; clause < s->w.bytes; clause = mn_wording_clause(s->cue, clause)) {
        size_t at = mn_call_openings(s->cue, clause);
        size_t bytes = mn_wording_any(s->cue, at, REMEMBER);
        size_t behind;

        if (!bytes && remembers_behind_when(s, clause)) {
            *ret_from = clause;
            *ret_until = s->w.bytes;
            return true;
        }
        if (!bytes)
            continue;
        behind = mn_call_marks(s->cue, at + bytes);
        if (mn_wording_any(s->cue, behind, REMEMBERS_PAST) ||
            mn_wording_any(s->cue, behind, REMEMBERS_PEOPLE) || is_thing_alone(s, behind))
            continue;
        if (s->asks && !strstr(s->cue + at, "that ") && !strstr(s->cue + at, " to "))
            continue;
        if (is_bare(s->cue, behind)) {
            *ret_from = 0;
            *ret_until = clause;
            return true;
        }
        for (size_t tail; (tail = mn_wording_any(s->cue, behind, (const char *const[]){
                               "了", "下来", "一下", "哦", "啊", "this", "that", NULL }));)
            behind = mn_call_marks(s->cue, behind + tail);
        *ret_from = behind;
        *ret_until = s->w.bytes;
        return true;
    }
    return false;
}

/* ---- the turn ---- */

struct hearing {
    struct mn_arena *arena;
    struct mn_arena *scratch;
    const char *text; /* the speaker's own */
    bool user;        /* else an assistant */
    bool feedback;    /* the whole turn is feedback */
    bool corrected;   /* the sentence before said only that something was wrong */
    bool called;      /* the sentence before called */
    bool carried;     /* what is left of the turn is what a task carries */
    size_t before, before_until; /* that sentence, in the text; empty when it asks */
    size_t said;      /* where the text of the last call begins */
    struct mn_calls calls;
};

/* text[from, until) without the signs at its end that part it from what follows. */
static enum mneme_status cut_said(const struct hearing *h, size_t from, size_t until,
                                  struct mn_str *ret_said, struct mneme_error *err)
{
    struct mn_wording w;

    while (until > from && strchr(" ,;:\n", h->text[until - 1]))
        until--;
    while (until >= from + 3 && (!memcmp(h->text + until - 3, "，", 3) ||
                                 !memcmp(h->text + until - 3, "；", 3)))
        until -= 3;
    w = mn_wording_of(h->arena, (struct mn_str){ h->text + from, until - from });
    if (!w.text)
        return mn_fail_memory(err);
    *ret_said = (struct mn_str){ w.text, w.bytes };
    return MNEME_OK;
}

static enum mneme_status add_call(struct hearing *h, enum mn_call call, size_t from, size_t until,
                                  struct mneme_error *err)
{
    struct mn_called made = { .call = call };
    struct mn_called *added;

    MN_TRY(cut_said(h, from, until, &made.said, err));
    if (!made.said.bytes)
        return MNEME_OK;
    added = mn_array_add(h->arena, &h->calls);
    if (!added)
        return mn_fail_memory(err);
    *added = made;
    h->said = from;
    h->called = true;
    return MNEME_OK;
}

/* A cause and its cure, and what stands behind a semicolon, belong to what was said before. */
static bool belongs_to_last(const struct hearing *h, const struct mn_sentence *s, enum mn_call call)
{
    enum mn_call last = h->called ? h->calls.item[h->calls.count - 1].call : MN_CALL_NONE;

    if (last == MN_CALL_RECOVERED && call == MN_CALL_RECOVERED)
        return true;
    return last != MN_CALL_NONE && s->goes_on && call == MN_CALL_NONE && mn_call_states(s);
}

/* What a report behind a semicolon speaks of stands before it. */
static bool leads_to(const struct hearing *h, const struct mn_sentence *s, enum mn_call call)
{
    return s->goes_on && !h->called && h->before_until > h->before &&
           (call == MN_CALL_RECOVERED || call == MN_CALL_DECISION || call == MN_CALL_CORRECTION);
}

/* A sentence that is no order to remember. */
static enum mneme_status hear_report(struct hearing *h, const struct mn_sentence *s,
                                     struct mneme_error *err)
{
    struct mn_heard heard = mn_call_of(s, h->user, h->scratch);
    bool corrected = h->corrected;

    h->corrected = heard.bare;
    if (heard.call == MN_CALL_NONE && !heard.bare && corrected && mn_call_states(s))
        heard.call = MN_CALL_CORRECTION;
    if (heard.call == MN_CALL_NONE && h->feedback && !h->calls.count &&
        mn_pleasantry_find(s->w.text, s->w.lower) == MN_PLEASANTRY_NO)
        heard.call = MN_CALL_FEEDBACK;
    if (!heard.bare && belongs_to_last(h, s, heard.call))
        return cut_said(h, h->said, s->until, &h->calls.item[h->calls.count - 1].said, err);
    h->called = false;
    if (heard.call == MN_CALL_NONE || h->calls.count == MN_CALLS_MAX)
        return MNEME_OK;
    return add_call(h, heard.call, leads_to(h, s, heard.call) ? h->before : s->from + heard.from,
                    s->until, err);
}

/* Is it the speaker's own, and meant? "Just kidding" takes back what was said before it. */
static bool is_meant(struct hearing *h, const struct mn_sentence *s)
{
    bool bare = false;

    if (h->carried || mn_earnest_carries(s, &h->carried))
        return false;
    if (mn_earnest_jokes(s, &bare)) {
        h->calls.count -= bare && h->called;
        return false;
    }
    return !mn_sentence_supposes(s, mn_call_openings(s->cue, 0)) && !mn_earnest_unreal(s);
}

static enum mneme_status hear(struct hearing *h, const struct mn_sentence *s, struct mneme_error *err)
{
    size_t from = 0, until = 0;

    if (!is_meant(h, s)) {
        h->called = h->corrected = false;
        return MNEME_OK;
    }
    if (h->user && find_order(s, &from, &until)) {
        h->called = h->corrected = false;
        if (h->calls.count == MN_CALLS_MAX)
            return MNEME_OK;
        return from == until ? add_call(h, MN_CALL_ORDER, h->before, h->before_until, err)
                             : add_call(h, MN_CALL_ORDER, s->from + from, s->from + until, err);
    }
    enum mn_call forget = h->user ? mn_forgetting_find(s, &from, &until) : MN_CALL_NONE;

    if (forget == MN_CALL_NONE && !s->asks)
        return hear_report(h, s, err);
    h->called = h->corrected = false;
    if (forget != MN_CALL_NONE && h->calls.count < MN_CALLS_MAX) {
        MN_TRY(add_call(h, forget, s->from + from, s->from + until, err));
        h->called = false; /* nothing belongs to it */
    }
    return MNEME_OK;
}

enum mneme_status mn_trigger_find(struct mn_arena *arena, const char *text, const char *role,
                                  struct mn_calls *ret_calls, struct mneme_error *err)
{
    MN_ARENA_AUTO scratch = mn_arena_new(SCRATCH_BYTES_MAX);
    struct hearing h = {
        .arena = arena,
        .scratch = scratch,
        .user = mn_empty(role) || !strcmp(role, "user") || !strcmp(role, "feedback"),
        .feedback = mn_same(role, "feedback"),
    };
    struct mn_sentences sentences;

    *ret_calls = h.calls;
    if (!h.user && !mn_same(role, "assistant"))
        return MNEME_OK;
    if (!mn_sentences_begin(scratch, mn_or_empty(text), &sentences))
        return mn_fail_memory(err);
    h.text = sentences.text;
    for (struct mn_sentence s; h.calls.count < MN_CALLS_MAX || h.called;) {
        bool more = false;

        if (!mn_sentences_next(&sentences, &s, &more))
            return mn_fail_memory(err);
        if (!more)
            break;
        MN_TRY(hear(&h, &s, err));
        h.before = s.from;
        h.before_until = s.asks ? s.from : s.until;
    }
    *ret_calls = h.calls;
    return MNEME_OK;
}
