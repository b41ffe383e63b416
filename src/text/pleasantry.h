/*
 * pleasantry.h - greetings, thanks and farewells: what is said to be polite and asks for nothing.
 */
#ifndef MN_TEXT_PLEASANTRY_H
#define MN_TEXT_PLEASANTRY_H

enum mn_pleasantry {
    MN_PLEASANTRY_NO = 0,   /* something else is said as well */
    MN_PLEASANTRY_GREETING, /* "你好，早上好！", "Hi there, how are you today?" */
    MN_PLEASANTRY_THANKS,
    MN_PLEASANTRY_CLOSING, /* "good night, see you tomorrow", "好的，收到" */
    MN_PLEASANTRY_ASSENT,  /* "ok", "嗯": behind a question it is an answer */
    MN_PLEASANTRY_WORDLESS /* only signs and emoji */
};

/* What the whole text is. `text` as given (a name keeps its capital: "Hi Anna"), `folded` of it. */
enum mn_pleasantry mn_pleasantry_find(const char *text, const char *folded);

#endif
