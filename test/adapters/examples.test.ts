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

test('each example is run, is short, and has its section in docs/examples.md', () => {
  const names = readdirSync(join(ROOT, 'examples')).map((name) => name.replace(/\.mjs$/, ''));
  expect(names).toEqual([...CASES.map(([name]) => name), ...IN_CLIENTS.keys()].toSorted());
  const page = readText('docs/examples.md');
  for (const name of names) {
    const code = readText(`examples/${name}.mjs`);
    const lines = code.trimEnd().split('\n');
    expect(lines.length, name).toBeGreaterThanOrEqual(30);
    expect(lines.length, name).toBeLessThanOrEqual(60);
    const section = page.split(/^## /m).find((part) => part.startsWith(`${name}\n`)) ?? '';
    expect(section, name).toMatch(/It prints.*In the inspector.*Try/s);
    const [install = 'no command'] = /npm install .*/.exec(code) ?? [];
    expect(section).toContain(install);
  }
  for (const [name, file] of IN_CLIENTS) {
    expect(readText(`test/clients/${file}.test.ts`)).toContain(`examples/${name}.mjs`);
  }
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
});
