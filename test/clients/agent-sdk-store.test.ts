import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { ROOT, readText } from '../house/sources.ts';
import type { Received } from '../support/gateway/provider.ts';
import { ScriptedProvider } from '../support/gateway/provider.ts';
import { close, listen } from '../support/listening.ts';
import { freePort } from '../support/servers/waiting.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { runExample } from './examples.ts';
import { installClients } from './programs.ts';

/** palimpsest/claude-agent-sdk with the SDK as it comes from npm, and Claude Code that it starts. */

const ANSWER = 'Nothing unusual at the east tower.';
const EXAMPLE = readText('examples/claude-agent-sdk.mjs');
const STEPS = 6;
const MOST_MS = 240_000;

/**
 * The example, which says in the end whether the store gives back what Claude Code has kept beside it: its
 * folders are gone when it has ended. The SDK hands over everything but what was sent to the provider.
 */
const COMPARED = `import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
let id = '';
${EXAMPLE.replace(/console.log\(.*\);\n}/, '(id = message.session_id), console.log(message.result);\n}')}
const folder = process.env.CLAUDE_CONFIG_DIR + '/projects';
const name = readdirSync(folder, { recursive: true }).find((path) => path.endsWith(id + '.jsonl'));
const lines = readFileSync(folder + '/' + name, 'utf8').trim().split('\\n');
const kept = lines.map((line) => JSON.parse(line)).filter(({ type }) => !/^api-request/.test(type));
const loaded = await palimpsest({ url }).load({ projectKey: '-elsewhere', sessionId: id });
console.log(isDeepStrictEqual(loaded, kept), loaded.length, id);
`;

let provider: ScriptedProvider;
let service: ServiceProcess;
/** Happens before the answer to a turn. */
let before: (turn: number) => void = () => {};
beforeAll(installClients, 300_000);
beforeEach(async () => {
  provider = await ScriptedProvider.start();
  service = await startService({ PORT: String(await freePort()) });
  before = () => {};
  provider.script = ({ body }) => {
    const name = /"name":"(mcp__logs__read_log)"/.exec(JSON.stringify(body.tools ?? []))?.[1];
    if (name === undefined) return { text: 'Done.' };
    const step = results(body);
    before(step);
    if (step >= STEPS) return { text: ANSWER };
    return { text: `Log ${step}.`, calls: [{ id: `call_${step}`, name, input: { step } }] };
  };
});
afterEach(async () => {
  await service.dispose();
  await provider.close();
});

/** By itself the SDK hands over at the end of a turn. */
const eager = (code: string) =>
  code.replace('options: {', "options: {\n    sessionStoreFlush: 'eager',");
const results = (body: Received['body']) =>
  JSON.stringify(body).split('"type":"tool_result"').length - 1;
const run = (code: string, ...given: string[]) =>
  runExample(code, {
    url: service.url,
    arguments: given,
    // Else the tool is hidden until the model has searched for it.
    environment: { ANTHROPIC_BASE_URL: provider.url, ENABLE_TOOL_SEARCH: 'false' },
  });

it(
  'keeps a transcript as the SDK does, and goes on from it in another folder',
  async () => {
    const printed = await run(COMPARED);
    expect(printed).toMatch(new RegExp(`^${ANSWER}\ntrue \\d\\d [\\w-]{36}\n$`));
    const [id = ''] = /[\w-]{36}$/.exec(printed.trim()) ?? [];
    const client = createClient({ url: service.url });
    const found = await client.search({ q: '"Log 3"', role: 'assistant' });
    expect(found.data).toMatchObject([{ session_id: id }]);
    const before = provider.received.length;
    expect(await run(EXAMPLE, id)).toBe(`${id}: ${ANSWER}\n`);
    const [again] = provider.received.slice(before).filter(({ body }) => results(body) >= STEPS);
    expect(JSON.stringify(again?.body.messages)).toMatch(
      /log 0: nothing.*And what was in the first log/s,
    );
    expect(provider.invalid).toEqual([]);
    // The second run is there as well.
    expect((await client.search({ q: '"first log"' })).data).toMatchObject([{ session_id: id }]);
  },
  MOST_MS,
);

it(
  'ends its task without the service, and hands over what was missed when that is back',
  async () => {
    const steps: Promise<unknown>[] = [];
    before = (step) => {
      if (step === 2) steps.push(service.kill());
      if (step === 4) steps.push(service.restart());
    };
    expect(await run(eager(COMPARED))).toMatch(new RegExp(`^${ANSWER}\ntrue \\d\\d `));
    await Promise.all(steps);
    expect(steps).toHaveLength(2);
  },
  MOST_MS,
);

it(
  'is filled from the local copy when the service stays away for the whole task',
  async () => {
    const bell = createServer((_, response) => {
      service.restart().then(
        () => response.end('back'),
        () => response.destroy(),
      );
    });
    before = (step) => {
      if (step === 2) void service.kill();
    };
    const late = COMPARED.replace(
      'const loaded',
      `await fetch('${await listen(bell)}');
    const missed = palimpsest({ url });
    await importSessionToStore(id, missed);
    const loaded`,
    ).replace('{ createSdkMcpServer', '{ createSdkMcpServer, importSessionToStore');
    const printed = await run(eager(late));
    // What has no id is there twice where it was there before.
    expect(printed).toMatch(new RegExp(`^${ANSWER}\n(?:true|false) \\d\\d `));
    const log = createClient({ url: service.url }).each('listItems', {
      id: printed.trim().slice(-36),
    });
    const said: unknown[] = [];
    for await (const { item } of log) if (item.role !== undefined) said.push(item.content);
    expect(JSON.stringify(said.at(-1))).toContain(ANSWER);
    await close(bell);
  },
  MOST_MS,
);

it(
  'has the type that the SDK asks for',
  () => {
    const folder = mkdtempSync(join(import.meta.dirname, 'node_modules', '.example-'));
    const store = join(ROOT, 'dist/adapters/claude-agent-sdk.js');
    const types = join(ROOT, 'dist/types/adapters/claude-agent-sdk.js');
    try {
      const code = `import type { Options, SessionStore } from '@anthropic-ai/claude-agent-sdk';
      import { palimpsest } from '${types}';
      const store: Required<Omit<SessionStore, 'listSessionSummaries'>> = palimpsest({ url: '${store}' });
      export const options: Options = { sessionStore: palimpsest() };
      export const wrong: SessionStore = { load: store.load };`;
      writeFileSync(join(folder, 'typed.mts'), code);
      const options = [
        '--ignoreConfig',
        '--noEmit',
        '--strict',
        '--skipLibCheck',
        '--exactOptionalPropertyTypes',
      ];
      const { stdout } = spawnSync(
        join(ROOT, 'node_modules/.bin/tsc'),
        [...options, '--module', 'nodenext', '--target', 'es2023', join(folder, 'typed.mts')],
        { encoding: 'utf8' },
      );
      expect(stdout.match(/error TS.*/g)).toEqual([expect.stringMatching(/TS2741: .*'append'/)]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  MOST_MS,
);
