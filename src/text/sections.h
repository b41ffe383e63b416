/*
 * sections.h - a text as the titled sections it consists of. Pure.
 */
#ifndef MN_TEXT_SECTIONS_H
#define MN_TEXT_SECTIONS_H

#include <stddef.h>

#include "base/str.h"

#define MN_SECTIONS_MAX 32

struct mn_titled {
    struct mn_str title; /* without its mark; empty: what stands before the first title */
    struct mn_str body;  /* without white space around it */
};

/*
 * Sections with a title ("## Deploying", "【部署】") and something said under it, at most MN_SECTIONS_MAX;
 * and what stands before them. Code blocks have no titles. 0 where fewer than two have one: then the
 * text is one thing.
 */
size_t mn_text_sections(const char *text, struct mn_titled ret_sections[MN_SECTIONS_MAX]);

#endif
