/*
 * orders_en.c - orders in English.
 *
 * Each word is looked up once in one table that says which lists it stands on; the rules then ask
 * for lists. Letters that stand apart are joined first and cut into the words that matter.
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/str.h"
#include "text/letters.h"
#include "text/orders_read.h"

#define NEAR_WORDS 8  /* words between "you are now" and what one should be */
#define SPELLED_MIN 4 /* letters apart that make a word */
#define WORD_BYTES_MAX 15
#define SLOTS 1024

enum {
    VERB = 1 << 0,             /* of overriding */
    FOLLOW = 1 << 1,           /* of obeying */
    FILLER = 1 << 2,           /* between a verb and its object */
    QUALIFIER = 1 << 3,        /* the model's own, or what came before */
    ABOVE = 1 << 4,            /* what came before, without an object */
    OBJECT = 1 << 5,           /* binds a model in any text */
    OBJECT_QUALIFIED = 1 << 6, /* does so when qualified */
    NEGATION = 1 << 7,
    BESIDE_NEGATION = 1 << 8,
    STOP = 1 << 9, /* ends a sentence, or goes on to another order */
    SHOW = 1 << 10,
    LEAK = 1 << 11,
    SECRET = 1 << 12,
    KEY = 1 << 13,
    OF_KEY = 1 << 14,
    SHOW_FILLER = 1 << 15,
    PROMPT = 1 << 16,
    OF_PROMPT = 1 << 17,
    FREE = 1 << 18, /* a persona without limits */
    WITHOUT = 1 << 19,
    LIMIT = 1 << 20,
    OF_MODE = 1 << 21,
    ALL = 1 << 22,
    TOLD = 1 << 23,
    YOU = 1 << 24,
    STARTS_PERSONA = 1 << 25
};

static const struct {
    uint32_t list;
    const char *words;
} LIST[] = {
    { VERB, "ignore disregard forget skip bypass override overrule neglect discard circumvent "
            "disobey violate defy" },
    { FOLLOW, "follow obey heed respect apply" },
    { FILLER,
      "all any the every each of your my our its these those this that to about everything "
      "anything whatever and or other remaining existing current original initial given both" },
    { QUALIFIER,
      "previous prior above earlier preceding former past foregoing system safety security "
      "developer policy hidden secret your original initial aforementioned built-in admin "
      "administrator core" },
    { ABOVE, "above preceding foregoing" },
    { OBJECT, "instruction instructions prompt prompts directive directives guardrail guardrails "
              "safeguards" },
    { OBJECT_QUALIFIED,
      "rule rules guideline guidelines policy policies constraint constraints restriction "
      "restrictions check checks message messages context command commands order orders filter "
      "filters limits training programming measures protocol protocols text content conversation" },
    { NEGATION, "never not don't dont cannot can't mustn't shouldn't won't nobody no-one didn't "
                "doesn't forbidden prohibited" },
    { BESIDE_NEGATION,
      "may must should can ever just simply please to you will shall be allowed permitted" },
    { STOP, ". , and then instead" },
    { SHOW,
      "reveal print show output repeat leak expose dump display disclose send email post tell "
      "give recite exfiltrate" },
    { LEAK, "reveal leak exfiltrate disclose" },
    { SECRET, "secrets credentials password passwords" },
    { KEY, "key keys token tokens" },
    { OF_KEY, "api private secret access stored saved auth" },
    { SHOW_FILLER,
      "me us the of to full whole entire known out user user's system hidden initial" },
    { PROMPT, "prompt prompts instructions message" },
    { OF_PROMPT, "system hidden initial secret" },
    { FREE, "dan jailbroken unrestricted unfiltered uncensored jailbreak" },
    { WITHOUT, "no without not free any" },
    { LIMIT, "restrictions restriction rules limits limitations filter filters guidelines bound "
             "constraints" },
    { OF_MODE, "developer god debug sudo" },
    { ALL, "what everything anything all every" },
    { TOLD, "were was have been told said this written learned know" },
    { YOU, "you you've i before said written" },
    { STARTS_PERSONA, "you act pretend do enter enable" },
};

/* Built at the first look-up. */
static struct {
    pthread_once_t once;
    struct {
        struct mn_str word; /* .at NULL: empty */
        uint32_t lists;
    } slot[SLOTS];
} table = { .once = PTHREAD_ONCE_INIT };

static size_t slot_of(struct mn_str word)
{
    size_t slot = mn_hash64(word.at, word.bytes, 0) % SLOTS;

    while (table.slot[slot].word.at && !mn_str_equal(table.slot[slot].word, word))
        slot = (slot + 1) % SLOTS;
    return slot;
}

static void build(void)
{
    for (size_t i = 0; i < sizeof LIST / sizeof LIST[0]; i++) {
        for (const char *at = LIST[i].words; *at;) {
            struct mn_str word = { at, strcspn(at, " ") };
            size_t slot = slot_of(word);

            table.slot[slot].word = word;
            table.slot[slot].lists |= LIST[i].list;
            at += word.bytes;
            at += *at == ' ';
        }
    }
}

/* ---- the words of a text ---- */

struct word {
    struct mn_str text; /* "." and "," are marks */
    uint32_t lists;
};

struct words {
    struct word *item;
    size_t count, room;
    struct mn_arena *arena;
    bool failed;
};

static void add(struct words *words, struct mn_str text)
{
    struct word *word = mn_array_add(words->arena, words);

    if (!word) {
        words->failed = true;
        return;
    }
    word->text = text;
    word->lists = text.bytes <= WORD_BYTES_MAX ? table.slot[slot_of(text)].lists : 0;
}

/* Letters that stood apart, joined: cut into the words that matter here, the rest letter by letter.
 */
static void add_spelled(struct words *words, struct mn_str letters)
{
    while (letters.bytes > 0) {
        size_t taken = letters.bytes < WORD_BYTES_MAX ? letters.bytes : WORD_BYTES_MAX;

        while (taken > 2 && !table.slot[slot_of((struct mn_str){ letters.at, taken })].lists)
            taken--;
        if (taken <= 2)
            taken = 1;
        add(words, (struct mn_str){ letters.at, taken });
        letters.at += taken;
        letters.bytes -= taken;
    }
}

static size_t word_bytes(const char *at)
{
    size_t bytes = 0;

    while (mn_letter_plain(at[bytes]) ||
           (bytes > 0 && (at[bytes] == '\'' || at[bytes] == '-') && mn_letter_latin(at[bytes + 1])))
        bytes++;
    return bytes;
}

/* Letters that stand alone, each with one mark or space behind it: how many, and the bytes read. */
static size_t spelled(const char *at, char *letters, size_t *ret_bytes)
{
    size_t count = 0;
    size_t i = 0;

    while (mn_letter_latin(at[i]) && !mn_letter_plain(at[i + 1])) {
        letters[count++] = at[i++];
        *ret_bytes = i;
        if (at[i] == '\0' || !strchr(" .-_*+|/~", at[i]) || !mn_letter_latin(at[i + 1]))
            break;
        i++;
    }
    return count;
}

static bool is_mark(const char *at)
{
    return strchr("!?;", *at) != NULL || (*at == '.' && !mn_letter_plain(at[1])) ||
           (unsigned char)*at >= 0x80;
}

static void split(struct words *words, const char *text)
{
    char *letters = mn_arena_alloc(words->arena, strlen(text) + 1);

    words->failed = !letters;
    for (const char *at = text; *at && !words->failed;) {
        size_t bytes = word_bytes(at);
        size_t read = 0;
        size_t count = bytes > 0 && !mn_letter_plain(at[1]) ? spelled(at, letters, &read) : 0;

        if (count >= SPELLED_MIN) {
            add_spelled(words, (struct mn_str){ letters, count });
            letters += count;
            at += read;
        } else if (bytes > 0) {
            add(words, (struct mn_str){ at, bytes });
            at += bytes;
        } else {
            if (*at == ',')
                add(words, MN_STR(","));
            else if (is_mark(at) &&
                     (words->count == 0 || words->item[words->count - 1].text.at[0] != '.'))
                add(words, MN_STR("."));
            at++;
        }
    }
}

/* ---- the rules ---- */

static bool is(const struct words *words, size_t at, uint32_t lists)
{
    return at < words->count && (words->item[at].lists & lists) != 0;
}

static bool says(const struct words *words, size_t at, const char *text)
{
    return at < words->count && mn_str_equal(words->item[at].text, mn_str_of(text));
}

/* Is the order at `verb` negated by what stands right before it? */
static bool negated(const struct words *words, size_t verb)
{
    for (size_t i = verb; i > 0 && verb - i < 4; i--) {
        if (is(words, i - 1, NEGATION) ||
            (says(words, i - 1, "one") && i > 1 && says(words, i - 2, "no")))
            return true;
        if (!is(words, i - 1, BESIDE_NEGATION))
            return false;
    }
    return false;
}

/* Does the verb at `verb` reach what a model is bound by? */
static bool reaches(const struct words *words, size_t verb)
{
    bool qualified = false;
    bool above = false; /* "the above" */

    for (size_t i = verb + 1; i < words->count; i++) {
        if (is(words, i, OBJECT) || (above && is(words, i, STOP)) ||
            (qualified && is(words, i, OBJECT_QUALIFIED)))
            return true;
        if (is(words, i, ALL) && is(words, i + 1, YOU) && is(words, i + 2, TOLD))
            return true; /* everything you were told */
        qualified = qualified || is(words, i, QUALIFIER);
        above = above || is(words, i, ABOVE);
        if (!is(words, i, QUALIFIER | FILLER))
            return false;
    }
    return above;
}

/* One of the lists among the next words of the sentence? */
static bool soon(const struct words *words, size_t at, uint32_t lists)
{
    for (size_t i = at; i < words->count && i < at + NEAR_WORDS && !says(words, i, "."); i++) {
        if (is(words, i, lists))
            return true;
    }
    return false;
}

static bool mode_soon(const struct words *words, size_t at)
{
    for (size_t i = at; i < words->count && i < at + NEAR_WORDS; i++) {
        if (is(words, i, OF_MODE) && says(words, i + 1, "mode"))
            return true;
    }
    return false;
}

static bool persona(const struct words *words, size_t at)
{
    bool named =
        (says(words, at, "you") && says(words, at + 1, "are") && says(words, at + 2, "now")) ||
        (says(words, at, "act") && says(words, at + 1, "as")) ||
        (says(words, at, "pretend") && (says(words, at + 1, "to") || says(words, at + 1, "you")));

    if (named)
        return soon(words, at + 2, FREE) || mode_soon(words, at + 2) ||
               (soon(words, at + 2, WITHOUT) && soon(words, at + 2, LIMIT));
    if (says(words, at, "do"))
        return says(words, at + 1, "anything") && says(words, at + 2, "now");
    return (says(words, at, "enter") || says(words, at, "enable")) && is(words, at + 1, FREE) &&
           says(words, at + 2, "mode");
}

/* The system prompt, or every key. */
static bool exfiltrates(const struct words *words, size_t at)
{
    bool yours = is(words, at, LEAK);
    bool every = false;
    bool keys = false;

    for (size_t i = at + 1; i < words->count && i <= at + NEAR_WORDS; i++) {
        if (is(words, i, OF_PROMPT) && is(words, i + 1, PROMPT) && yours)
            return true;
        if (every && (is(words, i, SECRET) || (keys && is(words, i, KEY))))
            return true;
        if (says(words, i, "your"))
            yours = true;
        else if (says(words, i, "all") || says(words, i, "every"))
            every = true;
        else if (is(words, i, OF_KEY))
            keys = true;
        else if (!is(words, i, SHOW_FILLER))
            return false;
    }
    return false;
}

bool mn_orders_english(struct mn_arena *arena, const char *folded, bool *given, bool *harmless)
{
    struct words words = { .arena = arena };

    (void)pthread_once(&table.once, build);
    split(&words, folded);
    for (size_t i = 0; i < words.count; i++) {
        bool order = (is(&words, i, VERB) && reaches(&words, i)) ||
                     (is(&words, i, SHOW) && exfiltrates(&words, i));

        if ((is(&words, i, FOLLOW) && negated(&words, i) && reaches(&words, i)) ||
            (is(&words, i, STARTS_PERSONA) && persona(&words, i)))
            *given = true;
        if (order && negated(&words, i))
            *harmless = true;
        else if (order)
            *given = true;
    }
    return !words.failed;
}
