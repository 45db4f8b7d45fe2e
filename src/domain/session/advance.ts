import type { NewEvent } from './events.ts';
import { evolve } from './evolve.ts';
import type { Head } from './head.ts';

/** The head after events that are about to be written, in their order. `at` is ISO 8601. */
export function advance(head: Head, events: readonly NewEvent[], at: string): Head {
  return events.reduce(
    (last, event) => evolve(last, { ...event, version: last.state.version + 1, at }),
    head,
  );
}
