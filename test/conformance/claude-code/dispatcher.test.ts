import { describe, expect, it } from 'vitest';
import type { ModelAnswer } from '../../../src/workers/summarizers/text-model.ts';
import { assistant, ofTokens, tool, user } from '../../support/items.ts';
import { summaryAnswer } from '../../support/summary-text.ts';
import { append, compact, compactByItself, last, reporting, StubModel, steps } from '../lab.ts';
import { openLab } from './lab.ts';

/** Results of 150,000 tokens in all: with the margin more than the threshold. */
const RESULTS = Array.from({ length: 10 }, (_, n) => tool(`r${n}`, 'Read', 15_000)).flat();
/** As many tokens that no clearing can take away. */
const TALK = user(ofTokens(141_000));

const failure = (reason: 'prompt_too_long' | 'api_error'): ModelAnswer => ({
  ok: false,
  reason,
  message: `anthropic: ${reason}`,
  retryable: false,
});

describe('autoCompactDispatcher: sI2', () => {
  it('CC-34, CC-62: nothing happens below the threshold', async () => {
    const lab = await openLab();
    expect((await append(lab, ...RESULTS.slice(0, 18))).compaction).toBeNull();
    expect(steps(await lab.events()).filter((step) => step !== 'item.appended')).toEqual([
      'session.created',
    ]);
  });

  it('CC-34: a usage that has fallen meanwhile ends it as not needed', async () => {
    const lab = await openLab();
    const { compaction } = await append(lab, reporting(187_000));
    await append(lab, reporting(100_000));
    if (compaction === null) throw new Error('nothing was requested');
    await lab.work(compaction.id);
    expect(await lab.store.compaction(lab.ref, compaction.id)).toMatchObject({
      outcome: 'not_needed',
      outcome_reason: 'below_threshold',
    });
  });

  it('CC-62, CC-63, CC-69, CC-72: micro comes first, and where it is enough it is all', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab);
    const events = await compactByItself(lab, ...RESULTS);
    expect(steps(events)).toEqual(['requested', 'started', 'micro_completed']);
    expect(model.requests).toEqual([]);
    expect((await lab.view()).entries.map(({ origin }) => origin)).not.toContain('summary');
    const { data } = last(events, 'compaction.micro_completed');
    expect(data).toMatchObject({ is_above_threshold: false });
    const row = await lab.store.compaction(lab.ref, data.compaction_id);
    expect(row).toMatchObject({ outcome: 'micro_compacted', tokens_after: data.tokens_after });
  });

  it('CC-62, CC-69: full comes where micro saves too little', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, summaryAnswer());
    const events = await compactByItself(lab, TALK, ...RESULTS.slice(0, 2));
    expect(steps(events)).toEqual(['requested', 'started', 'completed']);
    expect(model.requests).toHaveLength(1);
    expect((await lab.view()).entries.map(({ origin }) => origin)).toContain('summary');
    const { compaction_id } = last(events, 'compaction.completed').data;
    const row = await lab.store.compaction(lab.ref, compaction_id);
    expect(row).toMatchObject({ outcome: 'full_compacted' });
  });

  it('CC-64: micro that leaves the context above the threshold is not enough', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, summaryAnswer());
    const events = await compactByItself(lab, TALK, ...RESULTS);
    expect(steps(events)).toEqual(['requested', 'started', 'completed']);
    expect(model.requests).toHaveLength(1);
    // What could be cleared would have been worth it.
    const other = await openLab({ micro_compact_escalate: false });
    const less = user(ofTokens(103_000));
    const stays = steps(await compactByItself(other, less, ...RESULTS));
    expect(stays).toEqual(['requested', 'started', 'micro_completed', 'threshold_exceeded']);
    // Over the window itself it is never enough.
    const over = await openLab({ micro_compact_escalate: false });
    StubModel.of(over, summaryAnswer());
    const full = await compactByItself(over, user(ofTokens(120_000)), ...RESULTS);
    expect(steps(full)).toEqual(['requested', 'started', 'completed']);
  });

  it('CC-66: an automatic full compaction asks to go on, and has no instructions', async () => {
    const lab = await openLab();
    const model = StubModel.of(lab, summaryAnswer());
    const { entries } = last(await compactByItself(lab, TALK), 'compaction.completed').data;
    const boundary = entries.find(({ origin }) => origin === 'boundary');
    const summary = entries.find(({ origin }) => origin === 'summary');
    expect(boundary?.item.compact_metadata).toMatchObject({ trigger: 'auto' });
    expect(summary?.item.content).toMatch(/Please continue the conversation .* to work on\.$/);
    expect(model.prompt).not.toContain('Additional instructions');
  });
});

describe('when the full compaction fails', () => {
  it.each([
    ['CC-67', 'api_error'],
    ['CC-67, CC-68', 'prompt_too_long'],
  ] as const)(
    '%s: %s leaves the conversation as it was, and is in the log',
    async (_ids, reason) => {
      const lab = await openLab({ summarizer_fallback: [] });
      StubModel.of(lab, failure(reason));
      const { compaction } = await append(lab, TALK, ...RESULTS.slice(0, 2), assistant('Read.'));
      const before = await lab.view();
      if (compaction === null) throw new Error('nothing was requested');
      await lab.work(compaction.id);
      expect((await lab.view()).entries).toEqual(before.entries);
      const { data } = last(await lab.events(), 'compaction.failed');
      expect(data).toMatchObject({ reason, message: `anthropic: ${reason}`, will_retry: false });
      const row = await lab.store.compaction(lab.ref, compaction.id);
      expect(row).toMatchObject({ outcome: 'failed', tokens_after: null });
      expect((await append(lab, user('Go on.'))).version).toBeGreaterThan(before.version);
    },
  );

  it('CC-70: a prompt that is too long is cut down, and the report says by how much', async () => {
    const lab = await openLab();
    const good = summaryAnswer();
    const model = StubModel.of(lab, failure('prompt_too_long'), good);
    await append(lab, user('Go.'), ...RESULTS.slice(0, 6));
    const events = await compact(lab, 'full');
    expect(model.requests).toHaveLength(2);
    expect(model.prompt.length).toBeLessThan(model.requests[0]?.prompt.length ?? 0);
    const { report } = last(events, 'compaction.completed').data;
    expect(report.left_out.cleared_results).toBeGreaterThan(0);
    expect(report.left_out.dropped_items).toBe(0);
  });

  it.each([
    ['the fourth cut fits', 4, 'completed'],
    ['there is no fifth', 5, 'failed'],
  ])('CC-70: four times at most: %s', async (_what, refusals, end) => {
    const lab = await openLab({ summarizer_fallback: [] });
    const refused = Array.from({ length: refusals }, () => failure('prompt_too_long'));
    const model = StubModel.of(lab, ...refused, summaryAnswer());
    const talk = Array.from({ length: 400 }, (_, n) =>
      (n % 2 === 0 ? user : assistant)(`${n}: ${ofTokens(200)}`),
    );
    await append(lab, ...talk, ...RESULTS.slice(0, 6));
    const events = await compact(lab, 'full');
    const lengths = model.requests.map(({ prompt }) => prompt.length);
    expect(lengths).toHaveLength(5);
    for (const [n, length] of lengths.entries()) {
      if (n > 0) expect(length).toBeLessThan(lengths[n - 1] ?? 0);
    }
    expect(model.requests[1]?.prompt).toContain('399: ');
    expect(steps(events)).toEqual(['requested', 'started', end]);
  });

  it('CC-71: the log writes the summary instead, unless the fallback is taken away', async () => {
    const lab = await openLab();
    StubModel.of(lab, failure('api_error'));
    const events = await compactByItself(lab, TALK);
    expect(steps(events)).toEqual(['requested', 'started', 'failed', 'completed']);
    expect(last(events, 'compaction.completed').data.report.summarizer).toBe('extractive');
  });
});
