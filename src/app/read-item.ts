import type { Format } from '../domain/items/codecs.ts';
import type { Item } from '../domain/items/item.ts';
import { accept, type Outcome, reject } from '../domain/session/errors.ts';
import { eventAt } from './event-at.ts';
import { findSession } from './find.ts';
import type { SessionRef } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';

/** An item of the log as it was appended. */
export type LogItem = {
  seq: number;
  at: string;
  occurred_at: string | null;
  item: Item;
  tokens: number;
  format: Format;
};

/** One item of the log, whatever became of it. Rejects: session_not_found, not_found. */
export async function readItem(
  { store }: Pick<Ports, 'store'>,
  ref: SessionRef,
  seq: number,
): Promise<Outcome<LogItem>> {
  const session = await findSession(store, ref);
  if (!session.ok) return session;
  const { state, settings } = session.value;
  const event = seq > state.version ? undefined : await eventAt(store, ref, seq);
  if (event?.type !== 'item.appended') {
    const why =
      event === undefined
        ? `the session ends with version ${state.version}`
        : `what happened there was ${event.type}`;
    return reject('not_found', `there is no item ${seq} in this session: ${why}`);
  }
  const { item, tokens, occurred_at = null } = event.data;
  return accept({ seq, at: event.at, occurred_at, item, tokens, format: settings.format });
}
