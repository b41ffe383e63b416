-- 0004_lifecycle - what becomes of memories: jobs, ends of sessions, importance from use.

PRAGMA user_version = 4;

-- One row for each job of maintenance that has ever run. The place is where its walk over memories
-- stands; an erasure empties it, since it names one.
CREATE TABLE jobs (
    name          TEXT PRIMARY KEY,
    revision      INTEGER NOT NULL,
    due_at_ms     INTEGER NOT NULL,
    begun_at_ms   INTEGER NOT NULL, -- 0: not under way
    busy_until_ms INTEGER NOT NULL, -- until then another process leaves it alone
    ended_at_ms   INTEGER NOT NULL,
    looked        INTEGER NOT NULL, -- of the run under way, else of the last one
    changed       INTEGER NOT NULL,
    tenant        TEXT NOT NULL,
    owner         TEXT NOT NULL,
    id            TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What the importance was before use raised or lowered it; negative: the row's own.
ALTER TABLE usage ADD COLUMN importance_base REAL NOT NULL DEFAULT -1.0;

DROP VIEW memory_rows;
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
       m.embed_hash, coalesce(u.importance_base, -1.0) AS importance_base
FROM memories m LEFT JOIN usage u ON u.tenant = m.tenant AND u.memory_id = m.id;

CREATE INDEX memories_ending ON memories (valid_until_ms) WHERE status = 1 AND valid_until_ms > 0;

-- A session ends when somebody says so, or when nothing was recorded in it for a while. Its turns up
-- to compressed_place are drawn from, those up to taken_place are handed to an archive.
ALTER TABLE sessions ADD COLUMN recorded_at_ms INTEGER NOT NULL DEFAULT 0; -- the last turn
ALTER TABLE sessions ADD COLUMN ended INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN compressed_place INTEGER NOT NULL DEFAULT -1;
ALTER TABLE sessions ADD COLUMN taken_place INTEGER NOT NULL DEFAULT -1;
ALTER TABLE sessions ADD COLUMN compressed_count INTEGER NOT NULL DEFAULT 0; -- of event_count

UPDATE sessions SET recorded_at_ms = coalesce(
    (SELECT max(created_at_ms) FROM events e
     WHERE e.tenant = sessions.tenant AND e.owner = sessions.owner
       AND e.session_id = sessions.session_id), last_event_ms);

CREATE INDEX sessions_open ON sessions (recorded_at_ms) WHERE compressed_place < last_place;
CREATE INDEX sessions_kept ON sessions (recorded_at_ms) WHERE taken_place < compressed_place;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('jobs', 'jobs', '10 1'),
    ('memories', 'memories_ending', '100000 2'),
    ('sessions', 'sessions_open', '10000 1'),
    ('sessions', 'sessions_kept', '10000 1');
