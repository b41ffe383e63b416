/*
 * test_eval_run.c - whole evaluations: golden folders, a recall set, a bench, and that nothing of
 * them stays behind.
 */
#include <dirent.h>
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

#include "base/str.h"
#include "eval/cost.h"
#include "eval/golden.h"
#include "eval/recall_set.h"

static const struct mn_eval_setup without_model = { .model_path = "none" };

struct folder {
    char path[64];
};

/* A folder of the test's own; temporary stores are made in it too. */
static int make_folder(void **state)
{
    struct folder *folder = calloc(1, sizeof *folder);

    if (!folder)
        return 1;
    strcpy(folder->path, "/tmp/mneme-test-XXXXXX");
    *state = folder;
    return mkdtemp(folder->path) && !setenv("TMPDIR", folder->path, 1) ? 0 : 1;
}

static const char *path_of(void **state, const char *name)
{
    static char path[2][128];
    static int at;

    at = !at;
    snprintf(path[at], sizeof path[at], "%s/%s", ((struct folder *)*state)->path, name);
    return path[at];
}

static size_t files_left(void **state)
{
    DIR *folder = opendir(((struct folder *)*state)->path);
    size_t count = 0;

    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static int remove_folder(void **state)
{
    static const char *const names[] = { "memories.jsonl", "cases.jsonl", "rules.jsonl",
                                         "items.jsonl", "queries.jsonl", "run.jsonl", "signals.jsonl", "vectors" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(path_of(state, names[i]));
    rmdir(((struct folder *)*state)->path);
    free(*state);
    return 0;
}

static void write_file(void **state, const char *name, const char *text)
{
    FILE *file = fopen(path_of(state, name), "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void read_file(void **state, const char *name, char *text, size_t bytes)
{
    FILE *file = fopen(path_of(state, name), "r");

    assert_non_null(file);
    text[fread(text, 1, bytes - 1, file)] = '\0';
    fclose(file);
}

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* ---- golden ---- */

static void print_failures(const struct mn_golden_report *report)
{
    for (size_t i = 0; i < report->failed.count; i++)
        print_message("%s %s: %s\n", report->failed.item[i].case_id,
                      report->failed.item[i].expectation, report->failed.item[i].got);
}

static void run_folder(const char *folder, const struct mn_eval_setup *setup)
{
    struct mn_golden_report report;
    struct mneme_error err = { 0 };

    if (mn_golden_run(folder, setup, NULL, NULL, &report, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    print_failures(&report);
    assert_true(report.case_count > 0);
    assert_int_equal(report.passed, report.case_count);
    assert_int_equal(report.leak_count, 0);
    mn_golden_report_release(&report);
}

static void the_cases_of_the_project_pass_without_a_model(void **state)
{
    run_folder(MN_SOURCE_DIR "/eval/golden", &without_model);
    assert_int_equal(files_left(state), 0);
}

/* The default model, where it was set up. */
static void golden_folders_pass_with_the_model(void **state)
{
    const char *const more = MN_SOURCE_DIR "/../shared/golden";
    const struct mn_eval_setup setup = {
        .model_path = MN_MODELS_DIR "/multilingual-e5-small-q4_0.gguf",
        .cache_path = path_of(state, "vectors"), /* one load of the model for all stores */
    };

    if (access(setup.model_path, R_OK))
        skip();
    run_folder(MN_SOURCE_DIR "/eval/golden", &setup);
    if (!access(more, R_OK))
        run_folder(more, &setup);
    assert_int_equal(files_left(state), 1);
}

static const char two_memories[] =
    "{\"id\": \"red\", \"tenant_id\": \"t\", \"user_id\": \"ann\", \"scope_kind\": \"user\","
    " \"scope_id\": \"ann\", \"type\": \"fact\", \"content\": \"The cable lift is painted red.\","
    " \"authority\": \"explicit_user\", \"confidence\": 0.9}\n"
    "{\"id\": \"bob\", \"tenant_id\": \"t\", \"user_id\": \"bob\", \"scope_kind\": \"user\","
    " \"scope_id\": \"bob\", \"type\": \"fact\", \"content\": \"The cable lift is Bob's.\","
    " \"authority\": \"explicit_user\", \"confidence\": 0.9}\n";

#define CASE(id, expect)                                                                           \
    "{\"case_id\": \"" id "\", \"request\": \"What colour is the cable lift painted?\", \"context\": " \
    "{\"tenant_id\": \"t\", \"user_id\": \"ann\"}, \"now\": \"2030-01-01T00:00:00Z\", \"expect\": "  \
    expect "}\n"

static void failures_are_listed_in_the_order_of_the_cases(void **state)
{
    struct mn_golden_report report;
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    write_file(state, "memories.jsonl", two_memories);
    write_file(state, "cases.jsonl",
               CASE("good", "{\"required_memory_ids\": [\"red\"]}")
               CASE("none", "{\"mode\": \"none\"}")
               CASE("bob", "{\"required_memory_ids\": [\"bob\"], \"empty\": true}"));
    assert_int_equal(mn_golden_run(((struct folder *)*state)->path, &without_model, NULL, NULL,
                                   &report, NULL),
                     MNEME_OK);
    assert_int_equal(report.case_count, 3);
    assert_int_equal(report.passed, 1);
    assert_int_equal(report.leak_count, 0);
    assert_int_equal(report.failed.count, 3);
    assert_string_equal(report.failed.item[0].case_id, "none");
    assert_string_equal(report.failed.item[0].expectation, "mode");
    assert_string_equal(report.failed.item[1].case_id, "bob");
    assert_string_equal(report.failed.item[1].got, "missing: bob (was no candidate)");
    assert_string_equal(report.failed.item[2].expectation, "empty");
    assert_string_equal(report.failed.item[2].got, "red");
    mn_golden_report_put(&w, &report);
    assert_true(begins(out.at, "{\"cases\":3,\"passed\":1,\"failed\":[{\"case_id\":\"none\","
                               "\"expectation\":\"mode\",\"got\":\"hybrid ("));
    assert_non_null(strstr(out.at, "\"metrics\":{\"precision_at_k\":"));
    mn_golden_report_release(&report);
    assert_int_equal(files_left(state), 2);
}

static void one_case_is_explained(void **state)
{
    struct mn_golden_report report;
    struct mneme_error err;

    write_file(state, "memories.jsonl", two_memories);
    write_file(state, "cases.jsonl",
               CASE("good", "{\"required_memory_ids\": [\"red\"]}") CASE("other", "{}"));
    const char *folder = ((struct folder *)*state)->path;
    assert_int_equal(mn_golden_run(folder, &without_model, "good", NULL, &report, NULL), MNEME_OK);
    assert_int_equal(report.case_count, 1);
    assert_non_null(strstr(report.explanation, "red"));
    mn_golden_report_release(&report);
    assert_int_equal(mn_golden_run(folder, &without_model, "nowhere", NULL, &report, &err),
                     MNEME_NOT_FOUND);
}

static void wrong_data_is_refused_with_file_line_and_field(void **state)
{
    const char *folder = ((struct folder *)*state)->path;
    struct mn_golden_report report;
    struct mneme_error err;

    assert_int_equal(mn_golden_run(folder, &without_model, NULL, NULL, &report, &err),
                     MNEME_NOT_FOUND);
    write_file(state, "memories.jsonl", two_memories);
    write_file(state, "cases.jsonl", CASE("a", "{}") CASE("b", "{\"required_memory_ids\": [\"x\"]}"));
    assert_int_equal(mn_golden_run(folder, &without_model, NULL, NULL, &report, &err),
                     MNEME_INVALID);
    assert_string_equal(err.message, "cases.jsonl:2: required_memory_ids: there is no x");
    write_file(state, "cases.jsonl", CASE("a", "{}") CASE("a", "{}"));
    assert_int_equal(mn_golden_run(folder, &without_model, NULL, NULL, &report, &err),
                     MNEME_INVALID);
    assert_string_equal(err.message, "cases.jsonl:2: case_id: 'a' is given twice");
    write_file(state, "rules.jsonl",
               "{\"trigger_type\": \"always\", \"memory_id\": \"x\", \"status\": \"active\"}\n");
    assert_int_equal(mn_golden_run(folder, &without_model, NULL, NULL, &report, &err),
                     MNEME_INVALID);
    assert_string_equal(err.message, "rules.jsonl:1: memory_id: there is no memory x");
}

/* ---- recall ---- */

static void a_recall_set_is_answered_per_user(void **state)
{
    struct mn_recall_options options = { .setup = without_model,
                                         .depth = 50,
                                         .profile = MNEME_PROFILE_SIMILARITY };
    struct mn_recall_report report;
    char run[2048];

    write_file(state, "items.jsonl",
               "{\"user\": \"a\", \"id\": \"1\", \"session\": \"s\", \"time\": \"1:56 pm on 8 May, 2023\","
               " \"speaker\": \"Ann\", \"text\": \"The ferry sails at noon.\", \"order\": 0}\n"
               "{\"user\": \"a\", \"id\": \"2\", \"session\": \"s\", \"time\": \"1:56 pm on 8 May, 2023\","
               " \"speaker\": \"Bob\", \"text\": \"I baked bread.\", \"order\": 1}\n"
               "{\"user\": \"a\", \"id\": \"3\", \"session\": \"3\", \"time\": \"2023-05-09\","
               " \"speaker\": \"\", \"text\": \"The ferry was late.\", \"order\": 0}\n"
               "{\"user\": \"b\", \"id\": \"1\", \"session\": \"1\", \"time\": \"\", \"speaker\": \"\","
               " \"text\": \"渡轮中午开船。\", \"order\": 0}\n");
    write_file(state, "queries.jsonl",
               "{\"user\": \"a\", \"qid\": \"q/1\", \"text\": \"When does the ferry sail?\"}\n"
               "{\"user\": \"b\", \"qid\": \"q/2\", \"text\": \"渡轮什么时候开船？\", \"gold\": [\"1\"]}\n");
    char items[128], queries[128], out[128];
    strcpy(items, path_of(state, "items.jsonl"));
    strcpy(queries, path_of(state, "queries.jsonl"));
    strcpy(out, path_of(state, "run.jsonl"));
    options.items_path = items;
    options.queries_path = queries;
    options.out_path = out;
    assert_int_equal(mn_recall_run(&options, &report, NULL), MNEME_OK);
    assert_int_equal(report.items, 4);
    assert_int_equal(report.events, 2);
    assert_int_equal(report.queries, 2);
    assert_int_equal(report.unanswered, 0);
    read_file(state, "run.jsonl", run, sizeof run);
    assert_true(begins(run, "{\"qid\":\"q/1\",\"ids\":[\"1\",\"3\""));
    assert_non_null(strstr(run, "\n{\"qid\":\"q/2\",\"ids\":[\"1\"]}\n"));
    assert_int_equal(files_left(state), 3);

    /* The same, and what ranks the turns: only user a has any. */
    char signals[128];
    strcpy(signals, path_of(state, "signals.jsonl"));
    options.signals_path = signals;
    assert_int_equal(mn_recall_run(&options, &report, NULL), MNEME_OK);
    read_file(state, "signals.jsonl", run, sizeof run);
    assert_true(begins(run, "{\"qid\":\"q/1\",\"user\":\"a\",\"names\":[\"turn\",\"around_3\","));
    assert_non_null(strstr(run, "\"weights\":[2.39,1.32,1.02,"));
    assert_non_null(strstr(run, "\"turns\":{\"1\":[1,")); /* the best by its own words */
    assert_non_null(strstr(run, ",\"2\":[0,"));           /* has none of them */
    assert_null(strstr(run, ",\"3\":["));                 /* no turn */
    assert_non_null(strstr(run, "\"turns\":{}}\n"));
    assert_int_equal(files_left(state), 4);
}

static void an_instant_that_is_none_is_refused(void **state)
{
    struct mn_recall_options options = { .setup = without_model, .depth = 50 };
    struct mn_recall_report report;
    struct mneme_error err;
    char items[128];

    write_file(state, "items.jsonl", "{\"user\": \"a\", \"id\": \"1\", \"session\": \"s\", \"time\": "
                                     "\"some day\", \"text\": \"x\"}\n");
    strcpy(items, path_of(state, "items.jsonl"));
    options.items_path = options.queries_path = items;
    options.out_path = "/dev/null";
    assert_int_equal(mn_recall_run(&options, &report, &err), MNEME_INVALID);
    assert_true(begins(err.message, "items.jsonl:1: "));
    assert_int_equal(files_left(state), 1);
}

/* ---- bench ---- */

static void a_bench_times_each_request(void **state)
{
    const struct mn_bench_options options = { .setup = without_model, .memories = 301,
                                              .tenants = 3, .requests = 7 };
    struct mn_bench_report report;
    struct mneme_error err = { 0 };
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    if (mn_bench_run(&options, &report, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    assert_int_equal(report.recall.cpu_us.count, 7);
    assert_true(mn_samples_percentile(&report.recall.cpu_us, 0.5) > 0);
    assert_int_equal(report.dim, 0);
    mn_bench_report_put(&w, &report);
    assert_true(begins(out.at, "{\"memories\":301,\"tenants\":3,\"requests\":7,"));
    assert_non_null(strstr(out.at, "\"recall_cpu_ms\":{\"p50\":"));
    assert_non_null(strstr(out.at, "\"embed_cpu_ms\":{\"p50\":"));
    mn_bench_report_release(&report);
    assert_int_equal(files_left(state), 0);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(the_cases_of_the_project_pass_without_a_model),
        IN_FOLDER(golden_folders_pass_with_the_model),
        IN_FOLDER(failures_are_listed_in_the_order_of_the_cases),
        IN_FOLDER(one_case_is_explained),
        IN_FOLDER(wrong_data_is_refused_with_file_line_and_field),
        IN_FOLDER(a_recall_set_is_answered_per_user),
        IN_FOLDER(an_instant_that_is_none_is_refused),
        IN_FOLDER(a_bench_times_each_request),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
