/*
 * analyze.h - from text to terms: what the full-text index holds and what a request asks for.
 *
 * Pure. Text is folded first, for both indexes and for every comparison of texts: NFKC, case
 * folding, traditional to simplified Chinese, accents kept, invisible characters dropped, white
 * space collapsed. Terms of the folded text (notes on the choice in analyze.c):
 *
 * - Han runs: bigrams (none with a STRICT character, none of two FUNC characters) and single
 *   characters at half weight
 * - other runs: letters and digits; English stop words out, Snowball English stems
 * - joined runs: db-config.json, exit_code, createdByAgent, 3.1.2: an exact term beside the parts
 * - a star behind a run (conf*, ERR_CONN*): its last part and its whole only begin the terms meant
 */
#ifndef MN_TEXT_ANALYZE_H
#define MN_TEXT_ANALYZE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum mn_language { MN_LANGUAGE_OTHER = 0, MN_LANGUAGE_EN, MN_LANGUAGE_ZH };
#define MN_LANGUAGE_COUNT 3

/* Folded copy in the arena, NULL when it is full. Ill-formed bytes become U+FFFD. */
char *mn_text_fold(struct mn_arena *arena, const char *text, size_t bytes);

/* zh when Han characters >= 2 x Latin words or >= 4 Han characters; else en with Latin words; other
 * without either, or where other scripts prevail. */
enum mn_language mn_text_language(const char *text, size_t bytes);

enum mn_term_kind {
    MN_TERM_WORD = 0, /* a stem, or a Han bigram */
    MN_TERM_HAN,      /* one Han character; weighs half */
    MN_TERM_EXACT     /* an identifier, a version, a code: as written, folded */
};

struct mn_term {
    uint64_t hash; /* of kind class and text: equal terms have equal hashes in every process */
    float weight;  /* factor of its IDF: 1, or 0.5 for MN_TERM_HAN */
    enum mn_term_kind kind;
    uint32_t position;  /* ordinal in the text of the word or Han character it begins with */
    bool begins;        /* a request's: terms that begin so are meant as well */
    struct mn_str text; /* folded, stemmed; in the arena */
};

/* Terms that say together what one of a request says in other words: where all of them occur, the
 * rarest stands for it. */
struct mn_term_form {
    size_t ordinal; /* of the request's term */
    const uint64_t *hash;
    size_t count;
};

struct mn_terms {
    struct mn_term *item;
    size_t count;
    size_t room;
    struct {
        struct mn_term_form *item;
        size_t count;
        size_t room;
    } forms; /* text/synonyms.h; none until then */
};

/*
 * Adds the terms of `text` (not folded yet), in order, duplicates included. `original` case is
 * needed to part camelCase, so fold here, not before.
 */
enum mneme_status mn_text_terms(struct mn_arena *arena, const char *text, size_t bytes,
                                struct mn_terms *terms, struct mneme_error *err);

/* What a request asks for: the same, each hash once (its first place is kept), without the frame of
 * the question (text/framing.h) unless nothing else is left. */
enum mneme_status mn_text_query_terms(struct mn_arena *arena, const char *text, size_t bytes,
                                      struct mn_terms *terms, struct mneme_error *err);

/* True when the folded needle stands in the folded text; a Latin needle only at word borders. */
bool mn_text_contains(const char *folded_text, const char *folded_needle);

/* Edit distance with transpositions (restricted Damerau-Levenshtein) of bytes, at most `max`;
 * max + 1 when it is more. max is at most 32. */
unsigned mn_text_distance(struct mn_str a, struct mn_str b, unsigned max);

#endif
