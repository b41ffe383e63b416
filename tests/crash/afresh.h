/*
 * afresh.h - whether a store that was left behind is as good as one that is loaded afresh from it.
 */
#ifndef MN_TESTS_CRASH_AFRESH_H
#define MN_TESTS_CRASH_AFRESH_H

#include "crash/place.h"

#define AFRESH_XML_BYTES 8192

/* The block that acme's user gets; ends the process when the call fails. */
void afresh_ask(struct mneme *handle, const char *user, const char *text,
                char xml[AFRESH_XML_BYTES]);

struct afresh_request {
    const char *user;
    const char *text;
};

/* Fails the test unless what is derived agrees with the rows, and a store made of the export of acme's
 * answers all requests alike. */
void afresh_check(const struct place *place, struct mneme *handle,
                  const struct afresh_request *requests, size_t count);

#endif
