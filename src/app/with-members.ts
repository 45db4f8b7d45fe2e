/**
 * The object with these members in place of its own. The others run on the object itself: methods read
 * private fields, which a proxy does not have.
 */
export function withMembers<T extends object>(object: T, members: Record<string, unknown>): T {
  const known = new Map<string | symbol, unknown>(Object.entries(members));
  return new Proxy(object, {
    get: (target, name) => {
      if (known.has(name)) return known.get(name);
      const own: unknown = Reflect.get(target, name, target);
      if (typeof own !== 'function') return own;
      const bound: unknown = own.bind(target);
      known.set(name, bound);
      return bound;
    },
  });
}
