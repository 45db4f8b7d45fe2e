/**
 * The columns that the statements of the stores expect, in their order; `?`: may be null. The
 * projections' are those of both stores, which write a row as it stands in the other.
 */
export const STORE_COLUMNS = {
  sessions: [
    'created_order bigint',
    'tenant text',
    'session_id text',
    'version bigint',
    'hash text',
    'state text',
    'settings text',
    'wake_at_ms bigint?',
  ],
  events: [
    'tenant text',
    'session_id text',
    'version bigint',
    'type text',
    'at text',
    'schema_version integer',
    'hash text',
    'data text',
  ],
  compactions: [
    'tenant text',
    'session_id text',
    'id text',
    'status text',
    'outcome text?',
    'mode text',
    'trigger text',
    'reason text',
    'outcome_reason text?',
    'attempts bigint',
    'tokens_before bigint?',
    'tokens_after bigint?',
    'requested_at text',
    'ended_at text?',
    'reverted_at text?',
    'requested_version bigint',
    'ended_version bigint?',
  ],
  idempotency_keys: [
    'tenant text',
    'session_id text',
    'key text',
    'fingerprint text',
    'response text',
  ],
};
