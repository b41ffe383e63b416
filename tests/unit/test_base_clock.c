/*
 * test_base_clock.c - the calendar against one that counts day by day, RFC 3339 both ways, and ids
 * in order.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <mneme/memory.h>

#include "base/clock.h"

#define THREADS 4
#define IDS_PER_THREAD 20000

static void four_thousand_years_of_days_agree_with_a_calendar_that_counts(void **state)
{
    static const int DAYS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t days = -719528; /* 0000-01-01 */

    (void)state;
    for (int year = 0; year < 4000; year++) {
        int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

        for (int month = 1; month <= 12; month++) {
            for (int day = 1; day <= DAYS[month - 1] + (month == 2 && leap); day++, days++) {
                int y, m, d;

                mn_civil_from_days(days, &y, &m, &d);
                if (y != year || m != month || d != day ||
                    mn_days_from_civil(year, month, day) != days)
                    fail_msg("%04d-%02d-%02d: day %lld", year, month, day, (long long)days);
            }
        }
    }
    assert_int_equal(days, mn_days_from_civil(4000, 1, 1));
}

static void known_days_have_their_numbers_in_any_year(void **state)
{
    int y, m, d;

    (void)state;
    assert_int_equal(mn_days_from_civil(1970, 1, 1), 0);
    assert_int_equal(mn_days_from_civil(2000, 2, 29), 11016);
    assert_int_equal(mn_days_from_civil(1969, 12, 31), -1);
    mn_civil_from_days(mn_days_from_civil(-5000000, 3, 1) - 1, &y, &m, &d);
    assert_int_equal(y, -5000000);
    assert_int_equal(m, 2);
    assert_int_equal(d, 29);
}

static void times_are_read_in_every_form_of_rfc_3339(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } CASES[] = {
        {"2026-10-14T09:00:00Z", 1791968400000},
        {"2026-10-14t09:00:00z", 1791968400000},
        {"2026-10-14 09:00:00Z", 1791968400000},
        {"2026-10-14T09:00:00", 1791968400000},
        {"2026-10-14 09:00:00", 1791968400000},
        {"2026-10-14T17:00:00+08:00", 1791968400000},
        {"2026-10-14T03:30:00-05:30", 1791968400000},
        {"2026-10-14T09:00:00-00:00", 1791968400000},
        {"2026-10-14T09:00:00.5Z", 1791968400500},
        {"2026-10-14T09:00:00.123Z", 1791968400123},
        {"2026-10-14T09:00:00.1239999999999999999999Z", 1791968400123},
        {"2026-10-14", 1791936000000},
        {"2024-02-29", 1709164800000},
        {"2000-02-29", 951782400000},
        {"1969-12-31T23:59:59.999Z", -1},
        {"1969-12-31T23:59:59.9999Z", -1},
        {"1970-01-01T00:00:00Z", 1}, /* 0 means absent */
        {"1970-01-01T08:00:00+08:00", 1},
        {"1970-01-01T00:00:00.001Z", 1},
        {"0000-01-01T00:00:00Z", -62167219200000},
        {"9999-12-31T23:59:59.999Z", 253402300799999},
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct mneme_error err = {0};
        int64_t ms = -7;

        if (mn_time_parse("at", CASES[i].text, &ms, &err) != MNEME_OK || ms != CASES[i].ms)
            fail_msg("%s: %lld, expected %lld (%s)", CASES[i].text, (long long)ms,
                     (long long)CASES[i].ms, err.message);
    }
}

static void what_is_no_time_is_refused_by_name_and_the_output_left_alone(void **state)
{
    static const char *const CASES[] = {
        "", "x", "2026", "2026-10", "2026-1-1", "26-10-14", "20261014", "2026-10-14T",
        "2026-10-14T09", "2026-10-14T09:00", "2026-10-14T09:00Z", "2026-10-14T09:00:0Z",
        "2026-10-14T09:00:00.Z", "2026-10-14T09:00:00,5Z", "2026-10-14T09:00:00Zx",
        "2026-10-14T09:00:00 Z", "2026-10-14T09:00:00+8", "2026-10-14T09:00:00+0800",
        "2026-10-14T09:00:00+24:00", "2026-10-14T09:00:00+08:60", "2026-10-14_09:00:00Z",
        " 2026-10-14", "2026-10-14 ", "2026-10-14Z", "+2026-10-14", "-2026-10-14", "12026-10-14",
        "2026-10-14T09:00:00+", "2026-00-01", "2026-13-01", "2026-01-00", "2026-01-32",
        "2026-02-29", "2026-02-30", "2024-02-30", "1900-02-29", "2026-04-31",
        "2026-10-14T24:00:00Z", "2026-10-14T09:60:00Z", "2026-10-14T09:00:61Z",
        "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "\xe4\xba\x94\xe6\x9c\x88",
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct mneme_error err = {0};
        int64_t ms = -7;

        if (mn_time_parse("valid_until", CASES[i], &ms, &err) != MNEME_INVALID)
            fail_msg("accepted '%s'", CASES[i]);
        assert_string_equal(err.field, "valid_until");
        assert_int_equal(ms, -7);
    }
    assert_int_equal(mn_time_parse("x", NULL, &(int64_t){0}, NULL), MNEME_INVALID);
}

static void a_leap_second_is_refused_as_what_it_is(void **state)
{
    struct mneme_error err = {0};
    int64_t ms = -7;

    (void)state;
    assert_int_equal(mneme_time_parse("2016-12-31T23:59:60Z", &ms, &err), MNEME_INVALID);
    assert_string_equal(err.field, "time");
    assert_non_null(strstr(err.message, "leap second"));
}

static void times_are_printed_with_milliseconds_only_where_there_are_any(void **state)
{
    static const struct {
        int64_t ms;
        const char *text;
    } CASES[] = {
        {1791968400000, "2026-10-14T09:00:00Z"},
        {1791968400007, "2026-10-14T09:00:00.007Z"},
        {-1, "1969-12-31T23:59:59.999Z"},
        {-62167219200000, "0000-01-01T00:00:00Z"},
        {INT64_MAX, "292278994-08-17T07:12:55.807Z"},
        {INT64_MIN, "-292275055-05-16T16:47:04.192Z"},
    };
    char buffer[32];

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_string_equal(mneme_time_print(CASES[i].ms, buffer, sizeof buffer), CASES[i].text);
    assert_string_equal(mn_time_print(1, buffer, 5), "1970");
}

static void what_is_printed_is_read_back(void **state)
{
    char buffer[32];

    (void)state;
    for (int64_t ms = -62167219200000; ms < 253402300800000; ms += 9871234567) {
        int64_t back = 0;

        (void)mn_time_print(ms, buffer, sizeof buffer);
        assert_int_equal(mn_time_parse("at", buffer, &back, NULL), MNEME_OK);
        assert_int_equal(back, ms);
    }
}

static void the_clocks_move_forward(void **state)
{
    int64_t monotonic_us = mn_clock_monotonic_us();
    int64_t cpu_us = mn_clock_cpu_us();

    (void)state;
    assert_true(mn_clock_now_ms() > 1700000000000);
    while (mn_clock_cpu_us() - cpu_us < 1000)
        ;
    assert_true(mn_clock_monotonic_us() > monotonic_us);
}

static void an_id_is_a_uuid_of_version_7_behind_its_prefix(void **state)
{
    char id[MN_ID_BYTES];
    unsigned high, low;

    (void)state;
    mn_id_make("mem", 1791968400123, id);
    assert_int_equal(strlen(id), 40);
    assert_memory_equal(id, "mem_", 4);
    assert_int_equal(sscanf(id + 4, "%8x-%4x", &high, &low), 2);
    assert_int_equal((int64_t)high << 16 | low, 1791968400123);
    assert_int_equal(id[18], '7');
    assert_non_null(strchr("89ab", id[23]));
    assert_int_equal(strspn(id + 4, "0123456789abcdef-"), 36);
    mn_id_make("tenletters", -1, id);
    assert_int_equal(strlen(id), 47);
    assert_memory_equal(id, "tenletters_00000000-0000-7", 26);
}

static void ids_of_one_millisecond_are_in_order_even_past_the_counter(void **state)
{
    char before[MN_ID_BYTES];
    char id[MN_ID_BYTES];

    (void)state;
    mn_id_make("e", 1791968500000, before);
    for (int i = 0; i < 10000; i++) { /* more than the 4096 that one millisecond counts */
        mn_id_make("e", 1791968500000, id);
        assert_true(strcmp(before, id) < 0);
        memcpy(before, id, sizeof id);
    }
    mn_id_make("e", 1791968500001, id);
    assert_true(strcmp(before, id) < 0);
    memcpy(before, id, sizeof id);
    mn_id_make("e", 1791968500000, id); /* another thread read the clock a little earlier */
    assert_true(strcmp(before, id) < 0);
}

static void a_time_far_back_is_taken_as_given(void **state)
{
    char id[MN_ID_BYTES];

    (void)state;
    mn_id_make("e", 1791968600000, id);
    mn_id_make("e", 1000, id);
    assert_memory_equal(id, "e_00000000-03e8-7", 17);
}

static void *make_ids(void *argument)
{
    char(*id)[MN_ID_BYTES] = argument;

    for (int i = 0; i < IDS_PER_THREAD; i++)
        mn_id_make("t", 1791968700000 + i / 1000, id[i]);
    return NULL;
}

static int compare_ids(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void ids_of_several_threads_are_all_different(void **state)
{
    char(*id)[MN_ID_BYTES] = calloc((size_t)THREADS * IDS_PER_THREAD, sizeof *id);
    pthread_t thread[THREADS];

    (void)state;
    assert_non_null(id);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, make_ids, id + i * IDS_PER_THREAD), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    qsort(id, (size_t)THREADS * IDS_PER_THREAD, sizeof *id, compare_ids);
    for (size_t i = 1; i < (size_t)THREADS * IDS_PER_THREAD; i++) {
        /* not even the counters meet: time and counter are one number that only grows */
        assert_int_not_equal(memcmp(id[i - 1], id[i], strlen("t_00000000-0000-7000")), 0);
    }
    free(id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_thousand_years_of_days_agree_with_a_calendar_that_counts),
        cmocka_unit_test(known_days_have_their_numbers_in_any_year),
        cmocka_unit_test(times_are_read_in_every_form_of_rfc_3339),
        cmocka_unit_test(what_is_no_time_is_refused_by_name_and_the_output_left_alone),
        cmocka_unit_test(a_leap_second_is_refused_as_what_it_is),
        cmocka_unit_test(times_are_printed_with_milliseconds_only_where_there_are_any),
        cmocka_unit_test(what_is_printed_is_read_back),
        cmocka_unit_test(the_clocks_move_forward),
        cmocka_unit_test(an_id_is_a_uuid_of_version_7_behind_its_prefix),
        cmocka_unit_test(ids_of_one_millisecond_are_in_order_even_past_the_counter),
        cmocka_unit_test(a_time_far_back_is_taken_as_given),
        cmocka_unit_test(ids_of_several_threads_are_all_different),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
