/*
 * turns.h - turns of acme's users for tests of where these are: in the store, in the archive, withheld.
 *
 * All of it fails the test when a call does.
 */
#ifndef MN_PIPELINE_TURNS_H
#define MN_PIPELINE_TURNS_H

#include <mneme/mneme.h>

#include <stdbool.h>
#include <stddef.h>

#include "pipeline/fixture.h"

/* One of a user, by Ann Harper at the quay, always of the same instant. */
void turns_say(struct fixture *f, const char *user, const char *session, const char *id,
               const char *text);

struct gathered {
    char text[8192]; /* a line of JSON each */
    size_t bytes;
};
/* All turns of the user that are in the store. */
struct gathered turns_in_store(struct fixture *f, const char *user);

/* Does the user's recall bring the word? */
bool turns_recalled(struct fixture *f, const char *user, const char *text, const char *word);

/* Takes a session to the archive; so many turns were moved. */
size_t turns_archive(struct fixture *f, const char *user, const char *session);

#endif
