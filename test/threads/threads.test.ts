import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isTerminal, SessionClient } from '../e2e/api-client.ts';
import { Speaker, turns } from '../e2e/conversation.ts';
import { close, listen } from '../support/listening.ts';
import { hang } from '../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../support/scripted-model-server.ts';
import type { ServiceProcess, Variables } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';

const PRELOAD = new URL('../support/dying-thread.mjs', import.meta.url).href;

describe('a thread that dies', () => {
  it('in a request is owned up to, and the service lives on', async () => {
    const service = await started({ NODE_OPTIONS: '--max-old-space-size=64' });
    const session = await SessionClient.create(() => service.url, {
      id: 'many',
      format: 'anthropic',
    });
    const blocks = Array.from({ length: 12 }, () => ({ type: 'text', text: 'much '.repeat(20) }));
    const many = Array.from({ length: 9_000 }, () => ({ role: 'user', content: blocks }));
    const answer = await session.request('POST', '/items', { body: many });
    expect(answer).toMatchObject({
      status: 503,
      body: { detail: expect.stringContaining('The thread that worked on this has died') },
    });
    const large = 'Large enough for a thread. '.repeat(10_000);
    const appended = await session.append([{ role: 'user', content: large }]);
    // Right after the event that created the session: nothing of the other was written.
    expect(appended.first_seq).toBe(2);
  });

  it('before it has begun is owned up to as well', async () => {
    const service = await started({ NODE_OPTIONS: `--import=${PRELOAD}?start` });
    const session = await SessionClient.create(() => service.url, {
      id: 'never',
      format: 'anthropic',
    });
    const large = 'Large enough for a thread. '.repeat(10_000);
    for (let time = 0; time < 2; time++) {
      const answer = await session.request('POST', '/items', {
        body: { role: 'user', content: large },
      });
      expect(answer.status).toBe(503);
    }
    const small = await session.append([{ role: 'user', content: 'Small enough for none.' }]);
    expect(small.first_seq).toBe(2);
  });

  it('in a compaction hands it to the next one, which ends it once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'palimpsest-threads-'));
    const mark = join(folder, 'died');
    const model = await ScriptedModelServer.start();
    onTestFinished(async () => {
      await model.close();
      rmSync(folder, { recursive: true });
    });
    const service = await started({
      NODE_OPTIONS: `--import=${PRELOAD}?mark=${encodeURIComponent(mark)}`,
      OPENAI_API_KEY: 'test',
      OPENAI_BASE_URL: model.openaiUrl,
      PALIMPSEST_SUMMARIZATION_MODEL: 'openai/test-model',
    });
    const session = await SessionClient.create(() => service.url, {
      id: 'compacted',
      format: 'anthropic',
    });
    // Large enough for a thread.
    await session.append(turns(new Speaker('anthropic'), 'turn', 4, 8_000));
    await session.compact({ mode: 'full' });
    expect(existsSync(mark)).toBe(true);
    // It comes through a pipe of its own.
    await expect.poll(() => service.output).toContain('the thread of a compaction has died');
    expect(model.requests).toHaveLength(1);
    const ends = (await session.events()).filter(isTerminal);
    expect(ends.map(({ type }) => type)).toEqual(['compaction.completed']);
  });

  it('is not missed by a small compaction, which needs none', async () => {
    const service = await started({
      NODE_OPTIONS: `--import=${PRELOAD}?start`,
      PALIMPSEST_SUMMARIZATION_MODEL: 'extractive',
    });
    const session = await SessionClient.create(() => service.url, {
      id: 'small',
      format: 'anthropic',
      context_window: 16_000,
    });
    await session.append(turns(new Speaker('anthropic'), 'turn', 4, 500));
    const compaction = await session.compact({ mode: 'full' });
    expect(compaction).toMatchObject({ outcome: 'full_compacted', attempts: 1 });
    expect(service.output).not.toContain('thread');
  });

  async function started(variables: Variables): Promise<ServiceProcess> {
    const service = await startService(variables);
    onTestFinished(() => service.dispose());
    return service;
  }
});

it('are left to others where one tenant waits for its model in all that it may have', async () => {
  const model = await ScriptedModelServer.start(...Array.from({ length: 99 }, hang));
  onTestFinished(() => model.close());
  const service = await startService({
    PALIMPSEST_API_KEYS: 'one:key-of-one-0001,other:key-of-other-1',
    PALIMPSEST_THREADS: '1',
    OPENAI_API_KEY: 'test',
    OPENAI_BASE_URL: model.openaiUrl,
    PALIMPSEST_SUMMARIZATION_MODEL: 'openai/test-model',
  });
  onTestFinished(() => service.dispose());
  const post = (path: string, key: string, body: object, patience_ms: number) =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(patience_ms),
    });
  const content = 'Large enough for a thread. '.repeat(1_000);
  const said = (_: unknown, index: number) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content,
  });
  const ask = { model: 'gpt-5.4', input: Array.from({ length: 20 }, said) };
  const waiting = Array.from({ length: 16 }, () =>
    post('/v1/responses/compact', 'key-of-one-0001', ask, 100_000).catch(() => null),
  );
  await model.received(4);
  const items = Array.from({ length: 20 }, said);
  const answer = await post('/sessions/theirs/items', 'key-of-other-1', items, 60_000);
  expect(answer.status).toBe(201);
  expect(waiting).toHaveLength(16);
}, 180_000);

it('records a long answer of the gateway', async () => {
  const text = 'It has much to say. '.repeat(20_000);
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    stop_reason: 'end_turn',
  };
  const provider = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...message, content: [{ type: 'text', text }] }));
  });
  onTestFinished(() => close(provider));
  const service = await startService({ PALIMPSEST_UPSTREAM_ANTHROPIC: await listen(provider) });
  onTestFinished(() => service.dispose());
  const messages = [{ role: 'user', content: 'Say much.' }];
  const answer = await fetch(`${service.url}/v1/messages`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', max_tokens: 10, messages }),
  });
  expect(await answer.json()).toMatchObject({ content: [{ text }] });
  const items = `${service.url}/sessions/${answer.headers.get('palimpsest-session')}/items`;
  await expect
    .poll(async () => (await fetch(items)).json(), { timeout: 30_000 })
    .toMatchObject({ data: [{ item: messages[0] }, { item: { content: [{ text }] } }] });
});
