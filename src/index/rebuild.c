/*
 * rebuild.c - partition indexes held against the rows, and built once more beside the live ones.
 *
 * Both sides are told in a few figures (search.h, mn_digest), reckoned at one position of the store;
 * where somebody writes meanwhile it is done again, and given up after a few times: an index that is
 * being written to is brought up by every recall anyway.
 *
 * A rebuild feeds a second index of the partition while the first one goes on answering and catching
 * up. Only what changed meanwhile is read under the building lock, and then the second takes the
 * place of the first: it stands at least where that one stood, so that nobody's own write vanishes.
 */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/str.h"
#include "index/index.h"
#include "index/state.h"
#include "search/search.h"
#include "store/store.h"

#define SCAN_UNITS 512
#define CHANGES_AT_ONCE 1024
#define TRIES_MAX 5
#define ARENA_BYTES_MAX ((size_t)256 << 20)

/* ---- comparing ---- */

/* Hands the partition's units to `take`, a batch at a time. */
typedef enum mneme_status (*take_fn)(void *context, const struct mn_units *units, bool first,
                                     bool last, struct mneme_error *err);

static enum mneme_status scan(struct mn_world *world, struct mn_partition partition, take_fn take,
                              void *context, struct mneme_error *err)
{
    MN_BUF_AUTO after = { 0 };
    bool more = true;

    for (bool first = true; more; first = false) {
        MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
        struct mn_units units = { 0 };

        if (!arena)
            return mn_fail_memory(err);
        MN_TRY(world->store->ops->units_scan(world->store, partition, after.at ? after.at : "",
                                             SCAN_UNITS, mn_index_profile(world), arena, &units,
                                             err));
        more = units.count == SCAN_UNITS;
        MN_TRY(take(context, &units, first, !more, err));
        mn_buf_reset(&after);
        mn_buf_text(&after, more ? units.item[units.count - 1].id : "");
        if (after.failed)
            return mn_fail_memory(err);
    }
    return MNEME_OK;
}

static enum mneme_status add_units(void *context, const struct mn_units *units, bool first,
                                   bool last, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mn_units searched = { 0 };

    (void)first, (void)last;
    MN_TRY(mn_index_add_passages(units, arena, &searched, err));
    for (size_t i = 0; i < searched.count; i++)
        mn_digest_add(context, &searched.item[i], searched.item[i].vector != NULL);
    return MNEME_OK;
}

static bool same_digest(const struct mn_digest *a, const struct mn_digest *b)
{
    return a->units == b->units && a->vectors == b->vectors && a->revisions == b->revisions &&
           a->hash == b->hash;
}

/* Brings the index up, then reckons both. *ret_quiet: nobody wrote meanwhile. */
static enum mneme_status compare_once(struct mn_world *world, struct mn_partition partition,
                                      struct mn_index_compared *compared, bool *ret_quiet,
                                      struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    const struct mn_access access = { .tenant = partition.tenant, .user = partition.owner };
    const char *position = NULL, *cursor = NULL;
    struct mn_cursor after;

    *ret_quiet = false;
    compared->rows = (struct mn_digest){ 0 };
    MN_TRY(mn_index_catch_up(world, &access, arena, &position, err));
    MN_TRY(world->search->ops->digest(world->search, partition, arena, &compared->index, &cursor,
                                      err));
    MN_TRY(scan(world, partition, add_units, &compared->rows, err));
    MN_TRY(world->store->ops->position(world->store, &after, err));
    *ret_quiet = !strcmp(cursor, after.text);
    return MNEME_OK;
}

static bool is_loaded(struct mn_world *world, struct mn_partition partition)
{
    MN_ARENA_AUTO arena = mn_arena_new(4096);
    const char *cursor = NULL;
    struct mneme_error ignored;

    return world->search->ops->position(world->search, partition, arena, &cursor, &ignored) ==
           MNEME_OK;
}

static enum mneme_status compare(struct mn_world *world, struct mn_partition partition,
                                 struct mn_arena *arena, struct mn_index_checked *checked,
                                 struct mneme_error *err)
{
    struct mn_index_compared compared = { .partition = partition };
    struct mn_index_compared *kept;
    bool quiet = false;

    for (int i = 0; i < TRIES_MAX && !quiet; i++)
        MN_TRY(compare_once(world, partition, &compared, &quiet, err));
    checked->looked++;
    checked->busy += !quiet;
    if (!quiet || same_digest(&compared.index, &compared.rows))
        return MNEME_OK;
    kept = mn_array_add(arena, checked);
    if (!kept)
        return mn_fail_memory(err);
    *kept = compared;
    return MNEME_OK;
}

enum mneme_status mn_index_reconcile(struct mn_world *world, bool repair, struct mn_arena *arena,
                                     struct mn_index_checked *ret_checked, struct mneme_error *err)
{
    struct mn_index_checked checked = { 0 };
    struct mn_partitions all = { 0 };

    MN_TRY(world->store->ops->partitions(world->store, arena, &all, err));
    for (size_t i = 0; i < all.count; i++)
        if (is_loaded(world, all.item[i]))
            MN_TRY(compare(world, all.item[i], arena, &checked, err));
    for (size_t i = 0; repair && i < checked.count; i++) {
        MN_TRY(mn_index_rebuild(world, checked.item[i].partition, err));
        checked.repaired++;
    }
    *ret_checked = checked;
    return MNEME_OK;
}

/* ---- beside ---- */

struct beside {
    struct mn_world *world;
    struct mn_partition partition;
    const char *start; /* cursor */
};

static enum mneme_status feed_units(void *context, const struct mn_units *units, bool first,
                                    bool last, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    const struct beside *b = context;
    struct mn_units searched = { 0 };

    MN_TRY(mn_index_add_passages(units, arena, &searched, err));
    return b->world->search->ops->beside(b->world->search, b->partition, first, searched.item,
                                         searched.count, NULL, 0, last ? b->start : "", err);
}

/* Under the building lock. *ret_again: the changes no longer say what happened. */
static enum mneme_status finish(struct mn_world *world, struct mn_partition partition,
                                struct mn_cursor cursor, bool *ret_again, struct mneme_error *err)
{
    bool more = true;

    *ret_again = false;
    while (more) {
        MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
        struct mn_changes changes = { 0 };
        struct mn_units units = { 0 };
        const char **ids = NULL;
        size_t count = 0;

        if (!arena)
            return mn_fail_memory(err);
        MN_TRY(world->store->ops->changes_after(world->store, &partition, &cursor, CHANGES_AT_ONCE,
                                                arena, &changes, err));
        *ret_again = changes.too_old || mn_index_holds_erasure(&changes);
        if (*ret_again)
            return MNEME_OK;
        MN_TRY(mn_index_changed_units(&changes, arena, &ids, &count, err));
        if (count)
            MN_TRY(world->store->ops->units_get(world->store, partition, ids, count,
                                                mn_index_profile(world), arena, &units, err));
        MN_TRY(mn_index_add_passages(&units, arena, &units, err));
        MN_TRY(world->search->ops->beside(world->search, partition, false, units.item, units.count,
                                          ids, count, changes.next.text, err));
        cursor = changes.next;
        more = changes.more;
    }
    return world->search->ops->adopt(world->search, partition, err);
}

enum mneme_status mn_index_rebuild(struct mn_world *world, struct mn_partition partition,
                                   struct mneme_error *err)
{
    bool again = true;

    for (int i = 0; i < TRIES_MAX && again; i++) {
        struct mn_cursor start;
        struct beside beside = { world, partition, start.text };

        MN_TRY(world->store->ops->position(world->store, &start, err));
        MN_TRY(scan(world, partition, feed_units, &beside, err));
        (void)pthread_mutex_lock(&world->index->building);
        enum mneme_status status = finish(world, partition, start, &again, err);
        (void)pthread_mutex_unlock(&world->index->building);
        MN_TRY(status);
    }
    if (again)
        return mn_fail(err, MNEME_UNAVAILABLE,
                       "partition: erasures went on while its index was built; call again");
    return MNEME_OK;
}

enum mneme_status mn_index_rebuild_all(struct mn_world *world, size_t *ret_partitions,
                                       struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mn_partitions all = { 0 };
    size_t built = 0;

    MN_TRY(world->store->ops->partitions(world->store, arena, &all, err));
    for (size_t i = 0; i < all.count; i++) {
        if (!is_loaded(world, all.item[i]))
            continue; /* made of the rows when it is first used */
        MN_TRY(mn_index_rebuild(world, all.item[i], err));
        built++;
    }
    *ret_partitions = built;
    return MNEME_OK;
}

/* ---- vectors ---- */

struct embedding {
    struct mn_world *world;
    size_t done;
};

static enum mneme_status embed_units(void *context, const struct mn_units *units, bool first,
                                     bool last, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct embedding *e = context;
    size_t made = 0;

    (void)first, (void)last;
    MN_TRY(mn_embed_units(e->world, units, mn_index_profile(e->world), arena, &made, err));
    e->done += made;
    return MNEME_OK;
}

enum mneme_status mn_index_embed_again(struct mn_world *world, size_t *ret_done,
                                       struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct embedding embedding = { .world = world };
    struct mn_partitions all = { 0 };

    MN_TRY(world->store->ops->partitions(world->store, arena, &all, err));
    for (size_t i = 0; i < all.count; i++)
        MN_TRY(scan(world, all.item[i], embed_units, &embedding, err));
    *ret_done = embedding.done;
    return MNEME_OK;
}

enum mneme_status mn_index_drop_other_models(struct mn_world *world, int64_t *ret_dropped,
                                             struct mneme_error *err)
{
    const struct mn_unit_place before_all = { false, "", "", "" };
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mn_index_rows parked = { 0 };
    struct mn_units lacking = { 0 };

    MN_TRY(mn_index_parked_units(world, SIZE_MAX, arena, &parked, err));
    MN_TRY(world->store->ops->units_without_vector(world->store, mn_index_profile(world),
                                                   &before_all, parked.count + 1, arena, &lacking,
                                                   err));
    if (lacking.count > parked.count)
        return mn_fail(err, MNEME_CONFLICT,
                       "model: it has not embedded everything yet; finish that first (run_due)");
    return world->store->ops->keep_vectors(world->store, mn_index_profile(world),
                                            mn_index_tokens_profile(world), ret_dropped, err);
}
