/*
 * test_archive_s3.c - the archive in a bucket: signed requests, pages of names, and a storage that fails.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mneme/mneme.h>

#include "fakes/fake_bucket.h"
#include "pipeline/fixture.h"

#define MARK 1 /* the file that tells whose archive it is */

#define ASSERT_OK(call)                                                                            \
    do {                                                                                           \
        if ((call) != MNEME_OK)                                                                    \
            fail_msg("%s", f->err.message);                                                        \
    } while (0)

static void open_with(struct fixture *f, const struct fake_bucket *bucket, const char *access_key)
{
    struct mneme_options options = fixture_options(f, f->path);
    char url[64];

    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d/turns/deep/", fake_bucket_port(bucket));
    options.archive = url;
    options.archive_access_key = access_key;
    options.archive_secret_key = "hush-hush";
    mneme_close(f->handle);
    f->handle = NULL;
    ASSERT_OK(mneme_open(&options, &f->handle, &f->err));
}

static void say(struct fixture *f, const char *session, const char *id)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_event event = MNEME_EVENT_INIT;

    event.id = id;
    event.tenant_id = "acme";
    event.user_id = "ann";
    event.session_id = session;
    event.text = "The crane Otto stands at the northern quay of Westpier.";
    ASSERT_OK(mneme_observe(f->handle, &event, 1, &change, NULL, &f->err));
}

static enum mneme_status archive(struct fixture *f, const char *session)
{
    return mneme_archive_session(f->handle, "acme", "ann", session, NULL, &f->err);
}

static void turns_go_into_a_bucket_come_back_and_are_erased_there(void **state)
{
    struct fixture *f = *state;
    struct fake_bucket *bucket = fake_bucket_new("turns", "mneme-key");
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    char *receipt = NULL;
    size_t turns = 0;
    int clean = 0;

    assert_non_null(bucket);
    open_with(f, bucket, "mneme-key");
    say(f, "s1", "evt-1");
    say(f, "s2", "evt-2");
    say(f, "s3", "evt-3");
    ASSERT_OK(archive(f, "s1"));
    ASSERT_OK(archive(f, "s2"));
    ASSERT_OK(archive(f, "s3"));
    assert_int_equal(fake_bucket_files(bucket), 3 + MARK);
    ASSERT_OK(mneme_archive_restore(f->handle, "acme", "ann", "s1", &turns, &f->err));
    assert_int_equal(turns, 1);
    assert_int_equal(fake_bucket_files(bucket), 2 + MARK);
    assert_false(fake_bucket_saw(bucket, "Westpier"));
    assert_false(fake_bucket_saw(bucket, "hush-hush"));

    what.scope = MNEME_ERASE_SESSION;
    what.tenant_id = "acme";
    what.user_id = "ann";
    what.id = "s2";
    ASSERT_OK(mneme_erase(f->handle, &what, &receipt, &f->err)); /* its list goes over pages */
    assert_non_null(strstr(receipt, "\"clean\":true"));
    assert_int_equal(fake_bucket_files(bucket), 1 + MARK);
    ASSERT_OK(mneme_erase_verify(f->handle, receipt, &clean, NULL, &f->err));
    assert_int_equal(clean, 1);
    mneme_free(receipt);
    mneme_close(f->handle);
    f->handle = NULL;
    fake_bucket_free(bucket);
}

static void a_storage_that_fails_or_refuses_takes_nothing(void **state)
{
    struct fixture *f = *state;
    struct fake_bucket *bucket = fake_bucket_new("turns", "mneme-key");

    assert_non_null(bucket);
    open_with(f, bucket, "another-key");
    say(f, "s1", "evt-1");
    assert_int_equal(archive(f, "s1"), MNEME_FORBIDDEN);
    assert_null(strstr(f->err.message, "hush"));
    assert_null(strstr(f->err.message, "another-key"));
    open_with(f, bucket, "mneme-key");
    fake_bucket_fail(bucket, 503);
    assert_int_equal(archive(f, "s1"), MNEME_UNAVAILABLE);
    assert_int_equal(fake_bucket_files(bucket), 0);
    fake_bucket_fail(bucket, 0);
    ASSERT_OK(archive(f, "s1"));
    ASSERT_OK(mneme_run_due(f->handle, 10, NULL, &f->err));
    assert_int_equal(fake_bucket_files(bucket), 1 + MARK);
    mneme_close(f->handle);
    f->handle = NULL;
    fake_bucket_free(bucket);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(turns_go_into_a_bucket_come_back_and_are_erased_there),
        TEST(a_storage_that_fails_or_refuses_takes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
