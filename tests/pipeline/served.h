/*
 * served.h - for tests of a store whose extractor is a service: a thread of this process, on the loopback.
 */
#ifndef MN_PIPELINE_SERVED_H
#define MN_PIPELINE_SERVED_H

#include <mneme/mneme.h>

#include "base/str.h"
#include "fakes/fake_service.h"
#include "fakes/store_folder.h"

struct served {
    struct store_folder folder;
    struct fake_service *service;
    char url[64];
    struct mneme *handle;
    struct mneme_error err;
    struct mn_buf body; /* of the answer in force */
    struct mn_buf once; /* of the one before it */
    enum mneme_status erased; /* by served_erases(); MNEME_INVALID: not yet */
};

/* For cmocka: *state is a struct served, its store open with the service. */
int served_set_up(void **state);
int served_tear_down(void **state);

/* Opens the store anew with that extractor; 0 for the usual time limit. Fails the test when it cannot. */
void served_open(struct served *s, const char *extractor, int timeout_ms);

/* From now on the service answers with this text; once: the next time alone. */
void served_answers(struct served *s, const char *content);
void served_answers_once(struct served *s, const char *content);
/* From now on it erases this session of Ann's before it gives the answer in force. */
void served_erases(struct served *s, const char *tenant, const char *session);

#endif
