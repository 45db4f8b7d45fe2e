import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startCompaction } from '../../../src/domain/session/compaction-commands.ts';
import { rolloutWriter } from '../../../src/domain/session/rollout.ts';
import type { ModelAnswer } from '../../../src/workers/summarizers/text-model.ts';
import { type ApiServer, send, startApi } from '../../support/api-server.ts';
import { HookServer, replies } from '../../support/hook-server.ts';
import { ofTokens } from '../../support/items.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { append, compact, compactByItself, last, StubModel } from '../lab.ts';
import { assistant, GOOD, openLab, refusal, shells, TALK_AT_THRESHOLD, tool, user } from './lab.ts';

const RESULTS = shells(...Array.from({ length: 10 }, () => 15_000));
const WITH_SMALL = shells(...Array.from({ length: 10 }, () => 15_000), 1_000, 1_000, 1_000);
const TALK = [user('Fix the parser.'), assistant(ofTokens(3_000))];

/** The messages of the audit trail, in order. */
async function messages(lab: SessionLab) {
  const records = (await lab.events()).flatMap(rolloutWriter('lab'));
  return records.filter(({ type }) => type === 'event_msg').map(({ payload }) => payload);
}

describe('CompactCompletedEvent', () => {
  it('CV-199, CV-220, CV-221, CV-225: its fields, and the tokens of the prompt cache and the total', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, ...TALK, ...tool('t', 'read', 9, { path: 'a.ts' }));
    const { report } = last(await compact(lab, 'full'), 'compaction.completed').data;
    expect((await messages(lab)).at(-1)).toEqual({
      type: 'CompactCompleted',
      pre_compact_tokens: report.tokens_before,
      post_compact_tokens: report.tokens_after,
      compaction_input_tokens: 900,
      compaction_output_tokens: 80,
      files_restored: 1,
      duration_ms: report.duration_ms,
      strategy: 'full',
      compaction_cache_read_tokens: 300,
      compaction_cache_creation_tokens: 40,
      compaction_total_tokens: 1_320,
    });
    // The clock of the lab ticks once a step.
    expect(report.duration_ms).toBeGreaterThanOrEqual(1_000);
    expect(report.tokens_after).toBeLessThan(report.tokens_before);
  });

  it('CV-198: the tokens after are not those that the call has reported', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, ...TALK);
    const { report } = last(await compact(lab, 'full'), 'compaction.completed').data;
    expect(report.tokens_after).not.toBe(report.usage.input + report.usage.output);
    expect(report.tokens_after).toBeLessThan(300);
  });

  it('CV-200: ContextCompacted comes before it, and says nothing more', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, ...TALK);
    await compact(lab, 'full');
    const [first, second, ...rest] = await messages(lab);
    expect(first).toEqual({ type: 'ContextCompacted' });
    expect(second).toMatchObject({ type: 'CompactCompleted' });
    expect(rest).toEqual([]);
  });
});

describe('MicroCompactCompletedEvent', () => {
  it('CV-40, CV-222, CV-225: how many outputs, tokens saved, duration, and what was left of them', async () => {
    const lab = await openLab();
    const events = await compactByItself(lab, ...RESULTS);
    const { duration_ms } = last(events, 'compaction.micro_completed').data;
    expect(await messages(lab)).toEqual([
      {
        type: 'MicroCompactCompleted',
        tools_compacted: 7,
        tokens_saved: 105_000,
        duration_ms,
        result_tokens_before: 150_000,
        result_tokens_after: 45_000,
      },
    ]);
  });
});

describe('CompactFailedEvent', () => {
  const timeout: ModelAnswer = {
    ok: false,
    reason: 'timeout',
    message: 'openai: no complete answer within the time limit',
    retryable: true,
  };

  it.each<[string, string, string | ModelAnswer, RegExp]>([
    ['CV-223', 'no_summary', '<summary></summary>', /holds no summary/],
    ['CV-195, CV-223', 'no_summary', '', /holds no summary/],
    ['CV-195, CV-223', 'api_error', 'API_ERROR: overloaded', /a provider's error/],
    ['CV-223', 'api_error', refusal('api_error'), /^openai: api_error$/],
    ['CV-223', 'prompt_too_long', refusal('prompt_too_long'), /fits the window/],
    ['CV-223', 'timeout', timeout, /within the time limit/],
  ])('%s: the reason %s', async (_ids, reason, reply, text) => {
    const lab = await openLab({ summarizer_fallback: [], summarizer_max_attempts: 1 });
    StubModel.of(lab, reply);
    await append(lab, ...TALK);
    await compact(lab, 'full');
    expect(await messages(lab)).toMatchObject([
      { type: 'CompactFailed', reason, error_message: expect.stringMatching(text) },
    ]);
  });

  it('CV-223: interrupted, when the worker was ended again and again', async () => {
    const lab = await openLab({ summarizer_fallback: [], summarizer_max_attempts: 1 });
    StubModel.of(lab, GOOD);
    await append(lab, ...TALK);
    const requested = await lab.request('full');
    if (!requested.ok) throw new Error(requested.rejection.detail);
    const { id } = requested.value;
    await lab.commit(startCompaction(lab.world, id));
    await lab.work(id);
    expect(await messages(lab)).toMatchObject([{ type: 'CompactFailed', reason: 'interrupted' }]);
  });

  it('CV-223: hook_blocked, when a hook of the operator says so', async () => {
    const hooks = await HookServer.start();
    const lab = await openLab();
    lab.hooks = [hooks.hook('PreCompact', [replies({ block: true })])];
    await append(lab, ...TALK);
    await compact(lab, 'full');
    expect(await messages(lab)).toMatchObject([{ type: 'CompactFailed', reason: 'hook_blocked' }]);
    await hooks.close();
  });

  it('CV-223: an attempt that is followed by another is no failure of the compaction', async () => {
    const lab = await openLab();
    StubModel.of(lab, refusal('api_error'));
    await append(lab, ...TALK);
    await compact(lab, 'full');
    expect((await messages(lab)).map(({ type }) => type)).toEqual([
      'ContextCompacted',
      'CompactCompleted',
    ]);
  });
});

describe('CompactThresholdExceededEvent', () => {
  it('CV-183, CV-224, CV-225: the tokens after and the threshold, when they are still at it', async () => {
    const lab = await openLab();
    const events = await compactByItself(lab, TALK_AT_THRESHOLD, ...WITH_SMALL);
    const { tokens_after } = last(events, 'compaction.micro_completed').data;
    expect(tokens_after).toBeGreaterThanOrEqual(187_000);
    expect((await messages(lab)).at(-1)).toEqual({
      type: 'CompactThresholdExceeded',
      post_compact_tokens: tokens_after,
      threshold: 187_000,
    });
  });

  it.each([
    [0, ['MicroCompactCompleted', 'CompactThresholdExceeded']],
    [1, ['MicroCompactCompleted']],
  ])('CV-224: the threshold itself is exceeded, %i tokens less are not', async (less, told) => {
    const left = async (talk: number) => {
      const lab = await openLab({ token_safety_multiplier: 1 });
      const events = await compactByItself(lab, assistant(ofTokens(talk)), ...RESULTS);
      return { lab, tokens: last(events, 'compaction.micro_completed').data.tokens_after };
    };
    const missing = 187_000 - (await left(120_000)).tokens;
    const { lab, tokens } = await left(120_000 + missing - less);
    expect(tokens).toBe(187_000 - less);
    expect((await messages(lab)).map(({ type }) => type)).toEqual(told);
  });

  it('CV-224: none below it', async () => {
    const lab = await openLab();
    await compactByItself(lab, ...RESULTS);
    expect((await messages(lab)).map(({ type }) => type)).toEqual(['MicroCompactCompleted']);
  });
});

describe('the event system of the session', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApi();
    const body = { id: 's', profile: 'codex-v2', format: 'openai-responses' };
    await send(api, 'POST', '/sessions', { body });
    await send(api, 'POST', '/sessions/s/items', { body: TALK });
  });
  afterEach(() => api.close());

  const compactNow = async () => {
    await send(api, 'POST', '/sessions/s/compact', { body: { mode: 'full' } });
    await api.work(api.dispatched.at(-1));
  };

  it('CV-226: whoever listens to the session is told', async () => {
    const abort = new AbortController();
    const stream = await fetch(`${api.url}/sessions/s/events?after=3`, {
      headers: { accept: 'text/event-stream' },
      signal: abort.signal,
    });
    await compactNow();
    let heard = '';
    for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      heard += chunk;
      if (/event: compaction\.completed\n/.test(heard)) break;
    }
    abort.abort();
    expect([...heard.matchAll(/^event: (.*)$/gm)].map(([, type]) => type)).toEqual([
      'compaction.requested',
      'compaction.started',
      'compaction.completed',
    ]);
  });

  it('CV-11, CV-223: one that is cancelled was interrupted', async () => {
    const { body } = await send(api, 'POST', '/sessions/s/compact', { body: { mode: 'full' } });
    await send(api, 'POST', `/sessions/s/compactions/${body.id}/cancel`, { body: {} });
    const { text } = await send(api, 'GET', '/sessions/s/rollout');
    expect(JSON.parse(text.trim().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'event_msg',
      payload: {
        type: 'CompactFailed',
        reason: 'interrupted',
        error_message: 'the compaction was cancelled',
      },
    });
  });

  it('CV-11: the audit trail has every item, what took its place, and the messages', async () => {
    await compactNow();
    const { text } = await send(api, 'GET', '/sessions/s/rollout');
    const records = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.map(({ type }) => type)).toEqual([
      'session_meta',
      'response_item',
      'response_item',
      'compacted',
      'event_msg',
      'event_msg',
    ]);
    expect(records.slice(1, 3).map(({ payload }) => payload)).toEqual(TALK);
    const { body } = await send(api, 'GET', '/sessions/s/compactions');
    expect(body.data).toMatchObject([{ outcome: 'full_compacted' }]);
    expect(records[3].payload.message).toContain('Primary request and intent');
    expect(records[3].payload.replacement_history[0]).toMatchObject({
      subtype: 'compact_boundary',
    });
  });
});
