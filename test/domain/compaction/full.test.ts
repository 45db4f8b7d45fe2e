import { describe, expect, it } from 'vitest';
import {
  type FinishContext,
  finishFull,
  type Summary,
} from '../../../src/domain/compaction/finish-full.ts';
import {
  type CutPlan,
  isTooLarge,
  makesSmaller,
  planFull,
  withLedgers,
} from '../../../src/domain/compaction/full.ts';
import { materialOf } from '../../../src/domain/compaction/material.ts';
import type { View } from '../../../src/domain/context/view.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { JsonObject } from '../../../src/domain/json.ts';
import type { Config, ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import type { Entry } from '../../../src/domain/session/entry.ts';
import { estimator, withSafetyMargin } from '../../../src/domain/tokens/count.ts';
import { AT, configWith, viewIn, viewOf } from '../../support/given.ts';
import { assistant, attachment, call, GHOST, ofTokens, tool, user } from '../../support/items.ts';

const SUMMARY: Summary = {
  text: '<analysis>thought</analysis>\n\n\n<summary>done</summary>',
  summarizer: 'model',
  model: 'm-1',
  template: 'nine-sections@1',
  usage: { input: 10, output: 5, cache_read: 2, cache_creation: 1 },
  left_out: { cleared_results: 1, truncated_results: 2, dropped_items: 3 },
  truncated_turns: 4,
  summarizer_ms: 30,
};

function settings(overrides: ConfigOverrides = {}): Config {
  return configWith({ protected_tokens: null, ...overrides });
}

function plan(
  view: View,
  config: Config,
  threshold = 187_000,
  before: number | null = null,
  context_window: number | null = null,
) {
  const all = view.entries.reduce((sum, { tokens }) => sum + tokens, 0);
  return planFull({
    view,
    material: materialOf(view),
    config,
    count: estimator(config),
    tokens: withSafetyMargin(all, config),
    threshold,
    before,
    context_window,
    is_automatic: false,
  });
}

function fullPlan(view: View, config: Config, threshold?: number): CutPlan {
  const found = plan(view, config, threshold);
  if (found.kind === 'skip') throw new Error(found.skip.detail);
  return found;
}

function finish(
  view: View,
  config: Config,
  context: Partial<FinishContext> = {},
  threshold?: number,
) {
  return finishFull(withLedgers(fullPlan(view, config, threshold), view), SUMMARY, {
    view,
    compaction_id: 'c_1',
    config,
    count: estimator(config),
    is_automatic: true,
    boundary_uuid: 'uuid-1',
    at: AT,
    duration_ms: 40,
    ...context,
  });
}

function origins(entries: readonly Entry[]): string[] {
  return entries.map(({ origin, item }) => {
    const { attachment: attached } = item;
    return origin === 'file' &&
      attached !== null &&
      typeof attached === 'object' &&
      'path' in attached
      ? `file ${attached.path}`
      : origin;
  });
}

const file = (path: string, content: string) => attachment('file', content, path);
const TALK = [user(ofTokens(1_000)), assistant(ofTokens(1_000))];

describe('planFull', () => {
  it('leaves at least half of a small threshold to the rest beside preserved user messages', () => {
    const view = viewOf([user(ofTokens(9_000)), assistant(ofTokens(500))]);
    const { preserved } = fullPlan(view, settings({ preserve_user_messages: true }), 6_000);
    const [kept] = preserved;
    expect(preserved).toHaveLength(1);
    expect(kept?.tokens).toBeGreaterThan(2_200);
    expect(kept?.tokens).toBeLessThanOrEqual(2_255);
  });

  it('covers everything up to the cut and keeps the rest', () => {
    const view = viewOf([...TALK, ...tool('a', 'Read', 500), call('open', 'Read')]);
    const found = fullPlan(view, settings());
    expect(found).toMatchObject({ through: 5, previous: null, limit: found.tokens_before });
    expect(found.covered_tokens + found.kept_tokens).toBe(
      view.entries.reduce((sum, { tokens }) => sum + tokens, 0),
    );
    expect(found.conversation).toHaveLength(4);
  });

  it.each<[string, Item[]]>([
    ['an empty session', []],
    ['nothing but an open call', [call('open', 'Read')]],
  ])('skips %s', (_name, items) => {
    expect(plan(viewOf(items), settings())).toMatchObject({
      kind: 'skip',
      skip: { reason: 'nothing_to_compact' },
    });
  });

  it('plans a summary of at most summary_max_tokens, and keeps so much room for it', () => {
    const long = viewOf([user(ofTokens(20_000)), ...TALK, user(ofTokens(3_000)), ...TALK]);
    const budget = (most: number) =>
      fullPlan(long, settings({ summary_max_tokens: most })).summary_budget;
    expect([budget(700), budget(701)]).toEqual([700, 701]);
    // Behind the first cut stand 4,500 tokens: with margin they leave room for 1,511 below 8,000.
    const through = (most: number) =>
      fullPlan(long, settings({ summary_max_tokens: most, protected_messages: 3 }), 8_000).through;
    expect(through(64)).toBeLessThan(through(6_000));
  });

  it('lets the summary take as much as the one before it took, and half of what has come since', () => {
    const told = (tokens: number, since: number) => {
      const text = ofTokens(tokens);
      const summary: Entry = { seq: null, item: user(text), tokens, origin: 'summary' };
      const view = viewOf([assistant(ofTokens(since))]);
      const full = { ...view, entries: [summary, ...view.entries] };
      return fullPlan(full, settings({ summary_max_tokens: 4_000 })).summary_budget;
    };
    // Without the sentences around the earlier one, which come again.
    expect(told(3_000, 100)).toBeGreaterThan(2_900);
    expect(told(3_000, 100)).toBeLessThan(3_100);
    expect(told(3_000, 1_100) - told(3_000, 100)).toBe(500);
    expect(told(6_000, 100)).toBe(4_000);
  });

  it('leaves as much free below the threshold as the summary takes', () => {
    const view = viewOf([user(ofTokens(200)), assistant(ofTokens(12_000))]);
    const { summary_budget, fixed_tokens } = fullPlan(view, settings({}), 8_000);
    const free = Math.floor(7_999 / settings().token_safety_multiplier) - fixed_tokens;
    expect(summary_budget).toBeLessThan(free / 2);
    expect(summary_budget).toBeGreaterThan(free / 2 - 100);
  });

  it('protects less when the protected part is what makes it too large', () => {
    const view = viewOf([...TALK, ...TALK]);
    expect(fullPlan(view, settings({ protected_messages: 3 })).through).toBe(2);
    expect(fullPlan(view, settings({ protected_messages: 3 }), 2_000).through).toBe(5);
  });

  /** Twelve messages after older ones; two pastes of 60,000 tokens are among them. */
  const pasted = [
    ...TALK,
    user(ofTokens(60_000)),
    assistant(ofTokens(20_000)),
    user(ofTokens(60_000)),
    ...Array.from({ length: 4 }, () => [assistant('go on'), user('yes')]).flat(),
    user('What now?'),
  ];

  it.each([
    // 140,000 of the last messages and 8,000 for the summary, with margin: 196,840 tokens.
    ['room for all of it', 200_000, 3],
    ['as much of it as there is room for: without the first paste', 160_000, 4],
    ['without both', 90_000, 6],
  ])('tiered protects the last 12 messages: %s', (_name, threshold, through) => {
    const found = fullPlan(viewOf(pasted), profileConfig('tiered', 200_000), threshold);
    expect(found.through).toBe(through);
  });

  it('tiered, a large paste among the protected: the newest message of the user stays', () => {
    const config = profileConfig('tiered', 200_000);
    const view = viewOf(pasted);
    const { through, kept_tokens } = fullPlan(view, config, 160_000);
    expect(view.entries.filter(({ seq }) => (seq ?? 0) > through).at(-1)?.item).toEqual(
      user('What now?'),
    );
    expect(withSafetyMargin(kept_tokens, config)).toBeLessThan(160_000);
  });

  it.each<[string, number, ConfigOverrides]>([
    ['nothing is protected', 3, {}],
    ['protection would be given up for room', 3, { protected_messages: 2 }],
    ['protection reaches further back', 2, { protected_messages: 3 }],
  ])('cuts before the message that it was asked for: %s', (_name, through, overrides) => {
    const view = viewOf([...TALK, user(ofTokens(9_000)), assistant(ofTokens(1_000))]);
    const found = plan(view, settings({ summary_max_tokens: 100, ...overrides }), 16_000, 4);
    expect(found).toMatchObject({ kind: 'full', through });
  });

  it.each([
    ['fills the window by itself is summarised with the rest', 0, 'full'],
    ['leaves one token of it stays, and is what is in the way', 1, 'skip'],
  ])('one that %s', (_what, left, kind) => {
    const config = settings({ token_safety_multiplier: 1 });
    const initial: Entry = { seq: null, item: user('x'), tokens: 1, origin: 'initial' };
    const view = viewOf([...TALK, user(ofTokens(9_000))]);
    const last = view.entries.at(-1);
    const window = (last?.tokens ?? 0) + left;
    const all = { ...view, entries: [initial, ...view.entries] };
    const found = plan(all, config, window, last?.seq ?? null, window);
    expect(found.kind).toBe(kind);
    if (found.kind === 'skip') expect(found.skip.reason).toBe('irreducible_floor');
    else expect(found.through).toBe(last?.seq);
  });

  it('skips when there is nothing before that message', () => {
    const found = plan(viewOf([user(ofTokens(9_000))]), settings(), 187_000, 2);
    expect(found).toMatchObject({ kind: 'skip', skip: { reason: 'nothing_to_compact' } });
  });

  it.each([
    [0, 'irreducible_floor'],
    [1, 'other'],
  ])('is a floor from the threshold itself on: %i tokens below it, %s', (below, expected) => {
    const initial: Entry = { seq: null, item: user('x'), tokens: 300, origin: 'initial' };
    const view = viewOf(TALK);
    const config = settings({ token_safety_multiplier: 1 });
    const found = plan({ ...view, entries: [initial, ...view.entries] }, config, 300 + below);
    const reason = found.kind === 'skip' ? found.skip.reason : 'other';
    expect(reason).toBe(expected);
  });

  it('names the largest contributors when the floor alone reaches the threshold', () => {
    const open = assistant([
      { type: 'text', text: ofTokens(900) },
      { type: 'tool_use', id: 'o', name: 'Read', input: {} },
    ]);
    const view = viewOf([...TALK, open]);
    const initial: Entry = { seq: null, item: user('x'), tokens: 300, origin: 'initial' };
    const found = plan({ ...view, entries: [initial, ...view.entries] }, settings(), 1_500);
    expect(found).toMatchObject({
      kind: 'skip',
      skip: {
        reason: 'irreducible_floor',
        detail: expect.stringContaining('1500'),
        contributors: [
          { what: 'item 4', tokens: view.entries[2]?.tokens },
          { what: 'initial context', tokens: 300 },
        ],
      },
    });
  });
});

describe('finishFull', () => {
  it('puts the parts in the order of SPEC 8', () => {
    const view = viewOf([
      GHOST,
      user(ofTokens(1_000)),
      file('a.ts', 'A'),
      attachment('plan', 'the plan'),
      attachment('todo', 'the todo'),
      file('b.ts', 'B'),
      assistant(ofTokens(500)),
    ]);
    const result = finish(
      view,
      settings({ preserve_user_messages: true, user_message_max_tokens: 100 }),
    );
    expect(origins(result.entries)).toEqual([
      'boundary',
      'preserved',
      'summary',
      'file b.ts',
      'file a.ts',
      'todo',
      'plan',
      'ghost',
    ]);
    expect(result.entries.every(({ seq }) => seq === null)).toBe(true);
    expect(result).toMatchObject({
      mode: 'full',
      through: 8,
      previous: null,
      summary_text: 'Analysis:\nthought\n\nSummary:\ndone',
      report: {
        covered_tokens: view.entries.reduce((sum, { tokens }) => sum + tokens, 0),
        replacement_tokens: result.entries.reduce((sum, { tokens }) => sum + tokens, 0),
        summarizer: 'model',
        model: 'm-1',
        template: 'nine-sections@1',
        usage: SUMMARY.usage,
        left_out: SUMMARY.left_out,
        truncated_turns: 4,
        files_restored: 2,
        duration_ms: 40,
        summarizer_ms: 30,
      },
    });
  });

  it('switches todos and plan off', () => {
    const view = viewOf([...TALK, attachment('todo', 't'), attachment('plan', 'p')]);
    const result = finish(view, settings({ restore_todos: false, restore_plan: false }));
    expect(origins(result.entries)).toEqual(['boundary', 'summary']);
  });

  it('restores the plan untruncated', () => {
    const text = ofTokens(6_000);
    const view = viewOf([user(ofTokens(9_000)), attachment('plan', text)]);
    const found = finish(view, settings()).entries.find(({ origin }) => origin === 'plan');
    expect(found).toMatchObject({ tokens: 6_000, item: { attachment: { content: text } } });
  });

  it.each([
    ['that was posted', [attachment('plan', ofTokens(6_000))]],
    [
      'that the agent has written',
      tool('w', 'Write', 5, { file_path: '/w/.claude/plans/p.md', content: ofTokens(6_000) }),
    ],
  ])('cuts a plan %s where it would fill a small limit', (_, items) => {
    const view = viewOf([user(ofTokens(9_000)), ...items, assistant(ofTokens(500))]);
    const context = fullPlan(view, settings(), 14_000);
    const [cut] = context.attachments;
    expect(cut?.origin).toBe('plan');
    expect(cut?.tokens).toBeLessThanOrEqual(14_000 / 4);
    expect(JSON.stringify(cut?.item)).toContain('tokens left out');
    expect(context.summary_budget).toBeGreaterThan(2_000);
  });

  it.each([
    [true, 'auto'],
    [false, 'manual'],
  ])('writes the boundary item (automatic: %s)', (is_automatic, trigger) => {
    const view = viewOf(TALK);
    const [boundary] = finish(view, settings(), { is_automatic }).entries;
    expect(boundary).toEqual({
      seq: null,
      tokens: 0,
      origin: 'boundary',
      item: {
        type: 'system',
        subtype: 'compact_boundary',
        content: 'Conversation compacted',
        is_meta: false,
        level: 'info',
        timestamp: AT,
        uuid: 'uuid-1',
        compact_metadata: { trigger, pre_tokens: 2_660 },
      },
    });
  });

  const head =
    'This session is being continued from a previous conversation that ran out of context.';
  const body = 'The conversation is summarized below:\nAnalysis:\nthought\n\nSummary:\ndone';
  const goOn =
    'Please continue the conversation from where we left it off without asking the user any further ' +
    'questions. Continue with the last task that you were asked to work on.';

  it.each<[string, boolean, ConfigOverrides, string]>([
    ['by hand', false, {}, `${head}\n${body}`],
    ['automatic', true, {}, `${head}\n${body}\n${goOn}`],
    ['claude-code', true, { summary_style: 'claude-code' }, `${head} ${body}.\n${goOn}`],
    [
      'without analysis',
      false,
      { summary_include_analysis: false },
      `${head}\nThe conversation is summarized below:\nSummary:\ndone`,
    ],
  ])('writes the summary item: %s', (_name, is_automatic, overrides, content) => {
    const config = settings(overrides);
    const entry = finish(viewOf(TALK), config, { is_automatic }).entries.find(
      ({ origin }) => origin === 'summary',
    );
    expect(entry).toEqual({
      seq: null,
      origin: 'summary',
      tokens: Math.ceil(content.length / 4),
      item: {
        role: 'user',
        content,
        is_compact_summary: true,
        is_visible_in_transcript_only: true,
      },
    });
  });

  it('keeps of the latest request no file as Claude Code read it then', () => {
    const read = (said: string) => ({
      type: 'text',
      text: `<system-reminder>\n${said}\n</system-reminder>`,
    });
    const called = 'Called the Read tool with the following input: {"file_path":"/w/a.md"}';
    const typed = { type: 'text', text: 'Mend @a.md.' };
    const items = [
      user('Look around.'),
      assistant(ofTokens(500)),
      user([read(called), read('Result of calling the Read tool:\n1\told\n'), typed]),
      ...[1, 2, 3].map(() => assistant(ofTokens(2_000))),
    ];
    const found = plan(viewIn('anthropic', items), settings(), 4_000, null, 32_000);
    expect(found).toMatchObject({
      preserved: [{ item: { content: [typed] } }],
      files: [{ path: '/w/a.md' }],
    });
    const excluded = settings({ restore_exclude: ['/w/a.md'] });
    expect(plan(viewIn('anthropic', items), excluded, 4_000, null, 32_000)).toMatchObject({
      preserved: [{ item: items[2] }],
      files: [],
    });
  });

  it('says of a latest request that is cut what came with it', () => {
    const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0x'.repeat(5_000) };
    const policy = {
      type: 'text',
      media_type: 'text/plain',
      data: `Policy 12. ${ofTokens(5_000)} Ines signs.`,
    };
    const asked = 'Build the report by both documents.';
    const request = (document: JsonObject, text = asked) => {
      const items = [
        user('Look around.'),
        user([document, { type: 'text', text }]),
        ...[1, 2, 3].map(() => assistant(ofTokens(2_000))),
      ];
      const found = plan(viewIn('anthropic', items), settings(), 4_000, null, 12_000);
      const kept = found.kind === 'full' ? found.preserved.map(({ item }) => item) : [];
      return JSON.stringify(kept.map(({ content }) => content));
    };
    const file = { type: 'document', title: 'terms.pdf', source: pdf };
    expect(request(file)).toContain(
      'Build the report by both documents.\\n[Left out here: file terms.pdf]',
    );
    // However long the words are themselves.
    expect(request(file, ofTokens(1_500))).toMatch(/\\n\[Left out here: file terms\.pdf\]"\]$/);
    const text = request({ type: 'document', title: 'Sales policy', source: policy });
    expect(text).toMatch(
      /by both documents\.\\n\[Beside these words:\]\\nSales policy:\\nPolicy 12\..*Ines signs\./,
    );
  });

  it('puts back no command whose text stands whole in the latest request that calls it', () => {
    const ship = 'Ship version 2.4.1: bump conf.ini, then write RELEASE.md. Never push.';
    const called = (text: string) =>
      user([
        {
          type: 'text',
          text: '<command-message>ship</command-message>\n<command-name>/ship</command-name>\n<command-args>2.4.1</command-args>',
        },
        { type: 'text', text },
      ]);
    const skill = `Base directory for this skill: /s/ship\n\n${ship}`;
    const filesOf = (...items: Item[]) => {
      const history = [user('Look.'), ...items, ...[1, 2, 3].map(() => assistant(ofTokens(2_000)))];
      const found = plan(viewIn('anthropic', history), settings(), 4_000, null, 32_000);
      return found.kind === 'full' ? found.files.map(({ path }) => path) : [];
    };
    expect(filesOf(assistant(ofTokens(500)), called(ship))).toEqual([]);
    expect(filesOf(assistant(ofTokens(500)), called(skill))).toEqual([]);
    expect(filesOf(called(ship), assistant(ofTokens(500)), user('And now?'))).toEqual([
      '/ship, command as loaded',
    ]);
    // Of a long one no more than a part stands in the request.
    const long = ofTokens(5_000);
    expect(filesOf(assistant(ofTokens(500)), called(long))).toEqual(['/ship, command as loaded']);
  });

  it("keeps no request of its parent's user behind the task of an agent of Codex", () => {
    const ask: Item = { type: 'message', role: 'user', content: 'Use agents, then mend it.' };
    const told = (id: string, type: string): Item => ({
      type: 'agent_message',
      id,
      author: '/root',
      recipient: '/root/beta',
      content: [
        {
          type: 'input_text',
          text: `Message Type: ${type}\nTask name: /root/beta\nSender: /root\nPayload:\n`,
        },
        { type: 'encrypted_content', encrypted_content: 'gAAAAAB' },
      ],
    });
    const said = (tokens: number): Item => ({
      type: 'message',
      role: 'assistant',
      content: ofTokens(tokens),
    });
    const work = [1, 2, 3].map(() => said(2_000));
    const preservedOf = (...items: Item[]) => {
      const view = viewIn('openai-responses', [...items, ...work]);
      const found = plan(view, settings(), 4_000, null, 32_000);
      return found.kind === 'full' ? found.preserved.map(({ item }) => item) : null;
    };
    expect(preservedOf(ask, said(500), told('1', 'NEW_TASK'))).toEqual([]);
    // The user has spoken to this agent itself, or another one has sent it a message.
    expect(preservedOf(told('1', 'NEW_TASK'), said(500), ask)).toEqual([ask]);
    expect(preservedOf(ask, said(500), told('1', 'MESSAGE'))).toEqual([ask]);
  });

  it('leaves files out, oldest first, until the context fits under the threshold', () => {
    const files = ['a', 'b', 'c'].map((name) => file(name, ofTokens(1_000)));
    const view = viewOf([...TALK, ...files]);
    const kept = (threshold: number) =>
      origins(finish(view, settings(), {}, threshold).entries).filter((name) =>
        name.startsWith('file'),
      );
    expect(kept(187_000)).toEqual(['file c', 'file b', 'file a']);
    expect(kept(3_500)).toEqual(['file c', 'file b']);
    expect(kept(1_500)).toEqual(['file c']);
    expect(kept(500)).toEqual([]);
  });

  it('leaves the room of a large file that does not fit to older ones', () => {
    const files = ['a', 'b'].map((name) => file(name, ofTokens(500)));
    const view = viewOf([...TALK, ...files, file('large', ofTokens(4_000))]);
    const kept = (restore_over_budget: 'skip' | 'stop') =>
      origins(finish(view, settings({ restore_over_budget }), {}, 3_000).entries).filter((name) =>
        name.startsWith('file'),
      );
    expect(kept('skip')).toEqual(['file b', 'file a']);
    expect(kept('stop')).toEqual([]);
  });

  it('never restores more than was covered', () => {
    const view = viewOf([file('a', ofTokens(100))]);
    expect(origins(finish(view, settings()).entries)).toEqual(['boundary', 'summary']);
  });

  it('keeps system messages verbatim, wherever they stand, before the boundary, and does not summarise them', () => {
    const system: Item = { role: 'system', content: 'Be brief.' };
    const items: Item[] = [
      system,
      { role: 'developer', content: 'No tests.' },
      { role: 'user', content: ofTokens(900) },
      { role: 'system', content: 'A later word.' },
    ];
    const entries = items.map(
      (item, index): Entry => ({
        seq: index + 2,
        item,
        tokens: index === 2 ? 900 : 3,
        origin: 'log',
      }),
    );
    const view: View = { ...viewOf([]), format: 'openai-chat', entries };
    const result = finish(view, settings());
    expect(origins(result.entries)).toEqual([
      'instructions',
      'instructions',
      'instructions',
      'boundary',
      'summary',
    ]);
    expect(result.entries[2]?.item).toEqual(items[3]);
    expect(result.entries[0]).toEqual({
      seq: null,
      item: system,
      tokens: 3,
      origin: 'instructions',
    });
    const roles = fullPlan(view, settings()).conversation.map((item) =>
      item.kind === 'message' ? item.role : item.kind,
    );
    expect(roles).toEqual(['user']);
  });
});

describe('isTooLarge', () => {
  it.each([
    [499, false],
    [500, true],
  ])('from the limit itself on: %i tokens, %s', (replacement, isIt) => {
    const room = { covered_tokens: 1_000, kept_tokens: 0, limit: 500 };
    expect(isTooLarge(room, replacement, settings({ token_safety_multiplier: 1 }))).toBe(isIt);
  });

  it.each([
    [99, false],
    [100, true],
  ])('from as much as what is covered on: %i tokens, %s', (replacement, isIt) => {
    const room = { covered_tokens: 100, kept_tokens: 0, limit: 500 };
    expect(isTooLarge(room, replacement, settings({ token_safety_multiplier: 1 }))).toBe(isIt);
  });
});

describe('makesSmaller', () => {
  it.each([
    ['less than what is covered', 99, 1_000, true],
    ['as much as what is covered', 100, 1_000, false],
    ['a smaller context', 90, 591, true],
    ['as large a context', 90, 590, false],
  ])('%s', (_, replacement, tokens_before, isIt) => {
    const plan = { covered_tokens: 100, kept_tokens: 500, tokens_before };
    expect(makesSmaller(plan, replacement, settings({ token_safety_multiplier: 1 }))).toBe(isIt);
  });
});
