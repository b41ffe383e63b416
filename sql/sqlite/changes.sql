-- changes.sql - the outbox, and what indexes are built from: units and their vectors.
--
-- A unit's columns are those of its memory or event, then its current vectors of the profile, if any.
-- Of a text of more than :long_bytes there are several; where it has one, those of its passages lack.

-- name: CHANGE_ADD
INSERT INTO changes (kind, tenant, owner, id, revision, at_ms)
VALUES (:kind, :tenant, :owner, :id, :revision, :at_ms);

-- name: CHANGES_LAST
SELECT seq FROM sqlite_sequence WHERE name = 'changes';

-- name: CHANGES_FIRST_KEPT
SELECT seq FROM changes ORDER BY seq LIMIT 1;

-- name: CHANGES_AFTER
SELECT seq, kind, tenant, owner, id, revision FROM changes
WHERE seq > :seq ORDER BY seq LIMIT :limit;

-- name: CHANGES_AFTER_OF_PARTITION
SELECT seq, kind, tenant, owner, id, revision FROM changes
WHERE tenant = :tenant AND owner = :owner AND seq > :seq ORDER BY seq LIMIT :limit;

-- The first of them, behind a number, that is not old.

-- name: CHANGES_FIRST_YOUNG
SELECT seq FROM changes WHERE seq > :seq AND at_ms >= :oldest_ms ORDER BY seq LIMIT 1;

-- name: CHANGES_PRUNE
DELETE FROM changes WHERE seq < :seq;

-- name: UNIT_MEMORIES_SCAN
SELECT m.*, v.vector, v.dim
FROM memory_rows m
LEFT JOIN vectors v ON v.tenant = m.tenant AND v.owner = m.owner AND v.unit = m.id
                   AND v.profile = :profile AND v.text_hash = m.embed_hash
WHERE m.tenant = :tenant AND m.owner = :owner AND m.id > :after AND m.status NOT IN (2, 5)
ORDER BY m.id LIMIT :limit;

-- name: UNIT_EVENTS_SCAN
SELECT e.tenant, e.owner, e.id, e.agent_id, e.session_id, e.place, e.role, e.speaker, e.text,
       e.event_time_ms, e.recallable, e.attributes, u.confidence, v.vector, v.dim
FROM events e
LEFT JOIN usage u ON u.tenant = e.tenant AND u.memory_id = e.id
LEFT JOIN vectors v ON v.tenant = e.tenant AND v.owner = e.owner AND v.unit = e.id
                   AND v.profile = :profile AND v.text_hash = e.embed_hash
WHERE e.tenant = :tenant AND e.owner = :owner AND e.id > :after AND e.recallable = 1
ORDER BY e.id LIMIT :limit;

-- name: UNIT_MEMORY_GET
SELECT m.*, v.vector, v.dim
FROM memory_rows m
LEFT JOIN vectors v ON v.tenant = m.tenant AND v.owner = m.owner AND v.unit = m.id
                   AND v.profile = :profile AND v.text_hash = m.embed_hash
WHERE m.tenant = :tenant AND m.owner = :owner AND m.id = :id AND m.status NOT IN (2, 5);

-- name: UNIT_EVENT_GET
SELECT e.tenant, e.owner, e.id, e.agent_id, e.session_id, e.place, e.role, e.speaker, e.text,
       e.event_time_ms, e.recallable, e.attributes, u.confidence, v.vector, v.dim
FROM events e
LEFT JOIN usage u ON u.tenant = e.tenant AND u.memory_id = e.id
LEFT JOIN vectors v ON v.tenant = e.tenant AND v.owner = e.owner AND v.unit = e.id
                   AND v.profile = :profile AND v.text_hash = e.embed_hash
WHERE e.tenant = :tenant AND e.owner = :owner AND e.id = :id AND e.recallable = 1;

-- name: UNIT_MEMORIES_WITHOUT_VECTOR
SELECT m.*, NULL, NULL
FROM memory_rows m
WHERE (m.tenant, m.owner, m.id) > (:tenant, :owner, :id) AND m.status NOT IN (2, 5)
  AND NOT EXISTS (SELECT 1 FROM vectors v
                  WHERE v.tenant = m.tenant AND v.owner = m.owner AND v.unit = m.id
                    AND v.profile = :profile AND v.text_hash = m.embed_hash
                    AND (length(v.vector) > 2 * v.dim OR octet_length(m.content) <= :long_bytes))
ORDER BY m.tenant, m.owner, m.id LIMIT :limit;

-- name: UNIT_EVENTS_WITHOUT_VECTOR
SELECT e.tenant, e.owner, e.id, e.agent_id, e.session_id, e.place, e.role, e.speaker, e.text,
       e.event_time_ms, e.recallable, e.attributes, NULL, NULL, NULL
FROM events e
WHERE (e.tenant, e.owner, e.id) > (:tenant, :owner, :id) AND e.recallable = 1
  AND NOT EXISTS (SELECT 1 FROM vectors v
                  WHERE v.tenant = e.tenant AND v.owner = e.owner AND v.unit = e.id
                    AND v.profile = :profile AND v.text_hash = e.embed_hash
                    AND (length(v.vector) > 2 * v.dim OR octet_length(e.text) <= :long_bytes))
ORDER BY e.tenant, e.owner, e.id LIMIT :limit;

-- Indexes that lie in the store: how far they have come, and what they failed at.

-- name: INDEX_POSITION
SELECT position FROM index_state
WHERE index_name = :index AND tenant = '' AND owner = '' AND unit = '';

-- name: INDEX_PUT
INSERT INTO index_state VALUES (:index, :tenant, :owner, :unit, :position, 0, '', :failures, :now_ms)
ON CONFLICT (index_name, tenant, owner, unit) DO UPDATE SET
    position = excluded.position, failures = failures + excluded.failures,
    updated_at_ms = excluded.updated_at_ms;

-- name: INDEX_REMOVE
DELETE FROM index_state
WHERE index_name = :index AND tenant = :tenant AND owner = :owner AND unit = :unit;

-- name: INDEX_FAILED
SELECT tenant, owner, unit, failures FROM index_state
WHERE index_name = :index AND unit <> '' AND failures < :failures_max
  AND updated_at_ms + (30000 << failures) <= :now_ms
LIMIT :limit;

-- name: INDEX_PARKED
SELECT count(*) FROM index_state
WHERE index_name = :index AND unit <> '' AND failures >= :failures_max;

-- name: INDEX_PARKED_UNITS
SELECT tenant, owner, unit, failures FROM index_state
WHERE index_name = :index AND unit <> '' AND failures >= :failures_max
ORDER BY tenant, owner, unit LIMIT :limit;

-- Of units, by their place in the list: the vector's row, whose text counts, and behind it (its
-- profile begins with that of the vector) that with the codes of tokens.

-- name: TOKENS_GET
SELECT j.key, t.profile = :tokens, t.text_hash, iif(t.profile = :tokens, t.vector, NULL)
FROM json_each(:ids) j CROSS JOIN vectors t
WHERE t.tenant = :tenant AND t.owner = :owner AND t.unit = j.value
  AND t.profile >= :profile AND t.profile <= :tokens;

-- A vector whose unit is gone, or was given another text meanwhile, is not kept.

-- name: VECTOR_PUT
INSERT INTO vectors
SELECT :tenant, :owner, :unit, :profile, :text_hash, :dim, :vector
WHERE EXISTS (SELECT 1 FROM memories WHERE tenant = :tenant AND owner = :owner AND id = :unit
                                       AND embed_hash = :text_hash)
   OR EXISTS (SELECT 1 FROM events WHERE tenant = :tenant AND owner = :owner AND id = :unit
                                     AND embed_hash = :text_hash)
ON CONFLICT (tenant, owner, unit, profile) DO UPDATE SET
    text_hash = excluded.text_hash, dim = excluded.dim, vector = excluded.vector
WHERE vectors.text_hash <> excluded.text_hash OR vectors.vector <> excluded.vector;
