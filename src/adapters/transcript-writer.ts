import { type PalimpsestClient, ProblemError } from '../client/client.ts';
import { type Entry, itemsOf } from './transcript-items.ts';

/** Where a transcript goes, and the entries that are there already, by their ids. */
export type Opened = { id: string; uuids: Set<string> };

/** `given` is the list that the SDK has handed over, of which these may be half. */
type Batch = { given: readonly Entry[]; entries: readonly Entry[]; idempotencyKey: string };

/**
 * Hands entries over in the order in which they came. What could not be handed over, since the service was
 * away, is held and goes first the next time; what the service refuses is dropped, as the SDK does.
 */
export function transcriptWriter(client: PalimpsestClient, open: () => Promise<Opened>) {
  const waiting: Batch[] = [];
  let opened: Opened | null = null;
  let turn: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    for (let batch = waiting[0]; batch !== undefined; batch = waiting[0]) {
      try {
        opened ??= await open();
        await send(client, opened, batch);
        waiting.shift();
      } catch (error) {
        if (hasCode(error, 'body_too_large') && batch.entries.length > 1) {
          waiting.splice(0, 1, ...halvesOf(batch));
          continue;
        }
        // Somebody has erased the session: the next try begins a new one.
        if (hasCode(error, 'version_mismatch')) opened = null;
        else if (isRefusal(error)) waiting.shift();
        throw error;
      }
    }
  }

  return {
    write: (entries: readonly Entry[]): Promise<void> => {
      // The SDK tries again with the same list.
      const isHeld = waiting.some(({ given }) => given === entries);
      if (!isHeld && entries.length > 0) waiting.push(batchOf(entries, entries));
      const done = turn.then(flush);
      turn = done.catch(() => {});
      return done;
    },
  };
}

function batchOf(given: readonly Entry[], entries: readonly Entry[]): Batch {
  return { given, entries, idempotencyKey: crypto.randomUUID() };
}

function halvesOf({ given, entries }: Batch): Batch[] {
  const half = Math.ceil(entries.length / 2);
  return [entries.slice(0, half), entries.slice(half)].map((part) => batchOf(given, part));
}

/**
 * An entry with an id is appended once, the others as often as they come. Messages that the service does
 * not take as such are kept as lines.
 */
async function send(
  client: PalimpsestClient,
  { id, uuids }: Opened,
  { entries, idempotencyKey }: Batch,
): Promise<void> {
  const sent = new Set<string>();
  const fresh = entries.filter(({ uuid }) => {
    if (uuid === undefined) return true;
    const isNew = !uuids.has(uuid) && !sent.has(uuid);
    sent.add(uuid);
    return isNew;
  });
  // The SDK tries what fails three times itself.
  const post = (body: object[], key: string) =>
    client.appendItems({ id, body }, { idempotencyKey: key, ifMatch: '*', retries: 0 });
  if (fresh.length > 0) {
    await post(itemsOf(fresh), idempotencyKey).catch((error: unknown) => {
      if (!hasCode(error, 'invalid_item')) throw error;
      return post(itemsOf(fresh, { isShown: false }), `${idempotencyKey}.lines`);
    });
  }
  for (const uuid of sent) uuids.add(uuid);
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof ProblemError && error.code === code;
}

/** It will be refused the next time as well. */
function isRefusal(error: unknown): boolean {
  return error instanceof ProblemError && error.status < 500 && error.status !== 429;
}
