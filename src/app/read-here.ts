import type { EventStore } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';
import type { SearchIndex } from './ports/search-index.ts';

/**
 * The same ports for what only reads: an event that would hold up the thread that answers all requests
 * is not parsed, but ElsewhereError thrown. Not for what writes, which would then be done twice.
 */
export function readHere<P extends Pick<Ports, 'store' | 'largestHere'>>(ports: P): P {
  const { store, largestHere } = ports;
  if (largestHere === undefined) return ports;
  const { bytes: largest } = largestHere;
  const events: EventStore['events'] = (ref, query) => store.events(ref, { ...query, largest });
  const found: SearchIndex['events'] = (documents, most) =>
    store.search.events(documents, most, largest);
  const search = instead(store.search, { events: found });
  return { ...ports, store: instead(store, { events, search }) };
}

/** An object with these members in place of its own. */
function instead<T extends object>(object: T, members: Partial<T>): T {
  return new Proxy(object, {
    get: (target, name) => {
      if (name in members) return Reflect.get(members, name);
      const own: unknown = Reflect.get(target, name, target);
      // Methods read private fields, which a proxy does not have.
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}
