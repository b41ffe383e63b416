/*
 * orders.c - text that gives orders to a model.
 *
 * An order is a verb of overriding (ignore, forget, bypass, ...) that reaches, over determiners and
 * qualifiers only, something a model is bound by (previous instructions, the safety check, your
 * rules), within one sentence. Common objects (rules, limits, context) must be qualified as the
 * model's own or as what came before: a project may well say "ignore the lint rules here". Beside
 * these: a new persona without limits, asking for the system prompt or for every stored key, and
 * the control marks of chat templates.
 *
 * What is read is the folded text without marks between letters: full width, case, invisible
 * characters, look-alike letters of other alphabets, accents, digits for letters (1gnore), "i g n o
 * r e", "ignore-previous" and "忽*略" all come out as the words they spell. A negation right before
 * the verb makes the order harmless ("never ignore ...", 不得忽略...), and so does a verdict right
 * behind it (忽略安全检查是被禁止的). "Do not forget to ignore" is no negation.
 *
 * Instructions of a document are no order to a model: "ignore all instructions in the old README".
 *
 * It errs to the side of flagging: a flag costs a memory rank and its place among the constraints,
 * not its presence.
 */
#include "text/orders.h"

#include <string.h>

#include <unicode/unorm2.h>

#include "base/keyed_hash.h"
#include "text/analyze.h"
#include "text/orders_read.h"

#define KNOWN_BYTES_MIN 40 /* shorter ones are read as fast as they are looked up */

/* Letters of other alphabets that look like ours, and ours: pairs. */
static int32_t look_alike(int32_t c)
{
    static const struct {
        int32_t theirs;
        char ours;
    } PAIR[] = { { 0x430, 'a' },  { 0x435, 'e' }, { 0x43e, 'o' }, { 0x440, 'p' }, { 0x441, 'c' },
                 { 0x443, 'y' },  { 0x445, 'x' }, { 0x456, 'i' }, { 0x458, 'j' }, { 0x455, 's' },
                 { 0x501, 'd' },  { 0x4bb, 'h' }, { 0x3b1, 'a' }, { 0x3bf, 'o' }, { 0x3b9, 'i' },
                 { 0x3c1, 'p' },  { 0x3bd, 'v' }, { 0x3b5, 'e' }, { 0x131, 'i' }, { 0x261, 'g' },
                 { 0x2019, '\'' } };

    for (size_t i = 0; c > 0x7f && c <= 0x2019 && i < sizeof PAIR / sizeof PAIR[0]; i++) {
        if (PAIR[i].theirs == c)
            return PAIR[i].ours;
    }
    return c;
}

/* é without its accent; any other character as it is. */
static int32_t unaccented(const UNormalizer2 *normalizer, int32_t c)
{
    UChar parts[4];
    UErrorCode status = U_ZERO_ERROR;

    if (!((c >= 0xc0 && c < 0x250) || (c >= 0x1e00 && c < 0x1f00)) || !normalizer)
        return c;
    for (int32_t depth = 0; depth < 3; depth++) { /* two accents: two steps */
        if (unorm2_getRawDecomposition(normalizer, c, parts, 4, &status) < 1 || U_FAILURE(status))
            break;
        c = parts[0];
    }
    return c;
}

/* The folded text with look-alikes replaced; all letters in reach are ASCII then. */
static char *plain(struct mn_arena *arena, const char *text)
{
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2 *normalizer = unorm2_getNFCInstance(&status);
    char *folded = mn_text_fold(arena, text, strlen(text));
    size_t bytes = folded ? strlen(folded) : 0;
    size_t kept = 0;

    for (size_t at = 0; at < bytes;) {
        bool in_place = kept == at;
        int32_t c = mn_utf8_next(folded, bytes, &at);
        int32_t ours = look_alike(unaccented(normalizer, c));

        if (ours == c && in_place)
            kept = at;
        else
            kept += mn_utf8_put(ours, folded + kept);
    }
    if (folded)
        folded[kept] = '\0';
    return folded;
}

/* Chinese characters, of which one begins every order in Chinese? */
static bool has_han(const char *folded)
{
    while (*folded && (unsigned char)*folded < 0xe3)
        folded++;
    return *folded != '\0';
}

/* What may stand between two characters without parting them. */
static bool is_loose(int32_t c)
{
    if (c >= 0x80)
        return c == 0x201c || c == 0x201d || c == 0x2018 || c == 0x2019 || c == 0xb7;
    return c == ' ' || (c > ' ' && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') &&
                        strchr("\"'*_-|/~.+#`^", (char)c));
}

/* The Chinese text with what may stand between its characters taken out; sentence marks stay. */
static char *close_up(struct mn_arena *arena, const char *text)
{
    char *out = mn_arena_alloc(arena, strlen(text) + 1);
    size_t bytes = strlen(text);
    size_t kept = 0;

    for (size_t at = 0; out && at < bytes;) {
        size_t start = at;
        int32_t c = mn_utf8_next(text, bytes, &at);

        if (is_loose(c))
            continue;
        memcpy(out + kept, text + start, at - start);
        kept += at - start;
    }
    return out;
}

/* Marks that chat templates use for turns: no honest memory holds one bare. */
static bool has_control_marks(const char *folded)
{
    static const char *const MARK[] = { "<|im_start|>",    "<|im_end|>",
                                        "<|system|>",      "<|assistant|>",
                                        "[inst]",          "<<sys>>",
                                        "<start_of_turn>", "<|start_header_id|>" };

    if (!strpbrk(folded, "<["))
        return false;
    for (size_t i = 0; i < sizeof MARK / sizeof MARK[0]; i++) {
        if (strstr(folded, MARK[i]))
            return true;
    }
    return false;
}

enum mn_orders mn_text_orders(struct mn_arena *arena, const char *text)
{
    enum mn_orders orders = MN_ORDERS_NONE;
    size_t bytes = strlen(mn_or_empty(text));
    uint64_t hash = 0;

    if (bytes < KNOWN_BYTES_MIN || !mn_hash_keyed(text, bytes, &hash))
        return mn_orders_likely(mn_or_empty(text)) ? mn_orders_read(arena, text) : MN_ORDERS_NONE;
    if (mn_orders_known(hash, &orders))
        return orders;
    if (mn_orders_likely(text))
        orders = mn_orders_read(arena, text);
    if (orders != MN_ORDERS_GIVEN) /* which is also said where memory was short */
        mn_orders_know(hash, orders);
    return orders;
}

enum mn_orders mn_orders_read(struct mn_arena *arena, const char *text)
{
    char *folded = plain(arena, text);
    bool chinese = folded && has_han(folded);
    char *closed = chinese ? close_up(arena, folded) : folded;
    bool given = false;
    bool harmless = false;

    if (!closed || !mn_orders_english(arena, folded, &given, &harmless))
        return MN_ORDERS_GIVEN; /* could not be read to its end: not trusted */
    given = given || has_control_marks(folded);
    if (chinese)
        mn_orders_chinese(closed, &given, &harmless);
    return given ? MN_ORDERS_GIVEN : harmless ? MN_ORDERS_NEGATED : MN_ORDERS_NONE;
}
