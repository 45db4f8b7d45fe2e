import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Attribution } from '../../../src/domain/policy/attribution.ts';
import { BOUNDARIES, type Boundary, type Tier } from '../../../src/domain/policy/boundaries.ts';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import type { NewEvent } from '../../../src/domain/session/events.ts';
import { BREAKER_OPENED, NOW } from '../../support/given.ts';
import { assistant, call, ofTokens, result, user } from '../../support/items.ts';
import { PureSession } from '../../support/pure-session.ts';

/** A session with so much of its window left, in which these boundaries were seen. */
function sessionAt(percent: number, boundaries: readonly Boundary[], config?: ConfigOverrides) {
  const session = new PureSession(config);
  // The client posts the life cycle of its turns: appends leave it to the watcher.
  session.signal('turn_started');
  session.fillTo(percent);
  for (const boundary of boundaries) {
    session.push({ type: 'signal.observed', data: { signal: boundary, source: 'posted', seq: 1 } });
  }
  return session;
}

/** What follows from a signal, without the signal itself. */
function afterMidTurn(session: PureSession): NewEvent[] {
  return session.signal('sampling_complete', { needs_follow_up: true }).events.slice(1);
}

function afterTurn(session: PureSession, fields = {}): NewEvent[] {
  return session.signal('turn_complete', fields).events.slice(1);
}

function typesOf(events: readonly NewEvent[]): string[] {
  return events.map(({ type }) => type);
}

function attributionOf(events: readonly NewEvent[]): Attribution | undefined {
  const event = events.find(({ type }) => type === 'compaction.requested');
  return event?.type === 'compaction.requested' ? event.data.attribution : undefined;
}

const REQUESTED = ['compaction.requested'];
const SKIPPED = ['compaction.requested', 'compaction.skipped'];
const PLAN: Boundary[] = ['plan_checkpoint', 'plan_update'];

/** What each tier accepts by itself (SPEC section 11). */
const ACCEPTED: [Tier, number, Boundary[]][] = [
  ['early', 84, ['pr_checkpoint', 'topic_shift']],
  ['ready', 74, ['pr_checkpoint', 'topic_shift', 'commit']],
  [
    'asap',
    64,
    [...PLAN, 'pr_checkpoint', 'topic_shift', 'commit', 'agent_done', 'concluding_thought'],
  ],
  ['emergency', 14, [...BOUNDARIES]],
];

describe('in the middle of a turn', () => {
  describe.each(ACCEPTED)('in tier %s', (tier, percent, accepted) => {
    test.each(BOUNDARIES)('with %s', (boundary) => {
      const session = sessionAt(percent, [boundary]);
      const compacts = accepted.includes(boundary);
      const events = afterMidTurn(session);
      expect(typesOf(events)).toEqual(compacts ? REQUESTED : []);
      expect(attributionOf(events)).toEqual(
        compacts
          ? { path: 'mid_turn', tier, percent_remaining: percent, boundaries: [boundary] }
          : undefined,
      );
    });
  });

  test.each([
    [85, []],
    [84, REQUESTED],
  ])('at %d %% with a topic shift', (percent, expected) => {
    expect(typesOf(afterMidTurn(sessionAt(percent, ['topic_shift'])))).toEqual(expected);
  });

  test.each([
    [15, []],
    [14, REQUESTED],
  ])('at %d %% without a boundary', (percent, expected) => {
    expect(typesOf(afterMidTurn(sessionAt(percent, [])))).toEqual(expected);
  });

  const COMPANIES: [number, Boundary, Boundary[]][] = [84, 74].flatMap((percent) =>
    PLAN.flatMap((plan) =>
      (['agent_done', 'topic_shift', 'concluding_thought', 'commit', 'pr_checkpoint'] as const).map(
        (company): [number, Boundary, Boundary[]] => [percent, plan, [plan, company]],
      ),
    ),
  );
  test.each(COMPANIES)('at %d %% a %s counts in company: %j', (percent, plan, seen) => {
    expect(attributionOf(afterMidTurn(sessionAt(percent, seen)))?.boundaries).toContain(plan);
  });

  it('two plan boundaries are no company to each other', () => {
    expect(afterMidTurn(sessionAt(74, PLAN))).toEqual([]);
  });

  it.each(['tag', 'suggest', 'auto'] as const)('does not look at mode %s', (mode) => {
    const session = sessionAt(64, ['commit'], { auto_compact_mode: mode });
    expect(typesOf(afterMidTurn(session))).toEqual(REQUESTED);
  });

  it.each(['none', 'watcher', 'agent'] as const)('makes no packet for author %s', (author) => {
    const [event] = afterMidTurn(sessionAt(64, ['commit'], { packet_author: author }));
    expect(event).toEqual({
      type: 'compaction.requested',
      data: {
        compaction_id: 'c3',
        mode: 'auto',
        trigger: 'auto',
        reason: 'mid_turn',
        attribution: {
          path: 'mid_turn',
          tier: 'asap',
          percent_remaining: 64,
          boundaries: ['commit'],
        },
      },
    });
  });

  it('asks for the boundaries of the configuration instead', () => {
    const config: ConfigOverrides = { auto_requires_any_boundary: ['agent_done'] };
    expect(afterMidTurn(sessionAt(64, ['commit'], config))).toEqual([]);
    expect(typesOf(afterMidTurn(sessionAt(84, ['agent_done'], config)))).toEqual(REQUESTED);
    expect(typesOf(afterMidTurn(sessionAt(14, [], config)))).toEqual(REQUESTED);
  });

  it('takes the lines of the configuration', () => {
    const config = { trigger_asap_percent_remaining_lt: 50 };
    expect(afterMidTurn(sessionAt(50, ['agent_done'], config))).toEqual([]);
    expect(typesOf(afterMidTurn(sessionAt(49, ['agent_done'], config)))).toEqual(REQUESTED);
  });

  it.each([{ needs_follow_up: false }, {}])('does nothing at the end of the turn: %j', (fields) => {
    const { events } = sessionAt(14, ['commit']).signal('sampling_complete', fields);
    expect(typesOf(events)).toEqual(['signal.observed']);
  });

  it('counts reported usage, not the estimate', () => {
    const session = sessionAt(90, ['commit']);
    session.append(assistant('ok', { usage: { input_tokens: 36_000, output_tokens: 0 } }));
    expect(attributionOf(afterMidTurn(session))).toMatchObject({ percent_remaining: 64 });
  });
});

describe('at the end of a turn', () => {
  const READY_AND_MORE = ACCEPTED.filter(([tier]) => tier !== 'early');
  describe.each(READY_AND_MORE)('in tier %s', (tier, percent, accepted) => {
    test.each(BOUNDARIES)('with %s', (boundary) => {
      const events = afterTurn(sessionAt(percent, [boundary]));
      const compacts = tier === 'emergency' || accepted.includes(boundary);
      expect(typesOf(events)).toEqual(compacts ? REQUESTED : SKIPPED);
    });

    test.each(['tag', 'suggest'] as const)('mode %s only advises, boundary or not', (mode) => {
      for (const boundaries of [[], ['pr_checkpoint' as const]]) {
        const session = sessionAt(percent, boundaries, { auto_compact_mode: mode });
        const { value, events } = session.signal('turn_complete');
        expect(typesOf(events)).toEqual(['signal.observed']);
        expect(value).toMatchObject({ advice: mode, compaction: null });
      }
    });
  });

  it.each([
    [75, undefined, []],
    [74, undefined, REQUESTED],
    [60, 60, []],
    [59, 60, REQUESTED],
  ])('acts below the ready line only: %d %%, line %s', (percent, line, expected) => {
    const config = line === undefined ? {} : { trigger_ready_percent_remaining_lt: line };
    expect(typesOf(afterTurn(sessionAt(percent, ['topic_shift'], config)))).toEqual(expected);
  });

  it('gives no advice above the ready line', () => {
    const session = sessionAt(75, ['topic_shift'], { auto_compact_mode: 'tag' });
    expect(session.signal('turn_complete').value.advice).toBeNull();
  });

  it('records where it comes from and that the watcher writes the packet', () => {
    const [event] = afterTurn(sessionAt(64, ['commit', 'agent_done']));
    expect(event).toEqual({
      type: 'compaction.requested',
      data: {
        compaction_id: 'c3',
        mode: 'auto',
        trigger: 'auto',
        reason: 'turn_complete',
        attribution: {
          path: 'turn_complete',
          tier: 'asap',
          percent_remaining: 64,
          boundaries: ['commit', 'agent_done'],
        },
        packet: { author: 'watcher' },
      },
    });
  });

  it('makes no packet for author none', () => {
    const [event] = afterTurn(sessionAt(64, ['commit'], { packet_author: 'none' }));
    expect(event?.data).not.toHaveProperty('packet');
  });

  it.each(['watcher', 'agent'] as const)('makes none for waiting messages: %s', (author) => {
    const required: ConfigOverrides = {
      packet_author: author,
      auto_requires_any_boundary: ['turn_complete'],
    };
    const session = sessionAt(64, [], required);
    const [event, ...more] = afterTurn(session, { queued_user_messages: 1 });
    expect(event?.type).toBe('compaction.requested');
    expect(event?.data).not.toHaveProperty('packet');
    expect(more).toEqual([]);
  });

  it('asks the agent for its packet first', () => {
    const session = sessionAt(64, ['commit'], { packet_author: 'agent' });
    const { value, events } = session.signal('turn_complete', { queued_user_messages: 0 });
    expect(typesOf(events)).toEqual(['signal.observed', 'packet.requested']);
    expect(value).toMatchObject({
      compaction: null,
      signals: [],
      packet: { prompt: 'Write down where you are.', deadline_ms: NOW + 300_000 },
    });
  });

  it('asks no agent in an emergency: there may be no room for its turn', () => {
    const [event, ...more] = afterTurn(sessionAt(14, [], { packet_author: 'agent' }));
    expect(event).toMatchObject({
      type: 'compaction.requested',
      data: { packet: { author: 'watcher' } },
    });
    expect(more).toEqual([]);
  });

  it('does nothing in review mode', () => {
    expect(afterTurn(sessionAt(14, ['commit']), { review_mode: true })).toEqual([]);
  });
});

describe('an emergency while a packet is waited for', () => {
  it.each([
    ['an append', (session: PureSession) => session.append(call('x', 'Read')).events],
    ['the middle of a turn', afterMidTurn],
  ])('is ended by %s, with a packet of the service', (_, next) => {
    const session = sessionAt(64, ['commit'], { packet_author: 'agent' });
    expect(typesOf(afterTurn(session))).toEqual(['packet.requested']);
    expect(typesOf(next(session))).not.toContain('compaction.requested');
    const item = assistant(ofTokens(50_000));
    session.push({ type: 'item.appended', data: { item, tokens: 50_000 } });
    expect(next(session).at(-1)).toMatchObject({
      type: 'compaction.requested',
      data: { packet: { author: 'watcher' }, attribution: { tier: 'emergency' } },
    });
    expect(session.head.state.packet_request).toBeNull();
  });
});

describe('the end of the turn that was to write the packet', () => {
  const asked = () => {
    const session = sessionAt(64, ['commit'], { packet_author: 'agent' });
    expect(typesOf(afterTurn(session))).toEqual(['packet.requested']);
    return session;
  };
  const missing = { source: 'turn_complete', seq: null, text: null, is_truncated: false };

  it('ends the wait: the service writes it, for the compaction that was due', () => {
    const session = asked();
    const [received, request] = afterTurn(session);
    expect(received).toEqual({ type: 'packet.received', data: missing });
    expect(request).toMatchObject({
      type: 'compaction.requested',
      data: {
        reason: 'turn_complete',
        packet: { author: 'watcher' },
        attribution: { tier: 'asap', percent_remaining: 64, boundaries: ['commit'] },
      },
    });
    expect(session.head.state.packet_request).toBeNull();
  });

  it('ends it without a packet where messages are queued, and not at all in review mode', () => {
    const queued = afterTurn(asked(), { queued_user_messages: 2 });
    expect(typesOf(queued)).toEqual(['compaction.requested']);
    expect(queued[0]?.data).not.toHaveProperty('packet');
    expect(afterTurn(asked(), { queued_user_messages: 2, review_mode: true })).toEqual([]);
  });
});

describe('a missing boundary', () => {
  it('is recorded and counts as no failure', () => {
    const session = sessionAt(74, ['agent_done']);
    const before = session.head.state;
    const events = afterTurn(session);
    expect(events).toEqual([
      {
        type: 'compaction.requested',
        data: {
          compaction_id: 'c3',
          mode: 'auto',
          trigger: 'auto',
          reason: 'turn_complete',
          attribution: {
            path: 'turn_complete',
            tier: 'ready',
            percent_remaining: 74,
            boundaries: [],
          },
        },
      },
      {
        type: 'compaction.skipped',
        data: {
          compaction_id: 'c3',
          reason: 'no_natural_boundary',
          detail: 'no natural boundary: 74 % of the window is left, tier ready',
        },
      },
    ]);
    const { state } = session.head;
    expect(state).toMatchObject({
      running: null,
      failures: 0,
      tokens_since_compaction: before.tokens_since_compaction,
      signals: ['agent_done', 'turn_complete'],
    });
  });

  it('is recorded again when the percentage or the boundaries have changed', () => {
    const session = sessionAt(74, []);
    expect(typesOf(afterTurn(session))).toEqual(SKIPPED);
    expect(afterTurn(session)).toEqual([]);
    session.append(assistant(ofTokens(1_000)));
    expect(typesOf(afterTurn(session))).toEqual(SKIPPED);
    session.signal('agent_done');
    expect(typesOf(afterTurn(session))).toEqual(SKIPPED);
    expect(afterTurn(session)).toEqual([]);
  });
});

describe('preflight', () => {
  const required: ConfigOverrides = { auto_requires_any_boundary: ['turn_complete'] };

  it.each(['watcher', 'none'] as const)('is armed once instead: %s', (author) => {
    const session = sessionAt(74, [], { ...required, packet_author: author });
    expect(afterTurn(session)).toEqual([
      { type: 'preflight.armed', data: { percent_remaining: 74 } },
    ]);
    expect(afterTurn(session)).toEqual([]);
    expect(session.signal('turn_complete').value.preflight_armed).toBe(true);
  });

  it('gives way to the packet of the agent', () => {
    const session = sessionAt(74, [], { ...required, packet_author: 'agent' });
    expect(typesOf(afterTurn(session))).toEqual(['packet.requested']);
  });

  it('is not waited for in an emergency', () => {
    const session = sessionAt(74, [], required);
    afterTurn(session);
    session.fillTo(14);
    session.append(user('Go on.'));
    // The user message has fired it. Above the emergency line another one would only be armed.
    expect(session.head.state.running?.reason).toBe('preflight');
    session.complete(86_000 - 1);
    expect(typesOf(afterTurn(session))).toEqual(REQUESTED);
  });

  it('has the next user message after its cut', () => {
    const session = sessionAt(74, [], required);
    afterTurn(session);
    for (const item of [user('!ls'), result('a', 'x'), assistant('x')]) {
      expect(session.append(item).value.compaction).toBeNull();
    }
    const { value, events } = session.append(user('Go on.'), assistant('Yes.'));
    expect(events.at(-1)).toEqual({
      type: 'compaction.requested',
      data: {
        compaction_id: 'c7',
        mode: 'auto',
        trigger: 'auto',
        reason: 'preflight',
        attribution: {
          path: 'preflight',
          tier: 'ready',
          percent_remaining: 74,
          boundaries: ['turn_complete'],
        },
        before: value.first_seq,
      },
    });
    expect(session.head.state.preflight).toBeNull();
  });
});

describe('neither path does anything', () => {
  const OFF: [string, ConfigOverrides][] = [
    ['with another trigger', { auto_compact_trigger: 'threshold' }],
    ['with automatic compaction off', { auto_compact_enabled: false }],
    ['with compaction off', { enabled: false }],
  ];
  it.each(OFF)('%s', (_, config) => {
    const session = sessionAt(14, ['commit']);
    session.push({ type: 'session.configured', data: { config } });
    expect(afterMidTurn(session)).toEqual([]);
    const { value, events } = session.signal('turn_complete');
    expect(typesOf(events)).toEqual(['signal.observed']);
    expect(value).toMatchObject({ advice: null, packet: null, preflight_armed: false });
  });

  it('while a compaction is under way', () => {
    const session = sessionAt(64, ['commit']);
    afterMidTurn(session);
    session.signal('commit');
    expect(afterMidTurn(session)).toEqual([]);
    expect(afterTurn(session)).toEqual([]);
    expect(session.signal('turn_complete').value.compaction).toMatchObject({ id: 'c3' });
  });

  it('while a packet is waited for', () => {
    const session = sessionAt(64, ['commit'], { packet_author: 'agent' });
    afterTurn(session);
    session.signal('commit');
    expect(afterMidTurn(session)).toEqual([]);
    expect(afterTurn(session, { review_mode: true })).toEqual([]);
  });

  it('while the breaker is open, until its time is over', () => {
    const session = sessionAt(14, ['commit']);
    session.push(BREAKER_OPENED);
    expect(afterMidTurn(session)).toEqual([]);
    expect(afterTurn(session)).toEqual([]);
    session.nowMs += 600_000;
    expect(typesOf(afterMidTurn(session))).toEqual(['breaker.closed', ...REQUESTED]);
  });

  it('with too little news since the last compaction, unless in an emergency', () => {
    const session = sessionAt(64, ['commit']);
    afterMidTurn(session);
    session.complete(30_000);
    session.append(assistant(ofTokens(1_999)));
    session.signal('commit');
    expect(afterMidTurn(session)).toEqual([]);
    expect(afterTurn(session)).toEqual([]);
    session.append(assistant(ofTokens(1)));
    expect(typesOf(afterMidTurn(session))).toEqual(REQUESTED);
  });
});

const STEPS = [
  'sampling_complete',
  'turn_complete',
  'turn_started',
  'commit',
  'agent_done',
  'user',
  'shell',
  'done',
  'long',
  'complete',
  'skip',
  'fail',
] as const;

const TERMINAL = ['compaction.completed', 'compaction.skipped', 'compaction.failed'];

const configArbitrary: fc.Arbitrary<ConfigOverrides> = fc.record({
  packet_author: fc.constantFrom('none', 'watcher', 'agent'),
  auto_compact_mode: fc.constantFrom('auto', 'auto', 'tag', 'suggest'),
  auto_requires_any_boundary: fc.constantFrom([], [], ['turn_complete'], ['agent_done']),
});

describe('any sequence of signals and items', () => {
  it('never requests a second compaction, and ends each one once', () => {
    const script = fc.array(fc.constantFrom(...STEPS), { minLength: 10, maxLength: 80 });
    fc.assert(
      fc.property(configArbitrary, script, (config, steps) => {
        const session = new PureSession(config);
        session.fillTo(70);
        for (const step of steps) play(session, step);
        if (session.head.state.running !== null) session.skip();
        let open: string | null = null;
        for (const { type, data } of session.log) {
          if (type === 'compaction.requested') {
            expect(open).toBeNull();
            open = data.compaction_id;
          }
          if (TERMINAL.includes(type)) {
            expect(data).toMatchObject({ compaction_id: open });
            open = null;
          }
        }
        expect(open).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});

function play(session: PureSession, step: (typeof STEPS)[number]): void {
  const isRunning = session.head.state.running !== null;
  switch (step) {
    case 'sampling_complete':
      session.signal(step, { needs_follow_up: true });
      break;
    case 'user':
      session.append(user('Go on.'));
      break;
    case 'shell':
      session.append(call('a', 'Bash', { command: 'git commit' }), result('a', 'ok'));
      break;
    case 'done':
      session.append(assistant('It is done. Next steps: none.'));
      break;
    case 'long':
      session.append(assistant(ofTokens(9_000)));
      break;
    case 'complete':
      if (isRunning) session.complete(5_000);
      break;
    case 'skip':
      if (isRunning) session.skip();
      break;
    case 'fail':
      if (isRunning) session.fail();
      break;
    default:
      session.signal(step);
  }
}
