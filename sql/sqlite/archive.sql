-- archive.sql - turns that leave the store, come back, or are erased where they are.

-- ---- objects ----

-- name: ARCHIVE_BEGIN
INSERT INTO archive_objects VALUES
    (:tenant, :owner, :object, :session_id, 1, 0, 0, 0, 0, '', :at_ms,
     (SELECT coalesce(max(number), 0) + 1 FROM archive_objects), 0);

-- name: ARCHIVE_FILL
UPDATE archive_objects
SET state = 2, first_place = :first_place, last_place = :last_place, event_count = :count,
    bytes = :bytes, digest = :digest, at_ms = :at_ms
WHERE tenant = :tenant AND owner = :owner AND object = :object AND state = 1;

-- To be removed: nothing tells any more whose it was. Not while turns stand in it.

-- name: ARCHIVE_DOOM
UPDATE archive_objects
SET tenant = '', owner = '', session_id = '', state = 3, first_place = 0, last_place = 0,
    event_count = 0
WHERE tenant = :tenant AND owner = :owner AND object = :object AND kept = 0;

-- name: ARCHIVE_KEEPS
SELECT 1 FROM archive_objects
WHERE tenant = :tenant AND owner = :owner AND object = :object AND kept > 0;

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
  AND text = :text
RETURNING recallable = 2;

-- name: ARCHIVE_PUT_EVENT
INSERT INTO archived_ids
SELECT :tenant, :id, number, :withheld FROM archive_objects
WHERE tenant = :tenant AND owner = :owner AND object = :object;

-- name: ARCHIVE_BACK_EVENT
DELETE FROM archived_ids
WHERE tenant = :tenant AND id = :id
  AND object = (SELECT number FROM archive_objects
                WHERE tenant = :tenant AND owner = :owner AND object = :object)
RETURNING withheld;

-- name: ARCHIVE_HAS_EVENT
SELECT 1 FROM archived_events
WHERE tenant = :tenant AND owner = :owner AND id = :id AND object = :object;

-- The new file takes the number of the former one, and so its turns: three steps, since no two have one
-- number. Refused when it holds others than stand there by now.

-- name: ARCHIVE_ANEW_CLAIM
UPDATE archive_objects
SET (number, kept) = (SELECT -f.number, f.kept FROM archive_objects f
                      WHERE f.tenant = :tenant AND f.owner = :owner AND f.object = :former)
WHERE tenant = :tenant AND owner = :owner AND object = :object
  AND EXISTS (SELECT 1 FROM archive_objects f
              WHERE f.tenant = :tenant AND f.owner = :owner AND f.object = :former
                AND f.kept = :count);

-- name: ARCHIVE_ANEW_FREE
UPDATE archive_objects SET number = (SELECT max(number) + 1 FROM archive_objects), kept = 0
WHERE tenant = :tenant AND owner = :owner AND object = :former;

-- name: ARCHIVE_ANEW_TAKE
UPDATE archive_objects SET number = -number
WHERE tenant = :tenant AND owner = :owner AND object = :object AND number < 0;

-- What was drawn from a turn that is away is forgotten, or is not any more; as TURNS_WITHHOLD.

-- name: ARCHIVED_WITHHOLD
UPDATE archived_ids SET withheld = 1
WHERE tenant = :tenant AND withheld = 0
  AND id IN (SELECT value FROM json_each(:turns))
  AND (:ordered OR id NOT IN (SELECT p.value FROM memories m, json_each(m.provenance) p
                              WHERE m.tenant = :tenant AND m.owner = :owner
                                AND m.status NOT IN (4, 5) AND m.authority <> 6
                                AND m.provenance <> '[]'))
  AND object IN (SELECT number FROM archive_objects WHERE tenant = :tenant AND owner = :owner);

-- name: ARCHIVED_GIVE_BACK
UPDATE archived_ids SET withheld = 0
WHERE tenant = :tenant AND withheld = 1
  AND id IN (SELECT value FROM json_each(:turns))
  AND id NOT IN (SELECT p.value FROM memories m, json_each(m.provenance) p
                 WHERE m.tenant = :tenant AND m.owner = :owner AND m.category = :order
                   AND (m.status IN (4, 5) OR m.authority = 6))
  AND object IN (SELECT number FROM archive_objects WHERE tenant = :tenant AND owner = :owner);

-- name: ARCHIVED_EVENT_OF
SELECT coalesce(o.owner = :owner, 0), coalesce(o.session_id, '')
FROM archived_ids e LEFT JOIN archive_objects o ON o.number = e.object
WHERE e.tenant = :tenant AND e.id = :id;

-- ---- erasing ----

-- What was being made is given up; what lost all its turns goes, what lost some is made anew.

-- name: ERASE_ARCHIVED
DELETE FROM archived_ids
WHERE tenant = :tenant AND id >= :first AND id <= :last
  AND object IN (SELECT number FROM archive_objects WHERE tenant = :tenant AND owner = :owner);

-- Turns whose file was unknown when they were taken over: only the tenant's, whosoever they were.

-- name: ERASE_ARCHIVED_OWNERLESS
DELETE FROM archived_ids WHERE tenant = :tenant AND object = 0;

-- name: ERASE_ARCHIVE_DOOM
UPDATE archive_objects
SET tenant = '', owner = '', session_id = '', state = 3, first_place = 0, last_place = 0,
    event_count = 0
WHERE tenant = :tenant AND (state = 1 OR kept = 0);

-- name: ERASE_ARCHIVE_SHORTEN
UPDATE archive_objects SET state = 4
WHERE tenant = :tenant AND state = 2 AND event_count > kept;

-- name: KEPT_ARCHIVED
SELECT tenant, '', id, 0, 0
FROM archived_ids WHERE :tenant IS NULL OR tenant = :tenant;

-- name: KEPT_ARCHIVE_OBJECTS
SELECT tenant, owner, '', 0, 0, session_id, object, digest
FROM archive_objects WHERE :tenant IS NULL OR tenant = :tenant;
