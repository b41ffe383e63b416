/*
 * replay_main.c - runs a fuzz program without libFuzzer.
 *
 * gcc has no libFuzzer, and tests must not depend on chance: this replays each file of the corpus
 * folders given, then a fixed number of mutations of each, from a fixed seed. It finds what is near
 * the corpus; the preset fuzz searches further.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MUTATIONS_PER_FILE = 2000, INPUT_BYTES_MAX = 1 << 20 };

static uint64_t seed = 0x9e3779b97f4a7c15u;

static uint64_t next_random(void) /* xorshift64* */
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * 0x2545f4914f6cdd1du;
}

/* The input lies in a block of exactly its size, so that ASan sees a read of one byte too many. */
static void run_one(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);

    if (!copy)
        abort();
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

/* Changes, drops, doubles or cuts; 1..4 times. Stays within `size` and its buffer. */
static size_t mutate(uint8_t *data, size_t size, size_t buffer_bytes)
{
    static const char *const tokens[] = { "\"", "\\u0000", "{", "}", "[",     "]",
                                          "\n", "\xff",    "-", ":", "1e999", "null" };

    for (uint64_t steps = 1 + next_random() % 4; steps > 0 && size > 0; steps--) {
        size_t at = next_random() % size;
        size_t span = 1 + next_random() % (size - at);

        switch (next_random() % 5) {
        case 0:
            data[at] = (uint8_t)next_random();
            break;
        case 1:
            data[at] ^= (uint8_t)(1u << next_random() % 8);
            break;
        case 2: /* drop a span */
            memmove(data + at, data + at + span, size - at - span);
            size -= span;
            break;
        case 3: /* double a span */
            if (size + span <= buffer_bytes) {
                memmove(data + at + span, data + at, size - at);
                size += span;
            }
            break;
        default: {
            const char *token = tokens[next_random() % (sizeof tokens / sizeof *tokens)];
            size_t bytes = strlen(token);

            if (size + bytes <= buffer_bytes) {
                memmove(data + at + bytes, data + at, size - at);
                memcpy(data + at, token, bytes);
                size += bytes;
            }
        }
        }
    }
    return size;
}

static int run_file(const char *path)
{
    static uint8_t original[INPUT_BYTES_MAX], mutated[2 * INPUT_BYTES_MAX];
    FILE *file = fopen(path, "rb");
    size_t size;

    if (!file) {
        perror(path);
        return -1;
    }
    size = fread(original, 1, sizeof original, file);
    fclose(file);
    run_one(original, size);
    for (int i = 0; i < MUTATIONS_PER_FILE; i++) {
        memcpy(mutated, original, size);
        run_one(mutated, mutate(mutated, size, sizeof mutated));
    }
    return 0;
}

static int run_folder(const char *folder)
{
    struct dirent **entry;
    int count = scandir(folder, &entry, NULL, alphasort); /* sorted: the same inputs each time */
    int files = 0;

    if (count < 0) {
        perror(folder);
        return -1;
    }
    for (int i = 0; i < count; i++) {
        char path[4096];
        struct stat about;

        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        if (files >= 0 && stat(path, &about) == 0 && S_ISREG(about.st_mode))
            files = run_file(path) == 0 ? files + 1 : -1;
        free(entry[i]);
    }
    free(entry);
    return files;
}

int main(int argc, char **argv)
{
    int files = 0;

    run_one((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++) {
        int here = run_folder(argv[i]);

        if (here < 0)
            return 1;
        files += here;
    }
    printf("%d files, %d mutations of each\n", files, MUTATIONS_PER_FILE);
    return argc > 1 && files == 0; /* an empty corpus is a mistake in CMakeLists.txt */
}
