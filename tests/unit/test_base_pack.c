/*
 * test_base_pack.c - what is packed comes back as it was or not at all, and is seen among other bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/pack.h"

#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)

static uint64_t random_state = 88172645463325252U;

/* Words of five bytes, of which a seventh can be spared. */
static void put_words(struct mn_buf *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        random_state ^= random_state << 13;
        random_state ^= random_state >> 7;
        random_state ^= random_state << 17;
        mn_buf_printf(out, "%04x ", (unsigned)(random_state & 0xffff));
    }
}

static struct mn_str str_of(const struct mn_buf *buf)
{
    return (struct mn_str){ buf->at, buf->bytes };
}

static void what_is_packed_comes_back(void **state)
{
    static const size_t counts[] = { 0, 1, 2000, 300000 };

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        MN_BUF_AUTO plain = { 0 };
        MN_BUF_AUTO packed = { 0 };
        MN_BUF_AUTO again = { 0 };
        struct mneme_error err;
        size_t bytes = 77;

        mn_buf_text(&plain, "");
        put_words(&plain, counts[i]);
        mn_buf_reset(&packed);
        ASSERT_OK(mn_pack(i % 2 ? MN_PACK_ONCE : MN_PACK_QUICK, str_of(&plain), &packed, &err));
        assert_true(mn_packed_says(str_of(&packed), &bytes));
        assert_int_equal(bytes, plain.bytes);
        char *room = mn_buf_take(&again, bytes);
        ASSERT_OK(mn_unpack("it", str_of(&packed), room, bytes, &err));
        assert_memory_equal(room, plain.bytes ? plain.at : "", bytes);
    }
}

static void what_was_changed_is_told(void **state)
{
    MN_BUF_AUTO plain = { 0 };
    MN_BUF_AUTO packed = { 0 };
    struct mneme_error err;
    char room[1001];
    size_t bytes = 77;

    (void)state;
    put_words(&plain, 200);
    ASSERT_OK(mn_pack(MN_PACK_QUICK, str_of(&plain), &packed, &err));
    assert_int_equal(mn_unpack("it", str_of(&packed), room, 999, &err), MNEME_CORRUPT);
    assert_int_equal(mn_unpack("it", str_of(&packed), room, 1001, &err), MNEME_CORRUPT);
    assert_non_null(strstr(err.message, "it cannot be unpacked"));
    assert_int_equal(
        mn_unpack("it", (struct mn_str){ packed.at, packed.bytes - 1 }, room, 1000, &err),
        MNEME_CORRUPT);
    packed.at[packed.bytes / 2] ^= 1;
    assert_int_equal(mn_unpack("it", str_of(&packed), room, 1000, &err), MNEME_CORRUPT);
    assert_false(mn_packed_says(str_of(&plain), &bytes));
    assert_false(mn_packed_says((struct mn_str){ packed.at, 3 }, &bytes));
    assert_int_equal(bytes, 77);
}

/* ---- among other bytes ---- */

static void gather(void *context, const void *bytes, size_t count)
{
    mn_buf_put(context, bytes, count);
}

static void it_is_seen_among_other_bytes(void **state)
{
    static const char chance[] = "\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff\xff\xff\xff\x28\xb5\x2f";
    MN_BUF_AUTO page = { 0 };
    MN_BUF_AUTO seen = { 0 };
    struct mneme_error err;

    (void)state;
    ASSERT_OK(mn_unpack_among(MN_STR(""), gather, &seen, &err));
    ASSERT_OK(mn_unpack_among(MN_STR("nothing is packed"), gather, &seen, &err));
    ASSERT_OK(mn_unpack_among((struct mn_str){ chance, sizeof chance - 1 }, gather, &seen, &err));
    assert_int_equal(seen.bytes, 0);

    mn_buf_put(&page, chance, sizeof chance - 1);
    ASSERT_OK(mn_pack(MN_PACK_QUICK, MN_STR("One lies here"), &page, &err));
    mn_buf_text(&page, "between");
    ASSERT_OK(mn_pack(MN_PACK_ONCE, MN_STR(", and one there."), &page, &err));
    ASSERT_OK(mn_unpack_among(str_of(&page), gather, &seen, &err));
    assert_string_equal(seen.at, "One lies here, and one there.");
}

/* Blocks are of 128 KiB: of 300 the first two are whole where only the end is missing. */
static void one_that_is_cut_is_seen_as_far_as_it_goes(void **state)
{
    MN_BUF_AUTO plain = { 0 };
    MN_BUF_AUTO packed = { 0 };
    MN_BUF_AUTO seen = { 0 };
    struct mneme_error err;

    (void)state;
    put_words(&plain, 60 * 1024);
    ASSERT_OK(mn_pack(MN_PACK_QUICK, str_of(&plain), &packed, &err));
    ASSERT_OK(mn_unpack_among((struct mn_str){ packed.at, packed.bytes - 9 }, gather, &seen, &err));
    assert_int_equal(seen.bytes, 256 * 1024);
    assert_memory_equal(seen.at, plain.at, seen.bytes);
    mn_buf_reset(&seen);
    ASSERT_OK(mn_unpack_among((struct mn_str){ packed.at, 4000 }, gather, &seen, &err));
    assert_int_equal(seen.bytes, 0);
}

static void count_piece(void *context, const void *bytes, size_t count)
{
    size_t *sum = context;

    (void)bytes;
    assert_true(count <= (size_t)1 << 20);
    *sum += count;
}

static void a_long_one_comes_in_pieces(void **state)
{
    MN_BUF_AUTO packed = { 0 };
    struct mneme_error err;
    size_t bytes = (size_t)5 << 20;
    char *plain = calloc(bytes, 1);
    size_t sum = 0;

    (void)state;
    assert_non_null(plain);
    ASSERT_OK(mn_pack(MN_PACK_QUICK, (struct mn_str){ plain, bytes }, &packed, &err));
    free(plain);
    assert_true(packed.bytes < 8192);
    ASSERT_OK(mn_unpack_among(str_of(&packed), count_piece, &sum, &err));
    assert_int_equal(sum, bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_comes_back),
        cmocka_unit_test(what_was_changed_is_told),
        cmocka_unit_test(it_is_seen_among_other_bytes),
        cmocka_unit_test(one_that_is_cut_is_seen_as_far_as_it_goes),
        cmocka_unit_test(a_long_one_comes_in_pieces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
