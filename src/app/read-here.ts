import type { EventStore } from './ports/event-store.ts';
import type { Ports } from './ports/ports.ts';

/**
 * The same ports for what only reads: an event that would hold up the thread that answers all requests
 * is not parsed, but ElsewhereError thrown. Not for what writes, which would then be done twice.
 */
export function readHere<P extends Pick<Ports, 'store' | 'largestHere'>>(ports: P): P {
  const { store, largestHere } = ports;
  if (largestHere === undefined) return ports;
  const events: EventStore['events'] = (ref, query) =>
    store.events(ref, { ...query, largest: largestHere.bytes });
  const bounded = new Proxy(store, {
    get: (target, name) => {
      if (name === 'events') return events;
      const own: unknown = Reflect.get(target, name, target);
      // Methods read private fields, which a proxy does not have.
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
  return { ...ports, store: bounded };
}
