import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codecFor, type Format } from '../../src/domain/items/codecs.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import {
  type Behaviour,
  cut,
  empty,
  gate,
  hang,
  slow,
  status,
  streamError,
  tooLong,
  unfinished,
} from '../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../support/scripted-model-server.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { summaryAnswer } from '../support/summary-text.ts';
import { isTerminal, type LoggedEvent, SessionClient } from './api-client.ts';
import { Speaker, textOf, turns } from './conversation.ts';

const SUMMARY = summaryAnswer('SCRIPTED SUMMARY of the work.');

let model: ScriptedModelServer;
let service: ServiceProcess;
beforeAll(async () => {
  model = await ScriptedModelServer.start();
  service = await startService({
    OPENAI_API_KEY: 'test',
    OPENAI_BASE_URL: model.openaiUrl,
    ANTHROPIC_API_KEY: 'test',
    ANTHROPIC_BASE_URL: model.anthropicUrl,
    PALIMPSEST_SUMMARIZATION_MODEL: 'openai/test-model',
  });
});
afterAll(async () => {
  await service.dispose();
  await model.close();
});

const speaker = new Speaker('anthropic');
let sessions = 0;

/** A session with a conversation that a full compaction can shrink. */
async function conversation(
  config: JsonObject = {},
  format: Format = 'anthropic',
): Promise<SessionClient> {
  sessions += 1;
  const session = await SessionClient.create(() => service.url, {
    id: `model-${sessions}`,
    format,
    context_window: 16_000,
    config,
  });
  await session.append(turns(new Speaker(format), 'turn', 4, 500));
  return session;
}

/** The events of one compaction after its request, as type and the fields that tell what happened. */
async function course(session: SessionClient, id: string): Promise<JsonObject[]> {
  const own = (await session.events()).filter(({ data }) => data.compaction_id === id);
  return own.slice(1).map(({ type, data: { reason, attempt, will_retry } }) => ({
    type: type.replace('compaction.', ''),
    ...(reason !== undefined && { reason }),
    ...(attempt !== undefined && { attempt }),
    ...(will_retry !== undefined && { will_retry }),
  }));
}

async function completed(session: SessionClient, id: string): Promise<LoggedEvent> {
  const events = await session.events();
  const found = events.find(
    (e) => e.type === 'compaction.completed' && e.data.compaction_id === id,
  );
  if (found === undefined) throw new Error(`compaction ${id} was not completed`);
  return found;
}

const started = (attempt: number) => ({ type: 'started', attempt });
const failed = (reason: string, attempt: number, will_retry = true) => ({
  type: 'failed',
  reason,
  attempt,
  will_retry,
});

describe('summaries by a model', () => {
  it.each<[string, Format, string, string]>([
    ['OpenAI', 'openai-chat', 'openai/test-model', '/v1/chat/completions'],
    ['OpenAI', 'openai-responses', 'openai/test-model', '/v1/chat/completions'],
    ['Anthropic', 'anthropic', 'anthropic/claude-haiku-4-5', '/v1/messages'],
  ])('are asked for in the protocol of %s for format %s', async (_, format, name, path) => {
    const asked = model.requests.length;
    const session = await conversation({ summarization_model: name }, format);
    const ended = await session.compact({ mode: 'full', instructions: 'Mind the MODULES.' });
    expect(ended.outcome).toBe('full_compacted');
    expect(model.requests.slice(asked).map((request) => request.path)).toEqual([path]);
    const sent = JSON.stringify(model.requests.at(-1)?.body);
    expect(sent).toContain('Mind the MODULES.');
    expect(sent).toContain('src/turn0u/module.ts');
    const { data } = await completed(session, ended.id);
    expect(data.report).toMatchObject({
      summarizer: 'model',
      model: name,
      is_above_threshold: false,
    });
    expect(data.report).toMatchObject({ usage: { output: expect.any(Number) } });
    const context = await session.context();
    expect(codecFor(format).violations(context.items)).toEqual([]);
    expect(JSON.stringify(context.items[0])).toContain('Primary request and intent');
    expect(JSON.stringify(context.items[0])).toContain('src/turn0u/module.ts');
  });

  it('answers a second request with the compaction under way', async () => {
    const session = await conversation();
    const asked = model.requests.length;
    const held = gate();
    model.script(slow(SUMMARY, held.promise));
    const first = await session.requestCompaction({ mode: 'full' });
    await model.received(asked + 1);
    const second = await session.requestCompaction({ mode: 'micro' });
    expect(second.id).toBe(first.id);
    held.open();
    await session.ended(first.id);
    expect(model.requests).toHaveLength(asked + 1);
    const requested = (await session.events()).filter((e) => e.type === 'compaction.requested');
    expect(requested).toHaveLength(1);
  });

  it('keeps items after the cut that come while the summary is written', async () => {
    const session = await conversation();
    const asked = model.requests.length;
    const held = gate();
    model.script(slow(SUMMARY, held.promise));
    const { id } = await session.requestCompaction({ mode: 'full' });
    await model.received(asked + 1);
    const later = [
      ...turns(speaker, 'later', 2, 20),
      ...speaker.toolRound('call_l', 'Read', { path: 'a.ts' }, 'content of a.ts'),
      ...turns(speaker, 'last', 1, 20),
    ];
    const before = await session.context();
    for (const item of later) await session.append([item]);
    held.open();
    await session.ended(id);
    const context = await session.context();
    expect(JSON.stringify(context.items[0])).toContain('SCRIPTED SUMMARY');
    // Rendering joins the tool result and the user message that follows it.
    const markers = JSON.stringify(context.items).match(/(later|last)\d[ua] src|content of a.ts/g);
    const sent = JSON.stringify(later).match(/(later|last)\d[ua] src|content of a.ts/g);
    expect(markers).toEqual(sent);
    const { data } = await completed(session, id);
    expect(data.through).toBeLessThanOrEqual(before.version);
    expect(codecFor('anthropic').violations(context.items)).toEqual([]);
  });

  it('cancels while the model is asked and leaves the context as it was', async () => {
    const session = await conversation();
    const before = await session.context();
    const asked = model.requests.length;
    const held = gate();
    model.script(slow(SUMMARY, held.promise));
    const { id } = await session.requestCompaction({ mode: 'full' });
    await model.received(asked + 1);
    expect((await session.request('POST', `/compactions/${id}/cancel`)).status).toBe(200);
    held.open();
    expect(await session.ended(id)).toMatchObject({ outcome: 'cancelled' });
    expect((await session.context()).items).toEqual(before.items);
    const again = await session.compact({ mode: 'full' });
    expect(again.outcome).toBe('full_compacted');
    expect(await course(session, id)).toEqual([started(1), { type: 'cancelled' }]);
    const refused = await session.request('POST', `/compactions/${id}/cancel`);
    expect(refused.status).toBe(409);
  });
});

describe('a model that fails', () => {
  it('waits as long as a 429 asks for, then succeeds', async () => {
    const session = await conversation();
    model.script(status(429, { retryAfter: 2 }));
    const { id } = await session.compact({ mode: 'full' });
    expect(await course(session, id)).toEqual([
      started(1),
      failed('api_error', 1),
      started(2),
      { type: 'completed' },
    ]);
    const events = (await session.events()).filter(({ data }) => data.compaction_id === id);
    const at = (type: string) => Date.parse(events.findLast((e) => e.type === type)?.at ?? '');
    expect(at('compaction.started') - at('compaction.failed')).toBeGreaterThanOrEqual(1_990);
    expect((await completed(session, id)).data.report).toMatchObject({ summarizer: 'model' });
  });

  it('is asked three times, then the summary comes from the log', async () => {
    const session = await conversation();
    const asked = model.requests.length;
    model.script(status(500), status(503), status(500));
    const { id, outcome } = await session.compact({ mode: 'full' });
    expect(outcome).toBe('full_compacted');
    expect(await course(session, id)).toEqual([
      started(1),
      failed('api_error', 1),
      started(2),
      failed('api_error', 2),
      started(3),
      failed('api_error', 3),
      { type: 'completed' },
    ]);
    expect(model.requests).toHaveLength(asked + 3);
    expect((await completed(session, id)).data.report).toMatchObject({ summarizer: 'extractive' });
  });

  it.each<[string, Behaviour, string]>([
    ['a stream that is cut', cut(SUMMARY, 1), 'api_error'],
    ['a stream without an end', unfinished(SUMMARY), 'api_error'],
    ['an error inside the stream', streamError(), 'api_error'],
    ['an empty answer', empty(), 'no_summary'],
  ])('is asked again after %s', async (_, behaviour, reason) => {
    const session = await conversation();
    model.script(behaviour);
    const { id } = await session.compact({ mode: 'full' });
    expect(await course(session, id)).toEqual([
      started(1),
      failed(reason, 1),
      started(2),
      { type: 'completed' },
    ]);
    expect((await completed(session, id)).data.report).toMatchObject({ summarizer: 'model' });
  });

  it('is not asked again after a 401, nor is its request or key in the log', async () => {
    const session = await conversation();
    const asked = model.requests.length;
    model.script(status(401));
    const { id } = await session.compact({ mode: 'full' });
    expect(await course(session, id)).toEqual([
      started(1),
      failed('api_error', 1),
      { type: 'completed' },
    ]);
    expect(model.requests).toHaveLength(asked + 1);
    const failure = (await session.events()).find((e) => e.type === 'compaction.failed');
    expect(failure?.data.message).toBe('openai: the call failed (HTTP 401)');
  });

  it('gets a smaller prompt when it says that the prompt is too long', async () => {
    const session = await conversation();
    const reads = Array.from({ length: 4 }, (_, i) =>
      speaker.toolRound(`c${i}`, 'Read', { path: `f${i}.ts` }, textOf(`file${i}`, 500)),
    ).flat();
    await session.append([...reads, ...turns(speaker, 'end', 2, 500)]);
    const asked = model.requests.length;
    model.script(tooLong());
    const { id, outcome } = await session.compact({ mode: 'full' });
    expect(outcome).toBe('full_compacted');
    const [first, second] = model.requests.slice(asked).map(({ body }) => JSON.stringify(body));
    expect(second?.length).toBeLessThan(first?.length ?? 0);
    const { data } = await completed(session, id);
    expect(data.report).toMatchObject({ summarizer: 'model', left_out: { cleared_results: 4 } });
    expect(await course(session, id)).toEqual([started(1), { type: 'completed' }]);
  });

  it('that hangs runs into its time limit', async () => {
    const session = await conversation({
      summarizer_timeout_seconds: 2,
      summarizer_max_attempts: 2,
    });
    model.script(hang(), slow(SUMMARY, new Promise(() => {})));
    const { id } = await session.compact({ mode: 'full' });
    expect(await course(session, id)).toEqual([
      started(1),
      failed('timeout', 1),
      started(2),
      failed('timeout', 2),
      { type: 'completed' },
    ]);
  });

  it('ends the compaction as failed without a fallback, and the context stays', async () => {
    const session = await conversation({ summarizer_fallback: [], summarizer_max_attempts: 1 });
    const before = await session.context();
    model.script(status(500));
    const ended = await session.compact({ mode: 'full' });
    expect(ended.outcome).toBe('failed');
    expect(await course(session, ended.id)).toEqual([started(1), failed('api_error', 1, false)]);
    expect((await session.events()).filter(isTerminal)).toHaveLength(1);
    expect((await session.context()).items).toEqual(before.items);
  });
});
