/*
 * test_search_sessions.c - who stands next to whom, whatever order they arrive in.
 */
#include "search/session_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void add(struct mn_session_table *table, uint64_t session, int64_t order, uint64_t speaker)
{
    struct mn_session_entry entry = { .is_turn = true,
                                      .session_hash = session,
                                      .turn = { .order = order, .length = 4, .head = 1 },
                                      .has_speaker = speaker != 0,
                                      .speaker = { .hash = speaker } };

    assert_true(mn_session_table_add(table, &entry));
}

static void add_memory(struct mn_session_table *table)
{
    struct mn_session_entry entry = { 0 };

    assert_true(mn_session_table_add(table, &entry));
}

/* Rows of a session from its last one back, as digits. */
static const char *back(const struct mn_session_table *table, uint64_t hash)
{
    static char text[32];
    size_t count = 0;

    for (size_t s = 0; s < table->sessions.count; s++) {
        uint32_t next = MN_ROW_NONE;

        if (table->sessions.item[s].hash != hash)
            continue;
        for (uint32_t row = table->sessions.item[s].last; row != MN_ROW_NONE;
             row = mn_session_turn_of(table, row)->before) {
            assert_int_equal(mn_session_turn_of(table, row)->after, next);
            text[count++] = (char)('0' + row);
            next = row;
        }
    }
    text[count] = '\0';
    return text;
}

static void turns_are_linked_by_order_then_arrival(void **state)
{
    struct mn_session_table table = { 0 };

    (void)state;
    add(&table, 7, 10, 0);
    add(&table, 8, 10, 0);
    add_memory(&table);
    add(&table, 7, 30, 0);
    add(&table, 7, 20, 0); /* late */
    add(&table, 7, 20, 0); /* the same, behind */
    add(&table, 7, 1, 0);  /* before all */
    assert_string_equal(back(&table, 7), "35406");
    assert_string_equal(back(&table, 8), "1");
    assert_false(mn_session_table_is_turn(&table, 2));
    assert_int_equal(table.turns, 6);
    assert_int_equal(table.live_sessions, 2);
    /* of 5 turns: 4 5 5 5 4 within 3, of 1: 1 */
    assert_int_equal(table.window3_turns, 23 + 1);
    assert_int_equal(table.window6_turns, 25 + 1);
    assert_float_equal(table.length_sum, 24, 0);
    assert_float_equal(table.head_sum, 6, 0);
    mn_session_table_release(&table);
}

static void removed_turns_leave_no_gap(void **state)
{
    struct mn_session_table table = { 0 };

    (void)state;
    for (int64_t order = 0; order < 5; order++)
        add(&table, 7, order, 0);
    mn_session_table_remove(&table, 2);
    assert_string_equal(back(&table, 7), "4310");
    mn_session_table_remove(&table, 4);
    assert_string_equal(back(&table, 7), "310");
    mn_session_table_remove(&table, 0);
    assert_string_equal(back(&table, 7), "31");
    mn_session_table_remove(&table, 0); /* gone already */
    mn_session_table_remove(&table, 1);
    mn_session_table_remove(&table, 3);
    assert_string_equal(back(&table, 7), "");
    assert_int_equal(table.turns, 0);
    assert_int_equal(table.live_sessions, 0);
    assert_int_equal(table.window6_turns, 0);
    add(&table, 7, 0, 0); /* found again, though it was empty */
    assert_string_equal(back(&table, 7), "5");
    assert_int_equal(table.sessions.count, 1);
    mn_session_table_release(&table);
}

static void compacting_keeps_neighbours_sessions_and_speakers(void **state)
{
    static const uint32_t map[] = { UINT32_MAX, 0, UINT32_MAX, 1, 2 };
    struct mn_session_table table = { 0 };

    (void)state;
    add(&table, 6, 0, 51);
    add(&table, 7, 1, 52);
    add(&table, 7, 2, 51);
    add(&table, 7, 3, 53);
    add(&table, 7, 4, 0);
    mn_session_table_remove(&table, 0);
    mn_session_table_remove(&table, 2);
    mn_session_table_compact(&table, map);
    assert_int_equal(table.count, 3);
    assert_int_equal(table.sessions.count, 1);
    assert_string_equal(back(&table, 7), "210");
    assert_int_equal(table.speaker_count, 2);
    assert_int_equal(table.speaker[mn_session_turn_of(&table, 0)->speaker].hash, 52);
    assert_int_equal(table.speaker[mn_session_turn_of(&table, 1)->speaker].hash, 53);
    assert_int_equal(mn_session_turn_of(&table, 2)->speaker, MN_SPEAKER_NONE);
    add(&table, 6, 0, 0);
    assert_string_equal(back(&table, 6), "3");
    mn_session_table_release(&table);
}

static void turns_without_a_session_stand_alone(void **state)
{
    struct mn_session_table table = { 0 };

    (void)state;
    add(&table, 0, 0, 0);
    add(&table, 0, 1, 0);
    assert_int_equal(mn_session_turn_of(&table, 1)->before, MN_ROW_NONE);
    assert_int_equal(table.live_sessions, 2);
    mn_session_table_release(&table);
}

static void more_sessions_than_the_first_room_are_found_again(void **state)
{
    struct mn_session_table table = { 0 };

    (void)state;
    for (uint64_t i = 1; i <= 500; i++)
        add(&table, i * 3, 0, i);
    for (uint64_t i = 1; i <= 500; i++)
        add(&table, i * 3, 1, i);
    assert_int_equal(table.sessions.count, 500);
    assert_int_equal(table.speaker_count, 500);
    assert_int_equal(mn_session_turn_of(&table, 999)->before, 499);
    assert_true(mn_session_table_bytes(&table) > 1000 * sizeof(struct mn_session_turn));
    mn_session_table_release(&table);
}

static void speakers_beyond_the_most_are_nobody(void **state)
{
    struct mn_session_table table = { 0 };

    (void)state;
    for (uint64_t i = 1; i <= MN_SPEAKERS_MAX + 1; i++)
        add(&table, 1, (int64_t)i, i);
    assert_int_equal(table.speaker_count, MN_SPEAKERS_MAX);
    assert_int_equal(table.turn[MN_SPEAKERS_MAX - 1].speaker, MN_SPEAKERS_MAX - 1);
    assert_int_equal(table.turn[MN_SPEAKERS_MAX].speaker, MN_SPEAKER_NONE);
    mn_session_table_release(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_are_linked_by_order_then_arrival),
        cmocka_unit_test(removed_turns_leave_no_gap),
        cmocka_unit_test(compacting_keeps_neighbours_sessions_and_speakers),
        cmocka_unit_test(turns_without_a_session_stand_alone),
        cmocka_unit_test(more_sessions_than_the_first_room_are_found_again),
        cmocka_unit_test(speakers_beyond_the_most_are_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
