-- reconcile.sql - what is derived, held against the rows it is derived from.
--
-- A check gives tenant, owner and id of what differs; the statement that puts one right asks again,
-- since somebody may have written meanwhile.

-- ---- hashes: read here, reckoned by the store ----

-- name: CHECK_MEMORIES
SELECT * FROM memories;

-- name: CHECK_MEMORY
SELECT * FROM memories WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- name: MEND_MEMORY
UPDATE memories SET content_hash = :content_hash, embed_hash = :embed_hash
WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- name: CHECK_EVENTS
SELECT tenant, owner, id, agent_id, session_id, place, role, speaker, text, event_time_ms,
       recallable, attributes, embed_hash
FROM events;

-- name: CHECK_EVENT
SELECT tenant, owner, id, agent_id, session_id, place, role, speaker, text, event_time_ms,
       recallable, attributes, embed_hash
FROM events WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- name: MEND_EVENT
UPDATE events SET embed_hash = :embed_hash
WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- ---- vectors ----

-- name: CHECK_VECTORS
SELECT tenant, owner, unit, dim, vector,
       EXISTS (SELECT 1 FROM memories m
               WHERE m.tenant = v.tenant AND m.owner = v.owner AND m.id = v.unit) OR
       EXISTS (SELECT 1 FROM events e
               WHERE e.tenant = v.tenant AND e.owner = v.owner AND e.id = v.unit), profile
FROM vectors v;

-- name: MEND_VECTOR
DELETE FROM vectors
WHERE tenant = :tenant AND owner = :owner AND unit = :id AND profile = :profile;

-- Units that have none of the profile, though the index says that it stands at the last change.

-- name: CHECK_LOST_VECTORS
SELECT u.tenant, u.owner, u.id FROM (
    SELECT tenant, owner, id, embed_hash, octet_length(content) AS bytes
    FROM memories WHERE status NOT IN (2, 5)
    UNION ALL
    SELECT tenant, owner, id, embed_hash, octet_length(text)
    FROM events WHERE recallable = 1) u
WHERE EXISTS (SELECT 1 FROM index_state i
              WHERE i.index_name = :profile AND i.tenant = '' AND i.owner = '' AND i.unit = ''
                AND i.position = (SELECT seq FROM sqlite_sequence WHERE name = 'changes'))
  AND NOT EXISTS (SELECT 1 FROM vectors v
                  WHERE v.tenant = u.tenant AND v.owner = u.owner AND v.unit = u.id
                    AND v.profile = :profile AND v.text_hash = u.embed_hash
                    AND (length(v.vector) > 2 * v.dim OR u.bytes <= :long_bytes))
  AND NOT EXISTS (SELECT 1 FROM index_state i
                  WHERE i.index_name = :profile AND i.tenant = u.tenant AND i.owner = u.owner
                    AND i.unit = u.id)
UNION ALL
SELECT e.tenant, e.owner, e.id FROM events e -- their tokens, once those of all turns were there
JOIN vectors v ON v.tenant = e.tenant AND v.owner = e.owner AND v.unit = e.id
              AND v.profile = :profile AND v.text_hash = e.embed_hash
WHERE e.recallable = 1
  AND EXISTS (SELECT 1 FROM index_state i WHERE i.index_name = :tokens AND i.tenant = ''
                                            AND i.owner = '' AND i.unit = '')
  AND EXISTS (SELECT 1 FROM index_state i
              WHERE i.index_name = :profile AND i.tenant = '' AND i.owner = '' AND i.unit = ''
                AND i.position = (SELECT seq FROM sqlite_sequence WHERE name = 'changes'))
  AND NOT EXISTS (SELECT 1 FROM vectors t
                  WHERE t.tenant = e.tenant AND t.owner = e.owner AND t.unit = e.id
                    AND t.profile = :tokens AND t.text_hash = e.embed_hash);

-- Without a position the index begins anew, and passes quickly over what has its vector.

-- name: MEND_LOST_VECTOR
DELETE FROM index_state
WHERE index_name IN (:profile, :tokens) AND tenant = '' AND owner = '' AND unit = '';

-- name: VECTORS_KEEP
DELETE FROM vectors WHERE profile NOT IN (:profile, :tokens);

-- name: INDEX_STATE_KEEP
DELETE FROM index_state
WHERE index_name IN (SELECT DISTINCT profile FROM vectors WHERE profile NOT IN (:profile, :tokens));

-- ---- what belongs to a memory or an event; turns in the archive may come back ----

-- name: CHECK_USAGE
SELECT tenant, '', memory_id FROM usage u
WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.tenant = u.tenant AND m.id = u.memory_id)
  AND NOT EXISTS (SELECT 1 FROM events e WHERE e.tenant = u.tenant AND e.id = u.memory_id)
  AND NOT EXISTS (SELECT 1 FROM archived_ids a WHERE a.tenant = u.tenant AND a.id = u.memory_id);

-- name: MEND_USAGE
DELETE FROM usage WHERE tenant = :tenant AND memory_id = :id
  AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.tenant = :tenant AND m.id = :id)
  AND NOT EXISTS (SELECT 1 FROM events e WHERE e.tenant = :tenant AND e.id = :id)
  AND NOT EXISTS (SELECT 1 FROM archived_ids a WHERE a.tenant = :tenant AND a.id = :id);

-- name: CHECK_RULES
SELECT r.tenant, r.owner, r.id FROM rules r
LEFT JOIN memories m ON m.tenant = r.tenant AND m.id = r.memory_id
WHERE m.owner IS NOT r.owner;

-- name: MEND_RULE_OWNER
UPDATE rules SET owner = (SELECT m.owner FROM memories m
                          WHERE m.tenant = :tenant AND m.id = rules.memory_id)
WHERE tenant = :tenant AND id = :id
  AND EXISTS (SELECT 1 FROM memories m WHERE m.tenant = :tenant AND m.id = rules.memory_id);

-- name: MEND_RULE
DELETE FROM rules WHERE tenant = :tenant AND id = :id
  AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.tenant = :tenant AND m.id = rules.memory_id);

-- name: CHECK_MENTIONS
SELECT tenant, owner, unit FROM mentions n
WHERE NOT EXISTS (SELECT 1 FROM memories m
                  WHERE m.tenant = n.tenant AND m.owner = n.owner AND m.id = n.unit)
  AND NOT EXISTS (SELECT 1 FROM events e
                  WHERE e.tenant = n.tenant AND e.owner = n.owner AND e.id = n.unit);

-- name: MEND_MENTIONS
DELETE FROM mentions WHERE tenant = :tenant AND owner = :owner AND unit = :id;

-- name: CHECK_QUESTIONS
SELECT tenant, owner, id FROM clarifications c
WHERE resolved_at_ms = 0
  AND EXISTS (SELECT 1 FROM json_each(c.memory_ids) j
              WHERE NOT EXISTS (SELECT 1 FROM memories m
                                WHERE m.tenant = c.tenant AND m.owner = c.owner
                                  AND m.id = j.value));

-- name: MEND_QUESTION
UPDATE clarifications SET resolved_at_ms = :now_ms
WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- name: CHECK_REQUESTS
SELECT tenant, owner, key FROM requests r
WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.tenant = r.tenant AND m.id = r.id)
  AND NOT EXISTS (SELECT 1 FROM events e WHERE e.tenant = r.tenant AND e.id = r.id)
  AND NOT EXISTS (SELECT 1 FROM archived_ids a WHERE a.tenant = r.tenant AND a.id = r.id);

-- name: MEND_REQUEST
DELETE FROM requests WHERE tenant = :tenant AND owner = :owner AND key = :id;

-- ---- sessions: at least what their turns say ----

-- name: CHECK_SESSIONS
SELECT e.tenant, e.owner, e.session_id FROM (
    SELECT tenant, owner, session_id, min(event_time_ms) AS first_ms, max(event_time_ms) AS last_ms,
           max(place) AS last, count(*) AS turns
    FROM events GROUP BY tenant, owner, session_id) e
LEFT JOIN sessions s
       ON s.tenant = e.tenant AND s.owner = e.owner AND s.session_id = e.session_id
WHERE s.session_id IS NULL OR s.first_event_ms > e.first_ms OR s.last_event_ms < e.last_ms
   OR s.last_place < e.last OR s.event_count < e.turns;

-- name: MEND_SESSION
INSERT INTO sessions (tenant, owner, session_id, agent_id, first_event_ms, last_event_ms,
                      last_place, event_count)
SELECT tenant, owner, session_id,
       (SELECT f.agent_id FROM events f
        WHERE f.tenant = :tenant AND f.owner = :owner AND f.session_id = :id
        ORDER BY f.place, f.id LIMIT 1),
       min(event_time_ms), max(event_time_ms), max(place), count(*)
FROM events WHERE tenant = :tenant AND owner = :owner AND session_id = :id
GROUP BY tenant, owner, session_id
ON CONFLICT (tenant, owner, session_id) DO UPDATE SET
    first_event_ms = min(first_event_ms, excluded.first_event_ms),
    last_event_ms = max(last_event_ms, excluded.last_event_ms),
    last_place = max(last_place, excluded.last_place),
    event_count = max(event_count, excluded.event_count);

-- ---- the graph ----

-- name: CHECK_ENTITIES
SELECT * FROM (SELECT tenant, owner, name FROM entities
               EXCEPT SELECT tenant, owner, source FROM edges
               EXCEPT SELECT tenant, owner, target FROM edges)
UNION ALL
SELECT * FROM (SELECT tenant, owner, source FROM edges UNION
               SELECT tenant, owner, target FROM edges
               EXCEPT SELECT tenant, owner, name FROM entities);

-- One that edges name comes back without the other names it had.

-- name: MEND_ENTITY_MISSING
INSERT INTO entities SELECT :tenant, :owner, :id, '', '[]'
WHERE EXISTS (SELECT 1 FROM edges WHERE tenant = :tenant AND owner = :owner
                                    AND :id IN (source, target))
ON CONFLICT (tenant, owner, name) DO NOTHING;

-- name: MEND_ENTITY
DELETE FROM entities WHERE tenant = :tenant AND owner = :owner AND name = :id
  AND NOT EXISTS (SELECT 1 FROM edges WHERE tenant = :tenant AND owner = :owner
                                        AND :id IN (source, target));

-- Evidence that was erased: asked of the tombstones.

-- name: CHECK_EDGES
SELECT tenant, owner, id, provenance FROM edges WHERE provenance <> '[]';

-- name: MEND_EDGE
DELETE FROM edges WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- ---- indexes that lie in the store ----

-- name: CHECK_INDEX_STATE
SELECT tenant, owner, unit FROM index_state i
WHERE unit <> ''
  AND NOT EXISTS (SELECT 1 FROM memories m
                  WHERE m.tenant = i.tenant AND m.owner = i.owner AND m.id = i.unit)
  AND NOT EXISTS (SELECT 1 FROM events e
                  WHERE e.tenant = i.tenant AND e.owner = i.owner AND e.id = i.unit)
UNION ALL
SELECT tenant, owner, unit FROM index_state
WHERE unit = ''
  AND position > coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'changes'), 0);

-- name: MEND_INDEX_STATE
DELETE FROM index_state
WHERE tenant = :tenant AND owner = :owner AND unit = :id
  AND (unit <> '' OR position > coalesce((SELECT seq FROM sqlite_sequence
                                          WHERE name = 'changes'), 0));

-- ---- how much there is ----

-- name: COUNT_MEMORIES
SELECT count(*) FROM memories;

-- name: COUNT_EVENTS
SELECT count(*) FROM events;

-- name: COUNT_VECTORS
SELECT count(*) FROM vectors;

-- name: COUNT_UNITS
SELECT (SELECT count(*) FROM memories WHERE status NOT IN (2, 5)) +
       (SELECT count(*) FROM events WHERE recallable = 1);

-- name: COUNT_USAGE
SELECT count(*) FROM usage;

-- name: COUNT_RULES
SELECT count(*) FROM rules;

-- name: COUNT_MENTIONS
SELECT count(*) FROM mentions;

-- name: COUNT_QUESTIONS
SELECT count(*) FROM clarifications WHERE resolved_at_ms = 0;

-- name: COUNT_REQUESTS
SELECT count(*) FROM requests;

-- name: COUNT_SESSIONS
SELECT count(*) FROM sessions;

-- name: COUNT_ENTITIES
SELECT count(*) FROM entities;

-- name: COUNT_EDGES
SELECT count(*) FROM edges;

-- name: COUNT_INDEX_STATE
SELECT count(*) FROM index_state;

-- ---- the partitions there are ----

-- name: PARTITIONS
SELECT tenant, owner FROM memories UNION SELECT tenant, owner FROM events ORDER BY tenant, owner;

-- name: REINDEX
REINDEX;
