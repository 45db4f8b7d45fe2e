import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { proxyFor } from '../../../src/api/gateway/proxies.ts';
import { readProxies } from '../../../src/config/proxies.ts';
import { readSettings } from '../../../src/config.ts';
import { type ApiServer, startApi } from '../../support/api-server.ts';
import { close, listen } from '../../support/listening.ts';

/** What the upstream was asked, what the proxy was, and where it was to open tunnels to. */
const asked: string[] = [];
const relayed: string[] = [];
const tunnels: string[] = [];
let upstream: Server;
let proxy: Server;
let address: { upstream: string; proxy: string };
let api: ApiServer;

beforeEach(async () => {
  asked.length = 0;
  relayed.length = 0;
  tunnels.length = 0;
  upstream = createServer((request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    request.resume();
    response.end('{}');
  });
  // As most are set up: tunnels lead to servers of HTTPS alone, and here to none of them.
  proxy = createServer((request, response) => {
    relayed.push(`${request.headers.host} ${request.url}`);
    request.resume();
    response.end('{}');
  }).on('connect', ({ url = '' }, socket) => {
    tunnels.push(url);
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
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
  const { gateway, proxies } = readSettings({ ...environment, PALIMPSEST_UPSTREAM_OPENAI: base });
  api = await startApi({ gateway: { ...gateway, proxies } });
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
  expect(relayed).toEqual(['upstream.invalid http://upstream.invalid/v1/chat/completions']);
  expect(tunnels).toEqual([]);
});

it('an address without a scheme is one as well', async () => {
  expect(await ask(AWAY, { HTTP_PROXY: address.proxy.replace('http://', '') })).toBe(200);
  expect(relayed).toHaveLength(1);
});

it('one of HTTPS is asked through a tunnel; a proxy that opens none is an upstream that does not answer', async () => {
  expect(await ask('https://upstream.invalid/v1', { HTTPS_PROXY: address.proxy })).toBe(502);
  expect(tunnels).toEqual(['upstream.invalid:443']);
  expect(relayed).toEqual([]);
});

it('an upstream of this machine is asked without the proxy', async () => {
  expect(await ask(`${address.upstream}/v1`, { HTTP_PROXY: address.proxy })).toBe(200);
  expect(asked).toHaveLength(1);
  expect({ tunnels, relayed }).toEqual({ tunnels: [], relayed: [] });
});

it.each(['upstream.invalid', '.invalid', '*'])('NO_PROXY=%s leads past it', async (past) => {
  expect(await ask(AWAY, { HTTP_PROXY: address.proxy, NO_PROXY: past })).toBe(502);
  expect(relayed).toEqual([]);
});

it('a proxy that does not answer is an upstream that does not', async () => {
  expect(await ask(AWAY, { HTTP_PROXY: 'http://127.0.0.1:9' })).toBe(502);
});

it.each([
  ['http://10.1.2.3:11434', '10.0.0.0/8', false],
  ['http://11.1.2.3:11434', '10.0.0.0/8', true],
  ['http://10.1.2.3', '10.1.2.3', false],
  ['http://[fd00::5]:8000', 'fd00::/8', false],
  ['http://[fd00::5]:8000', '[fd00::5]', false],
  ['http://[fe00::5]:8000', 'fd00::/8,10.0.0.0/99,x/8', true],
  ['http://vllm.corp.example', '.corp.example', false],
  ['http://vllm.corp.example', '*.Corp.example', false],
  ['http://notcorp.example', 'corp.example', true],
  ['http://corp.example:8000', 'corp.example:8000', false],
  ['http://corp.example', 'corp.example:8000', true],
  ['https://corp.example', 'corp.example:443', false],
  ['https://corp.example', 'a.example,*', false],
  ['http://127.0.0.2:1', '', false],
  ['http://0.0.0.0:8000', '', false],
  ['http://127.corp.example', '', true],
  ['http://10.1.2.3', '10.0.0.0/8.5,10.0.0.0/', true],
  ['http://ollama.localhost:1', '', false],
  ['http://[::1]:1', '', false],
])('%s with NO_PROXY=%s', (url, past, isProxied) => {
  const proxies = readProxies({ HTTP_PROXY: 'p:1', HTTPS_PROXY: 'p:2', NO_PROXY: past });
  if (proxies === null) throw new Error('no proxies');
  expect(proxyFor(proxies, new URL(url)) !== null).toBe(isProxied);
});

it('HTTP_PROXY alone leads to no server of HTTPS', () => {
  const proxies = { http: 'http://p:1', https: null, past: [] };
  expect(proxyFor(proxies, new URL('https://api.example'))).toBeNull();
});
