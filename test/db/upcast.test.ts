import { describe, expect, test } from 'vitest';
import { decodeEvent } from '../../src/db/event-codec.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { EMPTY_LEDGER } from '../../src/domain/ledger/ledger.ts';
import { BASE_CONFIG } from '../../src/domain/policy/profiles.ts';
import { type EventType, eventSchemas } from '../../src/domain/session/events.ts';
import { attributionOf } from '../support/event-data.ts';

const row = (type: EventType, data: JsonObject, schema_version = 1) => ({
  version: 1,
  type,
  at: '2026-01-01T00:00:00.000Z',
  schema_version,
  data: JSON.stringify(data),
  hash: 'h',
});

/** The fields that the configuration of version 1 had. */
const { enabled, restore_max_files, summary_style } = BASE_CONFIG;
const OLD_CONFIG = { enabled, summary_style, restore_max_files: restore_max_files + 1 };

const ASKED = { compaction_id: 'c', mode: 'auto', reason: 'r' };
const MICRO = {
  compaction_id: 'c',
  strategy: 'all_older',
  edits: [],
  tokens_saved: 40,
  tokens_before: 90,
  tokens_after: 50,
  is_above_threshold: false,
  duration_ms: 1,
};
const REPORT = {
  tokens_before: 9,
  tokens_after: 5,
  is_above_threshold: true,
  covered_tokens: 8,
  replacement_tokens: 4,
  summarizer: 'model',
  model: 'm',
  template: 't@1',
  usage: { input: 7, output: 3, cache_read: 2 },
  left_out: { cleared_results: 0, truncated_results: 0, dropped_items: 0 },
  files_restored: 0,
  duration_ms: 1,
  summarizer_ms: 1,
};
const REPORT_NOW = {
  ...REPORT,
  usage: { ...REPORT.usage, cache_creation: 0 },
  is_still_due: false,
  truncated_turns: 0,
};
const FULL = {
  compaction_id: 'c',
  mode: 'full',
  through: 2,
  previous: null,
  summary_text: 's',
  entries: [],
};

describe('an event of schema version 1', () => {
  test.each<[string, EventType, JsonObject, JsonObject]>([
    [
      'requested by an append',
      'compaction.requested',
      { ...ASKED, trigger: 'auto' },
      { ...ASKED, trigger: 'auto', attribution: attributionOf('append') },
    ],
    [
      'requested by hand',
      'compaction.requested',
      { ...ASKED, trigger: 'manual', focus: 'f' },
      { ...ASKED, trigger: 'manual', focus: 'f', attribution: attributionOf('request') },
    ],
    [
      'requested by a tool',
      'compaction.requested',
      { ...ASKED, trigger: 'tool' },
      { ...ASKED, trigger: 'tool', attribution: attributionOf('request') },
    ],
    [
      'its configuration has what was not there yet',
      'compaction.started',
      { compaction_id: 'c', attempt: 1, config: OLD_CONFIG },
      {
        compaction_id: 'c',
        attempt: 1,
        config: { ...BASE_CONFIG, retention_check: 'off', ...OLD_CONFIG },
      },
    ],
    [
      'a micro-compaction',
      'compaction.micro_completed',
      MICRO,
      { ...MICRO, result_tokens_before: 40, result_tokens_after: 0, is_still_due: false },
    ],
    [
      'a full compaction',
      'compaction.completed',
      { ...FULL, report: REPORT },
      {
        ...FULL,
        report: REPORT_NOW,
      },
    ],
    [
      'another one stays as it is',
      'item.appended',
      { item: { role: 'user', content: 'x' }, tokens: 1 },
      { item: { role: 'user', content: 'x' }, tokens: 1 },
    ],
  ])('%s', (_name, type, old, expected) => {
    const { data } = decodeEvent(row(type, old));
    expect(data).toEqual(expected);
    expect(eventSchemas[type].safeParse(data).error).toBeUndefined();
  });

  test.each<[EventType, JsonObject]>([
    ['compaction.started', { compaction_id: 'c', attempt: 1, config: 'none' }],
    ['compaction.completed', { ...FULL, report: null }],
    ['compaction.completed', { ...FULL, report: { ...REPORT, usage: 5 } }],
    ['compaction.micro_completed', { ...MICRO, tokens_saved: 'many' }],
  ])('%s of a wrong shape is read, and found misshapen', (type, old) => {
    const { data } = decodeEvent(row(type, old));
    expect(eventSchemas[type].safeParse(data).success).toBe(false);
  });
});

describe('a ledger', () => {
  const older = { ...EMPTY_LEDGER, version: 1 };
  const completed = (ledger: JsonObject) => ({ ...FULL, report: REPORT_NOW, ledger });
  const proposed = (ledger: JsonObject) => {
    const { compaction_id, ...data } = completed(ledger);
    return { compaction_id, candidate: { type: 'compaction.completed', data } };
  };
  const forked = (ledger: JsonObject) => ({
    parent_session_id: 'p',
    parent_version: 3,
    entries: [],
    ledger,
  });

  test.each<[EventType, (ledger: JsonObject) => JsonObject]>([
    ['compaction.completed', completed],
    ['compaction.proposed', proposed],
    ['session.forked', forked],
  ])('of another version in %s is not read, one of this version is', (type, dataWith) => {
    const { data } = decodeEvent(row(type, dataWith(older), 3));
    expect(JSON.stringify(data)).not.toContain('ledger');
    expect(eventSchemas[type].safeParse(data).error).toBeUndefined();
    const now = dataWith({ ...EMPTY_LEDGER });
    expect(decodeEvent(row(type, now, 3)).data).toEqual(now);
    expect(eventSchemas[type].safeParse(now).error).toBeUndefined();
  });
});

test('an event of this version is not touched', () => {
  const { data } = decodeEvent(row('compaction.requested', { ...ASKED, trigger: 'auto' }, 3));
  expect(data).toEqual({ ...ASKED, trigger: 'auto' });
});

test.each([0, 4])('schema version %i is refused', (version) => {
  expect(() => decodeEvent(row('item.appended', {}, version))).toThrow(
    `the event has schema version ${version}, this release reads 3`,
  );
});

test.each([2, 3])(
  'the configuration of an event of version %i has what was not there yet',
  (version) => {
    const {
      max_output_tokens: _new,
      micro_compact_min_result_tokens: _newer,
      micro_compact_replacement: _digests,
      micro_compact_truncate_inputs_over_tokens: _inputs,
      retention_check: _check,
      retention_min: _min,
      retention_reject: _reject,
      retention_repair_max_tokens: _most,
      ...config
    } = BASE_CONFIG;
    const started = { compaction_id: 'c', attempt: 1, config: { ...config, restore_max_files: 9 } };
    const { data } = decodeEvent(row('compaction.started', started, version));
    const whole = { ...BASE_CONFIG, retention_check: 'off', restore_max_files: 9 };
    expect(data).toEqual({ ...started, config: whole });
    expect(eventSchemas['compaction.started'].safeParse(data).success).toBe(true);
  },
);
