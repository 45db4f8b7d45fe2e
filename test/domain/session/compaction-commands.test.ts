import { describe, expect, it } from 'vitest';
import { profileConfig } from '../../../src/domain/policy/profiles.ts';
import {
  cancelCompaction,
  failCompaction,
  requestCompaction,
  skipCompaction,
  startCompaction,
} from '../../../src/domain/session/compaction-commands.ts';
import {
  completeMicro,
  type MicroResult,
} from '../../../src/domain/session/complete-compaction.ts';
import type { NewEvent } from '../../../src/domain/session/events.ts';
import { attributionOf } from '../../support/event-data.ts';
import {
  appended,
  BREAKER_OPENED,
  CLOCK,
  cancelled,
  completed,
  created,
  failed,
  given,
  headOf,
  NOW,
  requested,
  skipped,
  started,
  TERMS,
  WORLD,
} from '../../support/given.ts';
import { ofTokens, user } from '../../support/items.ts';

const FIRST = { compaction_id: 'c', attempt: 1 };
const FILLING = appended(user(ofTokens(150_000)));
const running = [created(), FILLING, requested(), started()];
const manual = [created(), FILLING, requested({ trigger: 'manual' }), started()];

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
      .answers({
        applied: true,
        attempt: 2,
        terms: { config, context_window: 200_000, tokenizers: {} },
        head: headOf([...running, failed(true), started(2)]),
      });
  });
});

describe('skip and fail', () => {
  const reason = { reason: 'not_effective', detail: 'because' } as const;
  const failure = { reason: 'timeout', message: 'late' } as const;

  it('record what happened', () => {
    given(...running)
      .when(skipCompaction(TERMS, FIRST, reason, CLOCK))
      .yields(skipped());
    given(...running)
      .when(failCompaction(TERMS, FIRST, { ...failure, will_retry: true }, CLOCK))
      .yields(failed(true));
    given(...running, failed(true), started(2))
      .when(
        failCompaction(TERMS, { ...FIRST, attempt: 2 }, { ...failure, will_retry: false }, CLOCK),
      )
      .yields(failed(false, 2));
  });

  const round = [requested(), started(), failed()];
  const twoFailures = [created(), FILLING, ...round, ...round];

  it('open the breaker at the third failure in a row of automatic compactions', () => {
    const third = given(...twoFailures, requested(), started());
    third
      .when(failCompaction(TERMS, FIRST, { ...failure, will_retry: false }, CLOCK))
      .yields(failed(), BREAKER_OPENED);
    third.when(skipCompaction(TERMS, FIRST, reason, CLOCK)).yields(skipped(), BREAKER_OPENED);
    third
      .when(failCompaction(TERMS, FIRST, { ...failure, will_retry: true }, CLOCK))
      .yields(failed(true));
    third
      .when(skipCompaction(TERMS, FIRST, { ...reason, reason: 'below_threshold' }, CLOCK))
      .yields(skipped('below_threshold'));
  });

  it('of a manual compaction count nothing', () => {
    given(...twoFailures, requested({ trigger: 'manual' }), started())
      .when(skipCompaction(TERMS, FIRST, reason, CLOCK))
      .yields(skipped());
  });

  it('after a success begin to count anew', () => {
    const success = [requested(), started(), completed(2, { covered: 10, replacement: 5 })];
    given(...twoFailures, ...success, requested(), started())
      .when(skipCompaction(TERMS, FIRST, reason, CLOCK))
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
    micro: completeMicro(TERMS, FIRST, micro, CLOCK),
    skip: skipCompaction(TERMS, FIRST, { reason: 'not_effective', detail: '' }, CLOCK),
    fail: failCompaction(
      TERMS,
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
    const refused = ['compaction_not_cancellable', /revert it/] as const;
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
