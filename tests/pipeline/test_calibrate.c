/*
 * test_calibrate.c - a profile from a set of texts: what is measured, what is kept of the given one.
 *
 * The model is a service on the loopback that makes one vector of every text, so that means are known
 * and nothing but words tells a request's passage. With the default model, where it is there, the
 * project's own set must give back what its profile has.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "eval/calibrate.h"
#include "fakes/fake_service.h"

#define VECTOR "{\"data\": [{\"index\": 0, \"embedding\": [3, 0, 4.0]}]}"
#define BASE                                                                                       \
    "{\"name\": \"one-vector\", \"dim\": 3, \"request_prefix\": \"q: \", \"floor_question\": 0.3,"        \
    " \"text_weight\": 0.7}"
#define MODEL MN_MODELS_DIR "/multilingual-e5-small-q4_0.gguf"

static const char TEXTS[] =
    "{\"lang\": \"en\", \"kind\": \"passage\", \"topic\": \"1\", \"text\": \"The ferry sails at noon.\"}\n"
    "{\"lang\": \"en\", \"kind\": \"passage\", \"topic\": \"2\", \"text\": \"Bread is baked at dawn.\"}\n"
    "{\"lang\": \"zh\", \"kind\": \"passage\", \"topic\": \"1\", \"text\": \"渡轮中午开船。\"}\n"
    "{\"lang\": \"en\", \"kind\": \"query\", \"topic\": \"1\", \"text\": \"When does the ferry sail?\"}\n"
    "{\"lang\": \"zh\", \"kind\": \"request\", \"topic\": \"1\", \"text\": \"渡轮什么时候开船？\"}\n"
    "{\"lang\": \"en\", \"kind\": \"rewording\", \"topic\": \"2\", \"text\": \"At dawn bread is baked.\"}\n";

struct fixture {
    char folder[64], texts[96], base[96], out[96], url[64];
    struct fake_service *service;
    struct mn_calibrate_options options;
};

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int start(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    unsetenv("http_proxy");
    unsetenv("all_proxy");
    unsetenv("ALL_PROXY");
    strcpy(f->folder, "/tmp/mneme-test-XXXXXX");
    if (!mkdtemp(f->folder))
        return 1;
    snprintf(f->texts, sizeof f->texts, "%s/texts.jsonl", f->folder);
    snprintf(f->base, sizeof f->base, "%s/base.json", f->folder);
    snprintf(f->out, sizeof f->out, "%s/out.json", f->folder);
    write_text(f->texts, TEXTS);
    write_text(f->base, BASE);
    f->service = fake_service_new();
    fake_service_answer(f->service, 200, VECTOR, 0);
    snprintf(f->url, sizeof f->url, "http://127.0.0.1:%d/v1", fake_service_port(f->service));
    f->options = (struct mn_calibrate_options){
        .setup = { .model_path = f->url, .profile_path = f->base, .tokenizer = "estimate" },
        .texts_path = f->texts,
        .out_path = f->out,
    };
    *state = f;
    return 0;
}

static int stop(void **state)
{
    struct fixture *f = *state;

    fake_service_free(f->service);
    unlink(f->texts);
    unlink(f->base);
    unlink(f->out);
    rmdir(f->folder);
    free(f);
    return 0;
}

static void read_out(const struct fixture *f, char *text, size_t bytes)
{
    FILE *file = fopen(f->out, "rb");

    assert_non_null(file);
    text[fread(text, 1, bytes - 1, file)] = '\0';
    fclose(file);
}

static void what_is_measured_stands_beside_what_was_given(void **state)
{
    struct fixture *f = *state;
    struct mn_calibrate_report report;
    struct mneme_error err;
    char profile[4096];

    if (mn_calibrate_run(&f->options, &report, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    assert_int_equal(report.texts, 6);
    assert_true(report.unrelated_mean == 0 && report.unrelated_spread == 0);
    assert_true(report.duplicate_cosine == 0); /* nothing is left once the mean is away */
    assert_true(isfinite(report.floor_question)); /* of vectors that say nothing */
    assert_true(isnan(report.floor_statement) && isnan(report.mean_cosine));
    assert_true(report.base_floor_question == 0.3);
    read_out(f, profile, sizeof profile);
    assert_non_null(strstr(profile, "{\"name\":\"one-vector\",\"dim\":3,\"request_prefix\":\"q: \","
                                    "\"text_weight\":0.7,\"unrelated_mean\":0,\"floor_question\":"));
    assert_null(strstr(profile, "floor_statement"));
    assert_non_null(strstr(profile, "\"mean\":{\"zh\":{\"request\":[0.6,0,0.8],\"passage\":[0.6,0,0.8]},"
                                    "\"en\":{\"request\":[0.6,0,0.8],\"passage\":[0.6,0,0.8]}}}\n"));

    /* What was written can be given again, and is then the same. */
    char again[4096];
    rename(f->out, f->base);
    assert_int_equal(mn_calibrate_run(&f->options, &report, &err), MNEME_OK);
    assert_true(fabs(report.mean_cosine - 1) < 1e-6);
    assert_true(isfinite(report.base_floor_question));
    read_out(f, again, sizeof again);
    assert_ptr_equal(strstr(again, "{\"name\":\"one-vector\",\"dim\":3,"), again);
}

static void a_wrong_line_is_named(void **state)
{
    static const struct {
        const char *line, *message;
    } WRONG[] = {
        { "{\"lang\": \"de\", \"kind\": \"passage\", \"text\": \"x\"}", "lang: 'de' is neither zh nor en" },
        { "{\"lang\": \"en\", \"kind\": \"song\", \"text\": \"x\"}", "kind: 'song'" },
        { "{\"lang\": \"en\", \"kind\": \"passage\"}", "text: is empty" },
        { "{\"lang\": \"en\", \"kind\": \"passage\", \"text\": \"x\"}", "texts: there is no passage in zh" },
    };
    struct fixture *f = *state;
    struct mn_calibrate_report report;
    struct mneme_error err;

    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        write_text(f->texts, WRONG[i].line);
        assert_int_equal(mn_calibrate_run(&f->options, &report, &err), MNEME_INVALID);
        assert_non_null(strstr(err.message, WRONG[i].message));
    }
    assert_int_not_equal(access(f->out, F_OK), 0); /* and nothing was written */
}

static void without_a_profile_or_a_model_nothing_is_measured(void **state)
{
    struct fixture *f = *state;
    struct mn_calibrate_report report;
    struct mneme_error err;

    f->options.setup.model_path = "none";
    assert_int_equal(mn_calibrate_run(&f->options, &report, &err), MNEME_UNAVAILABLE);
    f->options.setup.model_path = f->url;
    fake_service_answer(f->service, 500, "{}", 0);
    assert_int_equal(mn_calibrate_run(&f->options, &report, &err), MNEME_UNAVAILABLE);
    f->options.setup.profile_path = NULL;
    assert_int_equal(mn_calibrate_run(&f->options, &report, &err), MNEME_INVALID);
    assert_non_null(strstr(err.message, "model_profile"));
    f->options.setup.profile_path = "/nowhere/profile.json";
    assert_int_equal(mn_calibrate_run(&f->options, &report, &err), MNEME_NOT_FOUND);
}

static void a_profile_without_name_or_dim_is_named(void **state)
{
    struct fixture *f = *state;
    struct mn_calibrate_report report;
    struct mneme_error err;

    write_text(f->base, "{\"dim\": 8}");
    assert_int_equal(mn_calibrate_run(&f->options, &report, &err), MNEME_INVALID);
    assert_string_equal(err.field, "model_profile");
    assert_non_null(strstr(err.message, "says no name"));
    write_text(f->base, "{\"name\": \"x\", \"dim\": -8}");
    assert_int_equal(mn_calibrate_run(&f->options, &report, &err), MNEME_INVALID);
    assert_non_null(strstr(err.message, "says no dim"));
}

static void the_default_models_profile_comes_out_again(void **state)
{
    struct fixture *f = *state;
    struct mn_calibrate_report report;
    struct mneme_error err;

    if (access(MODEL, R_OK) != 0)
        skip();
    f->options.setup.model_path = MODEL;
    f->options.setup.profile_path =
        MN_SOURCE_DIR "/models/profiles/multilingual-e5-small-q4_0.json";
    f->options.texts_path = MN_SOURCE_DIR "/eval/calibration/texts.jsonl";
    if (mn_calibrate_run(&f->options, &report, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    assert_true(report.mean_cosine > 0.98); /* other texts, the same language bias */
    assert_true(fabs(report.unrelated_mean - report.base_unrelated_mean) < 0.04);
    assert_true(fabs(report.floor_question - report.base_floor_question) < 0.06);
    assert_true(report.duplicate_cosine >= report.base_duplicate_cosine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_measured_stands_beside_what_was_given, start, stop),
        cmocka_unit_test_setup_teardown(a_wrong_line_is_named, start, stop),
        cmocka_unit_test_setup_teardown(without_a_profile_or_a_model_nothing_is_measured, start, stop),
        cmocka_unit_test_setup_teardown(a_profile_without_name_or_dim_is_named, start, stop),
        cmocka_unit_test_setup_teardown(the_default_models_profile_comes_out_again, start, stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
