/*
 * test_granularity.c - memories that are too coarse or too fine, through the public calls: told, split and
 * merged with their evidence, and erased together.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/fixture.h"

#define NOW INT64_C(1790000000000)
#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)
#define COARSE                                                                                     \
    "# Deploying\nThe harbour service is deployed on Mondays.\n\n# Backups\nBackups of the harbour " \
    "service lie in Oslo.\n"

static void put(struct fixture *f, const char *id, const char *type, const char *content,
                int64_t at_ms)
{
    static const char *const source[] = { "e-1" };
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_MEMORY, .memory = &m };

    m.tenant_id = "acme";
    m.user_id = "ann";
    m.id = id;
    m.type = type;
    m.scope_kind = MNEME_SCOPE_USER;
    m.scope_id = "ann";
    m.content = content;
    m.created_at_ms = at_ms;
    m.provenance = (struct mneme_list){ source, 1 };
    ASSERT_OK(mneme_write(f->handle, &record, 1, NULL, NULL, NULL, &f->err));
}

struct seen {
    size_t count;
    char id[64], into[64], first[256];
    size_t parts;
    int done;
};

static int note(void *context, const struct mneme_grain *grain)
{
    struct seen *seen = context;

    seen->count++;
    (void)snprintf(seen->id, sizeof seen->id, "%s", grain->id);
    (void)snprintf(seen->into, sizeof seen->into, "%s", grain->into);
    (void)snprintf(seen->first, sizeof seen->first, "%s", grain->parts.count ? grain->parts.item[0] : "");
    seen->parts = grain->parts.count;
    seen->done = grain->done;
    return 0;
}

static struct seen look(struct fixture *f, int apply)
{
    struct seen seen = { 0 };

    ASSERT_OK(mneme_granularity(f->handle, "acme", "ann", apply, NULL, note, &seen, &f->err));
    return seen;
}

struct list {
    size_t count;
    char id[8][64];
    char content[8][256];
    size_t provenance[8];
};

static int add(void *context, const struct mneme_record *record)
{
    struct list *list = context;
    size_t at = list->count++;

    assert_true(at < 8);
    (void)snprintf(list->id[at], sizeof list->id[at], "%s", record->memory->id);
    (void)snprintf(list->content[at], sizeof list->content[at], "%s", record->memory->content);
    list->provenance[at] = record->memory->provenance.count;
    return 0;
}

static struct list list_all(struct fixture *f, int with_all_statuses)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct list list = { 0 };

    filter.tenant_id = "acme";
    filter.user_id = "ann";
    filter.with_all_statuses = with_all_statuses;
    ASSERT_OK(mneme_list_memories(f->handle, &filter, add, &list, &f->err));
    return list;
}

static void erase(struct fixture *f, const char *id)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    char *receipt = NULL;

    what.scope = MNEME_ERASE_MEMORY;
    what.tenant_id = "acme";
    what.user_id = "ann";
    what.id = id;
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err));
    assert_non_null(strstr(receipt, "\"clean\":true"));
    mneme_free(receipt);
}

static void several_titled_things_are_not_written_as_one(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory m = MNEME_MEMORY_INIT;

    m.tenant_id = "acme";
    m.user_id = "ann";
    m.content = COARSE;
    assert_int_equal(mneme_remember(f->handle, &m, NULL, NULL, &f->err), MNEME_INVALID);
    assert_string_equal(f->err.field, "content");
    assert_non_null(strstr(f->err.message, "Deploying; Backups"));
    m.content = "# Deploying\nThe harbour service is deployed on Mondays.";
    ASSERT_OK(mneme_remember(f->handle, &m, NULL, NULL, &f->err));
    m.content = COARSE;
    m.type = "successful_procedure"; /* steps belong together */
    ASSERT_OK(mneme_remember(f->handle, &m, NULL, NULL, &f->err));
}

static void a_coarse_memory_is_told_and_split_when_asked_for(void **state)
{
    struct fixture *f = *state;

    put(f, "m-1", "fact", COARSE, NOW);
    put(f, "m-2", "skill", COARSE, NOW);
    struct seen seen = look(f, 0);
    assert_int_equal(seen.count, 1);
    assert_string_equal(seen.id, "m-1");
    assert_int_equal(seen.parts, 2);
    assert_string_equal(seen.first, "Deploying\nThe harbour service is deployed on Mondays.");
    assert_int_equal(seen.done, 0);
    assert_int_equal(list_all(f, 0).count, 2);

    assert_int_equal(look(f, 1).done, 1);
    struct list list = list_all(f, 0);
    assert_int_equal(list.count, 3);
    for (size_t i = 0; i < list.count; i++)
        assert_int_equal(list.provenance[i], strcmp(list.id[i], "m-2") ? 2 : 1);
    assert_int_equal(look(f, 1).count, 0);
}

static void with_a_section_goes_the_forgotten_whole_and_nothing_else(void **state)
{
    struct fixture *f = *state;
    size_t at;

    put(f, "m-1", "fact", COARSE, NOW);
    assert_int_equal(look(f, 1).done, 1);
    struct list list = list_all(f, 0);
    at = strstr(list.content[0], "Oslo") ? 0 : 1;
    erase(f, list.id[at]);
    list = list_all(f, 1);
    assert_int_equal(list.count, 1);
    assert_non_null(strstr(list.content[0], "Mondays"));

    put(f, "m-3", "fact", COARSE, NOW);
    assert_int_equal(look(f, 1).done, 1);
    erase(f, "m-3"); /* the forgotten whole: its sections go, and those alike of the other too */
    assert_int_equal(list_all(f, 1).count, 0);
}

static void a_piece_is_merged_into_what_it_points_to(void **state)
{
    struct fixture *f = *state;

    put(f, "m-1", "fact", "The harbour service is written in Go.", NOW);
    put(f, "m-2", "fact", "It listens on port 8080.", NOW + 1000);
    put(f, "m-3", "fact", "It is raining in the story.", NOW + 600001 + 1000); /* too late for any */
    struct seen seen = look(f, 0);
    assert_int_equal(seen.count, 1);
    assert_string_equal(seen.id, "m-2");
    assert_string_equal(seen.into, "m-1");
    assert_string_equal(seen.first, "The harbour service is written in Go. It listens on port 8080.");
    assert_int_equal(look(f, 1).done, 1);
    struct list list = list_all(f, 0);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.id[0], "m-1");
    assert_string_equal(list.content[0],
                        "The harbour service is written in Go. It listens on port 8080.");
    assert_int_equal(list.provenance[0], 2);

    erase(f, "m-2"); /* the whole says again what it said before */
    list = list_all(f, 1);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.content[0], "The harbour service is written in Go.");
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(several_titled_things_are_not_written_as_one),
        CASE(a_coarse_memory_is_told_and_split_when_asked_for),
        CASE(with_a_section_goes_the_forgotten_whole_and_nothing_else),
        CASE(a_piece_is_merged_into_what_it_points_to),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
