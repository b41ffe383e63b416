/*
 * names.h - the contract's spelling of every enumeration, as tables.
 *
 * The public mneme_..._name() and mneme_..._of() read these; so does the table of fields, which
 * checks, reads and prints enumerations without knowing which one it has.
 */
#ifndef MN_MEMORY_NAMES_H
#define MN_MEMORY_NAMES_H

#include <stddef.h>

/* item[value] is the name; item[0], "not given", is "". */
struct mn_names {
    const char *const *item;
    unsigned count;
};

extern const struct mn_names mn_scope_names;
extern const struct mn_names mn_authority_names;
extern const struct mn_names mn_sensitivity_names;
extern const struct mn_names mn_memory_status_names;
extern const struct mn_names mn_risk_names;
extern const struct mn_names mn_trigger_names;

/* "" for a value without a name. */
const char *mn_names_at(const struct mn_names *names, unsigned value);
/* 0 for NULL, "" and what is not among them. */
unsigned mn_names_find(const struct mn_names *names, const char *name);
/* "global, user, project": for messages. Returns buffer; cut when it is too small. */
char *mn_names_list(const struct mn_names *names, char *buffer, size_t buffer_bytes);

#endif
