/*
 * chat.c - what every language model is freed by.
 */
#include "model/chat.h"

void mn_chat_free(struct mn_chat *chat)
{
    if (chat)
        chat->ops->free(chat);
}
