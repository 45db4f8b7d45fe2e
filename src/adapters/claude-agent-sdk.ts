import { createClient } from '../client/client.ts';
import { digestOf } from './content.ts';
import type { AdapterOptions } from './conversation.ts';
import { type Entry, entriesOf, type Mark, markIn } from './transcript-items.ts';
import { hasCode, type Opened, transcriptWriter } from './transcript-writer.ts';

/** The SDK's name of a transcript; a subagent's has a `subpath`. */
type Key = { projectKey: string; sessionId: string; subpath?: string | undefined };
type Options = Pick<AdapterOptions, 'url' | 'key' | 'timeoutMs' | 'retries' | 'client' | 'onError'>;

/** The SDK itself waits for a minute. */
const PATIENCE = { timeoutMs: 50_000, retries: 1 };
const PAGE = { limit: 100 };
/** Claude Code compacts by itself. */
const CONFIG = { auto_compact_enabled: false, manual_commands: false };

/**
 * `sessionStore` for `query` of the Claude Agent SDK: each transcript is a session, the main one under the
 * SDK's own session id, which can be resumed from any folder and machine. While the service is away the
 * agent goes on; what is missing is held here and handed over with the next entries.
 */
export function palimpsest(options: Options = {}) {
  const { onError, client = createClient({ ...PATIENCE, ...options }) } = options;
  const places = new Map<string, string>();
  /** By main transcript, and by `subpath`. */
  const writers = new Map<string, Map<string | undefined, ReturnType<typeof transcriptWriter>>>();

  const told = (error: unknown): never => {
    onError?.(error);
    throw error;
  };

  /** Null where there is no such session, '' where it is none of the SDK's. */
  async function projectOf(id: string): Promise<string | null> {
    const session = await unlessMissing(client.getSession({ id }));
    return session === null ? null : (markIn(session.metadata)?.project ?? '');
  }

  /**
   * The session of a main transcript. The same id in two projects is two transcripts where both are
   * written; one that is read may have been written in another folder, and is gone on with there.
   */
  async function placeOf(key: Key, isRead: boolean): Promise<string> {
    const known = places.get(nameOf(key));
    if (known !== undefined) return known;
    const own = `${key.sessionId}.${await digestOf(key.projectKey)}`;
    const project = await projectOf(key.sessionId);
    const isFree = project === null || project === key.projectKey;
    const isElsewhere = isRead && project !== '' && (await projectOf(own)) === null;
    const place = isFree || isElsewhere ? key.sessionId : own;
    if (project !== null) places.set(nameOf(key), place);
    return place;
  }

  async function sessionOf(key: Key, isRead: boolean): Promise<string> {
    const main = await placeOf(key, isRead);
    if (key.subpath === undefined) return main;
    const name = key.subpath.replace(/^.*\//s, '').replaceAll(/[^\w-]/g, '_');
    return `${main}.${name.slice(0, 40)}.${await digestOf(key.subpath)}`;
  }

  /** Answers whether it is new. */
  async function create(id: string, mark: Mark): Promise<boolean> {
    try {
      await client.createSession({ body: { id, config: CONFIG, metadata: { transcript: mark } } });
      return true;
    } catch (error) {
      if (!hasCode(error, 'session_exists')) throw error;
      return false;
    }
  }

  async function open({ projectKey: project, sessionId: session, subpath }: Key): Promise<Opened> {
    const key = { projectKey: project, sessionId: session };
    const main = await sessionOf(key, false);
    const id = await sessionOf({ ...key, subpath }, false);
    let isNew = await create(main, { project, session });
    if (subpath !== undefined) isNew = await create(id, { project, session, main, subpath });
    const entries = isNew ? [] : await read(id);
    return { id, uuids: new Set(entries.flatMap(({ uuid }) => uuid ?? [])) };
  }

  const read = async (id: string): Promise<Entry[]> =>
    (await unlessMissing(entriesOf(client.each('listItems', { id, ...PAGE })))) ?? [];

  /** The newest first. */
  async function* stored() {
    for await (const { id, metadata, counts, updated_at } of client.each('listSessions', PAGE)) {
      const mark = markIn(metadata);
      if (mark !== null) yield { id, ...mark, counts, mtime: Date.parse(updated_at) };
    }
  }

  async function subagentsOf(place: string) {
    const found: { id: string; subpath: string }[] = [];
    for await (const { id, main, subpath } of stored()) {
      if (main === place && subpath !== undefined) found.push({ id, subpath });
      // Older ones are none of its own.
      if (id === place) break;
    }
    return found;
  }

  return {
    append: async (key: Key, entries: Entry[]): Promise<void> => {
      const own = writers.get(nameOf(key)) ?? new Map();
      const writer = own.get(key.subpath) ?? transcriptWriter(client, () => open(key));
      writers.set(nameOf(key), own.set(key.subpath, writer));
      await writer.write(entries).catch(told);
    },
    /** Throws when the service is away: for null the SDK would take what old copy this machine has. */
    load: async (key: Key): Promise<Entry[] | null> => {
      await writers.get(nameOf(key))?.get(key.subpath)?.write([]).catch(told);
      const entries = await sessionOf(key, true).then(read).catch(told);
      return entries.length === 0 ? null : entries;
    },
    listSessions: async (projectKey: string) => {
      const found: { sessionId: string; mtime: number }[] = [];
      for await (const { project, session, subpath, counts, mtime } of stored()) {
        const isMain = project === projectKey && subpath === undefined && counts.items > 0;
        if (isMain) found.push({ sessionId: session, mtime });
      }
      return found;
    },
    listSubkeys: async (key: Key): Promise<string[]> =>
      (await subagentsOf(await placeOf(key, true))).map(({ subpath }) => subpath),
    delete: async (key: Key): Promise<void> => {
      const id = await sessionOf(key, false);
      const others = key.subpath === undefined ? await subagentsOf(id) : [];
      for (const each of [...others, { id }]) {
        await unlessMissing(client.eraseSession({ id: each.id }));
      }
      if (key.subpath === undefined) writers.delete(nameOf(key));
      else writers.get(nameOf(key))?.delete(key.subpath);
    },
  };
}

/** Of a main transcript and its subagents'. */
const nameOf = ({ projectKey, sessionId }: Key) => JSON.stringify([projectKey, sessionId]);

async function unlessMissing<T>(asked: Promise<T>): Promise<T | null> {
  return asked.catch((error: unknown) => {
    if (hasCode(error, 'session_not_found')) return null;
    throw error;
  });
}
