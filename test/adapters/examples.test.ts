import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { ROOT, readText } from '../house/sources.ts';
import { runExample } from '../support/run-example.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { LAST_WORDS, taskProvider } from './task-provider.ts';

const ROUNDS = inject('scale') === 'brief' ? 6 : 40;

/** Those whose frameworks are installed in test/clients, and their tests. */
const IN_CLIENTS = new Map([
  ['claude-agent-sdk', 'agent-sdk-store'],
  ['mastra', 'mastra'],
]);
const CASES = [
  ['ai-sdk', 'north-tower', `${ROUNDS + 1} steps: ${LAST_WORDS}\n`],
  ['langchain', 'west-tower', `${LAST_WORDS}\n`],
  ['openai-agents', 'south-tower', `${LAST_WORDS}\n`],
] as const;

test('each example is run, is short, and has its page', () => {
  const names = readdirSync(join(ROOT, 'examples')).map((name) => name.replace(/\.mjs$/, ''));
  expect(names).toEqual([...CASES.map(([name]) => name), ...IN_CLIENTS.keys()].toSorted());
  const index = readText('docs/examples.md');
  for (const name of names) {
    const code = readText(`examples/${name}.mjs`);
    const lines = code.trimEnd().split('\n');
    expect(lines.length, name).toBeGreaterThanOrEqual(30);
    expect(lines.length, name).toBeLessThanOrEqual(60);
    const page = readText(`docs/examples/${name}.md`);
    expect(page, name).toMatch(/It prints.*In the inspector.*Try/s);
    expect(index).toContain(`](examples/${name}.md)`);
    const [install = 'no command'] = /npm install .*/.exec(code) ?? [];
    expect(page).toContain(install);
  }
  for (const [name, file] of IN_CLIENTS) {
    expect(readText(`test/clients/${file}.test.ts`)).toContain(`examples/${name}.mjs`);
  }
});

test('no file of an adapter is longer than 150 lines', () => {
  const folder = 'src/adapters';
  const lengths = readdirSync(join(ROOT, folder)).map((name) => ({
    name,
    lines: readText(`${folder}/${name}`).trimEnd().split('\n').length,
  }));
  expect(lengths.length).toBeGreaterThan(4);
  expect(lengths.filter(({ lines }) => lines > 150)).toEqual([]);
});

describe('examples/', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.dispose());

  test.each(CASES)('%s.mjs runs, and its session is compacted', async (name, session, output) => {
    const provider = await taskProvider({ rounds: ROUNDS, window: 10_000 });
    const printed = await runExample(readText(`examples/${name}.mjs`), {
      url: service.url,
      OPENAI_API_KEY: 'any',
      OPENAI_BASE_URL: provider.url,
    });
    expect(printed).toBe(output);
    expect(provider.problems).toEqual([]);
    const client = createClient({ url: service.url });
    expect((await client.listCompactions({ id: session })).data.length).toBeGreaterThan(0);
    await provider.close();
  });

  test('the node of a graph in docs/adapters.md gives its model the context', async () => {
    const [, node = ''] =
      /^```js\n(const contextOf.*?)^```$/ms.exec(readText('docs/adapters.md')) ?? [];
    const program = `import { AIMessage, HumanMessage } from '@langchain/core/messages';
      import { palimpsestContext } from 'palimpsest/langchain';
      const model = { invoke: async (given) => new AIMessage(given.map(({ text }) => text).join()) };
      ${node.replace('session:', "url: 'http://127.0.0.1:8787', session:")}
      const { messages } = await callModel({ messages: [new HumanMessage('Hello.')] });
      console.log(messages[0].text);`;
    expect(await runExample(program, { url: service.url })).toBe('Hello.\n');
    const client = createClient({ url: service.url });
    expect((await client.listItems({ id: 'chat-7' })).data).toHaveLength(1);
  });
});
