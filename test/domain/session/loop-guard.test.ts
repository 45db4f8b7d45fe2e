import { describe, expect, it } from 'vitest';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import type { NewEvent } from '../../../src/domain/session/events.ts';
import { configOf } from '../../../src/domain/session/head.ts';
import { passGuard } from '../../../src/domain/session/loop-guard.ts';
import {
  appended,
  BREAKER_OPENED,
  cancelled,
  completed,
  created,
  given,
  NOW,
  requested,
  reverted,
  skipped,
  started,
  WORLD,
} from '../../support/given.ts';
import { ofTokens, user } from '../../support/items.ts';

/** Figures without margin; a window of 100,000 tokens. */
const PLAIN = { token_safety_multiplier: 1 } as const;
const TIERS = { ...PLAIN, auto_compact_trigger: 'tiers' } as const;
const RESET = NOW + 600_000;

function guard(events: NewEvent[], now_ms = NOW, overrides: ConfigOverrides = PLAIN) {
  const { head } = given(created({ context_window: 100_000, config: overrides }), ...events);
  if (head === null) throw new Error('there is no session');
  return passGuard(head, configOf(head.settings, WORLD.server), now_ms);
}

const tokens = (count: number) => appended(user(ofTokens(count)));
const BEFORE = [tokens(40_000), requested(), started()];

describe('passGuard: min_new_tokens_between_compactions', () => {
  it('asks for no news before the first compaction', () => {
    expect(guard([tokens(1)])).toEqual([]);
  });

  // A window of 100,000 tokens halves the 2,000 of profile `default`.
  it.each<[string, NewEvent[]]>([
    ['an ineffective one', [skipped()]],
    ['one that was below its threshold', [skipped('below_threshold')]],
    ['one that was switched off', [skipped('compaction_disabled')]],
    ['a full one', [completed(2, { covered: 40_000, replacement: 500 })]],
    ['a cancelled one', [cancelled()]],
    ['a revert', [completed(2, { covered: 40_000, replacement: 500 }), reverted(40_000)]],
  ])('waits for 1,000 tokens after %s', (_name, end) => {
    expect(guard([...BEFORE, ...end, tokens(999)])).toBeNull();
    expect(guard([...BEFORE, ...end, tokens(1_000)])).toEqual([]);
  });

  it.each(['no_natural_boundary', 'too_few_tokens'] as const)(
    'waits for none after %s',
    (reason) => {
      expect(guard([...BEFORE, skipped(reason), tokens(1)])).toEqual([]);
    },
  );

  it.each(['no_natural_boundary', 'too_few_tokens'] as const)(
    '%s after a compaction does not end its wait, nor begin it anew',
    (reason) => {
      const done = [...BEFORE, completed(2, { covered: 40_000, replacement: 500 })];
      const asked = [requested(), skipped(reason)];
      expect(guard([...done, tokens(600), ...asked, tokens(399)])).toBeNull();
      expect(guard([...done, tokens(600), ...asked, tokens(400)])).toEqual([]);
    },
  );

  it('what the service appends is no news', () => {
    const own = (source: 'packet' | 'hook'): NewEvent => ({
      type: 'item.appended',
      data: { item: user('p'), tokens: 5_000, source },
    });
    expect(guard([...BEFORE, skipped(), own('packet'), own('hook'), tokens(999)])).toBeNull();
  });
});

describe('passGuard: emergency', () => {
  const filled = (count: number) => [
    tokens(count - 1),
    requested(),
    started(),
    skipped(),
    tokens(1),
  ];

  it.each<[string, number, ConfigOverrides, boolean]>([
    ['just inside the window', 99_999, PLAIN, false],
    ['the window itself', 100_000, PLAIN, true],
    ['tiers: 15 % left', 85_000, TIERS, false],
    ['tiers: 14 % left', 85_001, TIERS, true],
    ['the threshold knows no such line', 85_001, PLAIN, false],
    [
      'tiers: the line of the configuration',
      95_000,
      { ...TIERS, trigger_emergency_percent_remaining_lt: 5 },
      false,
    ],
  ])('%s: %i tokens', (_name, count, overrides, passes) => {
    expect(guard(filled(count), NOW, overrides)).toEqual(passes ? [] : null);
  });
});

describe('passGuard: breaker', () => {
  const open = [tokens(1), BREAKER_OPENED];

  it.each([
    [RESET - 1, null],
    [RESET, [{ type: 'breaker.closed', data: { reason: 'timeout' } }]],
  ])('at %i: %j', (now, expected) => {
    expect(guard(open, now)).toEqual(expected);
  });

  it.each([PLAIN, TIERS])('stays open in an emergency (%j)', (overrides) => {
    expect(guard([tokens(100_000), BREAKER_OPENED], NOW, overrides)).toBeNull();
  });
});
