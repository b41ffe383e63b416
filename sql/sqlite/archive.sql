-- archive.sql - turns that leave the store, come back, or are erased where they are.

-- ---- objects ----

-- name: ARCHIVE_BEGIN
INSERT INTO archive_objects VALUES
    (:tenant, :owner, :object, :session_id, 1, 0, 0, 0, 0, '', :at_ms);

-- name: ARCHIVE_FILL
UPDATE archive_objects
SET state = 2, first_place = :first_place, last_place = :last_place, event_count = :count,
    bytes = :bytes, digest = :digest, at_ms = :at_ms
WHERE tenant = :tenant AND owner = :owner AND object = :object AND state = 1;

-- To be removed: nothing tells any more whose it was.

-- name: ARCHIVE_DOOM
UPDATE archive_objects
SET tenant = '', owner = '', session_id = '', state = 3, first_place = 0, last_place = 0,
    event_count = 0
WHERE tenant = :tenant AND owner = :owner AND object = :object;

-- name: ARCHIVE_GONE
DELETE FROM archive_objects WHERE tenant = '' AND owner = '' AND object = :object;

-- name: ARCHIVE_OBJECTS
SELECT tenant, owner, object, session_id, state, first_place, last_place, event_count, bytes, digest,
       at_ms
FROM archive_objects
WHERE (:tenant IS NULL OR (tenant = :tenant AND (:owner IS NULL OR owner = :owner)))
  AND (:session_id IS NULL OR session_id = :session_id)
ORDER BY tenant, owner, session_id, first_place, object;

-- What somebody still has to put in order.

-- name: ARCHIVE_WAITING
SELECT tenant, owner, object, session_id, state, first_place, last_place, event_count, bytes, digest,
       at_ms
FROM archive_objects WHERE state <> 2
ORDER BY state, tenant, owner, object;

-- ---- turns ----

-- name: ARCHIVE_TAKE_EVENT
DELETE FROM events
WHERE tenant = :tenant AND owner = :owner AND id = :id AND session_id = :session_id
  AND text = :text;

-- name: ARCHIVE_PUT_EVENT
INSERT INTO archived_events VALUES (:tenant, :owner, :id, :session_id, :object);

-- name: ARCHIVE_BACK_EVENT
DELETE FROM archived_events
WHERE tenant = :tenant AND owner = :owner AND id = :id AND object = :object;

-- name: ARCHIVE_MOVE_EVENTS
UPDATE archived_events SET object = :object
WHERE tenant = :tenant AND owner = :owner AND object = :former;

-- name: ARCHIVE_EVENTS
SELECT id FROM archived_events
WHERE tenant = :tenant AND owner = :owner AND object = :object ORDER BY id;

-- name: ARCHIVED_EVENT_OF
SELECT session_id FROM archived_events WHERE tenant = :tenant AND owner = :owner AND id = :id;

-- ---- erasing ----

-- What was being made is given up; what lost all its turns goes, what lost some is made anew.

-- name: ERASE_ARCHIVED
DELETE FROM archived_events
WHERE tenant = :tenant AND owner = :owner AND id >= :first AND id <= :last;

-- name: ERASE_ARCHIVE_DOOM
UPDATE archive_objects
SET tenant = '', owner = '', session_id = '', state = 3, first_place = 0, last_place = 0,
    event_count = 0
WHERE tenant = :tenant
  AND (state = 1 OR NOT EXISTS
       (SELECT 1 FROM archived_events e
        WHERE e.tenant = archive_objects.tenant AND e.owner = archive_objects.owner
          AND e.object = archive_objects.object));

-- name: ERASE_ARCHIVE_SHORTEN
UPDATE archive_objects SET state = 4
WHERE tenant = :tenant AND state = 2
  AND event_count > (SELECT count(*) FROM archived_events e
                     WHERE e.tenant = archive_objects.tenant AND e.owner = archive_objects.owner
                       AND e.object = archive_objects.object);

-- name: KEPT_ARCHIVED
SELECT tenant, owner, id, 0, 0, session_id, object
FROM archived_events WHERE :tenant IS NULL OR tenant = :tenant;

-- name: KEPT_ARCHIVE_OBJECTS
SELECT tenant, owner, '', 0, 0, session_id, object, digest
FROM archive_objects WHERE :tenant IS NULL OR tenant = :tenant;
