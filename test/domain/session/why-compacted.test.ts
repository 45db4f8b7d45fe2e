import { describe, expect, test } from 'vitest';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import type { NewEvent } from '../../../src/domain/session/events.ts';
import { whyCompacted } from '../../../src/domain/session/why-compacted.ts';
import { attributionOf } from '../../support/event-data.ts';
import {
  appended,
  BREAKER_OPENED,
  created,
  given,
  NOW,
  requested,
  skipped,
  started,
  WORLD,
} from '../../support/given.ts';
import { ofTokens, user } from '../../support/items.ts';

/** A window of 100,000 tokens without margin, the threshold at 90,000. */
const PLAIN: ConfigOverrides = { token_safety_multiplier: 1, free_space_buffer: 10_000 };
const TIERS: ConfigOverrides = { ...PLAIN, auto_compact_trigger: 'tiers' };

const FULL = appended(user(ofTokens(95_000)));
const SMALL = appended(user(ofTokens(10)));
const WAITING: NewEvent = {
  type: 'packet.requested',
  data: {
    attribution: attributionOf('turn_complete'),
    prompt: 'Write a packet.',
    template: 'packet@1',
    deadline_ms: NOW + 1,
  },
};
const LIFE_CYCLE: NewEvent = {
  type: 'signal.observed',
  data: { signal: 'sampling_complete', source: 'posted', seq: null },
};

function why(config: ConfigOverrides, before: NewEvent[], last: NewEvent[]) {
  const session = created({ context_window: 100_000, config });
  const { head } = given(session, ...before, ...last);
  if (head === null) throw new Error('there is no session');
  return whyCompacted(head, last, WORLD, NOW);
}

describe('why a commit brought about no compaction', () => {
  test.each<[string, ConfigOverrides, NewEvent[], NewEvent[], string]>([
    ['below the threshold', PLAIN, [], [SMALL], 'the context is below the threshold'],
    ['switched off', { ...PLAIN, enabled: false }, [], [FULL], 'compaction is switched off'],
    [
      'nothing automatic',
      { ...PLAIN, auto_compact_enabled: false },
      [],
      [FULL],
      'automatic compaction is switched off',
    ],
    ['one under way', PLAIN, [FULL, requested()], [SMALL], 'one is under way'],
    [
      'the breaker',
      PLAIN,
      [FULL, requested(), started(), skipped(), BREAKER_OPENED],
      [FULL],
      'the breaker is open',
    ],
    [
      'too little news',
      { ...PLAIN, min_new_tokens_between_compactions: 5_000 },
      [FULL, requested(), started(), skipped()],
      [SMALL],
      '10 new tokens are fewer than min_new_tokens_between_compactions',
    ],
    [
      'a mode that leaves it to the client',
      { ...PLAIN, auto_compact_mode: 'tag' },
      [],
      [FULL],
      'auto_compact_mode "tag"',
    ],
    ['room above the tiers', TIERS, [], [SMALL], 'the context is below the threshold'],
    ['a watched turn', TIERS, [LIFE_CYCLE], [FULL], 'the boundaries of the turn decide'],
    ['a packet', TIERS, [WAITING], [appended(user(ofTokens(60_000)))], 'it waits for the packet'],
    [
      'an armed preflight',
      TIERS,
      [{ type: 'preflight.armed', data: { percent_remaining: 60 } }],
      [appended(user('!ls'))],
      'it waits for the next message',
    ],
    [
      'a trigger that waits',
      { ...PLAIN, auto_compact_trigger: 'limit', auto_compact_token_limit: 50_000 },
      [],
      [FULL],
      'the trigger "limit" waits',
    ],
  ])('%s', (_name, config, before, last, words) => {
    expect(why(config, before, last)).toMatchObject({
      requested: false,
      why: expect.stringContaining(words),
    });
  });
});

test('a request says who asked, and by which way', () => {
  expect(why(PLAIN, [], [FULL, requested()])).toMatchObject({
    requested: true,
    why: expect.stringMatching(/^auto, \w+, by append$/),
    tokens: 95_000,
    threshold: 90_000,
    window: 100_000,
  });
  const both = why(PLAIN, [], [FULL, requested(), skipped()]);
  expect(both?.why).toMatch(/, and skipped: \w+$/);
});

test('what could bring about none is not told', () => {
  expect(why(PLAIN, [FULL, requested()], [started()])).toBeNull();
});
