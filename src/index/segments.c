/*
 * segments.c - loading what was kept of an index, and keeping it.
 *
 * A partition that nobody has asked yet is loaded from its segment, if there is one, and then caught
 * up by cursor like any other. Whether bytes are a segment of ours is the index's to say
 * (search/segment.h); whatever it is, what cannot be loaded is built. Keeping is maintenance: where a
 * partition was built or has changed by an eighth since.
 */
#include "index/index.h"

#include "base/str.h"
#include "index/state.h"
#include "search/search.h"
#include "store/store.h"

#define ARENA_BYTES_MAX (MN_SEGMENT_BYTES_MAX + ((size_t)1 << 20))

enum mneme_status mn_index_load_segment(struct mn_world *world, struct mn_partition partition,
                                        struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mn_str bytes;

    MN_TRY(world->store->ops->segment_get(world->store, partition, mn_index_profile(world), arena,
                                          &bytes, err));
    return world->search->ops->load(world->search, partition, mn_index_profile(world), bytes, err);
}

static enum mneme_status keep(struct mn_world *world, struct mn_partition partition,
                              struct mneme_error *err)
{
    MN_BUF_AUTO bytes = { 0 };
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mn_segment_row row = { .partition = partition, .profile = mn_index_profile(world) };
    const char *cursor = NULL;

    MN_TRY(world->search->ops->save(world->search, partition, row.profile, arena, &cursor, &bytes,
                                    err));
    if (bytes.bytes > MN_SEGMENT_BYTES_MAX)
        return MNEME_OK;
    row.cursor = cursor;
    row.bytes = (struct mn_str){ bytes.at, bytes.bytes };
    return world->store->ops->segment_put(world->store, &row, err);
}

/* What another has erased meanwhile, or what was dropped, is left for the next time. */
static bool may_wait(enum mneme_status status)
{
    return status == MNEME_CONFLICT || status == MNEME_NOT_FOUND;
}

enum mneme_status mn_index_keep_segments(struct mn_world *world, size_t limit, size_t *ret_done,
                                         struct mneme_error *err)
{
    size_t done = 0;

    for (; done < limit; done++) {
        MN_ARENA_AUTO arena = mn_arena_new((size_t)1 << 16);
        struct mn_partition partition;
        struct mneme_error why;
        enum mneme_status status;

        if (!world->search->ops->due(world->search, arena, &partition))
            break;
        status = keep(world, partition, &why);
        if (status != MNEME_OK && !may_wait(status)) {
            if (err)
                *err = why;
            return status;
        }
    }
    *ret_done = done;
    return MNEME_OK;
}
