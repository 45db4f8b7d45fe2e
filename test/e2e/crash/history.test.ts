import { describe, expect, it } from 'vitest';
import type { Item } from '../../../src/domain/items/item.ts';
import type { LoggedEvent } from '../api-client.ts';
import { type Acknowledged, type ClientRecord, checkHistory } from './history.ts';

const one: Item = { role: 'user', content: 'one' };
const two: Item = { role: 'user', content: 'two' };
const three: Item = { role: 'user', content: 'three' };

type Entry = { type: string; data: LoggedEvent['data'] };
const item = (content: Item): Entry => ({ type: 'item.appended', data: { item: content } });
const compaction = (type: string, id: string, data: LoggedEvent['data'] = {}): Entry => ({
  type: `compaction.${type}`,
  data: { compaction_id: id, ...data },
});

/** Two clients' items and two compactions, the first after a failed attempt. */
const GOOD: readonly Entry[] = [
  { type: 'session.created', data: {} },
  item(one),
  compaction('requested', 'a'),
  compaction('started', 'a'),
  item(two),
  compaction('failed', 'a', { will_retry: true }),
  compaction('completed', 'a'),
  compaction('requested', 'b'),
  compaction('failed', 'b', { will_retry: false }),
];

function logOf(entries: readonly Entry[]): LoggedEvent[] {
  return entries.map((entry, index) => ({ ...entry, version: index + 1, at: '', hash: '' }));
}

function acknowledged(items: Item[], first_seq: number): Acknowledged {
  const last_seq = first_seq + items.length - 1;
  const context = { tokens: 0, limit: 0, is_above_auto_compact: false };
  const answer = { session_id: 's', version: last_seq, first_seq, last_seq };
  return { items, key: null, answer: { ...answer, context, compaction: null } };
}

function client(record: Partial<ClientRecord> = {}): ClientRecord {
  const nothing = { acknowledged: [], uncertain: [], refused: [], compactions: new Set<string>() };
  return { name: 'client', ...nothing, ...record };
}

const CLIENTS: readonly ClientRecord[] = [
  client({ acknowledged: [acknowledged([one], 2)], compactions: new Set(['a', 'b']) }),
  client({ acknowledged: [acknowledged([two], 5)] }),
];

const without = (index: number) => GOOD.filter((_, other) => other !== index);
const withMore = (...more: Entry[]) => [...GOOD, ...more];

describe('the check of a history', () => {
  it('finds nothing wrong with a good one', () => {
    expect(checkHistory(logOf(GOOD), CLIENTS, true)).toEqual({
      ...{ lost: 0, duplicated: 0, problems: [] },
    });
  });

  it('sees a lost item', () => {
    const findings = checkHistory(logOf(without(4)), CLIENTS, true);
    expect(findings).toMatchObject({ lost: 1, duplicated: 0 });
    expect(findings.problems.join()).toContain('acknowledged and not in the log');
  });

  it('sees a doubled item', () => {
    const findings = checkHistory(logOf(withMore(item(two))), CLIENTS, true);
    expect(findings).toMatchObject({ lost: 0, duplicated: 1 });
    expect(findings.problems).toEqual(['client: items 5 to 5: in the log at 5, 10']);
  });

  it('sees an item that was sent once without an answer and is there twice', () => {
    const unanswered = client({ uncertain: [{ items: [three], key: null }] });
    const log = logOf(withMore(item(three), item(three)));
    expect(checkHistory(log, [...CLIENTS, unanswered], true).duplicated).toBe(1);
  });

  it.each([
    ['a second end', withMore(compaction('completed', 'a')), 'compaction a ended at 7 and 10'],
    ['a second end of another kind', withMore(compaction('cancelled', 'b')), 'b ended at 9 and 10'],
    ['an end that is missing', without(8), 'compaction b has not ended'],
    ['an end without a request', withMore(compaction('skipped', 'c')), 'c ended at 10 without'],
    ['a promised compaction that is missing', GOOD.slice(0, 7), 'b was promised and is not'],
    ['an item that nobody sent', withMore(item(three)), 'nobody sent what stands at 10'],
  ])('sees %s', (_, entries, problem) => {
    const { problems } = checkHistory(logOf(entries), CLIENTS, true);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });

  it.each([
    ['a gap', [{ version: 9 }], 'version 9 stands at place 1'],
    ['an item that was changed', [{}, { data: { item: three } }], 'are not what was acknowledged'],
  ])('sees %s', (_, changes: readonly Partial<LoggedEvent>[], problem) => {
    const log = logOf(GOOD).map((event, index) => ({ ...event, ...changes[index] }));
    expect(checkHistory(log, CLIENTS, true).problems.join()).toContain(problem);
  });

  it('sees answers that came in another order than the items stand in', () => {
    const both = [acknowledged([two], 5), acknowledged([one], 2)];
    const { problems } = checkHistory(logOf(GOOD), [client({ acknowledged: both })], true);
    expect(problems).toEqual(['client: items 2 to 2 were answered after item 5']);
  });

  it('sees a part of a request, and a refused one', () => {
    const half = client({ uncertain: [{ items: [two, three], key: null }] });
    const refused = client({ refused: [{ items: [one], key: null }] });
    const { problems } = checkHistory(logOf(GOOD), [half, refused], true);
    expect(problems).toEqual([
      'client: 1 of 2 items of one request are in the log',
      'client: refused, but in the log at 2',
    ]);
  });

  it('lets a compaction and a request be under way while the session is not settled', () => {
    const log = logOf([...without(8), item(three)]);
    expect(checkHistory(log, CLIENTS, false).problems).toEqual([]);
  });
});
