/*
 * cue.h - word patterns, as one reads them: the language in which the gate, the plan and the
 * triggers of writing have their rules.
 *
 *     "load|show|list > my > preferences"     one of the first, then "my", then "preferences"
 *     "上次|之前 >> 怎么 > 解决|修"
 *
 * Groups stand in the order of the text. '|' parts alternatives, '>' means close behind (at most
 * MN_CUE_NEAR bytes between), '>>' anywhere behind. A leading '^' holds the first group to the
 * start of a clause, behind polite openings ("could you please", "请帮我"). A trailing '$' asks
 * that only punctuation follows. A Latin word matches whole ("art" not in "start"), with '*' at its
 * end also as a beginning. Cues are written folded, as the text is.
 */
#ifndef MN_TEXT_CUE_H
#define MN_TEXT_CUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MN_CUE_NEAR 24
#define MN_CUE_STARTS_MAX                                                                          \
    48 /* places where a clause may be read to begin; later ones are not looked at */

/* A folded text made ready to be asked many times. Borrows it. */
struct mn_cue_text {
    const char *folded;
    size_t bytes;
    uint64_t seen[16]; /* which beginnings of words occur: says no at once, most of the time */
    const char *start[MN_CUE_STARTS_MAX];
    size_t start_count;
};
struct mn_cue_text mn_cue_read(const char *folded);

/* Does the text hold the cue? */
bool mn_cue_found(const struct mn_cue_text *text, const char *cue);

/* Does it hold any of these? The list ends with NULL. */
bool mn_cue_any(const struct mn_cue_text *text, const char *const *cues);

/* Does the word or phrase stand exactly at `at`, with word borders where it is Latin? Its bytes, or
 * 0. `folded` is the text's beginning, for the border before. */
size_t mn_cue_word_at(const char *folded, const char *at, const char *word, size_t word_bytes);

/* The same of a literal. Nearly every one is tried in vain: its first byte says so. */
static inline size_t mn_cue_literal_at(const char *folded, const char *at, const char *literal)
{
    return *at == *literal ? mn_cue_word_at(folded, at, literal, strlen(literal)) : 0;
}

/* Letters, digits, and everything beyond ASCII that is no punctuation, symbol or emoji. */
bool mn_cue_is_word_character(int code_point);

#endif
