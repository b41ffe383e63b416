/*
 * search_corpus.h - seeded units with texts and vectors, for tests that need many.
 */
#ifndef MN_TESTS_SEARCH_CORPUS_H
#define MN_TESTS_SEARCH_CORPUS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "memory/partition.h"
#include "memory/unit.h"

#define CORPUS_DIM 32

struct corpus {
    struct mn_arena *arena;
    struct mn_unit *unit;
    size_t count;
    uint64_t random;
};

/* Ids "<prefix>-<n>". Words by their rank: the n-th is as likely as 1 / n. One unit in ten is in
 * the repository "ten", one in a hundred in "hundred", all others are global. A third are turns,
 * half are Chinese, one in eight has no vector. Asserts where malloc fails. */
struct corpus corpus_new(struct mn_partition partition, const char *prefix, size_t count,
                         uint64_t seed);
void corpus_free(struct corpus *corpus);

uint64_t corpus_random(struct corpus *corpus);
const char *corpus_text(struct corpus *corpus, size_t words, int chinese);
const float *corpus_vector(struct corpus *corpus);

#endif
