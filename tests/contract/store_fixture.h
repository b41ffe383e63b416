/*
 * store_fixture.h - an empty store for each test, and the short forms that the contract's tests
 * speak.
 *
 * The tests of store.h run over the engine they are linked with (store_engine.h). Every write is by
 * "tester", "because"; what must succeed is asserted here.
 */
#ifndef MN_TESTS_STORE_FIXTURE_H
#define MN_TESTS_STORE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/store_engine.h"

#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)
#define COUNT(array) (sizeof(array) / sizeof *(array))

#define T0 INT64_C(1700000000000) /* the instant of writes that name none */

struct fixture {
    struct mn_store *store;
    struct mn_store *again; /* a second handle, NULL until asked for */
    void *context;
    struct mn_arena *arena;
    struct mneme_error err; /* of the last write */
};

int fixture_open(void **state);
int fixture_close(void **state);
#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_open, fixture_close)

/* Complete rows, in the arena; a fact in the user's scope, or global when shared (owner ""). */
struct mneme_memory *fixture_memory_of(struct fixture *f, const char *tenant, const char *owner,
                                       const char *id, const char *content);
struct mneme_event *fixture_event_of(struct fixture *f, const char *tenant, const char *owner,
                                     const char *id, const char *session, const char *text);
/* Nothing open, cleared for internal, at T0. */
struct mn_access fixture_access_of(const char *tenant, const char *user);

/* Writes. */
struct mn_commit fixture_request_of(const struct mn_write *writes, size_t count, int64_t now_ms);
enum mneme_status fixture_commit_one(struct fixture *f, struct mn_write write, int64_t now_ms,
                                     struct mn_written *ret_written);
enum mneme_status fixture_commit_two(struct fixture *f, struct mn_write a, struct mn_write b,
                                     struct mn_commit_result *result);
enum mneme_status fixture_try_put(struct fixture *f, const struct mneme_memory *memory,
                                  int64_t expected_revision);
struct mn_written fixture_put(struct fixture *f, const struct mneme_memory *memory);
enum mneme_status fixture_put_event(struct fixture *f, const struct mneme_event *event,
                                    struct mn_written *written);
enum mneme_status fixture_put_state(struct fixture *f, const char *user, const char *session,
                                    const char *text, int64_t at_ms, struct mn_written *written);

/* Reads. */
struct mn_changes fixture_all_changes(struct fixture *f);
bool fixture_has(const struct mn_rows *rows, const char *id);
struct mn_row fixture_get(struct fixture *f, const char *tenant, const char *owner, const char *id);
size_t fixture_history_count(struct fixture *f, const char *owner, const char *id);
struct mn_rows fixture_structured(struct fixture *f, const struct mn_access *access, size_t limit);
struct mn_rows fixture_by_key(struct fixture *f, const struct mn_access *access, const char *key);
struct mn_rows fixture_successors(struct fixture *f, const struct mn_access *access,
                                  const char *id);
struct mn_rows fixture_as_of(struct fixture *f, struct mn_access access, int64_t at_ms,
                             const char *id);
const char *fixture_embed_hash(struct fixture *f, const struct mneme_memory *memory,
                               const char *speaker);

#endif
