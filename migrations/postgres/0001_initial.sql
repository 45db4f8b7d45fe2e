-- Sessions, their events, and the projections that are written with them (SPEC section 3).
-- Names, ids and times compare byte by byte (COLLATE "C"), as in SQLite and on every machine.
-- JSON is kept as text: the hashes cover the stored bytes, which json types would not give back.

-- created_order pages lists. A row is rewritten by every append: half of each page is left free, so
-- that the new row fits beside the old one and no index has to change.
CREATE TABLE sessions (
  created_order bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  hash text NOT NULL,
  state text NOT NULL,
  settings text NOT NULL,
  UNIQUE (tenant, session_id)
) WITH (fillfactor = 50);

CREATE INDEX sessions_by_tenant ON sessions (tenant, created_order);

CREATE TABLE events (
  tenant text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  type text COLLATE "C" NOT NULL,
  at text COLLATE "C" NOT NULL,
  schema_version integer NOT NULL,
  hash text NOT NULL,
  data text NOT NULL,
  PRIMARY KEY (tenant, session_id, version),
  FOREIGN KEY (tenant, session_id) REFERENCES sessions (tenant, session_id) ON DELETE CASCADE
);

-- Finds the few events that are not items without touching items; appending an item skips it.
CREATE INDEX events_without_items ON events (tenant, session_id, version, type)
  WHERE type <> 'item.appended';

CREATE TABLE compactions (
  tenant text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  status text NOT NULL,
  outcome text,
  mode text NOT NULL,
  "trigger" text NOT NULL,
  reason text NOT NULL,
  outcome_reason text,
  attempts bigint NOT NULL,
  tokens_before bigint,
  tokens_after bigint,
  requested_at text COLLATE "C" NOT NULL,
  ended_at text,
  reverted_at text,
  requested_version bigint NOT NULL,
  ended_version bigint,
  PRIMARY KEY (tenant, session_id, id),
  FOREIGN KEY (tenant, session_id) REFERENCES sessions (tenant, session_id) ON DELETE CASCADE
);

CREATE INDEX compactions_by_request ON compactions (tenant, session_id, requested_version);

-- The dispatcher's outbox.
CREATE INDEX compactions_pending ON compactions (requested_at, tenant, session_id)
  WHERE status <> 'ended';

CREATE TABLE idempotency_keys (
  tenant text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  fingerprint text NOT NULL,
  response text NOT NULL,
  PRIMARY KEY (tenant, session_id, key),
  FOREIGN KEY (tenant, session_id) REFERENCES sessions (tenant, session_id) ON DELETE CASCADE
);
