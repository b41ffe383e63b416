/*
 * tenants.h - a store whose tenants have files of their own.
 *
 * The store is a folder: `root.mneme`, and for each tenant a file named by a digest of its name. Each
 * file is a whole store, opened as a handle of its own that shares the model and the tokens with the
 * one in front; a public call is handed to the handle of its tenant, and nothing below the engine
 * knows. What is due (vectors, maintenance) is done for the tenants whose handle is open.
 *
 * With a key, that key opens `root.mneme` alone, which holds a random key for each tenant's file. So
 * changing the store's key touches one small file, and a tenant whose key was destroyed there cannot be
 * read any more, in no backup either: backups hold the tenants' files and not the keys.
 *
 * At most MN_TENANTS_OPEN_MAX files are open at a time; the one used longest ago is closed for another.
 * Calls wait while all of them are in use.
 */
#ifndef MN_ENGINE_TENANTS_H
#define MN_ENGINE_TENANTS_H

#include <mneme/mneme.h>

#include <stdbool.h>

#include "base/arena.h"

#define MN_TENANTS_OPEN_MAX 8 /* each has its share of index_bytes_max */
#define MN_TENANT_STEM_BYTES 40

struct mn_tenants;

/* Is there a folder, or is one to be made? */
bool mn_tenants_wanted(const struct mneme_options *options);
/* front has its model and tokens. As mneme_open() says. */
enum mneme_status mn_tenants_open(struct mneme *front, const struct mneme_options *options,
                                  struct mn_tenants **ret_tenants, struct mneme_error *err);
void mn_tenants_free(struct mn_tenants *tenants); /* closes what is open; accepts NULL */

/* A tenant's handle, which stays open until it is given back. */
struct mn_route {
    struct mn_tenants *tenants;
    struct mneme *handle;
    int slot; /* -1: of nobody */
};
/*
 * make: rows may come, so the tenant's file is made when it is not there; else an unknown tenant is
 * one without rows, where nothing can be changed or withdrawn either. So is one without a name: the
 * call itself then says what is wrong.
 */
enum mneme_status mn_route_begin(struct mneme *front, const char *tenant, bool make,
                                 struct mn_route *ret_route, struct mneme_error *err);
void mn_route_end(struct mn_route *route);
#define MN_ROUTE_AUTO MN_CLEANUP(mn_route_end) struct mn_route

/* In a public call: hands it to the tenant's handle, named `inner` in `call`. */
#define MN_ROUTED(front, tenant, make, call)                                                       \
    do {                                                                                           \
        if ((front) && (front)->tenants) {                                                         \
            MN_ROUTE_AUTO route = { 0 };                                                           \
            MN_TRY(mn_route_begin((front), (tenant), (make), &route, err));                        \
            struct mneme *inner = route.handle;                                                    \
            return (call);                                                                         \
        }                                                                                          \
    } while (0)

/* One after the other, in the order of the files' names; those that are open, or all. */
typedef enum mneme_status (*mn_tenant_fn)(void *context, struct mneme *inner, const char *stem,
                                          struct mneme_error *err);
enum mneme_status mn_tenants_each(struct mneme *front, bool open_ones, mn_tenant_fn call,
                                  void *context, struct mneme_error *err);

struct mn_store;
/* root.mneme: the audit of the store as a whole, and the keys. */
struct mn_store *mn_tenants_root(struct mneme *front);

bool mn_tenants_have_keys(struct mneme *front);
/* The tenant's file under a new random key, the former one destroyed. MNEME_INVALID without keys;
 * MNEME_NOT_FOUND for a tenant without a file, unless one is to be made. */
enum mneme_status mn_tenants_new_key(struct mneme *front, const char *tenant, bool make,
                                     const char *actor, struct mneme_error *err);
/* As mneme_rotate_key(), mneme_backup(), mneme_restore() say. */
enum mneme_status mn_tenants_rekey(struct mneme *front, const void *key, size_t key_bytes,
                                   const char *actor, struct mneme_error *err);
enum mneme_status mn_tenants_backup(struct mneme *front, const char *path, const char *actor,
                                    struct mneme_error *err);
enum mneme_status mn_tenants_restore(const struct mneme_options *options, const char *backup_path,
                                     const char *actor, struct mneme_error *err);

#endif
