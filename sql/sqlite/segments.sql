-- segments.sql - indexes of partitions as bytes.

-- name: SEGMENT_PARTS
SELECT total, bytes FROM segments
WHERE tenant = :tenant AND owner = :owner AND profile = :profile ORDER BY part;

-- name: SEGMENT_PUT
INSERT INTO segments (tenant, owner, profile, part, total, bytes)
VALUES (:tenant, :owner, :profile, :part, :total, :bytes);

-- Of another profile, too: a model that was left leaves no bytes behind. What is searched by words alone
-- ('') and what is searched with a model do not take each other's place.

-- name: SEGMENT_REMOVE
DELETE FROM segments
WHERE tenant = :tenant AND owner = :owner
  AND (profile = :profile OR (profile <> '' AND :profile <> ''));

-- name: SEGMENT_ERASED
SELECT 1 FROM changes
WHERE tenant = :tenant AND owner = :owner AND kind = :kind AND seq > :seq LIMIT 1;
