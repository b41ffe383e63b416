/*
 * bench_embed.c - the vectors that mneme itself would make of a recall set, for other stores to
 * use.
 *
 * usage: bench_embed ITEMS QUERIES OUT
 *
 * ITEMS and QUERIES are JSON Lines as `mneme eval recall` reads them. OUT.vectors gets a vector of
 * floats for each item, then for each query; OUT.texts the text each was made of, one a line: of an
 * item with day and speaker in front, as mneme embeds a turn. Vectors are kept in the cache of
 * embeddings named by $MNEME_EMBEDDING_CACHE, where there is one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mneme/mneme.h>

#include "base/json.h"
#include "eval/lines.h"
#include "eval/scratch.h"
#include "memory/record.h"

#define MODEL MN_MODELS_DIR "/multilingual-e5-small-q4_0.gguf"

struct output {
    struct mneme *handle;
    int is_request;
    float *vector;
    size_t dim;
    FILE *vectors, *texts;
};

static enum mneme_status embed(struct output *out, const char *text, struct mneme_error *err)
{
    MN_TRY(mneme_embed(out->handle, text, out->is_request, out->vector, out->dim, err));
    fwrite(out->vector, sizeof *out->vector, out->dim, out->vectors);
    for (const char *at = text; *at; at++)
        putc(*at == '\n' || *at == '\r' ? ' ' : *at, out->texts);
    putc('\n', out->texts);
    return ferror(out->vectors) || ferror(out->texts)
               ? mn_fail(err, MNEME_UNAVAILABLE, "OUT: cannot be written")
               : MNEME_OK;
}

static enum mneme_status embed_line(void *context, struct mn_str line, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    MN_JSON_AUTO doc = NULL;
    struct output *out = context;
    struct mneme_memory memory = MNEME_MEMORY_INIT;
    const char *time = "", *speaker = "", *text = "";

    MN_TRY(mn_json_parse("line", line.at, line.bytes, &doc, err));
    yyjson_val *root = yyjson_doc_get_root(doc);
    MN_TRY(mn_json_text(root, "text", MNEME_TEXT_BYTES_MAX, arena, &memory.content, err));
    if (out->is_request)
        return embed(out, memory.content, err);
    MN_TRY(mn_json_text(root, "time", MNEME_TEXT_BYTES_MAX, arena, &time, err));
    MN_TRY(mn_json_text(root, "speaker", MNEME_TEXT_BYTES_MAX, arena, &speaker, err));
    if (!mn_empty(time))
        MN_TRY(mneme_time_parse_spelled(time, &memory.event_time_ms, err));
    memory.type = memory.event_time_ms ? "event" : "fact";
    MN_TRY(mn_memory_embed_text(&memory, speaker, arena, &text, err));
    return embed(out, text, err);
}

static FILE *open_output(const char *path, const char *ending)
{
    char name[4096];
    int bytes = snprintf(name, sizeof name, "%s.%s", path, ending);

    return bytes > 0 && (size_t)bytes < sizeof name ? fopen(name, "wb") : NULL;
}

static enum mneme_status run(char **argument, struct mneme_error *err)
{
    struct mn_eval_setup setup = { .model_path = MODEL,
                                   .cache_path = getenv("MNEME_EMBEDDING_CACHE") };
    MN_SCRATCH_AUTO store = { 0 };
    struct output out = { .vectors = open_output(argument[3], "vectors"),
                          .texts = open_output(argument[3], "texts") };

    if (!out.vectors || !out.texts)
        return mn_fail(err, MNEME_UNAVAILABLE, "OUT: cannot write %s", argument[3]);
    MN_TRY(mn_scratch_open(&setup, &store, err));
    out.handle = store.handle;
    out.dim = mneme_model_dim(store.handle);
    out.vector = calloc(out.dim + 1, sizeof *out.vector);
    if (!out.vector)
        return mn_fail_memory(err);
    enum mneme_status status = mn_lines_read(argument[1], true, embed_line, &out, err);
    out.is_request = 1;
    if (status == MNEME_OK)
        status = mn_lines_read(argument[2], true, embed_line, &out, err);
    free(out.vector);
    if (fclose(out.vectors) + fclose(out.texts) && status == MNEME_OK)
        status = mn_fail(err, MNEME_UNAVAILABLE, "OUT: cannot be written");
    return status;
}

int main(int argc, char **argv)
{
    struct mneme_error err;

    if (argc != 4) {
        fprintf(stderr, "usage: bench_embed ITEMS QUERIES OUT\n");
        return 2;
    }
    mn_scratch_heed_signals();
    if (run(argv, &err) == MNEME_OK)
        return 0;
    fprintf(stderr, "bench_embed: %s\n", err.message);
    return 1;
}
