/*
 * llama_runtime.h - libllama as a whole: started once, and what it complains of.
 */
#ifndef MN_MODEL_LLAMA_RUNTIME_H
#define MN_MODEL_LLAMA_RUNTIME_H

#include "base/err.h"

/* Before a call: starts it where nobody has, and forgets former complaints. */
void mn_llama_begin(void);
/* The first complaint on this thread since then: the cause, later ones follow. */
const char *mn_llama_complaint(void);
/* MNEME_UNAVAILABLE when this processor lacks what it is compiled for. */
enum mneme_status mn_llama_check_processor(struct mneme_error *err);

#endif
