-- alike.sql - what a writer looks at before it adds a memory, and the questions it leaves open.
--
-- Look-alikes are rows of one owner, agent and scope that are active: those of the same text, and
-- those of the same key. The mark counts all rows, whatever their state, that bear the text or the
-- key, and their revisions: it moves with every write that could change the answer.

-- name: MEMORIES_ALIKE
SELECT * FROM memory_rows
WHERE tenant = :tenant AND owner = :owner AND content_hash = :content_hash
  AND agent_id = :agent_id AND scope_kind = :scope_kind AND scope_id = :scope_id AND status = 1
UNION ALL
SELECT * FROM memory_rows
WHERE tenant = :tenant AND owner = :owner AND memory_key <> '' AND memory_key = :memory_key
  AND content_hash <> :content_hash
  AND agent_id = :agent_id AND scope_kind = :scope_kind AND scope_id = :scope_id AND status = 1;

-- name: MEMORIES_ALIKE_MARK
SELECT coalesce(sum(n), 0), coalesce(sum(r), 0) FROM (
    SELECT count(*) AS n, coalesce(sum(revision), 0) AS r FROM memories
    WHERE tenant = :tenant AND owner = :owner AND content_hash = :content_hash
    UNION ALL
    SELECT count(*), coalesce(sum(revision), 0) FROM memories
    WHERE tenant = :tenant AND owner = :owner AND memory_key <> '' AND memory_key = :memory_key);

-- name: MEMORIES_SINCE
SELECT m.content FROM changes c
JOIN memories m ON m.tenant = c.tenant AND m.owner = c.owner AND m.id = c.id
WHERE c.tenant = :tenant AND c.owner = :owner AND c.seq > :seq AND c.kind = 1
  AND m.agent_id = :agent_id AND m.scope_kind = :scope_kind AND m.scope_id = :scope_id
  AND m.status = 1 AND m.id <> :id;

-- name: CLARIFICATION_PUT
INSERT INTO clarifications VALUES
    (:tenant, :owner, :id, :memory_key, :memory_ids, :question, :blocking, '', :now_ms, 0)
ON CONFLICT (tenant, owner, id) DO UPDATE SET resolved_at_ms = 0
WHERE resolved_at_ms <> 0;

-- name: CLARIFICATIONS_RESOLVE
UPDATE clarifications SET resolved_at_ms = :now_ms
WHERE tenant = :tenant AND owner = :owner AND memory_key = :memory_key AND resolved_at_ms = 0;

-- name: CLARIFICATIONS_OPEN
SELECT tenant, owner, id, memory_key, memory_ids, question, blocking, created_at_ms
FROM clarifications
WHERE tenant = :tenant AND owner = :owner AND resolved_at_ms = 0
ORDER BY id;

-- What a request was answered.

-- name: REQUEST_GET
SELECT outcome, id, revision FROM requests
WHERE tenant = :tenant AND owner = :owner AND key = :key AND at_ms >= :oldest_ms;

-- name: REQUEST_PUT
INSERT INTO requests VALUES (:tenant, :owner, :key, :outcome, :id, :revision, :now_ms)
ON CONFLICT (tenant, owner, key) DO NOTHING;

-- name: REQUESTS_CLEAR
DELETE FROM requests WHERE tenant = :tenant AND owner = :owner AND at_ms < :oldest_ms;
