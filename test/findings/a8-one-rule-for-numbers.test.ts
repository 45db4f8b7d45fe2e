import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { isJsonObject, type Json } from '../../src/domain/json.ts';
import { readTranscripts } from '../../src/importers/read-transcripts.ts';
import { startService } from '../../src/service.ts';
import { remoteCompactor } from '../../src/workers/summarizers/remote/remote-compactor.ts';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { HOOK_SECRET, HookServer, says } from '../support/hook-server.ts';
import { assistant, ofTokens, user } from '../support/items.ts';
import { close, listen } from '../support/listening.ts';

const BIG = '12345678901234567890';
const FLAWS: [name: string, member: string, words: RegExp][] = [
  [
    'a number of 20 digits',
    `"order_id": ${BIG}`,
    /a number at position \d+ cannot be kept exactly/,
  ],
  ['a number beyond all doubles', '"n": 1e400', /a number at position \d+ cannot be kept exactly/],
  [
    'a number that would become 0',
    '"n": 1e-400',
    /a number at position \d+ cannot be kept exactly/,
  ],
  ['a key that occurs twice', '"a": 1, "b": {}, "a": 2', /the key at position \d+ occurs twice/],
  ['a key that occurs twice, once escaped', '"a": 1, "\\u0061": 2', /occurs twice/],
];

describe('A8: what cannot be kept exactly is refused, whoever sends it', () => {
  let api: ApiServer;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  it.each(FLAWS)('%s, by a client, as JSON and line by line', async (_name, member, words) => {
    const item = `{"role": "user", "content": "Hello", "data": {${member}}}`;
    for (const type of ['application/json', 'application/x-ndjson']) {
      const headers = { 'content-type': type };
      const reply = await send(api, 'POST', '/sessions/flaw/items', { body: item, headers });
      expect(reply.status).toBe(400);
      expect(reply.body.detail).toMatch(words);
    }
    expect((await send(api, 'GET', '/sessions/flaw')).status).toBe(404);
  });

  it.each([
    '{"a": {"x": 1}, "b": {"x": 1}}',
    '[{"x": 1}, {"x": 1}]',
    '{"x": {"x": {"x": 1}}, "y": "x"}',
  ])('but the same key in another object is none: %s', async (data) => {
    const body = `{"role": "user", "content": "Hello", "data": ${data}}`;
    const reply = await send(api, 'POST', '/sessions/fine/items', { body });
    expect(reply.status).toBe(201);
  });
});

describe('A8: hooks', () => {
  let folder: string;
  let hooks: HookServer;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'palimpsest-a8-'));
    hooks = await HookServer.start();
  });
  afterEach(async () => {
    await hooks.close();
    rmSync(folder, { recursive: true });
  });

  it.each(FLAWS)(
    'an answer with %s is refused, and the log says why',
    async (_name, member, words) => {
      const body = `{"items": [{"role": "user", "content": "Order", "data": {${member}}}]}`;
      const { url } = hooks.hook('PostCompact', [says(body)]);
      const config = join(folder, 'palimpsest.toml');
      writeFileSync(
        config,
        `[[hooks]]\nevent = "PostCompact"\nurl = "${url}"\nsecret_env = "HOOK_SECRET"\n`,
      );
      const environment = {
        DATABASE_URL: `file:${join(folder, 'store.db')}`,
        LOG_LEVEL: 'silent',
        PALIMPSEST_CONFIG: config,
        HOOK_SECRET,
      };
      const service = await startService(readSettings(environment), environment);
      const ask = async (path: string, json?: Json, headers = {}): Promise<Json> => {
        const init =
          json === undefined
            ? {}
            : {
                method: 'POST',
                headers: { 'content-type': 'application/json', ...headers },
                body: JSON.stringify(json),
              };
        const response = await service.fetch(new Request(`http://localhost${path}`, init));
        return (await response.json()) as Json;
      };
      try {
        await ask('/sessions', { id: 's', config: { protected_tokens: 0 } });
        const items = [
          user(ofTokens(3_000)),
          assistant(ofTokens(3_000)),
          user('x'),
          assistant('y'),
        ];
        await ask('/sessions/s/items', items);
        const asked = await ask('/sessions/s/compact', { mode: 'full' }, { prefer: 'wait=30' });
        const id = isJsonObject(asked) ? asked.id : null;
        const runs = async () => {
          const detail = await ask(`/sessions/s/compactions/${id}`);
          return isJsonObject(detail) ? detail.hook_runs : null;
        };
        const failed = { ok: false, error: expect.stringMatching(words), result: {} };
        await expect.poll(runs).toMatchObject([failed]);
        expect(JSON.stringify(await ask('/sessions/s/items?limit=500'))).not.toContain('Order');
      } finally {
        await service.stop();
      }
    },
  );
});

describe('A8: the provider', () => {
  const ANSWERED = `{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}],"n":${BIG}}`;

  it.each([
    ['the endpoint', true],
    ['the trigger', false],
  ])(
    'a compaction by %s that cannot be kept is left to the local one',
    async (_name, hasEndpoint) => {
      const server = createServer((request, response) => {
        request.resume();
        if (request.url === '/v1/responses/compact') {
          if (hasEndpoint) response.end(`{"output":[${ANSWERED}]}`);
          else response.writeHead(404).end('{}');
          return;
        }
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`data: {"type":"response.output_item.done","item":${ANSWERED}}\n\n`);
        response.end('data: {"type":"response.completed","response":{}}\n\ndata: [DONE]\n\n');
      });
      const origin = await listen(server);
      try {
        const compact = remoteCompactor({
          OPENAI_API_KEY: 'sk-x',
          OPENAI_BASE_URL: `${origin}/v1`,
        });
        const answer = await compact({
          model: 'gpt-5.4',
          input: [{ type: 'message', role: 'user', content: 'Hello' }],
          instructions: null,
          timeout_ms: 5_000,
          signal: new AbortController().signal,
        });
        expect(answer).toMatchObject({
          ok: false,
          retryable: false,
          message: expect.stringMatching(/^openai: in the answer, a number at position \d+ cannot/),
        });
      } finally {
        await close(server);
      }
    },
  );
});

describe('A8: imported files', () => {
  const claudeCode = (input: string) =>
    [
      '{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"Refund order"}}',
      '{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"s","message":{"role":"assistant","content":' +
        `[{"type":"tool_use","id":"toolu_1","name":"mcp__shop__refund","input":${input}}]}}`,
      '{"type":"user","uuid":"u3","parentUuid":"u2","sessionId":"s","message":{"role":"user","content":' +
        '[{"type":"tool_result","tool_use_id":"toolu_1","content":"done"}]}}',
    ].join('\n');
  const read = (text: string) => readTranscripts('s.jsonl', Buffer.from(text))[0];

  it('keep all digits of a long number, and the report says so', () => {
    const transcript = read(claudeCode(`{"order_id":${BIG},"amounts":[-${BIG}, 12.5],"n":1e400}`));
    expect(transcript?.items).toHaveLength(3);
    expect(JSON.stringify(transcript?.items)).toContain(
      `{"order_id":"${BIG}","amounts":["-${BIG}",12.5],"n":"1e400"}`,
    );
    expect(transcript?.notes).toContain(
      '3 numbers have more digits than JSON readers keep: imported as strings, digit by digit',
    );
  });

  it('say which value of a repeated key was kept', () => {
    const transcript = read(claudeCode('{"order_id":1,"order_id":2}'));
    expect(JSON.stringify(transcript?.items)).toContain('{"order_id":2}');
    expect(transcript?.notes).toContain('1 record holds a key twice: the last value was imported');
  });

  it('say nothing where nothing was changed', () => {
    expect(read(claudeCode('{"order_id":1234567890123456}'))?.notes ?? []).toEqual([]);
    expect(read(claudeCode(`{"order_id":"${BIG}"}`))?.notes ?? []).toEqual([]);
  });
});

describe('A8: another format', () => {
  it('shows the arguments of a call with all of their digits', async () => {
    const api = await startApi();
    try {
      await send(api, 'POST', '/sessions', { body: { id: 'chat', format: 'openai-chat' } });
      const call = { name: 'refund', arguments: `{"order_id": ${BIG}}` };
      await send(api, 'POST', '/sessions/chat/items', {
        body: [
          user('Refund it.'),
          assistant(null, { tool_calls: [{ id: 'c1', type: 'function', function: call }] }),
          { role: 'tool', tool_call_id: 'c1', content: 'done' },
        ],
      });
      const own = await send(api, 'GET', '/sessions/chat/context');
      expect(own.text).toContain(`{\\"order_id\\": ${BIG}}`);
      const other = await send(api, 'GET', '/sessions/chat/context?format=anthropic');
      expect(other.text).toContain(`"input":{"order_id":"${BIG}"}`);
    } finally {
      await api.close();
    }
  });
});
