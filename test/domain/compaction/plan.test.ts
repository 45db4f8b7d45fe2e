import { describe, expect, it } from 'vitest';
import { type PlanRequest, planCompaction } from '../../../src/domain/compaction/plan.ts';
import { foldView } from '../../../src/domain/context/view.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { appended, created, given, logOf, WORLD } from '../../support/given.ts';
import { assistant, ofTokens, tool, user } from '../../support/items.ts';

const CONFIG: ConfigOverrides = {
  free_space_buffer: 0,
  micro_compact_strategy: 'all_older',
  micro_compact_keep_last_n_tools: 0,
  micro_compact_min_tokens_to_save: 100,
  token_safety_multiplier: 1,
};
/** 1,000 tokens of talk, 500 of a tool result. */
const ITEMS = [user(ofTokens(1_000)), ...tool('t', 'Read', 500)];

/** The plan for a session whose threshold is its window. */
function plan(
  context_window: number,
  request: Partial<PlanRequest> = {},
  overrides: ConfigOverrides = {},
  items: Item[] = ITEMS,
) {
  const session = created({ context_window, config: { ...CONFIG, ...overrides } });
  const events = [session, ...items.map(appended)];
  const { head } = given(...events);
  const [first, ...rest] = logOf(events);
  if (head === null || first?.type !== 'session.created') throw new Error('unexpected log');
  const view = foldView({ created: first, base: null, events: rest });
  return planCompaction(WORLD, head, view, {
    mode: 'auto',
    trigger: 'auto',
    ...request,
  });
}

const micro = { kind: 'micro', micro: { tokens_saved: 500 } };
const skip = (reason: string) => ({ kind: 'skip', skip: { reason } });

describe('planCompaction', () => {
  it.each<[string, ReturnType<typeof plan>, object]>([
    ['auto: micro is enough', plan(1_200), micro],
    ['auto: clearing would not be enough', plan(1_000), { kind: 'full' }],
    ['auto: no step up', plan(1_000, {}, { micro_compact_escalate: false }), micro],
    [
      'auto: micro saves too little',
      plan(1_000, {}, { micro_compact_min_tokens_to_save: 501 }),
      { kind: 'full' },
    ],
    [
      'auto: codex-v2 goes to full too when micro saves too little',
      plan(1_000, {}, { micro_compact_min_tokens_to_save: 501, micro_compact_escalate: false }),
      { kind: 'full' },
    ],
    ['auto: micro off', plan(1_000, {}, { micro_compact_enabled: false }), { kind: 'full' }],
    ['auto: meanwhile below the threshold', plan(9_000), skip('below_threshold')],
    ['by hand below the threshold', plan(9_000, { trigger: 'manual' }), micro],
    ['full: no micro step', plan(9_000, { mode: 'full', trigger: 'manual' }), { kind: 'full' }],
    ['micro: never full', plan(1_000, { mode: 'micro', trigger: 'manual' }), micro],
    [
      'micro: too little',
      plan(1_000, { mode: 'micro', trigger: 'manual' }, { micro_compact_min_tokens_to_save: 501 }),
      skip('not_effective'),
    ],
    [
      'micro: switched off',
      plan(1_000, { mode: 'micro', trigger: 'manual' }, { micro_compact_enabled: false }),
      skip('not_effective'),
    ],
    ['switched off meanwhile', plan(1_000, {}, { enabled: false }), skip('compaction_disabled')],
    [
      'full: nothing there',
      plan(1_000, { mode: 'full', trigger: 'manual' }, {}, []),
      skip('nothing_to_compact'),
    ],
  ])('%s', (_name, found, expected) => {
    expect(found).toMatchObject(expected);
  });

  it('states the tokens after a micro step', () => {
    const found = plan(1_200);
    expect(found.kind === 'micro' && found.tokens_after).toBe(1_000 + 14 + 9);
  });

  it('takes no micro step that would leave more than the reported usage', () => {
    const low = assistant('ok', { usage: { input_tokens: 900 } });
    expect(plan(800, {}, {}, [...ITEMS, low])).toMatchObject({ kind: 'full' });
  });
});
