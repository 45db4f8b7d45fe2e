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

const ROLES = { user: 'user', model: 'assistant' } as const;
/** A conversation as each protocol takes it. */
const HISTORIES = [
  ['/v1/messages', 'messages'],
  ['/v1/chat/completions', 'messages'],
  ['/v1/responses', 'input'],
] as const;

describe('a service that is killed in the middle of a stream', () => {
  it.each(HISTORIES)(
    'breaks off %s as its upstream would; the session goes on, and nothing is lost or doubled',
    async (path, field) => {
      const service = await ServiceProcess.start(variables);
      dispose = () => service.dispose();
      const said: { role: string; content: string }[] = [];
      const say = (who: keyof typeof ROLES, content: string) =>
        said.push({ role: ROLES[who], content });
      const ask = (stream: boolean) =>
        fetch(service.url + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-palimpsest-session': 'killed' },
          body: JSON.stringify({ model: 'm', max_tokens: 100, stream, [field]: said }),
        });
      const answered = async (stream: boolean) => {
        const answer = await ask(stream);
        expect([answer.status, await answer.text()]).toEqual([
          200,
          expect.stringContaining('Done.'),
        ]);
        say('model', 'Done.');
        return answer.headers.get('palimpsest-session') ?? '';
      };
      say('user', 'First');
      const session = await answered(true);
      say('user', 'Second');
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
      expect(await answered(true)).toBe(session);
      say('user', 'Third');
      expect(await answered(false)).toBe(session);
      expect(provider.invalid).toEqual([]);
      // What goes upstream is what the client holds: byte for byte, as long as nothing was compacted.
      expect(provider.turns.at(-1)?.history).toEqual(said.slice(0, -1));
      const texts = async () => {
        const items = await fetch(`${service.url}/sessions/${session}/items`);
        return [...(await items.text()).matchAll(/"(First|Second|Third|Done\.)"/g)].map(
          ([, t]) => t,
        );
      };
      const told = said.map(({ content }) => content);
      await expect.poll(texts).toEqual(told);
      expect(await service.command('verify')).toMatchObject({ exit: 0 });
    },
  );
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
});
