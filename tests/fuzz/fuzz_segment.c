/*
 * fuzz_segment.c - bytes that are nearly a segment, loaded and asked.
 *
 * The input says what is changed in a segment that was saved: places and bytes, a cut, an insertion.
 * The checksum is put right again, since otherwise no change would come through. Whatever is loaded
 * must answer, take a change and be saved again, without a read outside (the sanitizers watch).
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "fakes/search_corpus.h"
#include "search/search.h"
#include "text/analyze.h"

#define UNITS 40
#define HEAD_BYTES 40 /* search/segment.c: the checksum is its last eight */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct mn_partition OWN = { "t", "a" };

static struct mn_search *engine(void)
{
    static const float mean[CORPUS_DIM] = { 0.4f, 0.4f };
    struct mn_space space = { .dim = CORPUS_DIM, .own_mean_share = 0.3f, .partition_k = 20 };
    struct mn_search *search = NULL;

    space.request_mean[MN_LANGUAGE_EN] = space.passage_mean[MN_LANGUAGE_EN] = mean;
    if (mn_search_memory_new(&space, SIZE_MAX, &search, NULL) != MNEME_OK)
        abort();
    if (search->ops->apply(search, (struct mn_partition){ "t", "" }, true, NULL, 0, NULL, 0, "1",
                           NULL) != MNEME_OK)
        abort();
    return search;
}

static void seal(struct mn_buf *segment)
{
    uint64_t bytes = segment->bytes - HEAD_BYTES, sum = 0;

    memcpy(segment->at + HEAD_BYTES - 16, &bytes, sizeof bytes);
    memcpy(segment->at + HEAD_BYTES - 8, &sum, sizeof sum);
    sum = mn_hash64(segment->at + HEAD_BYTES, bytes, mn_hash64(segment->at, HEAD_BYTES, 0));
    memcpy(segment->at + HEAD_BYTES - 8, &sum, sizeof sum);
}

/* Four bytes a change: where (two, in 65536ths of the whole), what becomes of the byte there, and to
 * what. */
static void change(struct mn_buf *segment, const uint8_t *data, size_t size)
{
    for (; size >= 4 && segment->bytes > HEAD_BYTES + 64; data += 4, size -= 4) {
        size_t body = segment->bytes - HEAD_BYTES;
        size_t at = HEAD_BYTES + (data[0] | (size_t)data[1] << 8) * body / 65536;

        if (data[2] % 8 == 0) { /* cut */
            segment->bytes = at + 1;
        } else if (data[2] % 8 == 1) { /* a byte goes */
            memmove(segment->at + at, segment->at + at + 1, segment->bytes - at - 1);
            segment->bytes--;
        } else if (data[2] % 8 == 2) { /* set */
            segment->at[at] = (char)data[3];
        } else if (data[2] % 8 == 3) { /* eight ones */
            memset(segment->at + at, 0xff, segment->bytes - at < 8 ? segment->bytes - at : 8);
        } else { /* one bit */
            segment->at[at] = (char)(segment->at[at] ^ 1 << data[3] % 8);
        }
    }
}

static void ask(struct mn_search *search, const struct corpus *corpus)
{
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    const struct mn_access access = { .tenant = "t",
                                      .user = "a",
                                      .agent = "",
                                      .session = "",
                                      .task = "",
                                      .project = "",
                                      .repository = "",
                                      .clearance = MNEME_SECRET,
                                      .at_ms = 10 };
    const char *text = corpus->unit[0].memory.content;
    const float *vector = NULL;
    struct mn_terms terms = { 0 };
    struct mn_hits hits = { 0 };
    struct mn_contexts contexts = { 0 };
    const char *ids[4 * UNITS];

    for (size_t i = 0; !vector && i < corpus->count; i++)
        vector = corpus->unit[i].vector;
    if (mn_text_query_terms(arena, text, strlen(text), &terms, NULL) != MNEME_OK)
        abort();
    const struct mn_query query = { .access = &access,
                                    .text_types = ~(mn_type_set)0,
                                    .vector_types = ~(mn_type_set)0,
                                    .terms = &terms,
                                    .language = MN_LANGUAGE_EN,
                                    .vector = vector,
                                    .text_k = 20,
                                    .vector_k = 20,
                                    .around_k = 20 };
    if (search->ops->top(search, &query, arena, &hits, NULL) != MNEME_OK)
        abort();
    for (size_t i = 0; i < hits.count && i < 4 * UNITS; i++)
        ids[i] = hits.item[i].unit->id;
    if (search->ops->context(search, &query, ids, hits.count, arena, &contexts, NULL) != MNEME_OK)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct mn_buf whole;
    static struct corpus corpus;
    MN_ARENA_AUTO arena = mn_arena_new(SIZE_MAX);
    struct mn_search *search = engine();
    MN_BUF_AUTO segment = { 0 }, again = { 0 };
    const char *cursor;

    if (!whole.bytes) {
        corpus = corpus_new(OWN, "a", UNITS, 3);
        for (size_t i = 0; i < UNITS; i++)
            corpus.unit[i].speaker = i % 3 ? "Ann" : "小王";
        if (search->ops->apply(search, OWN, true, corpus.unit, UNITS, NULL, 0, "1", NULL) !=
                MNEME_OK ||
            search->ops->save(search, OWN, "p", arena, &cursor, &whole, NULL) != MNEME_OK)
            abort();
        search->ops->drop(search, OWN);
    }
    mn_buf_put(&segment, whole.at, whole.bytes);
    change(&segment, data, size < 256 ? size : 256);
    seal(&segment);
    char *exact = malloc(segment.bytes);
    if (!exact)
        abort();
    memcpy(exact, segment.at, segment.bytes);
    if (search->ops->load(search, OWN, "p", (struct mn_str){ exact, segment.bytes }, NULL) ==
        MNEME_OK) {
        ask(search, &corpus);
        if (search->ops->apply(search, OWN, false, corpus.unit, UNITS / 2, NULL, 0, "2", NULL) !=
                MNEME_OK ||
            search->ops->save(search, OWN, "p", arena, &cursor, &again, NULL) != MNEME_OK)
            abort();
        ask(search, &corpus);
    }
    free(exact);
    mn_search_free(search);
    return 0;
}
