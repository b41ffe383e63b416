/*
 * text_document.h - what of a unit is searched as text, and how much each part of it counts.
 */
#ifndef MN_SEARCH_TEXT_DOCUMENT_H
#define MN_SEARCH_TEXT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "memory/unit.h"
#include "text/analyze.h"

#define MN_TEXT_HALVES_MAX 255

/* Texts of a kind are of like length, and are scored by weights of their own. */
enum mn_text_kind {
    MN_TEXT_MEMORY = 0,
    MN_TEXT_TURN, /* of a conversation */
    MN_TEXT_PASSAGE,
    MN_TEXT_KINDS
};

struct mn_text_entry {
    struct mn_term term;
    uint8_t halves;  /* weighted frequency, in halves; at most MN_TEXT_HALVES_MAX */
    uint32_t place; /* ordinal among the document's terms of its first occurrence */
};

struct mn_text_document {
    struct mn_text_entry *item; /* each hash once, in order of place */
    size_t count;
    float length; /* weighted number of terms */
    float head;   /* the part of it that says who and when: last in place */
    enum mn_text_kind kind;
};

enum mn_text_kind mn_text_document_kind(const struct mn_unit *unit);

/* Language of the unit: of its title and content. */
enum mn_language mn_text_document_language(const struct mn_unit *unit);

/* Title twice, keywords and entities one and a half times, content and usage scenario once; of an
 * event also who speaks and the date spelled out. In the arena. */
enum mneme_status mn_text_document_make(const struct mn_unit *unit, struct mn_arena *arena,
                                        struct mn_text_document *ret_document,
                                        struct mneme_error *err);

#endif
