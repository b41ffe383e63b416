/*
 * turns.c - said, exported, asked for, archived.
 */
#include "pipeline/turns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#define ASSERT_OK(call)                                                                            \
    do {                                                                                           \
        if ((call) != MNEME_OK)                                                                    \
            fail_msg("%s", f->err.message);                                                        \
    } while (0)

void turns_say(struct fixture *f, const char *user, const char *session, const char *id,
               const char *text)
{
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_event event = MNEME_EVENT_INIT;

    event.id = id;
    event.tenant_id = "acme";
    event.user_id = user;
    event.session_id = session;
    event.role = "user";
    event.speaker = "Ann Harper";
    event.text = text;
    event.event_time_ms = 1796000000000;
    event.attributes = "{\"place\":\"quay\"}";
    ASSERT_OK(mneme_observe(f->handle, &event, 1, &change, NULL, &f->err));
}

static int gather(void *context, const struct mneme_record *record)
{
    struct gathered *g = context;
    char *json = NULL;

    if (record->kind != MNEME_RECORD_EVENT)
        return 0;
    assert_int_equal(mneme_record_print(record, &json, NULL), MNEME_OK);
    g->bytes += (size_t)snprintf(g->text + g->bytes, sizeof g->text - g->bytes, "%s\n", json);
    mneme_free(json);
    return 0;
}

struct gathered turns_in_store(struct fixture *f, const char *user)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct gathered g = { 0 };

    filter.tenant_id = "acme";
    filter.user_id = user;
    ASSERT_OK(mneme_export(f->handle, &filter, gather, &g, &f->err));
    return g;
}

bool turns_recalled(struct fixture *f, const char *user, const char *text, const char *word)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;

    request.identity.tenant_id = "acme";
    request.identity.user_id = user;
    request.text = text;
    ASSERT_OK(mneme_retrieve(f->handle, &request, &answer, &f->err));
    bool found = strstr(answer->xml, word) != NULL;
    mneme_answer_free(answer);
    return found;
}

size_t turns_archive(struct fixture *f, const char *user, const char *session)
{
    size_t turns = 99;

    ASSERT_OK(mneme_archive_session(f->handle, "acme", user, session, &turns, &f->err));
    return turns;
}
