/*
 * test_model_cache.c - vectors kept in a file: found again, cut off, damaged, shared by processes.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "fakes/fake_model.h"
#include "model/model_cache.h"

#define DIM 8
#define HEAD_BYTES 16
#define RECORD_BYTES (32 + 4 * DIM + 8)

struct folder {
    char path[64];
    char file[96];
};

static int make_folder(void **state)
{
    struct folder *folder = calloc(1, sizeof *folder);

    if (!folder)
        return 1;
    strcpy(folder->path, "/tmp/mneme-cache-XXXXXX");
    if (!mkdtemp(folder->path))
        return 1;
    snprintf(folder->file, sizeof folder->file, "%s/vectors", folder->path);
    *state = folder;
    return 0;
}

static int remove_folder(void **state)
{
    struct folder *folder = *state;

    unlink(folder->file);
    rmdir(folder->path);
    free(folder);
    return 0;
}

static struct mn_model *open_cache(const char *file)
{
    struct mn_model *cache = NULL;
    struct mneme_error err;

    assert_int_equal(mn_model_cache_new(fake_model_new(DIM), file, &cache, &err), MNEME_OK);
    return cache;
}

static void embed(struct mn_model *model, const char *text, float *vector)
{
    assert_int_equal(mn_model_embed(model, MN_EMBED_PASSAGE, text, vector, NULL), MNEME_OK);
}

static off_t file_bytes(const char *file)
{
    struct stat about;

    assert_int_equal(stat(file, &about), 0);
    return about.st_size;
}

static void check_counts(const struct mn_model *cache, size_t found, size_t made)
{
    assert_int_equal(mn_model_cache_counts(cache).found, found);
    assert_int_equal(mn_model_cache_counts(cache).made, made);
}

static void a_vector_is_made_once_and_found_by_the_next_process(void **state)
{
    const char *file = ((struct folder *)*state)->file;
    float first[DIM], again[DIM];
    struct mn_model *cache = open_cache(file);

    embed(cache, "redis 缓存", first);
    embed(cache, "ＲＥＤＩＳ 緩存", again); /* the same text once folded */
    assert_memory_equal(first, again, sizeof first);
    check_counts(cache, 1, 1);
    mn_model_free(cache);
    assert_int_equal(file_bytes(file), HEAD_BYTES + RECORD_BYTES);

    cache = open_cache(file);
    embed(cache, "redis 缓存", again);
    assert_memory_equal(first, again, sizeof first);
    check_counts(cache, 1, 0);
    mn_model_free(cache);
}

static void a_request_is_not_a_passage(void **state)
{
    const char *file = ((struct folder *)*state)->file;
    struct mn_model *cache = open_cache(file);
    float vector[DIM];

    embed(cache, "one", vector);
    assert_int_equal(mn_model_embed(cache, MN_EMBED_REQUEST, "one", vector, NULL), MNEME_OK);
    check_counts(cache, 0, 2);
    mn_model_free(cache);
}

static void a_record_cut_off_is_made_again_and_overwritten(void **state)
{
    const char *file = ((struct folder *)*state)->file;
    struct mn_model *cache = open_cache(file);
    float vector[DIM];

    embed(cache, "one", vector);
    embed(cache, "two", vector);
    mn_model_free(cache);
    assert_int_equal(truncate(file, HEAD_BYTES + 2 * RECORD_BYTES - 1), 0);

    cache = open_cache(file);
    embed(cache, "one", vector);
    embed(cache, "two", vector);
    check_counts(cache, 1, 1);
    mn_model_free(cache);
    assert_int_equal(file_bytes(file), HEAD_BYTES + 2 * RECORD_BYTES);
}

static void flip_byte(const char *file, off_t at)
{
    int fd = open(file, O_RDWR);
    unsigned char byte;

    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 1;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

static void a_damaged_record_is_never_believed(void **state)
{
    const char *file = ((struct folder *)*state)->file;
    struct mn_model *cache = open_cache(file);
    float good[DIM], vector[DIM];

    embed(cache, "one", good);
    flip_byte(file, HEAD_BYTES + 32 + 4); /* while it is open */
    embed(cache, "one", vector);
    assert_memory_equal(good, vector, sizeof good);
    check_counts(cache, 0, 2);
    mn_model_free(cache);

    cache = open_cache(file); /* the first is skipped, the second found */
    embed(cache, "one", vector);
    assert_memory_equal(good, vector, sizeof good);
    check_counts(cache, 1, 0);
    mn_model_free(cache);
}

static void a_file_of_something_else_is_refused_and_left_alone(void **state)
{
    const char *file = ((struct folder *)*state)->file;
    struct mn_model *inner = fake_model_new(DIM), *cache = NULL;
    struct mneme_error err;
    FILE *out = fopen(file, "w");

    fputs("these are somebody's notes\n", out);
    fclose(out);
    assert_int_equal(mn_model_cache_new(inner, file, &cache, &err), MNEME_CORRUPT);
    assert_string_equal(err.field, "embedding_cache_path");
    assert_null(cache);
    assert_int_equal(file_bytes(file), 27);
    mn_model_free(inner);
}

static void vectors_of_another_dimension_are_refused(void **state)
{
    const char *file = ((struct folder *)*state)->file;
    struct mn_model *inner = fake_model_new(DIM + 1), *cache = NULL;
    struct mneme_error err;

    mn_model_free(open_cache(file));
    assert_int_equal(mn_model_cache_new(inner, file, &cache, &err), MNEME_CORRUPT);
    mn_model_free(inner);
}

static void a_folder_that_is_not_there_is_unavailable(void **state)
{
    struct mn_model *inner = fake_model_new(DIM), *cache = NULL;
    struct mneme_error err;

    (void)state;
    assert_int_equal(mn_model_cache_new(inner, "/nowhere/at/all", &cache, &err),
                     MNEME_UNAVAILABLE);
    mn_model_free(inner);
}

static void a_failing_model_fails_and_nothing_is_kept(void **state)
{
    const char *file = ((struct folder *)*state)->file;
    struct mn_model *inner = fake_model_new(DIM), *cache = NULL;
    float vector[DIM];

    assert_int_equal(mn_model_cache_new(inner, file, &cache, NULL), MNEME_OK);
    fake_model_fail_after(inner, 0, MNEME_UNAVAILABLE);
    assert_int_equal(mn_model_embed(cache, MN_EMBED_PASSAGE, "one", vector, NULL),
                     MNEME_UNAVAILABLE);
    assert_int_equal(file_bytes(file), HEAD_BYTES);
    fake_model_fail_after(inner, 0, MNEME_OK);
    embed(cache, "one", vector);
    fake_model_fail_after(inner, 0, MNEME_UNAVAILABLE);
    embed(cache, "one", vector); /* from the file */
    mn_model_free(cache);
}

/* Each process embeds texts `from`, `from` + 1, ... */
static void embed_some(const char *file, int from, int count)
{
    struct mn_model *cache = open_cache(file);
    float vector[DIM];
    char text[32];

    for (int i = from; i < from + count; i++) {
        snprintf(text, sizeof text, "text number %d", i);
        embed(cache, text, vector);
    }
    mn_model_free(cache);
}

static void two_processes_append_without_harm(void **state)
{
    const char *file = ((struct folder *)*state)->file;
    struct mn_model *cache = open_cache(file);
    pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        embed_some(file, 0, 700);
        _exit(0);
    }
    embed_some(file, 350, 1400); /* half of the child's, and more than the first table holds */
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);

    float vector[DIM];
    embed(cache, "brings it up to date", vector);
    for (int i = 0; i < 1750; i++) {
        char text[32];

        snprintf(text, sizeof text, "text number %d", i);
        embed(cache, text, vector);
    }
    check_counts(cache, 1750, 1);
    mn_model_free(cache);
    assert_int_equal((file_bytes(file) - HEAD_BYTES) % RECORD_BYTES, 0);
}

/* ---- codes of tokens ---- */

static struct mn_model *open_cache_of_tokens(const char *file)
{
    struct mn_model *cache = NULL;
    struct mneme_error err;

    assert_int_equal(mn_model_cache_new(fake_model_with_tokens(DIM), file, &cache, &err), MNEME_OK);
    return cache;
}

static void embed_tokens(struct mn_model *model, enum mn_embed_kind kind, const char *text,
                         struct mn_buf *codes)
{
    float vector[DIM], alone[DIM];

    assert_int_equal(mn_model_embed_tokens(model, kind, text, vector, codes, NULL), MNEME_OK);
    assert_int_equal(mn_model_embed(model, kind, text, alone, NULL), MNEME_OK);
    assert_memory_equal(vector, alone, sizeof vector);
}

static void codes_of_tokens_are_found_again_in_pieces(void **state)
{
    const char *file = ((struct folder *)*state)->file;
    struct mn_model *cache = open_cache_of_tokens(file);
    MN_BUF_AUTO made = { 0 };
    MN_BUF_AUTO asked = { 0 };
    MN_BUF_AUTO none = { 0 };
    MN_BUF_AUTO found = { 0 };

    embed_tokens(cache, MN_EMBED_PASSAGE, "the harbour crane", &made);
    embed_tokens(cache, MN_EMBED_REQUEST, "the harbour crane", &asked);
    embed_tokens(cache, MN_EMBED_PASSAGE, " ", &none);
    assert_int_equal(made.bytes, 3 * MN_TOKEN_PASSAGE_BYTES);
    assert_int_equal(asked.bytes, 3 * MN_TOKEN_REQUEST_BYTES);
    assert_int_equal(none.bytes, 0);
    check_counts(cache, 3, 3); /* each once more, for its vector alone */
    mn_model_free(cache);

    cache = open_cache_of_tokens(file);
    embed_tokens(cache, MN_EMBED_PASSAGE, "the harbour crane", &found);
    assert_int_equal(found.bytes, made.bytes);
    assert_memory_equal(found.at, made.at, made.bytes);
    embed_tokens(cache, MN_EMBED_REQUEST, "the harbour crane", &found); /* behind what is there */
    assert_int_equal(found.bytes, made.bytes + asked.bytes);
    assert_memory_equal(found.at + made.bytes, asked.at, asked.bytes);
    embed_tokens(cache, MN_EMBED_PASSAGE, " ", &none);
    assert_int_equal(none.bytes, 0);
    check_counts(cache, 6, 0);
    mn_model_free(cache);
}

static void codes_of_which_a_piece_is_missing_are_made_again(void **state)
{
    const char *file = ((struct folder *)*state)->file;
    struct mn_model *cache = open_cache_of_tokens(file);
    MN_BUF_AUTO made = { 0 };
    MN_BUF_AUTO again = { 0 };

    embed_tokens(cache, MN_EMBED_PASSAGE, "the harbour crane", &made);
    mn_model_free(cache);
    assert_int_equal(truncate(file, file_bytes(file) - RECORD_BYTES), 0);
    cache = open_cache_of_tokens(file);
    embed_tokens(cache, MN_EMBED_PASSAGE, "the harbour crane", &again);
    check_counts(cache, 1, 1);
    assert_int_equal(again.bytes, made.bytes);
    assert_memory_equal(again.at, made.at, made.bytes);
    assert_int_equal(mn_model_cache_clear(cache, NULL), MNEME_OK);
    assert_int_equal(file_bytes(file), HEAD_BYTES); /* codes as well as vectors */
    mn_model_free(cache);
}

static void a_model_without_tokens_has_none_behind_a_cache(void **state)
{
    const char *file = ((struct folder *)*state)->file;
    struct mn_model *cache = open_cache(file);
    MN_BUF_AUTO codes = { 0 };

    assert_false(mn_model_gives_tokens(cache));
    embed_tokens(cache, MN_EMBED_PASSAGE, "one", &codes);
    assert_int_equal(codes.bytes, 0);
    assert_int_equal(mn_model_token_states(cache, MN_EMBED_PASSAGE, "one", &codes, NULL),
                     MNEME_UNAVAILABLE);
    mn_model_free(cache);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_vector_is_made_once_and_found_by_the_next_process),
        IN_FOLDER(a_request_is_not_a_passage),
        IN_FOLDER(a_record_cut_off_is_made_again_and_overwritten),
        IN_FOLDER(a_damaged_record_is_never_believed),
        IN_FOLDER(a_file_of_something_else_is_refused_and_left_alone),
        IN_FOLDER(vectors_of_another_dimension_are_refused),
        IN_FOLDER(a_folder_that_is_not_there_is_unavailable),
        IN_FOLDER(a_failing_model_fails_and_nothing_is_kept),
        IN_FOLDER(two_processes_append_without_harm),
        IN_FOLDER(codes_of_tokens_are_found_again_in_pieces),
        IN_FOLDER(codes_of_which_a_piece_is_missing_are_made_again),
        IN_FOLDER(a_model_without_tokens_has_none_behind_a_cache),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
