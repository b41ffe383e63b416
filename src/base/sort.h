/*
 * sort.h - sorting where the comparison is known when it is compiled.
 *
 *     static inline bool goes_before(const struct place *a, const struct place *b);
 *     MN_SORT_OF(sort_places, struct place, goes_before)
 *
 *     sort_places(place, count, spare);
 *
 * Stable; `spare` has room for as many, and holds nothing of use afterwards. Cannot fail. For the few
 * hundred elements of a request, where qsort() spends its time on calling and copying.
 */
#ifndef MN_BASE_SORT_H
#define MN_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define MN_SORT_RUN 8 /* so many are put in order by moving each to its place */

#define MN_SORT_OF(name, type, goes_before)                                                        \
    static void name##_run(type *item, size_t count)                                               \
    {                                                                                              \
        for (size_t i = 1; i < count; i++) {                                                       \
            type one = item[i];                                                                    \
            size_t at = i;                                                                         \
                                                                                                   \
            for (; at > 0 && goes_before(&one, &item[at - 1]); at--)                               \
                item[at] = item[at - 1];                                                           \
            item[at] = one;                                                                        \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void name##_merge(const type *a, size_t a_count, const type *b, size_t b_count,         \
                             type *to)                                                             \
    {                                                                                              \
        const type *a_end = a + a_count, *b_end = b + b_count;                                     \
                                                                                                   \
        while (a < a_end && b < b_end)                                                             \
            *to++ = goes_before(b, a) ? *b++ : *a++;                                               \
        while (a < a_end)                                                                          \
            *to++ = *a++;                                                                          \
        while (b < b_end)                                                                          \
            *to++ = *b++;                                                                          \
    }                                                                                              \
                                                                                                   \
    static void name(type *item, size_t count, type *spare)                                        \
    {                                                                                              \
        type *from = item, *to = spare;                                                            \
                                                                                                   \
        for (size_t i = 0; i < count; i += MN_SORT_RUN)                                            \
            name##_run(item + i, count - i < MN_SORT_RUN ? count - i : MN_SORT_RUN);               \
        for (size_t width = MN_SORT_RUN; width < count; width *= 2) {                              \
            for (size_t i = 0; i < count; i += 2 * width) {                                        \
                size_t left = count - i < width ? count - i : width;                               \
                size_t right = count - i - left < width ? count - i - left : width;                \
                                                                                                   \
                name##_merge(from + i, left, from + i + left, right, to + i);                      \
            }                                                                                      \
            type *merged = to;                                                                     \
            to = from;                                                                             \
            from = merged;                                                                         \
        }                                                                                          \
        if (from != item)                                                                          \
            memcpy(item, from, count * sizeof *item);                                              \
    }

#endif
