-- lifecycle.sql - what the jobs of maintenance ask and write.

-- name: JOBS_ALL
SELECT name, revision, due_at_ms, begun_at_ms, busy_until_ms, ended_at_ms, looked, changed,
       tenant, owner, id
FROM jobs ORDER BY name;

-- name: JOB_INSERT
INSERT INTO jobs VALUES
    (:name, 1, :due_at_ms, :begun_at_ms, :busy_until_ms, :ended_at_ms, :looked, :changed,
     :tenant, :owner, :id)
ON CONFLICT (name) DO NOTHING;

-- name: JOB_MOVE
UPDATE jobs SET
    revision = revision + 1, due_at_ms = :due_at_ms, begun_at_ms = :begun_at_ms,
    busy_until_ms = :busy_until_ms, ended_at_ms = :ended_at_ms, looked = :looked,
    changed = :changed, tenant = :tenant, owner = :owner, id = :id
WHERE name = :name AND revision = :revision;

-- name: MEMORIES_AFTER
SELECT * FROM memory_rows
WHERE (tenant, owner, id) > (:tenant, :owner, :id) AND status = 1
ORDER BY tenant, owner, id LIMIT :limit;

-- name: MEMORIES_ENDED
SELECT * FROM memory_rows
WHERE status = 1 AND valid_until_ms > 0 AND valid_until_ms <= :now_ms
ORDER BY valid_until_ms, tenant, owner, id LIMIT :limit;

-- name: USAGE_REVIEW
INSERT INTO usage
SELECT :tenant, :memory_id, 0, 0, 0, -1.0, 0, :importance_base
WHERE EXISTS (SELECT 1 FROM memories WHERE tenant = :tenant AND id = :memory_id)
ON CONFLICT (tenant, memory_id) DO UPDATE SET importance_base = excluded.importance_base;

-- What was computed from a row holds no more when the row is another.

-- name: USAGE_RESET
UPDATE usage SET
    confidence = CASE WHEN :confidence THEN -1.0 ELSE confidence END,
    confidence_computed_at_ms = CASE WHEN :confidence THEN 0 ELSE confidence_computed_at_ms END,
    importance_base = CASE WHEN :importance THEN -1.0 ELSE importance_base END
WHERE tenant = :tenant AND memory_id = :memory_id
  AND (:confidence AND confidence >= 0.0 OR :importance AND importance_base >= 0.0);

-- name: USAGE_CONFIDENCE
SELECT confidence FROM usage WHERE tenant = :tenant AND memory_id = :memory_id;

-- name: MEMORY_CONFIDENCE
SELECT confidence FROM memories WHERE tenant = :tenant AND id = :memory_id;

-- name: SESSION_GET
SELECT tenant, owner, session_id, agent_id, first_event_ms, last_event_ms, last_place, event_count,
       recorded_at_ms, ended, compressed_place, taken_place, compressed_count, task_id
FROM sessions WHERE tenant = :tenant AND owner = :owner AND session_id = :session_id;

-- name: SESSIONS_OPEN
SELECT tenant, owner, session_id, agent_id, first_event_ms, last_event_ms, last_place, event_count,
       recorded_at_ms, ended, compressed_place, taken_place, compressed_count, task_id
FROM sessions
WHERE compressed_place < last_place
  AND (recorded_at_ms <= :idle_since_ms OR ended = 1 OR event_count - compressed_count > :turns_max)
ORDER BY recorded_at_ms LIMIT :limit;

-- Turns that a model will yet read are not handed over.

-- name: SESSIONS_KEPT
SELECT tenant, owner, session_id, agent_id, first_event_ms, last_event_ms, last_place, event_count,
       recorded_at_ms, ended, compressed_place, taken_place, compressed_count, task_id
FROM sessions WHERE taken_place < compressed_place
  AND NOT EXISTS (SELECT 1 FROM extractions x
                  WHERE x.tenant = sessions.tenant AND x.owner = sessions.owner
                    AND x.session_id = sessions.session_id AND x.due_at_ms > 0)
ORDER BY recorded_at_ms LIMIT :limit;

-- name: SESSION_MOVE
UPDATE sessions SET compressed_place = :compressed_place, taken_place = :taken_place,
    compressed_count = :compressed_count, ended = :ended
WHERE tenant = :tenant AND owner = :owner AND session_id = :session_id
  AND last_place = :last_place AND compressed_place = :was_compressed
  AND taken_place = :was_taken;

-- name: TASK_STATES_OF_SESSION
SELECT tenant, owner, session_id, task_id, state, updated_at_ms, revision FROM task_states
WHERE tenant = :tenant AND owner = :owner AND session_id = :session_id
ORDER BY task_id;
