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
    if (former && former->sensitivity > memory->sensitivity)
        return mn_fail(err, MNEME_FORBIDDEN,
                       "sensitivity: lowering it from %s to %s needs an admin grant",
                       mneme_sensitivity_name(former->sensitivity),
                       mneme_sensitivity_name(memory->sensitivity));
    if (former && former->authority == MNEME_EXPLICIT_ADMIN)
        return mn_fail(err, MNEME_FORBIDDEN,
                       "authority: an administrator's memory is changed by an administrator");
    return MNEME_OK;
}

enum mneme_status mn_guard_secrets(struct mneme_memory *memory, int allow, struct mneme_error *err)
{
    const struct {
        const char *name;
        const char *text;
    } fields[] = { { "content", memory->content },
                   { "title", memory->title },
                   { "summary", memory->summary },
                   { "value", memory->value } };

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *kind = mn_empty(fields[i].text) ? NULL : mn_text_secret(fields[i].text);

        if (!kind)
            continue;
        if (!allow && memory->sensitivity != MNEME_SECRET)
            return mn_fail(err, MNEME_INVALID,
                           "%s: holds a secret (%s); take it out, or ask for it to be stored as "
                           "secret",
                           fields[i].name, kind);
        memory->sensitivity = MNEME_SECRET;
    }
    return MNEME_OK;
}
