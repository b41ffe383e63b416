-- memories.sql - canonical rows: read by key, read as an identity may see them, written.
--
-- The filtered reads (MEMORIES_..._PAST) ask what src/memory/access.c asks: the two partitions, agent,
-- scope (ids that are not open are bound as NULL, which equals nothing; shared rows have no scope of
-- one user), permission, sensitivity and status. The rest, of that time, is left to access.c.

-- name: MEMORY_GET
SELECT * FROM memory_rows WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- name: MEMORY_OWNER
SELECT owner FROM memories WHERE tenant = :tenant AND id = :id;

-- name: MEMORY_EXISTS
SELECT 1 FROM memories WHERE tenant = :tenant AND id = :id;

-- name: MEMORY_IS_OF_OWNER
SELECT 1 FROM memories WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- name: MEMORY_REPLACES
SELECT supersedes FROM memories WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- name: IDS_OF_SCOPE
SELECT id FROM memories
WHERE tenant = :tenant AND owner = :owner AND scope_kind = :scope_kind AND scope_id = :scope_id
  AND type = :type AND status = 1 AND authority <> 6
ORDER BY importance DESC, id LIMIT :limit OFFSET :offset;

-- name: IDS_OF_KEY
SELECT id FROM memories
WHERE tenant = :tenant AND owner = :owner AND memory_key = :memory_key AND memory_key <> ''
  AND status = 1 AND authority <> 6
LIMIT :limit OFFSET :offset;

-- name: LINKS_OF_PARTITION
SELECT supersedes, id FROM memories m
WHERE tenant = :tenant AND owner = :owner AND supersedes <> '' AND status = 1 AND authority <> 6
  AND EXISTS (SELECT 1 FROM memories p
              WHERE p.tenant = m.tenant AND p.owner = m.owner AND p.id = m.supersedes)
LIMIT :limit OFFSET :offset;

-- name: LINKS_TO
SELECT supersedes, id FROM memories m
WHERE tenant = :tenant AND owner = :owner AND supersedes = :id AND supersedes <> ''
  AND status = 1 AND authority <> 6
  AND EXISTS (SELECT 1 FROM memories p
              WHERE p.tenant = m.tenant AND p.owner = m.owner AND p.id = m.supersedes)
LIMIT :limit OFFSET :offset;

-- Pairs: a turn, and what stands now in the place of a memory that was drawn from it. Walked from the
-- ends of the chains back, so that each row is met once. Not what the end itself was drawn from, nor
-- what said the same as the end says.

-- name: TURNS_REPLACED
WITH RECURSIVE former(place, id) AS (
    SELECT id, supersedes FROM memories e
    WHERE tenant = :tenant AND owner = :owner AND supersedes <> '' AND status = 1
      AND authority <> 6
      AND NOT EXISTS (SELECT 1 FROM memories n
                      WHERE n.tenant = :tenant AND n.owner = :owner AND n.supersedes = e.id
                        AND n.supersedes <> '' AND n.status = 1 AND n.authority <> 6)
    UNION
    SELECT f.place, m.supersedes
    FROM former f CROSS JOIN memories m ON m.tenant = :tenant AND m.owner = :owner AND m.id = f.id
    WHERE m.supersedes <> '')
SELECT t.value, f.place
FROM former f CROSS JOIN memories m ON m.tenant = :tenant AND m.owner = :owner AND m.id = f.id
    CROSS JOIN memories p ON p.tenant = :tenant AND p.owner = :owner AND p.id = f.place
    CROSS JOIN json_each(m.provenance) t
WHERE m.id <> p.id AND (m.value = '' OR m.value <> p.value)
  AND (:turns = '' OR t.value IN (SELECT value FROM json_each(:turns)))
  AND t.value NOT IN (SELECT value FROM json_each(p.provenance))
ORDER BY t.value, f.place
LIMIT :limit OFFSET :offset;

-- What a decoded row can be kept for: until one of the two has grown.

-- name: ROW_STATE
SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'changes'),
       (SELECT value FROM meta WHERE name = 'usage_writes');

-- name: USAGE_MOVED
INSERT INTO meta (name, value) VALUES ('usage_writes', '1')
ON CONFLICT (name) DO UPDATE SET value = CAST(value AS INTEGER) + 1;

-- What an identity may see of a past instant. What it may reach is judged now, by the present row;
-- whether the memory was of the type, key or link, and held, by how it stood then: rows with a later
-- history are all read, the rest where the present row matches.

-- name: MEMORIES_STRUCTURED_PAST
SELECT * FROM memory_rows m
WHERE tenant = :tenant AND owner IN (:user, '')
  AND (type IN (SELECT value FROM json_each(:types))
       OR EXISTS (SELECT 1 FROM history h
                  WHERE h.tenant = m.tenant AND h.owner = m.owner AND h.id = m.id
                    AND h.changed_at_ms > :as_of))
  AND agent_id IN ('', :agent)
  AND (scope_kind, scope_id) IN (VALUES (1, ''), (2, :user), (3, :project), (4, :repository),
                                        (5, :task), (6, :session))
  AND (owner <> '' OR scope_kind NOT IN (2, 6))
  AND sensitivity <= :clearance
  AND (requires_permission = ''
       OR requires_permission IN (SELECT value FROM json_each(:permissions)))
  AND status <> 4 AND authority <> 6;

-- name: MEMORIES_BY_KEY_PAST
SELECT * FROM memory_rows m
WHERE tenant = :tenant AND owner IN (:user, '')
  AND (memory_key IN (SELECT value FROM json_each(:keys))
       OR EXISTS (SELECT 1 FROM history h
                  WHERE h.tenant = m.tenant AND h.owner = m.owner AND h.id = m.id
                    AND h.changed_at_ms > :as_of))
  AND agent_id IN ('', :agent)
  AND (scope_kind, scope_id) IN (VALUES (1, ''), (2, :user), (3, :project), (4, :repository),
                                        (5, :task), (6, :session))
  AND (owner <> '' OR scope_kind NOT IN (2, 6))
  AND sensitivity <= :clearance
  AND (requires_permission = ''
       OR requires_permission IN (SELECT value FROM json_each(:permissions)))
  AND status <> 4 AND authority <> 6;

-- name: MEMORIES_SUCCESSORS_PAST
SELECT * FROM memory_rows m
WHERE tenant = :tenant AND owner IN (:user, '')
  AND (supersedes IN (SELECT value FROM json_each(:ids))
       OR EXISTS (SELECT 1 FROM history h
                  WHERE h.tenant = m.tenant AND h.owner = m.owner AND h.id = m.id
                    AND h.changed_at_ms > :as_of))
  AND agent_id IN ('', :agent)
  AND (scope_kind, scope_id) IN (VALUES (1, ''), (2, :user), (3, :project), (4, :repository),
                                        (5, :task), (6, :session))
  AND (owner <> '' OR scope_kind NOT IN (2, 6))
  AND sensitivity <= :clearance
  AND (requires_permission = ''
       OR requires_permission IN (SELECT value FROM json_each(:permissions)))
  AND status <> 4 AND authority <> 6;

-- name: MEMORIES_CHANGED_PAST
SELECT * FROM memory_rows m
WHERE tenant = :tenant AND owner IN (:user, '')
  AND (owner, id) IN (SELECT owner, id FROM history
                      WHERE tenant = :tenant AND owner IN (:user, '') AND changed_at_ms > :as_of)
  AND agent_id IN ('', :agent)
  AND (scope_kind, scope_id) IN (VALUES (1, ''), (2, :user), (3, :project), (4, :repository),
                                        (5, :task), (6, :session))
  AND (owner <> '' OR scope_kind NOT IN (2, 6))
  AND sensitivity <= :clearance
  AND (requires_permission = ''
       OR requires_permission IN (SELECT value FROM json_each(:permissions)))
  AND status <> 4 AND authority <> 6
ORDER BY updated_at_ms DESC, owner, id;

-- name: HISTORY_AS_OF
SELECT * FROM history
WHERE tenant = :tenant AND owner = :owner AND id = :id AND changed_at_ms > :as_of
ORDER BY revision LIMIT 1;

-- name: HISTORY_OF
SELECT * FROM history WHERE tenant = :tenant AND owner = :owner AND id = :id
ORDER BY revision DESC;

-- What a memory replaced and what replaced it, itself among them: along the links both ways, and what
-- its key held in the same place before that.

-- name: MEMORIES_LINE
WITH RECURSIVE line (id) AS (
    SELECT :id
    UNION
    SELECT m.supersedes FROM memories m JOIN line l
    ON m.tenant = :tenant AND m.owner = :owner AND m.id = l.id AND m.supersedes <> ''
    UNION
    SELECT m.id FROM memories m JOIN line l
    ON m.tenant = :tenant AND m.owner = :owner AND m.supersedes = l.id AND m.supersedes <> ''
    UNION
    SELECT p.id FROM memories m JOIN line l
    ON m.tenant = :tenant AND m.owner = :owner AND m.id = l.id AND m.memory_key <> ''
    JOIN memories p
    ON p.tenant = m.tenant AND p.owner = m.owner AND p.memory_key = m.memory_key
       AND p.memory_key <> '' AND p.agent_id = m.agent_id AND p.scope_kind = m.scope_kind
       AND p.scope_id = m.scope_id AND p.status = 3)
SELECT r.* FROM memory_rows r JOIN line l ON r.id = l.id
WHERE r.tenant = :tenant AND r.owner = :owner
ORDER BY CASE WHEN r.valid_from_ms > 0 THEN r.valid_from_ms ELSE r.created_at_ms END DESC,
         r.version DESC, r.id DESC;

-- name: HISTORY_KEEP
INSERT INTO history
SELECT tenant, owner, id, agent_id, scope_kind, scope_id, type, memory_key, value, title, content,
       summary, keywords, usage_scenario, entities, category, project, module, authority,
       confidence, importance, sensitivity, requires_permission, risk, applies_to, valid_from_ms,
       valid_until_ms, event_time_ms, status, version, supersedes, revision, content_hash,
       provenance, created_at_ms, updated_at_ms, confirmed_at_ms, attributes,
       :changed_at_ms, :actor, :reason
FROM memories WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- name: MEMORY_REMOVE
DELETE FROM memories WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- name: MEMORY_INSERT
INSERT INTO memories VALUES
    (:tenant, :owner, :id, :agent_id, :scope_kind, :scope_id, :type, :memory_key, :value, :title,
     :content, :summary, :keywords, :usage_scenario, :entities, :category, :project, :module,
     :authority, :confidence, :importance, :sensitivity, :requires_permission, :risk, :applies_to,
     :valid_from_ms, :valid_until_ms, :event_time_ms, :status, :version, :supersedes, :revision,
     :content_hash, :provenance, :created_at_ms, :updated_at_ms, :confirmed_at_ms, :attributes,
     :embed_hash);

-- Neither makes a row for what is not there. Counts end at 2^53, where every reader of JSON still
-- tells numbers apart.

-- name: USAGE_ADD
INSERT INTO usage
SELECT :tenant, :memory_id, :last_accessed_at_ms, :access_count, :used_count, :confidence,
       :confidence_computed_at_ms, -1.0
WHERE EXISTS (SELECT 1 FROM memories WHERE tenant = :tenant AND id = :memory_id)
   OR EXISTS (SELECT 1 FROM events WHERE tenant = :tenant AND id = :memory_id)
ON CONFLICT (tenant, memory_id) DO UPDATE SET
    last_accessed_at_ms = max(last_accessed_at_ms, excluded.last_accessed_at_ms),
    access_count = min(min(access_count, 9007199254740992)
                       + min(excluded.access_count, 9007199254740992), 9007199254740992),
    used_count = min(min(used_count, 9007199254740992)
                     + min(excluded.used_count, 9007199254740992), 9007199254740992),
    confidence = CASE WHEN excluded.confidence >= 0.0 THEN excluded.confidence
                 ELSE usage.confidence END,
    confidence_computed_at_ms = CASE WHEN excluded.confidence >= 0.0
                                THEN excluded.confidence_computed_at_ms
                                ELSE usage.confidence_computed_at_ms END;

-- name: USAGE_PUT
INSERT INTO usage
SELECT :tenant, :memory_id, :last_accessed_at_ms, :access_count, :used_count, :confidence,
       :confidence_computed_at_ms, -1.0
WHERE EXISTS (SELECT 1 FROM memories WHERE tenant = :tenant AND id = :memory_id)
   OR EXISTS (SELECT 1 FROM events WHERE tenant = :tenant AND id = :memory_id)
ON CONFLICT (tenant, memory_id) DO UPDATE SET
    last_accessed_at_ms = excluded.last_accessed_at_ms, access_count = excluded.access_count,
    used_count = excluded.used_count, confidence = excluded.confidence,
    confidence_computed_at_ms = excluded.confidence_computed_at_ms;
