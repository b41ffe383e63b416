-- graph.sql - rules, and the graph's entities and edges.

-- name: RULE_GET
SELECT owner, memory_id, trigger_type, trigger_value, priority, disabled, revision FROM rules
WHERE tenant = :tenant AND id = :id;

-- name: RULE_PUT
INSERT INTO rules VALUES
    (:tenant, :owner, :id, :memory_id, :trigger_type, :trigger_value, :priority, :disabled,
     :revision)
ON CONFLICT (tenant, owner, id) DO UPDATE SET
    memory_id = excluded.memory_id, trigger_type = excluded.trigger_type,
    trigger_value = excluded.trigger_value, priority = excluded.priority,
    disabled = excluded.disabled, revision = excluded.revision;

-- name: RULES_ACTIVE
SELECT tenant, owner, id, memory_id, trigger_type, trigger_value, priority, disabled FROM rules
WHERE tenant = :tenant AND owner IN (:user, '') AND disabled = 0
ORDER BY priority DESC, id;

-- name: RULE_OF_PARTITION
SELECT id FROM rules WHERE tenant = :tenant AND owner = :owner LIMIT min(:limit, 1) OFFSET :offset;

-- name: EDGE_OF_PARTITION
SELECT id FROM edges WHERE tenant = :tenant AND owner = :owner LIMIT min(:limit, 1) OFFSET :offset;

-- name: EDGE_GET
SELECT source, relation, target, origin, confidence, valid_from_ms, valid_until_ms, provenance,
       revision
FROM edges WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- name: EDGE_PUT
INSERT INTO edges VALUES
    (:tenant, :owner, :id, :source, :relation, :target, :origin, :confidence, :valid_from_ms,
     :valid_until_ms, :provenance, :revision, :now_ms, :now_ms)
ON CONFLICT (tenant, owner, id) DO UPDATE SET
    source = excluded.source, relation = excluded.relation, target = excluded.target,
    origin = excluded.origin, confidence = excluded.confidence,
    valid_from_ms = excluded.valid_from_ms, valid_until_ms = excluded.valid_until_ms,
    provenance = excluded.provenance, revision = excluded.revision,
    updated_at_ms = excluded.updated_at_ms;

-- name: ENTITY_ALIASES
SELECT aliases FROM entities WHERE tenant = :tenant AND owner = :owner AND name = :name;

-- name: ENTITY_PUT
INSERT INTO entities VALUES (:tenant, :owner, :name, '', :aliases)
ON CONFLICT (tenant, owner, name) DO UPDATE SET aliases = excluded.aliases;

-- Of its evidence only what holds: no memory that was withdrawn or has given way (at an earlier instant,
-- :past, only revocation counts), no turn that is withheld; what names no row of ours (a document)
-- cannot go. The last column: it never had any.

-- name: EDGES_OF_PARTITION
SELECT e.tenant, e.owner, e.id, e.source, e.relation, e.target, s.aliases, t.aliases, e.origin,
       e.confidence, e.valid_from_ms, e.valid_until_ms,
       CASE WHEN e.provenance = '[]' THEN '[]' ELSE
           (SELECT json_group_array(p.value) FROM json_each(e.provenance) p
            LEFT JOIN memories m ON m.tenant = e.tenant AND m.id = p.value
            WHERE CASE WHEN m.id IS NOT NULL
                  THEN (m.status = 1 OR :past AND m.status <> 4) AND m.authority <> 6
                  ELSE NOT EXISTS (SELECT 1 FROM events v WHERE v.tenant = e.tenant
                                                            AND v.id = p.value AND v.recallable = 2)
                   AND NOT EXISTS (SELECT 1 FROM archived_ids a WHERE a.tenant = e.tenant
                                                                AND a.id = p.value AND a.withheld = 1)
                  END) END,
       e.provenance = '[]'
FROM edges e
LEFT JOIN entities s ON s.tenant = e.tenant AND s.owner = e.owner AND s.name = e.source
LEFT JOIN entities t ON t.tenant = e.tenant AND t.owner = e.owner AND t.name = e.target
WHERE e.tenant = :tenant AND e.owner = :owner
ORDER BY e.id;
