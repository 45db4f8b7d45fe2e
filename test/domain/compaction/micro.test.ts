import { describe, expect, it } from 'vitest';
import { materialOf } from '../../../src/domain/compaction/material.ts';
import { type MicroPlan, planMicro } from '../../../src/domain/compaction/micro.ts';
import type { View } from '../../../src/domain/context/view.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { type ConfigOverrides, DEFAULT_ELIGIBLE_TOOLS } from '../../../src/domain/policy/config.ts';
import type { NewEvent } from '../../../src/domain/session/events.ts';
import { estimator } from '../../../src/domain/tokens/count.ts';
import { cpuMs } from '../../support/cpu-time.ts';
import { configWith, viewIn, viewOf } from '../../support/given.ts';
import { assistant, call, IMAGE, ofTokens, result, text, tool, user } from '../../support/items.ts';

const BASE: ConfigOverrides = {
  micro_compact_strategy: 'all_older',
  micro_compact_keep_last_n_tools: 1,
  micro_compact_min_tokens_to_save: 100,
  micro_compact_min_result_tokens: 0,
  micro_compact_replacement: 'placeholder',
  micro_compact_eligible_tools: DEFAULT_ELIGIBLE_TOOLS,
};

function plan(view: View, overrides: ConfigOverrides = {}, overBy = 0): MicroPlan | null {
  const config = configWith({ ...BASE, ...overrides });
  const count = estimator(config);
  const threshold = 1_000;
  // One token is taken off for "at the threshold", the multiplier for the margin.
  const tokens = threshold - 1 + Math.floor(overBy * config.token_safety_multiplier);
  const limits = { tokens, threshold, before: null, context_window: 1_000, is_automatic: true };
  return planMicro({ view, material: materialOf(view), config, count, ...limits });
}

/** The ids of the results that a plan clears or truncates, in order. */
function ids(items: Item[], overrides: ConfigOverrides = {}, overBy = 0): string[] {
  const found = plan(viewOf(items), overrides, overBy);
  return found?.edits.map((edit) => edit.tool_use_id) ?? [];
}

function applied(micro: MicroPlan): NewEvent {
  return {
    type: 'compaction.micro_completed',
    data: {
      compaction_id: 'c',
      strategy: 'all_older',
      ...micro,
      tokens_before: 0,
      tokens_after: 0,
      is_above_threshold: false,
      is_still_due: false,
      duration_ms: 0,
    },
  };
}

/** Five results of 1,000 tokens each: t1 … t5. */
const FIVE = [1, 2, 3, 4, 5].flatMap((n) => tool(`t${n}`, 'Read', 1_000));

describe('planMicro', () => {
  it('clears old results, with figures per result', () => {
    const items = [user('go'), ...tool('a', 'Bash', 300), ...tool('b', 'Bash', 5)];
    expect(plan(viewOf(items))).toEqual({
      edits: [
        {
          seq: 4,
          tool_use_id: 'a',
          kind: 'cleared',
          content: '[Old tool result content cleared]',
          tokens_before: 300,
          tokens_after: 9,
        },
      ],
      tokens_saved: 300,
      result_tokens_before: 305,
      result_tokens_after: 5,
    });
  });

  it.each<[string, ConfigOverrides, string[]]>([
    ['all_older', {}, ['t1', 't2', 't3', 't4']],
    ['the last N stay', { micro_compact_keep_last_n_tools: 3 }, ['t1', 't2']],
    ['N above all', { micro_compact_keep_last_n_tools: 9 }, []],
    ['N = 0', { micro_compact_keep_last_n_tools: 0 }, ['t1', 't2', 't3', 't4', 't5']],
    ['minimum just reached', { micro_compact_min_tokens_to_save: 4_000 }, ['t1', 't2', 't3', 't4']],
    ['minimum just missed', { micro_compact_min_tokens_to_save: 4_001 }, []],
    [
      'until_target: oldest first while the sum less the saved is above the target',
      { micro_compact_strategy: 'until_target', micro_compact_target_tokens: 3_500 },
      ['t1', 't2'],
    ],
    [
      'until_target: exactly at the target is enough',
      { micro_compact_strategy: 'until_target', micro_compact_target_tokens: 3_000 },
      ['t1', 't2'],
    ],
    [
      'until_target never goes beyond the last N',
      { micro_compact_strategy: 'until_target', micro_compact_target_tokens: 0 },
      ['t1', 't2', 't3', 't4'],
    ],
    [
      'until_target with the sum below the target',
      { micro_compact_strategy: 'until_target', micro_compact_target_tokens: 5_000 },
      [],
    ],
  ])('%s', (_name, overrides, expected) => {
    expect(ids(FIVE, overrides)).toEqual(expected);
  });

  it.each<[string, string[], number]>([
    ['the tools that it calls are eligible', ['exec_command'], 1],
    ['one of them is not', ['apply_patch'], 0],
  ])('a script is cleared where %s', (_, micro_compact_eligible_tools, expected) => {
    const input = 'text((await tools.exec_command({cmd: "ls"})).output)';
    const items = [
      { type: 'custom_tool_call', call_id: 'a', name: 'exec', input },
      { type: 'custom_tool_call_output', call_id: 'a', output: ofTokens(500) },
      { role: 'assistant', content: 'Done.' },
    ];
    const overrides = { micro_compact_keep_last_n_tools: 0, micro_compact_eligible_tools };
    const found = plan(viewIn('openai-responses', items), overrides);
    expect(found?.edits.length ?? 0).toBe(expected);
  });

  it.each([
    ['Bash', true],
    ['bash', true],
    ['READ', true],
    ['WebFetch', true],
    ['container.exec', true],
    ['Edit', false],
    ['mcp__x__read', false],
  ])('a tool named %s is eligible: %s', (name, isEligible) => {
    expect(ids([...tool('a', name, 500), ...tool('z', 'Read', 1)])).toEqual(
      isEligible ? ['a'] : [],
    );
  });

  it('takes other names by configuration, in any case', () => {
    const items = [
      ...tool('a', 'DB_Query', 500),
      ...tool('b', 'Bash', 500),
      ...tool('c', 'db_query', 5),
    ];
    expect(ids(items, { micro_compact_eligible_tools: ['db_QUERY'] })).toEqual(['a']);
  });

  it('counts only eligible calls among the last N, open ones too', () => {
    const others = [...tool('e1', 'Edit', 9), ...tool('e2', 'Edit', 9)];
    expect(ids([...tool('a', 'Read', 500), ...tool('b', 'Read', 500), ...others])).toEqual(['a']);
    expect(ids([...tool('a', 'Read', 500), call('open', 'Read')])).toEqual(['a']);
  });

  it('keeps errors unless configured', () => {
    const items = [
      call('bad', 'Bash'),
      result('bad', ofTokens(500), { is_error: true }),
      ...tool('good', 'Bash', 500),
      ...tool('z', 'Bash', 5),
    ];
    expect(ids(items)).toEqual(['good']);
    expect(ids(items, { micro_compact_clear_errors: true })).toEqual(['bad', 'good']);
  });

  it('counts images', () => {
    const items = [
      call('a', 'Read'),
      result('a', [text(ofTokens(10)), IMAGE]),
      ...tool('z', 'Read', 5),
    ];
    expect(plan(viewOf(items))?.tokens_saved).toBe(2_010);
  });

  it('addresses each of several results in one item', () => {
    const calls = ['a', 'b', 'c'].map((id) => ({ type: 'tool_use', id, name: 'Read', input: {} }));
    const results = ['a', 'b', 'c'].map((id) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: ofTokens(200),
    }));
    const view = viewOf([assistant(calls), user(results), assistant('Read.')]);
    expect(plan(view)?.edits.map(({ seq, tool_use_id }) => [seq, tool_use_id])).toEqual([
      [3, 'a'],
      [3, 'b'],
    ]);
  });

  it('ignores results without call and second results of one call', () => {
    const items = [
      result('orphan', ofTokens(500)),
      ...tool('a', 'Read', 500),
      result('a', ofTokens(700)),
      ...tool('z', 'Read', 5),
    ];
    expect(plan(viewOf(items))?.edits.map(({ seq }) => seq)).toEqual([4]);
  });

  it('tells calls apart that use one id again', () => {
    const items = [1, 2, 3].flatMap(() => tool('call_1', 'Read', 500));
    const view = viewOf(items);
    const micro = plan(view);
    expect(micro?.edits.map(({ seq }) => seq)).toEqual([3, 5]);
    const mixed = [...tool('call_1', 'Edit', 500), ...tool('call_1', 'Read', 500)];
    expect(plan(viewOf([...mixed, ...tool('z', 'Read', 5)]))?.edits.map(({ seq }) => seq)).toEqual([
      5,
    ]);
  });

  it('fills the id into the placeholder', () => {
    const items = [...tool('a', 'Read', 500), ...tool('z', 'Read', 5)];
    const placeholder = { micro_compact_placeholder: '[cleared; recall {tool_use_id}]' };
    expect(plan(viewOf(items), placeholder)?.edits[0]?.content).toBe('[cleared; recall a]');
  });

  it('fills in no more than 200 characters of an id, however often it is named', () => {
    const items = [...tool('i'.repeat(500_000), 'Read', 5_000), ...tool('z', 'Read', 5)];
    const placeholder = { micro_compact_placeholder: '{tool_use_id}'.repeat(76) };
    const content = plan(viewOf(items), placeholder)?.edits[0]?.content ?? '';
    expect(content).toMatch(/^i{100}…/);
    expect(content.length).toBeLessThanOrEqual(76 * 200);
  });

  it('clears nothing when the placeholders would be longer than the results', () => {
    const items = (tokens: number) => [...tool('a', 'Bash', tokens), ...tool('b', 'Bash', 50)];
    const config = { micro_compact_min_tokens_to_save: 0 };
    expect(ids(items(9), config)).toEqual([]);
    expect(ids(items(10), config)).toEqual(['a']);
  });

  it('is idempotent: what is cleared is neither cleared nor counted again', () => {
    const first = plan(viewOf(FIVE));
    if (first === null) throw new Error('nothing was planned');
    const after = viewOf(FIVE, [applied(first)]);
    expect(plan(after, { micro_compact_min_tokens_to_save: 0 })).toBeNull();
    expect(plan(after, { micro_compact_keep_last_n_tools: 0 })?.edits).toMatchObject([
      { tool_use_id: 't5' },
    ]);
  });
});

describe('truncation tier (micro_compact_truncate_over_tokens)', () => {
  const tier = { micro_compact_truncate_over_tokens: 100 };
  const items = [
    ...tool('long', 'Read', 2_000),
    ...tool('short', 'Read', 90),
    ...tool('z', 'Read', 900),
  ];

  it('cuts long results in the middle, and is enough when it saves what is over', () => {
    const micro = plan(viewOf(items), tier, 1_500);
    expect(micro?.edits).toMatchObject([
      { tool_use_id: 'long', kind: 'truncated', tokens_before: 2_000 },
    ]);
    expect(micro?.edits[0]?.tokens_after).toBeLessThanOrEqual(100);
    expect(micro?.edits[0]?.content).toMatch(/^abc .*\[… about \d+ tokens left out …\].*abc $/s);
    expect(micro?.tokens_saved).toBe(2_000 - (micro?.edits[0]?.tokens_after ?? 0));
  });

  it('gives way to clearing when it is not enough', () => {
    const micro = plan(viewOf([...items.slice(0, 4), ...tool('z', 'Read', 90)]), tier, 1_950);
    expect(micro?.edits).toMatchObject([
      { tool_use_id: 'long', kind: 'cleared' },
      { tool_use_id: 'short', kind: 'cleared' },
    ]);
  });

  it('leaves results with images to clearing', () => {
    const withImage = [call('i', 'Read'), result('i', [text(ofTokens(900)), IMAGE])];
    expect(plan(viewOf([...withImage, ...tool('z', 'Read', 5)]), tier)?.edits).toMatchObject([
      { tool_use_id: 'i', kind: 'cleared' },
    ]);
  });

  it('truncates nothing twice; a truncated result may be cleared later', () => {
    const first = plan(viewOf(items), tier, 1_500);
    if (first === null) throw new Error('nothing was planned');
    const after = viewOf(items, [applied(first)]);
    expect(plan(after, { ...tier, micro_compact_min_tokens_to_save: 50 }, 0)?.edits).toMatchObject([
      { tool_use_id: 'long', kind: 'cleared', tokens_before: first.edits[0]?.tokens_after },
      { tool_use_id: 'short', kind: 'cleared' },
    ]);
  });

  it('plans a session of very many results in a time that grows with their number alone', () => {
    const [few, many] = [shortestPlan(2_500), shortestPlan(20_000)];
    // Eight times as many; more than sixty times as long were each looked for among the others.
    expect(many / few).toBeLessThan(24);
  });

  /** Milliseconds of the processor, of three tries, to plan for so many results that are truncated and cleared. */
  function shortestPlan(results: number): number {
    const view = viewOf(
      Array.from({ length: results }, (_, n) => tool(`t${n}`, 'Read', 30)).flat(),
    );
    const config = configWith({ ...BASE, micro_compact_truncate_over_tokens: 20 });
    const limits = { tokens: 2_000_000, threshold: 1_000, before: null, context_window: 1_000 };
    const input = { view, material: materialOf(view), config, count: estimator(config), ...limits };
    const times = [1, 2, 3].map(() => {
      const began = cpuMs();
      const micro = planMicro({ ...input, is_automatic: true });
      const took = cpuMs() - began;
      expect(micro?.edits.length).toBeGreaterThan(results * 0.75);
      return took;
    });
    return Math.min(...times);
  }
});
