/*
 * reorder.c - behind stage 7: a cross-encoder orders the first of what was ranked.
 *
 * It reads what a memory says of itself (title, keywords, usage scenarios, summary or content) beside
 * the request, and knows nothing of scope, authority or age. So it does not replace the final score:
 * the candidates it read share the relevance that they have, the highest to the one that it likes
 * best, and the final score is added up again. What the floor reads, raw relevance, stays.
 *
 * What was said is kept by a digest of everything it depends on: who asks, the request, the texts with
 * their revisions, the model. Asking again costs nothing until one of them changes.
 *
 * Considered: adding its figure to the sum. Its scale is another with each model, and none could be
 * measured.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/str.h"
#include "model/rerank.h"
#include "retrieve/excerpt.h"
#include "retrieve/rank.h"

#define COUNT 20
#define TIMEOUT_MS 1000
#define TEXT_BYTES_MAX 2000 /* of one candidate: about what a model of 512 tokens reads */

/* What is read, and where it stands among the candidates. */
struct reading {
    const char *text[MN_RERANK_TEXTS_MAX];
    size_t at[MN_RERANK_TEXTS_MAX];
    double score[MN_RERANK_TEXTS_MAX];
    size_t count;
};

static void put_part(struct mn_buf *out, const char *text)
{
    if (mn_empty(text))
        return;
    if (out->bytes)
        mn_buf_text(out, "\n");
    mn_buf_text(out, text);
}

static void put_list(struct mn_buf *out, const struct mneme_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (i == 0)
            put_part(out, list->item[i]);
        else
            mn_buf_printf(out, ", %s", list->item[i]);
}

static const char *text_of(const struct mn_candidate *c, struct mn_arena *arena)
{
    const struct mneme_memory *m = c->memory;
    const char *text = mn_empty(m->summary) ? mn_excerpt_best(c, arena) : m->summary;
    MN_BUF_AUTO out = { 0 };

    if (!text)
        return NULL;
    put_part(&out, c->speaker);
    put_part(&out, m->title);
    put_list(&out, &m->keywords);
    put_list(&out, &m->usage_scenario);
    put_part(&out, text);
    if (out.failed)
        return NULL;
    return mn_arena_copy_n(arena, mn_or_empty(out.at),
                           mn_utf8_cut(mn_or_empty(out.at), out.bytes, TEXT_BYTES_MAX));
}

static enum mneme_status choose(const struct mn_world *world, const struct mn_candidates *found,
                                struct mn_arena *arena, struct reading *reading,
                                struct mneme_error *err)
{
    size_t most = world->rerank_count ? world->rerank_count : COUNT;

    if (most > MN_RERANK_TEXTS_MAX)
        most = MN_RERANK_TEXTS_MAX;
    for (size_t i = 0; i < found->count && reading->count < most; i++) {
        const struct mn_candidate *c = &found->item[i];

        if (c->forced || c->is_checkpoint)
            continue;
        reading->text[reading->count] = text_of(c, arena);
        if (!reading->text[reading->count])
            return mn_fail_memory(err);
        reading->at[reading->count++] = i;
    }
    return MNEME_OK;
}

/* ---- what was said before ---- */

/* Each with its length in front, so that no two lists of texts make one. */
static void put_sized(struct mn_buf *out, const char *text)
{
    mn_buf_printf(out, "%zu:%s", strlen(mn_or_empty(text)), mn_or_empty(text));
}

static bool digest_of(const struct mn_world *world, const struct mn_access *access,
                      const struct mn_plan *plan, const struct mn_candidates *found,
                      const struct reading *reading, char digest[MN_SHA256_HEX_BYTES])
{
    const char *const said[] = { world->reranker->name, access->tenant,  access->user,
                                 access->agent,         access->session, access->task,
                                 access->project,       access->repository,
                                 plan->search_text };
    MN_BUF_AUTO whole = { 0 };

    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
        put_sized(&whole, said[i]);
    for (size_t i = 0; i < reading->count; i++) {
        const struct mneme_memory *m = found->item[reading->at[i]].memory;

        put_sized(&whole, m->id);
        mn_buf_printf(&whole, "%lld ", (long long)m->revision);
        put_sized(&whole, reading->text[i]);
    }
    return !whole.failed && mn_sha256_hex(whole.at, whole.bytes, digest);
}

static enum mneme_status ask(struct mn_world *world, const struct mn_access *access,
                             const struct mn_plan *plan, const struct mn_candidates *found,
                             struct reading *reading, bool *ret_cached, struct mneme_error *err)
{
    char digest[MN_SHA256_HEX_BYTES];

    if (!digest_of(world, access, plan, found, reading, digest))
        return mn_fail_memory(err);
    *ret_cached = mn_rerank_cache_find(world->rerank_cache, digest, reading->count, reading->score);
    if (*ret_cached)
        return MNEME_OK;
    MN_TRY(mn_rerank(world->reranker, plan->search_text, reading->text, reading->count,
                     world->rerank_timeout_ms > 0 ? world->rerank_timeout_ms : TIMEOUT_MS,
                     reading->score, err));
    mn_rerank_cache_keep(world->rerank_cache, digest, reading->count, reading->score);
    return MNEME_OK;
}

/* ---- the order ---- */

struct place {
    double score;
    size_t was; /* of two that it likes as much the first stays first */
};

static int by_score(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return a->was > b->was ? 1 : -1;
}

static int falling(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a < b) - (a > b);
}

static void hand_out(const struct mneme_request *request, const struct reading *reading,
                     struct mn_candidates *found)
{
    struct place place[MN_RERANK_TEXTS_MAX];
    double relevance[MN_RERANK_TEXTS_MAX];

    for (size_t i = 0; i < reading->count; i++) {
        place[i] = (struct place){ reading->score[i], i };
        relevance[i] = found->item[reading->at[i]].parts.relevance;
    }
    qsort(place, reading->count, sizeof *place, by_score);
    qsort(relevance, reading->count, sizeof *relevance, falling);
    for (size_t i = 0; i < reading->count; i++) {
        struct mn_candidate *c = &found->item[reading->at[place[i].was]];

        c->has_rerank = true;
        c->rerank = place[i].score;
        c->parts.relevance = relevance[i];
        c->parts.final = mn_rank_final(request->profile, &c->parts);
    }
}

enum mneme_status mn_reorder_apply(struct mn_world *world, const struct mneme_request *request,
                                  const struct mn_access *access, const struct mn_plan *plan,
                                  struct mn_arena *arena, struct mn_candidates *found,
                                  struct mn_trace *trace, struct mneme_error *err)
{
    struct mneme_error failed;
    struct reading *reading;

    if (!mn_empty(world->rerank_status))
        mn_trace_degraded(trace, "%s", world->rerank_status);
    if (!world->reranker)
        return MNEME_OK;
    reading = mn_arena_one(arena, struct reading);
    if (!reading)
        return mn_fail_memory(err);
    MN_TRY(choose(world, found, arena, reading, err));
    if (reading->count < 2)
        return MNEME_OK;
    int64_t begun_us = mn_clock_monotonic_us();
    enum mneme_status status =
        ask(world, access, plan, found, reading, &trace->rerank.cached, &failed);

    trace->rerank.model = world->reranker->name;
    trace->rerank.count = reading->count;
    trace->rerank.us = mn_clock_monotonic_us() - begun_us;
    if (status != MNEME_OK) {
        trace->rerank.silent = mn_arena_copy(arena, failed.message);
        mn_trace_degraded(trace, "rerank: %s", failed.message);
        return MNEME_OK;
    }
    hand_out(request, reading, found);
    return mn_rank_sort(found, arena, err);
}
