-- extractions.sql - turns that a language model has still to read.

-- name: EXTRACTION_QUEUE
INSERT INTO extractions VALUES
    (:tenant, :owner, :id, :session_id, :task_id, :project_id, :repository_id, :timezone, 0, '',
     :due_at_ms, :now_ms, 0);

-- Those of the session that were never tried are read together: now that one of them hurries, or that
-- there are as many as :many.

-- name: EXTRACTIONS_HURRY
UPDATE extractions SET due_at_ms = :due_at_ms
WHERE tenant = :tenant AND owner = :owner AND session_id = :session_id AND attempts = 0
  AND due_at_ms > :due_at_ms
  AND (SELECT count(*) FROM extractions
       WHERE tenant = :tenant AND owner = :owner AND session_id = :session_id AND attempts = 0)
      >= :many;

-- name: EXTRACTION_CLAIM
UPDATE extractions SET claimed_ms = :claimed_ms
WHERE tenant = :tenant AND owner = :owner AND id = :id AND claimed_ms <= :now_ms;

-- name: EXTRACTION_FAIL
UPDATE extractions SET attempts = attempts + 1, reason = :reason, due_at_ms = :due_at_ms,
    claimed_ms = 0
WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- name: EXTRACTION_DONE
DELETE FROM extractions WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- name: EXTRACTION_DUE
SELECT tenant, owner, session_id FROM extractions
WHERE due_at_ms > 0 AND due_at_ms <= :now_ms AND claimed_ms <= :now_ms
ORDER BY due_at_ms LIMIT 1;

-- In the order of the talk; an event that is gone has no text.

-- name: EXTRACTIONS_OF
SELECT x.task_id, x.project_id, x.repository_id, x.timezone, x.attempts, x.reason, x.due_at_ms,
       x.queued_at_ms, x.claimed_ms,
       x.tenant, x.owner, x.id, e.agent_id, x.session_id, e.place, e.role, e.speaker, e.text,
       e.event_time_ms, coalesce(e.recallable, 0), coalesce(e.attributes, '{}'), NULL, NULL
FROM extractions x
LEFT JOIN events e ON e.tenant = x.tenant AND e.owner = x.owner AND e.id = x.id
WHERE x.tenant = :tenant AND (:owner IS NULL OR x.owner = :owner)
  AND (:session_id IS NULL OR x.session_id = :session_id)
ORDER BY x.owner, x.session_id, e.place, x.id
LIMIT :limit;
