import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { SessionClient } from './api-client.ts';
import { Speaker, textOf, turns } from './conversation.ts';

/** The threshold is 27,000 tokens; two turns of 4,000 each way are 21,280 with margin, 46 % are left. */
const WINDOW = 40_000;

let service: ServiceProcess;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.dispose());

const speaker = new Speaker('anthropic');

function create(id: string, config: JsonObject): Promise<SessionClient> {
  const settings = { id, format: 'anthropic', profile: 'rawr', context_window: WINDOW } as const;
  return SessionClient.create(() => service.url, { ...settings, config });
}

async function signal(session: SessionClient, body: JsonObject): Promise<JsonObject> {
  const answer = await session.request('POST', '/signals', { body });
  expect(answer.status).toBe(200);
  return answer.body as JsonObject;
}

async function texts(session: SessionClient): Promise<string[]> {
  const { body } = await session.request('GET', '/context?wait=compaction');
  return (body as { items: JsonObject[] }).items.map((item) => JSON.stringify(item.content));
}

describe('a client that tells about its turns', () => {
  it('is compacted where a turn ends at a boundary, and goes on from the packet', async () => {
    const session = await create('watcher', {});
    await signal(session, { signal: 'turn_started' });
    await session.append([...turns(speaker, 'work', 2, 4_000), speaker.assistant('It is done.')]);
    const told = await signal(session, { signal: 'turn_complete' });
    expect(told.compaction).toMatchObject({ trigger: 'auto', reason: 'turn_complete' });
    const after = await texts(session);
    expect(after.at(-1)).toContain('Continuation packet');
    expect(after.at(-1)).toContain('It is done.');
    const again = await signal(session, { signal: 'turn_complete' });
    expect(again).toMatchObject({ compaction: null, signals: ['turn_complete'] });
  });

  it('is asked for a packet, and finds it after the summary', async () => {
    const session = await create('agent', { packet_author: 'agent' });
    await session.append([...turns(speaker, 'work', 2, 4_000), speaker.assistant('It is done.')]);
    const told = await signal(session, { signal: 'turn_complete' });
    expect(told).toMatchObject({ compaction: null, packet: { prompt: expect.any(String) } });
    const body = { text: 'Goal: ship it. Next step: run the tests.' };
    const handed = await session.request('POST', '/packet', { body });
    expect(handed.status).toBe(202);
    expect((await texts(session)).at(-1)).toContain('Next step: run the tests.');
    expect((await session.request('POST', '/packet', { body })).status).toBe(409);
  });

  it('gets a compaction before the next user message, which stays', async () => {
    const config = { auto_requires_any_boundary: ['turn_complete'], packet_author: 'none' };
    const session = await create('preflight', config);
    await session.append(turns(speaker, 'work', 2, 4_000));
    const told = await signal(session, { signal: 'turn_complete' });
    expect(told).toMatchObject({ compaction: null, preflight_armed: true });
    const appended = await session.append([speaker.user('And now the docs.')]);
    expect(appended.compaction).toMatchObject({ trigger: 'auto' });
    const after = await texts(session);
    expect(after.at(-1)).toContain('And now the docs.');
    expect(after.join()).not.toContain(textOf('work0', 50));
  });
});
