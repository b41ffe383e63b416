/*
 * test_text_pieces.c - pieces found by hand against those that the expressions find.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "text/pieces.h"

#define ROUNDS 60000
#define PARTS_MAX 14

/* What decides where a piece ends, and some that are beyond ASCII: a letter, a mark on the letter
 * before it, a digit, a space, a sign, the long s that 's may be. */
static const char *const PART[] = { "a",  "b",  "z",  "A",  "Q",  "s",  "t",  "re", "VE", "ll",
                                    "'",  "'",  "0",  "17", "  ", " ",  " ",  "\t", "\n", "\r",
                                    "\v", "/",  "<",  ">",  "-",  "_",  "!",  "é",  "处", "\xcc\x81",
                                    "٣",  "　", "—",  "ſ",  "\x01", "\x7f" };
#define PART_COUNT (sizeof PART / sizeof PART[0])

static uint32_t next_random(uint32_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 17;
    return *random ^= *random << 5;
}

static void are_the_same(const struct mn_pieces *pieces, const char *text, size_t bytes)
{
    struct mn_pieces_walk walk;

    mn_pieces_begin(pieces, text, bytes, &walk);
    for (size_t at = 0; at < bytes;) {
        size_t end = mn_pieces_next(&walk, at);

        if (end != mn_pieces_next_by_expression(&walk, at) || end <= at)
            fail_msg("\"%s\" at %zu: %zu, not %zu", text, at, end,
                     mn_pieces_next_by_expression(&walk, at));
        at = end;
    }
    mn_pieces_end(&walk);
}

static void each_way_finds_the_same_pieces(void **state)
{
    static const char *const NAME[] = { "o200k", "cl100k" };
    uint32_t random = 2463534242;

    (void)state;
    for (size_t n = 0; n < sizeof NAME / sizeof NAME[0]; n++) {
        struct mn_pieces *pieces = mn_pieces_new(NAME[n]);

        assert_non_null(pieces);
        for (size_t round = 0; round < ROUNDS; round++) {
            char text[4 * PARTS_MAX + 1] = "";

            for (size_t i = next_random(&random) % (PARTS_MAX + 1); i > 0; i--)
                strcat(text, PART[next_random(&random) % PART_COUNT]);
            are_the_same(pieces, text, strlen(text));
        }
        are_the_same(pieces, "a\0b \0 1\0", 8);
        mn_pieces_free(pieces);
    }
}

static void pieces_are_what_the_encodings_say(void **state)
{
    static const struct {
        const char *text;
        size_t end_o200k, end_cl100k;
    } CASE[] = {
        { "ABCdef x", 6, 6 },  { "aBC", 1, 3 },   { "it's", 4, 2 }, { "'stuff", 6, 2 },
        { "1234", 3, 3 },      { " <memory", 2, 2 }, { "</memory>", 2, 2 }, { ">\n/\n<", 4, 2 },
        { "  word", 1, 1 },    { " word", 5, 5 }, { " \n  x", 2, 2 }, { "  ", 2, 2 },
        { "\nword", 1, 1 },    { "\tword", 5, 5 },
    };
    struct mn_pieces *o200k = mn_pieces_new("o200k"), *cl100k = mn_pieces_new("cl100k");

    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        struct mn_pieces_walk walk;

        mn_pieces_begin(o200k, CASE[i].text, strlen(CASE[i].text), &walk);
        assert_int_equal(mn_pieces_next(&walk, 0), CASE[i].end_o200k);
        mn_pieces_end(&walk);
        mn_pieces_begin(cl100k, CASE[i].text, strlen(CASE[i].text), &walk);
        assert_int_equal(mn_pieces_next(&walk, 0), CASE[i].end_cl100k);
        mn_pieces_end(&walk);
    }
    mn_pieces_free(o200k);
    mn_pieces_free(cl100k);
    mn_pieces_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_way_finds_the_same_pieces),
        cmocka_unit_test(pieces_are_what_the_encodings_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
