/*
 * test_rotate_key.c - a store under another key while it is used, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <mneme/mneme.h>

#include "fakes/store_folder.h"

#define ASSERT_OK(call)                                                                            \
    do {                                                                                           \
        if ((call) != MNEME_OK)                                                                    \
            fail_msg("%s", f->err.message);                                                        \
    } while (0)
#define TEXT "The harbour crane lifts forty tons."

/* ---- a disk that loses names ---- */

static bool folders_fail;

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    struct stat at;

    if (folders_fail && fstat(fd, &at) == 0 && S_ISDIR(at.st_mode)) {
        errno = EIO;
        return -1;
    }
    return __real_fsync(fd);
}

/* ---- the store ---- */

struct fixture {
    struct store_folder folder;
    struct mneme *handle;
    struct mneme_error err;
};

static enum mneme_status open_it(struct fixture *f, const char *path, const char *key,
                                 struct mneme **ret_handle)
{
    struct mneme_options options = MNEME_OPTIONS_INIT;

    options.store_path = path;
    options.create = 1;
    options.key = key;
    options.key_bytes = key ? strlen(key) : 0;
    options.tokenizer = "estimate";
    return mneme_open(&options, ret_handle, &f->err);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    *state = f;
    return !f || store_folder_make(&f->folder, "rotate") != 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    int code;

    mneme_close(f->handle);
    code = store_folder_remove(&f->folder);
    free(f);
    return code;
}

static enum mneme_status remember(struct fixture *f, struct mneme *handle, const char *text)
{
    struct mneme_memory memory = MNEME_MEMORY_INIT;

    memory.tenant_id = "acme";
    memory.user_id = "ann";
    memory.type = "fact";
    memory.content = text;
    return mneme_remember(handle, &memory, NULL, NULL, &f->err);
}

static int count_row(void *context, const struct mneme_record *record)
{
    (void)record;
    ++*(size_t *)context;
    return 0;
}

static enum mneme_status count_rows(struct fixture *f, struct mneme *handle, size_t *ret_count)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;

    filter.tenant_id = "acme";
    filter.user_id = "ann";
    *ret_count = 0;
    return mneme_list_memories(handle, &filter, count_row, ret_count, &f->err);
}

static enum mneme_status rotate(struct fixture *f, struct mneme *handle, const char *key)
{
    return mneme_rotate_key(handle, key, strlen(key), "operator", &f->err);
}

/* Of files whose bytes hold the text; all files are counted. */
static size_t files_with(const struct fixture *f, const char *text, size_t *ret_files)
{
    DIR *folder = opendir(f->folder.path);
    static char bytes[1 << 20];
    struct dirent *entry;
    size_t found = 0;

    assert_non_null(folder);
    *ret_files = 0;
    while ((entry = readdir(folder))) {
        char path[512];
        FILE *file;
        size_t got;

        if (entry->d_name[0] == '.')
            continue;
        ++*ret_files;
        (void)snprintf(path, sizeof path, "%s/%s", f->folder.path, entry->d_name);
        file = fopen(path, "rb");
        assert_non_null(file);
        got = fread(bytes, 1, sizeof bytes, file);
        found += memmem(bytes, got, text, strlen(text)) != NULL;
        (void)fclose(file);
    }
    (void)closedir(folder);
    return found;
}

static void the_new_key_opens_all_of_it_and_the_old_one_nothing(void **state)
{
    struct fixture *f = *state;
    struct mneme *other = NULL;
    char backup[128];
    size_t count;

    ASSERT_OK(open_it(f, f->folder.store, "one", &f->handle));
    ASSERT_OK(remember(f, f->handle, TEXT));
    (void)snprintf(backup, sizeof backup, "%s/backup", f->folder.path);
    ASSERT_OK(mneme_backup(f->handle, backup, "", &f->err));
    ASSERT_OK(rotate(f, f->handle, "two"));
    ASSERT_OK(count_rows(f, f->handle, &count)); /* this handle goes on */
    assert_int_equal(count, 1);
    ASSERT_OK(remember(f, f->handle, "Pier nine is closed on Sundays."));
    mneme_close(f->handle);
    f->handle = NULL;

    assert_int_equal(open_it(f, f->folder.store, "one", &other), MNEME_FORBIDDEN);
    assert_int_equal(open_it(f, f->folder.store, NULL, &other), MNEME_FORBIDDEN);
    ASSERT_OK(open_it(f, f->folder.store, "two", &f->handle));
    ASSERT_OK(count_rows(f, f->handle, &count));
    assert_int_equal(count, 2);
    /* a backup stays under the key that it was made with */
    assert_int_equal(open_it(f, backup, "two", &other), MNEME_FORBIDDEN);
    ASSERT_OK(open_it(f, backup, "one", &other));
    mneme_close(other);
}

static void a_store_without_a_key_gets_one_and_no_text_is_left_in_clear(void **state)
{
    struct fixture *f = *state;
    size_t files, count;

    ASSERT_OK(open_it(f, f->folder.store, NULL, &f->handle));
    ASSERT_OK(remember(f, f->handle, TEXT));
    assert_true(files_with(f, "forty tons", &files) > 0);
    ASSERT_OK(rotate(f, f->handle, "one"));
    assert_int_equal(files_with(f, "forty tons", &files), 0);
    ASSERT_OK(count_rows(f, f->handle, &count));
    assert_int_equal(count, 1);
    mneme_close(f->handle);
    f->handle = NULL;
    assert_int_equal(files_with(f, "forty tons", &files), 0);
    assert_int_equal(files, 2); /* the store and its lock: nothing else is left */
    ASSERT_OK(open_it(f, f->folder.store, "one", &f->handle));
}

static void other_handles_are_told_to_open_the_store_again(void **state)
{
    struct fixture *f = *state;
    struct mneme *other = NULL;
    size_t count;

    ASSERT_OK(open_it(f, f->folder.store, "one", &f->handle));
    ASSERT_OK(open_it(f, f->folder.store, "one", &other));
    ASSERT_OK(remember(f, other, TEXT));
    ASSERT_OK(rotate(f, f->handle, "two"));
    assert_int_equal(count_rows(f, other, &count), MNEME_FORBIDDEN);
    assert_non_null(strstr(f->err.message, "open it again"));
    assert_int_equal(remember(f, other, "Pier nine is closed."), MNEME_FORBIDDEN);
    assert_int_equal(rotate(f, other, "three"), MNEME_FORBIDDEN);
    mneme_close(other); /* and takes nothing away when it goes */
    ASSERT_OK(remember(f, f->handle, "Pier ten is open."));
    ASSERT_OK(count_rows(f, f->handle, &count));
    assert_int_equal(count, 2);
}

struct user {
    struct fixture *f;
    struct mneme *handle;
    atomic_bool *stop;
    atomic_int *faults;
    int written;
};

static void *use(void *argument)
{
    struct user *user = argument;
    struct fixture own = { 0 };
    size_t count;
    char text[64];

    while (!atomic_load(user->stop)) {
        (void)snprintf(text, sizeof text, "Crate %d of %p was moved.", user->written,
                       (void *)user);
        if (remember(&own, user->handle, text) != MNEME_OK ||
            count_rows(&own, user->handle, &count) != MNEME_OK ||
            count < (size_t)++user->written)
            atomic_fetch_add(user->faults, 1);
    }
    return NULL;
}

static void threads_read_and_write_while_the_key_is_changed(void **state)
{
    static const char *const keys[] = { "two", "three", "four" };
    struct fixture *f = *state;
    struct user user[3];
    pthread_t thread[3];
    atomic_bool stop = false;
    atomic_int faults = 0;
    size_t count, written = 0;

    ASSERT_OK(open_it(f, f->folder.store, "one", &f->handle));
    for (int i = 0; i < 3; i++) {
        user[i] = (struct user){ f, f->handle, &stop, &faults, 0 };
        assert_int_equal(pthread_create(&thread[i], NULL, use, &user[i]), 0);
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ASSERT_OK(rotate(f, f->handle, keys[i]));
    atomic_store(&stop, true);
    for (int i = 0; i < 3; i++) {
        (void)pthread_join(thread[i], NULL);
        written += (size_t)user[i].written;
    }
    assert_int_equal(faults, 0);
    mneme_close(f->handle);
    f->handle = NULL;
    ASSERT_OK(open_it(f, f->folder.store, "four", &f->handle));
    ASSERT_OK(count_rows(f, f->handle, &count));
    assert_int_equal(count, written);
}

static int note_rotation(void *context, const struct mneme_audit_entry *entry)
{
    if (strcmp(entry->action, "rotate-key") == 0 && strcmp(entry->actor, "") != 0)
        ++*(size_t *)context;
    return 0;
}

static void it_is_in_the_audit_and_receipts_stay_good(void **state)
{
    struct fixture *f = *state;
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    size_t rotations = 0;
    char *receipt = NULL;
    int clean = 0, sound = 0;

    ASSERT_OK(open_it(f, f->folder.store, "one", &f->handle));
    ASSERT_OK(remember(f, f->handle, TEXT));
    what.scope = MNEME_ERASE_USER;
    what.tenant_id = "acme";
    what.user_id = "ann";
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err));
    ASSERT_OK(rotate(f, f->handle, "two"));
    ASSERT_OK(rotate(f, f->handle, "three"));
    ASSERT_OK(mneme_audit_list(f->handle, "", "", "", note_rotation, &rotations, &f->err));
    assert_int_equal(rotations, 2);
    ASSERT_OK(mneme_audit_verify(f->handle, NULL, &sound, NULL, &f->err));
    assert_int_equal(sound, 1);
    ASSERT_OK(mneme_erase_verify(f->handle, receipt, &clean, NULL, &f->err));
    assert_int_equal(clean, 1);
    mneme_free(receipt);
}

/* The new file has its name by then. */
static void a_name_that_may_not_last_is_told_as_changed(void **state)
{
    struct fixture *f = *state;
    struct mneme *other = NULL;

    ASSERT_OK(open_it(f, f->folder.store, "old", &f->handle));
    ASSERT_OK(remember(f, f->handle, TEXT));
    folders_fail = true;
    enum mneme_status status = mneme_rotate_key(f->handle, "new", 3, "operator", &f->err);
    folders_fail = false;
    assert_int_equal(status, MNEME_UNAVAILABLE);
    assert_non_null(strstr(f->err.message, "key: it was changed, but a power cut may bring the former"));
    assert_non_null(strstr(f->err.message, "cannot be made durable"));
    assert_int_equal(open_it(f, f->folder.store, "old", &other), MNEME_FORBIDDEN);
    ASSERT_OK(open_it(f, f->folder.store, "new", &other));
    mneme_close(other);
    ASSERT_OK(remember(f, f->handle, "This handle goes on under the new key."));
}

static void what_is_no_key_is_refused_and_the_old_one_holds(void **state)
{
    static char key[MNEME_NAME_BYTES_MAX + 2];
    struct mneme_options options = MNEME_OPTIONS_INIT;
    struct fixture *f = *state;
    size_t count;

    memset(key, 'k', sizeof key - 1);
    ASSERT_OK(open_it(f, f->folder.store, "one", &f->handle));
    ASSERT_OK(remember(f, f->handle, TEXT));
    assert_int_equal(mneme_rotate_key(f->handle, NULL, 3, "", &f->err), MNEME_INVALID);
    assert_int_equal(mneme_rotate_key(f->handle, "k", 0, "", &f->err), MNEME_INVALID);
    assert_string_equal(f->err.field, "new_key");
    assert_int_equal(rotate(f, f->handle, "one"), MNEME_INVALID); /* it is that already */
    assert_string_equal(f->err.field, "new_key");
    assert_int_equal(rotate(f, f->handle, key), MNEME_LIMIT);
    key[MNEME_NAME_BYTES_MAX] = '\0';
    ASSERT_OK(rotate(f, f->handle, key));
    mneme_close(f->handle);
    f->handle = NULL;
    options.store_path = f->folder.store;
    options.read_only = 1;
    options.key = key;
    options.key_bytes = strlen(key);
    ASSERT_OK(mneme_open(&options, &f->handle, &f->err));
    assert_int_equal(rotate(f, f->handle, "two"), MNEME_FORBIDDEN);
    ASSERT_OK(count_rows(f, f->handle, &count));
    assert_int_equal(count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_new_key_opens_all_of_it_and_the_old_one_nothing, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_store_without_a_key_gets_one_and_no_text_is_left_in_clear,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_handles_are_told_to_open_the_store_again, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(threads_read_and_write_while_the_key_is_changed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(it_is_in_the_audit_and_receipts_stay_good, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_name_that_may_not_last_is_told_as_changed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_key_is_refused_and_the_old_one_holds, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
