/*
 * key_calls.c - the calls that give a store another key.
 *
 * On stores of their own, one in one file and one with a file for each tenant. Whatever fails, what was
 * acknowledged is read with the key that the call leaves, by a handle that opens the store afterwards.
 * A group each: every page is written anew, each time, which takes long.
 */
#include "fault/calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* They need no stretching, as each round opens several stores. */
#define FIRST_KEY "raw:0000000000000000000000000000000000000000000000000000000000000001"
#define OTHER_KEY "raw:0000000000000000000000000000000000000000000000000000000000000002"
#define KEY_BYTES (sizeof FIRST_KEY - 1)

/* ---- a store in one file ---- */

static struct mneme *keyed_handle;
static const char *keyed_key; /* that it has, while it is open */

static enum mneme_status open_keyed(const char *key, struct mneme **ret_handle)
{
    struct mneme_options options = MNEME_OPTIONS_INIT;
    char path[160];

    (void)snprintf(path, sizeof path, "%s/keyed.mneme", fault_folder.path);
    options.store_path = path;
    options.create = access(path, F_OK) != 0;
    options.key = key;
    options.key_bytes = KEY_BYTES;
    options.tokenizer = "estimate";
    enum mneme_status status = mneme_open(&options, ret_handle, NULL);
    if (status == MNEME_OK && options.create) {
        struct mneme_memory m = faults_memory("m-keyed", "harbour pilots know the key");

        faults_put(*ret_handle, &m);
    }
    return status;
}

static bool opens_whole(const char *key)
{
    struct mneme_parsed *row = NULL;
    struct mneme *handle = NULL;
    enum mneme_status status = open_keyed(key, &handle);
    int sound = 0;

    if (status != MNEME_OK) {
        assert_int_equal(status, MNEME_FORBIDDEN);
        return false;
    }
    assert_int_equal(mneme_get(handle, "t", "ann", "m-keyed", &row, NULL), MNEME_OK);
    mneme_parsed_free(row);
    assert_int_equal(mneme_audit_verify(handle, NULL, &sound, NULL, NULL), MNEME_OK);
    assert_int_equal(sound, 1);
    mneme_close(handle);
    return true;
}

static void open_as_it_is(void)
{
    enum mneme_status status = open_keyed(FIRST_KEY, &keyed_handle);

    keyed_key = status == MNEME_OK ? FIRST_KEY : OTHER_KEY;
    if (status != MNEME_OK)
        assert_int_equal(open_keyed(OTHER_KEY, &keyed_handle), MNEME_OK);
}

/* Wherever it fails, the store opens with one of both keys, and with the old one unless it says that it
 * was changed. */
static enum mneme_status call_rotate_key(struct mneme_error *err)
{
    long failing = faults_pause();

    if (!keyed_handle)
        open_as_it_is();
    const char *key = strcmp(keyed_key, FIRST_KEY) == 0 ? OTHER_KEY : FIRST_KEY;
    faults_resume(failing);
    enum mneme_status status = mneme_rotate_key(keyed_handle, key, KEY_BYTES, "operator", err);
    failing = faults_pause();
    bool changed = status == MNEME_OK || strstr(err->message, "was changed");
    bool under_new = opens_whole(key);
    assert_int_equal(opens_whole(keyed_key), !under_new);
    assert_int_equal(under_new, changed);
    if (under_new)
        keyed_key = key;
    if (under_new && status != MNEME_OK) { /* it has to be opened again */
        mneme_close(keyed_handle);
        assert_int_equal(open_keyed(key, &keyed_handle), MNEME_OK);
    }
    faults_resume(failing);
    return status;
}

/* ---- a store with files and keys for tenants ---- */

static struct mneme *tenants_handle;

static struct mneme *open_tenants(void)
{
    struct mneme_options options = MNEME_OPTIONS_INIT;
    struct mneme *handle = NULL;
    char path[160];

    (void)snprintf(path, sizeof path, "%s/tenants", fault_folder.path);
    options.store_path = path;
    options.create = options.per_tenant = access(path, F_OK) != 0;
    options.key = FIRST_KEY;
    options.key_bytes = KEY_BYTES;
    options.tokenizer = "estimate";
    assert_int_equal(mneme_open(&options, &handle, NULL), MNEME_OK);
    if (options.create) {
        struct mneme_memory m = faults_memory("m-tenant", "harbour pilots know the tenant");

        faults_put(handle, &m);
    }
    return handle;
}

static void assert_tenant_reads(struct mneme *handle)
{
    struct mneme_parsed *row = NULL;

    assert_int_equal(mneme_get(handle, "t", "ann", "m-tenant", &row, NULL), MNEME_OK);
    mneme_parsed_free(row);
}

/* Wherever it fails, the tenant's file opens with the key that the folder has for it, and goes on being
 * read where it is open already, unless the call says that the key was changed. */
static enum mneme_status call_rotate_tenant_key(struct mneme_error *err)
{
    long failing = faults_pause();

    if (!tenants_handle)
        tenants_handle = open_tenants();
    faults_resume(failing);
    enum mneme_status status = mneme_rotate_tenant_key(tenants_handle, "t", "operator", err);
    failing = faults_pause();
    struct mneme *another = open_tenants();
    assert_tenant_reads(another);
    if (status != MNEME_OK && strstr(err->message, "was changed")) {
        mneme_close(tenants_handle);
        tenants_handle = another;
        status = MNEME_OK;
    } else {
        assert_tenant_reads(tenants_handle);
        mneme_close(another);
    }
    faults_resume(failing);
    return status;
}

void faults_close_keyed(void)
{
    mneme_close(tenants_handle);
    mneme_close(keyed_handle);
    tenants_handle = keyed_handle = NULL;
}

static const struct fault_call one_file[] = { { "mneme_rotate_key", call_rotate_key } };
static const struct fault_call tenants[] = {
    { "mneme_rotate_tenant_key", call_rotate_tenant_key },
};
const struct fault_group fault_keys = {
    .name = "keys",
    .calls = one_file,
    .count = 1,
    .opens = true,
};
const struct fault_group fault_tenant_keys = {
    .name = "tenant_keys",
    .calls = tenants,
    .count = 1,
    .opens = true,
};
