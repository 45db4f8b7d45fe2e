import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, send, startApi } from '../support/api-server.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { user } from '../support/items.ts';

let api: ApiServer;
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => {
  expect(api.logged).toEqual([]);
  await api.close();
});

const json = { 'content-type': 'application/json' };
const ndjson = { 'content-type': 'application/x-ndjson' };
const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
  fetch(`${api.url}/sessions/bodies/items`, { method: 'POST', headers, body });

async function problem(response: Response): Promise<{ status: number; detail: string }> {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const { status, detail } = (await response.json()) as { status: number; detail: string };
  expect(status).toBe(response.status);
  return { status, detail };
}

describe('bodies that cannot be used', () => {
  it.each<[string, string, Record<string, string>, number, RegExp]>([
    ['', '', json, 400, /holds no items: post at least one/],
    ['an empty list', '[]', json, 400, /holds no items/],
    ['an empty envelope', '{"items": []}', json, 400, /holds no items/],
    ['blank lines', '\n \n', ndjson, 400, /holds no items/],
    ['null', 'null', json, 400, /must be an item, an array of items/],
    ['a number', '7', json, 400, /must be an item, an array of items/],
    ['items that are no list', '{"items": {}}', json, 400, /"items" must be an array/],
    ['more in the envelope', '{"items": [], "x": 1}', json, 400, /unknown fields: x/],
    ['a missing value', '{"role": }', json, 400, /not valid JSON: unexpected .*}/],
    ['a missing end', '{"role": "user"', json, 400, /not valid JSON: expected .* at position 15/],
    [
      'a key that occurs twice',
      '{"role":"assistant","role":"user","content":"x"}',
      json,
      400,
      /^in the body, the key at position 20 occurs twice in its object: .* leave the other out$/,
    ],
    ['nothing but a start', '{"a', json, 400, /not valid JSON/],
    [
      'a broken line',
      '{"role":"user","content":"x"}\n{]',
      ndjson,
      400,
      /^line 2 is not valid JSON/,
    ],
    ['65 levels', '['.repeat(65), json, 400, /nested deeper than 64 levels: flatten it/],
    ['65 levels in a line', '['.repeat(65), ndjson, 400, /^line 1 is nested deeper than 64/],
    ['101 items', `[${Array(101).fill('{}').join()}]`, json, 413, /may carry 100 items.* has 101/],
    ['a text', 'hello', { 'content-type': 'text/plain' }, 415, /Content-Type: application\/json/],
    [
      'a form',
      'a=b',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      /set the header/,
    ],
  ])('%s', async (_, body, headers, status, detail) => {
    const reply = await problem(await post(body, headers));
    expect(reply).toEqual({ status, detail: expect.stringMatching(detail) });
  });

  it('bytes that are no UTF-8', async () => {
    const bytes = Uint8Array.from([...Buffer.from('{"role":"user","content":"'), 0xff, 0x22, 0x7d]);
    expect(await problem(await post(bytes, json))).toEqual({
      status: 400,
      detail: 'the body is not valid UTF-8: encode it as UTF-8',
    });
  });

  it('NDJSON where a document is expected', async () => {
    const headers = { 'content-type': 'application/x-ndjson' };
    const reply = await send(api, 'POST', '/sessions', { body: '{}', headers });
    expect(reply).toMatchObject({
      status: 415,
      body: { detail: 'send this body as application/json' },
    });
  });

  it('too many bytes, announced', async () => {
    const reply = await problem(await post(JSON.stringify(user('x'.repeat(1_000_000))), json));
    expect(reply.status).toBe(413);
    expect(reply.detail).toBe(
      'a body may have at most 1000000 bytes: send the items in several requests',
    );
  });

  it('too many bytes in chunks, which are not read to their end', async () => {
    let sent = 0;
    const chunks = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 1;
        if (sent > 100) controller.close();
        else controller.enqueue(new Uint8Array(100_000).fill(0x20));
      },
    });
    // `duplex` is what fetch asks for with a stream; TypeScript's type does not have it.
    const init = { method: 'POST', headers: json, body: chunks, duplex: 'half' } as RequestInit;
    const response = await fetch(`${api.url}/sessions/bodies/items`, init);
    expect((await problem(response)).status).toBe(413);
    expect(sent).toBeLessThan(100);
  });

  it('a bracket storm is turned down without parsing it', async () => {
    const started = cpuMs();
    const reply = await problem(await post('['.repeat(900_000), json));
    expect(reply.status).toBe(413);
    expect(cpuMs() - started).toBeLessThan(1_000);
  });
});

describe('bodies that look wrong and are fine', () => {
  it.each<[string, string, Record<string, string>]>([
    ['no content type', JSON.stringify(user('x')), {}],
    ['a byte order mark', `\ufeff${JSON.stringify(user('x'))}`, json],
    ['a charset', JSON.stringify(user('x')), { 'content-type': 'Application/JSON; charset=UTF-8' }],
    ['brackets and quotes in a string', JSON.stringify(user(`\\"${'[{'.repeat(100)}\\\\`)), json],
    ['64 levels', `{"role":"user","content":"x","y":${'['.repeat(63)}${']'.repeat(63)}}`, json],
  ])('%s', async (_, body, headers) => {
    // Bytes: for a string fetch would add a content type of its own.
    const response = await post(Uint8Array.from(Buffer.from(body)), headers);
    expect(response.status).toBe(201);
  });

  it('a body in chunks', async () => {
    const parts = ['{"role":"user",', '"content":"in chunks é"}'].map((part) => Buffer.from(part));
    const chunks = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const part = parts.shift();
        if (part === undefined) controller.close();
        else controller.enqueue(part);
      },
    });
    const init = { method: 'POST', headers: json, body: chunks, duplex: 'half' } as RequestInit;
    const response = await fetch(`${api.url}/sessions/chunks/items`, init);
    expect(response.status).toBe(201);
  });
});

it('a client that hangs up in the middle of its body leaves nothing behind', async () => {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  await new Promise((resolve) => socket.once('connect', resolve));
  const head =
    'POST /sessions/cut/items HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n';
  await new Promise((resolve) => socket.write(`${head}{"role":`, resolve));
  socket.destroy();
  await new Promise((resolve) => socket.once('close', resolve));
  expect((await send(api, 'GET', '/sessions/cut')).status).toBe(404);
});
