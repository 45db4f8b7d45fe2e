import { describe, expect, it } from 'vitest';
import {
  foldView,
  NOTHING_PINNED,
  sumTokens,
  type View,
} from '../../../src/domain/context/view.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import { EMPTY_LEDGER } from '../../../src/domain/ledger/ledger.ts';
import type { Entry } from '../../../src/domain/session/entry.ts';
import type { EventOf, NewEvent } from '../../../src/domain/session/events.ts';
import type { ResultEdit } from '../../../src/domain/session/result-edits.ts';
import {
  appended,
  completed,
  created,
  logOf,
  microCompleted,
  requested,
  reverted,
} from '../../support/given.ts';
import { ofTokens, result, tool, user } from '../../support/items.ts';

const INITIAL: Entry = { seq: null, item: user('rules'), tokens: 2, origin: 'initial' };

function fold(events: NewEvent[], base: View['base'] = null, initial: Entry[] = []): View {
  const log = logOf([created({}, initial), ...events]);
  const [first] = log;
  if (first?.type !== 'session.created') throw new Error('unexpected log');
  if (base === null) return foldView({ created: first, base: null, events: log.slice(1) });
  // The version of a base is that of its own event.
  const event = log[base.version - 1] as EventOf<'compaction.completed'>;
  const later = log.filter(({ version }) => version > base.through);
  return foldView({ created: first, base: { ref: base, event }, events: later });
}

function edit(overrides: Partial<ResultEdit>): ResultEdit {
  return {
    seq: 3,
    tool_use_id: 't',
    content: 'gone',
    kind: 'cleared',
    tokens_before: 500,
    tokens_after: 1,
    ...overrides,
  };
}

function micro(id: string, ...edits: ResultEdit[]): NewEvent[] {
  const event = microCompleted(0, id) as EventOf<'compaction.micro_completed'>;
  return [requested({ compaction_id: id }), { type: event.type, data: { ...event.data, edits } }];
}

/** The call at seq 2, the result of 500 tokens at seq 3. */
const TOOL = tool('t', 'Read', 500).map(appended);
const log = (seq: number, item: Item, tokens: number): Entry => ({
  seq,
  item,
  tokens,
  origin: 'log',
});

describe('foldView', () => {
  it('starts with the initial context, then the items', () => {
    expect(fold([appended(user('hello')), requested()], null, [INITIAL])).toEqual({
      version: 3,
      format: 'anthropic',
      base: null,
      entries: [INITIAL, log(2, user('hello'), 2)],
      edits: new Map(),
      originals: new Map(),
      usage: { usage: null, tokens_since_usage: 2, stale_usage_from: null },
      ledger: EMPTY_LEDGER,
      pins: NOTHING_PINNED,
    });
  });

  it('applies edits and keeps the originals', () => {
    const view = fold([...TOOL, ...micro('m', edit({}))]);
    expect(view.entries[1]).toEqual(log(3, result('t', 'gone'), 1));
    expect(view.edits).toEqual(new Map([['3:t', edit({})]]));
    expect(view.originals).toEqual(new Map([[3, result('t', ofTokens(500))]]));
  });

  it('keeps the first cost of a result that is truncated and later cleared', () => {
    const truncated = edit({ kind: 'truncated', content: 'a…z', tokens_after: 100 });
    const cleared = edit({ tokens_before: 100 });
    const view = fold([...TOOL, ...micro('m', truncated), ...micro('n', cleared)]);
    expect(view.entries[1]).toEqual(log(3, result('t', 'gone'), 1));
    expect(view.edits.get('3:t')).toEqual(edit({ tokens_before: 500 }));
  });

  it('takes the edits of a reverted compaction back', () => {
    const view = fold([...TOOL, ...micro('m', edit({})), reverted(0, 'm')]);
    expect(view.entries[1]).toEqual(log(3, result('t', ofTokens(500)), 500));
  });

  it('applies edits that came with a forked item, whose tokens are counted after them', () => {
    const [call, answer] = TOOL;
    if (call === undefined || answer?.type !== 'item.appended') throw new Error('unexpected');
    const forked: NewEvent = {
      type: 'item.appended',
      data: { ...answer.data, tokens: 1, edits: [edit({})] },
    };
    expect(fold([call, forked]).entries[1]).toEqual(log(3, result('t', 'gone'), 1));
  });

  it('puts what a compaction made in place of all up to its cut', () => {
    const summary: Entry = { seq: null, item: user('S'), tokens: 1, origin: 'summary' };
    const full = completed(3, { covered: 3, replacement: 1 }) as EventOf<'compaction.completed'>;
    const events: NewEvent[] = [
      ...['one', 'two', 'kept'].map((text) => appended(user(text))),
      requested(),
      { type: full.type, data: { ...full.data, entries: [summary] } },
      appended(user('late')),
    ];
    const base = { compaction_id: 'c', version: 6, through: 3 };
    const view = fold(events, base, [INITIAL]);
    expect(view.base).toEqual(base);
    expect(view.entries).toEqual([
      INITIAL,
      summary,
      log(4, user('kept'), 1),
      log(7, user('late'), 1),
    ]);
    expect(sumTokens(view.entries)).toBe(5);
  });
});
