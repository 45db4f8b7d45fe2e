import { cancel } from '../cancel.ts';
import { compact } from '../compact.ts';
import type { SessionRef } from '../ports/event-store.ts';
import type { Ports } from '../ports/ports.ts';

type Deps = Pick<Ports, 'store' | 'world' | 'dispatch' | 'clock' | 'newId' | 'cancelJob'>;

/** A summary from the log alone takes no longer, in seconds, unless the workers are away. */
const OFFLINE_SECONDS = 8;
const LEAST_SECONDS = 1;
/** The agent is in the middle of its work, and has asked for nothing. */
const trigger = 'auto';

/**
 * Waits for the compaction under way, or for one of its own, at most so many seconds: the next request
 * would overflow the window (SPEC 2, section 23).
 */
export async function awaitRoom(
  deps: Deps,
  ref: SessionRef,
  wait_seconds: number,
  signal: AbortSignal,
): Promise<void> {
  const asked = { mode: 'auto', trigger } as const;
  await compact(deps, ref, asked, { wait_seconds, idempotency: null }, signal);
}

/**
 * Ends the compaction under way, which takes too long, and has one made that asks no model. It is waited
 * for no longer than for one that does.
 */
export async function makeRoomAtOnce(
  deps: Deps,
  ref: SessionRef,
  most_seconds: number,
  signal: AbortSignal,
): Promise<void> {
  const wait_seconds = Math.min(OFFLINE_SECONDS, Math.max(LEAST_SECONDS, most_seconds));
  const running = (await deps.store.head(ref))?.state.running ?? null;
  if (running !== null) await cancel(deps, ref, running.id);
  const asked = { mode: 'full', trigger, offline: true } as const;
  await compact(deps, ref, asked, { wait_seconds, idempotency: null }, signal);
}
