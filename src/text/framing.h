/*
 * framing.h - words that say that somebody asks, not what about.
 */
#ifndef MN_TEXT_FRAMING_H
#define MN_TEXT_FRAMING_H

#include <stddef.h>

/* "Tell me about the ferry", "请问渡轮几点开": writes a blank over each byte of the frame in the
 * folded text. Returns how many bytes; 0: there is no frame. */
size_t mn_framing_blank(char *folded);

#endif
