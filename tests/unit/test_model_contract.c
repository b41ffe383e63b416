/*
 * test_model_contract.c - what the wrappers promise for every model, tried with the fake and with
 * models that misbehave.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fakes/fake_model.h"
#include "model/model.h"

#define DIM 64

static double cosine(const float *a, const float *b)
{
    double sum = 0;

    for (size_t i = 0; i < DIM; i++)
        sum += (double)a[i] * b[i];
    return sum;
}

static void texts_that_share_words_are_near(void **state)
{
    struct mn_model *model = fake_model_new(DIM);
    float request[DIM], near[DIM], far[DIM], han[DIM], near_han[DIM];

    (void)state;
    assert_non_null(model);
    assert_int_equal(mn_model_embed(model, MN_EMBED_REQUEST, "deploy on friday", request, NULL),
                     MNEME_OK);
    assert_int_equal(mn_model_embed(model, MN_EMBED_PASSAGE, "never deploy on a friday", near,
                                    NULL),
                     MNEME_OK);
    assert_int_equal(mn_model_embed(model, MN_EMBED_PASSAGE, "cats like tuna", far, NULL),
                     MNEME_OK);
    assert_int_equal(mn_model_embed(model, MN_EMBED_REQUEST, "周五部署", han, NULL), MNEME_OK);
    assert_int_equal(mn_model_embed(model, MN_EMBED_PASSAGE, "周五不要部署", near_han, NULL),
                     MNEME_OK);
    assert_true(cosine(request, near) > 0.6);
    assert_true(fabs(cosine(request, far)) < 0.4);
    assert_true(cosine(han, near_han) > 0.6);
    mn_model_free(model);
}

static void texts_are_folded_before_they_are_embedded_and_counted(void **state)
{
    struct mn_model *model = fake_model_new(DIM);
    float plain[DIM], odd[DIM];
    size_t count = 0;

    (void)state;
    assert_int_equal(mn_model_embed(model, MN_EMBED_PASSAGE, "redis 开发", plain, NULL), MNEME_OK);
    assert_int_equal(mn_model_embed(model, MN_EMBED_PASSAGE, "ＲＥＤＩＳ \n 開發", odd, NULL),
                     MNEME_OK);
    assert_memory_equal(plain, odd, sizeof(plain));
    assert_int_equal(mn_model_count_tokens(model, "ＲＥＤＩＳ 開發", &count, NULL), MNEME_OK);
    assert_int_equal(count, 3);
    mn_model_free(model);
}

static void it_fails_when_told_to_and_leaves_the_outputs(void **state)
{
    struct mn_model *model = fake_model_new(DIM);
    float vector[DIM] = { 0.5f };
    size_t count = 77;
    struct mneme_error err = { 0 };

    (void)state;
    fake_model_fail_after(model, 2, MNEME_UNAVAILABLE);
    assert_int_equal(mn_model_embed(model, MN_EMBED_PASSAGE, "a", vector, &err), MNEME_OK);
    assert_int_equal(mn_model_embed(model, MN_EMBED_PASSAGE, "b", vector, &err), MNEME_OK);
    vector[0] = 0.5f;
    assert_int_equal(mn_model_embed(model, MN_EMBED_PASSAGE, "c", vector, &err), MNEME_UNAVAILABLE);
    assert_true(vector[0] == 0.5f);
    assert_string_equal(err.field, "model");
    assert_int_equal(mn_model_count_tokens(model, "d", &count, NULL), MNEME_UNAVAILABLE);
    assert_int_equal(count, 77);
    assert_int_equal(fake_model_calls(model), 4);
    fake_model_fail_after(model, 0, MNEME_OK);
    assert_int_equal(mn_model_embed(model, MN_EMBED_PASSAGE, "e", vector, NULL), MNEME_OK);
    mn_model_free(model);
}

static float first_coordinate; /* of the vector that the next model makes */

static enum mneme_status embed_badly(struct mn_model *model, enum mn_embed_kind kind,
                                     const char *text, float *vector, struct mneme_error *err)
{
    (void)kind, (void)text, (void)err;
    memset(vector, 0, model->profile.dim * sizeof(float));
    vector[0] = first_coordinate;
    return MNEME_OK;
}

static void a_vector_that_is_not_of_length_one_is_refused(void **state)
{
    static const struct mn_model_ops BAD = { .embed = embed_badly };
    struct mn_model model = { .ops = &BAD, .profile = { .name = "bad", .dim = DIM } };
    static const float WRONG[] = { 0, 0.998f, 1.002f, NAN, INFINITY };
    float vector[DIM] = { 0.5f };

    (void)state;
    for (size_t i = 0; i < sizeof(WRONG) / sizeof(WRONG[0]); i++) {
        first_coordinate = WRONG[i];
        assert_int_equal(mn_model_embed(&model, MN_EMBED_PASSAGE, "a", vector, NULL),
                         MNEME_CORRUPT);
        assert_true(vector[0] == 0.5f);
    }
    first_coordinate = 0.9995f;
    assert_int_equal(mn_model_embed(&model, MN_EMBED_PASSAGE, "a", vector, NULL), MNEME_OK);
    assert_true(vector[0] == 0.9995f);
}

static void a_dimension_out_of_range_is_refused(void **state)
{
    static const struct mn_model_ops BAD = { .embed = embed_badly };
    struct mn_model model = { .ops = &BAD, .profile = { .name = "bad" } };
    struct mneme_error err = { 0 };
    float vector[DIM];

    (void)state;
    assert_int_equal(mn_model_embed(&model, MN_EMBED_PASSAGE, "a", vector, &err), MNEME_INVALID);
    assert_string_equal(err.field, "dim");
    model.profile.dim = MN_VECTOR_DIM_MAX + 1;
    assert_int_equal(mn_model_embed(&model, MN_EMBED_PASSAGE, "a", vector, &err), MNEME_INVALID);
}

static void no_model_can_be_freed(void **state)
{
    (void)state;
    mn_model_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_that_share_words_are_near),
        cmocka_unit_test(texts_are_folded_before_they_are_embedded_and_counted),
        cmocka_unit_test(it_fails_when_told_to_and_leaves_the_outputs),
        cmocka_unit_test(a_vector_that_is_not_of_length_one_is_refused),
        cmocka_unit_test(a_dimension_out_of_range_is_refused),
        cmocka_unit_test(no_model_can_be_freed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
