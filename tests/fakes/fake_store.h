/*
 * fake_store.h - a real store that fails when told to.
 *
 * Wraps another store and hands every call on, except the one that was to fail: that does nothing
 * and answers with the status given. A fault loop lets the first call fail, then the second, until
 * a run makes fewer calls than that.
 */
#ifndef MN_TESTS_FAKE_STORE_H
#define MN_TESTS_FAKE_STORE_H

#include <stddef.h>

#include "store/store.h"

/* Owns `real` from now on. NULL when malloc fails. Free with mn_store_free(). */
struct mn_store *fake_store_new(struct mn_store *real);

/* Call number `call` from now (1: the next) fails with `status`, once; 0: none fails. Starts the
 * count anew. */
void fake_store_fail(struct mn_store *store, size_t call, enum mneme_status status);
/* As before, and every call after it too. */
void fake_store_fail_from(struct mn_store *store, size_t call, enum mneme_status status);

/* Calls since it was last told, failed ones too. */
size_t fake_store_calls(const struct mn_store *store);

#endif
