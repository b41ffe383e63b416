/*
 * authorise.c - who may write what, and what may be written at all.
 *
 * Tenant and owner are stamped by the caller from its credential. Here stands what needs more than
 * being somebody: an administrator's word, the system's, rows that a whole tenant shares, and making
 * something less secret than it was. And text that holds a key or a password is not stored by
 * accident.
 */
#include "remember/remember.h"

#include "base/str.h"
#include "text/orders.h"

/* What is not given is internal. */
static enum mneme_sensitivity level_of(const struct mneme_memory *memory)
{
    return memory->sensitivity == MNEME_SENSITIVITY_NONE ? MNEME_INTERNAL : memory->sensitivity;
}

enum mneme_status mn_authorise(const struct mneme_memory *memory, const struct mneme_memory *former,
                               int admin, struct mneme_error *err)
{
    if (admin)
        return MNEME_OK;
    if (memory->authority == MNEME_EXPLICIT_ADMIN || memory->authority == MNEME_CONFIRMED_SYSTEM)
        return mn_fail(err, MNEME_FORBIDDEN, "authority: %s needs an admin grant",
                       mneme_authority_name(memory->authority));
    if (mn_empty(memory->user_id))
        return mn_fail(err, MNEME_FORBIDDEN,
                       "user_id: a row that the whole tenant shares needs an admin grant");
    if (former && level_of(former) > level_of(memory))
        return mn_fail(err, MNEME_FORBIDDEN,
                       "sensitivity: lowering it from %s to %s needs an admin grant",
                       mneme_sensitivity_name(level_of(former)),
                       mneme_sensitivity_name(level_of(memory)));
    if (former && former->authority == MNEME_EXPLICIT_ADMIN)
        return mn_fail(err, MNEME_FORBIDDEN,
                       "authority: an administrator's memory is changed by an administrator");
    if (former && (former->status == MNEME_REVOKED ||
                   former->authority == MNEME_AUTHORITY_REVOKED))
        return mn_fail(err, MNEME_FORBIDDEN,
                       "status: what was revoked comes back by an administrator");
    if (former && !mn_empty(former->requires_permission) &&
        !mn_same(former->requires_permission, memory->requires_permission))
        return mn_fail(err, MNEME_FORBIDDEN,
                       "requires_permission: changing it needs an admin grant");
    return MNEME_OK;
}

static enum mneme_status refuse_secret(const char *name, const char *kind, struct mneme_error *err)
{
    return mn_fail(err, MNEME_INVALID,
                   "%s: holds a secret (%s); take it out, or ask for it to be stored as secret", name,
                   kind);
}

enum mneme_status mn_guard_text(const char *name, const char *text, int allow, int *ret_secret,
                                struct mneme_error *err)
{
    const char *kind = mn_empty(text) ? NULL : mn_text_secret(text);

    if (kind && !allow)
        return refuse_secret(name, kind, err);
    if (kind && ret_secret)
        *ret_secret = 1;
    return MNEME_OK;
}

static enum mneme_status guard_list(const char *name, const struct mneme_list *list, int allow,
                                    int *ret_secret, struct mneme_error *err)
{
    for (size_t i = 0; i < list->count; i++)
        MN_TRY(mn_guard_text(name, list->item[i], allow, ret_secret, err));
    return MNEME_OK;
}

enum mneme_status mn_guard_secrets(struct mneme_memory *memory, int allow, struct mneme_error *err)
{
    const struct {
        const char *name;
        const char *text;
    } fields[] = { { "content", memory->content },       { "title", memory->title },
                   { "summary", memory->summary },       { "value", memory->value },
                   { "memory_key", memory->memory_key }, { "category", memory->category },
                   { "project", memory->project },       { "module", memory->module },
                   { "attributes", memory->attributes } };
    int asked = allow || memory->sensitivity == MNEME_SECRET;
    int secret = 0;

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        MN_TRY(mn_guard_text(fields[i].name, fields[i].text, asked, &secret, err));
    MN_TRY(guard_list("keywords", &memory->keywords, asked, &secret, err));
    MN_TRY(guard_list("usage_scenario", &memory->usage_scenario, asked, &secret, err));
    MN_TRY(guard_list("entities", &memory->entities, asked, &secret, err));
    MN_TRY(guard_list("provenance", &memory->provenance, asked, &secret, err));
    for (size_t i = 0; i < memory->applies_to.count; i++)
        MN_TRY(mn_guard_text("applies_to", memory->applies_to.item[i].value, asked, &secret, err));
    if (secret)
        memory->sensitivity = MNEME_SECRET;
    return MNEME_OK;
}
