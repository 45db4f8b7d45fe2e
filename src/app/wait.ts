import type { Outcome } from '../domain/session/errors.ts';
import { Bell } from './bell.ts';
import { findCompaction } from './find.ts';
import type { CompactionRow, EventStore, SessionRef } from './ports/event-store.ts';

/** A ring of another process may get lost: the store is looked at this often anyway. */
const LOOK_EVERY_MS = 1_000;

/**
 * Waits until `check` answers something, at most `timeoutMs`; null when it did not, or when the
 * client has gone. Subscribes before it checks, so that no commit in between is missed.
 */
export async function waitFor<T>(
  store: EventStore,
  ref: SessionRef,
  check: () => Promise<T | null>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<T | null> {
  const bell = new Bell();
  const ring = () => bell.ring();
  const unsubscribe = store.subscribe(ref, ring);
  signal.addEventListener('abort', ring);
  const deadline = performance.now() + timeoutMs;
  try {
    for (;;) {
      const found = await check();
      if (found !== null) return found;
      const left = deadline - performance.now();
      if (left <= 0 || signal.aborted) return null;
      await bell.wait(Math.min(left, LOOK_EVERY_MS));
    }
  } finally {
    unsubscribe();
    signal.removeEventListener('abort', ring);
  }
}

/**
 * The compaction as it is when it has ended, or after so many seconds. Rejects: session_not_found,
 * compaction_not_found.
 */
export async function waitForEnd(
  store: EventStore,
  ref: SessionRef,
  id: string,
  seconds: number,
  signal: AbortSignal,
): Promise<Outcome<CompactionRow>> {
  const ended = async () => {
    const found = await findCompaction(store, ref, id);
    return found.ok && found.value.status !== 'ended' ? null : found;
  };
  const found = await waitFor(store, ref, ended, seconds * 1000, signal);
  return found ?? findCompaction(store, ref, id);
}
