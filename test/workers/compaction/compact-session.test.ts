import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadView } from '../../../src/app/load-view.ts';
import type { EventStore, StoredEvent } from '../../../src/app/ports/event-store.ts';
import { StoreUnavailableError } from '../../../src/app/ports/store-unavailable-error.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import {
  cancelCompaction,
  startCompaction,
} from '../../../src/domain/session/compaction-commands.ts';
import { configureSession, createSession } from '../../../src/domain/session/create-session.ts';
import type { Decide } from '../../../src/domain/session/decision.ts';
import type { Entry } from '../../../src/domain/session/entry.ts';
import type { EventType, Mode } from '../../../src/domain/session/events.ts';
import { configOf } from '../../../src/domain/session/head.ts';
import { compactSession } from '../../../src/workers/compaction/compact-session.ts';
import type { WorkerDependencies } from '../../../src/workers/compaction/dependencies.ts';
import type { JobResult } from '../../../src/workers/engines/job-engine.ts';
import { extractive } from '../../../src/workers/summarizers/extractive.ts';
import type { SummarizerChoice } from '../../../src/workers/summarizers/registry.ts';
import { summarizerFromModelName } from '../../../src/workers/summarizers/registry.ts';
import { loadTemplates } from '../../../src/workers/templates.ts';
import { append, ofType } from '../../contracts/session-events.ts';
import { attributionOf } from '../../support/event-data.ts';
import { AT, appended, requested, SESSION, WORLD } from '../../support/given.ts';
import { assistant, ofTokens, tool, user } from '../../support/items.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import {
  answer,
  type Behaviour,
  empty,
  gate,
  slow,
  status,
  tooLong,
  truncated,
} from '../../support/scripted-model/behaviour.ts';
import { ScriptedModelServer } from '../../support/scripted-model-server.ts';
import { summaryAnswer, summaryText } from '../../support/summary-text.ts';
import { workerDependencies } from '../../support/worker-dependencies.ts';

const REF = { tenant: 'acme', session_id: 's' };
const JOB = { ref: REF, compaction_id: 'c' };
const DONE: JobResult = { kind: 'done' };
const GOOD = answer(summaryAnswer());
/** More than what it covers, and something else with each word. */
const TOO_LONG = summaryAnswer(Array.from({ length: 6_000 }, (_, n) => `w${n}`).join(' '));

let store: EventStore;
let server: ScriptedModelServer;
beforeEach(async () => {
  store = await openTestStore();
  server = await ScriptedModelServer.start();
});
afterEach(async () => {
  await server.close();
  await store.close();
});

async function commit<T>(decide: Decide<T>): Promise<void> {
  const outcome = await store.commit(REF, decide, { at: AT });
  if (!outcome.ok) throw new Error(outcome.rejection.detail);
}

const CONFIG: ConfigOverrides = {
  micro_compact_min_tokens_to_save: 100,
  micro_compact_keep_last_n_tools: 0,
  micro_compact_target_tokens: 0,
  protected_tokens: 0,
  // What the model has written stands in the context as it was written.
  retention_check: 'report',
};
const ITEMS: Item[] = [
  user(`Fix the parser. ${ofTokens(2_000)}`),
  ...tool('t', 'Read', 500, { file_path: 'src/parser.ts' }),
  assistant(ofTokens(1_000)),
];

/** A session with a compaction `c` requested by hand. */
async function prepare(mode: Mode, config: ConfigOverrides = {}): Promise<void> {
  await commit(createSession(WORLD, { ...SESSION, config: { ...CONFIG, ...config } }));
  const request = requested({
    mode,
    trigger: 'manual',
    reason: 'requested',
    attribution: attributionOf('request'),
    focus: 'the parser',
  });
  await commit(append(...ITEMS.map(appended), request));
}

function scripted(...script: Behaviour[]): SummarizerChoice {
  server.script(...script);
  const environment = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: server.openaiUrl };
  return summarizerFromModelName('openai/gpt-4o-mini', environment);
}

function run(
  choice: SummarizerChoice,
  signal = new AbortController().signal,
  overrides: Partial<WorkerDependencies> = {},
): Promise<JobResult> {
  const worker = workerDependencies({ store, chooseSummarizer: () => choice, ...overrides });
  return compactSession(worker)(JOB, signal);
}

const EXTRACTIVE: SummarizerChoice = extractive;

/** The steps of the compaction: type, and what tells it from others of the type. */
async function steps(): Promise<string[]> {
  const types: EventType[] = [
    'compaction.started',
    'compaction.micro_completed',
    'compaction.completed',
    'compaction.skipped',
    'compaction.failed',
    'compaction.cancelled',
  ];
  return (await store.events(REF, { types })).map(stepOf);
}

function stepOf(event: StoredEvent): string {
  const name = event.type.replace('compaction.', '');
  switch (event.type) {
    case 'compaction.started':
      return `${name} ${event.data.attempt}`;
    case 'compaction.micro_completed':
      return name;
    case 'compaction.completed':
      return `${name} by ${event.data.report.summarizer}`;
    case 'compaction.skipped':
      return `${name}: ${event.data.reason}`;
    case 'compaction.failed':
      return `${name}: ${event.data.reason}${event.data.will_retry ? ', to go on' : ''}`;
    default:
      return name;
  }
}

async function entries(): Promise<Entry[]> {
  const view = await loadView(store, REF);
  if (view === null) throw new Error('there is no session');
  return view.entries;
}

describe('compactSession', () => {
  it('micro', async () => {
    await prepare('micro');
    expect(await run(EXTRACTIVE)).toEqual(DONE);
    expect(await steps()).toEqual(['started 1', 'micro_completed']);
  });

  it('full without a model', async () => {
    await prepare('full');
    expect(await run(EXTRACTIVE)).toEqual(DONE);
    expect(await steps()).toEqual(['started 1', 'completed by extractive']);
    expect((await entries()).map(({ origin }) => origin)).toEqual(['boundary', 'summary', 'file']);
  });

  it('full with a model: what was asked, and the report', async () => {
    await prepare('full');
    expect(await run(scripted(GOOD))).toEqual(DONE);
    expect(await steps()).toEqual(['started 1', 'completed by model']);
    const { data } = ofType(await store.events(REF), 'compaction.completed');
    expect(data.summary_text).toBe(`Summary:\n${summaryText()}`);
    expect(data.report).toMatchObject({
      model: 'openai/gpt-4o-mini',
      template: loadTemplates().summary['nine-sections'].version,
      files_restored: 1,
      left_out: { cleared_results: 0, truncated_results: 0, dropped_items: 0 },
    });
    expect(data.report.usage.input).toBeGreaterThan(0);
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).toContain('Fix the parser.');
    expect(sent).toContain('Give the most detail to this: the parser');
  });

  it('auto: micro first, then full when that is not enough', async () => {
    await prepare('auto', { auto_compact_threshold: 3_000, micro_compact_strategy: 'all_older' });
    expect(await run(EXTRACTIVE)).toEqual(DONE);
    expect(await steps()).toEqual(['started 1', 'completed by extractive']);
  });

  it('skips what cannot help', async () => {
    await prepare('micro', { micro_compact_min_tokens_to_save: 501 });
    expect(await run(EXTRACTIVE)).toEqual(DONE);
    expect(await steps()).toEqual(['started 1', 'skipped: not_effective']);
  });

  it('a job that is delivered again after the end adds nothing', async () => {
    await prepare('full');
    await run(EXTRACTIVE);
    const before = await store.events(REF);
    expect(await run(EXTRACTIVE)).toEqual(DONE);
    expect(await store.events(REF)).toEqual(before);
  });

  it('a job of a session that was erased does nothing', async () => {
    await prepare('full');
    await store.erase(REF);
    const unknown: unknown[] = [];
    const onUnknownSession = (job: unknown) => unknown.push(job);
    expect(await run(EXTRACTIVE, undefined, { onUnknownSession })).toEqual(DONE);
    expect(unknown).toEqual([JOB]);
    expect(await store.events(REF)).toEqual([]);
  });

  it('items that arrive while the model answers stay after the cut', async () => {
    await prepare('full');
    const { promise, open } = gate();
    const running = run(scripted(slow(summaryAnswer(), promise)));
    await server.received(1);
    const late = user('And the docs, please.');
    await commit(append(appended(late)));
    open();
    expect(await running).toEqual(DONE);
    expect(await steps()).toEqual(['started 1', 'completed by model']);
    expect((await entries()).at(-1)).toMatchObject({ item: late, origin: 'log' });
    expect((await entries()).map(({ origin }) => origin)).toEqual([
      'boundary',
      'summary',
      'file',
      'log',
    ]);
  });

  it('one that is cancelled while the model is asked leaves the context as it is', async () => {
    await prepare('full');
    const before = await entries();
    const { promise, open } = gate();
    const controller = new AbortController();
    const running = run(scripted(slow(summaryAnswer('x'), promise)), controller.signal);
    await server.received(1);
    await commit(cancelCompaction('c'));
    controller.abort();
    expect(await running).toEqual(DONE);
    open();
    expect(await steps()).toEqual(['started 1', 'cancelled']);
    expect(await entries()).toEqual(before);
  });

  it('one that was cancelled without a word to the worker is not applied', async () => {
    await prepare('full');
    const { promise, open } = gate();
    const running = run(scripted(slow(summaryAnswer('All done.'), promise)));
    await server.received(1);
    await commit(cancelCompaction('c'));
    open();
    expect(await running).toEqual(DONE);
    expect(await steps()).toEqual(['started 1', 'cancelled']);
  });

  describe('a session that is configured anew meanwhile', () => {
    /** Fields of planning, of the summary's text, of what comes with it, and of the commit. */
    const BEFORE = {
      summary_style: 'lines',
      restore_max_files: 1,
      breaker_max_failures: 9,
    } as const;
    const AFTER = {
      protected_messages: 100,
      summary_style: 'claude-code',
      restore_max_files: 0,
      auto_compact_threshold: 1,
      // Nobody has loaded it.
      token_counter: 'o200k_base',
    } as const;
    const configure = () => commit(configureSession(WORLD, { config: AFTER }, 'later'));

    async function goesByTheOld() {
      expect(await steps()).toEqual(['started 1', 'completed by model']);
      const log = await store.events(REF);
      const { config } = ofType(log, 'compaction.started').data;
      const settings = { ...SESSION, config: { ...CONFIG, ...BEFORE } };
      expect(config).toEqual(configOf(settings, WORLD.server));
      expect((await store.head(REF))?.settings.config).toMatchObject(AFTER);
      const { report } = ofType(log, 'compaction.completed').data;
      expect(report).toMatchObject({ files_restored: 1, is_above_threshold: false });
      const found = await entries();
      expect(found.map(({ origin }) => origin)).toEqual(['boundary', 'summary', 'file']);
      // The other style ends with a full stop.
      expect(JSON.stringify(found[1]?.item)).toContain('ran out of context.\\nThe conversation');
    }

    it('is compacted as the log says that it began: changed right after the start', async () => {
      await prepare('full', BEFORE);
      const write = store.commit;
      vi.spyOn(store, 'commit').mockImplementationOnce(async (...parameters) => {
        const outcome = await write.apply(store, parameters);
        await configure();
        return outcome;
      });
      expect(await run(scripted(GOOD))).toEqual(DONE);
      await goesByTheOld();
    });

    it('is compacted as the log says that it began: changed while the model answers', async () => {
      await prepare('full', BEFORE);
      const { promise, open } = gate();
      const running = run(scripted(slow(summaryAnswer(), promise)));
      await server.received(1);
      await configure();
      open();
      expect(await running).toEqual(DONE);
      await goesByTheOld();
    });
  });

  it('a worker that stops leaves the compaction to the next start', async () => {
    await prepare('full');
    const { promise, open } = gate();
    const controller = new AbortController();
    const running = run(scripted(slow(summaryAnswer('x'), promise), GOOD), controller.signal);
    await server.received(1);
    controller.abort();
    expect(await running).toEqual(DONE);
    open();
    expect(await steps()).toEqual(['started 1']);
    expect(await store.pending(9)).toMatchObject([JOB]);
    expect(await run(scripted())).toEqual(DONE);
    expect(await steps()).toEqual(['started 1', 'started 2', 'completed by model']);
  });
});

describe('two workers with the same job', () => {
  it('the one that started last ends it; what the other still does is ignored', async () => {
    await prepare('full');
    const { promise, open } = gate();
    const older = run(scripted(slow(summaryAnswer('By the older.'), promise), GOOD));
    await server.received(1);
    expect(await run(scripted())).toEqual(DONE);
    open();
    expect(await older).toEqual(DONE);
    expect(await steps()).toEqual(['started 1', 'started 2', 'completed by model']);
    const { data } = ofType(await store.events(REF), 'compaction.completed');
    expect(data.summary_text).toBe(`Summary:\n${summaryText()}`);
  });

  it.each([
    ['to be retried', status(500)],
    ['for good', status(401)],
  ])('an older one that fails %s does not end or delay the newer', async (_name, failing) => {
    await prepare('full', { summarizer_fallback: [] });
    const older = gate();
    const newer = gate();
    const [olderWaits, newerWaits] = [gate(), gate()];
    const waiting = (isWaiting: () => void, until: Promise<void>) => ({
      prepare: () => {
        isWaiting();
        return until;
      },
    });
    const first = run(scripted(failing, GOOD), undefined, waiting(olderWaits.open, older.promise));
    await olderWaits.promise;
    const second = run(scripted(), undefined, waiting(newerWaits.open, newer.promise));
    await newerWaits.promise;
    older.open();
    expect(await first).toEqual(DONE);
    expect(await steps()).toEqual(['started 1', 'started 2']);
    newer.open();
    expect(await second).toEqual(DONE);
    expect(await steps()).toEqual(['started 1', 'started 2', 'completed by model']);
  });

  it('given the job at once, exactly one of them ends it', async () => {
    await prepare('full');
    const ends = await Promise.all([run(scripted(GOOD, GOOD)), run(scripted())]);
    expect(ends).toEqual([DONE, DONE]);
    expect(await steps()).toEqual(['started 1', 'started 2', 'completed by model']);
  });
});

describe('failures', () => {
  const retried = [
    'started 1',
    'failed: api_error, to go on',
    'started 2',
    'failed: api_error, to go on',
    'started 3',
  ];

  it('are retried with growing delay, then the fallback writes the summary', async () => {
    await prepare('full');
    const choice = scripted(status(500), status(503), status(500));
    expect(await run(choice)).toEqual({ kind: 'retry', after_ms: 250 });
    expect(await run(choice)).toEqual({ kind: 'retry', after_ms: 500 });
    expect(await run(choice)).toEqual(DONE);
    expect(await steps()).toEqual([
      ...retried,
      'failed: api_error, to go on',
      'completed by extractive',
    ]);
  });

  it('wait as long as the provider asks', async () => {
    await prepare('full');
    const choice = scripted(status(429, { retryAfter: 7 }));
    expect(await run(choice)).toEqual({ kind: 'retry', after_ms: 7_000 });
  });

  it.each([
    ['status 401', status(401), 'api_error'],
    ['status 404', status(404), 'api_error'],
  ])('of the kind that stays are not retried: %s', async (_name, behaviour, reason) => {
    await prepare('full', { summarizer_fallback: [] });
    expect(await run(scripted(behaviour))).toEqual(DONE);
    expect(await steps()).toEqual(['started 1', `failed: ${reason}`]);
  });

  it('an empty answer and an error text are retried', async () => {
    await prepare('full', { summarizer_fallback: [], summarizer_max_attempts: 2 });
    const choice = scripted(empty(), answer('API Error: overloaded'));
    expect(await run(choice)).toMatchObject({ kind: 'retry' });
    expect(await run(choice)).toEqual(DONE);
    expect(await steps()).toEqual([
      'started 1',
      'failed: no_summary, to go on',
      'started 2',
      'failed: api_error',
    ]);
  });

  it('leave the context exactly as it was', async () => {
    await prepare('full', { summarizer_fallback: [] });
    const before = await entries();
    await run(scripted(status(400)));
    expect(await entries()).toEqual(before);
  });

  it('a prompt that is too long is cut down, and the event says what was left out', async () => {
    await prepare('full');
    expect(await run(scripted(tooLong(), GOOD))).toEqual(DONE);
    expect(await steps()).toEqual(['started 1', 'completed by model']);
    const { report } = ofType(await store.events(REF), 'compaction.completed').data;
    expect(report.left_out).toMatchObject({ cleared_results: 1 });
    expect(JSON.stringify(server.requests[1]?.body).length).toBeLessThan(
      JSON.stringify(server.requests[0]?.body).length,
    );
  });

  it('a model that takes nothing is never asked to summarise nothing', async () => {
    await prepare('full');
    const choice = scripted(tooLong(), tooLong(), tooLong(), tooLong(), tooLong(), tooLong());
    expect(await run(choice)).toEqual(DONE);
    expect(await steps()).toEqual([
      'started 1',
      'failed: prompt_too_long, to go on',
      'completed by extractive',
    ]);
    for (const { body } of server.requests) {
      expect(JSON.stringify(body)).toMatch(/record-entry role/);
    }
  });

  it('fallback ["micro"]: clears tool results instead', async () => {
    await prepare('full', { summarizer_fallback: ['micro'] });
    expect(await run(scripted(status(401)))).toEqual(DONE);
    expect(await steps()).toEqual(['started 1', 'failed: api_error, to go on', 'micro_completed']);
  });

  it('fallback ["micro", "extractive"]: the next one when there is nothing to clear', async () => {
    await prepare('full', {
      summarizer_fallback: ['micro', 'extractive'],
      micro_compact_min_tokens_to_save: 501,
    });
    expect(await run(scripted(status(401)))).toEqual(DONE);
    expect(await steps()).toEqual([
      'started 1',
      'failed: api_error, to go on',
      'completed by extractive',
    ]);
  });

  it('a model that cannot be used goes to the fallback with its reason', async () => {
    await prepare('full');
    expect(await run({ kind: 'unusable', message: 'no key' })).toEqual(DONE);
    const failure = ofType(await store.events(REF), 'compaction.failed').data;
    expect(failure).toMatchObject({ reason: 'api_error', message: 'no key', will_retry: true });
    expect((await steps()).at(-1)).toBe('completed by extractive');
  });

  it('an answer that ran out of tokens is asked for once more', async () => {
    await prepare('full');
    const choice = scripted(truncated('<summary>All done, exc'), truncated('<summary>All done, e'));
    expect(await run(choice)).toMatchObject({ kind: 'retry' });
    expect(await run(choice)).toEqual(DONE);
    expect(await steps()).toEqual([
      'started 1',
      'failed: no_summary, to go on',
      'started 2',
      'failed: no_summary, to go on',
      'completed by extractive',
    ]);
  });

  it('an answer that ran out of tokens right after its summary is good', async () => {
    await prepare('full');
    expect(await run(scripted(truncated(summaryAnswer())))).toEqual(DONE);
    expect(await steps()).toEqual(['started 1', 'completed by model']);
  });

  it('a model may write as much as the plan has room for, and an analysis', async () => {
    await prepare('full', { summary_max_tokens: 8_000 });
    await run(scripted(GOOD));
    const { report } = ofType(await store.events(REF), 'compaction.completed').data;
    const budget = Math.floor(report.covered_tokens / 2);
    expect(server.requests[0]?.body.max_tokens).toBe(budget + 1_000);
  });

  it('a summary that is no shorter than the conversation is asked for once more', async () => {
    await prepare('full');
    const choice = scripted(answer(TOO_LONG), answer(TOO_LONG));
    expect(await run(choice)).toMatchObject({ kind: 'retry' });
    expect(await run(choice)).toEqual(DONE);
    expect(await steps()).toEqual([
      'started 1',
      'failed: no_summary, to go on',
      'started 2',
      'failed: no_summary, to go on',
      'completed by extractive',
    ]);
    const { report } = ofType(await store.events(REF), 'compaction.completed').data;
    expect(report.usage.output).toBeGreaterThan(0);
  });

  it('without a fallback such a summary changes nothing', async () => {
    await prepare('full', { summarizer_fallback: [], summarizer_max_attempts: 1 });
    expect(await run(scripted(answer(TOO_LONG)))).toEqual(DONE);
    expect(await steps()).toEqual(['started 1', 'failed: no_summary']);
  });

  it('what a run throws is reported, recorded by its name, and tried a few times', async () => {
    await prepare('full');
    const mistake = new TypeError('PRIVATE words');
    const thrown: unknown[] = [];
    const broken: Partial<WorkerDependencies> = {
      chooseSummarizer: () => {
        throw mistake;
      },
      onError: (error) => thrown.push(error),
    };
    for (const after_ms of [250, 500, 1_000, 2_000]) {
      expect(await run(EXTRACTIVE, undefined, broken)).toEqual({ kind: 'retry', after_ms });
    }
    expect(await run(EXTRACTIVE, undefined, broken)).toEqual(DONE);
    expect((await steps()).slice(-4)).toEqual([
      'started 4',
      'failed: interrupted, to go on',
      'started 5',
      'failed: interrupted',
    ]);
    expect(thrown).toEqual([mistake, mistake, mistake, mistake, mistake]);
    const { message } = ofType(await store.events(REF), 'compaction.failed').data;
    expect(message).toBe('the attempt broke off: TypeError');
    expect(await store.pending(9)).toEqual([]);
  });

  const unavailable = (outcome: 'not_written' | 'unknown') =>
    new StoreUnavailableError(outcome, new Error('ECONNRESET'));

  it('a store that is away for a moment costs no summary', async () => {
    await prepare('full');
    const { commit } = store;
    let commits = 0;
    // The answer of the model is there when the store goes, and nobody knows how far it got.
    vi.spyOn(store, 'commit').mockImplementation(async (...parameters) => {
      const outcome = await commit.apply(store, parameters);
      if (++commits === 2) throw unavailable('unknown');
      return outcome;
    });
    expect(await run(scripted(GOOD))).toEqual(DONE);
    expect(await steps()).toEqual(['started 1', 'completed by model']);
    expect({ commits, asked: server.requests.length }).toEqual({ commits: 3, asked: 1 });
  });

  it('a store that stays away brings the job again, later', async () => {
    await prepare('full');
    const thrown: unknown[] = [];
    const committing = vi.spyOn(store, 'commit').mockRejectedValue(unavailable('not_written'));
    const result = await run(EXTRACTIVE, undefined, { onError: (error) => thrown.push(error) });
    committing.mockRestore();
    expect(result).toEqual({ kind: 'retry', after_ms: 4_000 });
    expect(thrown).toEqual([expect.any(StoreUnavailableError)]);
    expect(await steps()).toEqual([]);
    expect(await run(EXTRACTIVE)).toEqual(DONE);
    expect(await store.pending(9)).toEqual([]);
  });

  it('what goes wrong after the end is told, and nothing runs again', async () => {
    await prepare('full');
    const { head } = store;
    const reading = vi.spyOn(store, 'head').mockImplementation(async (...parameters) => {
      const found = await head.apply(store, parameters);
      if (found?.state.running === null) throw unavailable('not_written');
      return found;
    });
    const thrown: unknown[] = [];
    const onError = (error: unknown) => thrown.push(error);
    expect(await run(EXTRACTIVE, undefined, { onError })).toEqual(DONE);
    reading.mockRestore();
    expect(thrown).toEqual([expect.any(StoreUnavailableError)]);
    expect(await steps()).toEqual(['started 1', 'completed by extractive']);
  });

  const starts = async (count: number) => {
    for (let i = 0; i < count; i++) await commit(startCompaction(WORLD, 'c'));
  };

  it('attempts that restarts cut off count: beyond the maximum the model is not asked', async () => {
    await prepare('full', { summarizer_max_attempts: 2 });
    await starts(2);
    expect(await run(scripted(GOOD))).toEqual(DONE);
    expect((await steps()).slice(2)).toEqual([
      'started 3',
      'failed: interrupted, to go on',
      'completed by extractive',
    ]);
    expect(server.requests).toEqual([]);
  });

  it('a compaction that was started far too often is given up, whoever writes the summary', async () => {
    await prepare('full');
    await starts(20);
    expect(await run(EXTRACTIVE)).toEqual(DONE);
    expect((await steps()).slice(20)).toEqual(['started 21', 'failed: interrupted']);
  });
});
