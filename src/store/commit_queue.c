/*
 * commit_queue.c - a list in order of arrival, and a semaphore for each caller, so that nobody
 * wakes but who is meant, and who wakes needs no lock: of a group of thirty each would wait for it.
 *
 * The leader takes its group when the lock is in hand, not when it joins: whoever came while the
 * former group was being written is in it. Leading passes on in order of arrival, so that no thread
 * writes for others for ever.
 */
#include "store/commit_queue.h"

#include <errno.h>
#include <stdint.h>
#include <time.h>

void mn_commit_queue_init(struct mn_commit_queue *queue, size_t calls_max)
{
    *queue = (struct mn_commit_queue){ .calls_max = calls_max };
    queue->last = &queue->first;
    (void)pthread_mutex_init(&queue->mutex, NULL); /* default attributes: cannot fail */
    (void)pthread_cond_init(&queue->place, NULL);
}

void mn_commit_queue_release(struct mn_commit_queue *queue)
{
    (void)pthread_mutex_destroy(&queue->mutex);
    (void)pthread_cond_destroy(&queue->place);
}

/* With the mutex held. False: none within wait_ms. */
static bool wait_for_place(struct mn_commit_queue *queue, int wait_ms)
{
    struct timespec until;

    if (queue->count < queue->calls_max)
        return true;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += wait_ms / 1000;
    until.tv_nsec += (long)(wait_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    while (queue->count >= queue->calls_max) {
        if (pthread_cond_clockwait(&queue->place, &queue->mutex, CLOCK_MONOTONIC, &until) ==
            ETIMEDOUT)
            return queue->count < queue->calls_max;
    }
    return true;
}

enum mneme_status mn_commit_queue_join(struct mn_commit_queue *queue, struct mn_commit_call *call,
                                       int wait_ms, bool *ret_leads, struct mneme_error *err)
{
    (void)pthread_mutex_lock(&queue->mutex);
    if (!wait_for_place(queue, wait_ms)) {
        (void)pthread_mutex_unlock(&queue->mutex);
        return mn_fail(err, MNEME_UNAVAILABLE, "the store is busy: %zu writes have waited for %d s",
                       queue->calls_max, wait_ms / 1000);
    }
    call->next = NULL;
    call->leads = !queue->led;
    queue->led = true;
    *queue->last = call;
    queue->last = &call->next;
    queue->count++;
    bool waits = !call->leads;
    if (waits)
        (void)sem_init(&call->turned, 0, 0); /* 0 is no value too large: cannot fail */
    (void)pthread_mutex_unlock(&queue->mutex);
    if (waits) {
        while (sem_wait(&call->turned) != 0) /* a signal was handled */
            ;
        (void)sem_destroy(&call->turned);
    }
    *ret_leads = call->leads;
    return MNEME_OK;
}

bool mn_commit_queue_is_empty(struct mn_commit_queue *queue)
{
    bool empty;

    (void)pthread_mutex_lock(&queue->mutex);
    empty = queue->count == 0;
    (void)pthread_mutex_unlock(&queue->mutex);
    return empty;
}

static size_t rows_of(const struct mn_commit_call *call)
{
    size_t rows = 0;

    for (size_t i = 0; i < call->count; i++)
        rows += call->commits[i].count;
    return rows;
}

struct mn_commit_call *mn_commit_queue_take(struct mn_commit_queue *queue, size_t rows_max)
{
    struct mn_commit_call *group;
    struct mn_commit_call *end;
    size_t rows;

    (void)pthread_mutex_lock(&queue->mutex);
    group = queue->first;
    end = group;
    rows = rows_of(group);
    while (end->next && rows + rows_of(end->next) <= rows_max) {
        end = end->next;
        rows += rows_of(end);
    }
    queue->first = end->next;
    if (!queue->first)
        queue->last = &queue->first;
    end->next = NULL;
    (void)pthread_mutex_unlock(&queue->mutex);
    return group;
}

void mn_commit_queue_end(struct mn_commit_queue *queue, struct mn_commit_call *group)
{
    struct mn_commit_call *next;
    size_t count = 0;

    for (const struct mn_commit_call *call = group; call; call = call->next)
        count++;
    (void)pthread_mutex_lock(&queue->mutex);
    next = queue->first;
    queue->led = next != NULL;
    if (next)
        next->leads = true;
    queue->count -= count;
    (void)pthread_cond_broadcast(&queue->place);
    (void)pthread_mutex_unlock(&queue->mutex);
    if (next) /* first of all: the disk waits for it */
        (void)sem_post(&next->turned);
    for (group = group->next; group; group = next) { /* behind the leader, who ends it */
        next = group->next; /* gone as soon as its caller wakes */
        (void)sem_post(&group->turned);
    }
}
