-- 0012_packed_traces - a trace lies packed, in a quarter of its bytes.

PRAGMA user_version = 12;

ALTER TABLE traces ADD COLUMN packed BLOB; -- the JSON as a frame of zstd; NULL: `json` has it
