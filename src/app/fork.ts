import { forkSession } from '../domain/context/fork-session.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Decide } from '../domain/session/decision.ts';
import { accept, type Outcome, reject } from '../domain/session/errors.ts';
import { CONTEXT_CHANGES } from '../domain/session/events.ts';
import type { Head } from '../domain/session/head.ts';
import { findSession } from './find.ts';
import { loadViewHere } from './load-view.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { readHere } from './read-here.ts';
import { withLedgerHere } from './read-ledger.ts';
import { stateOf } from './session-state.ts';

/**
 * A new session whose context equals the parent's at a version, by default the newest (SPEC section 2);
 * its settings are those that the parent has now, but for metadata of its own. Rejects: session_not_found,
 * version_not_found, session_exists.
 */
export async function fork(
  ports: Pick<Ports, 'store' | 'largestHere' | 'world' | 'clock' | 'newId'>,
  parent: SessionRef,
  asked: { at?: number | undefined; id?: string | undefined; metadata?: JsonObject },
) {
  const { store } = ports;
  const found = await findSession(store, parent);
  if (!found.ok) return found;
  const version = asked.at ?? found.value.state.version;
  const { settings } = found.value;
  const { metadata = settings.metadata } = asked;
  const head = { ...found.value, settings: { ...settings, metadata } };
  const command = await forkCommand(ports, parent, head, version);
  if (!command.ok) return command;
  const ref = { tenant: parent.tenant, session_id: asked.id ?? ports.newId() };
  const at = ports.clock.now().toISOString();
  const committed = await store.commit(ref, command.value, { at });
  if (!committed.ok) return committed;
  return accept({
    ...stateOf(ref, committed.value.value, ports.world),
    forked_from: { session_id: parent.session_id, version },
  });
}

/**
 * The command that creates a fork of a session as it was at a version, whose head is given. Rejects:
 * version_not_found. Throws ElsewhereError.
 */
export async function forkCommand(
  ports: Pick<Ports, 'store' | 'largestHere'>,
  parent: SessionRef,
  head: Head,
  at: number,
): Promise<Outcome<Decide<Head>>> {
  const view = await loadViewHere(ports, parent, at);
  if (view === null) {
    return reject(
      'version_not_found',
      `"at" must be a version from 1 to ${head.state.version}, the one that the session is at now`,
    );
  }
  const [changed] = await readHere(ports).store.events(parent, {
    types: CONTEXT_CHANGES,
    up_to: at,
    newest_first: true,
    limit: 1,
  });
  return accept(
    forkSession({
      session_id: parent.session_id,
      settings: head.settings,
      view: await withLedgerHere(ports, parent, view),
      compacted_version: changed?.version ?? 0,
    }),
  );
}
