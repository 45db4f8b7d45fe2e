import { describe, expect, it } from 'vitest';
import type { ConfigOverrides } from '../../../src/domain/policy/config.ts';
import { configureSession } from '../../../src/domain/session/create-session.ts';
import { ofTokens } from '../../support/items.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { append, compact, compactByItself, last, StubModel, steps } from '../lab.ts';
import { assistant, GOOD, openLab, refusal, reporting, shells, TALK_AT_THRESHOLD } from './lab.ts';

/** Outputs of 150,000 tokens in all: with the margin more than the threshold. */
const RESULTS = shells(...Array.from({ length: 10 }, () => 15_000), 1_000, 1_000, 1_000);
/** Too little to clear, beside talk that no clearing can take away. */
const FEW = shells(100, 100, 100, 100);

/** How a compaction has ended. */
async function outcomeOf(lab: SessionLab, id: string) {
  const row = await lab.store.compaction(lab.ref, id);
  return { outcome: row?.outcome, reason: row?.outcome_reason };
}

/** Fills the context to its threshold, changes something, and lets the worker come only then. */
async function requestThen(change: (lab: SessionLab) => Promise<unknown>) {
  const lab = await openLab();
  const { compaction } = await append(lab, reporting(187_000));
  if (compaction === null) throw new Error('nothing was requested');
  await change(lab);
  await lab.work(compaction.id);
  return outcomeOf(lab, compaction.id);
}

async function configure(lab: SessionLab, config: ConfigOverrides): Promise<void> {
  const changed = await lab.commit(configureSession(lab.world, { config }, lab.newId()));
  expect(changed.ok).toBe(true);
}

describe('auto_compact_dispatch, step 1: switched off', () => {
  it.each<[string, ConfigOverrides]>([
    ['enabled: false', { enabled: false }],
    ['auto_compact_enabled: false', { auto_compact_enabled: false }],
    ['both', { enabled: false, auto_compact_enabled: false }],
  ])('CV-180: %s: nothing is asked for', async (_name, config) => {
    const lab = await openLab(config);
    expect((await append(lab, reporting(400_000))).compaction).toBeNull();
    expect(steps(await lab.events())).toEqual(['session.created', 'item.appended']);
  });

  it.each<ConfigOverrides>([{ enabled: false }, { auto_compact_enabled: false }])(
    'CV-27, CV-180: switched off after the request by %j, it is skipped',
    async (config) => {
      expect(await requestThen((lab) => configure(lab, config))).toEqual({
        outcome: 'skipped',
        reason: 'compaction_disabled',
      });
    },
  );
});

describe('step 2: below the threshold', () => {
  it('CV-181: nothing is asked for', async () => {
    const lab = await openLab();
    expect((await append(lab, reporting(186_999))).compaction).toBeNull();
  });

  it('CV-27, CV-181: a usage that has fallen meanwhile ends it as not needed', async () => {
    expect(await requestThen((lab) => append(lab, reporting(100_000)))).toEqual({
      outcome: 'not_needed',
      reason: 'below_threshold',
    });
  });
});

describe('step 3: micro first', () => {
  it('CV-06, CV-27, CV-182: where it does, it is all, and no model is asked', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab);
    const events = await compactByItself(lab, ...RESULTS);
    expect(steps(events)).toEqual(['requested', 'started', 'micro_completed']);
    expect(model.requests).toEqual([]);
    const { compaction_id } = last(events, 'compaction.micro_completed').data;
    expect((await outcomeOf(lab, compaction_id)).outcome).toBe('micro_compacted');
  });

  it('CV-183: also where the context is still at its threshold after it', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab);
    const events = await compactByItself(lab, TALK_AT_THRESHOLD, ...RESULTS);
    expect(steps(events)).toEqual([
      'requested',
      'started',
      'micro_completed',
      'threshold_exceeded',
    ]);
    expect(last(events, 'compaction.micro_completed').data.is_above_threshold).toBe(true);
    expect(model.requests).toEqual([]);
    // The next one finds nothing to clear, and writes a summary.
    const next = await compactByItself(lab, assistant(ofTokens(2_000)));
    expect(steps(next)).toContain('completed');
    expect(model.requests).toHaveLength(1);
  });

  it('CV-183: but where it still fills the window itself, a full one follows at once', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    const events = await compactByItself(lab, assistant(ofTokens(155_000)), ...RESULTS);
    expect(steps(events)).toEqual(['requested', 'started', 'completed']);
    expect(model.requests).toHaveLength(1);
  });

  it('CV-183: micro_compact_escalate makes it go on', async () => {
    const lab = await openLab({ micro_compact_escalate: true });
    StubModel.of(lab, GOOD);
    const events = await compactByItself(lab, TALK_AT_THRESHOLD, ...RESULTS);
    expect(steps(events)).toEqual(['requested', 'started', 'completed']);
  });

  it('CV-184, CV-186: where it saves too little, a full one follows', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, GOOD);
    const events = await compactByItself(lab, TALK_AT_THRESHOLD, ...FEW);
    expect(steps(events)).toEqual(['requested', 'started', 'completed']);
    expect(model.requests).toHaveLength(1);
  });

  it('CV-04, CV-182: without micro_compact_enabled the full one comes at once', async () => {
    const lab = await openLab({ micro_compact_enabled: false });
    StubModel.of(lab, GOOD);
    const events = await compactByItself(lab, ...RESULTS);
    expect(steps(events)).toEqual(['requested', 'started', 'completed']);
  });
});

describe('step 4: the full one', () => {
  it('CV-27, CV-186: it is an automatic one', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    const events = await compactByItself(lab, TALK_AT_THRESHOLD, ...FEW);
    const { entries, compaction_id } = last(events, 'compaction.completed').data;
    expect(entries[0]?.item.compact_metadata).toMatchObject({ trigger: 'auto' });
    expect(JSON.stringify(entries)).toContain('Please continue the conversation');
    expect((await outcomeOf(lab, compaction_id)).outcome).toBe('full_compacted');
  });

  it('CV-28: and outcomes that the document has no name for', async () => {
    const lab = await openLab({ summarizer_fallback: [] });
    StubModel.of(lab, refusal('api_error'));
    await append(lab, assistant(ofTokens(3_000)));
    const failed = last(await compact(lab, 'full'), 'compaction.failed').data;
    expect(await outcomeOf(lab, failed.compaction_id)).toEqual({
      outcome: 'failed',
      reason: 'api_error',
    });
    const requested = await lab.request('full');
    if (!requested.ok) throw new Error(requested.rejection.detail);
    await lab.cancel(requested.value.id);
    expect((await outcomeOf(lab, requested.value.id)).outcome).toBe('cancelled');
  });
});

describe('by hand', () => {
  it.each([
    ['auto', RESULTS, 'micro_completed', 0],
    ['auto', [TALK_AT_THRESHOLD, ...FEW], 'completed', 1],
    ['micro', RESULTS, 'micro_completed', 0],
    ['full', RESULTS, 'completed', 1],
  ] as const)('CV-153, CV-188: mode %s goes the same ways', async (mode, items, end, asked) => {
    const lab = await openLab({ auto_compact_enabled: false });
    const model = StubModel.of(lab, GOOD);
    await append(lab, ...items);
    expect(steps(await compact(lab, mode))).toEqual(['requested', 'started', end]);
    expect(model.requests).toHaveLength(asked);
  });

  it('CV-188: below the threshold too, and it is a manual one', async () => {
    const lab = await openLab();
    StubModel.of(lab, GOOD);
    await append(lab, assistant(ofTokens(3_000)));
    const { entries } = last(await compact(lab, 'auto'), 'compaction.completed').data;
    expect(entries[0]?.item.compact_metadata).toMatchObject({ trigger: 'manual' });
  });
});
