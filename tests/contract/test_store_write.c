/*
 * test_store_write.c - memories written: revisions, history, what is refused.
 */
#include "contract/store_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/record.h"

/* ---- memories: writing ---- */

static void a_memory_comes_back_with_every_field(void **state)
{
    struct fixture *f = *state;
    static const char *const words[] = { "a", "", "\"quoted\" \\ and , [list]", "中文" };
    static const struct mneme_pair pairs[] = { { "python", ">=3.12" }, { "os", "i\"os" } };
    struct mneme_memory given = {
        .size = sizeof given,
        .id = "m-1",
        .tenant_id = "t",
        .user_id = "ann",
        .agent_id = "coder",
        .scope_kind = MNEME_SCOPE_REPO,
        .scope_id = "repo-1",
        .type = "project_constraint",
        .memory_key = "repo.language",
        .value = "python",
        .title = "Title",
        .content = "Content 内容",
        .summary = "Short",
        .keywords = { words, 4 },
        .usage_scenario = { words + 3, 1 },
        .entities = { words, 1 },
        .category = "c",
        .project = "p",
        .module = "m",
        .authority = MNEME_TOOL_OBSERVATION,
        .confidence = 0.625,
        .importance = 0.1,
        .sensitivity = MNEME_SECRET,
        .requires_permission = "read.secrets",
        .risk = MNEME_RISK_HIGH,
        .applies_to = { pairs, 2 },
        .valid_from_ms = -5,
        .valid_until_ms = T0 + 7,
        .event_time_ms = 3,
        .status = MNEME_DEPRECATED,
        .version = 4,
        .content_hash = "abc",
        .provenance = { words, 2 },
        .created_at_ms = 11,
        .updated_at_ms = 12,
        .confirmed_at_ms = 13,
        .attributes = "{\"a\":[1,2]}",
    };
    struct mneme_memory got;

    fixture_put(f, &given);
    got = fixture_get(f, "t", "ann", "m-1").memory;
    assert_true(mn_memory_same_row(&given, &got));
    assert_int_equal(got.revision, 1);
    assert_int_equal(got.version, 4);
    assert_string_equal(got.id, "m-1");
    assert_string_equal(got.content_hash, "abc");
    assert_int_equal(got.created_at_ms, 11);
    assert_int_equal(got.updated_at_ms, 12);
    assert_int_equal(got.confirmed_at_ms, 13);
    assert_string_equal(got.supersedes, "");
}

static void an_absent_memory_is_not_found(void **state)
{
    struct fixture *f = *state;
    struct mn_row row;

    fixture_put(f, fixture_memory_of(f, "t", "ann", "m", "text"));
    assert_int_equal(f->store->ops->memory_get(f->store, (struct mn_partition){ "t", "bob" }, "m",
                                               f->arena, &row, &f->err),
                     MNEME_NOT_FOUND);
    assert_int_equal(f->store->ops->memory_get(f->store, (struct mn_partition){ "t2", "ann" }, "m",
                                               f->arena, &row, &f->err),
                     MNEME_NOT_FOUND);
}

static void an_edit_grows_the_revision_and_keeps_the_former_row(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory *row = fixture_memory_of(f, "t", "ann", "m", "first");
    struct mn_history_rows history = { 0 };
    struct mn_written written;

    assert_int_equal(fixture_put(f, row).revision, 1);
    row->content = "second";
    written = fixture_put(f, row);
    assert_int_equal(written.revision, 2);
    assert_true(written.replaced);
    row->content = "third";
    row->agent_id = "coder";
    assert_int_equal(fixture_put(f, row).revision, 3);

    ASSERT_OK(f->store->ops->history(f->store, (struct mn_partition){ "t", "ann" }, "m", f->arena,
                                     &history, &f->err));
    assert_int_equal(history.count, 2);
    assert_string_equal(history.item[0].memory.content, "second");
    assert_int_equal(history.item[0].memory.revision, 2);
    assert_string_equal(history.item[1].memory.content, "first");
    assert_string_equal(history.item[1].actor, "tester");
    assert_string_equal(history.item[1].reason, "because");
    assert_int_equal(history.item[1].changed_at_ms, T0);
    assert_string_equal(fixture_get(f, "t", "ann", "m").memory.content, "third");
    assert_int_equal(fixture_all_changes(f).count, 3);
}

static void the_same_row_again_changes_nothing(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory *row = fixture_memory_of(f, "t", "ann", "m", "text");
    struct mn_written written;

    fixture_put(f, row);
    row->created_at_ms += 5; /* stamps do not make another row */
    row->updated_at_ms += 5;
    written = fixture_put(f, row);
    assert_true(written.unchanged);
    assert_int_equal(written.revision, 1);
    assert_int_equal(fixture_history_count(f, "ann", "m"), 0);
    assert_int_equal(fixture_all_changes(f).count, 1);

    row->confirmed_at_ms = T0 + 9; /* a confirmation is one, except when loading */
    assert_int_equal(fixture_try_put(f, row, MN_REVISION_LOAD), MNEME_OK);
    assert_int_equal(fixture_get(f, "t", "ann", "m").memory.revision, 1);
    assert_int_equal(fixture_put(f, row).revision, 2);
    assert_int_equal(fixture_get(f, "t", "ann", "m").memory.confirmed_at_ms, T0 + 9);
}

static void revisions_are_checked(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory *row = fixture_memory_of(f, "t", "ann", "m", "text");

    assert_int_equal(fixture_try_put(f, row, 1), MNEME_CONFLICT); /* it is not there */
    assert_string_equal(f->err.field, "revision");
    assert_int_equal(fixture_try_put(f, row, MN_REVISION_NEW), MNEME_OK);
    row->content = "other";
    assert_int_equal(fixture_try_put(f, row, MN_REVISION_NEW), MNEME_CONFLICT);
    assert_string_equal(f->err.field, "id");
    assert_int_equal(fixture_try_put(f, row, 2), MNEME_CONFLICT);
    assert_string_equal(f->err.field, "revision");
    assert_string_equal(fixture_get(f, "t", "ann", "m").memory.content, "text");
    assert_int_equal(fixture_try_put(f, row, 1), MNEME_OK);
    assert_int_equal(fixture_get(f, "t", "ann", "m").memory.revision, 2);
    assert_int_equal(fixture_try_put(f, row, 1),
                     MNEME_CONFLICT); /* even though the text is the same */
}

static void loading_keeps_revisions_and_refuses_older_ones(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory *row = fixture_memory_of(f, "t", "ann", "m", "text");

    row->revision = 7;
    assert_int_equal(fixture_try_put(f, row, MN_REVISION_LOAD), MNEME_OK);
    assert_int_equal(fixture_get(f, "t", "ann", "m").memory.revision, 7);
    row->revision = 3;
    assert_int_equal(fixture_try_put(f, row, MN_REVISION_LOAD),
                     MNEME_OK); /* the same row: unchanged */
    row->content = "other";
    assert_int_equal(fixture_try_put(f, row, MN_REVISION_LOAD), MNEME_CONFLICT);
    assert_string_equal(f->err.field, "revision");
    row->revision = 7;
    assert_int_equal(fixture_try_put(f, row, MN_REVISION_LOAD), MNEME_OK);
    assert_int_equal(fixture_get(f, "t", "ann", "m").memory.revision, 8);
    row->content = "third";
    row->revision = 20;
    assert_int_equal(fixture_try_put(f, row, MN_REVISION_LOAD), MNEME_OK);
    assert_int_equal(fixture_get(f, "t", "ann", "m").memory.revision, 20);
    row->content = "fourth";
    row->revision = 0; /* brings none */
    assert_int_equal(fixture_try_put(f, row, MN_REVISION_LOAD), MNEME_OK);
    assert_int_equal(fixture_get(f, "t", "ann", "m").memory.revision, 21);
    assert_int_equal(fixture_history_count(f, "ann", "m"), 3);
}

static void an_id_is_taken_once_in_a_tenant(void **state)
{
    struct fixture *f = *state;

    fixture_put(f, fixture_memory_of(f, "t", "ann", "m", "ann's"));
    assert_int_equal(fixture_try_put(f, fixture_memory_of(f, "t", "bob", "m", "bob's"),
                                     MN_REVISION_ANY),
                     MNEME_CONFLICT);
    assert_string_equal(f->err.field, "id");
    assert_null(strstr(f->err.message, "ann"));
    assert_int_equal(fixture_put_event(f, fixture_event_of(f, "t", "bob", "m", "s", "hi"), NULL),
                     MNEME_CONFLICT);
    assert_string_equal(f->err.field, "id");
    ASSERT_OK(fixture_put_event(f, fixture_event_of(f, "t", "bob", "e", "s", "hi"), NULL));
    assert_int_equal(fixture_try_put(f, fixture_memory_of(f, "t", "bob", "e", "text"),
                                     MN_REVISION_ANY),
                     MNEME_CONFLICT);
    fixture_put(f, fixture_memory_of(f, "t2", "bob", "m", "another tenant's"));
    assert_string_equal(fixture_get(f, "t", "ann", "m").memory.content, "ann's");
}

static void requests_stand_or_fall_by_themselves(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory *taken = fixture_memory_of(f, "t", "ann", "taken", "text");
    struct mn_write first[] = {
        { .kind = MN_WRITE_MEMORY, .memory = fixture_memory_of(f, "t", "ann", "a", "a") },
        { .kind = MN_WRITE_MEMORY, .memory = fixture_memory_of(f, "t", "ann", "b", "b") },
        { .kind = MN_WRITE_MEMORY, .memory = taken },
    };
    struct mn_write second[] = {
        { .kind = MN_WRITE_MEMORY, .memory = fixture_memory_of(f, "t", "ann", "c", "c") },
    };
    struct mn_written written[2][3] = { 0 };
    struct mn_commit commits[] = { fixture_request_of(first, 3, T0),
                                   fixture_request_of(second, 1, T0),
                                   fixture_request_of(NULL, 0, T0) };
    struct mn_commit_result results[] = { { .written = written[0] },
                                          { .written = written[1] },
                                          { .written = NULL } };
    size_t before;
    struct mn_changes changes;
    struct mn_rows rows = { 0 };
    const char *ids[] = { "a", "b", "c", "taken" };
    struct mn_access ann = fixture_access_of("t", "ann");

    fixture_put(f, taken);
    before = fixture_all_changes(f).count;
    ASSERT_OK(f->store->ops->commit(f->store, commits, 3, results, &f->err));
    assert_int_equal(results[0].status, MNEME_CONFLICT);
    assert_int_equal(results[0].failed, 2);
    assert_string_equal(results[0].error.field, "id");
    assert_int_equal(results[1].status, MNEME_OK);
    assert_int_equal(written[1][0].revision, 1);
    assert_int_equal(results[2].status, MNEME_OK);

    ASSERT_OK(f->store->ops->memories_get(f->store, &ann, ids, 4, f->arena, &rows, &f->err));
    assert_int_equal(rows.count, 2);
    assert_string_equal(rows.item[0].memory.id, "c");
    changes = fixture_all_changes(f);
    assert_int_equal(changes.count, before + 1);
    assert_string_equal(changes.item[before].id, "c");
}

/* The guard and the kept answer come with every write that has an idempotency key. */
static void every_kind_of_write_says_what_it_became(void **state)
{
    struct fixture *f = *state;
    const struct mn_partition ann = { "t", "ann" };
    struct mn_guard guard = { .partition = ann, .content_hash = "none", .memory_key = "" };
    struct mn_request_row request = { .partition = ann, .key = "k", .id = "a", .revision = 1 };
    struct mn_index_row index = { .index = "i", .partition = ann, .unit = "", .cursor = "c:1" };
    struct mn_write writes[] = {
        { .kind = MN_WRITE_GUARD, .guard = &guard },
        { .kind = MN_WRITE_MEMORY, .memory = fixture_memory_of(f, "t", "ann", "a", "a") },
        { .kind = MN_WRITE_REQUEST, .request = &request },
        { .kind = MN_WRITE_INDEX, .index = &index },
    };
    struct mn_commit commit = fixture_request_of(writes, 4, T0);
    struct mn_written written[4];
    struct mn_commit_result result = { .written = written };

    memset(written, 0xff, sizeof written); /* what a caller's memory may hold */
    ASSERT_OK(f->store->ops->commit(f->store, &commit, 1, &result, &f->err));
    assert_int_equal(result.status, MNEME_OK);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(written[i].revision, i == 1);
        assert_false(written[i].unchanged);
        assert_false(written[i].replaced);
    }
}

static void an_id_given_twice_in_a_request_is_refused(void **state)
{
    struct fixture *f = *state;
    struct mn_commit_result result = { 0 };
    struct mn_write a = { .kind = MN_WRITE_MEMORY,
                          .expected_revision = MN_REVISION_LOAD,
                          .memory = fixture_memory_of(f, "t", "ann", "m", "one") };
    struct mn_write b = { .kind = MN_WRITE_MEMORY,
                          .expected_revision = MN_REVISION_LOAD,
                          .memory = fixture_memory_of(f, "t", "ann", "m", "two") };
    struct mn_write e = { .kind = MN_WRITE_EVENT,
                          .event = fixture_event_of(f, "t", "ann", "m", "s", "text") };

    assert_int_equal(fixture_commit_two(f, a, b, &result), MNEME_INVALID);
    assert_string_equal(f->err.field, "id");
    assert_int_equal(result.failed, 1);
    assert_int_equal(fixture_commit_two(f, a, e, &result), MNEME_INVALID);
    assert_int_equal(fixture_all_changes(f).count, 0);
}

static void a_link_must_lead_to_a_memory_of_the_tenant(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory *old = fixture_memory_of(f, "t", "ann", "old", "old");
    struct mneme_memory *new = fixture_memory_of(f, "t", "ann", "new", "new");
    struct mneme_memory *elsewhere = fixture_memory_of(f, "t", "bob", "else", "links to ann's");
    struct mn_commit_result result = { 0 };

    fixture_put(f, fixture_memory_of(f, "t2", "ann", "foreign", "another tenant's"));
    new->supersedes = "foreign";
    assert_int_equal(fixture_try_put(f, new, MN_REVISION_ANY), MNEME_INVALID);
    assert_string_equal(f->err.field, "supersedes");
    new->supersedes = "new";
    assert_int_equal(fixture_try_put(f, new, MN_REVISION_ANY), MNEME_INVALID);

    new->supersedes = "old"; /* within a request rows come in any order */
    assert_int_equal(fixture_commit_two(f,
                                        (struct mn_write){ .kind = MN_WRITE_MEMORY, .memory = new },
                                        (struct mn_write){ .kind = MN_WRITE_MEMORY, .memory = old },
                                        &result),
                     MNEME_OK);
    elsewhere->supersedes = "old"; /* allowed, and without meaning */
    fixture_put(f, elsewhere);
}

static void where_links_stay_with_their_owner_another_ones_row_is_like_none(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory *mine = fixture_memory_of(f, "t", "ann", "mine", "mine");
    struct mn_write write = { .kind = MN_WRITE_MEMORY,
                              .expected_revision = MN_REVISION_ANY,
                              .memory = mine };
    struct mn_commit commit = { .write = &write, .count = 1, .now_ms = 1000, .own_links = true };
    struct mn_written written;
    struct mn_commit_result result = { .written = &written };
    char message[2][sizeof result.error.message];

    fixture_put(f, fixture_memory_of(f, "t", "bob", "his", "a"));
    fixture_put(f, fixture_memory_of(f, "t", "", "shared", "everybody's"));
    fixture_put(f, fixture_memory_of(f, "t", "ann", "older", "older"));
    for (int i = 0; i < 2; i++) {
        mine->supersedes = i ? "his" : "no0";
        assert_int_equal(f->store->ops->commit(f->store, &commit, 1, &result, NULL), MNEME_OK);
        assert_int_equal(result.status, MNEME_INVALID);
        snprintf(message[i], sizeof message[i], "%s", result.error.message);
        memcpy(strstr(message[i], i ? "his" : "no0"), "its", 3);
    }
    assert_string_equal(message[0], message[1]);
    for (int i = 0; i < 2; i++) {
        mine->supersedes = i ? "older" : "shared";
        assert_int_equal(f->store->ops->commit(f->store, &commit, 1, &result, NULL), MNEME_OK);
        assert_int_equal(result.status, MNEME_OK);
    }
}

static void links_never_lead_back(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory *a = fixture_memory_of(f, "t", "ann", "a", "a");
    struct mneme_memory *b = fixture_memory_of(f, "t", "ann", "b", "b");
    struct mneme_memory *c = fixture_memory_of(f, "t", "ann", "c", "c");
    struct mneme_memory *his = fixture_memory_of(f, "t", "bob", "his", "his");
    struct mn_commit_result result = { 0 };

    a->supersedes = "b";
    b->supersedes = "a";
    assert_int_equal(fixture_commit_two(f,
                                        (struct mn_write){ .kind = MN_WRITE_MEMORY, .memory = a },
                                        (struct mn_write){ .kind = MN_WRITE_MEMORY, .memory = b },
                                        &result),
                     MNEME_INVALID);
    assert_string_equal(f->err.field, "supersedes");
    a->supersedes = "";
    fixture_put(f, a);
    fixture_put(f, b);
    c->supersedes = "b";
    fixture_put(f, c);
    a->supersedes = "c"; /* a <- b <- c <- a */
    assert_int_equal(fixture_try_put(f, a, MN_REVISION_ANY), MNEME_INVALID);
    assert_string_equal(f->err.field, "supersedes");
    a->supersedes = "b";
    assert_int_equal(fixture_try_put(f, a, MN_REVISION_ANY), MNEME_INVALID);
    his->supersedes = "c"; /* a chain through another owner is none */
    fixture_put(f, his);
    a->supersedes = "his";
    assert_int_equal(fixture_try_put(f, a, MN_REVISION_ANY), MNEME_OK);
    c->supersedes = "a"; /* to pass over b is no circle */
    assert_int_equal(fixture_try_put(f, c, MN_REVISION_ANY), MNEME_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_memory_comes_back_with_every_field),
        CASE(an_absent_memory_is_not_found),
        CASE(an_edit_grows_the_revision_and_keeps_the_former_row),
        CASE(the_same_row_again_changes_nothing),
        CASE(revisions_are_checked),
        CASE(loading_keeps_revisions_and_refuses_older_ones),
        CASE(an_id_is_taken_once_in_a_tenant),
        CASE(requests_stand_or_fall_by_themselves),
        CASE(every_kind_of_write_says_what_it_became),
        CASE(an_id_given_twice_in_a_request_is_refused),
        CASE(a_link_must_lead_to_a_memory_of_the_tenant),
        CASE(where_links_stay_with_their_owner_another_ones_row_is_like_none),
        CASE(links_never_lead_back),
    };

    return cmocka_run_group_tests_name(store_engine.name, tests, NULL, NULL);
}
