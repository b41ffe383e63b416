/*
 * memory.h - the record: one self-contained, reusable piece of knowledge, and its neighbours
 * (events, rules, task states, edges, usage).
 *
 * Strings are UTF-8 and end with NUL; NULL and "" both mean absent. Instants are milliseconds since
 * 1970-01-01T00:00:00Z; 0 means absent (the epoch itself is stored as 1 ms). Enumerations begin with
 * a value 0 that means "not given". Begin every struct with its _INIT macro, so that `size` and the
 * "not given" values are right: `struct mneme_memory memory = MNEME_MEMORY_INIT;`
 */
#ifndef MNEME_MEMORY_H
#define MNEME_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include <mneme/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits, in bytes unless said otherwise; one more is MNEME_LIMIT. */
#define MNEME_ID_BYTES_MAX 1024
#define MNEME_NAME_BYTES_MAX 1024    /* memory_key, title, category, entity names ... */
#define MNEME_TEXT_BYTES_MAX 65536   /* content, value, request text, event text */
#define MNEME_TURN_BYTES_MAX 1048576 /* a turn for mneme_observe(), which keeps a long one in parts */
#define MNEME_LIST_ITEMS_MAX 256     /* keywords, entities, permissions ... */
#define MNEME_JSON_BYTES_MAX 262144  /* attributes, task state, dialogue of a request */
#define MNEME_LINE_BYTES_MAX 8388608 /* one line of an import */
#define MNEME_NUMBER_MAX INT64_C(9007199254740992) /* version, revision, order, counts: 2^53 */

enum mneme_scope {
    MNEME_SCOPE_NONE = 0,
    MNEME_SCOPE_GLOBAL, /* scope_id is empty */
    MNEME_SCOPE_USER,
    MNEME_SCOPE_PROJECT,
    MNEME_SCOPE_REPO,
    MNEME_SCOPE_TASK,
    MNEME_SCOPE_SESSION
};

enum mneme_authority {
    MNEME_AUTHORITY_NONE = 0,
    MNEME_EXPLICIT_USER,
    MNEME_EXPLICIT_ADMIN,
    MNEME_CONFIRMED_SYSTEM,
    MNEME_TOOL_OBSERVATION,
    MNEME_MODEL_INFERENCE,
    MNEME_AUTHORITY_REVOKED /* never recalled */
};

enum mneme_sensitivity {
    MNEME_SENSITIVITY_NONE = 0, /* read as internal */
    MNEME_PUBLIC,
    MNEME_INTERNAL,
    MNEME_CONFIDENTIAL,
    MNEME_SECRET
};

enum mneme_memory_status {
    MNEME_STATUS_NONE = 0, /* read as active */
    MNEME_ACTIVE,
    MNEME_DEPRECATED,
    MNEME_SUPERSEDED,
    MNEME_REVOKED,
    MNEME_DELETED
};

enum mneme_risk { MNEME_RISK_NONE = 0 /* read as normal */, MNEME_RISK_NORMAL, MNEME_RISK_HIGH };

struct mneme_list {
    const char *const *item;
    size_t count;
};

/* name -> value: an environment ("python" -> "3.12.1") or constraints on one ("python" -> ">=3.12") */
struct mneme_pair {
    const char *name;
    const char *value;
};
struct mneme_pairs {
    const struct mneme_pair *item;
    size_t count;
};

struct mneme_memory {
    size_t size; /* sizeof(struct mneme_memory): set by the _INIT macro */

    const char *id;        /* empty: a UUIDv7 is given, printed mem_... */
    const char *tenant_id; /* always set */
    const char *user_id;   /* owner; empty: shared inside the tenant (global, project, repo, task) */
    const char *agent_id;  /* empty: any agent */
    enum mneme_scope scope_kind;
    const char *scope_id;

    const char *type; /* "user_preference", "project_constraint", ... (docs/data-model.md) */
    const char *memory_key;
    const char *value;

    const char *title;
    const char *content; /* what the model reads; the only text that must be there */
    const char *summary; /* the short form under a tight budget */
    struct mneme_list keywords;
    struct mneme_list usage_scenario;
    struct mneme_list entities;

    const char *category;
    const char *project;
    const char *module;

    enum mneme_authority authority;
    double confidence; /* 0..1; negative: not given, derived from the authority */
    double importance; /* 0..1; negative: not given: by mneme_remember()'s rules, else 0.5 */
    enum mneme_sensitivity sensitivity; /* none: likewise, else internal */
    const char *requires_permission;
    enum mneme_risk risk;
    struct mneme_pairs applies_to;

    int64_t valid_from_ms; /* valid at t when from <= t < until */
    int64_t valid_until_ms;
    int64_t event_time_ms;

    enum mneme_memory_status status;
    int64_t version; /* place in the history of the key; 0: not given, 1 */
    const char *supersedes;
    int64_t revision;         /* grows by one with each edit of the row; set by the store */
    const char *content_hash; /* lower-case hex SHA-256 of the normalised text; set by mneme */
    struct mneme_list provenance;

    int64_t created_at_ms; /* 0: now */
    int64_t updated_at_ms; /* moves only with content, value, validity or status */
    int64_t confirmed_at_ms;

    const char *attributes; /* a JSON object of the caller's; NULL: {} */
};
#define MNEME_MEMORY_INIT                                                                          \
    {                                                                                              \
        .size = sizeof(struct mneme_memory), .confidence = -1.0, .importance = -1.0                \
    }

/* Beside the row, without history: what recalling it taught. Key: tenant, memory id. */
struct mneme_usage {
    const char *tenant_id;
    const char *memory_id;
    int64_t last_accessed_at_ms;
    int64_t access_count;
    int64_t used_count;
    double confidence;              /* as the last decay job left it; negative: the row's own */
    int64_t confidence_computed_at_ms;
};

/* One raw turn or action. Evidence; also recallable as an episodic memory of type event. */
struct mneme_event {
    size_t size;
    const char *id; /* empty: a UUIDv7 is given, printed evt_... */
    const char *tenant_id;
    const char *user_id;
    const char *agent_id;
    const char *session_id;
    const char *role;    /* "user", "assistant", "tool_call", "tool_result", "feedback" */
    const char *speaker; /* a name; indexed with the text */
    const char *text;
    int64_t event_time_ms; /* 0: now */
    int64_t order;         /* place in the session; negative: after the last one */
    int not_recallable;    /* 1: kept as evidence, never a recall source; 2 (in JSON "withheld" as
                            * well): what was drawn from it is forgotten, and it comes back with that */
    const char *attributes;
};
#define MNEME_EVENT_INIT                                                                           \
    {                                                                                              \
        .size = sizeof(struct mneme_event), .order = -1                                            \
    }

enum mneme_trigger {
    MNEME_TRIGGER_NONE = 0,
    MNEME_TRIGGER_INTENT,
    MNEME_TRIGGER_TASK_TYPE,
    MNEME_TRIGGER_KEYWORD, /* literal, folded */
    MNEME_TRIGGER_REGEX,   /* PCRE2 */
    MNEME_TRIGGER_TOOL,
    MNEME_TRIGGER_PATH_GLOB,
    MNEME_TRIGGER_ENTITY,
    MNEME_TRIGGER_ALWAYS
};

/* Forces a memory into the answer when its trigger fires. Tenant and owner are the memory's. */
struct mneme_rule {
    size_t size;
    const char *id; /* empty: derived from tenant, memory, trigger */
    const char *tenant_id;
    const char *memory_id;
    enum mneme_trigger trigger_type;
    const char *trigger_value;
    int64_t priority;
    int disabled;
};
#define MNEME_RULE_INIT                                                                            \
    {                                                                                              \
        .size = sizeof(struct mneme_rule)                                                          \
    }

/* A JSON checkpoint of a running task. Key: tenant, user, session, task. */
struct mneme_task_state {
    size_t size;
    const char *tenant_id;
    const char *user_id;
    const char *session_id;
    const char *task_id;
    const char *state; /* a JSON object */
    int64_t updated_at_ms;
};
#define MNEME_TASK_STATE_INIT                                                                      \
    {                                                                                              \
        .size = sizeof(struct mneme_task_state)                                                    \
    }

/* entity - relation -> entity, with its evidence. */
struct mneme_edge {
    size_t size;
    const char *id; /* empty: derived from tenant, owner, source, relation, target */
    const char *tenant_id;
    const char *user_id; /* empty: shared */
    const char *source;
    const char *relation;
    const char *target;
    struct mneme_list source_aliases;
    struct mneme_list target_aliases;
    const char *origin; /* "extracted", "stated", "inferred" */
    double confidence;  /* 0..1; negative: 1 */
    int64_t valid_from_ms;
    int64_t valid_until_ms;
    struct mneme_list provenance; /* ids of the memories that say so */
};
#define MNEME_EDGE_INIT                                                                            \
    {                                                                                              \
        .size = sizeof(struct mneme_edge), .confidence = -1.0                                      \
    }

/* Names as the contract spells them; unknown numbers give "". */
MNEME_API const char *mneme_scope_name(enum mneme_scope scope);
MNEME_API const char *mneme_authority_name(enum mneme_authority authority);
MNEME_API const char *mneme_sensitivity_name(enum mneme_sensitivity sensitivity);
MNEME_API const char *mneme_memory_status_name(enum mneme_memory_status status);
MNEME_API const char *mneme_risk_name(enum mneme_risk risk);
MNEME_API const char *mneme_trigger_name(enum mneme_trigger trigger);

/* ...and back: the 0 value when the name is not one of them. */
MNEME_API enum mneme_scope mneme_scope_of(const char *name);
MNEME_API enum mneme_authority mneme_authority_of(const char *name);
MNEME_API enum mneme_sensitivity mneme_sensitivity_of(const char *name);
MNEME_API enum mneme_memory_status mneme_memory_status_of(const char *name);
MNEME_API enum mneme_trigger mneme_trigger_of(const char *name);

/*
 * One record of any kind, as it travels in JSON Lines (docs/data-model.md): the union of what
 * import reads, export writes and mneme_write() takes. `kind` says which pointer is set.
 */
enum mneme_record_kind {
    MNEME_RECORD_NONE = 0,
    MNEME_RECORD_MEMORY,
    MNEME_RECORD_EVENT,
    MNEME_RECORD_RULE,
    MNEME_RECORD_TASK_STATE,
    MNEME_RECORD_EDGE,
    MNEME_RECORD_USAGE
};
struct mneme_record {
    enum mneme_record_kind kind;
    const struct mneme_memory *memory;
    const struct mneme_event *event;
    const struct mneme_rule *rule;
    const struct mneme_task_state *task_state;
    const struct mneme_edge *edge;
    const struct mneme_usage *usage; /* beside a memory, or alone */
    const float *vector;             /* of a memory or an event, in the store's profile; or NULL */
    size_t vector_dim;
};

/* A parsed line: owns the record's strings. Free with mneme_parsed_free(), which accepts NULL. */
struct mneme_parsed;

/*
 * Read one JSON object into a record. Unknown fields, wrong types, NaN, bad dates and unknown names
 * are MNEME_INVALID and name the field. "kind" in the object says what it is; without it its fields
 * do (trigger_type: a rule; state and task_id: a task state; source, relation and target: an edge;
 * text and session_id: an event; else a memory). Not checked: what fields say of each other.
 * `defaults` (may be NULL) gives tenant, user and agent where the object does not name them; one that
 * it names, even empty, stays (shared, any agent). A rule without a tenant has its memory's, which the
 * caller has to fill in.
 */
MNEME_API enum mneme_status mneme_record_parse(const char *json, size_t json_bytes,
                                               const struct mneme_memory *defaults,
                                               struct mneme_parsed **ret_parsed,
                                               struct mneme_error *err);
MNEME_API const struct mneme_record *mneme_parsed_record(const struct mneme_parsed *parsed);
MNEME_API void mneme_parsed_free(struct mneme_parsed *parsed);

/* Write a record as one JSON object without a line end. *ret_json is NUL-terminated; mneme_free(). */
MNEME_API enum mneme_status mneme_record_print(const struct mneme_record *record, char **ret_json,
                                               struct mneme_error *err);

/* RFC 3339 with offset, or a date alone (midnight UTC). *ret_ms is never 0 on success. */
MNEME_API enum mneme_status mneme_time_parse(const char *text, int64_t *ret_ms,
                                             struct mneme_error *err);
/* The same, and as people and data sets spell it: "1:56 pm on 8 May, 2023", "2023/05/20 (Sat) 02:21",
 * "8 May 2023", "2023年5月8日". UTC where no zone is given. */
MNEME_API enum mneme_status mneme_time_parse_spelled(const char *text, int64_t *ret_ms,
                                                     struct mneme_error *err);
/* "2026-10-14T09:00:00Z" or with ".123"; buffer of at least 32 bytes. Returns buffer. */
MNEME_API char *mneme_time_print(int64_t at_ms, char *buffer, size_t buffer_bytes);

/* Frees what mneme handed out as a plain string. Accepts NULL. */
MNEME_API void mneme_free(void *text);

#ifdef __cplusplus
}
#endif

#endif
