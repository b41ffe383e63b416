/*
 * pieces.h - where o200k and cl100k cut a text: words, numbers, punctuation, spaces.
 *
 * Each piece is then merged for itself (tokens.c).
 */
#ifndef MN_TEXT_PIECES_H
#define MN_TEXT_PIECES_H

#include <stdbool.h>
#include <stddef.h>

struct mn_pieces; /* of one encoding; shared freely by threads */

/* name: "o200k" or "cl100k". NULL: no memory. */
struct mn_pieces *mn_pieces_new(const char *name);
void mn_pieces_free(struct mn_pieces *pieces); /* accepts NULL */

/* The walk over one well-formed text. */
struct mn_pieces_walk {
    const struct mn_pieces *pieces;
    const char *text;
    size_t bytes;
    void *match; /* of the expression; NULL until it is needed */
};
void mn_pieces_begin(const struct mn_pieces *pieces, const char *text, size_t bytes,
                     struct mn_pieces_walk *ret_walk);
/* The end of the piece that begins at `at`, which is before the end; `at`: it could not be found. */
size_t mn_pieces_next(struct mn_pieces_walk *walk, size_t at);
/* The same by the expression alone: what the other is held against. */
size_t mn_pieces_next_by_expression(struct mn_pieces_walk *walk, size_t at);
void mn_pieces_end(struct mn_pieces_walk *walk);

#endif
