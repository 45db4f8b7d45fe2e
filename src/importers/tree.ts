/**
 * The ids from `leaf` back to its root, in a log whose entries name the entry that they follow.
 * Parents that go round in a circle end where the circle closes.
 */
export function branchOf(
  leaf: string,
  parents: ReadonlyMap<string, string | undefined>,
): Set<string> {
  const branch = new Set<string>();
  let id: string | undefined = leaf;
  while (id !== undefined && !branch.has(id)) {
    branch.add(id);
    id = parents.get(id);
  }
  return branch;
}
