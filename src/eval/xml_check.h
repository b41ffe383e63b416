/*
 * xml_check.h - is a block well-formed XML, and which memories does it hold?
 *
 * Strict where the block could be forged: elements nest and close, attributes are quoted and stand
 * once, `<` and bare `&` appear nowhere, references are the five named ones or numbers of characters
 * that XML allows. No document type, no processing instruction but a declaration at the very front.
 */
#ifndef MN_EVAL_XML_CHECK_H
#define MN_EVAL_XML_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* One <memory> element; texts decoded, in the arena. */
struct mn_xml_memory {
    const char *id;      /* "" without the attribute */
    const char *section; /* name of the element around it */
    const char *text;
    bool suspicious;
};

struct mn_xml {
    struct mn_xml_memory *item;
    size_t count, room;
    const char *text; /* all character data and attribute values, decoded, blank between */
};

/* MNEME_INVALID: not well-formed; the message says what stands at which byte. "" has no elements. */
enum mneme_status mn_xml_check(const char *xml, struct mn_arena *arena, struct mn_xml *ret_xml,
                               struct mneme_error *err);

#endif
