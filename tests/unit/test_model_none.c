/*
 * test_model_none.c - a build without a runtime says so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/model.h"

static void a_build_without_a_runtime_says_so(void **state)
{
    struct mn_model *model = NULL;
    struct mneme_error err = { 0 };

    (void)state;
    assert_int_equal(mn_model_llama_new("/tmp/m.gguf", NULL, &model, &err), MNEME_UNAVAILABLE);
    assert_string_equal(err.field, "model");
    assert_null(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_build_without_a_runtime_says_so) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
