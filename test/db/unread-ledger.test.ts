import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEvent, encodeEvent, FIRST_PREVIOUS_HASH } from '../../src/db/event-codec.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { EMPTY_LEDGER, type Ledger } from '../../src/domain/ledger/ledger.ts';
import type { NewEvent } from '../../src/domain/session/events.ts';
import { AT, completed as fullCompaction } from '../contracts/session-events.ts';

const REF = { tenant: 'local', session_id: 's' };

function ledgerOf(text: string): Ledger {
  return { ...EMPTY_LEDGER, requests: [{ seq: 2, last_seq: 2, text }] };
}

/** A full compaction as it is written today, with its ledger last. */
function completed(item: JsonObject, summary_text: string, ledger?: Ledger) {
  const { type, data } = fullCompaction('c-1', 2);
  const entries = [{ seq: null, item, tokens: 1, origin: 'summary' as const }];
  return { type, data: { ...data, summary_text, entries, ...(ledger && { ledger }) } };
}

function encoded(event: NewEvent) {
  return encodeEvent(FIRST_PREVIOUS_HASH, REF, { ...event, version: 3, at: AT });
}

const isUnread = (data: object) =>
  Object.getOwnPropertyDescriptor(data, 'ledger')?.get !== undefined;

describe('the ledger of an event', () => {
  const LIKE_ONE = JSON.stringify({ a: 1, ledger: EMPTY_LEDGER });

  it.each([
    ['a compaction', completed({ role: 'user' }, 's', ledgerOf('a'))],
    [
      'with a text like it',
      completed({ role: 'user', content: LIKE_ONE }, LIKE_ONE, ledgerOf('a')),
    ],
    ['with a value like it', completed({ input: JSON.parse(LIKE_ONE) }, 's', ledgerOf(LIKE_ONE))],
    [
      'a fork',
      {
        type: 'session.forked',
        data: { parent_session_id: 'p', parent_version: 3, entries: [], ledger: ledgerOf('a') },
      } satisfies NewEvent,
    ],
  ])('is left unread, and is all there: %s', (_what, event) => {
    const { data } = decodeEvent(encoded(event));
    expect(isUnread(data)).toBe(true);
    expect(data).toEqual(event.data);
    expect(structuredClone(data)).toEqual(event.data);
  });

  it('is found without going through all of it, in each of the many that a trace reads', () => {
    const event = completed({ role: 'user', content: LIKE_ONE }, LIKE_ONE, ledgerOf('a'));
    const row = encoded(event);
    const data = Buffer.from(row.data);
    data.lastIndexOf = () => {
      throw new Error('looked for from its end');
    };
    const decoded = decodeEvent({ ...row, data });
    expect(isUnread(decoded.data)).toBe(true);
    expect(decoded.data).toEqual(event.data);
  });

  it('is read where none is the last part: what looks like one belongs to something else', () => {
    const event = completed({ input: JSON.parse(LIKE_ONE) }, LIKE_ONE);
    const { data } = decodeEvent(encoded(event));
    expect(isUnread(data)).toBe(false);
    expect(data).toEqual(event.data);
  });

  it('stood before the report in earlier releases, and is read with the rest', () => {
    const { data } = completed({ role: 'user' }, 's');
    const { report, ...rest } = data;
    const ordered = JSON.stringify({ ...rest, ledger: ledgerOf('a'), report });
    const row = { ...encoded(completed({}, 's')), data: ordered };
    const decoded = decodeEvent(row);
    expect(isUnread(decoded.data)).toBe(false);
    expect(decoded.data).toEqual({ ...data, ledger: ledgerOf('a') });
  });

  it('any text and any item come back as they were', () => {
    fc.assert(
      fc.property(fc.json(), fc.string({ unit: 'binary' }), fc.string(), (json, summary, said) => {
        const event = completed({ value: JSON.parse(json) }, summary, ledgerOf(said));
        const row = encoded(event);
        expect(decodeEvent(row).data).toEqual(event.data);
        // As SQLite hands it over.
        expect(decodeEvent({ ...row, data: Buffer.from(row.data) }).data).toEqual(event.data);
      }),
    );
  });
});
