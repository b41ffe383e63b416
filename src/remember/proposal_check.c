/*
 * proposal_check.c - does the turn say what the model says it says?
 *
 * A model that reads a conversation invents, mixes up and drops a "not" (and a turn may tell it to).
 * So each of its memories is held against the turn by rules:
 *
 *   the words it quotes stand in the turn, in clauses that neither ask nor suppose nor quote
 *   both say not, unless, maybe, used to and plans to alike, clause against sentence
 *   its numbers stand near, and count the same; its names stand near
 *   three fifths of its other words are the turn's own, and two fifths are not in quotation marks
 *
 * Words are compared under their common names (text/said.h): synonyms, stems, numerals. What says the
 * same in quite other words is refused: the turn itself stays recallable, and a wrong memory misleads.
 * Of an assistant's turns only reports of work are taken, as by the rules (trigger.c): it repeats what it
 * was told, and would otherwise make memories of memories.
 */
#include "remember/proposal.h"

#include <string.h>

#include "base/array.h"
#include "remember/sentence.h"
#include "text/analyze.h"
#include "text/compare.h"
#include "text/fold.h"
#include "text/letters.h"
#include "text/orders.h"
#include "text/said.h"

#define SCRATCH_BYTES_MAX ((size_t)64 << 20)
#define NEAR 6 /* clauses on each side of the quoted ones: where names and words may come from */
#define COUNTS_NEAR 4 /* tokens between a number and what it counts */
#define STEM_BYTES 5 /* allergic and allergy */
#define OWN_SHARE 0.6
#define UNQUOTED_SHARE 0.4

/* A clause of the turn, and where its squeezed text lies in that of all. */
struct clause {
    struct mn_str text;   /* in the wording of its sentence */
    struct mn_str masked; /* the same with what is quoted blanked */
    size_t from, until;
    bool idle; /* asks or supposes */
};
struct clauses {
    struct clause *item;
    size_t count, room;
    struct mn_buf squeezed;
};

static void release_clauses(struct clauses *all)
{
    mn_buf_release(&all->squeezed);
}

static bool add_clause(struct mn_arena *arena, const struct mn_sentence *s, size_t from,
                       size_t until, bool idle, struct clauses *all)
{
    struct clause *c = mn_array_add(arena, all);
    const char *text = mn_arena_copy_n(arena, s->w.text + from, until - from);
    char *masked = mn_arena_copy_n(arena, s->w.text + from, until - from);
    const char *squeezed = text ? mn_text_squeeze(arena, text) : NULL;

    if (!c || !masked || !squeezed)
        return false;
    for (size_t i = from; i < until; i++)
        if (s->cue[i] == MN_QUOTED)
            masked[i - from] = ' ';
    *c = (struct clause){ { text, until - from }, { masked, until - from }, all->squeezed.bytes, 0,
                          idle };
    mn_buf_text(&all->squeezed, squeezed);
    c->until = all->squeezed.bytes;
    return !all->squeezed.failed;
}

static bool read_clauses(struct mn_arena *arena, const char *text, struct clauses *all)
{
    struct mn_sentences sentences;
    struct mn_sentence s;
    bool more = true;

    if (!mn_sentences_begin(arena, text, &sentences))
        return false;
    while (more) {
        if (!mn_sentences_next(&sentences, &s, &more))
            return false;
        if (!more)
            break;
        bool idle = s.asks || mn_sentence_supposes(&s, 0);
        for (size_t at = 0; at < s.w.bytes;) {
            size_t next = mn_wording_clause(s.w.lower, at);

            if (!add_clause(arena, &s, at, next, idle, all))
                return false;
            at = next;
        }
    }
    return true;
}

/* ---- the quote ---- */

/* Ends of a quotation that are nobody's words. */
static struct mn_str trim_marks(const char *squeezed)
{
    static const char *const marks[] = { ".", ",", "!", ";", ":", "\"", "'", "…", "。", "，", "！", "；", NULL };
    struct mn_str s = mn_str_of(squeezed);
    bool cut = true;

    while (cut && s.bytes) {
        cut = false;
        for (size_t i = 0; marks[i] && !cut; i++) {
            size_t n = strlen(marks[i]);

            if (s.bytes >= n && !memcmp(s.at + s.bytes - n, marks[i], n)) {
                s.bytes -= n;
                cut = true;
            } else if (s.bytes >= n && !memcmp(s.at, marks[i], n)) {
                s.at += n;
                s.bytes -= n;
                cut = true;
            }
        }
    }
    return s;
}

/* The clauses [*ret_first, *ret_last] that hold the quote; false when none do. */
static bool find_quote(struct mn_arena *arena, const struct clauses *all, const char *quote,
                       size_t *ret_first, size_t *ret_last)
{
    const char *squeezed = mn_text_squeeze(arena, quote);
    struct mn_str q = squeezed ? trim_marks(squeezed) : MN_STR("");
    const char *found = q.bytes ? memmem(all->squeezed.at ? all->squeezed.at : "",
                                         all->squeezed.bytes, q.at, q.bytes)
                                : NULL;
    size_t from, until, first = 0, last;

    if (!found || q.bytes < 4) /* two letters, or one character, say nothing */
        return false;
    from = (size_t)(found - all->squeezed.at);
    until = from + q.bytes;
    while (first < all->count && all->item[first].until <= from)
        first++;
    last = first;
    while (last + 1 < all->count && all->item[last + 1].from < until)
        last++;
    *ret_first = first;
    *ret_last = last;
    return first < all->count;
}

/* The clauses one behind the other. */
static const char *join_clauses(struct mn_arena *arena, const struct clauses *all, size_t first,
                                size_t last, bool masked)
{
    MN_BUF_AUTO out = { 0 };

    for (size_t i = first; i <= last; i++) {
        struct mn_str text = masked ? all->item[i].masked : all->item[i].text;

        mn_buf_put(&out, text.at, text.bytes);
        mn_buf_char(&out, ' ');
    }
    return out.failed ? NULL : mn_arena_copy(arena, out.at ? out.at : "");
}

/* ---- what both say ---- */

struct sides {
    struct mn_said draft;
    struct mn_said turn;
};

/* False: too long, or no room. */
static bool read_sides(struct mn_arena *arena, const char *draft, const char *turn,
                       struct sides *ret_sides)
{
    struct sides sides = { 0 };
    struct mn_str a = mn_fold_cased(arena, draft, strlen(draft));
    struct mn_str b = mn_fold_cased(arena, turn, strlen(turn));

    if (!a.at || !b.at || !mn_said_read(arena, a, b, &sides.draft, &sides.turn))
        return false;
    *ret_sides = sides;
    return true;
}

static bool says_alike(const struct sides *s)
{
    static const enum mn_mark marks[] = { MN_MARK_EXCEPT, MN_MARK_FORMER, MN_MARK_HEDGE,
                                          MN_MARK_PLAN, MN_MARK_MAY };
    const unsigned *a = s->draft.mark, *b = s->turn.mark;

    if ((a[MN_MARK_NOT] > 0) != (b[MN_MARK_NOT] > 0) ||
        a[MN_MARK_NOT] % 2 != b[MN_MARK_NOT] % 2)
        return false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if ((a[marks[i]] > 0) != (b[marks[i]] > 0))
            return false;
    return true;
}

/* The next token that is no function word, in steps of `step`; count when there is none. */
static size_t neighbour(const struct mn_said *said, size_t at, int step)
{
    for (;;) {
        if (step < 0 && at == 0)
            return said->count;
        at = step < 0 ? at - 1 : at + 1;
        if (at >= said->count || said->item[at].role != MN_SAID_FUNCTION)
            return at < said->count ? at : said->count;
    }
}

/* Does what stands beside the number in the draft stand beside it in the turn, on the same side? */
static bool counts_alike(const struct sides *s, size_t number, size_t there, int step)
{
    size_t beside = neighbour(&s->draft, number, step);
    size_t at = there;

    if (beside == s->draft.count || !s->draft.item[beside].paired)
        return false;
    if (s->draft.item[beside].role == MN_SAID_NUMBER)
        return true; /* judged for itself */
    for (int i = 0; i < COUNTS_NEAR; i++) {
        at = neighbour(&s->turn, at, step);
        if (at == s->turn.count)
            return false;
        if (s->turn.item[at].hash == s->draft.item[beside].hash)
            return true;
        if (s->turn.item[at].role == MN_SAID_NUMBER)
            return false;
    }
    return false;
}

/* The number may stand in the turn more than once. */
static bool number_holds(const struct sides *s, size_t number)
{
    bool alone = neighbour(&s->draft, number, 1) == s->draft.count &&
                 neighbour(&s->draft, number, -1) == s->draft.count;

    for (size_t i = 0; i < s->turn.count; i++)
        if (s->turn.item[i].hash == s->draft.item[number].hash &&
            (alone || counts_alike(s, number, i, 1) || counts_alike(s, number, i, -1)))
            return true;
    return false;
}

static bool same_stem(const struct sides *s, const struct mn_said_token *token)
{
    if (token->text.bytes < STEM_BYTES || (unsigned char)token->text.at[0] >= 0x80)
        return false;
    for (size_t i = 0; i < s->turn.count; i++)
        if (!s->turn.item[i].paired && s->turn.item[i].text.bytes >= STEM_BYTES &&
            !memcmp(s->turn.item[i].text.at, token->text.at, STEM_BYTES))
            return true;
    return false;
}

static bool in_text(const char *folded, struct mn_str word)
{
    return folded && memmem(folded, strlen(folded), word.at, word.bytes) != NULL;
}

/* speaker: folded; whom the sentence is about may be named by it. */
static enum mn_support words_hold(const struct sides *s, const char *speaker, double share_min)
{
    size_t all = 0, own = 0;

    for (size_t i = 0; i < s->draft.count; i++) {
        const struct mn_said_token *token = &s->draft.item[i];

        if (token->role == MN_SAID_FUNCTION || in_text(speaker, token->text))
            continue;
        if (token->role == MN_SAID_NUMBER && !number_holds(s, i))
            return MN_UNSUPPORTED_NUMBER;
        if (token->role == MN_SAID_NAME && !token->paired)
            return MN_UNSUPPORTED_NAME;
        all++;
        own += token->paired || same_stem(s, token);
    }
    return all && (double)own >= share_min * (double)all ? MN_SUPPORTED : MN_UNSUPPORTED_WORDS;
}

/* ---- all of it ---- */

/* Without whom it is about: the turn says "I". NULL: no room. */
static const char *without_subject(struct mn_arena *arena, const char *content)
{
    static const char *const subjects[] = { "The user's", "the user's", "The user", "the user",
                                            "The assistant", "the assistant", "User", "用户" };
    char *text = mn_arena_copy(arena, content);

    for (size_t i = 0; text && i < sizeof subjects / sizeof *subjects; i++)
        for (char *at; (at = strstr(text, subjects[i]));)
            memset(at, ' ', strlen(subjects[i]));
    return text;
}

static enum mn_support hold_against(struct mn_arena *arena, const struct mn_proposal *p,
                                    const struct clauses *all, size_t first, size_t last,
                                    const char *speaker)
{
    const char *content = without_subject(arena, p->content);
    const char *said = join_clauses(arena, all, first, last, false);
    size_t from = first > NEAR ? first - NEAR : 0;
    size_t until = last + NEAR < all->count ? last + NEAR : all->count - 1;
    const char *around = join_clauses(arena, all, from, until, false);
    const char *unquoted = join_clauses(arena, all, from, until, true);
    const char *name = mn_text_fold(arena, speaker, strlen(speaker));
    struct sides close, wide, own;
    enum mn_support support;

    if (!content || !said || !around || !unquoted || !name ||
        !read_sides(arena, content, said, &close))
        return MN_UNSUPPORTED_MEMORY;
    if (!says_alike(&close))
        return MN_UNSUPPORTED_NEGATION;
    if (!read_sides(arena, content, around, &wide))
        wide = close; /* clauses too long to look around in */
    support = words_hold(&wide, name, OWN_SHARE);
    if (support != MN_SUPPORTED || !strcmp(around, unquoted))
        return support;
    if (!read_sides(arena, content, unquoted, &own))
        return MN_UNSUPPORTED_MEMORY;
    support = words_hold(&own, name, UNQUOTED_SHARE);
    return support == MN_UNSUPPORTED_WORDS ? MN_UNSUPPORTED_MODE : MN_SUPPORTED;
}

static enum mn_support find_and_hold(struct mn_arena *arena, const struct mn_proposal *p,
                                     const char *text, const char *speaker, struct clauses *all)
{
    size_t first = 0, last = 0;

    if (!read_clauses(arena, text, all))
        return MN_UNSUPPORTED_MEMORY;
    if (!find_quote(arena, all, p->quote, &first, &last))
        return MN_UNSUPPORTED_QUOTE;
    for (size_t i = first; i <= last; i++)
        if (all->item[i].idle)
            return MN_UNSUPPORTED_MODE;
    return hold_against(arena, p, all, first, last, speaker);
}

enum mn_support mn_proposal_support(const struct mn_proposal *proposal, const char *text,
                                    const char *role, const char *speaker)
{
    MN_ARENA_AUTO arena = mn_arena_new(SCRATCH_BYTES_MAX);
    MN_CLEANUP(release_clauses) struct clauses all = { 0 };
    struct mn_calls calls = { 0 };

    if (!arena)
        return MN_UNSUPPORTED_MEMORY;
    if (mn_text_secret(proposal->content))
        return MN_UNSUPPORTED_SECRET;
    if (mn_text_orders(arena, proposal->content) != MN_ORDERS_NONE)
        return MN_UNSUPPORTED_ORDERS;
    if (mn_same(role, "assistant")) {
        if (mn_trigger_find(arena, text, role, &calls, NULL) != MNEME_OK)
            return MN_UNSUPPORTED_MEMORY;
        if (!calls.count)
            return MN_UNSUPPORTED_SPEAKER;
    }
    return find_and_hold(arena, proposal, text, mn_or_empty(speaker), &all);
}
