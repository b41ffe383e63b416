/*
 * test_recent.c - how often a request is embedded: once for who asks it, again for another, again after
 * an erasure.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "engine/handle.h"
#include "fakes/fake_model.h"
#include "pipeline/fixture.h"

#define NOW INT64_C(1790000000000)
#define DIM 64
#define QUESTION "When does the harbour office close?"
#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)

static void say(struct fixture *f, const char *user, const char *id)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_receipt receipt;

    m.id = id;
    m.tenant_id = "acme";
    m.user_id = user;
    m.content = "The harbour office closes at six.";
    ASSERT_OK(mneme_remember(f->handle, &m, NULL, &receipt, &f->err));
}

/* How many texts the model was given for it; *ret_score: of the one that is found. */
static size_t asking(struct fixture *f, const char *user, const char *text, double *ret_score)
{
    const struct mn_model *model = f->handle->world.model;
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    size_t before = fake_model_calls(model);

    request.identity.tenant_id = "acme";
    request.identity.user_id = user;
    request.text = text;
    request.now_ms = NOW;
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    assert_int_equal(answer->item_count, 1);
    assert_null(strstr(answer->trace, "vector: no answer"));
    if (ret_score)
        *ret_score = answer->item[0].score;
    mneme_answer_free(answer);
    return fake_model_calls(model) - before;
}

static void a_request_is_embedded_once_for_who_asks_it(void **state)
{
    struct fixture *f = *state;
    double first = 0, again = -1;

    fixture_give_model(f, "fake", DIM);
    say(f, "ann", "a-1");
    say(f, "bob", "b-1");
    assert_int_equal(asking(f, "ann", QUESTION, &first), 1);
    assert_int_equal(asking(f, "ann", QUESTION, &again), 0);
    assert_float_equal(again, first, 0); /* the same vector */
    assert_int_equal(asking(f, "ann", "When does the harbour office open?", NULL), 1);
    assert_int_equal(asking(f, "bob", QUESTION, NULL), 1); /* the clock tells him nothing */
    assert_int_equal(asking(f, "bob", QUESTION, NULL), 0);
}

static void another_model_embeds_it_again(void **state)
{
    struct fixture *f = *state;

    fixture_give_model(f, "fake", DIM);
    say(f, "ann", "a-1");
    assert_int_equal(asking(f, "ann", QUESTION, NULL), 1);
    fixture_give_model(f, "other", DIM);
    assert_int_equal(asking(f, "ann", QUESTION, NULL), 1);
}

static void what_failed_is_tried_again(void **state)
{
    struct fixture *f = *state;
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    struct mn_model *model = fixture_give_model(f, "fake", DIM);

    say(f, "ann", "a-1");
    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.text = QUESTION;
    request.now_ms = NOW;
    fake_model_fail_after(model, 0, MNEME_UNAVAILABLE);
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    assert_true(answer->degraded);
    mneme_answer_free(answer);
    fake_model_fail_after(model, 0, MNEME_OK);
    assert_int_equal(asking(f, "ann", QUESTION, NULL), 1);
}

static void erase(struct mneme *handle, const char *id, struct mneme_error *err)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    char *receipt = NULL;

    what.scope = MNEME_ERASE_MEMORY;
    what.tenant_id = "acme";
    what.user_id = "ann";
    what.id = id;
    ASSERT_OK(mneme_erase(handle, &what, &receipt, err));
    mneme_free(receipt);
}

static void an_erasure_empties_it_also_one_by_another_process(void **state)
{
    struct fixture *f = *state;
    struct mneme_options options = fixture_options(f, f->path);
    struct mneme *other = NULL;

    fixture_give_model(f, "fake", DIM);
    say(f, "ann", "a-1");
    for (int i = 0; i < 2; i++) { /* of other words: not merged */
        struct mneme_memory m = MNEME_MEMORY_INIT;
        struct mneme_receipt receipt;

        m.id = i ? "a-3" : "a-2";
        m.tenant_id = "acme";
        m.user_id = "ann";
        m.content = i ? "Cranes lift containers." : "Pilots board ships.";
        ASSERT_OK(mneme_remember(f->handle, &m, NULL, &receipt, &f->err));
    }
    assert_int_equal(asking(f, "ann", QUESTION, NULL), 1);
    erase(f->handle, "a-2", &f->err);
    assert_int_equal(asking(f, "ann", QUESTION, NULL), 1);
    assert_int_equal(asking(f, "ann", QUESTION, NULL), 0);

    ASSERT_OK(mneme_open(&options, &other, &f->err));
    erase(other, "a-3", &f->err);
    mneme_close(other);
    (void)asking(f, "ann", "When does the harbour office open?", NULL); /* sees the erasure */
    assert_int_equal(asking(f, "ann", QUESTION, NULL), 1);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_request_is_embedded_once_for_who_asks_it),
        CASE(another_model_embeds_it_again),
        CASE(what_failed_is_tried_again),
        CASE(an_erasure_empties_it_also_one_by_another_process),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
