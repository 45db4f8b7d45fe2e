import { describe, expect, it } from 'vitest';
import { readSettings } from '../src/config.ts';

describe('upstreams', () => {
  it('are the providers themselves where nothing is set', () => {
    expect(readSettings({}).gateway).toEqual({
      upstreams: { anthropic: 'https://api.anthropic.com', openai: 'https://api.openai.com/v1' },
      wait_seconds: 30,
    });
  });

  it('are set and added by variables', () => {
    const { gateway } = readSettings({
      PALIMPSEST_UPSTREAM_OPENAI: 'http://127.0.0.1:9/v1',
      PALIMPSEST_UPSTREAM_MY_VLLM: 'http://10.0.0.1:8000/v1',
      PALIMPSEST_GATEWAY_WAIT: '0.5',
    });
    expect(gateway.upstreams).toMatchObject({
      openai: 'http://127.0.0.1:9/v1',
      'my-vllm': 'http://10.0.0.1:8000/v1',
    });
    expect(gateway.wait_seconds).toBe(0.5);
  });

  it.each([
    ['api.openai.com', /PALIMPSEST_UPSTREAM_OPENAI: must be the base URL of a provider/],
    ['ftp://api.openai.com', /must be the base URL of a provider/],
    ['https://me:secret@api.openai.com', /must hold no user, password/],
  ])('refuses %s without showing it', (address, message) => {
    const read = () => readSettings({ PALIMPSEST_UPSTREAM_OPENAI: address });
    expect(read).toThrow(message);
    expect(read).not.toThrow(/secret/);
  });
});

describe('proxies', () => {
  it.each([
    [{ HTTPS_PROXY: 'http://proxy:3128' }, { http: null, https: 'http://proxy:3128', past: [] }],
    [
      { HTTP_PROXY: 'proxy:3128', no_proxy: 'intern.example, 10.0.0.0/8' },
      { http: 'http://proxy:3128', https: null, past: ['intern.example', '10.0.0.0/8'] },
    ],
    [
      { http_proxy: 'http://one', HTTP_PROXY: 'http://two', https_proxy: 'socks5h://three:1080' },
      { http: 'http://one', https: 'socks5://three:1080', past: [] },
    ],
    [{ HTTPS_PROXY: '', NO_PROXY: 'a.example' }, null],
  ])('of %j', (environment, proxies) => {
    expect(readSettings(environment).proxies).toEqual(proxies);
  });

  it.each(['ftp://me:secret@proxy', 'http://', 'me:secret@pro xy', 'http://me:secret%@proxy'])(
    'refuses %s',
    (address) => {
      const read = () => readSettings({ HTTPS_PROXY: address });
      expect(read).toThrow('HTTPS_PROXY: must be the address of a proxy, such as http://');
      expect(read).not.toThrow(/secret/);
    },
  );
});
