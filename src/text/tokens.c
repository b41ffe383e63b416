/*
 * tokens.c - exact counts of o200k and cl100k.
 *
 * The text is cut into words, numbers, punctuation and spaces (pieces.c). Each word that is a token
 * costs one; else its bytes are merged pair by pair, the lowest rank first, the leftmost among
 * equals. Short words search all their pairs for the next merge; long ones keep the pairs in a heap,
 * so that a megabyte without a space costs n log n.
 *
 * How many tokens a word has is kept by the word's hash in a small table: blocks say the same names of
 * elements and attributes again and again. So is that of whole texts of some length: the same memories
 * are shown again and again. An entry is one number, read and written whole, so that threads share the
 * table without a lock.
 *
 * The rank tables lie in the program as scripts/make_ranks wrote them: open addressing, usable
 * where they are, nothing to load. Whatever goes wrong inside (no memory for a long word, a match
 * limit) counts the bytes, which no encoding exceeds: a budget is never overrun.
 */
#include "text/tokens.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "text/bound.h"
#include "text/pieces.h"

#define RANK_NONE UINT32_MAX
#define SHORT_BYTES 96 /* fits in the lowest 8 bits of a counted word */
#define COUNTED 16384  /* words */
#define TEXTS 4096     /* whole ones, of these lengths: their tokens fit in the lowest 12 bits */
#define TEXT_BYTES_MIN 128
#define TEXT_BYTES_MAX 4095

extern const unsigned char mn_ranks_o200k[], mn_ranks_o200k_end[];
extern const unsigned char mn_ranks_cl100k[], mn_ranks_cl100k_end[];

/* The layout of scripts/make_ranks. */
struct ranks_header {
    char magic[8];
    uint32_t count;
    uint32_t slots_log2;
    uint32_t blob_bytes;
    uint32_t token_bytes_max;
    uint32_t reserved[2];
};
struct ranks_slot {
    uint32_t offset;
    uint16_t length; /* 0: empty */
    uint16_t pad;
    uint32_t rank;
};

struct mn_tokens {
    const char *name;
    const struct ranks_slot *slot; /* NULL: estimate */
    uint32_t mask;
    uint32_t token_bytes_max;
    const unsigned char *blob;
    struct mn_pieces *pieces;
    _Atomic uint64_t *counted; /* hash in the upper 56 bits, tokens in the lower 8; 0: empty */
    _Atomic uint64_t *texts;   /* hash in the upper 52 bits, tokens in the lower 12; 0: empty */
};

static const struct encoding {
    const char *name;
    const unsigned char *ranks, *ranks_end; /* NULL: estimate */
} ENCODING[] = {
    { "o200k", mn_ranks_o200k, mn_ranks_o200k_end },
    { "cl100k", mn_ranks_cl100k, mn_ranks_cl100k_end },
    { "estimate", NULL, NULL },
};

/* ---- opening ---- */

static enum mneme_status use_ranks(struct mn_tokens *tokens, const struct encoding *encoding,
                                   struct mneme_error *err)
{
    const struct ranks_header *header = (const void *)encoding->ranks;
    size_t bytes = (size_t)(encoding->ranks_end - encoding->ranks);
    size_t slots;

    if (bytes < sizeof *header || memcmp(header->magic, "MNRANKS1", sizeof header->magic) != 0 ||
        header->slots_log2 > 24)
        return mn_fail(err, MNEME_CORRUPT, "tokenizer: the rank table of %s is damaged",
                       encoding->name);
    slots = (size_t)1 << header->slots_log2;
    if (bytes != sizeof *header + slots * sizeof(struct ranks_slot) + header->blob_bytes)
        return mn_fail(err, MNEME_CORRUPT, "tokenizer: the rank table of %s has %zu bytes",
                       encoding->name, bytes);
    tokens->slot = (const void *)(encoding->ranks + sizeof *header);
    tokens->mask = (uint32_t)slots - 1;
    tokens->blob = encoding->ranks + sizeof *header + slots * sizeof(struct ranks_slot);
    tokens->token_bytes_max = header->token_bytes_max;
    return MNEME_OK;
}

enum mneme_status mn_tokens_new(const char *name, struct mn_tokens **ret_tokens,
                                struct mneme_error *err)
{
    const struct encoding *encoding = NULL;
    struct mn_tokens *tokens;
    enum mneme_status status;

    for (size_t i = 0; i < sizeof ENCODING / sizeof ENCODING[0]; i++) {
        if (mn_same(name, ENCODING[i].name))
            encoding = &ENCODING[i];
    }
    if (!encoding)
        return mn_fail(err, MNEME_INVALID, "tokenizer: '%.40s' is none of o200k, cl100k, estimate",
                       mn_or_empty(name));
    tokens = calloc(1, sizeof *tokens);
    if (!tokens)
        return mn_fail_memory(err);
    tokens->name = encoding->name;
    if (encoding->ranks) {
        tokens->counted = calloc(COUNTED, sizeof *tokens->counted);
        tokens->texts = calloc(TEXTS, sizeof *tokens->texts);
        status = tokens->counted && tokens->texts ? use_ranks(tokens, encoding, err) : mn_fail_memory(err);
        if (status == MNEME_OK && !(tokens->pieces = mn_pieces_new(encoding->name)))
            status = mn_fail_memory(err);
        if (status != MNEME_OK) {
            mn_tokens_free(tokens);
            return status;
        }
    }
    *ret_tokens = tokens;
    return MNEME_OK;
}

void mn_tokens_free(struct mn_tokens *tokens)
{
    if (!tokens)
        return;
    mn_pieces_free(tokens->pieces);
    free(tokens->counted);
    free(tokens->texts);
    free(tokens);
}

const char *mn_tokens_name(const struct mn_tokens *tokens)
{
    return tokens->name;
}

/* ---- merging ---- */

static uint32_t rank_of(const struct mn_tokens *tokens, const unsigned char *at, size_t bytes)
{
    uint64_t hash = UINT64_C(1469598103934665603);
    uint32_t i;

    if (bytes > tokens->token_bytes_max)
        return RANK_NONE;
    for (size_t k = 0; k < bytes; k++)
        hash = (hash ^ at[k]) * UINT64_C(1099511628211);
    for (i = (uint32_t)(hash ^ (hash >> 29)) & tokens->mask; tokens->slot[i].length;
         i = (i + 1) & tokens->mask) {
        if (tokens->slot[i].length == bytes &&
            memcmp(tokens->blob + tokens->slot[i].offset, at, bytes) == 0)
            return tokens->slot[i].rank;
    }
    return RANK_NONE;
}

/* rank[i] is that of pieces i and i + 1 together; piece i begins at start[i]. */
static size_t merge_short(const struct mn_tokens *tokens, const unsigned char *word, size_t bytes)
{
    uint32_t start[SHORT_BYTES + 1];
    uint32_t rank[SHORT_BYTES];
    size_t count = bytes;

    for (size_t i = 0; i <= bytes; i++)
        start[i] = (uint32_t)i;
    for (size_t i = 0; i + 1 < bytes; i++)
        rank[i] = rank_of(tokens, word + i, 2);
    for (;;) {
        uint32_t best = RANK_NONE;
        size_t at = 0;

        for (size_t i = 0; i + 1 < count; i++) {
            if (rank[i] < best) {
                best = rank[i];
                at = i;
            }
        }
        if (best == RANK_NONE)
            return count;
        memmove(start + at + 1, start + at + 2, (count - at - 1) * sizeof start[0]);
        if (count > at + 2)
            memmove(rank + at, rank + at + 1, (count - at - 2) * sizeof rank[0]);
        count--;
        if (at + 1 < count)
            rank[at] = rank_of(tokens, word + start[at], start[at + 2] - start[at]);
        if (at > 0)
            rank[at - 1] = rank_of(tokens, word + start[at - 1], start[at + 1] - start[at - 1]);
    }
}

struct pair {
    uint32_t rank;
    uint32_t at;
    uint32_t bytes; /* of both together: a pair whose pieces have changed since is recognised */
};

struct long_word {
    const struct mn_tokens *tokens;
    const unsigned char *text;
    uint32_t bytes;
    uint32_t *length; /* of the piece that begins here; 0: none does */
    uint32_t *before; /* where the piece before it begins */
    struct pair *heap;
    size_t heap_count;
};

static bool sooner(const struct pair *a, const struct pair *b)
{
    return a->rank < b->rank || (a->rank == b->rank && a->at < b->at);
}

static void heap_push(struct long_word *w, uint32_t at)
{
    uint32_t next = at + w->length[at];
    struct pair pair = { RANK_NONE, at, 0 };
    size_t i = w->heap_count;

    if (next >= w->bytes)
        return;
    pair.bytes = w->length[at] + w->length[next];
    pair.rank = rank_of(w->tokens, w->text + at, pair.bytes);
    if (pair.rank == RANK_NONE)
        return;
    w->heap_count++;
    for (; i > 0 && sooner(&pair, &w->heap[(i - 1) / 2]); i = (i - 1) / 2)
        w->heap[i] = w->heap[(i - 1) / 2];
    w->heap[i] = pair;
}

static struct pair heap_pop(struct long_word *w)
{
    struct pair top = w->heap[0];
    struct pair last = w->heap[--w->heap_count];
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= w->heap_count)
            break;
        if (child + 1 < w->heap_count && sooner(&w->heap[child + 1], &w->heap[child]))
            child++;
        if (!sooner(&w->heap[child], &last))
            break;
        w->heap[i] = w->heap[child];
        i = child;
    }
    w->heap[i] = last;
    return top;
}

/* bytes >= 2. Each merge takes one pair out and puts at most two in. *exact: false where memory is
 * short. */
static size_t merge_long(const struct mn_tokens *tokens, const unsigned char *text, size_t bytes,
                         bool *exact)
{
    struct long_word w = { .tokens = tokens, .text = text, .bytes = (uint32_t)bytes };
    size_t count = bytes;
    uint32_t *places;

    if (bytes > UINT32_MAX / 8)
        return bytes;
    *exact = false;
    places = malloc(bytes * 2 * sizeof *places);
    w.heap = malloc(bytes * 3 * sizeof *w.heap);
    if (!places || !w.heap)
        goto done;
    w.length = places;
    w.before = places + bytes;
    for (uint32_t i = 0; i < bytes; i++) {
        w.length[i] = 1;
        w.before[i] = i ? i - 1 : 0;
    }
    for (uint32_t i = 0; i + 1 < bytes; i++)
        heap_push(&w, i);
    while (w.heap_count > 0) {
        struct pair pair = heap_pop(&w);
        uint32_t next = pair.at + w.length[pair.at];

        if (w.length[pair.at] == 0 || next >= bytes ||
            w.length[pair.at] + w.length[next] != pair.bytes)
            continue;
        w.length[next] = 0;
        w.length[pair.at] = pair.bytes;
        if (pair.at + pair.bytes < bytes)
            w.before[pair.at + pair.bytes] = pair.at;
        count--;
        heap_push(&w, pair.at);
        if (pair.at > 0)
            heap_push(&w, w.before[pair.at]);
    }
    *exact = true;
done:
    free(places);
    free(w.heap);
    return count;
}

static size_t count_short(const struct mn_tokens *tokens, const unsigned char *word, size_t bytes)
{
    uint64_t hash = mn_hash64(word, bytes, 0);
    _Atomic uint64_t *counted = &tokens->counted[hash % COUNTED];
    uint64_t known = atomic_load_explicit(counted, memory_order_relaxed);

    if (known >> 8 == hash >> 8 && known)
        return known & 0xff;
    size_t count = rank_of(tokens, word, bytes) != RANK_NONE ? 1 : merge_short(tokens, word, bytes);
    atomic_store_explicit(counted, (hash >> 8 << 8) | count, memory_order_relaxed);
    return count;
}

static size_t count_word(const struct mn_tokens *tokens, const unsigned char *word, size_t bytes,
                         bool *exact)
{
    if (bytes == 1)
        return 1;
    if (bytes <= SHORT_BYTES)
        return count_short(tokens, word, bytes);
    return rank_of(tokens, word, bytes) != RANK_NONE ? 1 : merge_long(tokens, word, bytes, exact);
}

/* ---- counting ---- */

/* Well-formed text. *exact becomes false where bytes had to be counted. */
static size_t count_valid(const struct mn_tokens *tokens, const char *text, size_t bytes,
                          bool *exact)
{
    struct mn_pieces_walk walk;
    size_t count = 0;
    size_t at = 0;
    size_t end;

    mn_pieces_begin(tokens->pieces, text, bytes, &walk);
    while (at < bytes && (end = mn_pieces_next(&walk, at)) > at) {
        bool known = true;

        count += count_word(tokens, (const unsigned char *)text + at, end - at, &known);
        *exact = *exact && known;
        at = end;
    }
    mn_pieces_end(&walk);
    *exact = *exact && at == bytes;
    return count + (bytes - at);
}

static size_t count_any(const struct mn_tokens *tokens, const char *text, size_t bytes,
                        bool *exact)
{
    size_t count = 0;
    size_t start = 0;
    size_t at = 0;

    if (mn_utf8_valid(text, bytes))
        return count_valid(tokens, text, bytes, exact);
    while (at < bytes) {
        size_t bad = at;

        if (mn_utf8_next(text, bytes, &at) >= 0)
            continue;
        count += count_valid(tokens, text + start, bad - start, exact) + 1;
        start = at;
    }
    return count + count_valid(tokens, text + start, bytes - start, exact);
}

size_t mn_tokens_count(const struct mn_tokens *tokens, const char *text, size_t bytes)
{
    bool exact = true;

    if (!tokens->slot)
        return mn_bound_tokens(text, bytes);
    if (bytes < TEXT_BYTES_MIN || bytes > TEXT_BYTES_MAX)
        return count_any(tokens, text, bytes, &exact);
    uint64_t hash = mn_hash64(text, bytes, 0);
    _Atomic uint64_t *known = &tokens->texts[hash % TEXTS];
    uint64_t entry = atomic_load_explicit(known, memory_order_relaxed);
    if (entry && entry >> 12 == hash >> 12)
        return entry & 0xfff;
    size_t count = count_any(tokens, text, bytes, &exact);
    if (exact)
        atomic_store_explicit(known, (hash >> 12 << 12) | count, memory_order_relaxed);
    return count;
}
