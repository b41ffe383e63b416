-- 0007_segments - indexes of partitions as bytes, to be loaded instead of built. They can be deleted
-- at any time.

PRAGMA user_version = 7;

CREATE TABLE segments (
    tenant  TEXT NOT NULL,
    owner   TEXT NOT NULL,
    profile TEXT NOT NULL, -- hash of the model profile, '' without one
    part    INTEGER NOT NULL,
    total   INTEGER NOT NULL, -- bytes of all parts
    bytes   BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX segments_part ON segments (tenant, owner, profile, part);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('segments', 'segments_part', '10000 1000 2 1 1');
