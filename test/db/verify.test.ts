import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventHash } from '../../src/db/event-codec.ts';
import type { SessionRef } from '../../src/db/event-store.ts';
import { openDatabase } from '../../src/db/sqlite/open-database.ts';
import { openSqliteStore, type SqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import { AT, append, cancelled, created, item, requested } from '../contracts/session-events.ts';

const REF: SessionRef = { tenant: 'acme', session_id: 'first' };
const at = { at: AT };

let folder: string;
let store: SqliteStore;
let tamperer: Database;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-verify-'));
  const path = join(folder, 'store.db');
  store = await openSqliteStore({ path });
  await store.commit(
    REF,
    append(created, item('hello'), requested('c-1'), cancelled('c-1'), item('bye')),
    at,
  );
  await store.commit({ ...REF, session_id: 'untouched' }, append(created, item('hello')), at);
  tamperer = openDatabase({ path });
  tamperer.pragma('foreign_keys = OFF');
});
afterEach(async () => {
  tamperer.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

const FIRST = "tenant = 'acme' AND session_id = 'first'";
const problemsOf = async () => (await store.verify()).problems;
const said = (what: string) => `Session "first" of tenant "acme": ${what}.`;

describe('verify', () => {
  test('counts, and finds nothing wrong with what the store wrote', async () => {
    expect(await store.verify()).toEqual({ sessions: 2, events: 7, problems: [] });
  });

  test.each([
    [
      'an item that was changed',
      `UPDATE events SET data = replace(data, 'hello', 'HELLO') WHERE ${FIRST} AND version = 2`,
      ['version 2 (item.appended) does not match its hash: it was changed'],
    ],
    [
      'a time that was changed',
      `UPDATE events SET at = '2026-11-01T12:00:00.001Z' WHERE ${FIRST} AND version = 2`,
      ['version 2 (item.appended) does not match its hash: it was changed'],
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
          'tokens_since_compaction',
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
        'version 5 cannot be read: the event has schema version 9, this release reads 1; run the ' +
          'release that wrote it, or a newer one',
        'head and compactions could not be recomputed from a damaged log',
      ],
    ],
    [
      'a token count in the head',
      `UPDATE sessions SET state = json_set(state, '$.tokens', 1) WHERE ${FIRST}`,
      ['the stored state differs from the log in tokens'],
    ],
    [
      'a setting in the head',
      `UPDATE sessions SET settings = json_set(settings, '$.model', 'm') WHERE ${FIRST}`,
      ['the stored settings differ from the log in model'],
    ],
    [
      'the hash in the session row',
      `UPDATE sessions SET hash = '00' WHERE ${FIRST}`,
      ["the session's row has another hash than its last event, 5"],
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
        'it does not exist, but events has 5 row(s) of it',
        'it does not exist, but compactions has 1 row(s) of it',
      ],
    ],
  ])('finds %s', async (_what, tampering, expected) => {
    tamperer.exec(tampering);
    expect(await problemsOf()).toEqual(expected.map(said));
  });

  test('finds data of a wrong shape, even when its hash was made to fit', async () => {
    const data = JSON.stringify({ item: { role: 'user', content: 'bye' }, tokens: -3 });
    const previous = (await store.events(REF, { after: 3, limit: 1 }))[0]?.hash ?? '';
    const hash = eventHash(previous, 'first', {
      version: 5,
      type: 'item.appended',
      at: AT,
      schema_version: 1,
      data,
    });
    tamperer
      .prepare(`UPDATE events SET data = ?, hash = ? WHERE ${FIRST} AND version = 5`)
      .run(data, hash);
    tamperer.prepare(`UPDATE sessions SET hash = ? WHERE ${FIRST}`).run(hash);
    expect(await problemsOf()).toEqual([
      expect.stringContaining('version 5 (item.appended) is misshapen at data.tokens'),
      said('head and compactions could not be recomputed from a damaged log'),
    ]);
  });
});

describe('rebuild', () => {
  test('writes heads and compactions anew from the events', async () => {
    const head = await store.head(REF);
    const compaction = await store.compaction(REF, 'c-1');
    tamperer.exec(`UPDATE sessions SET state = json_set(state, '$.items', 40), settings = '{}'`);
    tamperer.exec(`UPDATE compactions SET status = 'queued', id = 'c-9'`);
    expect((await store.head(REF))?.state.items).toBe(40);

    expect(await store.rebuild()).toEqual({ sessions: 2, events: 7, problems: [] });
    expect(await problemsOf()).toEqual([]);
    expect(await store.head(REF)).toEqual(head);
    expect((await store.compactions(REF, { limit: 10 })).data).toEqual([compaction]);
  });

  test('leaves a session with a damaged log as it is, and says so', async () => {
    const head = await store.head(REF);
    tamperer.exec(`DELETE FROM events WHERE ${FIRST} AND version = 2`);
    expect((await store.rebuild()).problems).toEqual([
      said('version 3 stands where version 2 is expected'),
    ]);
    expect(await store.head(REF)).toEqual(head);
  });
});
