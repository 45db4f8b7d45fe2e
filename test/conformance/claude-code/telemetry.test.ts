import { describe, expect, it } from 'vitest';
import { rolloutWriter } from '../../../src/domain/session/rollout.ts';
import type { ModelAnswer } from '../../../src/workers/summarizers/text-model.ts';
import { ofTokens, tool, user } from '../../support/items.ts';
import type { SessionLab } from '../../support/session-lab.ts';
import { summaryAnswer } from '../../support/summary-text.ts';
import { append, compact, compactByItself, last, StubModel, steps } from '../lab.ts';
import { openLab } from './lab.ts';

const TALK = user(ofTokens(3_000));
const RESULTS = Array.from({ length: 10 }, (_, n) => tool(`r${n}`, 'Read', 15_000)).flat();

const MICRO = 'compaction.micro_completed';

/** The payload of the newest message of this type in the audit trail. */
async function message(lab: SessionLab, type: string): Promise<unknown> {
  const records = (await lab.events()).flatMap(rolloutWriter('lab'));
  return records.findLast(({ payload }) => payload.type === type)?.payload;
}

describe('tengu_compact', () => {
  it('CC-206: the tokens before and after, those of the call, and their total', async () => {
    const lab = await openLab();
    StubModel.of(lab, summaryAnswer());
    await append(lab, TALK);
    const { report } = last(await compact(lab, 'full'), 'compaction.completed').data;
    expect(report.usage).toEqual({ input: 900, output: 80, cache_read: 300, cache_creation: 40 });
    expect(await message(lab, 'CompactCompleted')).toMatchObject({
      pre_compact_tokens: 4_000,
      post_compact_tokens: report.tokens_after,
      compaction_input_tokens: 900,
      compaction_output_tokens: 80,
      compaction_cache_read_tokens: 300,
      compaction_cache_creation_tokens: 40,
      compaction_total_tokens: 1_320,
    });
  });

  it('CC-206: without a model all of them are 0', async () => {
    const lab = await openLab();
    await append(lab, TALK);
    await compact(lab, 'full');
    expect(await message(lab, 'CompactCompleted')).toMatchObject({
      compaction_cache_read_tokens: 0,
      compaction_cache_creation_tokens: 0,
      compaction_total_tokens: 0,
    });
  });
});

describe('tengu_microcompact', () => {
  it('CC-207: how many results, and their tokens before and after', async () => {
    const lab = await openLab();
    await compactByItself(lab, ...RESULTS);
    expect(await message(lab, 'MicroCompactCompleted')).toMatchObject({
      tools_compacted: 7,
      tokens_saved: 105_000,
      result_tokens_before: 150_000,
      result_tokens_after: 45_000,
    });
  });
});

describe('tengu_compact_failed', () => {
  const refused = (reason: 'prompt_too_long' | 'api_error'): ModelAnswer => ({
    ok: false,
    reason,
    message: `anthropic: ${reason}`,
    retryable: false,
  });

  it.each<[string, string | ModelAnswer]>([
    ['no_summary', '<analysis>Nothing but this.</analysis>'],
    ['api_error', 'API Error: overloaded'],
    ['api_error', refused('api_error')],
    ['prompt_too_long', refused('prompt_too_long')],
  ])('CC-208: the reason %s', async (reason, reply) => {
    const lab = await openLab({ summarizer_fallback: [], summarizer_max_attempts: 1 });
    StubModel.of(lab, reply);
    await append(lab, TALK);
    const events = await compact(lab, 'full');
    expect(steps(events)).toEqual(['requested', 'started', 'failed']);
    expect(last(events, 'compaction.failed').data).toMatchObject({ reason, will_retry: false });
    expect(await message(lab, 'CompactFailed')).toMatchObject({ reason });
  });
});

describe('tengu_sm_compact_threshold_exceeded', () => {
  it('CC-209: logged when the result is still at the threshold', async () => {
    const lab = await openLab({ micro_compact_escalate: false });
    const events = await compactByItself(lab, user(ofTokens(103_000)), ...RESULTS);
    const { post_compact_tokens } = last(events, 'compaction.threshold_exceeded').data;
    expect(post_compact_tokens).toBe(last(events, MICRO).data.tokens_after);
    expect(post_compact_tokens).toBeGreaterThanOrEqual(187_000);
    expect(await message(lab, 'CompactThresholdExceeded')).toMatchObject({ threshold: 187_000 });
  });

  it('CC-209: and not below it', async () => {
    const events = await compactByItself(await openLab(), ...RESULTS);
    expect(steps(events)).toEqual(['requested', 'started', 'micro_completed']);
  });
});
