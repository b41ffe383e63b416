/*
 * search_play.c - see search_play.h.
 */
#include "fakes/search_play.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fakes/model_search.h"

#define DIM 8
#define IDS 48
#define UNITS_MAX 12
#define TEXT_NEAR 2e-5
#define VECTOR_NEAR 6e-3 /* twelve bits, and what centring makes of their rounding */

static const char *const WORDS[] = {
    "apple",
    "banana",
    "cherry",
    "deploy",
    "deployment",
    "network",
    "listener",
    "python",
    "rust",
    "swift",
    "kubernetes",
    "database",
    "db-config.json",
    "v3.1.2",
    "v3.1.3",
    "exit_code",
    "createdByAgent",
    "github",
    "openssl",
    "openssh",
    "迁移",
    "数据库",
    "苹果",
    "部署失败",
    "网络监听",
    "上海",
    "香蕉",
    "plum",
    "the",
    "Caroline",
    "2023",
    "8",
    "September",
    "why?",
    "yesterday",
    "my",
    "三",
    /* asked for only: typos, one of them as near to two words as to one */
    "kubernetse",
    "netwrok",
    "pythn",
    "openssk",
    "v3.1.4",
    "depolyment",
    /* what others begin with */
    "net*",
    "exit_co",
    "createdBy*",
};
#define WORD_COUNT (sizeof WORDS / sizeof WORDS[0])
#define TYPOS 9

struct play {
    const uint8_t *bytes;
    size_t count;
    size_t at;
    struct mn_search *real, *model;
    struct mn_arena *arena; /* of one step */
    size_t compared;
};

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "search_play: %s\n", what);
    abort();
}

static unsigned next(struct play *p, unsigned below)
{
    return p->at < p->count ? p->bytes[p->at++] % below : 0;
}

static const char *text_of(struct play *p, unsigned words, unsigned vocabulary)
{
    struct mn_buf buf = { 0 };

    for (unsigned i = 0; i < words; i++) {
        mn_buf_text(&buf, i ? " " : "");
        mn_buf_text(&buf, WORDS[next(p, vocabulary)]);
    }
    char *text = mn_arena_copy_n(p->arena, buf.at, buf.bytes);
    mn_buf_release(&buf);
    check(text, "out of memory");
    return text;
}

static const char *id_of(struct play *p, unsigned owner, unsigned number)
{
    return mn_arena_printf(p->arena, "%u-%u", owner, number);
}

static const float *vector_of(struct play *p)
{
    float *vector = mn_arena_array(p->arena, float, DIM);

    check(vector, "out of memory");
    for (size_t i = 0; i < DIM; i++)
        vector[i] = ((float)next(p, 256) - 128) / 64;
    return vector;
}

static struct mn_partition partition_of(unsigned owner)
{
    static const char *const OWNER[] = { "ann", "", "bob" };

    return (struct mn_partition){ "t", OWNER[owner] };
}

static struct mneme_list list_of(struct play *p, unsigned count)
{
    const char **item = mn_arena_array(p->arena, const char *, count + 1);

    check(item, "out of memory");
    for (unsigned i = 0; i < count; i++)
        item[i] = text_of(p, 1, WORD_COUNT - TYPOS);
    return (struct mneme_list){ item, count };
}

static struct mn_unit unit_of(struct play *p, unsigned owner)
{
    static const char *const TYPE[] = { "fact", "incident", "event", "user_preference", "odd" };
    static const char *const SPEAKER[] = { "Caroline", "Ann Lee", "", "苹果" };
    static const char *const SESSION[] = { "s1", "s2", "s3", "" };
    struct mn_unit unit = { .memory = MNEME_MEMORY_INIT };
    struct mneme_memory *m = &unit.memory;
    unsigned style = next(p, 256);

    unit.id = unit.parent_id = m->id = id_of(p, owner, next(p, IDS));
    m->tenant_id = "t";
    m->user_id = partition_of(owner).owner;
    m->content = text_of(p, next(p, 8), WORD_COUNT - TYPOS);
    m->title = style & 1 ? text_of(p, 1, WORD_COUNT - TYPOS) : NULL;
    m->keywords = list_of(p, style >> 1 & 1);
    m->usage_scenario = list_of(p, style >> 2 & 1);
    m->entities = list_of(p, style >> 3 & 1);
    m->type = TYPE[next(p, 5)];
    m->scope_kind = style & 16 ? MNEME_SCOPE_REPO : MNEME_SCOPE_GLOBAL;
    m->scope_id = style & 16 ? (next(p, 2) ? "here" : "there") : "";
    m->agent_id = next(p, 8) ? "" : "helper";
    m->sensitivity = next(p, 6) ? MNEME_INTERNAL : MNEME_SECRET;
    m->status = next(p, 8) ? MNEME_ACTIVE : MNEME_SUPERSEDED;
    m->valid_from_ms = next(p, 8) ? 0 : 100 * (int64_t)next(p, 10);
    m->valid_until_ms = next(p, 8) ? 0 : 100 * (int64_t)next(p, 10);
    m->created_at_ms = 100 * (int64_t)next(p, 10);
    m->event_time_ms = style & 32 ? INT64_C(86400000) * next(p, 256) + 1 : 0;
    m->confidence = 1;
    unit.confidence = next(p, 8) ? 0.9 : 0.5;
    unit.is_event = style >> 6 & 1;
    unit.speaker = unit.is_event ? SPEAKER[next(p, 8) ? next(p, 3) : 3] : "";
    unit.session_id = SESSION[next(p, 4)];
    unit.order = next(p, 8);
    if (style & 128) {
        unit.vector = vector_of(p);
        unit.vector_dim = DIM;
    }
    return unit;
}

static void play_apply(struct play *p)
{
    unsigned owner = next(p, 3), style = next(p, 16);
    bool reset = style == 0 || style == 1;
    const char *cursor = style == 1 ? "" : "7";
    struct mn_unit units[UNITS_MAX];
    const char *dropped[2];
    size_t count = next(p, UNITS_MAX + 1), dropped_count = next(p, 3);

    for (size_t i = 0; i < count; i++)
        units[i] = unit_of(p, owner);
    for (size_t i = 0; i < dropped_count; i++)
        dropped[i] = id_of(p, owner, next(p, IDS));
    enum mneme_status a = p->real->ops->apply(p->real, partition_of(owner), reset, units, count,
                                              dropped, dropped_count, cursor, NULL);
    enum mneme_status b = p->model->ops->apply(p->model, partition_of(owner), reset, units, count,
                                               dropped, dropped_count, cursor, NULL);
    check(a == b, "apply() answers another status");
}

static struct mn_query query_of(struct play *p, struct mn_access *access, struct mn_terms *terms)
{
    struct mn_query query = { .access = access, .terms = terms };
    const char *text = text_of(p, next(p, 6), WORD_COUNT);
    unsigned style = next(p, 64);

    *access = (struct mn_access){ .tenant = "t",
                                  .user = next(p, 4) ? "ann" : "bob",
                                  .agent = "",
                                  .session = "",
                                  .task = "",
                                  .project = "",
                                  .repository = style & 1 ? "here" : "",
                                  .clearance = MNEME_INTERNAL,
                                  .at_ms = 450 };
    if (style & 2)
        access->at_ms = access->as_of_ms = 100 * (int64_t)next(p, 10) + 1;
    check(mn_text_query_terms(p->arena, text, strlen(text), terms, NULL) == MNEME_OK, "terms");
    query.language = mn_text_language(text, strlen(text));
    query.text_types = style & 4 ? MN_TYPE_BIT(mn_type_find("fact")) : ~(mn_type_set)0;
    query.vector_types = style & 8 ? MN_TYPE_BIT(mn_type_find("incident")) : ~(mn_type_set)0;
    query.after_ms = style & 16 && next(p, 2) ? INT64_C(86400000) * next(p, 256) : 0;
    query.before_ms = style & 16 && next(p, 2) ? INT64_C(86400000) * next(p, 256) : 0;
    query.vector = style & 32 ? vector_of(p) : NULL;
    query.text_k = next(p, 12);
    query.vector_k = next(p, 6);
    query.dated_k = style & 16 && next(p, 2) ? 2 * IDS : 0;
    return query;
}

static const struct mn_hit *hit_of(const struct mn_hits *hits, const char *id)
{
    for (size_t i = 0; i < hits->count; i++)
        if (!strcmp(hits->item[i].unit->id, id))
            return &hits->item[i];
    return NULL;
}

static void compare_hit(const struct mn_hit *a, const struct mn_hit *b)
{
    check(fabs(a->text - b->text) < TEXT_NEAR, "another text score");
    check(fabs(a->coverage - b->coverage) < TEXT_NEAR, "another coverage");
    check(fabs(a->bm25 - b->bm25) < 20 * TEXT_NEAR, "another bm25");
    check(a->has_vector == b->has_vector, "a vector on one side");
    check(fabs(a->vector - b->vector) < VECTOR_NEAR, "another vector score");
    check(fabs(a->cosine - b->cosine) < VECTOR_NEAR, "another cosine");
    check(a->shared == b->shared && a->language == b->language, "another place");
    check(!strcmp(a->unit->memory.content, b->unit->memory.content), "another document");
    check(a->unit->is_event == b->unit->is_event && a->unit->order == b->unit->order, "another unit");
}

static double at_rank(const struct mn_hits *hits, bool by_text, size_t rank)
{
    for (size_t i = 0; i < hits->count; i++)
        if ((by_text ? hits->item[i].text_rank : hits->item[i].vector_rank) == rank)
            return by_text ? hits->item[i].text : hits->item[i].vector;
    return NAN;
}

static size_t ranks(const struct mn_hits *hits, bool by_text)
{
    size_t count = 0;

    for (size_t i = 0; i < hits->count; i++)
        count += (by_text ? hits->item[i].text_rank : hits->item[i].vector_rank) > 0;
    return count;
}

/* Equals may change places, so lists are compared by the scores at their ranks, hits by id. */
static void play_top(struct play *p)
{
    struct mn_access access;
    struct mn_terms terms = { 0 };
    struct mn_query query = query_of(p, &access, &terms);
    struct mn_hits real, model;

    if (next(p, 4) == 0) /* what comes along, of whatever was found */
        query = (struct mn_query){ .access = &access,
                                   .terms = query.terms,
                                   .language = query.language,
                                   .text_types = query.text_types,
                                   .text_k = 2 * IDS,
                                   .around_k = 2 * IDS };
    const char *also[4];
    query.also = also;
    for (query.also_count = 0; query.also_count < next(p, 5); query.also_count++)
        also[query.also_count] = id_of(p, next(p, 3), next(p, IDS));
    check(p->real->ops->top(p->real, &query, p->arena, &real, NULL) == MNEME_OK, "top() fails");
    check(p->model->ops->top(p->model, &query, p->arena, &model, NULL) == MNEME_OK, "model fails");
    check(real.partial == model.partial, "partial on one side");
    check(fabs(real.term_weight_sum - model.term_weight_sum) < 1e-3, "another sum of weights");
    for (int by_text = 0; by_text < 2; by_text++) {
        size_t count = ranks(&real, by_text);

        check(count == ranks(&model, by_text), "lists of another length");
        for (size_t rank = 1; rank <= count && !(by_text && query.around_k); rank++)
            check(fabs(at_rank(&real, by_text, rank) - at_rank(&model, by_text, rank)) <
                      (by_text ? TEXT_NEAR : VECTOR_NEAR),
                  "another score at a rank");
    }
    check(real.count == model.count || !query.around_k, "other turns come along");
    for (size_t i = 0; i < model.count; i++) /* all of that time, whatever the lists hold */
        check(!query.dated_k || model.item[i].text_rank || model.item[i].vector_rank ||
                  hit_of(&real, model.item[i].unit->id),
              "something of that time is missing");
    for (size_t i = 0; i < query.also_count; i++)
        check(!hit_of(&real, also[i]) == !hit_of(&model, also[i]), "what is to come also");
    for (size_t i = 0; i < real.count; i++) {
        const char *id = real.item[i].unit->id;
        struct mn_hits one;

        check(!query.around_k || hit_of(&model, id), "another turn comes along");

        check(p->model->ops->score(p->model, &query, &id, 1, p->arena, &one, NULL) == MNEME_OK &&
                  one.count == 1,
              "a hit that may not be seen");
        compare_hit(&real.item[i], &one.item[0]);
    }
    p->compared++;
}

static void play_score(struct play *p)
{
    struct mn_access access;
    struct mn_terms terms = { 0 };
    struct mn_query query = query_of(p, &access, &terms);
    struct mn_hits real, model;
    const char *ids[10];

    for (size_t i = 0; i < 10; i++)
        ids[i] = id_of(p, next(p, 3), next(p, IDS));
    check(p->real->ops->score(p->real, &query, ids, 10, p->arena, &real, NULL) == MNEME_OK &&
              p->model->ops->score(p->model, &query, ids, 10, p->arena, &model, NULL) == MNEME_OK,
          "score() fails");
    check(real.count == model.count && real.partial == model.partial, "another number of hits");
    for (size_t i = 0; i < real.count; i++) {
        const struct mn_hit *other = hit_of(&model, real.item[i].unit->id);

        check(other, "a hit that the model has not");
        compare_hit(&real.item[i], other);
    }
    p->compared++;
}

static void compare_context(const struct mn_context *a, const struct mn_context *b)
{
    check(!strcmp(a->id, b->id), "the context of another turn");
    check(a->has_vector == b->has_vector, "a vector in the context of one side");
    for (int s = 0; s < MN_SIGNAL_COUNT; s++) {
        float x = a->signal[s], y = b->signal[s];
        double near = s >= MN_SIGNAL_VECTOR ? 4 * VECTOR_NEAR : 1e-3;

        if (!(fabs((double)x - (double)y) <= near * fmax(1, fabs((double)y)))) {
            fprintf(stderr, "search_play: signal %d is %g, not %g\n", s, (double)x, (double)y);
            abort();
        }
    }
}

static void play_adjacent(struct play *p, const struct mn_access *access, const char *const *ids,
                          size_t count)
{
    const struct mn_unit *real[20], *model[20];

    check(p->real->ops->adjacent(p->real, access, ids, count, p->arena, real, NULL) == MNEME_OK &&
              p->model->ops->adjacent(p->model, access, ids, count, p->arena, model, NULL) ==
                  MNEME_OK,
          "adjacent() fails");
    for (size_t i = 0; i < 2 * count; i++)
        check(!real[i] == !model[i] && (!real[i] || !strcmp(real[i]->id, model[i]->id)),
              "another turn stands next to it");
}

static void play_context(struct play *p)
{
    struct mn_access access;
    struct mn_terms terms = { 0 };
    struct mn_query query = query_of(p, &access, &terms);
    struct mn_inquiry inquiry =
        mn_inquiry_read(next(p, 2) ? "when in September 2023?" : "how many on 8 May");
    struct mn_contexts real, model;
    const char *ids[10];

    query.inquiry = next(p, 4) ? &inquiry : NULL;
    for (size_t i = 0; i < 10; i++)
        ids[i] = id_of(p, next(p, 3), next(p, IDS));
    play_adjacent(p, &access, ids, 10);
    if (terms.count > 32) /* the engine leaves out what is rarest no more */
        return;
    check(p->real->ops->context(p->real, &query, ids, 10, p->arena, &real, NULL) == MNEME_OK &&
              p->model->ops->context(p->model, &query, ids, 10, p->arena, &model, NULL) == MNEME_OK,
          "context() fails");
    check(real.count == model.count, "another number of contexts");
    for (size_t i = 0; i < real.count; i++)
        compare_context(&real.item[i], &model.item[i]);
    p->compared++;
}

static void play_similarity(struct play *p)
{
    struct mn_access access = { .tenant = "t", .user = "ann" };
    const char *ids[6];
    float real[36], model[36];

    for (size_t i = 0; i < 6; i++)
        ids[i] = id_of(p, next(p, 2), next(p, IDS));
    check(p->real->ops->similarity(p->real, &access, ids, 6, real, NULL) == MNEME_OK &&
              p->model->ops->similarity(p->model, &access, ids, 6, model, NULL) == MNEME_OK,
          "similarity() fails");
    for (size_t i = 0; i < 36; i++)
        check(isnan(real[i]) == isnan(model[i]) &&
                  (isnan(real[i]) || fabsf(real[i] - model[i]) < (float)VECTOR_NEAR),
              "another similarity");
    p->compared++;
}

static void play_stats(struct play *p)
{
    struct mn_search_stats real, model;

    p->real->ops->stats(p->real, &real);
    p->model->ops->stats(p->model, &model);
    check(real.partitions == model.partitions && real.units == model.units, "another count");
}

/* To bytes and back: nothing may change by it. */
static void play_reload(struct play *p, struct mn_partition partition)
{
    MN_BUF_AUTO bytes = { 0 };
    const char *cursor = NULL;

    if (p->real->ops->save(p->real, partition, "profile", p->arena, &cursor, &bytes, NULL) !=
        MNEME_OK)
        return;
    const struct mn_str saved = { bytes.at, bytes.bytes };
    check(p->real->ops->load(p->real, partition, "profile", saved, NULL) == MNEME_OK,
          "what was saved is not loaded");
}

static void step(struct play *p)
{
    unsigned what = next(p, 16);
    unsigned owner;

    if (what < 7) {
        play_apply(p);
    } else if (what < 10) {
        play_top(p);
    } else if (what < 12) {
        play_context(p);
    } else if (what < 14) {
        play_score(p);
    } else if (what < 15) {
        play_similarity(p);
    } else if (next(p, 4) == 0) {
        owner = next(p, 3);
        p->real->ops->drop(p->real, partition_of(owner));
        p->model->ops->drop(p->model, partition_of(owner));
    } else {
        play_reload(p, partition_of(next(p, 3)));
    }
    play_stats(p);
}

size_t search_play(const uint8_t *bytes, size_t count)
{
    static const float request[DIM] = { 0.5f, 0.2f, 0, 0.1f }, passage[DIM] = { 0.4f, 0.3f, 0.1f };
    static const float zh[DIM] = { 0, 0, 0.6f, -0.2f };
    struct mn_space space = { .dim = DIM, .own_mean_share = 0.3f, .partition_k = 2 };
    struct play p = { .bytes = bytes, .count = count };

    space.request_mean[MN_LANGUAGE_EN] = request;
    space.passage_mean[MN_LANGUAGE_EN] = passage;
    space.request_mean[MN_LANGUAGE_ZH] = zh;
    space.passage_mean[MN_LANGUAGE_ZH] = zh;
    check(mn_search_memory_new(&space, SIZE_MAX, &p.real, NULL) == MNEME_OK, "cannot be made");
    p.model = model_search_new(&space);
    for (unsigned owner = 0; owner < 3; owner++) {
        p.real->ops->apply(p.real, partition_of(owner), true, NULL, 0, NULL, 0, "1", NULL);
        p.model->ops->apply(p.model, partition_of(owner), true, NULL, 0, NULL, 0, "1", NULL);
    }
    while (p.at < p.count) {
        p.arena = mn_arena_new(SIZE_MAX);
        step(&p);
        mn_arena_free(p.arena);
    }
    mn_search_free(p.real);
    mn_search_free(p.model);
    return p.compared;
}
