import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Item } from '../../src/domain/items/item.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, call, ofTokens, result, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const rendered = z.object({ items: z.array(z.json()) });

let count = 0;
async function session(config: JsonObject, items: Item[]): Promise<string> {
  count += 1;
  const id = `a5-${count}`;
  const body = { id, profile: 'rawr', context_window: 40_000, config };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
  await append(id, items);
  return id;
}

async function append(id: string, items: Item[]) {
  expect((await send(api, 'POST', `/sessions/${id}/items`, { body: items })).status).toBe(201);
}

const turnEnds = async (id: string) =>
  (await send(api, 'POST', `/sessions/${id}/signals`, { body: { signal: 'turn_complete' } })).body;

async function lastItems(id: string): Promise<string[]> {
  const { items } = rendered.parse((await send(api, 'GET', `/sessions/${id}/context`)).body);
  return items.map((item) => JSON.stringify(item));
}

const TALK = [
  user('Write the changelog.'),
  assistant(ofTokens(12_000)),
  assistant('The changelog is done.'),
];
/** Large results that are cleared, so that no summary is needed. */
const READING = [
  user('Write the changelog.'),
  ...[1, 2, 3, 4, 5].flatMap((n) => [
    call(`t${n}`, 'Bash', { command: `cat ${n}.txt` }),
    result(`t${n}`, ofTokens(3_500)),
  ]),
  assistant('The changelog is done.'),
];
const MEANWHILE = [user('Revert the changelog, please.'), assistant('I have reverted it.')];

describe('A5: a packet never stands after what the user wrote meanwhile', () => {
  describe.each([
    ['full', {}, TALK],
    ['micro', { micro_compact_enabled: true, micro_compact_min_tokens_to_save: 100 }, READING],
  ] as const)('%s', (_, config, talk) => {
    it.each<[string, Item[], RegExp]>([
      ['a message and its answer', MEANWHILE, /I have reverted it/],
      ['a message', MEANWHILE.slice(0, 1), /Revert the changelog/],
    ])('a packet of the service is dropped: %s', async (_name, meanwhile, last) => {
      const id = await session({ packet_author: 'watcher', ...config }, [...talk]);
      expect((await turnEnds(id)).compaction).toMatchObject({ status: 'queued' });
      await append(id, meanwhile);
      await api.work(api.dispatched.at(-1));
      const items = await lastItems(id);
      expect(items.at(-1)).toMatch(last);
      // The last words of the agent would stand in a packet, too.
      expect(items.join('\n')).not.toContain('Continuation packet');
    });

    it('a packet of the agent is dropped', async () => {
      const id = await session({ packet_author: 'agent', ...config }, [...talk]);
      expect((await turnEnds(id)).packet).not.toBeNull();
      const posted = { body: { text: 'Next step: polish the changelog.' } };
      expect((await send(api, 'POST', `/sessions/${id}/packet`, posted)).status).toBe(202);
      await append(id, MEANWHILE);
      await api.work(api.dispatched.at(-1));
      const items = await lastItems(id);
      expect(items.at(-1)).toContain('I have reverted it.');
      expect(items.join('\n')).not.toContain('polish the changelog');
    });

    it('with nothing said meanwhile it is the last message, as before', async () => {
      const id = await session({ packet_author: 'watcher', ...config }, [...talk]);
      await turnEnds(id);
      await append(id, [user('<task-notification>done</task-notification>')]);
      await api.work(api.dispatched.at(-1));
      expect((await lastItems(id)).at(-1)).toContain('changelog');
    });
  });

  it('needs none when the user has spoken before the turn is said to have ended', async () => {
    const id = await session(
      { packet_author: 'watcher', auto_requires_any_boundary: ['turn_complete'] },
      [...TALK, user('And now the release, please.')],
    );
    expect((await turnEnds(id)).compaction).toMatchObject({ status: 'queued' });
    await api.work(api.dispatched.at(-1));
    expect((await lastItems(id)).at(-1)).toContain('And now the release, please.');
  });
});
