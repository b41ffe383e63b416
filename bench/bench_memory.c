/*
 * bench_memory.c - bytes that one memory takes in the index of its partition, part by part.
 *
 * usage: bench_memory [MEMORIES [DIM]]                                                 10000 384
 *
 * Facts of 14 to 39 words in two languages, an id and a tenant as long as people's, no keywords.
 * Counted is what the index has allocated, slack of growing arrays included. `text` is the memory's
 * own content, which any store has to hold; `rescore` the vectors as halves, read only for what the
 * scan chose. What is left, `beside`, is what the goal of 700 bytes is about.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "eval/synthetic.h"
#include "search/partition_index.h"

#define SEED UINT64_C(0x6d6e656d65)
#define ID_BYTES 32

static void need(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "bench_memory: %s failed\n", what);
    exit(1);
}

static void put(struct mn_partition_index *index, struct mn_synthetic *source,
                struct chance *chance, size_t number, float *vector, size_t *text_bytes)
{
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    char id[ID_BYTES];
    struct mn_unit unit = { .id = id,
                            .parent_id = id,
                            .memory = MNEME_MEMORY_INIT,
                            .confidence = 0.9,
                            .vector = vector,
                            .vector_dim = index->vector.space->dim };
    struct mn_prepared prepared = { .unit = &unit };

    snprintf(id, sizeof id, "mem_%016zu", number);
    unit.memory.id = id;
    unit.memory.tenant_id = "tenant";
    unit.memory.user_id = unit.memory.scope_id = "user-0001";
    unit.memory.scope_kind = MNEME_SCOPE_USER;
    unit.memory.type = "fact";
    unit.memory.content = mn_synthetic_text(source, (int)(number % 2), 14 + number % 26, arena);
    need(unit.memory.content, "memory");
    unit.memory.authority = MNEME_EXPLICIT_USER;
    unit.memory.created_at_ms = (int64_t)number + 1;
    *text_bytes += strlen(unit.memory.content) + 1;
    for (size_t i = 0; i < unit.vector_dim; i++)
        vector[i] = chance_normal(chance);
    need(mn_text_document_make(&unit, arena, &prepared.text, NULL) == MNEME_OK &&
             mn_session_entry_make(&unit, &prepared.text, arena, &prepared.session, NULL) ==
                 MNEME_OK,
         "analysis");
    prepared.language = mn_text_document_language(&unit);
    need(mn_partition_index_put(index, &prepared), "adding");
}

static void report(const struct mn_partition_index *index, size_t text_bytes)
{
    double units = (double)index->count;
    size_t all = mn_partition_index_bytes(index);
    size_t rescore = mn_vector_index_rest_bytes(&index->vector);

    printf("{\"memories\": %zu, \"dim\": %zu, \"all\": %.0f, \"text\": %.0f, \"rescore\": %.0f, "
           "\"beside\": %.0f, \"vector_bytes\": %.0f, \"text_index\": %.0f, "
           "\"document_beside_text\": %.0f, \"visible\": %.0f, \"sessions\": %.0f}\n",
           index->count, index->vector.space->dim, (double)all / units, (double)text_bytes / units,
           (double)rescore / units, (double)(all - text_bytes - rescore) / units,
           (double)(mn_vector_index_bytes(&index->vector) - rescore) / units,
           (double)mn_text_index_bytes(&index->text) / units,
           (double)(mn_documents_bytes(index->documents) - text_bytes) / units,
           (double)mn_visible_bytes(&index->visible) / units,
           (double)mn_session_table_bytes(&index->sessions) / units);
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
    struct mn_space given = { .dim = argc > 2 ? strtoul(argv[2], NULL, 10) : 384 };
    struct mn_synthetic source = { .random = SEED };
    struct chance chance = { CHANCE_SEED };
    struct mn_vector_space space;
    struct mn_partition_index index;
    size_t text_bytes = 0;

    if (!count || given.dim < 8 || given.dim > 4096) {
        fprintf(stderr, "usage: bench_memory [MEMORIES [DIM, 8 to 4096]]\n");
        return 2;
    }
    float *vector = calloc(given.dim, sizeof *vector);
    need(vector && mn_vector_space_make(&given, &space, NULL) == MNEME_OK &&
             mn_partition_index_init(&index, &space, mn_scan_here()),
         "index");
    for (size_t i = 0; i < count; i++)
        put(&index, &source, &chance, i, vector, &text_bytes);
    mn_partition_index_settle(&index, true);
    report(&index, text_bytes);
    mn_partition_index_release(&index);
    mn_vector_space_release(&space);
    free(vector);
    return 0;
}
