/*
 * test_token_codes.c - states in few bits: the nearest code, and bytes that are none.
 */
#include "text/token_codes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void a_state_keeps_its_largest_numbers_with_their_signs(void **state)
{
    float numbers[MN_TOKEN_AXES] = { [0] = 4, [9] = -3, [127] = 3.5f, [5] = 0.1f };
    unsigned char code[MN_TOKEN_PASSAGE_BYTES];

    (void)state;
    mn_token_code_passage(0x01020304, numbers, code);
    assert_int_equal(mn_token_code_number(code), 0x01020304);
    assert_int_equal(code[0], 4); /* little endian */
    assert_int_equal(code[4], 1);
    assert_int_equal(code[5], 2);
    assert_int_equal(code[4 + 15], 128);
    assert_int_equal(code[20], 0);
    assert_int_equal(code[21], 2); /* -3 */
    for (int i = 6; i < 4 + 15; i++)
        assert_int_equal(code[i], 0);
    assert_true(mn_token_codes_whole(code, sizeof code));
}

/* With all of one size each is worth keeping: 1 / sqrt(1), 2 / sqrt(2) ... */
static void equal_numbers_are_all_kept(void **state)
{
    float numbers[MN_TOKEN_AXES];
    unsigned char code[MN_TOKEN_PASSAGE_BYTES];

    (void)state;
    for (int i = 0; i < MN_TOKEN_AXES; i++)
        numbers[i] = i % 2 ? -0.5f : 0.5f;
    mn_token_code_passage(7, numbers, code);
    for (int i = 0; i < 16; i++) {
        assert_int_equal(code[4 + i], 0xff);
        assert_int_equal(code[20 + i], 0xaa);
    }
}

static void no_state_has_a_code_of_zeros(void **state)
{
    float numbers[MN_TOKEN_AXES] = { 0 };
    unsigned char code[MN_TOKEN_REQUEST_BYTES];

    (void)state;
    mn_token_code_passage(1, numbers, code);
    for (int i = 4; i < MN_TOKEN_PASSAGE_BYTES; i++)
        assert_int_equal(code[i], 0);
    numbers[3] = NAN;
    numbers[4] = 1;
    mn_token_code_passage(1, numbers, code);
    for (int i = 4; i < MN_TOKEN_PASSAGE_BYTES; i++)
        assert_int_equal(code[i], 0);
    mn_token_code_request(1, numbers, code);
    for (int i = 4; i < MN_TOKEN_REQUEST_BYTES; i++)
        assert_int_equal(code[i], 0);
}

static void a_request_keeps_bytes_of_the_largest(void **state)
{
    const float numbers[MN_TOKEN_AXES] = { [0] = 2, [1] = -2, [2] = 1, [126] = -0.01f };
    unsigned char code[MN_TOKEN_REQUEST_BYTES];

    (void)state;
    mn_token_code_request(250000, numbers, code);
    assert_int_equal(mn_token_code_number(code), 250000);
    assert_int_equal((signed char)code[4], 127);
    assert_int_equal((signed char)code[5], -127);
    assert_int_equal((signed char)code[6], 64); /* 63.5, to even */
    assert_int_equal((signed char)code[4 + 126], -1);
}

static void bytes_that_are_no_codes_are_told(void **state)
{
    const float numbers[MN_TOKEN_AXES] = { [8] = 1 };
    static unsigned char code[(MN_TOKENS_PASSAGE_MAX + 1) * MN_TOKEN_PASSAGE_BYTES];

    (void)state;
    for (int i = 0; i <= MN_TOKENS_PASSAGE_MAX; i++)
        mn_token_code_passage(1, numbers, code + i * MN_TOKEN_PASSAGE_BYTES);
    assert_true(mn_token_codes_whole(NULL, 0));
    assert_true(mn_token_codes_whole(code, MN_TOKENS_PASSAGE_MAX * MN_TOKEN_PASSAGE_BYTES));
    assert_false(mn_token_codes_whole(code, sizeof code)); /* one too many */
    assert_false(mn_token_codes_whole(code, MN_TOKEN_PASSAGE_BYTES - 1));
    assert_false(mn_token_codes_whole(code, MN_TOKEN_PASSAGE_BYTES + 1));
    code[20 + 2] = 1; /* negative, and not given */
    assert_false(mn_token_codes_whole(code, 2 * MN_TOKEN_PASSAGE_BYTES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_keeps_its_largest_numbers_with_their_signs),
        cmocka_unit_test(equal_numbers_are_all_kept),
        cmocka_unit_test(no_state_has_a_code_of_zeros),
        cmocka_unit_test(a_request_keeps_bytes_of_the_largest),
        cmocka_unit_test(bytes_that_are_no_codes_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
