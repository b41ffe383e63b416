/*
 * timing.h - what a benchmark takes time with: two clocks, and percentiles of what they said.
 *
 * CPU time is that of the whole process, so that a helper thread would not go unseen; wall time is
 * what a caller waits. On a machine that does other work only the first can be compared between
 * runs, and ratios of figures taken by turns in one run are better still.
 */
#ifndef MN_BENCH_TIMING_H
#define MN_BENCH_TIMING_H

#include <stddef.h>
#include <stdlib.h>
#include <time.h>

struct lap {
    double cpu_us;
    double wall_us;
};

static inline double clock_us(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static inline struct lap lap_begin(void)
{
    return (struct lap){ clock_us(CLOCK_PROCESS_CPUTIME_ID), clock_us(CLOCK_MONOTONIC) };
}

static inline struct lap lap_since(struct lap begun)
{
    struct lap now = lap_begin();

    return (struct lap){ now.cpu_us - begun.cpu_us, now.wall_us - begun.wall_us };
}

static inline int timing_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* A sample of the values, which are sorted for it: share 0.5 is the median. count is at least 1. */
static inline double percentile(double *value, size_t count, double share)
{
    qsort(value, count, sizeof *value, timing_order);
    return value[(size_t)((double)(count - 1) * share)];
}

#endif
