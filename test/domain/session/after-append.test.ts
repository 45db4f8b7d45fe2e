import { describe, expect, it } from 'vitest';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { CompactionCommand } from '../../../src/domain/policy/commands.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { type AfterAppend, afterAppend } from '../../../src/domain/session/after-append.ts';
import type { NewEvent } from '../../../src/domain/session/events.ts';
import { configOf } from '../../../src/domain/session/head.ts';
import { attributionOf } from '../../support/event-data.ts';
import {
  appended,
  BREAKER_OPENED,
  completed,
  created,
  given,
  NOW,
  requested,
  skipped,
  started,
  WORLD,
} from '../../support/given.ts';
import { assistant, ofTokens, result, user } from '../../support/items.ts';

/** Figures without margin; a window of 100,000 tokens, the threshold at 90,000. */
const PLAIN: ConfigOverrides = { token_safety_multiplier: 1, free_space_buffer: 10_000 };
const LIMIT: ConfigOverrides = { ...PLAIN, auto_compact_trigger: 'limit' };
const TIERS: ConfigOverrides = { ...PLAIN, auto_compact_trigger: 'tiers' };

type Given = {
  before?: NewEvent[];
  items?: Item[];
  config?: ConfigOverrides;
  command?: CompactionCommand | null;
  now_ms?: number;
};

/** What follows when `items` have just been appended after `before`. */
function followsOn({
  before = [],
  items = [],
  config = PLAIN,
  command = null,
  now_ms = NOW,
}: Given) {
  const session = created({ context_window: 100_000, config });
  const { head } = given(session, ...before, ...items.map(appended));
  if (head === null) throw new Error('there is no session');
  const first = head.state.version - items.length + 1;
  const normalised = items.map((item, index) => ({
    seq: first + index,
    item: codecFor('anthropic').normalise(item),
  }));
  const request = { compaction_id: 'c', now_ms };
  return afterAppend(
    head,
    configOf(head.settings, WORLD.server),
    { items: normalised, command },
    request,
  );
}

const tokens = (count: number) => user(ofTokens(count));
const NOTHING: AfterAppend = { events: [], advice: null, note: null };
const FULL = appended(tokens(95_000));
const ARMED: NewEvent = { type: 'preflight.armed', data: { percent_remaining: 60 } };
const LIFE_CYCLE: NewEvent = {
  type: 'signal.observed',
  data: { signal: 'sampling_complete', source: 'posted', seq: null },
};
const WAITING: NewEvent = {
  type: 'packet.requested',
  data: {
    attribution: attributionOf('turn_complete'),
    prompt: 'Write a packet.',
    template: 'packet@1',
    deadline_ms: NOW + 1,
  },
};

/** Which rule an answer rests on. */
function ruleOf({ events, advice }: AfterAppend): string {
  const [event] = events.filter(({ type }) => type === 'compaction.requested');
  if (event?.type !== 'compaction.requested') return advice ?? 'nothing';
  return event.data.attribution.path;
}

describe('afterAppend: the first rule that applies', () => {
  const command: CompactionCommand = {};
  const hello = [user('hello')];

  // Each row has everything that the rows below it need, and one thing more.
  it.each<[string, Given, string]>([
    ['one under way', { before: [ARMED, FULL, requested()], items: hello, command }, 'nothing'],
    [
      'a command where compaction is switched off',
      { before: [ARMED, FULL], items: hello, command, config: { ...PLAIN, enabled: false } },
      'nothing',
    ],
    ['a command', { before: [ARMED, FULL], items: hello, command }, 'command'],
    [
      'compaction switched off',
      { before: [ARMED, FULL], items: hello, config: { ...PLAIN, enabled: false } },
      'nothing',
    ],
    ['an armed preflight', { before: [ARMED, FULL], items: hello }, 'preflight'],
    [
      'an armed preflight where automatic compactions are switched off later',
      { before: [ARMED, FULL], items: hello, config: { ...PLAIN, auto_compact_enabled: false } },
      'preflight',
    ],
    [
      'automatic compactions switched off',
      { before: [FULL], items: hello, config: { ...PLAIN, auto_compact_enabled: false } },
      'nothing',
    ],
    ['the agent writes a packet', { before: [FULL, WAITING], items: hello }, 'nothing'],
    ['the threshold', { before: [FULL], items: hello }, 'append'],
    ['none', { items: hello }, 'nothing'],
  ])('%s', (_name, situation, rule) => {
    expect(ruleOf(followsOn(situation))).toBe(rule);
  });
});

describe('afterAppend: a command', () => {
  it('asks for a full compaction by hand, with its instructions', () => {
    expect(followsOn({ command: { instructions: 'keep the plan' } })).toEqual({
      events: [
        requested({
          mode: 'full',
          trigger: 'manual',
          reason: 'command',
          attribution: attributionOf('command'),
          instructions: 'keep the plan',
        }),
      ],
      advice: null,
      note: null,
    });
    expect(followsOn({ command: {} }).events[0]?.data).not.toHaveProperty('instructions');
  });

  it('needs neither news nor a closed breaker', () => {
    const before = [FULL, requested(), started(), skipped(), BREAKER_OPENED];
    expect(ruleOf(followsOn({ before, command: {} }))).toBe('command');
  });

  it('takes the place of a packet that is waited for: the service writes it', () => {
    expect(followsOn({ before: [WAITING], command: {} }).events).toMatchObject([
      { data: { packet: { author: 'watcher' } } },
    ]);
  });

  it.each<[string, Given, RegExp]>([
    ['compaction is switched off', { config: { ...PLAIN, enabled: false } }, /switched off/],
    ['one is under way', { before: [requested()] }, /under way/],
  ])('is answered by a note when %s', (_name, situation, note) => {
    expect(followsOn({ ...situation, command: {} })).toEqual({
      ...NOTHING,
      note: expect.stringMatching(note),
    });
  });
});

describe('afterAppend: preflight', () => {
  it('cuts before the user message, and says that it waits', () => {
    expect(followsOn({ before: [ARMED], items: [assistant('a'), user('go')] })).toEqual({
      events: [
        requested({
          reason: 'preflight',
          attribution: attributionOf('preflight', {
            tier: 'asap',
            percent_remaining: 60,
            boundaries: ['turn_complete'],
          }),
          before: 4,
        }),
      ],
      advice: null,
      note: expect.stringContaining('paused'),
    });
  });

  it.each<[string, Item[], string]>([
    ['a user message', [user('go')], 'preflight'],
    ['the first of several', [user('go'), user('and go')], 'preflight'],
    ['a message that starts with !', [user('!ls')], 'nothing'],
    ['blanks before the !', [user('  !ls')], 'nothing'],
    ['a ! further on', [user('go!')], 'preflight'],
    ['another message after one with !', [user('!ls'), user('go')], 'preflight'],
    ['an assistant message', [assistant('go')], 'nothing'],
    ['a tool result', [result('t', 'go')], 'nothing'],
    ['a synthetic message', [user('go', { is_meta: true })], 'nothing'],
  ])('%s: %s', (_name, items, rule) => {
    expect(ruleOf(followsOn({ before: [ARMED], items }))).toBe(rule);
  });

  it('is used up by any request', () => {
    const before = [ARMED, requested(), started(), skipped()];
    expect(followsOn({ before, items: [user('go')] })).toEqual(NOTHING);
  });
});

describe('afterAppend: threshold', () => {
  it.each([
    [89_999, 'nothing'],
    [90_000, 'append'],
  ])('%i of 90,000 tokens: %s', (count, rule) => {
    expect(ruleOf(followsOn({ items: [tokens(count)] }))).toBe(rule);
  });

  it('says nothing of a tier, and holds no message back', () => {
    expect(followsOn({ items: [tokens(90_000)] })).toEqual({
      events: [requested()],
      advice: null,
      note: null,
    });
  });
});

describe('afterAppend: limit', () => {
  const SET = { ...LIMIT, auto_compact_token_limit: 1_000, auto_compact_min_messages: 3 };
  const talk = [appended(user('abcd')), appended(assistant('abcd'))];

  it.each<[string, Given, string]>([
    ['exactly at it', { before: talk, items: [tokens(998)] }, 'nothing'],
    ['one token above', { before: talk, items: [tokens(999)] }, 'append'],
    ['too few messages', { before: talk.slice(1), items: [tokens(2_000)] }, 'nothing'],
    [
      'exactly as many messages as needed since the compaction in force',
      {
        before: [
          ...talk,
          requested(),
          started(),
          completed(3, { covered: 2, replacement: 1 }),
          ...talk,
        ],
        items: [tokens(2_000)],
      },
      'append',
    ],
    [
      'too few since the compaction in force',
      {
        before: [
          ...talk,
          requested(),
          started(),
          completed(3, { covered: 2, replacement: 1 }),
          ...talk.slice(1),
        ],
        items: [tokens(2_000)],
      },
      'nothing',
    ],
    [
      'an assistant message at the end',
      { before: talk, items: [tokens(999), assistant('a')] },
      'nothing',
    ],
    [
      'a turn that goes on, one token below the window',
      { before: talk, items: [tokens(99_996), assistant('a')] },
      'nothing',
    ],
    [
      'a turn that goes on, at the window',
      { before: talk, items: [tokens(99_997), assistant('a')] },
      'append',
    ],
    [
      'a tool result at the end',
      { before: talk, items: [tokens(999), result('t', 'a')] },
      'nothing',
    ],
    ['nothing appended', { before: [...talk, FULL] }, 'nothing'],
    [
      'the least number of messages is for limits only',
      { config: { ...SET, auto_compact_trigger: 'threshold' }, items: [tokens(95_000)] },
      'append',
    ],
    [
      'no limit set, however full',
      { config: LIMIT, before: talk, items: [tokens(150_000)] },
      'nothing',
    ],
  ])('%s: %s', (_name, situation, rule) => {
    expect(ruleOf(followsOn({ config: SET, ...situation }))).toBe(rule);
  });

  it('cuts before the message, and says that it waits', () => {
    expect(followsOn({ config: SET, before: talk, items: [tokens(999)] })).toEqual({
      events: [requested({ before: 4 })],
      advice: null,
      note: expect.stringContaining('paused'),
    });
  });
});

describe('afterAppend: tiers', () => {
  it.each<[string, Given, string]>([
    ['below the threshold', { items: [tokens(89_999)] }, 'nothing'],
    ['a client that posts no life cycle', { items: [tokens(90_000)] }, 'append'],
    ['one that does', { before: [LIFE_CYCLE], items: [tokens(99_999)] }, 'nothing'],
    ['one that does, at the window', { before: [LIFE_CYCLE], items: [tokens(100_000)] }, 'append'],
  ])('%s: %s', (_name, situation, rule) => {
    expect(ruleOf(followsOn({ config: TIERS, ...situation }))).toBe(rule);
  });

  it('derived signals are no life cycle', () => {
    const derived: NewEvent = {
      type: 'signal.observed',
      data: { signal: 'commit', source: 'derived', seq: 2 },
    };
    const answer = followsOn({ config: TIERS, before: [FULL, derived], items: [user('abcd')] });
    expect(answer.events).toEqual([
      requested({
        attribution: attributionOf('append', {
          tier: 'emergency',
          percent_remaining: 4,
          boundaries: ['commit'],
        }),
      }),
    ]);
  });
});

describe('afterAppend: what holds an automatic compaction back', () => {
  const done = [FULL, requested(), started(), skipped()];

  it.each<[string, Given, string]>([
    ['too little news', { before: done, items: [tokens(999)] }, 'nothing'],
    ['enough news', { before: done, items: [tokens(1_000)] }, 'append'],
    ['an open breaker', { before: [BREAKER_OPENED], items: [tokens(95_000)] }, 'nothing'],
  ])('%s: %s', (_name, situation, rule) => {
    expect(ruleOf(followsOn(situation))).toBe(rule);
  });

  it('a breaker whose time is over is closed first', () => {
    const now_ms = NOW + 600_000;
    expect(followsOn({ before: [BREAKER_OPENED], items: [tokens(95_000)], now_ms }).events).toEqual(
      [{ type: 'breaker.closed', data: { reason: 'timeout' } }, requested()],
    );
  });

  it.each(['tag', 'suggest'] as const)('mode %s: it would compact, and says so', (mode) => {
    const config = { ...PLAIN, auto_compact_mode: mode };
    expect(followsOn({ config, items: [tokens(95_000)] })).toEqual({ ...NOTHING, advice: mode });
    expect(followsOn({ config, items: [tokens(80_000)] })).toEqual(NOTHING);
    expect(followsOn({ config, before: done, items: [tokens(1)] })).toEqual(NOTHING);
    expect(followsOn({ config, before: [BREAKER_OPENED], items: [tokens(95_000)] })).toEqual(
      NOTHING,
    );
    // Nobody asks the mode for these.
    expect(ruleOf(followsOn({ config, command: {} }))).toBe('command');
    expect(ruleOf(followsOn({ config, before: [ARMED], items: [user('go')] }))).toBe('preflight');
  });
});
