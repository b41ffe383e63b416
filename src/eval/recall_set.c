/*
 * recall_set.c - one temporary store for a whole set, one user of one tenant for each of its users.
 *
 * Ids of two users may be the same, so that a stored id is "user/id", and the user is taken off again
 * for the run file. Instants are read as the sets spell them; the clock is used for what has none.
 */
#include "eval/recall_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/json.h"
#include "eval/lines.h"
#include "eval/progress.h"

#define ARENA_BYTES_MAX ((size_t)4 << 30)
#define CALL_BYTES_MAX ((size_t)1 << 30)
#define TENANT "recall"
#define AFTER_MS INT64_C(3600000) /* questions are asked an hour after the last item */
#define ITEMS_AT_ONCE 50
#define LONG_BYTES 1000 /* a text of no more has no passages */

struct item {
    const char *user;
    const char *id;
    const char *session;
    const char *speaker;
    const char *text;
    const char *stored_id;
    int64_t time_ms; /* 0: none */
    int64_t order;
    bool is_event;
};

struct query {
    const char *user;
    const char *qid;
    const char *text;
};

struct set {
    struct mn_arena *arena;
    struct {
        struct item *item;
        size_t count, room;
    } items;
    struct {
        struct query *item;
        size_t count, room;
    } queries;
};

/* ---- reading ---- */

static enum mneme_status read_text(struct set *set, yyjson_val *object, const char *field,
                                   const char **ret, struct mneme_error *err)
{
    *ret = "";
    return mn_json_text(object, field, MNEME_TEXT_BYTES_MAX, set->arena, ret, err);
}

static enum mneme_status read_item(void *context, struct mn_str line, struct mneme_error *err)
{
    struct set *set = context;
    struct item *item = mn_array_add(set->arena, &set->items);
    const char *time = "";
    MN_JSON_AUTO doc = NULL;

    if (!item)
        return mn_fail_memory(err);
    MN_TRY(mn_json_parse("item", line.at, line.bytes, &doc, err));
    yyjson_val *root = yyjson_doc_get_root(doc);
    MN_TRY(read_text(set, root, "user", &item->user, err));
    MN_TRY(read_text(set, root, "id", &item->id, err));
    MN_TRY(read_text(set, root, "session", &item->session, err));
    MN_TRY(read_text(set, root, "speaker", &item->speaker, err));
    MN_TRY(read_text(set, root, "text", &item->text, err));
    MN_TRY(read_text(set, root, "time", &time, err));
    MN_TRY(mn_json_integer(root, "order", 0, INT64_MAX, &item->order, err));
    if (mn_empty(item->user) || mn_empty(item->id) || mn_empty(item->text))
        return mn_fail(err, MNEME_INVALID, "%s: is empty",
                       mn_empty(item->user) ? "user" : mn_empty(item->id) ? "id" : "text");
    if (!mn_empty(time))
        MN_TRY(mneme_time_parse_spelled(time, &item->time_ms, err));
    item->stored_id = mn_arena_printf(set->arena, "%s/%s", item->user, item->id);
    return item->stored_id ? MNEME_OK : mn_fail_memory(err);
}

static enum mneme_status read_query(void *context, struct mn_str line, struct mneme_error *err)
{
    struct set *set = context;
    struct query *query = mn_array_add(set->arena, &set->queries);
    MN_JSON_AUTO doc = NULL;

    if (!query)
        return mn_fail_memory(err);
    MN_TRY(mn_json_parse("query", line.at, line.bytes, &doc, err));
    yyjson_val *root = yyjson_doc_get_root(doc);
    MN_TRY(read_text(set, root, "user", &query->user, err));
    MN_TRY(read_text(set, root, "qid", &query->qid, err));
    MN_TRY(read_text(set, root, "text", &query->text, err));
    if (mn_empty(query->user) || mn_empty(query->qid) || mn_empty(query->text))
        return mn_fail(err, MNEME_INVALID, "%s: is empty",
                       mn_empty(query->user) ? "user" : mn_empty(query->qid) ? "qid" : "text");
    return MNEME_OK;
}

static int by_session(const void *a, const void *b)
{
    const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;
    int order = strcmp(x->user, y->user);

    return order ? order : strcmp(x->session, y->session);
}

/* Events are those that share their session with another item. */
static enum mneme_status find_events(struct set *set, struct mneme_error *err)
{
    struct item **sorted = mn_arena_array(set->arena, struct item *, set->items.count + 1);

    if (!sorted)
        return mn_fail_memory(err);
    for (size_t i = 0; i < set->items.count; i++)
        sorted[i] = &set->items.item[i];
    qsort(sorted, set->items.count, sizeof *sorted, by_session);
    for (size_t i = 1; i < set->items.count; i++)
        if (!mn_empty(sorted[i]->session) && !by_session(&sorted[i - 1], &sorted[i]))
            sorted[i - 1]->is_event = sorted[i]->is_event = true;
    return MNEME_OK;
}

/* ---- loading ---- */

static void fill_event(const struct item *item, struct mneme_event *event)
{
    *event = (struct mneme_event)MNEME_EVENT_INIT;
    event->id = item->stored_id;
    event->tenant_id = TENANT;
    event->user_id = item->user;
    event->session_id = item->session;
    event->role = "user";
    event->speaker = item->speaker;
    event->text = item->text;
    event->event_time_ms = item->time_ms;
    event->order = item->order;
}

static void fill_memory(const struct item *item, struct mneme_memory *memory)
{
    *memory = (struct mneme_memory)MNEME_MEMORY_INIT;
    memory->id = item->stored_id;
    memory->tenant_id = TENANT;
    memory->user_id = item->user;
    memory->scope_kind = MNEME_SCOPE_USER;
    memory->scope_id = item->user;
    memory->type = item->time_ms ? "event" : "fact";
    memory->content = item->text;
    memory->authority = MNEME_EXPLICIT_USER;
    memory->event_time_ms = item->time_ms;
    memory->created_at_ms = memory->updated_at_ms = item->time_ms;
}

/* Some at a time, so that the progress moves while texts are embedded. */
static enum mneme_status load(const struct set *set, FILE *progress, struct mn_scratch *store,
                              struct mneme_error *err)
{
    struct mneme_record record[ITEMS_AT_ONCE];
    struct mneme_event event[ITEMS_AT_ONCE];
    struct mneme_memory memory[ITEMS_AT_ONCE];

    for (size_t at = 0; at < set->items.count; at += ITEMS_AT_ONCE) {
        size_t left = set->items.count - at;
        size_t some = left < ITEMS_AT_ONCE ? left : ITEMS_AT_ONCE;

        for (size_t i = 0; i < some; i++) {
            const struct item *item = &set->items.item[at + i];

            record[i] = (struct mneme_record){ 0 };
            if (item->is_event) {
                fill_event(item, &event[i]);
                record[i].kind = MNEME_RECORD_EVENT;
                record[i].event = &event[i];
            } else {
                fill_memory(item, &memory[i]);
                record[i].kind = MNEME_RECORD_MEMORY;
                record[i].memory = &memory[i];
            }
        }
        MN_TRY(mn_scratch_load(store, record, some, err));
        mn_progress_tell(progress, "items", at + some, set->items.count);
    }
    return MNEME_OK;
}

/* A write does not wait for the vectors of a long text's passages: what the background would add is
 * added now, and without the jobs that age memories. */
static enum mneme_status embed_passages(const struct set *set, const struct mn_scratch *store,
                                        struct mneme_error *err)
{
    struct mneme_rebuilding how = MNEME_REBUILDING_INIT;
    bool any_long = false;

    for (size_t i = 0; i < set->items.count; i++)
        any_long = any_long || strlen(set->items.item[i].text) > LONG_BYTES;
    if (!any_long || !*mneme_model_name(store->handle))
        return MNEME_OK;
    how.with_vectors = 1;
    how.actor = "eval";
    return mneme_rebuild(store->handle, &how, NULL, err);
}

/* ---- asking ---- */

static int64_t after_last_item(const struct set *set, const char *user)
{
    int64_t last_ms = 0;

    for (size_t i = 0; i < set->items.count; i++)
        if (!strcmp(set->items.item[i].user, user) && set->items.item[i].time_ms > last_ms)
            last_ms = set->items.item[i].time_ms;
    return last_ms ? last_ms + AFTER_MS : 0; /* 0: the clock */
}

/* The set's own id again. */
static const char *own_id(const char *stored_id, const char *user)
{
    size_t bytes = strlen(user);

    return !strncmp(stored_id, user, bytes) && stored_id[bytes] == '/' ? stored_id + bytes + 1
                                                                       : stored_id;
}

static void put_answer(const struct query *query, const struct mneme_answer *answer,
                       struct mn_buf *out)
{
    struct mn_json_writer w = { .out = out };

    mn_json_open(&w, '{');
    mn_json_field_text(&w, "qid", query->qid);
    mn_json_key(&w, "ids");
    mn_json_open(&w, '[');
    for (size_t i = 0; i < answer->item_count; i++) {
        const struct mneme_item *item = &answer->item[i];

        mn_json_put_text(&w, own_id(item->memory->id, query->user));
        for (size_t j = 0; j < item->merged_from.count; j++)
            if (!mn_same(item->merged_from.item[j], item->memory->id))
                mn_json_put_text(&w, own_id(item->merged_from.item[j], query->user));
    }
    mn_json_close(&w, ']');
    mn_json_close(&w, '}');
    mn_buf_char(out, '\n');
}

static void put_numbers(struct mn_json_writer *w, yyjson_val *list)
{
    size_t at, count;
    yyjson_val *number;

    mn_json_open(w, '[');
    yyjson_arr_foreach(list, at, count, number)
        mn_json_put_number(w, yyjson_get_num(number), 5);
    mn_json_close(w, ']');
}

/* The trace's own object, with the ids as the set has them. */
static enum mneme_status put_signals(const struct query *query, const char *trace,
                                     struct mn_buf *out, struct mneme_error *err)
{
    struct mn_json_writer w = { .out = out };
    MN_JSON_AUTO doc = NULL;
    size_t at, count;
    yyjson_val *key, *value;

    MN_TRY(mn_json_parse("trace", trace, strlen(trace), &doc, err));
    yyjson_val *signals = yyjson_obj_get(yyjson_doc_get_root(doc), "signals");

    mn_json_open(&w, '{');
    mn_json_field_text(&w, "qid", query->qid);
    mn_json_field_text(&w, "user", query->user);
    mn_json_key(&w, "names");
    mn_json_open(&w, '[');
    yyjson_arr_foreach(yyjson_obj_get(signals, "names"), at, count, value)
        mn_json_put_text(&w, yyjson_get_str(value));
    mn_json_close(&w, ']');
    mn_json_key(&w, "weights");
    put_numbers(&w, yyjson_obj_get(signals, "weights"));
    mn_json_key(&w, "turns");
    mn_json_open(&w, '{');
    yyjson_obj_foreach(yyjson_obj_get(signals, "turns"), at, count, key, value) {
        mn_json_key(&w, own_id(yyjson_get_str(key), query->user));
        put_numbers(&w, value);
    }
    mn_json_close(&w, '}');
    mn_json_close(&w, '}');
    mn_buf_char(out, '\n');
    return out->failed ? mn_fail_memory(err) : MNEME_OK;
}

struct output {
    struct mn_buf *run;
    struct mn_buf *signals; /* NULL: not told */
};

static enum mneme_status ask(const struct mn_recall_options *options, const struct query *query,
                             int64_t now_ms, struct mn_scratch *store, const struct output *out,
                             bool *ret_found, struct mneme_error *err)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = TENANT;
    request.identity.user_id = query->user;
    request.text = query->text;
    request.now_ms = now_ms;
    request.mode = MNEME_MODE_HYBRID;
    request.profile = options->profile;
    request.depth = options->depth;
    request.items_max = options->depth;
    request.without_limits = 1;
    request.memory_bytes_max = CALL_BYTES_MAX;
    request.trace_signals = out->signals != NULL;
    MN_TRY(mneme_retrieve(store->handle, &request, &answer, err));
    put_answer(query, answer, out->run);
    *ret_found = answer->item_count > 0;
    enum mneme_status status = MNEME_OK;
    if (out->signals)
        status = put_signals(query, answer->trace, out->signals, err);
    mneme_answer_free(answer);
    return status == MNEME_OK && out->run->failed ? mn_fail_memory(err) : status;
}

static enum mneme_status ask_all(const struct mn_recall_options *options, const struct set *set,
                                 struct mn_scratch *store, const struct output *out,
                                 struct mn_recall_report *report, struct mneme_error *err)
{
    const char *user = "";
    int64_t now_ms = 0;

    for (size_t i = 0; i < set->queries.count; i++) {
        const struct query *query = &set->queries.item[i];
        bool found = false;

        if (strcmp(user, query->user)) {
            user = query->user;
            now_ms = after_last_item(set, user);
        }
        MN_TRY(ask(options, query, now_ms, store, out, &found, err));
        report->unanswered += !found;
        mn_progress_tell(options->progress, "queries", i + 1, set->queries.count);
    }
    return MNEME_OK;
}

/* ---- the whole ---- */

static enum mneme_status read_set(const struct mn_recall_options *options, struct set *set,
                                  struct mn_recall_report *report, struct mneme_error *err)
{
    if (!set->arena)
        return mn_fail_memory(err);
    MN_TRY(mn_lines_read(options->items_path, true, read_item, set, err));
    MN_TRY(mn_lines_read(options->queries_path, true, read_query, set, err));
    MN_TRY(find_events(set, err));
    report->items = set->items.count;
    report->queries = set->queries.count;
    for (size_t i = 0; i < set->items.count; i++)
        report->events += set->items.item[i].is_event;
    return MNEME_OK;
}

enum mneme_status mn_recall_run(const struct mn_recall_options *options,
                                struct mn_recall_report *ret_report, struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    MN_SCRATCH_AUTO store = { 0 };
    MN_BUF_AUTO run = { 0 };
    MN_BUF_AUTO signals = { 0 };
    const struct output out = { &run, options->signals_path ? &signals : NULL };
    struct set set = { .arena = arena };
    struct mn_recall_report report = { 0 };

    MN_TRY(read_set(options, &set, &report, err));
    MN_TRY(mn_scratch_open(&options->setup, &store, err));
    int64_t begun_us = mn_clock_monotonic_us();
    MN_TRY(load(&set, options->progress, &store, err));
    MN_TRY(embed_passages(&set, &store, err));
    int64_t loaded_us = mn_clock_monotonic_us();
    MN_TRY(ask_all(options, &set, &store, &out, &report, err));
    report.load_s = (double)(loaded_us - begun_us) / 1e6;
    report.ask_s = (double)(mn_clock_monotonic_us() - loaded_us) / 1e6;
    MN_TRY(mn_lines_write(options->out_path, &run, err));
    if (out.signals)
        MN_TRY(mn_lines_write(options->signals_path, &signals, err));
    *ret_report = report;
    return MNEME_OK;
}
