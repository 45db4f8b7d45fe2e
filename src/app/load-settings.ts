import { settingsAfter } from '../domain/session/evolve.ts';
import type { Settings } from '../domain/session/head.ts';
import type { EventStore, SessionRef } from './ports/event-store.ts';

/** The settings of a session as they were at a version, or null when there is no such session. */
export async function loadSettings(
  store: EventStore,
  ref: SessionRef,
  at: number,
): Promise<Settings | null> {
  const [created, ...changes] = await store.events(ref, {
    types: ['session.created', 'session.configured'],
    up_to: at,
  });
  if (created?.type !== 'session.created') return null;
  const { initial_context: _initial, ...first } = created.data;
  return changes.reduce<Settings>(
    (settings, event) =>
      event.type === 'session.configured' ? settingsAfter(settings, event.data) : settings,
    first,
  );
}
