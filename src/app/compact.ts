import { remoteModel } from '../domain/compaction/remote.ts';
import {
  type RequestCompaction,
  type Requested,
  requestCompaction,
} from '../domain/session/compaction-commands.ts';
import type { Decide } from '../domain/session/decision.ts';
import { accept, type Outcome, reject } from '../domain/session/errors.ts';
import type { Head } from '../domain/session/head.ts';
import type { World } from '../domain/session/world.ts';
import { type RequestedCompaction, requestedCompaction } from './compaction-detail.ts';
import { findCompaction, findSession } from './find.ts';
import { ownEvents } from './own-events.ts';
import type { Idempotency, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { waitForEnd } from './wait.ts';

/** Said where a wish for the summary comes too late for the one that is being written. */
const NOT_USED =
  'another compaction was under way already and goes on as it was requested, without this focus or ' +
  'these instructions: ask again once it has ended';

/** What a client asks for. */
export type Asked = Omit<RequestCompaction, 'compaction_id'>;

/**
 * Requests a compaction, and waits for its end if `wait_seconds` says so (SPEC section 2). A session
 * has at most one at a time: while one is under way, the answer is that one; `is_under_way` is false
 * once its end was waited for. Rejects: session_not_found, compaction_disabled, compaction_not_proposable,
 * compaction_under_way, idempotency_mismatch, invalid_request (mode remote without a provider).
 */
export async function compact(
  ports: Pick<Ports, 'store' | 'world' | 'dispatch' | 'clock' | 'newId'>,
  ref: SessionRef,
  asked: Asked,
  { wait_seconds, idempotency }: { wait_seconds: number | null; idempotency: Idempotency | null },
  signal: AbortSignal,
): Promise<Outcome<{ compaction: RequestedCompaction; is_under_way: boolean; replayed: boolean }>> {
  const { store } = ports;
  const head = asked.mode === 'remote' ? await findSession(store, ref) : accept(null);
  if (!head.ok) return head;
  const compaction_id = ports.newId();
  const command = compactCommand(ports.world, head.value, { compaction_id, ...asked });
  if (!command.ok) return command;
  const at = ports.clock.now().toISOString();
  const options = idempotency === null ? { at } : { at, idempotency };
  const committed = await store.commit(ref, command.value, options);
  if (!committed.ok) return committed;
  const { value, replayed } = committed.value;
  const { id, is_under_way } = value;
  if (is_under_way && id === compaction_id) ports.dispatch({ ref, compaction_id });
  const found =
    wait_seconds === null
      ? await findCompaction(store, ref, id)
      : await waitForEnd(store, ref, id, wait_seconds, signal);
  if (!found.ok) return found;
  const row = found.value;
  const isToTell = asked.trigger === 'tool' && row.status === 'ended';
  const events = isToTell ? await ownEvents(store, ref, row) : null;
  const isDropped =
    !replayed && id !== compaction_id && (asked.focus ?? asked.instructions) !== undefined;
  return accept({
    compaction: requestedCompaction(ref, row, events, isDropped ? NOT_USED : null),
    is_under_way: is_under_way && ((wait_seconds === null && !replayed) || row.status !== 'ended'),
    replayed,
  });
}

/** The command that requests it. Rejects where no provider can compact the session (SPEC section 13). */
export function compactCommand(
  world: World,
  head: Head | null,
  request: RequestCompaction,
): Outcome<Decide<Requested>> {
  const reason =
    request.mode === 'remote' && head !== null ? remoteModel(head.settings).reason : null;
  if (reason === null) return accept(requestCompaction(world, request));
  return reject(
    'invalid_request',
    `remote compaction is not available for this session: ${reason}; use mode "auto", "micro" or ` +
      '"full"',
    [{ path: 'mode', message: 'must be auto, micro or full' }],
  );
}
