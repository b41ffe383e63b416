/*
 * test_base_hash.c - the table hash spreads, the content hash is SHA-256, the keyed one SipHash-2-4.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/keyed_hash.h"

#define KEYS 200000
#define BUCKETS 1024

static int compare_hashes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void similar_keys_collide_nowhere_and_fill_buckets_evenly(void **state)
{
    static uint64_t hash[KEYS];
    static int low[BUCKETS];
    static int high[BUCKETS];

    (void)state;
    for (int i = 0; i < KEYS; i++) {
        char key[32];

        hash[i] = mn_hash64(key, (size_t)snprintf(key, sizeof key, "mem_%d", i), 0);
        low[hash[i] % BUCKETS]++;
        high[hash[i] >> 54]++;
    }
    for (int i = 0; i < BUCKETS; i++) { /* 195 on average, 14 the standard deviation */
        assert_in_range(low[i], 195 - 90, 195 + 90);
        assert_in_range(high[i], 195 - 90, 195 + 90);
    }
    qsort(hash, KEYS, sizeof *hash, compare_hashes);
    for (int i = 1; i < KEYS; i++)
        assert_true(hash[i - 1] != hash[i]);
}

static void each_bit_of_the_key_flips_about_half_of_the_hash(void **state)
{
    unsigned char key[40];

    (void)state;
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (unsigned char)(i * 37);
    for (size_t bytes = 1; bytes <= sizeof key; bytes++) {
        uint64_t before = mn_hash64(key, bytes, 1);

        for (size_t bit = 0; bit < bytes * 8; bit++) {
            key[bit / 8] ^= (unsigned char)(1 << bit % 8);
            assert_in_range(__builtin_popcountll(before ^ mn_hash64(key, bytes, 1)), 10, 54);
            key[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
    }
}

static void zeros_of_different_lengths_and_seeds_differ(void **state)
{
    static const unsigned char ZEROS[64];
    uint64_t hash[65 * 2];

    (void)state;
    for (size_t bytes = 0; bytes <= 64; bytes++) {
        hash[2 * bytes] = mn_hash64(ZEROS, bytes, 0);
        hash[2 * bytes + 1] = mn_hash64(ZEROS, bytes, 1);
    }
    qsort(hash, 130, sizeof *hash, compare_hashes);
    for (int i = 1; i < 130; i++)
        assert_true(hash[i - 1] != hash[i]);
    assert_true(mn_hash64(NULL, 0, 7) == mn_hash64("", 0, 7));
}

static void contents_have_the_sha_256_of_fips_180(void **state)
{
    char hex[MN_SHA256_HEX_BYTES];
    char *million = malloc(1000000);

    (void)state;
    assert_true(mn_sha256_hex("abc", 3, hex));
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_true(mn_sha256_hex(NULL, 0, hex));
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_non_null(million);
    memset(million, 'a', 1000000);
    assert_true(mn_sha256_hex(million, 1000000, hex));
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

/* The key of the paper's example counts from 0, and so does its text of 15 bytes. */
static void the_keyed_hash_is_that_of_its_paper(void **state)
{
    const uint64_t key[2] = { UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908) };
    unsigned char text[16];

    (void)state;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (unsigned char)i;
    assert_true(mn_siphash(key, text, 15) == UINT64_C(0xa129ca6149be45e5));
    assert_true(mn_siphash(key, text, 0) == UINT64_C(0x726fdb47dd0e0e31));
    assert_true(mn_siphash(key, text, 8) == UINT64_C(0x93f5f5799a932462));
}

static void a_process_has_one_key(void **state)
{
    const uint64_t zero[2] = { 0, 0 };
    uint64_t once = 0, again = 0, other = 0;

    (void)state;
    assert_true(mn_hash_keyed("a text", 6, &once) && mn_hash_keyed("a text", 6, &again));
    assert_true(mn_hash_keyed("a text.", 7, &other));
    assert_true(once == again && once != other && once != mn_siphash(zero, "a text", 6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(similar_keys_collide_nowhere_and_fill_buckets_evenly),
        cmocka_unit_test(each_bit_of_the_key_flips_about_half_of_the_hash),
        cmocka_unit_test(zeros_of_different_lengths_and_seeds_differ),
        cmocka_unit_test(contents_have_the_sha_256_of_fips_180),
        cmocka_unit_test(the_keyed_hash_is_that_of_its_paper),
        cmocka_unit_test(a_process_has_one_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
