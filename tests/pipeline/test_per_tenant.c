/*
 * test_per_tenant.c - tenants with files of their own, under keys of their own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mneme/mneme.h>

#include "base/str.h"
#include "engine/tenant_files.h"
#include "pipeline/fixture.h"
#include "store/store.h"

#define ASSERT_OK(call)                                                                            \
    do {                                                                                           \
        if ((call) != MNEME_OK)                                                                    \
            fail_msg("%s", f->err.message);                                                        \
    } while (0)
#define WRITES 6 /* of each thread */
#define TENANTS (2 * MN_TENANTS_OPEN_MAX)

static enum mneme_status open_it(struct fixture *f, const char *path, const char *key,
                                 struct mneme **ret_handle)
{
    struct mneme_options options;

    f->key = key;
    f->per_tenant = 1;
    options = fixture_options(f, path);
    options.create = 1;
    return mneme_open(&options, ret_handle, &f->err);
}

static struct mneme_memory memory_of(const char *tenant, const char *id, const char *text)
{
    struct mneme_memory memory = MNEME_MEMORY_INIT;

    memory.id = id;
    memory.tenant_id = tenant;
    memory.user_id = "ann";
    memory.type = "fact";
    memory.content = text;
    return memory;
}

static enum mneme_status remember(struct fixture *f, struct mneme *handle, const char *tenant,
                                  const char *id, const char *text)
{
    struct mneme_memory memory = memory_of(tenant, id, text);

    return mneme_remember(handle, &memory, NULL, NULL, &f->err);
}

static int count_row(void *context, const struct mneme_record *record)
{
    (void)record;
    ++*(size_t *)context;
    return 0;
}

static size_t rows_of(struct fixture *f, struct mneme *handle, const char *tenant)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    size_t count = 0;

    filter.tenant_id = tenant;
    filter.all_users = 1;
    ASSERT_OK(mneme_list_memories(handle, &filter, count_row, &count, &f->err));
    return count;
}

static size_t files_in(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    size_t count = 0;

    assert_non_null(folder);
    while ((entry = readdir(folder)))
        count += strncmp(entry->d_name, "t-", 2) == 0 &&
                 strcmp(entry->d_name + strlen(entry->d_name) - 6, ".mneme") == 0;
    (void)closedir(folder);
    return count;
}

static size_t open_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;

    assert_non_null(folder);
    while (readdir(folder))
        count++;
    (void)closedir(folder);
    return count;
}

static void recall(struct fixture *f, const char *tenant, const char *wanted)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = tenant;
    request.identity.user_id = "ann";
    request.text = "When does the harbour office close?";
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    if (wanted)
        assert_non_null(strstr(answer->xml, wanted));
    else
        assert_string_equal(answer->xml, "");
    mneme_answer_free(answer);
}

static void each_tenant_has_a_file_and_sees_no_other(void **state)
{
    struct fixture *f = *state;

    ASSERT_OK(open_it(f, f->path, NULL, &f->handle));
    /* one id and one text in two tenants are two memories */
    ASSERT_OK(remember(f, f->handle, "acme", "m-1", "The harbour office closes at six."));
    ASSERT_OK(remember(f, f->handle, "globex", "m-1", "The harbour office closes at nine."));
    recall(f, "acme", "at six");
    recall(f, "globex", "at nine");
    assert_int_equal(rows_of(f, f->handle, "acme"), 1);
    /* asking for a tenant that is not there makes none */
    recall(f, "initech", NULL);
    assert_int_equal(rows_of(f, f->handle, "initech"), 0);
    assert_int_equal(files_in(f->path), 2);
    mneme_close(f->handle);
    f->handle = NULL;
    assert_int_equal(files_in(f->path), 2);
    ASSERT_OK(open_it(f, f->path, NULL, &f->handle));
    recall(f, "globex", "at nine");
}

/* Killed in the middle, or still at it: nobody else's calls may fail of that. */
static void a_file_whose_making_was_cut_short_holds_nobody_up(void **state)
{
    struct fixture *f = *state;
    struct mneme_options options = MNEME_OPTIONS_INIT;
    struct mneme_filter filter = MNEME_FILTER_INIT;
    char stem[MN_TENANT_STEM_BYTES];
    MN_BUF_AUTO path = { 0 };
    char *report = NULL;
    size_t count = 0;
    int good = -1;

    ASSERT_OK(open_it(f, f->path, NULL, &f->handle));
    ASSERT_OK(remember(f, f->handle, "acme", NULL, "The quay is closed."));
    assert_true(mn_tenant_stem("globex", stem));
    ASSERT_OK(mn_tenant_path(f->path, stem, &path, &f->err));
    FILE *file = fopen(path.at, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    recall(f, "globex", NULL);
    assert_int_equal(rows_of(f, f->handle, "globex"), 0);
    ASSERT_OK(mneme_health_report(f->handle, NULL, &good, &report, &f->err));
    assert_non_null(strstr(report, "{\"tenant_id\":\"acme\","));
    mneme_free(report);
    filter.tenant_id = "acme";
    filter.all_users = 1;
    ASSERT_OK(mneme_export(f->handle, &filter, count_row, &count, &f->err));
    assert_int_equal(count, 1);
    options.store_path = f->path;
    ASSERT_OK(mneme_doctor(&options, NULL, &good, &report, &f->err));
    assert_non_null(strstr(report, "1 files of tenants hold no store"));
    assert_int_equal(good, 0);
    mneme_free(report);
    ASSERT_OK(remember(f, f->handle, "globex", NULL, "The quay is open."));
    assert_int_equal(rows_of(f, f->handle, "globex"), 1);
    ASSERT_OK(mneme_doctor(&options, NULL, &good, &report, &f->err));
    assert_null(strstr(report, "hold no store"));
    mneme_free(report);
}

static void few_files_are_open_however_many_tenants_there_are(void **state)
{
    struct fixture *f = *state;
    size_t before, most = 0;
    char tenant[32];

    ASSERT_OK(open_it(f, f->path, "master", &f->handle));
    before = open_files();
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < TENANTS; i++) {
            (void)snprintf(tenant, sizeof tenant, "tenant %d", i);
            ASSERT_OK(remember(f, f->handle, tenant, NULL,
                               round ? "The ferry leaves at nine." : "The quay is closed."));
            assert_int_equal(rows_of(f, f->handle, tenant), round + 1);
            most = open_files() > most ? open_files() : most;
        }
    }
    assert_int_equal(files_in(f->path), TENANTS);
    /* of each: the file twice, its log, the log's index, the lock, the guard */
    assert_true(most - before <= MN_TENANTS_OPEN_MAX * 8);
}

struct user {
    struct mneme *handle;
    int number;
    atomic_int *faults;
};

static void *use(void *argument)
{
    const struct user *user = argument;
    struct fixture own = { 0 };
    char tenant[32], text[64];

    for (int i = 0; i < WRITES; i++) {
        (void)snprintf(tenant, sizeof tenant, "tenant %d", (user->number * 5 + i) % TENANTS);
        (void)snprintf(text, sizeof text, "Crate %d of worker %d was moved.", i, user->number);
        if (remember(&own, user->handle, tenant, NULL, text) != MNEME_OK)
            atomic_fetch_add(user->faults, 1);
    }
    return NULL;
}

static void threads_write_for_more_tenants_than_are_open(void **state)
{
    struct fixture *f = *state;
    struct user user[MN_TENANTS_OPEN_MAX + 4];
    pthread_t thread[MN_TENANTS_OPEN_MAX + 4];
    size_t count = sizeof thread / sizeof *thread, rows = 0;
    atomic_int faults = 0;
    char tenant[32];

    ASSERT_OK(open_it(f, f->path, NULL, &f->handle));
    for (size_t i = 0; i < count; i++) {
        user[i] = (struct user){ f->handle, (int)i, &faults };
        assert_int_equal(pthread_create(&thread[i], NULL, use, &user[i]), 0);
    }
    for (size_t i = 0; i < count; i++)
        (void)pthread_join(thread[i], NULL);
    assert_int_equal(faults, 0);
    for (int i = 0; i < TENANTS; i++) {
        (void)snprintf(tenant, sizeof tenant, "tenant %d", i);
        rows += rows_of(f, f->handle, tenant);
    }
    assert_int_equal(rows, count * WRITES);
}

static void a_tenant_erased_is_erased_in_its_backups(void **state)
{
    struct fixture *f = *state;
    struct mneme_options options = MNEME_OPTIONS_INIT;
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    struct mneme *again = NULL;
    char *receipt = NULL;
    char keys[128];
    int clean = 0;

    ASSERT_OK(open_it(f, f->path, "master", &f->handle));
    ASSERT_OK(remember(f, f->handle, "acme", NULL, "The harbour office closes at six."));
    ASSERT_OK(remember(f, f->handle, "globex", NULL, "The harbour office closes at six."));
    ASSERT_OK(mneme_backup(f->handle, f->file, "", &f->err));
    assert_int_equal(files_in(f->file), 2);
    assert_int_equal(mneme_backup(f->handle, f->file, "", &f->err), MNEME_CONFLICT);
    what.scope = MNEME_ERASE_TENANT;
    what.tenant_id = "acme";
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err));
    assert_non_null(strstr(receipt, "\"key_destroyed\":true"));
    ASSERT_OK(mneme_erase_verify(f->handle, receipt, &clean, NULL, &f->err));
    assert_int_equal(clean, 1);
    mneme_free(receipt);
    assert_int_equal(rows_of(f, f->handle, "acme"), 0);
    assert_int_equal(rows_of(f, f->handle, "globex"), 1);

    /* the backup comes back without what no key opens */
    options.store_path = f->again;
    options.key = "master";
    options.key_bytes = 6;
    assert_int_equal(mneme_restore(&options, f->file, "", &f->err), MNEME_INVALID);
    assert_string_equal(f->err.field, "tenant_keys_path");
    (void)snprintf(keys, sizeof keys, "%s/%s", f->path, MN_TENANT_ROOT);
    options.tenant_keys_path = keys;
    options.key = "matser";
    assert_int_equal(mneme_restore(&options, f->file, "", &f->err), MNEME_FORBIDDEN);
    assert_int_not_equal(access(f->again, F_OK), 0);
    options.key = "master";
    ASSERT_OK(mneme_restore(&options, f->file, "", &f->err));
    ASSERT_OK(open_it(f, f->again, "master", &again));
    assert_int_equal(rows_of(f, again, "acme"), 0);
    assert_int_equal(rows_of(f, again, "globex"), 1);
    mneme_close(again);
}

static void one_key_guards_the_others_and_changes_without_them(void **state)
{
    struct fixture *f = *state;
    struct mneme *other = NULL;
    char path[160], stem[MN_TENANT_STEM_BYTES];

    ASSERT_OK(open_it(f, f->path, "one", &f->handle));
    ASSERT_OK(remember(f, f->handle, "acme", NULL, "The quay is closed."));
    /* the master's key opens no tenant's file */
    assert_true(mn_tenant_stem("acme", stem));
    (void)snprintf(path, sizeof path, "%s/%s.mneme", f->path, stem);
    assert_int_equal(open_it(f, path, "one", &other), MNEME_FORBIDDEN);
    ASSERT_OK(mneme_rotate_key(f->handle, "two", 3, "operator", &f->err));
    ASSERT_OK(remember(f, f->handle, "globex", NULL, "The quay is open."));
    assert_int_equal(open_it(f, f->path, "one", &other), MNEME_FORBIDDEN);
    ASSERT_OK(open_it(f, f->path, "two", &other));
    assert_int_equal(rows_of(f, other, "acme"), 1);
    assert_int_equal(rows_of(f, other, "globex"), 1);

    /* a tenant's new key: whoever has the file open opens it again by himself */
    ASSERT_OK(mneme_rotate_tenant_key(f->handle, "acme", "operator", &f->err));
    ASSERT_OK(remember(f, f->handle, "acme", NULL, "The ferry leaves at nine."));
    assert_int_equal(rows_of(f, other, "acme"), 2);
    ASSERT_OK(remember(f, other, "acme", NULL, "The canteen opens at seven."));
    assert_int_equal(rows_of(f, f->handle, "acme"), 3);
    mneme_close(other);
}

static void a_change_of_key_that_was_cut_short_is_finished(void **state)
{
    struct fixture *f = *state;
    char root_path[160], stem[MN_TENANT_STEM_BYTES];
    char name[MN_SECRET_BYTES], next[MN_SECRET_BYTES], key[MN_SECRET_BYTES], old[MN_SECRET_BYTES];
    struct mn_store_options options = { .path = root_path, .key = "one", .key_bytes = 3 };
    struct mn_store *root = NULL;

    ASSERT_OK(open_it(f, f->path, "one", &f->handle));
    ASSERT_OK(remember(f, f->handle, "acme", NULL, "The quay is closed."));
    mneme_close(f->handle);
    f->handle = NULL;
    /* as it is left when the file has the new key and the old one is still kept */
    (void)snprintf(root_path, sizeof root_path, "%s/%s", f->path, MN_TENANT_ROOT);
    assert_true(mn_tenant_stem("acme", stem));
    mn_tenant_key_name(stem, false, name);
    mn_tenant_key_name(stem, true, next);
    ASSERT_OK(mn_store_sqlite_open(&options, &root, &f->err));
    ASSERT_OK(mn_secret_get(root, name, key, &f->err));
    ASSERT_OK(mn_secret_put(root, next, key, &f->err));
    ASSERT_OK(mn_tenant_key_make(old, &f->err));
    ASSERT_OK(mn_secret_put(root, name, old, &f->err));
    mn_store_free(root);

    ASSERT_OK(open_it(f, f->path, "one", &f->handle));
    assert_int_equal(rows_of(f, f->handle, "acme"), 1);
    mneme_close(f->handle);
    f->handle = NULL;
    ASSERT_OK(mn_store_sqlite_open(&options, &root, &f->err));
    ASSERT_OK(mn_secret_get(root, name, old, &f->err));
    assert_string_equal(old, key);
    ASSERT_OK(mn_secret_get(root, next, old, &f->err));
    assert_string_equal(old, "");
    mn_store_free(root);
}

static int count_entry(void *context, const struct mneme_audit_entry *entry)
{
    *(size_t *)context += strcmp(entry->action, "write") == 0;
    return 0;
}

static void the_audit_is_one_chain_a_file_and_all_are_verified(void **state)
{
    struct fixture *f = *state;
    size_t writes = 0;
    int sound = 0;

    ASSERT_OK(open_it(f, f->path, NULL, &f->handle));
    ASSERT_OK(remember(f, f->handle, "acme", NULL, "The quay is closed."));
    ASSERT_OK(remember(f, f->handle, "globex", NULL, "The quay is open."));
    ASSERT_OK(mneme_audit_list(f->handle, "", "", "", count_entry, &writes, &f->err));
    assert_int_equal(writes, 2);
    writes = 0;
    ASSERT_OK(mneme_audit_list(f->handle, "acme", "ann", "", count_entry, &writes, &f->err));
    assert_int_equal(writes, 1);
    ASSERT_OK(mneme_audit_verify(f->handle, NULL, &sound, NULL, &f->err));
    assert_int_equal(sound, 1);
}

static void figures_are_told_of_all_tenants_in_one_report(void **state)
{
    struct fixture *f = *state;
    struct mneme_health what = MNEME_HEALTH_INIT;
    char *report = NULL;
    int healthy = -1;

    ASSERT_OK(open_it(f, f->path, NULL, &f->handle));
    ASSERT_OK(remember(f, f->handle, "acme", NULL, "The quay is closed."));
    ASSERT_OK(remember(f, f->handle, "globex", NULL, "The quay is open."));
    ASSERT_OK(mneme_health_report(f->handle, NULL, &healthy, &report, &f->err));
    assert_non_null(strstr(report, "{\"tenant_id\":\"acme\","));
    assert_non_null(strstr(report, "{\"tenant_id\":\"globex\","));
    assert_non_null(strstr(report, "},{\"tenant_id\":"));
    assert_non_null(strstr(report, "\"alarms\":[]}"));
    assert_int_equal(healthy, 1);
    mneme_free(report);
    what.tenant_id = "globex";
    ASSERT_OK(mneme_health_report(f->handle, &what, &healthy, &report, &f->err));
    assert_null(strstr(report, "acme"));
    mneme_free(report);
}

static void what_does_not_go_with_files_of_tenants_is_refused(void **state)
{
    struct fixture *f = *state;
    struct mneme_memory memory[2] = { memory_of("acme", NULL, "The quay is closed."),
                                      memory_of("globex", NULL, "The quay is open.") };
    struct mneme_record records[2] = {
        { .kind = MNEME_RECORD_MEMORY, .memory = &memory[0] },
        { .kind = MNEME_RECORD_MEMORY, .memory = &memory[1] },
    };
    struct mneme_options options = MNEME_OPTIONS_INIT;
    struct mneme *other = NULL;
    char path[160];

    ASSERT_OK(open_it(f, f->path, NULL, &f->handle));
    assert_int_equal(mneme_write(f->handle, records, 2, NULL, NULL, NULL, &f->err), MNEME_INVALID);
    assert_string_equal(f->err.field, "tenant_id");
    ASSERT_OK(mneme_write(f->handle, records, 1, NULL, NULL, NULL, &f->err));
    assert_int_equal(remember(f, f->handle, "", NULL, "The quay is closed."), MNEME_INVALID);
    assert_int_equal(mneme_rotate_key(f->handle, "one", 3, "", &f->err), MNEME_INVALID);
    assert_int_equal(mneme_rotate_tenant_key(f->handle, "acme", "", &f->err), MNEME_INVALID);
    assert_int_equal(open_it(f, f->path, "one", &other), MNEME_FORBIDDEN);
    /* a folder is a store only with its root */
    options.store_path = f->folder;
    assert_int_equal(mneme_open(&options, &other, &f->err), MNEME_NOT_FOUND);
    options.create = 1;
    assert_int_equal(mneme_open(&options, &other, &f->err), MNEME_NOT_FOUND);
    (void)snprintf(path, sizeof path, "%s/single", f->folder);
    options.store_path = path;
    ASSERT_OK(mneme_open(&options, &other, &f->err));
    assert_int_equal(mneme_rotate_tenant_key(other, "acme", "", &f->err), MNEME_INVALID);
    mneme_close(other);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_set_up_folder, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(figures_are_told_of_all_tenants_in_one_report),
        CASE(a_file_whose_making_was_cut_short_holds_nobody_up),
        CASE(each_tenant_has_a_file_and_sees_no_other),
        CASE(few_files_are_open_however_many_tenants_there_are),
        CASE(threads_write_for_more_tenants_than_are_open),
        CASE(a_tenant_erased_is_erased_in_its_backups),
        CASE(one_key_guards_the_others_and_changes_without_them),
        CASE(a_change_of_key_that_was_cut_short_is_finished),
        CASE(the_audit_is_one_chain_a_file_and_all_are_verified),
        CASE(what_does_not_go_with_files_of_tenants_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
