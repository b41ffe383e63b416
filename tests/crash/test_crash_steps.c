/*
 * test_crash_steps.c - a process is killed at each step by which it changes a file.
 *
 * usage: test_crash_steps KILLS        of each work; as many as it has steps at most
 *
 * Steps (steps.h) are counted once and then spread over the kills. Six works: changing the
 * key, erasing, finishing an erasure that was cut short, which writes the whole file anew, closing,
 * which merges the log, and, where there is the model, making vectors and making them again when
 * another model took the place of theirs. After each kill the store
 * opens in less than a second, with the old key or the new one and never with neither; nothing that was
 * acknowledged is lost, what was erased is gone or all there, the audit is whole, what is derived agrees
 * with the rows, a store loaded afresh answers alike, and vectors are made to the end.
 */
#include "crash/afresh.h"
#include "crash/place.h"
#include "crash/steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/clock.h"

#define ROWS 24
#define OPEN_US_MAX 1000000 /* of CPU, under sanitizers; without them a few milliseconds */
#define MODEL MN_MODELS_DIR "/multilingual-e5-small-q4_0.gguf"
#define VECTORS 5 /* made in the work */
#define OLD_KEY "the old key"
#define NEW_KEY "the new key"

enum work {
    WORK_REKEY,
    WORK_ERASE,
    WORK_COMPACT,
    WORK_CLOSE,
    WORK_EMBED,
    WORK_EMBED_AGAIN,
    WORK_COUNT
};
static const char *const names[] = {
    "changing the key", "erasing", "compacting", "closing", "making vectors",
    "making vectors again",
};

static int kills = 50;
static char former_profile[128]; /* file of a profile that is no longer in force */

static bool makes_vectors(enum work work)
{
    return work == WORK_EMBED || work == WORK_EMBED_AGAIN;
}

/* ---- the store ---- */

/* `profile`: NULL for the one in force. */
static enum mneme_status try_open_with(const char *file, const char *key, const char *model,
                                       const char *profile, struct mneme **ret_handle,
                                       struct mneme_error *err)
{
    struct mneme_options options = MNEME_OPTIONS_INIT;

    options.model_path = model;
    options.profile_path = profile;
    options.store_path = file;
    options.create = 1;
    options.key = key;
    options.key_bytes = strlen(key);
    options.tokenizer = "estimate";
    return mneme_open(&options, ret_handle, err);
}

static enum mneme_status try_open(const char *file, const char *key, struct mneme **ret_handle,
                                  struct mneme_error *err)
{
    return try_open_with(file, key, NULL, NULL, ret_handle, err);
}

static struct mneme *open_with(const char *file, const char *model, const char *profile)
{
    struct mneme *handle = NULL;
    struct mneme_error err;

    if (try_open_with(file, OLD_KEY, model, profile, &handle, &err) != MNEME_OK) {
        fprintf(stderr, "open: %s\n", err.message);
        _exit(9);
    }
    return handle;
}

static void fill(const struct place *place, enum work work)
{
    static char content[ROWS][160];
    static struct mneme_memory memory[ROWS];
    struct mneme_record record[ROWS];
    struct mneme_error err;
    struct mneme *handle;

    place_clear(place);
    handle = work == WORK_EMBED_AGAIN ? open_with(place->file, MODEL, former_profile)
                                      : open_with(place->file, NULL, NULL);
    for (int i = 0; i < ROWS; i++) {
        (void)snprintf(content[i], sizeof content[i], "Crate %d of %s stands at pier %d.", i,
                       i % 2 ? "Bob" : "Ann", i * 3);
        memory[i] = (struct mneme_memory)MNEME_MEMORY_INIT;
        memory[i].tenant_id = "acme";
        memory[i].user_id = i % 2 ? "bob" : "ann";
        memory[i].type = "fact";
        memory[i].content = content[i];
        record[i] = (struct mneme_record){ .kind = MNEME_RECORD_MEMORY, .memory = &memory[i] };
    }
    if (mneme_write(handle, record, ROWS, NULL, NULL, NULL, &err) != MNEME_OK)
        fail_msg("%s", err.message);
    if (work == WORK_EMBED_AGAIN)
        place_run_all(handle);
    mneme_close(handle);
}

/* ---- works ---- */

static void remember(struct mneme *handle)
{
    struct mneme_memory memory = MNEME_MEMORY_INIT;
    struct mneme_error err;

    memory.tenant_id = "acme";
    memory.user_id = "ann";
    memory.type = "fact";
    memory.content = "This one was written last.";
    if (mneme_remember(handle, &memory, NULL, NULL, &err) != MNEME_OK)
        _exit(3);
}

static void erase_bob(struct mneme *handle)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    struct mneme_error err;
    char *receipt = NULL;

    what.scope = MNEME_ERASE_USER;
    what.tenant_id = "acme";
    what.user_id = "bob";
    if (mneme_erase(handle, &what, &receipt, &err) != MNEME_OK)
        _exit(5);
    mneme_free(receipt);
}

struct job {
    const struct place *place;
    enum work work;
};

static void work_on(void *context)
{
    const struct job *job = context;
    enum work work = job->work;
    struct mneme *handle = open_with(job->place->file, makes_vectors(work) ? MODEL : NULL, NULL);
    struct mneme_error err;

    remember(handle);
    steps_count();
    if (work == WORK_REKEY &&
        mneme_rotate_key(handle, NEW_KEY, strlen(NEW_KEY), "operator", &err) != MNEME_OK) {
        fprintf(stderr, "rotate: %s\n", err.message);
        _exit(6);
    }
    if (work == WORK_ERASE)
        erase_bob(handle);
    if (work == WORK_COMPACT && mneme_run_due(handle, 0, NULL, &err) != MNEME_OK)
        _exit(7);
    if (makes_vectors(work) && mneme_run_due(handle, VECTORS, NULL, &err) != MNEME_OK)
        _exit(8);
    if (work == WORK_CLOSE)
        mneme_close(handle);
}

static void run_child(const struct place *place, enum work work, long end, long *ret_steps)
{
    steps_run(work_on, &(struct job){ place, work }, end, ret_steps);
}

/* ---- what is left ---- */

static int note_rotation(void *context, const struct mneme_audit_entry *entry)
{
    if (strcmp(entry->action, "rotate-key") == 0)
        *(bool *)context = true;
    return 0;
}

/* Under which key does it open? */
static struct mneme *open_again(const struct place *place, enum work work, bool *ret_new)
{
    int64_t start_us = mn_clock_cpu_us();
    struct mneme *handle = NULL;
    struct mneme *other = NULL;
    struct mneme_error err;

    *ret_new = false;
    if (try_open(place->file, OLD_KEY, &handle, &err) != MNEME_OK) {
        assert_int_equal(work, WORK_REKEY);
        assert_int_equal(err.status, MNEME_FORBIDDEN);
        start_us = mn_clock_cpu_us();
        if (try_open(place->file, NEW_KEY, &handle, &err) != MNEME_OK)
            fail_msg("%s", err.message);
        *ret_new = true;
    }
    assert_true(mn_clock_cpu_us() - start_us < OPEN_US_MAX);
    assert_int_equal(try_open(place->file, *ret_new ? OLD_KEY : NEW_KEY, &other, &err),
                     MNEME_FORBIDDEN);
    return handle;
}

static size_t rows_of(const struct rows *rows, const char *name)
{
    size_t found = 0;

    for (size_t i = 0; i < rows->count; i++)
        found += strstr(rows->item[i].content, name) != NULL;
    return found;
}

/* The first number of the first row. */
static int ask_sql(const struct place *place, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    sqlite3 *db = NULL;
    int number;

    assert_int_equal(sqlite3_open(place->file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_key(db, OLD_KEY, (int)strlen(OLD_KEY)), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    number = sqlite3_column_int(stmt, 0);
    assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return number;
}

static const struct afresh_request requests[] = {
    { "ann", "Where does crate 8 of Ann stand?" },
    { "bob", "Where does crate 9 of Bob stand?" },
    { "ann", "What was written last?" },
};

/* Made to the end, once each: of the model in force none is lacking, none is of another text. */
static void check_vectors(const struct place *place, enum work work)
{
    static const char fewest[] =
        "SELECT (SELECT count(*) FROM memories) - max(made) FROM"
        " (SELECT count(*) AS made FROM vectors v JOIN memories m ON v.tenant = m.tenant"
        "  AND v.owner = m.owner AND v.unit = m.id AND v.text_hash = m.embed_hash GROUP BY v.profile)";
    struct mneme *handle = open_with(place->file, MODEL, NULL);

    (void)unlink(place->afresh);
    place_run_all(handle);
    afresh_check(handle, open_with(place->afresh, MODEL, NULL), requests,
                 sizeof requests / sizeof *requests);
    mneme_close(handle);
    assert_int_equal(ask_sql(place, fewest), 0);
    assert_int_equal(ask_sql(place, "SELECT count(DISTINCT profile) FROM vectors"),
                     work == WORK_EMBED_AGAIN ? 2 : 1);
}

static void check_store(const struct place *place, enum work work, bool whole)
{
    struct mneme_error err;
    struct mneme *handle;
    struct rows rows;
    bool under_new, in_audit = false;
    size_t of_bob;
    int sound = 0;

    handle = open_again(place, work, &under_new);
    rows_read(handle, &rows);
    assert_int_equal(rows_of(&rows, "of Ann"), ROWS / 2);
    assert_int_equal(rows_with(&rows, "This one was written last."), 1);
    of_bob = rows_of(&rows, "of Bob");
    rows_free(&rows);
    if (work == WORK_COMPACT)
        assert_int_equal(of_bob, 0);
    else if (work != WORK_ERASE)
        assert_int_equal(of_bob, ROWS / 2);
    else
        assert_true(of_bob == 0 || (of_bob == ROWS / 2 && !whole));
    assert_int_equal(mneme_audit_verify(handle, NULL, &sound, NULL, &err), MNEME_OK);
    assert_int_equal(sound, 1);
    assert_int_equal(mneme_audit_list(handle, "", "", "", note_rotation, &in_audit, &err),
                     MNEME_OK);
    assert_int_equal(in_audit, under_new);
    assert_true(under_new || work != WORK_REKEY || !whole);
    afresh_check(handle, place_open_afresh(place), requests, sizeof requests / sizeof *requests);
    remember(handle); /* and can be written */
    mneme_close(handle);
    if (makes_vectors(work))
        check_vectors(place, work);
}

/* What the work finds; erasing_steps: after so many an erasure has been acknowledged, and not settled. */
static void prepare(const struct place *place, enum work work, long erasing_steps)
{
    long ended;

    fill(place, work);
    if (work == WORK_COMPACT)
        run_child(place, WORK_ERASE, erasing_steps, &ended);
}

/* Of the same vectors without the model's means; beside the folder, which is cleared. */
static void write_former_profile(const struct place *place)
{
    FILE *file;

    (void)snprintf(former_profile, sizeof former_profile, "%s.profile", place->folder);
    file = fopen(former_profile, "w");
    assert_non_null(file);
    assert_true(fputs("{\"name\": \"former\", \"dim\": 384}\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void a_store_survives_being_killed_at_each_step(void **state)
{
    struct place place = place_make();
    long erasing_steps = 0;

    (void)state;
    write_former_profile(&place);
    for (int work = 0; work < WORK_COUNT; work++) {
        long all = 0, ended;
        int count;

        if (makes_vectors((enum work)work) && access(MODEL, R_OK) != 0)
            continue;
        prepare(&place, (enum work)work, erasing_steps);
        run_child(&place, (enum work)work, 0, &all);
        assert_true(all >= 2); /* a commit is one write and one wait for the disk */
        if (work == WORK_ERASE)
            erasing_steps = all * 2 / 3;
        check_store(&place, (enum work)work, true);
        count = all < kills ? (int)all : kills;
        for (int i = 0; i < count; i++) {
            prepare(&place, (enum work)work, erasing_steps);
            run_child(&place, (enum work)work, 1 + all * i / count, &ended);
            check_store(&place, (enum work)work, ended >= 0);
        }
        printf("%d kills over the %ld steps of %s\n", count, all, names[work]);
    }
    place_remove(&place);
    (void)unlink(former_profile);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(
        a_store_survives_being_killed_at_each_step) };

    if (argc > 1)
        kills = atoi(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
