-- 0011_archived_ids - what is known of turns in the archive takes one index instead of four, and keeps
-- which of them are withheld.
--
-- A turn's row has its file's number; the file's row says whose it is and counts those that stand.

PRAGMA user_version = 11;

ALTER TABLE archive_objects ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE archive_objects ADD COLUMN kept INTEGER NOT NULL DEFAULT 0; -- of its turns

UPDATE archive_objects SET number = n.number
FROM (SELECT tenant, owner, object, row_number() OVER (ORDER BY tenant, owner, object) AS number
      FROM archive_objects) n
WHERE archive_objects.tenant = n.tenant AND archive_objects.owner = n.owner
  AND archive_objects.object = n.object;

CREATE UNIQUE INDEX archive_objects_number ON archive_objects (number);

-- The ids of turns that left: evidence of memories, and taken for ever.
CREATE TABLE archived_ids (
    tenant   TEXT NOT NULL,
    id       TEXT NOT NULL,
    object   INTEGER NOT NULL, -- number of the file; 0: it is unknown
    withheld INTEGER NOT NULL, -- 1: what was drawn from it is forgotten
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER archived_ids_come AFTER INSERT ON archived_ids
BEGIN UPDATE archive_objects SET kept = kept + 1 WHERE number = new.object; END;

CREATE TRIGGER archived_ids_go AFTER DELETE ON archived_ids
BEGIN UPDATE archive_objects SET kept = kept - 1 WHERE number = old.object; END;

INSERT INTO archived_ids
SELECT e.tenant, e.id, coalesce(o.number, 0), 0
FROM archived_events e
LEFT JOIN archive_objects o ON o.tenant = e.tenant AND o.owner = e.owner AND o.object = e.object
ORDER BY e.tenant, e.id;

DROP TABLE archived_events;

-- By the id, or over all of a tenant: files are looked up, never the other way round.
CREATE VIEW archived_events AS
SELECT e.tenant AS tenant, o.owner AS owner, e.id AS id, o.session_id AS session_id,
       o.object AS object, e.withheld AS withheld
FROM archived_ids e CROSS JOIN archive_objects o ON o.number = e.object;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('archived_ids', 'archived_ids', '5000000 500000 1'),
    ('archive_objects', 'archive_objects', '10000 1000 20 1'),
    ('archive_objects', 'archive_objects_number', '10000 1');
