-- 0003_audit - who did what and when, in a chain, without texts and without names.
--
-- Tenant, owner, actor and the ids of rows are keyed digests; audit_names says which name a digest
-- is of, until that is erased: the chain then still holds, and names nobody. Entries are added and
-- nothing else.

PRAGMA user_version = 3;

DROP TABLE audit;

CREATE TABLE audit (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT, -- without a gap
    at_ms  INTEGER NOT NULL,
    tenant TEXT NOT NULL, -- '' where no tenant is meant, as with a backup
    owner  TEXT NOT NULL,
    actor  TEXT NOT NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL, -- a JSON object
    hash   TEXT NOT NULL  -- of the hash before and of this entry
) STRICT;

CREATE TRIGGER audit_stays BEFORE DELETE ON audit
BEGIN SELECT raise(ABORT, 'the audit is only added to'); END;

CREATE TRIGGER audit_is_as_it_was BEFORE UPDATE ON audit
BEGIN SELECT raise(ABORT, 'the audit is only added to'); END;

CREATE TABLE audit_names (
    tenant TEXT NOT NULL,
    name   TEXT NOT NULL, -- '' for the tenant itself
    digest TEXT NOT NULL,
    PRIMARY KEY (tenant, name)
) STRICT, WITHOUT ROWID;
