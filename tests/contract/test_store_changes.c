/*
 * test_store_changes.c - what indexes live on: changes, units, vectors.
 */
#include "contract/store_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/record.h"

/* ---- changes ---- */

static void changes_come_in_order_behind_the_cursor(void **state)
{
    struct fixture *f = *state;
    struct mn_cursor cursor = { "" };
    struct mn_cursor position;
    struct mn_partition bob = { "t", "bob" };
    struct mn_changes changes = { 0 };
    char id[16];

    for (int i = 0; i < 7; i++) {
        (void)snprintf(id, sizeof id, "m-%d", i);
        fixture_put(f, fixture_memory_of(f, "t", i % 2 ? "bob" : "ann", id, "text"));
    }
    for (int round = 0; round < 3; round++) {
        ASSERT_OK(
            f->store->ops->changes_after(f->store, NULL, &cursor, 3, f->arena, &changes, &f->err));
        assert_int_equal(changes.count, round < 2 ? 3 : 1);
        assert_int_equal(changes.more, round < 2);
        (void)snprintf(id, sizeof id, "m-%d", round * 3);
        assert_string_equal(changes.item[0].id, id);
        assert_int_equal(changes.item[0].kind, MN_CHANGE_MEMORY);
        assert_int_equal(changes.item[0].revision, 1);
        cursor = changes.next;
    }
    ASSERT_OK(f->store->ops->position(f->store, &position, &f->err));
    assert_string_equal(position.text, cursor.text);
    ASSERT_OK(
        f->store->ops->changes_after(f->store, NULL, &cursor, 3, f->arena, &changes, &f->err));
    assert_int_equal(changes.count, 0);
    assert_false(changes.more);
    assert_string_equal(changes.next.text, position.text);

    cursor.text[0] = '\0';
    ASSERT_OK(
        f->store->ops->changes_after(f->store, &bob, &cursor, 2, f->arena, &changes, &f->err));
    assert_int_equal(changes.count, 2);
    assert_true(changes.more);
    assert_string_equal(changes.item[1].id, "m-3");
    assert_string_equal(changes.item[1].partition.owner, "bob");
    cursor = changes.next;
    ASSERT_OK(
        f->store->ops->changes_after(f->store, &bob, &cursor, 2, f->arena, &changes, &f->err));
    assert_int_equal(changes.count, 1);
    assert_false(changes.more);
    assert_string_equal(changes.next.text, position.text);
}

static void a_cursor_of_another_store_is_too_old(void **state)
{
    struct fixture *f = *state;
    static const char *const texts[] = {
        "v1:00000000:0", "v1:zzzzzzzz:1", "v9:1", "nonsense", "v1::", ":", "-"
    };
    struct mn_changes changes = { 0 };

    fixture_put(f, fixture_memory_of(f, "t", "ann", "m", "text"));
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct mn_cursor cursor = { "" };

        (void)snprintf(cursor.text, sizeof cursor.text, "%s", texts[i]);
        ASSERT_OK(
            f->store->ops->changes_after(f->store, NULL, &cursor, 5, f->arena, &changes, &f->err));
        assert_true(changes.too_old);
        assert_int_equal(changes.count, 0);
        cursor = changes.next; /* from here on again */
        ASSERT_OK(
            f->store->ops->changes_after(f->store, NULL, &cursor, 5, f->arena, &changes, &f->err));
        assert_false(changes.too_old);
    }
}

static void another_handle_sees_what_was_committed(void **state)
{
    struct fixture *f = *state;
    struct mn_access ann = fixture_access_of("t", "ann");
    struct mn_cursor cursor;
    struct mn_changes changes = { 0 };
    struct mn_store *first = f->store;
    struct mn_rows rows;

    f->again = store_engine.open_again(f->context);
    assert_non_null(f->again);
    ASSERT_OK(f->again->ops->position(f->again, &cursor, &f->err));
    for (int round = 0; round < 20; round++) {
        const char *id = mn_arena_printf(f->arena, "m-%d", round);
        struct mneme_memory *row = fixture_memory_of(f, "t", "ann", id, "text");
        struct mn_store *reader = round % 2 ? first : f->again;

        row->memory_key = id;
        f->store = round % 2 ? f->again : first;
        fixture_put(f, row);
        f->store = reader;
        rows = fixture_by_key(f, &ann, id);
        assert_int_equal(rows.count, 1);
        ASSERT_OK(
            reader->ops->changes_after(reader, NULL, &cursor, 10, f->arena, &changes, &f->err));
        assert_int_equal(changes.count, 1);
        assert_string_equal(changes.item[0].id, id);
        cursor = changes.next;
    }
    f->store = first;
}

/* ---- what is not kept for ever ---- */

/* How many of the last changes a cursor may still be before. */
static int kept_changes(struct fixture *f)
{
    struct mn_changes changes = { 0 };
    struct mn_cursor position, cursor;
    int prefix, kept;

    ASSERT_OK(f->store->ops->position(f->store, &position, &f->err));
    prefix = (int)(strrchr(position.text, ':') + 1 - position.text);
    for (kept = 0; kept < 100; kept++) {
        (void)snprintf(cursor.text, sizeof cursor.text, "%.*s%lld", prefix, position.text,
                       atoll(position.text + prefix) - kept - 1);
        ASSERT_OK(f->store->ops->changes_after(f->store, NULL, &cursor, 100, f->arena, &changes,
                                               &f->err));
        if (changes.too_old)
            break;
    }
    return kept;
}

static void old_changes_leave_from_the_first_on_and_the_last_one_stays(void **state)
{
    struct fixture *f = *state;
    struct mn_retention keep = { .changes_ms = 1000, .changes_max = 5, .traces_max = 10 };
    struct mn_cursor start = { "" };
    struct mn_cursor after_third;
    struct mn_changes changes = { 0 };
    bool more = false;
    char id[16];

    for (int i = 0; i < 8; i++) {
        struct mn_write write = { .kind = MN_WRITE_MEMORY, .expected_revision = MN_REVISION_NEW };

        (void)snprintf(id, sizeof id, "m-%d", i);
        write.memory = fixture_memory_of(f, "t", "ann", id, "text");
        ASSERT_OK(fixture_commit_one(f, write, i == 6 ? T0 : T0 + i * 100, NULL)); /* one is dated back */
        if (i == 2)
            ASSERT_OK(f->store->ops->position(f->store, &after_third, &f->err));
    }
    keep.now_ms = T0 + 1000;
    ASSERT_OK(f->store->ops->prune(f->store, &keep, 2, &more, &f->err));
    assert_true(more);
    ASSERT_OK(f->store->ops->prune(f->store, &keep, 2, &more, &f->err));
    assert_false(more); /* the eighth is younger than five others */
    ASSERT_OK(f->store->ops->changes_after(f->store, NULL, &after_third, 100, f->arena, &changes,
                                           &f->err));
    assert_false(changes.too_old);
    assert_int_equal(changes.count, 5);
    assert_string_equal(changes.item[0].id, "m-3");
    ASSERT_OK(
        f->store->ops->changes_after(f->store, NULL, &start, 100, f->arena, &changes, &f->err));
    assert_true(changes.too_old);

    keep.now_ms = T0 + 1500; /* m-5 is just young enough; m-6 behind it stays, whatever its date */
    ASSERT_OK(f->store->ops->prune(f->store, &keep, 100, &more, &f->err));
    ASSERT_OK(f->store->ops->changes_after(f->store, NULL, &after_third, 100, f->arena, &changes,
                                           &f->err));
    assert_true(changes.too_old);
    assert_int_equal(kept_changes(f), 3);
    keep.now_ms = T0 + 100000;
    ASSERT_OK(f->store->ops->prune(f->store, &keep, 100, &more, &f->err));
    assert_int_equal(kept_changes(f), 1);
    ASSERT_OK(f->store->ops->position(f->store, &start, &f->err));
    ASSERT_OK(
        f->store->ops->changes_after(f->store, NULL, &start, 100, f->arena, &changes, &f->err));
    assert_false(changes.too_old);
    assert_int_equal(changes.count, 0);
}

static bool has_trace(struct fixture *f, const char *trace_id)
{
    const char *json = NULL;

    return f->store->ops->trace_get(f->store, "t", trace_id, f->arena, &json, &f->err) == MNEME_OK;
}

static void old_traces_leave_and_so_do_those_that_are_too_many(void **state)
{
    struct fixture *f = *state;
    struct mn_retention keep = {
        .now_ms = T0 + 1000, .changes_ms = 1, .changes_max = 1, .traces_ms = 1000, .traces_max = 3
    };
    char id[16];
    bool more = true;

    for (int i = 0; i < 6; i++) {
        struct mn_trace_row trace = { "t", "ann", id, T0 - 1 + i, "{}" };
        struct mn_write write = { .kind = MN_WRITE_TRACE, .trace = &trace };

        (void)snprintf(id, sizeof id, "tr-%d", i);
        ASSERT_OK(fixture_commit_one(f, write, T0, NULL));
    }
    keep.traces_max = 5;
    ASSERT_OK(f->store->ops->prune(f->store, &keep, 100, &more, &f->err));
    assert_false(more);
    assert_false(has_trace(f, "tr-0"));
    assert_true(has_trace(f, "tr-1"));
    keep.traces_max = 3;
    ASSERT_OK(f->store->ops->prune(f->store, &keep, 1, &more, &f->err));
    assert_true(more);
    assert_false(has_trace(f, "tr-1"));
    assert_true(has_trace(f, "tr-2"));
    ASSERT_OK(f->store->ops->prune(f->store, &keep, 100, &more, &f->err));
    assert_false(has_trace(f, "tr-2"));
    assert_true(has_trace(f, "tr-3"));
}

/* ---- units and vectors ---- */

static const struct mn_unit_place before_all = { false, "", "", "" };

static void units_are_memories_and_events_in_order_of_id(void **state)
{
    struct fixture *f = *state;
    struct mn_partition ann = { "t", "ann" };
    struct mneme_event *silent = fixture_event_of(f, "t", "ann", "h", "s", "not recallable");
    const char *ids[] = { "f", "g", "b", "a", "h" };
    struct mn_units units = { 0 };

    for (int i = 0; i < 3; i++) {
        struct mneme_memory *row =
            fixture_memory_of(f, "t", "ann", mn_arena_printf(f->arena, "%c", "adf"[i]), "memory");

        row->status = i == 2 ? MNEME_SUPERSEDED : MNEME_ACTIVE;
        fixture_put(f, row);
    }
    for (int i = 0; i < 2; i++) {
        struct mneme_memory *row =
            fixture_memory_of(f, "t", "ann", mn_arena_printf(f->arena, "%c", "bg"[i]), "gone");

        row->status = i ? MNEME_DELETED : MNEME_DEPRECATED;
        fixture_put(f, row);
    }
    ASSERT_OK(fixture_put_event(f, fixture_event_of(f, "t", "ann", "c", "s", "event"), NULL));
    ASSERT_OK(fixture_put_event(f, fixture_event_of(f, "t", "ann", "e", "s", "event"), NULL));
    silent->not_recallable = 1;
    ASSERT_OK(fixture_put_event(f, silent, NULL));
    fixture_put(f, fixture_memory_of(f, "t", "", "c2", "shared"));

    ASSERT_OK(f->store->ops->units_scan(f->store, ann, "", 3, "", f->arena, &units, &f->err));
    assert_int_equal(units.count, 3);
    assert_string_equal(units.item[0].id, "a");
    assert_string_equal(units.item[1].id, "c");
    assert_string_equal(units.item[2].id, "d");
    assert_string_equal(units.item[2].parent_id, "d");
    ASSERT_OK(f->store->ops->units_scan(f->store, ann, "d", 3, "", f->arena, &units, &f->err));
    assert_int_equal(units.count, 2);
    assert_string_equal(units.item[0].id, "e");
    assert_string_equal(units.item[1].id, "f");
    assert_false(units.item[1].is_event);
    ASSERT_OK(f->store->ops->units_scan(f->store, ann, "f", 3, "", f->arena, &units, &f->err));
    assert_int_equal(units.count, 0);

    ASSERT_OK(f->store->ops->units_get(f->store, ann, ids, 5, "", f->arena, &units, &f->err));
    assert_int_equal(units.count, 2);
    assert_string_equal(units.item[0].id, "f");
    assert_string_equal(units.item[1].id, "a");
}

static void a_vector_counts_while_its_text_is_there(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory *row = fixture_memory_of(f, "t", "ann", "m", "text");
    static const float given[4] = { 0.5f, -0.25f, 0.1f, 6.0e-6f };
    struct mn_vector_row vector = {
        .partition = { "t", "ann" }, .unit_id = "m", .profile = "p1", .dim = 4, .vector = given
    };
    struct mn_write write = { .kind = MN_WRITE_VECTOR, .vector = &vector };
    struct mn_units units = { 0 };
    struct mn_written written = { 0 };
    const char *ids[] = { "m" };
    static const float late[4] = { 0.0f, 1.0f, 0.0f, 0.0f };
    float broken[4] = { 0.5f, NAN, 0.0f, 0.0f };

    vector.text_hash = fixture_embed_hash(f, row, "");
    ASSERT_OK(fixture_commit_one(f, write, T0, &written)); /* the unit is gone: nothing is kept */
    assert_true(written.unchanged);
    fixture_put(f, row);
    ASSERT_OK(f->store->ops->units_without_vector(f->store, "p1", &before_all, 10, f->arena, &units, &f->err));
    assert_int_equal(units.count, 1);
    ASSERT_OK(fixture_commit_one(f, write, T0, &written));
    assert_false(written.unchanged);
    ASSERT_OK(fixture_commit_one(f, write, T0, &written));
    assert_true(written.unchanged);
    assert_int_equal(fixture_all_changes(f).count, 2);
    assert_int_equal(fixture_all_changes(f).item[1].kind, MN_CHANGE_VECTOR);

    ASSERT_OK(f->store->ops->units_get(f->store, vector.partition, ids, 1, "p1", f->arena, &units,
                                       &f->err));
    assert_int_equal(units.item[0].vector_dim, 4);
    for (int i = 0; i < 4; i++)
        assert_true(fabsf(units.item[0].vector[i] - given[i]) <= fabsf(given[i]) / 1024 + 3e-8f);
    ASSERT_OK(f->store->ops->units_without_vector(f->store, "p1", &before_all, 10, f->arena, &units, &f->err));
    assert_int_equal(units.count, 0);
    ASSERT_OK(f->store->ops->units_without_vector(f->store, "p2", &before_all, 10, f->arena, &units, &f->err));
    assert_int_equal(units.count, 1);
    ASSERT_OK(f->store->ops->units_get(f->store, vector.partition, ids, 1, "p2", f->arena, &units,
                                       &f->err));
    assert_null(units.item[0].vector);

    row->content = "another text";
    fixture_put(f, row);
    ASSERT_OK(f->store->ops->units_get(f->store, vector.partition, ids, 1, "p1", f->arena, &units,
                                       &f->err));
    assert_null(units.item[0].vector);
    vector.vector = late;
    ASSERT_OK(fixture_commit_one(f, write, T0, &written)); /* it comes late */
    assert_true(written.unchanged);
    ASSERT_OK(f->store->ops->units_without_vector(f->store, "p1", &before_all, 10, f->arena, &units, &f->err));
    assert_int_equal(units.count, 1);

    vector.vector = broken;
    assert_int_equal(fixture_commit_one(f, write, T0, NULL), MNEME_INVALID);
    assert_string_equal(f->err.field, "vector");
}

static void events_have_vectors_too(void **state)
{
    struct fixture *f = *state;
    struct mneme_event *event = fixture_event_of(f, "t", "ann", "e", "s", "we met in May");
    static const float given[2] = { 1.0f, 0.0f };
    struct mn_vector_row vector = {
        .partition = { "t", "ann" }, .unit_id = "e", .profile = "p", .dim = 2, .vector = given
    };
    struct mn_units units = { 0 };
    struct mn_written written = { 0 };

    ASSERT_OK(fixture_put_event(f, event, NULL));
    ASSERT_OK(f->store->ops->units_without_vector(f->store, "p", &before_all, 10, f->arena, &units, &f->err));
    assert_int_equal(units.count, 1);
    assert_string_equal(units.item[0].memory.tenant_id, "t");
    assert_string_equal(units.item[0].memory.user_id, "ann");
    vector.text_hash = fixture_embed_hash(f, &units.item[0].memory, units.item[0].speaker);
    ASSERT_OK(fixture_commit_one(f, (struct mn_write){ .kind = MN_WRITE_VECTOR, .vector = &vector },
                                 T0, &written));
    assert_false(written.unchanged);
    ASSERT_OK(f->store->ops->units_scan(f->store, vector.partition, "", 10, "p", f->arena, &units,
                                        &f->err));
    assert_int_equal(units.item[0].vector_dim, 2);
    assert_true(units.item[0].vector[0] == 1.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(changes_come_in_order_behind_the_cursor),
        CASE(a_cursor_of_another_store_is_too_old),
        CASE(another_handle_sees_what_was_committed),
        CASE(units_are_memories_and_events_in_order_of_id),
        CASE(a_vector_counts_while_its_text_is_there),
        CASE(old_changes_leave_from_the_first_on_and_the_last_one_stays),
        CASE(old_traces_leave_and_so_do_those_that_are_too_many),
        CASE(events_have_vectors_too),
    };

    return cmocka_run_group_tests_name(store_engine.name, tests, NULL, NULL);
}
