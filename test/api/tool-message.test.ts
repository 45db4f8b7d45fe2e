import { describe, expect, it } from 'vitest';
import type { CompactionOutcome, CompactionRow } from '../../src/app/ports/event-store.ts';
import { type Ending, toolMessage } from '../../src/app/tool-message.ts';
import { PLAIN_REPORT } from '../support/event-data.ts';

const NOTHING: Ending = { micro: null, completed: null, skipped: null };

const FULL: Ending = {
  ...NOTHING,
  completed: {
    mode: 'full',
    through: 1,
    previous: null,
    summary_text: 'Summary:\nwhat was kept',
    entries: [],
    report: {
      ...PLAIN_REPORT,
      tokens_before: 900,
      tokens_after: 200,
      covered_tokens: 1,
      replacement_tokens: 1,
      is_above_threshold: false,
      is_still_due: false,
    },
  },
};

function cleared(kind: 'cleared' | 'truncated' | 'input_truncated', results: number): Ending {
  const edit = { seq: 1, tool_use_id: 't', content: '', kind, tokens_before: 9, tokens_after: 1 };
  const micro: Ending['micro'] = {
    strategy: 'all_older',
    edits: Array.from({ length: results }, () => edit),
    tokens_saved: 8,
    tokens_before: 900,
    tokens_after: 200,
    result_tokens_before: 9,
    result_tokens_after: 1,
    is_above_threshold: false,
    is_still_due: false,
    duration_ms: 1,
  };
  return { ...NOTHING, micro };
}

const SKIPPED: Ending = {
  ...NOTHING,
  skipped: { compaction_id: 'c', reason: 'nothing_to_compact', detail: 'there are no items' },
};

function row(outcome: CompactionOutcome | null): CompactionRow {
  return {
    id: 'c',
    status: outcome === null ? 'running' : 'ended',
    outcome,
    mode: 'auto',
    trigger: 'tool',
    reason: 'requested',
    outcome_reason: outcome === 'failed' ? 'timeout' : null,
    attempts: 1,
    tokens_before: 900,
    tokens_after: 200,
    requested_at: '',
    ended_at: null,
    reverted_at: null,
    requested_version: 1,
    ended_version: null,
    cost: '',
  };
}

describe('toolMessage', () => {
  it.each<[CompactionOutcome | null, Ending, string | null]>([
    [null, NOTHING, null],
    ['not_needed', NOTHING, 'No compaction needed'],
    [
      'proposed',
      FULL,
      'A proposal is ready, and nothing has changed yet: 900 → 200 tokens once it is applied',
    ],
    ['discarded', FULL, 'The proposal was discarded (null); nothing has changed'],
    ['full_compacted', FULL, 'Summary:\nwhat was kept'],
    ['remote_compacted', NOTHING, 'Compacted by the provider: 900 → 200 tokens'],
    [
      'micro_compacted',
      cleared('cleared', 3),
      'Cleared the content of 3 old tool results: 900 → 200 tokens',
    ],
    ['micro_compacted', cleared('truncated', 1), 'Shortened 1 old tool result: 900 → 200 tokens'],
    [
      'micro_compacted',
      cleared('input_truncated', 2),
      'Shortened the input of 2 old tool calls: 900 → 200 tokens',
    ],
    ['skipped', SKIPPED, 'Nothing was compacted: there are no items'],
    ['failed', NOTHING, 'The compaction failed (timeout); nothing has changed'],
    ['cancelled', NOTHING, 'The compaction was cancelled; nothing has changed'],
  ])('of outcome %s', (outcome, ending, expected) => {
    expect(toolMessage(row(outcome), ending)).toBe(expected);
  });
});
