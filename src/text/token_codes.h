/*
 * token_codes.h - the states of a text's tokens in few bits, as they lie in the store.
 *
 * A state is what a model makes of one token where it stands, on MN_TOKEN_AXES axes. Of a passage
 * each number is kept as -1, 0 or 1; of a request, which is not kept, as a signed byte. A token's
 * number in the model's vocabulary stands before its code, so that a word can be told to be rare.
 */
#ifndef MN_TEXT_TOKEN_CODES_H
#define MN_TEXT_TOKEN_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MN_TOKEN_AXES 128
#define MN_TOKENS_PASSAGE_MAX 128 /* kept of a text; further tokens are left out */
#define MN_TOKENS_REQUEST_MAX 64

/* The token's number (little endian), a bit a number that is not 0, a bit a number that is -1. */
#define MN_TOKEN_NUMBER_BYTES 4
#define MN_TOKEN_PASSAGE_BYTES (MN_TOKEN_NUMBER_BYTES + 2 * MN_TOKEN_AXES / 8)
/* The token's number, a byte a number, -127..127. */
#define MN_TOKEN_REQUEST_BYTES (MN_TOKEN_NUMBER_BYTES + MN_TOKEN_AXES)

/* state: MN_TOKEN_AXES numbers, of any length; all zero, or no numbers, give a code of zeros. */
void mn_token_code_passage(uint32_t token, const float *state, unsigned char *to);
void mn_token_code_request(uint32_t token, const float *state, unsigned char *to);

uint32_t mn_token_code_number(const unsigned char *code);

/* Are these the codes of a passage: no token cut off, and none that is both 0 and -1? */
bool mn_token_codes_whole(const void *bytes, size_t count);

#endif
