/*
 * derived.c - whether all that is derived agrees with the rows, told as a report; and made anew.
 *
 * Two kinds of things are derived: parts of the store (store.h, mn_derived) and the partition indexes
 * in memory. The first are put right row by row, the second built once more beside the live ones.
 * Vectors that were lost are not made here: the index that lacks them loses its position, and
 * whoever embeds what is missing finds them.
 */
#include <string.h>

#include "base/json.h"
#include "index/index.h"
#include "lifecycle/lifecycle.h"
#include "store/store.h"

#define ARENA_BYTES_MAX ((size_t)1 << 30)
#define EXAMPLES_MAX 10

static const char *const part_names[MN_DERIVED_COUNT] = {
    [MN_DERIVED_TEXT_HASH] = "text_hashes",
    [MN_DERIVED_EVENT_HASH] = "event_hashes",
    [MN_DERIVED_VECTOR] = "vectors",
    [MN_DERIVED_LOST_VECTOR] = "lost_vectors",
    [MN_DERIVED_USAGE] = "usage",
    [MN_DERIVED_RULE] = "rules",
    [MN_DERIVED_EDGE] = "edges",
    [MN_DERIVED_ENTITY] = "entities",
    [MN_DERIVED_MENTION] = "mentions",
    [MN_DERIVED_SESSION] = "sessions",
    [MN_DERIVED_QUESTION] = "questions",
    [MN_DERIVED_REQUEST] = "requests",
    [MN_DERIVED_INDEX_STATE] = "index_state",
};

struct told {
    struct mn_reconciled parts;
    struct mn_index_checked indexes;
    struct mn_index_rows parked_units; /* the first of them */
    size_t parked, tried, embedded;
    bool retried;
};

static bool is_clean(const struct told *told)
{
    bool clean = told->indexes.count == told->indexes.repaired;

    for (size_t i = 0; i < MN_DERIVED_COUNT; i++)
        clean = clean && told->parts.part[i].differ == told->parts.part[i].repaired;
    return clean;
}

static void put_place(struct mn_json_writer *w, const char *tenant, const char *owner,
                      const char *id)
{
    mn_json_field_text(w, "tenant_id", tenant);
    mn_json_field_text(w, "user_id", owner);
    if (id)
        mn_json_field_text(w, "id", id);
}

static void put_part(struct mn_json_writer *w, const struct told *told, size_t part)
{
    mn_json_open(w, '{');
    mn_json_field_text(w, "part", part_names[part]);
    mn_json_field_integer(w, "rows", told->parts.part[part].rows);
    mn_json_field_integer(w, "differ", told->parts.part[part].differ);
    mn_json_field_integer(w, "repaired", told->parts.part[part].repaired);
    mn_json_key(w, "examples");
    mn_json_open(w, '[');
    for (size_t i = 0; i < told->parts.part[part].row.count && i < EXAMPLES_MAX; i++) {
        const struct mn_derived_row *row = &told->parts.part[part].row.item[i];

        mn_json_open(w, '{');
        put_place(w, row->tenant, row->owner, row->id);
        mn_json_close(w, '}');
    }
    mn_json_close(w, ']');
    mn_json_close(w, '}');
}

static void put_digest(struct mn_json_writer *w, const char *name, const struct mn_digest *digest)
{
    char hash[20];

    (void)snprintf(hash, sizeof hash, "%016llx", (unsigned long long)digest->hash);
    mn_json_key(w, name);
    mn_json_open(w, '{');
    mn_json_field_integer(w, "units", (int64_t)digest->units);
    mn_json_field_integer(w, "vectors", (int64_t)digest->vectors);
    mn_json_field_integer(w, "revisions", digest->revisions);
    mn_json_field_text(w, "hash", hash);
    mn_json_close(w, '}');
}

static void put_indexes(struct mn_json_writer *w, const struct mn_index_checked *checked)
{
    mn_json_key(w, "indexes");
    mn_json_open(w, '{');
    mn_json_field_integer(w, "loaded", (int64_t)checked->looked);
    mn_json_field_integer(w, "busy", (int64_t)checked->busy);
    mn_json_field_integer(w, "rebuilt", (int64_t)checked->repaired);
    mn_json_key(w, "differ");
    mn_json_open(w, '[');
    for (size_t i = 0; i < checked->count; i++) {
        const struct mn_index_compared *c = &checked->item[i];

        mn_json_open(w, '{');
        put_place(w, c->partition.tenant, c->partition.owner, NULL);
        put_digest(w, "index", &c->index);
        put_digest(w, "rows", &c->rows);
        mn_json_close(w, '}');
    }
    mn_json_close(w, ']');
    mn_json_close(w, '}');
}

static enum mneme_status put_report(const struct told *told, struct mn_buf *out,
                                    struct mneme_error *err)
{
    struct mn_json_writer w = { .out = out };

    mn_json_open(&w, '{');
    mn_json_field_bool(&w, "clean", is_clean(told));
    mn_json_key(&w, "parts");
    mn_json_open(&w, '[');
    for (size_t i = 0; i < MN_DERIVED_COUNT; i++)
        put_part(&w, told, i);
    mn_json_close(&w, ']');
    put_indexes(&w, &told->indexes);
    mn_json_field_integer(&w, "parked", (int64_t)told->parked);
    mn_json_key(&w, "parked_units");
    mn_json_open(&w, '[');
    for (size_t i = 0; i < told->parked_units.count; i++) {
        const struct mn_index_row *unit = &told->parked_units.item[i];

        mn_json_open(&w, '{');
        put_place(&w, unit->partition.tenant, unit->partition.owner, unit->unit);
        mn_json_field_integer(&w, "failures", unit->failures);
        mn_json_close(&w, '}');
    }
    mn_json_close(&w, ']');
    if (told->retried) {
        mn_json_field_integer(&w, "retried", (int64_t)told->tried);
        mn_json_field_integer(&w, "embedded", (int64_t)told->embedded);
    }
    mn_json_close(&w, '}');
    return out->failed ? mn_fail_memory(err) : MNEME_OK;
}

enum mneme_status mn_reconcile(struct mn_world *world, const struct mneme_reconciliation *how,
                               bool *ret_clean, struct mn_buf *ret_report, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct told told = { .retried = how->retry_parked };

    if (how->retry_parked)
        MN_TRY(mn_index_retry_parked(world, &told.tried, &told.embedded, err));
    MN_TRY(world->store->ops->reconcile(world->store, mn_index_profile(world),
                                        mn_index_tokens_profile(world), how->repair,
                                        how->now_ms, arena, &told.parts, err));
    MN_TRY(mn_index_reconcile(world, how->repair, arena, &told.indexes, err));
    MN_TRY(mn_index_parked(world, &told.parked, err));
    MN_TRY(mn_index_parked_units(world, EXAMPLES_MAX, arena, &told.parked_units, err));
    MN_TRY(put_report(&told, ret_report, err));
    *ret_clean = is_clean(&told);
    return MNEME_OK;
}

enum mneme_status mn_rebuild(struct mn_world *world, const struct mneme_rebuilding *how,
                             struct mn_buf *ret_report, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mn_json_writer w = { .out = ret_report };
    struct mn_reconciled parts;
    size_t partitions = 0, embedded = 0;
    int64_t repaired = 0, dropped = 0;

    if ((how->with_vectors || how->drop_other_models) && !world->model)
        return mn_fail(err, MNEME_UNAVAILABLE, "%s", world->model_status);
    MN_TRY(world->store->ops->reindex(world->store, err));
    MN_TRY(world->store->ops->reconcile(world->store, mn_index_profile(world),
                                        mn_index_tokens_profile(world), true, how->now_ms,
                                        arena, &parts, err));
    for (size_t i = 0; i < MN_DERIVED_COUNT; i++)
        repaired += parts.part[i].repaired;
    if (how->with_vectors)
        MN_TRY(mn_index_embed_again(world, &embedded, err));
    if (how->drop_other_models)
        MN_TRY(mn_index_drop_other_models(world, &dropped, err));
    MN_TRY(mn_index_rebuild_all(world, &partitions, err));
    mn_json_open(&w, '{');
    mn_json_field_integer(&w, "repaired", repaired);
    mn_json_field_integer(&w, "indexes", (int64_t)partitions);
    mn_json_field_integer(&w, "embedded", (int64_t)embedded);
    mn_json_field_integer(&w, "dropped_vectors", dropped);
    mn_json_close(&w, '}');
    return ret_report->failed ? mn_fail_memory(err) : MNEME_OK;
}
