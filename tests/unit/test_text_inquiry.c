/*
 * test_text_inquiry.c - when, how many, which dates, whom.
 */
#include "text/inquiry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MONTH(m) (1u << (m))

static const struct {
    const char *text;
    bool when, many;
    unsigned months;
    int year, day; /* the first; 0: none */
} ASKED[] = {
    { "", false, false, 0, 0, 0 },
    { "When did Ann move?", true, false, 0, 0, 0 },
    { "Ann went and said so when?", false, false, 0, 0, 0 },
    { "So say Ann when", true, false, 0, 0, 0 },
    { "How long ago was it?", true, false, 0, 0, 0 },
    { "How many dogs?", false, true, 0, 0, 0 },
    { "In which year did she go", true, false, 0, 0, 0 },
    { "What did Ann do in May 2023?", false, false, MONTH(5), 2023, 0 },
    { "What may Ann do?", false, false, 0, 0, 0 },
    { "on 8 May", false, false, MONTH(5), 0, 8 },
    { "on May 8th, 2023", false, false, MONTH(5), 2023, 8 },
    { "the 3rd of July", false, false, MONTH(7), 0, 3 },
    { "the 32nd of July", false, false, MONTH(7), 0, 0 },
    { "on February 29", false, false, MONTH(2), 0, 29 },
    { "on February 30", false, false, MONTH(2), 0, 0 },
    { "the 31st of April", false, false, MONTH(4), 0, 0 },
    { "9月45日", false, false, MONTH(9), 0, 0 },
    { "2月30日", false, false, MONTH(2), 0, 0 },
    { "13月5日", false, false, 0, 0, 0 },
    { "in the summer of 2022", false, false, MONTH(6) | MONTH(7) | MONTH(8), 2022, 0 },
    { "in winter", false, false, MONTH(12) | MONTH(1) | MONTH(2), 0, 0 },
    { "1999", false, false, 0, 0, 0 },
    { "小明什么时候去的？", true, false, 0, 0, 0 },
    { "他有多少本书", false, true, 0, 0, 0 },
    { "2023年5月8日做了什么", false, false, MONTH(5), 2023, 8 },
    { "五月八号", false, false, MONTH(5), 0, 8 },
    { "去年夏天", false, false, MONTH(6) | MONTH(7) | MONTH(8), 0, 0 },
};

static void kinds_and_dates_are_read_in_both_languages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ASKED / sizeof ASKED[0]; i++) {
        struct mn_inquiry q = mn_inquiry_read(ASKED[i].text);

        if (q.asks_when != ASKED[i].when || q.asks_how_many != ASKED[i].many ||
            q.months != ASKED[i].months || q.year_count != (ASKED[i].year != 0) ||
            q.year[0] != ASKED[i].year || q.day_count != (ASKED[i].day != 0) ||
            q.day[0] != ASKED[i].day)
            fail_msg("\"%s\": when %d many %d months %x year %d day %d", ASKED[i].text, q.asks_when,
                     q.asks_how_many, q.months, q.year[0], q.day[0]);
    }
}

static void a_day_fits_by_month_then_day_then_year(void **state)
{
    struct mn_inquiry day = mn_inquiry_read("on 8 May 2023");
    struct mn_inquiry month = mn_inquiry_read("in May");
    struct mn_inquiry year = mn_inquiry_read("during 2023");
    struct mn_inquiry none = mn_inquiry_read("whom?");

    (void)state;
    assert_float_equal(mn_inquiry_fits_date(&day, 2023, 5, 9), 1.0f, 1e-6f);
    assert_float_equal(mn_inquiry_fits_date(&day, 2023, 5, 15), 0.8f, 1e-6f);
    assert_float_equal(mn_inquiry_fits_date(&day, 2023, 5, 16), 0.6f, 1e-6f);
    assert_float_equal(mn_inquiry_fits_date(&day, 2022, 5, 8), 0.5f, 1e-6f);
    assert_float_equal(mn_inquiry_fits_date(&day, 2023, 6, 8), 0, 0);
    assert_float_equal(mn_inquiry_fits_date(&month, 2019, 5, 1), 0.6f, 1e-6f);
    assert_float_equal(mn_inquiry_fits_date(&year, 2023, 1, 1), 0.3f, 1e-6f);
    assert_float_equal(mn_inquiry_fits_date(&year, 2022, 1, 1), 0, 0);
    assert_float_equal(mn_inquiry_fits_date(&none, 2023, 1, 1), 0, 0);
}

static void a_name_may_be_spelled_nearly(void **state)
{
    struct mn_inquiry q = mn_inquiry_read("What did Mel and Jonathan and Sarra say to Kat?");

    (void)state;
    assert_true(mn_inquiry_nearly_names(&q, MN_STR("mel")));
    assert_true(mn_inquiry_nearly_names(&q, MN_STR("melanie")));
    assert_true(mn_inquiry_nearly_names(&q, MN_STR("jona")));
    assert_true(mn_inquiry_nearly_names(&q, MN_STR("sarah")));
    assert_true(mn_inquiry_nearly_names(&q, MN_STR("kate")));
    assert_false(mn_inquiry_nearly_names(&q, MN_STR("kyle")));
    assert_false(mn_inquiry_nearly_names(&q, MN_STR("bob")));
    assert_false(mn_inquiry_nearly_names(&q, MN_STR("")));
    q = mn_inquiry_read("Who is Mel? Did Hass say?");
    assert_false(mn_inquiry_nearly_names(&q, MN_STR("whoopi"))); /* a stop word names nobody */
    assert_false(mn_inquiry_nearly_names(&q, MN_STR("didier")));
    assert_true(mn_inquiry_nearly_names(&q, MN_STR("hassan")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_and_dates_are_read_in_both_languages),
        cmocka_unit_test(a_day_fits_by_month_then_day_then_year),
        cmocka_unit_test(a_name_may_be_spelled_nearly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
