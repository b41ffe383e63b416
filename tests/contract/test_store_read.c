/*
 * test_store_read.c - memories read: by key, as an identity may see them, as they stood once.
 */
#include "contract/store_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/record.h"

/* ---- memories: reading ---- */

static void get_reads_the_own_and_the_shared_partition_in_any_state(void **state)
{
    struct fixture *f = *state;
    struct mn_access ann = fixture_access_of("t", "ann");
    const char *ids[] = { "mine", "shared", "bobs", "none", "other" };
    struct mneme_memory *gone = fixture_memory_of(f, "t", "ann", "mine", "mine");
    struct mn_rows rows = { 0 };

    gone->status = MNEME_DELETED;
    fixture_put(f, gone);
    fixture_put(f, fixture_memory_of(f, "t", "", "shared", "shared"));
    fixture_put(f, fixture_memory_of(f, "t", "bob", "bobs", "bob's"));
    fixture_put(f, fixture_memory_of(f, "t2", "ann", "other", "another tenant's"));
    ASSERT_OK(f->store->ops->memories_get(f->store, &ann, ids, 5, f->arena, &rows, &f->err));
    assert_int_equal(rows.count, 2);
    assert_string_equal(rows.item[0].memory.id, "mine");
    assert_string_equal(rows.item[1].memory.id, "shared");
    assert_true(rows.item[0].confidence == gone->confidence);
}

static void structured_reads_narrow_and_important_rows_first(void **state)
{
    struct fixture *f = *state;
    struct mn_access ann = fixture_access_of("t", "ann");
    static const struct {
        const char *id;
        enum mneme_scope kind;
        const char *scope_id;
        double importance;
    } rows[] = {
        { "g", MNEME_SCOPE_GLOBAL, "", 1.0 },       { "u1", MNEME_SCOPE_USER, "ann", 0.2 },
        { "u2", MNEME_SCOPE_USER, "ann", 0.9 },     { "p", MNEME_SCOPE_PROJECT, "p-1", 0.1 },
        { "r", MNEME_SCOPE_REPO, "r-1", 0.1 },      { "t2", MNEME_SCOPE_TASK, "t-1", 0.1 },
        { "t1", MNEME_SCOPE_TASK, "t-1", 0.1 },     { "s", MNEME_SCOPE_SESSION, "s-1", 0.05 },
        { "px", MNEME_SCOPE_PROJECT, "p-10", 1.0 },
    };
    static const char *const order[] = { "t1", "t2", "s", "r", "p", "u2", "u1", "g" };
    struct mn_rows got;

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mneme_memory *row = fixture_memory_of(f, "t", "ann", rows[i].id, rows[i].id);

        row->type = "user_preference";
        row->scope_kind = rows[i].kind;
        row->scope_id = rows[i].scope_id;
        row->importance = rows[i].importance;
        fixture_put(f, row);
    }
    ann.project = "p-1";
    ann.repository = "r-1";
    ann.task = "t-1";
    ann.session = "s-1";
    got = fixture_structured(f, &ann, 100);
    assert_int_equal(got.count, COUNT(order));
    for (size_t i = 0; i < COUNT(order); i++)
        assert_string_equal(got.item[i].memory.id, order[i]);
    assert_int_equal(fixture_structured(f, &ann, 3).count, 3);
    assert_int_equal(fixture_structured(f, &ann, 0).count, 0);

    got = (struct mn_rows){ 0 };
    ASSERT_OK(f->store->ops->memories_structured(f->store, &ann, MN_TYPE_BIT(mn_type_find("fact")),
                                                 10, f->arena, &got, &f->err));
    assert_int_equal(got.count, 0);
    got = (struct mn_rows){ 0 };
    ann.project = ann.repository = ann.task = ann.session = "";
    assert_int_equal(fixture_structured(f, &ann, 100).count, 3);
}

static void rows_for_another_environment_do_not_count_towards_the_limit(void **state)
{
    struct fixture *f = *state;
    struct mn_access ann = fixture_access_of("t", "ann");
    static const struct mneme_pair stated = { "python", "3.10" };
    static const struct mneme_pair wanted = { "python", ">=3.12" };
    struct mn_rows got;

    for (int i = 0; i < 10; i++) {
        struct mneme_memory *row =
            fixture_memory_of(f, "t", "ann", mn_arena_printf(f->arena, "m-%d", i),
                              mn_arena_printf(f->arena, "text %d", i));

        row->importance = 1.0 - i / 100.0;
        if (i < 8)
            row->applies_to = (struct mneme_pairs){ &wanted, 1 };
        fixture_put(f, row);
    }
    ann.environment = (struct mneme_pairs){ &stated, 1 };
    got = fixture_structured(f, &ann, 2);
    assert_int_equal(got.count, 2);
    assert_string_equal(got.item[0].memory.id, "m-8");
    ann.environment.count = 0;
    assert_string_equal(fixture_structured(f, &ann, 2).item[0].memory.id, "m-0");
}

static void each_hard_rule_keeps_a_row_out(void **state)
{
    struct fixture *f = *state;
    struct mn_access ann = fixture_access_of("t", "ann");
    static const char *const permissions[] = { "other", "read" };
    struct mneme_memory *row = fixture_memory_of(f, "t", "ann", "m", "text");
    struct {
        struct mneme_memory with;
        bool seen;
    } cases[] = {
        { *row, true },  { *row, false }, /* 1 expired at this instant */
        { *row, true },                   /* 2 a millisecond before its end */
        { *row, true },                   /* 3 valid from this instant */
        { *row, false },                  /* 4 not yet */
        { *row, true },                   /* 5 confidence at the limit */
        { *row, false },                  /* 6 and one past it */
        { *row, false },                  /* 7 above the clearance */
        { *row, true },                   /* 8 at it */
        { *row, false },                  /* 9 a permission that is not held */
        { *row, true },                   /* 10 one that is */
        { *row, false },                  /* 11 another agent's */
        { *row, true },                   /* 12 the own agent's */
        { *row, false },                  /* 13 deleted */
        { *row, false },                  /* 14 revoked by authority */
        { *row, false },                  /* 15 superseded */
    };

    cases[1].with.valid_until_ms = T0;
    cases[2].with.valid_until_ms = T0 + 1;
    cases[3].with.valid_from_ms = T0;
    cases[4].with.valid_from_ms = T0 + 1;
    cases[5].with.confidence = MN_CONFIDENCE_MIN;
    cases[6].with.confidence = nextafter(MN_CONFIDENCE_MIN, 0.0);
    cases[7].with.sensitivity = MNEME_SECRET;
    cases[8].with.sensitivity = MNEME_CONFIDENTIAL;
    cases[9].with.requires_permission = "rea";
    cases[10].with.requires_permission = "read";
    cases[11].with.agent_id = "a2";
    cases[12].with.agent_id = "a1";
    cases[13].with.status = MNEME_DELETED;
    cases[14].with.authority = MNEME_AUTHORITY_REVOKED;
    cases[15].with.status = MNEME_SUPERSEDED;
    ann.clearance = MNEME_CONFIDENTIAL;
    ann.agent = "a1";
    ann.permissions = (struct mneme_list){ permissions, 2 };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mneme_memory *old =
            fixture_memory_of(f, "t", "ann", mn_arena_printf(f->arena, "old-%zu", i), "old");
        const char *key = mn_arena_printf(f->arena, "key-%zu", i);

        cases[i].with.id = mn_arena_printf(f->arena, "m-%zu", i);
        cases[i].with.memory_key = key;
        cases[i].with.supersedes = old->id;
        fixture_put(f, old);
        fixture_put(f, &cases[i].with);
        assert_int_equal(fixture_by_key(f, &ann, key).count, cases[i].seen);
        assert_int_equal(fixture_successors(f, &ann, old->id).count, cases[i].seen);
        {
            struct mn_rows all = fixture_structured(f, &ann, 1000);

            assert_int_equal(fixture_has(&all, cases[i].with.id), cases[i].seen);
        }
    }
}

static void keys_and_links_are_compared_whole(void **state)
{
    struct fixture *f = *state;
    struct mn_access ann = fixture_access_of("t", "ann");
    const char *keys[] = { "user.lang", "user.lang", "user.name" };
    struct mneme_memory *row = fixture_memory_of(f, "t", "ann", "m-1", "one");
    struct mneme_memory *other = fixture_memory_of(f, "t", "ann", "m-2", "two");
    struct mneme_memory *shared = fixture_memory_of(f, "t", "", "m-3", "three");
    struct mneme_memory *foreign = fixture_memory_of(f, "t", "", "m-4", "links across owners");
    struct mn_rows rows = { 0 };

    row->memory_key = "user.lang";
    other->memory_key = "User.lang"; /* case counts */
    shared->memory_key = "user.lang";
    foreign->supersedes = "m-1";
    other->supersedes = "m-1";
    fixture_put(f, row);
    fixture_put(f, other);
    fixture_put(f, shared);
    fixture_put(f, foreign);
    ASSERT_OK(f->store->ops->memories_by_key(f->store, &ann, keys, 3, NULL, f->arena, &rows, &f->err));
    assert_int_equal(rows.count, 2);
    assert_string_equal(rows.item[0].memory.id, "m-1");
    assert_string_equal(rows.item[1].memory.id, "m-3");
    assert_int_equal(fixture_by_key(f, &ann, "user.%").count, 0);
    assert_int_equal(fixture_by_key(f, &ann, "").count, 0);

    rows = fixture_successors(f, &ann, "m-1");
    assert_int_equal(rows.count, 1);
    assert_string_equal(rows.item[0].memory.id, "m-2");
    assert_int_equal(fixture_successors(f, &ann, "").count, 0);
}

/* "turn>memory" of each pair, with a blank behind it. */
static const char *replaced(struct fixture *f, const char *user, const char *const *turns,
                            size_t count)
{
    struct mn_access access = fixture_access_of("t", user);
    struct mneme_list pairs = { 0 };
    const char *all = "";

    ASSERT_OK(f->store->ops->turns_replaced(f->store, &access, turns, count, f->arena, &pairs,
                                            &f->err));
    assert_int_equal(pairs.count % 2, 0);
    for (size_t i = 0; i < pairs.count; i += 2)
        all = mn_arena_printf(f->arena, "%s%s>%s ", all, pairs.item[i], pairs.item[i + 1]);
    return all;
}

static void put_version(struct fixture *f, const char *owner, const char *id, const char *supersedes,
                        const char *value, const char *turn)
{
    struct mneme_memory *m = fixture_memory_of(f, "t", owner, id, id);
    const char **provenance = mn_arena_array(f->arena, const char *, 1);

    provenance[0] = turn;
    m->provenance = (struct mneme_list){ provenance, 1 };
    m->supersedes = supersedes;
    m->value = value;
    fixture_put(f, m);
}

static void a_turn_leads_to_what_stands_in_the_place_of_what_it_told(void **state)
{
    static const char *const turns[] = { "e-3", "e-1", "e-2", "e-none", "e-%", "" };
    struct fixture *f = *state;
    struct mneme_memory *gone = fixture_memory_of(f, "t", "ann", "m-3", "m-3");

    put_version(f, "ann", "m-1", "", "paris", "e-1");
    assert_string_equal(replaced(f, "ann", turns, COUNT(turns)), "");
    put_version(f, "ann", "m-2", "m-1", "rome", "e-2");
    assert_string_equal(replaced(f, "ann", turns, COUNT(turns)), "e-1>m-2 ");
    put_version(f, "ann", "m-3", "m-2", "berlin", "e-3"); /* the row between, active or not, is none */
    assert_string_equal(replaced(f, "ann", turns, 0), "");
    assert_string_equal(replaced(f, "ann", turns + 2, 1), "e-2>m-3 ");
    assert_string_equal(replaced(f, "bob", turns, COUNT(turns)), "");
    put_version(f, "bob", "b-1", "m-1", "oslo", "e-1"); /* a link into another owner's */
    put_version(f, "", "s-1", "m-1", "oslo", "e-1");
    assert_string_equal(replaced(f, "bob", turns, COUNT(turns)), "");

    /* What says the same as the end, and what the end itself was drawn from. */
    put_version(f, "ann", "k-1", "", "red", "e-3");
    put_version(f, "ann", "k-2", "k-1", "blue", "e-2");
    put_version(f, "ann", "k-3", "k-2", "red", "e-none");
    put_version(f, "ann", "l-1", "", "here", "e-%");
    put_version(f, "ann", "l-2", "l-1", "there", "e-%");
    assert_string_equal(replaced(f, "ann", turns + 3, 2), "");
    assert_string_equal(replaced(f, "ann", turns, 3), "e-1>m-3 e-2>k-3 e-2>m-3 ");

    gone->status = MNEME_DELETED;
    gone->supersedes = "m-2";
    gone->revision = 1;
    ASSERT_OK(fixture_try_put(f, gone, 1));
    assert_string_equal(replaced(f, "ann", turns, 3), "e-1>m-2 e-2>k-3 ");
}

/* One pair past what is kept of a partition. */
static void turns_are_found_among_many_that_were_replaced(void **state)
{
    struct fixture *f = *state;
    const char *turns[] = { "e-512", "e-0", "e-513" };

    for (int m = 0; m < 3; m++) {
        struct mneme_memory *old =
            fixture_memory_of(f, "t", "ann", mn_arena_printf(f->arena, "old-%d", m), "old");
        const char **provenance = mn_arena_array(f->arena, const char *, 171);

        for (int i = 0; i < 171; i++)
            provenance[i] = mn_arena_printf(f->arena, "e-%d", 171 * m + i);
        old->provenance = (struct mneme_list){ provenance, 171 };
        fixture_put(f, old);
        put_version(f, "ann", mn_arena_printf(f->arena, "new-%d", m), old->id, "new", "other");
    }
    assert_string_equal(replaced(f, "ann", turns, COUNT(turns)), "e-0>new-0 e-512>new-2 ");
    assert_string_equal(replaced(f, "ann", turns + 2, 1), "");
}

static void hostile_ids_meet_nothing_but_themselves(void **state)
{
    struct fixture *f = *state;
    char *kilobyte = mn_arena_alloc(f->arena, MNEME_ID_BYTES_MAX + 1);
    const char *names[] = {
        "%",    "_",    "'",  "''", "a",    "a:",          "a:b",          "a/",    "/",   "a%",
        "A",    "\"",   "\\", "a ", " a",   "caf\xc3\xa9", "cafe\xcc\x81", "*",     "[a]", ";--",
        "张伟", "張偉", "0",  "-1", "NULL", "x1",          "x01",          kilobyte
    };
    size_t count = COUNT(names);

    memset(kilobyte, 'k', MNEME_ID_BYTES_MAX);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < 3; j++) {
            struct mneme_memory *row =
                fixture_memory_of(f, j == 0 ? names[i] : "t", j == 1 ? names[i] : "ann",
                                  mn_arena_printf(f->arena, "%zu-%zu", i, j), "text");

            row->memory_key = "k";
            if (j == 2) {
                row->scope_kind = MNEME_SCOPE_PROJECT;
                row->scope_id = names[i];
            }
            fixture_put(f, row);
        }
    }
    for (size_t i = 0; i < count; i++) {
        struct mn_access tenant = fixture_access_of(names[i], "ann");
        struct mn_access user = fixture_access_of("t", names[i]);
        struct mn_access project = fixture_access_of("t", "ann");
        struct mn_rows rows;
        struct mn_units units = { 0 };

        project.project = names[i];
        rows = fixture_structured(f, &tenant, 1000);
        assert_int_equal(rows.count, 1);
        assert_string_equal(rows.item[0].memory.tenant_id, names[i]);
        rows = fixture_by_key(f, &user, "k");
        assert_int_equal(rows.count, 1);
        assert_string_equal(rows.item[0].memory.user_id, names[i]);
        rows = fixture_by_key(f, &project, "k");
        assert_int_equal(rows.count, 1);
        assert_string_equal(rows.item[0].memory.scope_id, names[i]);
        ASSERT_OK(f->store->ops->units_scan(f->store, (struct mn_partition){ "t", names[i] }, "",
                                            1000, "", f->arena, &units, &f->err));
        assert_int_equal(units.count, 1);
        assert_string_equal(units.item[0].memory.user_id, names[i]);
    }
}

/* ---- the past ---- */

static void the_past_is_read_from_the_history(void **state)
{
    struct fixture *f = *state;
    struct mn_access ann = fixture_access_of("t", "ann");
    struct mneme_memory *row = fixture_memory_of(f, "t", "ann", "m", "first");
    struct mn_write write = { .kind = MN_WRITE_MEMORY,
                              .expected_revision = MN_REVISION_ANY,
                              .memory = row };
    struct mn_rows rows;

    row->memory_key = "old.key";
    row->created_at_ms = 1000;
    ASSERT_OK(fixture_commit_one(f, write, 1000, NULL));
    row->content = "second";
    row->memory_key = "new.key";
    ASSERT_OK(fixture_commit_one(f, write, 2000, NULL));
    row->content = "third";
    ASSERT_OK(fixture_commit_one(f, write, 3000, NULL));

    assert_string_equal(fixture_as_of(f, ann, 1500, "m").item[0].memory.content, "first");
    assert_string_equal(fixture_as_of(f, ann, 1999, "m").item[0].memory.content, "first");
    assert_string_equal(fixture_as_of(f, ann, 2000, "m").item[0].memory.content, "second");
    assert_string_equal(fixture_as_of(f, ann, 5000, "m").item[0].memory.content, "third");
    assert_int_equal(fixture_as_of(f, ann, 1500, "none").count, 0);

    ann.as_of_ms = ann.at_ms = 1500;
    rows = fixture_by_key(f, &ann, "old.key");
    assert_int_equal(rows.count, 1);
    assert_string_equal(rows.item[0].memory.content, "first");
    assert_int_equal(fixture_by_key(f, &ann, "new.key").count, 0);
    rows = fixture_structured(f, &ann, 10);
    assert_int_equal(rows.count, 1);
    assert_string_equal(rows.item[0].memory.content, "first");
    ann.as_of_ms = ann.at_ms = 999; /* it did not exist */
    assert_int_equal(fixture_structured(f, &ann, 10).count, 0);
}

static void what_is_withdrawn_today_is_not_seen_in_the_past_either(void **state)
{
    struct fixture *f = *state;
    struct mn_access ann = fixture_access_of("t", "ann");
    struct mneme_memory *row = fixture_memory_of(f, "t", "ann", "m", "former text");
    struct mn_write write = { .kind = MN_WRITE_MEMORY,
                              .expected_revision = MN_REVISION_ANY,
                              .memory = row };
    enum mn_reason reason = MN_REASON_NONE;
    struct mn_rows rows;

    row->created_at_ms = 1000;
    row->memory_key = "k";
    ASSERT_OK(fixture_commit_one(f, write, 1000, NULL));
    ann.as_of_ms = ann.at_ms = 1500;

    row->sensitivity = MNEME_SECRET;
    ASSERT_OK(fixture_commit_one(f, write, 2000, NULL));
    rows = fixture_as_of(f, ann, 1500, "m");
    assert_false(mn_access_allows(&ann, &rows.item[0].memory, rows.item[0].confidence, &reason));
    assert_int_equal(reason, MN_REASON_SENSITIVITY);
    assert_int_equal(fixture_by_key(f, &ann, "k").count, 0);

    row->sensitivity = MNEME_PUBLIC;
    row->status = MNEME_REVOKED;
    ASSERT_OK(fixture_commit_one(f, write, 3000, NULL));
    rows = fixture_as_of(f, ann, 1500, "m");
    assert_false(mn_access_allows(&ann, &rows.item[0].memory, rows.item[0].confidence, &reason));
    assert_int_equal(reason, MN_REASON_REVOKED);
    assert_int_equal(fixture_structured(f, &ann, 10).count, 0);

    row->status = MNEME_SUPERSEDED; /* a matter of the past: it held then */
    ASSERT_OK(fixture_commit_one(f, write, 4000, NULL));
    assert_int_equal(fixture_by_key(f, &ann, "k").count, 1);
}

static void what_has_changed_since_is_read_as_it_stood(void **state)
{
    struct fixture *f = *state;
    struct mn_access ann = fixture_access_of("t", "ann");
    struct mneme_memory *row = fixture_memory_of(f, "t", "ann", "m", "first");
    struct mn_write write = { .kind = MN_WRITE_MEMORY,
                              .expected_revision = MN_REVISION_ANY,
                              .memory = row };
    struct mn_rows rows;

    row->created_at_ms = 1000;
    ASSERT_OK(fixture_commit_one(f, write, 1000, NULL));
    row->content = "second";
    ASSERT_OK(fixture_commit_one(f, write, 2000, NULL));
    row->status = MNEME_DELETED;
    ASSERT_OK(fixture_commit_one(f, write, 3000, NULL));
    fixture_put(f, fixture_memory_of(f, "t", "ann", "still", "first"));
    fixture_put(f, fixture_memory_of(f, "t", "bob", "other", "first"));

    ann.as_of_ms = ann.at_ms = 1999;
    ASSERT_OK(f->store->ops->memories_changed(f->store, &ann, 1, f->arena, &rows, &f->err));
    assert_int_equal(rows.count, 1);
    assert_string_equal(rows.item[0].memory.content, "first");
    assert_int_equal(rows.item[0].memory.status, MNEME_ACTIVE);
    ASSERT_OK(f->store->ops->memories_changed(f->store, &ann, 0, f->arena, &rows, &f->err));
    assert_int_equal(rows.count, 0);
    ann.as_of_ms = ann.at_ms = 2999;
    ASSERT_OK(f->store->ops->memories_changed(f->store, &ann, 9, f->arena, &rows, &f->err));
    assert_int_equal(rows.count, 1);
    assert_string_equal(rows.item[0].memory.content, "second");
    ann.as_of_ms = ann.at_ms = 3000; /* deleted, and not changed since */
    ASSERT_OK(f->store->ops->memories_changed(f->store, &ann, 9, f->arena, &rows, &f->err));
    assert_int_equal(rows.count, 0);
    ann.as_of_ms = ann.at_ms = 2999;
    row->status = MNEME_REVOKED;
    ASSERT_OK(fixture_commit_one(f, write, 4000, NULL));
    ASSERT_OK(f->store->ops->memories_changed(f->store, &ann, 9, f->arena, &rows, &f->err));
    assert_int_equal(rows.count, 0);
}

static void links_of_the_past_count_in_the_past(void **state)
{
    struct fixture *f = *state;
    struct mn_access ann = fixture_access_of("t", "ann");
    struct mneme_memory *new = fixture_memory_of(f, "t", "ann", "new", "new");
    struct mneme_memory *across = fixture_memory_of(f, "t", "", "across", "new");
    struct mn_write write = { .kind = MN_WRITE_MEMORY,
                              .expected_revision = MN_REVISION_ANY,
                              .memory = new };

    fixture_put(f, fixture_memory_of(f, "t", "ann", "old", "old"));
    new->supersedes = "old";
    new->created_at_ms = 1000;
    across->supersedes = "old";
    across->created_at_ms = 1000;
    ASSERT_OK(fixture_commit_one(f, write, 1000, NULL));
    fixture_put(f, across);
    new->supersedes = "";
    ASSERT_OK(fixture_commit_one(f, write, 2000, NULL));

    assert_int_equal(fixture_successors(f, &ann, "old").count, 0);
    ann.as_of_ms = ann.at_ms = 1500;
    assert_int_equal(fixture_successors(f, &ann, "old").count, 1);
    ann.as_of_ms = ann.at_ms = 500;
    assert_int_equal(fixture_successors(f, &ann, "old").count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(get_reads_the_own_and_the_shared_partition_in_any_state),
        CASE(structured_reads_narrow_and_important_rows_first),
        CASE(rows_for_another_environment_do_not_count_towards_the_limit),
        CASE(each_hard_rule_keeps_a_row_out),
        CASE(keys_and_links_are_compared_whole),
        CASE(a_turn_leads_to_what_stands_in_the_place_of_what_it_told),
        CASE(turns_are_found_among_many_that_were_replaced),
        CASE(hostile_ids_meet_nothing_but_themselves),
        CASE(the_past_is_read_from_the_history),
        CASE(what_is_withdrawn_today_is_not_seen_in_the_past_either),
        CASE(what_has_changed_since_is_read_as_it_stood),
        CASE(links_of_the_past_count_in_the_past),
    };

    return cmocka_run_group_tests_name(store_engine.name, tests, NULL, NULL);
}
