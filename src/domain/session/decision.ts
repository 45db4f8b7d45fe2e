import type { Outcome } from './errors.ts';
import type { NewEvent } from './events.ts';
import type { Head } from './head.ts';

/**
 * What a command answers for a head (null: no such session): the events to append and the value for
 * the caller, which may depend on the head after them. `after` is that head, where the command had to
 * fold the events itself: nobody folds them again then. Pure and synchronous: stores run it inside a
 * transaction, and may run it again.
 */
export type Decision<T> = { events: NewEvent[]; value: (after: Head) => T; after?: Head };
export type Decide<T> = (head: Head | null) => Outcome<Decision<T>>;
