import type { Json } from '../domain/json.ts';
import { type Appended, appendItems } from '../domain/session/append-items.ts';
import type { Counted } from '../domain/session/counted.ts';
import type { Decide } from '../domain/session/decision.ts';
import { accept, reject } from '../domain/session/errors.ts';
import { awaitedCompaction, ownEvents } from './compaction-detail.ts';
import { defaultSession } from './create-session.ts';
import { findCompaction } from './find.ts';
import type { Idempotency, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { withCounts } from './tokenizer.ts';
import { waitForEnd } from './wait.ts';

/** What the caller takes for granted: a version of the session, or only that it exists. */
export type Expected = { kind: 'version'; version: number } | { kind: 'exists' };

export type Append = {
  /** Unchecked; at least one. */
  items: readonly Json[];
  expected: Expected | null;
  idempotency: Idempotency | null;
  /** How long the answer may wait for the end of a compaction that these items request. */
  wait_seconds: number | null;
};

/**
 * Appends items, all or nothing, and creates the session with the defaults of the server when the id
 * is new. Rejects: version_mismatch, invalid_item, invalid_config, idempotency_mismatch.
 */
export async function append(
  ports: Pick<Ports, 'store' | 'world' | 'dispatch' | 'clock' | 'newId' | 'loadTokenizer'>,
  ref: SessionRef,
  { items, expected, idempotency, wait_seconds }: Append,
  signal: AbortSignal,
) {
  const { store, world } = ports;
  const now = ports.clock.now();
  const at = now.toISOString();
  const compaction_id = ports.newId();
  const posted = { items, defaults: defaultSession() };
  const options = idempotency === null ? { at } : { at, idempotency };
  const committed = await withCounts(ports, ref, posted, (counted?: Counted) => {
    const command = appendItems(world, {
      ...posted,
      counted,
      compaction_id,
      now_ms: now.getTime(),
      at,
      ...(expected?.kind === 'version' ? { expected_version: expected.version } : {}),
    });
    return store.commit(
      ref,
      expected?.kind === 'exists' ? onlyIfExists(command) : command,
      options,
    );
  });
  if (!committed.ok) return committed;
  const { value, replayed } = committed.value;
  if (!replayed && value.compaction?.id === compaction_id) ports.dispatch({ ref, compaction_id });
  const ended =
    wait_seconds === null ? accept(null) : await ownEnd(ports, ref, value, wait_seconds, signal);
  if (!ended.ok) return ended;
  // An answer that version 1 of the events kept has no advice and no note.
  const { advice = null, note = null } = value;
  const appended = { session_id: ref.session_id, ...value, advice, note, message: null };
  return accept({ appended: { ...appended, ...ended.value }, replayed });
}

/** The command, refused when the session does not exist. */
function onlyIfExists<T>(decide: Decide<T>): Decide<T> {
  return (head) =>
    head === null
      ? reject(
          'version_mismatch',
          'If-Match: * requires an existing session, and there is none with this id',
        )
      : decide(head);
}

/** How the compaction has ended that an append has requested; null when it has not, or there is none. */
async function ownEnd(
  { store }: Pick<Ports, 'store'>,
  ref: SessionRef,
  { compaction, last_seq, version }: Appended,
  seconds: number,
  signal: AbortSignal,
) {
  if (compaction === null) return accept(null);
  const own = await findCompaction(store, ref, compaction.id);
  if (!own.ok) return own;
  const { requested_version } = own.value;
  if (requested_version <= last_seq || requested_version > version) return accept(null);
  const found = await waitForEnd(store, ref, compaction.id, seconds, signal);
  if (!found.ok || found.value.status !== 'ended') return found.ok ? accept(null) : found;
  return accept(awaitedCompaction(found.value, await ownEvents(store, ref, found.value)));
}
