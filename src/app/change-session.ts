import { configureSession } from '../domain/session/create-session.ts';
import { accept } from '../domain/session/errors.ts';
import type { EventData } from '../domain/session/events.ts';
import { allowedModel, windowNote } from './create-session.ts';
import { findSession } from './find.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import { stateOf } from './session-state.ts';

/**
 * Changes settings; what is not named stays as it is. Rejects: session_not_found, invalid_config.
 */
export async function changeSession(
  ports: Pick<Ports, 'store' | 'world' | 'clock' | 'newId' | 'contextWindowOf' | 'modelRefusal'>,
  ref: SessionRef,
  change: EventData['session.configured'],
) {
  // Together with what is there: one may name the model and the other its provider.
  const found = await findSession(ports.store, ref);
  if (!found.ok) return found;
  if (change.config !== undefined) {
    const config = { ...found.value.settings.config, ...change.config };
    const allowed = allowedModel(ports, config);
    if (!allowed.ok) return allowed;
  }
  const at = ports.clock.now().toISOString();
  const command = configureSession(ports.world, change, ports.newId());
  const committed = await ports.store.commit(ref, command, { at });
  if (!committed.ok) return committed;
  const head = committed.value.value;
  const note = windowNote(ports, change, head.settings.context_window);
  return accept({ ...stateOf(ref, head, ports.world), note });
}
