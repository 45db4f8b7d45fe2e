/**
 * Why a command or a use case is refused. Typed values up to the edge; the API turns them into
 * problem+json in one exhaustive switch (DESIGN, decision 9). `detail` says what to change.
 */
export type RejectionCode =
  | 'session_not_found'
  | 'session_exists'
  | 'version_mismatch'
  | 'idempotency_mismatch'
  | 'history_diverged'
  | 'invalid_item'
  | 'invalid_config'
  | 'compaction_disabled'
  | 'compaction_not_found'
  | 'compaction_not_ended'
  | 'compaction_not_cancellable'
  | 'compaction_not_revertible'
  | 'compaction_not_proposable'
  | 'compaction_not_applicable'
  | 'proposal_not_open'
  | 'compaction_under_way'
  | 'not_pinnable'
  | 'pin_not_found'
  | 'packet_not_requested'
  | 'version_not_found'
  | 'invalid_request'
  | 'not_found';

export type FieldError = { path: string; message: string };

export type Rejection = { code: RejectionCode; detail: string; errors?: FieldError[] };

export type Outcome<T, R = Rejection> = { ok: true; value: T } | { ok: false; rejection: R };

/** What an outcome is worth when it is accepted. */
export type Accepted<O> = O extends { ok: true; value: infer T } ? T : never;

export function accept<T>(value: T): Outcome<T, never> {
  return { ok: true, value };
}

export function reject(code: RejectionCode, detail: string, errors?: FieldError[]): Outcome<never> {
  return { ok: false, rejection: errors ? { code, detail, errors } : { code, detail } };
}
