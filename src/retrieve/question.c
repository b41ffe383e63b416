/*
 * question.c - the words of a clarification.
 *
 * The agent reads the question to its user, so it shows what the user may see anyway: only rivals
 * that passed the filter come here. A text that gives orders to a model is named by its id instead:
 * the agent is a model too.
 */
#include "retrieve/question.h"

#include <string.h>

#include "retrieve/key.h"

#define SHOWN_BYTES_MAX 120
#define RIVALS_MAX 5

static void put_rival(struct mn_buf *out, bool chinese, const struct mn_candidate *c)
{
    const struct mneme_memory *m = mn_answer_of(c);
    const char *text = !mn_empty(m->value) ? m->value : m->content;
    size_t bytes = 0;
    size_t shown = 0;

    if (c->suspicious)
        text = c->memory->id;
    text = mn_or_empty(text);
    bytes = strlen(text);
    shown = mn_utf8_cut(text, bytes, SHOWN_BYTES_MAX);
    mn_buf_text(out, chinese ? "“" : "\"");
    for (size_t i = 0; i < shown; i++)
        mn_buf_char(out, (unsigned char)text[i] < ' ' ? ' ' : text[i]);
    mn_buf_text(out, shown < bytes ? "…" : "");
    mn_buf_text(out, chinese ? "”" : "\"");
}

const char *mn_question(enum mn_language language, const struct mn_candidate *const *rivals,
                        size_t count, struct mn_arena *arena)
{
    bool chinese = language == MN_LANGUAGE_ZH;
    const char *key = count ? mn_or_empty(mn_answer_of(rivals[0])->memory_key) : "";
    MN_BUF_AUTO out = { 0 };

    mn_buf_printf(&out,
                  chinese ? "关于“%s”，记忆互相矛盾：" : "Memories disagree about \"%s\": ", key);
    for (size_t i = 0; i < count && i < RIVALS_MAX; i++) {
        if (i)
            mn_buf_text(&out, chinese ? "还是" : " or ");
        put_rival(&out, chinese, rivals[i]);
    }
    mn_buf_text(&out, chinese ? "？以哪一条为准？" : "? Which one holds?");
    return out.failed ? NULL : mn_arena_copy(arena, out.at);
}
