/*
 * hash.c - folded multiplication for tables, SHA-256 for contents.
 *
 * The table hash takes 16 bytes at a time: both words are masked, multiplied to 128 bits, and the
 * halves folded together, so that every bit of the input reaches every bit of the state. The length
 * enters first (padding with zeros is then no second name for the same text) and a finaliser of
 * shifts and multiplications ends it, so that low bits may be used alone.
 */
#include "base/hash.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "base/err.h"

/* Odd, half of their bits set. */
#define MASK_A UINT64_C(0xa3b195354a39b70d)
#define MASK_B UINT64_C(0x1b03738712fad5c9)
#define MASK_C UINT64_C(0xd6e8feb86659fd93)

static uint64_t fold(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t finish(uint64_t x)
{
    x ^= x >> 32;
    x *= MASK_C;
    x ^= x >> 29;
    x *= MASK_A;
    return x ^ (x >> 32);
}

static uint64_t word_at(const unsigned char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return word;
}

static uint64_t half_at(const unsigned char *at)
{
    uint32_t half;

    memcpy(&half, at, sizeof half);
    return half;
}

/* 1 to 15 bytes as two words, the rest zero: read at both ends, without a copy. */
static void last_words(const unsigned char *at, size_t count, uint64_t word[2])
{
    word[1] = 0;
    if (count > 8) {
        word[0] = word_at(at);
        word[1] = word_at(at + count - 8) >> 8 * (16 - count);
    } else if (count >= 4) {
        word[0] = half_at(at) | half_at(at + count - 4) << 8 * (count - 4);
    } else {
        word[0] = at[0] | (uint64_t)at[count / 2] << 8 * (count / 2) |
                  (uint64_t)at[count - 1] << 8 * (count - 1);
    }
}

uint64_t mn_hash64(const void *bytes, size_t count, uint64_t seed)
{
    const unsigned char *at = bytes;
    uint64_t state = seed ^ MASK_A ^ ((uint64_t)count * MASK_B);
    uint64_t word[2];

    for (; count >= sizeof word; at += sizeof word, count -= sizeof word) {
        memcpy(word, at, sizeof word);
        state = fold(word[0] ^ MASK_A, word[1] ^ MASK_B ^ state) + (state ^ MASK_C);
    }
    if (count) {
        last_words(at, count, word);
        state = fold(word[0] ^ MASK_A, word[1] ^ MASK_B ^ state) + (state ^ MASK_C);
    }
    return finish(state);
}

static void put_hex(const unsigned char *sum, unsigned sum_bytes, char hex[MN_SHA256_HEX_BYTES])
{
    static const char DIGITS[] = "0123456789abcdef";

    for (unsigned i = 0; i < sum_bytes; i++) {
        hex[2 * i] = DIGITS[sum[i] >> 4];
        hex[2 * i + 1] = DIGITS[sum[i] & 0xf];
    }
    hex[MN_SHA256_HEX_BYTES - 1] = '\0';
}

/* Looked up by name once; each use of it would look it up again. NULL: no memory. */
static EVP_MD *sha256;
static EVP_MAC *hmac_kind;

static bool fetched(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    bool found;

    (void)pthread_mutex_lock(&mutex);
    if (!sha256)
        sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    if (!hmac_kind)
        hmac_kind = EVP_MAC_fetch(NULL, "HMAC", NULL);
    found = sha256 && hmac_kind;
    (void)pthread_mutex_unlock(&mutex);
    return found;
}

bool mn_sha256_hex(const void *bytes, size_t count, char hex[MN_SHA256_HEX_BYTES])
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned sum_bytes = 0;

    hex[0] = '\0';
    if (!fetched() || !EVP_Digest(bytes, count, sum, &sum_bytes, sha256, NULL) ||
        sum_bytes != (MN_SHA256_HEX_BYTES - 1) / 2)
        return false;
    put_hex(sum, sum_bytes, hex);
    return true;
}

struct mn_hmac {
    EVP_MAC_CTX *context;
};

struct mn_hmac *mn_hmac_new(const void *key, size_t key_bytes)
{
    char digest[] = "SHA256";
    OSSL_PARAM settings[] = { OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                              OSSL_PARAM_construct_end() };
    struct mn_hmac *hmac = calloc(1, sizeof *hmac);

    if (hmac && fetched())
        hmac->context = EVP_MAC_CTX_new(hmac_kind);
    if (hmac && hmac->context && EVP_MAC_init(hmac->context, key, key_bytes, settings))
        return hmac;
    mn_hmac_free(hmac);
    return NULL;
}

void mn_hmac_free(struct mn_hmac *hmac)
{
    if (!hmac)
        return;
    EVP_MAC_CTX_free(hmac->context);
    free(hmac);
}

void mn_hmac_free_at(struct mn_hmac **hmac)
{
    mn_hmac_free(*hmac);
    *hmac = NULL;
}

bool mn_hmac_hex(struct mn_hmac *hmac, const void *bytes, size_t count,
                 char hex[MN_SHA256_HEX_BYTES])
{
    unsigned char sum[EVP_MAX_MD_SIZE];
    size_t sum_bytes = 0;

    hex[0] = '\0';
    if (!hmac || !EVP_MAC_init(hmac->context, NULL, 0, NULL) ||
        !EVP_MAC_update(hmac->context, bytes, count) ||
        !EVP_MAC_final(hmac->context, sum, &sum_bytes, sizeof sum) ||
        sum_bytes != (MN_SHA256_HEX_BYTES - 1) / 2)
        return false;
    put_hex(sum, (unsigned)sum_bytes, hex);
    return true;
}
