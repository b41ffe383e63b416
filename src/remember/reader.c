/*
 * reader.c - turns that wait, read by a language model in the background.
 *
 * A turn is queued with its event, in one transaction. It is due at once where the rules hear a call in
 * it or somebody asks, when its session has TOGETHER turns that wait, or when the talk has been quiet
 * for QUIET_MS. Then the turns of that session are claimed, shown to the model in pieces it can take,
 * and what it proposes is held against their words (proposal_check.c); what holds goes the way of any
 * memory. A turn is done when all of it was read, also where nothing was drawn.
 *
 * When the model does not answer, or not with memories (asked twice), the turn stays and so does its
 * place in the queue: tried again after a minute, two, four ... up to an hour, ATTEMPTS_MAX times, and
 * then only when somebody asks. The events are evidence and recallable throughout; no failure here
 * touches them. A model that does not answer is left alone for a while, as it would make each session
 * wait for nothing.
 *
 * Nothing of a turn is an order here: it is shown as data (shown.h), and whatever comes back must be
 * borne out by the turn's words. Turns that hold a secret, tools' output and pleasantries are not queued
 * at all.
 */
#include "remember/remember.h"

#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/json.h"
#include "memory/record.h"
#include "model/chat.h"
#include "remember/proposal.h"
#include "remember/sentence.h"
#include "remember/shown.h"
#include "store/store.h"
#include "text/analyze.h"
#include "text/orders.h"
#include "text/pleasantry.h"

#define QUIET_MS INT64_C(1800000) /* a talk that has ended */
#define CLAIMED_MS INT64_C(600000) /* a reader that died meanwhile */
#define BACK_OFF_MS INT64_C(60000)
#define BACK_OFF_MAX_MS INT64_C(3600000)
#define TURNS_AT_ONCE 200
#define ANSWER_TOKENS_MAX 1500
#define ARENA_BYTES_MAX ((size_t)128 << 20)

extern const unsigned char mn_prompt_extract[];
extern const unsigned char mn_prompt_extract_schema[];
extern const unsigned char mn_prompt_extract_grammar[];

static const struct mn_prompt PROMPT = {
    (const char *)mn_prompt_extract,
    (const char *)mn_prompt_extract_schema,
    (const char *)mn_prompt_extract_grammar,
    "What of these turns will still matter? Answer with the JSON only.",
    mn_proposal_kinds,
    ANSWER_TOKENS_MAX,
};

/* ---- what is queued ---- */

bool mn_reader_wants(const struct mneme_event *event, struct mn_arena *arena)
{
    bool speaks = mn_empty(event->role) || !strcmp(event->role, "user") ||
                  !strcmp(event->role, "assistant") || !strcmp(event->role, "feedback");
    const char *folded;

    if (!speaks || mn_empty(event->text) || mn_text_secret(event->text))
        return false;
    folded = mn_text_fold(arena, event->text, strlen(event->text));
    return !folded || mn_pleasantry_find(event->text, folded) == MN_PLEASANTRY_NO;
}

void mn_reader_queue(const struct mneme_event *event, const struct mneme_change *change,
                     int64_t now_ms, struct mn_arena *arena, struct mn_extraction *ret_row)
{
    struct mn_calls calls = { 0 };
    bool called = mn_trigger_find(arena, event->text, event->role, &calls, NULL) == MNEME_OK &&
                  calls.count > 0;

    *ret_row = (struct mn_extraction){
        .step = MN_EXTRACTION_QUEUE,
        .event = *event,
        .task_id = mn_or_empty(change->task_id),
        .project_id = mn_or_empty(change->project_id),
        .repository_id = mn_or_empty(change->repository_id),
        .timezone = mn_or_empty(change->timezone),
        .due_at_ms = called || change->extract_now ? now_ms : now_ms + QUIET_MS,
        .queued_at_ms = now_ms,
        .together = MN_READ_TOGETHER,
    };
}

/* ---- one reading ---- */

/* One reading of one session. */
struct reading {
    struct mn_world *world;
    struct mn_arena *arena;
    struct mn_extraction *turn; /* claimed, in the order of the talk */
    size_t turn_count;
    struct mn_shown shown;
    struct mneme_read *report;
};

/* ---- what was proposed ---- */

static struct mneme_change change_of(const struct reading *r)
{
    struct mneme_change change = MNEME_CHANGE_INIT;

    change.actor = "extractor";
    change.reason = mn_arena_printf(r->arena, "drawn from a turn by %s with %s",
                                    r->world->chat->name, MN_PROMPT_NAME);
    return change;
}

/* What it says of two things in the turn, with the memory as evidence. */
static enum mneme_status add_relations(const struct reading *r, const struct mn_proposal *p,
                                       const struct mneme_memory *draft, const char *text,
                                       const char *memory_id, struct mneme_error *err)
{
    struct mneme_change change = change_of(r);
    const char *folded = mn_text_fold(r->arena, text, strlen(text));

    for (size_t i = 0; folded && i < p->relation_count; i++) {
        const char *source = mn_text_fold(r->arena, p->relation[i].source,
                                          strlen(p->relation[i].source));
        const char *target = mn_text_fold(r->arena, p->relation[i].target,
                                          strlen(p->relation[i].target));
        struct mneme_edge edge = MNEME_EDGE_INIT;
        struct mneme_record record = { .kind = MNEME_RECORD_EDGE, .edge = &edge };

        if (!source || !target)
            return mn_fail_memory(err);
        if (!mn_text_contains(folded, source) || !mn_text_contains(folded, target))
            continue;
        edge.tenant_id = draft->tenant_id;
        edge.user_id = draft->user_id;
        edge.source = p->relation[i].source;
        edge.relation = p->relation[i].relation;
        edge.target = p->relation[i].target;
        edge.origin = "extracted";
        edge.confidence = 0.5;
        edge.provenance = (struct mneme_list){ &memory_id, 1 };
        MN_TRY(mn_remember_records(r->world, &record, 1, &change, r->arena, NULL, NULL, err));
    }
    return folded ? MNEME_OK : mn_fail_memory(err);
}

/* The store's fault ends the reading; what the memory itself is refused for does not. */
static bool is_refusal(enum mneme_status status)
{
    return status == MNEME_INVALID || status == MNEME_FORBIDDEN || status == MNEME_CONFLICT ||
           status == MNEME_NOT_FOUND;
}

static enum mneme_status draw(struct reading *r, const struct mn_proposal *p,
                              const struct mn_shown_piece *piece, struct mneme_error *err)
{
    const struct mn_extraction *turn = &r->turn[piece->turn];
    const struct mn_place place = { turn->event.session_id, turn->task_id, turn->project_id,
                                    turn->repository_id, turn->timezone };
    struct mneme_change change = change_of(r);
    struct mneme_receipt receipt;
    struct mneme_memory draft;
    struct mneme_event shown = turn->event;
    enum mneme_status status;

    r->report->proposed++;
    shown.text = piece->text;
    if (mn_proposal_support(p, piece->text, shown.role, shown.speaker) != MN_SUPPORTED) {
        r->report->unsupported++;
        return MNEME_OK;
    }
    MN_TRY(mn_proposal_draft(p, &shown, &place, r->world->chat->name, r->arena, &draft, err));
    status = mn_remember(r->world, &draft, &change, r->arena, &receipt, err);
    if (status == MNEME_OK)
        status = add_relations(r, p, &draft, piece->text, mn_arena_copy(r->arena, receipt.id), err);
    if (is_refusal(status)) {
        r->report->unsupported++;
        return MNEME_OK;
    }
    MN_TRY(status);
    r->report->written += receipt.outcome != MNEME_UNCHANGED;
    return MNEME_OK;
}

static enum mneme_status draw_all(struct reading *r, size_t first, size_t count,
                                  const struct mn_proposals *proposals, struct mneme_error *err)
{
    for (size_t i = 0; i < proposals->count; i++) {
        size_t number = proposals->item[i].turn;

        if (number < 1 || number > count) {
            r->report->proposed++;
            r->report->unsupported++;
            continue;
        }
        MN_TRY(draw(r, &proposals->item[i], &r->shown.item[first + number - 1], err));
    }
    return MNEME_OK;
}

/* ---- how it went ---- */

static enum mneme_status commit_steps(const struct reading *r, struct mn_extraction *rows,
                                      size_t count, struct mneme_error *err)
{
    struct mn_write *writes = mn_arena_array(r->arena, struct mn_write, count + 1);
    struct mn_written *written = mn_arena_array(r->arena, struct mn_written, count + 1);
    struct mn_commit commit = { .write = writes, .count = count, .now_ms = r->world->now_ms() };

    if (!writes || !written)
        return mn_fail_memory(err);
    if (!count)
        return MNEME_OK;
    for (size_t i = 0; i < count; i++)
        writes[i] = (struct mn_write){ .kind = MN_WRITE_EXTRACTION, .extraction = &rows[i] };
    return mn_store_commit_one(r->world->store, &commit, written, err);
}

/* MNEME_CONFLICT: another reader has them. */
static enum mneme_status claim(const struct reading *r, struct mneme_error *err)
{
    int64_t until_ms = r->world->now_ms() + CLAIMED_MS;

    for (size_t i = 0; i < r->turn_count; i++) {
        r->turn[i].step = MN_EXTRACTION_CLAIM;
        r->turn[i].claimed_ms = until_ms;
    }
    return commit_steps(r, r->turn, r->turn_count, err);
}

static int64_t next_attempt(const struct mn_extraction *turn, int64_t now_ms)
{
    int64_t wait_ms = BACK_OFF_MS << (turn->attempts < 6 ? turn->attempts : 6);

    if (turn->attempts + 1 >= MN_READ_ATTEMPTS_MAX)
        return 0;
    return now_ms + (wait_ms < BACK_OFF_MAX_MS ? wait_ms : BACK_OFF_MAX_MS);
}

/* Turns [from, until) are done, or failed for `why`. */
static enum mneme_status settle(struct reading *r, size_t from, size_t until,
                                const struct mneme_error *why, struct mneme_error *err)
{
    for (size_t i = from; i < until; i++) {
        r->turn[i].step = why ? MN_EXTRACTION_FAIL : MN_EXTRACTION_DONE;
        if (!why)
            continue;
        r->turn[i].reason = why->message;
        r->turn[i].due_at_ms = next_attempt(&r->turn[i], r->world->now_ms());
    }
    MN_TRY(commit_steps(r, r->turn + from, until - from, err));
    if (why)
        r->report->failed += until - from;
    else
        r->report->turns += until - from;
    return MNEME_OK;
}

/* How many turns are read through when the pieces before `piece` are. */
static size_t turns_before(const struct reading *r, size_t piece)
{
    return piece == r->shown.count ? r->turn_count : r->shown.item[piece].turn;
}

static enum mneme_status read_some(struct reading *r, size_t first, size_t *ret_count,
                                   struct mneme_error *err)
{
    struct mn_proposals proposals = { 0 };

    MN_TRY(mn_shown_ask(r->world, &PROMPT, &r->shown, first, r->arena, ret_count, &proposals, err));
    return draw_all(r, first, *ret_count, &proposals, err);
}

static enum mneme_status read_all(struct reading *r, struct mneme_error *err)
{
    size_t done = 0;

    for (size_t at = 0; at < r->shown.count || done < r->turn_count;) {
        struct mneme_error why = { 0 };
        size_t count = 0;

        if (at < r->shown.count && read_some(r, at, &count, &why) != MNEME_OK) {
            r->report->first_failure = r->report->failed ? r->report->first_failure : why;
            return settle(r, done, r->turn_count, &why, err);
        }
        at += count;
        MN_TRY(settle(r, done, turns_before(r, at), NULL, err));
        done = turns_before(r, at);
    }
    return MNEME_OK;
}

/* Those that are due, and with them those never tried; all of them when somebody asks. What another
 * reader has is left to it. */
static void pick(struct reading *r, struct mn_extractions *rows, bool asked)
{
    int64_t now_ms = r->world->now_ms();
    size_t kept = 0;

    for (size_t i = 0; i < rows->count; i++) {
        const struct mn_extraction *x = &rows->item[i];

        if (x->claimed_ms > now_ms)
            continue;
        if (asked || (x->due_at_ms && x->due_at_ms <= now_ms) || x->attempts == 0)
            rows->item[kept++] = *x;
    }
    r->turn = rows->item;
    r->turn_count = kept;
}

enum mneme_status mn_read_session(struct mn_world *world, struct mn_partition partition,
                                  const char *session, bool asked, struct mneme_read *report,
                                  struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct reading r = { .world = world, .arena = arena, .report = report };
    struct mn_extractions rows = { 0 };
    enum mneme_status status;

    if (!arena)
        return mn_fail_memory(err);
    MN_TRY(world->store->ops->extractions(world->store, partition, session, TURNS_AT_ONCE, arena,
                                          &rows, err));
    pick(&r, &rows, asked);
    status = claim(&r, err);
    if (status == MNEME_CONFLICT) {
        mn_error_clear(err);
        return MNEME_OK;
    }
    MN_TRY(status);
    for (size_t i = 0; i < r.turn_count; i++)
        MN_TRY(mn_shown_add(&r.shown, i, &r.turn[i].event, world->chat->data_bytes_max / 2, arena,
                            err));
    return read_all(&r, err);
}

enum mneme_status mn_read_asked(struct mn_world *world, struct mn_partition partition,
                                const char *session, struct mneme_read *report,
                                struct mneme_error *err)
{
    size_t failed_before;
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    struct mn_extractions rows = { 0 };
    const struct mneme_event *last = NULL;

    if (!arena)
        return mn_fail_memory(err);
    MN_TRY(world->store->ops->extractions(world->store, partition, session, SIZE_MAX, arena, &rows,
                                          err));
    for (size_t i = 0; i < rows.count; i++) {
        const struct mneme_event *event = &rows.item[i].event;

        if (last && mn_same(last->session_id, event->session_id) &&
            mn_same(last->user_id, event->user_id))
            continue;
        last = event;
        failed_before = report->failed;
        MN_TRY(mn_read_session(world, (struct mn_partition){ partition.tenant, event->user_id },
                               event->session_id, true, report, err));
        if (report->failed > failed_before) /* it does not answer: each would only wait */
            break;
    }
    return MNEME_OK;
}

enum mneme_status mn_read_due(struct mn_world *world, size_t sessions_max, size_t *ret_done,
                              struct mneme_error *err)
{
    size_t done = 0;

    *ret_done = 0;
    if (!world->chat)
        return MNEME_OK;
    while (done < sessions_max) {
        MN_ARENA_AUTO arena = mn_arena_new(65536);
        struct mneme_read report = MNEME_READ_INIT;
        struct mn_partition partition = { "", "" };
        const char *session = "";
        bool found = false;

        if (!arena)
            return mn_fail_memory(err);
        if (mn_chat_left_alone(world->chat))
            break;
        MN_TRY(world->store->ops->extraction_due(world->store, world->now_ms(), arena, &partition,
                                                 &session, &found, err));
        if (!found)
            break;
        MN_TRY(mn_read_session(world, partition, session, false, &report, err));
        done++;
        if (report.failed && report.first_failure.status != MNEME_CORRUPT)
            mn_chat_leave_alone(world->chat);
    }
    *ret_done = done;
    return MNEME_OK;
}
