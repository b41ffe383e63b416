-- 0002_requests - what requests with an idempotency key were answered.
--
-- Ids and outcomes, never texts. Kept for seven days; a later request clears what is older.

PRAGMA user_version = 2;

CREATE TABLE requests (
    tenant   TEXT NOT NULL,
    owner    TEXT NOT NULL,
    key      TEXT NOT NULL, -- the caller's
    outcome  INTEGER NOT NULL, -- enum mneme_outcome
    id       TEXT NOT NULL, -- of the memory or event
    revision INTEGER NOT NULL,
    at_ms    INTEGER NOT NULL,
    PRIMARY KEY (tenant, owner, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX requests_age ON requests (tenant, owner, at_ms);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('requests', 'requests', '100000 10000 100 1'),
    ('requests', 'requests_age', '100000 10000 100 2');
