/*
 * scan_play.c - rows, lists and requests drawn from a fuzzer's bytes; when those are used up, from a
 * generator that they seeded.
 */
#include "fakes/scan_play.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 45
#define LIST 60 /* rows may be listed more than once */
#define TAG 0x80000000u

struct play {
    const uint8_t *data;
    size_t size;
    uint64_t state;
};

static uint8_t next(struct play *p)
{
    if (p->size) {
        p->size--;
        p->state = (p->state ^ *p->data) * UINT64_C(0x100000001b3);
        return *p->data++;
    }
    p->state ^= p->state << 13;
    p->state ^= p->state >> 7;
    p->state ^= p->state << 17;
    return (uint8_t)(p->state >> 32);
}

/* Between -1 and 1; now and then 0. */
static float next_float(struct play *p)
{
    return (float)((int)(next(p) | next(p) << 8) - 32768) / 32768;
}

static void *room(size_t bytes)
{
    void *block = malloc(bytes ? bytes : 1);

    if (!block)
        abort();
    return block;
}

static void check(bool good, const struct mn_scan *way, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "scan_play: %s and plain: another %s\n", way->name, what);
    abort();
}

/* Blocks of exactly their size, so that a read of one byte too many is seen. */
static uint8_t *bytes(struct play *p, size_t count)
{
    uint8_t *made = room(count);
    unsigned kind = next(p) % 8; /* extremes as well */

    for (size_t i = 0; i < count; i++)
        made[i] = kind == 0 ? 255 : kind == 1 ? 0 : next(p);
    return made;
}

static float *floats(struct play *p, size_t count)
{
    float *made = room(count * sizeof *made);

    for (size_t i = 0; i < count; i++)
        made[i] = next_float(p);
    return made;
}

static void play_offer(struct play *p, const struct mn_scan *way, size_t stride)
{
    uint8_t *coarse = bytes(p, ROWS * mn_scan_row_bytes(stride));
    uint8_t *drawn = bytes(p, stride);
    const struct mn_scan_rows rows = { coarse, stride };
    struct mn_scan_request request = { .scale = next_float(p), .bias = next_float(p) };
    int8_t *code = room(stride);
    uint32_t list[LIST];
    struct mn_scored ours[ROWS], theirs[ROWS];
    size_t keep = next(p) % (ROWS + 1), count = next(p) % (LIST + 1);
    struct mn_best a = { ours, 0, keep }, b = { theirs, 0, keep };

    for (size_t row = 0; row < ROWS; row++) {
        const struct mn_scan_factors by = { next_float(p), next_float(p) };

        memcpy(coarse + row * mn_scan_row_bytes(stride) + stride / 2, &by, sizeof by);
    }
    for (size_t i = 0; i < stride; i++) {
        code[i] = (int8_t)(drawn[i] == 128 ? 127 : drawn[i]);
        request.code_sum += code[i];
    }
    request.code = code;
    for (size_t i = 0; i < count; i++)
        list[i] = next(p) % ROWS;
    mn_scan_plain.offer(&rows, list, count, &request, TAG, &a);
    way->offer(&rows, list, count, &request, TAG, &b);
    check(a.count == b.count && !memcmp(ours, theirs, a.count * sizeof *ours), way, "choice");
    free(coarse);
    free(drawn);
    free(code);
}

static void play_sift(struct play *p, const struct mn_scan *way, size_t stride)
{
    uint8_t *block = bytes(p, mn_sift_block_bytes(stride));
    uint8_t *table = bytes(p, stride / 4 * MN_SIFT_TABLE);
    uint8_t *tail = block + stride / 8 * MN_SIFT_ROWS;
    const struct mn_sift_request request = { table, next_float(p), 64 * next_float(p),
                                             next_float(p) };
    float least = 64 * next_float(p), ours[MN_SIFT_ROWS], theirs[MN_SIFT_ROWS];

    for (size_t i = 0; i < stride / 4 * MN_SIFT_TABLE; i++) /* the two halves of one are the same */
        table[i] = i % 32 < 16 ? table[i] % (MN_SIFT_MOST + 1) : table[i - 16];
    for (size_t i = 0; i < 2 * MN_SIFT_ROWS; i++) { /* no number that is none */
        float value = next_float(p);
        uint32_t bits;

        memcpy(&bits, &value, sizeof bits);
        tail[2 * i] = (uint8_t)(bits >> 16);
        tail[2 * i + 1] = (uint8_t)(bits >> 24);
    }
    uint32_t a = mn_scan_plain.sift(block, stride, &request, least, ours);
    uint32_t b = way->sift(block, stride, &request, least, theirs);
    check(a == b, way, "sieve");
    check(!a || !memcmp(ours, theirs, sizeof ours), way, "score of signs");
    float edge = ours[next(p) % MN_SIFT_ROWS]; /* what just reaches it is in */
    check(mn_scan_plain.sift(block, stride, &request, edge, ours) ==
              way->sift(block, stride, &request, edge, theirs),
          way, "edge of the sieve");
    free(block);
    free(table);
}

static void play_dots(struct play *p, const struct mn_scan *way, size_t stride)
{
    uint8_t *coarse = bytes(p, stride / 2), *rest = bytes(p, stride);
    int most = mn_scan_fine_max(stride), extreme = next(p) % 4 == 0;
    int16_t *vector[3];
    int32_t ours[3], theirs[3];
    float *a = floats(p, stride), *b = floats(p, stride);

    for (size_t v = 0; v < 3; v++) {
        vector[v] = room(stride * sizeof **vector);
        for (size_t i = 0; i < stride; i++)
            vector[v][i] = (int16_t)(extreme ? (v ? -most : most)
                                             : (next(p) | next(p) << 8) % (2 * most + 1) - most);
    }
    const int16_t *const three[3] = { vector[0], vector[1], vector[2] };
    mn_scan_plain.dots(coarse, rest, stride, three, ours);
    way->dots(coarse, rest, stride, three, theirs);
    check(!memcmp(ours, theirs, sizeof ours), way, "fine score");
    float x = mn_scan_dot(a, b, stride), y = way->dot(a, b, stride);
    check(!memcmp(&x, &y, sizeof x), way, "product of floats");
    for (size_t v = 0; v < 3; v++)
        free(vector[v]);
    free(coarse);
    free(rest);
    free(a);
    free(b);
}

void scan_play(const struct mn_scan *way, const uint8_t *data, size_t size)
{
    static const size_t STRIDE[] = { 64, 128, 192, 256, 320, 384, 448, 1024, 1088, 4096 };
    struct play p = { data, size, 88172645463325252u };
    size_t stride = STRIDE[next(&p) % 64 % (sizeof STRIDE / sizeof STRIDE[0])];

    play_offer(&p, way, stride);
    play_sift(&p, way, stride);
    play_dots(&p, way, stride);
}
