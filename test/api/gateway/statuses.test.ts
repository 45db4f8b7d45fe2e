import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type ApiServer, startApi } from '../../support/api-server.ts';

let upstream: Server;
let api: ApiServer;
afterEach(async () => {
  await api.close();
  await new Promise((resolve) => upstream.close(resolve));
});

/** The gateway in front of an upstream that answers everything with one status. */
async function behind(status: number): Promise<(path: string) => Promise<Response>> {
  upstream = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-length': '0' }).end();
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const upstreams = { anthropic: url, openai: `${url}/v1` };
  api = await startApi({ gateway: { upstreams, wait_seconds: 20 } });
  return (path) =>
    fetch(api.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] }),
    });
}

it.each([204, 205])('hands on %d, which has no body', async (status) => {
  const post = await behind(status);
  for (const path of ['/v1/messages', '/v1/files']) {
    const answer = await post(path);
    expect({ path, status: answer.status, text: await answer.text() }).toEqual({
      path,
      status,
      text: '',
    });
  }
});

it('says so where an upstream answers with a status that HTTP does not have', async () => {
  const post = await behind(799);
  const answer = await post('/v1/chat/completions');
  expect(answer.status).toBe(502);
  expect(await answer.json()).toMatchObject({
    error: {
      code: 'upstream_unreachable',
      message: expect.stringContaining('gave an answer that HTTP does not know'),
    },
  });
});
