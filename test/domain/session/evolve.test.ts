import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../src/domain/session/events.ts';
import { evolve } from '../../../src/domain/session/evolve.ts';
import type { State } from '../../../src/domain/session/head.ts';
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
import { assistant, ofTokens, user } from '../../support/items.ts';

const thousand = appended(user(ofTokens(1_000)));
const withUsage = appended(assistant('abcd', { usage: { input_tokens: 5_000 } }));
const running = [created(), thousand, withUsage, thousand, requested(), started()];
const manual = [...running.slice(0, 4), requested({ trigger: 'manual' }), started()];
const IDLE = { running: null, tokens_since_compaction: 0 };
const none = { micro: 0, full: 0, skipped: 0, failed: 0 };

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
      { items: 1, tokens: 1_000, tokens_since_usage: 1_000, tokens_since_compaction: 1_000 },
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
      },
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
        running: {
          id: 'c',
          status: 'queued',
          mode: 'auto',
          trigger: 'auto',
          reason: 'token_limit',
          attempt: 0,
          requested_version: 5,
        },
      },
    ],
    [
      'compaction.started',
      running,
      {
        running: {
          id: 'c',
          status: 'running',
          mode: 'auto',
          trigger: 'auto',
          reason: 'token_limit',
          attempt: 1,
          requested_version: 5,
        },
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
        compactions: { ...none, full: 1 },
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
        compactions: { ...none, full: 1 },
        failures: 1,
      },
    ],
    [
      'compaction.skipped',
      [...running, skipped()],
      { ...IDLE, failures: 1, compactions: { ...none, skipped: 1 } },
    ],
    [
      'compaction.skipped below the threshold',
      [...running, skipped('below_threshold')],
      { ...IDLE, compactions: { ...none, skipped: 1 } },
    ],
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
});
