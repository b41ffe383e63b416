/*
 * type.h - the types of memory, one table.
 *
 * What a type is decides how fast it ages, where it stands in the block, how it is found and which
 * mode asks for it.
 */
#ifndef MN_MEMORY_TYPE_H
#define MN_MEMORY_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include <mneme/retrieve.h>

enum mn_kind { MN_KIND_SEMANTIC = 0, MN_KIND_EPISODIC, MN_KIND_PROCEDURAL, MN_KIND_WORKING };

enum mn_section {
    MN_SECTION_CONSTRAINTS = 0,
    MN_SECTION_PREFERENCES,
    MN_SECTION_TASK_STATE,
    MN_SECTION_DECISIONS,
    MN_SECTION_INCIDENTS,
    MN_SECTION_PROCEDURES,
    MN_SECTION_FACTS,
    MN_SECTION_EVENTS,
    MN_SECTION_COUNT
};
const char *mn_section_name(enum mn_section section); /* "constraints", ..., "previous_incidents" */

/* How a type may be found, as bits. */
enum {
    MN_FOUND_STRUCTURED = 1,
    MN_FOUND_TASK = 2,
    MN_FOUND_TEXT = 4,
    MN_FOUND_VECTOR = 8,
    MN_FOUND_GRAPH = 16,
    MN_FOUND_RULE = 32
};

struct mn_type {
    const char *name;
    enum mn_kind kind;
    enum mn_section section;
    double half_life_days;
    unsigned found_by;  /* bits above */
    unsigned modes;     /* bit (1 << mode) of each enum mneme_mode that asks for it */
};

#define MN_TYPE_NONE (-1)

/* Index into the table, or MN_TYPE_NONE. Types are few: an index fits a byte. */
int mn_type_find(const char *name);
const struct mn_type *mn_type_at(int type);
/* Of a name that may be unknown: then a semantic type with half-life 90, section facts. */
const struct mn_type *mn_type_of(const char *name);
int mn_type_count(void);
/* MNEME_INVALID names the field and lists the types. */
enum mneme_status mn_type_known(const char *field, const char *name, struct mneme_error *err);

/* Set of types, by index. */
typedef uint64_t mn_type_set;
#define MN_TYPE_BIT(type) (UINT64_C(1) << (type))
mn_type_set mn_types_of_mode(enum mneme_mode mode);
mn_type_set mn_types_found_by(unsigned found_by);

#endif
