import { describe, expect, it } from 'vitest';
import type { Signal } from '../../../src/domain/policy/boundaries.ts';
import type { OpenCommand } from '../../../src/domain/policy/shell-commands.ts';
import type { EventOf, NewEvent } from '../../../src/domain/session/events.ts';
import { evolve } from '../../../src/domain/session/evolve.ts';
import {
  type Head,
  packetState,
  type Running,
  type State,
} from '../../../src/domain/session/head.ts';
import { attributionOf } from '../../support/event-data.ts';
import {
  answerItems,
  assistantItems,
  resultItems,
  userMessage,
} from '../../support/generated-items.ts';
import {
  AT,
  appended,
  BREAKER_OPENED,
  cancelled,
  completed,
  created,
  failed,
  headOf,
  logOf,
  microCompleted,
  requested,
  reverted,
  skipped,
  started,
} from '../../support/given.ts';
import { assistant, ofTokens, PROGRESS, user } from '../../support/items.ts';

const thousand = appended(user(ofTokens(1_000)));
const withUsage = appended(assistant('abcd', { usage: { input_tokens: 5_000 } }));
const running = [created(), thousand, withUsage, thousand, requested(), started()];
const manual = [...running.slice(0, 4), requested({ trigger: 'manual' }), started()];
const IDLE = { running: null, tokens_since_compaction: 0 };
const RUNNING: Running = {
  id: 'c',
  status: 'queued',
  mode: 'auto',
  trigger: 'auto',
  reason: 'token_limit',
  attempt: 0,
  requested_version: 5,
  attribution: attributionOf('append'),
  before: null,
  packet: null,
  propose: false,
};
const none = { micro: 0, full: 0, remote: 0, skipped: 0, failed: 0 };

/** An item of the user with what an append may say beside it. */
function put(data: Omit<EventOf<'item.appended'>['data'], 'item'>): NewEvent {
  return { type: 'item.appended', data: { item: user('x'), ...data } };
}

function signal(name: Signal, data: Partial<EventOf<'signal.observed'>['data']> = {}): NewEvent {
  return {
    type: 'signal.observed',
    data: { signal: name, source: 'derived', seq: null, ...data },
  };
}

const COMMIT: OpenCommand = { id: 't', boundary: 'commit' };
const BY_COMMIT = attributionOf('mid_turn', { tier: 'ready', boundaries: ['commit'] });
const ARMED: NewEvent = { type: 'preflight.armed', data: { percent_remaining: 60 } };
const WAITING: NewEvent = {
  type: 'packet.requested',
  data: {
    attribution: attributionOf('turn_complete'),
    prompt: 'p',
    template: 'packet@1',
    deadline_ms: 9,
  },
};

/** What the last event of a log changed in the state, beside version and time. */
function change(events: NewEvent[]): Partial<State> {
  const before = headOf(events.slice(0, -1));
  const after = headOf(events);
  if (before === null || after === null) throw new Error('the log is too short');
  expect(after.state.version).toBe(before.state.version + 1);
  const changed = Object.entries(after.state).filter(
    ([key, value]) =>
      key !== 'version' &&
      JSON.stringify(value) !== JSON.stringify(before.state[key as keyof State]),
  );
  return Object.fromEntries(changed);
}

describe('evolve', () => {
  it.each<[string, NewEvent[], Partial<State>]>([
    [
      'item.appended',
      [created(), thousand],
      {
        title: `${ofTokens(20).slice(0, 79)}…`,
        items: 1,
        tokens: 1_000,
        tokens_since_usage: 1_000,
        tokens_since_compaction: 1_000,
        messages: 1,
        user_message: { version: 2, unanswered_from: 2 },
      },
    ],
    [
      'item.appended with usage',
      [created(), thousand, withUsage],
      {
        items: 2,
        tokens: 1_001,
        usage: 5_000,
        tokens_since_usage: 0,
        tokens_since_compaction: 1_001,
        calls: { count: 1, is_answering: true, cached_share: null, model: null },
        messages: 2,
        user_message: { version: 2, unanswered_from: null },
      },
    ],
    [
      'item.appended: a command is recorded and kept out',
      [created(), put({ tokens: 0, excluded: 'command' })],
      { items: 1 },
    ],
    ...(['packet', 'hook'] as const).map((source): [string, NewEvent[], Partial<State>] => [
      `item.appended by the service (${source}) is in the context, and no news`,
      [created(), put({ tokens: 7, source })],
      { items: 1, tokens: 7, tokens_since_usage: 7 },
    ]),
    ['item.appended of another kind is no message', [created(), appended(PROGRESS)], { items: 1 }],
    [
      'item.appended after what the user has said first',
      [created(), put({ tokens: 1 }), appended(user('y'))],
      {
        items: 2,
        messages: 2,
        tokens: 2,
        tokens_since_usage: 2,
        tokens_since_compaction: 2,
        user_message: { version: 3, unanswered_from: 2 },
      },
    ],
    [
      'item.appended with shell calls that may become boundaries',
      [created(), put({ tokens: 1, commands: [COMMIT] })],
      {
        title: 'x',
        items: 1,
        messages: 1,
        tokens: 1,
        tokens_since_usage: 1,
        tokens_since_compaction: 1,
        open_commands: [COMMIT],
        user_message: { version: 2, unanswered_from: 2 },
      },
    ],
    ['signal.observed: a boundary', [created(), signal('commit')], { signals: ['commit'] }],
    ['signal.observed: once is enough', [created(), signal('commit'), signal('commit')], {}],
    [
      'signal.observed: plan_checkpoint counts completed steps',
      [created(), signal('commit'), signal('plan_checkpoint', { completed_steps: 3 })],
      { signals: ['commit', 'plan_checkpoint'], completed_steps: 3 },
    ],
    [
      'signal.observed: turn_started clears the others',
      [
        created(),
        put({ tokens: 1, commands: [COMMIT] }),
        signal('plan_checkpoint', { completed_steps: 3 }),
        signal('turn_started', { source: 'posted' }),
      ],
      { signals: [], open_commands: [], has_life_cycle: true },
    ],
    [
      'signal.observed: sampling_complete is no boundary',
      [created(), signal('sampling_complete', { source: 'posted', needs_follow_up: true })],
      { has_life_cycle: true },
    ],
    [
      'signal.observed: turn_complete is one',
      [created(), signal('turn_complete', { source: 'posted', queued_user_messages: 1 })],
      { has_life_cycle: true, signals: ['turn_complete'] },
    ],
    ['preflight.armed', [created(), ARMED], { preflight: { version: 2, percent_remaining: 60 } }],
    [
      'packet.requested uses up the boundaries',
      [created(), signal('commit'), WAITING],
      {
        signals: [],
        packet_request: { version: 3, deadline_ms: 9, attribution: attributionOf('turn_complete') },
      },
    ],
    [
      'packet.received',
      [
        created(),
        WAITING,
        {
          type: 'packet.received',
          data: { source: 'posted', seq: null, text: 'p', is_truncated: false },
        },
      ],
      { packet_request: null },
    ],
    [
      'compaction.requested takes the place of a packet and a preflight',
      [
        created(),
        ARMED,
        WAITING,
        requested({ trigger: 'manual', before: 7, packet: { author: 'watcher' } }),
      ],
      {
        running: {
          ...RUNNING,
          trigger: 'manual',
          requested_version: 4,
          attribution: attributionOf('request'),
          before: 7,
          packet: { author: 'watcher' },
        },
        packet_request: null,
        preflight: null,
      },
    ],
    [
      'compaction.requested on boundaries uses them up',
      [created(), signal('commit'), signal('agent_done'), requested({ attribution: BY_COMMIT })],
      { running: { ...RUNNING, requested_version: 4, attribution: BY_COMMIT }, signals: [] },
    ],
    [
      'compaction.requested on none leaves them',
      [created(), signal('commit'), requested()],
      { running: { ...RUNNING, requested_version: 3 } },
    ],
    [
      'hook.ran',
      [
        ...running,
        {
          type: 'hook.ran',
          data: {
            compaction_id: 'c',
            hook: 'h',
            event: 'PreCompact',
            ok: true,
            required: false,
            status: 200,
            error: null,
            duration_ms: 1,
            result: {},
          },
        },
      ],
      {},
    ],
    [
      'session.forked',
      [
        created(),
        {
          type: 'session.forked',
          data: {
            parent_session_id: 'p',
            parent_version: 9,
            entries: [{ seq: null, item: user('x'), tokens: 7, origin: 'summary' }],
          },
        },
      ],
      {
        title: 'x',
        tokens: 7,
        base: { compaction_id: null, version: 2, through: 2 },
        compacted_version: 2,
      },
    ],
    ['session.configured', [created(), { type: 'session.configured', data: { model: 'm' } }], {}],
    [
      'compaction.requested',
      running.slice(0, 5),
      {
        running: { ...RUNNING, status: 'queued', attempt: 0 },
      },
    ],
    [
      'compaction.started',
      running,
      {
        running: { ...RUNNING, status: 'running', attempt: 1 },
      },
    ],
    [
      'compaction.micro_completed',
      [...running, microCompleted(400)],
      {
        ...IDLE,
        tokens: 1_601,
        usage: null,
        tokens_since_usage: 0,
        stale_usage_from: 0,
        compacted_version: 7,
        compactions: { ...none, micro: 1 },
      },
    ],
    [
      'compaction.completed',
      [...running, completed(3, { covered: 1_001, replacement: 200 })],
      {
        ...IDLE,
        tokens: 1_200,
        usage: null,
        tokens_since_usage: 0,
        stale_usage_from: 0,
        compacted_version: 7,
        base: { compaction_id: 'c', version: 7, through: 3 },
        messages: 0,
        compactions: { ...none, full: 1 },
      },
    ],
    [
      'compaction.completed that leaves it in its tier is a failure',
      [...running, completed(3, { covered: 1_001, replacement: 200, isStillDue: true })],
      {
        ...IDLE,
        tokens: 1_200,
        usage: null,
        tokens_since_usage: 0,
        stale_usage_from: 0,
        compacted_version: 7,
        base: { compaction_id: 'c', version: 7, through: 3 },
        messages: 0,
        compactions: { ...none, full: 1 },
        failures: 1,
      },
    ],
    [
      'compaction.completed that did not help enough',
      [...running, completed(3, { covered: 2, replacement: 1, isAboveThreshold: true })],
      {
        ...IDLE,
        tokens: 2_000,
        usage: null,
        tokens_since_usage: 0,
        stale_usage_from: 0,
        compacted_version: 7,
        base: { compaction_id: 'c', version: 7, through: 3 },
        messages: 0,
        compactions: { ...none, full: 1 },
        failures: 1,
      },
    ],
    [
      'compaction.skipped below the threshold',
      [...running, skipped('below_threshold')],
      { ...IDLE, compactions: { ...none, skipped: 1 } },
    ],
    [
      'compaction.skipped, switched off',
      [...running, skipped('compaction_disabled')],
      { ...IDLE, compactions: { ...none, skipped: 1 } },
    ],
    [
      'compaction.skipped for want of a boundary: no failure, and new tokens are counted on',
      [...running, skipped('no_natural_boundary')],
      {
        running: null,
        compactions: { ...none, skipped: 1 },
        last_skip: { percent_remaining: null, signals: [] },
      },
    ],
    [
      'compaction.skipped for too few tokens: no failure, and new tokens are counted on',
      [...running, skipped('too_few_tokens')],
      { running: null, compactions: { ...none, skipped: 1 } },
    ],
    ...(
      ['nothing_to_compact', 'not_effective', 'would_not_shrink', 'irreducible_floor'] as const
    ).map((reason): [string, NewEvent[], Partial<State>] => [
      `compaction.skipped: ${reason} is a failure`,
      [...running, skipped(reason)],
      { ...IDLE, failures: 1, compactions: { ...none, skipped: 1 } },
    ]),
    [
      'compaction.skipped by hand',
      [...manual, skipped()],
      { ...IDLE, compactions: { ...none, skipped: 1 } },
    ],
    [
      'compaction.failed for good',
      [...running, failed()],
      { ...IDLE, failures: 1, compactions: { ...none, failed: 1 } },
    ],
    ['compaction.cancelled', [...running, cancelled()], IDLE],
    [
      'compaction.threshold_exceeded',
      [
        ...running,
        {
          type: 'compaction.threshold_exceeded',
          data: { compaction_id: 'c', post_compact_tokens: 2, threshold: 1 },
        },
      ],
      {},
    ],
    [
      'breaker.opened',
      [created(), BREAKER_OPENED],
      { breaker_reset_at_ms: Date.parse(AT) + 600_000 },
    ],
    [
      'breaker.closed',
      [
        ...running,
        failed(),
        BREAKER_OPENED,
        { type: 'breaker.closed', data: { reason: 'timeout' } },
      ],
      { breaker_reset_at_ms: null, failures: 0 },
    ],
    [
      'compaction.reverted',
      [...running, completed(3, { covered: 1_001, replacement: 200 }), thousand, reverted(3_001)],
      {
        tokens: 3_001,
        tokens_since_compaction: 0,
        base: null,
        compacted_version: 9,
        tokens_since_usage: 0,
        stale_usage_from: null,
      },
    ],
  ])('%s', (_name, events, expected) => {
    expect(change(events)).toEqual(expected);
  });

  it('compaction.failed that is tried again stays under way', () => {
    const state = headOf([...running, failed(true)])?.state;
    expect(state?.running).toMatchObject({ id: 'c', status: 'queued', attempt: 1 });
    expect(state?.failures).toBe(0);
  });

  it('a remote compaction is counted as one, and is a base like another', () => {
    const full = completed(3, { covered: 1_001, replacement: 200 });
    if (full.type !== 'compaction.completed') throw new Error('unexpected event');
    const remote: NewEvent = { ...full, data: { ...full.data, mode: 'remote' } };
    expect(headOf([...running, remote])?.state).toMatchObject({
      base: { compaction_id: 'c', version: 7, through: 3 },
      compactions: { ...none, remote: 1 },
      running: null,
    });
  });

  it.each<[string, { above?: boolean; due?: boolean }, number]>([
    ['helped', {}, 0],
    ['is above its threshold', { above: true }, 2],
    ['is still in its tier', { due: true }, 2],
  ])('a micro-compaction after a failure that %s', (_name, { above, due }, failures) => {
    const micro = microCompleted(1);
    if (micro.type !== 'compaction.micro_completed') throw new Error('unexpected event');
    const data = {
      ...micro.data,
      is_above_threshold: above ?? false,
      is_still_due: due ?? false,
    };
    const after = headOf([...running, failed(), requested(), started(), { ...micro, data }]);
    expect(after?.state.failures).toBe(failures);
  });

  it.each([
    ['anthropic', 6],
    ['openai-chat', 6],
    // Each call and each result is an item of its own there.
    ['openai-responses', 9],
  ] as const)('counts messages with calls and results: %s', (format, messages) => {
    const answer = { text: 'ok', shape: 'string', isError: false } as const;
    const placed = [{ id: 'a', call: { name: 'Bash', input: {}, answer } }];
    const items = [
      userMessage(format, 'Go.', true),
      ...assistantItems(format, { thinking: 'Hm.', text: '', placed, usage: 1 }, 'm1'),
      ...resultItems(format, placed),
      ...assistantItems(format, { thinking: '', text: 'Now this.', placed, usage: 1 }, 'm2'),
      ...resultItems(format, placed),
      ...answerItems(format, 'Done.'),
    ];
    const head = headOf([created({ format }), ...items.map(appended)]);
    expect(head?.state).toMatchObject({ messages });
  });

  it('remembers the 64 newest shell calls', () => {
    const commands = Array.from(
      { length: 40 },
      (_, n): OpenCommand => ({ ...COMMIT, id: `a${n}` }),
    );
    const more = commands.map((command, n) => ({ ...command, id: `b${n}` }));
    const log = [created(), put({ tokens: 1, commands }), put({ tokens: 1, commands: more })];
    expect(headOf(log)?.state.open_commands).toEqual([...commands.slice(16), ...more]);
  });

  it('a derived signal is no life cycle of the client', () => {
    const log = [created(), signal('turn_started'), signal('turn_complete')];
    expect(headOf(log)?.state.has_life_cycle).toBe(false);
  });

  it.each<[string, NewEvent[], string]>([
    ['nothing', [created()], 'idle'],
    ['a packet is asked for', [created(), WAITING], 'awaiting_packet'],
    ['a compaction takes over', [created(), WAITING, requested()], 'idle'],
    [
      'a compaction with a packet',
      [created(), requested({ packet: { author: 'watcher' } })],
      'compacting',
    ],
    ['that ended', [created(), requested({ packet: { author: 'watcher' } }), cancelled()], 'idle'],
  ])('packetState: %s', (_name, log, expected) => {
    const head = headOf(log);
    expect(head && packetState(head.state)).toBe(expected);
  });

  it('counts the initial context', () => {
    const initial = [{ seq: null, item: user('x'), tokens: 5, origin: 'initial' as const }];
    expect(headOf([created({}, initial)])?.state).toMatchObject({
      items: 0,
      tokens: 5,
      tokens_since_compaction: 5,
    });
  });

  it.each<[string, NewEvent[], string]>([
    ['anything before session.created', [thousand], 'starts with session.created'],
    ['a second session.created', [created(), created()], 'only be the first'],
    ['a start without request', [created(), started()], 'compaction c is not the one under way'],
    ['the end of another compaction', [...running, skipped('not_effective', 'd')], 'compaction d'],
    ['a second end', [...running, cancelled(), cancelled()], 'compaction c is not'],
    ['a late failure', [...running, cancelled(), failed()], 'compaction c is not'],
    [
      'a late micro-compaction',
      [...running, cancelled(), microCompleted(1)],
      'compaction c is not',
    ],
    [
      'a late completion',
      [...running, cancelled(), completed(2, { covered: 1, replacement: 0 })],
      'compaction c is not',
    ],
  ])('throws for %s', (_name, events, message) => {
    expect(() => headOf(events)).toThrow(message);
  });

  it('throws for a gap in the versions', () => {
    const [first, second] = logOf([created(), thousand]);
    if (!first || !second) throw new Error('unexpected log');
    expect(() => evolve(evolve(null, first), { ...second, version: 3 })).toThrow(
      'version 3 cannot follow version 1',
    );
  });

  it('is as new as the latest of its events, whatever the clock of the last one', () => {
    const times = ['2026-01-02', '1970-01-01', '2026-01-03', '2026-01-01'];
    let head: Head | null = null;
    const updated: string[] = [];
    for (const [index, event] of logOf([created(), thousand, thousand, thousand]).entries()) {
      head = evolve(head, { ...event, at: `${times[index]}T00:00:00.000Z` });
      updated.push(head.state.updated_at.slice(0, 10));
    }
    expect(updated).toEqual(['2026-01-02', '2026-01-02', '2026-01-03', '2026-01-03']);
  });
});
