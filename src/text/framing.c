/*
 * framing.c - "tell me about", "do you remember", "我想知道".
 *
 * A memory about the ferry never says "tell" or "know", so that to a search these are the rarest
 * words of the request: they would weigh more than "ferry" and make the best answer look like a
 * half. Being verbs with a content of their own elsewhere ("does the client know its peers?"), they
 * are no stop words. They frame a request only at the head of a clause, behind polite openings
 * (text/cue.h), several in a row as well.
 *
 * Left out: verbs of work, such as "list" and "compare", which say what is to be done.
 */
#include "text/framing.h"

#include <stdbool.h>
#include <string.h>

#include "text/cue.h"
#include "text/letters.h"
#include "text/words.h"

/* clang-format off */
static const char *const FRAMES[] = {
    /* telling */
    "tell me", "tell us", "let me know", "let us know", "explain", "describe", "show me", "show us",
    "show", "give me", "what can you tell me", "what do you know", "what do you remember", "what do you recall",
    /* knowing */
    "do you know", "do you happen to know", "do you still know", "don't you know", "do we know",
    "do you have any idea", "any idea", "you know", "happen to know", "what is known",
    "what's known", "what do we know", "what do i know", "what do i need to know",
    "what do we need to know", "what should i know", "what should we know",
    "what is there to know", "is there anything to know", "is anything known",
    /* remembering */
    "do you remember", "do you still remember", "don't you remember", "do you recall",
    "do we remember", "you remember", "remember", "recall", "remind me", "remind us",
    "have i told you", "have i ever told you", "did i tell you", "did i ever tell you",
    "have i mentioned", "did i mention",
    /* asking */
    "i want to know", "i wanted to know", "i would like to know", "i'd like to know",
    "i need to know", "i want to ask", "i wanted to ask", "i would like to ask", "i'd like to ask",
    "i was wondering", "i am wondering", "i'm wondering", "i wonder", "just wondering",
    "i am curious", "i'm curious", "just curious", "may i ask", "can i ask you", "can i ask",
    "could i ask", "quick question", "i have a question",

    "告诉我", "告诉我们", "跟我说说", "和我说说", "给我说说", "跟我讲讲", "给我讲讲", "说说", "说一说", "说一下",
    "讲讲", "讲一讲", "讲一下", "介绍一下", "介绍下", "解释一下", "解释下", "描述一下",
    "你知道", "你知不知道", "你还知道", "知道", "知不知道", "有谁知道", "谁知道",
    "你记得", "你还记得", "你记不记得", "你还记不记得", "记得", "还记得", "记不记得", "提醒我一下", "提醒一下我", "提醒我",
    "提醒一下", "帮我回忆一下", "回忆一下", "我有没有告诉过你", "我告诉过你", "我跟你说过", "我和你说过", "我提过",
    "请问", "请问一下", "问一下", "问下", "我想问", "我想问一下", "我想问问", "想问", "想问一下", "想问问", "请教", "请教一下",
    "想请教", "想请教一下", "我想知道", "想知道", "我想了解", "我想了解一下", "想了解", "想了解一下", "了解一下",
    NULL,
};
/* Openings that are no grammar either, and go with a frame behind them: not in "请假". */
static const char *const POLITE[] = { "麻烦你帮我", "麻烦你", "麻烦", "请帮我", "请你", "请", "帮我", "帮忙", "kindly", NULL };
/* clang-format on */

/* Does a Latin frame end here as one, not as the first part of "recall-rate", "explain.txt"? One
 * word alone is a frame only before grammar: "recall what he said", but "recall metrics". */
static bool ends(const char *frame, const char *behind)
{
    size_t word = 0;

    if ((unsigned char)frame[0] >= 0x80)
        return true;
    if (behind[0] && !strchr(" ,:;?!.", behind[0]) && (unsigned char)behind[0] < 0x80)
        return false;
    if (behind[0] == '.' && behind[1] && behind[1] != ' ')
        return false;
    if (strchr(frame, ' ') || behind[0] != ' ')
        return strchr(frame, ' ') != NULL;
    while (mn_letter_latin(behind[1 + word]) || behind[1 + word] == '\'')
        word++;
    return word && mn_words_stop(behind + 1, word);
}

/* The bytes of the longest frame that stands here; 0: none. */
static size_t frame_at(const char *folded, const char *at)
{
    size_t longest = 0;

    for (size_t i = 0; FRAMES[i]; i++) {
        size_t bytes = mn_cue_literal_at(folded, at, FRAMES[i]);

        if (bytes > longest && ends(FRAMES[i], at + bytes))
            longest = bytes;
    }
    return longest;
}

static size_t polite_frame_at(const char *folded, const char *at)
{
    for (size_t i = 0; POLITE[i]; i++) {
        size_t bytes = mn_cue_literal_at(folded, at, POLITE[i]);
        size_t frame;

        if (!bytes)
            continue;
        bytes += at[bytes] == ' ';
        frame = frame_at(folded, at + bytes);
        return frame ? bytes + frame : 0;
    }
    return 0;
}

size_t mn_framing_blank(char *folded)
{
    const struct mn_cue_text text = mn_cue_read(folded);
    size_t blanked = 0;

    for (size_t i = 0; i < text.start_count; i++) {
        size_t at = (size_t)(text.start[i] - folded);
        size_t bytes;

        for (; (bytes = frame_at(folded, folded + at)) > 0 ||
               (bytes = polite_frame_at(folded, folded + at)) > 0;
             at += bytes) {
            memset(folded + at, ' ', bytes);
            blanked += bytes;
            while (folded[at + bytes] == ' ' || folded[at + bytes] == ',')
                bytes++;
        }
    }
    return blanked;
}
