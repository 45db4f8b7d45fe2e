import { describe, expect, it } from 'vitest';
import {
  completeFull,
  completeMicro,
  type FullResult,
  type MicroResult,
} from '../../../src/domain/session/complete-compaction.ts';
import type { NewEvent } from '../../../src/domain/session/events.ts';
import { attributionOf, PLAIN_REPORT } from '../../support/event-data.ts';
import {
  appended,
  BREAKER_OPENED,
  CLOCK,
  created,
  given,
  NOW,
  requested,
  started,
  TERMS,
  termsWith,
} from '../../support/given.ts';
import { assistant, ofTokens, user } from '../../support/items.ts';

const FIRST = { compaction_id: 'c', attempt: 1 };
const FILLING = appended(user(ofTokens(150_000)));
const running = [created(), FILLING, requested(), started()];
const CLOSED: NewEvent = { type: 'breaker.closed', data: { reason: 'success' } };

/** Without margin, so that a context counts what its entries do; the threshold is 187,000. */
const EXACT = { token_safety_multiplier: 1 };

describe('a context that is still at its threshold', () => {
  const full = (replacement: number): FullResult => ({
    mode: 'full',
    through: 2,
    previous: null,
    summary_text: 'S',
    entries: [{ seq: null, item: user('S'), tokens: replacement, origin: 'summary' }],
    report: { covered_tokens: 195_000, replacement_tokens: replacement, ...PLAIN_REPORT },
  });

  it.each([
    [186_999, false],
    [187_000, true],
    [187_001, true],
  ])('is told from the threshold itself on: %i, %s', (tokens, isTold) => {
    const events = given(
      created({ config: EXACT }),
      appended(user(ofTokens(195_000))),
      requested(),
      started(),
    )
      .when(completeFull(termsWith(EXACT), FIRST, full(tokens), CLOCK))
      .events();
    const [first, ...rest] = events;
    expect(first).toMatchObject({
      type: 'compaction.completed',
      data: { report: { tokens_after: tokens, is_above_threshold: isTold } },
    });
    expect(rest).toEqual(
      isTold
        ? [
            {
              type: 'compaction.threshold_exceeded',
              data: { compaction_id: 'c', post_compact_tokens: tokens, threshold: 187_000 },
            },
          ]
        : [],
    );
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
      is_before_reported: false,
      is_above_threshold: false,
      is_still_due: false,
      cost_basis: { calls: 0, cached_share: null },
    },
  };

  it('records the edits with the tokens before and after', () => {
    given(...running)
      .when(completeMicro(TERMS, FIRST, micro, CLOCK))
      .yields(event);
  });

  it('closes the breaker', () => {
    const open = [...running.slice(0, 2), BREAKER_OPENED, ...running.slice(2)];
    given(...open)
      .when(completeMicro(TERMS, FIRST, micro, CLOCK))
      .yields(event, CLOSED);
  });

  it('is skipped when usage that came meanwhile is below what the estimate would be', () => {
    const usage = { input_tokens: 50_000 };
    given(...running, appended(assistant('ok', { usage })))
      .when(completeMicro(TERMS, FIRST, micro, CLOCK))
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
        is_before_reported: false,
        is_above_threshold: above,
        is_still_due: false,
        cost_basis: { calls: 0, cached_share: null },
      },
    },
  });

  it('replaces the covered part', () => {
    const result = full(150_000, 1_000);
    given(...running)
      .when(completeFull(TERMS, FIRST, result, CLOCK))
      .yields(done(result, 199_500, 1_330))
      .answers({ applied: true });
  });

  it('counts what came meanwhile as kept', () => {
    const result = full(150_000, 1_000);
    given(...running, appended(user(ofTokens(100))))
      .when(completeFull(TERMS, FIRST, result, CLOCK))
      .yields(done(result, 199_633, 1_463));
  });

  it('closes the breaker', () => {
    const result = full(150_000, 1_000);
    given(...running.slice(0, 2), BREAKER_OPENED, ...running.slice(2))
      .when(completeFull(TERMS, FIRST, result, CLOCK))
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
      .when(completeFull(TERMS, FIRST, result, CLOCK))
      .yields(event, exceeded);
    const twice = [created({ config: { breaker_max_failures: 1 } }), ...running.slice(1)];
    given(...twice)
      .when(completeFull(termsWith({ breaker_max_failures: 1 }), FIRST, result, CLOCK))
      .yields(event, exceeded, {
        type: 'breaker.opened',
        data: { failures: 1, reset_at_ms: NOW + 600_000 },
      });
  });

  it('opens the breaker until a whole millisecond, however its time is written', () => {
    const config = { breaker_max_failures: 1, breaker_reset_seconds: 0.0015 };
    const result = full(5_000, 1_000);
    given(created({ config }), ...running.slice(1))
      .when(completeFull(termsWith(config), FIRST, result, CLOCK))
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
      .when(completeFull(TERMS, FIRST, full(covered, replacement), CLOCK))
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
  const config = { ...tiers, breaker_max_failures: 1 };
  const asked = [created({ config }), FILLING, requested({ attribution }), started()];
  const completeWith = (replacement: number) =>
    completeFull(
      termsWith(config),
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
