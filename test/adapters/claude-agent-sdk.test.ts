import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { palimpsest } from '../../src/adapters/claude-agent-sdk.ts';
import { createClient } from '../../src/client/client.ts';
import { atScale } from '../support/scale.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';

const DATA = new URL('../../../shared/data/claude-code/', import.meta.url);
const isPresent = existsSync(DATA);

type Entry = { type: string; uuid?: string; [field: string]: unknown };
const said = (type: 'user' | 'assistant', content: unknown, more: object = {}): Entry => ({
  type,
  uuid: crypto.randomUUID(),
  message: { role: type, content },
  ...more,
});
const title = (customTitle: string): Entry => ({ type: 'custom-title', customTitle });
const newKey = (projectKey = '-home-project') => ({ projectKey, sessionId: crypto.randomUUID() });

describe('palimpsest/claude-agent-sdk', () => {
  let service: ServiceProcess;
  let isAway = false;
  /** What happens to the answers of the next requests that append. */
  let lost = 0;
  const errors: unknown[] = [];
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.dispose());

  const clientOf = () => createClient({ url: service.url, retries: 0, fetch: shaky });
  async function shaky(request: Request): Promise<Response> {
    if (isAway) throw new TypeError('away');
    const isAppend = request.method === 'POST' && request.url.endsWith('/items');
    const response = await fetch(request);
    if (!isAppend || lost === 0) return response;
    lost -= 1;
    throw new TypeError('lost');
  }
  /** That of another process each time. */
  const newStore = () => palimpsest({ client: clientOf(), onError: (e) => errors.push(e) });
  const client = () => createClient({ url: service.url });

  test('gives back what it was given, and keeps what is said as messages', async () => {
    const key = newKey();
    const entries = [
      { type: 'mode', mode: 'normal', sessionId: key.sessionId },
      said('user', 'Why does the kingfisher build fail?', { timestamp: '2026-01-02T03:04:05Z' }),
      said('assistant', [{ type: 'text', text: 'Let me look.' }], { requestId: 'r' }),
      said('assistant', [{ type: 'tool_use', id: 't1', name: 'Read', input: { path: 'a' } }]),
      said('user', [{ type: 'tool_result', tool_use_id: 't1', content: 'half \ud83d\u0000' }], {
        toolUseResult: { numbers: [1e21, 0.1, -3] },
      }),
      said('user', 'It was compacted.', { isCompactSummary: true }),
      said('user', []),
      title('Kingfisher'),
    ];
    const store = newStore();
    await store.append(key, []);
    expect(await store.load(key)).toBeNull();
    await store.append(key, entries.slice(0, 3));
    await store.append(key, entries.slice(3));
    for (const loaded of [await store.load(key), await newStore().load(key)]) {
      expect(loaded).toEqual(entries);
      expect(JSON.stringify(loaded)).toBe(JSON.stringify(entries));
    }
    const { items } = await client().getContext({ id: key.sessionId });
    expect(items).toMatchObject([
      { role: 'user', content: 'Why does the kingfisher build fail?' },
      { role: 'assistant', content: [{ type: 'text' }, { type: 'tool_use' }] },
      { role: 'user', content: [{ type: 'tool_result' }] },
    ]);
    expect(items[0]).toEqual({ role: 'user', content: 'Why does the kingfisher build fail?' });
    const found = await client().search({ q: 'kingfisher' });
    expect(found.data.map(({ session_id }) => session_id)).toEqual([key.sessionId]);
    expect(await store.listSessions(key.projectKey)).toEqual([
      { sessionId: key.sessionId, mtime: expect.any(Number) },
    ]);
  });

  test('gives back any JSON, in whatever batches it came', async () => {
    const entry = fc
      .tuple(
        fc.constantFrom('user', 'assistant', 'system', 'progress', 'attachment'),
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 }),
        fc.option(fc.jsonValue({ maxDepth: 3 })),
        fc.boolean(),
      )
      .map(([type, more, content, isMessage]) => ({
        ...more,
        type,
        uuid: crypto.randomUUID(),
        ...(isMessage ? { message: { role: type, content } } : {}),
      }));
    const batches = fc.array(fc.array(entry, { minLength: 1, maxLength: 4 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(batches, async (given) => {
        const plain: Entry[][] = JSON.parse(JSON.stringify(given));
        const key = newKey('-any');
        const store = newStore();
        for (const batch of plain) await store.append(key, batch);
        expect(await newStore().load(key)).toEqual(plain.flat());
      }),
      { numRuns: atScale({ brief: 12, short: 30, long: 300 }) },
    );
  });

  test('takes an entry with an id once, whoever hands it over again', async () => {
    const key = newKey('-twice');
    const [one, two] = [said('user', 'one'), said('assistant', 'two')];
    const store = newStore();
    await store.append(key, [one, title('a'), one]);
    await store.append(key, [title('a'), one]);
    await newStore().append(key, [one, two]);
    expect(await store.load(key)).toEqual([one, title('a'), title('a'), two]);
    // Its answer was lost, and the SDK tries again with the same list.
    const batch = [title('b')];
    lost = 1;
    await expect(store.append(key, batch)).rejects.toThrow('lost');
    await store.append(key, batch);
    expect((await store.load(key))?.slice(4)).toEqual(batch);
  });

  test('hands over later, and in order, what came while the service was away', async () => {
    const key = newKey('-away');
    const store = newStore();
    const entries = ['one', 'two', 'three', 'four'].map((text) => said('user', text));
    isAway = true;
    errors.length = 0;
    const first = entries.slice(0, 1);
    for (const _ of [1, 2, 3]) await expect(store.append(key, first)).rejects.toThrow('away');
    isAway = false;
    await store.append(key, entries.slice(1, 2));
    isAway = true;
    await expect(store.append(key, entries.slice(2, 3))).rejects.toThrow('away');
    // Null would have the SDK resume an old copy.
    await expect(store.load(key)).rejects.toThrow('away');
    await expect(newStore().load(key)).rejects.toThrow('away');
    expect(errors[0]).toMatchObject({ name: 'ConnectionError' });
    isAway = false;
    expect(await store.load(key)).toEqual(entries.slice(0, 3));
    await store.append(key, entries.slice(3));
    expect(await newStore().load(key)).toEqual(entries);
  });

  test('halves what is too much at once, and drops what is always too much', async () => {
    const small = await startService({ PALIMPSEST_BODY_LIMIT_BYTES: '20000' });
    const key = newKey('-large');
    const store = palimpsest({ url: small.url });
    const many = Array.from({ length: 9 }, (_, n) => said('user', `${n} ${'x'.repeat(6_000)}`));
    await store.append(key, many);
    expect(await store.load(key)).toEqual(many);
    const huge = said('user', 'x'.repeat(30_000));
    await expect(store.append(key, [huge])).rejects.toThrow('at most 20000 bytes');
    await store.append(key, [title('goes on')]);
    expect(await store.load(key)).toEqual([...many, title('goes on')]);
    await small.dispose();
  });

  test('keeps projects and subagents apart, and lists and deletes them', async () => {
    const store = newStore();
    const key = newKey('-a');
    const elsewhere = { ...key, projectKey: '-b' };
    const agent = { ...key, subpath: 'subagents/agent-7' };
    const nested = { ...key, subpath: 'subagents/run/agent-7' };
    const [main, other, sub, deep] = ['main', 'other', 'sub', 'deep'].map((text) => [
      said('user', text),
    ]);
    if (!main || !other || !sub || !deep) throw new Error('four');
    await store.append(agent, sub);
    expect(await store.listSessions('-a')).toEqual([]);
    await store.append(key, main);
    await store.append(nested, deep);
    await store.append(elsewhere, other);
    const fresh = newStore();
    expect(await fresh.load(key)).toEqual(main);
    expect(await fresh.load(elsewhere)).toEqual(other);
    expect(await fresh.load(agent)).toEqual(sub);
    expect(await fresh.load({ ...elsewhere, subpath: agent.subpath })).toBeNull();
    expect((await fresh.listSubkeys(key)).toSorted()).toEqual([agent.subpath, nested.subpath]);
    expect(await fresh.listSubkeys(elsewhere)).toEqual([]);
    expect(await fresh.listSessions('-b')).toMatchObject([{ sessionId: key.sessionId }]);
    await fresh.delete(nested);
    expect(await fresh.listSubkeys(key)).toEqual([agent.subpath]);
    await fresh.delete(key);
    await fresh.delete(newKey());
    expect(await fresh.load(key)).toBeNull();
    expect(await fresh.load(agent)).toBeNull();
    expect(await fresh.load(elsewhere)).toEqual(other);
    // What was erased begins anew, also for who has written it before.
    const begun = [title('again')];
    await expect(store.append(key, begun)).rejects.toThrow('If-Match');
    await store.append(key, begun);
    await fresh.append(agent, sub);
    expect(await newStore().load(key)).toEqual(begun);
    expect(await newStore().load(agent)).toEqual(sub);
    await fresh.delete(agent);
    await fresh.append(agent, sub);
    expect(await newStore().load(agent)).toEqual(sub);
  });

  test('goes on from another folder, in the same transcript', async () => {
    const key = newKey('-home-first');
    const [one, two] = [said('user', 'one'), said('assistant', 'two')];
    await newStore().append(key, [one]);
    const moved = { ...key, projectKey: '-srv-second' };
    const store = newStore();
    expect(await store.load(moved)).toEqual([one]);
    await store.append(moved, [two]);
    expect(await newStore().load(moved)).toEqual([one, two]);
    expect(await newStore().load(key)).toEqual([one, two]);
  });

  test('never takes the session of somebody else', async () => {
    const key = newKey('-mine');
    await client().appendItems({ id: key.sessionId, body: { role: 'user', content: 'theirs' } });
    const store = newStore();
    expect(await store.load(key)).toBeNull();
    const mine = [said('user', 'mine')];
    await store.append(key, mine);
    expect(await newStore().load(key)).toEqual(mine);
    expect((await client().listItems({ id: key.sessionId })).data).toHaveLength(1);
  });

  test.skipIf(!isPresent || inject('scale') === 'brief')(
    'gives back real transcripts (../shared/data)',
    async () => {
      const store = palimpsest({ url: service.url, timeoutMs: 120_000 });
      for (const name of readdirSync(DATA).slice(0, atScale({ brief: 0, short: 3, long: 99 }))) {
        const text = gunzipSync(readFileSync(new URL(name, DATA))).toString();
        const lines: Entry[] = text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line));
        const seen = new Set<unknown>();
        const entries = lines.filter(
          ({ uuid }) => uuid === undefined || (!seen.has(uuid) && seen.add(uuid)),
        );
        const key = newKey(`-data-${name}`);
        for (let at = 0; at < lines.length; at += 200) {
          await store.append(key, lines.slice(at, at + 200));
        }
        expect(await palimpsest({ url: service.url }).load(key), name).toEqual(entries);
      }
    },
    240_000,
  );
});
