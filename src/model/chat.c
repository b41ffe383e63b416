/*
 * chat.c - what every language model has: whether it is left alone, and its end.
 */
#include "model/chat.h"

#include "base/clock.h"

#define LEFT_ALONE_US INT64_C(30000000)

void mn_chat_leave_alone(struct mn_chat *chat)
{
    chat->left_alone_until_us = mn_clock_monotonic_us() + LEFT_ALONE_US;
}

bool mn_chat_left_alone(const struct mn_chat *chat)
{
    return mn_clock_monotonic_us() < chat->left_alone_until_us;
}

void mn_chat_free(struct mn_chat *chat)
{
    if (chat)
        chat->ops->free(chat);
}
