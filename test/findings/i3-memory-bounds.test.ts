import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqlite } from '../../src/db/sqlite/driver.ts';
import { openSqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import type { Decide } from '../../src/domain/session/decision.ts';
import { accept } from '../../src/domain/session/errors.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';

const LIMITS = {
  body_bytes: 16_777_216,
  items_per_request: 10_000,
  json_depth: 64,
  json_values: 400_000,
  rate_per_minute_per_key: null,
};
/** Three bytes each, and some sixty once they are objects. */
const MANY_OBJECTS = `{"x":[${'{},'.repeat(5_500_000)}{}]}`;

describe('I3: what one tenant sends bounds the memory that it costs', () => {
  let api: ApiServer;
  beforeAll(async () => {
    api = await startApi({ limits: LIMITS });
  });
  afterAll(() => api.close());

  const post = (id: string, body: unknown, headers = {}) =>
    send(api, 'POST', `/sessions/${id}/items`, { body, headers });

  it.each([
    ['an item', `{"role":"user","content":"Look.",${MANY_OBJECTS.slice(1)}`],
    [
      'an item of many',
      `{"items":[{"role":"user","content":"Look."},${MANY_OBJECTS.slice(0, -3)}]}]}`,
    ],
    ['a list of arrays', `[${'[],'.repeat(2_000_000)}[]]`],
    ['one long list', `{"role":"user","content":"Look.","x":[${'1,'.repeat(2_000_000)}1]}`],
  ])('%s of millions of JSON values is refused with the limit', async (_, body) => {
    const reply = await post('values', body);
    expect(reply.status).toBe(413);
    expect(reply.body.detail).toMatch(/400000 JSON values .*: send the items in several requests/);
  });

  it('so are lines of them', async () => {
    const line = `{"role":"user","content":"Look.","x":[${'{},'.repeat(10_000)}{}]}\n`;
    const headers = { 'content-type': 'application/x-ndjson' };
    expect((await post('lines', line.repeat(100), headers)).status).toBe(413);
    expect((await post('lines', line.repeat(5), headers)).status).toBe(201);
  });

  it('and arguments of calls that hold them in a string', async () => {
    await send(api, 'POST', '/sessions', { body: { id: 'inside', format: 'openai-responses' } });
    const calls = Array.from({ length: 20 }, (_, index) => ({
      type: 'function_call',
      call_id: `call_${index}`,
      name: 'exec_command',
      arguments: ` {"cmd":"ls","x":[${'{},'.repeat(20_000)}{}]}`,
    }));
    expect((await post('inside', calls)).status).toBe(413);
    expect((await post('inside', calls.slice(0, 4))).status).toBe(201);
  });

  it('a request of 10,000 real items is taken, however much text there is in them', async () => {
    const turn = (index: number) => [
      {
        role: 'user',
        content: [{ type: 'text', text: `Question ${index}, about [a, b, c], {d}.` }],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me look.' },
          {
            type: 'tool_use',
            id: `toolu_${index}`,
            name: 'Edit',
            input: { file_path: 'a.ts', old_string: 'x[0], {y}', new_string: '[{"a":1,"b":2}]' },
          },
        ],
        usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3 },
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: `toolu_${index}`, content: 'a, [b], {c}, ' }],
      },
    ];
    const items = Array.from({ length: 3_333 }, (_, index) => turn(index)).flat();
    expect((await post('real', { items })).status).toBe(201);
  });

  it('a long text that begins like JSON counts as the text that it is', async () => {
    const code = '[1] const a = "b, c, {d}";\n'.repeat(20_000);
    expect((await post('code', { role: 'user', content: code })).status).toBe(201);
  });

  it('ids of calls do not make a head large, and still find their results', async () => {
    const id = (n: number) => `toolu_${n}_${'a'.repeat(260_000)}`;
    await send(api, 'POST', '/sessions', { body: { id: 'ids', profile: 'rawr' } });
    for (let from = 0; from < 60; from += 30) {
      const calls = Array.from({ length: 30 }, (_, index) => ({
        role: 'assistant',
        content: [
          {
            type: 'tool_use',
            id: id(from + index),
            name: 'Bash',
            input: { command: 'git commit -m "Add the limit"' },
          },
        ],
      }));
      expect((await post('ids', calls)).status).toBe(201);
    }
    const head = await api.deps.store.head({ tenant: 'local', session_id: 'ids' });
    expect(head?.state.open_commands).toHaveLength(60);
    expect(JSON.stringify(head).length).toBeLessThan(50_000);
    // The right one of sixty whose ids begin and end alike.
    await post('ids', {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: id(7), content: '[main 1a2b3c4] Add the limit' },
      ],
    });
    const after = await api.deps.store.head({ tenant: 'local', session_id: 'ids' });
    expect(after?.state.signals).toEqual(['commit']);
    expect(after?.state.open_commands).toHaveLength(59);
    expect((await send(api, 'GET', '/sessions?limit=100')).text.length).toBeLessThan(100_000);
  });

  it('phrases of a session are bounded together, however many requests bring them', async () => {
    const phrases = (n: number) =>
      Array.from({ length: 200 }, (_, index) => `${n} ${index} ${'x'.repeat(150)}`);
    const first = await send(api, 'POST', '/sessions', {
      body: { id: 'phrases', profile: 'rawr', config: { signal_agent_done: phrases(1) } },
    });
    expect(first.status).toBe(201);
    const second = await send(api, 'PATCH', '/sessions/phrases', {
      body: { config: { signal_topic_shift: phrases(2) } },
    });
    expect(second.status).toBe(200);
    const third = await send(api, 'PATCH', '/sessions/phrases', {
      body: { config: { signal_concluding_thought: phrases(3) } },
    });
    expect(third.status).toBe(400);
    expect(third.body.detail).toMatch(/may have at most 65536: use fewer or shorter phrases/);
    const whole = await send(api, 'POST', '/sessions', {
      body: {
        profile: 'rawr',
        config: {
          signal_agent_done: phrases(1),
          signal_topic_shift: phrases(2),
          signal_concluding_thought: phrases(3),
        },
      },
    });
    expect(whole.status).toBe(400);
  });

  it('a page of sessions ends where their heads have become large, and the next one goes on', async () => {
    const metadata = { note: 'm'.repeat(65_000) };
    for (let n = 0; n < 100; n++) {
      await send(api, 'POST', '/sessions', { body: { id: `large-${n}`, metadata } });
    }
    const seen: unknown[] = [];
    let cursor = '';
    for (let pages = 0; pages < 20; pages++) {
      const page = await send(api, 'GET', `/sessions?limit=100${cursor}`);
      expect(page.text.length).toBeLessThan(6_000_000);
      const data = Array.isArray(page.body.data) ? page.body.data : [];
      for (const session of data) seen.push(Object(session).id);
      if (page.body.next_cursor === null) break;
      cursor = `&cursor=${page.body.next_cursor}`;
    }
    expect(seen.slice(0, 100)).toEqual(Array.from({ length: 100 }, (_, n) => `large-${99 - n}`));
    expect(seen).toContain('ids');
    expect(new Set(seen).size).toBe(seen.length);
  });
});

describe('I3: a database of an older release with large heads', () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-i3-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('opens with small ones, and says the same', async () => {
    const path = join(folder, 'old.db');
    const ref = { tenant: 'local', session_id: 'old' };
    const ids = Array.from({ length: 60 }, (_, n) => `toolu_${n}_${'a'.repeat(100_000)}`);
    // As version 0.1.0 wrote the log: the ids as they came.
    const decide: Decide<null> = () =>
      accept({
        events: [
          {
            type: 'session.created',
            data: {
              format: 'anthropic',
              profile: 'rawr',
              config: {},
              model: null,
              context_window: 200_000,
              initial_context: [],
              metadata: {},
            },
          },
          ...ids.map((id) => ({
            type: 'item.appended' as const,
            data: {
              item: {
                role: 'assistant',
                content: [{ type: 'tool_use', id, name: 'Bash', input: { command: 'git commit' } }],
              },
              tokens: 10,
              commands: [{ id, boundary: 'commit' as const }],
            },
          })),
        ],
        value: () => null,
      });
    const store = await openSqliteStore({ path });
    await store.commit(ref, decide, { at: '2026-01-02T03:04:05.000Z' });
    const state = { ...(await store.head(ref))?.state };
    await store.close();
    const open_commands = ids.map((id) => ({ id, boundary: 'commit' }));
    const db = openSqlite(path);
    db.prepare('UPDATE sessions SET state = ?').run(JSON.stringify({ ...state, open_commands }));
    db.exec('UPDATE head_version SET version = 2');
    db.close();

    const reopened = await openSqliteStore({ path });
    const head = await reopened.head(ref);
    expect(head?.state.open_commands).toHaveLength(60);
    expect(JSON.stringify(head).length).toBeLessThan(50_000);
    expect((await reopened.verify()).problems).toEqual([]);
    expect(await reopened.events(ref, { limit: 3 })).toMatchObject([
      {},
      { data: { commands: [{ id: ids[0] }] } },
      {},
    ]);
    await reopened.close();
  });
});
