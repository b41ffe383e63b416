/*
 * test_store_fresh.c - what a store reads is what was committed last, by whomever.
 *
 * An engine may keep rows between calls. Each case reads first, so that there is something to be kept,
 * then writes, by the same handle and by another one on the same store, and reads again. What memory_get
 * says, which nobody keeps, is the measure.
 */
#include "contract/store_fixture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/record.h"

#define STEPS 1000
#define IDS 24
#define WRITES_OF_THREAD 150
#define READERS 3

static void commit(struct mn_store *store, struct mn_write write)
{
    struct mn_written written = { 0 };
    struct mn_commit commit = fixture_request_of(&write, 1, T0);
    struct mn_commit_result result = { .written = &written };
    struct mneme_error err = { 0 };

    ASSERT_OK(store->ops->commit(store, &commit, 1, &result, &err));
    ASSERT_OK(result.status);
}

static void put(struct mn_store *store, const struct mneme_memory *memory)
{
    commit(store, (struct mn_write){ .kind = MN_WRITE_MEMORY,
                                     .expected_revision = MN_REVISION_ANY,
                                     .memory = memory });
}

static void use(struct mn_store *store, const char *id, double confidence, int64_t at_ms)
{
    struct mneme_usage usage = { .tenant_id = "t",
                                 .memory_id = id,
                                 .last_accessed_at_ms = at_ms,
                                 .access_count = 1,
                                 .confidence = confidence,
                                 .confidence_computed_at_ms = at_ms };

    commit(store, (struct mn_write){ .kind = MN_WRITE_USAGE, .usage = &usage });
}

static struct mn_store *other_handle(struct fixture *f)
{
    if (!f->again)
        f->again = store_engine.open_again(f->context);
    assert_non_null(f->again);
    return f->again;
}

/* ---- reading with one handle, writing with itself and with another ---- */

static const struct mn_row *one_by_id(struct fixture *f, const char *id, struct mn_rows *rows)
{
    struct mn_access ann = fixture_access_of("t", "ann");

    *rows = (struct mn_rows){ 0 };
    ASSERT_OK(f->store->ops->memories_get(f->store, &ann, &id, 1, f->arena, rows, &f->err));
    return rows->count ? &rows->item[0] : NULL;
}

static struct mn_rows preferences(struct fixture *f, const struct mn_access *access)
{
    struct mn_rows rows = { 0 };

    ASSERT_OK(f->store->ops->memories_structured(f->store, access,
                                                 MN_TYPE_BIT(mn_type_find("user_preference")), 10,
                                                 f->arena, &rows, &f->err));
    return rows;
}

static void a_changed_row_is_read_as_it_is_now(void **state)
{
    struct fixture *f = *state;
    struct mn_store *writer[] = { f->store, other_handle(f), f->store, other_handle(f) };
    struct mneme_memory *row = fixture_memory_of(f, "t", "ann", "m", "0");
    struct mn_access ann = fixture_access_of("t", "ann");
    struct mn_rows rows;
    char content[8];

    row->type = "user_preference";
    row->memory_key = "k";
    for (size_t i = 0; i < COUNT(writer); i++) {
        (void)snprintf(content, sizeof content, "%zu", i);
        row->content = content;
        put(writer[i], row);
        assert_string_equal(one_by_id(f, "m", &rows)->memory.content, content);
        rows = preferences(f, &ann);
        assert_int_equal(rows.count, 1);
        assert_string_equal(rows.item[0].memory.content, content);
        rows = fixture_by_key(f, &ann, "k");
        assert_int_equal(rows.count, 1);
        assert_string_equal(rows.item[0].memory.content, content);
        assert_int_equal(rows.item[0].memory.revision, i + 1);
    }
}

static void a_row_comes_and_goes_in_lists(void **state)
{
    struct fixture *f = *state;
    struct mn_store *writer[] = { f->store, other_handle(f) };
    struct mn_access ann = fixture_access_of("t", "ann");

    fixture_put(f, fixture_memory_of(f, "t", "ann", "old", "old"));
    for (size_t i = 0; i < COUNT(writer); i++) {
        struct mneme_memory *row = fixture_memory_of(f, "t", "ann", i ? "m1" : "m0", "new");

        assert_int_equal(preferences(f, &ann).count, 0);
        assert_int_equal(fixture_by_key(f, &ann, "k").count, 0);
        assert_int_equal(fixture_successors(f, &ann, "old").count, 0);
        row->type = "user_preference";
        row->memory_key = "k";
        row->supersedes = "old";
        put(writer[i], row);
        assert_int_equal(preferences(f, &ann).count, 1);
        assert_int_equal(fixture_by_key(f, &ann, "k").count, 1);
        assert_int_equal(fixture_successors(f, &ann, "old").count, 1);
        row->type = "fact"; /* out of one list */
        row->memory_key = "l";
        put(writer[i], row);
        assert_int_equal(preferences(f, &ann).count, 0);
        assert_int_equal(fixture_by_key(f, &ann, "k").count, 0);
        assert_int_equal(fixture_by_key(f, &ann, "l").count, 1);
        assert_int_equal(fixture_successors(f, &ann, "old").count, 1);
        row->status = MNEME_DELETED; /* and of all */
        put(writer[i], row);
        assert_int_equal(fixture_by_key(f, &ann, "l").count, 0);
        assert_int_equal(fixture_successors(f, &ann, "old").count, 0);
    }
}

static void usage_counts_at_once(void **state)
{
    struct fixture *f = *state;
    struct mn_store *writer[] = { f->store, other_handle(f) };
    struct mn_access ann = fixture_access_of("t", "ann");
    struct mneme_memory *row = fixture_memory_of(f, "t", "ann", "m", "m");
    struct mn_rows rows;

    row->memory_key = "k";
    fixture_put(f, row);
    for (size_t i = 0; i < COUNT(writer); i++) {
        assert_int_equal(fixture_by_key(f, &ann, "k").count, 1);
        use(writer[i], "m", 0.5, T0 + 1 + (int64_t)i); /* too unsure to be told */
        assert_int_equal(fixture_by_key(f, &ann, "k").count, 0);
        assert_true(one_by_id(f, "m", &rows)->confidence == 0.5);
        assert_true(rows.item[0].last_accessed_at_ms == T0 + 1 + (int64_t)i);
        use(writer[i], "m", 0.8, T0 + 10);
        assert_int_equal(fixture_by_key(f, &ann, "k").count, 1);
    }
}

static void what_another_owner_writes_is_not_reached_and_does_not_disturb(void **state)
{
    struct fixture *f = *state;
    struct mn_access ann = fixture_access_of("t", "ann");
    struct mn_access bob = fixture_access_of("t", "bob");
    const char *id = "m";
    struct mneme_memory *row = fixture_memory_of(f, "t", "ann", "m", "ann's");
    struct mn_rows rows = { 0 };

    row->memory_key = "k";
    row->scope_kind = MNEME_SCOPE_GLOBAL;
    row->scope_id = "";
    fixture_put(f, row);
    assert_int_equal(fixture_by_key(f, &ann, "k").count, 1); /* kept from here on */
    assert_int_equal(fixture_by_key(f, &bob, "k").count, 0);
    ASSERT_OK(f->store->ops->memories_get(f->store, &bob, &id, 1, f->arena, &rows, &f->err));
    assert_int_equal(rows.count, 0);

    row = fixture_memory_of(f, "t", "bob", "b", "bob's");
    row->memory_key = "k";
    put(other_handle(f), row);
    assert_string_equal(fixture_by_key(f, &ann, "k").item[0].memory.content, "ann's");
    assert_string_equal(fixture_by_key(f, &bob, "k").item[0].memory.content, "bob's");
    ann.clearance = MNEME_PUBLIC; /* the same user with less */
    assert_int_equal(fixture_by_key(f, &ann, "k").count, 0);
}

static void what_is_erased_is_gone_for_every_handle(void **state)
{
    struct fixture *f = *state;
    struct mn_store *store[] = { f->store, other_handle(f) };
    struct mn_access ann = fixture_access_of("t", "ann");

    for (size_t i = 0; i < COUNT(store); i++) {
        struct mneme_memory *row = fixture_memory_of(f, "t", "ann", i ? "m1" : "m0", "text");
        struct mneme_erasure what = MNEME_ERASURE_INIT;
        struct mn_erased erased = { 0 };
        struct mn_rows rows;

        row->memory_key = "k";
        fixture_put(f, row);
        assert_int_equal(fixture_by_key(f, &ann, "k").count, 1);
        what.scope = MNEME_ERASE_MEMORY;
        what.tenant_id = "t";
        what.user_id = "ann";
        what.id = row->id;
        what.now_ms = T0;
        ASSERT_OK(store[i]->ops->erase(store[i], &what, f->arena, &erased, &f->err));
        assert_int_equal(fixture_by_key(f, &ann, "k").count, 0);
        assert_null(one_by_id(f, row->id, &rows));
    }
}

/* ---- at random ---- */

static uint64_t random_state = 88172645463325252U;

static size_t below(size_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state >> 11) % limit;
}

static const char *const owners[] = { "ann", "ann", "" };
static const char *const types[] = { "user_preference", "repository_rule", "fact" };
static const char *const keys[] = { "", "k", "l" };

static const char *id_of(size_t number)
{
    static char id[IDS][8];

    (void)snprintf(id[number], sizeof id[number], "m-%zu", number);
    return id[number];
}

/* An owner's ids are his for good; else it would be a conflict. */
static void write_something(struct fixture *f, struct mn_store *store, size_t step)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    size_t number = below(IDS);
    char content[16];

    if (below(4) == 0) {
        use(store, id_of(number), below(2) ? 0.5 : 0.9, T0 + (int64_t)step);
        return;
    }
    struct mn_arena *whole = f->arena;
    f->arena = arena;
    (void)snprintf(content, sizeof content, "step %zu", step);
    struct mneme_memory *row =
        fixture_memory_of(f, "t", owners[number % COUNT(owners)], id_of(number), content);
    f->arena = whole;
    row->type = types[below(COUNT(types))];
    row->memory_key = keys[below(COUNT(keys))];
    row->supersedes = below(3) || number < COUNT(owners) ? "" : id_of(number % COUNT(owners));
    row->status = below(5) ? MNEME_ACTIVE : MNEME_SUPERSEDED;
    row->scope_kind = MNEME_SCOPE_GLOBAL;
    row->scope_id = "";
    put(store, row);
}

/* Every row as memory_get has it, if the identity may have it now. */
static size_t truth(struct fixture *f, const struct mn_access *access, struct mn_arena *arena,
                    struct mn_row row[IDS])
{
    enum mn_reason reason;
    size_t count = 0;

    for (size_t i = 0; i < IDS; i++) {
        struct mn_partition partition = { "t", owners[i % COUNT(owners)] };

        if (f->store->ops->memory_get(f->store, partition, id_of(i), arena, &row[count], NULL) ==
                MNEME_OK &&
            mn_access_allows(access, &row[count].memory, row[count].confidence, &reason))
            count++;
    }
    return count;
}

static void assert_same(const struct mn_rows *rows, const struct mn_row *expected)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct mn_row *row = &rows->item[i];

        if (strcmp(row->memory.id, expected->memory.id) != 0)
            continue;
        assert_true(mn_memory_same_row(&row->memory, &expected->memory));
        assert_int_equal(row->memory.revision, expected->memory.revision);
        assert_true(row->confidence == expected->confidence);
        assert_true(row->last_accessed_at_ms == expected->last_accessed_at_ms);
        return;
    }
    fail_msg("%s is missing", expected->memory.id);
}

static void assert_reads(struct fixture *f, struct mn_store *store)
{
    MN_ARENA_AUTO arena = mn_arena_new((size_t)16 << 20);
    struct mn_access ann = fixture_access_of("t", "ann");
    struct mn_row row[IDS] = { 0 };
    size_t count = truth(f, &ann, arena, row);
    const char *key = keys[1 + below(2)];
    const char *old = id_of(below(COUNT(owners)));
    struct mn_rows structured = { 0 };
    struct mn_rows by_key = { 0 };
    struct mn_rows successors = { 0 };
    size_t expected[3] = { 0 };

    ASSERT_OK(store->ops->memories_structured(store, &ann, MN_TYPE_BIT(mn_type_find(types[0])) |
                                                               MN_TYPE_BIT(mn_type_find(types[1])),
                                              100, arena, &structured, &f->err));
    ASSERT_OK(store->ops->memories_by_key(store, &ann, &key, 1, NULL, arena, &by_key, &f->err));
    ASSERT_OK(store->ops->memories_successors(store, &ann, &old, 1, arena, &successors, &f->err));
    for (size_t i = 0; i < count; i++) {
        if (strcmp(row[i].memory.type, "fact") != 0 && ++expected[0])
            assert_same(&structured, &row[i]);
        if (strcmp(row[i].memory.memory_key, key) == 0 && ++expected[1])
            assert_same(&by_key, &row[i]);
        if (strcmp(row[i].memory.supersedes, old) == 0 && ++expected[2])
            assert_same(&successors, &row[i]);
    }
    assert_int_equal(structured.count, expected[0]);
    assert_int_equal(by_key.count, expected[1]);
    assert_int_equal(successors.count, expected[2]);
}

static void two_handles_never_read_what_is_no_more(void **state)
{
    struct fixture *f = *state;
    struct mn_store *handle[] = { f->store, other_handle(f) };

    for (size_t i = 0; i < IDS; i++) {
        struct mneme_memory *row =
            fixture_memory_of(f, "t", owners[i % COUNT(owners)], id_of(i), "first");

        row->scope_kind = MNEME_SCOPE_GLOBAL;
        row->scope_id = "";
        fixture_put(f, row);
    }
    for (size_t step = 0; step < STEPS; step++) {
        for (size_t i = below(4); i > 0; i--)
            write_something(f, handle[below(2)], step);
        assert_reads(f, handle[below(2)]);
    }
}

/* ---- with threads ---- */

struct play {
    struct fixture *f;
    struct mn_store *reader;
    atomic_size_t *written;
    bool stale;
};

static size_t number_read(struct mn_store *store)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mn_access ann = fixture_access_of("t", "ann");
    const char *key = "k";
    struct mn_rows rows = { 0 };

    if (store->ops->memories_by_key(store, &ann, &key, 1, NULL, arena, &rows, NULL) != MNEME_OK ||
        rows.count != 1)
        return 0;
    return strtoul(rows.item[0].memory.content, NULL, 10);
}

static void *read_on(void *argument)
{
    struct play *play = argument;
    size_t last = 0;

    while (last < WRITES_OF_THREAD && !play->stale) {
        size_t least = atomic_load(play->written);
        size_t now = number_read(play->reader);

        play->stale = now < least || now < last;
        last = now;
    }
    return NULL;
}

static void a_reading_thread_never_goes_back(void **state)
{
    struct fixture *f = *state;
    struct mn_store *handle[] = { f->store, other_handle(f) };
    atomic_size_t written = 1;
    struct play play[READERS];
    pthread_t thread[READERS];
    char content[16] = "1";
    struct mneme_memory *row = fixture_memory_of(f, "t", "ann", "m", "1");

    row->memory_key = "k";
    fixture_put(f, row);
    for (size_t i = 0; i < READERS; i++) {
        play[i] = (struct play){ f, handle[i % 2], &written, false };
        assert_int_equal(pthread_create(&thread[i], NULL, read_on, &play[i]), 0);
    }
    for (size_t number = 2; number <= WRITES_OF_THREAD; number++) {
        (void)snprintf(content, sizeof content, "%zu", number);
        row->content = content;
        put(handle[number / 2 % 2], row);
        atomic_store(&written, number);
    }
    for (size_t i = 0; i < READERS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_false(play[i].stale);
    }
}

/* ---- where there was none before ---- */

static void counts_of(struct fixture *f, size_t *ret_rules, size_t *ret_edges)
{
    const struct mn_access ann = fixture_access_of("t", "ann");
    struct mn_edges edges = { 0 };
    struct mn_rules rules = { 0 };

    ASSERT_OK(f->store->ops->rules_active(f->store, &ann, f->arena, &rules, &f->err));
    ASSERT_OK(f->store->ops->edges(f->store, (struct mn_partition){ "t", "ann" }, false, f->arena,
                                   &edges, &f->err));
    *ret_rules = rules.count;
    *ret_edges = edges.count;
}

static void write_with(struct fixture *f, struct mn_store *store, struct mn_write write)
{
    struct mn_store *own = f->store;

    f->store = store;
    ASSERT_OK(fixture_commit_one(f, write, T0, NULL));
    f->store = own;
}

static void the_first_rule_and_the_first_edge_are_seen_whoever_writes_them(void **state)
{
    struct fixture *f = *state;
    struct mn_store *writer[] = { f->store, other_handle(f) };
    struct mneme_rule rule = { .size = sizeof rule,
                               .tenant_id = "t",
                               .trigger_type = MNEME_TRIGGER_KEYWORD,
                               .trigger_value = "deploy" };
    struct mneme_edge edge = { .size = sizeof edge,
                               .tenant_id = "t",
                               .user_id = "ann",
                               .source = "redis",
                               .relation = "belongs_to",
                               .target = "app",
                               .confidence = 0.9 };
    size_t rules = 0, edges = 0;

    (void)fixture_put(f, fixture_memory_of(f, "t", "ann", "mine", "a text"));
    (void)fixture_put(f, fixture_memory_of(f, "t", "", "everyone's", "another"));
    counts_of(f, &rules, &edges);
    assert_int_equal(rules + edges, 0);
    rule.memory_id = "everyone's";
    write_with(f, writer[1], (struct mn_write){ .kind = MN_WRITE_RULE, .rule = &rule });
    counts_of(f, &rules, &edges);
    assert_int_equal(rules, 1);
    assert_int_equal(edges, 0);
    write_with(f, writer[0], (struct mn_write){ .kind = MN_WRITE_EDGE, .edge = &edge });
    rule.memory_id = "mine";
    write_with(f, writer[0], (struct mn_write){ .kind = MN_WRITE_RULE, .rule = &rule });
    counts_of(f, &rules, &edges);
    assert_int_equal(rules, 2);
    assert_int_equal(edges, 1);
    edge.target = "cluster";
    write_with(f, writer[1], (struct mn_write){ .kind = MN_WRITE_EDGE, .edge = &edge });
    counts_of(f, &rules, &edges);
    assert_int_equal(edges, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_changed_row_is_read_as_it_is_now),
        CASE(a_row_comes_and_goes_in_lists),
        CASE(usage_counts_at_once),
        CASE(what_another_owner_writes_is_not_reached_and_does_not_disturb),
        CASE(what_is_erased_is_gone_for_every_handle),
        CASE(two_handles_never_read_what_is_no_more),
        CASE(a_reading_thread_never_goes_back),
        CASE(the_first_rule_and_the_first_edge_are_seen_whoever_writes_them),
    };

    return cmocka_run_group_tests_name(store_engine.name, tests, NULL, NULL);
}
