/*
 * glance.c - a text as the set of its triples of bytes.
 *
 * One bit of 1,024 for each three bytes in a row, ASCII case and white space aside: three bytes are
 * one Chinese character or a good part of an English syllable, so that texts in other words share
 * few and reworded ones most. Only the beginning is looked at: past it the set fills up and
 * everything begins to look like everything.
 */
#include "text/glance.h"

#include <stddef.h>

#include "base/bits.h"

#define BITS (MN_GLANCE_WORDS * 64)

struct mn_glance mn_glance_at(const char *text)
{
    struct mn_glance glance = { 0 };
    uint32_t window = 0;
    size_t seen = 0;

    for (size_t i = 0; text && text[i] && i < MN_GLANCE_BYTES_MAX; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c <= ' ')
            continue;
        if (c >= 'A' && c <= 'Z')
            c = (unsigned char)(c + 'a' - 'A');
        window = (window << 8 | c) & 0xffffff;
        if (++seen < 3)
            continue;
        uint32_t bit = (window * UINT32_C(2654435761)) >> 16 & (BITS - 1);
        glance.bits[bit / 64] |= UINT64_C(1) << bit % 64;
    }
    for (size_t w = 0; w < MN_GLANCE_WORDS; w++)
        glance.count += mn_bits_count(glance.bits[w]);
    return glance;
}

double mn_glance_share(const struct mn_glance *a, const struct mn_glance *b)
{
    unsigned more = a->count > b->count ? a->count : b->count;
    unsigned shared = 0;

    if (!a->count || !b->count)
        return 0;
    for (size_t w = 0; w < MN_GLANCE_WORDS; w++)
        shared += mn_bits_count(a->bits[w] & b->bits[w]);
    return (double)shared / more;
}

bool mn_glance_may_share(const struct mn_glance *a, const struct mn_glance *b, double share)
{
    unsigned more = a->count > b->count ? a->count : b->count;
    unsigned fewer = a->count > b->count ? b->count : a->count;

    return more && (double)fewer / more >= share;
}
