/*
 * passages.h - a long text cut where its paragraphs and sentences end.
 */
#ifndef MN_TEXT_PASSAGES_H
#define MN_TEXT_PASSAGES_H

#include <stddef.h>

/* A text of up to so many bytes is one passage: about as much as a model reads and keeps apart. */
#define MN_PASSAGE_TEXT_BYTES_MAX 1200
/* Of one text; the longest there may be has 73. */
#define MN_PASSAGES_MAX 255

struct mn_passage {
    size_t from; /* byte in the text */
    size_t bytes;
};

/* How many passages a text of so many bytes has; 0: it is not cut. At most MN_PASSAGES_MAX. */
size_t mn_text_passage_count(size_t bytes);

/* Passage `number`, from 1 on. Together they are the whole text, in order and without overlap. */
struct mn_passage mn_text_passage(const char *text, size_t bytes, size_t number);

#endif
