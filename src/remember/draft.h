/*
 * draft.h - the stages of writing, in their order.
 *
 *     a turn -> trigger -> extract -> a draft -> classify, describe -> look-alikes -> dedupe -> commit
 *
 * All of them are pure but the look-up and the commit (remember.c). What is explicit enters at the
 * draft; what is said in a turn, at the trigger.
 */
#ifndef MN_REMEMBER_DRAFT_H
#define MN_REMEMBER_DRAFT_H

#include <mneme/memory.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "store/store.h"
#include "text/cue.h"

/* ---- trigger: what in a turn calls for a memory ---- */

enum mn_call {
    MN_CALL_NONE = 0,
    MN_CALL_ORDER,      /* "remember that ...", "记住…" */
    MN_CALL_STANDING,   /* "from now on ...", "以后都…", "别再…", "always ..." */
    MN_CALL_CORRECTION, /* "actually I prefer Go now", "其实我更喜欢 Go" */
    MN_CALL_DECISION,   /* "we decided to ...", "决定用…" */
    MN_CALL_DONE,       /* "I finished ...", "…已经上线了" */
    MN_CALL_RECOVERED,  /* "the root cause was ...", "…解决了，原因是…" */
    MN_CALL_FEEDBACK,   /* "your answers are too long", "回答太长了" */
    MN_CALL_STATEMENT,  /* "my name is ...", "我住在…", "I prefer ..." */
    MN_CALL_FORGET,     /* "forget what I said about Berlin"; said: Berlin */
    MN_CALL_TAKEN_BACK  /* "forget that I live in Berlin"; said: "I live in Berlin" */
};

struct mn_called {
    enum mn_call call;
    struct mn_str said; /* what is to be kept, without the words of the order; case kept */
};
struct mn_calls {
    struct mn_called *item;
    size_t count;
    size_t room;
};

#define MN_CALLS_MAX 8 /* of one turn; later ones are not looked at */

/*
 * role: as events have it. The user's words and feedback call in every way, an assistant's only by
 * decisions, ends and recoveries, tools' never. Quoted text, code, questions, suppositions and
 * recalled text (<agent_memory> ...) call for nothing. The slices lie in the arena.
 */
enum mneme_status mn_trigger_find(struct mn_arena *arena, const char *text, const char *role,
                                  struct mn_calls *ret_calls, struct mneme_error *err);

/* ---- extract: drafts of what was called for ---- */

/* Where the turn was said: ids are "" where there is none. */
struct mn_place {
    const char *session_id;
    const char *task_id;
    const char *project_id;
    const char *repository_id;
    const char *timezone;
};

struct mn_drafts {
    struct mneme_memory *item;
    size_t count;
    struct mn_calls forget; /* what is to be forgotten instead */
};

/* Of one event, whose id becomes the provenance. Nothing that holds a secret is drafted. */
enum mneme_status mn_extract(const struct mneme_event *event, const struct mn_place *place,
                             int64_t now_ms, struct mn_arena *arena, struct mn_drafts *ret_drafts,
                             struct mneme_error *err);

/* Scope and scope_id of the draft by what the words (folded) say of it: "in this repo". */
void mn_extract_reach(const char *lower, const struct mneme_event *event,
                      const struct mn_place *place, struct mneme_memory *draft);
/* "until Friday", "today only", "今天之内", "周五之前": when it ends; 0 when it does not say. */
int64_t mn_extract_end(struct mn_arena *arena, const char *content, int64_t now_ms,
                       const char *zone);

/* ---- describe: what a text says of whom ---- */

/* The key that a sentence answers, and its value; false when no rule knows one. Both in the arena.
 * "I live in Rome" -> user.city, Rome; "Use pnpm for packages" -> tool.packages, pnpm. */
struct mn_keyed {
    const char *key;
    const char *value;
    bool states; /* calls for a memory by itself, without an order */
};
bool mn_key_of(struct mn_arena *arena, const char *sentence, struct mn_keyed *ret_keyed);
/* Of the day and the place of what takes place once. The event time of such a memory is the day that it
 * tells of, and says nothing of when it was said. */
#define MN_KEY_SCHEDULE "schedule."
bool mn_key_is_schedule(const char *key);
/* Of what a thing is, where it is, how much: no matter of the user's, and a fact. */
bool mn_key_is_attribute(const char *key);
/* Is it one that the rules give, so that it has one value at a time? */
bool mn_key_known(const char *key);

/* Fills key, value and entities where they are empty. The text stays. */
enum mneme_status mn_describe(struct mneme_memory *memory, struct mn_arena *arena,
                              struct mneme_error *err);

/* An importance, lifted by words of danger or stress, lowered by those of a passing remark. */
double mn_weigh_words(double importance, const struct mn_cue_text *words);

/* ---- dated: the day of "next Friday" ---- */

/* Does the draft speak of a day that has to be worked out? As of created_at_ms: when it is said. */
bool mn_date_wants(const struct mneme_memory *memory, struct mn_arena *arena);
/* Writes the day behind the words that mean it, and its beginning as the event time where there is
 * none. zone: IANA name, "" is UTC. */
enum mneme_status mn_date(struct mneme_memory *memory, const char *zone, struct mn_arena *arena,
                          struct mneme_error *err);

/* ---- dedupe: a draft beside what is there ---- */

enum mn_act {
    MN_ACT_INSERT = 1,
    MN_ACT_CONFIRM, /* says what `into` says, in the same words */
    MN_ACT_MERGE,   /* says what `into` says, in other words */
    MN_ACT_PAST     /* is older than what is there: goes into the history of its key */
};

struct mn_verdict {
    enum mn_act act;
    const struct mn_row *into;
    const struct mn_row **ended; /* superseded by the draft, the latest first */
    size_t ended_count;
    const struct mn_row **rival; /* contradict it, and are left as they are */
    size_t rival_count;
    int64_t past_until_ms; /* MN_ACT_PAST: when it ceased to hold */
    int64_t planned_ms;    /* when another value of its key begins to hold; 0: none is planned */
    bool keyless; /* it denies another value than the key has, and so answers no key */
};

/*
 * draft: complete. alike: rows of its text or key (memories_alike); near: rows that an index
 * nominates for their words, of whatever kind; close: for their vectors, however they look.
 * said_at_ms: when it was said or became so, 0 when undated: then now. keeps_id: the draft's id is
 * the caller's own, so that it is never taken into another.
 */
enum mneme_status mn_dedupe(const struct mneme_memory *draft, const struct mn_rows *alike,
                            const struct mn_rows *near, const struct mn_rows *close,
                            int64_t said_at_ms, int64_t now_ms, bool keeps_id,
                            struct mn_arena *arena, struct mn_verdict *ret_verdict,
                            struct mneme_error *err);

/*
 * May what the draft says stand over what the row says? Not of less authority, and not over an
 * administrator's or the system's word, unless it is that itself.
 */
bool mn_join_may_set(const struct mneme_memory *row, const struct mneme_memory *draft);

/* A confidence that independent evidence, or somebody's word, confirms. */
double mn_join_surer(double confidence);

/*
 * `there` with what `draft` adds: texts both say, lists united, the stronger authority, confidence
 * + 0.1 for evidence that is not there yet. What both say differently of a field is as the draft has
 * it, where it may set that. given: the draft before it was completed, so that a derived confidence
 * or importance raises nothing; NULL: the draft itself. *ret_new: there was anything to add.
 */
enum mneme_status mn_join(const struct mneme_memory *there, const struct mneme_memory *draft,
                          const struct mneme_memory *given, enum mn_act act, int64_t now_ms, struct mn_arena *arena,
                          struct mneme_memory *ret_row, bool *ret_new, struct mneme_error *err);

#endif
