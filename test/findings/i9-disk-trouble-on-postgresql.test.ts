import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../src/db/postgres/postgres-store.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { user } from '../support/items.ts';
import { freshDatabase } from '../support/servers/fresh.ts';

let database: Awaited<ReturnType<typeof freshDatabase>>;
let client: Client;
const running: ApiServer[] = [];

beforeEach(async () => {
  database = await freshDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterEach(async () => {
  for (const api of running.splice(0)) await api.close();
  await client.end();
  await database.drop();
});

/** The API with new connections to the database. */
async function start(): Promise<ApiServer> {
  const store = await openPostgresStore({ url: database.url, onError: () => {} });
  const api = await startApi({ store });
  running.push(api);
  return api;
}

const append = (api: ApiServer) =>
  send(api, 'POST', '/sessions/s/items', { body: user('confidential') });

describe('I9: trouble with the disk of a PostgreSQL server is told as what it is', () => {
  it.each([
    ['53100', 507, 'store-full', /disk .* is full; nothing was written\. Free some space/],
    ['XX001', 500, 'store-damaged', /damaged .* `palimpsest verify` names the sessions/],
    ['XX002', 500, 'store-damaged', /damaged .* `palimpsest verify` names the sessions/],
  ])('what the server reports as %s', async (code, status, type, detail) => {
    const api = await start();
    expect((await append(api)).status).toBe(201);
    // Raised by the server itself, where a full disk or a damaged page would raise it.
    await client.query(
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'of the test' USING ERRCODE = '${code}'; END $$;
       CREATE TRIGGER fail BEFORE INSERT ON events EXECUTE FUNCTION fail()`,
    );
    const refused = await append(api);
    expect(refused.status).toBe(status);
    expect(refused.body).toMatchObject({
      type: `urn:palimpsest:problem:${type}`,
      detail: expect.stringMatching(detail),
    });
    expect(api.logged).toMatchObject([{ fields: { code } }]);
    expect((await send(api, 'GET', '/sessions/s/context')).status).toBe(200);
    await client.query('DROP TRIGGER fail ON events');
    expect((await append(api)).status).toBe(201);
    expect((await send(api, 'GET', '/sessions/s')).body.counts).toMatchObject({ items: 2 });
  });

  it('a server that takes no writes', async () => {
    expect((await append(await start())).status).toBe(201);
    const setReadOnly = (value: 'on' | 'off') =>
      client.query(
        `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = ${value}',
           current_database()); END $$`,
      );
    await setReadOnly('on');
    const api = await start();
    const refused = await append(api);
    expect(refused.status).toBe(503);
    expect(refused.body.type).toBe('urn:palimpsest:problem:store-read-only');
    expect(refused.body.detail).toMatch(/can only be read; nothing was written/);
    expect(api.logged).toMatchObject([{ fields: { code: '25006' } }]);
    const ready = await send(api, 'GET', '/readyz');
    expect(ready.status).toBe(503);
    expect(ready.text).toContain('can only be read');
    expect((await send(api, 'GET', '/healthz')).status).toBe(200);
    expect((await send(api, 'GET', '/sessions/s/context')).status).toBe(200);
    await client.query('SET default_transaction_read_only = off');
    await setReadOnly('off');
    const again = await start();
    expect((await send(again, 'GET', '/readyz')).status).toBe(200);
    expect((await append(again)).status).toBe(201);
  });
});
