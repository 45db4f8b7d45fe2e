import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readSettings } from '../../../src/config.ts';
import { type ApiServer, startApi } from '../../support/api-server.ts';
import { close, listen } from '../../support/listening.ts';

/** What the upstream was asked, and where the proxy was asked to lead. */
const asked: string[] = [];
const tunnels: string[] = [];
let upstream: Server;
let proxy: Server;
let address: { upstream: string; proxy: string };
let api: ApiServer;

beforeEach(async () => {
  asked.length = 0;
  tunnels.length = 0;
  upstream = createServer((request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    request.resume();
    response.end('{}');
  });
  // Whatever name is asked for, the tunnel leads to the upstream.
  proxy = createServer().on('connect', ({ url = '' }, socket) => {
    tunnels.push(url);
    const { port } = upstream.address() as AddressInfo;
    const there = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      there.pipe(socket).pipe(there);
    });
  });
  address = { upstream: await listen(upstream), proxy: await listen(proxy) };
});
afterEach(async () => {
  await api.close();
  await close(upstream);
  await close(proxy);
});

/** Asks an upstream through the gateway, as the variables of the environment lead. */
async function ask(base: string, environment: Record<string, string>): Promise<number> {
  const { gateway } = readSettings({ ...environment, PALIMPSEST_UPSTREAM_OPENAI: base });
  api = await startApi({ gateway });
  const answer = await fetch(`${api.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  await answer.text();
  return answer.status;
}

const AWAY = 'http://upstream.invalid/v1';

it.each(['HTTP_PROXY', 'http_proxy'])('an upstream is asked through %s', async (variable) => {
  expect(await ask(AWAY, { [variable]: address.proxy })).toBe(200);
  expect(tunnels).toEqual(['upstream.invalid:80']);
  expect(asked).toEqual(['upstream.invalid/v1/chat/completions']);
});

it('an address without a scheme is one as well', async () => {
  expect(await ask(AWAY, { HTTP_PROXY: address.proxy.replace('http://', '') })).toBe(200);
  expect(tunnels).toHaveLength(1);
});

it('an upstream of this machine is asked without the proxy', async () => {
  expect(await ask(`${address.upstream}/v1`, { HTTP_PROXY: address.proxy })).toBe(200);
  expect({ tunnels, asked }).toMatchObject({ tunnels: [], asked: [expect.any(String)] });
});

it.each(['upstream.invalid', '.invalid', '*'])('NO_PROXY=%s leads past it', async (past) => {
  expect(await ask(AWAY, { HTTP_PROXY: address.proxy, NO_PROXY: past })).toBe(502);
  expect(tunnels).toEqual([]);
});

it('a proxy that does not answer is an upstream that does not', async () => {
  expect(await ask(AWAY, { HTTP_PROXY: 'http://127.0.0.1:9' })).toBe(502);
});
