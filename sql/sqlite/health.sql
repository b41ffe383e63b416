-- health.sql - figures of one user after the other, each from one pass over a table.
--
-- :tenant and :owner are NULL for all. A day is :day_ms, the others are counted in it.

-- name: HEALTH_USERS
SELECT tenant, owner, max(holds) FROM (
    SELECT tenant, owner, 1 AS holds FROM memories
    WHERE (:tenant IS NULL OR tenant = :tenant) AND (:owner IS NULL OR owner = :owner)
    UNION
    SELECT tenant, owner, 1 FROM events
    WHERE (:tenant IS NULL OR tenant = :tenant) AND (:owner IS NULL OR owner = :owner)
    UNION
    SELECT tenant, owner, 0 FROM sessions
    WHERE (:tenant IS NULL OR tenant = :tenant) AND (:owner IS NULL OR owner = :owner)
    UNION
    SELECT tenant, user, 0 FROM traces
    WHERE (:tenant IS NULL OR tenant = :tenant) AND (:owner IS NULL OR user = :owner))
GROUP BY tenant, owner ORDER BY 1, 2;

-- What can no longer be recalled, though it is active: its end has passed, or it has decayed.

-- name: HEALTH_MEMORIES
SELECT tenant, owner, sum(status <> 5), sum(status = 1),
       sum(status = 1 AND (valid_until_ms > 0 AND valid_until_ms <= :now_ms
                           OR confidence_now < 0.6)),
       sum(created_at_ms > :now_ms - 30 * :day_ms),
       sum(created_at_ms > :now_ms - 60 * :day_ms AND created_at_ms <= :now_ms - 30 * :day_ms),
       sum(created_at_ms > :now_ms - 90 * :day_ms AND created_at_ms <= :now_ms - 60 * :day_ms),
       sum(created_at_ms > :now_ms - :day_ms), sum(created_at_ms > :now_ms - 7 * :day_ms),
       sum(status = 1 AND created_at_ms <= :now_ms - 30 * :day_ms),
       sum(status = 1 AND created_at_ms <= :now_ms - 30 * :day_ms
           AND coalesce(access_count, 0) = 0)
FROM memory_rows
WHERE (:tenant IS NULL OR tenant = :tenant) AND (:owner IS NULL OR owner = :owner)
GROUP BY tenant, owner;

-- name: HEALTH_CHANGED
SELECT tenant, owner, sum(changed_at_ms > :now_ms - :day_ms), count(*)
FROM history
WHERE changed_at_ms > :now_ms - 7 * :day_ms
  AND (:tenant IS NULL OR tenant = :tenant) AND (:owner IS NULL OR owner = :owner)
GROUP BY tenant, owner;

-- name: HEALTH_DUPLICATES
SELECT tenant, owner, sum(same - 1) FROM (
    SELECT tenant, owner, count(*) AS same FROM memories
    WHERE status = 1 AND (:tenant IS NULL OR tenant = :tenant)
      AND (:owner IS NULL OR owner = :owner)
    GROUP BY tenant, owner, content_hash, agent_id, scope_kind, scope_id)
GROUP BY tenant, owner;

-- name: HEALTH_QUESTIONS
SELECT tenant, owner, count(*) FROM clarifications
WHERE resolved_at_ms = 0 AND (:tenant IS NULL OR tenant = :tenant)
  AND (:owner IS NULL OR owner = :owner)
GROUP BY tenant, owner;

-- name: HEALTH_VECTORS
SELECT tenant, owner, count(*) FROM (
    SELECT tenant, owner, id, embed_hash, octet_length(content) AS bytes
    FROM memories WHERE status NOT IN (2, 5)
    UNION ALL
    SELECT tenant, owner, id, embed_hash, octet_length(text)
    FROM events WHERE recallable = 1) u
WHERE (:tenant IS NULL OR tenant = :tenant) AND (:owner IS NULL OR owner = :owner)
  AND NOT EXISTS (SELECT 1 FROM vectors v
                  WHERE v.tenant = u.tenant AND v.owner = u.owner AND v.unit = u.id
                    AND v.profile = :profile AND v.text_hash = u.embed_hash
                    AND (length(v.vector) > 2 * v.dim OR u.bytes <= :long_bytes))
GROUP BY tenant, owner;

-- Whether anybody reports use at all.

-- name: HEALTH_REPORTED
SELECT tenant, user, count(*) FROM traces
WHERE used <> '[]' AND (:tenant IS NULL OR tenant = :tenant) AND (:owner IS NULL OR user = :owner)
GROUP BY tenant, user;

-- A recall: did it ask memory, was something of what it brought reported as used, how long it took,
-- and the words it asked, to be held against the recall before.

-- name: HEALTH_RECALLS
SELECT t.tenant, t.user, t.at_ms, coalesce(json_extract(t.json, '$.mode.name'), '') <> 'none',
       t.used <> '[]',
       coalesce((SELECT sum(us.value) FROM json_each(t.json, '$.stages_us') us), 0),
       coalesce(json_extract(t.json, '$.plan.word_hashes'), '')
FROM traces t
WHERE t.at_ms > :now_ms - 7 * :day_ms
  AND (:tenant IS NULL OR t.tenant = :tenant) AND (:owner IS NULL OR t.user = :owner)
ORDER BY t.tenant, t.user, t.at_ms, t.trace_id;

-- ---- the file ----

-- name: CHECK_WHOLE
PRAGMA integrity_check(5);

-- name: CHECK_REFERENCES
PRAGMA foreign_key_check;

-- name: AUDIT_LAST_AT
SELECT at_ms FROM audit ORDER BY seq DESC LIMIT 1;
