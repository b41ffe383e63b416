/*
 * attribute_en.c - "the office is in Berlin", "our API limit is 100 per user", "the lead is Anna".
 *
 * The thing, a verb, a value, and what limits it. Names have a capital, as everywhere in English.
 */
#include "remember/attribute.h"

#include <string.h>

#include "text/calendar.h"
#include "text/letters.h"
#include "text/nations.h"

#define WORDS_MAX 20
#define THING_WORDS_MAX 6
#define NAME_WORDS_MAX 4
#define LIMIT_WORDS_MAX 5

struct word {
    struct mn_str lower;
    bool capital;
};

struct reading {
    struct mn_arena *arena;
    const struct mn_wording *w;
    struct word word[WORDS_MAX];
    size_t count;
};

/* clang-format off */
static const char *const DETERMINERS[] = { "the", "our", "this", "that", NULL };
/* A thing that has one of these in its name is not one thing. */
static const char *const INDEFINITE[] = {
    "a", "an", "some", "any", "another", "each", "every", "no", "all", "both", "most", "many", "few", "other", "one", "either",
    "it", "these", "those", "there", "here", "he", "she", "they", "we", "you", "i", "what", "which", "who", "where", "when",
    "why", "how", "and", "or", "but", "if", "unless", "while", "not", "never", "nothing", "something", "everything", "somebody",
    "someone", "everyone", "nobody", "anyone", "that", "this", "than", "maybe", "perhaps", "i'm", "it's", "is", "are", "was", NULL,
};
/* There are others of them, or there is another tomorrow. */
static const char *const PASSING[] = {
    "bug", "bugs", "error", "errors", "problem", "problems", "issue", "issues", "answer", "answers", "question", "questions",
    "thing", "things", "point", "file", "files", "line", "result", "results", "test", "tests", "commit", "message", "example",
    "man", "woman", "guy", "person", "people", "book", "cause", "culprit", "reason", "fix", "part", "step", "idea", "case",
    "brother", "brothers", "sister", "sisters", "friend", "friends", "colleague", "colleagues", "cousin", "aunt", "uncle", "son",
    "daughter", "child", "children", "kid", "kids", "cat", "dog", "pet", "neighbour", "neighbor", "teacher", "doctor", "client",
    "customer", "user", "users", "order", "ticket", "task", "train", "bus", "weather", "temperature", "time", "rest", "total", NULL,
};
static const char *const NOW[] = { "now", "currently", "still", "actually", "only", "just", "set", "fixed", "exactly", "about", "around",
                                   "roughly", "approximately", "limited", "capped", "also", "really", "kept", "retained", "stored", "valid", NULL };
static const char *const IN[] = { "in", "at", "located", "based", "hosted", "situated", "deployed", NULL };
static const char *const ENDS[] = { "now", "currently", "again", "anymore", "instead", "these days", "nowadays", "at the moment", "for now",
                                    "from now on", "any more", "any longer", "as of now", "as of today", NULL };
static const char *const LIMITS[] = { "for", "per", "on", "in", "at", "during", "with", "under", "within", "a", "an", "each", "every",
                                      "after", "before", "when", "without", NULL };
static const char *const PASSES[] = { "today", "tomorrow", "tonight", "yesterday", "this", "next", "last", "until", "till", "since",
                                     "holiday", "vacation", "moment", NULL };
static const char *const SPOTS[] = { "room", "building", "floor", "street", "road", "avenue", "square", "hall", "tower", "wing", "house",
                                     "gate", "platform", "rack", "shelf", "drawer", NULL };
/* One at a time holds such a place. */
static const char *const HELD[] = {
    "name", "lead", "leader", "manager", "boss", "owner", "director", "ceo", "cto", "cfo", "coo", "chair", "chairman", "president",
    "maintainer", "captain", "principal", "mayor", "landlord", "landlady", "wife", "husband", "fiancé", "fiancée", "spouse",
    "mother", "father", "mom", "mum", "dad", "capital", "headquarters", "codename", "branch", "hostname", "host", "domain", "endpoint",
    "region", "registrar", "supervisor", "contact", "assignee", "successor", "venue", "vendor", "supplier", "provider", NULL,
};
static const char *const BARE[] = { "branch", NULL }; /* its names have no capital */
/* clang-format on */

/* What is done with a value. */
static const struct verb {
    const char *word;
    const char *behind; /* the word behind it; NULL: none */
    const char *kind;   /* NULL: by the value */
    enum { ANY = 1, NUMBER, PLACE } takes;
    bool counts; /* the unit is part of the kind: "has 5 members" */
} VERBS[] = {
    { "is", NULL, NULL, ANY, false },          { "are", NULL, NULL, ANY, false },
    { "isn't", NULL, NULL, ANY, false },       { "aren't", NULL, NULL, ANY, false },
    { "costs", NULL, "cost", NUMBER, false },  { "lasts", NULL, "duration", NUMBER, false },
    { "takes", NULL, "duration", NUMBER, false }, { "weighs", NULL, "weight", NUMBER, false },
    { "opens", "at", "opens", NUMBER, false }, { "closes", "at", "closes", NUMBER, false },
    { "starts", "at", "starts", NUMBER, false }, { "ends", "at", "ends", NUMBER, false },
    { "expires", "after", "expires", NUMBER, false }, { "expires", "in", "expires", NUMBER, false },
    { "has", NULL, "has", NUMBER, true },      { "have", NULL, "has", NUMBER, true },
    { "allows", NULL, "allows", NUMBER, true }, { "holds", NULL, "holds", NUMBER, true },
    { "lives", "in", "home", PLACE, false },   { "sits", "in", "seat", PLACE, false },
};

/* ---- words ---- */

static bool split(struct reading *r, size_t at, size_t end)
{
    while (at < end) {
        size_t from = at;

        while (at < end && r->w->lower[at] != ' ')
            at++;
        if (at > from) {
            if (r->count == WORDS_MAX)
                return false;
            r->word[r->count++] = (struct word){ { r->w->lower + from, at - from },
                                                 mn_letter_upper(r->w->text[from]) };
        }
        at += at < end;
    }
    return true;
}

static struct mn_str span(const struct reading *r, size_t from, size_t until)
{
    const char *at = from < until ? r->word[from].lower.at : "";
    const struct mn_str *last = from < until ? &r->word[until - 1].lower : NULL;

    return (struct mn_str){ at, last ? (size_t)(last->at + last->bytes - at) : 0 };
}

static const char *as_written(const struct reading *r, size_t from, size_t until)
{
    struct mn_str s = span(r, from, until);

    return mn_arena_copy_n(r->arena, r->w->text + (s.at - r->w->lower), s.bytes);
}

/* Without what only says that it is so now. */
static size_t cut_ends(const struct reading *r)
{
    size_t count = r->count;

    for (size_t i = 1; i < count; i++) {
        size_t at = (size_t)(r->word[i].lower.at - r->w->lower);
        size_t bytes = mn_wording_any(r->w->lower, at, ENDS);
        struct mn_str last = r->word[count - 1].lower;

        if (bytes && r->word[i].lower.at + bytes == last.at + last.bytes) {
            count = i;
            i = 0;
        }
    }
    return count;
}

/* ---- the thing ---- */

static bool thing(const struct reading *r, size_t until, struct mn_str *ret_thing)
{
    size_t from = until > 0 && mn_str_alike_any(r->word[0].lower, DETERMINERS);

    if (from >= until || until - from > THING_WORDS_MAX ||
        mn_str_alike_any(r->word[until - 1].lower, PASSING))
        return false;
    for (size_t i = from; i < until; i++)
        if (mn_str_alike_any(r->word[i].lower, INDEFINITE))
            return false;
    *ret_thing = span(r, from, until);
    return true;
}

static const struct verb *verb_at(const struct reading *r, size_t i)
{
    for (size_t v = 0; v < sizeof VERBS / sizeof *VERBS; v++)
        if (mn_str_equal(r->word[i].lower, mn_str_of(VERBS[v].word)) &&
            (!VERBS[v].behind || (i + 1 < r->count && mn_str_equal(r->word[i + 1].lower,
                                                                   mn_str_of(VERBS[v].behind)))))
            return &VERBS[v];
    return NULL;
}

/* ---- the value ---- */

/* "per user": what stands behind the value is what limits it; false: it is something else. */
static bool limit(const struct reading *r, size_t from, size_t until, struct mn_attribute *a)
{
    size_t count = until - from;

    if (count && (!mn_str_alike_any(r->word[from].lower, LIMITS) || count > LIMIT_WORDS_MAX ||
                  count < 2))
        return false;
    for (size_t i = from; i < until; i++)
        if (mn_str_alike_any(r->word[i].lower, PASSES) ||
            mn_str_equal(r->word[i].lower, MN_STR("and")))
            return false;
    a->when = span(r, from, until);
    return true;
}

static bool is_named(const struct word *word)
{
    size_t digits = 0, marks = 0;

    for (size_t i = 0; i < word->lower.bytes; i++) {
        digits += mn_letter_digit(word->lower.at[i]);
        marks += mn_letter_joins(word->lower.at[i]);
    }
    return word->capital || (digits && digits < word->lower.bytes) ||
           (marks && word->lower.bytes > 3);
}

/* Words that are a name from `from` on: how many; 0: none, or it says something else. */
static size_t name(const struct reading *r, size_t from, size_t until)
{
    static const char *const within[] = { "of", "the", "de", "am", "an", "der", "la", "le", "van",
                                          "von", NULL };
    size_t at = from;

    for (; at < until; at++) {
        struct mn_str word = r->word[at].lower;

        if (!is_named(&r->word[at]) && !mn_attribute_number(word.at, 0, word.bytes) &&
            !(at > from && at + 1 < until && mn_str_alike_any(word, within) &&
              is_named(&r->word[at + 1])))
            break;
    }
    if (at == from || at - from > NAME_WORDS_MAX || !is_named(&r->word[from]) ||
        mn_nation_people(r->word[from].lower) || mn_calendar_month(r->word[from].lower) ||
        mn_calendar_weekday(r->word[from].lower))
        return 0;
    return at - from;
}

static const char *kind_of_place(const struct reading *r, size_t from, size_t until)
{
    if (mn_nation_country(span(r, from, until)))
        return "country";
    for (size_t i = from; i < until; i++)
        if (mn_str_alike_any(r->word[i].lower, SPOTS) || mn_letter_digit(r->word[i].lower.at[0]))
            return "spot";
    for (size_t i = 0; i < r->word[from].lower.bytes; i++)
        if (mn_letter_digit(r->word[from].lower.at[i]))
            return "zone";
    return "place";
}

static bool place(const struct reading *r, size_t from, size_t until, struct mn_attribute *a)
{
    from += from < until && mn_str_equal(r->word[from].lower, MN_STR("the"));
    size_t count = name(r, from, until);

    if (!count || !limit(r, from + count, until, a))
        return false;
    a->kind = kind_of_place(r, from, from + count);
    a->value = as_written(r, from, from + count);
    return true;
}

/* Where the number begins behind a sign of money, whose bytes are the unit. */
static size_t money_bytes(const struct mn_str word)
{
    static const char *const signs[] = { "$", "€", "£", "¥" };

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (word.bytes > strlen(signs[i]) && !memcmp(word.at, signs[i], strlen(signs[i])))
            return strlen(signs[i]);
    return 0;
}

static bool number(const struct reading *r, const struct verb *verb, size_t from, size_t until,
                   struct mn_attribute *a)
{
    struct mn_str word = from < until ? r->word[from].lower : MN_STR("");
    size_t sign = money_bytes(word);
    size_t bytes = mn_attribute_number(word.at, sign, word.bytes);
    struct mn_str unit = { word.at, sign };
    const char *spelled = NULL;
    size_t next = from + 1;

    if (!bytes)
        return false;
    if (!sign && sign + bytes < word.bytes) { /* 30s, 5% */
        unit = (struct mn_str){ word.at + bytes, word.bytes - bytes };
        if (unit.at[0] == '-' || unit.at[0] == '/')
            return false;
    }
    if (!unit.bytes && next < until && !mn_str_alike_any(r->word[next].lower, LIMITS))
        unit = r->word[next++].lower;
    const char *kind = mn_attribute_unit(r->arena, unit, &spelled);
    if (kind == spelled && unit.bytes && next < until &&
        !mn_str_alike_any(r->word[next].lower, LIMITS)) {
        unit = span(r, next - 1, next + 1); /* "concurrent connections"; not "3 years old" */
        kind = mn_attribute_unit(r->arena, unit, &spelled);
        next++;
    }
    if (!kind || (verb->counts && !unit.bytes) || !limit(r, next, until, a))
        return false;
    a->value = mn_arena_printf(r->arena, "%.*s%s%s", (int)bytes, word.at + sign,
                               *spelled ? " " : "", spelled);
    if (verb->kind && verb->counts)
        kind = mn_arena_printf(r->arena, "%s.%s", verb->kind, kind);
    a->kind = verb->kind && !verb->counts ? verb->kind : kind;
    return a->kind && a->value;
}

/* "the release manager is Anna", "the service is called Pelican" */
static bool holder(const struct reading *r, size_t verb, size_t from, size_t until,
                   struct mn_attribute *a)
{
    static const char *const called[] = { "called", "named", NULL };
    bool names = from < until && mn_str_alike_any(r->word[from].lower, called);
    size_t count = name(r, from + names, until);

    if (!names && !mn_str_alike_any(r->word[verb - 1].lower, HELD))
        return false;
    if (!count && mn_str_alike_any(r->word[verb - 1].lower, BARE) && from + 1 == until)
        count = 1;
    if (!count || from + names + count != until)
        return false;
    a->kind = "name";
    a->value = as_written(r, from + names, until);
    return true;
}

/* Behind "not", "no longer" and what says that it is so now. */
static size_t behind_now(const struct reading *r, size_t from, size_t until, bool *ret_denied)
{
    if (from < until && mn_str_equal(r->word[from].lower, MN_STR("not"))) {
        *ret_denied = true;
        from++;
    } else if (from + 1 < until && mn_str_equal(r->word[from].lower, MN_STR("no")) &&
               mn_str_equal(r->word[from + 1].lower, MN_STR("longer"))) {
        *ret_denied = true;
        from += 2;
    }
    while (from < until && mn_str_alike_any(r->word[from].lower, NOW))
        from++;
    return from;
}

bool mn_attribute_english(struct mn_arena *arena, const struct mn_wording *w, size_t at, size_t end,
                          struct mn_attribute *ret_attribute)
{
    static const char *const ats[] = { "at", "to", "for", NULL }; /* at 30 s; set to 100 */
    struct reading r = { .arena = arena, .w = w };
    const struct verb *verb = NULL;
    size_t is = 1;

    if (!split(&r, at, end))
        return false;
    while (is < r.count && !(verb = verb_at(&r, is)))
        is++;
    if (!verb || !thing(&r, is, &ret_attribute->of))
        return false;
    size_t until = cut_ends(&r);
    size_t from = is + 1 + (verb->behind != NULL);
    ret_attribute->denied = strstr(verb->word, "n't") != NULL;
    from = behind_now(&r, from, until, &ret_attribute->denied);
    if (verb->takes == PLACE) {
        if (!place(&r, from, until, ret_attribute))
            return false;
        ret_attribute->kind = mn_arena_printf(arena, "%s.%s", verb->kind, ret_attribute->kind);
        return ret_attribute->kind != NULL;
    }
    if (verb->takes == ANY && from < until && mn_str_alike_any(r.word[from].lower, IN)) {
        size_t behind = from;

        while (behind < until && mn_str_alike_any(r.word[behind].lower, IN))
            behind++;
        if (place(&r, behind, until, ret_attribute))
            return true;
    }
    if (from < until && mn_str_alike_any(r.word[from].lower, ats))
        from++;
    return number(&r, verb, from, until, ret_attribute) ||
           (verb->takes == ANY && holder(&r, is, from, until, ret_attribute));
}
