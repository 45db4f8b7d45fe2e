import { type JsonObject, stringField } from '../domain/json.ts';

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

/**
 * The entries in an order in which each stands after those that it follows, and otherwise as they are:
 * programs write several entries at once, and a later one may come to the file first. Entries that
 * follow each other in a circle stay where they are.
 */
export function inOrderOfChain<Entry>(
  entries: readonly Entry[],
  predecessors: (entry: Entry) => readonly Entry[],
): Entry[] {
  const ordered = new Set<Entry>();
  const known = new Set(entries);
  /** Entries on the way to the first one: on meeting one again the circle is closed. */
  const opened = new Set<Entry>();
  for (const start of entries) {
    const path = [start];
    for (let entry = path.at(-1); entry !== undefined; entry = path.at(-1)) {
      opened.add(entry);
      const before = predecessors(entry).filter((other) => known.has(other) && !ordered.has(other));
      const missing = before.find((other) => !opened.has(other));
      if (missing !== undefined) {
        path.push(missing);
        continue;
      }
      for (const closing of before) ordered.add(closing);
      ordered.add(entry);
      path.pop();
    }
  }
  return [...ordered];
}

/** Lines with an `id` after the line that their `parentId` names; the others stay in their places. */
export function linesInOrderOfChain(lines: readonly JsonObject[]): JsonObject[] {
  const byId = new Map<string, JsonObject>();
  for (const line of lines) {
    const id = stringField(line, 'id');
    if (id !== undefined && !byId.has(id)) byId.set(id, line);
  }
  return inOrderOfChain(lines, (line) => {
    const parent = byId.get(stringField(line, 'parentId') ?? '');
    return parent === undefined ? [] : [parent];
  });
}

/**
 * Tells the lines that the newest one does not follow. A parent that the file does not hold, such as a
 * damaged line, is replaced by the line before.
 */
export function abandonedBranches(lines: readonly JsonObject[]): (line: JsonObject) => boolean {
  const ids = new Set(lines.map((line) => stringField(line, 'id')));
  const parents = new Map<string, string | undefined>();
  let before: string | undefined;
  for (const line of lines) {
    const id = stringField(line, 'id');
    if (id === undefined || !('parentId' in line)) continue;
    const named = stringField(line, 'parentId');
    parents.set(id, named === undefined || ids.has(named) ? named : before);
    before = id;
  }
  const leaf = [...parents.keys()].at(-1);
  const branch = leaf === undefined ? undefined : branchOf(leaf, parents);
  return (line) => {
    const id = stringField(line, 'id');
    return branch !== undefined && id !== undefined && parents.has(id) && !branch.has(id);
  };
}
