/*
 * test_eval_quality.c - ranking, abstention and pairs on sets that fit on a page, without a model.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "eval/abstain.h"
#include "eval/pairs.h"
#include "eval/ranking.h"

static const struct mn_eval_setup without_model = { .model_path = "none" };

static const char *const NAMES[] = { "memories.jsonl", "cases.jsonl", "queries.jsonl",
                                     "out.jsonl" };

struct folder {
    char path[64];
    char queries[96];
    char out[96];
};

static int make_folder(void **state)
{
    struct folder *f = calloc(1, sizeof *f);

    if (!f)
        return 1;
    strcpy(f->path, "/tmp/mneme-test-XXXXXX");
    *state = f;
    if (!mkdtemp(f->path) || setenv("TMPDIR", f->path, 1))
        return 1;
    snprintf(f->queries, sizeof f->queries, "%s/queries.jsonl", f->path);
    snprintf(f->out, sizeof f->out, "%s/out.jsonl", f->path);
    return 0;
}

static int remove_folder(void **state)
{
    struct folder *f = *state;
    char path[128];

    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        snprintf(path, sizeof path, "%s/%s", f->path, NAMES[i]);
        unlink(path);
    }
    int left = rmdir(f->path); /* a store that stayed behind fails here */
    free(f);
    return left;
}

static void write_file(const struct folder *f, const char *name, const char *text)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", f->path, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_out_holds(const struct folder *f, const char *text)
{
    char lines[4096];
    FILE *file = fopen(f->out, "r");

    assert_non_null(file);
    lines[fread(lines, 1, sizeof lines - 1, file)] = '\0';
    fclose(file);
    if (!strstr(lines, text))
        fail_msg("%s is not in %s", text, lines);
}

static void assert_mean(const struct mn_tally *tally, const char *name, const char *column,
                        double wanted)
{
    double got = mn_tally_mean(tally, name, column);

    if (!(got > wanted - 1e-9 && got < wanted + 1e-9))
        fail_msg("%s %s is %g, not %g", name, column, got, wanted);
}

#define MEMORY(id, user, more, content)                                                            \
    "{\"id\": \"" id "\", \"tenant_id\": \"t\", \"user_id\": \"" user "\", \"scope_kind\": \"user\","  \
    " \"scope_id\": \"" user "\", \"authority\": \"explicit_user\", \"confidence\": 0.9, " more        \
    "\"content\": \"" content "\"}\n"

/* Two owners, one of the memories deleted: what is measured is what they say. */
static const char memories[] =
    MEMORY("red", "ann", "\"type\": \"fact\", ", "The cable lift is painted red.")
    MEMORY("noon", "bob", "\"type\": \"fact\", \"status\": \"deleted\", ",
           "The ferry sails at noon from the west quay.")
    MEMORY("draft", "ann", "\"type\": \"task_state\", ", "The budget draft waits for review.");

static void the_right_memory_has_its_place_whoever_owns_it(void **state)
{
    const struct folder *f = *state;
    struct mn_ranking_options options = { .setup = without_model,
                                          .queries_path = f->queries,
                                          .folder = f->path,
                                          .out_path = f->out };
    struct mn_ranking_report report;

    write_file(f, "memories.jsonl", memories);
    write_file(f, "cases.jsonl", "");
    write_file(f, "queries.jsonl",
               "{\"id\": \"1\", \"kind\": \"en\", \"query\": \"When does the ferry sail?\","
               " \"gold\": [\"noon\"]}\n"
               "{\"id\": \"2\", \"kind\": \"en\", \"query\": \"Where is the budget draft?\","
               " \"gold\": [\"red\", \"draft\"]}\n"
               "{\"id\": \"3\", \"kind\": \"zh\", \"query\": \"缆车是什么颜色？\","
               " \"gold\": [\"red\"]}\n");
    assert_int_equal(mn_ranking_run(&options, &report, NULL), MNEME_OK);
    assert_int_equal(report.memories, 3);
    assert_mean(&report.tally, "en", "acc@1", 1);
    assert_mean(&report.tally, "all", "acc@1", 2.0 / 3); /* no word reaches across languages */
    assert_mean(&report.tally, "across", "mrr", 0);
    assert_out_holds(f, "\"query\":\"Where is the budget draft?\",\"rank\":1}");
    mn_ranking_report_release(&report);
}

static void passages_of_the_queries_are_one_pool(void **state)
{
    const struct folder *f = *state;
    struct mn_ranking_options options = { .setup = without_model, .queries_path = f->queries };
    struct mn_ranking_report report;

    write_file(f, "queries.jsonl",
               "{\"kind\": \"a\", \"query\": \"Which colour has the lift?\", \"positive\":"
               " \"The lift has the colour red.\", \"negatives\": [\"The ferry sails at noon.\"]}\n"
               "{\"kind\": \"b\", \"query\": \"When sails the ferry?\", \"positive\":"
               " \"The ferry is late.\", \"negatives\": [\"The ferry sails at noon.\"]}\n");
    assert_int_equal(mn_ranking_run(&options, &report, NULL), MNEME_OK);
    assert_int_equal(report.memories, 3); /* the shared negative once */
    assert_mean(&report.tally, "a", "mrr", 1);
    assert_mean(&report.tally, "b", "mrr", 0.5);
    assert_mean(&report.tally, "b", "acc@1", 0);
    assert_mean(&report.tally, "all", "acc@5", 1);
    mn_ranking_report_release(&report);
}

static void a_gold_id_that_names_nothing_is_refused(void **state)
{
    const struct folder *f = *state;
    struct mn_ranking_options options = { .setup = without_model,
                                          .queries_path = f->queries,
                                          .folder = f->path };
    struct mn_ranking_report report;
    struct mneme_error err;

    write_file(f, "memories.jsonl", memories);
    write_file(f, "cases.jsonl", "");
    write_file(f, "queries.jsonl", "{\"query\": \"What?\", \"gold\": [\"red\"]}\n"
                                   "{\"query\": \"What?\", \"gold\": [\"blue\"]}\n");
    assert_int_equal(mn_ranking_run(&options, &report, &err), MNEME_INVALID);
    assert_string_equal(err.message, "queries.jsonl:2: gold: there is no memory blue");
    write_file(f, "queries.jsonl", "{\"query\": \"What?\", \"gold\": []}\n");
    assert_int_equal(mn_ranking_run(&options, &report, &err), MNEME_INVALID);
    assert_string_equal(err.message, "queries.jsonl:1: gold: names no memory");
}

static void empty_answers_are_counted_where_they_are_right_and_where_not(void **state)
{
    const struct folder *f = *state;
    struct mn_abstain_options options = { .setup = without_model,
                                          .queries_path = f->queries,
                                          .folder = f->path,
                                          .out_path = f->out };
    struct mn_abstain_report report;

    write_file(f, "memories.jsonl", memories);
    write_file(f, "cases.jsonl",
               "{\"case_id\": \"c\", \"request\": \"What colour is the cable lift painted?\","
               " \"context\": {\"tenant_id\": \"t\", \"user_id\": \"ann\"},"
               " \"expect\": {\"required_memory_ids\": [\"red\"]}}\n"
               "{\"case_id\": \"d\", \"request\": \"What does Zoltan breed on Mars?\","
               " \"context\": {\"tenant_id\": \"t\", \"user_id\": \"ann\"},"
               " \"expect\": {\"required_memory_ids\": [\"red\"]}}\n"
               "{\"case_id\": \"e\", \"request\": \"Hello\","
               " \"context\": {\"tenant_id\": \"t\", \"user_id\": \"ann\"},"
               " \"expect\": {\"mode\": \"none\", \"required_memory_ids\": [\"red\"]}}\n");
    write_file(f, "queries.jsonl",
               "{\"id\": \"1\", \"kind\": \"greeting\", \"query\": \"Hello\"}\n"
               "{\"id\": \"2\", \"kind\": \"close\", \"query\": \"Who painted the cable lift?\"}\n");
    assert_int_equal(mn_abstain_run(&options, &report, NULL), MNEME_OK);
    assert_mean(&report.tally, "greeting", "empty", 1);
    assert_mean(&report.tally, "close", "empty", 0);
    assert_mean(&report.tally, "rejected", "empty", 0.5);
    assert_mean(&report.tally, "cases", "empty", 0.5); /* of c and d; e goes by rules alone */
    assert_int_equal(report.cpu_us.count, 4);
    assert_int_equal(report.deciding_us.count, 2); /* "Hello", and d */
    assert_out_holds(f, "{\"id\":\"1\",\"kind\":\"greeting\",\"query\":\"Hello\",\"mode\":\"none\","
                        "\"items\":[]}");
    mn_abstain_report_release(&report);
}

static void pairs_become_one_memory_or_stay_two(void **state)
{
    const struct folder *f = *state;
    struct mn_pairs_options options = { .setup = without_model,
                                        .pairs_path = f->queries,
                                        .out_path = f->out };
    struct mn_pairs_report report;
    struct mneme_error err;

    write_file(f, "queries.jsonl",
               "{\"id\": \"1\", \"kind\": \"light\", \"label\": \"dup\","
               " \"a\": \"Access logs are kept for 30 days.\","
               " \"b\": \"We keep access logs for 30 days.\"}\n"
               "{\"id\": \"2\", \"kind\": \"number\", \"label\": \"not\","
               " \"a\": \"Access logs are kept for 30 days.\","
               " \"b\": \"Access logs are kept for 90 days.\"}\n");
    assert_int_equal(mn_pairs_run(&options, &report, NULL), MNEME_OK);
    assert_mean(&report.tally, "dup light", "merged_written", 1);
    assert_mean(&report.tally, "dup", "merged_recalled", 1);
    assert_mean(&report.tally, "not number", "merged_written", 0);
    assert_mean(&report.tally, "not", "merged_recalled", 0);
    assert_out_holds(f, "\"label\":\"dup\",\"written\":\"merged\",\"recalled\":true");
    mn_pairs_report_release(&report);

    write_file(f, "queries.jsonl", "{\"label\": \"perhaps\", \"a\": \"x\", \"b\": \"y\"}\n");
    assert_int_equal(mn_pairs_run(&options, &report, &err), MNEME_INVALID);
    assert_string_equal(err.message, "queries.jsonl:1: label: \"perhaps\" is none of dup, not");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_right_memory_has_its_place_whoever_owns_it),
        TEST(passages_of_the_queries_are_one_pool),
        TEST(a_gold_id_that_names_nothing_is_refused),
        TEST(empty_answers_are_counted_where_they_are_right_and_where_not),
        TEST(pairs_become_one_memory_or_stay_two),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
