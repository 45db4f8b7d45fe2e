import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renderEntries } from '../../../../src/domain/context/render.ts';
import type { Item } from '../../../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../../../src/domain/policy/config.ts';
import {
  revertCommand,
  revertCompactions,
} from '../../../../src/domain/session/revert-compaction.ts';
import { rolloutWriter } from '../../../../src/domain/session/rollout.ts';
import { ofType } from '../../../contracts/session-events.ts';
import { ofTokens } from '../../../support/items.ts';
import {
  answer,
  type Behaviour,
  compaction,
  cut,
  gate,
  hang,
  slow,
  status,
  tooLong,
} from '../../../support/scripted-model/behaviour.ts';
import { opaqueItem } from '../../../support/scripted-model/compaction.ts';
import { ScriptedModelServer } from '../../../support/scripted-model-server.ts';
import type { SessionLab } from '../../../support/session-lab.ts';
import { call, compact, MODEL, message, openRemoteLab, steps, workOff } from './remote-lab.ts';

const SYSTEM = message('developer', 'You fix parsers.');
const USER = message('user', `Fix the parser. ${ofTokens(500)}`);
const TALK: Item[] = [
  SYSTEM,
  USER,
  ...call('c1', ofTokens(1_500)),
  message('assistant', ofTokens(500)),
];
const OPEN: Item = { type: 'function_call', call_id: 'o', name: 'shell', arguments: '{}' };
const OPAQUE = opaqueItem();

let server: ScriptedModelServer;
let lab: SessionLab;
beforeEach(async () => {
  server = await ScriptedModelServer.start();
});
afterEach(async () => {
  await server.close();
  await lab.close();
});

async function open(config: ConfigOverrides = {}, model: string | null = MODEL): Promise<void> {
  lab = await openRemoteLab(server, config, model);
  await lab.append([...TALK, OPEN]);
}

async function context(): Promise<Item[]> {
  const { entries } = await lab.view();
  return renderEntries(entries, 'openai-responses', 'openai-responses');
}

async function isSound(): Promise<boolean> {
  const { sessions, problems } = await lab.store.verify();
  return sessions === 1 && problems.length === 0;
}

describe('RW-110, CV-185: the provider compacts', () => {
  it('RW-111, RW-112: its items stand for the past, the tokens are counted anew', async () => {
    await open();
    const before = (await lab.head()).state;
    const id = await compact(lab, 'remote');
    expect(await steps(lab, id)).toEqual(['remote by remote']);
    const [sent] = server.requests;
    expect(sent?.body).toEqual({
      model: MODEL,
      input: TALK.slice(1),
      instructions: 'You fix parsers.',
    });
    const opaque = opaqueItem('opaque-content-of-4-items');
    expect(await context()).toEqual([SYSTEM, USER, opaque, OPEN]);
    const { entries } = await lab.view();
    expect(entries.map(({ origin }) => origin)).toEqual([
      'instructions',
      'boundary',
      'remote',
      'remote',
      'log',
    ]);
    const { state } = await lab.head();
    expect(state.tokens).toBe(entries.reduce((sum, { tokens }) => sum + tokens, 0));
    expect(state.tokens).toBeLessThan(before.tokens);
    expect(state.compactions).toMatchObject({ remote: 1, full: 0 });
    expect(await isSound()).toBe(true);
  });

  it('RW-113: there is no summary text, in the log and in the audit trail', async () => {
    await open();
    const id = await compact(lab, 'remote');
    const event = ofType(await lab.events(), 'compaction.completed');
    expect(event.data).toMatchObject({ compaction_id: id, mode: 'remote', summary_text: '' });
    expect(event.data.report).toMatchObject({
      summarizer: 'remote',
      model: `openai/${MODEL}`,
      template: '',
    });
    const { input, output, cache_read } = event.data.report.usage;
    expect([input > 0, output > 0, cache_read > 0]).toEqual([true, true, true]);
    const write = rolloutWriter('lab');
    const payloads = (await lab.events()).flatMap(write).map(({ payload }) => payload);
    expect(payloads).toContainEqual(
      expect.objectContaining({ message: '', replacement_history: expect.arrayContaining([USER]) }),
    );
    // CV-221
    expect(payloads).toContainEqual(
      expect.objectContaining({
        type: 'CompactCompleted',
        strategy: 'remote',
        compaction_output_tokens: output,
      }),
    );
  });

  it('gives back exactly the earlier context when it is reverted', async () => {
    await open();
    const before = await context();
    const id = await compact(lab, 'remote');
    const command = revertCommand(id, await lab.events(), await lab.head());
    if (!command.ok) throw new Error(command.rejection.detail);
    expect((await lab.commit(revertCompactions([command.value]))).ok).toBe(true);
    expect(await context()).toEqual(before);
    expect(await isSound()).toBe(true);
  });

  it('RW-116: sends no prompt of ours, but the wishes of the request', async () => {
    await open();
    const requested = await lab.request('remote', { instructions: 'Keep the file names.' });
    if (!requested.ok) throw new Error(requested.rejection.detail);
    await workOff(lab, requested.value.id);
    expect(server.requests[0]?.body.instructions).toBe('You fix parsers.\n\nKeep the file names.');
  });

  it('by the trigger where there is no endpoint', async () => {
    await open();
    server.script(status(404), compaction(OPAQUE));
    expect(await steps(lab, await compact(lab, 'remote'))).toEqual(['remote by remote']);
    expect(await context()).toEqual([SYSTEM, OPAQUE, OPEN]);
  });

  it('items that arrive meanwhile stay after it', async () => {
    await open();
    const { promise, open: release } = gate();
    server.script(slow('not a compaction', promise));
    const requested = await lab.request('remote');
    if (!requested.ok) throw new Error(requested.rejection.detail);
    const working = workOff(lab, requested.value.id);
    await server.received(1);
    const late = message('user', 'And the docs.');
    await lab.append([{ type: 'function_call_output', call_id: 'o', output: 'ok' }, late]);
    release();
    await working;
    expect((await context()).at(-1)).toEqual(late);
    expect(await isSound()).toBe(true);
  });
});

describe('CV-185, CV-187: when the provider is asked', () => {
  const combinations = [
    ['gpt-5.4', true, 'remote by remote'],
    ['gpt-5.4', false, 'full by extractive'],
    ['claude-sonnet-5', true, 'full by extractive'],
    ['claude-sonnet-5', false, 'full by extractive'],
  ] as const;
  it.each(combinations)('model %s, remote_compaction %s: %s', async (model, flag, step) => {
    await open({ remote_compaction: flag, micro_compact_enabled: false }, model);
    expect(await steps(lab, await compact(lab, 'auto'))).toEqual([step]);
    expect(server.requests).toHaveLength(step === 'remote by remote' ? 1 : 0);
  });

  it('clearing comes first, and the provider when that is not enough', async () => {
    await open();
    expect(await steps(lab, await compact(lab, 'auto'))).toEqual(['micro_completed']);
    expect(server.requests).toEqual([]);
    await lab.close();
    await open({ auto_compact_threshold: 1_200 });
    expect(await steps(lab, await compact(lab, 'auto'))).toEqual(['remote by remote']);
  });

  it('CV-07: mode full is the local one, whatever the configuration says', async () => {
    await open();
    expect(await steps(lab, await compact(lab, 'full'))).toEqual(['full by extractive']);
    expect(server.requests).toEqual([]);
  });

  it('CV-03: mode remote asks it without the configuration', async () => {
    await open({ remote_compaction: false });
    expect(await steps(lab, await compact(lab, 'remote'))).toEqual(['remote by remote']);
  });
});

describe('RW-114: when the provider fails', () => {
  const LARGER = [message('user', ofTokens(4_000)), OPAQUE];
  const UNUSABLE: [string, Behaviour[], RegExp][] = [
    ['no compaction item', [compaction()], /0 compaction items/],
    ['two of them', [compaction(OPAQUE, OPAQUE)], /2 compaction items/],
    ['an orphan output', [compaction(...call('x', 'y').slice(1), OPAQUE)], /refuse/],
    ['more than before', [compaction(...LARGER)], /smaller/],
    ['a message instead', [answer('Hello!')], /0 compaction items/],
    ['HTTP 400', [status(400)], /HTTP 400/],
    ['HTTP 401', [status(401)], /HTTP 401/],
    ['an input that is too long', [tooLong()], /too long/],
    ['no form of it at all', [status(404), status(404)], /HTTP 404/],
  ];
  it.each(UNUSABLE)('%s: the local compaction takes over at once', async (_name, script, why) => {
    await open();
    server.script(...script);
    const id = await compact(lab, 'remote');
    expect(await steps(lab, id)).toEqual([expect.stringMatching(why), 'full by extractive']);
    expect(server.requests).toHaveLength(script.length);
    const { data } = ofType(await lab.events(), 'compaction.failed');
    expect(data.will_retry).toBe(true);
    expect(await isSound()).toBe(true);
  });

  it('what an unusable answer has cost is reported', async () => {
    await open();
    server.script(compaction());
    await compact(lab, 'remote');
    const { report } = ofType(await lab.events(), 'compaction.completed').data;
    expect(report.summarizer).toBe('extractive');
    expect(report.usage.input).toBeGreaterThan(0);
  });

  it.each<[string, Behaviour]>([
    ['429', status(429, { retryAfter: 2 })],
    ['a broken stream', cut('', 0)],
    ['HTTP 503', status(503)],
  ])('%s: it is asked again', async (_name, behaviour) => {
    await open();
    server.script(behaviour);
    const id = await compact(lab, 'remote');
    expect(await steps(lab, id)).toEqual([expect.stringMatching(/^failed/), 'remote by remote']);
  });

  it('waits as long as the provider says', async () => {
    await open();
    server.script(status(429, { retryAfter: 7 }));
    const requested = await lab.request('remote');
    if (!requested.ok) throw new Error(requested.rejection.detail);
    const result = await lab.work(requested.value.id);
    expect(result).toEqual({ kind: 'retry', after_ms: 7_000 });
  });

  it('after the last attempt the local compaction takes over', async () => {
    await open({ summarizer_max_attempts: 2 });
    server.script(status(500), status(500));
    expect(await steps(lab, await compact(lab, 'remote'))).toEqual([
      expect.stringContaining('HTTP 500'),
      expect.stringContaining('HTTP 500'),
      'full by extractive',
    ]);
  });

  it('an answer that does not come in time counts as a failure', async () => {
    await open({ summarizer_max_attempts: 1, summarizer_timeout_seconds: 1 });
    server.script(hang());
    expect(await steps(lab, await compact(lab, 'remote'))).toEqual([
      expect.stringContaining('time limit'),
      'full by extractive',
    ]);
  });

  it('without a local fallback the context stays as it is', async () => {
    await open({ summarizer_fallback: [] });
    lab.summarizer = { kind: 'unusable', message: 'no such model' };
    const before = await context();
    server.script(status(400));
    expect(await steps(lab, await compact(lab, 'remote'))).toEqual([
      expect.stringContaining('HTTP 400'),
      'failed: no such model',
    ]);
    expect(await context()).toEqual(before);
  });

  it('a session that was given another model meanwhile is compacted locally', async () => {
    await open({}, 'gemini-3-pro');
    expect(await steps(lab, await compact(lab, 'remote'))).toEqual([
      expect.stringContaining('not an OpenAI model'),
      'full by extractive',
    ]);
    expect(server.requests).toEqual([]);
  });

  it('one that is cancelled meanwhile changes nothing', async () => {
    await open();
    const before = await context();
    server.script(hang());
    const requested = await lab.request('remote');
    if (!requested.ok) throw new Error(requested.rejection.detail);
    const controller = new AbortController();
    const working = lab.work(requested.value.id, controller.signal);
    await server.received(1);
    await lab.cancel(requested.value.id);
    controller.abort();
    await working;
    expect(await steps(lab, requested.value.id)).toEqual(['cancelled']);
    expect(await context()).toEqual(before);
  });
});

describe('L11: an answer that is no smaller does not loop', () => {
  it('local, would_not_shrink, and after three of them the breaker', async () => {
    lab = await openRemoteLab(server, {
      micro_compact_enabled: false,
      min_new_tokens_between_compactions: 0,
    });
    for (let round = 1; round <= 4; round++) {
      server.script(compaction(message('user', ofTokens(500)), OPAQUE));
      // What the provider counts is far above what stands here: nothing can be won.
      const usage = { input_tokens: 15_500, output_tokens: 10 };
      const appended = await lab.append([
        message('user', `round ${round}`),
        message('assistant', 'ok', { usage }),
      ]);
      if (!appended.ok) throw new Error(appended.rejection.detail);
      const { running } = (await lab.head()).state;
      if (round === 4) {
        expect(running).toBeNull();
        break;
      }
      if (running === null) throw new Error('nothing was requested');
      await workOff(lab, running.id);
      expect(await steps(lab, running.id)).toEqual([
        expect.stringContaining('smaller'),
        'skipped: would_not_shrink',
      ]);
    }
    expect((await lab.events()).map(({ type }) => type)).toContain('breaker.opened');
    expect(server.requests).toHaveLength(3);
  });
});

describe('chains', () => {
  const MORE = [message('user', ofTokens(600)), message('assistant', ofTokens(600))];
  const opaque = (content: string) => opaqueItem(content);

  it('remote, remote: the provider gets its own item back, and replaces it', async () => {
    await open();
    server.script(compaction(opaque('opaque-1')), compaction(opaque('opaque-2')));
    await compact(lab, 'remote');
    await lab.append([{ type: 'function_call_output', call_id: 'o', output: 'ok' }, ...MORE]);
    await compact(lab, 'remote');
    expect(server.requests[1]?.body.input).toEqual([
      opaque('opaque-1'),
      OPEN,
      { type: 'function_call_output', call_id: 'o', output: 'ok' },
      ...MORE,
    ]);
    expect(server.requests[1]?.body.instructions).toBe('You fix parsers.');
    expect(await context()).toEqual([SYSTEM, opaque('opaque-2')]);
    expect(await isSound()).toBe(true);
  });

  it('remote, local, remote: what only the provider can read is never dropped', async () => {
    await open();
    server.script(compaction(opaque('opaque-1')));
    await compact(lab, 'remote');
    await lab.append([{ type: 'function_call_output', call_id: 'o', output: 'ok' }, ...MORE]);
    await compact(lab, 'full');
    const local = await context();
    expect(local.slice(0, 2)).toEqual([SYSTEM, opaque('opaque-1')]);
    expect(JSON.stringify(local.slice(2))).not.toContain('opaque-1');
    expect((await lab.view()).entries.map(({ origin }) => origin)).toEqual([
      'instructions',
      'boundary',
      'remote',
      'preserved',
      'summary',
    ]);
    // Whatever follows: a second local compaction carries it along as well.
    await lab.append(MORE);
    await compact(lab, 'full');
    expect((await context())[1]).toEqual(opaque('opaque-1'));
    await lab.append(MORE);
    server.script(compaction(opaque('opaque-2')));
    await compact(lab, 'remote');
    const input = server.requests.at(-1)?.body.input;
    expect(input).toEqual([opaque('opaque-1'), MORE[0], expect.anything(), ...MORE]);
    expect(await context()).toEqual([SYSTEM, opaque('opaque-2')]);
    expect(await isSound()).toBe(true);
  });

  it('a compaction item that the client has logged itself is carried along too', async () => {
    lab = await openRemoteLab(server);
    await lab.append([opaque('of the client'), ...TALK.slice(1)]);
    await compact(lab, 'full');
    expect((await context())[0]).toEqual(opaque('of the client'));
  });
});
