import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer as createHttpServer, get } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { StoredEvent } from '../src/app/ports/event-store.ts';
import { readSettings } from '../src/config.ts';
import { openSqliteStore } from '../src/db/sqlite/sqlite-store.ts';
import { listen } from '../src/listen.ts';
import { type Service, startService } from '../src/service.ts';
import { append } from './contracts/session-events.ts';
import { AT, appended, created, requested } from './support/given.ts';
import { user } from './support/items.ts';
import { freshQueue } from './support/servers/fresh.ts';

const HOST = '127.0.0.1';
const REF = { tenant: 'local', session_id: 's' };

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-service-'));
  path = join(folder, 'palimpsest.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

function start(environment: Record<string, string> = {}): Promise<Service> {
  const all = { DATABASE_URL: `file:${path}`, LOG_LEVEL: 'silent', ...environment };
  return startService(readSettings(all), all);
}

/** Leaves a compaction behind that has not ended, as a server does that was killed. */
async function leavePending(): Promise<void> {
  const store = await openSqliteStore({ path });
  const item = appended(user('Hello.'));
  await store.commit(REF, append(created(), item, requested({ trigger: 'manual' })), { at: AT });
  await store.close();
}

async function storedEvents(): Promise<StoredEvent[]> {
  const store = await openSqliteStore({ path });
  const events = await store.events(REF);
  await store.close();
  return events;
}

describe('compactions that another process left', () => {
  beforeEach(leavePending);

  it('are taken up once the service listens', async () => {
    const service = await start();
    const { close } = await listen(service, HOST, 0);
    while ((await service.store.pending(9)).length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await close();
    await service.stop();
    expect((await storedEvents()).at(-1)?.type).toMatch(/^compaction\.(skipped|completed)$/);
  });

  it('are left alone by a service that does not listen, as an import', async () => {
    const before = await storedEvents();
    const service = await start();
    const response = await service.fetch(new Request('http://localhost/sessions/s'));
    expect(response.status).toBe(200);
    await service.stop();
    expect(await storedEvents()).toEqual(before);
  });

  it('are left alone by a service whose port is taken, and it stops', async () => {
    const before = await storedEvents();
    const other = createServer();
    const port = await new Promise<number>((resolve) =>
      other.listen(0, HOST, () => {
        const address = other.address();
        resolve(address !== null && typeof address === 'object' ? address.port : 0);
      }),
    );
    const service = await start();
    await expect(listen(service, HOST, port)).rejects.toThrow(
      /is in use by another process.*set PORT/,
    );
    await expect(service.store.ping()).rejects.toThrow();
    await new Promise((resolve) => other.close(resolve));
    expect(await storedEvents()).toEqual(before);
  });
});

it('keeps an idle connection for longer than clients and proxies do', async () => {
  const service = await start();
  const { url, close } = await listen(service, HOST, 0);
  const { headers } = await fetch(`${url}/healthz`);
  expect(headers.get('keep-alive')).toBe('timeout=95');
  await close();
  await service.stop();
});

it('a client that keeps its connection is sent elsewhere when the service stops', async () => {
  const service = await start();
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  let answer = () => {};
  const answering = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const fetchSlowly = async () => {
    isAsked();
    await answering;
    return new Response('well');
  };
  const { url, close } = await listen({ ...service, fetch: fetchSlowly }, HOST, 0);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = () =>
    new Promise<string | undefined>((resolve, reject) => {
      get(url, { agent }, (response) => {
        response.resume();
        response.once('end', () => resolve(response.headers.connection));
      }).once('error', reject);
    });
  // The second request waits for the connection of the first.
  const answers = Promise.all([ask(), ask()]);
  await asked;
  const closed = close();
  answer();
  expect(await answers).toEqual(['keep-alive', 'close']);
  await closed;
  await service.stop();
});

describe('the start-up message says who writes the summaries', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ['nothing is set', {}, /^extractive \(built from the log/],
    [
      'keys',
      { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o' },
      /^by the session's own provider: anthropic\/claude-haiku-4-5, openai\/gpt-4o-mini; extractive for all others$/,
    ],
    [
      'a model for all',
      { PALIMPSEST_SUMMARIZATION_MODEL: 'openai/gpt-4.1', OPENAI_API_KEY: 'o' },
      /^model openai\/gpt-4\.1, then extractive if it fails$/,
    ],
    [
      'a provider for all',
      {
        PALIMPSEST_SUMMARIZATION_MODEL_PROVIDER_ID: 'openai',
        OPENAI_API_KEY: 'o',
        GROQ_API_KEY: 'q',
      },
      /^model openai\/gpt-4o-mini, then extractive if it fails$/,
    ],
    [
      'a model without its key',
      { PALIMPSEST_SUMMARIZATION_MODEL: 'openai/gpt-4.1', ANTHROPIC_API_KEY: 'a' },
      /^extractive, because the configured model cannot be used: .*OPENAI_API_KEY/,
    ],
    [
      'a local model without an address, since it has a default',
      { PALIMPSEST_SUMMARIZATION_MODEL: 'ollama/qwen3:8b' },
      /^model ollama\/qwen3:8b, then extractive if it fails$/,
    ],
    [
      'extractive in spite of a key',
      { PALIMPSEST_SUMMARIZATION_MODEL: 'extractive', OPENAI_API_KEY: 'o' },
      /^extractive/,
    ],
  ])('%s', async (_name, environment, expected) => {
    const service = await start(environment);
    await service.stop();
    expect(service.summarizer).toMatch(expected);
  });
});

it('content of compaction items is read by every process that has the same secret', async () => {
  const compact = async (service: Service, input: unknown) => {
    const response = await service.fetch(
      new Request('http://localhost/v1/responses/compact', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'gpt-5.4', input }),
      }),
    );
    const body = z.record(z.string(), z.json()).parse(await response.json());
    return { status: response.status, body };
  };
  const shared = { PALIMPSEST_COMPACTION_SECRET: 'a secret of thirty-two characters' };
  const [one, two, other] = [await start(shared), await start(shared), await start()];
  const { body } = await compact(one, 'Hello');
  expect(body).toMatchObject({ object: 'response.compaction' });
  expect(await compact(two, body.output)).toMatchObject({ status: 200 });
  expect(await compact(other, body.output)).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_encrypted_content' } },
  });
  for (const service of [one, two, other]) await service.stop();
});

describe('roles', () => {
  const items = [user('Hello.'), user('Anybody there?')];
  const post = (service: Service, path: string, body: unknown) =>
    service.fetch(
      new Request(`http://localhost${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', prefer: 'wait=0' },
        body: JSON.stringify(body),
      }),
    );
  const ended = async ({ store }: Service) => {
    while ((await store.pending(9)).length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  it('an API hands compactions over, a worker carries them out', async () => {
    const { url, prefix } = freshQueue();
    const shared = { REDIS_URL: url, PALIMPSEST_QUEUE_PREFIX: prefix };
    const api = await start({ ...shared, ROLE: 'api' });
    expect((await post(api, '/sessions/s/items', items)).status).toBe(201);
    expect((await post(api, '/sessions/s/compact', { mode: 'full' })).status).toBe(202);
    const worker = await start({ ...shared, ROLE: 'worker' });
    await ended(worker);
    expect((await api.store.events(REF)).at(-1)?.type).toMatch(/^compaction\.(skipped|completed)$/);
    await worker.stop();
    await api.stop();
  });

  it('an API shows the queue to the operator', async () => {
    const { url, prefix } = freshQueue();
    const key = 'the-key-of-the-operator';
    const api = await start({
      REDIS_URL: url,
      PALIMPSEST_QUEUE_PREFIX: prefix,
      PALIMPSEST_OPERATOR_KEY: key,
      ROLE: 'api',
    });
    const board = (headers: Record<string, string>) =>
      api.fetch(new Request('http://localhost/admin/queues', { headers }));
    expect((await board({})).status).toBe(401);
    expect((await board({ authorization: `Bearer ${key}` })).status).toBe(200);
    await api.stop();
  });

  it('a worker answers its health and says where the rest is', async () => {
    const { url, prefix } = freshQueue();
    const worker = await start({
      REDIS_URL: url,
      PALIMPSEST_QUEUE_PREFIX: prefix,
      ROLE: 'worker',
    });
    const get = (path: string) => worker.fetch(new Request(`http://localhost${path}`));
    expect((await get('/healthz')).status).toBe(200);
    expect((await get('/readyz')).status).toBe(200);
    const elsewhere = await get('/sessions');
    expect(elsewhere.status).toBe(404);
    expect(await elsewhere.json()).toMatchObject({
      detail: expect.stringContaining('send this request to an API process'),
    });
    await worker.stop();
  });

  it('without Redis an API accepts items, and what they cause waits in the log', async () => {
    const api = await start({ REDIS_URL: 'redis://127.0.0.1:1', ROLE: 'api' });
    expect((await post(api, '/sessions/s/items', items)).status).toBe(201);
    expect((await post(api, '/sessions/s/compact', { mode: 'full' })).status).toBe(202);
    const get = (path: string) => api.fetch(new Request(`http://localhost${path}`));
    const ready = await get('/readyz');
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ detail: 'the queue cannot be reached' });
    expect((await get('/readyz?exclude=queue')).status).toBe(200);
    expect(await api.store.pending(9)).toHaveLength(1);
    await api.stop();
  });
});

describe('a service that stops', () => {
  const answer = {
    id: 'resp_last',
    object: 'response',
    status: 'completed',
    output: [
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'A file is missing.', annotations: [] }],
      },
    ],
  };
  const provider = createHttpServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  let upstream: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => provider.listen(0, HOST, resolve));
    const address = provider.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    upstream = `http://${HOST}:${address.port}/v1`;
  });
  afterAll(() => new Promise((resolve) => provider.close(resolve)));

  async function answered(service: Service, body: object): Promise<string | null> {
    const headers = { 'content-type': 'application/json' };
    const request = {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'gpt-5.4', ...body }),
    };
    const response = await service.fetch(new Request('http://localhost/v1/responses', request));
    expect(await response.json()).toMatchObject({ id: 'resp_last' });
    return response.headers.get('palimpsest-session');
  }

  // A stop waits for two seconds, in which a machine under load may not get to it: red each time without that.
  const tries = { retry: 4 };
  it(
    'writes down the answers that have gone out: who goes on from one is known',
    tries,
    async () => {
      const gateway = { PALIMPSEST_UPSTREAM_OPENAI: upstream, PALIMPSEST_THREADS: '0' };
      const service = await start(gateway);
      const session = await answered(service, { input: 'Why does the build fail?' });
      expect(session).not.toBeNull();
      await service.stop();

      const next = await start(gateway);
      const further = { previous_response_id: 'resp_last', input: 'Which one?' };
      expect(await answered(next, further)).toBe(session);
      await next.stop();
    },
  );
});

it('says of a host that is none that it is none', async () => {
  const service = await start();
  const { url, close } = await listen(service, HOST, 0);
  try {
    const headers = { host: '99999999999999999999' };
    for (const path of ['/v1/models', '/sessions']) {
      const text = await new Promise<string>((resolve, reject) => {
        get(`${url}${path}`, { headers }, (answer) => {
          let body = `${answer.statusCode} `;
          answer.setEncoding('utf8').on('data', (piece: string) => {
            body += piece;
          });
          answer.on('end', () => resolve(body));
        }).on('error', reject);
      });
      expect(text).toMatch(/^400 .*names no host/);
    }
  } finally {
    await close();
    await service.stop();
  }
});
