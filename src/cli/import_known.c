/*
 * import_known.c - where the memories of a tenant came from, so that nothing is imported twice.
 *
 * A memory that is imported has its source in its provenance ("mem0:ID", "jsonl:HASH"), and by that it is
 * found again, also when it has since been merged, corrected or forgotten. A tenant's memories are read
 * when the first of its sources is asked for.
 */
#include "cli/import.h"

#include <string.h>

#include "base/err.h"

#define KNOWN_BYTES_MAX ((size_t)1 << 30)

enum mneme_status cli_known_init(struct cli_known *known, struct mneme *handle,
                                 enum cli_format format, struct mneme_error *err)
{
    *known = (struct cli_known){ .handle = handle,
                                 .program = cli_format_name(format),
                                 .sources = { .arena = mn_arena_new(KNOWN_BYTES_MAX) } };
    return known->sources.arena ? MNEME_OK : mn_fail_memory(err);
}

void cli_known_release(struct cli_known *known)
{
    mn_arena_free(known->sources.arena);
    *known = (struct cli_known){ 0 };
}

static bool put(struct cli_known *k, const char *key, const char *id)
{
    struct cli_name *name = key ? cli_names_add(&k->sources, key) : NULL;

    return name && (name->id = mn_arena_copy(k->sources.arena, id));
}

/* What of one owner is not another's. */
static const char *key_of(struct cli_known *k, const char *tenant, const char *owner,
                          const char *source)
{
    return mn_arena_printf(k->sources.arena, "%zu:%s%zu:%s%s", strlen(tenant), tenant, strlen(owner),
                           owner, source);
}

static int note_sources(void *context, const struct mneme_record *record)
{
    struct cli_known *k = context;
    const struct mneme_memory *m = record->memory;
    size_t bytes = strlen(k->program);

    for (size_t i = 0; i < m->provenance.count && !k->failed; i++) {
        const char *source = m->provenance.item[i];

        if (!strncmp(source, k->program, bytes) && source[bytes] == ':')
            k->failed = !put(k, key_of(k, m->tenant_id, m->user_id, source), m->id);
    }
    return k->failed;
}

static enum mneme_status read_tenant(struct cli_known *k, const char *tenant,
                                     struct mneme_error *err)
{
    const char *key = mn_arena_printf(k->sources.arena, "tenant:%s", tenant); /* no source has it */
    struct mneme_filter filter = MNEME_FILTER_INIT;

    if (!key)
        return mn_fail_memory(err);
    if (cli_names_find(&k->sources, key))
        return MNEME_OK;
    filter.tenant_id = tenant;
    filter.all_users = filter.with_shared = 1;
    filter.with_all_statuses = 1;
    MN_TRY(mneme_list_memories(k->handle, &filter, note_sources, k, err));
    return k->failed || !put(k, key, "") ? mn_fail_memory(err) : MNEME_OK;
}

enum mneme_status cli_known_find(struct cli_known *k, const char *tenant, const char *owner,
                                 const char *source, const char **ret_id, struct mneme_error *err)
{
    MN_TRY(read_tenant(k, tenant, err));
    const char *key = key_of(k, tenant, owner, source);
    if (!key)
        return mn_fail_memory(err);
    const struct cli_name *name = cli_names_find(&k->sources, key);
    *ret_id = name ? name->id : NULL;
    return MNEME_OK;
}

enum mneme_status cli_known_add(struct cli_known *k, const char *tenant, const char *owner,
                                const char *source, const char *id, struct mneme_error *err)
{
    return put(k, key_of(k, tenant, owner, source), id) ? MNEME_OK : mn_fail_memory(err);
}
