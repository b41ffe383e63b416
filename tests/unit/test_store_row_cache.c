/*
 * test_store_row_cache.c - decoded rows, lists of ids and codes of tokens: there in their state and in no other, for
 * those who reach them and for nobody else, and no more of them than there is room for.
 */
#include "store/row_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/record.h"
#include "store/flat.h"

#define ROOM ((size_t)1 << 20)
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct mn_row_state one = { 1, 0 };
static const struct mn_row_state two = { 2, 0 };
static const struct mn_row_state used = { 1, 1 };
static const struct mn_row_state none = { -1, -1 };
static const struct mn_partition anns = { "t", "ann" };
static const struct mn_partition shared = { "t", "" };

static struct mn_row row_of(const char *owner, const char *id, const char *content)
{
    struct mn_row row = { .memory = MNEME_MEMORY_INIT, .confidence = 0.9 };

    row.memory.tenant_id = "t";
    row.memory.user_id = owner;
    row.memory.id = id;
    row.memory.content = content;
    row.memory.scope_kind = MNEME_SCOPE_GLOBAL;
    row.memory.status = MNEME_ACTIVE;
    row.memory.sensitivity = MNEME_INTERNAL;
    row.memory.confidence = 0.9;
    return row;
}

static struct mn_access access_of(const char *user)
{
    return (struct mn_access){ .tenant = "t",
                               .user = user,
                               .agent = "",
                               .session = "",
                               .task = "",
                               .project = "",
                               .repository = "",
                               .clearance = MNEME_INTERNAL,
                               .at_ms = 1000 };
}

/* What the cache says of the row, and its content. */
static enum mn_row_kept ask(struct mn_row_cache *cache, struct mn_row_state state, const char *user,
                            bool filtered, const char *id, struct mn_arena *arena,
                            const char **ret_content)
{
    struct mn_access access = access_of(user);
    struct mn_rows rows = { 0 };
    enum mn_row_kept kept = MN_ROW_UNKNOWN;

    assert_int_equal(
        mn_row_cache_take(cache, state, &access, filtered, id, arena, &rows, &kept, NULL),
        MNEME_OK);
    assert_int_equal(rows.count, kept == MN_ROW_TAKEN);
    *ret_content = rows.count ? rows.item[0].memory.content : "";
    return kept;
}

static bool has(struct mn_row_cache *cache, struct mn_row_state state, const char *id)
{
    MN_ARENA_AUTO arena = mn_arena_new(ROOM);
    const char *content;

    return ask(cache, state, "ann", false, id, arena, &content) == MN_ROW_TAKEN;
}

static struct mn_list_name list_of(struct mn_partition partition, const char *key)
{
    return (struct mn_list_name){ .kind = MN_LIST_KEY, .partition = partition, .a = key };
}

static void keep_list(struct mn_row_cache *cache, struct mn_row_state state,
                      struct mn_partition partition, const char *key)
{
    static const char *const ids[] = { "a", "b" };
    struct mn_list_name name = list_of(partition, key);

    mn_row_cache_keep_list(cache, state, &name, &(struct mn_list){ ids, 2, true });
}

static bool has_list(struct mn_row_cache *cache, struct mn_row_state state,
                     struct mn_partition partition, const char *key)
{
    MN_ARENA_AUTO arena = mn_arena_new(ROOM);
    struct mn_list_name name = list_of(partition, key);
    struct mn_list list = { 0 };
    bool known = false;

    assert_int_equal(mn_row_cache_list(cache, state, &name, arena, &list, &known, NULL), MNEME_OK);
    if (known) {
        assert_int_equal(list.count, 2);
        assert_string_equal(list.item[0], "a");
        assert_string_equal(list.item[1], "b");
        assert_true(list.whole);
    }
    return known;
}

/* ---- one piece ---- */

static void a_flat_row_copies_with_all_it_points_to(void **state)
{
    static const char *const keywords[] = { "one", "two", "" };
    static const struct mneme_pair pairs[] = { { "python", ">=3" }, { "os", "ios" } };
    struct mn_row row = row_of("ann", "m", "a text");
    MN_ARENA_AUTO arena = mn_arena_new(ROOM);
    struct mn_flat flat = { 0 };
    const struct mn_row *copy;
    void *made;

    (void)state;
    row.memory.keywords = (struct mneme_list){ keywords, 3 };
    row.memory.applies_to = (struct mneme_pairs){ pairs, 2 };
    row.memory.revision = 7;
    row.used_count = 5;
    made = mn_flat_row(&row, 24, &flat);
    assert_non_null(made);
    memset(made, 0x5a, 24); /* the owner's */
    copy = mn_flat_copy(&flat, arena);
    assert_non_null(copy);
    memset((char *)made + 24, 0x5a, flat.bytes); /* nothing of the copy lies there */
    free(made);
    assert_true(mn_memory_same_row(&copy->memory, &row.memory));
    assert_string_equal(copy->memory.title, ""); /* never NULL */
    assert_int_equal(copy->memory.keywords.count, 3);
    assert_string_equal(copy->memory.keywords.item[1], "two");
    assert_string_equal(copy->memory.applies_to.item[1].value, "ios");
    assert_int_equal(copy->memory.entities.count, 0);
    assert_int_equal(copy->memory.revision, 7);
    assert_int_equal(copy->used_count, 5);
    assert_true(copy->confidence == 0.9);
}

/* ---- states ---- */

static void a_row_is_there_in_its_state_only(void **state)
{
    struct mn_row_cache *cache = mn_row_cache_new(ROOM);
    struct mn_row row = row_of("ann", "m", "first");
    struct mn_row late = row_of("ann", "late", "of a state that is past");

    (void)state;
    mn_row_cache_keep(cache, one, &row); /* no state was reached yet */
    assert_false(has(cache, one, "m"));
    assert_true(mn_row_cache_move(cache, none, one, NULL, 0));
    mn_row_cache_keep(cache, one, &row);
    assert_true(has(cache, one, "m"));
    assert_false(has(cache, two, "m"));
    assert_false(has(cache, used, "m"));

    assert_true(mn_row_cache_move(cache, one, two, (struct mn_row_touch[]){ { "t", "ann", "x" } }, 1));
    assert_true(has(cache, two, "m"));
    assert_false(has(cache, one, "m")); /* for who still reads the former state */
    mn_row_cache_keep(cache, one, &late);
    assert_false(has(cache, one, "late"));
    assert_false(has(cache, two, "late"));

    assert_false(mn_row_cache_move(cache, one, two, NULL, 0)); /* another was quicker */
    assert_true(has(cache, two, "m"));
    mn_row_cache_free(cache);
}

static void what_a_write_touched_leaves(void **state)
{
    struct mn_row_cache *cache = mn_row_cache_new(ROOM);
    struct mn_row m = row_of("ann", "m", "first");
    struct mn_row n = row_of("ann", "n", "first");

    (void)state;
    assert_true(mn_row_cache_move(cache, none, one, NULL, 0));
    mn_row_cache_keep(cache, one, &m);
    mn_row_cache_keep(cache, one, &n);
    keep_list(cache, one, anns, "k");
    keep_list(cache, one, shared, "k");
    assert_true(has_list(cache, one, anns, "k"));

    assert_true(mn_row_cache_move(cache, one, two, (struct mn_row_touch[]){ { "t", "ann", "m" } }, 1));
    assert_false(has(cache, two, "m"));
    assert_true(has(cache, two, "n"));
    assert_false(has_list(cache, two, anns, "k"));
    assert_true(has_list(cache, two, shared, "k"));
    keep_list(cache, two, anns, "k");
    assert_true(has_list(cache, two, anns, "k"));
    mn_row_cache_free(cache);
}

static void usage_takes_the_row_and_leaves_the_lists(void **state)
{
    struct mn_row_cache *cache = mn_row_cache_new(ROOM);
    struct mn_row m = row_of("ann", "m", "first");

    (void)state;
    assert_true(mn_row_cache_move(cache, none, one, NULL, 0));
    mn_row_cache_keep(cache, one, &m);
    keep_list(cache, one, anns, "k");
    assert_true(mn_row_cache_move(cache, one, used, (struct mn_row_touch[]){ { "t", NULL, "m" } }, 1));
    assert_false(has(cache, used, "m"));
    assert_true(has_list(cache, used, anns, "k"));
    mn_row_cache_free(cache);
}

static void without_knowing_what_was_touched_everything_leaves(void **state)
{
    struct mn_row_cache *cache = mn_row_cache_new(ROOM);
    struct mn_row m = row_of("ann", "m", "first");

    (void)state;
    assert_true(mn_row_cache_move(cache, none, one, NULL, 0));
    mn_row_cache_keep(cache, one, &m);
    keep_list(cache, one, anns, "k");
    assert_true(mn_row_cache_move(cache, one, two, NULL, 0));
    assert_false(has(cache, two, "m"));
    assert_false(has_list(cache, two, anns, "k"));

    mn_row_cache_keep(cache, two, &m);
    mn_row_cache_forget(cache);
    assert_false(has(cache, two, "m"));
    assert_int_equal(mn_row_cache_state(cache).changes, -1);
    mn_row_cache_free(cache);
}

static void lists_have_no_other_kind_partition_scope_or_name(void **state)
{
    struct mn_row_cache *cache = mn_row_cache_new(ROOM);
    const struct mn_list_name kept = { MN_LIST_SCOPE, anns, MNEME_SCOPE_USER, "ann", "fact" };
    struct mn_list_name other[] = { kept, kept, kept, kept, kept };
    MN_ARENA_AUTO arena = mn_arena_new(ROOM);
    struct mn_list list = { 0 };
    bool known;

    (void)state;
    other[0].kind = MN_LIST_KEY;
    other[1].partition.owner = "bob";
    other[2].scope = MNEME_SCOPE_SESSION;
    other[3].a = "annf"; /* the two names run together alike */
    other[3].b = "act";
    other[4].b = "event";
    assert_true(mn_row_cache_move(cache, none, one, NULL, 0));
    keep_list(cache, one, (struct mn_partition){ "t", "bob" }, "k");
    mn_row_cache_keep_list(cache, one, &kept, &(struct mn_list){ NULL, 0, true });
    for (size_t i = 0; i < COUNT(other); i++) {
        assert_int_equal(mn_row_cache_list(cache, one, &other[i], arena, &list, &known, NULL),
                         MNEME_OK);
        assert_false(known);
    }
    assert_int_equal(mn_row_cache_list(cache, one, &kept, arena, &list, &known, NULL), MNEME_OK);
    assert_true(known);
    assert_int_equal(list.count, 0);
    mn_row_cache_free(cache);
}

/* ---- who may have one ---- */

static void a_row_is_for_those_who_reach_it(void **state)
{
    struct mn_row_cache *cache = mn_row_cache_new(ROOM);
    MN_ARENA_AUTO arena = mn_arena_new(ROOM);
    struct mn_row row[] = { row_of("ann", "anns", "x"), row_of("", "shared", "x"),
                            row_of("ann", "secret", "x"), row_of("ann", "gone", "x"),
                            row_of("ann", "unsure", "x") };
    const char *content;

    (void)state;
    row[2].memory.sensitivity = MNEME_SECRET;
    row[3].memory.status = MNEME_DELETED;
    row[4].confidence = 0.59;
    assert_true(mn_row_cache_move(cache, none, one, NULL, 0));
    for (size_t i = 0; i < COUNT(row); i++)
        mn_row_cache_keep(cache, one, &row[i]);

    assert_int_equal(ask(cache, one, "bob", false, "anns", arena, &content), MN_ROW_REFUSED);
    assert_int_equal(ask(cache, one, "bob", false, "shared", arena, &content), MN_ROW_TAKEN);
    assert_int_equal(ask(cache, one, "ann", true, "anns", arena, &content), MN_ROW_TAKEN);
    for (size_t i = 2; i < COUNT(row); i++) {
        const char *id = row[i].memory.id;

        assert_int_equal(ask(cache, one, "ann", true, id, arena, &content), MN_ROW_REFUSED);
        assert_int_equal(ask(cache, one, "ann", false, id, arena, &content), MN_ROW_TAKEN);
        assert_int_equal(ask(cache, one, "bob", false, id, arena, &content), MN_ROW_REFUSED);
    }
    assert_int_equal(ask(cache, one, "ann", false, "nobody's", arena, &content), MN_ROW_UNKNOWN);
    mn_row_cache_free(cache);
}

static void a_row_that_is_kept_again_is_the_newer_one(void **state)
{
    struct mn_row_cache *cache = mn_row_cache_new(ROOM);
    MN_ARENA_AUTO arena = mn_arena_new(ROOM);
    struct mn_row first = row_of("ann", "m", "first");
    struct mn_row second = row_of("ann", "m", "second, and longer");
    const char *content;

    (void)state;
    assert_true(mn_row_cache_move(cache, none, one, NULL, 0));
    mn_row_cache_keep(cache, one, &first);
    mn_row_cache_keep(cache, one, &second);
    assert_int_equal(ask(cache, one, "ann", true, "m", arena, &content), MN_ROW_TAKEN);
    assert_string_equal(content, "second, and longer");
    mn_row_cache_free(cache);
}

/* ---- room ---- */

static void what_was_used_longest_ago_leaves_first(void **state)
{
    struct mn_row_cache *cache = mn_row_cache_new(64 * 1024);
    size_t there = 0;
    char id[16];

    (void)state;
    assert_true(mn_row_cache_move(cache, none, one, NULL, 0));
    for (int i = 0; i < 3000; i++) { /* more than slots at the beginning, and than there is room for */
        (void)snprintf(id, sizeof id, "m-%d", i);
        struct mn_row row = row_of("ann", id, "a text");
        mn_row_cache_keep(cache, one, &row);
        assert_true(has(cache, one, id));
        assert_true(has(cache, one, "m-0")); /* used all the time */
    }
    for (int i = 0; i < 3000; i++) {
        (void)snprintf(id, sizeof id, "m-%d", i);
        there += has(cache, one, id);
    }
    assert_in_range(there, 20, 128); /* a row is some 700 bytes */
    assert_false(has(cache, one, "m-1"));
    mn_row_cache_free(cache);
}

static void many_rows_are_found_again(void **state)
{
    struct mn_row_cache *cache = mn_row_cache_new((size_t)64 << 20);
    char id[16];

    (void)state;
    assert_true(mn_row_cache_move(cache, none, one, NULL, 0));
    for (int i = 0; i < 5000; i++) {
        (void)snprintf(id, sizeof id, "m-%d", i);
        struct mn_row row = row_of("ann", id, id);
        mn_row_cache_keep(cache, one, &row);
    }
    for (int i = 0; i < 5000; i++) {
        (void)snprintf(id, sizeof id, "m-%d", i);
        assert_true(has(cache, one, id));
    }
    mn_row_cache_free(cache);
}

static void a_row_that_would_drive_out_too_many_is_not_kept(void **state)
{
    static char text[(1 << 18) + 1];
    struct mn_row_cache *cache = mn_row_cache_new((size_t)64 << 20);
    struct mn_row row = row_of("ann", "large", text);

    (void)state;
    memset(text, 'x', sizeof text - 1);
    assert_true(mn_row_cache_move(cache, none, one, NULL, 0));
    mn_row_cache_keep(cache, one, &row);
    assert_false(has(cache, one, "large"));
    text[1 << 17] = '\0';
    mn_row_cache_keep(cache, one, &row);
    assert_true(has(cache, one, "large"));
    mn_row_cache_free(cache);
    mn_row_cache_free(NULL);
}

static struct mn_codes_name codes_of(struct mn_partition partition, const char *unit,
                                     const char *profile)
{
    return (struct mn_codes_name){ partition, unit, profile };
}

/* "" where the cache does not know them. */
static const char *codes(struct mn_row_cache *cache, struct mn_row_state state,
                         struct mn_codes_name name, struct mn_arena *arena)
{
    struct mn_str found = { "", 0 };
    bool known = false;

    assert_int_equal(mn_row_cache_codes(cache, state, &name, arena, &found, &known, NULL), MNEME_OK);
    assert_int_equal(known, found.bytes != 0);
    return mn_arena_copy_n(arena, found.at, found.bytes);
}

static void codes_are_those_of_one_unit_owner_and_profile_until_it_changes(void **state)
{
    struct mn_row_cache *cache = mn_row_cache_new(ROOM);
    MN_ARENA_AUTO arena = mn_arena_new(ROOM);
    const struct mn_codes_name own = codes_of(anns, "m", "p.q"), his = codes_of(shared, "n", "p.q");
    const struct mn_row_touch touch[] = { { "t", NULL, "m" } };
    struct mn_row row = row_of("ann", "m", "first");

    (void)state;
    assert_true(mn_row_cache_move(cache, none, one, NULL, 0));
    mn_row_cache_keep_codes(cache, two, &own, (struct mn_str){ "of no state", 11 });
    assert_string_equal(codes(cache, one, own, arena), "");
    mn_row_cache_keep(cache, one, &row); /* of the same id: another thing */
    mn_row_cache_keep_codes(cache, one, &own, (struct mn_str){ "abc", 3 });
    mn_row_cache_keep_codes(cache, one, &his, (struct mn_str){ "defg", 4 });
    assert_true(has(cache, one, "m"));
    assert_string_equal(codes(cache, one, own, arena), "abc");
    assert_string_equal(codes(cache, one, his, arena), "defg");
    assert_string_equal(codes(cache, two, own, arena), "");
    assert_string_equal(codes(cache, one, codes_of(shared, "m", "p.q"), arena), "");
    assert_string_equal(codes(cache, one, codes_of(anns, "m", "p.r"), arena), "");
    mn_row_cache_keep_codes(cache, one, &own, (struct mn_str){ "other", 5 });
    assert_string_equal(codes(cache, one, own, arena), "other");
    assert_true(mn_row_cache_move(cache, one, two, touch, 1));
    assert_string_equal(codes(cache, two, own, arena), "");
    assert_string_equal(codes(cache, two, his, arena), "defg");
    mn_row_cache_forget(cache);
    assert_string_equal(codes(cache, none, his, arena), "");
    mn_row_cache_free(cache);
}

static void a_full_arena_is_a_failure_and_no_empty_answer(void **state)
{
    const struct mn_codes_name own = codes_of(anns, "m", "p.q");
    struct mn_str found = { NULL, 0 };
    struct mn_row_cache *cache = mn_row_cache_new(ROOM);
    MN_ARENA_AUTO arena = mn_arena_new(64);
    struct mn_access ann = access_of("ann");
    struct mn_row row = row_of("ann", "m", "first");
    struct mn_list_name name = list_of(anns, "k");
    enum mn_row_kept kept = MN_ROW_REFUSED;
    struct mn_rows rows = { 0 };
    struct mn_list list = { 0 };
    bool known;

    (void)state;
    assert_true(mn_row_cache_move(cache, none, one, NULL, 0));
    mn_row_cache_keep(cache, one, &row);
    keep_list(cache, one, anns, "k");
    assert_int_equal(mn_row_cache_take(cache, one, &ann, true, "m", arena, &rows, &kept, NULL),
                     MNEME_LIMIT);
    assert_int_equal(rows.count, 0);
    assert_non_null(mn_arena_alloc(arena, 64));
    assert_int_equal(mn_row_cache_list(cache, one, &name, arena, &list, &known, NULL), MNEME_LIMIT);
    mn_row_cache_keep_codes(cache, one, &own, (struct mn_str){ "abc", 3 });
    assert_int_equal(mn_row_cache_codes(cache, one, &own, arena, &found, &known, NULL), MNEME_LIMIT);
    assert_null(found.at);
    mn_row_cache_free(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_row_copies_with_all_it_points_to),
        cmocka_unit_test(a_row_is_there_in_its_state_only),
        cmocka_unit_test(what_a_write_touched_leaves),
        cmocka_unit_test(usage_takes_the_row_and_leaves_the_lists),
        cmocka_unit_test(without_knowing_what_was_touched_everything_leaves),
        cmocka_unit_test(lists_have_no_other_kind_partition_scope_or_name),
        cmocka_unit_test(a_row_is_for_those_who_reach_it),
        cmocka_unit_test(a_row_that_is_kept_again_is_the_newer_one),
        cmocka_unit_test(what_was_used_longest_ago_leaves_first),
        cmocka_unit_test(many_rows_are_found_again),
        cmocka_unit_test(a_row_that_would_drive_out_too_many_is_not_kept),
        cmocka_unit_test(codes_are_those_of_one_unit_owner_and_profile_until_it_changes),
        cmocka_unit_test(a_full_arena_is_a_failure_and_no_empty_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
