import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EventStore, SessionRef } from '../../src/app/ports/event-store.ts';
import { eventHash } from '../../src/db/event-codec.ts';
import { EMPTY_LEDGER } from '../../src/domain/ledger/ledger.ts';
import { EVENT_SCHEMA_VERSION } from '../../src/domain/session/events.ts';
import {
  AT,
  append,
  cancelled,
  completed,
  created,
  item,
  packetRequested,
  requested,
  started,
} from './session-events.ts';

const REF: SessionRef = { tenant: 'acme', session_id: 'first' };
const at = { at: AT };

/** An empty store, and a way into its tables past all that protects them. */
type Tampered = {
  store: EventStore;
  /** Runs one statement that every database understands; no constraint is checked. */
  execute: (sql: string) => unknown;
  close: () => Promise<void>;
};

const FIRST = "tenant = 'acme' AND session_id = 'first'";
const said = (what: string) => `Session "first" of tenant "acme": ${what}.`;

/** What `verify` and `rebuild` of every adapter must find and mend. */
export function eventStoreVerifyContract(name: string, open: () => Promise<Tampered>): void {
  describe(`${name}: a store that was tampered with`, () => {
    let store: EventStore;
    let execute: Tampered['execute'];
    let close: Tampered['close'];
    beforeEach(async () => {
      ({ store, execute, close } = await open());
      await store.commit(
        REF,
        append(created, item('hello'), requested('c-1'), cancelled('c-1'), item('bye')),
        at,
      );
      await store.commit({ ...REF, session_id: 'untouched' }, append(created, item('hello')), at);
    });
    afterEach(() => close());

    const problemsOf = async () => (await store.verify()).problems;

    test('counts, and finds nothing wrong with what the store wrote', async () => {
      expect(await store.verify()).toEqual({ sessions: 2, events: 7, problems: [] });
    });

    test('begins with no other session when its time is over', async () => {
      expect(await store.verify(performance.now())).toEqual({
        sessions: 1,
        events: 5,
        problems: [],
      });
    });

    test.each([
      [
        'an item that was changed',
        `UPDATE events SET data = replace(data, 'hello', 'HELLO') WHERE ${FIRST} AND version = 2`,
        [
          'version 2 (item.appended) does not match its hash: it was changed',
          'the stored state differs from the log in title',
        ],
      ],
      [
        'a time that was changed',
        `UPDATE events SET at = '2026-11-01T12:00:00.001Z' WHERE ${FIRST} AND version = 2`,
        [
          'version 2 (item.appended) does not match its hash: it was changed',
          'the stored state differs from the log in updated_at',
        ],
      ],
      [
        'a hash that was changed: the next event no longer follows it',
        `UPDATE events SET hash = '00' WHERE ${FIRST} AND version = 2`,
        [
          'version 2 (item.appended) does not match its hash: it was changed',
          'version 3 (compaction.requested) does not match its hash: it was changed',
        ],
      ],
      [
        'an event that was taken out',
        `DELETE FROM events WHERE ${FIRST} AND version = 2`,
        [
          'version 3 stands where version 2 is expected',
          'head and compactions could not be recomputed from a damaged log',
        ],
      ],
      [
        'a log whose end was cut off',
        `DELETE FROM events WHERE ${FIRST} AND version = 5`,
        [
          "the session's row is at version 5, its log at 4",
          'the stored state differs from the log in version, items, tokens, tokens_since_usage, ' +
            'tokens_since_compaction, messages, user_message',
        ],
      ],
      [
        'an event of an unknown type',
        `UPDATE events SET type = 'item.unheard' WHERE ${FIRST} AND version = 5`,
        [
          'version 5 (item.unheard) does not match its hash: it was changed',
          'version 5 cannot be read: the event type "item.unheard" is unknown; a newer release may ' +
            'have written it',
          'head and compactions could not be recomputed from a damaged log',
        ],
      ],
      [
        'an event of a newer schema',
        `UPDATE events SET schema_version = 9 WHERE ${FIRST} AND version = 5`,
        [
          'version 5 (item.appended) does not match its hash: it was changed',
          'version 5 cannot be read: the event has schema version 9, this release reads 3; run the ' +
            'release that wrote it, or a newer one',
          'head and compactions could not be recomputed from a damaged log',
        ],
      ],
      [
        'a token count in the head',
        `UPDATE sessions SET state = replace(state, '"tokens":8', '"tokens":1') WHERE ${FIRST}`,
        ['the stored state differs from the log in tokens'],
      ],
      [
        'a setting in the head',
        `UPDATE sessions SET settings = replace(settings, '"model":null', '"model":"m"') WHERE ${FIRST}`,
        ['the stored settings differ from the log in model'],
      ],
      [
        'the hash in the session row',
        `UPDATE sessions SET hash = '00' WHERE ${FIRST}`,
        ["the session's row has a different hash from its last event, version 5"],
      ],
      [
        'a session that would be woken though its log asks for nothing',
        `UPDATE sessions SET wake_at_ms = 7 WHERE ${FIRST}`,
        ["the session's row wakes it at 7, its log at null"],
      ],
      [
        'a compaction that was changed',
        `UPDATE compactions SET outcome = 'failed', attempts = 4 WHERE ${FIRST}`,
        ['the compaction c-1 differs from the log in outcome, attempts'],
      ],
      [
        'a compaction under another id',
        `UPDATE compactions SET id = 'c-2' WHERE ${FIRST}`,
        [
          'the compaction c-2 is stored but not in the log',
          'the compaction c-1 is in the log but not stored',
        ],
      ],
      [
        'rows of a session that is gone',
        `DELETE FROM sessions WHERE ${FIRST}`,
        [
          'it does not exist, but events has 5 row(s) for it',
          'it does not exist, but compactions has 1 row(s) for it',
        ],
      ],
    ])('finds %s', async (_what, tampering, expected) => {
      await execute(tampering);
      expect(await problemsOf()).toEqual(expected.map(said));
    });

    test('finds a session that was moved to another tenant', async () => {
      for (const table of ['sessions', 'events', 'compactions', 'idempotency_keys']) {
        await execute(`UPDATE ${table} SET tenant = 'thief' WHERE ${FIRST}`);
      }
      const problems = await problemsOf();
      expect(problems[0]).toBe(
        'Session "first" of tenant "thief": version 1 (session.created) does not match its hash: it was changed.',
      );
    });

    test('finds data of a wrong shape, even when its hash was made to fit', async () => {
      const data = JSON.stringify({ item: { role: 'user', content: 'bye' }, tokens: -3 });
      const previous = (await store.events(REF, { after: 3, limit: 1 }))[0]?.hash ?? '';
      const hash = eventHash(previous, REF, {
        version: 5,
        type: 'item.appended',
        at: AT,
        schema_version: EVENT_SCHEMA_VERSION,
        data,
      });
      await execute(
        `UPDATE events SET data = '${data}', hash = '${hash}' WHERE ${FIRST} AND version = 5`,
      );
      await execute(`UPDATE sessions SET hash = '${hash}' WHERE ${FIRST}`);
      expect(await problemsOf()).toEqual([
        expect.stringContaining('version 5 (item.appended) has a wrong shape at data.tokens'),
        said('head and compactions could not be recomputed from a damaged log'),
      ]);
    });

    test('rebuild writes heads and compactions anew from the events', async () => {
      const head = await store.head(REF);
      const compaction = await store.compaction(REF, 'c-1');
      await execute(`UPDATE sessions SET state = replace(state, '"items":2', '"items":40')`);
      await execute(`UPDATE sessions SET settings = '{}'`);
      await execute(`UPDATE compactions SET status = 'queued', id = 'c-9'`);
      expect((await store.head(REF))?.state.items).toBe(40);

      expect(await store.rebuild()).toEqual({ sessions: 2, events: 7, problems: [] });
      expect(await problemsOf()).toEqual([]);
      expect(await store.head(REF)).toEqual(head);
      expect((await store.compactions(REF, { limit: 10 })).data).toEqual([compaction]);
    });

    test('a session that would no longer be woken is found, and mended by rebuild', async () => {
      await store.commit(REF, append(packetRequested(50)), at);
      expect(await problemsOf()).toEqual([]);
      await execute(`UPDATE sessions SET wake_at_ms = NULL WHERE ${FIRST}`);
      expect(await problemsOf()).toEqual([
        said("the session's row wakes it at null, its log at 50"),
      ]);
      await store.rebuild();
      expect(await problemsOf()).toEqual([]);
      expect(await store.due(50, 10)).toEqual([REF]);
    });

    test('tells a ledger that is no JSON, which a context is read without', async () => {
      const { type, data } = completed('c-2', 2);
      const event = { type, data: { ...data, ledger: EMPTY_LEDGER } };
      await store.commit(REF, append(requested('c-2'), started('c-2'), event), at);
      await execute(
        `UPDATE events SET data = replace(data, '"requests":[', '"requests":[{') WHERE ${FIRST} AND version = 8`,
      );
      expect(await problemsOf()).toEqual([
        said('version 8 (compaction.completed) does not match its hash: it was changed'),
        expect.stringMatching(/: version 8 cannot be read: .*JSON/),
        said('head and compactions could not be recomputed from a damaged log'),
      ]);
    });

    test('a compaction that was read before is verified as it is stored', async () => {
      const { type, data } = completed('c-2', 2);
      const text = 'a'.repeat(10_000);
      const ledger = { ...EMPTY_LEDGER, requests: [{ seq: 2, last_seq: 2, text }] };
      const event = { type, data: { ...data, ledger } };
      await store.commit(REF, append(requested('c-2'), started('c-2'), event), at);
      for (let time = 0; time < 2; time++) expect(await store.events(REF)).toHaveLength(8);
      await execute(
        `UPDATE events SET data = replace(data, 'What happened.', 'It was not so.') WHERE ${FIRST} AND version = 8`,
      );
      const changed = 'version 8 (compaction.completed) does not match its hash: it was changed';
      expect(await problemsOf()).toContain(said(changed));
      const rows = await store.rows(REF, { after: 7, limit: 1 });
      expect(rows[0]?.data).toContain('It was not so.');
    });

    test('rebuild leaves a session with a damaged log as it is, and says so', async () => {
      const head = await store.head(REF);
      await execute(`DELETE FROM events WHERE ${FIRST} AND version = 2`);
      expect((await store.rebuild()).problems).toEqual([
        said('version 3 stands where version 2 is expected'),
      ]);
      expect(await store.head(REF)).toEqual(head);
    });

    test('verify and rebuild hold while others append, create and erase', async () => {
      await Promise.all([
        store.verify().then(({ problems }) => expect(problems).toEqual([])),
        store.rebuild().then(({ problems }) => expect(problems).toEqual([])),
        ...Array.from({ length: 30 }, (_, i) => store.commit(REF, append(item(`${i}`)), at)),
        store.commit({ ...REF, session_id: 'new' }, append(created), at),
        store.erase({ ...REF, session_id: 'untouched' }),
      ]);
      expect(await store.verify()).toEqual({ sessions: 2, events: 36, problems: [] });
    });

    test('verify reads a log of many pages', async () => {
      const items = Array.from({ length: 250 }, (_, i) => item(`item ${i}`));
      await store.commit(REF, append(...items), at);
      expect(await store.verify()).toEqual({ sessions: 2, events: 257, problems: [] });
      await execute(`DELETE FROM events WHERE ${FIRST} AND version = 201`);
      expect((await problemsOf())[0]).toBe(
        said('version 202 stands where version 201 is expected'),
      );
    });
  });
}
