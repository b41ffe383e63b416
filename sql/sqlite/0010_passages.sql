-- 0010_passages - a store from before long texts had passages has no vectors of them. Without a
-- position the index of each model goes over all units once more, in the background, and passes
-- quickly over what has all of its vectors.

PRAGMA user_version = 10;

DELETE FROM index_state WHERE tenant = '' AND owner = '' AND unit = '';
