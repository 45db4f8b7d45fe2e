import { describe, expect, test } from 'vitest';
import type { CompactionRow } from '../../src/app/ports/event-store.ts';
import { compactionIdsOf, project } from '../../src/db/projection.ts';
import type { NewEvent } from '../../src/domain/session/events.ts';
import { NO_COST } from '../../src/domain/session/recorded-cost.ts';
import {
  cancelled,
  completed,
  created,
  failed,
  item,
  microCompacted,
  requested,
  reverted,
  skipped,
  started,
} from '../contracts/session-events.ts';

const time = (version: number) => `2026-11-01T12:00:${String(version).padStart(2, '0')}.000Z`;

/** The row after these events, which stand at versions 2, 3, … */
function projected(...events: NewEvent[]): CompactionRow | null {
  const rows = new Map<string, CompactionRow>();
  for (const [index, event] of events.entries()) {
    project(rows, { ...event, version: index + 2, at: time(index + 2) });
  }
  return rows.get('c-1') ?? null;
}

const queued: CompactionRow = {
  id: 'c-1',
  status: 'queued',
  outcome: null,
  mode: 'auto',
  trigger: 'manual',
  reason: 'requested',
  outcome_reason: null,
  attempts: 0,
  tokens_before: null,
  tokens_after: null,
  requested_at: time(2),
  ended_at: null,
  reverted_at: null,
  requested_version: 2,
  ended_version: null,
  cost: JSON.stringify(NO_COST),
};
const ended = { status: 'ended', ended_at: time(4), ended_version: 4 } as const;
const tried = { ...queued, attempts: 1 };

describe('the projection of a compaction', () => {
  const ran = [requested('c-1'), started('c-1')];

  test.each<[string, NewEvent[], CompactionRow]>([
    ['a request', [requested('c-1')], queued],
    ['a start', ran, { ...tried, status: 'running' }],
    [
      'a micro-compaction',
      [...ran, microCompacted('c-1')],
      { ...tried, ...ended, outcome: 'micro_compacted', tokens_before: 900, tokens_after: 700 },
    ],
    [
      'a full compaction',
      [...ran, completed('c-1', 2)],
      { ...tried, ...ended, outcome: 'full_compacted', tokens_before: 700, tokens_after: 200 },
    ],
    [
      'a skip because there was no need',
      [...ran, skipped('c-1', 'below_threshold')],
      { ...tried, ...ended, outcome: 'not_needed', outcome_reason: 'below_threshold' },
    ],
    [
      'another skip',
      [...ran, skipped('c-1', 'irreducible_floor')],
      { ...tried, ...ended, outcome: 'skipped', outcome_reason: 'irreducible_floor' },
    ],
    [
      'the last failure',
      [...ran, failed('c-1', false)],
      { ...tried, ...ended, outcome: 'failed', outcome_reason: 'timeout' },
    ],
    ['a failure that will be tried again', [...ran, failed('c-1', true)], tried],
    [
      'a second attempt',
      [...ran, failed('c-1', true), started('c-1', 2)],
      { ...queued, status: 'running', attempts: 2 },
    ],
    ['a cancellation', [...ran, cancelled('c-1')], { ...tried, ...ended, outcome: 'cancelled' }],
    [
      'an undone compaction',
      [...ran, completed('c-1', 2), reverted('c-1')],
      {
        ...tried,
        ...ended,
        outcome: 'full_compacted',
        tokens_before: 700,
        tokens_after: 200,
        reverted_at: time(5),
      },
    ],
  ])('%s', (_name, events, expected) => {
    expect(projected(...events)).toEqual(expected);
  });

  test('events of no compaction change nothing', () => {
    expect(projected(requested('c-1'), item('a'))).toEqual(queued);
    expect(projected(cancelled('c-1'))).toBeNull();
  });

  test('knows which compactions events belong to, each once', () => {
    const events = [created, requested('c-1'), started('c-1'), requested('c-2')];
    const stored = events.map((event, index) => ({
      ...event,
      version: index + 1,
      at: time(index + 1),
    }));
    expect(compactionIdsOf(stored)).toEqual(['c-1', 'c-2']);
  });
});
