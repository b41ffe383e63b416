/*
 * bench_import.c - embedding while importing, beside what libllama alone takes for the same texts.
 *
 * usage: bench_import FOLDER [ROUNDS [ROWS]]         6 64
 *
 * In each round the same ROWS texts, by turns:
 *
 *   import   mneme_write() with the model into a store below FOLDER: texts are checked, described,
 *            looked up, committed durably, embedded, and their vectors committed.
 *   alone    llama_tokenize() and llama_encode() with the same settings, one text after the other.
 *   joined   the same, as many texts in one run as have room in its batch.
 *
 * One thread each. Printed: texts a second of CPU in all rounds, and the shares of import in the others.
 */
#include <mneme/mneme.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <llama.h>

#include "timing.h"

#define MODEL MN_MODELS_DIR "/multilingual-e5-small-q4_0.gguf"
#define PREFIX "passage: " /* as the profile has it */
#define TEXT_BYTES 400
#define TOKENS_MAX 512
#define ROWS_MAX 1000

static char texts[ROWS_MAX][TEXT_BYTES];

static void stop(const char *what)
{
    fprintf(stderr, "bench_import: %s\n", what);
    exit(1);
}

static unsigned mix(unsigned seed)
{
    seed = (seed ^ 61) ^ (seed >> 16);
    seed *= 9;
    seed ^= seed >> 4;
    seed *= 0x27d4eb2d;
    return seed ^ (seed >> 15);
}

/* Sentences of 8 to 40 words, no two alike. */
static void write_texts(unsigned round, size_t rows)
{
    static const char *const words[] = { "harbour",  "office", "closes", "release", "database",
                                         "customer", "prefers", "meeting", "morning", "server",
                                         "deploy",   "always", "rollback", "invoice", "ferry" };

    for (size_t i = 0; i < rows; i++) {
        unsigned seed = mix(round * 7919 + (unsigned)i * 31 + 1);
        size_t at = (size_t)snprintf(texts[i], TEXT_BYTES, "Note %u of %u:", (unsigned)i, round);

        for (unsigned w = 0; w < 8 + seed % 33; w++)
            at += (size_t)snprintf(texts[i] + at, TEXT_BYTES - at, " %s",
                                   words[mix(seed + w) % (sizeof words / sizeof *words)]);
        (void)snprintf(texts[i] + at, TEXT_BYTES - at, ".");
    }
}

/* ---- mneme ---- */

static struct mneme *open_store(const char *path)
{
    struct mneme_options options = MNEME_OPTIONS_INIT;
    struct mneme *handle = NULL;
    struct mneme_error err;
    static float vector[4096];

    options.store_path = path;
    options.create = 1;
    options.model_path = MODEL;
    if (mneme_open(&options, &handle, &err) != MNEME_OK ||
        mneme_embed(handle, "loaded before", 0, vector, mneme_model_dim(handle), &err) != MNEME_OK)
        stop(err.message);
    return handle;
}

static void import_texts(struct mneme *handle, size_t rows)
{
    static struct mneme_memory memory[ROWS_MAX];
    static struct mneme_record record[ROWS_MAX];
    struct mneme_error err;

    for (size_t i = 0; i < rows; i++) {
        memory[i] = (struct mneme_memory)MNEME_MEMORY_INIT;
        memory[i].tenant_id = "acme";
        memory[i].user_id = "ann";
        memory[i].type = "fact";
        memory[i].content = texts[i];
        record[i] = (struct mneme_record){ .kind = MNEME_RECORD_MEMORY, .memory = &memory[i] };
    }
    if (mneme_write(handle, record, rows, NULL, NULL, NULL, &err) != MNEME_OK)
        stop(err.message);
}

/* ---- libllama ---- */

static struct llama_context *open_context(struct llama_model *model, unsigned sequences)
{
    struct llama_context_params params = llama_context_default_params();
    struct llama_context *context;

    params.n_ctx = params.n_batch = params.n_ubatch = TOKENS_MAX;
    params.n_seq_max = sequences;
    params.n_threads = params.n_threads_batch = 1;
    params.embeddings = true;
    params.no_perf = true;
    params.pooling_type = LLAMA_POOLING_TYPE_MEAN;
    context = llama_init_from_model(model, params);
    if (!context)
        stop("no context");
    return context;
}

static int32_t tokens_of(const struct llama_vocab *vocab, const char *text,
                         llama_token tokens[TOKENS_MAX])
{
    char whole[TEXT_BYTES + sizeof PREFIX];
    int32_t count;

    (void)snprintf(whole, sizeof whole, PREFIX "%s", text);
    count = llama_tokenize(vocab, whole, (int32_t)strlen(whole), tokens, TOKENS_MAX, true, false);
    if (count <= 0)
        stop("a text is too long");
    return count;
}

static void encode(struct llama_context *context, struct llama_batch *batch, int sequences)
{
    if (llama_encode(context, *batch) != 0)
        stop("the model failed");
    for (int s = 0; s < sequences; s++)
        if (!llama_get_embeddings_seq(context, s))
            stop("no vector");
    batch->n_tokens = 0;
}

static void embed_texts(struct llama_context *context, const struct llama_vocab *vocab, size_t rows,
                        int sequences_max)
{
    struct llama_batch batch = llama_batch_init(TOKENS_MAX, 0, 1);
    llama_token tokens[TOKENS_MAX];
    int sequences = 0;

    for (size_t i = 0; i < rows; i++) {
        int32_t count = tokens_of(vocab, texts[i], tokens);

        if (sequences == sequences_max || batch.n_tokens + count > TOKENS_MAX) {
            encode(context, &batch, sequences);
            sequences = 0;
        }
        for (int32_t t = 0; t < count; t++) {
            batch.token[batch.n_tokens] = tokens[t];
            batch.pos[batch.n_tokens] = t;
            batch.n_seq_id[batch.n_tokens] = 1;
            batch.seq_id[batch.n_tokens][0] = sequences;
            batch.logits[batch.n_tokens++] = 1;
        }
        sequences++;
    }
    encode(context, &batch, sequences);
    llama_batch_free(batch);
}

static void quiet(enum ggml_log_level level, const char *text, void *context)
{
    (void)level, (void)text, (void)context;
}

int main(int argc, char **argv)
{
    static const char *const ends[] = { "", "-wal", "-shm", ".lock" };
    size_t rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 6;
    size_t rows = argc > 3 ? strtoul(argv[3], NULL, 10) : 64;
    double import_us = 0, alone_us = 0, joined_us = 0;
    char path[256], name[280];

    if (argc < 2 || rows < 1 || rows > ROWS_MAX)
        stop("usage: bench_import FOLDER [ROUNDS [ROWS]], at most 1000 rows");
    (void)snprintf(path, sizeof path, "%s/bench-import.mneme", argv[1]);
    struct mneme *handle = open_store(path);
    llama_log_set(quiet, NULL);
    struct llama_model *model = llama_model_load_from_file(MODEL, llama_model_default_params());
    if (!model)
        stop("no model");
    const struct llama_vocab *vocab = llama_model_get_vocab(model);
    struct llama_context *one = open_context(model, 1);
    struct llama_context *many = open_context(model, 16);

    for (size_t round = 0; round < rounds; round++) {
        struct lap lap;

        write_texts((unsigned)round, rows);
        lap = lap_begin();
        embed_texts(one, vocab, rows, 1);
        alone_us += lap_since(lap).cpu_us;
        lap = lap_begin();
        import_texts(handle, rows);
        import_us += lap_since(lap).cpu_us;
        lap = lap_begin();
        embed_texts(many, vocab, rows, 16);
        joined_us += lap_since(lap).cpu_us;
    }
    double all = (double)(rounds * rows) * 1e6;
    printf("texts a second of CPU: import %.1f, libllama alone %.1f (%.3f of it), many in one run "
           "%.1f (%.3f)\n",
           all / import_us, all / alone_us, alone_us / import_us, all / joined_us,
           joined_us / import_us);
    mneme_close(handle);
    llama_free(one);
    llama_free(many);
    llama_model_free(model);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        (void)snprintf(name, sizeof name, "%s%s", path, ends[i]);
        (void)unlink(name);
    }
    return 0;
}
