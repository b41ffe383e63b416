-- 0006_archive - turns that were moved out of the store, and where they are.
--
-- An object is a file of the archive, named by chance; it holds turns of one session. What is to be
-- removed from the archive loses its owner and its session here at once, and its row when it is gone.

PRAGMA user_version = 6;

CREATE TABLE archive_objects (
    tenant      TEXT NOT NULL, -- '' of what is to be removed, as owner and session
    owner       TEXT NOT NULL,
    object      TEXT NOT NULL,
    session_id  TEXT NOT NULL,
    state       INTEGER NOT NULL, -- 1 being made, 2 whole, 3 to be removed, 4 to be made anew
    first_place INTEGER NOT NULL,
    last_place  INTEGER NOT NULL,
    event_count INTEGER NOT NULL,
    bytes       INTEGER NOT NULL,
    digest      TEXT NOT NULL, -- SHA-256 of its bytes
    at_ms       INTEGER NOT NULL,
    PRIMARY KEY (tenant, owner, object)
) STRICT, WITHOUT ROWID;

CREATE INDEX archive_objects_waiting ON archive_objects (state) WHERE state <> 2;

-- The ids of turns that left: evidence of memories, and taken for ever.
CREATE TABLE archived_events (
    tenant     TEXT NOT NULL,
    owner      TEXT NOT NULL,
    id         TEXT NOT NULL,
    session_id TEXT NOT NULL,
    object     TEXT NOT NULL,
    PRIMARY KEY (tenant, owner, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX archived_events_id ON archived_events (tenant, id);
CREATE INDEX archived_events_object ON archived_events (tenant, owner, object);
CREATE INDEX archived_events_session ON archived_events (tenant, owner, session_id);
