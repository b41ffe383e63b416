/*
 * compare.c - do two texts say the same, or the opposite?
 *
 * No similarity of vectors tells a rewording from a changed fact: "30 days" and "180 days" are
 * closer than two ways of saying one thing. So both texts are taken apart into tokens under their
 * common names (phrases.c), each token looks for its like in the other text, and what finds none
 * decides: something left over in both       something was replaced: no rewording, whatever it was
 *   left over in one                  an addition; tolerated up to a third of the text, but never a
 *                                     number, a name or an identifier
 *   not as many negations             the opposite
 *   a pair of opposites left over     the opposite
 *   other signs (signs.c)             minus 5, C++, a tick: another fact
 *   numbers and names in other order  who does what to whom has changed
 *   two parts changed places around   the same, where no name is known: "A is the boss of B"; parts
 *   something that stayed             that swap with nothing between them only moved
 *
 * Measured on 76 pairs of both languages, half of them rewordings, written by one author beside the
 * rules' lists: no wrong merge, 21 of 22 light rewordings found; of full ones next to none.
 * Considered: containment of words alone. Changed facts contain more of the original than honest
 * rewordings do.
 */
#include "text/compare.h"

#include <string.h>

#include "text/analyze.h"
#include "text/fold.h"
#include "text/said.h"
#include "text/signs.h"

#define ADDED_SHARE_MAX 0.34f /* of either text */
#define ALIKE_SHARE_MIN 0.6f  /* of the larger, for calling it a rival */
#define SCRATCH_BYTES_MAX ((size_t)8 << 20)

static size_t count_left(const struct mn_said *side, enum mn_said_role role)
{
    size_t count = 0;

    for (size_t i = 0; i < side->count; i++)
        count += !side->item[i].paired && side->item[i].role == role;
    return count;
}

static size_t count_paired(const struct mn_said *side)
{
    size_t count = 0;

    for (size_t i = 0; i < side->count; i++)
        count += side->item[i].paired && side->item[i].role != MN_SAID_FUNCTION;
    return count;
}

/* How many of the left-over tokens of a have their opposite among those of b. */
static size_t count_opposites(const struct mn_said *a, const struct mn_said *b)
{
    const struct mn_said_token *opposed[MN_SAID_TOKENS_MAX + 1];
    size_t opposed_count = 0;
    size_t count = 0;

    for (size_t k = 0; k < b->count; k++) {
        if (!b->item[k].paired && mn_phrase_has_opposite(b->item[k].text))
            opposed[opposed_count++] = &b->item[k];
    }
    for (size_t i = 0; i < a->count && opposed_count > 0; i++) {
        if (a->item[i].paired || !mn_phrase_has_opposite(a->item[i].text))
            continue;
        for (size_t k = 0; k < opposed_count; k++) {
            if (mn_phrase_opposite(a->item[i].text, opposed[k]->text)) {
                count++;
                break;
            }
        }
    }
    return count;
}

/*
 * Does something else stand in the same place, grammar or not: 中 in 中文, 英 in 英文? Grammar for
 * grammar is no replacement.
 */
static bool substituted(const struct mn_said *a, const struct mn_said *b)
{
    for (size_t i = 0; i < a->count; i++) {
        size_t end = i;
        size_t from = i > 0 ? a->item[i - 1].partner + 1 : 0;
        size_t until;
        bool content = false;

        for (; end < a->count && !a->item[end].paired; end++)
            content = content || a->item[end].role == MN_SAID_CONTENT;
        if (end == i)
            continue;
        until = end < a->count ? a->item[end].partner : b->count;
        for (size_t k = from; k < until; k++)
            content = content || b->item[k].role == MN_SAID_CONTENT;
        for (size_t k = from; k < until && !b->item[k].paired; k++) {
            if (k + 1 == until && content)
                return true;
        }
        i = end;
    }
    return false;
}

static const struct mn_said_token *next_paired(const struct mn_said *side, size_t *at, bool exact)
{
    while (*at < side->count) {
        const struct mn_said_token *t = &side->item[(*at)++];

        if (t->paired && (exact ? t->role == MN_SAID_NUMBER || t->role == MN_SAID_NAME
                                : t->role != MN_SAID_FUNCTION))
            return t;
    }
    return NULL;
}

/* Do numbers and names (`exact`), or all content, come in the same order? */
static bool same_order(const struct mn_said *a, const struct mn_said *b, bool exact)
{
    size_t i = 0;
    size_t k = 0;

    for (;;) {
        const struct mn_said_token *x = next_paired(a, &i, exact);
        const struct mn_said_token *y = next_paired(b, &k, exact);

        if (!x || !y)
            return x == y;
        if (x->hash != y->hash)
            return false;
    }
}

/* The word of grammar before a token, articles passed over: to Tom, from 10. NULL: none. */
static const struct mn_said_token *place_of(const struct mn_said *side, size_t at)
{
    while (at > 0) {
        const struct mn_said_token *t = &side->item[--at];

        if (t->role != MN_SAID_FUNCTION)
            return NULL;
        if (!mn_str_equal(t->text, MN_STR("the")) && !mn_str_equal(t->text, MN_STR("a")) &&
            !mn_str_equal(t->text, MN_STR("an")))
            return t;
    }
    return NULL;
}

/* "on Monday at 10:00", "at 10:00 on Monday": each number and name says itself where it belongs. */
static bool same_places(const struct mn_said *a, const struct mn_said *b)
{
    size_t bare = 0;

    for (size_t i = 0; i < a->count; i++) {
        const struct mn_said_token *x;
        const struct mn_said_token *y;

        if (a->item[i].role != MN_SAID_NUMBER && a->item[i].role != MN_SAID_NAME)
            continue;
        x = place_of(a, i);
        y = place_of(b, a->item[i].partner);
        if (!x != !y || (x && x->hash != y->hash))
            return false;
        bare += !x;
    }
    return bare <= 1;
}

static bool is_copula(const struct mn_said_token *t)
{
    return mn_str_equal(t->text, MN_STR("是")) || mn_str_equal(t->text, MN_STR("is")) ||
           mn_str_equal(t->text, MN_STR("are")) || mn_str_equal(t->text, MN_STR("was"));
}

/* "A is B" against "B is A", A and B whole. */
static bool mirrored(const struct mn_said *a, const struct mn_said *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 1; i + 1 < a->count; i++) {
        size_t k = a->count - 1 - i; /* where the copula of b must stand */
        bool same = is_copula(&a->item[i]) && a->item[i].hash == b->item[k].hash;

        for (size_t j = 0; same && j < a->count; j++) {
            if (j != i)
                same = a->item[j].hash == b->item[j < i ? k + 1 + j : j - i - 1].hash;
        }
        if (same)
            return true;
    }
    return false;
}

struct sequence {
    const struct mn_said_token *item[MN_SAID_TOKENS_MAX + 1];
    size_t count;
};

static void paired_sequence(const struct mn_said *side, struct sequence *ret)
{
    ret->count = 0;
    for (size_t i = 0; i < side->count; i++) {
        if (side->item[i].paired)
            ret->item[ret->count++] = &side->item[i];
    }
}

static bool same_items(const struct mn_said_token *const *a, const struct mn_said_token *const *b,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (a[i]->hash != b[i]->hash)
            return false;
    }
    return true;
}

static bool has_content(const struct mn_said_token *const *item, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (item[i]->role != MN_SAID_FUNCTION)
            return true;
    }
    return false;
}

/* "x A m B y" against "x B m A y": A and B have changed roles around m. */
static bool swapped(const struct mn_said *a, const struct mn_said *b)
{
    struct sequence x;
    struct sequence y;
    size_t front = 0;
    size_t back = 0;
    size_t n;

    paired_sequence(a, &x);
    paired_sequence(b, &y);
    if (x.count != y.count)
        return false;
    while (front < x.count && x.item[front]->hash == y.item[front]->hash)
        front++;
    while (back < x.count - front &&
           x.item[x.count - 1 - back]->hash == y.item[x.count - 1 - back]->hash)
        back++;
    n = x.count - front - back;
    for (size_t first = 1; first + 1 < n; first++) {
        const struct mn_said_token *const *p = x.item + front;
        const struct mn_said_token *const *q = y.item + front;

        if (!same_items(p, q + n - first, first))
            continue;
        for (size_t second = 1; first + second < n; second++) {
            size_t middle = n - first - second;

            if (same_items(p + n - second, q, second) &&
                same_items(p + first, q + second, middle) && has_content(p, first) &&
                has_content(p + n - second, second))
                return true;
        }
    }
    return false;
}

/* "the dog was bitten by the cat" against "the dog bit the cat": same order, other roles. */
static bool turned_passive(const struct mn_said *a, const struct mn_said *b)
{
    for (size_t i = 0; i < a->count; i++) {
        const struct mn_said_token *t = &a->item[i];

        if (!t->paired &&
            (mn_str_equal(t->text, MN_STR("被")) || mn_str_equal(t->text, MN_STR("by"))))
            return same_order(a, b, false);
    }
    return false;
}

static bool same_marks(const struct mn_said *a, const struct mn_said *b)
{
    for (int i = MN_MARK_NOT; i < MN_MARK_ALIKE; i++) {
        if (a->mark[i] != b->mark[i])
            return false;
    }
    return true;
}

/* One obliges where the other leaves the choice. */
static bool obliges_differently(const struct mn_said *a, const struct mn_said *b)
{
    if (a->mark[MN_MARK_NOT] > 0 || b->mark[MN_MARK_NOT] > 0)
        return false;
    return (a->mark[MN_MARK_MUST] && !a->mark[MN_MARK_MAY] && b->mark[MN_MARK_MAY] &&
            !b->mark[MN_MARK_MUST]) ||
           (b->mark[MN_MARK_MUST] && !b->mark[MN_MARK_MAY] && a->mark[MN_MARK_MAY] &&
            !a->mark[MN_MARK_MUST]);
}

static enum mn_likeness judge(const struct mn_said *a, const struct mn_said *b, bool same_signs)
{
    size_t both = count_paired(a);
    size_t opposites_a = count_opposites(a, b);
    size_t opposites_b = count_opposites(b, a);
    size_t left_a = count_left(a, MN_SAID_CONTENT);
    size_t left_b = count_left(b, MN_SAID_CONTENT);
    size_t names_a = count_left(a, MN_SAID_NAME);
    size_t names_b = count_left(b, MN_SAID_NAME);
    size_t numbers_a = count_left(a, MN_SAID_NUMBER);
    size_t numbers_b = count_left(b, MN_SAID_NUMBER);
    bool replaced = (names_a && names_b) || (numbers_a && numbers_b);
    bool added = names_a || names_b || numbers_a || numbers_b;
    bool turned = !added && !mirrored(a, b) &&
                  ((!same_order(a, b, true) && !same_places(a, b)) || swapped(a, b) ||
                   turned_passive(a, b) || turned_passive(b, a));
    bool negated = a->mark[MN_MARK_NOT] != b->mark[MN_MARK_NOT];

    if (both == 0)
        return MN_LIKENESS_NONE;
    if (replaced || turned || !same_signs || opposites_a > 0 || negated ||
        obliges_differently(a, b)) {
        size_t rest_a = left_a > opposites_a ? left_a - opposites_a : 0;
        size_t rest_b = left_b > opposites_b ? left_b - opposites_b : 0;
        size_t rest = rest_a > rest_b ? rest_a : rest_b;

        return (float)both >= ALIKE_SHARE_MIN * (float)(both + rest) ? MN_LIKENESS_RIVAL
                                                                     : MN_LIKENESS_NONE;
    }
    if (added || !same_marks(a, b) || (left_a > 0 && left_b > 0) || substituted(a, b) ||
        (float)(left_a + left_b) > ADDED_SHARE_MAX * (float)(both + left_a + left_b))
        return MN_LIKENESS_NONE;
    return MN_LIKENESS_REWORDED;
}

char *mn_text_squeeze(struct mn_arena *arena, const char *text)
{
    char *folded = mn_text_fold(arena, mn_or_empty(text), strlen(mn_or_empty(text)));
    size_t kept = 0;

    if (!folded)
        return NULL;
    for (size_t i = 0; folded[i]; i++) {
        if (folded[i] != ' ')
            folded[kept++] = folded[i];
    }
    folded[kept] = '\0';
    return folded;
}

/* ---- what folding takes away and yet tells ---- */

/* 0: no such digit; '^': raised; '_': lowered. */
static char height_of(int32_t c)
{
    if (c == 0xb2 || c == 0xb3 || c == 0xb9 || (c >= 0x2070 && c <= 0x2079))
        return '^';
    return c >= 0x2080 && c <= 0x2089 ? '_' : 0;
}

static bool is_level_digit(int32_t c)
{
    return (c >= '0' && c <= '9') || (c >= 0xff10 && c <= 0xff19);
}

/*
 * A mark for each digit, when one of them stands raised or lowered behind another: 5² is not 52, and
 * 10₂ not 102. Behind a letter it is only another way to write it: m², H₂O. "" when none does.
 */
static const char *heights_of(struct mn_arena *arena, const char *text)
{
    size_t bytes = strlen(text);
    size_t count = 0;
    bool after_digit = false;
    bool tells = false;
    char *marks;

    for (size_t at = 0; at < bytes && !tells;) {
        int32_t c = mn_utf8_next(text, bytes, &at);

        tells = after_digit && height_of(c);
        after_digit = is_level_digit(c) || (after_digit && height_of(c));
    }
    if (!tells)
        return "";
    marks = mn_arena_alloc(arena, bytes + 1);
    if (!marks)
        return NULL;
    for (size_t at = 0; at < bytes;) {
        int32_t c = mn_utf8_next(text, bytes, &at);
        char height = height_of(c);

        if (is_level_digit(c) || height)
            marks[count++] = height && after_digit ? height : '0';
        after_digit = is_level_digit(c) || (after_digit && height);
    }
    marks[count] = '\0';
    return marks;
}

/* What tells two texts apart that are squeezed alike. NULL when the arena is full. */
static const char *nuance_of(struct mn_arena *arena, const char *text, const char *cased)
{
    const char *heights = heights_of(arena, text);

    if (!heights || !*heights)
        return heights ? cased : NULL;
    return mn_arena_printf(arena, "%s\n%s", cased, heights);
}

const char *mn_text_form(struct mn_arena *arena, const char *text)
{
    const char *squeezed = mn_text_squeeze(arena, text);
    struct mn_str cased = mn_fold_cased(arena, mn_or_empty(text), strlen(mn_or_empty(text)));
    struct mn_signs signs = { 0 };
    const char *nuance;

    if (!squeezed || !cased.at)
        return NULL;
    signs = mn_signs_read(arena, cased);
    if (!signs.mark)
        return NULL;
    nuance = nuance_of(arena, mn_or_empty(text), signs.cased);
    if (!nuance || !*nuance)
        return nuance ? squeezed : NULL;
    return mn_arena_printf(arena, "%s\n%s", squeezed, nuance);
}

bool mn_text_identical(const char *a, const char *b)
{
    MN_ARENA_AUTO arena = NULL;
    const char *form_a;
    const char *form_b;

    if (strcmp(mn_or_empty(a), mn_or_empty(b)) == 0)
        return true;
    arena = mn_arena_new(SCRATCH_BYTES_MAX);
    form_a = mn_text_form(arena, a);
    form_b = mn_text_form(arena, b);
    return form_a && form_b && strcmp(form_a, form_b) == 0;
}

/* ---- the judgement ---- */

enum mn_likeness mn_text_likeness(struct mn_arena *arena, const char *a, const char *b)
{
    struct mn_said said_a = { 0 };
    struct mn_said said_b = { 0 };
    const char *squeezed_a = mn_text_squeeze(arena, a);
    const char *squeezed_b = mn_text_squeeze(arena, b);
    struct mn_str cased_a = mn_fold_cased(arena, mn_or_empty(a), strlen(mn_or_empty(a)));
    struct mn_str cased_b = mn_fold_cased(arena, mn_or_empty(b), strlen(mn_or_empty(b)));
    struct mn_signs signs_a = { 0 };
    struct mn_signs signs_b = { 0 };
    const char *nuance_a;
    const char *nuance_b;
    bool same_nuance;

    if (!squeezed_a || !squeezed_b || !cased_a.at || !cased_b.at)
        return MN_LIKENESS_NONE;
    signs_a = mn_signs_read(arena, cased_a);
    signs_b = mn_signs_read(arena, cased_b);
    if (!signs_a.mark || !signs_b.mark)
        return MN_LIKENESS_NONE;
    nuance_a = nuance_of(arena, mn_or_empty(a), signs_a.cased);
    nuance_b = nuance_of(arena, mn_or_empty(b), signs_b.cased);
    if (!nuance_a || !nuance_b)
        return MN_LIKENESS_NONE;
    same_nuance = strcmp(nuance_a, nuance_b) == 0;
    if (strcmp(squeezed_a, squeezed_b) == 0)
        return same_nuance ? MN_LIKENESS_IDENTICAL : MN_LIKENESS_RIVAL;
    if (!mn_said_read(arena, cased_a, cased_b, &said_a, &said_b))
        return MN_LIKENESS_NONE;
    return judge(&said_a, &said_b, same_nuance && strcmp(signs_a.mark, signs_b.mark) == 0);
}
