import { describe, expect, it } from 'vitest';
import { finishFull } from '../../../src/domain/compaction/finish-full.ts';
import { type FullPlan, planFull, withLedgers } from '../../../src/domain/compaction/full.ts';
import { materialOf } from '../../../src/domain/compaction/material.ts';
import {
  checkReplacement,
  finishRemote,
  type RemoteInput,
  remoteInput,
  remoteModel,
} from '../../../src/domain/compaction/remote.ts';
import { renderEntries } from '../../../src/domain/context/render.ts';
import { NOTHING_PINNED, type View } from '../../../src/domain/context/view.ts';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { Json } from '../../../src/domain/json.ts';
import type { Entry } from '../../../src/domain/session/entry.ts';
import { NO_USAGE } from '../../../src/domain/session/usage-state.ts';
import { estimator, withSafetyMargin } from '../../../src/domain/tokens/count.ts';
import { measureItem } from '../../../src/domain/tokens/measure.ts';
import { AT, configWith } from '../../support/given.ts';
import { GHOST, ofTokens } from '../../support/items.ts';

const CONFIG = configWith({ protected_tokens: null, restore_max_files: 0 });
const COUNT = estimator(CONFIG);
const CODEC = codecFor('openai-responses');

const message = (role: string, text: string): Item => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});
const call = (id: string, fields: Item = {}): Item => ({
  type: 'function_call',
  call_id: id,
  name: 'shell',
  arguments: '{}',
  ...fields,
});
const output = (id: string): Item => ({
  type: 'function_call_output',
  call_id: id,
  output: 'fine',
});
const OPAQUE: Item = { id: 'cmp_1', type: 'compaction', encrypted_content: 'gAAA' };
const SYSTEM = message('developer', 'You fix parsers.');
const TALK = [message('user', ofTokens(1_000)), message('assistant', ofTokens(1_000))];

function entryOf(item: Item, seq: number | null, origin: Entry['origin'] = 'log'): Entry {
  return { seq, item, tokens: measureItem(CODEC, item, COUNT, CONFIG).tokens, origin };
}

/** A context of these items, after what an earlier compaction left there. */
function viewOf(items: readonly Item[], earlier: readonly Entry[] = []): View {
  return {
    version: items.length + 1,
    format: 'openai-responses',
    base: null,
    entries: [...earlier, ...items.map((item, index) => entryOf(item, index + 2))],
    edits: new Map(),
    originals: new Map(),
    usage: NO_USAGE,
    ledger: null,
    pins: NOTHING_PINNED,
  };
}

function fullOf(view: View): FullPlan {
  const all = view.entries.reduce((sum, { tokens }) => sum + tokens, 0);
  const plan = planFull({
    view,
    material: materialOf(view),
    config: CONFIG,
    count: COUNT,
    tokens: withSafetyMargin(all, CONFIG),
    threshold: 187_000,
    before: null,
    context_window: null,
    is_automatic: false,
  });
  if (plan.kind === 'skip') throw new Error(plan.skip.detail);
  return withLedgers(plan, view);
}

function planOf(items: readonly Item[], earlier: readonly Entry[] = []): [FullPlan, View] {
  const view = viewOf(items, earlier);
  return [fullOf(view), view];
}

function inputOf(items: readonly Item[], earlier: readonly Entry[] = []): RemoteInput {
  const [plan, view] = planOf(items, earlier);
  return remoteInput(view, plan);
}

const finishing = (view: View) => ({
  compaction_id: 'c_1',
  view,
  config: CONFIG,
  count: COUNT,
  is_automatic: true,
  boundary_uuid: 'uuid-1',
  at: AT,
  duration_ms: 40,
});

describe('remoteModel', () => {
  it.each([
    ['gpt-5.4', 'gpt-5.4'],
    ['openai/gpt-5.4', 'gpt-5.4'],
    ['my-deployment', 'my-deployment'],
  ])('%s can be compacted as %s', (model, name) => {
    expect(remoteModel({ format: 'openai-responses', model })).toEqual({
      model: name,
      reason: null,
    });
  });

  it.each([
    ['anthropic', 'gpt-5.4', /format "openai-responses"/],
    ['openai-chat', 'gpt-5.4', /format "openai-responses"/],
    ['openai-responses', null, /names no model/],
    ['openai-responses', 'openai/', /names no model/],
    ['openai-responses', 'claude-sonnet-5', /not an OpenAI model/],
    ['openai-responses', 'gemini-3-pro', /not an OpenAI model/],
    ['openai-responses', 'groq/llama-4', /not an OpenAI model/],
  ] as const)('%s with model %s cannot', (format, model, reason) => {
    expect(remoteModel({ format, model })).toEqual({
      model: null,
      reason: expect.stringMatching(reason),
    });
  });
});

describe('remoteInput', () => {
  it('hands over the covered part as it is rendered, its instructions apart', () => {
    const covered = [...TALK, call('a'), output('a')];
    const items = [SYSTEM, GHOST, ...covered, call('open')];
    expect(planOf(items)[0].through).toBe(7);
    expect(inputOf(items)).toEqual({ input: covered, instructions: 'You fix parsers.' });
  });

  it('gives system messages of the initial context as instructions, and nothing else of it', () => {
    const initial = [SYSTEM, message('user', 'Rules.')].map((item) =>
      entryOf(item, null, 'initial'),
    );
    const found = inputOf(TALK, initial);
    expect(found.instructions).toBe('You fix parsers.');
    expect(found.input).toEqual(TALK);
  });

  it('hands the provider its own earlier compaction again', () => {
    const found = inputOf(TALK, [entryOf(OPAQUE, null, 'remote')]);
    expect(found.input).toEqual([OPAQUE, ...TALK]);
    expect(found.instructions).toBeNull();
  });

  it('leaves out a trigger that a client has logged', () => {
    const found = inputOf([...TALK, { type: 'compaction_trigger' }]);
    expect(found.input).toEqual(TALK);
  });

  it('reads nothing that the provider would have to look up: nothing is stored there', () => {
    const kept = { type: 'reasoning', id: 'rs_2', encrypted_content: 'x', summary: [] };
    const found = inputOf([
      ...TALK,
      { type: 'reasoning', id: 'rs_1', summary: [] },
      call('a', { id: 'fc_1' }),
      output('a'),
      { type: 'local_shell_call', id: 'lsh_1', action: {}, status: 'completed' },
      { type: 'local_shell_call_output', id: 'lsh_1', output: '' },
      message('user', 'go on'),
      kept,
      call('b', { id: 'fc_2' }),
      output('b'),
    ]);
    expect(found.input).toEqual([
      ...TALK,
      call('a'),
      output('a'),
      { type: 'local_shell_call', id: 'lsh_1', action: {}, status: 'completed' },
      { type: 'local_shell_call_output', id: 'lsh_1', output: '' },
      message('user', 'go on'),
      kept,
      call('b', { id: 'fc_2' }),
      output('b'),
    ]);
  });
});

describe('checkReplacement', () => {
  const problemOf = (answer: Json[], items: Item[] = TALK) => {
    const [plan, view] = planOf(items);
    return checkReplacement(plan, answer, { view, config: CONFIG, count: COUNT }).problem;
  };

  it.each<[string, Json[]]>([
    ['one compaction item', [OPAQUE]],
    ['the messages of the user in front of it', [message('user', 'Fix it.'), OPAQUE]],
    ['a call with its output', [call('x'), output('x'), OPAQUE]],
  ])('takes %s', (_name, answer) => {
    expect(problemOf(answer, [...TALK, call('open')])).toBeNull();
  });

  it.each<[string, Json[], RegExp]>([
    ['nothing', [], /0 compaction items/],
    ['a plain message', [message('assistant', 'Hello!')], /0 compaction items/],
    ['two compaction items', [OPAQUE, { ...OPAQUE, id: 'cmp_2' }], /2 compaction items/],
    ['an empty compaction item', [{ ...OPAQUE, encrypted_content: '' }], /empty/],
    ['no content at all', [{ type: 'compaction' }], /empty/],
    ['something that is no item', [OPAQUE, 'text'], /shape/],
    ['an item without its fields', [OPAQUE, { type: 'function_call' }], /shape/],
    ['an orphan output', [output('gone'), OPAQUE], /refuse/],
    ['a call without its output', [call('gone'), OPAQUE], /refuse/],
    ['one of our own control items', [{ type: 'progress' }, OPAQUE], /refuse/],
    ['more than it covers', [message('user', ofTokens(3_000)), OPAQUE], /smaller/],
  ])('refuses %s', (_name, answer, problem) => {
    expect(problemOf(answer)).toMatch(problem);
  });
});

describe('finishRemote', () => {
  it('puts instructions, boundary, the items as they came, and ghosts in place of the past', () => {
    const [plan, view] = planOf([SYSTEM, GHOST, ...TALK]);
    const items = [message('user', 'Fix it.'), OPAQUE];
    const usage = { input: 10, output: 5, cache_read: 2, cache_creation: 1 };
    const result = finishRemote(
      plan,
      { items, model: 'openai/gpt-5.4', usage, remote_ms: 30 },
      finishing(view),
    );
    expect(result).toMatchObject({ mode: 'remote', through: 5, previous: null, summary_text: '' });
    expect(result.entries.map(({ origin }) => origin)).toEqual([
      'instructions',
      'boundary',
      'remote',
      'remote',
      'ghost',
    ]);
    expect(renderEntries(result.entries, 'openai-responses', 'openai-responses')).toEqual([
      SYSTEM,
      ...items,
    ]);
    const opaque = result.entries.find(({ item }) => item.type === 'compaction');
    expect(opaque?.tokens).toBe(Math.ceil(JSON.stringify(OPAQUE).length / 4));
    expect(result.report).toMatchObject({
      summarizer: 'remote',
      model: 'openai/gpt-5.4',
      usage,
      replacement_tokens: result.entries.reduce((sum, { tokens }) => sum + tokens, 0),
    });
  });

  it('keeps a call that the model does not wait for, unless the provider gives it back', () => {
    const slow = call('slow', { async: true });
    const [plan, view] = planOf([slow, ...TALK, ...TALK]);
    const usage = { input: 1, output: 1, cache_read: 0, cache_creation: 0 };
    const callsAfter = (...items: Item[]) => {
      const replacement = { items, model: 'openai/gpt-5.4', usage, remote_ms: 1 };
      const { entries } = finishRemote(plan, replacement, finishing(view));
      const context = [...entries, entryOf(output('slow'), 9)];
      return renderEntries(context, 'openai-responses', 'openai-responses').filter(
        ({ call_id }) => call_id === 'slow',
      );
    };
    expect(callsAfter(OPAQUE)).toEqual([slow, output('slow')]);
    expect(callsAfter(slow, OPAQUE)).toEqual([slow, output('slow')]);
  });

  it('adds what hooks bring after it, as far as the context stays smaller', () => {
    const [plan, view] = planOf(TALK);
    const usage = { input: 1, output: 1, cache_read: 0, cache_creation: 0 };
    const replacement = { items: [OPAQUE], model: 'openai/gpt-5.4', usage, remote_ms: 1 };
    const hook_items = [message('user', 'Mind the style.'), message('user', ofTokens(3_000))];
    const result = finishRemote(plan, replacement, {
      ...finishing(view),
      hook_items,
      user_display_message: 'Compacted.',
    });
    expect(result.entries.map(({ origin }) => origin)).toEqual(['boundary', 'remote', 'hook']);
    expect(result.entries[2]?.item).toEqual(hook_items[0]);
    expect(result.report.user_display_message).toBe('Compacted.');
  });

  it('leaves out what hooks bring when the context would reach its limit', () => {
    const [plan, view] = planOf(TALK);
    const usage = { input: 1, output: 1, cache_read: 0, cache_creation: 0 };
    const replacement = { items: [OPAQUE], model: 'openai/gpt-5.4', usage, remote_ms: 1 };
    const limited = { ...plan, limit: 1_000 };
    const hook_items = [message('user', 'Mind the style.'), message('user', ofTokens(1_000))];
    const result = finishRemote(limited, replacement, { ...finishing(view), hook_items });
    expect(result.entries.map(({ origin }) => origin)).toEqual(['boundary', 'remote', 'hook']);
    expect(result.entries[2]?.item).toEqual(hook_items[0]);
  });
});

describe('a local compaction after one of the provider', () => {
  const earlier = [
    entryOf(message('user', 'Fix it.'), null, 'remote'),
    entryOf(OPAQUE, null, 'remote'),
  ];

  it('keeps the opaque item verbatim, in front of its own summary, and does not read it', () => {
    const view = viewOf(TALK, earlier);
    const plan = fullOf(view);
    expect(JSON.stringify(plan.conversation)).not.toContain('gAAA');
    expect(plan.conversation).toHaveLength(2);
    const summary = {
      text: '<summary>done</summary>',
      summarizer: 'extractive',
      model: null,
      template: 't',
      usage: { input: 0, output: 0, cache_read: 0, cache_creation: 0 },
      left_out: { cleared_results: 0, truncated_results: 0, dropped_items: 0 },
      truncated_turns: 0,
      summarizer_ms: 0,
    };
    const { entries } = finishFull(plan, summary, finishing(view));
    expect(entries.map(({ origin }) => origin)).toEqual(['boundary', 'remote', 'summary']);
    expect(entries[1]?.item).toEqual(OPAQUE);
  });

  it('counts it to what no compaction can give up', () => {
    const huge = { ...OPAQUE, encrypted_content: 'x'.repeat(800_000) };
    const view = viewOf(TALK, [entryOf(huge, null, 'remote')]);
    expect(() => fullOf(view)).toThrow(/make them shorter, or the window larger/);
  });

  it('in another format it is left out: nobody else can read it', () => {
    const rendered = renderEntries(viewOf(TALK, earlier).entries, 'openai-responses', 'anthropic');
    expect(JSON.stringify(rendered)).toContain('Fix it.');
    expect(JSON.stringify(rendered)).not.toContain('gAAA');
  });
});
