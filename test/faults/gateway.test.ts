import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Cluster } from '../support/cluster/cluster.ts';
import { ScriptedProvider } from '../support/gateway/provider.ts';
import { SDKS, taskScript } from '../support/gateway/sdk-task.ts';
import { ServiceProcess, type Variables } from '../support/service-process.ts';

/** The gateway as it is installed, while what it stands on breaks. */

const WINDOW = 30_000;
const ANSWER = 'The build fails because of a missing file.';
const CREDENTIAL = 'sk-their-own';
const PROTOCOLS = ['messages', 'chat', 'responses'] as const;

let provider: ScriptedProvider;
let dispose: () => Promise<void>;
let variables: Variables;
beforeEach(async () => {
  provider = await ScriptedProvider.start();
  variables = {
    PALIMPSEST_UPSTREAM_OPENAI: `${provider.url}/v1`,
    PALIMPSEST_UPSTREAM_ANTHROPIC: provider.url,
    PALIMPSEST_SUMMARIZATION_MODEL: 'extractive',
    PALIMPSEST_GATEWAY_WAIT: '2',
  };
});
afterEach(async () => {
  await dispose();
  await provider.close();
});

/** A task of so many calls, from here on. */
function task(calls: number): void {
  let step = 0;
  const script = taskScript(calls);
  provider.script = (received) => script(received, step++);
}

const window = { 'x-palimpsest-context-window': String(WINDOW) };

describe('a service that is killed in the middle of a stream', () => {
  it.each([
    ['/v1/messages', { messages: [{ role: 'user', content: 'Hello' }] }],
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Hello' }] }],
    ['/v1/responses', { input: [{ role: 'user', content: 'Hello' }] }],
  ])('breaks off %s as its upstream would, and the session goes on', async (path, history) => {
    const service = await ServiceProcess.start(variables);
    dispose = () => service.dispose();
    const ask = (stream: boolean) =>
      fetch(service.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-palimpsest-session': 'killed' },
        body: JSON.stringify({ model: 'm', max_tokens: 100, stream, ...history }),
      });
    provider.troubles.push('stall');
    const cut = await ask(true);
    const reader = cut.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    await service.kill();
    const rest = (async () => {
      while ((await reader?.read())?.done === false);
    })();
    await expect(rest).rejects.toThrow();
    await service.restart();
    const again = await ask(false);
    expect(again.status).toBe(200);
    expect(await again.text()).toContain('Done.');
    expect(again.headers.get('palimpsest-session')).toBe(cut.headers.get('palimpsest-session'));
    expect(provider.invalid).toEqual([]);
  });
});

describe('without what it stands on', () => {
  it('clients work while PostgreSQL is away, and are recorded again afterwards', async () => {
    const cluster = await Cluster.start({
      store: 'postgres',
      queue: 'in-process',
      apis: 1,
      workers: 0,
      variables,
    });
    dispose = () => cluster.dispose();
    const postgres = await cluster.killServer('postgres');
    for (const protocol of PROTOCOLS) {
      task(3);
      expect(await SDKS[protocol]({ url: cluster.url(), stream: true })).toBe(ANSWER);
    }
    expect(provider.invalid).toEqual([]);
    await postgres.start();
    task(3);
    const headers = { 'x-palimpsest-session': 'afterwards' };
    expect(await SDKS.chat({ url: cluster.url(), stream: true, headers })).toBe(ANSWER);
    await expect
      .poll(async () => (await fetch(`${cluster.url()}/sessions`)).text(), { timeout: 30_000 })
      .toContain('"gw-');
  }, 240_000);
});

it('neither its logs nor its database hold a credential, after a whole task and several faults', async () => {
  const service = await ServiceProcess.start({ ...variables, LOG_LEVEL: 'debug' });
  dispose = () => service.dispose();
  provider.window = WINDOW;
  provider.troubles.push('rate_limit', 'error');
  for (const protocol of PROTOCOLS) {
    task(14);
    expect(await SDKS[protocol]({ url: service.url, stream: true, headers: window })).toBe(ANSWER);
  }
  await service.stop();
  const folder = service.folder;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true });
  const contents = files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name)));
  expect(contents.length).toBeGreaterThan(0);
  expect(Buffer.concat(contents).includes('logs/night-2.log')).toBe(true);
  expect(Buffer.concat(contents).includes(CREDENTIAL)).toBe(false);
  expect(service.output).not.toContain(CREDENTIAL);
}, 120_000);
