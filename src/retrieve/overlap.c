/*
 * overlap.c - a memory's labels against what the request is about, both ways.
 *
 * Labels are what somebody said a memory is for, so that meeting one is worth more than meeting a
 * word of its text. Counted are the share of the request's topics that stand in a label, and the
 * labels (keywords, entities) that stand whole in the request, each taking half of what is left to
 * 1: a long request has many topics and still names "data script" once. The larger of the two is
 * the answer.
 *
 * This runs for every candidate, so that a memory's labels become one folded text, a bar between
 * any two; ASCII ones are folded on the spot, and a piece is looked for in a text only when all
 * triples of its bytes occur there.
 */
#include "retrieve/overlap.h"

#include <string.h>

#define BAR '|'
#define ASCII_BYTES_MAX 256 /* of a label that is folded on the spot */

static unsigned triple(const char *at)
{
    uint32_t window = (uint32_t)(unsigned char)at[0] << 16 | (uint32_t)(unsigned char)at[1] << 8 |
                      (uint32_t)(unsigned char)at[2];

    return (window * UINT32_C(2654435761)) >> 23; /* 9 bits */
}

static void shape_add(struct mn_shape *shape, struct mn_str text)
{
    for (size_t i = 0; i + 3 <= text.bytes; i++) {
        unsigned bit = triple(text.at + i);

        shape->bits[bit / 64] |= UINT64_C(1) << bit % 64;
    }
}

static bool shape_may_hold(const struct mn_shape *shape, const char *piece)
{
    for (size_t i = 0; piece[i] && piece[i + 1] && piece[i + 2]; i++) {
        unsigned bit = triple(piece + i);

        if (!(shape->bits[bit / 64] & UINT64_C(1) << bit % 64))
            return false;
    }
    return true;
}

enum mneme_status mn_overlap_init(struct mn_overlap *overlap, const struct mn_plan *plan,
                                  const struct mneme_signals *signals, struct mn_arena *arena,
                                  struct mneme_error *err)
{
    struct mn_overlap made = {
        .plan = plan, .signals = signals, .arena = arena, .request = mn_str_of(plan->folded)
    };

    shape_add(&made.request_shape, made.request);
    made.path = mn_arena_array(arena, const char *, signals->paths.count + 1);
    if (!made.path)
        return mn_fail_memory(err);
    for (size_t i = 0; i < signals->paths.count; i++) {
        const char *path = mn_or_empty(signals->paths.item[i]);

        made.path[i] = mn_text_fold(arena, path, strlen(path));
        if (!made.path[i])
            return mn_fail_memory(err);
        made.path_count++;
    }
    *overlap = made;
    return MNEME_OK;
}

void mn_overlap_release(struct mn_overlap *overlap)
{
    mn_buf_release(&overlap->labels);
}

/* ASCII without white space at odds with folding, in lower case; false for anything else. */
static bool fold_ascii(const char *label, char folded[ASCII_BYTES_MAX], size_t *ret_bytes)
{
    size_t at = 0;

    for (; label[at] >= ' ' && label[at] < 0x7f && at < ASCII_BYTES_MAX; at++) {
        char c = label[at];

        if (c == ' ' && (at == 0 || label[at + 1] == ' ' || !label[at + 1]))
            return false;
        folded[at] = c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
    }
    if (label[at] || at == ASCII_BYTES_MAX)
        return false;
    folded[at] = 0;
    *ret_bytes = at;
    return true;
}

/* Adds the labels, each folded and with a bar behind it. *left: what is left to 1 after those that
 * stand whole in the request; NULL: not looked at. */
static enum mneme_status put_labels(struct mn_overlap *o, const struct mneme_list *labels,
                                    double *left, struct mneme_error *err)
{
    char ascii[ASCII_BYTES_MAX];

    for (size_t i = 0; i < labels->count; i++) {
        struct mn_str label = { ascii, 0 };

        if (mn_empty(labels->item[i]))
            continue;
        if (!fold_ascii(labels->item[i], ascii, &label.bytes)) {
            label = mn_str_of(mn_text_fold(o->arena, labels->item[i], strlen(labels->item[i])));
            if (!label.at)
                return mn_fail_memory(err);
        }
        if (left && label.bytes && shape_may_hold(&o->request_shape, label.at) &&
            mn_text_contains(o->request.at, label.at))
            *left /= 2;
        mn_buf_put(&o->labels, label.at, label.bytes);
        mn_buf_char(&o->labels, BAR);
    }
    return o->labels.failed ? mn_fail_memory(err) : MNEME_OK;
}

enum mneme_status mn_overlap_of(struct mn_overlap *overlap, const struct mneme_memory *memory,
                                double *ret_overlap, struct mneme_error *err)
{
    const struct mn_plan *plan = overlap->plan;
    double left = 1;
    size_t met = 0;

    mn_buf_reset(&overlap->labels);
    MN_TRY(put_labels(overlap, &memory->keywords, &left, err));
    MN_TRY(put_labels(overlap, &memory->entities, &left, err));
    MN_TRY(put_labels(overlap, &memory->usage_scenario, NULL, err));
    overlap->labels_shape = (struct mn_shape){ 0 };
    shape_add(&overlap->labels_shape, (struct mn_str){ overlap->labels.at, overlap->labels.bytes });
    for (size_t t = 0; overlap->labels.bytes && t < plan->topic_count; t++)
        met += shape_may_hold(&overlap->labels_shape, plan->topics[t]) &&
               mn_text_contains(overlap->labels.at, plan->topics[t]);
    double share = met ? (double)met / (double)plan->topic_count : 0;
    *ret_overlap = share > 1 - left ? share : 1 - left;
    return MNEME_OK;
}

enum mneme_status mn_overlap_names(struct mn_overlap *overlap, const char *name, bool *ret_names,
                                   struct mneme_error *err)
{
    size_t known = 0;
    bool names = false;

    if (mn_empty(name)) {
        *ret_names = false;
        return MNEME_OK;
    }
    while (known < overlap->known_count && strcmp(overlap->known[known].name, name) != 0)
        known++;
    if (known < overlap->known_count) {
        *ret_names = overlap->known[known].named;
        return MNEME_OK;
    }
    const char *folded = mn_text_fold(overlap->arena, name, strlen(name));
    if (!folded)
        return mn_fail_memory(err);
    names = overlap->request.bytes && mn_text_contains(overlap->request.at, folded);
    for (size_t i = 0; i < overlap->path_count && !names; i++)
        names = mn_text_contains(overlap->path[i], folded);
    if (known < sizeof overlap->known / sizeof overlap->known[0]) {
        overlap->known[known].name = name;
        overlap->known[known].named = names;
        overlap->known_count++;
    }
    *ret_names = names;
    return MNEME_OK;
}
