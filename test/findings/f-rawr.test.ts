import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FORMATS } from '../../src/domain/items/codecs.ts';
import type { Item } from '../../src/domain/items/item.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, ofTokens, user } from '../support/items.ts';
import { SHAPES } from '../support/readings.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

let count = 0;
/** A session with so many tokens of 40,000 in its window; counted with the margin of the profile. */
async function session(config: object, format = 'anthropic'): Promise<string> {
  count += 1;
  const id = `f-rawr-${count}`;
  const body = { id, format, profile: 'rawr', context_window: 40_000, config };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
  return id;
}

async function append(id: string, ...items: Item[]) {
  const reply = await send(api, 'POST', `/sessions/${id}/items`, { body: items });
  expect(reply.status).toBe(201);
  return reply.body;
}

async function signal(id: string, name: string, fields: object = {}) {
  const reply = await send(api, 'POST', `/sessions/${id}/signals`, {
    body: { signal: name, ...fields },
  });
  expect(reply.status).toBe(200);
  return reply.body;
}

/** A session whose agent was asked for a packet at the end of its turn. */
async function asked(format = 'anthropic'): Promise<string> {
  const id = await session({ packet_author: 'agent' }, format);
  await append(
    id,
    user('Write the new lexer tests.'),
    assistant(ofTokens(12_000)),
    assistant('The new lexer tests are written, all of it is done.'),
  );
  const { packet } = await signal(id, 'turn_complete');
  expect(packet).not.toBeNull();
  return id;
}

const rendered = z.object({ items: z.array(z.json()) });
async function context(id: string): Promise<string[]> {
  const { body } = await send(api, 'GET', `/sessions/${id}/context`);
  return rendered.parse(body).items.map((item) => JSON.stringify(item));
}

async function packetState(id: string): Promise<unknown> {
  return (await send(api, 'GET', `/sessions/${id}`)).body.packet;
}

describe('F: rawr, what its rows claimed', () => {
  describe.each(FORMATS)('RW-83, RW-84 in %s', (format) => {
    const looking = SHAPES[format].exchange('t1', 'shell', 'clean');

    it.each<[string, Item[]]>([
      ['nothing at all', []],
      ['only calls', looking],
    ])('a packet turn that ends with %s falls back at its end', async (_, items) => {
      const id = await asked(format);
      if (items.length > 0) await append(id, ...items);
      expect(await packetState(id)).toMatchObject({ state: 'awaiting_packet' });
      const ended = await signal(id, 'turn_complete');
      expect(ended).toMatchObject({ packet: null, compaction: { reason: 'turn_complete' } });
      await api.work(api.dispatched.at(-1));
      const last = (await context(id)).at(-1);
      expect(last).toContain('Continuation packet');
      expect(last).toContain('The new lexer tests are written');
      expect(await packetState(id)).toMatchObject({ state: 'idle' });
    });
  });

  it('RW-83: in review mode the watcher does not look, and the wait goes on', async () => {
    const id = await asked();
    const { packet, compaction } = await signal(id, 'turn_complete', { review_mode: true });
    expect(packet).not.toBeNull();
    expect(compaction).toBeNull();
    // The next end of a turn that is looked at is the end of the packet turn.
    const ended = await signal(id, 'turn_complete');
    expect(ended).toMatchObject({ packet: null, compaction: { reason: 'turn_complete' } });
  });

  it('RW-89: with messages that the user has queued meanwhile there is no packet', async () => {
    const id = await asked();
    const { compaction } = await signal(id, 'turn_complete', { queued_user_messages: 1 });
    expect(compaction).toMatchObject({ reason: 'turn_complete' });
    await api.work(api.dispatched.at(-1));
    expect((await context(id)).join('\n')).not.toContain('Continuation packet');
  });

  it('RW-48: each end of a turn that is skipped says so, and none without need', async () => {
    const id = await session({});
    await append(id, user('Go.'), assistant('Hello.'));
    expect(await signal(id, 'turn_complete')).toMatchObject({ advice: null });
    await append(id, assistant(ofTokens(12_000)));
    const skipped = { advice: 'no_natural_boundary', compaction: null };
    expect(await signal(id, 'turn_complete')).toMatchObject(skipped);
    expect(await signal(id, 'turn_complete')).toMatchObject(skipped);
    await signal(id, 'commit');
    expect(await signal(id, 'turn_complete')).toMatchObject({
      advice: null,
      compaction: { reason: 'turn_complete' },
    });
  });
});
