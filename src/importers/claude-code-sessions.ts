import { isJsonObject, type JsonObject, stringField } from '../domain/json.ts';

/**
 * The lines of each session of a file, in the order of the sessions. A session that was resumed goes on
 * under another id and stays one; sessions whose files were put together hang together nowhere.
 * Lines that name no session, or one in which nobody speaks, stand with the first.
 */
export function sessionsIn(file: JsonObject[]): JsonObject[][] {
  const groups = new Groups();
  const sessionOf = new Map<string, string>();
  let before: string | undefined;
  for (const line of file) {
    const session = stringField(line, 'sessionId');
    const uuid = stringField(line, 'uuid');
    if (session === undefined || uuid === undefined) continue;
    const parent = stringField(line, 'parentUuid') ?? stringField(line, 'logicalParentUuid');
    const follows = parent !== undefined || line.subtype === 'compact_boundary';
    const known = parent === undefined ? undefined : sessionOf.get(parent);
    const other = known ?? (follows ? before : sessionOf.get(uuid));
    if (other !== undefined) groups.join(session, other);
    if (!sessionOf.has(uuid)) sessionOf.set(uuid, session);
    if (isJsonObject(line.message)) before = session;
  }
  const sessions = new Map<string, JsonObject[]>();
  for (const line of file) {
    const session = stringField(line, 'sessionId');
    if (session !== undefined && isJsonObject(line.message)) sessions.set(groups.of(session), []);
  }
  const [first] = sessions.values();
  if (first === undefined || sessions.size === 1) return [file];
  for (const line of file) {
    const session = stringField(line, 'sessionId');
    (sessions.get(session === undefined ? '' : groups.of(session)) ?? first).push(line);
  }
  return [...sessions.values()];
}

/** Names that belong together, each group under the name that came first. */
class Groups {
  private readonly parents = new Map<string, string>();

  of(name: string): string {
    let root = name;
    for (let up = this.parents.get(root); up !== undefined; up = this.parents.get(root)) root = up;
    // The next look-up is short, however the groups grew.
    if (root !== name) this.parents.set(name, root);
    return root;
  }

  join(name: string, other: string): void {
    const [one, two] = [this.of(name), this.of(other)];
    if (one !== two) this.parents.set(one, two);
  }
}
