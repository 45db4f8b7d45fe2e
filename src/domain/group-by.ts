/** Values by their keys, in their order: what `Map.groupBy` does, which Node 20 lacks. */
export function groupBy<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) addTo(groups, keyOf(value), value);
  return groups;
}

/** Puts a value behind the others of its key. */
export function addTo<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [value]);
  else group.push(value);
}
