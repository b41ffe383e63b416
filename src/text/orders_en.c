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
#define BEGINNINGS 1024

/* The lists a word may stand on, as bits. */
#define BIT(n) (UINT64_C(1) << (n))
#define VERB BIT(0)             /* of overriding */
#define FOLLOW BIT(1)           /* of obeying */
#define FILLER BIT(2)           /* between a verb and its object */
#define QUALIFIER BIT(3)        /* the model's own, or what came before */
#define ABOVE BIT(4)            /* what came before, without an object */
#define OBJECT BIT(5)           /* binds a model in any text */
#define OBJECT_QUALIFIED BIT(6) /* does so when qualified */
#define NEGATION BIT(7)
#define BESIDE_NEGATION BIT(8)
#define STOP BIT(9) /* ends a sentence, or goes on to another order */
#define SHOW BIT(10)
#define LEAK BIT(11)
#define SECRET BIT(12)
#define KEY BIT(13)
#define OF_KEY BIT(14)
#define SHOW_FILLER BIT(15)
#define PROMPT BIT(16)
#define OF_PROMPT BIT(17)
#define FREE BIT(18) /* a persona without limits */
#define WITHOUT BIT(19)
#define LIMIT BIT(20)
#define OF_MODE BIT(21)
#define ALL BIT(22)
#define TOLD BIT(23)
#define YOU BIT(24)
#define STARTS_PERSONA BIT(25)
#define DISABLE BIT(26)    /* turns a guard off */
#define SWITCH BIT(27)     /* does so with "off" */
#define GUARD BIT(28)      /* what a guard guards */
#define BYPASSED BIT(29)   /* the same, where a verb of overriding reaches it */
#define GUARDED BIT(30)    /* the guard */
#define GUARDRAIL BIT(31)  /* one that needs no word before it */
#define OVERRIDING BIT(32) /* a verb of overriding after BEGIN */
#define BEGIN BIT(33)
#define CEASE BIT(34) /* before a verb of obeying */
#define PRETEND BIT(35)
#define VOID BIT(36)     /* not in force */
#define IN_FORCE BIT(37) /* behind a negation */
#define BETWEEN_VOID BIT(38)
#define PLACE BIT(39) /* before a document */
#define DOCUMENT BIT(40)
#define IN_MIND BIT(41) /* the model's, not a document's */
#define DO_ANYTHING BIT(42)

static const struct {
    uint64_t list;
    const char *words;
} LIST[] = {
    { VERB, "ignore disregard forget skip bypass override overrule neglect discard circumvent "
            "disobey violate defy overlook dismiss abandon evade sidestep nullify aside "
            "ignorez oubliez oublie ignora olvida ignoriere ignorieren vergiss" },
    { OVERRIDING, "ignoring disregarding forgetting skipping bypassing overriding overruling "
                  "neglecting discarding circumventing disobeying violating defying overlooking "
                  "dismissing abandoning evading attention" },
    { DO_ANYTHING, "anything" },
    { BEGIN, "start begin keep by now be try continue consider" },
    { FOLLOW, "follow obey heed respect apply adhere comply listen following obeying heeding "
              "respecting applying adhering complying listening" },
    { CEASE, "stop cease quit refuse discontinue" },
    { DISABLE, "disable deactivate remove lift suspend" },
    { SWITCH, "turn switch shut" },
    { GUARD, "permission permissions safety security content moderation ethics ethical your" },
    { BYPASSED, "authorization authorisation authentication access" },
    { GUARDED, "check checks checking filter filters filtering restriction restrictions policy "
               "policies measures protocol protocols limits limitations guidelines rules "
               "moderation control controls guard guards" },
    { GUARDRAIL, "guardrail guardrails safeguards" },
    { PRETEND, "pretend imagine suppose assume" },
    { VOID, "void invalid suspended lifted gone cancelled canceled null revoked" },
    { IN_FORCE, "exist existed apply applied matter mattered hold count" },
    { BETWEEN_VOID, "above before earlier given you have has had been do does did are is were was "
                    "longer all now that to that's" },
    { PLACE, "in of from inside within" },
    { DOCUMENT, "readme file files doc docs document documents page pages wiki manual folder "
                "directory section chapter comment comments ticket issue template script email "
                "guide handbook changelog md txt pdf yaml yml json html toml repo repository "
                "branch notebook appendix book recipe" },
    { IN_MIND, "your system previous prior earlier developer above hidden" },
    { FILLER,
      "all any the every each of your my our its these those this that to about everything "
      "anything whatever and or other remaining existing current original initial given both with "
      "les toutes vos tes las todas tus sus le tutte alle die deine ihre as suas vorherigen "
      "bisherigen" },
    { QUALIFIER,
      "previous prior above earlier preceding former past foregoing system safety security "
      "developer policy hidden secret your original initial aforementioned built-in admin "
      "administrator core" },
    { ABOVE, "above preceding foregoing" },
    { OBJECT, "instruction instructions systemprompt prompt prompts directive directives guardrail "
              "guardrails "
              "safeguards consignes instrucciones anweisungen istruzioni instrucoes" },
    { OBJECT_QUALIFIED,
      "rule rules guideline guidelines policy policies constraint constraints restriction "
      "restrictions check checks message messages context command commands order orders filter "
      "filters limits training programming measures protocol protocols text content conversation" },
    { NEGATION, "never not don't dont cannot can't mustn't shouldn't won't nobody no-one didn't "
                "doesn't forbidden prohibited" },
    { BESIDE_NEGATION,
      "may must should can ever just simply please to you will shall be allowed permitted" },
    { STOP, ". , and then instead but" },
    { SHOW,
      "reveal print show output repeat leak expose dump display disclose send email post tell "
      "give recite exfiltrate" },
    { LEAK, "reveal leak exfiltrate disclose" },
    { SECRET, "secrets credentials password passwords apikey apikeys" },
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
        uint64_t lists;
    } slot[SLOTS];
    uint32_t lengths[BEGINNINGS]; /* by the first two characters: which lengths there are, as bits */
} table = { .once = PTHREAD_ONCE_INIT };

/* Most words are on no list and known by this: no listed one of their length begins as they do. */
static size_t beginning_of(struct mn_str word)
{
    unsigned second = word.bytes > 1 ? (unsigned char)word.at[1] & 31 : 0;

    return ((unsigned char)word.at[0] & 31U) << 5 | second;
}

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
            table.lengths[beginning_of(word)] |= UINT32_C(1) << word.bytes;
            at += word.bytes;
            at += *at == ' ';
        }
    }
}

/* ---- the words of a text ---- */

struct word {
    struct mn_str text; /* "." and "," are marks */
    uint64_t lists;
};

struct words {
    struct word *item;
    size_t count, room;
    struct mn_arena *arena;
    bool failed;
};

static uint64_t lists_of(struct mn_str word)
{
    if (word.bytes == 0 || word.bytes > WORD_BYTES_MAX ||
        !(table.lengths[beginning_of(word)] >> word.bytes & 1))
        return 0;
    return table.slot[slot_of(word)].lists;
}

/* The letter that a digit or mark stands for, in two ways; '\0': it stands for none. */
static char stood_for(char c, size_t way)
{
    switch (c) {
    case '0':
        return 'o';
    case '1':
        return way == 0 ? 'i' : 'l';
    case '3':
        return 'e';
    case '4':
    case '@':
        return 'a';
    case '5':
    case '$':
        return 's';
    case '7':
        return 't';
    default:
        return '\0';
    }
}

/* 1gnore, pr0mpt, ru1es, $ystem: digits and marks for letters. False: no listed word results. */
static bool undisguise(struct mn_str word, char *out)
{
    if (word.bytes > WORD_BYTES_MAX)
        return false;
    for (size_t way = 0; way < 2; way++) {
        size_t replaced = 0;

        for (size_t i = 0; i < word.bytes; i++) {
            char letter = mn_letter_lower(word.at[i]) ? '\0' : stood_for(word.at[i], way);

            out[i] = letter ? letter : word.at[i];
            replaced += letter != '\0';
        }
        if (replaced == 0 || replaced == word.bytes)
            return false;
        if (lists_of((struct mn_str){ out, word.bytes }) != 0)
            return true;
    }
    return false;
}

static void add(struct words *words, struct mn_str text)
{
    struct word *word = mn_array_add(words->arena, words);
    char plain[WORD_BYTES_MAX];

    if (!word) {
        words->failed = true;
        return;
    }
    word->text = text;
    word->lists = lists_of(text);
    if (word->lists == 0 && undisguise(text, plain)) {
        word->text.at = mn_arena_copy_n(words->arena, plain, text.bytes);
        words->failed = words->failed || !word->text.at;
        word->lists = lists_of((struct mn_str){ plain, text.bytes });
    }
}

/* The longest listed word at the front of joined letters; 0 for none. */
static size_t listed_front(struct mn_str letters)
{
    size_t taken = letters.bytes < WORD_BYTES_MAX ? letters.bytes : WORD_BYTES_MAX;

    while (taken > 2 && !lists_of((struct mn_str){ letters.at, taken }))
        taken--;
    return taken > 2 ? taken : 0;
}

/* Letters that stood apart, joined: cut into the words that matter here, the rest letter by letter.
 */
static void add_spelled(struct words *words, struct mn_str letters)
{
    while (letters.bytes > 0) {
        size_t taken = listed_front(letters);

        if (taken == 0)
            taken = 1;
        add(words, (struct mn_str){ letters.at, taken });
        letters.at += taken;
        letters.bytes -= taken;
    }
}

/* ignorepreviousinstructions: nothing but listed words. */
static bool run_together(struct mn_str word)
{
    if (word.bytes <= WORD_BYTES_MAX)
        return false;
    while (word.bytes > 0) {
        size_t taken = listed_front(word);

        if (taken == 0)
            return false;
        word.at += taken;
        word.bytes -= taken;
    }
    return true;
}

static bool in_word(const char *at)
{
    return mn_letter_plain(*at) || ((*at == '@' || *at == '$') && mn_letter_plain(at[1]));
}

static size_t word_bytes(const char *at)
{
    size_t bytes = 0;

    while (in_word(at + bytes) ||
           (bytes > 0 && (at[bytes] == '\'' || at[bytes] == '-') && mn_letter_plain(at[bytes + 1])))
        bytes++;
    return bytes;
}

/* A word as it is, or in its parts where only these are listed: ignore-previous-instructions. */
static void add_parts(struct words *words, struct mn_str word)
{
    const char *hyphen = memchr(word.at, '-', word.bytes);

    if (run_together(word)) {
        add_spelled(words, word);
    } else if (!hyphen || lists_of(word) != 0) {
        add(words, word);
    } else {
        size_t head = (size_t)(hyphen - word.at);

        if (head > 0)
            add_parts(words, (struct mn_str){ word.at, head });
        add_parts(words, (struct mn_str){ hyphen + 1, word.bytes - head - 1 });
    }
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
            add_parts(words, (struct mn_str){ at, bytes });
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

static bool is(const struct words *words, size_t at, uint64_t lists)
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
            ((says(words, i - 1, "one") || says(words, i - 1, "longer")) && i > 1 &&
             says(words, i - 2, "no")))
            return true;
        if (!is(words, i - 1, BESIDE_NEGATION))
            return false;
    }
    return false;
}

/* stop following, refuse to follow */
static bool ceased(const struct words *words, size_t verb)
{
    if (verb > 1 && says(words, verb - 1, "to"))
        verb--;
    return verb > 0 && is(words, verb - 1, CEASE);
}

/* "in deprecated README", "of the old manual": instructions to people. */
static bool of_document(const struct words *words, size_t at)
{
    bool found = false;

    if (!is(words, at, PLACE))
        return false;
    for (size_t i = at + 1; i < words->count && i <= at + NEAR_WORDS && !is(words, i, STOP); i++) {
        if (is(words, i, IN_MIND))
            return false;
        found = found || is(words, i, DOCUMENT);
    }
    return found;
}

/* Does the verb at `verb` reach what a model is bound by? */
static bool reaches(const struct words *words, size_t verb)
{
    bool qualified = false;
    bool above = false; /* "the above" */
    bool guarded = false;

    for (size_t i = verb + 1; i < words->count; i++) {
        if (is(words, i, OBJECT) && (qualified || !of_document(words, i + 1)))
            return true;
        if ((above && is(words, i, STOP)) || (qualified && is(words, i, OBJECT_QUALIFIED)) ||
            (guarded && is(words, i, GUARDED)))
            return true;
        if (is(words, i, OBJECT_QUALIFIED) && is(words, i + 1, ABOVE) &&
            (i + 2 == words->count || is(words, i + 2, STOP)))
            return true; /* the rules above */
        if (is(words, i, ALL) && is(words, i + 1, YOU) && is(words, i + 2, TOLD))
            return true; /* everything you were told */
        qualified = qualified || is(words, i, QUALIFIER);
        above = above || is(words, i, ABOVE);
        guarded = guarded || is(words, i, GUARD | BYPASSED);
        if (!is(words, i, QUALIFIER | FILLER | GUARD | BYPASSED))
            return false;
    }
    return above;
}

/* disable all guardrails, turn your content filter off */
static bool disables(const struct words *words, size_t verb)
{
    bool off = is(words, verb, DISABLE);
    bool guarded = false;

    if (says(words, verb + 1, "off")) {
        off = true;
        verb++;
    }
    for (size_t i = verb + 1; i < words->count; i++) {
        if (is(words, i, GUARDRAIL) || (guarded && is(words, i, GUARDED)))
            return off || says(words, i + 1, "off");
        guarded = guarded || is(words, i, GUARD);
        if (!is(words, i, QUALIFIER | FILLER | GUARD))
            return false;
    }
    return false;
}

/* "do not exist", "no longer apply", "are void" behind what binds a model. */
static bool declared_void(const struct words *words, size_t at)
{
    bool no = false;

    for (size_t i = at; i < words->count && i < at + NEAR_WORDS; i++) {
        if (is(words, i, VOID) || (no && is(words, i, IN_FORCE)))
            return true;
        no = no || is(words, i, NEGATION) || says(words, i, "no");
        if (!is(words, i, BETWEEN_VOID | NEGATION) && !says(words, i, "no"))
            return false;
    }
    return false;
}

/* pretend the rules above do not exist, imagine there are no guidelines */
static bool pretends(const struct words *words, size_t at)
{
    bool none = false;

    for (size_t i = at + 1; i < words->count && i <= at + NEAR_WORDS; i++) {
        if (is(words, i, OBJECT | OBJECT_QUALIFIED))
            return none || declared_void(words, i + 1);
        if (says(words, i, "no") && i > 1 && says(words, i - 2, "there"))
            none = is(words, at, STARTS_PERSONA) || says(words, at, "imagine");
        else if (!is(words, i, QUALIFIER | FILLER | BETWEEN_VOID) && !says(words, i, "there"))
            return false;
    }
    return false;
}

/* All previous instructions are void. The object stands at `at`. */
static bool voided(const struct words *words, size_t at)
{
    bool qualified = is(words, at + 1, ABOVE);

    for (size_t i = at; i > 0 && is(words, i - 1, QUALIFIER | FILLER); i--)
        qualified = qualified || is(words, i - 1, QUALIFIER);
    return qualified && declared_void(words, at + 1);
}

/* One of the lists among the next words of the sentence? */
static bool soon(const struct words *words, size_t at, uint64_t lists)
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
        if (says(words, i, "system") &&
            (says(words, i + 1, "prompt") || says(words, i + 1, "prompts")) &&
            says(words, at + 1, "me"))
            return true; /* tell me the system prompt */
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
        bool verb = is(&words, i, VERB) ||
                    (i > 0 && is(&words, i, OVERRIDING) && is(&words, i - 1, BEGIN)) ||
                    (i > 1 && says(&words, i, "attention") && says(&words, i - 1, "no"));
        bool order = (verb && reaches(&words, i)) ||
                     (is(&words, i, DISABLE | SWITCH) && disables(&words, i)) ||
                     (is(&words, i, SHOW) && exfiltrates(&words, i));

        if ((is(&words, i, FOLLOW) && (negated(&words, i) || ceased(&words, i)) &&
             reaches(&words, i)) ||
            (is(&words, i, STARTS_PERSONA) && persona(&words, i)) ||
            (is(&words, i, PRETEND) && pretends(&words, i)) ||
            (is(&words, i, OBJECT) && voided(&words, i)))
            *given = true;
        if (order && negated(&words, i))
            *harmless = true;
        else if (order)
            *given = true;
    }
    return !words.failed;
}

/* ---- at a glance ---- */

uint64_t mn_orders_english_lists(struct mn_str word)
{
    char plain[WORD_BYTES_MAX];
    uint64_t lists;

    (void)pthread_once(&table.once, build);
    lists = lists_of(word);
    if (lists == 0 && undisguise(word, plain))
        lists = lists_of((struct mn_str){ plain, word.bytes });
    return lists;
}

static bool has(uint64_t seen, uint64_t lists)
{
    return (seen & lists) != 0;
}

bool mn_orders_english_may(uint64_t seen)
{
    bool told = has(seen, ALL) && has(seen, YOU) && has(seen, TOLD);

    if (has(seen, VERB | OVERRIDING | FOLLOW | PRETEND) &&
        (told || has(seen, OBJECT | OBJECT_QUALIFIED | GUARDED | ABOVE)))
        return true;
    if (has(seen, SHOW) && ((has(seen, PROMPT) && has(seen, OF_PROMPT)) ||
                            (has(seen, ALL) && has(seen, SECRET | KEY))))
        return true;
    if (has(seen, STARTS_PERSONA) &&
        (has(seen, FREE | OF_MODE) || (has(seen, LIMIT) && has(seen, WITHOUT)) ||
         (has(seen, DO_ANYTHING) && has(seen, BEGIN))))
        return true;
    return (has(seen, DISABLE | SWITCH) && has(seen, GUARDRAIL | GUARDED)) ||
           (has(seen, OBJECT) && has(seen, VOID | IN_FORCE));
}
