import { describe, expect, it } from 'vitest';
import { BOUNDARIES, type Boundary, type Tier } from '../../../src/domain/policy/boundaries.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import {
  acceptedBoundaries,
  countingBoundaries,
  isStillDue,
  percentOfWindowRemaining,
  tierOf,
} from '../../../src/domain/policy/tiers.ts';
import { configWith } from '../../support/given.ts';

describe('percentOfWindowRemaining', () => {
  it.each([
    [0, 100],
    [1, 99],
    [2_000, 99],
    [2_001, 98],
    [100_000, 50],
    [199_999, 0],
    [200_000, 0],
    [250_000, 0],
  ])('%i tokens of 200,000 leave %i %%: of the whole window, rounded down', (tokens, percent) => {
    expect(percentOfWindowRemaining(tokens, 200_000)).toBe(percent);
  });
});

describe('tierOf', () => {
  it.each<[number, Tier | null]>([
    [100, null],
    [85, null],
    [84, 'early'],
    [75, 'early'],
    [74, 'ready'],
    [65, 'ready'],
    [64, 'asap'],
    [15, 'asap'],
    [14, 'emergency'],
    [0, 'emergency'],
  ])('%i %% left: %s; a tier begins below its line, not on it', (percent, tier) => {
    expect(tierOf(percent, configWith())).toBe(tier);
  });

  it('follows the lines of the configuration', () => {
    const config = configWith({
      trigger_early_percent_remaining_lt: 50,
      trigger_ready_percent_remaining_lt: 40.5,
      trigger_asap_percent_remaining_lt: 30,
      trigger_emergency_percent_remaining_lt: 0,
    });
    expect([50, 49, 41, 40, 30, 29, 0].map((percent) => tierOf(percent, config))).toEqual([
      null,
      'early',
      'early',
      'ready',
      'ready',
      'asap',
      'asap',
    ]);
  });

  it('takes the fullest tier where the lines are out of order', () => {
    expect(tierOf(80, configWith({ trigger_asap_percent_remaining_lt: 90 }))).toBe('asap');
  });
});

const EARLY: Boundary[] = ['plan_checkpoint', 'plan_update', 'pr_checkpoint', 'topic_shift'];

describe('acceptedBoundaries', () => {
  it.each<[Tier, Boundary[] | null]>([
    ['early', EARLY],
    ['ready', [...EARLY, 'commit']],
    ['asap', [...EARLY, 'commit', 'agent_done', 'concluding_thought']],
    ['emergency', null],
  ])('of %s', (tier, expected) => {
    expect(acceptedBoundaries(tier, configWith())).toEqual(expected);
  });

  it.each<[Tier, Boundary[] | null]>([
    ['early', ['turn_complete']],
    ['ready', ['turn_complete']],
    ['asap', ['turn_complete']],
    ['emergency', null],
  ])('auto_requires_any_boundary replaces those of %s', (tier, expected) => {
    const config = configWith({ auto_requires_any_boundary: ['turn_complete'] });
    expect(acceptedBoundaries(tier, config)).toEqual(expected);
  });
});

describe('countingBoundaries', () => {
  type Row = [Exclude<Tier, 'emergency'>, Boundary[], Boundary[]];

  it.each<Row>([
    ['early', ['pr_checkpoint'], ['pr_checkpoint']],
    ['early', ['topic_shift'], ['topic_shift']],
    ['early', ['commit', 'agent_done', 'concluding_thought', 'turn_complete'], []],
    ['ready', ['commit'], ['commit']],
    ['ready', ['agent_done', 'concluding_thought', 'turn_complete'], []],
    ['asap', ['agent_done'], ['agent_done']],
    ['asap', ['concluding_thought'], ['concluding_thought']],
    ['asap', ['turn_complete'], []],
    ['asap', [], []],
  ])('%s, seen %j: %j', (tier, seen, expected) => {
    expect(countingBoundaries(tier, seen, configWith())).toEqual(expected);
  });

  const company: Boundary[] = [
    'agent_done',
    'topic_shift',
    'concluding_thought',
    'commit',
    'pr_checkpoint',
  ];
  it.each(
    (['early', 'ready'] as const).flatMap((tier) => BOUNDARIES.map((b) => [tier, b] as const)),
  )(
    'in %s a plan boundary counts beside %s only if that is semantic or a checkpoint',
    (tier, beside) => {
      for (const plan of ['plan_checkpoint', 'plan_update'] as const) {
        const found = countingBoundaries(tier, [plan, beside], configWith());
        expect(found.includes(plan)).toBe(company.includes(beside));
      }
    },
  );

  it('in asap a plan boundary needs no company', () => {
    expect(countingBoundaries('asap', ['plan_update'], configWith())).toEqual(['plan_update']);
  });

  it('auto_requires_any_boundary replaces sets and company', () => {
    const config = configWith({ auto_requires_any_boundary: ['plan_update', 'turn_complete'] });
    const seen: Boundary[] = ['commit', 'plan_update', 'turn_complete'];
    for (const tier of ['early', 'ready', 'asap'] as const) {
      expect(countingBoundaries(tier, seen, config)).toEqual(['plan_update', 'turn_complete']);
      expect(countingBoundaries(tier, ['commit'], config)).toEqual([]);
    }
  });
});

describe('isStillDue', () => {
  const WINDOW = 100_000;
  const dueAt = (percent: number, tier: Tier | null, overrides: ConfigOverrides = {}) =>
    isStillDue({ tier }, WINDOW - percent * 1_000, configWith(overrides), WINDOW);

  it.each<[Tier, number]>([
    // The line of `early` lies above that of `ready`, from where on the watcher acts again.
    ['early', 75],
    ['ready', 75],
    ['asap', 65],
    ['emergency', 15],
  ])('after a compaction of %s: below %i %%', (tier, line) => {
    expect(dueAt(line - 1, tier)).toBe(true);
    expect(dueAt(line, tier)).toBe(false);
  });

  it('never where no tier asked', () => {
    expect(dueAt(0, null)).toBe(false);
  });

  it('follows the lines of the configuration', () => {
    expect(dueAt(50, 'asap', { trigger_asap_percent_remaining_lt: 51 })).toBe(true);
    expect(dueAt(50, 'asap', { trigger_asap_percent_remaining_lt: 50 })).toBe(false);
  });
});
