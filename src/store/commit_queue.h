/*
 * commit_queue.h - writers that wait, so that one of them can write for all.
 *
 * A durable commit costs the disk the same whether it holds one request or fifty. So callers stand
 * in a queue; the first one leads: when its turn has come it takes whoever is waiting by then,
 * commits for all of them, tells each its own result and lets the next one lead. One caller alone
 * passes straight through. Nobody's thread but the callers' is needed.
 *
 * Bounded: where calls_max callers wait, the next one waits for a place among them.
 */
#ifndef MN_STORE_COMMIT_QUEUE_H
#define MN_STORE_COMMIT_QUEUE_H

#include <pthread.h>
#include <semaphore.h>

#include "store/store.h"

struct mn_commit_queue {
    pthread_mutex_t mutex; /* guards all of it */
    pthread_cond_t place;  /* there may be one */
    struct mn_commit_call *first;
    struct mn_commit_call **last;
    size_t count; /* in the queue, and of the group at work */
    size_t calls_max;
    bool led;
};

/* One caller of the store's commit. Lives on its stack. */
struct mn_commit_call {
    const struct mn_commit *commits;
    size_t count;
    struct mn_commit_result *results;
    /* What the caller is told: of the transaction as a whole. */
    enum mneme_status status;
    struct mneme_error error;
    /* The queue's own. */
    struct mn_commit_call *next;
    sem_t turned; /* it leads, or is done */
    bool leads;
};

void mn_commit_queue_init(struct mn_commit_queue *queue, size_t calls_max);
void mn_commit_queue_release(struct mn_commit_queue *queue);

/*
 * Waits until the call leads or is done. *ret_leads: the caller must take a group, call
 * mn_commit_queue_end() with it, and only then go on. MNEME_UNAVAILABLE when there was no place for
 * wait_ms; then the call was never in the queue.
 */
enum mneme_status mn_commit_queue_join(struct mn_commit_queue *queue, struct mn_commit_call *call,
                                       int wait_ms, bool *ret_leads, struct mneme_error *err);
/* Does nobody wait or write? */
bool mn_commit_queue_is_empty(struct mn_commit_queue *queue);
/* The leader's call and those behind it, of rows_max writes at most (alone it may
 * have more), linked by `next`. */
struct mn_commit_call *mn_commit_queue_take(struct mn_commit_queue *queue, size_t rows_max);
/* Their status and error are set: each caller goes its way, and the next one leads. */
void mn_commit_queue_end(struct mn_commit_queue *queue, struct mn_commit_call *group);

#endif
