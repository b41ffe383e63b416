/*
 * payload.h - what a request says, apart from what it only carries.
 *
 * In `翻译成英文：“按照上周的决定，周五不发布。”` the instruction is the first half; the quoted
 * sentence is payload, and nothing in it is a cue.
 */
#ifndef MN_RETRIEVE_PAYLOAD_H
#define MN_RETRIEVE_PAYLOAD_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"
#include "text/cue.h"

struct mn_payload {
    struct mn_str
        instruction;         /* in the arena, case kept; of a long one its beginning and its end */
    const char *folded;      /* mn_text_fold of it, line ends made full stops */
    struct mn_cue_text cues; /* that, made ready */
    bool found;              /* something was taken out */
    bool is_block;           /* more than words quoted in passing: code, data, what follows a colon
                                or the first line */
};

enum mneme_status mn_payload_split(const char *text, struct mn_arena *arena,
                                   struct mn_payload *ret_payload, struct mneme_error *err);

#endif
