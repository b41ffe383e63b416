/*
 * tenant_files.h - the files of a store whose tenants have their own: names, keys, a folder made whole.
 */
#ifndef MN_ENGINE_TENANT_FILES_H
#define MN_ENGINE_TENANT_FILES_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "engine/tenants.h"
#include "store/secrets.h"

#define MN_TENANT_ROOT "root.mneme"

/* "t-" and 32 hex digits; false: no memory. */
bool mn_tenant_stem(const char *tenant, char stem[MN_TENANT_STEM_BYTES]);
/* folder/stem.mneme */
enum mneme_status mn_tenant_path(const char *folder, const char *stem, struct mn_buf *path,
                                 struct mneme_error *err);
/* All of a folder, sorted; in the arena. */
enum mneme_status mn_tenant_stems(const char *folder, struct mn_arena *arena,
                                  const char ***ret_stems, size_t *ret_count,
                                  struct mneme_error *err);

/* Names of the secrets: the key of a file, and the one that it is getting. */
void mn_tenant_key_name(const char *stem, bool next, char name[MN_SECRET_BYTES]);
/* 32 random bytes, as the cipher takes a key that needs no stretching. */
enum mneme_status mn_tenant_key_make(char key[MN_SECRET_BYTES], struct mneme_error *err);

/* A folder under a name of its own, which gets its name when it is whole. */
struct mn_part_folder {
    struct mn_buf path;
};
enum mneme_status mn_part_folder_begin(const char *path, struct mn_part_folder *part,
                                       struct mneme_error *err);
enum mneme_status mn_part_folder_keep(struct mn_part_folder *part, const char *path,
                                      struct mneme_error *err);
void mn_part_folder_remove(struct mn_part_folder *part); /* what was not kept goes */
#define MN_PART_FOLDER_AUTO MN_CLEANUP(mn_part_folder_remove) struct mn_part_folder

#endif
