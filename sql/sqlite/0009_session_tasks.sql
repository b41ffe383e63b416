-- 0009_session_tasks - the task that a session was about last, where who observes it says so.

PRAGMA user_version = 9;

ALTER TABLE sessions ADD COLUMN task_id TEXT NOT NULL DEFAULT '';
