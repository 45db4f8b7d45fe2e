-- Sessions, their events, and the projections that are written with them (SPEC section 3).
-- created_order pages lists; AUTOINCREMENT because an order that an erased session had must not
-- come back under an open cursor.
CREATE TABLE sessions (
  created_order INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  session_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  hash TEXT NOT NULL,
  state TEXT NOT NULL,
  settings TEXT NOT NULL,
  UNIQUE (tenant, session_id)
) STRICT;

CREATE INDEX sessions_by_tenant ON sessions (tenant, created_order);

-- A rowid table on purpose: rows of 1.5 KB overflow the pages of a WITHOUT ROWID table, which
-- makes an insert 2.6 times as slow and the file twice as large. `data` is last, so that reading
-- the other columns does not touch its pages.
CREATE TABLE events (
  tenant TEXT NOT NULL,
  session_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  type TEXT NOT NULL,
  at TEXT NOT NULL,
  schema_version INTEGER NOT NULL,
  hash TEXT NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (tenant, session_id, version),
  FOREIGN KEY (tenant, session_id) REFERENCES sessions (tenant, session_id) ON DELETE CASCADE
) STRICT;

-- Finds the few events that are not items without touching items; appending an item skips it.
CREATE INDEX events_without_items ON events (tenant, session_id, version, type)
  WHERE type <> 'item.appended';

CREATE TABLE compactions (
  tenant TEXT NOT NULL,
  session_id TEXT NOT NULL,
  id TEXT NOT NULL,
  status TEXT NOT NULL,
  outcome TEXT,
  mode TEXT NOT NULL,
  "trigger" TEXT NOT NULL,
  reason TEXT NOT NULL,
  outcome_reason TEXT,
  attempts INTEGER NOT NULL,
  tokens_before INTEGER,
  tokens_after INTEGER,
  requested_at TEXT NOT NULL,
  ended_at TEXT,
  reverted_at TEXT,
  requested_version INTEGER NOT NULL,
  ended_version INTEGER,
  PRIMARY KEY (tenant, session_id, id),
  FOREIGN KEY (tenant, session_id) REFERENCES sessions (tenant, session_id) ON DELETE CASCADE
) STRICT;

CREATE INDEX compactions_by_request ON compactions (tenant, session_id, requested_version);

-- The dispatcher's outbox.
CREATE INDEX compactions_pending ON compactions (requested_at) WHERE status <> 'ended';

CREATE TABLE idempotency_keys (
  tenant TEXT NOT NULL,
  session_id TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  response TEXT NOT NULL,
  PRIMARY KEY (tenant, session_id, key),
  FOREIGN KEY (tenant, session_id) REFERENCES sessions (tenant, session_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
