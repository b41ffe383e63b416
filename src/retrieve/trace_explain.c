/*
 * trace_explain.c - a trace for people: the mode and why, what was chosen and why, what was
 * rejected and why, what is in conflict, who was asked and how long it took.
 *
 * Reads nothing but the JSON, so that a trace explains itself wherever it was stored, and holds
 * against JSON that is none of ours: what is missing is left out.
 */
#include "retrieve/trace.h"

#include <stdlib.h>
#include <string.h>

#include <mneme/retrieve.h>

#include "base/json.h"

#define ID_COLUMN_MAX 44 /* columns an id may take before it breaks the alignment */

/* ---- reading ---- */

static const char *text_of(yyjson_val *object, const char *field)
{
    const char *text = yyjson_get_str(yyjson_obj_get(object, field));

    return text ? text : "";
}

static double number_of(yyjson_val *object, const char *field)
{
    return yyjson_get_num(yyjson_obj_get(object, field));
}

static long long integer_of(yyjson_val *object, const char *field)
{
    return (long long)number_of(object, field);
}

static bool is_set(yyjson_val *object, const char *field)
{
    return yyjson_get_bool(yyjson_obj_get(object, field));
}

static yyjson_val *list_of(yyjson_val *object, const char *field)
{
    return yyjson_obj_get(object, field);
}

/* "is not close enough to the request", from "floor". */
static const char *reason_words(const char *name)
{
    for (int reason = MN_REASON_NONE + 1; reason < MN_REASON_COUNT; reason++) {
        if (mn_same(mn_reason_name(reason), name))
            return mn_reason_words(reason);
    }
    return name;
}

/* ---- writing ---- */

static void put_list(struct mn_buf *out, yyjson_val *list)
{
    size_t at;
    size_t count;
    yyjson_val *item;

    yyjson_arr_foreach(list, at, count, item)
    {
        if (yyjson_is_str(item))
            mn_buf_printf(out, "%s%s", at ? ", " : "", yyjson_get_str(item));
    }
}

static void put_ms(struct mn_buf *out, const char *name, double us)
{
    mn_buf_printf(out, "  %s %.2f", name, us / 1000.0);
}

/* Widest of these ids, within reason: so that columns stand below each other. */
static int id_column(yyjson_val *list, int widest)
{
    size_t at;
    size_t count;
    yyjson_val *item;

    yyjson_arr_foreach(list, at, count, item)
    {
        int bytes = (int)strnlen(text_of(item, "id"), ID_COLUMN_MAX);

        if (bytes > widest)
            widest = bytes;
    }
    return widest;
}

static double total_ms(yyjson_val *trace)
{
    double us = 0.0;
    size_t at;
    size_t count;
    yyjson_val *name;
    yyjson_val *value;

    yyjson_obj_foreach(list_of(trace, "stages_us"), at, count, name, value) us +=
        yyjson_get_num(value);
    return us / 1000.0;
}

static void put_head(struct mn_buf *out, yyjson_val *trace)
{
    yyjson_val *identity = list_of(trace, "identity");
    yyjson_val *mode = list_of(trace, "mode");

    mn_buf_printf(out, "Trace %s  at %s%s%s\n", text_of(trace, "trace_id"), text_of(trace, "at"),
                  text_of(trace, "as_of")[0] ? ", as of " : "", text_of(trace, "as_of"));
    mn_buf_printf(out, "For   tenant %s, user %s", text_of(identity, "tenant"),
                  text_of(identity, "user"));
    for (size_t i = 0; i < 5; i++) {
        static const char *const open[] = { "agent", "project", "repository", "task", "session" };

        if (text_of(identity, open[i])[0])
            mn_buf_printf(out, ", %s %s", open[i], text_of(identity, open[i]));
    }
    mn_buf_printf(out, "\nMode  %s: %s", text_of(mode, "name"), text_of(mode, "why"));
    if (text_of(mode, "intent")[0])
        mn_buf_printf(out, " (%s)", text_of(mode, "intent"));
    mn_buf_printf(out, "  %.2f ms\n", total_ms(trace));
    if (is_set(trace, "degraded"))
        mn_buf_text(out, "      DEGRADED: a source was silent, see the notes\n");
    if (integer_of(trace, "first_wall_leaks"))
        mn_buf_printf(out, "      LEAKS of the first wall, caught by the second: %lld\n",
                      integer_of(trace, "first_wall_leaks"));
}

static void put_plan(struct mn_buf *out, yyjson_val *trace)
{
    yyjson_val *plan = list_of(trace, "plan");
    yyjson_val *phrase = list_of(plan, "time_phrase");

    mn_buf_text(out, "Plan  asks ");
    if (yyjson_arr_size(list_of(plan, "sources")))
        put_list(out, list_of(plan, "sources"));
    else
        mn_buf_text(out, "nothing");
    if (yyjson_arr_size(list_of(plan, "wanted_types"))) {
        mn_buf_text(out, "; wants ");
        put_list(out, list_of(plan, "wanted_types"));
    }
    if (yyjson_is_obj(phrase))
        mn_buf_printf(out, "; lifts what is dated %s to %s (%s)", text_of(phrase, "from"),
                      text_of(phrase, "until"), text_of(plan, "timezone"));
    mn_buf_char(out, '\n');
}

static void put_parts(struct mn_buf *out, yyjson_val *item)
{
    static const struct {
        const char *field;
        const char *word;
        bool always;
    } parts[] = {
        { "relevance", "relevance", true },
        { "task_fit", "fit", true },
        { "scope", "scope", true },
        { "authority", "authority", true },
        { "freshness", "freshness", true },
        { "confidence", "confidence", true },
        { "conflict", "conflict -", false },
        { "redundancy", "redundancy -", false },
        { "suspicion", "suspicion -", false },
    };
    yyjson_val *values = list_of(item, "parts");

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double value = number_of(values, parts[i].field);

        if (parts[i].always || value > 0.0)
            mn_buf_printf(out, "%s%s %.2f", i ? ", " : "", parts[i].word, value);
    }
}

static void put_found_by(struct mn_buf *out, yyjson_val *item)
{
    bool first = true;
    size_t at;
    size_t count;
    yyjson_val *name;
    yyjson_val *finding;

    yyjson_obj_foreach(list_of(item, "found_by"), at, count, name, finding)
    {
        mn_buf_printf(out, "%s%s %lld", first ? "found by " : ", ", yyjson_get_str(name),
                      integer_of(finding, "rank"));
        first = false;
    }
    if (is_set(item, "by_key"))
        mn_buf_text(out, first ? "found by its key" : ", its key");
    first = first && !is_set(item, "by_key");
    if (text_of(item, "second_step")[0])
        mn_buf_printf(out, "%sa second step by %s", first ? "found by " : ", ",
                      text_of(item, "second_step"));
}

/* Of a long text: which passage is nearest, and which stand in the block. */
static void put_passages(struct mn_buf *out, yyjson_val *item)
{
    yyjson_val *passage = list_of(item, "passage");
    yyjson_val *shown = list_of(item, "shown");

    if (!passage)
        return;
    mn_buf_printf(out, ", nearest by passage %lld of %lld", integer_of(passage, "best"),
                  integer_of(passage, "of"));
    if (shown)
        mn_buf_printf(out, " (shown: %lld to %lld)", integer_of(shown, "first"),
                      integer_of(shown, "last"));
}

static void put_neighbours(struct mn_buf *out, yyjson_val *item)
{
    size_t at;
    size_t count;
    yyjson_val *beside;

    yyjson_arr_foreach(list_of(item, "neighbours"), at, count, beside)
        mn_buf_printf(out, "%s%s %s it", at ? " and " : "; shown with ", text_of(beside, "id"),
                      text_of(beside, "place"));
}

static void put_chosen(struct mn_buf *out, yyjson_val *trace, int column)
{
    yyjson_val *counts = list_of(trace, "counts");
    yyjson_val *budget = list_of(trace, "budget");
    size_t at;
    size_t count;
    yyjson_val *item;

    mn_buf_printf(out, "\nChosen: %lld of %lld candidates, %lld of %lld tokens%s\n",
                  integer_of(counts, "selected"), integer_of(counts, "candidate"),
                  integer_of(budget, "tokens_used"), integer_of(budget, "tokens_max"),
                  is_set(budget, "exceeded") ? " (exceeded by what rules force)" : "");
    yyjson_arr_foreach(list_of(trace, "selected"), at, count, item)
    {
        mn_buf_printf(out, "  %5.3f  %-*s  %-20s  %s, %s%s%s%s\n", number_of(item, "score"), column,
                      text_of(item, "id"), text_of(item, "type"), text_of(item, "scope"),
                      text_of(item, "authority"), is_set(item, "suspicious") ? ", SUSPICIOUS" : "",
                      is_set(item, "shortened") ? ", as its summary" : "",
                      is_set(item, "forced") ? ", FORCED" : "");
        mn_buf_printf(out, "         why: %s", text_of(item, "selection_reason"));
        put_passages(out, item);
        if (text_of(item, "trigger")[0])
            mn_buf_printf(out, " (trigger: %s)", text_of(item, "trigger"));
        if (yyjson_arr_size(list_of(item, "merged_from"))) {
            mn_buf_text(out, "; says the same as ");
            put_list(out, list_of(item, "merged_from"));
        }
        if (text_of(item, "replaced_by")[0])
            mn_buf_printf(out, "; what it told was replaced by %s", text_of(item, "replaced_by"));
        put_neighbours(out, item);
        mn_buf_text(out, "\n         ");
        put_parts(out, item);
        mn_buf_text(out, "; ");
        put_found_by(out, item);
        mn_buf_char(out, '\n');
    }
}

/* What the floor read, and what it asked for. */
static void put_missed(struct mn_buf *out, yyjson_val *item)
{
    yyjson_val *raw = list_of(item, "raw");
    const char *read = yyjson_is_num(yyjson_obj_get(raw, "vector")) ? "relevance" : "text";

    if (yyjson_is_num(yyjson_obj_get(item, "floor")))
        mn_buf_printf(out, ": %s %.2f, wanted %.2f", read, number_of(raw, read),
                      number_of(item, "floor"));
}

static void put_rejected(struct mn_buf *out, yyjson_val *trace, int column)
{
    yyjson_val *reasons = list_of(trace, "rejections");
    long long rejected = 0;
    size_t at;
    size_t count;
    yyjson_val *name;
    yyjson_val *item;

    yyjson_obj_foreach(reasons, at, count, name, item) rejected += (long long)yyjson_get_num(item);
    mn_buf_printf(out, "\nRejected: %lld", rejected);
    yyjson_obj_foreach(reasons, at, count, name, item)
        mn_buf_printf(out, "%s%s %lld", at ? ", " : " (", yyjson_get_str(name),
                      (long long)yyjson_get_num(item));
    mn_buf_text(out, rejected ? ")\n" : "\n");
    yyjson_arr_foreach(list_of(trace, "rejected"), at, count, item)
    {
        mn_buf_printf(out, "  %5.3f  %-*s  %-20s  %s", number_of(item, "score"), column,
                      text_of(item, "id"), text_of(item, "type"),
                      reason_words(text_of(item, "reason")));
        if (text_of(item, "by")[0])
            mn_buf_printf(out, ": %s", text_of(item, "by"));
        put_missed(out, item);
        mn_buf_printf(out, " (%s, %s)\n", text_of(item, "reason"), text_of(item, "stage"));
    }
}

/* Said afterwards; told with the trace as it is stored. */
static void put_used(struct mn_buf *out, yyjson_val *trace)
{
    size_t at;
    size_t count;
    yyjson_val *item;

    if (yyjson_arr_size(list_of(trace, "used")))
        mn_buf_text(out, "\nUsed\n");
    yyjson_arr_foreach(list_of(trace, "used"), at, count, item)
        mn_buf_printf(out, "  %s%s%s\n", text_of(item, "id"), text_of(item, "by")[0] ? "  by " : "",
                      text_of(item, "by"));
}

static void put_conflicts(struct mn_buf *out, yyjson_val *trace)
{
    size_t at;
    size_t count;
    yyjson_val *item;

    if (!yyjson_arr_size(list_of(trace, "conflicts")))
        return;
    mn_buf_text(out, "\nIn conflict\n");
    yyjson_arr_foreach(list_of(trace, "conflicts"), at, count, item)
    {
        mn_buf_printf(out, "  %s: ", text_of(item, "memory_key"));
        put_list(out, list_of(item, "ids"));
        if (yyjson_arr_size(list_of(item, "withheld"))) {
            mn_buf_text(out, "; withheld ");
            put_list(out, list_of(item, "withheld"));
        }
        if (is_set(item, "needs_clarification"))
            mn_buf_text(out, is_set(item, "blocking") ? "; ASK THE USER before anything is done"
                                                      : "; ask the user");
        mn_buf_char(out, '\n');
    }
}

/* Text and vectors are one question to the index, whose time stands with the text. */
static void put_source_time(struct mn_buf *out, yyjson_val *source)
{
    mn_buf_printf(out, "%5lld found  ", integer_of(source, "count"));
    if (mn_same(text_of(source, "name"), "vector") && integer_of(source, "us") == 0)
        mn_buf_text(out, "   (with text)\n");
    else
        mn_buf_printf(out, "%8.2f ms\n", number_of(source, "us") / 1000.0);
}

static void put_sources(struct mn_buf *out, yyjson_val *trace)
{
    size_t at;
    size_t count;
    yyjson_val *item;

    mn_buf_text(out, "\nSources\n");
    yyjson_arr_foreach(list_of(trace, "sources"), at, count, item)
    {
        mn_buf_printf(out, "  %-10s  ", text_of(item, "name"));
        if (text_of(item, "silent")[0])
            mn_buf_printf(out, "SILENT: %s\n", text_of(item, "silent"));
        else if (!is_set(item, "asked"))
            mn_buf_text(out, "not asked\n");
        else
            put_source_time(out, item);
    }
}

static void put_step(struct mn_buf *out, yyjson_val *step)
{
    if (strcmp(text_of(step, "by"), "time") != 0)
        mn_buf_printf(out, "Again  by the name that %s gives: %lld brought\n",
                      text_of(step, "from"), integer_of(step, "brought"));
    else
        mn_buf_printf(out, "Again  by the time that %s %s, %s to %s: %lld brought\n",
                      text_of(step, "from")[0] ? text_of(step, "from") : "the request",
                      text_of(step, "from")[0] ? "gives" : "names", text_of(step, "after"),
                      text_of(step, "before"), integer_of(step, "brought"));
}

static void put_times(struct mn_buf *out, yyjson_val *trace)
{
    yyjson_val *counts = list_of(trace, "counts");
    yyjson_val *model = list_of(trace, "model");
    size_t at;
    size_t count;
    yyjson_val *name;
    yyjson_val *value;

    mn_buf_printf(out,
                  "\nCounts %lld candidates, %lld eligible, %lld without duplicates, %lld ranked, "
                  "%lld chosen\n",
                  integer_of(counts, "candidate"), integer_of(counts, "eligible"),
                  integer_of(counts, "deduplicated"), integer_of(counts, "ranked"),
                  integer_of(counts, "selected"));
    mn_buf_text(out, "Times  ms:");
    yyjson_obj_foreach(list_of(trace, "stages_us"), at, count, name, value)
        put_ms(out, yyjson_get_str(name), yyjson_get_num(value));
    put_ms(out, "(embedding", number_of(trace, "embed_us"));
    mn_buf_text(out, ")\n");
    if (text_of(model, "name")[0])
        mn_buf_printf(out, "Model  %s, profile %s\n", text_of(model, "name"),
                      text_of(model, "profile_hash"));
    else
        mn_buf_text(out, "Model  none: text, structure, graph and rules only\n");
    yyjson_arr_foreach(list_of(list_of(trace, "second_step"), "steps"), at, count, value)
        put_step(out, value);
    if (integer_of(list_of(trace, "tokens"), "turns"))
        mn_buf_printf(out, "Words  %lld of the %lld turns that lead were compared word by word\n",
                      integer_of(list_of(trace, "tokens"), "measured"),
                      integer_of(list_of(trace, "tokens"), "turns"));
    yyjson_arr_foreach(list_of(trace, "notes"), at, count, value)
        mn_buf_printf(out, "Note   %s\n", yyjson_is_str(value) ? yyjson_get_str(value) : "");
    if (is_set(trace, "truncated"))
        mn_buf_text(out, "Note   the trace ran out of room; counts are complete, lists are not\n");
}

enum mneme_status mneme_trace_explain(const char *trace_json, char **ret_text,
                                      struct mneme_error *err)
{
    MN_JSON_AUTO doc = NULL;
    MN_BUF_AUTO out = { 0 };
    yyjson_val *trace;
    int column;

    if (!ret_text)
        return mn_fail(err, MNEME_INVALID, "ret_text: is NULL");
    if (mn_empty(trace_json))
        return mn_fail(err, MNEME_INVALID, "trace: is empty");
    MN_TRY(mn_json_parse("trace", trace_json, strlen(trace_json), &doc, err));
    trace = yyjson_doc_get_root(doc);
    if (integer_of(trace, "version") != MN_TRACE_VERSION)
        return mn_fail(err, MNEME_INVALID, "trace: version %lld, this reads version %d",
                       integer_of(trace, "version"), MN_TRACE_VERSION);
    column = id_column(list_of(trace, "rejected"), id_column(list_of(trace, "selected"), 8));
    put_head(&out, trace);
    put_plan(&out, trace);
    put_chosen(&out, trace, column);
    put_rejected(&out, trace, column);
    put_conflicts(&out, trace);
    put_used(&out, trace);
    put_sources(&out, trace);
    put_times(&out, trace);
    if (out.failed)
        return mn_fail_memory(err);
    *ret_text = out.at;
    out = (struct mn_buf){ 0 };
    return MNEME_OK;
}
