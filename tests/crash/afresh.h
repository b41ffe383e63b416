/*
 * afresh.h - whether a store that was left behind is as good as one that is loaded afresh from it.
 */
#ifndef MN_TESTS_CRASH_AFRESH_H
#define MN_TESTS_CRASH_AFRESH_H

#include <mneme/mneme.h>

#include <stddef.h>

#define AFRESH_XML_BYTES 8192

/* The block that acme's user gets; ends the process when the call fails. */
void afresh_ask(struct mneme *handle, const char *user, const char *text,
                char xml[AFRESH_XML_BYTES]);

struct afresh_request {
    const char *user;
    const char *text;
};

/* Fails the test unless what is derived agrees with the rows, and the empty `afresh`, filled with the
 * export of acme's and brought up, answers all requests alike. Closes `afresh`. */
void afresh_check(struct mneme *handle, struct mneme *afresh,
                  const struct afresh_request *requests, size_t count);

#endif
