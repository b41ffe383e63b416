-- erase.sql - taking out for good, and reading everything that is left.
--
-- A span is the ids of one owner from :first to :last, both included: one id, or all of them with ''
-- and an empty blob, which stands behind every text. Deleted rows are overwritten (secure_delete).

-- ---- what is meant ----

-- name: ERASE_FIND_ONE
SELECT 0, owner, id FROM memories WHERE tenant = :tenant AND owner = :owner AND id = :id
UNION ALL
SELECT 1, owner, id FROM events WHERE tenant = :tenant AND owner = :owner AND id = :id
UNION ALL
SELECT 1, owner, id FROM archived_events WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- Of a section the forgotten whole, of a forgotten whole its sections.

-- name: ERASE_FIND_SPLIT
SELECT 0, owner, id FROM memories
WHERE tenant = :tenant AND owner = :owner AND status <> 1 AND id <> :id
  AND content_hash IN (SELECT substr(p.value, 7) FROM memories m, json_each(m.provenance) p
                       WHERE m.tenant = :tenant AND m.owner = :owner AND m.id = :id
                         AND p.value LIKE 'split:%')
UNION
SELECT 0, m.owner, m.id FROM memories m, json_each(m.provenance) p
WHERE m.tenant = :tenant AND m.owner = :owner AND m.id <> :id AND m.provenance LIKE '%"split:%'
  AND p.value = (SELECT 'split:' || content_hash FROM memories
                 WHERE tenant = :tenant AND owner = :owner AND id = :id AND status <> 1);

-- name: ERASE_FIND_EVIDENCE
SELECT 1, owner, id FROM events
WHERE tenant = :tenant AND owner = :owner
  AND id IN (SELECT p.value FROM memories m, json_each(m.provenance) p
             WHERE m.tenant = :tenant AND m.owner = :owner AND m.id = :id)
UNION ALL
SELECT 1, owner, id FROM archived_events
WHERE tenant = :tenant AND owner = :owner
  AND id IN (SELECT p.value FROM memories m, json_each(m.provenance) p
             WHERE m.tenant = :tenant AND m.owner = :owner AND m.id = :id);

-- name: ERASE_FIND_SESSION
SELECT 0, owner, id FROM memories
WHERE tenant = :tenant AND owner = :owner AND scope_kind = 6 AND scope_id = :id
UNION ALL
SELECT 1, owner, id FROM events WHERE tenant = :tenant AND owner = :owner AND session_id = :id
UNION ALL
SELECT 1, owner, id FROM archived_events
WHERE tenant = :tenant AND owner = :owner AND session_id = :id;

-- name: ERASE_SESSION_IS_THERE
SELECT 1 FROM sessions WHERE tenant = :tenant AND owner = :owner AND session_id = :id
UNION ALL
SELECT 1 FROM task_states WHERE tenant = :tenant AND owner = :owner AND session_id = :id;

-- name: ERASE_FIND_OWNER
SELECT 0, owner, id FROM memories WHERE tenant = :tenant AND owner = :owner
UNION ALL
SELECT 1, owner, id FROM events WHERE tenant = :tenant AND owner = :owner
UNION ALL
SELECT 1, owner, id FROM archived_events WHERE tenant = :tenant AND owner = :owner;

-- name: ERASE_OWNERS
SELECT owner FROM memories WHERE tenant = :tenant
UNION SELECT owner FROM events WHERE tenant = :tenant
UNION SELECT owner FROM archive_objects WHERE tenant = :tenant
UNION SELECT owner FROM history WHERE tenant = :tenant
UNION SELECT owner FROM vectors WHERE tenant = :tenant
UNION SELECT owner FROM sessions WHERE tenant = :tenant
UNION SELECT owner FROM task_states WHERE tenant = :tenant
UNION SELECT owner FROM rules WHERE tenant = :tenant
UNION SELECT owner FROM entities WHERE tenant = :tenant
UNION SELECT owner FROM edges WHERE tenant = :tenant
UNION SELECT owner FROM mentions WHERE tenant = :tenant
UNION SELECT owner FROM changes WHERE tenant = :tenant
UNION SELECT owner FROM clarifications WHERE tenant = :tenant
UNION SELECT owner FROM requests WHERE tenant = :tenant
UNION SELECT owner FROM extractions WHERE tenant = :tenant
UNION SELECT user FROM traces WHERE tenant = :tenant;

-- The words of an order to forget are those of its own turn, which stands last.

-- name: ERASE_DERIVED
SELECT owner, id,
       CASE WHEN category = :order THEN json_array(provenance ->> '$[#-1]') ELSE provenance END
FROM memories WHERE tenant = :tenant AND provenance <> '[]';

-- ---- its texts ----

-- name: ERASE_MEMORY_TEXTS
SELECT content, title, summary, value, keywords, usage_scenario, entities, attributes
FROM memories WHERE tenant = :tenant AND owner = :owner AND id >= :first AND id <= :last;

-- name: ERASE_HISTORY_TEXTS
SELECT content, title, summary, value, keywords, usage_scenario, entities, attributes
FROM history WHERE tenant = :tenant AND owner = :owner AND id >= :first AND id <= :last;

-- name: ERASE_EVENT_TEXTS
SELECT text, attributes
FROM events WHERE tenant = :tenant AND owner = :owner AND id >= :first AND id <= :last;

-- name: ERASE_VECTOR_TEXTS
SELECT vector
FROM vectors WHERE tenant = :tenant AND owner = :owner AND unit >= :first AND unit <= :last;

-- name: ERASE_TASK_STATE_TEXTS
SELECT state FROM task_states
WHERE tenant = :tenant AND owner = :owner AND session_id >= :first AND session_id <= :last;

-- name: ERASE_CLARIFICATION_TEXTS
SELECT question, answer FROM clarifications WHERE tenant = :tenant AND owner = :owner;

-- ---- a span of units ----

-- name: ERASE_USAGE
DELETE FROM usage WHERE tenant = :tenant AND memory_id IN
    (SELECT id FROM memories
     WHERE tenant = :tenant AND owner = :owner AND id >= :first AND id <= :last
     UNION ALL
     SELECT id FROM events
     WHERE tenant = :tenant AND owner = :owner AND id >= :first AND id <= :last);

-- name: ERASE_MEMORIES
DELETE FROM memories
WHERE tenant = :tenant AND owner = :owner AND id >= :first AND id <= :last;

-- name: ERASE_HISTORY
DELETE FROM history
WHERE tenant = :tenant AND owner = :owner AND id >= :first AND id <= :last;

-- name: ERASE_EVENTS
DELETE FROM events
WHERE tenant = :tenant AND owner = :owner AND id >= :first AND id <= :last;

-- name: ERASE_VECTORS
DELETE FROM vectors
WHERE tenant = :tenant AND owner = :owner AND unit >= :first AND unit <= :last;

-- name: ERASE_MENTIONS
DELETE FROM mentions
WHERE tenant = :tenant AND owner = :owner AND unit >= :first AND unit <= :last;

-- name: ERASE_REQUESTS
DELETE FROM requests
WHERE tenant = :tenant AND owner = :owner AND id >= :first AND id <= :last;

-- name: ERASE_EXTRACTIONS
DELETE FROM extractions
WHERE tenant = :tenant AND owner = :owner AND id >= :first AND id <= :last;

-- name: ERASE_SEGMENTS
DELETE FROM segments WHERE tenant = :tenant AND owner = :owner;

-- name: ERASE_INDEX_STATE
DELETE FROM index_state
WHERE tenant = :tenant AND owner = :owner AND unit <> '' AND unit >= :first AND unit <= :last;

-- ---- a span of sessions ----

-- name: ERASE_SESSIONS
DELETE FROM sessions
WHERE tenant = :tenant AND owner = :owner AND session_id >= :first AND session_id <= :last;

-- name: ERASE_TASK_CHANGES
DELETE FROM changes
WHERE tenant = :tenant AND owner = :owner AND kind = 5
  AND id IN (SELECT task_id FROM task_states
             WHERE tenant = :tenant AND owner = :owner
               AND session_id >= :first AND session_id <= :last);

-- name: ERASE_TASK_STATES
DELETE FROM task_states
WHERE tenant = :tenant AND owner = :owner AND session_id >= :first AND session_id <= :last;

-- What is pending by the word of turns: the turns, where it says them.

-- name: ERASE_CHECKPOINTS_DRAWN
SELECT owner, session_id, task_id, json_extract(state, '$.pending_from') FROM task_states
WHERE tenant = :tenant AND json_valid(state) AND json_type(state, '$.pending_from') = 'array';

-- name: ERASE_PENDING
UPDATE task_states
SET state = json_remove(state, '$.pending_action', '$.pending_from'), revision = revision + 1
WHERE tenant = :tenant AND owner = :owner AND session_id = :session_id AND task_id = :id;

-- name: ERASE_CHECKPOINT_EMPTY
DELETE FROM task_states WHERE tenant = :tenant AND owner = :owner AND session_id = :session_id
  AND task_id = :id AND state = '{}';

-- Sessions that lost an event: counted again, or gone.

-- name: ERASE_SESSIONS_RECOUNT
UPDATE sessions SET event_count =
    (SELECT count(*) FROM events e
     WHERE e.tenant = sessions.tenant AND e.owner = sessions.owner
       AND e.session_id = sessions.session_id) +
    (SELECT coalesce(sum(a.kept), 0) FROM archive_objects a
     WHERE a.tenant = sessions.tenant AND a.owner = sessions.owner
       AND a.session_id = sessions.session_id)
WHERE tenant = :tenant AND owner = :owner;

-- name: ERASE_SESSIONS_EMPTY
DELETE FROM sessions WHERE tenant = :tenant AND owner = :owner AND event_count = 0;

-- ---- what else one owner has ----

-- name: ERASE_RULES
DELETE FROM rules WHERE tenant = :tenant AND owner = :owner;

-- name: ERASE_ENTITIES
DELETE FROM entities WHERE tenant = :tenant AND owner = :owner;

-- name: ERASE_EDGES
DELETE FROM edges WHERE tenant = :tenant AND owner = :owner;

-- name: ERASE_CLARIFICATIONS
DELETE FROM clarifications WHERE tenant = :tenant AND owner = :owner;

-- name: ERASE_TRACES
DELETE FROM traces WHERE tenant = :tenant AND user = :owner;

-- name: ERASE_CHANGES
DELETE FROM changes WHERE tenant = :tenant AND owner = :owner;

-- The place of a walk names somebody; without it the walk begins anew.

-- name: ERASE_JOB_PLACES
UPDATE jobs SET tenant = '', owner = '', id = '', revision = revision + 1 WHERE id <> '';

-- name: ERASE_API_KEYS
DELETE FROM api_keys WHERE tenant = :tenant;

-- ---- what names it ----

-- name: ERASE_RULES_NAMING
SELECT owner, id, memory_id FROM rules WHERE tenant = :tenant;

-- name: ERASE_RULE
DELETE FROM rules WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- name: ERASE_EDGES_NAMING
SELECT owner, id, provenance, source, target FROM edges
WHERE tenant = :tenant AND provenance <> '[]';

-- name: ERASE_EDGE
DELETE FROM edges WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- name: ERASE_EDGE_SHORTEN
UPDATE edges SET provenance = :provenance, revision = revision + 1
WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- name: ERASE_ENTITIES_ALONE
DELETE FROM entities
WHERE tenant = :tenant AND owner = :owner
  AND name NOT IN (SELECT source FROM edges WHERE tenant = :tenant AND owner = :owner
                   UNION ALL
                   SELECT target FROM edges WHERE tenant = :tenant AND owner = :owner);

-- name: ERASE_CLARIFICATIONS_NAMING
SELECT owner, id, memory_ids FROM clarifications WHERE tenant = :tenant;

-- name: ERASE_CLARIFICATION
DELETE FROM clarifications WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- name: ERASE_TRACES_NAMING
SELECT trace_id, json FROM traces WHERE tenant = :tenant;

-- name: ERASE_TRACE
DELETE FROM traces WHERE tenant = :tenant AND trace_id = :id;

-- name: ERASE_CHANGES_NAMING
SELECT seq, id FROM changes WHERE tenant = :tenant AND owner = :owner;

-- name: ERASE_CHANGE
DELETE FROM changes WHERE seq = :seq;

-- name: ERASE_LINKS_NAMING
SELECT owner, id, provenance, supersedes, 0, revision FROM memories
WHERE tenant = :tenant AND (provenance <> '[]' OR supersedes <> '')
UNION ALL
SELECT owner, id, provenance, supersedes, 1, revision FROM history
WHERE tenant = :tenant AND (provenance <> '[]' OR supersedes <> '');

-- name: ERASE_LINKS_SHORTEN
UPDATE memories SET provenance = :provenance, supersedes = :supersedes, revision = revision + 1
WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- name: ERASE_HISTORY_SHORTEN
UPDATE history SET provenance = :provenance, supersedes = :supersedes
WHERE tenant = :tenant AND owner = :owner AND id = :id AND revision = :revision;

-- name: ERASE_HISTORY_ROW
DELETE FROM history
WHERE tenant = :tenant AND owner = :owner AND id = :id AND revision = :revision;

-- What the memory says, as a former row of it said it.

-- name: ERASE_GO_BACK
UPDATE memories SET
    (memory_key, value, title, content, summary, keywords, usage_scenario, entities, authority,
     confidence, importance, sensitivity, content_hash, updated_at_ms, confirmed_at_ms) =
    (SELECT memory_key, value, title, content, summary, keywords, usage_scenario, entities,
            authority, confidence, importance, max(h.sensitivity, memories.sensitivity),
            content_hash, updated_at_ms, confirmed_at_ms
     FROM history h
     WHERE h.tenant = :tenant AND h.owner = :owner AND h.id = :id AND h.revision = :former),
    provenance = :provenance, supersedes = :supersedes, embed_hash = :embed_hash,
    revision = revision + 1
WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- name: ERASE_HISTORY_ROW_TEXTS
SELECT content, title, summary, value, keywords, usage_scenario, entities, attributes
FROM history WHERE tenant = :tenant AND owner = :owner AND id = :id AND revision = :revision;

-- ---- tombstones ----

-- The id's digest alone: no tenant, no owner, no id can be read from it.

-- name: TOMBSTONE_PUT
INSERT INTO tombstones VALUES ('', '', :kind, :digest, :at_ms)
ON CONFLICT (tenant, owner, kind, id) DO UPDATE SET
    erased_at_ms = max(erased_at_ms, excluded.erased_at_ms);

-- name: TOMBSTONE_FIND
SELECT 1 FROM tombstones
WHERE tenant = '' AND owner = '' AND kind = :kind AND id = :digest AND erased_at_ms >= :since_ms;

-- A unit, or a session that was erased after an instant.

-- name: TOMBSTONE_NAMED
SELECT 1 FROM tombstones
WHERE tenant = '' AND owner = '' AND kind IN (0, 7) AND id = :digest
  AND (kind = 7 OR erased_at_ms >= :since_ms);

-- name: TOMBSTONE_ANY
SELECT 1 FROM tombstones LIMIT 1;

-- name: META_REMOVE
DELETE FROM meta WHERE name = :name;

-- name: COMPACT
VACUUM;

-- name: PAGE_SIZE
PRAGMA page_size;

-- ---- everything that is left ----

-- Always the same six columns, then texts; :tenant NULL for all. The order is that of the tables.

-- name: KEPT_MEMORIES
SELECT tenant, owner, id, created_at_ms, 4,
       content, title, summary, value, keywords, usage_scenario, entities, attributes, provenance,
       supersedes, scope_id, memory_key, category, project, module, applies_to, agent_id,
       requires_permission
FROM memories WHERE :tenant IS NULL OR tenant = :tenant;

-- name: KEPT_HISTORY
SELECT tenant, owner, id, created_at_ms, 4,
       content, title, summary, value, keywords, usage_scenario, entities, attributes, provenance,
       supersedes, scope_id, memory_key, category, project, module, applies_to, reason, actor,
       agent_id, requires_permission
FROM history WHERE :tenant IS NULL OR tenant = :tenant;

-- name: KEPT_EVENTS
SELECT tenant, owner, id, created_at_ms, 1, text, attributes, session_id, speaker, agent_id
FROM events WHERE :tenant IS NULL OR tenant = :tenant;

-- name: KEPT_VECTORS
SELECT tenant, owner, unit, 0, 0, vector
FROM vectors WHERE :tenant IS NULL OR tenant = :tenant;

-- name: KEPT_TRACES
SELECT tenant, user, '', at_ms, 0, json, used FROM traces WHERE :tenant IS NULL OR tenant = :tenant;

-- name: KEPT_USAGE
SELECT tenant, '', memory_id, 0, 0 FROM usage WHERE :tenant IS NULL OR tenant = :tenant;

-- name: KEPT_CHANGES
SELECT tenant, owner, id, at_ms, 0 FROM changes WHERE :tenant IS NULL OR tenant = :tenant;

-- name: KEPT_MENTIONS
SELECT tenant, owner, unit, 0, 0, entity FROM mentions WHERE :tenant IS NULL OR tenant = :tenant;

-- name: KEPT_RULES
SELECT tenant, owner, memory_id, 0, 0, trigger_value, id
FROM rules WHERE :tenant IS NULL OR tenant = :tenant;

-- name: KEPT_EDGES
SELECT tenant, owner, '', 0, 0, source, relation, target, provenance, id
FROM edges WHERE :tenant IS NULL OR tenant = :tenant;

-- name: KEPT_ENTITIES
SELECT tenant, owner, '', 0, 0, name, aliases FROM entities WHERE :tenant IS NULL OR tenant = :tenant;

-- name: KEPT_TASK_STATES
SELECT tenant, owner, '', 0, 1, state, session_id, task_id
FROM task_states WHERE :tenant IS NULL OR tenant = :tenant;

-- name: KEPT_CLARIFICATIONS
SELECT tenant, owner, '', created_at_ms, 2, question, answer, memory_key, memory_ids
FROM clarifications WHERE :tenant IS NULL OR tenant = :tenant;

-- name: KEPT_SESSIONS
SELECT tenant, owner, '', 0, 0, session_id, agent_id, task_id
FROM sessions WHERE :tenant IS NULL OR tenant = :tenant;

-- name: KEPT_REQUESTS
SELECT tenant, owner, id, at_ms, 0, key FROM requests WHERE :tenant IS NULL OR tenant = :tenant;

-- name: KEPT_EXTRACTIONS
SELECT tenant, owner, id, queued_at_ms, 0, session_id, task_id, project_id, repository_id, reason
FROM extractions WHERE :tenant IS NULL OR tenant = :tenant;

-- name: KEPT_AUDIT
SELECT '', '', '', at_ms, 0, tenant, owner, actor, action, detail, hash
FROM audit WHERE :tenant IS NULL OR '' = :tenant;

-- name: KEPT_AUDIT_NAMES
SELECT tenant, '', '', 0, 0, name, digest
FROM audit_names WHERE :tenant IS NULL OR tenant = :tenant;
