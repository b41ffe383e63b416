-- 0005_extractions - turns that a language model has still to read.
--
-- A row lives from the turn's commit until memories were drawn from it, or there was nothing to draw.
-- What was said stands in the event; here is only where it was said, and how trying went.

PRAGMA user_version = 5;

CREATE TABLE extractions (
    tenant        TEXT NOT NULL,
    owner         TEXT NOT NULL,
    id            TEXT NOT NULL, -- of the event
    session_id    TEXT NOT NULL, -- the event's
    task_id       TEXT NOT NULL, -- where it was said, as the caller told
    project_id    TEXT NOT NULL,
    repository_id TEXT NOT NULL,
    timezone      TEXT NOT NULL,
    attempts      INTEGER NOT NULL, -- that failed
    reason        TEXT NOT NULL,    -- of the last failure
    due_at_ms     INTEGER NOT NULL, -- of the next attempt; 0: only when somebody asks for one
    queued_at_ms  INTEGER NOT NULL,
    claimed_ms    INTEGER NOT NULL, -- until then a reader has it
    PRIMARY KEY (tenant, owner, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX extractions_session ON extractions (tenant, owner, session_id);
CREATE INDEX extractions_due ON extractions (due_at_ms) WHERE due_at_ms > 0;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('extractions', 'extractions', '10000 1000 100 1'),
    ('extractions', 'extractions_session', '10000 1000 100 10 1'),
    ('extractions', 'extractions_due', '10000 2');
