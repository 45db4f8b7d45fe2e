import { setImmediate as nextTurn } from 'node:timers/promises';
import { renderEntries } from '../domain/context/render.ts';
import { clearedResults, sumTokens } from '../domain/context/view.ts';
import type { Format } from '../domain/items/codecs.ts';
import { sessionNotFound } from '../domain/session/create-session.ts';
import { accept, type Outcome, reject } from '../domain/session/errors.ts';
import { configOf, contextTokens } from '../domain/session/head.ts';
import { findSession } from './find.ts';
import { loadSettings } from './load-settings.ts';
import { loadViewHere } from './load-view.ts';
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
  if (found.ok && found.value.state.running !== null && wait_seconds > 0) {
    const isIdle = async () => ((await store.head(ref))?.state.running ? null : true);
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

/**
 * The context at a version that the session has, in a format (default: its own); SPEC sections 2 and 4.
 * Rejects: session_not_found.
 */
export async function readContext(
  ports: Pick<Ports, 'store' | 'largestHere' | 'world'>,
  ref: SessionRef,
  { at, format }: { at: number; format: Format | undefined },
) {
  const { store, world } = ports;
  const found = await findSession(store, ref);
  if (!found.ok) return found;
  const { state, settings } = found.value;
  const view = await loadViewHere(ports, ref, at);
  // Erased since the head was read.
  if (view === null) return sessionNotFound();
  await nextTurn();
  const past = at < state.version ? await loadSettings(store, ref, at) : null;
  const config = configOf(past ?? settings, world.server);
  const wanted = format ?? settings.format;
  return accept({
    session_id: ref.session_id,
    version: at,
    at,
    format: wanted,
    items: renderEntries(view.entries, settings.format, wanted),
    tokens: contextTokens({ ...view.usage, tokens: sumTokens(view.entries) }, config),
    compacted_tool_ids: clearedResults(view),
    base_compaction_id: view.base?.compaction_id ?? null,
  });
}
