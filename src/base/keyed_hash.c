/*
 * keyed_hash.c - SipHash-2-4 (Aumasson and Bernstein, 2012) under a random key.
 *
 * Who does not have the key cannot find two texts of one hash, however many he may try; a table hash
 * of a few multiplications promises no such thing.
 */
#include "base/keyed_hash.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>

static struct {
    pthread_once_t once;
    uint64_t key[2];
    bool drawn;
} process = { .once = PTHREAD_ONCE_INIT };

static void draw(void)
{
    process.drawn =
        getrandom(process.key, sizeof process.key, 0) == (ssize_t)sizeof process.key;
}

static uint64_t turn(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static void mix(uint64_t v[4], int rounds)
{
    while (rounds-- > 0) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = turn(v[1], 13) ^ v[0];
        v[3] = turn(v[3], 16) ^ v[2];
        v[0] = turn(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = turn(v[1], 17) ^ v[2];
        v[3] = turn(v[3], 21) ^ v[0];
        v[2] = turn(v[2], 32);
    }
}

static void take_in(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v, 2);
    v[0] ^= word;
}

/* Eight bytes as a number, the first one lowest. */
static uint64_t whole_word(const unsigned char *at)
{
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 |
           (uint64_t)at[3] << 24 | (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 |
           (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
}

/* Fewer of them. */
static uint64_t word_of(const unsigned char *at, size_t count)
{
    uint64_t word = 0;

    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)at[i] << 8 * i;
    return word;
}

uint64_t mn_siphash(const uint64_t key[2], const void *bytes, size_t count)
{
    uint64_t v[4] = { key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
                      key[0] ^ UINT64_C(0x6c7967656e657261),
                      key[1] ^ UINT64_C(0x7465646279746573) };
    const unsigned char *at = bytes;
    size_t left = count;

    for (; left >= 8; at += 8, left -= 8)
        take_in(v, whole_word(at));
    take_in(v, word_of(at, left) | (uint64_t)count << 56);
    v[2] ^= 0xff;
    mix(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

bool mn_hash_keyed(const void *bytes, size_t count, uint64_t *ret_hash)
{
    (void)pthread_once(&process.once, draw);
    if (process.drawn)
        *ret_hash = mn_siphash(process.key, bytes, count);
    return process.drawn;
}
