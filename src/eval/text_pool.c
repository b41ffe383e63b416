/*
 * text_pool.c - a temporary store with one user.
 */
#include "eval/text_pool.h"

#include "base/str.h"

#define TENANT "pool"
#define USER "reader"
#define ARENA_BYTES_MAX ((size_t)256 << 20)
#define CALL_BYTES_MAX ((size_t)1 << 30)
#define AFTER_MS INT64_C(3600000)

void mn_text_pool_close(struct mn_text_pool *pool)
{
    mn_scratch_close(&pool->store);
}

static struct mneme_memory of_reader(const struct mneme_memory *from)
{
    struct mneme_memory m = MNEME_MEMORY_INIT;

    m.id = from->id;
    m.tenant_id = TENANT;
    m.user_id = USER;
    m.scope_kind = MNEME_SCOPE_USER;
    m.scope_id = USER;
    m.type = mn_same(from->type, "task_state") ? "fact" : from->type;
    m.title = from->title;
    m.content = from->content;
    m.summary = from->summary;
    m.keywords = from->keywords;
    m.usage_scenario = from->usage_scenario;
    m.entities = from->entities;
    m.authority = MNEME_EXPLICIT_USER;
    m.event_time_ms = from->event_time_ms;
    m.created_at_ms = from->created_at_ms;
    m.updated_at_ms = from->updated_at_ms;
    return m;
}

static void note_date(int64_t *last_ms, int64_t at_ms)
{
    *last_ms = at_ms > *last_ms ? at_ms : *last_ms;
}

static enum mneme_status open_memories(struct mneme_memory *memories, size_t count,
                                       const struct mn_eval_setup *setup, struct mn_arena *arena,
                                       struct mn_text_pool *ret_pool, struct mneme_error *err)
{
    MN_TEXT_POOL_AUTO pool = { 0 };
    struct mneme_record *records = mn_arena_array(arena, struct mneme_record, count + 1);
    int64_t last_ms = 0;

    if (!records)
        return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        records[i].kind = MNEME_RECORD_MEMORY;
        records[i].memory = &memories[i];
        note_date(&last_ms, memories[i].updated_at_ms);
        note_date(&last_ms, memories[i].event_time_ms);
    }
    MN_TRY(mn_scratch_open(setup, &pool.store, err));
    MN_TRY(mn_scratch_load(&pool.store, records, count, err));
    pool.now_ms = last_ms ? last_ms + AFTER_MS : 0;
    pool.model_status = mneme_model_status(pool.store.handle);
    *ret_pool = pool;
    pool = (struct mn_text_pool){ 0 };
    return MNEME_OK;
}

enum mneme_status mn_text_pool_open_golden(const struct mn_golden *golden,
                                           const struct mn_eval_setup *setup,
                                           struct mn_text_pool *ret_pool, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    size_t count = golden->memories.count;
    struct mneme_memory *memories = mn_arena_array(arena, struct mneme_memory, count + 1);

    if (!memories)
        return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        memories[i] = of_reader(golden->memories.item[i]);
    return open_memories(memories, count, setup, arena, ret_pool, err);
}

enum mneme_status mn_text_pool_open_texts(const char *const *texts, size_t count,
                                          const struct mn_eval_setup *setup,
                                          struct mn_text_pool *ret_pool, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mneme_memory *memories = mn_arena_array(arena, struct mneme_memory, count + 1);

    if (!memories)
        return mn_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        struct mneme_memory text = MNEME_MEMORY_INIT;

        text.id = mn_arena_printf(arena, "%zu", i);
        text.type = "fact";
        text.content = texts[i];
        if (!text.id)
            return mn_fail_memory(err);
        memories[i] = of_reader(&text);
    }
    return open_memories(memories, count, setup, arena, ret_pool, err);
}

struct mneme_request mn_text_pool_request(const struct mn_text_pool *pool, const char *text)
{
    struct mneme_request request = MNEME_REQUEST_INIT;

    request.identity.tenant_id = TENANT;
    request.identity.user_id = USER;
    request.text = text;
    request.now_ms = pool->now_ms;
    request.memory_bytes_max = CALL_BYTES_MAX;
    return request;
}

size_t mn_text_pool_rank(const struct mneme_answer *answer, const char *id)
{
    for (size_t i = 0; i < answer->item_count; i++)
        if (mn_same(answer->item[i].memory->id, id) ||
            mn_list_holds(&answer->item[i].merged_from, id))
            return i + 1;
    return 0;
}
