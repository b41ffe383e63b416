/*
 * access.h - who may see what, and when a memory holds. The ONLY place isolation is decided.
 *
 * The store's queries ask the same questions in SQL (first wall), the partition index asks this
 * function once per class of equal rows (first wall), and the filter stage asks it for each candidate
 * (second wall). An exhaustive test holds all of them against an oracle of its own.
 */
#ifndef MN_MEMORY_ACCESS_H
#define MN_MEMORY_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include <mneme/retrieve.h>

#include "base/err.h"
#include "memory/reason.h"

#define MN_CONFIDENCE_MIN 0.60

/* The identity after the first stage: complete, checked, with its instant. Strings never NULL. */
struct mn_access {
    const char *tenant;
    const char *user;
    const char *agent;      /* "": sees only rows of no agent */
    const char *session;    /* "" here and below: no such scope is open */
    const char *task;
    const char *project;
    const char *repository;
    enum mneme_sensitivity clearance; /* never NONE */
    struct mneme_list permissions;
    struct mneme_pairs environment;
    int64_t at_ms;    /* instant at which validity is judged: as_of, else now */
    int64_t as_of_ms; /* 0: the present */
};

/* MNEME_INVALID without tenant or user; MNEME_LIMIT for ids past their limit. Borrows the strings. */
enum mneme_status mn_access_make(const struct mneme_identity *identity, int64_t now_ms,
                                 int64_t as_of_ms, struct mn_access *ret_access,
                                 struct mneme_error *err);

/*
 * Does the identity reach the row at all? Tenant, owner, agent, scope, permission, sensitivity,
 * environment: everything but time and state. Ids are compared whole. An unknown environment is no
 * mismatch. *ret_reason is set when the answer is no.
 */
bool mn_access_reaches(const struct mn_access *access, const struct mneme_memory *memory,
                       enum mn_reason *ret_reason);

/*
 * Does the row hold at the access's instant? Validity, status, authority, confidence; with as_of also
 * that it existed, while `superseded` says nothing. `confidence`: as usage has it, negative for the
 * row's own.
 */
bool mn_access_holds(const struct mn_access *access, const struct mneme_memory *memory,
                     double confidence, enum mn_reason *ret_reason);

/* Both. */
bool mn_access_allows(const struct mn_access *access, const struct mneme_memory *memory,
                      double confidence, enum mn_reason *ret_reason);

/* The id the identity has open for this kind of scope; "" for none; for global always "". */
const char *mn_access_scope_id(const struct mn_access *access, enum mneme_scope scope);

/* ">=3.12", "==1.2", "ios", "!=2,<5": does what is stated satisfy what is wanted? */
bool mn_environment_satisfies(const char *stated, const char *wanted);

#endif
