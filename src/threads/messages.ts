import type { KeptBody } from '../app/known-bodies.ts';
import { ArchiveError } from '../app/ports/archive.ts';
import type { SessionRef } from '../app/ports/event-store.ts';
import { InvalidCursorError } from '../app/ports/invalid-cursor-error.ts';
import { StoreBusyError } from '../app/ports/store-busy-error.ts';
import { StoreTroubleError } from '../app/ports/store-trouble-error.ts';
import { StoreUnavailableError } from '../app/ports/store-unavailable-error.ts';
import type { ServerSettings } from '../config.ts';
import type { Measurement } from '../metrics/catalogue.ts';
import type { SentSpan } from '../tracing/span-of-thread.ts';
import type { CompactionJob } from '../workers/engines/job-engine.ts';

/** What a thread is started with. */
export type ThreadData = {
  settings: ServerSettings;
  environment: NodeJS.ProcessEnv;
  /** What compaction items are sealed with where nothing else is set. */
  storedSecret: string | null;
};

/** What a thread says beside its answers. */
export type ThreadMessage =
  /** A commit, by the key that `ring` of the process's own store takes. */
  | { kind: 'committed'; key: string }
  /** The disk refused a write. */
  | { kind: 'trouble' }
  | { kind: 'dispatch'; job: CompactionJob }
  | { kind: 'await_packet'; ref: SessionRef; deadline_ms: number }
  | { kind: 'cancel'; compaction_id: string }
  /** What the next body of a session may begin like. */
  | { kind: 'body_kept'; session: string; body: KeptBody }
  | { kind: 'measured'; measurement: Measurement }
  | { kind: 'traced'; span: SentSpan };

/** A task with what it belongs to, as a `traceparent`. */
export type Sent<T> = { task: T; trace: string | undefined };

/** What a task comes to; what it threw would lose its class on the way from thread to thread. */
export type Answer<T> = { ok: true; value: T } | { ok: false; thrown: Thrown };

type Thrown =
  | { kind: 'busy' | 'invalid_cursor' }
  | { kind: 'trouble'; trouble: StoreTroubleError['kind']; cause: unknown }
  | { kind: 'archive'; archive: ArchiveError['kind']; cause: unknown }
  | { kind: 'unavailable'; outcome: StoreUnavailableError['outcome']; cause: unknown }
  | { kind: 'other'; error: Error; name: string; code: unknown };

/** What `run` comes to; never rejects. */
export async function answerOf<T>(run: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await run() };
  } catch (error) {
    return { ok: false, thrown: thrownOf(error) };
  }
}

/** The value of an answer. Throws what its task threw. */
export function resultOf<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.value;
  const { thrown } = answer;
  switch (thrown.kind) {
    case 'busy':
      throw new StoreBusyError(null);
    case 'invalid_cursor':
      throw new InvalidCursorError();
    case 'trouble':
      throw new StoreTroubleError(thrown.trouble, thrown.cause);
    case 'archive':
      throw new ArchiveError(thrown.archive, thrown.cause);
    case 'unavailable':
      throw new StoreUnavailableError(thrown.outcome, thrown.cause);
    case 'other': {
      const { error, name, code } = thrown;
      throw Object.assign(error, { name, ...(code !== undefined && { code }) });
    }
    default:
      throw thrown satisfies never;
  }
}

function thrownOf(error: unknown): Thrown {
  if (error instanceof StoreBusyError) return { kind: 'busy' };
  if (error instanceof InvalidCursorError) return { kind: 'invalid_cursor' };
  if (error instanceof StoreTroubleError) {
    return { kind: 'trouble', trouble: error.kind, cause: error.cause };
  }
  if (error instanceof ArchiveError) {
    return { kind: 'archive', archive: error.kind, cause: error.cause };
  }
  if (error instanceof StoreUnavailableError) {
    return { kind: 'unavailable', outcome: error.outcome, cause: error.cause };
  }
  if (!(error instanceof Error)) {
    return { kind: 'other', error: new Error(), name: typeof error, code: undefined };
  }
  const { name, message, stack } = error;
  // Neither its cause nor its fields: not all that an error may hold can be copied.
  const copy = Object.assign(new Error(message), { stack });
  return { kind: 'other', error: copy, name, code: 'code' in error ? error.code : undefined };
}
