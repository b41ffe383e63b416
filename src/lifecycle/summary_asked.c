/*
 * summary_asked.c - a session shown to a language model, which says what its lines are good for.
 *
 * It sees the turns as data (remember/shown.h), without tools' output, pleasantries and turns that hold
 * a secret or give orders to a model. It is asked for single lines with the turn and the words each
 * stands on, and each is held against its turn as a drawn memory is (remember/proposal_check.c); what
 * does not hold is dropped. The memories are then put together from the lines by the same rules as
 * without a model (summary.c): a model that invents cannot reach them, and each names its turns.
 *
 * Considered: asking for the finished memories. A sentence that draws on several turns can be held
 * against none of them.
 */
#include "lifecycle/summary_asked.h"

#include <string.h>

#include "base/array.h"
#include "model/chat.h"
#include "remember/remember.h"
#include "remember/shown.h"
#include "text/orders.h"

#define ANSWER_TOKENS_MAX 1200
#define SCRATCH_BYTES_MAX ((size_t)64 << 20)

extern const unsigned char mn_prompt_summarise[];
extern const unsigned char mn_prompt_summarise_schema[];
extern const unsigned char mn_prompt_summarise_grammar[];

/* In the order of enum mn_summary_part. */
static const char *const KINDS[] = { "topic",   "decision",   "done",
                                     "pending", "preference", "solution", NULL };

static const struct mn_prompt PROMPT = {
    (const char *)mn_prompt_summarise,
    (const char *)mn_prompt_summarise_schema,
    (const char *)mn_prompt_summarise_grammar,
    "Which lines of this session must somebody know who goes on with it? Answer with the JSON only.",
    KINDS,
    ANSWER_TOKENS_MAX,
};

static enum mn_summary_part part_of(const char *kind)
{
    enum mn_summary_part part = MN_PART_TOPICS;

    while (KINDS[part + 1] && strcmp(KINDS[part], kind) != 0)
        part++;
    return part;
}

static enum mneme_status show(struct mn_world *world, const struct mn_events *turns,
                              struct mn_arena *arena, struct mn_shown *shown,
                              struct mneme_error *err)
{
    for (size_t i = 0; i < turns->count; i++)
        if (mn_reader_wants(&turns->item[i], arena) &&
            mn_text_orders(arena, turns->item[i].text) != MN_ORDERS_GIVEN)
            MN_TRY(mn_shown_add(shown, i, &turns->item[i], world->chat->data_bytes_max / 2, arena,
                                err));
    return MNEME_OK;
}

static enum mneme_status take_lines(const struct mn_shown *shown, size_t first, size_t count,
                                    const struct mn_proposals *proposals, struct mn_arena *arena,
                                    struct mn_summary_lines *lines, struct mneme_error *err)
{
    for (size_t i = 0; i < proposals->count; i++) {
        const struct mn_proposal *p = &proposals->item[i];
        const struct mn_shown_piece *piece;
        struct mn_summary_line *line;

        if (p->turn < 1 || p->turn > count)
            continue;
        piece = &shown->item[first + p->turn - 1];
        if (mn_proposal_support(p, piece->text, piece->event->role, piece->event->speaker) !=
            MN_SUPPORTED)
            continue;
        line = mn_array_add(arena, lines);
        if (!line)
            return mn_fail_memory(err);
        *line = (struct mn_summary_line){ part_of(p->kind), p->content, piece->turn };
    }
    return MNEME_OK;
}

static enum mneme_status ask_all(struct mn_world *world, const struct mn_shown *shown,
                                 struct mn_arena *arena, struct mn_summary_lines *lines,
                                 struct mneme_error *err)
{
    for (size_t at = 0, count = 0; at < shown->count; at += count) {
        struct mn_proposals proposals = { 0 };
        enum mneme_status status =
            mn_shown_ask(world, &PROMPT, shown, at, arena, &count, &proposals, err);

        if (status != MNEME_OK && status != MNEME_CORRUPT) /* else each would wait for nothing */
            mn_chat_leave_alone(world->chat);
        MN_TRY(status);
        MN_TRY(take_lines(shown, at, count, &proposals, arena, lines, err));
    }
    return MNEME_OK;
}

static enum mneme_status draw(void *context, struct mn_world *world,
                              const struct mn_session *session, const struct mn_events *turns,
                              struct mn_arena *arena, struct mn_summary *ret_summary,
                              struct mneme_error *err)
{
    MN_ARENA_AUTO scratch = mn_arena_new(SCRATCH_BYTES_MAX);
    struct mn_summary_lines lines = { .prompt = MN_SUMMARY_PROMPT_NAME };
    struct mn_shown shown = { 0 };

    (void)context;
    if (!scratch)
        return mn_fail_memory(err);
    MN_TRY(show(world, turns, scratch, &shown, err));
    MN_TRY(ask_all(world, &shown, scratch, &lines, err));
    if (!lines.count) {
        *ret_summary = (struct mn_summary){ .pending = "" };
        return MNEME_OK;
    }
    lines.extractor = world->chat->name;
    return mn_summary_of_lines(session, turns, &lines, arena, ret_summary, err);
}

/* One that did not answer is left alone for a while. */
static enum mneme_status ready(void *context, struct mn_world *world, struct mneme_error *err)
{
    (void)context;
    if (!mn_chat_left_alone(world->chat))
        return MNEME_OK;
    return mn_fail(err, MNEME_UNAVAILABLE, "extractor: did not answer a moment ago");
}

const struct mn_summarise mn_summarise_asked = { draw, NULL, ready };
