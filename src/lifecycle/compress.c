/*
 * compress.c - the jobs of sessions: drawing from those that have ended, and handing their turns on.
 *
 * One group holds the memories, the checkpoint and the mark on the session, which must be as it was
 * read: a turn that came meanwhile, another process, or an erasure of one of the turns (its tombstone
 * refuses what names it) leaves nothing of the group, and the next run reads again.
 */
#include "lifecycle/compress.h"

#include <string.h>
#include <yyjson.h>

#include "base/array.h"
#include "base/json.h"
#include "base/str.h"
#include "lifecycle/archive.h"
#include "lifecycle/drawn.h"
#include "memory/record.h"
#include "model/chat.h"
#include "remember/remember.h"
#include "text/orders.h"

#define SESSIONS_AT_ONCE 4
#define SPAN_BYTES_MAX ((size_t)1 << 20) /* of texts that are read at once */
#define HAND_OVER 500
#define HAND_OVERS 20 /* of one piece */
#define ATTEMPTS_MAX 64
#define CALLS_MAX 12 /* of a model, for one span */

/* ---- the turns ---- */

/* What is read at once; of who is asked, so much that an answer can be waited for. */
static size_t span_bytes(const struct mn_world *world)
{
    size_t asked = world->summarise && world->chat ? CALLS_MAX * world->chat->data_bytes_max
                                                   : SPAN_BYTES_MAX;

    return asked < SPAN_BYTES_MAX ? asked : SPAN_BYTES_MAX;
}

/* Those that are not drawn from yet, as many as may be read at once, but whole places. *ret_rest: more
 * of them are left. */
static enum mneme_status read_span(struct mn_piece *piece, const struct mn_session *session,
                                   struct mn_events *ret_turns, bool *ret_rest,
                                   struct mneme_error *err)
{
    const struct mn_event_place after = { session->compressed_place + 1, "" };
    const size_t bytes_max = span_bytes(piece->world);
    struct mn_events turns = { 0 };
    size_t count = 0;
    size_t bytes = 0;

    MN_TRY(piece->world->store->ops->session_events(piece->world->store, session->partition,
                                                    session->session_id, after,
                                                    MN_SESSION_TURNS_MAX, piece->arena, &turns, err));
    for (; count < turns.count; count++) {
        bytes += strlen(turns.item[count].text);
        if (count > 0 && bytes > bytes_max)
            break;
    }
    *ret_rest = count < turns.count || turns.count == MN_SESSION_TURNS_MAX;
    if (*ret_rest) {
        int64_t last = turns.item[count - 1].order;
        size_t whole = count;

        while (whole > 0 && turns.item[whole - 1].order == last)
            whole--;
        /* where the reading ended, more of the last place may be behind it */
        if (whole > 0 && (count == turns.count || turns.item[count].order == last))
            count = whole;
    }
    turns.count = count;
    *ret_turns = turns;
    return MNEME_OK;
}

/* ---- the drafts ---- */

static bool is_turn(const struct mn_events *turns, const char *id)
{
    for (size_t i = 0; i < turns->count; i++)
        if (mn_same(turns->item[i].id, id))
            return true;
    return false;
}

/* Evidence that is any: turns of this span, and that all of them are needed where there are several. */
static enum mneme_status keep_evidence(const struct mn_events *turns, struct mneme_memory *draft,
                                       struct mn_arena *arena, struct mneme_error *err)
{
    const char **kept = mn_arena_array(arena, const char *, draft->provenance.count + 1);
    size_t count = 0;

    if (!kept)
        return mn_fail_memory(err);
    for (size_t i = 0; i < draft->provenance.count && count + 1 < MNEME_LIST_ITEMS_MAX; i++)
        if (is_turn(turns, draft->provenance.item[i]))
            kept[count++] = draft->provenance.item[i];
    if (count > 1)
        kept[count++] = MN_NEEDS_ALL;
    draft->provenance = (struct mneme_list){ kept, count };
    return MNEME_OK;
}

/* Stamped, checked and complete; *ret_kept: it is worth keeping. */
static enum mneme_status finish_draft(struct mn_piece *piece, const struct mn_session *session,
                                      const struct mn_events *turns, bool asked,
                                      struct mneme_memory *draft, struct mneme_memory *ret_row,
                                      bool *ret_kept, struct mneme_error *err)
{
    struct mneme_error refused;

    MN_TRY(keep_evidence(turns, draft, piece->arena, err));
    draft->id = draft->supersedes = draft->requires_permission = NULL;
    draft->tenant_id = session->partition.tenant;
    draft->user_id = session->partition.owner;
    draft->agent_id = session->agent_id;
    draft->scope_kind = mn_empty(session->partition.owner) ? MNEME_SCOPE_GLOBAL : MNEME_SCOPE_USER;
    draft->scope_id = session->partition.owner;
    draft->type = "session_summary";
    draft->authority = asked ? MNEME_MODEL_INFERENCE : MNEME_TOOL_OBSERVATION;
    draft->confidence = -1.0;
    draft->status = MNEME_ACTIVE;
    draft->created_at_ms = draft->updated_at_ms = draft->confirmed_at_ms = 0;
    *ret_kept = draft->provenance.count > 0 && !mn_empty(draft->content) &&
                mn_text_orders(piece->arena, draft->content) != MN_ORDERS_GIVEN &&
                mn_memory_check(draft, &refused) == MNEME_OK &&
                mn_guard_secrets(draft, 0, &refused) == MNEME_OK;
    return *ret_kept ? mn_memory_complete(draft, piece->now_ms, piece->arena, ret_row, err)
                     : MNEME_OK;
}

static enum mneme_status ready(const struct mn_piece *piece, struct mneme_error *err)
{
    const struct mn_summarise *lent = piece->world->summarise;

    return lent->ready ? lent->ready(lent->context, piece->world, err) : MNEME_OK;
}

/* By who is asked, or else by rules; *ret_why: why not by the former. *ret_waits: neither, yet. */
static enum mneme_status draw(struct mn_piece *piece, const struct mn_session *session,
                              const struct mn_events *turns, struct mn_summary *ret_summary,
                              struct mneme_error *ret_why, bool *ret_waits,
                              struct mneme_error *err)
{
    const struct mn_summarise *lent = piece->world->summarise;
    enum mneme_status status = lent ? ready(piece, ret_why) : MNEME_OK;
    const bool *drawn = NULL;

    if (lent && status == MNEME_OK)
        status = lent->draw(lent->context, piece->world, session, turns, piece->arena, ret_summary,
                            ret_why);
    *ret_waits = status != MNEME_OK && status != MNEME_CORRUPT && status != MNEME_LIMIT &&
                 piece->now_ms <
                     session->recorded_at_ms + MN_SESSION_IDLE_MS + MN_SESSION_WAITS_MS;
    if (*ret_waits || (lent && status == MNEME_OK && ret_summary->drafts.count > 0))
        return MNEME_OK;
    MN_TRY(mn_turns_drawn(piece->world, session, turns, piece->arena, &drawn, err));
    return mn_summary_make(session, turns, drawn, piece->arena, ret_summary, err);
}

static const char *reason_of(struct mn_piece *piece, const struct mn_summary *summary)
{
    return summary->by ? mn_arena_printf(piece->arena, "drawn from a session that has ended by %s",
                                         summary->by)
                       : "drawn from a session that has ended";
}

/* Into the report of the job. */
static enum mneme_status tell_why(struct mn_piece *piece, const struct mneme_error *why, bool waits,
                                  struct mneme_error *err)
{
    if (!*why->message)
        return MNEME_OK;
    piece->waits = piece->waits || waits;
    piece->note = mn_arena_printf(piece->arena, waits ? "a session waits: %s"
                                                      : "drawn by rules: %s", why->message);
    return piece->note ? MNEME_OK : mn_fail_memory(err);
}

/* ---- what is pending ---- */

/* The turns that say so stand beside it, so that with one of them it goes (MN_PENDING_FROM). */
static enum mneme_status state_with(const char *state, const struct mn_summary *summary,
                                    struct mn_arena *arena, const char **ret_state,
                                    struct mneme_error *err)
{
    yyjson_mut_doc *out = NULL;
    MN_JSON_AUTO doc = NULL;
    char *json = NULL;

    *ret_state = NULL;
    MN_TRY(mn_json_parse("state", state, strlen(state), &doc, err));
    if (yyjson_obj_get(yyjson_doc_get_root(doc), "pending_action"))
        return MNEME_OK; /* the agent's own word stands */
    out = yyjson_doc_mut_copy(doc, NULL);
    yyjson_mut_val *root = yyjson_mut_doc_get_root(out);
    yyjson_mut_val *from = yyjson_mut_arr(out);
    for (size_t i = 0; from && i < summary->pending_from.count; i++)
        if (!yyjson_mut_arr_add_str(out, from, summary->pending_from.item[i]))
            from = NULL;
    if (from && yyjson_mut_obj_add_str(out, root, "pending_action", summary->pending) &&
        yyjson_mut_obj_add_val(out, root, MN_PENDING_FROM, from))
        json = yyjson_mut_write(out, 0, NULL);
    *ret_state = json ? mn_arena_copy(arena, json) : NULL;
    free(json);
    yyjson_mut_doc_free(out);
    return *ret_state ? MNEME_OK : mn_fail_memory(err);
}

/* Into the checkpoint of the task that its last turn was said in; where that is not known, of the session's
 * last one, and where it has none, into one of its own name. */
static enum mneme_status add_checkpoint(struct mn_piece *piece, const struct mn_session *session,
                                        const struct mn_task_states *states,
                                        const struct mn_summary *summary, struct mn_write *write,
                                        bool *ret_added, struct mneme_error *err)
{
    struct mneme_task_state *row = mn_arena_one(piece->arena, struct mneme_task_state);
    struct mneme_task_state state = MNEME_TASK_STATE_INIT;
    int64_t expected = MN_REVISION_ABSENT;
    const char *text = "{}";

    *ret_added = false;
    if (mn_empty(summary->pending) || !summary->pending_from.count ||
        mn_text_secret(summary->pending) || !*session->session_id ||
        mn_empty(session->partition.owner))
        return MNEME_OK;
    state.tenant_id = session->partition.tenant;
    state.user_id = session->partition.owner;
    state.session_id = session->session_id;
    state.task_id = mn_empty(session->task_id) ? session->session_id : session->task_id;
    for (size_t i = 0, newest = 0; i < states->count; i++) {
        if (mn_empty(session->task_id)
                ? states->item[i].updated_at_ms < states->item[newest].updated_at_ms
                : !mn_same(states->item[i].task_id, session->task_id))
            continue;
        newest = i;
        state.task_id = states->item[i].task_id;
        text = states->item[i].state;
        expected = states->revision[i];
    }
    MN_TRY(state_with(text, summary, piece->arena, &state.state, err));
    if (!state.state)
        return MNEME_OK;
    if (!row)
        return mn_fail_memory(err);
    MN_TRY(mn_task_state_check(&state, err));
    MN_TRY(mn_task_state_complete(&state, piece->now_ms, piece->arena, row, err));
    *write = (struct mn_write){ .kind = MN_WRITE_TASK_STATE,
                                .expected_revision = expected,
                                .task_state = row };
    *ret_added = true;
    return MNEME_OK;
}

/* ---- one session ---- */

/* What is only of the session ends with it. */
struct ending {
    struct mn_piece *piece;
    struct {
        struct mneme_memory *item;
        size_t count, room;
    } rows;
    bool failed;
};

static int note_ending(void *context, const struct mneme_record *record)
{
    struct ending *e = context;
    struct mneme_memory *row;
    struct mneme_error ignored;

    if (record->memory->valid_until_ms)
        return 0;
    row = mn_array_add(e->piece->arena, &e->rows);
    e->failed = !row || mn_memory_copy(record->memory, e->piece->arena, row, &ignored) != MNEME_OK;
    return e->failed;
}

static enum mneme_status find_endings(struct mn_piece *piece, const struct mn_session *session,
                                      struct ending *ret_ending, struct mneme_error *err)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;

    *ret_ending = (struct ending){ .piece = piece };
    if (!session->ended || mn_empty(session->partition.owner))
        return MNEME_OK;
    filter.tenant_id = session->partition.tenant;
    filter.user_id = session->partition.owner;
    filter.scope_kind = MNEME_SCOPE_SESSION;
    filter.scope_id = session->session_id;
    MN_TRY(piece->world->store->ops->list(piece->world->store, &filter, true, note_ending,
                                          ret_ending, err));
    return ret_ending->failed ? mn_fail_memory(err) : MNEME_OK;
}

/* A turn that is withheld, since what it said was forgotten, is not told again. */
static enum mneme_status leave_withheld(struct mn_piece *piece, const struct mn_events *turns,
                                        struct mn_events *ret_told, struct mneme_error *err)
{
    struct mneme_event *told = mn_arena_array(piece->arena, struct mneme_event, turns->count + 1);
    size_t count = 0;

    if (!told)
        return mn_fail_memory(err);
    for (size_t i = 0; i < turns->count; i++)
        if (turns->item[i].not_recallable != MN_TURN_WITHHELD)
            told[count++] = turns->item[i];
    *ret_told = (struct mn_events){ .item = told, .count = count };
    return MNEME_OK;
}

static enum mneme_status add_session(struct mn_piece *piece, const struct mn_session *session,
                                     const struct mn_task_states *states,
                                     const struct mn_events *turns, bool rest,
                                     struct mneme_error *err)
{
    struct mn_session_move *move = mn_arena_one(piece->arena, struct mn_session_move);
    struct mn_summary summary = { .pending = "" };
    struct mneme_error why = { 0 };
    struct ending ending = { 0 };
    struct mn_events told = { 0 };
    struct mn_write *writes;
    const char *reason;
    bool added = false, waits = false;
    size_t count = 1;

    if (!rest)
        MN_TRY(find_endings(piece, session, &ending, err));
    MN_TRY(leave_withheld(piece, turns, &told, err));
    if (told.count > 0)
        MN_TRY(draw(piece, session, &told, &summary, &why, &waits, err));
    MN_TRY(tell_why(piece, &why, waits, err));
    if (waits)
        return MNEME_OK;
    reason = reason_of(piece, &summary);
    writes = mn_arena_array(piece->arena, struct mn_write,
                            summary.drafts.count + ending.rows.count + 2);
    if (!writes || !move || !reason)
        return mn_fail_memory(err);
    *move = (struct mn_session_move){ .was = session, .now = *session };
    move->now.compressed_place = rest ? turns->item[turns->count - 1].order : session->last_place;
    move->now.compressed_count = rest ? session->compressed_count + (int64_t)turns->count
                                      : session->event_count;
    writes[0] = (struct mn_write){ .kind = MN_WRITE_SESSION, .session = move };
    for (size_t i = 0; i < summary.drafts.count && i < MN_SUMMARY_MEMORIES_MAX; i++) {
        struct mneme_memory *row = mn_arena_one(piece->arena, struct mneme_memory);
        bool kept = false;

        if (!row)
            return mn_fail_memory(err);
        MN_TRY(finish_draft(piece, session, &told, summary.by != NULL, &summary.drafts.item[i],
                            row, &kept, err));
        if (kept)
            writes[count++] = (struct mn_write){ .kind = MN_WRITE_MEMORY,
                                                 .expected_revision = MN_REVISION_NEW,
                                                 .memory = row };
    }
    /* A memory beside it refuses both when the evidence was erased meanwhile. */
    if (count > 1)
        MN_TRY(add_checkpoint(piece, session, states, &summary, &writes[count], &added, err));
    count += added;
    for (size_t i = 0; i < ending.rows.count; i++) {
        struct mneme_memory *row = &ending.rows.item[i];

        row->valid_until_ms = piece->now_ms > row->valid_from_ms ? piece->now_ms
                                                                 : row->valid_from_ms + 1;
        row->updated_at_ms = piece->now_ms;
        writes[count++] = (struct mn_write){ .kind = MN_WRITE_MEMORY,
                                             .expected_revision = row->revision,
                                             .memory = row };
    }
    return mn_piece_add(piece, writes, count, reason, err);
}

enum mneme_status mn_piece_compress(struct mn_piece *piece, struct mneme_error *err)
{
    const struct mn_session_wanted wanted = { .idle_since_ms = piece->now_ms - MN_SESSION_IDLE_MS,
                                              .turns_max = MN_SESSION_TURNS_MAX };
    struct mn_store *store = piece->world->store;
    struct mn_sessions found = { 0 };
    struct mneme_error ignored;

    MN_TRY(store->ops->sessions_wanted(store, &wanted,
                                       piece->world->summarise ? 1 : SESSIONS_AT_ONCE, piece->arena,
                                       &found, err));
    piece->claims =
        found.count > 0 && piece->world->summarise && ready(piece, &ignored) == MNEME_OK;
    if (piece->claims && !piece->claimed)
        return MNEME_OK;
    for (size_t i = 0; i < found.count; i++) {
        struct mn_session *session = mn_arena_one(piece->arena, struct mn_session);
        struct mn_task_states states = { 0 };
        struct mn_events turns = { 0 };
        bool rest = false;

        if (!session)
            return mn_fail_memory(err);
        enum mneme_status status = store->ops->session_get(
            store, found.item[i].partition, found.item[i].session_id, piece->arena, session, &states,
            err);
        if (status == MNEME_NOT_FOUND) /* erased meanwhile */
            continue;
        MN_TRY(status);
        MN_TRY(read_span(piece, session, &turns, &rest, err));
        piece->looked += (int64_t)turns.count;
        MN_TRY(add_session(piece, session, &states, &turns, rest, err));
    }
    return MNEME_OK;
}

/* ---- the archive ---- */

static enum mneme_status hand_over(struct mn_piece *piece, const struct mn_session *session,
                                   int *left, struct mneme_error *err)
{
    struct mn_archive *archive = piece->world->archive;
    const struct mn_archive_span span = { session->partition, session->session_id,
                                          session->compressed_place };
    struct mn_session_move *move = mn_arena_one(piece->arena, struct mn_session_move);
    struct mn_write *write = mn_arena_one(piece->arena, struct mn_write);
    size_t taken = 1;

    if (!move || !write)
        return mn_fail_memory(err);
    while (taken > 0 && (*left)-- > 0) {
        MN_TRY(archive->ops->take(archive, piece->world, &span, HAND_OVER, piece->now_ms, &taken,
                                  err));
        piece->looked += (int64_t)taken;
    }
    if (taken > 0)
        return MNEME_OK;
    *move = (struct mn_session_move){ .was = session, .now = *session };
    move->now.taken_place = session->compressed_place;
    *write = (struct mn_write){ .kind = MN_WRITE_SESSION, .session = move };
    return mn_piece_add(piece, write, 1, "", err);
}

enum mneme_status mn_piece_archive(struct mn_piece *piece, struct mneme_error *err)
{
    const struct mn_session_wanted wanted = { .kept = true };
    struct mn_store *store = piece->world->store;
    struct mn_sessions found = { 0 };
    int left = HAND_OVERS;

    if (!piece->world->archive)
        return MNEME_OK;
    MN_TRY(store->ops->sessions_wanted(store, &wanted, SESSIONS_AT_ONCE, piece->arena, &found, err));
    for (size_t i = 0; i < found.count && left > 0; i++)
        MN_TRY(hand_over(piece, &found.item[i], &left, err));
    piece->more = left <= 0;
    return MNEME_OK;
}

/* ---- an end that somebody says ---- */

enum mneme_status mn_session_end(struct mn_world *world, struct mn_partition partition,
                                 const char *session_id, const char *actor, int64_t now_ms,
                                 struct mneme_error *err)
{
    enum mneme_status status = MNEME_CONFLICT;

    for (int i = 0; i < ATTEMPTS_MAX && status == MNEME_CONFLICT; i++) {
        MN_ARENA_AUTO arena = mn_arena_new((size_t)16 << 20);
        struct mn_session session = { 0 };
        struct mn_task_states states = { 0 };
        struct mn_written written[2];

        if (!arena)
            return mn_fail_memory(err);
        MN_TRY(world->store->ops->session_get(world->store, partition, session_id, arena, &session,
                                              &states, err));
        struct mn_session_move move = { .was = &session, .now = session };
        struct mn_extraction hurry = { .step = MN_EXTRACTION_HURRY,
                                       .event = MNEME_EVENT_INIT,
                                       .due_at_ms = now_ms };
        const struct mn_write write[2] = {
            { .kind = MN_WRITE_SESSION, .session = &move },
            { .kind = MN_WRITE_EXTRACTION, .extraction = &hurry },
        };
        const struct mn_commit commit = {
            .write = write, .count = 2, .actor = actor, .reason = "", .now_ms = now_ms
        };

        hurry.event.tenant_id = partition.tenant;
        hurry.event.user_id = partition.owner;
        hurry.event.session_id = session_id;

        move.now.ended = true;
        status = mn_store_commit_one(world->store, &commit, written, err);
    }
    return status;
}
