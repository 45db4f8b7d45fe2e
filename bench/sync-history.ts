import { hash } from 'node:crypto';
import type { Item } from '../src/domain/items/item.ts';
import type { Figure } from './figures.ts';
import type { LocalService } from './local-service.ts';
import { dialogue } from './sample-items.ts';
import { median, timed } from './statistics.ts';

/** Of a client that holds its whole history (SPEC 2, section 22). */
const KNOWN = 10_000;
const MOST_TIMES = 3;
/** So that most of the history has been summarised, as in any session of this length. */
const WINDOW = 20_000;

/**
 * A sync of many known items and a new one, against reading and hashing the same body, which is the
 * least that anybody has to do with it; the two take turns.
 */
export async function syncHistory(
  { target }: Pick<LocalService, 'target'>,
  repeats: number,
): Promise<Figure[]> {
  const post = async (path: string, body: string | Uint8Array<ArrayBuffer>) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await target.request(path, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return answer.text();
  };
  const id = 'sync-known';
  await post('/sessions', JSON.stringify({ id, context_window: WINDOW }));
  const history: Item[] = dialogue(KNOWN);
  const sync = `/sessions/${id}/sync`;
  await post(sync, JSON.stringify({ items: history, wait: 'compaction' }));
  const synced: number[] = [];
  const read: number[] = [];
  for (let repeat = 0; repeat < repeats; repeat++) {
    history.push({ role: 'user', content: `And once more, for the ${repeat}th time?` });
    // As it comes from a socket: to encode it is the work of the client.
    const body = new TextEncoder().encode(JSON.stringify({ items: history }));
    synced.push(await timed(() => post(sync, body)));
    read.push(
      await timed(async () => {
        JSON.parse(new TextDecoder().decode(body));
        hash('sha256', body);
      }),
    );
  }
  return [
    {
      what: `sync of ${KNOWN} known items and a new one`,
      unit: 'ms',
      ours: median(synced),
      baseline: { what: 'decoding, JSON.parse and SHA-256 of the same body', value: median(read) },
      target: { at_most: MOST_TIMES },
    },
  ];
}
