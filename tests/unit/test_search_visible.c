/*
 * test_search_visible.c - a partition's bits are what mn_access_allows() says of each row.
 */
#include "search/visible.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fakes/universe.h"

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static bool bit(const uint64_t *bits, size_t row)
{
    return bits[row / 64] >> (row % 64) & 1;
}

/* All rows of the universe in one index, which knows nothing of partitions: access alone decides.
 */
static void every_identity_sees_the_rows_it_may_and_no_other(void **state)
{
    struct mn_visible visible = { 0 };
    size_t rows = universe_memory_count(), words = rows / 64 + 1;
    uint64_t *text = malloc(words * sizeof *text), *vector = malloc(words * sizeof *vector);
    struct universe_memory *row = malloc(rows * sizeof *row);
    uint8_t *verdict;
    size_t seen = 0;

    (void)state;
    assert_true(text && vector && row);
    for (size_t m = 0; m < rows; m++) {
        universe_memory(m, &row[m]);
        struct mn_unit unit = { .id = row[m].id, .memory = row[m].memory, .confidence = -1 };
        assert_true(mn_visible_add(&visible, &unit));
    }
    verdict = malloc(mn_visible_verdict_count(&visible));
    assert_non_null(verdict);
    for (size_t a = 0; a < universe_access_count(); a++) {
        struct mn_access access = universe_access(a);
        struct mn_visible_request request = { .access = &access,
                                              .text_types = ~(mn_type_set)0,
                                              .vector_types = 0 };
        struct mn_visible_judged judged = mn_visible_judge(&visible, &request, verdict);

        mn_visible_bits(&judged, text, vector);
        for (size_t m = 0; m < rows; m++) {
            bool allowed = universe_allows(&access, &row[m].memory);

            if (bit(text, m) != allowed || bit(vector, m))
                fail_msg("identity %zu, row %zu", a, m);
            seen += allowed;
        }
        for (size_t m = a % 7; m < rows; m += 101)
            assert_int_equal(mn_visible_row(&judged, m), universe_allows(&access, &row[m].memory));
    }
    assert_true(seen > 1000);
    mn_visible_release(&visible);
    free(text);
    free(vector);
    free(row);
    free(verdict);
}

struct wild {
    struct mn_unit unit;
    struct mneme_pair pair[2];
};

static const char *one_of(const char *const *from, size_t count)
{
    return from[next_random() % count];
}

static void make_wild(struct wild *w)
{
    static const char *const ID[] = { "", "a", "ab", "a%", "A", "a:b", "caf\u00e9", "cafe\u0301" };
    static const char *const TYPE[] = { "fact", "event", "incident", "unknown", NULL };
    static const char *const WANTED[] = { ">=3.12", "ios", "!=2", "" };
    struct mneme_memory *m = &w->unit.memory;

    *w = (struct wild){ .unit.memory = MNEME_MEMORY_INIT };
    m->tenant_id = "t";
    m->user_id = next_random() % 4 ? "a" : "";
    m->agent_id = one_of(ID, 3);
    m->scope_kind = (enum mneme_scope)(next_random() % 7);
    m->scope_id = one_of(ID, 8);
    m->type = one_of(TYPE, 5);
    m->sensitivity = (enum mneme_sensitivity)(next_random() % 5);
    m->requires_permission = next_random() % 4 ? NULL : one_of(ID, 4);
    m->status = (enum mneme_memory_status)(next_random() % 8 ? 1 : next_random() % 6);
    m->authority = (enum mneme_authority)(next_random() % 7);
    m->valid_from_ms = next_random() % 3 ? 0 : (int64_t)(next_random() % 10);
    m->valid_until_ms = next_random() % 3 ? 0 : (int64_t)(next_random() % 10);
    m->created_at_ms = (int64_t)(next_random() % 10);
    m->event_time_ms = (int64_t)(next_random() % 10);
    m->confidence = (double)(next_random() % 11) / 10;
    w->unit.confidence = next_random() % 2 ? -1 : (double)(next_random() % 11) / 10;
    w->pair[0] = (struct mneme_pair){ "python", one_of(WANTED, 4) };
    w->pair[1] = (struct mneme_pair){ "os", one_of(WANTED, 4) };
    m->applies_to = (struct mneme_pairs){ w->pair, next_random() % 3 };
}

static bool expected(const struct wild *w, const struct mn_visible_request *request)
{
    enum mn_reason reason;
    int64_t at = w->unit.memory.event_time_ms;
    bool timed = request->after_ms || request->before_ms;

    return mn_access_allows(request->access, &w->unit.memory, w->unit.confidence, &reason) &&
           (!timed || at) && (!request->after_ms || at >= request->after_ms) &&
           (!request->before_ms || at < request->before_ms);
}

static bool of_type(const struct wild *w, mn_type_set set)
{
    int type = mn_type_find(w->unit.memory.type);

    return set >> (type == MN_TYPE_NONE ? mn_type_find("fact") : type) & 1;
}

/* A row is like the one before it but one time in `run`. */
static void judge_random_rows(uint64_t run)
{
    enum { ROWS = 300, REQUESTS = 400 };
    static struct wild wild[ROWS];
    static const char *const ID[] = { "", "a", "ab", "a%", "A", "a:b", "caf\u00e9", "cafe\u0301" };
    const char *permission[1] = { "a" };
    struct mneme_pair stated[1] = { { "python", "3.11" } };
    uint64_t text[ROWS / 64 + 1], vector[ROWS / 64 + 1];
    struct mn_visible visible = { 0 };
    size_t count = ROWS;

    for (size_t r = 0; r < ROWS; r++) {
        if (r == 0 || next_random() % run == 0)
            make_wild(&wild[r]);
        else
            wild[r] = wild[r - 1];
        wild[r].unit.memory.applies_to.item = wild[r].pair;
        assert_true(mn_visible_add(&visible, &wild[r].unit));
    }
    for (size_t n = 0; n < REQUESTS; n++) {
        struct mn_access access = { .tenant = "t",
                                    .user = "a",
                                    .agent = one_of(ID, 3),
                                    .session = one_of(ID, 8),
                                    .task = one_of(ID, 8),
                                    .project = one_of(ID, 8),
                                    .repository = one_of(ID, 8),
                                    .clearance = (enum mneme_sensitivity)(1 + next_random() % 4),
                                    .permissions = { permission, next_random() % 2 },
                                    .environment = { stated, next_random() % 2 },
                                    .at_ms = (int64_t)(1 + next_random() % 9) };
        struct mn_visible_request request = { .access = &access,
                                              .text_types = next_random(),
                                              .vector_types = next_random() };
        uint8_t *verdict = malloc(mn_visible_verdict_count(&visible));

        assert_non_null(verdict);
        if (next_random() % 2)
            access.as_of_ms = access.at_ms;
        if (next_random() % 4 == 0)
            request.after_ms = (int64_t)(next_random() % 10);
        if (next_random() % 4 == 0)
            request.before_ms = (int64_t)(next_random() % 10);
        struct mn_visible_judged judged = mn_visible_judge(&visible, &request, verdict);
        mn_visible_bits(&judged, text, vector);
        for (size_t r = 0; r < count; r++) {
            bool seen = mn_visible_alive(&visible, r) && expected(&wild[r], &request);

            assert_int_equal(bit(text, r), seen && of_type(&wild[r], request.text_types));
            assert_int_equal(bit(vector, r), seen && of_type(&wild[r], request.vector_types));
            assert_int_equal(mn_visible_row(&judged, r), seen);
        }
        free(verdict);
        if (n % 10 == 9) { /* one leaves; now and then the gaps do */
            size_t gone = next_random() % count;

            if (mn_visible_alive(&visible, gone))
                mn_visible_remove(&visible, gone);
        }
        if (n % 100 == 99) {
            size_t kept = 0;

            for (size_t r = 0; r < count; r++)
                if (mn_visible_alive(&visible, r)) {
                    wild[kept] = wild[r];
                    wild[kept].unit.memory.applies_to.item = wild[kept].pair;
                    kept++;
                }
            mn_visible_compact(&visible);
            count = kept;
            assert_int_equal(visible.count, kept);
        }
    }
    assert_true(count < ROWS);
    mn_visible_release(&visible);
}

static void random_rows_are_judged_as_one_by_one_also_after_compaction(void **state)
{
    (void)state;
    judge_random_rows(1);
}

static void so_are_rows_that_are_mostly_alike(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        judge_random_rows(100);
}

static void equal_rows_share_one_class(void **state)
{
    struct mn_visible visible = { 0 };
    struct wild w;

    (void)state;
    make_wild(&w);
    for (size_t i = 0; i < 100; i++)
        assert_true(mn_visible_add(&visible, &w.unit));
    assert_int_equal(visible.classes.count, 1);
    w.unit.memory.scope_id = "another";
    assert_true(mn_visible_add(&visible, &w.unit));
    assert_int_equal(visible.classes.count, 2);
    w.unit.memory.type = strcmp(w.unit.memory.type, "fact") == 0 ? "incident" : "fact";
    assert_true(mn_visible_add(&visible, &w.unit));
    assert_int_equal(visible.classes.count, 3);
    mn_visible_remove(&visible, 100);
    mn_visible_remove(&visible, 101);
    mn_visible_compact(&visible);
    assert_int_equal(visible.classes.count, 1);
    mn_visible_release(&visible);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_identity_sees_the_rows_it_may_and_no_other),
        cmocka_unit_test(random_rows_are_judged_as_one_by_one_also_after_compaction),
        cmocka_unit_test(so_are_rows_that_are_mostly_alike),
        cmocka_unit_test(equal_rows_share_one_class),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
