-- What the gateway knows sessions by that no header names: the fingerprint of a history up to an answer,
-- and the provider's id of that answer.
CREATE TABLE gateway_keys (
  tenant text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant, key),
  FOREIGN KEY (tenant, session_id) REFERENCES sessions (tenant, session_id) ON DELETE CASCADE
);

CREATE INDEX gateway_keys_of_session ON gateway_keys (tenant, session_id);
