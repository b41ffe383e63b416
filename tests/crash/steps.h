/*
 * steps.h - a process that is killed at one of the steps by which it changes files.
 *
 * Steps are the calls that write, cut, sync, name and remove; the linker wraps them. Every other write that
 * is killed has been written by half.
 */
#ifndef MN_TESTS_CRASH_STEPS_H
#define MN_TESTS_CRASH_STEPS_H

/*
 * Runs work(context) in a process of its own, which dies of SIGKILL: at the step number `end`, counted
 * from steps_count() on, or when the work is done. *ret_steps: how many it took; -1 when it died on the
 * way. Fails the test when the process ended otherwise.
 */
void steps_run(void (*work)(void *context), void *context, long end, long *ret_steps);

/* From here on steps count. */
void steps_count(void);

#endif
