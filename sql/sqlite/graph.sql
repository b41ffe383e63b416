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

-- name: EDGES_OF_PARTITION
SELECT e.tenant, e.owner, e.id, e.source, e.relation, e.target, s.aliases, t.aliases, e.origin,
       e.confidence, e.valid_from_ms, e.valid_until_ms, e.provenance
FROM edges e
LEFT JOIN entities s ON s.tenant = e.tenant AND s.owner = e.owner AND s.name = e.source
LEFT JOIN entities t ON t.tenant = e.tenant AND t.owner = e.owner AND t.name = e.target
WHERE e.tenant = :tenant AND e.owner = :owner
ORDER BY e.id;
