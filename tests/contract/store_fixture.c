/*
 * store_fixture.c - see the header.
 */
#include "contract/store_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "memory/record.h"

/* ---- rows and writes ---- */

struct mneme_memory *fixture_memory_of(struct fixture *f, const char *tenant, const char *owner,
                                       const char *id, const char *content)
{
    struct mneme_memory given = MNEME_MEMORY_INIT;
    struct mneme_memory *whole = mn_arena_one(f->arena, struct mneme_memory);

    given.tenant_id = tenant;
    given.user_id = owner;
    given.id = id;
    given.content = content;
    given.type = "fact";
    ASSERT_OK(mn_memory_complete(&given, T0, f->arena, whole, &f->err));
    return whole;
}

struct mneme_event *fixture_event_of(struct fixture *f, const char *tenant, const char *owner,
                                     const char *id, const char *session, const char *text)
{
    struct mneme_event given = MNEME_EVENT_INIT;
    struct mneme_event *whole = mn_arena_one(f->arena, struct mneme_event);

    given.tenant_id = tenant;
    given.user_id = owner;
    given.id = id;
    given.session_id = session;
    given.text = text;
    given.speaker = "Ann";
    given.event_time_ms = T0;
    ASSERT_OK(mn_event_complete(&given, T0, f->arena, whole, &f->err));
    return whole;
}

struct mn_access fixture_access_of(const char *tenant, const char *user)
{
    return (struct mn_access){ .tenant = tenant,
                               .user = user,
                               .agent = "",
                               .session = "",
                               .task = "",
                               .project = "",
                               .repository = "",
                               .clearance = MNEME_INTERNAL,
                               .at_ms = T0 };
}

struct mn_commit fixture_request_of(const struct mn_write *writes, size_t count, int64_t now_ms)
{
    return (struct mn_commit){
        .write = writes, .count = count, .actor = "tester", .reason = "because", .now_ms = now_ms
    };
}

enum mneme_status fixture_commit_one(struct fixture *f, struct mn_write write, int64_t now_ms,
                                     struct mn_written *ret_written)
{
    struct mn_written written = { 0 };
    struct mn_commit commit = fixture_request_of(&write, 1, now_ms);
    struct mn_commit_result result = { .written = &written };

    ASSERT_OK(f->store->ops->commit(f->store, &commit, 1, &result, &f->err));
    f->err = result.error;
    if (ret_written && result.status == MNEME_OK)
        *ret_written = written;
    return result.status;
}

enum mneme_status fixture_try_put(struct fixture *f, const struct mneme_memory *memory,
                                  int64_t expected_revision)
{
    return fixture_commit_one(f,
                              (struct mn_write){ .kind = MN_WRITE_MEMORY,
                                                 .expected_revision = expected_revision,
                                                 .memory = memory },
                              T0, NULL);
}

struct mn_written fixture_put(struct fixture *f, const struct mneme_memory *memory)
{
    struct mn_written written = { 0 };

    ASSERT_OK(fixture_commit_one(f,
                                 (struct mn_write){ .kind = MN_WRITE_MEMORY,
                                                    .expected_revision = MN_REVISION_ANY,
                                                    .memory = memory },
                                 T0, &written));
    return written;
}

struct mn_changes fixture_all_changes(struct fixture *f)
{
    struct mn_changes changes = { 0 };
    struct mn_cursor start = { "" };

    ASSERT_OK(
        f->store->ops->changes_after(f->store, NULL, &start, 100000, f->arena, &changes, &f->err));
    assert_false(changes.too_old);
    return changes;
}

bool fixture_has(const struct mn_rows *rows, const char *id)
{
    for (size_t i = 0; i < rows->count; i++) {
        if (strcmp(rows->item[i].memory.id, id) == 0)
            return true;
    }
    return false;
}

/* ---- short forms of this file ---- */

struct mn_row fixture_get(struct fixture *f, const char *tenant, const char *owner, const char *id)
{
    struct mn_row row = { 0 };

    ASSERT_OK(f->store->ops->memory_get(f->store, (struct mn_partition){ tenant, owner }, id,
                                        f->arena, &row, &f->err));
    return row;
}

size_t fixture_history_count(struct fixture *f, const char *owner, const char *id)
{
    struct mn_history_rows rows = { 0 };

    ASSERT_OK(f->store->ops->history(f->store, (struct mn_partition){ "t", owner }, id, f->arena,
                                     &rows, &f->err));
    return rows.count;
}

struct mn_rows fixture_structured(struct fixture *f, const struct mn_access *access, size_t limit)
{
    struct mn_rows rows = { 0 };

    ASSERT_OK(f->store->ops->memories_structured(f->store, access, ~UINT64_C(0), limit, f->arena,
                                                 &rows, &f->err));
    return rows;
}

struct mn_rows fixture_by_key(struct fixture *f, const struct mn_access *access, const char *key)
{
    struct mn_rows rows = { 0 };

    ASSERT_OK(f->store->ops->memories_by_key(f->store, access, &key, 1, NULL, f->arena, &rows, &f->err));
    return rows;
}

struct mn_rows fixture_successors(struct fixture *f, const struct mn_access *access, const char *id)
{
    struct mn_rows rows = { 0 };

    ASSERT_OK(
        f->store->ops->memories_successors(f->store, access, &id, 1, f->arena, &rows, &f->err));
    return rows;
}

struct mn_rows fixture_as_of(struct fixture *f, struct mn_access access, int64_t at_ms,
                             const char *id)
{
    struct mn_rows rows = { 0 };

    access.as_of_ms = at_ms;
    access.at_ms = at_ms;
    ASSERT_OK(f->store->ops->memories_as_of(f->store, &access, &id, 1, f->arena, &rows, &f->err));
    return rows;
}

const char *fixture_embed_hash(struct fixture *f, const struct mneme_memory *memory,
                               const char *speaker)
{
    const char *text = NULL;
    char *hash = mn_arena_alloc(f->arena, MN_SHA256_HEX_BYTES);

    ASSERT_OK(mn_memory_embed_text(memory, speaker, f->arena, &text, &f->err));
    assert_true(mn_sha256_hex(text, strlen(text), hash));
    return hash;
}

enum mneme_status fixture_put_event(struct fixture *f, const struct mneme_event *event,
                                    struct mn_written *written)
{
    return fixture_commit_one(f, (struct mn_write){ .kind = MN_WRITE_EVENT, .event = event }, T0,
                              written);
}

enum mneme_status fixture_commit_two(struct fixture *f, struct mn_write a, struct mn_write b,
                                     struct mn_commit_result *result)
{
    struct mn_write writes[] = { a, b };
    struct mn_written written[2] = { 0 };
    struct mn_commit commit = fixture_request_of(writes, 2, T0);

    result->written = written;
    ASSERT_OK(f->store->ops->commit(f->store, &commit, 1, result, &f->err));
    f->err = result->error;
    return result->status;
}

enum mneme_status fixture_put_state(struct fixture *f, const char *user, const char *session,
                                    const char *text, int64_t at_ms, struct mn_written *written)
{
    struct mneme_task_state state = { .size = sizeof state,
                                      .tenant_id = "t",
                                      .user_id = user,
                                      .session_id = session,
                                      .task_id = "task",
                                      .state = text,
                                      .updated_at_ms = at_ms };

    return fixture_commit_one(
        f, (struct mn_write){ .kind = MN_WRITE_TASK_STATE, .task_state = &state }, T0, written);
}

/* ---- the fixture ---- */

int fixture_open(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    if (!f)
        return -1;
    f->arena = mn_arena_new((size_t)256 << 20);
    f->store = store_engine.open_empty(&f->context);
    *state = f;
    return f->store && f->arena ? 0 : -1;
}

int fixture_close(void **state)
{
    struct fixture *f = *state;

    mn_store_free(f->again);
    mn_store_free(f->store);
    store_engine.throw_away(f->context);
    mn_arena_free(f->arena);
    free(f);
    return 0;
}
