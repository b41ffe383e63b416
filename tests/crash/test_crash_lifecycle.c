/*
 * test_crash_lifecycle.c - a process is killed at each step of what becomes of sessions and of keys.
 *
 * usage: test_crash_lifecycle KILLS        of each work; as many as it has steps at most
 *
 * Seven works: drawing from sessions that have ended, moving turns into an archive (a folder, a bucket) and
 * back, erasing a session whose turns are there, and of a store whose tenants have files of their own the
 * change of a tenant's key and of the key that guards the keys. After each kill the store opens in less
 * than a second, every turn is once in the store or in the archive, what was drawn is drawn once, what was
 * erased is gone everywhere or all there, each tenant's file opens, and nothing differs from the rows. The
 * same work again comes to its end.
 */
#include "crash/place.h"
#include "crash/steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/handle.h"
#include "fakes/fake_bucket.h"

#define SESSIONS 3
#define TURNS 6           /* of each */
#define OPEN_US_MAX 1000000 /* of CPU, under sanitizers */
#define NOW INT64_C(1790000000000)
#define HOUR_MS INT64_C(3600000)

enum work {
    WORK_COMPRESS,
    WORK_ARCHIVE,
    WORK_BRING_BACK,
    WORK_BUCKET,
    WORK_ERASE,
    WORK_TENANT_KEY,
    WORK_MASTER_KEY,
    WORK_COUNT
};
static const char *const names[] = {
    "drawing from sessions", "archiving",         "bringing back",          "archiving in a bucket",
    "erasing what is away",  "a tenant's new key", "a new key for the keys",
};

static int kills = 50;

/* A bucket, in a process of its own: a process that forks has no other thread. */
struct storage {
    pid_t process;
    int port;
};

struct job {
    const struct place *place;
    enum work work;
    struct storage *bucket;
};

static void stop(const char *what, const struct mneme_error *err)
{
    fprintf(stderr, "%s: %s\n", what, err->message);
    _exit(9);
}

#define DO(call)                                                                                   \
    do {                                                                                           \
        struct mneme_error err;                                                                    \
        if ((call) != MNEME_OK)                                                                    \
            stop(#call, &err);                                                                     \
    } while (0)

/* ---- the store ---- */

static bool has_tenants(enum work work)
{
    return work == WORK_TENANT_KEY || work == WORK_MASTER_KEY;
}

static enum mneme_status try_open(const struct job *job, const char *key,
                                  struct mneme **ret_handle, struct mneme_error *err)
{
    struct mneme_options options = MNEME_OPTIONS_INIT;
    char archive[160];

    options.store_path = job->place->file;
    options.create = 1;
    options.tokenizer = "estimate";
    options.per_tenant = has_tenants(job->work);
    options.key = options.per_tenant ? key : NULL;
    options.key_bytes = options.per_tenant ? strlen(key) : 0;
    if (job->work == WORK_BUCKET) {
        (void)snprintf(archive, sizeof archive, "http://127.0.0.1:%d/turns",
                       job->bucket->port);
        options.archive_access_key = "AKIA";
        options.archive_secret_key = "hush-hush";
    } else {
        (void)snprintf(archive, sizeof archive, "%s/archive", job->place->folder);
    }
    options.archive = archive;
    return mneme_open(&options, ret_handle, err);
}

static struct mneme *open_it(const struct job *job, const char *key)
{
    struct mneme *handle = NULL;

    DO(try_open(job, key, &handle, &err));
    return handle;
}

/* The first `count` of all turns, in the order of their sessions, in one commit. */
static void say(struct mneme *handle, const char *tenant, int count)
{
    static const char *const said[TURNS] = {
        "The billing service drops invoices when the billing service restarts.",
        "We decided to use NATS for the billing service because Kafka is heavy.",
        "We still need to write the rollback script.",
        "I finished the invoice migration.",
        "I prefer short commit messages.",
        "The root cause was an expired certificate on the gateway.",
    };
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_event event[SESSIONS * TURNS];
    char id[SESSIONS * TURNS][32], name[SESSIONS][32];

    for (int i = 0; i < count; i++) {
        (void)snprintf(id[i], sizeof id[i], "e-%d", i);
        (void)snprintf(name[i / TURNS], sizeof name[0], "s-%d", i / TURNS);
        event[i] = (struct mneme_event)MNEME_EVENT_INIT;
        event[i].id = id[i];
        event[i].tenant_id = tenant;
        event[i].user_id = "ann";
        event[i].session_id = name[i / TURNS];
        event[i].role = "user";
        event[i].text = said[i % TURNS];
        event[i].event_time_ms = NOW;
    }
    change.now_ms = NOW;
    change.without_drafts = 1;
    DO(mneme_observe(handle, event, (size_t)count, &change, NULL, &err));
}

static void archive_all(struct mneme *handle)
{
    for (int i = 0; i < SESSIONS; i++) {
        char name[32];

        (void)snprintf(name, sizeof name, "s-%d", i);
        DO(mneme_archive_session(handle, "acme", "ann", name, NULL, &err));
    }
}

static void bring_all_back(struct mneme *handle)
{
    for (int i = 0; i < SESSIONS; i++) {
        struct mneme_error err;
        enum mneme_status status;
        char name[32];

        (void)snprintf(name, sizeof name, "s-%d", i);
        status = mneme_archive_restore(handle, "acme", "ann", name, NULL, &err);
        if (status != MNEME_OK && status != MNEME_NOT_FOUND)
            stop("restore", &err);
    }
}

static void erase_one(struct mneme *handle)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    char *receipt = NULL;

    what.scope = MNEME_ERASE_SESSION;
    what.tenant_id = "acme";
    what.user_id = "ann";
    what.id = "s-0";
    DO(mneme_erase(handle, &what, &receipt, &err));
    mneme_free(receipt);
}

static void draw(struct mneme *handle)
{
    struct mneme_maintenance what = MNEME_MAINTENANCE_INIT;

    what.job = "compress";
    what.now_ms = NOW + HOUR_MS;
    DO(mneme_maintain(handle, &what, NULL, NULL, NULL, &err));
}

/* Begun by a process of its own: SQLite's view of open files does not bear a fork. */
static void fill(void *context)
{
    const struct job *job = context;
    struct mneme *handle = open_it(job, "one");

    say(handle, "acme", SESSIONS * TURNS);
    if (has_tenants(job->work))
        say(handle, "globex", SESSIONS * TURNS);
    if (job->work == WORK_BRING_BACK || job->work == WORK_ERASE)
        archive_all(handle);
    mneme_close(handle);
}

static void work_on(void *context)
{
    const struct job *job = context;
    struct mneme *handle = open_it(job, "one");

    if (has_tenants(job->work))
        say(handle, "acme", 1); /* its file is open; the turn is there */
    steps_count();
    if (job->work == WORK_COMPRESS)
        draw(handle);
    else if (job->work == WORK_ARCHIVE || job->work == WORK_BUCKET)
        archive_all(handle);
    else if (job->work == WORK_BRING_BACK)
        bring_all_back(handle);
    else if (job->work == WORK_ERASE)
        erase_one(handle);
    else if (job->work == WORK_TENANT_KEY)
        DO(mneme_rotate_tenant_key(handle, "acme", "operator", &err));
    else
        DO(mneme_rotate_key(handle, "two", 3, "operator", &err));
}

/* ---- what is left ---- */

struct found {
    size_t turns, summaries;
    size_t of_first; /* turns of the session that is erased */
};

static int note(void *context, const struct mneme_record *record)
{
    struct found *found = context;

    found->turns += record->kind == MNEME_RECORD_EVENT;
    found->of_first += record->kind == MNEME_RECORD_EVENT &&
                       strcmp(record->event->session_id, "s-0") == 0;
    found->summaries += record->kind == MNEME_RECORD_MEMORY &&
                        strcmp(record->memory->type, "session_summary") == 0;
    return 0;
}

static struct found find(struct mneme *handle, const char *tenant)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct found found = { 0 };

    filter.tenant_id = tenant;
    filter.user_id = "ann";
    DO(mneme_export(handle, &filter, note, &found, &err));
    return found;
}

static void check_whole(struct mneme *handle)
{
    int good = 0;

    DO(mneme_reconcile(handle, NULL, &good, NULL, &err));
    assert_int_equal(good, 1);
    DO(mneme_audit_verify(handle, NULL, &good, NULL, &err));
    assert_int_equal(good, 1);
}

/* Files of turns in the folder of the archive, which has one folder for the store. */
static size_t sealed_files(const struct place *place)
{
    char path[200], inner[500];
    struct dirent *entry;
    size_t count = 0;
    DIR *folder;

    (void)snprintf(path, sizeof path, "%s/archive", place->folder);
    folder = opendir(path);
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        struct dirent *file;
        DIR *store;

        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        store = opendir(inner);
        while (store && (file = readdir(store)))
            count += file->d_name[0] != '.';
        if (store)
            (void)closedir(store);
    }
    (void)closedir(folder);
    return count;
}

/* A mark that somebody is at a job lapses by itself: here it has. */
static int64_t later(void)
{
    return mn_clock_now_ms() + HOUR_MS;
}

static struct mneme *open_again(const struct job *job, bool whole)
{
    int64_t start_us = mn_clock_cpu_us();
    struct mneme *handle = NULL, *other = NULL;
    struct mneme_error err;
    bool under_new = false;

    if (try_open(job, "one", &handle, &err) != MNEME_OK) {
        assert_int_equal(job->work, WORK_MASTER_KEY);
        assert_int_equal(err.status, MNEME_FORBIDDEN);
        start_us = mn_clock_cpu_us();
        handle = open_it(job, "two");
        under_new = true;
    }
    assert_true(mn_clock_cpu_us() - start_us < OPEN_US_MAX);
    handle->world.now_ms = later;
    if (job->work == WORK_MASTER_KEY) {
        assert_int_equal(try_open(job, under_new ? "one" : "two", &other, &err), MNEME_FORBIDDEN);
        assert_true(under_new || !whole);
    }
    return handle;
}

static void check_erased(const struct job *job, struct mneme *handle, bool whole)
{
    struct found found;
    size_t left = 1;

    for (int i = 0; i < 100 && left; i++)
        DO(mneme_run_due(handle, 100, &left, &err)); /* what was cut short is finished */
    bring_all_back(handle);
    found = find(handle, "acme");
    assert_int_equal(found.turns - found.of_first, (SESSIONS - 1) * TURNS);
    assert_true(found.of_first == 0 || (found.of_first == TURNS && !whole));
    if (found.of_first)
        erase_one(handle);
    for (int i = 0; i < 100 && sealed_files(job->place) > 0; i++)
        DO(mneme_run_due(handle, 100, &left, &err));
    assert_int_equal(sealed_files(job->place), 0);
}

static void check_store(const struct job *job, size_t summaries, bool whole)
{
    struct mneme *handle = open_again(job, whole);
    struct found found;

    check_whole(handle);
    switch (job->work) {
    case WORK_COMPRESS:
        draw(handle);
        found = find(handle, "acme");
        assert_int_equal(found.summaries, summaries);
        break;
    case WORK_ERASE:
        check_erased(job, handle, whole);
        break;
    case WORK_TENANT_KEY:
    case WORK_MASTER_KEY:
        assert_int_equal(find(handle, "globex").turns, SESSIONS * TURNS);
        say(handle, "acme", 1);
        DO(mneme_rotate_tenant_key(handle, "acme", "operator", &err));
        break;
    default: /* back, and once more there and back */
        bring_all_back(handle);
        assert_int_equal(find(handle, "acme").turns, SESSIONS * TURNS);
        archive_all(handle);
        assert_int_equal(find(handle, "acme").turns, 0);
        bring_all_back(handle);
    }
    if (job->work != WORK_ERASE)
        assert_int_equal(find(handle, "acme").turns, SESSIONS * TURNS);
    check_whole(handle);
    mneme_close(handle);
}

static size_t count_summaries(const struct job *job)
{
    struct mneme *handle = open_it(job, "one");
    struct found found = find(handle, "acme");

    mneme_close(handle);
    return found.summaries;
}

static void end_storage(struct storage *storage)
{
    if (storage->process > 0) {
        (void)kill(storage->process, SIGKILL);
        (void)waitpid(storage->process, NULL, 0);
    }
    storage->process = 0;
}

static void start_storage(struct storage *storage)
{
    int told[2];

    end_storage(storage);
    assert_int_equal(pipe(told), 0);
    storage->process = fork();
    assert_true(storage->process >= 0);
    if (storage->process == 0) {
        struct fake_bucket *bucket = fake_bucket_new("turns", "AKIA");
        int port = bucket ? fake_bucket_port(bucket) : 0;

        if (write(told[1], &port, sizeof port) != (ssize_t)sizeof port)
            _exit(1);
        for (;;)
            (void)pause();
    }
    assert_int_equal(read(told[0], &storage->port, sizeof storage->port), sizeof storage->port);
    assert_true(storage->port > 0);
    (void)close(told[0]);
    (void)close(told[1]);
}

static void prepare(struct job *job)
{
    long ended;

    place_clear(job->place);
    if (job->work == WORK_BUCKET)
        start_storage(job->bucket);
    steps_run(fill, job, 0, &ended);
    assert_true(ended >= 0);
}

static void sessions_and_keys_survive_being_killed_at_each_step(void **state)
{
    struct place place = place_make();
    struct storage bucket = { 0 };

    (void)state;
    for (int work = 0; work < WORK_COUNT; work++) {
        struct job job = { &place, (enum work)work, &bucket };
        long all = 0, ended;
        size_t summaries = 0;
        int count;

        prepare(&job);
        steps_run(work_on, &job, 0, &all);
        assert_true(all > 2);
        if (work == WORK_COMPRESS)
            summaries = count_summaries(&job);
        assert_true(summaries >= 3 * SESSIONS || work != WORK_COMPRESS);
        check_store(&job, summaries, true);
        count = all < kills ? (int)all : kills;
        for (int i = 0; i < count; i++) {
            prepare(&job);
            steps_run(work_on, &job, 1 + all * i / count, &ended);
            check_store(&job, summaries, ended >= 0);
        }
        printf("%d kills over the %ld steps of %s\n", count, all, names[work]);
        fflush(stdout);
    }
    end_storage(&bucket);
    place_remove(&place);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(
        sessions_and_keys_survive_being_killed_at_each_step) };

    if (argc > 1)
        kills = atoi(argv[1]);
    unsetenv("http_proxy");
    unsetenv("all_proxy");
    unsetenv("ALL_PROXY");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
