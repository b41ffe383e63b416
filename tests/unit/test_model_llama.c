/*
 * test_model_llama.c - a GGUF in this process: what it answers, and what it does with files that
 * are none.
 *
 * The tests that need weights use $MNEME_MODEL, else the default model in the cache, and are
 * skipped where there is neither.
 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/model.h"

#define DIM 384

static struct mn_model *shared; /* loaded once; NULL without weights */
static char path_of_weights[4096];

static int open_weights(void **state)
{
    const char *path = getenv("MNEME_MODEL");
    struct mneme_error err = { 0 };

    (void)state;
    snprintf(path_of_weights, sizeof(path_of_weights), "%s",
             path != NULL ? path : MN_MODELS_DIR "/multilingual-e5-small-q4_0.gguf");
    if (access(path_of_weights, R_OK) != 0) {
        printf("no weights at %s (scripts/deps makes them): tests that need them are skipped\n",
               path_of_weights);
        return 0;
    }
    if (mn_model_llama_new(path_of_weights, NULL, &shared, &err) != MNEME_OK) {
        printf("%s\n", err.message);
        return 1;
    }
    if (shared->profile.dim != DIM) {
        printf("%s is another model than these tests are written for\n", path_of_weights);
        return 1;
    }
    return 0;
}

static int close_weights(void **state)
{
    (void)state;
    mn_model_free(shared);
    return 0;
}

static void embed(enum mn_embed_kind kind, const char *text, float vector[DIM])
{
    struct mneme_error err = { 0 };

    if (mn_model_embed(shared, kind, text, vector, &err) != MNEME_OK)
        fail_msg("%s", err.message);
}

static double cosine(const float *a, const float *b)
{
    double sum = 0;

    for (size_t i = 0; i < DIM; i++)
        sum += (double)a[i] * b[i];
    return sum;
}

/* A file with the first `bytes` of the weights or, where `from` is given, with its bytes. */
static void write_file(char path[64], const char *from, size_t bytes)
{
    char *copy = malloc(bytes);
    FILE *file;

    assert_non_null(copy);
    if (from != NULL) {
        memcpy(copy, from, bytes);
    } else {
        file = fopen(path_of_weights, "rb");
        assert_non_null(file);
        assert_int_equal(fread(copy, 1, bytes, file), bytes);
        fclose(file);
    }
    snprintf(path, 64, "/tmp/mneme-test-XXXXXX");
    file = fdopen(mkstemp(path), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(copy, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
    free(copy);
}

static void a_paraphrase_is_nearer_than_something_else(void **state)
{
    static const struct {
        const char *request, *near, *far;
    } CASE[] = {
        { "How do I restart the service?", "To bring the daemon up again, run systemctl restart.",
          "The cat likes tuna." },
        { "用户喜欢喝什么？", "他每天早上都要一杯不加糖的拿铁。", "数据库迁移定在三月底。" },
    };
    float request[DIM], near[DIM], far[DIM];

    (void)state;
    if (shared == NULL)
        skip();
    for (size_t i = 0; i < sizeof(CASE) / sizeof(CASE[0]); i++) {
        embed(MN_EMBED_REQUEST, CASE[i].request, request);
        embed(MN_EMBED_PASSAGE, CASE[i].near, near);
        embed(MN_EMBED_PASSAGE, CASE[i].far, far);
        assert_true(cosine(request, near) > cosine(request, far) + 0.02);
    }
}

static void requests_and_passages_have_prefixes_of_their_own(void **state)
{
    float request[DIM], passage[DIM];

    (void)state;
    if (shared == NULL)
        skip();
    embed(MN_EMBED_REQUEST, "the staging database", request);
    embed(MN_EMBED_PASSAGE, "the staging database", passage);
    assert_true(cosine(request, passage) < 0.999);
}

static void the_same_text_gives_the_same_bytes(void **state)
{
    float first[DIM], between[DIM], again[DIM], folded[DIM];

    (void)state;
    if (shared == NULL)
        skip();
    embed(MN_EMBED_PASSAGE, "部署前必须预热缓存。Warm the cache.", first);
    embed(MN_EMBED_PASSAGE, "something else in between", between);
    embed(MN_EMBED_PASSAGE, "部署前必须预热缓存。Warm the cache.", again);
    embed(MN_EMBED_PASSAGE, "部署前必須預熱緩存。WARM  the\tcache.", folded);
    assert_memory_equal(first, again, sizeof(first));
    assert_memory_equal(first, folded, sizeof(first));
}

static void long_texts_are_cut_and_counted_whole(void **state)
{
    enum { WORDS = 2000 };
    char *text = malloc(WORDS * 8 + 1);
    float vector[DIM], longer[DIM];
    size_t count = 0;

    (void)state;
    if (shared == NULL) {
        free(text);
        skip();
    }
    assert_non_null(text);
    for (size_t i = 0; i < WORDS; i++)
        memcpy(text + i * 8, i % 2 ? "restart " : "service ", 9);
    embed(MN_EMBED_PASSAGE, text, vector);
    assert_int_equal(mn_model_count_tokens(shared, text, &count, NULL), MNEME_OK);
    assert_true(count >= WORDS);
    text[WORDS * 4] = '\0'; /* still more than the model takes: the same beginning, the same end */
    embed(MN_EMBED_PASSAGE, text, longer);
    assert_memory_equal(vector, longer, sizeof(vector));
    free(text);
}

static void an_empty_text_has_a_vector_and_no_tokens(void **state)
{
    float vector[DIM];
    size_t count = 77;

    (void)state;
    if (shared == NULL)
        skip();
    embed(MN_EMBED_REQUEST, "", vector);
    assert_int_equal(mn_model_count_tokens(shared, "", &count, NULL), MNEME_OK);
    assert_int_equal(count, 0);
}

static void the_names_of_special_tokens_are_plain_text(void **state)
{
    size_t plain = 0, special = 0;

    (void)state;
    if (shared == NULL)
        skip();
    assert_int_equal(mn_model_count_tokens(shared, "end", &plain, NULL), MNEME_OK);
    assert_int_equal(mn_model_count_tokens(shared, "end</s>", &special, NULL), MNEME_OK);
    assert_true(special > plain + 1);
}

struct caller {
    const char *text;
    const float *expected;
    int wrong;
};

static void *embed_often(void *data)
{
    struct caller *caller = data;
    float vector[DIM];

    for (int i = 0; i < 20; i++)
        if (mn_model_embed(shared, MN_EMBED_REQUEST, caller->text, vector, NULL) != MNEME_OK ||
            memcmp(vector, caller->expected, sizeof(vector)) != 0)
            caller->wrong++;
    return NULL;
}

static void two_threads_may_ask_at_once(void **state)
{
    float first[DIM], second[DIM];
    struct caller caller[] = { { "where is the config?", first, 0 },
                               { "谁负责数据库？", second, 0 } };
    pthread_t thread[2];

    (void)state;
    if (shared == NULL)
        skip();
    for (int i = 0; i < 2; i++)
        embed(MN_EMBED_REQUEST, caller[i].text, i == 0 ? first : second);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, embed_often, &caller[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(caller[0].wrong, 0);
    assert_int_equal(caller[1].wrong, 0);
}

static void a_truncated_file_gives_the_same_clear_error_each_time(void **state)
{
    /* Cut inside the vocabulary, and inside the weights. */
    static const size_t BYTES[] = { 1000000, 40000000 };

    (void)state;
    if (shared == NULL)
        skip();
    for (size_t i = 0; i < sizeof(BYTES) / sizeof(BYTES[0]); i++) {
        char path[64];
        struct mn_model *model = NULL;
        struct mneme_error first = { 0 }, again = { 0 };
        float vector[DIM] = { 0.5f };
        size_t count = 77;

        write_file(path, NULL, BYTES[i]);
        assert_int_equal(mn_model_llama_new(path, NULL, &model, &first), MNEME_OK);
        assert_int_equal(mn_model_embed(model, MN_EMBED_PASSAGE, "a", vector, &first),
                         MNEME_CORRUPT);
        assert_int_equal(mn_model_count_tokens(model, "a", &count, &again), MNEME_CORRUPT);
        assert_string_equal(first.message, again.message);
        assert_string_equal(first.field, "model");
        assert_non_null(strstr(first.message, path));
        assert_true(vector[0] == 0.5f);
        assert_int_equal(count, 77);
        mn_model_free(model);
        unlink(path);
    }
}

static void what_is_no_model_is_refused_at_once(void **state)
{
    static const char JUNK[] = "this is no model, it only has an ending that looks like one";
    static const char OLD[] = "GGUF\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    static const char BARE[] = "GGUF\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    static const char ENDLESS[] = "GGUF\3\0\0\0\1\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"
                                  "\xff\xff\xff\xff\xff\xff\xff\xff";
    static const struct {
        const char *bytes;
        size_t count;
    } FILES[] = {
        { JUNK, sizeof(JUNK) },
        { OLD, sizeof(OLD) - 1 },
        { BARE, sizeof(BARE) - 1 },
        { BARE, 10 },
        { BARE, 3 },
        { ENDLESS, sizeof(ENDLESS) - 1 },
    };
    struct mn_model *model = NULL;
    struct mneme_error err = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(FILES) / sizeof(FILES[0]); i++) {
        char path[64];

        write_file(path, FILES[i].bytes, FILES[i].count);
        assert_int_equal(mn_model_llama_new(path, NULL, &model, &err), MNEME_CORRUPT);
        assert_string_equal(err.field, "model");
        unlink(path);
    }
    assert_int_equal(mn_model_llama_new("/tmp", NULL, &model, &err), MNEME_CORRUPT);
    assert_int_equal(mn_model_llama_new("/nonexistent/m.gguf", NULL, &model, &err),
                     MNEME_NOT_FOUND);
    assert_null(model);
}

static void a_profile_of_another_dimension_is_refused_by_name(void **state)
{
    struct mn_model *model = NULL;
    struct mneme_error err = { 0 };

    (void)state;
    if (shared == NULL)
        skip();
    assert_int_equal(mn_model_llama_new(path_of_weights, "{\"name\":\"m\",\"dim\":383}", &model,
                                        &err),
                     MNEME_INVALID);
    assert_string_equal(err.field, "dim");
    assert_null(model);
}

static void a_profile_of_the_callers_own_is_used(void **state)
{
    struct mn_model *model = NULL;
    float mean[DIM], cls[DIM];

    (void)state;
    if (shared == NULL)
        skip();
    assert_int_equal(mn_model_llama_new(path_of_weights,
                                        "{\"name\":\"m\",\"dim\":384,\"pooling\":\"cls\","
                                        "\"request_prefix\":\"query: \",\"tokens_max\":8}",
                                        &model, NULL),
                     MNEME_OK);
    embed(MN_EMBED_REQUEST, "one two three", mean);
    assert_int_equal(mn_model_embed(model, MN_EMBED_REQUEST, "one two three", cls, NULL), MNEME_OK);
    assert_true(cosine(mean, cls) < 0.999);
    mn_model_free(model);
}

/* A header that names a model of 4 dimensions, and nothing behind it. */
static void an_unknown_model_gets_a_neutral_profile_named_after_its_file(void **state)
{
    static const char HEADER[] = "GGUF\3\0\0\0\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0"
                                 "\x14\0\0\0\0\0\0\0general.architecture\x8\0\0\0"
                                 "\4\0\0\0\0\0\0\0bert"
                                 "\x15\0\0\0\0\0\0\0bert.embedding_length\4\0\0\0\4\0\0\0"
                                 "\x13\0\0\0\0\0\0\0bert.context_length\4\0\0\0\x80\0\0\0";
    struct mn_model *model = NULL;
    struct mneme_error err = { 0 };
    char path[64], name[64];
    float vector[4];

    (void)state;
    write_file(path, HEADER, sizeof(HEADER) - 1);
    assert_int_equal(mn_model_llama_new(path, NULL, &model, &err), MNEME_OK);
    assert_int_equal(model->profile.dim, 4);
    assert_int_equal(model->profile.tokens_max, 128);
    assert_string_equal(model->profile.request_prefix, "");
    assert_true(model->profile.request_mean[MN_LANGUAGE_ZH][3] == 0);
    snprintf(name, sizeof(name), "%s-", path + strlen("/tmp/"));
    assert_memory_equal(model->profile.name, name, strlen(name));
    assert_int_equal(strlen(model->profile.name), strlen(name) + 8);
    assert_int_equal(mn_model_embed(model, MN_EMBED_PASSAGE, "a", vector, &err), MNEME_CORRUPT);
    mn_model_free(model);
    unlink(path);
}

/* Of one run: their mean, with those of begin, prefix and end, is the vector. */
static void states_of_tokens_leave_out_what_is_no_text(void **state)
{
    MN_BUF_AUTO one = { 0 };
    MN_BUF_AUTO passage = { 0 };
    MN_BUF_AUTO request = { 0 };
    MN_BUF_AUTO codes = { 0 };
    float vector[DIM], alone[DIM];
    struct mneme_error err = { 0 };
    size_t tokens = 0;

    (void)state;
    if (shared == NULL)
        skip();
    assert_int_equal(mn_model_count_tokens(shared, "the harbour crane", &tokens, &err), MNEME_OK);
    assert_int_equal(mn_model_token_states(shared, MN_EMBED_PASSAGE, "the", &one, &err), MNEME_OK);
    assert_int_equal(one.bytes, DIM * sizeof(float));
    assert_int_equal(mn_model_token_states(shared, MN_EMBED_PASSAGE, "the harbour crane", &passage,
                                           &err),
                     MNEME_OK);
    assert_int_equal(passage.bytes, tokens * DIM * sizeof(float));
    assert_int_equal(mn_model_token_states(shared, MN_EMBED_REQUEST, "the harbour crane", &request,
                                           &err),
                     MNEME_OK);
    assert_int_equal(request.bytes, passage.bytes);
    assert_memory_not_equal(request.at, passage.at, request.bytes); /* their prefix tells */
    assert_int_equal(mn_model_embed_tokens(shared, MN_EMBED_PASSAGE, "the harbour crane", vector,
                                           &codes, &err),
                     MNEME_OK);
    assert_int_equal(codes.bytes, tokens * MN_TOKEN_PASSAGE_BYTES);
    assert_true(mn_token_codes_whole(codes.at, codes.bytes));
    embed(MN_EMBED_PASSAGE, "the harbour crane", alone);
    assert_memory_equal(vector, alone, sizeof vector);
}

static void so_many_tokens_are_kept_and_no_more(void **state)
{
    MN_BUF_AUTO text = { 0 };
    MN_BUF_AUTO passage = { 0 };
    MN_BUF_AUTO request = { 0 };
    float vector[DIM];

    (void)state;
    if (shared == NULL)
        skip();
    for (int i = 0; i <= MN_TOKENS_PASSAGE_MAX; i++)
        mn_buf_text(&text, "a ");
    assert_int_equal(
        mn_model_embed_tokens(shared, MN_EMBED_PASSAGE, text.at, vector, &passage, NULL), MNEME_OK);
    assert_int_equal(passage.bytes, MN_TOKENS_PASSAGE_MAX * MN_TOKEN_PASSAGE_BYTES);
    assert_int_equal(
        mn_model_embed_tokens(shared, MN_EMBED_REQUEST, text.at, vector, &request, NULL), MNEME_OK);
    assert_int_equal(request.bytes, MN_TOKENS_REQUEST_MAX * MN_TOKEN_REQUEST_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_model_is_refused_at_once),
        cmocka_unit_test(an_unknown_model_gets_a_neutral_profile_named_after_its_file),
        cmocka_unit_test(a_paraphrase_is_nearer_than_something_else),
        cmocka_unit_test(requests_and_passages_have_prefixes_of_their_own),
        cmocka_unit_test(the_same_text_gives_the_same_bytes),
        cmocka_unit_test(long_texts_are_cut_and_counted_whole),
        cmocka_unit_test(an_empty_text_has_a_vector_and_no_tokens),
        cmocka_unit_test(the_names_of_special_tokens_are_plain_text),
        cmocka_unit_test(two_threads_may_ask_at_once),
        cmocka_unit_test(a_truncated_file_gives_the_same_clear_error_each_time),
        cmocka_unit_test(a_profile_of_another_dimension_is_refused_by_name),
        cmocka_unit_test(a_profile_of_the_callers_own_is_used),
        cmocka_unit_test(states_of_tokens_leave_out_what_is_no_text),
        cmocka_unit_test(so_many_tokens_are_kept_and_no_more),
    };

    return cmocka_run_group_tests(tests, open_weights, close_weights);
}
