/*
 * sessions.c - which conversations a user has had: how many turns, from when to when, and how many of
 * them the extractor has still to read.
 */
#include "cli/sessions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"

#define SESSIONS_BYTES_MAX ((size_t)1 << 30)

struct gathering {
    struct mn_arena *arena;
    struct cli_sessions *sessions;
    bool failed;
};

static int by_id(const void *a, const void *b)
{
    const struct cli_session *x = a, *y = b;

    return strcmp(x->id, y->id);
}

static int by_time(const void *a, const void *b)
{
    const struct cli_session *x = a, *y = b;

    if (x->last_ms != y->last_ms)
        return x->last_ms < y->last_ms ? 1 : -1;
    return strcmp(x->id, y->id);
}

/* One entry a turn: they are put together when all have come. */
static int note_turn(void *context, const struct mneme_record *record)
{
    struct gathering *g = context;
    struct cli_sessions *s = g->sessions;
    const struct mneme_event *event = record->event;
    struct cli_session *last = s->count ? &s->item[s->count - 1] : NULL;

    if (record->kind != MNEME_RECORD_EVENT)
        return 0;
    if (!last || strcmp(last->id, event->session_id) != 0) {
        last = mn_array_add(g->arena, s);
        if (last)
            *last = (struct cli_session){ .id = mn_arena_copy(g->arena, event->session_id),
                                          .first_ms = event->event_time_ms,
                                          .last_ms = event->event_time_ms };
        g->failed = !last || !last->id;
        if (g->failed)
            return 1;
    }
    last->turns++;
    if (event->event_time_ms < last->first_ms)
        last->first_ms = event->event_time_ms;
    if (event->event_time_ms > last->last_ms)
        last->last_ms = event->event_time_ms;
    return 0;
}

static void put_together(struct cli_sessions *s)
{
    size_t kept = 0;

    if (s->count)
        qsort(s->item, s->count, sizeof *s->item, by_id);
    for (size_t i = 0; i < s->count; i++) {
        struct cli_session *into = kept ? &s->item[kept - 1] : NULL;
        const struct cli_session *from = &s->item[i];

        if (!into || strcmp(into->id, from->id) != 0) {
            s->item[kept++] = *from;
            continue;
        }
        into->turns += from->turns;
        into->first_ms = from->first_ms < into->first_ms ? from->first_ms : into->first_ms;
        into->last_ms = from->last_ms > into->last_ms ? from->last_ms : into->last_ms;
    }
    s->count = kept;
    if (s->count)
        qsort(s->item, s->count, sizeof *s->item, by_time);
}

static int note_waiting(void *context, const struct mneme_extraction *x)
{
    struct cli_sessions *s = context;

    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->item[i].id, x->session_id) != 0)
            continue;
        s->item[i].pending += x->attempts == 0;
        s->item[i].failed += x->attempts > 0;
        break;
    }
    return 0;
}

enum mneme_status cli_sessions_read(struct mneme *handle, const struct mneme_identity *identity,
                                    struct mn_arena *arena, struct cli_sessions *ret_sessions,
                                    struct mneme_error *err)
{
    struct cli_sessions sessions = { 0 };
    struct gathering gathering = { arena, &sessions, false };
    struct mneme_filter filter = MNEME_FILTER_INIT;

    filter.tenant_id = identity->tenant_id;
    filter.user_id = identity->user_id;
    MN_TRY(mneme_export(handle, &filter, note_turn, &gathering, err));
    if (gathering.failed)
        return mn_fail_memory(err);
    put_together(&sessions);
    *ret_sessions = sessions;
    return MNEME_OK;
}

static void print_session(const struct cli_session *session, int json)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    mn_json_open(&w, '{');
    mn_json_field_text(&w, "session_id", session->id);
    mn_json_field_integer(&w, "turns", (int64_t)session->turns);
    mn_json_field_time(&w, "first_at", session->first_ms);
    mn_json_field_time(&w, "last_at", session->last_ms);
    mn_json_field_integer(&w, "extraction_pending", (int64_t)session->pending);
    mn_json_field_integer(&w, "extraction_failed", (int64_t)session->failed);
    mn_json_close(&w, '}');
    if (json) {
        puts(out.failed ? "" : out.at);
        return;
    }
    char first[32], last[32];
    printf("%s  %zu turn%s  %s to %s", session->id, session->turns,
           session->turns == 1 ? "" : "s", mn_time_print(session->first_ms, first, sizeof first),
           mn_time_print(session->last_ms, last, sizeof last));
    if (session->pending + session->failed)
        printf("  (to be read: %zu pending, %zu failed)", session->pending, session->failed);
    putchar('\n');
}

static int end_one(const struct cli_common *common, struct mneme *handle,
                   const struct mneme_identity *identity, const char *session_id)
{
    struct mneme_change change;
    struct mneme_error err;
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    cli_change(common, &change);
    if (mneme_end_session(handle, identity->tenant_id, identity->user_id, session_id, &change,
                          &err) != MNEME_OK)
        return cli_fail(&err);
    mn_json_open(&w, '{');
    mn_json_field_text(&w, "session_id", session_id);
    mn_json_field_bool(&w, "ended", true);
    mn_json_close(&w, '}');
    if (common->json)
        puts(out.failed ? "" : out.at);
    else
        printf("%s has ended\n", session_id);
    return CLI_OK;
}

static int close_task(const struct cli_common *common, struct mneme *handle,
                      const struct mneme_identity *identity, const char *task_id)
{
    struct mneme_change change;
    struct mneme_error err;
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };
    size_t ended = 0;

    cli_change(common, &change);
    if (mneme_close_task(handle, identity->tenant_id, identity->user_id, task_id, &change, &ended,
                         &err) != MNEME_OK)
        return cli_fail(&err);
    mn_json_open(&w, '{');
    mn_json_field_text(&w, "task_id", task_id);
    mn_json_field_integer(&w, "ended", (int64_t)ended);
    mn_json_close(&w, '}');
    if (common->json)
        puts(out.failed ? "" : out.at);
    else
        printf("%s is closed: %zu ended\n", task_id, ended);
    return CLI_OK;
}

int cli_sessions(int argc, char **argv)
{
    struct cli_common common = { 0 };
    const char *end = NULL, *task = NULL;
    const struct cli_option options[] = {
        { "end", CLI_TEXT, "SESSION", "say that this one has ended: it is drawn from soon", &end },
        { "close-task", CLI_TEXT, "TASK", "say that this task is closed: what was kept for it ends",
          &task },
    };
    const struct cli_command command = {
        .name = "sessions",
        .arguments = "",
        .least = 0,
        .most = 0,
        .wants = "takes no arguments",
        .summary = "Lists the sessions of a user, the latest first; ends one, or closes a task.",
        .details = "Of a session that has ended 'mneme maintain' makes a few memories.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_OWNER | CLI_GROUP_CHANGE,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .common = &common,
    };
    MN_ARENA_AUTO arena = mn_arena_new(SESSIONS_BYTES_MAX);
    struct cli_sessions sessions = { 0 };
    struct mneme_identity identity;
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;
    char **arguments;
    size_t count;

    int code = CLI_OK;
    if (!cli_begin_owned(&command, argc, argv, CLI_TO_READ, &identity, &handle, &arguments, &count,
                         &code))
        return code;
    if (end && task)
        return cli_usage("sessions", "--end and --close-task are two commands");
    if (!mn_empty(end))
        return end_one(&common, handle, &identity, end);
    if (!mn_empty(task))
        return close_task(&common, handle, &identity, task);
    if (cli_sessions_read(handle, &identity, arena, &sessions, &err) != MNEME_OK)
        return cli_fail(&err);
    if (mneme_extractions(handle, identity.tenant_id, identity.user_id, NULL, note_waiting,
                          &sessions, &err) != MNEME_OK)
        return cli_fail(&err);
    for (size_t i = 0; i < sessions.count; i++)
        print_session(&sessions.item[i], common.json);
    if (!common.json)
        printf("%zu session%s\n", sessions.count, sessions.count == 1 ? "" : "s");
    return CLI_OK;
}
