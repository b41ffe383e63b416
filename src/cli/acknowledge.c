/*
 * acknowledge.c - what a change became, for people or for programs.
 */
#include "cli/acknowledge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"

static void tell(const char *before, const struct mneme_receipt *receipt, const char *supersedes)
{
    printf("%s%s  %s (revision %lld)%s%s\n", before, receipt->id,
           mn_empty(supersedes) ? mneme_outcome_name(receipt->outcome) : "inserted",
           (long long)receipt->revision, mn_empty(supersedes) ? "" : ", supersedes ",
           mn_or_empty(supersedes));
}

static void put_fields(struct mn_json_writer *w, const struct mneme_receipt *receipt,
                       const char *supersedes)
{
    mn_json_field_text(w, "id", receipt->id);
    mn_json_field_text(w, "result", mneme_outcome_name(receipt->outcome));
    if (!mn_empty(supersedes))
        mn_json_field_text(w, "supersedes", supersedes);
    mn_json_field_integer(w, "revision", receipt->revision);
}

int cli_print_receipt(const struct cli_common *common, const char *supersedes,
                      const struct mneme_receipt *receipt)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    if (!common->json) {
        tell("", receipt, supersedes);
        if (receipt->parts)
            printf("long: searched in %zu passages, shown by those nearest to a request\n",
                   receipt->parts);
        return CLI_OK;
    }
    mn_json_open(&w, '{');
    put_fields(&w, receipt, supersedes);
    if (receipt->parts)
        mn_json_field_integer(&w, "passages", (int64_t)receipt->parts);
    mn_json_close(&w, '}');
    puts(out.failed ? "" : out.at);
    return CLI_OK;
}

void cli_note_drawn(void *context, const struct mneme_memory *memory,
                    const struct mneme_receipt *receipt)
{
    struct cli_drawn *drawn = context;

    if (drawn->count == CLI_DRAWN_MAX)
        return;
    drawn->receipt[drawn->count] = *receipt;
    drawn->supersedes[drawn->count] = NULL;
    drawn->event_time_ms[drawn->count] = memory->event_time_ms;
    drawn->valid_until_ms[drawn->count] = memory->valid_until_ms;
    drawn->content[drawn->count++] = strdup(memory->content);
}

void cli_print_observed(const struct cli_common *common, const struct mneme_receipt *receipt,
                        const struct cli_drawn *drawn)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    if (!common->json) {
        tell("", receipt, NULL);
        if (receipt->parts > 1)
            printf("kept in %zu parts: what is longer than a vector speaks of is cut\n", receipt->parts);
        for (size_t i = 0; i < drawn->count; i++) {
            tell("drawn: ", &drawn->receipt[i], drawn->supersedes[i]);
            printf("    ");
            cli_put(mn_or_empty(drawn->content[i]), true);
            printf("\n");
        }
        return;
    }
    mn_json_open(&w, '{');
    put_fields(&w, receipt, NULL);
    mn_json_field_integer(&w, "parts", (int64_t)receipt->parts);
    mn_json_key(&w, "drawn");
    mn_json_open(&w, '[');
    for (size_t i = 0; i < drawn->count; i++) {
        mn_json_open(&w, '{');
        put_fields(&w, &drawn->receipt[i], drawn->supersedes[i]);
        mn_json_field_text(&w, "content", drawn->content[i]);
        if (drawn->event_time_ms[i])
            mn_json_field_time(&w, "event_time", drawn->event_time_ms[i]);
        if (drawn->valid_until_ms[i])
            mn_json_field_time(&w, "valid_until", drawn->valid_until_ms[i]);
        mn_json_close(&w, '}');
    }
    mn_json_close(&w, ']');
    mn_json_close(&w, '}');
    puts(out.failed ? "" : out.at);
}

void cli_drawn_release(struct cli_drawn *drawn)
{
    for (size_t i = 0; i < drawn->count; i++) {
        free(drawn->content[i]);
        free(drawn->supersedes[i]);
    }
    drawn->count = 0;
}
