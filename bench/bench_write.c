/*
 * bench_write.c - what a durable write costs, beside what the disk takes for one.
 *
 * usage: bench_write FOLDER [ONE [SECONDS [BULK]]]         400 4 20000
 *
 * In a new folder below FOLDER, without a model:
 *
 *   one      ONE memories, one client, each between two raw appends of 8 KB with fdatasync: wall
 *            and CPU time of both.
 *   clients  1 and 64 threads by turns on one handle, each writing memories of its own; SECONDS of
 *            both, in four turns, so that both write to a store of one size.
 *   bulk     BULK rows through mneme_write(), and the same rows by bare INSERT into the same tables
 *            with the same settings; 500 rows a transaction both.
 *
 * Texts are seeded words, so that no two are look-alikes.
 */
#include <mneme/mneme.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/clock.h"

#define APPEND_BYTES 8192
#define CLIENTS 64
#define TURNS 4
#define BATCH 500
#define TEXT_BYTES 160
#define COLUMNS 39 /* of the table memories */

static void stop(const char *what)
{
    fprintf(stderr, "bench_write: %s\n", what);
    exit(1);
}

/* ---- made-up memories ---- */

static uint64_t mix(uint64_t seed)
{
    seed += 0x9e3779b97f4a7c15u;
    seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9u;
    seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebu;
    return seed ^ (seed >> 31);
}

static void write_text(uint64_t seed, char text[TEXT_BYTES])
{
    size_t at = 0;

    for (int word = 0; word < 12; word++) {
        uint64_t letters = mix(mix(seed + (uint64_t)word * 1000003) % 5000);
        int length = 4 + (int)(letters % 6);

        for (int i = 0; i < length; i++, letters /= 26)
            text[at++] = (char)('a' + letters % 26);
        text[at++] = ' ';
    }
    text[at - 1] = '.';
    text[at] = '\0';
}

static void remember(struct mneme *handle, uint64_t seed)
{
    struct mneme_memory memory = MNEME_MEMORY_INIT;
    struct mneme_error err;
    char text[TEXT_BYTES];

    write_text(seed, text);
    memory.tenant_id = "acme";
    memory.user_id = "ann";
    memory.type = "fact";
    memory.content = text;
    if (mneme_remember(handle, &memory, NULL, NULL, &err) != MNEME_OK)
        stop(err.message);
}

static struct mneme *open_store(const char *folder, const char *name, char path[256])
{
    struct mneme_options options = MNEME_OPTIONS_INIT;
    struct mneme *handle = NULL;
    struct mneme_error err;

    (void)snprintf(path, 256, "%s/%s", folder, name);
    options.store_path = path;
    options.create = 1;
    if (mneme_open(&options, &handle, &err) != MNEME_OK)
        stop(err.message);
    return handle;
}

/* ---- one client ---- */

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static double percentile_ms(int64_t *us, size_t count, double share)
{
    qsort(us, count, sizeof *us, compare);
    return (double)us[(size_t)((double)(count - 1) * share)] / 1000.0;
}

static void bench_one(const char *folder, size_t count)
{
    static const char bytes[APPEND_BYTES] = "x";
    char path[256];
    struct mneme *handle = open_store(folder, "one.mneme", path);
    int64_t *raw = calloc(count, sizeof *raw);
    int64_t *wall = calloc(count, sizeof *wall);
    int64_t *cpu = calloc(count, sizeof *cpu);
    int64_t *raw_cpu = calloc(count, sizeof *raw_cpu);
    int file;

    (void)snprintf(path, sizeof path, "%s/raw", folder);
    file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0 || !raw || !wall || !cpu || !raw_cpu)
        stop("no file or no memory");
    for (size_t i = 0; i < count; i++) {
        int64_t start_us = mn_clock_monotonic_us();

        raw_cpu[i] = mn_clock_cpu_us();
        if (write(file, bytes, sizeof bytes) != APPEND_BYTES || fdatasync(file) != 0)
            stop("the raw file cannot be written");
        raw_cpu[i] = mn_clock_cpu_us() - raw_cpu[i];
        raw[i] = mn_clock_monotonic_us() - start_us;
        start_us = mn_clock_monotonic_us();
        cpu[i] = mn_clock_cpu_us();
        remember(handle, i);
        cpu[i] = mn_clock_cpu_us() - cpu[i];
        wall[i] = mn_clock_monotonic_us() - start_us;
    }
    double raw_ms = percentile_ms(raw, count, 0.5);
    double wall_ms = percentile_ms(wall, count, 0.5);
    printf("one      raw p50 %.3f ms, write p50 %.3f ms (%.2fx) p95 %.3f ms\n", raw_ms, wall_ms,
           wall_ms / raw_ms, percentile_ms(wall, count, 0.95));
    printf("         CPU p50 %.3f ms a write, %.3f ms a raw append\n",
           percentile_ms(cpu, count, 0.5), percentile_ms(raw_cpu, count, 0.5));
    (void)close(file);
    mneme_close(handle);
    free(raw);
    free(wall);
    free(cpu);
    free(raw_cpu);
}

/* ---- many clients ---- */

struct client {
    struct mneme *handle;
    uint64_t seed;
    int64_t until_us;
    size_t done;
};

static void *run_client(void *argument)
{
    struct client *client = argument;

    while (mn_clock_monotonic_us() < client->until_us)
        remember(client->handle, client->seed + client->done++);
    return NULL;
}

static double writes_a_second(struct mneme *handle, size_t count, uint64_t seed, int64_t for_us)
{
    pthread_t thread[CLIENTS];
    struct client client[CLIENTS];
    int64_t start_us = mn_clock_monotonic_us();
    size_t done = 0;

    for (size_t i = 0; i < count; i++) {
        client[i] = (struct client){ handle, mix(seed + i), start_us + for_us, 0 };
        if (pthread_create(&thread[i], NULL, run_client, &client[i]) != 0)
            stop("no thread");
    }
    for (size_t i = 0; i < count; i++) {
        (void)pthread_join(thread[i], NULL);
        done += client[i].done;
    }
    return (double)done * 1e6 / (double)(mn_clock_monotonic_us() - start_us);
}

static void bench_clients(const char *folder, int seconds)
{
    char path[256];
    struct mneme *handle = open_store(folder, "clients.mneme", path);
    int64_t for_us = seconds * INT64_C(1000000) / TURNS;
    double one = 0, many = 0;

    for (uint64_t turn = 0; turn < TURNS; turn++) {
        one += writes_a_second(handle, 1, turn * 1000, for_us) / TURNS;
        many += writes_a_second(handle, CLIENTS, turn * 1000 + 500, for_us) / TURNS;
    }
    printf("clients  1: %.0f writes/s, %d: %.0f writes/s (%.2fx)\n", one, CLIENTS, many,
           many / one);
    mneme_close(handle);
}

/* ---- in bulk ---- */

static void run_sql(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        stop(sqlite3_errmsg(db));
}

static sqlite3 *open_bare(const char *path)
{
    sqlite3 *db = NULL;

    if (sqlite3_open(path, &db) != SQLITE_OK)
        stop(sqlite3_errmsg(db));
    run_sql(db, "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA cache_size = -8000;");
    return db;
}

static void write_rows(struct mneme *handle, size_t count)
{
    static char text[BATCH][TEXT_BYTES];
    static struct mneme_memory memory[BATCH];
    struct mneme_record record[BATCH];
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_error err;

    change.without_embedding = 1;
    for (size_t at = 0; at < count; at += BATCH) {
        size_t rows = count - at < BATCH ? count - at : BATCH;

        for (size_t i = 0; i < rows; i++) {
            write_text((uint64_t)(at + i) << 20, text[i]);
            memory[i] = (struct mneme_memory)MNEME_MEMORY_INIT;
            memory[i].tenant_id = "acme";
            memory[i].user_id = "ann";
            memory[i].type = "fact";
            memory[i].content = text[i];
            record[i] = (struct mneme_record){ .kind = MNEME_RECORD_MEMORY, .memory = &memory[i] };
        }
        if (mneme_write(handle, record, rows, &change, NULL, NULL, &err) != MNEME_OK)
            stop(err.message);
    }
}

/* All rows as the store has them, in the order they were written. */
static sqlite3_value **read_rows(const char *path, size_t count)
{
    sqlite3 *db = open_bare(path);
    sqlite3_value **value = calloc(count * COLUMNS, sizeof *value);
    sqlite3_stmt *stmt = NULL;
    size_t row = 0;

    if (!value ||
        sqlite3_prepare_v2(db, "SELECT * FROM memories ORDER BY id", -1, &stmt, NULL) !=
            SQLITE_OK ||
        sqlite3_column_count(stmt) != COLUMNS)
        stop("the rows cannot be read");
    for (; sqlite3_step(stmt) == SQLITE_ROW && row < count; row++)
        for (int i = 0; i < COLUMNS; i++)
            value[row * COLUMNS + (size_t)i] = sqlite3_value_dup(sqlite3_column_value(stmt, i));
    if (row != count)
        stop("rows are missing");
    (void)sqlite3_finalize(stmt);
    (void)sqlite3_close(db);
    return value;
}

static void insert_rows(sqlite3 *db, sqlite3_value **value, size_t count)
{
    char sql[256] = "INSERT INTO memories VALUES (?";
    sqlite3_stmt *stmt = NULL;

    for (int i = 1; i < COLUMNS; i++)
        strcat(sql, ",?");
    strcat(sql, ")");
    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
        stop(sqlite3_errmsg(db));
    for (size_t row = 0; row < count; row++) {
        if (row % BATCH == 0)
            run_sql(db, "BEGIN IMMEDIATE");
        for (int i = 0; i < COLUMNS; i++)
            (void)sqlite3_bind_value(stmt, i + 1, value[row * COLUMNS + (size_t)i]);
        if (sqlite3_step(stmt) != SQLITE_DONE)
            stop(sqlite3_errmsg(db));
        (void)sqlite3_reset(stmt);
        if (row % BATCH == BATCH - 1 || row + 1 == count)
            run_sql(db, "COMMIT");
    }
    (void)sqlite3_finalize(stmt);
}

static void bench_bulk(const char *folder, size_t count)
{
    char path[256], bare_path[256];
    struct mneme *handle = open_store(folder, "bulk.mneme", path);
    int64_t start_us = mn_clock_monotonic_us();
    int64_t start_cpu_us = mn_clock_cpu_us();

    write_rows(handle, count);
    double own = (double)(mn_clock_monotonic_us() - start_us) / 1e6;
    double own_cpu = (double)(mn_clock_cpu_us() - start_cpu_us) / 1e6;
    mneme_close(handle);
    sqlite3_value **value = read_rows(path, count);
    mneme_close(open_store(folder, "bare.mneme", bare_path));
    sqlite3 *db = open_bare(bare_path);
    start_us = mn_clock_monotonic_us();
    start_cpu_us = mn_clock_cpu_us();
    insert_rows(db, value, count);
    double bare = (double)(mn_clock_monotonic_us() - start_us) / 1e6;
    double bare_cpu = (double)(mn_clock_cpu_us() - start_cpu_us) / 1e6;
    (void)sqlite3_close(db);
    for (size_t i = 0; i < count * COLUMNS; i++)
        sqlite3_value_free(value[i]);
    free(value);
    printf("bulk     mneme_write %.0f rows/s, bare INSERT %.0f rows/s (%.2fx); CPU %.3f and %.3f "
           "ms a row\n",
           (double)count / own, (double)count / bare, bare / own, own_cpu * 1e3 / (double)count,
           bare_cpu * 1e3 / (double)count);
}

static size_t number(int argc, char **argv, int at, size_t otherwise)
{
    return argc > at ? strtoull(argv[at], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    static const char *const files[] = { "one.mneme", "clients.mneme", "bulk.mneme", "bare.mneme",
                                         "raw" };
    static const char *const endings[] = { "", ".lock", "-wal", "-shm" };
    char folder[200], path[256];

    if (argc < 2) {
        fprintf(stderr, "usage: bench_write FOLDER [ONE [SECONDS [BULK]]]\n");
        return 2;
    }
    (void)snprintf(folder, sizeof folder, "%s/bench-write-XXXXXX", argv[1]);
    if (!mkdtemp(folder))
        stop("the folder cannot be written");
    if (number(argc, argv, 2, 400))
        bench_one(folder, number(argc, argv, 2, 400));
    if (number(argc, argv, 3, 4))
        bench_clients(folder, (int)number(argc, argv, 3, 4));
    if (number(argc, argv, 4, 20000))
        bench_bulk(folder, number(argc, argv, 4, 20000));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (size_t j = 0; j < sizeof endings / sizeof *endings; j++) {
            (void)snprintf(path, sizeof path, "%s/%s%s", folder, files[i], endings[j]);
            (void)unlink(path);
        }
    return rmdir(folder) == 0 ? 0 : 1;
}
