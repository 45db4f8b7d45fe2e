import { describe, expect, it } from 'vitest';
import type { EventData, NewEvent } from '../../../src/domain/session/events.ts';
import { type RolloutRecord, rolloutWriter } from '../../../src/domain/session/rollout.ts';
import { attributionOf, PLAIN_REPORT } from '../../support/event-data.ts';
import { AT, created, failed, logOf, requested } from '../../support/given.ts';
import { BOUNDARY, user } from '../../support/items.ts';

/** The records of the last of these events; those before it are given to the writer too. */
function lastRecords(...events: NewEvent[]): RolloutRecord[] {
  return (
    logOf([created(), ...events])
      .map(rolloutWriter('s'))
      .at(-1) ?? []
  );
}

const compaction_id = 'c';
const SUMMARY = user('the past', { is_compact_summary: true });

function completed(overrides: Partial<EventData['compaction.completed']> = {}): NewEvent {
  return {
    type: 'compaction.completed',
    data: {
      compaction_id,
      mode: 'full',
      through: 4,
      previous: null,
      summary_text: 'the past',
      entries: [BOUNDARY, SUMMARY].map((item) => ({ seq: null, item, tokens: 2, origin: 'log' })),
      report: {
        ...PLAIN_REPORT,
        tokens_before: 1_000,
        tokens_after: 200,
        covered_tokens: 900,
        replacement_tokens: 100,
        is_above_threshold: false,
        is_still_due: false,
        usage: { input: 100, output: 20, cache_read: 3, cache_creation: 4 },
        files_restored: 2,
      },
      ...overrides,
    },
  };
}

describe('rolloutWriter', () => {
  it('writes what a full compaction has replaced, and its figures', () => {
    const request = requested({ trigger: 'manual', attribution: attributionOf('request') });
    const line = { timestamp: AT, ordinal: 3 };
    expect(lastRecords(request, completed())).toEqual([
      {
        ...line,
        type: 'compacted',
        payload: {
          message: 'the past',
          trigger: {
            type: 'manual',
            path: 'request',
            tier: null,
            percent_remaining: null,
            boundaries: [],
          },
          through: 4,
          replacement_history: [BOUNDARY, SUMMARY],
        },
      },
      { ...line, type: 'event_msg', payload: { type: 'ContextCompacted' } },
      {
        ...line,
        type: 'event_msg',
        payload: {
          type: 'CompactCompleted',
          pre_compact_tokens: 1_000,
          post_compact_tokens: 200,
          compaction_input_tokens: 100,
          compaction_output_tokens: 20,
          compaction_cache_read_tokens: 3,
          compaction_cache_creation_tokens: 4,
          compaction_total_tokens: 127,
          files_restored: 2,
          duration_ms: 5,
          strategy: 'full',
        },
      },
    ]);
  });

  it('writes no message for a remote compaction, whose summary nobody here can read', () => {
    const records = lastRecords(requested(), completed({ mode: 'remote', summary_text: '' }));
    expect(records[0]?.payload).toMatchObject({ message: '' });
    expect(records[2]?.payload).toMatchObject({ strategy: 'remote' });
  });

  it.each([
    ['mid_turn', 'auto', 'auto_watcher'],
    ['turn_complete', 'auto', 'auto_watcher'],
    ['preflight', 'auto', 'auto_watcher'],
    ['append', 'auto', 'auto'],
    ['command', 'manual', 'manual'],
    ['request', 'manual', 'manual'],
    ['request', 'tool', 'tool'],
  ] as const)('attributes path %s, trigger %s, as %s', (path, trigger, type) => {
    const attribution = attributionOf(path, {
      tier: 'ready',
      percent_remaining: 60,
      boundaries: ['commit', 'agent_done'],
    });
    const [compacted] = lastRecords(requested({ trigger, attribution }), completed());
    expect(compacted?.payload.trigger).toEqual({
      type,
      path,
      tier: 'ready',
      percent_remaining: 60,
      boundaries: ['commit', 'agent_done'],
    });
  });

  it('uses the cause of a compaction once: the next has its own', () => {
    const watched = requested({ attribution: attributionOf('mid_turn') });
    const byHand = requested({ trigger: 'manual', attribution: attributionOf('request') });
    const [compacted] = lastRecords(watched, completed(), byHand, completed());
    expect(compacted?.payload.trigger).toMatchObject({ type: 'manual', path: 'request' });
  });

  it('writes the totals of a micro-compaction', () => {
    const data: EventData['compaction.micro_completed'] = {
      compaction_id,
      strategy: 'all_older',
      edits: [],
      tokens_saved: 700,
      tokens_before: 1_000,
      tokens_after: 300,
      result_tokens_before: 900,
      result_tokens_after: 200,
      is_above_threshold: false,
      is_still_due: false,
      duration_ms: 5,
    };
    const records = lastRecords(requested(), { type: 'compaction.micro_completed', data });
    expect(records.map(({ payload }) => payload)).toEqual([
      {
        type: 'MicroCompactCompleted',
        tools_compacted: 0,
        tokens_saved: 700,
        result_tokens_before: 900,
        result_tokens_after: 200,
        duration_ms: 5,
      },
    ]);
  });

  it('reports a failure once, when there is no further attempt', () => {
    expect(lastRecords(requested(), failed(true))).toEqual([]);
    expect(lastRecords(requested(), failed(false))).toMatchObject([
      { type: 'event_msg', payload: { type: 'CompactFailed', reason: expect.any(String) } },
    ]);
  });

  it('reports a result that is still too large', () => {
    const data = { compaction_id, post_compact_tokens: 9, threshold: 8 };
    expect(lastRecords({ type: 'compaction.threshold_exceeded', data })).toMatchObject([
      { payload: { type: 'CompactThresholdExceeded', post_compact_tokens: 9, threshold: 8 } },
    ]);
  });

  it('names no trigger for a fork, which takes over what its parent had', () => {
    const entries = [{ seq: null, item: BOUNDARY, tokens: 0, origin: 'boundary' }] as const;
    const data = { parent_session_id: 'p', parent_version: 7, entries: [...entries] };
    const [meta, compacted] = lastRecords({ type: 'session.forked', data });
    expect(meta?.payload).toEqual({ id: 's', forked_from: { id: 'p', version: 7 } });
    expect(compacted?.payload).toMatchObject({ trigger: null, replacement_history: [BOUNDARY] });
  });

  it('writes a command that the context leaves out, and no line for what is no history', () => {
    const item = user('/compact');
    const command: NewEvent = {
      type: 'item.appended',
      data: { item, tokens: 0, excluded: 'command' },
    };
    expect(lastRecords(command)).toMatchObject([
      { type: 'event_msg', payload: { type: 'CompactCommand', item } },
    ]);
    expect(lastRecords({ type: 'preflight.armed', data: { percent_remaining: 70 } })).toEqual([]);
    expect(lastRecords(requested())).toEqual([]);
  });
});
