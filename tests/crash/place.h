/*
 * place.h - a folder with a store that processes write and are killed over.
 *
 * SQLite keeps in memory what a process has open: so nobody here forks while a store is open.
 */
#ifndef MN_TESTS_CRASH_PLACE_H
#define MN_TESTS_CRASH_PLACE_H

#include <mneme/mneme.h>

struct place {
    char folder[64];
    char file[96];
    char afresh[96]; /* for a second store */
};

struct place place_make(void);
void place_clear(const struct place *place); /* all that is in the folder goes */
void place_remove(const struct place *place);

/* Without a model; made when it is not there. Fails the test, or ends a child with status 9. */
struct mneme *place_open(const char *file);
/* A new one of that kind in the folder. */
struct mneme *place_open_afresh(const struct place *place);
/* All that is due is done. Fails as place_open does. */
void place_run_all(struct mneme *handle);
/* SQLite's own check of the whole file: "ok", or what is wrong, in a buffer of 200 bytes. */
void place_check_integrity(const char *file, char text[200]);

/* All memories of one tenant, any status. Free with rows_free. */
struct rows {
    struct row {
        char id[64];
        char content[160];
        char key[64];
        enum mneme_memory_status status;
    } * item;
    size_t count, room;
};
void rows_read(struct mneme *handle, struct rows *ret_rows);
void rows_free(struct rows *rows);
/* How many of them say this. */
size_t rows_with(const struct rows *rows, const char *content);

#endif
