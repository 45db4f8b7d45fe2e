import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { canonicalJson } from '../domain/canonical-json.ts';
import { withOrigins } from '../domain/context/origins.ts';
import { renderEntries } from '../domain/context/render.ts';
import { clearedResults, sumTokens } from '../domain/context/view.ts';
import type { Format } from '../domain/items/codecs.ts';
import { sessionNotFound } from '../domain/session/create-session.ts';
import { accept, type Outcome, reject } from '../domain/session/errors.ts';
import { configOf, contextTokens, type Head } from '../domain/session/head.ts';
import { endedMeanwhile } from '../domain/session/proposal-commands.ts';
import { findSession } from './find.ts';
import { loadSettings } from './load-settings.ts';
import { loadViewHere, type Proposed } from './load-view.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { waitFor } from './wait.ts';

/**
 * The version whose context is wanted, by default the newest, once no compaction is under way or so
 * many seconds have passed. Rejects: session_not_found, version_not_found.
 */
export async function contextVersion(
  { store }: Pick<Ports, 'store'>,
  ref: SessionRef,
  { at, wait_seconds }: { at: number | undefined; wait_seconds: number },
  signal: AbortSignal,
): Promise<Outcome<number>> {
  let found = await findSession(store, ref);
  if (found.ok && isAwaited(found.value) && wait_seconds > 0) {
    const isIdle = async () => (isAwaited(await store.head(ref)) ? null : true);
    await waitFor(store, ref, isIdle, wait_seconds * 1000, signal);
    found = await findSession(store, ref);
  }
  if (!found.ok) return found;
  const { version } = found.value.state;
  if (at === undefined || at <= version) return accept(at ?? version);
  return reject(
    'version_not_found',
    `the session is at version ${version}: there is no version ${at} yet`,
  );
}

/** A proposal that is being written changes nothing: nobody waits for it. */
function isAwaited(head: Head | null): boolean {
  return head?.state.running?.propose === false;
}

type Ported = Pick<Ports, 'store' | 'largestHere' | 'world'>;
type Wanted = { at: number; format: Format | undefined; proposal?: Proposed | null };

/**
 * The context at a version that the session has, in a format (default: its own); SPEC sections 2 and 4.
 * `hash` is its fingerprint: SHA-256 of the canonical JSON of its items, the same on any machine and any
 * day (SPEC section 20). With an open proposal it is the context that this would give at that version.
 * Rejects: session_not_found, proposal_not_open.
 */
export async function readContext(ports: Ported, ref: SessionRef, wanted: Wanted) {
  const read = await renderedContext(ports, ref, wanted);
  return read.ok ? accept({ ...read.value.facts, items: read.value.items }) : read;
}

/** The same, where each item says where it comes from (SPEC 2, section 22). */
export async function readContextWithOrigins(ports: Ported, ref: SessionRef, wanted: Wanted) {
  const read = await renderedContext(ports, ref, wanted);
  if (!read.ok) return read;
  const { facts, items, view } = read.value;
  const formats = { format: view.format, target: facts.format };
  return accept({ ...facts, items: withOrigins(view, items, formats) });
}

async function renderedContext(
  ports: Ported,
  ref: SessionRef,
  { at, format, proposal = null }: Wanted,
) {
  const { store, world } = ports;
  const found = await findSession(store, ref);
  if (!found.ok) return found;
  const { state, settings } = found.value;
  const view = await loadViewHere(ports, ref, at, proposal);
  if (view === null && proposal !== null) return endedMeanwhile();
  // Erased since the head was read.
  if (view === null) return sessionNotFound();
  await nextTurn();
  const past = at < state.version ? await loadSettings(store, ref, at) : null;
  const config = configOf(past ?? settings, world.server);
  const wanted = format ?? settings.format;
  const items = renderEntries(view.entries, settings.format, wanted);
  await nextTurn();
  const facts = {
    session_id: ref.session_id,
    version: at,
    at,
    format: wanted,
    tokens: contextTokens({ ...view.usage, tokens: sumTokens(view.entries) }, config),
    compacted_tool_ids: clearedResults(view),
    base_compaction_id: view.base?.compaction_id ?? null,
    hash: hash('sha256', canonicalJson(items)),
  };
  return accept({ facts, items, view });
}
