/*
 * turns.c - for tests of what is drawn from turns: a turn of Ann's, said on a Monday.
 */
#include "unit/turns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct mn_calls turn_heard(struct mn_arena *arena, const char *text, const char *role)
{
    struct mn_calls calls = { 0 };
    struct mneme_error err;

    assert_int_equal(mn_trigger_find(arena, text, role, &calls, &err), MNEME_OK);
    return calls;
}

struct mn_drafts turn_drawn(struct mn_arena *arena, const char *text, const char *role,
                            const struct mn_place *place)
{
    static const struct mn_place session = { "s1", "", "", "", "" };
    struct mneme_event event = MNEME_EVENT_INIT;
    struct mn_drafts drafts = { 0 };
    struct mneme_error err;

    if (!place)
        place = &session;
    event.id = "e1";
    event.tenant_id = "t";
    event.user_id = "ann";
    event.session_id = place->session_id;
    event.role = role;
    event.text = text;
    event.event_time_ms = TURN_SAID;
    assert_int_equal(mn_extract(&event, place, TURN_SAID, arena, &drafts, &err), MNEME_OK);
    return drafts;
}

const char *turn_call_name(enum mn_call call)
{
    static const char *const names[] = { "none",     "order", "standing",  "correction", "decision",
                                         "done",     "recovered", "feedback", "statement" };

    return names[call];
}
