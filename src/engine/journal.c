/*
 * journal.c - a bounded list of entries, each one allocation, and one commit for all of them.
 *
 * Each entry is a request of its own, so that one that the store refuses goes alone. A commit that
 * fails as a whole loses nothing: its entries wait for the next flush, before those that came meanwhile.
 *
 * Usage is counted per memory at the flush: access_count grows by the entries that brought it, and
 * last_accessed_at is the latest of them. The store adds counts to what it has (a usage row with
 * counts to add), so that two processes do not lose each other's.
 */
#include "engine/journal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "store/store.h"

#define ENTRIES_MAX 1024
#define ARENA_BYTES_MAX ((size_t)64 << 20)

struct entry {
    struct entry *next;
    char *tenant;
    char *user;
    char *agent;
    char *trace_id;
    char *trace;
    int64_t at_ms;
    char **ids; /* memories brought */
    size_t id_count;
};

struct mn_journal {
    pthread_mutex_t lock;
    struct entry *first;
    struct entry **last;
    size_t count;
    size_t lost; /* given up, or not written: the audit tells how many */
};

struct mn_journal *mn_journal_new(void)
{
    struct mn_journal *journal = calloc(1, sizeof *journal);

    if (!journal)
        return NULL;
    if (pthread_mutex_init(&journal->lock, NULL)) {
        free(journal);
        return NULL;
    }
    journal->last = &journal->first;
    return journal;
}

static void entries_free(struct entry *entry)
{
    while (entry) {
        struct entry *next = entry->next;

        free(entry);
        entry = next;
    }
}

void mn_journal_free(struct mn_journal *journal)
{
    if (!journal)
        return;
    entries_free(journal->first);
    pthread_mutex_destroy(&journal->lock);
    free(journal);
}

/* Copies text behind *room and moves it; the entry's strings live in its own allocation. */
static char *put(char **room, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *at = memcpy(*room, text, bytes);

    *room += bytes;
    return at;
}

static struct entry *entry_new(const struct mneme_identity *identity, int64_t now_ms,
                               const struct mneme_answer *answer)
{
    size_t bytes = sizeof(struct entry) + answer->item_count * sizeof(char *) +
                   strlen(identity->tenant_id) + strlen(identity->user_id) +
                   strlen(mn_or_empty(identity->agent_id)) + strlen(answer->trace_id) +
                   strlen(answer->trace) + 5;

    for (size_t i = 0; i < answer->item_count; i++)
        bytes += strlen(answer->item[i].memory->id) + 1;
    struct entry *entry = calloc(1, bytes);
    if (!entry)
        return NULL;
    entry->ids = (char **)(entry + 1);
    entry->id_count = answer->item_count;
    entry->at_ms = now_ms;
    char *room = (char *)(entry->ids + answer->item_count);
    entry->tenant = put(&room, identity->tenant_id);
    entry->user = put(&room, identity->user_id);
    entry->agent = put(&room, mn_or_empty(identity->agent_id));
    entry->trace_id = put(&room, answer->trace_id);
    entry->trace = put(&room, answer->trace);
    for (size_t i = 0; i < answer->item_count; i++)
        entry->ids[i] = put(&room, answer->item[i].memory->id);
    return entry;
}

void mn_journal_add(struct mn_journal *journal, const struct mneme_identity *identity,
                    int64_t now_ms, const struct mneme_answer *answer)
{
    struct entry *entry = entry_new(identity, now_ms, answer);
    struct entry *given_up = NULL;

    pthread_mutex_lock(&journal->lock);
    if (!entry) {
        journal->lost++;
        pthread_mutex_unlock(&journal->lock);
        return;
    }
    if (journal->count == ENTRIES_MAX) {
        journal->lost++;
        given_up = journal->first;
        journal->first = given_up->next;
        given_up->next = NULL;
        journal->count--;
    }
    *journal->last = entry;
    journal->last = &entry->next;
    journal->count++;
    pthread_mutex_unlock(&journal->lock);
    entries_free(given_up);
}

char *mn_journal_trace(struct mn_journal *journal, const char *tenant_id, const char *trace_id)
{
    char *found = NULL;

    pthread_mutex_lock(&journal->lock);
    for (const struct entry *e = journal->first; e && !found; e = e->next)
        if (!strcmp(e->trace_id, trace_id) && !strcmp(e->tenant, tenant_id))
            found = strdup(e->trace);
    pthread_mutex_unlock(&journal->lock);
    return found;
}

size_t mn_journal_waiting(struct mn_journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    size_t count = journal->count;
    pthread_mutex_unlock(&journal->lock);
    return count;
}

/* What an entry leaves: its trace, its entry in the audit, and one usage row a memory brought. */
#define WRITES_OF(entry) (2 + (entry)->id_count)

static void add_entry(const struct entry *e, struct mn_write *writes, struct mn_trace_row *trace,
                      struct mn_audit_note *note, struct mneme_usage *usages)
{
    *trace = (struct mn_trace_row){ e->tenant, e->user, e->trace_id, e->at_ms, e->trace };
    *note = (struct mn_audit_note){ .at_ms = e->at_ms,
                                    .partition = { e->tenant, e->user },
                                    .actor = e->agent[0] ? e->agent : e->user,
                                    .action = "recall",
                                    .trace_id = e->trace_id,
                                    .ids = { (const char *const *)e->ids, e->id_count } };
    writes[0] = (struct mn_write){ .kind = MN_WRITE_TRACE, .trace = trace };
    writes[1] = (struct mn_write){ .kind = MN_WRITE_AUDIT, .audit = note };
    for (size_t i = 0; i < e->id_count; i++) {
        usages[i] = (struct mneme_usage){ .tenant_id = e->tenant,
                                          .memory_id = e->ids[i],
                                          .last_accessed_at_ms = e->at_ms,
                                          .access_count = 1,
                                          .confidence = -1.0 };
        writes[2 + i] = (struct mn_write){ .kind = MN_WRITE_USAGE_ADD, .usage = &usages[i] };
    }
}

/* That so many recalls are in neither the traces nor the audit. */
static void add_lost(size_t lost, int64_t now_ms, struct mn_write *write,
                     struct mn_audit_note *note)
{
    *note = (struct mn_audit_note){ .at_ms = now_ms,
                                    .partition = { "", "" },
                                    .actor = "",
                                    .action = "recall",
                                    .trace_id = "",
                                    .lost = (int64_t)lost };
    *write = (struct mn_write){ .kind = MN_WRITE_AUDIT, .audit = note };
}

/* What became of entries that were written together. */
struct flushed {
    size_t refused_count;
    enum mneme_status refused; /* the first refusal; OK when all are written */
    struct mneme_error why;
};

/* Fails when nothing is written. lost: see above. */
static enum mneme_status write_entries(const struct entry *first, size_t lost,
                                       struct mn_world *world, struct flushed *ret_flushed,
                                       struct mneme_error *err)
{
    MN_ARENA_AUTO arena = mn_arena_new(ARENA_BYTES_MAX);
    int64_t now_ms = world->now_ms();
    size_t count = 0;
    size_t write_count = 1;

    for (const struct entry *e = first; e; e = e->next, count++)
        write_count += WRITES_OF(e);
    struct mn_commit *commits = mn_arena_array(arena, struct mn_commit, count + 1);
    struct mn_commit_result *results = mn_arena_array(arena, struct mn_commit_result, count + 1);
    struct mn_write *writes = mn_arena_array(arena, struct mn_write, write_count);
    struct mn_written *written = mn_arena_array(arena, struct mn_written, write_count);
    struct mn_trace_row *traces = mn_arena_array(arena, struct mn_trace_row, count + 1);
    struct mn_audit_note *notes = mn_arena_array(arena, struct mn_audit_note, count + 1);
    struct mneme_usage *usages = mn_arena_array(arena, struct mneme_usage, write_count);
    size_t at = 0;
    size_t n = 0;
    if (!commits || !results || !writes || !written || !traces || !notes || !usages)
        return mn_fail_memory(err);

    for (const struct entry *e = first; e; e = e->next, n++) {
        add_entry(e, &writes[at], &traces[n], &notes[n], &usages[at]);
        commits[n] = (struct mn_commit){ .write = &writes[at], .count = WRITES_OF(e) };
        results[n].written = &written[at];
        at += WRITES_OF(e);
    }
    if (lost > 0) {
        add_lost(lost, now_ms, &writes[at], &notes[n]);
        commits[n] = (struct mn_commit){ .write = &writes[at], .count = 1 };
        results[n++].written = &written[at];
    }
    for (size_t i = 0; i < n; i++)
        commits[i].now_ms = now_ms;
    MN_TRY(world->store->ops->commit(world->store, commits, n, results, err));
    *ret_flushed = (struct flushed){ 0 };
    for (size_t i = 0; i < n; i++) {
        if (results[i].status == MNEME_OK)
            continue;
        if (ret_flushed->refused_count++ > 0)
            continue;
        ret_flushed->refused = results[i].status;
        ret_flushed->why = results[i].error;
    }
    return MNEME_OK;
}

/* Before those that came meanwhile; beyond the bound the oldest are given up. lost: those that were
 * to be told of. */
static void put_back(struct mn_journal *journal, struct entry *first, size_t lost)
{
    struct entry *given_up = NULL;
    struct entry *last = first;
    size_t count = first ? 1 : 0;

    for (; last && last->next; last = last->next)
        count++;
    pthread_mutex_lock(&journal->lock);
    journal->lost += lost;
    if (last) {
        last->next = journal->first;
        if (!journal->first)
            journal->last = &last->next;
        journal->first = first;
        journal->count += count;
    }
    while (journal->count > ENTRIES_MAX) {
        struct entry *oldest = journal->first;

        journal->first = oldest->next;
        oldest->next = given_up;
        given_up = oldest;
        journal->count--;
        journal->lost++;
    }
    pthread_mutex_unlock(&journal->lock);
    entries_free(given_up);
}

enum mneme_status mn_journal_flush(struct mn_journal *journal, struct mn_world *world,
                                   struct mneme_error *err)
{
    struct flushed flushed = { 0 };

    pthread_mutex_lock(&journal->lock);
    struct entry *first = journal->first;
    size_t lost = journal->lost;
    journal->first = NULL;
    journal->last = &journal->first;
    journal->count = 0;
    journal->lost = 0;
    pthread_mutex_unlock(&journal->lock);

    if (!first && lost == 0)
        return MNEME_OK;
    enum mneme_status status = write_entries(first, lost, world, &flushed, err);
    if (status != MNEME_OK) {
        put_back(journal, first, lost);
        return status;
    }
    entries_free(first);
    put_back(journal, NULL, flushed.refused_count);
    if (flushed.refused != MNEME_OK && err)
        *err = flushed.why;
    return flushed.refused;
}
