import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exportHeader, exportLine } from '../../src/app/export-format.ts';
import { ElsewhereError } from '../../src/app/ports/elsewhere-error.ts';
import type { EventQuery, EventStore, SessionRef } from '../../src/app/ports/event-store.ts';
import { InvalidCursorError } from '../../src/app/ports/invalid-cursor-error.ts';
import { eventHash, FIRST_PREVIOUS_HASH } from '../../src/db/event-codec.ts';
import { readExport, restoredAs } from '../../src/db/session-export.ts';
import { EMPTY_LEDGER } from '../../src/domain/ledger/ledger.ts';
import type { Decide } from '../../src/domain/session/decision.ts';
import { accept } from '../../src/domain/session/errors.ts';
import { EVENT_SCHEMA_VERSION, type NewEvent } from '../../src/domain/session/events.ts';
import { NO_COST } from '../../src/domain/session/recorded-cost.ts';
import { eventStoreProperties } from './event-store-properties.ts';
import {
  AT,
  append,
  cancelled,
  completed,
  created,
  item,
  ofType,
  packetReceived,
  packetRequested,
  refuse,
  requested,
  started,
} from './session-events.ts';

/** Makes an empty store; the suite closes it. */
type MakeStore = () => Promise<EventStore>;

const at = { at: AT };
const REF: SessionRef = { tenant: 'acme', session_id: 'first' };
const other = (session_id: string, tenant = 'acme'): SessionRef => ({ tenant, session_id });

/** What every adapter of the `EventStore` port must do (DESIGN, decision 10). */
export function eventStoreContract(name: string, makeStore: MakeStore): void {
  describe(`${name}: the event store contract`, () => {
    let store: EventStore;
    beforeEach(async () => {
      store = await makeStore();
    });
    afterEach(() => store.close());

    const versions = async (ref = REF) => (await store.events(ref)).map((event) => event.version);

    test('restores a session from its own rows, once', async () => {
      await store.commit(REF, append(created, item('hello')), at);
      await store.commit(REF, append(requested('c1'), started('c1'), item('ünïcode 🎉\n')), at);
      const rows = [
        ...(await store.rows(REF, { after: 0, limit: 2 })),
        ...(await store.rows(REF, { after: 2, limit: 100 })),
      ];
      const events = await store.events(REF);
      const head = await store.head(REF);
      const text = [exportHeader(REF, rows.length), ...rows.map(exportLine)].join('\n');
      const copy = other('copy', 'another tenant');
      expect(await store.restore(copy, restoredAs(readExport(text), copy))).toBe(true);
      expect(await store.restore(copy, restoredAs(readExport(text), copy))).toBe(false);
      expect(await store.restore(REF, restoredAs(readExport(text), REF))).toBe(false);
      expect(await store.erase(REF)).toBe(true);
      expect(await store.restore(REF, restoredAs(readExport(text), REF))).toBe(true);
      expect(await store.events(REF)).toEqual(events);
      expect(await store.head(REF)).toEqual(head);
      expect(await store.head(copy)).toEqual(head);
      expect(await store.pending(10)).toHaveLength(2);
      expect((await store.verify()).problems).toEqual([]);
      await store.commit(REF, append(item('and on')), at);
      expect(await versions()).toEqual([1, 2, 3, 4, 5, 6]);
    });

    test('appends events with contiguous versions, times and a hash chain', async () => {
      await store.commit(REF, append(created, item('hello')), at);
      const later = '2026-11-01T12:00:01.000Z';
      const answer = await store.commit(REF, append(item('ünïcode 🎉\n')), { at: later });

      expect(answer).toEqual(accept({ value: 3, replayed: false }));
      const events = await store.events(REF);
      expect(events.map(({ version, at, type, data }) => ({ version, at, type, data }))).toEqual([
        { version: 1, at: AT, ...created },
        { version: 2, at: AT, ...item('hello') },
        { version: 3, at: later, ...item('ünïcode 🎉\n') },
      ]);
      let previous = FIRST_PREVIOUS_HASH;
      for (const event of events) {
        const data = JSON.stringify(event.data);
        expect(event.hash).toBe(
          eventHash(previous, REF, { ...event, schema_version: EVENT_SCHEMA_VERSION, data }),
        );
        previous = event.hash;
      }
    });

    test.each([
      ['quotes and backslashes', '"\\"\\\\\\"{},NULL'],
      ['nothing', ''],
      ['NULL', 'NULL'],
      ['control characters', '\u0000\u0001\n\r\t\u007f\u2028'],
      ['half a character', '\ud800 and \udc00'],
      ['megabytes of what is escaped', '"\\'.repeat(1_000_000)],
    ])('gives back %s as it came', async (_name, text) => {
      const keyed = { ...at, idempotency: { key: 'k', fingerprint: 'f' } };
      const decide: Decide<string> = () =>
        accept({ events: [created, item(text)], value: () => text });
      expect(await store.commit(REF, decide, keyed)).toEqual(
        accept({ value: text, replayed: false }),
      );
      expect(await store.commit(REF, decide, keyed)).toEqual(
        accept({ value: text, replayed: true }),
      );
      const [, stored] = await store.events(REF);
      expect(stored).toMatchObject(item(text));
      expect((await store.verify()).problems).toEqual([]);
    });

    test('keeps the head with the events', async () => {
      expect(await store.head(REF)).toBeNull();
      await store.commit(REF, append(created, item('12345', 77)), at);
      await store.commit(
        REF,
        append({ type: 'session.configured', data: { model: 'm-1', config: { enabled: false } } }),
        at,
      );
      const head = await store.head(REF);
      expect(head?.state).toMatchObject({ version: 3, items: 1, tokens: 5, usage: 77 });
      expect(head?.settings).toEqual({
        format: 'anthropic',
        profile: 'default',
        config: { free_space_buffer: 5_000, enabled: false },
        model: 'm-1',
        context_window: 200_000,
        metadata: { purpose: 'contract' },
      });
    });

    test('appends nothing for a rejected command', async () => {
      await store.commit(REF, append(created), at);
      const answer = await store.commit(REF, refuse, at);
      expect(answer).toMatchObject({ ok: false, rejection: { code: 'version_mismatch' } });
      expect(await versions()).toEqual([1]);
    });

    test('a command that fails leaves the others of its turn alone', async () => {
      const settled = await Promise.allSettled([
        store.commit(REF, append(created), at),
        store.commit(
          REF,
          () => {
            throw new Error('a bug in decide');
          },
          at,
        ),
        // The second event cannot follow the first: neither may be kept.
        store.commit(REF, append(item('lost'), created), at),
        store.commit(REF, append(item('kept')), at),
        store.commit(REF, refuse, at),
        store.commit(other('second'), append(created), at),
      ]);
      expect(settled.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
        'fulfilled',
        'fulfilled',
        'fulfilled',
      ]);
      expect(settled[1]).toMatchObject({ reason: { message: 'a bug in decide' } });
      expect((await store.events(REF)).map(({ data }) => data)).toEqual([
        created.data,
        item('kept').data,
      ]);
      expect(await versions(other('second'))).toEqual([1]);
    });

    test('an accepted command without events on an unknown session is a bug', async () => {
      await expect(store.commit(REF, append(), at)).rejects.toThrow('must create it');
    });

    test('commands in flight on one session run one after the other', async () => {
      await store.commit(REF, append(created), at);
      const seen = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          store.commit(
            REF,
            (head) =>
              accept({ events: [item(`item ${index}`)], value: () => head?.state.version ?? 0 }),
            at,
          ),
        ),
      );
      const before = seen.map((answer) => (answer.ok ? answer.value.value : -1));
      expect(before.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
      expect(await versions()).toEqual(Array.from({ length: 41 }, (_, i) => i + 1));
    });

    test('tenants do not see each other', async () => {
      await store.commit(REF, append(created, requested('c-1')), at);
      await store.commit(other('first', 'zeta'), append(created, item('mine')), at);
      expect(await versions(other('first', 'zeta'))).toEqual([1, 2]);
      expect(await store.head(other('first', 'nobody'))).toBeNull();
      expect(await store.compaction(other('first', 'zeta'), 'c-1')).toBeNull();
      const listed = await store.sessions('zeta', { limit: 10 });
      expect(listed.data.map(({ ref }) => ref)).toEqual([other('first', 'zeta')]);
      expect(await store.erase(other('first', 'zeta'))).toBe(true);
      expect(await versions()).toEqual([1, 2]);
    });

    describe('events', () => {
      beforeEach(async () => {
        const log = [created, item('a'), requested('c-1'), item('b'), cancelled('c-1'), item('c')];
        await store.commit(REF, append(...log), at);
        await store.commit(other('second'), append(created, item('z')), at);
      });

      test.each([
        [{}, [1, 2, 3, 4, 5, 6]],
        [{ after: 4 }, [5, 6]],
        [{ up_to: 2 }, [1, 2]],
        [{ after: 1, up_to: 4, limit: 2 }, [2, 3]],
        [{ limit: 0 }, []],
        [{ max_bytes: 1 }, [1]],
        [{ max_bytes: 1, after: 3 }, [4]],
        [{ max_bytes: 1, newest_first: true }, [6]],
        [{ max_bytes: 1, types: ['compaction.cancelled'] as const }, [5]],
        [{ max_bytes: 1, types: ['item.appended'] as const, newest_first: true }, [6]],
        [{ max_bytes: 1_000_000 }, [1, 2, 3, 4, 5, 6]],
        [{ max_bytes: 1_000_000, limit: 2, after: 1 }, [2, 3]],
        [{ types: ['item.appended'] as const }, [2, 4, 6]],
        [{ types: ['item.appended', 'session.created'] as const, limit: 2 }, [1, 2]],
        [{ types: ['compaction.requested', 'compaction.cancelled'] as const }, [3, 5]],
        [{ types: ['compaction.cancelled'] as const, after: 5 }, []],
        [{ types: ['session.created'] as const, up_to: 3 }, [1]],
        [{ types: [] }, []],
      ])('%j gives versions %j', async (query, expected) => {
        expect((await store.events(REF, query)).map(({ version }) => version)).toEqual(expected);
      });

      test('are not parsed where one is larger than asked', async () => {
        const ref = other('large');
        await store.commit(ref, append(created, item('ä'.repeat(1_000)), item('c')), at);
        const largest = 1_900;
        expect(await store.events(ref, { largest, up_to: 1 })).toHaveLength(1);
        expect(await store.events(ref, { largest, newest_first: true, limit: 1 })).toHaveLength(1);
        expect(await store.events(ref, { largest: 2_500 })).toHaveLength(3);
        await expect(store.events(ref, { largest })).rejects.toThrow(ElsewhereError);
        const alone = { largest, max_bytes: 1, after: 1, types: ['item.appended'] as const };
        await expect(store.events(ref, alone)).rejects.toThrow(ElsewhereError);
      });

      test('are not parsed where they have more JSON values in all than asked', async () => {
        const ref = other('many');
        const many = item(JSON.stringify(Array.from({ length: 500 }, () => 1)));
        await store.commit(ref, append(created, item('c'), many), at);
        const most_values = 400;
        expect(await store.events(ref, { most_values, up_to: 2 })).toHaveLength(2);
        expect(await store.events(ref, { most_values: 1_000 })).toHaveLength(3);
        await expect(store.events(ref, { most_values })).rejects.toThrow(ElsewhereError);
      });

      test('of an unknown session there are none', async () => {
        expect(await store.events(other('nobody'))).toEqual([]);
      });
    });

    describe('events that end in a large ledger', () => {
      const compacted = (text: string, id = 'c-1') => {
        const { type, data } = completed(id, 2);
        const ledger = { ...EMPTY_LEDGER, requests: [{ seq: 2, last_seq: 2, text }] };
        return { type, data: { ...data, ledger } };
      };
      const first = compacted('ä'.repeat(10_000));
      const second = compacted('b'.repeat(20_000));
      const log = (completion: NewEvent): NewEvent[] => [
        ...[created, item('a'), requested('c-1'), started('c-1'), completion, item('b')],
      ];
      const dataOf = async (query: EventQuery = {}) =>
        (await store.events(REF, query)).map(({ data }) => structuredClone(data));

      test('are the same each time they are read, in any order and with what follows', async () => {
        const written = log(first);
        await store.commit(REF, append(...written), at);
        const inOrder = written.map(({ data }) => data);
        for (let time = 0; time < 3; time++) {
          expect(await dataOf()).toEqual(inOrder);
          expect(await dataOf({ newest_first: true })).toEqual(inOrder.toReversed());
          expect(await dataOf({ types: ['compaction.completed'] })).toEqual([first.data]);
        }
        const rows = await store.rows(REF, { after: 0, limit: 100 });
        expect(rows.map(({ data }) => JSON.parse(data))).toEqual(inOrder);
        const next = [requested('c-2'), started('c-2'), compacted('c'.repeat(9_000), 'c-2')];
        await store.commit(REF, append(...next), at);
        const all = [...inOrder, ...next.map(({ data }) => data)];
        for (let time = 0; time < 2; time++) expect(await dataOf()).toEqual(all);
      });

      test('keep the bounds of a read when they were read before', async () => {
        await store.commit(REF, append(...log(first)), at);
        const read = async () => {
          await expect(store.events(REF, { largest: 15_000 })).rejects.toThrow(ElsewhereError);
          expect(await dataOf({ largest: 30_000 })).toHaveLength(6);
          expect(await dataOf({ max_bytes: 10_000 })).toHaveLength(5);
          expect(await dataOf({ max_bytes: 10_000, after: 4 })).toEqual([first.data]);
        };
        await read();
        await read();
      });

      test('are not taken for those of a session that had the same id', async () => {
        await store.commit(REF, append(...log(first)), at);
        await dataOf();
        await store.erase(REF);
        expect(await dataOf()).toEqual([]);
        await store.commit(REF, append(...log(second)), at);
        expect((await dataOf())[4]).toEqual(second.data);
      });
    });

    describe('idempotency keys', () => {
      const keyed = (key: string, fingerprint: string) => ({
        ...at,
        idempotency: { key, fingerprint },
      });

      test('the same key and body answer the first value and append nothing', async () => {
        await store.commit(REF, append(created), keyed('k', 'f'));
        await store.commit(REF, append(item('a')), at);
        const again = await store.commit(REF, append(item('b')), keyed('k', 'f'));
        expect(again).toEqual(accept({ value: 1, replayed: true }));
        expect(await versions()).toEqual([1, 2]);
      });

      test('of two in flight only one appends', async () => {
        await store.commit(REF, append(created), at);
        const answers = await Promise.all([
          store.commit(REF, append(item('a')), keyed('k', 'f')),
          store.commit(REF, append(item('a')), keyed('k', 'f')),
        ]);
        const replayed = answers.map((answer) => answer.ok && answer.value.replayed);
        expect(replayed.toSorted()).toEqual([false, true]);
        expect(await versions()).toEqual([1, 2]);
      });

      test('the same key with another body is refused', async () => {
        await store.commit(REF, append(created), keyed('k', 'f'));
        const answer = await store.commit(REF, append(item('a')), keyed('k', 'g'));
        expect(answer).toMatchObject({ ok: false, rejection: { code: 'idempotency_mismatch' } });
        expect(await versions()).toEqual([1]);
      });

      test('rejections are not kept, and keys belong to one session', async () => {
        await store.commit(REF, append(created), at);
        await store.commit(REF, refuse, keyed('k', 'f'));
        const after = await store.commit(REF, append(item('a')), keyed('k', 'f'));
        const elsewhere = await store.commit(other('second'), append(created), keyed('k', 'g'));
        expect(after).toEqual(accept({ value: 2, replayed: false }));
        expect(elsewhere).toEqual(accept({ value: 1, replayed: false }));
      });
    });

    describe('lists', () => {
      test('pages sessions newest first; new ones do not shift an open cursor', async () => {
        for (const id of ['s1', 's2', 's3', 's4']) {
          await store.commit(other(id), append(created), at);
        }
        const first = await store.sessions('acme', { limit: 3 });
        expect(first.data.map(({ ref }) => ref.session_id)).toEqual(['s4', 's3', 's2']);
        expect(first.data[0]?.head).toEqual(await store.head(other('s4')));
        await store.commit(other('s5'), append(created), at);
        const second = await store.sessions('acme', {
          limit: 3,
          cursor: first.next_cursor ?? 'missing',
        });
        expect(second.data.map(({ ref }) => ref.session_id)).toEqual(['s1']);
        expect(second.next_cursor).toBeNull();
      });

      test('a page that ends exactly at the last row has no next page', async () => {
        await store.commit(other('s1'), append(created), at);
        expect((await store.sessions('acme', { limit: 1 })).next_cursor).toBeNull();
      });

      test('pages compactions newest first', async () => {
        await store.commit(REF, append(created), at);
        for (const id of ['c-1', 'c-2', 'c-3']) {
          await store.commit(REF, append(requested(id), cancelled(id)), at);
        }
        const first = await store.compactions(REF, { limit: 2 });
        expect(first.data.map(({ id }) => id)).toEqual(['c-3', 'c-2']);
        const cursor = first.next_cursor ?? 'missing';
        const second = await store.compactions(REF, { limit: 2, cursor });
        expect(second.data.map(({ id }) => id)).toEqual(['c-1']);
        expect(second.next_cursor).toBeNull();
        // A cursor of one list opens no other.
        await expect(store.sessions('acme', { limit: 2, cursor })).rejects.toThrow(
          InvalidCursorError,
        );
      });

      test.each(['', 'x', 'c2Vzc2lvbnM6', '💥'])('refuses the cursor "%s"', async (cursor) => {
        await expect(store.sessions('acme', { limit: 2, cursor })).rejects.toThrow(
          InvalidCursorError,
        );
        await expect(store.compactions(REF, { limit: 2, cursor })).rejects.toThrow(
          InvalidCursorError,
        );
      });
    });

    test('a compaction is pending until its terminal event, oldest first', async () => {
      const time = (seconds: number) => ({ at: `2026-11-01T12:00:0${seconds}.000Z` });
      await store.commit(other('b'), append(created, requested('c-b')), time(2));
      await store.commit(other('a', 'zeta'), append(created, requested('c-a')), time(1));
      await store.commit(other('c'), append(created, requested('c-c')), time(3));
      await store.commit(other('b'), append(started('c-b')), time(4));
      const a = { ref: other('a', 'zeta'), compaction_id: 'c-a', requested_at: time(1).at };
      const b = { ref: other('b'), compaction_id: 'c-b', requested_at: time(2).at };
      const c = { ref: other('c'), compaction_id: 'c-c', requested_at: time(3).at };
      expect(await store.pending(10)).toEqual([a, b, c]);
      expect(await store.pending(1)).toEqual([a]);

      await store.commit(other('b'), append(cancelled('c-b')), time(5));
      expect(await store.pending(10)).toEqual([a, c]);
      expect(await store.compaction(other('b'), 'c-b')).toEqual({
        id: 'c-b',
        status: 'ended',
        outcome: 'cancelled',
        mode: 'auto',
        trigger: 'manual',
        reason: 'requested',
        outcome_reason: null,
        attempts: 1,
        tokens_before: null,
        tokens_after: null,
        requested_at: time(2).at,
        ended_at: time(5).at,
        reverted_at: null,
        requested_version: 2,
        ended_version: 4,
        cost: JSON.stringify(NO_COST),
      });
      expect(await store.compaction(other('b'), 'unknown')).toBeNull();
    });

    test('a session is due from its deadline on, earliest first, until nothing is waited for', async () => {
      const wait = (ref: SessionRef, deadline: number) =>
        store.commit(ref, append(created, packetRequested(deadline)), at);
      await wait(other('b'), 200);
      await wait(other('a', 'zeta'), 100);
      await wait(other('c'), 300);
      await store.commit(other('idle'), append(created), at);
      const [a, b, c] = [other('a', 'zeta'), other('b'), other('c')];
      expect(await store.due(99, 10)).toEqual([]);
      expect(await store.due(100, 10)).toEqual([a]);
      expect(await store.due(300, 10)).toEqual([a, b, c]);
      expect(await store.due(300, 2)).toEqual([a, b]);

      // Received, erased, and taken over by a compaction.
      await store.commit(b, append(packetReceived), at);
      expect(await store.due(300, 10)).toEqual([a, c]);
      await store.erase(a);
      expect(await store.due(300, 10)).toEqual([c]);
      await store.commit(c, append(requested('c-1')), at);
      expect(await store.due(300, 10)).toEqual([]);
      expect((await store.verify()).problems).toEqual([]);
    });

    test('erases all of a session, whose id can be used again', async () => {
      const keyed = { ...at, idempotency: { key: 'k', fingerprint: 'f' } };
      await store.commit(REF, append(created, requested('c-1')), keyed);
      await store.commit(other('second'), append(created), at);
      expect(await store.erase(REF)).toBe(true);
      expect(await store.head(REF)).toBeNull();
      expect(await store.events(REF)).toEqual([]);
      expect(await store.pending(10)).toEqual([]);
      expect((await store.compactions(REF, { limit: 10 })).data).toEqual([]);
      expect(await store.erase(REF)).toBe(false);
      expect(await versions(other('second'))).toEqual([1]);

      const again = await store.commit(REF, append(created), keyed);
      expect(again).toEqual(accept({ value: 1, replayed: false }));
      expect((await store.verify()).problems).toEqual([]);
    });

    test('an append that was handed in before an erasure does not bring the session back', async () => {
      await store.commit(REF, append(created), at);
      const appended = store.commit(REF, append(item('a')), at);
      expect(await store.erase(REF)).toBe(true);
      expect(await appended).toEqual(accept({ value: 2, replayed: false }));
      expect(await store.head(REF)).toBeNull();
    });

    test('tells subscribers of commits and of the erasure, and of nothing else', async () => {
      let calls = 0;
      const heard = (count: number) => expect.poll(() => calls).toBe(count);
      const stop = store.subscribe(REF, () => {
        calls += 1;
      });
      await store.commit(REF, append(created), at);
      await heard(1);
      await store.commit(REF, append(item('a')), at);
      await heard(2);
      await store.commit(REF, refuse, at);
      await store.commit(REF, append(), at);
      await store.commit(other('second'), append(created), at);
      await store.erase(REF);
      await heard(3);
      stop();
      stop();
      await store.commit(REF, append(created), at);
      await store.ping();
      expect(calls).toBe(3);
    });

    test('a subscriber finds the commit that it was told of', async () => {
      const found = new Promise((resolve) => {
        store.subscribe(REF, () => resolve(store.events(REF)));
      });
      await store.commit(REF, append(created), at);
      expect(await found).toHaveLength(1);
    });

    test('what a caller does to the data afterwards does not change the log', async () => {
      await store.commit(REF, append(created, item('first')), at);
      const read = ofType(await store.events(REF), 'item.appended');
      read.data.item.content = 'changed by the reader';
      const again = ofType(await store.events(REF), 'item.appended');
      expect(again.data.item.content).toBe('first');
    });

    test('closing answers what is in flight; afterwards commits are refused', async () => {
      const appended = store.commit(REF, append(created), at);
      await store.close();
      expect(await appended).toEqual(accept({ value: 1, replayed: false }));
      await expect(store.commit(REF, append(item('late')), at)).rejects.toThrow();
      await expect(store.ping()).rejects.toThrow();
    });

    eventStoreProperties(() => store);
  });
}
