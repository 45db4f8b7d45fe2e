import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { standIn } from '../../../../src/domain/compaction/finish-full.ts';
import { type FullPlan, isTooLarge } from '../../../../src/domain/compaction/full.ts';
import {
  type Verifying,
  verifySummary,
} from '../../../../src/domain/compaction/retention/verify.ts';
import { NOTHING_PINNED, sumTokens, type View } from '../../../../src/domain/context/view.ts';
import { profileConfig } from '../../../../src/domain/policy/profiles.ts';
import { NO_USAGE } from '../../../../src/domain/session/usage-state.ts';
import { ledgersOfItems } from '../../../support/ledgers.ts';
import { asks, used } from '../../../support/log-items.ts';
import { summaryAnswer } from '../../../support/summary-text.ts';

const count = (text: string) => Math.ceil(text.length / 4);
const LEDGERS = ledgersOfItems(
  Array.from({ length: 30 }, (_, n) => [
    asks(`From now on, always keep rule number ${n} of my long list of rules`),
    ...used('Write', { file_path: `/repo/file${n}.ts`, content: `function name${n}() {}` }, 'ok'),
  ]).flat(),
);
const VIEW: View = {
  version: 90,
  format: 'anthropic',
  base: null,
  entries: [],
  edits: new Map(),
  originals: new Map(),
  usage: NO_USAGE,
  ledger: null,
  pins: NOTHING_PINNED,
};

function verifying(
  limit: number,
  repair_tokens: number,
  check: 'repair' | 'report' | 'off',
): Verifying {
  const plan: FullPlan = {
    kind: 'full',
    through: 90,
    said_at: null,
    previous: null,
    edits: [],
    fixed_tokens: 0,
    covered_tokens: 50_000,
    kept_tokens: 100,
    conversation: [],
    instructions: [],
    carried: [],
    ledger: LEDGERS.covered,
    ledgers: LEDGERS,
    pins_version: 0,
    preserved: [],
    files: [],
    changes: [],
    attachments: [],
    ghosts: [],
    summary_budget: 2_000,
    limit,
    tokens_before: limit,
  };
  const config = {
    ...profileConfig('default', 200_000),
    retention_check: check,
    retention_reject: 0,
    retention_repair_max_tokens: repair_tokens,
  };
  return { plan, view: VIEW, config, count };
}

const written = summaryAnswer('The work goes on.');

it('what is put back stays within its budget and under the limit, and is then found to stand', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 500, max: 6_000 }),
      fc.integer({ min: 0, max: 3_000 }),
      (limit, most) => {
        const to = verifying(limit, most, 'repair');
        const verified = verifySummary(written, to);
        if (!verified.ok || verified.retention === null) throw new Error('it was refused');
        const { text, retention } = verified;
        expect(count(text) - count(written)).toBeLessThanOrEqual(most + 1);
        const kept = retention.kinds.reduce((sum, kind) => sum + kind.kept, 0);
        expect(kept).toBeGreaterThanOrEqual(retention.put_back);
        if (text === written) {
          expect(retention.put_back).toBe(0);
          return;
        }
        expect(retention.share).toBeGreaterThan(retention.written_share ?? 1);
        const { entries } = standIn(to.plan, text, { ...to, is_automatic: true });
        expect(isTooLarge(to.plan, sumTokens(entries), to.config)).toBe(false);
      },
    ),
    { numRuns: 50 },
  );
});

it('with room for all nothing is missing', () => {
  const verified = verifySummary(written, verifying(100_000, 20_000, 'repair'));
  expect(verified).toMatchObject({ ok: true, retention: { share: 1 } });
});

it.each(['report', 'off'] as const)('%s changes nothing', (check) => {
  const to = verifying(100_000, 20_000, check);
  const strict = { ...to, config: { ...to.config, retention_reject: 1 } };
  const verified = verifySummary(written, strict);
  expect(verified).toMatchObject({ ok: true, text: written });
  if (verified.ok) expect(verified.retention === null).toBe(check === 'off');
});

it('a summary that holds the facts stays as it is', () => {
  const all = verifySummary(written, verifying(100_000, 20_000, 'repair'));
  if (!all.ok) throw new Error('it was refused');
  const again = verifySummary(all.text, verifying(100_000, 20_000, 'repair'));
  expect(again).toMatchObject({ ok: true, text: all.text, retention: { share: 1, put_back: 0 } });
});

it('one that holds too little even then is refused, with its share', () => {
  const to = verifying(100_000, 0, 'repair');
  const verified = verifySummary(written, {
    ...to,
    config: { ...to.config, retention_reject: 0.2 },
  });
  expect(verified).toEqual({ ok: false, share: 0 });
});

describe('stretches that earlier compactions have closed', () => {
  const closed = (many: number) => {
    const to = verifying(100_000, 0, 'repair');
    const epochs = Array.from({ length: many }, (_, n) => ({
      from: n * 2 + 1,
      through: n * 2 + 2,
      at: `2026-01-02T03:${10 + n}:00.000Z`,
      compaction_id: `c${n}`,
    }));
    const { covered } = LEDGERS;
    return {
      ...to,
      plan: { ...to.plan, ledgers: { ...LEDGERS, covered: { ...covered, epochs } } },
    };
  };
  const told = (to: Verifying) => {
    const verified = verifySummary(written, to);
    return verified.ok ? verified.text : expect.unreachable('it was refused');
  };

  it('stand in a summary that a model has written, a line each, with what they were about', () => {
    const text = told(closed(2));
    expect(text).toContain(
      '## Earlier parts of the session\n- Items 1 to 2, before 2026-01-02T03:10',
    );
    expect(text).toMatch(/- Items 3 to 4, before 2026-01-02T03:11: ".*rule number 1.*"/);
  });

  it('take a tenth of the summary at most, the first and the last of many among them', () => {
    const text = told(closed(29));
    expect(count(text) - count(written)).toBeLessThanOrEqual(201);
    expect(text).toContain('Items 1 to 2');
    expect(text).toContain('Items 57 to 58');
  });

  it('are left out where there are none, no room, or nothing is put back', () => {
    expect(told(closed(0))).toBe(written);
    const { plan, ...to } = closed(2);
    expect(told({ ...to, plan: { ...plan, summary_budget: 64 } })).toBe(written);
    expect(told({ ...to, plan: { ...plan, limit: count(written) + 120 } })).toBe(written);
    expect(told({ ...to, plan, config: { ...to.config, retention_check: 'report' } })).toBe(
      written,
    );
  });
});
