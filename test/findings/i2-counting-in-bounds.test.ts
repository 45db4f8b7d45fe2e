import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventStore } from '../../src/app/ports/event-store.ts';
import { openSqliteStore } from '../../src/db/sqlite/sqlite-store.ts';
import { createSession } from '../../src/domain/session/create-session.ts';
import type { World } from '../../src/domain/session/world.ts';
import { loadTokenizer } from '../../src/tokenizer-loader.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { call, result, user } from '../support/items.ts';
import { SeededRandom } from '../support/seeded-random.ts';

const LIMITS = {
  body_bytes: 16_777_216,
  items_per_request: 10_000,
  json_depth: 64,
  json_values: 400_000,
  rate_per_minute_per_key: null,
};
const random = new SeededRandom(7);
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const base64 = (length: number) => {
  const some = Array.from({ length: 70_000 }, () => LETTERS[Math.floor(random.next() * 64)]).join(
    '',
  );
  return some.repeat(Math.ceil(length / some.length)).slice(0, length);
};
const code = (n: number) =>
  Array.from(
    { length: 4_000 },
    (_, line) => `export const limit${n * 7 + line} = read(config, "limits.${line}", ${line * n});`,
  ).join('\n');

describe('I2: a real tokenizer does not hold up the service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-i2-'));
  const path = join(folder, 'store.db');
  let api: ApiServer;
  let other: EventStore;
  beforeAll(async () => {
    const tokenizers: { -readonly [N in keyof World['tokenizers']]: World['tokenizers'][N] } = {};
    api = await startApi({
      store: await openSqliteStore({ path }),
      limits: LIMITS,
      world: { server: {}, tokenizers },
      loadTokenizer: async (name) => {
        tokenizers[name] = await loadTokenizer(name);
      },
    });
    other = await openSqliteStore({ path });
    await start('warm');
    await send(api, 'POST', '/sessions/warm/items', { body: user('Load the tokenizer.') });
  });
  afterAll(async () => {
    await other.close();
    await api.close();
    rmSync(folder, { recursive: true });
  });

  const start = (id: string) =>
    send(api, 'POST', '/sessions', {
      body: { id, context_window: 10_000_000, config: { token_counter: 'o200k_base' } },
    });
  const tokensOf = async (id: string) =>
    (
      await api.deps.store.events({ tenant: 'local', session_id: id }, { types: ['item.appended'] })
    ).map(({ data }) => Object(data).tokens);

  /** Requests that others got an answer to, and writes of another process, while this one ran. */
  async function meanwhile(
    request: Promise<unknown>,
  ): Promise<{ answers: number; writes: number }> {
    const done = { answers: 0, writes: 0 };
    let isOver = false;
    const poll = async () => {
      while (!isOver) {
        await send(api, 'GET', '/healthz');
        if (!isOver) done.answers += 1;
      }
    };
    const write = async () => {
      while (!isOver) {
        const ref = { tenant: 'other', session_id: `w-${Math.random()}` };
        const session = {
          format: 'anthropic',
          profile: 'default',
          config: {},
          model: null,
          context_window: 200_000,
          initial_context: [],
          metadata: {},
        } as const;
        const command = createSession({ server: {}, tokenizers: {} }, session);
        await other.commit(ref, command, { at: '2026-01-02T03:04:05.000Z' });
        if (!isOver) done.writes += 1;
      }
    };
    const others = [poll(), write()];
    try {
      await request;
    } finally {
      isOver = true;
      await Promise.all(others);
    }
    return done;
  }

  it.each<[string, () => unknown]>([
    ['7 MB of base64', () => user(base64(7_000_000))],
    [
      'ten files of 200 KB',
      () =>
        Array.from({ length: 10 }, (_, n) => [
          call(`c${n}`, 'Read'),
          result(`c${n}`, code(n + 1)),
        ]).flat(),
    ],
    ['Chinese without a stop', () => user('中文字符测试没有标点'.repeat(30_000))],
    [
      '10,000 small items',
      () =>
        Array.from({ length: 10_000 }, (_, n) =>
          user(`Item ${n}: ${(n * 7_919_777).toString(36)} in the list`),
        ),
    ],
  ])('others are answered while %s is counted', async (name, items) => {
    const id = name.replaceAll(/\W/g, '-');
    await start(id);
    const body = items();
    const { answers, writes } = await meanwhile(
      send(api, 'POST', `/sessions/${id}/items`, { body }).then(({ status }) =>
        expect(status).toBe(201),
      ),
    );
    expect(answers).toBeGreaterThan(10);
    expect(writes).toBeGreaterThan(10);
  });

  it('the same request counts the same, and what is sampled is near the truth', async () => {
    const files = Array.from({ length: 6 }, (_, n) => code(n + 1));
    for (const id of ['one', 'two']) {
      await start(id);
      await send(api, 'POST', `/sessions/${id}/items`, { body: files.map((text) => user(text)) });
    }
    const counts = await tokensOf('one');
    expect(await tokensOf('two')).toEqual(counts);
    for (const [index, text] of files.entries()) {
      expect(Math.abs(counts[index] / countTokens(text) - 1)).toBeLessThan(0.05);
    }
    const { problems } = await api.deps.store.verify();
    expect(problems).toEqual([]);
  });

  it('a small request is counted in full', async () => {
    const text = code(3).slice(0, 100_000);
    await start('small');
    await send(api, 'POST', '/sessions/small/items', { body: user(text) });
    const [tokens] = await tokensOf('small');
    expect(Math.abs(tokens / countTokens(text) - 1)).toBeLessThan(0.02);
  });
});
