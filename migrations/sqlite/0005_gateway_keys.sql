-- What the gateway knows sessions by that no header names: the fingerprint of a history up to an answer,
-- and the provider's id of that answer.
CREATE TABLE gateway_keys (
  tenant TEXT NOT NULL,
  key TEXT NOT NULL,
  session_id TEXT NOT NULL,
  PRIMARY KEY (tenant, key),
  FOREIGN KEY (tenant, session_id) REFERENCES sessions (tenant, session_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX gateway_keys_of_session ON gateway_keys (tenant, session_id);
