/*
 * store_engine.h - the engine that a contract program is linked with.
 *
 * test_store_contract.c and test_store_universe.c ask it for empty stores; one file an engine
 * (engine_sqlite.c) defines it.
 */
#ifndef MN_TESTS_STORE_ENGINE_H
#define MN_TESTS_STORE_ENGINE_H

#include "store/store.h"

struct store_engine {
    const char *name;
    /* NULL, and why on stderr, when it fails. *ret_context is handed to the other two. */
    struct mn_store *(*open_empty)(void **ret_context);
    struct mn_store *(*open_again)(void *context); /* a second handle on the same store */
    void (*throw_away)(void *context);             /* after the handles were freed */
};

extern const struct store_engine store_engine;

#endif
