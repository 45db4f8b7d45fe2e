import { eventAt } from '../../app/event-at.ts';
import { loadView } from '../../app/load-view.ts';
import type { SessionRef } from '../../app/ports/event-store.ts';
import { withLedger } from '../../app/read-ledger.ts';
import type { View } from '../../domain/context/view.ts';
import type { Usage } from '../../domain/items/item.ts';
import type { Attempt } from '../../domain/session/compaction-commands.ts';
import type { EventOf } from '../../domain/session/events.ts';
import type { Head, Running } from '../../domain/session/head.ts';
import { usageOfFailures } from '../../domain/session/summarizer-usage.ts';
import type { Terms } from '../../domain/session/world.ts';
import type { LogDependencies } from './dependencies.ts';

/** An attempt that has begun. Nothing of it changes: what comes meanwhile is left for later. */
export type Begun = {
  ref: SessionRef;
  attempt: Attempt;
  started_ms: number;
  terms: Terms;
  /** The session as it stood when the attempt began. */
  head: Head;
};

/** What an attempt works on: the context, what was asked for, and what earlier attempts have cost. */
export type Loaded = Begun & {
  view: View;
  running: Running;
  request: EventOf<'compaction.requested'>['data'];
  paid: Usage;
};

/** Null when the session was erased meanwhile. */
export async function load(
  { store }: Pick<LogDependencies, 'store'>,
  begun: Begun,
): Promise<Loaded | null> {
  const { ref, head } = begun;
  const { running, version } = head.state;
  if (running === null) return null;
  const after = running.requested_version;
  const loaded = await loadView(store, ref, version);
  const view = loaded && (await withLedger(store, ref, loaded));
  const event = await eventAt(store, ref, after);
  if (view === null || event?.type !== 'compaction.requested') return null;
  // One compaction is under way at a time: what has failed since its request is its own.
  const types = ['compaction.failed'] as const;
  const failed = running.attempt > 1 ? await store.events(ref, { after, types }) : [];
  return { ...begun, view, running, request: event.data, paid: usageOfFailures(failed) };
}
