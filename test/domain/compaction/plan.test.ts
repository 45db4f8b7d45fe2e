import { describe, expect, it } from 'vitest';
import { type PlanRequest, planCompaction } from '../../../src/domain/compaction/plan.ts';
import { foldView } from '../../../src/domain/context/view.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { termsOf } from '../../../src/domain/session/head.ts';
import { appended, created, given, logOf, WORLD } from '../../support/given.ts';
import { assistant, ofTokens, tool, user } from '../../support/items.ts';

const CONFIG: ConfigOverrides = {
  free_space_buffer: 0,
  micro_compact_strategy: 'all_older',
  micro_compact_keep_last_n_tools: 0,
  micro_compact_min_tokens_to_save: 100,
  micro_compact_replacement: 'placeholder',
  token_safety_multiplier: 1,
};
/** 1,000 tokens of talk, 500 of a tool result. */
const ITEMS = [user(ofTokens(1_000)), ...tool('t', 'Read', 500)];

const NO_STEP: ConfigOverrides = { micro_compact_escalate: false };

const ASAP = { attribution: { path: 'turn_complete', tier: 'asap' } } as const;
const BY_HAND = { attribution: { path: 'request' } } as const;

/** The plan for a session whose threshold is its window. */
function plan(
  context_window: number,
  request: Partial<PlanRequest> = {},
  overrides: ConfigOverrides = {},
  items: Item[] = ITEMS,
) {
  // The ways of the tiers lead nowhere under another trigger.
  const isTiered = /turn|preflight/.test(request.attribution?.path ?? '');
  const trigger = isTiered ? ({ auto_compact_trigger: 'tiers' } as const) : {};
  const session = created({ context_window, config: { ...CONFIG, ...trigger, ...overrides } });
  const events = [session, ...items.map(appended)];
  const { head } = given(...events);
  const [first, ...rest] = logOf(events);
  if (head === null || first?.type !== 'session.created') throw new Error('unexpected log');
  const view = foldView({ created: first, base: null, events: rest });
  return planCompaction(termsOf(head.settings, WORLD), head, view, {
    mode: 'auto',
    trigger: 'auto',
    attribution: { path: 'append' },
    before: null,
    focus: null,
    ...request,
  });
}

const micro = { kind: 'micro', micro: { tokens_saved: 500 } };
const skip = (reason: string) => ({ kind: 'skip', skip: { reason } });

describe('planCompaction', () => {
  it.each<[string, ReturnType<typeof plan>, object]>([
    ['auto: micro is enough', plan(1_200), micro],
    ['auto: clearing would not be enough', plan(1_000), { kind: 'full' }],
    ['auto: over the window there is no staying', plan(1_000, {}, NO_STEP), { kind: 'full' }],
    ['auto: no step up', plan(1_200, {}, { ...NO_STEP, auto_compact_threshold: 1_000 }), micro],
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
    ['by hand below the threshold', plan(9_000, BY_HAND), micro],
    ...(['mid_turn', 'turn_complete', 'preflight', 'command'] as const).map(
      (path): [string, ReturnType<typeof plan>, object] => [
        `${path} below the threshold`,
        plan(9_000, { attribution: { path } }),
        micro,
      ],
    ),
    ['a tier: clearing leads out of it', plan(3_600, ASAP), micro],
    ['a tier: clearing would not lead out of it', plan(2_800, ASAP), { kind: 'full' }],
    ['a tier: no step up', plan(2_800, ASAP, { micro_compact_escalate: false }), micro],
    ['full: no micro step', plan(9_000, { mode: 'full', ...BY_HAND }), { kind: 'full' }],
    ['micro: never full', plan(1_000, { mode: 'micro', ...BY_HAND }), micro],
    [
      'micro: too little',
      plan(1_000, { mode: 'micro', ...BY_HAND }, { micro_compact_min_tokens_to_save: 501 }),
      skip('not_effective'),
    ],
    [
      'micro: switched off',
      plan(1_000, { mode: 'micro', ...BY_HAND }, { micro_compact_enabled: false }),
      skip('not_effective'),
    ],
    ['switched off meanwhile', plan(1_000, {}, { enabled: false }), skip('compaction_disabled')],
    [
      'full: nothing there',
      plan(1_000, { mode: 'full', ...BY_HAND }, {}, []),
      skip('nothing_to_compact'),
    ],
  ])('%s', (_name, found, expected) => {
    expect(found).toMatchObject(expected);
  });

  it('takes the cut before a message from the request', () => {
    const items = [...ITEMS, user('newest')];
    const full = { mode: 'full', trigger: 'manual', ...BY_HAND } as const;
    expect(plan(9_000, full, { protected_tokens: null }, items)).toMatchObject({ through: 5 });
    const before = { ...full, before: 5 };
    expect(plan(9_000, before, { protected_tokens: null }, items)).toMatchObject({ through: 4 });
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
