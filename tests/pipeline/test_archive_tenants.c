/*
 * test_archive_tenants.c - one archive of a store whose tenants have files and keys of their own.
 *
 * Each tenant's turns are sealed under a key that lies in the tenant's file: they come back through
 * changes of its key and of the one that guards the keys, and nobody brings them back when its key is
 * destroyed, not from a backup and not from files of the archive that were kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mneme/mneme.h>

#include "engine/tenant_files.h"
#include "pipeline/fixture.h"

#define ASSERT_OK(call)                                                                            \
    do {                                                                                           \
        if ((call) != MNEME_OK)                                                                    \
            fail_msg("%s", f->err.message);                                                        \
    } while (0)

static void open_again(struct fixture *f, const char *path, const char *key)
{
    struct mneme_options options;

    f->key = key;
    options = fixture_options(f, path);
    mneme_close(f->handle);
    f->handle = NULL;
    ASSERT_OK(mneme_open(&options, &f->handle, &f->err));
}

static int set_up(void **state)
{
    struct fixture *f;

    if (fixture_set_up_folder(state) != 0)
        return 1;
    f = *state;
    f->per_tenant = 1;
    f->key = "one";
    fixture_open(f);
    return 0;
}

/* ---- doing ---- */

static void say(struct fixture *f, const char *tenant, const char *id, const char *text)
{
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mneme_change change = MNEME_CHANGE_INIT;

    event.id = id;
    event.tenant_id = tenant;
    event.user_id = "ann";
    event.session_id = "s";
    event.role = "user";
    event.text = text;
    change.without_drafts = 1;
    ASSERT_OK(mneme_observe(f->handle, &event, 1, &change, NULL, &f->err));
}

static size_t archive(struct fixture *f, const char *tenant)
{
    size_t turns = 0;

    ASSERT_OK(mneme_archive_session(f->handle, tenant, "ann", "s", &turns, &f->err));
    return turns;
}

static size_t bring_back(struct fixture *f, const char *tenant)
{
    size_t turns = 0;

    ASSERT_OK(mneme_archive_restore(f->handle, tenant, "ann", "s", &turns, &f->err));
    return turns;
}

static int count_event(void *context, const struct mneme_record *record)
{
    *(size_t *)context += record->kind == MNEME_RECORD_EVENT;
    return 0;
}

static size_t turns_of(struct fixture *f, const char *tenant)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    size_t count = 0;

    filter.tenant_id = tenant;
    filter.user_id = "ann";
    ASSERT_OK(mneme_export(f->handle, &filter, count_event, &count, &f->err));
    return count;
}

/* Sealed files below the archive's folder, and whether a word can be read in one of them. */
static void look_into(const char *path, const char *word, size_t *files, bool *ret_found)
{
    DIR *folder = opendir(path);
    struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        char inner[512], bytes[4096];
        FILE *file;

        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (entry->d_type == DT_DIR) {
            look_into(inner, word, files, ret_found);
            continue;
        }
        file = fopen(inner, "rb");
        assert_non_null(file);
        size_t got = fread(bytes, 1, sizeof bytes, file);
        *ret_found = *ret_found || memmem(bytes, got, word, strlen(word)) != NULL;
        ++*files;
        (void)fclose(file);
    }
    if (folder)
        (void)closedir(folder);
}

static size_t sealed_files(const struct fixture *f)
{
    size_t files = 0;
    bool found = false;

    look_into(f->archive, "zebra", &files, &found);
    assert_false(found);
    return files;
}

static void erase_tenant(struct fixture *f, const char *tenant)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    char *receipt = NULL;
    int clean = 0;

    what.scope = MNEME_ERASE_TENANT;
    what.tenant_id = tenant;
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err));
    assert_non_null(strstr(receipt, "\"clean\":true"));
    assert_non_null(strstr(receipt, "\"archived\":2"));
    assert_non_null(strstr(receipt, "\"key_destroyed\":true"));
    ASSERT_OK(mneme_erase_verify(f->handle, receipt, &clean, NULL, &f->err));
    assert_int_equal(clean, 1);
    mneme_free(receipt);
}

static void check_whole(struct fixture *f, const char *path)
{
    struct mneme_options options = fixture_options(f, path);
    char *report = NULL;
    int good = 0;

    ASSERT_OK(mneme_reconcile(f->handle, NULL, &good, NULL, &f->err));
    assert_int_equal(good, 1);
    ASSERT_OK(mneme_doctor(&options, NULL, &good, &report, &f->err));
    if (!good)
        fail_msg("%s", report);
    mneme_free(report);
}

static void archive_two_tenants(struct fixture *f)
{
    say(f, "acme", "a-1", "The zebra ferry of acme was late.");
    say(f, "acme", "a-2", "The zebra ferry of acme was late again.");
    say(f, "globex", "a-1", "The zebra ferry of globex was late.");
    say(f, "globex", "a-2", "The zebra ferry of globex was late again.");
    assert_int_equal(archive(f, "acme"), 2);
    assert_int_equal(archive(f, "globex"), 2);
    assert_int_equal(turns_of(f, "acme"), 0);
    assert_int_equal(sealed_files(f), 2);
}

/* ---- tests ---- */

static void archived_turns_come_back_through_every_change_of_key(void **state)
{
    struct fixture *f = *state;

    archive_two_tenants(f);
    ASSERT_OK(mneme_rotate_tenant_key(f->handle, "acme", "operator", &f->err));
    assert_int_equal(bring_back(f, "acme"), 2);
    assert_int_equal(turns_of(f, "acme"), 2);
    assert_int_equal(turns_of(f, "globex"), 0);
    assert_int_equal(archive(f, "acme"), 2);
    ASSERT_OK(mneme_rotate_key(f->handle, "two", 3, "operator", &f->err));
    open_again(f, f->path, "two");
    assert_int_equal(bring_back(f, "acme"), 2);
    assert_int_equal(bring_back(f, "globex"), 2);
    assert_int_equal(turns_of(f, "globex"), 2);
    check_whole(f, f->path);
}

static void a_tenant_erased_is_out_of_the_archive_and_others_stay(void **state)
{
    struct fixture *f = *state;

    archive_two_tenants(f);
    erase_tenant(f, "globex");
    assert_int_equal(sealed_files(f), 1);
    assert_int_equal(mneme_archive_restore(f->handle, "globex", "ann", "s", NULL, &f->err),
                     MNEME_NOT_FOUND);
    assert_int_equal(bring_back(f, "acme"), 2);
    check_whole(f, f->path);
}

/* What was taken away before the erasure: the backup of the store, and the files of the archive. */
static void with_its_key_a_tenants_archived_turns_are_lost_to_everybody(void **state)
{
    struct fixture *f = *state;
    struct mneme_options options;
    char kept[256], keys[128];

    archive_two_tenants(f);
    ASSERT_OK(mneme_backup(f->handle, f->file, "", &f->err));
    (void)snprintf(kept, sizeof kept, "cp -r %s %s/kept", f->archive, f->folder);
    assert_int_equal(system(kept), 0);
    erase_tenant(f, "globex");
    mneme_close(f->handle);
    f->handle = NULL;
    (void)snprintf(f->archive, sizeof f->archive, "%s/kept", f->folder);
    assert_int_equal(sealed_files(f), 2);

    (void)snprintf(keys, sizeof keys, "%s/%s", f->path, MN_TENANT_ROOT);
    options = fixture_options(f, f->again);
    options.tenant_keys_path = keys;
    ASSERT_OK(mneme_restore(&options, f->file, "", &f->err));
    open_again(f, f->again, "one");
    assert_int_equal(mneme_archive_restore(f->handle, "globex", "ann", "s", NULL, &f->err),
                     MNEME_NOT_FOUND);
    assert_int_equal(turns_of(f, "globex"), 0);
    assert_int_equal(bring_back(f, "acme"), 2); /* the other's are whole */
    check_whole(f, f->again);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(archived_turns_come_back_through_every_change_of_key),
        CASE(a_tenant_erased_is_out_of_the_archive_and_others_stay),
        CASE(with_its_key_a_tenants_archived_turns_are_lost_to_everybody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
