import type { EventOf } from '../domain/session/events.ts';
import type { Terms, World } from '../domain/session/world.ts';
import { loadSettings } from './load-settings.ts';
import type { EventStore, SessionRef } from './ports/event-store.ts';

/**
 * The terms of an attempt that has ended, as it began with them (decision 0031); null when there is no
 * such session.
 */
export async function attemptTerms(
  store: EventStore,
  ref: SessionRef,
  { data, version }: EventOf<'compaction.started'>,
  { tokenizers }: World,
): Promise<Terms | null> {
  const settings = await loadSettings(store, ref, version);
  if (settings === null) return null;
  return { config: data.config, context_window: settings.context_window, tokenizers };
}
