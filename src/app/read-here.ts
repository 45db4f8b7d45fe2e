import type { EventStore } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import type { SearchIndex } from './ports/search-index.ts';
import { withMembers } from './with-members.ts';

/**
 * The same ports for what only reads: an event that would hold up the thread that answers all requests
 * is not parsed, but ElsewhereError thrown. Not for what writes, which would then be done twice.
 */
export function readHere<P extends Pick<Ports, 'store' | 'largestHere'>>(ports: P): P {
  const { store, largestHere } = ports;
  if (largestHere === undefined) return ports;
  const { bytes: largest, values: most_values } = largestHere;
  const events: EventStore['events'] = (ref, query) =>
    store.events(ref, { ...query, largest, most_values });
  const found: SearchIndex['events'] = (documents, most) =>
    store.search.events(documents, most, largest);
  const search = withMembers(store.search, { events: found });
  return { ...ports, store: withMembers(store, { events, search }) };
}
