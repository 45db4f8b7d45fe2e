import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import { contextTokens } from '../../../src/domain/session/head.ts';
import { backoffMs } from '../../../src/workers/compaction/retry-policy.ts';
import { extractive } from '../../../src/workers/summarizers/extractive.ts';
import { summarizerChooser } from '../../../src/workers/summarizers/registry.ts';
import { ofTokens } from '../../support/items.ts';
import { answer, type Behaviour, status } from '../../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../../support/scripted-model-server.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import {
  append,
  compact,
  compactByItself,
  eventsOf,
  last,
  recordOf,
  StubModel,
  steps,
  WINDOW,
} from '../lab.ts';
import {
  assistant,
  call,
  EVERYTHING,
  GOOD,
  openLab,
  origins,
  output,
  refusal,
  shells,
  TALK,
  tool,
  user,
} from './lab.ts';

/** Runs the job of a compaction that is asked for by hand until it wants to be called again. */
async function requestAndWork(lab: SessionLab) {
  const requested = await lab.request('full');
  if (!requested.ok) throw new Error(requested.rejection.detail);
  const { id } = requested.value;
  return { id, result: await lab.work(id) };
}

describe('run_full_compact_v2', () => {
  it('CV-190, CV-233: of an empty history there is nothing to compact', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab);
    const events = await compact(lab, 'full');
    expect(steps(events)).toEqual(['requested', 'started', 'skipped']);
    const { data } = last(events, 'compaction.skipped');
    expect(data.reason).toBe('nothing_to_compact');
    expect(model.requests).toEqual([]);
    const row = await lab.store.compaction(lab.ref, data.compaction_id);
    expect(row).toMatchObject({ outcome: 'skipped', outcome_reason: 'nothing_to_compact' });
  });

  it('CV-233: a history without files is compacted all the same', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, ...TALK);
    const { report } = last(await compact(lab, 'full'), 'compaction.completed').data;
    expect(report.files_restored).toBe(0);
  });

  it('CV-193: the filtered conversation, oldest first, and a prompt without instructions', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    await append(lab, { type: 'progress' }, ...TALK, ...tool('t', 'shell', 5));
    await compact(lab, 'full');
    expect(recordOf(model.prompt).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool call',
      'tool output',
    ]);
    expect(model.prompt).not.toContain('Additional instructions');
  });

  it.each([
    [{}, 20_000],
    [{ summary_max_tokens: 700 }, 700],
  ])('CV-193: with %j the answer may have %i tokens', async (config, most) => {
    const lab = await openLab(config);
    const model = StubModel.of(lab, GOOD);
    await append(lab, user(ofTokens(50_000)), assistant('Yes.'), user(ofTokens(50_000)));
    await compact(lab, 'full');
    expect(model.requests.map(({ max_output_tokens }) => max_output_tokens)).toEqual([most]);
  });

  it('CV-196, CV-201: files, todos and plan come back', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, ...EVERYTHING);
    await compact(lab, 'full');
    expect((await origins(lab)).slice(3)).toEqual(['file', 'todo', 'plan']);
  });

  it('CV-197, CV-201: the history is replaced by one event, or not at all', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, ...EVERYTHING);
    const before = await lab.view();
    const events = await compact(lab, 'full');
    expect(steps(events)).toEqual(['requested', 'started', 'completed']);
    const completed = last(events, 'compaction.completed');
    expect((await lab.view(completed.version - 1)).entries).toEqual(before.entries);
    expect((await lab.view(completed.version)).entries).toEqual(completed.data.entries);
  });

  it('CV-198: the tokens after are an estimate of the new context', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, ...EVERYTHING);
    const { report } = last(await compact(lab, 'full'), 'compaction.completed').data;
    const { state } = await lab.head();
    expect(report.tokens_after).toBe(contextTokens(state, profileConfig('codex-v2', WINDOW)));
    expect(report.tokens_after).toBeLessThan(report.tokens_before);
  });
});

describe('the call of the model', () => {
  let server: ScriptedModelServer;
  beforeEach(async () => {
    server = await ScriptedModelServer.start();
  });
  afterEach(() => server.close());

  /** A lab whose summaries are written where this server stands. */
  async function labWith(script: Behaviour[], config = {}): Promise<SessionLab> {
    server.script(...script);
    const lab = await openLab(config, { model: 'gpt-5.4' });
    const environment = {
      OPENAI_API_KEY: 'k',
      OPENAI_BASE_URL: server.openaiUrl,
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: server.anthropicUrl,
    };
    const choose = summarizerChooser(null, environment);
    const settings = { model: lab.session.model, format: lab.session.format };
    lab.summarizer = choose(settings, { ...profileConfig('codex-v2', WINDOW), ...config });
    await append(lab, ...TALK);
    return lab;
  }

  it('CV-160, CV-193, CV-194: streamed; a cheap model of the provider unless one is named', async () => {
    const lab = await labWith([answer(GOOD)]);
    await compact(lab, 'full');
    expect(server.requests[0]?.body).toMatchObject({ model: 'gpt-4o-mini', stream: true });
  });

  it('CV-160: where no provider is set up, the log writes the summary', async () => {
    const settings = { model: 'gpt-5.4', format: 'openai-responses' } as const;
    const choice = summarizerChooser(null, {})(settings, profileConfig('codex-v2', WINDOW));
    expect(choice).toBe(extractive);
  });

  it('CV-06, CV-160, CV-194, CV-201: summarization_model takes its place', async () => {
    const lab = await labWith([answer(GOOD)], { summarization_model: 'gpt-5-nano' });
    const { report } = last(await compact(lab, 'full'), 'compaction.completed').data;
    expect(server.requests[0]?.body).toMatchObject({ model: 'gpt-5-nano' });
    expect(report.model).toBe('openai/gpt-5-nano');
  });

  it('CV-161: of another provider, when that is named too', async () => {
    const lab = await labWith([answer(GOOD)], {
      summarization_model: 'small-one',
      summarization_model_provider_id: 'anthropic',
    });
    const { report } = last(await compact(lab, 'full'), 'compaction.completed').data;
    expect(server.requests[0]).toMatchObject({
      path: '/v1/messages',
      body: { model: 'small-one' },
    });
    expect(report.model).toBe('anthropic/small-one');
  });

  it('CV-09: after 429 and 500 it is tried again, each time later', async () => {
    const lab = await labWith([status(429), status(500), answer(GOOD)]);
    const { id, result } = await requestAndWork(lab);
    // The lab's chance is one half: the middle of 250 to 500 and of 500 to 1,000 milliseconds.
    expect(result).toEqual({ kind: 'retry', after_ms: 375 });
    expect(await lab.work(id)).toEqual({ kind: 'retry', after_ms: 750 });
    expect(await lab.work(id)).toEqual({ kind: 'done' });
    expect(steps(await eventsOf(lab, id)).slice(-2)).toEqual(['started', 'completed']);
  });

  it('CV-09: the delays double, the upper half of each by chance', () => {
    for (const [attempt, most] of [
      [1, 500],
      [2, 1_000],
      [3, 2_000],
      [4, 4_000],
    ] as const) {
      expect(backoffMs(attempt, undefined, 0)).toBe(most / 2);
      expect(backoffMs(attempt, undefined, 0.999_999)).toBe(most);
    }
  });
});

describe('an answer that is no summary, and failures', () => {
  it.each([
    ['CV-195', '', 'no_summary'],
    ['CV-195', '<analysis>Nothing but this.</analysis>', 'no_summary'],
    ['CV-195', 'API_ERROR: overloaded', 'api_error'],
  ])('%s: %j is a failure, %s: tried again, then the log writes it', async (_id, reply, reason) => {
    const lab = await openLab();
    StubModel.of(lab, reply);
    await append(lab, ...TALK);
    const { id } = await requestAndWork(lab);
    while ((await lab.work(id)).kind === 'retry');
    const events = await eventsOf(lab, id);
    const failures = events.filter(({ type }) => type === 'compaction.failed');
    expect(failures.map(({ data }) => data)).toMatchObject(
      [1, 2, 3].map((attempt) => ({ attempt, reason, will_retry: true })),
    );
    expect(last(events, 'compaction.completed').data.report.summarizer).toBe('extractive');
  });

  it.each(['', 'API_ERROR: overloaded'])(
    'CV-195: without a fallback %j ends it, and nothing changes',
    async (reply) => {
      const lab = await openLab({ summarizer_fallback: [], summarizer_max_attempts: 1 });
      StubModel.of(lab, reply);
      await append(lab, ...EVERYTHING);
      const before = await lab.view();
      const events = await compact(lab, 'full');
      expect(steps(events)).toEqual(['requested', 'started', 'failed']);
      expect((await lab.view()).entries).toEqual(before.entries);
    },
  );

  it('CV-202: an error of the model ends it, and the conversation goes on as it was', async () => {
    const lab = await openLab({ summarizer_fallback: [] });
    StubModel.of(lab, refusal('api_error'));
    await append(lab, ...EVERYTHING);
    const before = await lab.view();
    const events = await compact(lab, 'full');
    expect(steps(events)).toEqual(['requested', 'started', 'failed']);
    expect((await lab.view()).entries).toEqual(before.entries);
    expect((await lab.head()).state.running).toBeNull();
    expect((await append(lab, user('Go on.'))).version).toBeGreaterThan(before.version);
  });

  it('CV-10, CV-201, CV-233: what is too long loses outputs first, then its oldest items, never half a pair', async () => {
    const lab = await openLab({ auto_compact_enabled: false });
    const tooLong = refusal('prompt_too_long');
    const model = StubModel.of(lab, tooLong, tooLong, tooLong, GOOD);
    const turns = Array.from({ length: 60 }, (_, n) => [
      call(`t${n}`, 'shell', { command: `step ${n} ${ofTokens(200)}` }),
      output(`t${n}`, ofTokens(600)),
    ]).flat();
    await append(lab, ...turns);
    const events = await compact(lab, 'full');
    const { left_out } = last(events, 'compaction.completed').data.report;
    expect(left_out.cleared_results).toBe(60);
    expect(left_out.dropped_items).toBeGreaterThan(0);
    const record = recordOf(model.prompt);
    expect(record).toHaveLength(120 - left_out.dropped_items);
    expect(record.filter(({ role }) => role === 'tool call')).toHaveLength(record.length / 2);
    expect(record[0]?.role).toBe('tool call');
    expect(record.at(-2)?.text).toContain('step 59');
  });
});

describe('rounds', () => {
  it('CV-06, CV-55: an automatic one every time the context is full again', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    for (let round = 1; round <= 3; round++) {
      const events = await compactByItself(lab, assistant(ofTokens(150_000)), ...shells(1, 1, 1));
      expect(steps(events)).toEqual(['requested', 'started', 'completed']);
    }
    expect(model.requests).toHaveLength(3);
    expect((await lab.head()).state.compactions.full).toBe(3);
  });
});
