import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { documentSchema } from '../../scripts/client-types/api-source.ts';
import {
  ConnectionError,
  createClient,
  PalimpsestError,
  ProblemError,
  TimeoutError,
} from '../../src/client/client.ts';
import { OPERATIONS } from '../../src/client/generated.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { failingServer } from './failing-server.ts';

const user = (content: string) => ({ role: 'user', content });
/** Waits of the client are drawn, and short: a quarter of a second at first. */
const QUICK = { retries: 2 };

describe(`the client, on ${inject('store')}`, () => {
  let service: ServiceProcess;
  let between: Awaited<ReturnType<typeof failingServer>>;
  let client: ReturnType<typeof createClient>;
  let shaky: ReturnType<typeof createClient>;
  beforeAll(async () => {
    service = await startService();
    between = await failingServer(service.url);
    client = createClient({ url: service.url });
    shaky = createClient({ url: between.url, ...QUICK });
  });
  afterAll(async () => {
    await between.close();
    await service.dispose();
  });
  beforeEach(() => between.forget());

  let sessions = 0;
  async function session(items: object[] = [user('hello')]): Promise<string> {
    const id = `client-${++sessions}`;
    await client.createSession({ body: { id, context_window: 100_000 } });
    if (items.length > 0) await client.appendItems({ id, body: items });
    return id;
  }

  test('calls every operation by its name', async () => {
    const { paths } = documentSchema.parse(
      await (await fetch(`${service.url}/openapi.json`)).json(),
    );
    const named = Object.values(paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(Object.keys(OPERATIONS).toSorted()).toEqual(named.toSorted());
    const callable = Object.entries(client).filter(([, value]) => typeof value === 'function');
    expect(callable.map(([name]) => name)).toEqual(expect.arrayContaining(named));
  });

  test('appends, reads, compacts and forks', async () => {
    const id = await session();
    const appended = await client.appendItems({ id, body: user('and now?') });
    expect(appended).toMatchObject({ session_id: id, first_seq: 3, last_seq: 3 });
    const context = await client.getContext({ id, origins: true });
    expect(context.items).toEqual([expect.objectContaining({ seq: 2, origin: 'log' })]);
    const plan = await client.compact({ id, body: { dry_run: true } });
    expect(plan).toMatchObject({ dry_run: true });
    const fork = await client.forkSession({ id, body: { id: `${id}-fork` } });
    expect(fork.id).toBe(`${id}-fork`);
    expect((await client.health()).status).toBe('ok');
    await client.eraseSession({ id: fork.id });
    await expect(client.getSession({ id: fork.id })).rejects.toThrow(ProblemError);
  });

  test('throws problems with their code, status and fields', async () => {
    const missing = client.getContext({ id: 'nobody' });
    await expect(missing).rejects.toThrow('there is no session with this id');
    await expect(missing).rejects.toMatchObject({
      name: 'ProblemError',
      code: 'session_not_found',
      status: 404,
      title: 'Session not found',
    });
    const wrong = client.appendItems({ id: 'wrong', body: [{ role: 'nobody', content: 'x' }] });
    await expect(wrong).rejects.toMatchObject({
      code: 'invalid_item',
      errors: [{ path: '0.role' }],
    });
    // What stands below /v1 answers with OpenAI's errors.
    const refused = client.compactResponse({ body: { model: 'gpt-5.4', input: [] } });
    await expect(refused).rejects.toMatchObject({ name: 'ProblemError', status: 400 });
  });

  test('refuses an argument that is missing before it asks', async () => {
    // @ts-expect-error: an id is needed
    await expect(client.getSession({})).rejects.toThrow(PalimpsestError);
    await expect(shaky.getSession({ id: '' })).rejects.toThrow('getSession needs "id"');
    expect(between.requests).toEqual([]);
  });

  test('sends versions and waits as headers', async () => {
    const id = await session();
    const stale = client.appendItems({ id, body: user('late') }, { ifMatch: 1 });
    await expect(stale).rejects.toMatchObject({ code: 'version_mismatch', status: 412 });
    const done = await client.compact({ id, body: { mode: 'full' } }, { waitSeconds: 30 });
    expect(done).toMatchObject({ status: 'ended' });
  });

  test('goes through all pages', async () => {
    const items = Array.from({ length: 25 }, (_, n) => user(`message ${n}`));
    const id = await session(items);
    const seqs: number[] = [];
    for await (const { seq } of client.each('listItems', { id, limit: 10 })) seqs.push(seq);
    expect(seqs).toEqual(items.map((_, index) => index + 2));
    const ids: string[] = [];
    for await (const { id: one } of client.each('listSessions', { limit: 2 })) ids.push(one);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain(id);
  });

  test('reads the audit trail line by line', async () => {
    const id = await session([user('one'), user('two')]);
    const kinds: unknown[] = [];
    for await (const line of await client.getRollout({ id })) kinds.push(line);
    expect(kinds.length).toBeGreaterThan(2);
  });

  describe('tries again', () => {
    test('as long as the service asks it to wait', async () => {
      const id = await session();
      const busy = { kind: 'status', status: 503, headers: { 'retry-after': '0' } } as const;
      between.script(busy, busy);
      await expect(shaky.getSession({ id })).resolves.toMatchObject({ id });
      expect(between.requests).toHaveLength(3);
    });

    test('an append whose answer was lost, which is there once', async () => {
      const id = await session();
      between.script({ kind: 'cut_after' }, { kind: 'cut_within', bytes: 5 });
      await shaky.appendItems({ id, body: user('only once') });
      const keys = between.requests.map(({ headers }) => headers['idempotency-key']);
      expect(keys).toHaveLength(3);
      expect(new Set(keys).size).toBe(1);
      const { data } = await client.listItems({ id });
      expect(data.filter(({ item }) => item.content === 'only once')).toHaveLength(1);
    });

    test('not what might be done twice', async () => {
      between.script({ kind: 'cut_before' });
      const created = shaky.createSession({ body: { id: 'perhaps' } });
      await expect(created).rejects.toThrow(ConnectionError);
      await expect(created).rejects.toThrow('/sessions');
      expect(between.requests).toHaveLength(1);
      // Of a 503 it is known that nothing was done.
      between.script({ kind: 'status', status: 503 });
      await expect(shaky.createSession({ body: { id: 'perhaps' } })).resolves.toBeDefined();
    });

    test('not what is refused, nor more often than asked', async () => {
      between.script({ kind: 'status', status: 400, body: 'no JSON' });
      await expect(shaky.health()).rejects.toMatchObject({ code: 'unreadable', status: 400 });
      expect(between.requests).toHaveLength(1);
      between.forget();
      const away = { kind: 'status', status: 503, headers: { 'retry-after': '0' } } as const;
      between.script(away, away, away, away);
      await expect(shaky.health()).rejects.toMatchObject({ status: 503, retryAfter: 0 });
      expect(between.requests).toHaveLength(3);
      between.forget();
      between.script({ kind: 'status', status: 429, headers: { 'retry-after': '3600' } });
      await expect(shaky.health()).rejects.toMatchObject({ retryAfter: 3600 });
      expect(between.requests).toHaveLength(1);
    });
  });

  test('gives up after its time-out, and when it is told to', async () => {
    between.script({ kind: 'hang' });
    // Long enough for the request to arrive.
    const late = shaky.health({}, { timeoutMs: 2_000, retries: 0 });
    await expect(late).rejects.toThrow(TimeoutError);
    await expect(late).rejects.toThrow('no answer within 2000 ms');
    between.script({ kind: 'hang' });
    const stop = new AbortController();
    const stopped = shaky.health({}, { signal: stop.signal });
    await expect.poll(() => between.requests.length).toBe(2);
    stop.abort(new Error('enough'));
    await expect(stopped).rejects.toThrow('enough');
    between.forget();
    between.script({ kind: 'status', status: 503, headers: { 'retry-after': '50' } });
    const waiting = new AbortController();
    const waits = shaky.health({}, { signal: waiting.signal });
    await expect.poll(() => between.requests.length).toBe(1);
    waiting.abort(new Error('no more waiting'));
    await expect(waits).rejects.toThrow('no more waiting');
  });

  describe('follows events', () => {
    test('from where it is told, across connections that break, each once', async () => {
      const id = await session([]);
      between.script({ kind: 'cut_within', bytes: 900 }, { kind: 'cut_before' });
      const versions: number[] = [];
      const appends = (async () => {
        for (let n = 0; n < 12; n++) await client.appendItems({ id, body: user(`word ${n}`) });
      })();
      for await (const { version } of shaky.follow({ id, after: 1 })) {
        versions.push(version);
        if (version === 13) break;
      }
      await appends;
      expect(versions).toEqual(Array.from({ length: 12 }, (_, n) => n + 2));
      expect(between.requests.length).toBeGreaterThan(2);
    });

    test('of the types that it names, until the signal', async () => {
      const id = await session([user('a'), user('b')]);
      const stop = new AbortController();
      const types: string[] = [];
      for await (const { type } of client.follow({ id, types: 'item.appended' }, stop)) {
        types.push(type);
        if (types.length === 2) stop.abort();
      }
      expect(types).toEqual(['item.appended', 'item.appended']);
    });

    test('and says what is wrong', async () => {
      const nobody = client.follow({ id: 'nobody' }).next();
      await expect(nobody).rejects.toMatchObject({ code: 'session_not_found' });
      between.script(...Array.from({ length: 3 }, () => ({ kind: 'cut_before' }) as const));
      await expect(shaky.follow({ id: 'nobody' }).next()).rejects.toThrow(ConnectionError);
    });
  });
});
