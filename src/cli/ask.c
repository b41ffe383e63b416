/*
 * ask.c - recall, explain and used: the main job, its reasons, and what came of it.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))

struct wishes {
    const char *mode, *intent, *profile, *consistency, *tool, *task_type, *dialogue, *format;
    struct cli_list paths, task_fields, types, without_types, evidence;
    int64_t now_ms, as_of_ms, after_ms, before_ms;
    size_t items_max, tokens_max, per_type_max, depth;
    int complete, explain, block_only;
};

/* ---- for programs ---- */

static void put_list(struct mn_json_writer *w, const char *key, const struct mneme_list *list)
{
    mn_json_key(w, key);
    mn_json_open(w, '[');
    for (size_t i = 0; i < list->count; i++)
        mn_json_put_text(w, list->item[i]);
    mn_json_close(w, ']');
}

static void put_item(struct mn_json_writer *w, const struct mneme_item *item)
{
    const struct mneme_memory *m = item->memory;

    mn_json_open(w, '{');
    mn_json_field_text(w, "id", m->id);
    mn_json_field_text(w, "type", m->type);
    mn_json_field_text(w, "scope_kind", mneme_scope_name(m->scope_kind));
    mn_json_field_text(w, "scope_id", m->scope_id);
    mn_json_field_text(w, "authority", mneme_authority_name(m->authority));
    mn_json_field_number(w, "confidence", item->confidence, 4);
    mn_json_field_number(w, "confidence_written", m->confidence, 4);
    mn_json_field_number(w, "score", item->score, 4);
    mn_json_field_text(w, "section", item->section);
    mn_json_field_text(w, "reason", item->reason);
    mn_json_field_bool(w, "forced", item->forced);
    mn_json_field_bool(w, "suspicious", item->suspicious);
    mn_json_field_bool(w, "shortened", item->shortened);
    mn_json_field_time(w, "event_time", m->event_time_ms);
    put_list(w, "merged_from", &item->merged_from);
    if (item->replaced_by[0])
        mn_json_field_text(w, "replaced_by", item->replaced_by);
    mn_json_field_text(w, "text", item->text);
    mn_json_close(w, '}');
}

static void put_conflict(struct mn_json_writer *w, const struct mneme_conflict *conflict)
{
    mn_json_open(w, '{');
    mn_json_field_text(w, "memory_key", conflict->memory_key);
    put_list(w, "ids", &conflict->ids);
    put_list(w, "withheld", &conflict->withheld);
    mn_json_field_bool(w, "needs_clarification", conflict->needs_clarification);
    mn_json_field_bool(w, "blocking", conflict->blocking);
    mn_json_field_text(w, "question", conflict->question);
    mn_json_close(w, '}');
}

static int print_json(const struct mneme_answer *answer, const struct wishes *wishes)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    mn_json_open(&w, '{');
    mn_json_field_text(&w, "trace_id", answer->trace_id);
    mn_json_field_text(&w, "mode", mneme_mode_name(answer->mode));
    mn_json_field_text(&w, "mode_reason", answer->mode_reason);
    mn_json_field_text(&w, "intent", answer->intent);
    mn_json_key(&w, "items");
    mn_json_open(&w, '[');
    for (size_t i = 0; i < answer->item_count; i++)
        put_item(&w, &answer->item[i]);
    mn_json_close(&w, ']');
    mn_json_key(&w, "conflicts");
    mn_json_open(&w, '[');
    for (size_t i = 0; i < answer->conflict_count; i++)
        put_conflict(&w, &answer->conflict[i]);
    mn_json_close(&w, ']');
    mn_json_field_text(&w, "block", mn_same(wishes->format, "markdown") ? answer->markdown
                                    : mn_same(wishes->format, "json")   ? answer->json
                                                                        : answer->xml);
    mn_json_field_integer(&w, "tokens_used", (int64_t)answer->tokens_used);
    mn_json_field_bool(&w, "budget_exceeded", answer->budget_exceeded);
    mn_json_field_bool(&w, "degraded", answer->degraded);
    if (wishes->explain) {
        mn_json_key(&w, "trace");
        mn_json_put_raw(&w, answer->trace);
    }
    mn_json_close(&w, '}');
    if (out.failed) {
        struct mneme_error err;

        mn_fail_memory(&err);
        return cli_fail(&err);
    }
    puts(out.at);
    return CLI_OK;
}

/* ---- for people ---- */

/* Each line of it in the column of the others; blank ones are left out. */
static void print_text(const char *text)
{
    for (const char *end; *text; text = *end ? end + 1 : end) {
        char *line;

        end = text + strcspn(text, "\n");
        if (end == text)
            continue;
        line = strndup(text, (size_t)(end - text));
        printf("     ");
        cli_put(mn_or_empty(line), true);
        printf("\n");
        free(line);
    }
}

static void print_item(size_t number, const struct mneme_item *item)
{
    const struct mneme_memory *m = item->memory;

    printf("%3zu. %5.2f  %s  %s", number, item->score, m->type, mneme_scope_name(m->scope_kind));
    if (m->scope_id[0])
        printf(" %s", m->scope_id);
    printf("  [%s]%s%s\n", m->id, item->forced ? "  by rule" : "",
           item->suspicious ? "  SUSPICIOUS: gives orders" : "");
    print_text(item->text);
    printf("     because it %s\n", item->reason);
    if (item->merged_from.count) {
        printf("     says the same as");
        for (size_t i = 0; i < item->merged_from.count; i++)
            printf(" %s", item->merged_from.item[i]);
        printf("\n");
    }
    if (item->replaced_by[0])
        printf("     what it told was replaced by %s\n", item->replaced_by);
}

static void print_conflict(const struct mneme_conflict *conflict)
{
    if (conflict->needs_clarification) {
        printf("  ask%s: ", conflict->blocking ? " before anything else" : "");
        cli_put(conflict->question, true);
        printf("\n");
        return;
    }
    printf("  %s: decided; withheld", conflict->memory_key);
    for (size_t i = 0; i < conflict->withheld.count; i++)
        printf(" %s", conflict->withheld.item[i]);
    printf("\n");
}

static const char *block_of(const struct mneme_answer *answer, const struct wishes *wishes)
{
    if (mn_same(wishes->format, "markdown"))
        return answer->markdown;
    if (mn_same(wishes->format, "json"))
        return answer->json;
    return answer->xml;
}

static int print_people(const struct mneme_answer *answer, const struct wishes *wishes)
{
    struct mneme_error err;
    char *explained = NULL;

    if (wishes->block_only) {
        if (block_of(answer, wishes)[0]) /* the block has no line end of its own */
            puts(block_of(answer, wishes));
        return CLI_OK;
    }
    printf("mode %s (%s), %zu memor%s, %zu tokens%s\n", mneme_mode_name(answer->mode),
           answer->mode_reason, answer->item_count, answer->item_count == 1 ? "y" : "ies",
           answer->tokens_used,
           answer->budget_exceeded ? "; what rules force exceeds the budget" : "");
    for (size_t i = 0; i < answer->item_count; i++)
        print_item(i + 1, &answer->item[i]);
    if (answer->conflict_count)
        printf("\nconflicts\n");
    for (size_t i = 0; i < answer->conflict_count; i++)
        print_conflict(&answer->conflict[i]);
    if (block_of(answer, wishes)[0]) {
        printf("\n");
        cli_put(block_of(answer, wishes), false);
        printf("\n");
    }
    if (wishes->explain) {
        if (mneme_trace_explain(answer->trace, &explained, &err) != MNEME_OK)
            return cli_fail(&err);
        printf("\n");
        cli_put(explained, false);
        mneme_free(explained);
    } else {
        printf("\ntrace %s ('mneme explain' tells why)\n", answer->trace_id);
    }
    return CLI_OK;
}

/* ---- recall ---- */

static struct mneme_list list_of(const struct cli_list *list)
{
    return (struct mneme_list){ list->item, list->count };
}

static enum mneme_status make_request(const struct cli_common *common, const struct wishes *wishes,
                                      const char *text, struct mneme_request *ret_request,
                                      struct mneme_error *err)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    int mode = 0, profile = 0, consistency = 0, format = 0;

    MN_TRY(cli_identity(common, &request.identity, err));
    MN_TRY(cli_pick(CLI_MODE, "mode", wishes->mode, &mode, err));
    MN_TRY(cli_pick(CLI_PROFILE, "profile", wishes->profile, &profile, err));
    MN_TRY(cli_pick(CLI_CONSISTENCY, "consistency", wishes->consistency, &consistency, err));
    MN_TRY(cli_pick(CLI_FORMAT, "format", wishes->format, &format, err));
    request.text = text;
    request.mode = (enum mneme_mode)mode;
    request.profile = (enum mneme_profile)profile;
    request.consistency = (enum mneme_consistency)consistency;
    request.intent = wishes->intent;
    request.has_complete_context = wishes->complete;
    request.now_ms = wishes->now_ms;
    request.as_of_ms = wishes->as_of_ms;
    request.after_ms = wishes->after_ms;
    request.before_ms = wishes->before_ms;
    request.items_max = wishes->items_max;
    request.tokens_max = wishes->tokens_max;
    request.per_type_max = wishes->per_type_max;
    request.depth = wishes->depth;
    request.signals = (struct mneme_signals){ .tool = wishes->tool,
                                              .task_type = wishes->task_type,
                                              .paths = list_of(&wishes->paths),
                                              .dialogue = wishes->dialogue };
    request.task_fields = list_of(&wishes->task_fields);
    request.types_required = list_of(&wishes->types);
    request.types_excluded = list_of(&wishes->without_types);
    request.evidence = list_of(&wishes->evidence);
    *ret_request = request;
    return MNEME_OK;
}

static int recall(const struct cli_common *common, const struct wishes *wishes, const char *text)
{
    struct mneme_answer *answer = NULL;
    struct mneme_request request;
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;

    if (make_request(common, wishes, text, &request, &err) != MNEME_OK ||
        cli_open(common, CLI_TO_READ, &handle, &err) != MNEME_OK ||
        mneme_retrieve(handle, &request, &answer, &err) != MNEME_OK)
        return cli_fail(&err);
    int code = common->json ? print_json(answer, wishes) : print_people(answer, wishes);
    mneme_answer_free(answer);
    cli_catch_up(handle);
    return code;
}

int cli_recall(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct wishes w = { 0 };
    const struct cli_option options[] = {
        { "explain", CLI_FLAG, NULL, "tell why each was chosen, and why the best others were not",
          &w.explain },
        { "block", CLI_FLAG, NULL, "print only the block for the prompt", &w.block_only },
        { "format", CLI_TEXT, "NAME", "of the block: xml (default), markdown, json", &w.format },
        { "mode", CLI_TEXT, "NAME", "auto (default), none, structured_only, episodic_only, hybrid",
          &w.mode },
        { "intent", CLI_TEXT, "NAME", "e.g. find_previous_fix, load_preferences, resume_task",
          &w.intent },
        { "complete", CLI_FLAG, NULL, "the request holds all that is needed", &w.complete },
        { "items", CLI_COUNT, "N", "at most so many memories (6)", &w.items_max },
        { "tokens", CLI_COUNT, "N", "at most so many tokens (700)", &w.tokens_max },
        { "per-type", CLI_COUNT, "N", "at most so many of a type (3)", &w.per_type_max },
        { "depth", CLI_COUNT, "N", "so many candidates are ranked (30)", &w.depth },
        { "profile", CLI_TEXT, "NAME", "default, similarity, balanced, recency", &w.profile },
        { "consistency", CLI_TEXT, "NAME", "mixed (default), candidate, read_model",
          &w.consistency },
        { "now", CLI_TIME, "TIME", "the instant of the request instead of the clock's", &w.now_ms },
        { "as-of", CLI_TIME, "TIME", "ask the past as it stood then", &w.as_of_ms },
        { "after", CLI_TIME, "TIME", "only what happened from then on", &w.after_ms },
        { "before", CLI_TIME, "TIME", "only what happened before then", &w.before_ms },
        { "type", CLI_MANY, "NAME", "only of this type; may be repeated", &w.types },
        { "without-type", CLI_MANY, "NAME", "not of this type; may be repeated",
          &w.without_types },
        { "tool", CLI_TEXT, "NAME", "the tool about to be used: a trigger of rules", &w.tool },
        { "task-type", CLI_TEXT, "NAME", "the kind of task: a trigger of rules", &w.task_type },
        { "path", CLI_MANY, "PATH", "a file it touches: a trigger of rules; may be repeated",
          &w.paths },
        { "task-field", CLI_MANY, "NAME", "a field of the checkpoint; may be repeated",
          &w.task_fields },
        { "dialogue", CLI_TEXT, "TEXT", "the turns so far", &w.dialogue },
        { "evidence", CLI_MANY, "TEXT", "knowledge of your own for the block; may be repeated",
          &w.evidence },
    };
    const struct cli_command command = {
        .name = "recall",
        .arguments = "TEXT...",
        .least = 1,
        .most = SIZE_MAX,
        .wants = "what is the request?",
        .summary = "Finds what is worth telling the agent before it answers TEXT ('-': standard "
                   "input).",
        .details = "The memories of --user and those its tenant shares, in the scopes given by\n"
                   "--project, --repo, --task and --session. Nothing found is a good answer.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_MODEL | CLI_GROUP_OWNER | CLI_GROUP_PLACE |
                  CLI_GROUP_WHO,
        .options = options,
        .option_count = COUNT_OF(options),
        .common = &common,
    };
    struct mneme_error err;
    char **arguments;
    size_t count;

    int code = CLI_OK;
    if (!cli_begin(&command, argc, argv, &arguments, &count, &code))
        return code;
    if (common.json && w.block_only)
        return cli_usage("recall", "--block goes without --json, which has the block");
    char *text = cli_text(arguments, count, &err);
    if (!text)
        return cli_fail(&err);
    code = recall(&common, &w, text);
    free(text);
    return code;
}

/* ---- explain ---- */

int cli_explain(int argc, char **argv)
{
    struct cli_common common = { 0 };
    const struct cli_command command = {
        .name = "explain",
        .arguments = "TRACE",
        .least = 1,
        .most = 1,
        .wants = "wants the id of one trace",
        .summary = "Shows why an earlier recall chose what it chose; --json gives the trace itself.",
        .details = "",
        .groups = CLI_GROUP_STORE | CLI_GROUP_OWNER,
        .common = &common,
    };
    struct mneme_identity identity;
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;
    char *trace = NULL, *explained = NULL;
    char **arguments;
    size_t count;

    int code = CLI_OK;
    if (!cli_begin_owned(&command, argc, argv, CLI_TO_READ, &identity, &handle, &arguments, &count,
                         &code))
        return code;
    if (mneme_trace_get(handle, identity.tenant_id, identity.user_id, arguments[0], &trace, &err) !=
        MNEME_OK)
        return cli_fail(&err);
    enum mneme_status status =
        common.json ? MNEME_OK : mneme_trace_explain(trace, &explained, &err);
    if (status == MNEME_OK && common.json)
        puts(trace);
    else if (status == MNEME_OK)
        cli_put(explained, false);
    mneme_free(trace);
    mneme_free(explained);
    return status == MNEME_OK ? CLI_OK : cli_fail(&err);
}

/* ---- used ---- */

int cli_used(int argc, char **argv)
{
    struct cli_common common = { 0 };
    struct mneme_use use = MNEME_USE_INIT;
    const struct cli_option options[] = {
        { "by", CLI_TEXT, "NAME", "the answer or the tool call that used them", &use.by },
    };
    const struct cli_command command = {
        .name = "used",
        .arguments = "TRACE ID...",
        .least = 2,
        .most = MNEME_LIST_ITEMS_MAX + 1,
        .wants = "wants a trace, and which of its memories were used",
        .summary = "Reports which memories of a recall were used.",
        .details = "Once a recall and memory, however often it is said. What is used keeps its confidence,\n"
                   "gains importance, and counts in 'mneme health'.",
        .groups = CLI_GROUP_STORE | CLI_GROUP_OWNER | CLI_GROUP_CHANGE,
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .common = &common,
    };
    struct mneme_identity identity;
    struct mneme_change change;
    struct mneme_error err;
    CLI_HANDLE_AUTO handle = NULL;
    char **arguments;
    size_t count, counted = 0;

    int code = CLI_OK;
    if (!cli_begin_owned(&command, argc, argv, CLI_TO_WRITE, &identity, &handle, &arguments, &count,
                         &code))
        return code;
    cli_change(&common, &change);
    use.tenant_id = identity.tenant_id;
    use.user_id = identity.user_id;
    use.trace_id = arguments[0];
    use.memory_ids = (struct mneme_list){ (const char *const *)arguments + 1, count - 1 };
    if (mneme_report_use(handle, &use, &change, &counted, &err) != MNEME_OK)
        return cli_fail(&err);
    printf(common.json ? "{\"counted\":%zu}\n" : "%zu counted\n", counted);
    return CLI_OK;
}
