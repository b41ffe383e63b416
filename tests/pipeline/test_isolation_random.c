/*
 * test_isolation_random.c - a hundred thousand recalls by random identities, and not one foreign item.
 *
 * Ids are hostile on purpose: wildcards, quotes, separators, prefixes of each other, composed and
 * decomposed forms, one of 1,024 bytes. Every memory holds the words every request asks for, so that
 * only access decides. The oracle below is written from the contract, not from memory/access.c; it also
 * counts that what should come does come, or silence would pass. Two threads share the handle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mneme/mneme.h>

#include "fakes/store_folder.h"

#define RECALLS 100000
#define THREADS 2
#define MEMORIES 600
#define NOW INT64_C(1790000000000)
#define DAY INT64_C(86400000)

static char long_id[MNEME_ID_BYTES_MAX + 1];

/* Each is another id than every other, though folding, trimming or a pattern would confuse some. */
static const char *const ids[] = { "a",   "ab",   "a%",      "a_",       "%",         "_",
                                   "a'b", "a:b",  "a/b",     "A",        "caf\u00e9", "cafe\u0301",
                                   "*",   "null", "a' OR 1", "user-42",  "user-4",    long_id };
#define ID_COUNT (sizeof ids / sizeof *ids)

struct row {
    struct mneme_memory memory;
    char id[16];
};

static struct row rows[MEMORIES];
static struct mneme *handle;
static struct store_folder folder;
static uint64_t found_total[THREADS], expected_some[THREADS], found_some[THREADS];

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static const char *pick(uint64_t *random, size_t empty_in_ten)
{
    return next_random(random) % 10 < empty_in_ten ? "" : ids[next_random(random) % ID_COUNT];
}

static void make_row(struct row *row, size_t number, uint64_t *random)
{
    static const enum mneme_scope scopes[] = { MNEME_SCOPE_GLOBAL,  MNEME_SCOPE_PROJECT,
                                               MNEME_SCOPE_REPO,    MNEME_SCOPE_TASK,
                                               MNEME_SCOPE_SESSION, MNEME_SCOPE_USER };
    static const char *const types[] = { "fact", "user_preference", "incident",
                                         "repository_rule", "previous_decision" };
    struct mneme_memory m = MNEME_MEMORY_INIT;

    snprintf(row->id, sizeof row->id, "m-%zu", number);
    m.id = row->id;
    m.tenant_id = ids[next_random(random) % 4];
    m.user_id = pick(random, 3);
    m.agent_id = pick(random, 7);
    m.scope_kind = scopes[next_random(random) % (m.user_id[0] ? 6 : 4)];
    m.scope_id = m.scope_kind == MNEME_SCOPE_GLOBAL ? ""
                 : m.scope_kind == MNEME_SCOPE_USER ? m.user_id
                                                    : ids[next_random(random) % 6];
    m.type = types[number % 5];
    m.content = number % 2 ? "harbour pilots wait at the northern quay" : "港口引航员在北码头等候";
    m.sensitivity = (enum mneme_sensitivity)(MNEME_PUBLIC + next_random(random) % 4);
    m.requires_permission = next_random(random) % 4 ? "" : ids[next_random(random) % 4];
    m.authority = MNEME_EXPLICIT_USER;
    m.confidence = 0.9;
    m.valid_until_ms = next_random(random) % 5 ? 0 : NOW;
    m.created_at_ms = NOW - 10 * DAY;
    row->memory = m;
}

static int may_see(const struct mneme_memory *m, const struct mneme_identity *who)
{
    const char *open = m->scope_kind == MNEME_SCOPE_PROJECT   ? who->project_id
                       : m->scope_kind == MNEME_SCOPE_REPO    ? who->repository_id
                       : m->scope_kind == MNEME_SCOPE_TASK    ? who->task_id
                       : m->scope_kind == MNEME_SCOPE_SESSION ? who->session_id
                       : m->scope_kind == MNEME_SCOPE_USER    ? who->user_id
                                                              : "";
    int permitted = !m->requires_permission[0];

    for (size_t i = 0; i < who->permissions.count; i++)
        permitted |= !strcmp(who->permissions.item[i], m->requires_permission);
    return !strcmp(m->tenant_id, who->tenant_id) &&
           (!m->user_id[0] || !strcmp(m->user_id, who->user_id)) &&
           (!m->agent_id[0] || !strcmp(m->agent_id, who->agent_id)) &&
           !strcmp(m->scope_id, open) && permitted && m->sensitivity <= who->clearance &&
           (!m->valid_until_ms || m->valid_until_ms > NOW);
}

static const struct mneme_memory *row_of(const char *id)
{
    return &rows[strtoul(id + 2, NULL, 10)].memory;
}

static void recall_once(uint64_t *random, int thread)
{
    static const char *const texts[] = { "Where do harbour pilots wait at the quay? 引航员在码头",
                                         "港口引航员在码头哪里等候？ harbour pilots" };
    const char *permissions[2] = { ids[next_random(random) % 4], ids[next_random(random) % 4] };
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    struct mneme_error err;
    size_t visible = 0;

    request.identity.tenant_id = ids[next_random(random) % 4];
    request.identity.user_id = ids[next_random(random) % ID_COUNT];
    request.identity.agent_id = pick(random, 4);
    request.identity.project_id = pick(random, 3);
    request.identity.repository_id = pick(random, 3);
    request.identity.task_id = pick(random, 3);
    request.identity.session_id = pick(random, 3);
    request.identity.clearance = (enum mneme_sensitivity)(MNEME_PUBLIC + next_random(random) % 4);
    request.identity.permissions =
        (struct mneme_list){ permissions, next_random(random) % 3 };
    request.text = texts[next_random(random) % 2];
    request.now_ms = NOW;
    request.mode = MNEME_MODE_HYBRID;
    request.consistency = (enum mneme_consistency)(next_random(random) % 3);
    request.without_limits = 1;
    request.depth = 200;
    if (mneme_retrieve(handle, &request, &answer, &err) != MNEME_OK)
        fail_msg("recall failed: %s", err.message);
    for (size_t i = 0; i < answer->item_count; i++) {
        const char *id = answer->item[i].memory->id;

        if (!may_see(row_of(id), &request.identity))
            fail_msg("%s came to tenant '%.20s' user '%.20s'", id, request.identity.tenant_id,
                     request.identity.user_id);
        for (size_t k = 0; k < answer->item[i].merged_from.count; k++)
            if (!may_see(row_of(answer->item[i].merged_from.item[k]), &request.identity))
                fail_msg("%s was merged from a foreign row", id);
    }
    if (!strstr(answer->trace, "\"first_wall_leaks\":0"))
        fail_msg("the first wall leaked: %.200s", strstr(answer->trace, "first_wall_leaks"));
    for (size_t i = 0; i < MEMORIES && !visible; i++)
        visible += (size_t)may_see(&rows[i].memory, &request.identity);
    found_total[thread] += answer->item_count;
    expected_some[thread] += visible > 0;
    found_some[thread] += visible > 0 && answer->item_count > 0;
    assert_true(visible > 0 || answer->item_count == 0);
    mneme_answer_free(answer);
}

static void *recall_many(void *argument)
{
    int thread = *(int *)argument;
    uint64_t random = 0x9e3779b97f4a7c15u + (uint64_t)thread;

    for (int i = 0; i < RECALLS / THREADS; i++)
        recall_once(&random, thread);
    return NULL;
}

static void no_recall_of_a_random_identity_brings_a_foreign_item(void **state)
{
    (void)state;
    pthread_t second;
    int numbers[THREADS] = { 0, 1 };

    assert_int_equal(pthread_create(&second, NULL, recall_many, &numbers[1]), 0);
    recall_many(&numbers[0]);
    pthread_join(second, NULL);
    print_message("%d recalls, %llu items\n", RECALLS,
                  (unsigned long long)(found_total[0] + found_total[1]));
    assert_true(expected_some[0] + expected_some[1] > RECALLS / 10);
    assert_int_equal(found_some[0] + found_some[1], expected_some[0] + expected_some[1]);
}

static int set_up(void **state)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_record records[MEMORIES];
    struct mneme_error err;
    uint64_t random = 42;

    (void)state;
    memset(long_id, 'x', sizeof long_id - 1);
    for (size_t i = 0; i < MEMORIES; i++) {
        make_row(&rows[i], i, &random);
        records[i] = (struct mneme_record){ .kind = MNEME_RECORD_MEMORY, .memory = &rows[i].memory };
    }
    if (store_folder_make(&folder, "isolation") != 0)
        return -1;
    change.admin = 1;
    if (store_folder_open(&folder, &handle, &err) != MNEME_OK ||
        mneme_write(handle, records, MEMORIES, &change, NULL, NULL, &err) != MNEME_OK) {
        print_message("%s\n", err.message);
        return -1;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mneme_close(handle);
    return store_folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_recall_of_a_random_identity_brings_a_foreign_item),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
