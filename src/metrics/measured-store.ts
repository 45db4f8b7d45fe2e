import { ElsewhereError } from '../app/ports/elsewhere-error.ts';
import type { EventStore, SessionRef } from '../app/ports/event-store.ts';
import { type Span, type Tracer, UNTRACED } from '../app/ports/tracer.ts';
import { withMembers } from '../app/with-members.ts';
import type { Decision } from '../domain/session/decision.ts';
import { accept } from '../domain/session/errors.ts';
import type { NewEvent } from '../domain/session/events.ts';
import type { Head } from '../domain/session/head.ts';
import { measurementsOf } from './of-events.ts';
import type { Record } from './registry.ts';

/** What is timed; a search asks the store for much else. */
const TIMED = [
  'head',
  'events',
  'rows',
  'restore',
  'sessions',
  'compactions',
  'compaction',
  'pending',
  'due',
  'erase',
] as const;

/** Who is told of a store. */
export type Told = {
  record: Record;
  tracer?: Tracer;
  /** Of what a commit has written, and the head after it. */
  onCommitted?: (ref: SessionRef, events: readonly NewEvent[], after: Head) => void;
};

/**
 * The store, with what its commits say and how long it takes told to `record`, and each call a span of
 * what is under way: `append` where it has written items, else `store.` and the operation.
 */
export function measuredStore<S extends EventStore>(
  store: S,
  { record, tracer = UNTRACED, onCommitted }: Told,
): S {
  const timed = async <T>(
    operation: string,
    run: (span: Span | null) => Promise<T>,
  ): Promise<T> => {
    const started = performance.now();
    try {
      // Timers and rounds belong to nothing: their calls would be traces of their own.
      if (tracer.current() === undefined) return await run(null);
      return await tracer.span(`store.${operation}`, { kind: 'client' }, run);
    } catch (error) {
      // Another thread reads it.
      if (!(error instanceof ElsewhereError)) {
        record({ metric: 'palimpsest_store_errors_total', labels: { operation }, value: 1 });
      }
      throw error;
    } finally {
      const value = (performance.now() - started) / 1000;
      record({ metric: 'palimpsest_store_duration_seconds', labels: { operation }, value });
    }
  };
  const commit: EventStore['commit'] = (ref, decide, options) =>
    timed('commit', async (span) => {
      let made: Made | null = null;
      const committed = await store.commit(
        ref,
        (before) => {
          const decided = decide(before);
          // The store may ask again; what it was told last is what it has written.
          made = decided.ok ? { before, events: decided.value.events, after: null } : null;
          return decided.ok && onCommitted !== undefined
            ? accept(knowingAfter(decided.value, made))
            : decided;
        },
        options,
      );
      if (committed.ok && !committed.value.replayed) tell(ref, made, span);
      return committed;
    });
  const tell = (ref: SessionRef, made: Made | null, span: Span | null) => {
    if (made === null) return;
    const { before, events, after } = made;
    for (const measurement of measurementsOf(before, events)) record(measurement);
    if (after !== null) onCommitted?.(ref, events, after);
    if (span === null) return;
    const items = events.filter(({ type }) => type === 'item.appended').length;
    span.add({ 'palimpsest.session_id': ref.session_id, 'palimpsest.events': events.length });
    if (items === 0) return;
    span.rename('append');
    span.add({ 'palimpsest.items': items });
  };
  const members: { [operation: string]: unknown } = { commit };
  for (const operation of TIMED) {
    const run: (...asked: never[]) => Promise<unknown> = store[operation].bind(store);
    members[operation] = (...asked: never[]) => timed(operation, () => run(...asked));
  }
  return withMembers(store, members);
}

type Made = { before: Head | null; events: readonly NewEvent[]; after: Head | null };

/** The decision, which notes the head after it where it is told. */
function knowingAfter<T>(decision: Decision<T>, made: Made | null): Decision<T> {
  return {
    ...decision,
    value: (after) => {
      if (made !== null) made.after = after;
      return decision.value(after);
    },
  };
}
