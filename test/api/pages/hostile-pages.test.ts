import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SearchableStore } from '../../../src/app/ports/search-index.ts';
import { type ApiServer, send, startApi } from '../../support/api-server.ts';
import { assistant, call, ofTokens, result, user } from '../../support/items.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const EVIL = '<script>alert(1)</script>"\'><img src=x onerror=alert(2)>';
const BIDI = '\u202Etxt.exe\u2066\u2069';
const ITEMS = 3_000;
const LIMIT = 1_000_000;

let api: ApiServer;
let store: SearchableStore;
beforeAll(async () => {
  store = await openTestStore();
  api = await startApi({
    store,
    limits: {
      body_bytes: 50_000_000,
      items_per_request: 10_000,
      json_depth: 64,
      json_values: 2_000_000,
      rate_per_minute_per_key: null,
    },
  });
});
afterAll(() => api.close());

const page = (path: string) => send(api, 'GET', path, { headers: { accept: 'text/html' } });

async function begun(id: string, items: object[], more: object = {}): Promise<void> {
  const body = { id, context_window: 200_000, config: { auto_compact_enabled: false }, ...more };
  expect((await send(api, 'POST', '/sessions', { body })).status).toBe(201);
  expect((await send(api, 'POST', `/sessions/${id}/items`, { body: items })).status).toBe(201);
}

async function compacted(id: string, body: object): Promise<string> {
  const asked = await send(api, 'POST', `/sessions/${id}/compact`, { body });
  expect(asked.status).toBe(202);
  await api.work(api.dispatched.at(-1));
  return String(asked.body.id);
}

function pagesOf(id: string, cid: string, seq = 2): string[] {
  const session = `/inspect/sessions/${id}`;
  return [
    '/',
    session,
    `${session}/context`,
    `${session}/context?at=3`,
    `${session}/context?ago=60`,
    `${session}/log`,
    `${session}/items/${seq}`,
    `${session}/search?q=${encodeURIComponent(`${EVIL} OR marker`)}`,
    `/inspect/search?q=${encodeURIComponent(`"${EVIL}"`)}`,
    `${session}/compactions/${cid}`,
    `${session}/compactions/${cid}/covered`,
    `${session}/dry-run?mode=full`,
    `${session}/items/999999`,
    `${session}/compactions/${encodeURIComponent(EVIL)}`,
    `${session}/context?at=${encodeURIComponent(EVIL)}`,
    `${session}?done=${encodeURIComponent(EVIL)}`,
    `/inspect/login?next=${encodeURIComponent(`javascript:${EVIL}`)}`,
  ];
}

/** Tags and attributes that only a text of a client can have brought in. */
function injected(html: string): string[] {
  const bare = html.replaceAll(/<script src="\/inspect\/assets\/[^"]+"[^>]*><\/script>/g, '');
  const tags = bare.replaceAll(/="[^"]*"/g, '=""');
  return [
    ...(tags.match(/<script|<[a-z][^<>]*\son[a-z]+\s*=/gi) ?? []),
    ...(bare.match(/(?:href|action|src)="javascript:|<img(?! src="\/inspect\/assets)/gi) ?? []),
  ];
}

describe('what somebody made up to break pages', () => {
  it('stands in every field as text', async () => {
    await begun(
      'evil',
      [
        user(`marker ${EVIL} ${BIDI}`),
        assistant(EVIL),
        call('t1', 'Read', { file_path: `${EVIL}${BIDI}.ts`, [EVIL]: EVIL }),
        result('t1', `${EVIL}\n${ofTokens(3_000)}`),
        call('t2', 'mcp__evil__x', { command: EVIL }),
        result('t2', ofTokens(2_000)),
        assistant(`Done ${EVIL}`),
        user('And now?'),
        assistant('Nothing.'),
      ],
      { metadata: { note: EVIL }, model: 'evil-model' },
    );
    const pin = await send(api, 'POST', '/sessions/evil/pins', { body: { text: EVIL } });
    expect(pin.status).toBe(201);
    const cid = await compacted('evil', { mode: 'full', instructions: EVIL, focus: EVIL });
    const escaped = '&lt;script&gt;alert(1)';
    let seen = 0;
    for (const path of pagesOf('evil', cid)) {
      const { status, text } = await page(path);
      expect({ path, wrong: injected(text) }).toEqual({ path, wrong: [] });
      expect([200, 303, 400, 404]).toContain(status);
      if (text.includes(escaped)) seen += 1;
    }
    expect(seen).toBeGreaterThan(6);
    const compaction = await page(`/inspect/sessions/evil/compactions/${cid}`);
    expect(compaction.text.split(escaped).length).toBeGreaterThan(3);
  });

  it('shows signs that no page can hold as signs that it can', async () => {
    const odd = 'nul\u0000here lone\ud83d high \udc00low esc\u001b[31m bell\u0007 last\uffff';
    await begun('odd', [
      user(`marker ${odd}`),
      call('t1', 'Read', { file_path: `src/${odd}.ts` }),
      result('t1', `${odd}\n${ofTokens(3_000)}`),
      assistant(`Done ${odd}`),
      user('And now?'),
      assistant('Nothing.'),
    ]);
    const pin = await send(api, 'POST', '/sessions/odd/pins', { body: { text: odd } });
    expect(pin.status).toBe(201);
    const cid = await compacted('odd', { mode: 'full', instructions: odd });
    let seen = 0;
    for (const path of [
      ...pagesOf('odd', cid),
      `/inspect/search?q=${encodeURIComponent('nul\u0000here')}`,
    ]) {
      const headers = { accept: 'text/html' };
      const answer = await fetch(api.url + path, { headers, redirect: 'manual' });
      expect([200, 303, 400, 404]).toContain(answer.status);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      // Well-formed, or this throws.
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
      const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.exec(text)?.[0];
      expect({ path, control: control?.codePointAt(0) }).toEqual({ path, control: undefined });
      if (text.includes('nul\u2400here')) seen += 1;
    }
    expect(seen).toBeGreaterThan(4);
  });

  it('is cut where it is a line without an end', async () => {
    await begun('line', [
      user(`marker ${'x'.repeat(3_000_000)}`),
      call('t', 'y'.repeat(64), { file_path: `/${'d/'.repeat(20_000)}f.ts` }),
      result('t', '\u202E'.repeat(200_000)),
      assistant('z'.repeat(500_000)),
    ]);
    const cid = await compacted('line', { mode: 'full' });
    for (const path of pagesOf('line', cid)) {
      const { text } = await page(path);
      expect({ path, bytes: Buffer.byteLength(text) > LIMIT }).toEqual({ path, bytes: false });
    }
  });
});

describe('a session of many items', () => {
  const rounds = Array.from({ length: ITEMS / 4 }, (_, round) => [
    user(`marker of round ${round}`),
    call(`t${round}`, 'Read', { file_path: `src/file${round % 30}.ts` }),
    result(`t${round}`, `export const limit${round} = ${round};`),
    assistant(`It exports limit${round}.`),
  ]).flat();

  it('shows a page of each page, whatever there is', async () => {
    await begun('few', rounds.slice(0, 200), { context_window: 2_000_000 });
    await begun('many', rounds, { context_window: 2_000_000 });
    const few = await compacted('few', { mode: 'full', propose: true });
    const many = await compacted('many', { mode: 'full', propose: true });
    const parts = (html: string) => html.match(/<(?:li|article|tr)\b/g)?.length ?? 0;
    const short = pagesOf('few', few);
    for (const [index, path] of pagesOf('many', many).entries()) {
      const [large, small] = [await page(path), await page(short[index] ?? '')];
      expect({ path, status: large.status }).toEqual({ path, status: small.status });
      expect({ path, bytes: Buffer.byteLength(large.text) > LIMIT / 2 }).toEqual({
        path,
        bytes: false,
      });
      // Lists are as long as those of a fifteenth of it, but for what both show a page of.
      expect({ path, parts: parts(large.text) - parts(small.text) > 120 }).toEqual({
        path,
        parts: false,
      });
    }
  });

  it('is read once for each side of a compaction, and by halving for a moment', async () => {
    const events = vi.spyOn(store, 'events');
    const readBy = async (path: string) => {
      events.mockClear();
      expect((await page(path)).status).toBe(200);
      let read = 0;
      for (const { value } of events.mock.results) read += (await value).length;
      return read;
    };
    const [{ id: cid = '' } = {}] = (
      (await send(api, 'GET', '/sessions/many/compactions')).body as { data: { id: string }[] }
    ).data;
    const session = '/inspect/sessions/many';
    expect(await readBy(`${session}/compactions/${cid}`)).toBeLessThan(2 * ITEMS + 200);
    expect(await readBy(`${session}/context`)).toBeLessThan(ITEMS + 50);
    expect(await readBy(`${session}/dry-run?mode=full`)).toBeLessThan(ITEMS + 50);
    expect(await readBy(`${session}/items/2`)).toBeLessThan(200);
    expect(await readBy(`${session}/context?ago=60`)).toBeLessThan(100);
    events.mockRestore();
  });
});

describe('a session', () => {
  it('without items says what to do', async () => {
    await send(api, 'POST', '/sessions', { body: { id: 'nothing' } });
    const timeline = await page('/inspect/sessions/nothing');
    expect(timeline.text).toContain('None yet. The first comes by itself');
    const context = await page('/inspect/sessions/nothing/context');
    expect(context.text).toContain('The context is empty at this version.');
  });

  it('shows an hour ago what it was then', async () => {
    const { text } = await page('/inspect/sessions/nothing/context?ago=60');
    expect(text).toMatch(/Version 1 of/);
    expect((await page('/inspect/sessions/nobody/context?ago=60')).status).toBe(404);
    expect((await page('/inspect/sessions/nothing/context?ago=soon')).status).toBe(400);
  });
});
