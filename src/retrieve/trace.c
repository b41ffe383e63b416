/*
 * trace.c - stage 11: gathering the record of a retrieval.
 *
 * The record says what was decided and why, never what a memory says. Each stage adds to it as it
 * goes; where there is no room left the record says that it is cut.
 */
#include "retrieve/retrieve.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

#define NOTE_BYTES_MAX 500

const char *mn_step_name(enum mn_step step)
{
    return step == MN_STEP_NAME ? "name" : step == MN_STEP_TIME ? "time" : "";
}

const char *mn_source_name(enum mn_source source)
{
    static const char *const names[MN_SOURCE_COUNT] = {
        [MN_SOURCE_STRUCTURED] = "structured",
        [MN_SOURCE_TASK_STATE] = "task_state",
        [MN_SOURCE_TEXT] = "text",
        [MN_SOURCE_VECTOR] = "vector",
        [MN_SOURCE_GRAPH] = "graph",
        [MN_SOURCE_RULE] = "rule",
    };

    return (unsigned)source < MN_SOURCE_COUNT ? names[source] : "";
}

const char *mn_stage_name(enum mn_stage stage)
{
    static const char *const names[MN_STAGE_COUNT] = {
        [MN_STAGE_IDENTIFY] = "identify", [MN_STAGE_GATE] = "gate",
        [MN_STAGE_PLAN] = "plan",         [MN_STAGE_RECALL] = "recall",
        [MN_STAGE_FILTER] = "filter",     [MN_STAGE_MERGE] = "merge",
        [MN_STAGE_RANK] = "rank",         [MN_STAGE_RESOLVE] = "resolve",
        [MN_STAGE_BUDGET] = "budget",     [MN_STAGE_ASSEMBLE] = "assemble",
    };

    return (unsigned)stage < MN_STAGE_COUNT ? names[stage] : "";
}

void mn_trace_expect(struct mn_trace *trace, size_t count)
{
    struct mn_rejection *item;

    if (trace->rejections.room)
        return;
    item = mn_arena_room(trace->arena, (count + 1) * sizeof *item);
    if (!item)
        return; /* the array will grow as far as it can */
    trace->rejections.item = item;
    trace->rejections.room = count + 1;
}

void mn_trace_reject(struct mn_trace *trace, const struct mn_candidate *candidate,
                     enum mn_stage stage, enum mn_reason reason, const char *by)
{
    struct mn_rejection *rejection;

    trace->reason_count[reason]++;
    if (!trace->arena)
        return;
    rejection = mn_array_add(trace->arena, &trace->rejections);
    if (!rejection) {
        trace->truncated = true;
        return;
    }
    *rejection = (struct mn_rejection){ *candidate, stage, reason, by };
}

static void add_note(struct mn_trace *trace, const char *format, va_list arguments)
{
    char note[NOTE_BYTES_MAX];
    const char **place;
    char *copy;

    if (!trace->arena)
        return;
    vsnprintf(note, sizeof note, format, arguments);
    copy = mn_arena_copy_n(trace->arena, note, mn_utf8_cut(note, strlen(note), sizeof note));
    place = copy ? mn_array_add(trace->arena, &trace->notes) : NULL;
    if (place)
        *place = copy;
    else
        trace->truncated = true;
}

void mn_trace_note(struct mn_trace *trace, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_note(trace, format, arguments);
    va_end(arguments);
}

void mn_trace_degraded(struct mn_trace *trace, const char *format, ...)
{
    va_list arguments;

    trace->degraded = true;
    va_start(arguments, format);
    add_note(trace, format, arguments);
    va_end(arguments);
}
