import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../src/domain/items/item.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ApiReply, type ApiServer, send, startApi } from '../support/api-server.ts';
import { assistant, ofTokens, tool, user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

let count = 0;
async function session(items: Item[], settings: JsonObject = {}): Promise<string> {
  count += 1;
  const id = `tiered-${count}`;
  const body = { id, profile: 'tiered', context_window: 200_000, ...settings };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
  expect((await send(api, 'POST', `/sessions/${id}/items`, { body: items })).status).toBe(201);
  return id;
}

/** The agent's tool; with its message, that is when it has ended. */
async function callTool(id: string, fields: JsonObject = {}): Promise<ApiReply> {
  const jobs = api.dispatched.length;
  const waiting = send(api, 'POST', `/sessions/${id}/compact`, {
    body: { trigger: 'tool', ...fields },
    headers: { prefer: 'wait=30' },
  });
  const reply = await Promise.race([waiting, nextJob(jobs)]);
  if (reply !== null) return reply;
  await api.work(api.dispatched.at(-1));
  return waiting;
}

async function nextJob(jobs: number): Promise<null> {
  await expect.poll(() => api.dispatched.length).toBeGreaterThan(jobs);
  return null;
}

/** Talk that counts so many tokens, without a margin. */
function talk(tokens: number): Item[] {
  const each = Math.floor(tokens / 20);
  const rest = tokens - each * 19;
  return Array.from({ length: 20 }, (_, i) => {
    const said = ofTokens(i === 19 ? rest : each);
    return i % 2 === 0 ? user(said) : assistant(said);
  });
}

const tokensOf = async (id: string) =>
  Number(Object((await send(api, 'GET', `/sessions/${id}`)).body.context).tokens);

describe('POST /sessions/:id/compact with trigger "tool"', () => {
  it('summarises far below the threshold, and answers the summary', async () => {
    const id = await session(talk(60_000));
    const { status, body } = await callTool(id, { focus: 'the parser' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ trigger: 'tool', outcome: 'full_compacted' });
    const path = `/sessions/${id}/compactions/${body.id}`;
    const { body: detail } = await send(api, 'GET', path);
    expect(detail).toMatchObject({
      request: { focus: 'the parser' },
      message: detail.summary,
      metadata: { codex_compaction: null },
    });
    expect(body.message).toBe(detail.summary);
  });

  it('says what it has cleared where that was enough', async () => {
    const reads = Array.from({ length: 8 }, (_, i) => tool(`t${i}`, 'Read', 2_000)).flat();
    const id = await session([user('Read.'), ...reads]);
    expect((await callTool(id)).body).toMatchObject({
      outcome: 'micro_compacted',
      message: expect.stringMatching(
        /^Cleared the content of 5 old tool results: \d+ → \d+ tokens$/,
      ),
    });
  });

  it.each([
    [9_999, false],
    [10_000, true],
  ])('with %d tokens in the context: runs is %s', async (tokens, runs) => {
    const id = await session(talk(tokens), { config: { token_safety_multiplier: 1 } });
    expect(await tokensOf(id)).toBe(tokens);
    const jobs = api.dispatched.length;
    const { status, body } = await callTool(id);
    expect(status).toBe(200);
    expect(api.dispatched.length - jobs).toBe(runs ? 1 : 0);
    expect(body.outcome).toBe(runs ? 'full_compacted' : 'not_needed');
    expect(body.message === 'No compaction needed').toBe(!runs);
  });

  it('answers 200 at once when it is not needed, also without a wait', async () => {
    const id = await session(talk(1_000));
    const body = { trigger: 'tool' };
    const reply = await send(api, 'POST', `/sessions/${id}/compact`, { body });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      status: 'ended',
      outcome_reason: 'too_few_tokens',
      message: 'No compaction needed',
    });
    const dry = { trigger: 'tool', dry_run: true };
    const shown = await send(api, 'POST', `/sessions/${id}/compact`, { body: dry });
    expect(shown.body).toMatchObject({ action: 'skip', skip: { reason: 'too_few_tokens' } });
  });

  it('has no floor for a request by hand, nor a message', async () => {
    const id = await session(talk(5_000));
    const { body } = await callTool(id, { trigger: 'manual' });
    expect(body).toMatchObject({ outcome: 'full_compacted', message: null });
  });

  it('understands /compact in a message as the same thing by hand', async () => {
    const id = await session(talk(5_000));
    const reply = await send(api, 'POST', `/sessions/${id}/items`, { body: user('/compact') });
    expect(reply.body.compaction).toMatchObject({ trigger: 'manual', reason: 'command' });
  });
});
