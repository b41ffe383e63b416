-- store.sql - the file as a whole: transactions and what tells one store from another.

-- name: SET_SYNCHRONOUS
PRAGMA synchronous = FULL;

-- name: SET_SECURE_DELETE
PRAGMA secure_delete = ON;

-- name: SET_CACHE_SIZE
PRAGMA cache_size = -8000;

-- What one large commit made of the log is given back by the next. Above what a log has that is merged
-- every thousand pages.

-- name: SET_LOG_LIMIT
PRAGMA journal_size_limit = 10485760;

-- name: SET_PAGE_SIZE
PRAGMA page_size = 8192;

-- name: SET_JOURNAL_MODE
PRAGMA journal_mode = WAL;

-- name: CHECKPOINT
PRAGMA wal_checkpoint(TRUNCATE);

-- name: INTEGRITY_CHECK
PRAGMA integrity_check(1);

-- name: APPLICATION_ID
PRAGMA application_id;

-- name: USER_VERSION
PRAGMA user_version;

-- name: SCHEMA_COUNT
SELECT count(*) FROM sqlite_schema;

-- name: BEGIN_READ
BEGIN;

-- name: BEGIN_WRITE
BEGIN IMMEDIATE;

-- name: COMMIT
COMMIT;

-- name: ROLLBACK
ROLLBACK;

-- name: REQUEST_BEGIN
SAVEPOINT request;

-- name: REQUEST_KEEP
RELEASE request;

-- name: REQUEST_UNDO
ROLLBACK TO request;

-- name: META_GET
SELECT value FROM meta WHERE name = :name;

-- name: META_PUT
INSERT INTO meta (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: SCHEMA
SELECT type || ' ' || name || ' ' || sql FROM sqlite_schema
WHERE sql IS NOT NULL AND substr(name, 1, 7) <> 'sqlite_'
ORDER BY type, name;

-- Reads sqlite_stat1 again; analyses nothing.

-- name: LOAD_STATISTICS
ANALYZE sqlite_schema;
