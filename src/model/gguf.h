/*
 * gguf.h - what a GGUF file says about itself, read without loading it.
 *
 * Loading the default model takes most of a second, nearly all of it for the vocabulary. Whether a
 * file is a model at all, how long its vectors are and which model it is stands in the first pages.
 */
#ifndef MN_MODEL_GGUF_H
#define MN_MODEL_GGUF_H

#include <stddef.h>

#include "base/err.h"

struct mn_gguf_header {
    char architecture[32]; /* "bert" */
    char name[64];         /* "multilingual-e5-small"; empty when the file has none */
    long file_type;        /* 2: mostly Q4_0; -1 when it does not stand in the first pages */
    size_t dim;            /* of its vectors */
    size_t tokens_max;     /* context it was trained for; 0 when unknown */
    char fingerprint[9];   /* 8 hex digits over size, first and last pages: tells two files apart */
};

/*
 * MNEME_NOT_FOUND    no such file.
 * MNEME_UNAVAILABLE  it cannot be read.
 * MNEME_CORRUPT      not a GGUF of a model with vectors, or cut off inside its header.
 */
enum mneme_status mn_gguf_read(const char *path, struct mn_gguf_header *ret_header,
                               struct mneme_error *err);

#endif
