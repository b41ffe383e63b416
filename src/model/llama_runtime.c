/*
 * llama_runtime.c - libllama as a whole: started once, and what it complains of.
 */
#include "model/llama_runtime.h"

#include <pthread.h>
#include <string.h>

#include <llama.h>

static _Thread_local char complaint[160];

static void listen(enum ggml_log_level level, const char *text, void *user)
{
    (void)user;
    if (level == GGML_LOG_LEVEL_ERROR && complaint[0] == '\0') {
        strncpy(complaint, text, sizeof(complaint) - 1);
        complaint[strcspn(complaint, "\n")] = '\0';
    }
}

static void start_backend(void)
{
    llama_log_set(listen, NULL);
    llama_backend_init();
}

void mn_llama_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, start_backend);
    complaint[0] = '\0';
}

const char *mn_llama_complaint(void)
{
    return complaint;
}

enum mneme_status mn_llama_check_processor(struct mneme_error *err)
{
#if defined(__x86_64__)
    /* What libllama is compiled for; without them it dies of an illegal instruction. */
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("f16c") || !__builtin_cpu_supports("bmi2"))
        return mn_fail(err, MNEME_UNAVAILABLE,
                       "model: this processor lacks AVX2, FMA, F16C or BMI2");
#endif
    (void)err;
    return MNEME_OK;
}
