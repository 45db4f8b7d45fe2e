import { answeredSummary, clientSummary } from '../items/client-summary.ts';
import { codecFor } from '../items/codecs.ts';
import type { Item } from '../items/item.ts';
import { measureItem } from '../tokens/measure.ts';
import { advance } from './advance.ts';
import { type Appended, type AppendItems, appendItems } from './append-items.ts';
import { type Counted, countedCounter } from './counted.ts';
import { sessionNotFound } from './create-session.ts';
import type { Decide } from './decision.ts';
import type { Entry } from './entry.ts';
import { accept, reject } from './errors.ts';
import type { NewEvent } from './events.ts';
import { evolve } from './evolve.ts';
import { configOf, type Head } from './head.ts';
import { removed } from './pin-commands.ts';
import { supersededBy } from './proposal-events.ts';
import type { SupersededItem } from './told.ts';
import type { World } from './world.ts';

/**
 * What a client has made of its history: the items that stand for it now, its summary among them. `window`:
 * it has made no summary, and keeps what the log has after a version, so many tokens without margin. `seq`:
 * where the log has an item that it keeps.
 */
export type CompactedByClient = {
  items: readonly { item: Item; seq: number | null }[];
  summary_text: string;
  window: { after: number; tokens: number } | null;
};

export type SyncHistory = {
  /** The version that all of this was found out at; of a session that is created with it, null. */
  expected_version: number | null;
  superseded: readonly SupersededItem[];
  /** The pins that this ends, and what the context loses by that beside the items. */
  unpinned: readonly { pin_id: string; tokens_change: number }[];
  by_client: CompactedByClient | null;
  /** What is new; null when nothing is. */
  append: AppendItems | null;
  /** Where a real tokenizer counts. */
  counted?: Counted | undefined;
  at: string;
};

/** `appended` is null when nothing was new, `cancelled` the compaction that has lost its ground. */
export type SyncedHistory = {
  version: number;
  appended: Appended | null;
  cancelled: string | null;
};

/**
 * Brings the log of a session up to the history that the client holds (SPEC 2, section 22): takes
 * back what the client does not have, records a compaction of its own, and appends what is new.
 * Rejects: session_not_found, version_mismatch, and what an append rejects.
 */
export function syncHistory(world: World, command: SyncHistory): Decide<SyncedHistory> {
  return (head) => {
    const version = head?.state.version ?? 0;
    if (command.expected_version !== null && version !== command.expected_version) {
      return reject('version_mismatch', 'the session was written to at the same moment: try again');
    }
    const { superseded, by_client } = command;
    const events: NewEvent[] = [];
    if (superseded.length > 0) {
      events.push({ type: 'item.superseded', data: { items: [...superseded] } });
    }
    if (head !== null) events.push(...unpinned(command, head));
    const cancelled = by_client === null ? null : (head?.state.running?.id ?? null);
    // It was to compact what the context does not hold any more.
    if (cancelled !== null) {
      events.push({ type: 'compaction.cancelled', data: { compaction_id: cancelled } });
    }
    if (by_client !== null && head !== null) {
      events.push(observed(world, command, head, by_client, version + events.length));
    }
    // What was proposed was made for the context before.
    if (events.length > 0 && head !== null) events.push(...supersededBy(null, head));
    const before = head === null ? null : advance(head, events, command.at);
    if (command.append === null) {
      if (before === null) return sessionNotFound();
      const value = { version: before.state.version, appended: null, cancelled };
      return accept({ events, value: () => value });
    }
    const appended = appendItems(world, command.append)(before);
    if (!appended.ok) return appended;
    const { events: more, value, after: folded } = appended.value;
    return accept({
      events: [...events, ...more],
      ...(folded !== undefined && { after: folded }),
      value: (after) => {
        const own = value(after);
        return { version: own.version, appended: own, cancelled };
      },
    });
  };
}

/** A command on the session that another one creates, if one does; both are written at once. */
export function within<T, V>(
  first: Decide<Head> | null,
  command: Decide<T>,
  at: string,
  value: (own: T) => V,
): Decide<V> {
  return (head) => {
    const begun = first === null ? accept({ events: [], value: null }) : first(head);
    if (!begun.ok) return begun;
    let created = head;
    for (const [index, event] of begun.value.events.entries()) {
      created = evolve(created, { ...event, version: index + 1, at });
    }
    const done = command(created);
    if (!done.ok) return done;
    const { events, value: own, after: folded } = done.value;
    return accept({
      events: [...begun.value.events, ...events],
      ...(folded !== undefined && { after: folded }),
      value: (after) => value(own(after)),
    });
  };
}

function observed(
  world: World,
  { counted }: SyncHistory,
  { settings, state }: Head,
  { items, summary_text, window }: CompactedByClient,
  version: number,
): NewEvent {
  const codec = codecFor(settings.format);
  const config = configOf(settings, world.server);
  const count = countedCounter(world, config, counted);
  const entries = items.map(({ item, seq }): Entry => {
    const { normalised, tokens } = measureItem(codec, item, count, config);
    const isSummary =
      clientSummary(item, normalised) !== null || answeredSummary(normalised) === summary_text;
    return { seq, item, tokens, origin: isSummary ? 'summary' : 'preserved' };
  });
  const pins = state.pins.all.reduce((sum, { tokens }) => sum + tokens, 0);
  const kept = pins + (window?.tokens ?? 0);
  const tokens_after = entries.reduce((sum, { tokens }) => sum + tokens, kept);
  const through = window?.after ?? version;
  const data = { through, summary_text, entries, tokens_before: state.tokens, tokens_after };
  return { type: 'compaction.observed', data };
}

/** What the client has taken back is pinned no more, nor what was pinned with it. */
function unpinned({ unpinned, at }: SyncHistory, head: Head): NewEvent[] {
  const events: NewEvent[] = [];
  let now = head;
  for (const { pin_id, tokens_change } of unpinned) {
    const { data } = removed(now, pin_id, tokens_change);
    const event: NewEvent = { type: 'pin.removed', data: { ...data, is_superseded: true } };
    now = advance(now, [event], at);
    events.push(event);
  }
  return events;
}
