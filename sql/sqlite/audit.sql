-- audit.sql - the chain of who did what.

-- name: AUDIT_END
SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1;

-- The number given last, also when its entry is gone.

-- name: AUDIT_LAST_GIVEN
SELECT seq FROM sqlite_sequence WHERE name = 'audit';

-- name: AUDIT_ADD
INSERT INTO audit (seq, at_ms, tenant, owner, actor, action, detail, hash)
VALUES (:seq, :at_ms, :tenant, :owner, :actor, :action, :detail, :hash);

-- name: AUDIT_ALL
SELECT seq, at_ms, tenant, owner, actor, action, detail, hash FROM audit
WHERE seq > :after ORDER BY seq;

-- name: AUDIT_NAME_KEEP
INSERT INTO audit_names VALUES (:tenant, :name, :digest) ON CONFLICT (tenant, name) DO NOTHING;

-- name: AUDIT_NAMES
SELECT tenant, name, digest FROM audit_names;

-- name: AUDIT_NAME_FORGET
DELETE FROM audit_names WHERE tenant = :tenant AND name = :owner;

-- name: AUDIT_NAMES_FORGET
DELETE FROM audit_names WHERE tenant = :tenant;
