-- 0008_uses - which memories of a recall were used, as the caller said afterwards.

PRAGMA user_version = 8;

ALTER TABLE traces ADD COLUMN used TEXT NOT NULL DEFAULT '[]'; -- {"id", "by", "at_ms"} of each
