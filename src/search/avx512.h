/*
 * avx512.h - the instructions that loops for AVX-512 are written in: the processor's, or played.
 *
 * With MN_AVX512_EMULATED the same text is compiled for any processor, every instruction played by
 * a few lines of C (SIMDe): that is how its arithmetic is tested where there is no AVX-512.
 * MN_AVX512 is defined where a file that includes this can have such loops.
 */
#ifndef MN_SEARCH_AVX512_H
#define MN_SEARCH_AVX512_H

#if defined(MN_AVX512_EMULATED)
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#define MN_AVX512
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && \
    defined(__AVX512VNNI__)
#include <immintrin.h>
#define MN_AVX512
#endif

#if defined(MN_AVX512)

#include <stdbool.h>

/* Has this processor what the loops use? */
static inline bool mn_avx512_here(void)
{
#if defined(MN_AVX512_EMULATED)
    return true;
#else
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
#endif
}

#endif
#endif
