import { accept } from '../domain/session/errors.ts';
import { eventAt } from './event-at.ts';
import { findSession } from './find.ts';
import type { EventStore, SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';

/** A pin as answers show it; `items` are all that stand for it, without those of a parent. */
export type PinShown = {
  id: string;
  text: string | null;
  seq: number | null;
  items: number[];
  tokens: number;
  version: number;
  at: string;
};

/** What is pinned, in the order in which it stands in the context. Rejects: session_not_found. */
export async function listPins({ store }: Pick<Ports, 'store'>, ref: SessionRef) {
  const session = await findSession(store, ref);
  if (!session.ok) return session;
  const versions = session.value.state.pins.all.map(({ version }) => version);
  return accept({ data: await shownPins(store, ref, versions), next_cursor: null });
}

/** The pins that these events have added. */
export async function shownPins(
  store: EventStore,
  ref: SessionRef,
  versions: readonly number[],
): Promise<PinShown[]> {
  const pins: PinShown[] = [];
  for (const version of versions) {
    const event = await eventAt(store, ref, version);
    if (event?.type !== 'pin.added') continue;
    const { pin_id: id, text, seq, entries } = event.data;
    const items = entries.flatMap((entry) => entry.seq ?? []);
    const tokens = entries.reduce((sum, entry) => sum + entry.tokens, 0);
    pins.push({ id, text, seq, items, tokens, version, at: event.at });
  }
  return pins;
}
