/*
 * fuzz_scan.c - a fuzzer's bytes through every way of the loops over vectors that runs here.
 *
 * Built a second time with the instructions of AVX-512 played by plain C, and by scripts/check_neon
 * for another processor.
 */
#include <stddef.h>
#include <stdint.h>

#include "fakes/scan_play.h"
#include "search/scan_avx2.h"
#include "search/scan_avx512.h"
#include "search/scan_neon.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct mn_scan *const ways[] = { mn_scan_avx512(), mn_scan_avx2(), mn_scan_neon() };

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (ways[i])
            scan_play(ways[i], data, size);
    return 0;
}
