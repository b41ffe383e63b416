/*
 * proposal_draft.c - a memory that a model proposed and its turn bears out, as a draft.
 *
 * It is an inference, whoever spoke: what the user states outright is drafted by the rules. Of the
 * model's fields those are taken that the turn bears out as well: an end only where the turn names a
 * time, a key only where rules know that it has one value at a time (else a second hobby would retire
 * the first), entities that stand in it. The reach ("in this repo") is read from the turn by the rules.
 */
#include "remember/proposal.h"

#include <string.h>

#include "base/json.h"
#include "memory/type.h"
#include "remember/remember.h"
#include "remember/wording.h"
#include "text/analyze.h"
#include "text/when.h"

#define ENDS_WITHIN_MS (INT64_C(3660) * 86400000)
#define OPEN_SINCE_MS INT64_C(-60000000000000)

static bool says(const char *folded, const char *word, struct mn_arena *arena)
{
    const char *own = mn_text_fold(arena, word, strlen(word));

    return own && *own && mn_text_contains(folded, own);
}

/* By the cues of its words, and else by the kind that the model names. */
static const char *type_of(const struct mn_proposal *p, const struct mneme_memory *draft)
{
    struct mneme_memory plain = *draft;

    plain.type = NULL;
    mn_classify(&plain);
    if (!mn_same(plain.type, "fact"))
        return plain.type;
    if (!strcmp(p->kind, "procedural"))
        return "successful_procedure";
    if (!strcmp(p->kind, "episodic"))
        return !strcmp(p->outcome, "failure") ? "incident" : "event";
    return "fact";
}

static void take_end(const struct mn_proposal *p, const struct mneme_event *event,
                     const char *folded, const char *zone, struct mn_arena *arena,
                     struct mneme_memory *draft)
{
    int64_t said_ms = event->event_time_ms;
    struct mn_when when = mn_when_find(folded, said_ms, zone);
    int64_t end_ms = mn_extract_end(arena, p->content, said_ms, zone);

    if (!end_ms && !strcmp(p->temporal_scope, "expiring") && when.found &&
        when.from_ms > OPEN_SINCE_MS && mneme_time_parse(p->expires, &end_ms, NULL) == MNEME_OK)
        end_ms += INT64_C(86400000); /* the day itself is included */
    if (end_ms > said_ms && end_ms - said_ms < ENDS_WITHIN_MS)
        draft->valid_until_ms = end_ms;
}

static void take_key(const struct mn_proposal *p, const char *folded, struct mn_arena *arena,
                     struct mneme_memory *draft)
{
    struct mn_keyed keyed;

    if (draft->scope_kind != MNEME_SCOPE_USER)
        return;
    if (mn_key_of(arena, draft->content, &keyed) && !mn_key_is_attribute(keyed.key)) {
        draft->memory_key = keyed.key;
        draft->value = keyed.value;
    } else if (mn_key_known(p->key) && *p->value && says(folded, p->value, arena)) {
        draft->memory_key = p->key;
        draft->value = p->value;
    }
}

static bool take_entities(const struct mn_proposal *p, const char *folded, struct mn_arena *arena,
                          struct mneme_memory *draft)
{
    const char **names = mn_arena_array(arena, const char *, p->entities.count + 1);
    size_t count = 0;

    if (!names)
        return false;
    for (size_t i = 0; i < p->entities.count; i++)
        if (says(folded, p->entities.item[i], arena))
            names[count++] = p->entities.item[i];
    draft->entities = (struct mneme_list){ names, count };
    return true;
}

static const char *attributes_of(const struct mn_proposal *p, const char *extractor,
                                 struct mn_arena *arena)
{
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };
    bool episodic = !strcmp(p->kind, "episodic");

    mn_json_open(&w, '{');
    mn_json_field_text(&w, "extractor", extractor);
    mn_json_field_text(&w, "prompt", MN_PROMPT_NAME);
    if (episodic && *p->outcome)
        mn_json_field_text(&w, "outcome", p->outcome);
    if (episodic && *p->valence)
        mn_json_field_text(&w, "valence", p->valence);
    mn_json_close(&w, '}');
    return out.failed ? NULL : mn_arena_copy(arena, out.at);
}

enum mneme_status mn_proposal_draft(const struct mn_proposal *proposal,
                                    const struct mneme_event *event, const struct mn_place *place,
                                    const char *extractor, struct mn_arena *arena,
                                    struct mneme_memory *ret_draft, struct mneme_error *err)
{
    struct mneme_memory draft = MNEME_MEMORY_INIT;
    const char **source = mn_arena_array(arena, const char *, 1);
    const char *folded = mn_text_fold(arena, event->text, strlen(event->text));
    struct mn_wording quote = mn_wording_of(arena, mn_str_of(proposal->quote));

    if (!source || !folded || !quote.text)
        return mn_fail_memory(err);
    draft.tenant_id = event->tenant_id;
    draft.user_id = event->user_id;
    draft.agent_id = event->agent_id;
    draft.content = proposal->content;
    mn_extract_reach(quote.lower, event, place, &draft);
    if (!strcmp(proposal->temporal_scope, "session") && !mn_empty(event->session_id)) {
        draft.scope_kind = MNEME_SCOPE_SESSION;
        draft.scope_id = event->session_id;
    }
    draft.authority = MNEME_MODEL_INFERENCE;
    draft.importance = proposal->importance;
    draft.type = type_of(proposal, &draft);
    take_end(proposal, event, folded, mn_or_empty(place->timezone), arena, &draft);
    take_key(proposal, folded, arena, &draft);
    if (mn_type_of(draft.type)->kind == MN_KIND_EPISODIC)
        draft.event_time_ms = event->event_time_ms;
    draft.created_at_ms = event->event_time_ms; /* said then: what was said since stays current */
    source[0] = event->id;
    draft.provenance = (struct mneme_list){ source, 1 };
    draft.attributes = attributes_of(proposal, extractor, arena);
    if (!draft.attributes || !take_entities(proposal, folded, arena, &draft))
        return mn_fail_memory(err);
    *ret_draft = draft;
    return MNEME_OK;
}
