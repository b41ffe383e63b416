/*
 * erase.c - erasing for good: the rows, whatever was made of them, and the bytes under both.
 *
 * The store takes the rows out in one durable transaction; from then on no new recall brings them,
 * since every index sees the change. What follows is putting in order: the index's partitions and the
 * cache of vectors are emptied (nothing in that cache says whose text a vector was made of, so all of
 * it goes), the log is merged, and the files are looked through for ids, texts and sequences of
 * words. What is found and stands in no surviving row is an old copy that SQLite left in a page: then
 * the file is written anew and looked through once more.
 *
 * From the transaction on there is no way back, so nothing that fails later takes the receipt away:
 * it says what was not done, and the store remembers to do it.
 */
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/array.h"
#include "lifecycle/archive.h"
#include "lifecycle/lifecycle.h"
#include "lifecycle/receipt.h"
#include "lifecycle/sweep.h"
#include "model/model_cache.h"
#include "model/recent.h"
#include "search/search.h"

#define ARENA_BYTES_MAX ((size_t)8 << 30)
#define VECTOR_PIECE_BYTES 32 /* enough to know a vector by; a long one goes over several pages */

/* ---- looking through the files ---- */

struct looking {
    struct mn_sweep *sweep;
    size_t bytes;
};

static void look_at(void *context, const char *part, const void *bytes, size_t count)
{
    struct looking *looking = context;

    (void)part;
    looking->bytes += count;
    mn_sweep_look(looking->sweep, bytes, count);
}

static enum mneme_status look(struct mn_store *store, struct mn_sweep *sweep, struct mn_scan *scan,
                              struct mneme_error *err)
{
    struct looking looking = { .sweep = sweep };

    mn_sweep_forget_found(sweep);
    MN_TRY(store->ops->bytes(store, look_at, &looking, err));
    if (mn_sweep_found(sweep) > 0)
        MN_TRY(store->ops->texts(store, NULL, mn_sweep_excuse_kept, sweep, err));
    scan->bytes = looking.bytes;
    scan->found = mn_sweep_found(sweep);
    return MNEME_OK;
}

static enum mneme_status fill_sweep(const struct mn_erased *erased, struct mn_sweep *sweep,
                                    struct mneme_error *err)
{
    bool added = true;

    for (size_t i = 0; added && i < erased->items.count; i++)
        added = mn_sweep_add_exact(sweep, mn_str_of(erased->items.item[i].id));
    for (size_t i = 0; added && i < erased->texts.count; i++) {
        struct mn_str text = erased->texts.item[i].text;

        if (erased->texts.item[i].is_vector && text.bytes > VECTOR_PIECE_BYTES)
            text.bytes = VECTOR_PIECE_BYTES;
        added = erased->texts.item[i].is_vector ? mn_sweep_add_exact(sweep, text)
                                                : mn_sweep_add_text(sweep, text);
    }
    return added ? MNEME_OK : mn_fail_memory(err);
}

static enum mneme_status settle(struct mn_store *store, const struct mn_erased *erased,
                                struct mn_scan *scan, struct mneme_error *err)
{
    MN_SWEEP_AUTO sweep = mn_sweep_new();

    if (!sweep)
        return mn_fail_memory(err);
    MN_TRY(fill_sweep(erased, sweep, err));
    scan->things = mn_sweep_count(sweep);
    scan->compacted = erased->cut_short;
    MN_TRY(store->ops->erase_settle(
        store, erased->cut_short ? MN_SETTLE_COMPACT : MN_SETTLE_LOG, err));
    MN_TRY(look(store, sweep, scan, err));
    if (scan->found > 0 && !scan->compacted) {
        scan->compacted = true;
        MN_TRY(store->ops->erase_settle(store, MN_SETTLE_COMPACT, err));
        MN_TRY(look(store, sweep, scan, err));
    }
    if (scan->found > 0)
        return mn_fail(err, MNEME_UNAVAILABLE, "%zu pieces of what was erased are still in the files",
                       scan->found);
    MN_TRY(store->ops->erase_settle(store, MN_SETTLE_DONE, err));
    scan->settled = true;
    return MNEME_OK;
}

/* ---- the archive ---- */

/* What an erasure looks for in archived turns. */
struct archived {
    const struct mneme_erasure *what;
    struct mn_erased *erased;
    struct mn_arena *arena;
    size_t found;
    bool failed;
};

static bool is_erased(const struct archived *a, const char *id)
{
    for (size_t i = 0; i < a->erased->items.count; i++)
        if (strcmp(a->erased->items.item[i].id, id) == 0)
            return true;
    return false;
}

/* The words of turns that go: they are looked for, and digested, as those of rows are. */
static bool keep_words(void *context, const struct mn_archived_turn *turn)
{
    struct archived *a = context;
    struct mn_erased_text *text;

    if (!is_erased(a, turn->event->id))
        return false;
    text = mn_array_add(a->arena, &a->erased->texts);
    if (!text) {
        a->failed = true;
        return false;
    }
    text->owner = mn_arena_copy(a->arena, turn->partition.owner);
    text->text = mn_str_of(mn_arena_copy(a->arena, turn->event->text));
    text->said = true;
    a->failed = a->failed || !text->owner || !text->text.at;
    return false;
}

/* A turn that is still there. Of a file that no row names it is told by whose it is. */
static bool must_go(void *context, const struct mn_archived_turn *turn)
{
    struct archived *a = context;
    bool all = a->what->scope == MNEME_ERASE_USER || a->what->scope == MNEME_ERASE_TENANT ||
               (a->what->scope == MNEME_ERASE_SESSION &&
                strcmp(turn->session_id, a->what->id) == 0);

    if (!is_erased(a, turn->event->id) && !(turn->unknown && all))
        return false;
    a->found += !turn->unknown;
    return true;
}

/* Files wait to be removed, and no archive is given. */
static enum mneme_status look_without(struct mn_world *world, struct mn_arena *arena,
                                      struct mneme_error *err)
{
    struct mn_archive_objects objects = { 0 };

    MN_TRY(world->store->ops->archive_waiting(world->store, arena, &objects, err));
    if (objects.count)
        return mn_fail(err, MNEME_UNAVAILABLE,
                       "archive: %zu files wait to be removed from it; open the store with its archive",
                       objects.count);
    return MNEME_OK;
}

static enum mneme_status read_archived(struct mn_world *world, struct archived *a,
                                       struct mneme_error *err)
{
    if (!world->archive || !world->archive->ops->show)
        return MNEME_OK;
    MN_TRY(world->archive->ops->show(world->archive, world, NULL, false, keep_words, a, err));
    return a->failed ? mn_fail_memory(err) : MNEME_OK;
}

/* Removed there, and then looked for in what is left of those who lost something. */
static enum mneme_status empty_archive(struct mn_world *world, struct archived *a,
                                       struct mneme_error *err)
{
    struct mn_archive *archive = world->archive;
    size_t left = 0;

    if (!archive || !archive->ops->settle)
        return look_without(world, a->arena, err);
    MN_TRY(archive->ops->settle(archive, world, a->what->now_ms, &left, err));
    for (size_t i = 0; i < a->erased->partitions.count; i++)
        MN_TRY(archive->ops->show(archive, world, &a->erased->partitions.item[i], true, must_go, a,
                                  err));
    if (a->found)
        return mn_fail(err, MNEME_UNAVAILABLE, "archive: %zu erased turns are still in it", a->found);
    return MNEME_OK;
}

/* ---- texts that the same owner says elsewhere ---- */

struct keeping {
    struct mn_text_digests *digests;
    const struct mn_erased *erased;
    struct mn_hmac *salted;
};

static void note_kept(void *context, const struct mn_kept_text *kept)
{
    const struct keeping *keeping = context;
    char hex[MN_SHA256_HEX_BYTES];
    struct mn_text_digest *digest;
    bool of_owner = false;

    for (size_t i = 0; kept->said && i < keeping->erased->partitions.count && !of_owner; i++)
        of_owner = strcmp(keeping->erased->partitions.item[i].owner, kept->owner) == 0;
    if (!of_owner || !mn_receipt_digest(keeping->salted, "text", kept->owner, kept->text, hex))
        return;
    digest = mn_text_digest_find(keeping->digests, hex);
    if (digest)
        digest->kept = true;
}

static enum mneme_status make_digests(struct mn_world *world, const struct mneme_erasure *what,
                                      const struct mn_erased *erased, struct mn_hmac *salted,
                                      struct mn_arena *arena, struct mn_text_digests *ret_digests,
                                      struct mneme_error *err)
{
    struct mn_text_digests digests = { 0 };
    struct keeping keeping = { &digests, erased, salted };

    MN_TRY(mn_text_digests_make(erased, salted, arena, &digests, err));
    /* of a user who is gone nothing is left to look at */
    if (digests.count > 0 && what->scope != MNEME_ERASE_TENANT &&
        (what->scope != MNEME_ERASE_USER || erased->partitions.count > 1))
        MN_TRY(world->store->ops->texts(world->store, what->tenant_id, note_kept, &keeping, err));
    *ret_digests = digests;
    return MNEME_OK;
}

/* ---- the whole ---- */

static enum mneme_status make_salt(char salt[MN_SHA256_HEX_BYTES], struct mneme_error *err)
{
    unsigned char random[64];

    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return mn_fail(err, MNEME_UNAVAILABLE, "the system gives no random bits");
    return mn_sha256_hex(random, sizeof random, salt) ? MNEME_OK : mn_fail_memory(err);
}

/* What was made of the rows and lives elsewhere. */
static enum mneme_status empty_derived(struct mn_world *world, const struct mn_erased *erased,
                                       struct mneme_error *err)
{
    for (size_t i = 0; i < erased->partitions.count; i++)
        world->search->ops->drop(world->search, erased->partitions.item[i]);
    mn_recent_clear(world->recent);
    if (world->embedding_cache_path)
        MN_TRY(mn_model_cache_clear_file(world->embedding_cache_path, err));
    return world->model ? mn_model_cache_clear(world->model, err) : MNEME_OK;
}

enum mneme_status mn_erase(struct mn_world *world, const struct mneme_erasure *what,
                           bool key_destroyed, struct mn_buf *ret_receipt, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    MN_HMAC_AUTO salted = NULL;
    char salt[MN_SHA256_HEX_BYTES];
    struct mn_text_digests digests = { 0 };
    struct mn_erased erased = { 0 };
    struct mn_scan scan = { .key_destroyed = key_destroyed };
    struct mneme_error later;
    const char *key = "";
    enum mneme_status status;

    if (!arena)
        return mn_fail_memory(err);
    MN_TRY(make_salt(salt, err));
    salted = mn_hmac_new(salt, strlen(salt));
    if (!salted)
        return mn_fail_memory(err);
    MN_TRY(world->store->ops->erase(world->store, what, arena, &erased, err));
    if (what->preview)
        return mn_receipt_print(what, &erased, &digests, &scan, salt, salted, key, ret_receipt,
                                err);

    mn_error_clear(&later);
    struct archived archived = { .what = what, .erased = &erased, .arena = arena };
    struct mneme_error unread;
    (void)read_archived(world, &archived, &unread); /* else they are not looked for in the store */
    status = empty_derived(world, &erased, &later);
    if (status == MNEME_OK)
        status = settle(world->store, &erased, &scan, &later);
    if (status == MNEME_OK)
        status = empty_archive(world, &archived, &later);
    if (status != MNEME_OK) {
        scan.settled = false;
        (void)snprintf(scan.why, sizeof scan.why, "%s", later.message);
    }
    MN_TRY(make_digests(world, what, &erased, salted, arena, &digests, err));
    MN_TRY(world->store->ops->erase_key(world->store, arena, &key, err));
    return mn_receipt_print(what, &erased, &digests, &scan, salt, salted, key, ret_receipt,
                                err);
}
