import { accept } from '../domain/session/errors.ts';
import { configOf } from '../domain/session/head.ts';
import { thresholdState } from '../domain/tokens/thresholds.ts';
import { findSession } from './find.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { contextVersion, readContextWithOrigins } from './read-context.ts';

/**
 * What to send to the model in place of a history that was synced: the newest context with the origins
 * of its items, and where it stands in the window. Rejects: session_not_found.
 */
export async function syncedContext(
  ports: Pick<Ports, 'store' | 'world'>,
  ref: SessionRef,
  wait_seconds: number,
  signal: AbortSignal,
) {
  const at = await contextVersion(ports, ref, { at: undefined, wait_seconds }, signal);
  if (!at.ok) return at;
  const found = await findSession(ports.store, ref);
  if (!found.ok) return found;
  const { settings } = found.value;
  // Here, however large it has become: the history is written, and must not be sent elsewhere again.
  const here = { ...ports, largestHere: undefined };
  const read = await readContextWithOrigins(here, ref, { at: at.value, format: undefined });
  if (!read.ok) return read;
  const { version, tokens, session_id: _, at: __, ...context } = read.value;
  const config = configOf(settings, ports.world.server);
  return accept({
    version,
    context: { ...context, ...thresholdState(tokens, config, settings.context_window) },
  });
}
