/*
 * fixture.h - for tests of a whole store: one in a folder of its own, opened before each case.
 */
#ifndef MN_PIPELINE_FIXTURE_H
#define MN_PIPELINE_FIXTURE_H

#include <mneme/mneme.h>

struct fixture {
    char folder[64];
    char path[96];  /* of the store */
    char cache[96]; /* of vectors */
    char file[96];  /* names in the folder for what a case makes: a backup, */
    char again[96]; /* and a store made of it */
    char archive[96]; /* the folder of its archive, which is made with the first file */
    const char *key;
    int per_tenant; /* the store is a folder with a file for each tenant */
    struct mneme *handle;
    struct mneme_error err;
};

/* For cmocka: *state is a struct fixture. */
int fixture_set_up(void **state);
int fixture_set_up_folder(void **state); /* opens no store: the case does */
int fixture_tear_down(void **state); /* removes the folder with all that is in it */

/* How the fixture opens a store at `path`: with its key, without a model. It makes none. */
struct mneme_options fixture_options(const struct fixture *f, const char *path);
/* Opens the fixture's store, which is made when it is not there; fails the test when it cannot. */
void fixture_open(struct fixture *f);

/* Closes its store and opens it again. */
void fixture_reopen(struct fixture *f);

/* Writes `count` memories of acme's Ann, mem-0, mem-1 ...: "Harbour number57 holds the ferry of line7,
 * moored at pier1." From a thousand on an index is kept. */
void fixture_fill(struct fixture *f, int count);

/* Edits the status of a memory of acme's Ann. */
void fixture_set_status(struct fixture *f, const char *id, enum mneme_memory_status status,
                        int64_t now_ms);

/* In the store's file, behind the library's back: statements that must change a row, and the number that
 * one gives. */
void fixture_sql(const struct fixture *f, const char *sql);
long fixture_sql_number(const struct fixture *f, const char *sql);

/* Gives the open handle a fake model of that name and dimension in place of the one it has, and an
 * empty index for its vectors. */
struct mn_model *fixture_give_model(struct fixture *f, const char *name, size_t dim);
/* The same with any model, which the handle owns then. */
void fixture_take_model(struct fixture *f, struct mn_model *model);

#endif
