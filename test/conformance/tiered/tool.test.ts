import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import { type ApiServer, send, startApi } from '../../support/api-server.ts';
import { assistant, ofTokens, tool, user } from '../../support/items.ts';
import { append, last, StubModel, steps } from '../lab.ts';
import { callTool, GOOD, openLab } from './lab.ts';

/** Talk of so many tokens in more messages than stay. */
function talk(tokens: number): Item[] {
  return Array.from({ length: 20 }, (_, n) =>
    n % 2 === 0 ? user(ofTokens(tokens / 20)) : assistant(ofTokens(tokens / 20)),
  );
}

describe('the pipeline behind the tool', () => {
  it('TI-53, TI-58: runs at 30 % of the window, long before any limit', async () => {
    const lab = await openLab({ token_safety_multiplier: 1 });
    const model = StubModel.of(lab, GOOD);
    const { compaction, context } = await append(lab, ...talk(60_000));
    expect(compaction).toBeNull();
    expect(context.tokens).toBe(60_000);
    const id = await callTool(lab);
    expect(await lab.store.compaction(lab.ref, id)).toMatchObject({
      mode: 'auto',
      trigger: 'tool',
      outcome: 'full_compacted',
    });
    expect(model.requests).toHaveLength(1);
  });

  it('TI-53: goes through the same tiers, and stops where they free half of the context', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    const results = [9_000, 100, 100, 100].flatMap((size, n) => tool(`r${n}`, 'Read', size));
    await append(lab, ...talk(2_000), ...results);
    await callTool(lab);
    const events = await lab.events();
    expect(steps(events.slice(-3))).toEqual(['requested', 'started', 'micro_completed']);
    expect(last(events, 'compaction.micro_completed').data.edits).toMatchObject([
      { tool_use_id: 'r0', kind: 'truncated' },
    ]);
    expect(model.requests).toEqual([]);
  });

  it.each([
    ['they free less than half', 4_000, undefined],
    ['a focus is given, whatever they free', 9_000, 'the date parser'],
  ])('TI-53: goes on to the summary when %s', async (_when, size, focus) => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    const results = [size, 100, 100, 100].flatMap((tokens, n) => tool(`r${n}`, 'Read', tokens));
    await append(lab, ...talk(9_000 - size + 2_000), ...results);
    await callTool(lab, focus);
    expect(steps((await lab.events()).slice(-3))).toEqual(['requested', 'started', 'completed']);
    expect(model.requests).toHaveLength(1);
  });

  it('TI-52: what the agent wants emphasised stands under Focus in the prompt', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    await append(lab, ...talk(60_000));
    await callTool(lab, 'the date parser');
    expect(model.prompt.split('## Focus\n\n')[1]).toMatch(
      /^Give the most detail .*the date parser/,
    );
    await append(lab, ...talk(60_000));
    await callTool(lab);
    expect(model.prompt.includes('## Focus')).toBe(false);
  });
});

describe('over the API', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApi();
    const config = { token_safety_multiplier: 1 };
    const session = { id: 's', profile: 'tiered', context_window: 200_000, config };
    await send(api, 'POST', '/sessions', { body: session });
  });
  afterEach(() => api.close());

  const post = (...items: Item[]) => send(api, 'POST', '/sessions/s/items', { body: items });

  /** The agent calls the tool: the answer at once, and the compaction in the end. */
  async function result(fields = {}) {
    const body = { trigger: 'tool', ...fields };
    const reply = await send(api, 'POST', '/sessions/s/compact', { body });
    const id = String(reply.body.id);
    if (reply.status === 202) await api.work(api.dispatched.at(-1));
    return { reply, done: (await send(api, 'GET', `/sessions/s/compactions/${id}`)).body };
  }

  it('TI-50, TI-54: one request is the tool, and the summary is its result', async () => {
    await post(...talk(30_000));
    const { done } = await result();
    expect(done).toMatchObject({ outcome: 'full_compacted' });
    expect(done.message).toBe(done.summary);
    expect(done.message).toContain('## Task state');
  });

  it('TI-54: where only results were touched, it says which way', async () => {
    const results = [9_000, 9_000, 9, 9, 9].flatMap((size, n) => tool(`r${n}`, 'Read', size));
    await post(...results);
    const { message, tokens_before, tokens_after } = (await result()).done;
    expect(message).toBe(`Shortened 2 old tool results: ${tokens_before} → ${tokens_after} tokens`);
  });

  it('TI-52: focus is a string, and may be left out', async () => {
    await post(...talk(30_000));
    const wrong = await send(api, 'POST', '/sessions/s/compact', {
      body: { trigger: 'tool', focus: 7 },
    });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('focus');
    expect((await result({ focus: 'dates' })).done.request).toMatchObject({ focus: 'dates' });
  });

  it('TI-55: what happens can be followed, as events and as the state of the session', async () => {
    await post(...talk(30_000));
    await send(api, 'POST', '/sessions/s/compact', { body: { trigger: 'tool' } });
    const running = { status: 'queued', mode: 'auto', trigger: 'tool' };
    expect((await send(api, 'GET', '/sessions/s')).body.running_compaction).toMatchObject(running);
    await api.work(api.dispatched.at(-1));
    const stream = await fetch(`${api.url}/sessions/s/events?after=21`, {
      headers: { accept: 'text/event-stream' },
    });
    let text = '';
    for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (text.includes('compaction.completed')) break;
    }
    const types = [...text.matchAll(/^event: compaction\.(\w+)$/gm)].map(([, type]) => type);
    expect(types).toEqual(['requested', 'started', 'completed']);
  });

  it.each([
    [9_999, 'not_needed'],
    [10_000, 'full_compacted'],
  ])('TI-56: with %i tokens since the last one: %s', async (tokens, outcome) => {
    const part = Math.floor(tokens / 20);
    const items = talk(part * 20);
    await post(...items.slice(1), user(ofTokens(tokens - part * 19)));
    expect((await send(api, 'GET', '/sessions/s')).body.context).toMatchObject({ tokens });
    expect((await result()).done).toMatchObject({ outcome });
    // It counts from the last compaction.
    if (outcome === 'full_compacted')
      expect((await result()).done).toMatchObject({ outcome: 'not_needed' });
  });

  it('TI-57: with too few it is answered at once that there is no need', async () => {
    await post(...talk(2_000));
    const { reply } = await result();
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      status: 'ended',
      outcome: 'not_needed',
      outcome_reason: 'too_few_tokens',
      message: 'No compaction needed',
    });
    expect(api.dispatched).toEqual([]);
  });

  it('TI-56: the floor holds for the tool alone', async () => {
    await post(...talk(2_000));
    const reply = await send(api, 'POST', '/sessions/s/compact', { body: { trigger: 'manual' } });
    expect(reply.status).toBe(202);
  });

  it('TI-84: the message /compact does it by hand', async () => {
    await post(...talk(30_000));
    const reply = await post(user('/compact'));
    expect(reply.body.compaction).toMatchObject({
      mode: 'full',
      trigger: 'manual',
      reason: 'command',
    });
    await api.work(api.dispatched.at(-1));
    expect((await send(api, 'GET', '/sessions/s/context')).text).not.toContain('/compact');
  });
});
