/*
 * sqlite_known.c - held against SQLite's count of changes to the file.
 */
#include "store/sqlite_known.h"

#include <stdio.h>
#include <string.h>

/* False: it does not say. */
static bool read_version(struct mn_sqlite *writer, unsigned *ret_version)
{
    return sqlite3_file_control(mn_sqlite_handle(writer), "main", SQLITE_FCNTL_DATA_VERSION,
                                ret_version) == SQLITE_OK;
}

void mn_known_forget(struct mn_known *known)
{
    mn_hmac_free(known->hmac);
    mn_fresh_release(&known->fresh);
    *known = (struct mn_known){ 0 };
}

void mn_known_begin(struct mn_known *known, struct mn_sqlite *writer)
{
    unsigned version = 0;

    if (!read_version(writer, &version) || version != known->version)
        mn_known_forget(known);
}

void mn_known_end(struct mn_known *known, struct mn_sqlite *writer, bool committed)
{
    if (!committed || !read_version(writer, &known->version))
        mn_known_forget(known);
}

bool mn_known_state(const struct mn_known *known, struct mn_sqlite *writer,
                    struct mn_row_state *ret_state)
{
    unsigned version = 0;

    if (!known->has_state ||
        sqlite3_txn_state(mn_sqlite_handle(writer), "main") == SQLITE_TXN_NONE ||
        !read_version(writer, &version) || version != known->version)
        return false;
    *ret_state = known->state;
    return true;
}

bool mn_known_has_name(const struct mn_known *known, const char *digest)
{
    size_t count = known->name_count < MN_KNOWN_NAMES ? known->name_count : MN_KNOWN_NAMES;

    for (size_t i = 0; i < count; i++)
        if (strcmp(known->name[i], digest) == 0)
            return true;
    return false;
}

void mn_known_add_name(struct mn_known *known, const char *digest)
{
    (void)snprintf(known->name[known->name_count++ % MN_KNOWN_NAMES], MN_KNOWN_NAME_BYTES, "%s",
                   digest);
}
