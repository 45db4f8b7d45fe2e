import type { Json } from '../domain/json.ts';
import { type Appended, appendItems, checkVersion } from '../domain/session/append-items.ts';
import type { Counted } from '../domain/session/counted.ts';
import type { Decide } from '../domain/session/decision.ts';
import { accept, type Outcome, reject } from '../domain/session/errors.ts';
import type { Head } from '../domain/session/head.ts';
import { awaitedCompaction } from './compaction-detail.ts';
import { defaultSession } from './create-session.ts';
import { findCompaction } from './find.ts';
import { ownEvents } from './own-events.ts';
import type { Idempotency, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { withCounts } from './tokenizer.ts';
import { waitForEnd } from './wait.ts';

/** What the caller takes for granted: a version of the session, or only that it exists. */
export type Expected = { kind: 'version'; version: number } | { kind: 'exists' };

/** For how long, and what ends it before: the client has gone. */
type Wait = { seconds: number; signal: AbortSignal };

type Append = {
  /** Unchecked; at least one. */
  items: readonly Json[];
  expected: Expected | null;
  idempotency: Idempotency | null;
  /** The answer may wait for the end of a compaction that these items request. */
  wait: Wait | null;
};

export type AppendPorts = Pick<
  Ports,
  'store' | 'world' | 'dispatch' | 'clock' | 'newId' | 'loadTokenizer'
>;

/**
 * Appends items, all or nothing, and creates the session with the defaults of the server when the id
 * is new. Rejects: version_mismatch, invalid_item, invalid_config, idempotency_mismatch.
 */
export async function append(
  ports: AppendPorts,
  ref: SessionRef,
  { items, expected, idempotency, wait }: Append,
) {
  const { store, world } = ports;
  const now = ports.clock.now();
  const at = now.toISOString();
  const compaction_id = ports.newId();
  const defaults = defaultSession();
  const options = idempotency === null ? { at } : { at, idempotency };
  const committed = await withCounts(ports, ref, { items, defaults }, (counted?: Counted) => {
    const command = appendItems(world, {
      items,
      defaults,
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
  const ended = wait === null ? accept(null) : await ownEnd(ports, ref, value, wait);
  if (!ended.ok) return ended;
  // An answer that version 1 of the events kept has no advice and no note.
  const { advice = null, note = null } = value;
  const { version, first_seq, last_seq, context, compaction } = value;
  const appended = {
    session_id: ref.session_id,
    version,
    first_seq,
    last_seq,
    context,
    compaction,
    advice,
    note,
    message: null,
  };
  return accept({
    appended: ended.value === null ? appended : { ...appended, ...ended.value },
    replayed,
  });
}

/** The command, refused when the session does not exist. */
function onlyIfExists<T>(decide: Decide<T>): Decide<T> {
  return (head) => refuseUnexpected(head, { kind: 'exists' }) ?? decide(head);
}

/** Rejects with version_mismatch what is not as the caller takes it to be; null when it is. */
export function refuseUnexpected(
  head: Head | null,
  expected: Expected | null,
): Outcome<never> | null {
  if (expected?.kind === 'version') return checkVersion(head, expected.version);
  if (expected === null || head !== null) return null;
  return reject(
    'version_mismatch',
    'If-Match: * requires an existing session, and there is none with this id',
  );
}

/** How the compaction has ended that an append has requested; null when it has not, or there is none. */
async function ownEnd(
  { store }: Pick<Ports, 'store'>,
  ref: SessionRef,
  { compaction, last_seq, version }: Appended,
  { seconds, signal }: Wait,
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
