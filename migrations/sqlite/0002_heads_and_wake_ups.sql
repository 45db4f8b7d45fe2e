-- The version of the shape of stored heads: older ones are computed anew from the log when the store
-- is opened. The heads that are there now have version 1.
CREATE TABLE head_version (version INTEGER NOT NULL) STRICT;
INSERT INTO head_version VALUES (1);

-- When a session has to be looked at though nobody calls, in milliseconds since 1970.
ALTER TABLE sessions ADD COLUMN wake_at_ms INTEGER;
CREATE INDEX sessions_to_wake ON sessions (wake_at_ms) WHERE wake_at_ms IS NOT NULL;
