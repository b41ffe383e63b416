/*
 * test_recalled_again.c - what was recalled and comes back as a turn: nothing is drawn from it, it is
 * not recalled again in any form, and what was said beside it is. The turn itself is kept as it came.
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

static void say(struct fixture *f, const char *id, const char *role, const char *text)
{
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mneme_change change = MNEME_CHANGE_INIT;

    event.id = id;
    event.tenant_id = "acme";
    event.user_id = "ann";
    event.session_id = "s-1";
    event.role = role;
    event.text = text;
    event.event_time_ms = change.now_ms = NOW;
    ASSERT_OK(mneme_observe(f->handle, &event, 1, &change, NULL, &f->err));
}

static struct mneme_answer *recall(struct fixture *f, const char *text)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.text = text;
    request.now_ms = NOW + 1000;
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    return answer;
}

static int count_memory(void *context, const struct mneme_record *record)
{
    *(size_t *)context += record->kind == MNEME_RECORD_MEMORY;
    return 0;
}

static size_t memories(struct fixture *f)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    size_t count = 0;

    filter.tenant_id = "acme";
    filter.user_id = "ann";
    ASSERT_OK(mneme_list_memories(f->handle, &filter, count_memory, &count, &f->err));
    return count;
}

static int find_turn(void *context, const struct mneme_record *record)
{
    const char **text = context;

    if (record->kind == MNEME_RECORD_EVENT && !strcmp(record->event->id, text[0]))
        text[1] = strdup(record->event->text);
    return 0;
}

static void assert_kept_as_it_came(struct fixture *f, const char *id, const char *text)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    const char *found[2] = { id, NULL };

    filter.tenant_id = "acme";
    filter.user_id = "ann";
    ASSERT_OK(mneme_export(f->handle, &filter, find_turn, found, &f->err));
    assert_non_null(found[1]);
    assert_string_equal(found[1], text);
    free((char *)found[1]);
}

static void a_block_that_comes_back_is_not_recalled_again(void **state)
{
    struct fixture *f = *state;
    static const char ask[] = "Where does the spare key hang, and what do I drink?";
    struct mneme_answer *first;
    struct mneme_answer *again;
    const char *blocks[3];
    char id[16];
    size_t before;

    say(f, "e-1", "user", "Remember that the spare key hangs behind the boiler.");
    say(f, "e-2", "user", "From now on answer in short sentences.");
    say(f, "e-3", "user", "I drink green tea while the spare key hangs behind the boiler.");
    first = recall(f, ask);
    assert_true(first->item_count > 0);
    before = memories(f);
    blocks[0] = first->xml;
    blocks[1] = first->markdown;
    blocks[2] = first->json;
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(id, sizeof id, "b-%zu", i);
        say(f, id, i == 1 ? "tool_result" : "user", blocks[i]);
        assert_int_equal(memories(f), before);
        assert_kept_as_it_came(f, id, blocks[i]);
        again = recall(f, ask);
        assert_string_equal(again->xml, first->xml);
        assert_int_equal(again->tokens_used, first->tokens_used);
        mneme_answer_free(again);
    }
    mneme_answer_free(first);
}

static void what_is_said_beside_a_block_is_recalled_without_it(void **state)
{
    struct fixture *f = *state;
    struct mneme_answer *answer;
    char *turn = NULL;

    say(f, "e-1", "user", "Remember that the spare key hangs behind the boiler.");
    answer = recall(f, "Where does the spare key hang?");
    assert_true(asprintf(&turn, "%s\nThe ferry to the island leaves at seven.", answer->xml) > 0);
    mneme_answer_free(answer);
    say(f, "e-2", "user", turn);
    answer = recall(f, "When does the ferry to the island leave?");
    assert_non_null(strstr(answer->xml, "The ferry to the island leaves at seven."));
    assert_null(strstr(answer->xml, "&lt;agent_memory"));
    assert_null(strstr(answer->xml, "&lt;memory"));
    mneme_answer_free(answer);
    free(turn);
}

static void a_block_in_a_turn_that_is_cut_is_cut_apart(void **state)
{
    struct fixture *f = *state;
    struct mneme_answer *answer;
    char *turn = NULL;
    char filler[6000];
    size_t before;

    for (size_t at = 0; at + 40 < sizeof filler;)
        at += (size_t)snprintf(filler + at, sizeof filler - at, "The log of pump %zu is empty. ", at);
    say(f, "e-1", "user", "From now on answer in short sentences.");
    answer = recall(f, "How should you answer?");
    before = memories(f);
    assert_true(asprintf(&turn, "%s\n%s\nThe ferry to the island leaves at seven.", filler,
                         answer->xml) > 0);
    mneme_answer_free(answer);
    say(f, "e-2", "user", turn);
    assert_int_equal(memories(f), before);
    answer = recall(f, "When does the ferry to the island leave?");
    assert_non_null(strstr(answer->xml, "The ferry to the island leaves at seven."));
    assert_null(strstr(answer->xml, "&lt;memory"));
    mneme_answer_free(answer);
    free(turn);
}

static void a_memory_and_its_turn_take_one_place(void **state)
{
    struct fixture *f = *state;
    struct mneme_answer *answer;

    say(f, "e-1", "user", "Remember that the spare key hangs behind the boiler.");
    answer = recall(f, "Where does the spare key hang?");
    assert_int_equal(answer->item_count, 1);
    assert_string_equal(answer->item[0].memory->content, "The spare key hangs behind the boiler.");
    assert_int_equal(answer->item[0].merged_from.count, 1);
    assert_string_equal(answer->item[0].merged_from.item[0], "e-1");
    assert_non_null(strstr(answer->trace, "merged"));
    mneme_answer_free(answer);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_block_that_comes_back_is_not_recalled_again),
        CASE(what_is_said_beside_a_block_is_recalled_without_it),
        CASE(a_block_in_a_turn_that_is_cut_is_cut_apart),
        CASE(a_memory_and_its_turn_take_one_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
