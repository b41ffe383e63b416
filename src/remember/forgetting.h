/*
 * forgetting.h - an order to forget what was said.
 */
#ifndef MN_REMEMBER_FORGETTING_H
#define MN_REMEMBER_FORGETTING_H

#include <stdbool.h>
#include <stddef.h>

#include "remember/draft.h"
#include "remember/sentence.h"

/* MN_CALL_FORGET: what it is about stands in the sentence, [from, until); MN_CALL_TAKEN_BACK: what was
 * said does. MN_CALL_NONE: it orders nothing of the kind, or does not say what. */
enum mn_call mn_forgetting_find(const struct mn_sentence *s, size_t *ret_from, size_t *ret_until);

#endif
