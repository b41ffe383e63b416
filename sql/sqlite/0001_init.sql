-- 0001_init - the tables of the truth.
--
-- Every key starts with the tenant and the owner (the user, or '' for what the tenant shares), so
-- that one partition lies together and no query reaches another's rows by mistake. Instants are
-- milliseconds since 1970, 0 means absent. Enumerations are the numbers of include/mneme/memory.h.
-- Lists are JSON arrays of texts, pairs a JSON object of texts, both as the store wrote them.

PRAGMA application_id = 0x6d6e656d; -- "mnem"
PRAGMA user_version = 1;

CREATE TABLE meta (
    name  TEXT PRIMARY KEY, -- schema_hash, store_id
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- ---- memories ----

CREATE TABLE memories (
    tenant              TEXT NOT NULL,
    owner               TEXT NOT NULL,
    id                  TEXT NOT NULL,
    agent_id            TEXT NOT NULL,
    scope_kind          INTEGER NOT NULL,
    scope_id            TEXT NOT NULL,
    type                TEXT NOT NULL,
    memory_key          TEXT NOT NULL,
    value               TEXT NOT NULL,
    title               TEXT NOT NULL,
    content             TEXT NOT NULL,
    summary             TEXT NOT NULL,
    keywords            TEXT NOT NULL, -- list
    usage_scenario      TEXT NOT NULL, -- list
    entities            TEXT NOT NULL, -- list
    category            TEXT NOT NULL,
    project             TEXT NOT NULL,
    module              TEXT NOT NULL,
    authority           INTEGER NOT NULL,
    confidence          REAL NOT NULL,
    importance          REAL NOT NULL,
    sensitivity         INTEGER NOT NULL,
    requires_permission TEXT NOT NULL,
    risk                INTEGER NOT NULL,
    applies_to          TEXT NOT NULL, -- pairs
    valid_from_ms       INTEGER NOT NULL,
    valid_until_ms      INTEGER NOT NULL,
    event_time_ms       INTEGER NOT NULL,
    status              INTEGER NOT NULL,
    version             INTEGER NOT NULL,
    supersedes          TEXT NOT NULL,
    revision            INTEGER NOT NULL,
    content_hash        TEXT NOT NULL,
    provenance          TEXT NOT NULL, -- list
    created_at_ms       INTEGER NOT NULL,
    updated_at_ms       INTEGER NOT NULL,
    confirmed_at_ms     INTEGER NOT NULL,
    attributes          TEXT NOT NULL, -- the caller's JSON object
    embed_hash          TEXT NOT NULL, -- SHA-256 of the text that is embedded: is a vector current?
    PRIMARY KEY (tenant, owner, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX memories_id ON memories (tenant, id);
CREATE INDEX memories_scope
    ON memories (tenant, owner, scope_kind, scope_id, type, importance DESC, id);
CREATE INDEX memories_key ON memories (tenant, owner, memory_key) WHERE memory_key <> '';
CREATE INDEX memories_supersedes ON memories (tenant, owner, supersedes) WHERE supersedes <> '';
CREATE INDEX memories_hash ON memories (tenant, owner, content_hash);

-- What recalling taught. Written apart, without history or change rows.
CREATE TABLE usage (
    tenant                    TEXT NOT NULL,
    memory_id                 TEXT NOT NULL, -- of a memory or an event
    last_accessed_at_ms       INTEGER NOT NULL,
    access_count              INTEGER NOT NULL,
    used_count                INTEGER NOT NULL,
    confidence                REAL NOT NULL, -- negative: the row's own
    confidence_computed_at_ms INTEGER NOT NULL,
    PRIMARY KEY (tenant, memory_id)
) STRICT, WITHOUT ROWID;

-- Former rows: the columns of memories up to attributes, and what ended them. The row with the
-- smallest revision whose changed_at_ms lies after an instant is how the memory stood then.
CREATE TABLE history (
    tenant              TEXT NOT NULL,
    owner               TEXT NOT NULL,
    id                  TEXT NOT NULL,
    agent_id            TEXT NOT NULL,
    scope_kind          INTEGER NOT NULL,
    scope_id            TEXT NOT NULL,
    type                TEXT NOT NULL,
    memory_key          TEXT NOT NULL,
    value               TEXT NOT NULL,
    title               TEXT NOT NULL,
    content             TEXT NOT NULL,
    summary             TEXT NOT NULL,
    keywords            TEXT NOT NULL,
    usage_scenario      TEXT NOT NULL,
    entities            TEXT NOT NULL,
    category            TEXT NOT NULL,
    project             TEXT NOT NULL,
    module              TEXT NOT NULL,
    authority           INTEGER NOT NULL,
    confidence          REAL NOT NULL,
    importance          REAL NOT NULL,
    sensitivity         INTEGER NOT NULL,
    requires_permission TEXT NOT NULL,
    risk                INTEGER NOT NULL,
    applies_to          TEXT NOT NULL,
    valid_from_ms       INTEGER NOT NULL,
    valid_until_ms      INTEGER NOT NULL,
    event_time_ms       INTEGER NOT NULL,
    status              INTEGER NOT NULL,
    version             INTEGER NOT NULL,
    supersedes          TEXT NOT NULL,
    revision            INTEGER NOT NULL,
    content_hash        TEXT NOT NULL,
    provenance          TEXT NOT NULL,
    created_at_ms       INTEGER NOT NULL,
    updated_at_ms       INTEGER NOT NULL,
    confirmed_at_ms     INTEGER NOT NULL,
    attributes          TEXT NOT NULL,
    changed_at_ms       INTEGER NOT NULL,
    actor               TEXT NOT NULL,
    reason              TEXT NOT NULL,
    PRIMARY KEY (tenant, owner, id, revision)
) STRICT, WITHOUT ROWID;

-- A memory as it is read: the first 38 columns in the order of history's, then usage.
CREATE VIEW memory_rows AS
SELECT m.tenant, m.owner, m.id, m.agent_id, m.scope_kind, m.scope_id, m.type, m.memory_key, m.value,
       m.title, m.content, m.summary, m.keywords, m.usage_scenario, m.entities, m.category,
       m.project, m.module, m.authority, m.confidence, m.importance, m.sensitivity,
       m.requires_permission, m.risk, m.applies_to, m.valid_from_ms, m.valid_until_ms,
       m.event_time_ms, m.status, m.version, m.supersedes, m.revision, m.content_hash, m.provenance,
       m.created_at_ms, m.updated_at_ms, m.confirmed_at_ms, m.attributes,
       u.memory_id IS NOT NULL AS has_usage, u.last_accessed_at_ms, u.access_count, u.used_count,
       u.confidence AS usage_confidence, u.confidence_computed_at_ms,
       CASE WHEN u.confidence >= 0.0 THEN u.confidence ELSE m.confidence END AS confidence_now,
       m.embed_hash
FROM memories m LEFT JOIN usage u ON u.tenant = m.tenant AND u.memory_id = m.id;

-- ---- events and sessions ----

CREATE TABLE events (
    tenant        TEXT NOT NULL,
    owner         TEXT NOT NULL,
    id            TEXT NOT NULL,
    agent_id      TEXT NOT NULL,
    session_id    TEXT NOT NULL,
    place         INTEGER NOT NULL, -- in the session
    role          TEXT NOT NULL,
    speaker       TEXT NOT NULL,
    text          TEXT NOT NULL,
    event_time_ms INTEGER NOT NULL,
    recallable    INTEGER NOT NULL,
    attributes    TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    embed_hash    TEXT NOT NULL,
    PRIMARY KEY (tenant, owner, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX events_id ON events (tenant, id);
CREATE INDEX events_session ON events (tenant, owner, session_id, place);

CREATE TABLE sessions (
    tenant           TEXT NOT NULL,
    owner            TEXT NOT NULL,
    session_id       TEXT NOT NULL,
    agent_id         TEXT NOT NULL, -- of the first event
    first_event_ms   INTEGER NOT NULL,
    last_event_ms    INTEGER NOT NULL,
    last_place       INTEGER NOT NULL,
    event_count      INTEGER NOT NULL,
    PRIMARY KEY (tenant, owner, session_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE task_states (
    tenant        TEXT NOT NULL,
    owner         TEXT NOT NULL,
    session_id    TEXT NOT NULL,
    task_id       TEXT NOT NULL,
    state         TEXT NOT NULL, -- a JSON object
    updated_at_ms INTEGER NOT NULL,
    revision      INTEGER NOT NULL,
    PRIMARY KEY (tenant, owner, session_id, task_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX task_states_task ON task_states (tenant, owner, task_id);

-- ---- rules ----

CREATE TABLE rules (
    tenant        TEXT NOT NULL,
    owner         TEXT NOT NULL, -- the memory's
    id            TEXT NOT NULL,
    memory_id     TEXT NOT NULL,
    trigger_type  INTEGER NOT NULL,
    trigger_value TEXT NOT NULL,
    priority      INTEGER NOT NULL,
    disabled      INTEGER NOT NULL,
    revision      INTEGER NOT NULL,
    PRIMARY KEY (tenant, owner, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX rules_id ON rules (tenant, id);

-- ---- the graph ----

CREATE TABLE entities (
    tenant  TEXT NOT NULL,
    owner   TEXT NOT NULL,
    name    TEXT NOT NULL,
    type    TEXT NOT NULL,
    aliases TEXT NOT NULL, -- list
    PRIMARY KEY (tenant, owner, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE edges (
    tenant         TEXT NOT NULL,
    owner          TEXT NOT NULL,
    id             TEXT NOT NULL,
    source         TEXT NOT NULL,
    relation       TEXT NOT NULL,
    target         TEXT NOT NULL,
    origin         TEXT NOT NULL,
    confidence     REAL NOT NULL,
    valid_from_ms  INTEGER NOT NULL,
    valid_until_ms INTEGER NOT NULL,
    provenance     TEXT NOT NULL, -- list: ids of the memories that say so
    revision       INTEGER NOT NULL,
    created_at_ms  INTEGER NOT NULL,
    updated_at_ms  INTEGER NOT NULL,
    PRIMARY KEY (tenant, owner, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE mentions (
    tenant TEXT NOT NULL,
    owner  TEXT NOT NULL,
    entity TEXT NOT NULL,
    unit   TEXT NOT NULL, -- id of a memory or an event
    PRIMARY KEY (tenant, owner, entity, unit)
) STRICT, WITHOUT ROWID;

CREATE INDEX mentions_unit ON mentions (tenant, owner, unit);

-- ---- what indexes are made from ----

-- The outbox: one row per changed thing, never text. Numbers are never given twice.
CREATE TABLE changes (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    kind     INTEGER NOT NULL, -- enum mn_change_kind
    tenant   TEXT NOT NULL,
    owner    TEXT NOT NULL,
    id       TEXT NOT NULL,
    revision INTEGER NOT NULL,
    at_ms    INTEGER NOT NULL
) STRICT;

CREATE INDEX changes_partition ON changes (tenant, owner); -- and seq, as every index

CREATE TABLE vectors (
    tenant    TEXT NOT NULL,
    owner     TEXT NOT NULL,
    unit      TEXT NOT NULL, -- id of a memory or an event
    profile   TEXT NOT NULL, -- hash of the model profile
    text_hash TEXT NOT NULL, -- current while it equals the unit's embed_hash
    dim       INTEGER NOT NULL,
    vector    BLOB NOT NULL, -- dim half floats, little endian
    PRIMARY KEY (tenant, owner, unit, profile)
) STRICT, WITHOUT ROWID;

CREATE TABLE index_state (
    index_name    TEXT NOT NULL,
    tenant        TEXT NOT NULL,
    owner         TEXT NOT NULL,
    unit          TEXT NOT NULL, -- '' for the row that holds the index's position
    position      INTEGER NOT NULL,
    revision      INTEGER NOT NULL,
    content_hash  TEXT NOT NULL,
    failures      INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    PRIMARY KEY (index_name, tenant, owner, unit)
) STRICT, WITHOUT ROWID;

-- ---- records that are no memories and never recalled ----

CREATE TABLE traces (
    tenant   TEXT NOT NULL,
    trace_id TEXT NOT NULL,
    user     TEXT NOT NULL,
    at_ms    INTEGER NOT NULL,
    json     TEXT NOT NULL,
    PRIMARY KEY (tenant, trace_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX traces_user ON traces (tenant, user, at_ms);

CREATE TABLE audit (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms   INTEGER NOT NULL,
    tenant  TEXT NOT NULL,
    owner   TEXT NOT NULL,
    actor   TEXT NOT NULL,
    action  TEXT NOT NULL,
    subject TEXT NOT NULL, -- an id, never text
    detail  TEXT NOT NULL  -- a JSON object
) STRICT;

CREATE INDEX audit_subject ON audit (tenant, owner, at_ms);

CREATE TABLE clarifications (
    tenant         TEXT NOT NULL,
    owner          TEXT NOT NULL,
    id             TEXT NOT NULL,
    memory_key     TEXT NOT NULL,
    memory_ids     TEXT NOT NULL, -- list
    question       TEXT NOT NULL,
    blocking       INTEGER NOT NULL,
    answer         TEXT NOT NULL,
    created_at_ms  INTEGER NOT NULL,
    resolved_at_ms INTEGER NOT NULL,
    PRIMARY KEY (tenant, owner, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE api_keys (
    tenant        TEXT NOT NULL,
    id            TEXT NOT NULL,
    secret_hash   TEXT NOT NULL,
    identity      TEXT NOT NULL, -- a JSON object: what the key stands for at most
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    revoked_at_ms INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX api_keys_secret ON api_keys (secret_hash);

-- What was erased, without its text: wins over every later update from elsewhere.
CREATE TABLE tombstones (
    tenant       TEXT NOT NULL,
    owner        TEXT NOT NULL,
    kind         INTEGER NOT NULL, -- enum mn_change_kind
    id           TEXT NOT NULL,
    erased_at_ms INTEGER NOT NULL,
    PRIMARY KEY (tenant, owner, kind, id)
) STRICT, WITHOUT ROWID;

-- ---- how the rows are spread ----

-- What the query planner needs to prefer a key's index to a walk through the partition; without it
-- every index looks alike to it. Written once, as a middling store is, so that plans never change:
-- rows, then rows to each value of the first column, the first two, ...

ANALYZE;
DELETE FROM sqlite_stat1;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('memories', 'memories', '1000000 100000 1000 1'),
    ('memories', 'memories_id', '1000000 100000 1'),
    ('memories', 'memories_scope', '1000000 100000 1000 500 200 50 2 1'),
    ('memories', 'memories_key', '400000 40000 400 2'),
    ('memories', 'memories_supersedes', '100000 10000 100 1'),
    ('memories', 'memories_hash', '1000000 100000 1000 2'),
    ('usage', 'usage', '1000000 100000 1'),
    ('history', 'history', '2000000 200000 2000 2 1'),
    ('events', 'events', '5000000 500000 5000 1'),
    ('events', 'events_id', '5000000 500000 1'),
    ('events', 'events_session', '5000000 500000 5000 50 1'),
    ('sessions', 'sessions', '100000 10000 100 1'),
    ('task_states', 'task_states', '100000 10000 100 5 1'),
    ('task_states', 'task_states_task', '100000 10000 100 2'),
    ('rules', 'rules', '10000 1000 20 1'),
    ('rules', 'rules_id', '10000 1000 1'),
    ('entities', 'entities', '500000 50000 500 1'),
    ('edges', 'edges', '1000000 100000 1000 1'),
    ('changes', 'changes_partition', '5000000 500000 5000'),
    ('vectors', 'vectors', '5000000 500000 5000 2 1');
