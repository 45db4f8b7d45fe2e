import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Item } from '../../src/domain/items/item.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, ofTokens, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const listed = z.object({ data: z.array(z.looseObject({ outcome: z.string().nullable() })) });

let count = 0;
async function session(config: JsonObject): Promise<string> {
  count += 1;
  const id = `a9-${count}`;
  const body = { id, profile: 'rawr', context_window: 40_000, config };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
  await append(id, [
    user('Write the parser.'),
    assistant(ofTokens(12_000)),
    assistant('The parser is done.'),
  ]);
  await send(api, 'POST', `/sessions/${id}/signals`, { body: { signal: 'turn_complete' } });
  return id;
}

async function append(id: string, items: Item[]) {
  const reply = await send(api, 'POST', `/sessions/${id}/items`, { body: items });
  expect(reply.status).toBe(201);
  return reply.body;
}

async function outcomes(id: string): Promise<(string | null)[]> {
  const { data } = listed.parse((await send(api, 'GET', `/sessions/${id}/compactions`)).body);
  return data.map(({ outcome }) => outcome);
}

const state = async (id: string) => (await send(api, 'GET', `/sessions/${id}`)).body;

type Armed = {
  config: JsonObject;
  /** What would make it compact; switched off, the service may refuse it. */
  fire: (id: string, isOn?: true) => Promise<unknown>;
};
const ARMED: Record<string, Armed> = {
  'an armed preflight': {
    config: { packet_author: 'none', auto_requires_any_boundary: ['turn_complete'] },
    fire: (id) => append(id, [user('Next.')]),
  },
  'a packet that is waited for, written as an answer': {
    config: { packet_author: 'agent' },
    fire: (id) => append(id, [assistant('Goal: the parser. Next: test it.')]),
  },
  'a packet that is waited for, posted': {
    config: { packet_author: 'agent' },
    fire: async (id, isOn) => {
      const body = { text: 'Goal: the parser. Next: test it.' };
      const { status } = await send(api, 'POST', `/sessions/${id}/packet`, { body });
      expect(status).toBe(isOn ? 202 : 409);
    },
  },
  'a packet that is waited for, and the user speaks': {
    config: { packet_author: 'agent' },
    fire: (id) => append(id, [user('Next.')]),
  },
  'a queued compaction': {
    config: { packet_author: 'watcher' },
    fire: () => api.work(api.dispatched.at(-1)),
  },
};

const SWITCHES: [string, JsonObject][] = [
  ['auto_compact_enabled: false', { config: { auto_compact_enabled: false } }],
  ['enabled: false', { config: { enabled: false } }],
  ['mode suggest', { config: { auto_compact_mode: 'suggest' } }],
  ['mode tag', { config: { auto_compact_mode: 'tag' } }],
  ['trigger threshold', { config: { auto_compact_trigger: 'threshold' } }],
  [
    'trigger limit',
    { config: { auto_compact_trigger: 'limit', auto_compact_token_limit: 30_000 } },
  ],
  ['another profile', { profile: 'codex-classic' }],
];

describe('A9: switching off stops what is armed', () => {
  describe.each(Object.entries(ARMED))('%s', (_, { config, fire }) => {
    it.each(SWITCHES)('%s', async (_name, change) => {
      const id = await session(config);
      expect((await send(api, 'PATCH', `/sessions/${id}`, { body: change })).status).toBe(200);
      expect(await state(id)).toMatchObject({
        running_compaction: null,
        packet: { state: 'idle' },
      });
      await fire(id);
      // It stands in the history, with the reason.
      expect(await outcomes(id)).toEqual(['skipped']);
      const context = (await send(api, 'GET', `/sessions/${id}/context`)).text;
      expect(context).toContain('Write the parser.');
      expect(context).not.toContain('being continued');
    });

    it('all on: it compacts', async () => {
      const id = await session(config);
      await fire(id, true);
      if ((await outcomes(id)).includes(null)) await api.work(api.dispatched.at(-1));
      expect(await outcomes(id)).toEqual(['full_compacted']);
    });
  });

  it('packet_author none: nothing is waited for, and no packet is appended', async () => {
    for (const author of ['agent', 'watcher']) {
      const id = await session({ packet_author: author });
      const body = { config: { packet_author: 'none' } };
      await send(api, 'PATCH', `/sessions/${id}`, { body });
      expect(await state(id)).toMatchObject({
        packet: { state: expect.not.stringMatching(/await/) },
      });
      if (author === 'watcher') {
        await api.work(api.dispatched.at(-1));
        expect(await outcomes(id)).toEqual(['full_compacted']);
        const { items } = (await send(api, 'GET', `/sessions/${id}/context`)).body;
        expect(JSON.stringify(items)).not.toMatch(/continuation packet/i);
      } else {
        await append(id, [assistant('Goal: the parser. Next: test it.')]);
        expect(await outcomes(id)).toEqual(['skipped']);
      }
    }
  });

  it('says why, and waits for nothing once it is on again', async () => {
    const id = await session({
      packet_author: 'none',
      auto_requires_any_boundary: ['turn_complete'],
    });
    const set = (auto_compact_enabled: boolean) =>
      send(api, 'PATCH', `/sessions/${id}`, { body: { config: { auto_compact_enabled } } });
    await set(false);
    await set(true);
    expect((await append(id, [user('Next.')])).compaction).toBeNull();
    const { text } = await send(api, 'GET', `/sessions/${id}/events`);
    expect(text).toContain('the configuration has changed since');
  });

  it('a compaction that somebody asked for goes on', async () => {
    const id = await session({ packet_author: 'none', auto_compact_enabled: false });
    await send(api, 'POST', `/sessions/${id}/compact`, { body: { mode: 'full' } });
    const body = { config: { auto_compact_mode: 'tag' } };
    await send(api, 'PATCH', `/sessions/${id}`, { body });
    await api.work(api.dispatched.at(-1));
    expect(await outcomes(id)).toEqual(['full_compacted']);
  });
});
