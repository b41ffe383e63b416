/*
 * test_store_writers.c - several writers of one file: threads that are written together, processes
 * that take turns, and a process that opens and closes the store's files under its own feet.
 */
#include "store/sqlite_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "memory/record.h"

#define ASSERT_OK(call) assert_int_equal((call), MNEME_OK)
#define T0 INT64_C(1700000000000)
#define TOGETHER 8
#define LARGE_BYTES 40000

struct place {
    char folder[64];
    char file[96];
};

/* Every wait for the disk is counted. */
static int syncs;
int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __wrap_fdatasync(int fd)
{
    __atomic_add_fetch(&syncs, 1, __ATOMIC_SEQ_CST);
    return __real_fdatasync(fd);
}

static int make_place(void **state)
{
    struct place *place = calloc(1, sizeof *place);

    assert_non_null(place);
    (void)snprintf(place->folder, sizeof place->folder, "/tmp/mneme-writers-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    (void)snprintf(place->file, sizeof place->file, "%s/store", place->folder);
    *state = place;
    return 0;
}

static int remove_place(void **state)
{
    static const char *const ends[] = { "", "-wal", "-shm", ".lock" };
    struct place *place = *state;
    char name[128];

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        (void)snprintf(name, sizeof name, "%s%s", place->file, ends[i]);
        (void)unlink(name);
    }
    (void)rmdir(place->folder);
    free(place);
    return 0;
}

static struct mn_store *open_store(const struct place *place)
{
    struct mn_store_options options = { .path = place->file, .create = true };
    struct mn_store *store = NULL;
    struct mneme_error err;

    if (mn_store_sqlite_open(&options, &store, &err) != MNEME_OK) {
        fprintf(stderr, "%s\n", err.message);
        return NULL;
    }
    return store;
}

static enum mneme_status put(struct mn_store *store, const char *id, const char *content,
                             int64_t expected, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_memory given = MNEME_MEMORY_INIT;
    struct mneme_memory whole;
    struct mn_written written = { 0 };
    struct mn_write write = { .kind = MN_WRITE_MEMORY,
                              .expected_revision = expected,
                              .memory = &whole };
    struct mn_commit commit = { .write = &write, .count = 1, .now_ms = T0 };
    struct mn_commit_result result = { .written = &written };

    given.tenant_id = "t";
    given.user_id = "ann";
    given.id = id;
    given.type = "fact";
    given.content = content;
    MN_TRY(mn_memory_complete(&given, T0, arena, &whole, err));
    MN_TRY(store->ops->commit(store, &commit, 1, &result, err));
    if (err)
        *err = result.error;
    return result.status;
}

static bool has(struct mn_store *store, const char *id)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mn_row row;

    return store->ops->memory_get(store, (struct mn_partition){ "t", "ann" }, id, arena, &row,
                                  NULL) == MNEME_OK;
}

/* ---- threads ---- */

struct writer {
    struct mn_store *store;
    pthread_t thread;
    char id[32];
    const char *content;
    enum mneme_status status;
    struct mneme_error err;
};

static void *write_new(void *argument)
{
    struct writer *writer = argument;

    writer->status = put(writer->store, writer->id, writer->content, MN_REVISION_NEW, &writer->err);
    return NULL;
}

static void pause_ms(long ms)
{
    struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };

    (void)nanosleep(&pause, NULL);
}

/* Another process's turn. */
static int take_turn(const struct place *place)
{
    struct flock turn = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1 };
    char name[128];
    int lock;

    (void)snprintf(name, sizeof name, "%s.lock", place->file);
    lock = open(name, O_RDWR | O_CLOEXEC);
    assert_true(lock >= 0);
    assert_int_equal(fcntl(lock, F_OFD_SETLK, &turn), 0);
    return lock;
}

static void wait_for_waiting(struct mn_store *store, size_t count)
{
    struct mn_commit_queue *queue = &((struct mn_sqlite_store *)store)->queue;

    for (size_t waiting = 0; waiting < count; pause_ms(1)) {
        (void)pthread_mutex_lock(&queue->mutex);
        waiting = queue->count;
        (void)pthread_mutex_unlock(&queue->mutex);
    }
}

/* Starts them while another process has the turn, so that all wait at once; then gives it back. */
static void write_together(const struct place *place, struct writer *writer, size_t count)
{
    int lock = take_turn(place);

    for (size_t i = 0; i < count; i++)
        assert_int_equal(pthread_create(&writer[i].thread, NULL, write_new, &writer[i]), 0);
    wait_for_waiting(writer[0].store, count);
    __atomic_store_n(&syncs, 0, __ATOMIC_SEQ_CST);
    assert_int_equal(close(lock), 0);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(pthread_join(writer[i].thread, NULL), 0);
}

static void writers_that_wait_are_written_with_one_wait_for_the_disk(void **state)
{
    struct place *place = *state;
    struct mn_store *store = open_store(place);
    struct writer writer[TOGETHER] = { 0 };

    ASSERT_OK(put(store, "first", "text", MN_REVISION_NEW, NULL));
    for (size_t i = 0; i < TOGETHER; i++) {
        writer[i] = (struct writer){ .store = store, .content = "text" };
        (void)snprintf(writer[i].id, sizeof writer[i].id, "m-%zu", i);
    }
    write_together(place, writer, TOGETHER);
    assert_int_equal(__atomic_load_n(&syncs, __ATOMIC_SEQ_CST), 1);
    for (size_t i = 0; i < TOGETHER; i++) {
        ASSERT_OK(writer[i].status);
        assert_true(has(store, writer[i].id));
    }
    mn_store_free(store);
}

static void a_request_that_is_refused_does_not_fail_its_group(void **state)
{
    struct place *place = *state;
    struct mn_store *store = open_store(place);
    struct writer writer[TOGETHER] = { 0 };

    ASSERT_OK(put(store, "m-3", "there", MN_REVISION_NEW, NULL));
    for (size_t i = 0; i < TOGETHER; i++) {
        writer[i] = (struct writer){ .store = store, .content = "text" };
        (void)snprintf(writer[i].id, sizeof writer[i].id, "m-%zu", i);
    }
    write_together(place, writer, TOGETHER);
    assert_int_equal(__atomic_load_n(&syncs, __ATOMIC_SEQ_CST), 1);
    for (size_t i = 0; i < TOGETHER; i++)
        assert_int_equal(writer[i].status, i == 3 ? MNEME_CONFLICT : MNEME_OK);
    assert_string_equal(writer[3].err.field, "id");
    for (size_t i = 0; i < TOGETHER; i++)
        assert_true(has(store, writer[i].id));
    mn_store_free(store);
}

static void what_breaks_off_the_transaction_fails_its_own_caller_alone(void **state)
{
    struct place *place = *state;
    struct mn_store *store = open_store(place);
    sqlite3 *db = mn_sqlite_handle(((struct mn_sqlite_store *)store)->writer);
    struct writer writer[TOGETHER] = { 0 };
    char *large = calloc(1, MNEME_TEXT_BYTES_MAX);
    sqlite3_stmt *pages = NULL;
    char limit[64];

    assert_non_null(large);
    memset(large, 'x', MNEME_TEXT_BYTES_MAX - 1);
    ASSERT_OK(put(store, "first", "text", MN_REVISION_NEW, NULL));
    /* The disk is full: there is no room for the large one, nor pages that migrations left free. */
    assert_int_equal(sqlite3_exec(db, "VACUUM", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA page_count", -1, &pages, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(pages), SQLITE_ROW);
    (void)snprintf(limit, sizeof limit, "PRAGMA max_page_count = %d",
                   sqlite3_column_int(pages, 0) + 4);
    assert_int_equal(sqlite3_finalize(pages), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, limit, NULL, NULL, NULL), SQLITE_OK);
    for (size_t i = 0; i < TOGETHER; i++) {
        writer[i] = (struct writer){ .store = store, .content = i == 5 ? large : "text" };
        (void)snprintf(writer[i].id, sizeof writer[i].id, "m-%zu", i);
    }
    write_together(place, writer, TOGETHER);
    for (size_t i = 0; i < TOGETHER; i++) {
        assert_int_equal(writer[i].status, i == 5 ? MNEME_UNAVAILABLE : MNEME_OK);
        assert_int_equal(has(store, writer[i].id), i != 5);
    }
    assert_non_null(strstr(writer[5].err.message, "full"));
    mn_store_free(store);
    free(large);
}

static void *write_and_read(void *argument)
{
    struct writer *writer = argument;
    char id[48];

    for (int i = 0; i < 25; i++) {
        (void)snprintf(id, sizeof id, "%s-%d", writer->id, i);
        writer->status = put(writer->store, id, "text", MN_REVISION_NEW, &writer->err);
        if (writer->status == MNEME_OK && !has(writer->store, id))
            writer->status = MNEME_NOT_FOUND;
        if (writer->status != MNEME_OK)
            break;
    }
    return NULL;
}

static void a_writer_reads_what_it_has_written(void **state)
{
    struct place *place = *state;
    struct mn_store *store = open_store(place);
    struct writer writer[TOGETHER] = { 0 };

    for (size_t i = 0; i < TOGETHER; i++) {
        writer[i].store = store;
        (void)snprintf(writer[i].id, sizeof writer[i].id, "m-%zu", i);
        assert_int_equal(pthread_create(&writer[i].thread, NULL, write_and_read, &writer[i]), 0);
    }
    for (size_t i = 0; i < TOGETHER; i++) {
        assert_int_equal(pthread_join(writer[i].thread, NULL), 0);
        ASSERT_OK(writer[i].status);
    }
    mn_store_free(store);
}

/* ---- the queue is bounded ---- */

struct queued {
    struct mn_commit_queue *queue;
    struct mn_commit_call call;
    pthread_t thread;
    enum mneme_status joined;
    bool leads;
};

static void *join_queue(void *argument)
{
    struct queued *queued = argument;

    queued->joined =
        mn_commit_queue_join(queued->queue, &queued->call, 30000, &queued->leads, NULL);
    if (queued->joined == MNEME_OK && queued->leads)
        mn_commit_queue_end(queued->queue, mn_commit_queue_take(queued->queue, 1));
    return NULL;
}

static void who_finds_no_place_waits_for_one(void **state)
{
    struct mn_commit_queue queue;
    const struct mn_commit row = { .count = 1 };
    struct mn_commit_call first = { .commits = &row, .count = 1 };
    struct queued second = { .queue = &queue, .call = first };
    struct queued third = { .queue = &queue, .call = first };
    struct mn_commit_call refused = first;
    struct mneme_error err;
    bool leads = false;

    (void)state;
    mn_commit_queue_init(&queue, 2);
    ASSERT_OK(mn_commit_queue_join(&queue, &first, 0, &leads, &err));
    assert_true(leads);
    assert_int_equal(pthread_create(&second.thread, NULL, join_queue, &second), 0);
    for (size_t waiting = 0; waiting < 2; pause_ms(1)) {
        (void)pthread_mutex_lock(&queue.mutex);
        waiting = queue.count;
        (void)pthread_mutex_unlock(&queue.mutex);
    }
    assert_int_equal(mn_commit_queue_join(&queue, &refused, 20, &leads, &err), MNEME_UNAVAILABLE);
    assert_non_null(strstr(err.message, "2 writes"));
    assert_int_equal(pthread_create(&third.thread, NULL, join_queue, &third), 0);
    pause_ms(20);
    assert_ptr_equal(mn_commit_queue_take(&queue, 1), &first);
    assert_null(first.next); /* two rows were one too many */
    mn_commit_queue_end(&queue, &first);
    assert_int_equal(pthread_join(second.thread, NULL), 0);
    assert_int_equal(pthread_join(third.thread, NULL), 0);
    ASSERT_OK(second.joined);
    ASSERT_OK(third.joined);
    assert_int_equal(queue.count, 0);
    mn_commit_queue_release(&queue);
}

/* ---- processes ---- */

struct turn {
    struct mn_lock_file lock;
    pthread_t thread;
    enum mneme_status status;
};

static void *take(void *argument)
{
    struct turn *turn = argument;

    turn->status = mn_lock_file_take(&turn->lock, 30000, NULL);
    return NULL;
}

static void who_had_its_turn_lets_the_one_who_waits_go_first(void **state)
{
    struct place *place = *state;
    struct turn first = { .lock = MN_LOCK_FILE_NONE };
    struct turn second = { .lock = MN_LOCK_FILE_NONE };
    struct mneme_error err;
    char name[128];
    int look;

    ASSERT_OK(mn_lock_file_open(place->file, &first.lock, &err));
    ASSERT_OK(mn_lock_file_open(place->file, &second.lock, &err));
    ASSERT_OK(mn_lock_file_take(&first.lock, 0, &err));
    assert_int_equal(pthread_create(&second.thread, NULL, take, &second), 0);
    (void)snprintf(name, sizeof name, "%s.lock", place->file);
    look = open(name, O_RDWR | O_CLOEXEC);
    for (short held = F_UNLCK; held == F_UNLCK; pause_ms(1)) { /* until it has the place */
        struct flock next = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 1 };

        assert_int_equal(fcntl(look, F_OFD_GETLK, &next), 0);
        held = next.l_type;
    }
    mn_lock_file_give(&first.lock);
    assert_int_equal(mn_lock_file_take(&first.lock, 0, &err), MNEME_UNAVAILABLE);
    assert_int_equal(pthread_join(second.thread, NULL), 0);
    ASSERT_OK(second.status);
    assert_int_equal(mn_lock_file_take(&first.lock, 20, &err), MNEME_UNAVAILABLE);
    mn_lock_file_give(&second.lock);
    ASSERT_OK(mn_lock_file_take(&first.lock, 0, &err));
    (void)close(look);
    mn_lock_file_close(&first.lock);
    mn_lock_file_close(&second.lock);
}

/* ---- stray closes ---- */

/* As a backup or a hash of the file does it. */
static void open_and_close_all(const struct place *place)
{
    static const char *const ends[] = { "", "-wal", "-shm", ".lock" };
    char name[128];

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        int fd;

        (void)snprintf(name, sizeof name, "%s%s", place->file, ends[i]);
        fd = open(name, O_RDONLY | O_CLOEXEC);
        if (fd >= 0)
            (void)close(fd);
    }
}

/* Another process, begun before this one opens a store: SQLite keeps in memory what a process has
 * open, and a child would inherit it. */
struct other {
    pid_t process;
    int orders;
    int answers;
};

/* Does SQLite, any version of it, see that somebody has the file open? Then it is not for the
 * taking. */
static int try_to_own(const struct place *place)
{
    struct flock all = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0x40000002, .l_len = 510
    };
    int file = open(place->file, O_RDWR | O_CLOEXEC);
    int code = file >= 0 && fcntl(file, F_SETLK, &all) < 0 ? 0 : 3;

    (void)close(file);
    return code;
}

#define TRY_TO_OWN (-1)

/* Opens, writes that many rows, closes; 0 when all went well. */
static int open_write_close(const struct place *place, int count)
{
    struct mn_store *store;
    char id[48];

    if (count == TRY_TO_OWN)
        return try_to_own(place);
    store = open_store(place);
    if (!store)
        return 1;
    for (int i = 0; i < count; i++) {
        (void)snprintf(id, sizeof id, "other-%lld-%d", (long long)mn_clock_monotonic_us(), i);
        if (put(store, id, "text", MN_REVISION_NEW, NULL) != MNEME_OK)
            return 2;
    }
    mn_store_free(store);
    return 0;
}

static struct other begin_other(const struct place *place)
{
    struct other other;
    int orders[2], answers[2];
    int count, code;

    assert_int_equal(pipe(orders), 0);
    assert_int_equal(pipe(answers), 0);
    other = (struct other){ fork(), orders[1], answers[0] };
    if (other.process == 0) {
        (void)close(orders[1]);
        while (read(orders[0], &count, sizeof count) == (ssize_t)sizeof count) {
            code = open_write_close(place, count);
            if (write(answers[1], &code, sizeof code) < 0)
                break;
        }
        _exit(0);
    }
    (void)close(orders[0]);
    (void)close(answers[1]);
    return other;
}

static int order_other(const struct other *other, int count)
{
    int code = -1;

    assert_int_equal(write(other->orders, &count, sizeof count), sizeof count);
    return read(other->answers, &code, sizeof code) == (ssize_t)sizeof code ? code : -1;
}

static void end_other(const struct other *other)
{
    (void)close(other->orders);
    (void)close(other->answers);
    assert_int_equal(waitpid(other->process, NULL, 0), other->process);
}

static ino_t log_of(const struct place *place)
{
    struct stat found;
    char name[128];

    (void)snprintf(name, sizeof name, "%s-wal", place->file);
    return stat(name, &found) == 0 ? found.st_ino : 0;
}

static void a_stray_close_does_not_let_another_process_remove_the_log(void **state)
{
    struct place *place = *state;
    const struct other other = begin_other(place);
    struct mn_store *store = open_store(place);
    struct mn_store *again;
    ino_t log;

    ASSERT_OK(put(store, "before", "text", MN_REVISION_NEW, NULL));
    assert_true(has(store, "before"));
    log = log_of(place);
    open_and_close_all(place);
    assert_int_equal(order_other(&other, TRY_TO_OWN), 0);
    assert_int_equal(order_other(&other, 3), 0);
    assert_int_equal(log_of(place), log);
    ASSERT_OK(put(store, "after", "text", MN_REVISION_NEW, NULL));
    again = open_store(place);
    assert_true(has(again, "before"));
    assert_true(has(again, "after"));
    mn_store_free(again);
    open_and_close_all(place);
    mn_store_free(store);
    assert_int_equal(log_of(place), 0); /* who closes last, tidies up */
    assert_int_equal(order_other(&other, TRY_TO_OWN), 3);
    assert_int_equal(order_other(&other, 1), 0);
    store = open_store(place);
    assert_true(has(store, "after"));
    mn_store_free(store);
    end_other(&other);
}

struct walk {
    const struct place *place;
    const struct other *other;
    size_t count;
};

/* In the midst of a read: locks are dropped, and another process writes the log round. */
static void count_text(void *context, const struct mn_kept_text *text)
{
    struct walk *walk = context;

    walk->count += text->kind == MN_KEPT_MEMORY && !text->said;
    if (walk->count != 1 || !walk->place)
        return;
    open_and_close_all(walk->place);
    assert_int_equal(order_other(walk->other, 400), 0);
    walk->place = NULL;
}

static void a_stray_close_does_not_pull_the_log_from_under_a_reader(void **state)
{
    struct place *place = *state;
    const struct other other = begin_other(place);
    struct mn_store *store = open_store(place);
    struct walk undisturbed = { NULL, NULL, 0 };
    struct walk walk = { place, &other, 0 };
    char *large = calloc(1, LARGE_BYTES + 1);
    char id[32];

    assert_non_null(large);
    memset(large, 'x', LARGE_BYTES);
    for (int i = 0; i < 300; i++) { /* more than a connection keeps of pages */
        (void)snprintf(id, sizeof id, "m-%d", i);
        ASSERT_OK(put(store, id, large, MN_REVISION_NEW, NULL));
    }
    free(large);
    ASSERT_OK(store->ops->texts(store, "t", count_text, &undisturbed, NULL));
    assert_true(undisturbed.count >= 300);
    ASSERT_OK(store->ops->texts(store, "t", count_text, &walk, NULL));
    assert_null(walk.place);
    assert_int_equal(walk.count, undisturbed.count);
    mn_store_free(store);
    end_other(&other);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)
    const struct CMUnitTest tests[] = {
        TEST(writers_that_wait_are_written_with_one_wait_for_the_disk),
        TEST(a_request_that_is_refused_does_not_fail_its_group),
        TEST(what_breaks_off_the_transaction_fails_its_own_caller_alone),
        TEST(a_writer_reads_what_it_has_written),
        TEST(who_finds_no_place_waits_for_one),
        TEST(who_had_its_turn_lets_the_one_who_waits_go_first),
        TEST(a_stray_close_does_not_let_another_process_remove_the_log),
        TEST(a_stray_close_does_not_pull_the_log_from_under_a_reader),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
