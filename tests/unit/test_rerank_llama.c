/*
 * test_rerank_llama.c - a GGUF with a classification head, in this process.
 *
 * The file is made here: one layer that adds up what it is shown (attention is even, values are the
 * words' own), eight words, and a head that likes "ferry" and dislikes "bread".
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

#include <ggml.h>
#include <gguf.h>

#include "model/rerank.h"

#define WIDE 32
#define TOKENS 64
#define RANK 4 /* pooling */
#define MEAN 1

static const char *const WORD[] = { "[PAD]", "[UNK]", "[CLS]", "[SEP]", "\u2581ferry", "\u2581bread",
                                    "\u2581the", "\u2581a" };
#define WORDS ((int)(sizeof WORD / sizeof WORD[0]))
#define FERRY 4
#define BREAD 5

struct maker {
    struct ggml_context *room;
    struct gguf_context *file;
};

static float *tensor(struct maker *m, const char *name, int columns, int rows)
{
    struct ggml_tensor *t = rows ? ggml_new_tensor_2d(m->room, GGML_TYPE_F32, columns, rows)
                                 : ggml_new_tensor_1d(m->room, GGML_TYPE_F32, columns);

    ggml_set_name(t, name);
    memset(t->data, 0, ggml_nbytes(t));
    gguf_add_tensor(m->file, t);
    return t->data;
}

static void norm(struct maker *m, const char *name)
{
    char whole[64];
    float *one;

    snprintf(whole, sizeof whole, "%s.weight", name);
    one = tensor(m, whole, WIDE, 0);
    for (int i = 0; i < WIDE; i++)
        one[i] = 1;
    snprintf(whole, sizeof whole, "%s.bias", name);
    tensor(m, whole, WIDE, 0);
}

static void square(struct maker *m, const char *name, float diagonal)
{
    char whole[64];
    float *at;

    snprintf(whole, sizeof whole, "blk.0.%s.weight", name);
    at = tensor(m, whole, WIDE, WIDE);
    for (int i = 0; i < WIDE; i++)
        at[i * WIDE + i] = diagonal;
    snprintf(whole, sizeof whole, "blk.0.%s.bias", name);
    tensor(m, whole, WIDE, 0);
}

static void make_gguf(const char *path, uint32_t pooling)
{
    struct ggml_init_params params = { .mem_size = (size_t)1 << 20 };
    struct maker m = { ggml_init(params), gguf_init_empty() };
    int32_t type[WORDS];

    for (int i = 0; i < WORDS; i++)
        type[i] = i == 1 ? 2 : i < FERRY ? 3 : 1; /* unknown, control, normal */
    gguf_set_val_str(m.file, "general.architecture", "bert");
    gguf_set_val_u32(m.file, "bert.context_length", TOKENS);
    gguf_set_val_u32(m.file, "bert.embedding_length", WIDE);
    gguf_set_val_u32(m.file, "bert.block_count", 1);
    gguf_set_val_u32(m.file, "bert.feed_forward_length", WIDE);
    gguf_set_val_u32(m.file, "bert.attention.head_count", 1);
    gguf_set_val_f32(m.file, "bert.attention.layer_norm_epsilon", 1e-6f);
    gguf_set_val_bool(m.file, "bert.attention.causal", false);
    gguf_set_val_u32(m.file, "bert.pooling_type", pooling);
    gguf_set_val_u32(m.file, "tokenizer.ggml.token_type_count", 2);
    gguf_set_val_str(m.file, "tokenizer.ggml.model", "bert");
    gguf_set_val_str(m.file, "tokenizer.ggml.pre", "bert-bge");
    gguf_set_arr_str(m.file, "tokenizer.ggml.tokens", (const char **)WORD, (size_t)WORDS);
    gguf_set_arr_data(m.file, "tokenizer.ggml.token_type", GGUF_TYPE_INT32, type, (size_t)WORDS);
    gguf_set_val_u32(m.file, "tokenizer.ggml.bos_token_id", 2);
    gguf_set_val_u32(m.file, "tokenizer.ggml.eos_token_id", 3);
    gguf_set_val_u32(m.file, "tokenizer.ggml.seperator_token_id", 3);
    gguf_set_val_u32(m.file, "tokenizer.ggml.unknown_token_id", 1);
    gguf_set_val_u32(m.file, "tokenizer.ggml.padding_token_id", 0);

    float *embedding = tensor(&m, "token_embd.weight", WIDE, WORDS);
    for (int i = 0; i < WORDS; i++)
        embedding[i * WIDE + i] = 1;
    tensor(&m, "position_embd.weight", WIDE, TOKENS);
    tensor(&m, "token_types.weight", WIDE, 2);
    norm(&m, "token_embd_norm");
    square(&m, "attn_q", 0);
    square(&m, "attn_k", 0);
    square(&m, "attn_v", 1);
    square(&m, "attn_output", 1);
    norm(&m, "blk.0.attn_output_norm");
    square(&m, "ffn_up", 0);
    square(&m, "ffn_down", 0);
    norm(&m, "blk.0.layer_output_norm");
    float *head = tensor(&m, "cls.output.weight", WIDE, 1);
    head[FERRY] = 1;
    head[BREAD] = -1;
    tensor(&m, "cls.output.bias", 1, 0);
    assert_true(gguf_write_to_file(m.file, path, false));
    gguf_free(m.file);
    ggml_free(m.room);
}

struct fixture {
    char path[64];
    struct mn_reranker *reranker;
};

static void make(struct fixture *f, uint32_t pooling)
{
    strcpy(f->path, "/tmp/mneme-test-XXXXXX");
    int file = mkstemp(f->path);

    assert_true(file >= 0);
    close(file);
    make_gguf(f->path, pooling);
    struct mneme_error err;
    if (mn_reranker_llama_new(f->path, &f->reranker, &err) != MNEME_OK)
        fail_msg("%s", err.message);
}

static void destroy(struct fixture *f)
{
    mn_reranker_free(f->reranker);
    unlink(f->path);
}

static void it_reads_request_and_text_together(void **state)
{
    static const char *const text[] = { "the bread", "a ferry", "the" };
    struct fixture f = { 0 };
    double score[3] = { 0 }, again[3] = { 0 }, other[3] = { 0 };
    struct mneme_error err;

    (void)state;
    make(&f, RANK);
    if (mn_rerank(f.reranker, "the", text, 3, 60000, score, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    assert_true(score[1] > score[2] && score[2] > score[0]);
    assert_float_equal((float)score[0], (float)-score[1], 0.2f); /* as much bread as ferry */
    assert_int_equal(mn_rerank(f.reranker, "the", text, 3, 60000, again, NULL), MNEME_OK);
    assert_memory_equal(score, again, sizeof score);
    assert_int_equal(mn_rerank(f.reranker, "ferry", text, 3, 60000, other, NULL), MNEME_OK);
    for (int i = 0; i < 3; i++)
        assert_true(other[i] > score[i]); /* the request is read too */
    destroy(&f);
}

static void a_long_request_leaves_room_for_the_text(void **state)
{
    struct fixture f = { 0 };
    const char *text[2];
    char the[1001] = "", long_bread[4096] = "";
    double score[2];

    (void)state;
    for (int i = 0; i < 200; i++)
        strcat(the, "the ");
    for (int i = 0; i < 300; i++)
        strcat(long_bread, "bread ");
    text[0] = "ferry";
    text[1] = long_bread;
    make(&f, RANK);
    assert_int_equal(mn_rerank(f.reranker, the, text, 2, 60000, score, NULL), MNEME_OK);
    assert_true(score[0] > score[1]);
    destroy(&f);
}

static void without_time_it_says_so(void **state)
{
    static const char *const text[] = { "a" };
    struct fixture f = { 0 };
    double score[1] = { 7 };

    (void)state;
    make(&f, RANK);
    assert_int_equal(mn_rerank(f.reranker, "the", text, 1, 0, score, NULL), MNEME_UNAVAILABLE);
    assert_true(score[0] == 7);
    destroy(&f);
}

static void a_model_of_another_kind_is_refused(void **state)
{
    static const char *const text[] = { "a" };
    struct mn_reranker *none = NULL;
    struct fixture f = { 0 };
    struct mneme_error err;
    double score[1];

    (void)state;
    make(&f, MEAN);
    assert_int_equal(mn_rerank(f.reranker, "the", text, 1, 60000, score, &err), MNEME_INVALID);
    assert_non_null(strstr(err.message, "no reranker"));
    destroy(&f);
    assert_int_equal(mn_reranker_llama_new("/nowhere/judge.gguf", &none, NULL), MNEME_NOT_FOUND);
    assert_int_equal(mn_reranker_llama_new(MN_SOURCE_DIR "/README.md", &none, NULL), MNEME_CORRUPT);
    assert_null(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_reads_request_and_text_together),
        cmocka_unit_test(a_long_request_leaves_room_for_the_text),
        cmocka_unit_test(without_time_it_says_so),
        cmocka_unit_test(a_model_of_another_kind_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
