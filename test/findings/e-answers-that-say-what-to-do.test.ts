import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { importCommand } from '../../src/cli/import-files.ts';
import { readSettings } from '../../src/config.ts';
import type { Json } from '../../src/domain/json.ts';
import { listen } from '../../src/listen.ts';
import { openStore } from '../../src/open-store.ts';
import { startService } from '../../src/service.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';

let api: ApiServer;
let folder: string;
beforeAll(async () => {
  api = await startApi();
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-e-'));
  for (const format of Object.keys(SAMPLES)) {
    await send(api, 'POST', '/sessions', { body: { id: format, format } });
  }
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

const chatCall = {
  role: 'assistant',
  content: '',
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'ls', arguments: '{}' } }],
};
const sdkIds = { toolCallId: 'c1', toolName: 'ls' };
const SAMPLES: Record<string, Json[]> = {
  anthropic: [
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'x' }] },
  ],
  'openai-chat': [
    chatCall,
    { ...chatCall, content: null },
    { role: 'tool', tool_call_id: 'c1', content: 'x' },
  ],
  'openai-responses': [
    { type: 'function_call', call_id: 'c1', name: 'ls', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'x' },
    { type: 'reasoning', summary: [] },
  ],
  'ai-sdk': [
    { role: 'assistant', content: [{ ...sdkIds, type: 'tool-call', input: {} }] },
    {
      role: 'tool',
      content: [{ ...sdkIds, type: 'tool-result', output: { type: 'text', value: 'x' } }],
    },
    { role: 'user', content: [{ type: 'file', mediaType: 'application/pdf', data: 'JVBE' }] },
  ],
};
const pairs = Object.keys(SAMPLES).flatMap((from) =>
  Object.keys(SAMPLES)
    .filter((to) => to !== from)
    .map((to) => [from, to] as const),
);

describe('E: an item of another format', () => {
  it.each(pairs)('%s in a session of %s: says which it looks like', async (from, to) => {
    for (const body of SAMPLES[from] ?? []) {
      const reply = await send(api, 'POST', `/sessions/${to}/items`, { body });
      expect([body, reply.status]).toEqual([body, 400]);
      expect(JSON.stringify(reply.body.errors)).toContain(`this looks like format \\"${from}\\"`);
      expect(JSON.stringify(reply.body.errors)).toContain(`{\\"format\\": \\"${from}\\"}`);
    }
  });

  it.each(['anthropic', 'ai-sdk'])(
    'a message of the Responses API in a session of %s',
    async (to) => {
      const message = {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: 'Hi' }],
      };
      const reply = await send(api, 'POST', `/sessions/${to}/items`, { body: [message] });
      expect(reply.status).toBe(400);
      expect(JSON.stringify(reply.body.errors)).toContain(
        'this looks like format \\"openai-responses\\"',
      );
    },
  );

  it.each(Object.keys(SAMPLES))(
    'in its own session (%s) it is fine, as before (control)',
    async (format) => {
      const body = SAMPLES[format];
      expect((await send(api, 'POST', `/sessions/${format}/items`, { body })).status).toBe(201);
    },
  );

  it.each(
    Object.keys(SAMPLES).flatMap((format) => [
      [format, 'a content of Gemini', { role: 'user', parts: [{ text: 'Hi' }] }] as const,
      [format, 'a content of Gemini', { role: 'model', parts: [{ functionCall: {} }] }] as const,
      [
        format,
        'a message of the AI SDK',
        { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
      ] as const,
    ]),
  )('in a session of %s, %s is named', async (format, what, body) => {
    const reply = await send(api, 'POST', `/sessions/${format}/items`, { body });
    expect(reply.status).toBe(400);
    expect(JSON.stringify(reply.body.errors)).toContain(`this looks like ${what}`);
  });
});

describe('E: a request to a model', () => {
  it.each(['messages', 'input', 'contents'])(
    'with "%s": says how items are posted',
    async (field) => {
      const body = { model: 'm', [field]: [{ role: 'user', content: 'Hi' }] };
      const reply = await send(api, 'POST', '/sessions/anthropic/items', { body });
      expect(reply.status).toBe(400);
      expect(reply.body.detail).toContain(`the body has "${field}", as a request to a model does`);
      expect(reply.body.detail).toContain('as an array or as {"items": […]}');
    },
  );
});

describe('E: windows', () => {
  it('a model that is not known: the answer says which window is taken', async () => {
    const made = await send(api, 'POST', '/sessions', { body: { id: 'm', model: 'my-own-llm' } });
    expect(made.body.note).toMatch(
      /"my-own-llm" is unknown.* 200000 tokens.*PATCH.*context_window/,
    );
    const known = await send(api, 'POST', '/sessions', { body: { model: 'known-model' } });
    expect(known.body).toMatchObject({ context_window: 64_000, note: null });
    const changed = await send(api, 'PATCH', '/sessions/m', { body: { model: 'known-model' } });
    expect(changed.body.note).toMatch(
      /stays at 200000 tokens, and the model "known-model" has 64000/,
    );
    const both = { model: 'known-model', context_window: 64_000 };
    expect((await send(api, 'PATCH', '/sessions/m', { body: both })).body.note).toBeNull();
  });

  it('a window of 100 is refused with the smallest that makes sense', async () => {
    for (const [method, path] of [
      ['POST', '/sessions'],
      ['PATCH', '/sessions/m'],
    ] as const) {
      const reply = await send(api, method, path, { body: { context_window: 100 } });
      expect(reply.status).toBe(400);
      expect(reply.body.detail).toContain('must be a whole number of tokens from 1000 to');
    }
    const body = { profile: 'claude-code', context_window: 20_000 };
    expect((await send(api, 'POST', '/sessions', { body })).body.detail).toMatch(
      /use a context_window of at least \d+/,
    );
  });
});

describe('E: settings', () => {
  it.each([
    [{ PORT: 'abc' }, 'PORT: must be a whole number from 0 to 65535, such as 8787'],
    [{ PORT: '1.5' }, 'PORT: must be a whole number from 0 to 65535, such as 8787'],
    [{ WORKER_CONCURRENCY: 'many' }, 'WORKER_CONCURRENCY: must be a whole number from 1 to 1000'],
    [{ PALIMPSEST_JOB_LOCK_SECONDS: 'x' }, 'PALIMPSEST_JOB_LOCK_SECONDS: must be a number from 1'],
    [{ PALIMPSEST_BODY_LIMIT_BYTES: '16MB' }, 'such as 16777216'],
    [{ ROLE: 'server' }, 'ROLE: must be one of all, api, worker'],
    [{ LOG_LEVEL: 'verbose' }, 'LOG_LEVEL: must be one of silent, error'],
    [{ PALIMPSEST_OPERATOR_KEY: 'short' }, 'PALIMPSEST_OPERATOR_KEY: must have at least 16'],
    [{ PALIMPSEST_ENABLED: 'perhaps' }, 'PALIMPSEST_ENABLED: must be true or false'],
    [{ PALIMPSEST_FREE_SPACE_BUFFER: 'a lot' }, 'PALIMPSEST_FREE_SPACE_BUFFER: must be a number'],
    [{ PALIMPSEST_SUMARIZATION_MODEL: 'x' }, 'did you mean PALIMPSEST_SUMMARIZATION_MODEL?'],
    [{ DATABASE_URL: 'mysql://x' }, 'is not a known kind of store: use file:PATH'],
  ])('%j', (environment, words) => {
    expect(() => readSettings(environment)).toThrow(words);
  });
});

describe('E: a store that cannot be made', () => {
  const open = (path: string) => openStore({ kind: 'sqlite', path, synchronous: 'FULL' }, () => {});

  it.each([
    ['/proc/palimpsest/t.db', /the folder \/proc\/palimpsest cannot be created \(ENOENT\)/],
    ['/dev/null/x/t.db', /\/dev\/null is a file, not a folder/],
    ['package.json/t.db', /package\.json is a file, not a folder/],
    ['src', /it is a folder: name a file in it/],
  ])('%s ends at once, and says why', async (path, words) => {
    await expect(open(path)).rejects.toThrow(words);
  });

  it.skipIf(process.getuid?.() === 0)('a folder that may not be written', async () => {
    const closed = mkdtempSync(join(folder, 'closed-'));
    chmodSync(closed, 0o500);
    await expect(open(join(closed, 'new', 't.db'))).rejects.toThrow(/cannot be created \(EACCES\)/);
    await expect(open(join(closed, 't.db'))).rejects.toThrow(/must be able to write to it/);
  });

  it.skipIf(process.getuid?.() === 0)('a file that may only be read', async () => {
    const others = mkdtempSync(join(folder, 'others-'));
    const path = join(others, 't.db');
    await (await open(path)).close();
    chmodSync(path, 0o444);
    chmodSync(others, 0o555);
    const opened = open(path).finally(() => chmodSync(others, 0o755));
    await expect(opened).rejects.toThrow(/must be able to write to it/);
  });
});

describe('E: the network', () => {
  it('a port that is taken: says which, and what to do', async () => {
    const environment = { DATABASE_URL: `file:${join(folder, 'port.db')}`, LOG_LEVEL: 'silent' };
    const service = await startService(readSettings(environment), environment);
    const port = Number(new URL(api.url).port);
    await expect(listen(service, '127.0.0.1', port)).rejects.toThrow(
      `port ${port} of 127.0.0.1 is in use by another process: stop that one, or set PORT to another`,
    );
  });

  it.each([
    [
      'http://127.0.0.1:59999',
      'the service at http://127.0.0.1:59999 cannot be reached (ECONNREFUSED): check --url',
    ],
    [
      'localhost:8787',
      '--url (or PALIMPSEST_URL): write the address of the service, such as http://127.0.0.1:8787',
    ],
  ])('import --url %s', async (url, words) => {
    const file = join(folder, 'chat.json');
    writeFileSync(
      file,
      JSON.stringify([
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hi' },
      ]),
    );
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    try {
      const worked = await importCommand([file], { url }).catch((error: Error) => {
        console.error(error.message);
        return false;
      });
      expect(worked).toBe(false);
      expect(String(said.mock.calls)).toContain(words);
    } finally {
      said.mockRestore();
    }
  });
});

describe('E: a file for import', () => {
  it('that is no transcript: named once, by its path, with what could be read line by line', async () => {
    const file = join(folder, 'notes.md');
    writeFileSync(file, '# Notes\n');
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    try {
      expect(await importCommand([file], { url: api.url })).toBe(false);
      const words = String(said.mock.calls);
      expect(words.split('notes.md')).toHaveLength(2);
      expect(words.startsWith(`${file} is in no known transcript format. `)).toBe(true);
      expect(words).toContain(' Known:\n  aider: Aider chat history (');
    } finally {
      said.mockRestore();
    }
  });
});
