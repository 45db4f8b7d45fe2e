import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { exportHeader, exportLine } from '../../src/app/export-format.ts';
import { readSettings } from '../../src/config.ts';
import { readExport, restoredAs } from '../../src/db/session-export.ts';
import type { Json, JsonObject } from '../../src/domain/json.ts';
import { HEAD_VERSION } from '../../src/domain/session/head.ts';
import { type Service, startService } from '../../src/service.ts';
import { fixture, type OldDatabase, oldPostgres, oldSqlite } from '../support/old-database.ts';

const KEYS = { acme: 'key-of-acme-0000', globex: 'key-of-globex-00' };

const json = z.json();
const jsonObject = z.record(z.string(), json);
const contextLine = z.strictObject({
  tenant: z.enum(['acme', 'globex']),
  session_id: z.string(),
  at: z.int(),
  format: z.string(),
  tokens: z.number(),
  base_compaction_id: z.string().nullable(),
  items: z.array(z.int()),
});
type Context = z.infer<typeof contextLine>;
type Tenant = Context['tenant'];

const ITEMS = fixture('items.jsonl').map(asOfToday);

/** The two places in which contexts are built otherwise today, with nothing lost or doubled. */
function asOfToday(item: Json): Json {
  // A restored file may be known from an edit or a shell command too.
  const text = JSON.stringify(item).replaceAll('(as last read):', '(as last known):');
  const { numbers: _unknown, ...known } = jsonObject.parse(JSON.parse(text));
  // The provider would refuse a field that is none of its own; the log keeps it.
  return known;
}

const CONTEXTS = fixture('contexts.jsonl').map((line) => contextLine.parse(line));
const HEADS = [
  ...new Map(CONTEXTS.map((line) => [`${line.tenant}/${line.session_id}`, line])).values(),
];

describe.each([
  ['SQLite', oldSqlite],
  ['PostgreSQL', oldPostgres],
])('a database that release 3571f63 wrote, on %s', (_, makeDatabase) => {
  let database: OldDatabase;
  let service: Service;
  beforeAll(async () => {
    database = await makeDatabase();
    const environment = {
      DATABASE_URL: database.url,
      LOG_LEVEL: 'silent',
      PALIMPSEST_API_KEYS: Object.entries(KEYS)
        .map((pair) => pair.join(':'))
        .join(','),
    };
    service = await startService(readSettings(environment), environment);
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  async function call(
    tenant: Tenant,
    method: string,
    path: string,
    body?: Json,
    headers = {},
  ): Promise<JsonObject> {
    const request = new Request(`http://palimpsest${path}`, {
      method,
      headers: {
        authorization: `Bearer ${KEYS[tenant]}`,
        'content-type': 'application/json',
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const response = await service.fetch(request);
    const text = await response.text();
    expect(response.ok, `${method} ${path}: ${response.status} ${text}`).toBe(true);
    return jsonObject.parse(JSON.parse(text));
  }

  async function contextOf({ tenant, session_id, at, format }: Omit<Context, 'items'>) {
    return call(tenant, 'GET', `/sessions/${session_id}/context?at=${at}&format=${format}`);
  }

  async function itemsOf(id: string): Promise<Json[]> {
    const { items } = await call('acme', 'GET', `/sessions/${id}/context?wait=compaction`);
    return z.array(json).parse(items);
  }

  it('opens and verifies, with heads of today', async () => {
    const [events] = await database.execute('SELECT count(*) AS count FROM events');
    const report = await service.store.verify();
    expect(report).toEqual({ sessions: HEADS.length, events: Number(events?.count), problems: [] });
    expect(await database.execute('SELECT version FROM head_version')).toEqual([
      { version: HEAD_VERSION },
    ]);
  });

  it('gives the contexts that the old release gave', async () => {
    for (const stored of CONTEXTS) {
      const { items, tokens, base_compaction_id } = await contextOf(stored);
      const expected = stored.items.map((line) => ITEMS[line]);
      const name = `${stored.tenant}/${stored.session_id}@${stored.at} as ${stored.format}`;
      expect.soft({ name, items }).toEqual({ name, items: expected });
      expect.soft({ name, tokens, base_compaction_id }).toEqual({
        name,
        tokens: stored.tokens,
        base_compaction_id: stored.base_compaction_id,
      });
    }
  });

  it('holds all that the old release could write', async () => {
    const types = await database.execute('SELECT DISTINCT type FROM events');
    expect(types).toHaveLength(20);
    const created = await database.execute(
      `SELECT data FROM events WHERE type = 'session.created' AND schema_version = 2`,
    );
    const settings = created.map(({ data }) => jsonObject.parse(JSON.parse(String(data))));
    expect(new Set(settings.map(({ format }) => format)).size).toBe(3);
    expect(new Set(settings.map(({ profile }) => profile)).size).toBe(6);
    const states = await database.execute('SELECT DISTINCT status, outcome FROM compactions');
    expect(states.map(({ status, outcome }) => outcome ?? status).sort()).toEqual([
      'cancelled',
      'failed',
      'full_compacted',
      'micro_compacted',
      'queued',
      'remote_compacted',
      'running',
      'skipped',
    ]);
  });

  it('keeps fields that no provider knows, and numbers, in the log', async () => {
    const { data } = await call('acme', 'GET', '/sessions/codex-classic/items?limit=100');
    expect(z.array(jsonObject).parse(data).at(-1)?.item).toMatchObject({
      numbers: [9007199254740991, 1e300, -0.1, 5e-324],
    });
  });

  it('goes on: compactions that had not ended, and packets that are waited for', async () => {
    const { store } = service;
    expect((await store.pending(9)).map(({ ref }) => ref.session_id)).toEqual([
      'running',
      'queued',
    ]);
    const due = await store.due(Date.UTC(2027, 0), 9);
    expect(due).toEqual([{ tenant: 'acme', session_id: 'awaited-packet' }]);
    await service.takeUpPending();
    for (const id of ['running', 'queued']) {
      const items = await itemsOf(id);
      expect(JSON.stringify(items)).toContain('This session is being continued');
      expect(items.at(-1)).toEqual({ role: 'user', content: 'Meanwhile.' });
    }
    await expect.poll(() => store.due(Date.UTC(2027, 0), 9)).toEqual([]);
    await expect
      .poll(async () => JSON.stringify(await itemsOf('awaited-packet')))
      .toContain('Continuation packet');
    expect((await store.verify()).problems).toEqual([]);
  });

  it('goes on: appends, compactions, reverts, forks, keys, exports', async () => {
    const { store } = service;
    for (const { tenant, session_id } of HEADS) {
      const items = [{ role: 'user', content: 'After the upgrade.' }];
      await call(tenant, 'POST', `/sessions/${session_id}/items`, { items });
    }
    const before = await itemsOf('default');
    const compact = { mode: 'full', instructions: 'Keep the cache.' };
    const wait = { prefer: 'wait=30' };
    const ended = await call('acme', 'POST', '/sessions/default/compact', compact, wait);
    expect(ended).toMatchObject({ outcome: 'full_compacted' });
    expect(await itemsOf('default')).not.toEqual(before);
    await call('acme', 'POST', `/sessions/default/compactions/${ended.id}/revert`, {});
    expect(await itemsOf('default')).toEqual(before);
    // One of the old release's own, whose cleared results come back.
    const micro = await call('acme', 'GET', '/sessions/tiered/compactions');
    const [full] = z.array(jsonObject).parse(micro.data);
    await call('acme', 'POST', `/sessions/tiered/compactions/${full?.id}/revert`, {});
    expect(JSON.stringify(await itemsOf('tiered'))).toContain('log: parser cache');

    const again = { items: [{ role: 'user', content: 'Once.' }] };
    const key = { 'idempotency-key': 'key-1' };
    const answer = await call('globex', 'POST', '/sessions/default/items', again, key);
    expect(answer).toMatchObject({ version: 2, first_seq: 2 });

    await call('acme', 'POST', '/sessions/default/fork', { at: 17, id: 'forked-today' });
    for (const id of ['default', 'codex-v2', 'forked-today']) {
      const ref = { tenant: 'acme', session_id: id };
      const rows = await store.rows(ref, { after: 0, limit: 1_000 });
      const lines = [exportHeader(ref, rows.length), ...rows.map(exportLine)];
      const copy = { ...ref, session_id: `${id}-copy` };
      expect(await store.restore(copy, restoredAs(readExport(lines.join('\n')), copy))).toBe(true);
      expect(await itemsOf(copy.session_id)).toEqual(await itemsOf(id));
    }
    expect((await store.verify()).problems).toEqual([]);
  });

  it.each([
    ['an event', 'fork-early', `UPDATE events SET data = replace(data, 'Another way', 'A way')`],
    ['a hash', 'watcher', `UPDATE events SET hash = 'f' WHERE session_id = 'watcher'`],
    [
      'a compaction',
      'tiered',
      `UPDATE compactions SET tokens_after = 1 WHERE session_id = 'tiered'`,
    ],
    ['a head', 'small', `UPDATE sessions SET wake_at_ms = 1 WHERE session_id = 'small'`],
  ])('shows when %s was changed', async (_, session, mutation) => {
    const ofSession = expect.stringContaining(`Session "${session}"`);
    expect((await service.store.verify()).problems).not.toContainEqual(ofSession);
    await database.execute(mutation);
    expect((await service.store.verify()).problems).toContainEqual(ofSession);
  });
});
