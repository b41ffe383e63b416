-- records.sql - everything as records, kind by kind, in batches; and traces.
--
-- A batch begins behind the last key of the one before. :owner_last bounds the owners: the same as
-- the first for one of them, NULL for all of the tenant. :shared is 0 to leave out what is shared.

-- name: LIST_MEMORIES_OF_OWNER
SELECT * FROM memory_rows
WHERE tenant = :tenant AND owner = :owner AND id > :after
  AND (:type = '' OR type = :type)
  AND (:scope_kind = 0 OR scope_kind = :scope_kind)
  AND (:scope_id = '' OR scope_id = :scope_id)
  AND (:status = 0 OR status = :status)
ORDER BY id LIMIT :limit;

-- name: LIST_MEMORIES_OF_TENANT
SELECT * FROM memory_rows
WHERE tenant = :tenant AND id > :after AND (:shared = 1 OR owner <> '')
  AND (:type = '' OR type = :type)
  AND (:scope_kind = 0 OR scope_kind = :scope_kind)
  AND (:scope_id = '' OR scope_id = :scope_id)
  AND (:status = 0 OR status = :status)
ORDER BY id LIMIT :limit;

-- name: LIST_EVENTS
SELECT tenant, owner, id, agent_id, session_id, place, role, speaker, text, event_time_ms,
       recallable, attributes, NULL, NULL
FROM events
WHERE tenant = :tenant AND (owner, id) > (:owner, :after)
  AND (:owner_last IS NULL OR owner <= :owner_last) AND (:shared = 1 OR owner <> '')
ORDER BY owner, id LIMIT :limit;

-- name: LIST_RULES
SELECT tenant, owner, id, memory_id, trigger_type, trigger_value, priority, disabled FROM rules
WHERE tenant = :tenant AND (owner, id) > (:owner, :after)
  AND (:owner_last IS NULL OR owner <= :owner_last) AND (:shared = 1 OR owner <> '')
ORDER BY owner, id LIMIT :limit;

-- name: LIST_TASK_STATES
SELECT tenant, owner, session_id, task_id, state, updated_at_ms FROM task_states
WHERE tenant = :tenant AND (owner, session_id, task_id) > (:owner, :after_session, :after)
  AND (:owner_last IS NULL OR owner <= :owner_last) AND (:shared = 1 OR owner <> '')
ORDER BY owner, session_id, task_id LIMIT :limit;

-- An edge is not told when all memories that say so are forgotten or revoked, or turns withheld with them.

-- name: LIST_EDGES
SELECT e.tenant, e.owner, e.id, e.source, e.relation, e.target, s.aliases, t.aliases, e.origin,
       e.confidence, e.valid_from_ms, e.valid_until_ms, e.provenance
FROM edges e
LEFT JOIN entities s ON s.tenant = e.tenant AND s.owner = e.owner AND s.name = e.source
LEFT JOIN entities t ON t.tenant = e.tenant AND t.owner = e.owner AND t.name = e.target
WHERE e.tenant = :tenant AND (e.owner, e.id) > (:owner, :after)
  AND (:owner_last IS NULL OR e.owner <= :owner_last) AND (:shared = 1 OR e.owner <> '')
  AND (e.provenance = '[]' OR EXISTS (
      SELECT 1 FROM json_each(e.provenance) p
      LEFT JOIN memories m ON m.tenant = e.tenant AND m.id = p.value
      LEFT JOIN events v ON v.tenant = e.tenant AND v.id = p.value
      LEFT JOIN archived_ids a ON a.tenant = e.tenant AND a.id = p.value
      WHERE coalesce(m.status, 1) NOT IN (4, 5) AND coalesce(m.authority, 0) <> 6
        AND coalesce(v.recallable, 1) <> 2 AND coalesce(a.withheld, 0) = 0))
ORDER BY e.owner, e.id LIMIT :limit;

-- name: TRACE_PUT
INSERT INTO traces (tenant, trace_id, user, at_ms, json)
VALUES (:tenant, :trace_id, :user, :at_ms, :json)
ON CONFLICT (tenant, trace_id) DO NOTHING;

-- name: TRACE_GET
SELECT CASE WHEN used = '[]' THEN json ELSE json_set(json, '$.used', json(used)) END
FROM traces WHERE tenant = :tenant AND trace_id = :trace_id;

-- Once a memory, however often it is said.

-- name: TRACE_USE
UPDATE traces SET used = json_insert(used, '$[#]', json_object('id', :id, 'by', :by, 'at_ms', :at_ms))
WHERE tenant = :tenant AND trace_id = :trace_id
  AND NOT EXISTS (SELECT 1 FROM json_each(used) WHERE value ->> 'id' = :id);

-- What is kept for a while only.

-- name: TRACES_PRUNE_OLD
DELETE FROM traces WHERE (tenant, trace_id) IN
    (SELECT tenant, trace_id FROM traces WHERE at_ms < :oldest_ms AND trace_id < :oldest_id
     LIMIT :limit);

-- name: TRACES_PRUNE_MANY
DELETE FROM traces WHERE (tenant, trace_id) IN
    (SELECT tenant, trace_id FROM traces ORDER BY at_ms, trace_id
     LIMIT max(0, min(:limit, (SELECT count(*) FROM traces) - :kept_max)));

-- name: REQUESTS_PRUNE
DELETE FROM requests WHERE (tenant, owner, key) IN
    (SELECT tenant, owner, key FROM requests WHERE at_ms < :oldest_ms LIMIT :limit);
