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
#include <string.h>

#include "base/bits.h"

#define BITS (MN_GLANCE_WORDS * 64)

/* Each byte without case; 0: white space, which is passed over. */
#define EIGHT(c) (c), (c) + 1, (c) + 2, (c) + 3, (c) + 4, (c) + 5, (c) + 6, (c) + 7
#define THIRTY_TWO(c) EIGHT(c), EIGHT((c) + 8), EIGHT((c) + 16), EIGHT((c) + 24)
static const uint8_t LOOK[256] = {
    [' ' + 1] = '!', EIGHT('"'), EIGHT('*'), EIGHT('2'), ':', ';', '<', '=', '>', '?', '@',
    EIGHT('a'), EIGHT('i'), EIGHT('q'), 'y', 'z', '[', '\\', ']', '^', '_', '`',
    EIGHT('a'), EIGHT('i'), EIGHT('q'), 'y', 'z', '{', '|', '}', '~', 0x7f,
    THIRTY_TWO(0x80), THIRTY_TWO(0xa0), THIRTY_TWO(0xc0), THIRTY_TWO(0xe0),
};

struct mn_glance mn_glance_at(const char *text)
{
    struct mn_glance glance = { 0 };
    size_t bytes = text ? strnlen(text, MN_GLANCE_BYTES_MAX) : 0;
    uint32_t window = 0;
    size_t seen = 0, i = 0;

    for (; i < bytes && seen < 2; i++) {
        uint32_t look = LOOK[(unsigned char)text[i]];

        window = look ? window << 8 | look : window;
        seen += look != 0;
    }
    for (; i < bytes; i++) {
        uint32_t look = LOOK[(unsigned char)text[i]];

        if (!look)
            continue;
        window = (window << 8 | look) & 0xffffff;
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
