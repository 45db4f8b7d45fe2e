import { expect, test } from 'vitest';
import { pastProxies } from '../../../src/cli/wrap/launch.ts';

const PROXIED = { all_proxy: 'socks5://proxy:1080' };

test.each([
  ['http://127.0.0.1:8787', PROXIED, '127.0.0.1', '127.0.0.1'],
  ['http://[::1]:8787', PROXIED, '::1', '::1'],
  ['http://localhost', { HTTP_PROXY: 'http://p', no_proxy: 'a' }, 'a,localhost', 'a,localhost'],
  ['http://127.0.0.1', { ...PROXIED, NO_PROXY: 'A', no_proxy: 'a' }, 'A,127.0.0.1', 'a,127.0.0.1'],
  ['http://127.0.0.1', { ...PROXIED, NO_PROXY: '*', no_proxy: '' }, '*', '127.0.0.1'],
  ['http://127.0.0.1', { ...PROXIED, no_proxy: '*' }, '*', '*'],
])('%s with %j is asked without a proxy', (url, environment, NO_PROXY, no_proxy) => {
  expect(pastProxies(url, environment)).toEqual({ NO_PROXY, no_proxy });
});

test('nothing is set without a proxy, and for a service elsewhere', () => {
  expect(pastProxies('http://127.0.0.1:8787', { NO_PROXY: 'a', HTTP_PROXY: '' })).toEqual({});
  expect(pastProxies('http://palimpsest.example', PROXIED)).toEqual({});
});
