/*
 * fuzz_search.c - a fuzzer's bytes as a story of changes and requests (fakes/search_play.h).
 */
#include <stddef.h>
#include <stdint.h>

#include "fakes/search_play.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= 4096)
        search_play(data, size);
    return 0;
}
