import { describe, expect, test } from 'vitest';
import type { NewEvent } from '../../src/domain/session/events.ts';
import type { Measurement } from '../../src/metrics/catalogue.ts';
import { measurementsOf } from '../../src/metrics/of-events.ts';
import { readText } from '../house/sources.ts';
import { NO_SUMMARIZER_USAGE } from '../support/event-data.ts';
import {
  appended,
  BREAKER_OPENED,
  cancelled,
  completed,
  created,
  failed,
  headOf,
  microCompleted,
  requested,
  reverted,
  skipped,
  started,
} from '../support/given.ts';
import { user } from '../support/items.ts';

const HELLO = appended(user('Good morning, all of you.'));
/** A session of another profile than the default, with a compaction under way that a tool asked for. */
const UNDER_WAY = [created({ profile: 'rawr' }), HELLO, requested({ trigger: 'tool' }), started()];

/** As a line of the page: the name without its prefix, the labels, the value. */
function line({ metric, labels, value }: Measurement): string {
  const named = Object.entries(labels).map(([label, text]) => `${label}=${text}`);
  return [metric.replace('palimpsest_', ''), ...named, value].join(' ');
}

function linesOf(before: readonly NewEvent[], ...events: NewEvent[]): string[] {
  return measurementsOf(headOf(before), events).map(line);
}

const ended = (outcome: string) =>
  `compactions_ended_total outcome=${outcome} trigger=tool profile=rawr 1`;
const full = completed(2, { covered: 900, replacement: 100 });
const usage = { ...NO_SUMMARIZER_USAGE, input: 700, output: 40 };
const tokens = HELLO.type === 'item.appended' ? HELLO.data.tokens : 0;

const hook: NewEvent = {
  type: 'hook.ran',
  data: {
    compaction_id: 'c',
    hook: 'h',
    event: 'PreCompact',
    ok: false,
    required: false,
    status: 500,
    error: 'no',
    duration_ms: 250,
    result: {},
  },
};

describe('what a commit says of the metrics', () => {
  test.each<[string, NewEvent[], string[]]>([
    [
      'items, summed up',
      [HELLO, HELLO],
      ['items_appended_total 2', `tokens_appended_total ${2 * tokens}`],
    ],
    [
      'a micro-compaction',
      [microCompleted(50)],
      [
        ended('micro_compacted'),
        'tokens_saved_total mode=micro profile=rawr 51',
        'compaction_duration_seconds phase=attempt 0.005',
      ],
    ],
    [
      'a summary that a model has written',
      [withModel(full)],
      [
        ended('full_compacted'),
        'tokens_saved_total mode=full profile=rawr 800',
        'compaction_duration_seconds phase=attempt 2.5',
        'compaction_duration_seconds phase=summary 2',
        'model_tokens_total model=anthropic/model kind=input 700',
        'model_tokens_total model=anthropic/model kind=output 40',
      ],
    ],
    [
      'one that came out larger saves nothing',
      [completed(2, { covered: 10, replacement: 30 })],
      expect.arrayContaining(['tokens_saved_total mode=full profile=rawr 0']),
    ],
    ['a skip', [skipped('not_effective')], [ended('skipped')]],
    ['a skip of what is not full', [skipped('below_threshold')], [ended('not_needed')]],
    ['a skip of what is small', [skipped('too_few_tokens')], [ended('not_needed')]],
    [
      'a failure that is tried again',
      [failed(true)],
      ['compaction_failures_total reason=timeout will_retry=true 1'],
    ],
    [
      'the last failure',
      [failed(false)],
      ['compaction_failures_total reason=timeout will_retry=false 1', ended('failed')],
    ],
    ['a cancellation', [cancelled()], [ended('cancelled')]],
    [
      'a hook',
      [hook],
      ['hooks_total event=PreCompact ok=false 1', 'compaction_duration_seconds phase=hook 0.25'],
    ],
    ['a breaker', [BREAKER_OPENED], ['breaker_changes_total change=opened 1']],
    [
      'a breaker that closes',
      [{ type: 'breaker.closed', data: { reason: 'timeout' } }],
      ['breaker_changes_total change=closed 1'],
    ],
    ['a start', [started(2)], []],
  ])('%s', (_what, events, expected) => {
    expect(linesOf(UNDER_WAY, ...events)).toEqual(expected);
  });

  test('a request has the trigger that it names', () => {
    expect(linesOf(UNDER_WAY.slice(0, 2), requested({ trigger: 'manual', mode: 'full' }))).toEqual([
      'compactions_requested_total trigger=manual mode=full profile=rawr 1',
    ]);
  });

  test('a session that is created and compacted in one commit has its own profile', () => {
    const at_once = [created({ profile: 'tiered' }), requested(), skipped()];
    expect(measurementsOf(null, at_once).map(line)).toEqual([
      'compactions_requested_total trigger=auto mode=auto profile=tiered 1',
      'compactions_ended_total outcome=skipped trigger=auto profile=tiered 1',
    ]);
  });

  test('what is undone, and what a client has done itself', () => {
    const done = [...UNDER_WAY, full];
    expect(linesOf(done, reverted(10))).toEqual([
      'compactions_reverted_total kind=full profile=rawr 1',
    ]);
    const data = { through: 2, summary_text: '', entries: [], tokens_before: 900, tokens_after: 9 };
    // Nobody has asked the service for it: it saves nothing, and is not one that has ended.
    expect(linesOf(UNDER_WAY.slice(0, 2), { type: 'compaction.observed', data })).toEqual([
      'compactions_observed_total profile=rawr 1',
    ]);
  });

  test('moves each metric that is made of events', () => {
    const tested = readText('test/metrics/of-events.test.ts');
    const own = readText('src/metrics/of-events.ts').match(/palimpsest_\w+/g) ?? [];
    const names = [...new Set(own.map((name) => name.replace('palimpsest_', '')))];
    expect(names.length).toBeGreaterThan(8);
    expect(names.filter((name) => !tested.includes(`${name} `))).toEqual([]);
  });
});

function withModel(event: NewEvent): NewEvent {
  if (event.type !== 'compaction.completed') throw new Error('a full compaction is expected');
  const timed = { duration_ms: 2_500, summarizer_ms: 2_000, model: 'anthropic/model', usage };
  return { ...event, data: { ...event.data, report: { ...event.data.report, ...timed } } };
}
