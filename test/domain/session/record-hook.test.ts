import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../src/domain/session/events.ts';
import {
  type HookRun,
  recordHook,
  recordPostCompact,
} from '../../../src/domain/session/record-hook.ts';
import {
  AT,
  appended,
  completed,
  created,
  given,
  requested,
  started,
  TERMS,
  termsWith,
} from '../../support/given.ts';
import { assistant, ofTokens, user } from '../../support/items.ts';

const RUN: HookRun = {
  hook: 'notes',
  event: 'PreCompact',
  ok: true,
  required: false,
  status: 200,
  error: null,
  duration_ms: 12,
  result: { block: false },
};
const AFTER: HookRun = {
  ...RUN,
  event: 'PostCompact',
  result: { items: [user('abc '.repeat(9))] },
};
const TOKENS = { covered: 1, replacement: 1 };
const COMPLETED = completed(2, TOKENS);
const RUNNING = [created(), appended(assistant('x')), requested(), started()];

const tokensOf = (event: NewEvent) => (event.type === 'item.appended' ? event.data.tokens : 0);

const ran = (run: HookRun): NewEvent => ({
  type: 'hook.ran',
  data: { compaction_id: 'c', ...run },
});

describe('recordHook', () => {
  it('records what a hook of the attempt under way said', () => {
    given(...RUNNING)
      .when(recordHook({ compaction_id: 'c', attempt: 1 }, RUN))
      .yields(ran(RUN))
      .answers({ applied: true });
  });

  it.each([
    ['another attempt has begun', [...RUNNING, started(2)]],
    ['the compaction has ended', [...RUNNING, COMPLETED]],
  ])('does nothing when %s', (_name, events) => {
    given(...events)
      .when(recordHook({ compaction_id: 'c', attempt: 1 }, RUN))
      .yields()
      .answers({ applied: false });
  });

  it('refuses a session that is not there', () => {
    given()
      .when(recordHook({ compaction_id: 'c', attempt: 1 }, RUN))
      .rejects('session_not_found', /./);
  });
});

describe('recordPostCompact', () => {
  const command = { compaction_id: 'c', requested_version: RUNNING.length, at: AT };

  it('appends the items after everything, as no news and without a request', () => {
    given(...RUNNING, COMPLETED, appended(assistant('y')))
      .when(recordPostCompact(TERMS, command, AFTER))
      .yields(ran(AFTER), {
        type: 'item.appended',
        data: { item: user('abc '.repeat(9), { speaker: 'hook' }), tokens: 9, source: 'hook' },
      })
      .answers({ applied: true });
  });

  it.each([
    ['since', [COMPLETED, appended(user('Stop.'))]],
    ['and been answered', [COMPLETED, appended(user('Stop.')), appended(assistant('I did.'))]],
    ['before it ended', [appended(user('Stop.')), COMPLETED]],
  ])('leaves out what would stand after the words of a user who has spoken %s', (_, later) => {
    given(...RUNNING, ...later)
      .when(recordPostCompact(TERMS, command, AFTER))
      .yields(
        ran({
          ...AFTER,
          ok: false,
          error:
            'the user has written since: the items would come after that message, and were left out',
          result: {},
        }),
      );
  });

  it('records a hook without items', () => {
    const silent = { ...AFTER, result: {} };
    given(...RUNNING, COMPLETED)
      .when(recordPostCompact(TERMS, command, silent))
      .yields(ran(silent));
  });

  it.each([
    ['at the threshold', 0, true],
    ['one below it', 1, false],
  ])('leaves out what ends %s: %i, %s', (_, below, isLeftOut) => {
    const configOf = (threshold: number) => ({
      token_safety_multiplier: 1,
      auto_compact_threshold: threshold,
    });
    const session = (threshold: number) =>
      given(created({ config: configOf(threshold) }), ...RUNNING.slice(1), COMPLETED);
    const record = (threshold: number) =>
      recordPostCompact(termsWith(configOf(threshold)), command, AFTER);
    const { events } = session(100_000).when(record(100_000));
    const items = events().filter(({ type }) => type === 'item.appended');
    const added = items.reduce((sum, event) => sum + tokensOf(event), 0);
    const exact = (session(100_000).head?.state.tokens ?? 0) + added;
    const then = session(exact + below).when(record(exact + below));
    expect(then.events().map(({ type }) => type)).toEqual(
      isLeftOut ? ['hook.ran'] : events().map(({ type }) => type),
    );
  });

  it('leaves out what would lift the context to its threshold', () => {
    const large = { ...AFTER, result: { items: [user('a'), user(ofTokens(187_000))] } };
    given(...RUNNING, COMPLETED)
      .when(recordPostCompact(TERMS, command, large))
      .yields(
        ran({
          ...AFTER,
          ok: false,
          error: 'the items would bring the context to its threshold, and were left out',
          result: {},
        }),
      )
      .answers({ applied: true });
  });

  it.each([
    ['is still under way', RUNNING],
    [
      'gave way to a later one',
      [
        ...RUNNING,
        COMPLETED,
        requested({ compaction_id: 'd' }),
        started(1, 'd'),
        completed(2, TOKENS, 'd'),
      ],
    ],
  ])('does nothing when the compaction %s', (_name, events) => {
    given(...events)
      .when(recordPostCompact(TERMS, command, AFTER))
      .yields()
      .answers({ applied: false });
  });

  it('refuses a session that is not there', () => {
    given()
      .when(recordPostCompact(TERMS, command, AFTER))
      .rejects('session_not_found', /./);
  });
});
