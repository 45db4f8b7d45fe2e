import { describe, expect, it } from 'vitest';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import {
  cancelCompaction,
  completeFull,
  completeMicro,
  type FullResult,
  failCompaction,
  type MicroResult,
  requestCompaction,
  skipCompaction,
  startCompaction,
} from '../../../src/domain/session/compaction-commands.ts';
import type { NewEvent } from '../../../src/domain/session/events.ts';
import { attributionOf, PLAIN_REPORT } from '../../support/event-data.ts';
import {
  appended,
  BREAKER_OPENED,
  CLOCK,
  cancelled,
  completed,
  created,
  failed,
  given,
  NOW,
  requested,
  skipped,
  started,
  WORLD,
} from '../../support/given.ts';
import { assistant, ofTokens, user } from '../../support/items.ts';

const FIRST = { compaction_id: 'c', attempt: 1 };
const FILLING = appended(user(ofTokens(150_000)));
const running = [created(), FILLING, requested(), started()];
const manual = [created(), FILLING, requested({ trigger: 'manual' }), started()];
const CLOSED: NewEvent = { type: 'breaker.closed', data: { reason: 'success' } };

function packetRequested(): NewEvent {
  const attribution = attributionOf('turn_complete');
  const asked = { prompt: 'p', template: 'packet@1', deadline_ms: NOW };
  return { type: 'packet.requested', data: { attribution, ...asked } };
}

describe('requestCompaction', () => {
  const command = { compaction_id: 'c', mode: 'full', trigger: 'manual', focus: 'tests' } as const;
  const event: NewEvent = {
    type: 'compaction.requested',
    data: { ...command, reason: 'requested', attribution: attributionOf('request') },
  };

  it('records the request with its reason', () => {
    given(created())
      .when(requestCompaction(WORLD, command))
      .yields(event)
      .answers({ id: 'c', is_under_way: true });
  });

  it('answers the one under way instead of a second', () => {
    given(...running)
      .when(requestCompaction(WORLD, { ...command, compaction_id: 'second' }))
      .yields()
      .answers({ id: 'c', is_under_way: true });
  });

  it('takes the place of a packet that is waited for: the service writes it', () => {
    given(created(), packetRequested())
      .when(requestCompaction(WORLD, command))
      .yields({ ...event, data: { ...event.data, packet: { author: 'watcher' } } });
  });

  describe('by a tool: tool_compact_min_tokens', () => {
    const PLAIN = { tool_compact_min_tokens: 10_000, token_safety_multiplier: 1 };
    const session = created({ config: PLAIN });
    const byTool = { compaction_id: 'c', mode: 'auto', trigger: 'tool' } as const;
    const asked = requested({ trigger: 'tool', reason: 'requested' });
    const tokens = (count: number) => appended(user(ofTokens(count)));
    const done = [requested(), started(), completed(2, { covered: 20_000, replacement: 100 })];
    const enough = { id: 'c', is_under_way: true };

    it.each<[string, NewEvent[], number | null]>([
      ['one token below', [session, tokens(9_999)], 9_999],
      ['exactly at it', [session, tokens(10_000)], null],
      ['counted from the last compaction', [session, tokens(20_000), ...done, tokens(500)], 500],
      ['enough since the last one', [session, tokens(20_000), ...done, tokens(10_000)], null],
      [
        'with the safety margin',
        [created({ config: { tool_compact_min_tokens: 10_000 } }), tokens(7_519)],
        null,
      ],
      ['no floor in profile default', [created()], null],
      ['a floor in profile tiered', [created({ profile: 'tiered' }), tokens(7_518)], 9_999],
    ])('%s', (_name, events, tooFew) => {
      const outcome = given(...events).when(requestCompaction(WORLD, byTool));
      if (tooFew === null) outcome.yields(asked).answers(enough);
      else {
        const detail = expect.stringContaining(`no compaction needed: ${tooFew} tokens`);
        const data = { compaction_id: 'c', reason: 'too_few_tokens', detail } as const;
        outcome
          .yields(asked, { type: 'compaction.skipped', data })
          .answers({ id: 'c', is_under_way: false });
      }
    });

    it.each<[string, NewEvent, object]>([
      ['a packet', packetRequested(), { packet: { author: 'watcher' } }],
      ['a message', { type: 'preflight.armed', data: { percent_remaining: 60 } }, {}],
    ])('is none while %s is waited for: a compaction is due', (_name, waiting, packet) => {
      given(session, waiting)
        .when(requestCompaction(WORLD, byTool))
        .yields(requested({ trigger: 'tool', reason: 'requested', ...packet }));
    });

    it('asks a user for no such thing', () => {
      given(session)
        .when(requestCompaction(WORLD, { ...byTool, trigger: 'manual' }))
        .answers(enough);
    });
  });

  it('runs while the breaker is open', () => {
    given(...running, failed(), BREAKER_OPENED)
      .when(requestCompaction(WORLD, command))
      .yields(event);
  });

  it('is refused where compaction is switched off', () => {
    given(created({ config: { enabled: false } }))
      .when(requestCompaction(WORLD, command))
      .rejects('compaction_disabled', /DISABLE_COMPACT/);
    given(created({ config: { enabled: true } }))
      .when(requestCompaction({ server: { enabled: false }, tokenizers: {} }, command))
      .rejects('compaction_disabled', /DISABLE_COMPACT/);
  });

  it('is refused for an unknown session', () => {
    given()
      .when(requestCompaction(WORLD, command))
      .rejects('session_not_found', /no session/);
  });
});

describe('startCompaction', () => {
  it('counts attempts and records the configuration in force', () => {
    const config = { ...profileConfig('default', 200_000), restore_max_files: 1 };
    const world = { server: { restore_max_files: 1 }, tokenizers: {} };
    given(...running, failed(true))
      .when(startCompaction(world, 'c'))
      .yields({ type: 'compaction.started', data: { compaction_id: 'c', attempt: 2, config } })
      .answers({ applied: true, attempt: 2 });
  });
});

describe('completeMicro', () => {
  const micro: MicroResult = {
    strategy: 'until_target',
    edits: [
      {
        seq: 2,
        tool_use_id: 't',
        content: 'gone',
        kind: 'cleared',
        tokens_before: 100_000,
        tokens_after: 8,
      },
    ],
    tokens_saved: 100_000,
    result_tokens_before: 120_000,
    result_tokens_after: 20_000,
    duration_ms: 7,
  };
  const event: NewEvent = {
    type: 'compaction.micro_completed',
    data: {
      ...micro,
      compaction_id: 'c',
      tokens_before: 199_500,
      tokens_after: 66_511,
      is_above_threshold: false,
      is_still_due: false,
    },
  };

  it('records the edits with the tokens before and after', () => {
    given(...running)
      .when(completeMicro(WORLD, FIRST, micro, CLOCK))
      .yields(event);
  });

  it('closes the breaker', () => {
    const open = [...running.slice(0, 2), BREAKER_OPENED, ...running.slice(2)];
    given(...open)
      .when(completeMicro(WORLD, FIRST, micro, CLOCK))
      .yields(event, CLOSED);
  });

  it('is skipped when usage that came meanwhile is below what the estimate would be', () => {
    const usage = { input_tokens: 50_000 };
    given(...running, appended(assistant('ok', { usage })))
      .when(completeMicro(WORLD, FIRST, micro, CLOCK))
      .yields({
        type: 'compaction.skipped',
        data: {
          compaction_id: 'c',
          reason: 'would_not_shrink',
          detail: 'the compacted context would hold 66512 tokens, the present one holds 50000',
        },
      });
  });
});

describe('completeFull', () => {
  const full = (covered: number, replacement: number): FullResult => ({
    mode: 'full',
    through: 2,
    previous: null,
    summary_text: 'S',
    entries: [{ seq: null, item: user('S'), tokens: replacement, origin: 'summary' }],
    report: {
      covered_tokens: covered,
      replacement_tokens: replacement,
      ...PLAIN_REPORT,
    },
  });
  const done = (result: FullResult, before: number, after: number, above = false): NewEvent => ({
    type: 'compaction.completed',
    data: {
      ...result,
      compaction_id: 'c',
      report: {
        ...result.report,
        tokens_before: before,
        tokens_after: after,
        is_above_threshold: above,
        is_still_due: false,
      },
    },
  });

  it('replaces the covered part', () => {
    const result = full(150_000, 1_000);
    given(...running)
      .when(completeFull(WORLD, FIRST, result, CLOCK))
      .yields(done(result, 199_500, 1_330))
      .answers({ applied: true });
  });

  it('counts what came meanwhile as kept', () => {
    const result = full(150_000, 1_000);
    given(...running, appended(user(ofTokens(100))))
      .when(completeFull(WORLD, FIRST, result, CLOCK))
      .yields(done(result, 199_633, 1_463));
  });

  it('closes the breaker', () => {
    const result = full(150_000, 1_000);
    given(...running.slice(0, 2), BREAKER_OPENED, ...running.slice(2))
      .when(completeFull(WORLD, FIRST, result, CLOCK))
      .yields(done(result, 199_500, 1_330), CLOSED);
  });

  it('reports a result that is still above the threshold; it counts as ineffective', () => {
    const result = full(5_000, 1_000);
    const exceeded: NewEvent = {
      type: 'compaction.threshold_exceeded',
      data: { compaction_id: 'c', post_compact_tokens: 194_180, threshold: 187_000 },
    };
    const event = done(result, 199_500, 194_180, true);
    given(...running)
      .when(completeFull(WORLD, FIRST, result, CLOCK))
      .yields(event, exceeded);
    const twice = [created({ config: { breaker_max_failures: 1 } }), ...running.slice(1)];
    given(...twice)
      .when(completeFull(WORLD, FIRST, result, CLOCK))
      .yields(event, exceeded, {
        type: 'breaker.opened',
        data: { failures: 1, reset_at_ms: NOW + 600_000 },
      });
  });

  it('opens the breaker until a whole millisecond, however its time is written', () => {
    const config = { breaker_max_failures: 1, breaker_reset_seconds: 0.0015 };
    const result = full(5_000, 1_000);
    given(created({ config }), ...running.slice(1))
      .when(completeFull(WORLD, FIRST, result, CLOCK))
      .yields(
        done(result, 199_500, 194_180, true),
        {
          type: 'compaction.threshold_exceeded',
          data: { compaction_id: 'c', post_compact_tokens: 194_180, threshold: 187_000 },
        },
        { type: 'breaker.opened', data: { failures: 1, reset_at_ms: NOW + 2 } },
      );
  });

  it.each([
    ['grow', 100, 200, 199_633],
    ['stay as it is', 100, 100, 199_500],
  ])('is skipped when the context would %s', (_name, covered, replacement, after) => {
    given(...running)
      .when(completeFull(WORLD, FIRST, full(covered, replacement), CLOCK))
      .yields({
        type: 'compaction.skipped',
        data: {
          compaction_id: 'c',
          reason: 'would_not_shrink',
          detail: `the compacted context would hold ${after} tokens, the present one holds 199500`,
        },
      });
  });
});

describe('a compaction that a tier asked for', () => {
  const tiers = { auto_compact_trigger: 'tiers', token_safety_multiplier: 1 } as const;
  const attribution = attributionOf('mid_turn', { tier: 'asap', percent_remaining: 25 });
  const asked = [
    created({ config: { ...tiers, breaker_max_failures: 1 } }),
    FILLING,
    requested({ attribution }),
    started(),
  ];
  const completeWith = (replacement: number) =>
    completeFull(
      WORLD,
      FIRST,
      {
        mode: 'full',
        through: 2,
        previous: null,
        summary_text: 'S',
        entries: [],
        report: { covered_tokens: 150_000, replacement_tokens: replacement, ...PLAIN_REPORT },
      },
      CLOCK,
    );

  it.each([
    // The line of `asap` is 65 % of 200,000 tokens.
    [70_000, false],
    [70_001, true],
  ])('leaves %i tokens: still due %s, and counts as ineffective then', (tokens, isStillDue) => {
    const [event, ...more] = given(...asked)
      .when(completeWith(tokens))
      .events();
    expect(event).toMatchObject({
      data: { report: { is_still_due: isStillDue, is_above_threshold: false } },
    });
    // Below the threshold: nothing was exceeded.
    expect(more.map(({ type }) => type)).toEqual(isStillDue ? ['breaker.opened'] : []);
  });

  it('does not close the breaker while it is still due', () => {
    const open = [asked[0], FILLING, BREAKER_OPENED, ...asked.slice(2)].flatMap((e) => e ?? []);
    const closed = (tokens: number) =>
      given(...open)
        .when(completeWith(tokens))
        .events()
        .some(({ type }) => type === 'breaker.closed');
    expect([closed(70_000), closed(70_001)]).toEqual([true, false]);
  });
});

describe('skip and fail', () => {
  const reason = { reason: 'not_effective', detail: 'because' } as const;
  const failure = { reason: 'timeout', message: 'late' } as const;

  it('record what happened', () => {
    given(...running)
      .when(skipCompaction(WORLD, FIRST, reason, CLOCK))
      .yields(skipped());
    given(...running)
      .when(failCompaction(WORLD, FIRST, { ...failure, will_retry: true }, CLOCK))
      .yields(failed(true));
    given(...running, failed(true), started(2))
      .when(
        failCompaction(WORLD, { ...FIRST, attempt: 2 }, { ...failure, will_retry: false }, CLOCK),
      )
      .yields(failed(false, 2));
  });

  const round = [requested(), started(), failed()];
  const twoFailures = [created(), FILLING, ...round, ...round];

  it('open the breaker at the third failure in a row of automatic compactions', () => {
    const third = given(...twoFailures, requested(), started());
    third
      .when(failCompaction(WORLD, FIRST, { ...failure, will_retry: false }, CLOCK))
      .yields(failed(), BREAKER_OPENED);
    third.when(skipCompaction(WORLD, FIRST, reason, CLOCK)).yields(skipped(), BREAKER_OPENED);
    third
      .when(failCompaction(WORLD, FIRST, { ...failure, will_retry: true }, CLOCK))
      .yields(failed(true));
    third
      .when(skipCompaction(WORLD, FIRST, { ...reason, reason: 'below_threshold' }, CLOCK))
      .yields(skipped('below_threshold'));
  });

  it('of a manual compaction count nothing', () => {
    given(...twoFailures, requested({ trigger: 'manual' }), started())
      .when(skipCompaction(WORLD, FIRST, reason, CLOCK))
      .yields(skipped());
  });

  it('after a success begin to count anew', () => {
    const success = [requested(), started(), completed(2, { covered: 10, replacement: 5 })];
    given(...twoFailures, ...success, requested(), started())
      .when(skipCompaction(WORLD, FIRST, reason, CLOCK))
      .yields(skipped());
  });
});

describe('steps that come too late', () => {
  const micro: MicroResult = {
    strategy: 'all_older',
    edits: [],
    tokens_saved: 0,
    result_tokens_before: 0,
    result_tokens_after: 0,
    duration_ms: 0,
  };
  const steps = {
    start: startCompaction(WORLD, 'c'),
    micro: completeMicro(WORLD, FIRST, micro, CLOCK),
    skip: skipCompaction(WORLD, FIRST, { reason: 'not_effective', detail: '' }, CLOCK),
    fail: failCompaction(
      WORLD,
      FIRST,
      { reason: 'timeout', message: '', will_retry: false },
      CLOCK,
    ),
  };
  it.each(Object.entries(steps))('%s does nothing', (_name, step) => {
    given()
      .when(step)
      .rejects('session_not_found', /no session/);
    for (const events of [
      [...running, cancelled()],
      [created(), requested({ compaction_id: 'another' })],
    ]) {
      given(...events)
        .when(step)
        .yields()
        .answers({ applied: false });
    }
  });

  const { start: _, ...later } = steps;
  it.each(Object.entries(later))('%s of an attempt that a newer one replaced', (_name, step) => {
    for (const newer of [[], [failed(true, 2)]]) {
      given(...running, started(2), ...newer)
        .when(step)
        .yields()
        .answers({ applied: false });
    }
    expect(
      given(...running)
        .when(step)
        .events(),
    ).not.toEqual([]);
  });
});

describe('cancelCompaction', () => {
  it.each([
    ['queued', running.slice(0, 3)],
    ['running', running],
  ])('ends one that is %s', (_name, events) => {
    given(...events)
      .when(cancelCompaction('c'))
      .yields(cancelled())
      .answers(null);
  });

  it('refuses one that has ended, another one, and an unknown session', () => {
    const refused = ['compaction_not_cancellable', /use revert/] as const;
    given(...manual, skipped())
      .when(cancelCompaction('c'))
      .rejects(...refused);
    given(...running)
      .when(cancelCompaction('another'))
      .rejects(...refused);
    given()
      .when(cancelCompaction('c'))
      .rejects('session_not_found', /no session/);
  });
});
