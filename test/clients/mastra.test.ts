import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { LAST_WORDS, taskProvider } from '../adapters/task-provider.ts';
import { readText } from '../house/sources.ts';
import { atScale } from '../support/scale.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { runExample } from './examples.ts';
import { installClients } from './programs.ts';

/** palimpsest/ai-sdk serves an agent of Mastra as it comes from npm, with AI SDK 6 and 7. */

const WINDOW = 10_000;
const ROUNDS = atScale({ brief: 12, short: 16, long: 40 });
const MOST_MS = 240_000;
const EXAMPLE = readText('examples/mastra.mjs');
const six = EXAMPLE.replace("'ai'", "'ai-6'").replace("'@ai-sdk/openai'", "'ai-6-openai'");
const streamed = (code: string) =>
  code
    .replace('agent.generate(', 'agent.stream(')
    .replace('{ steps } =', '{ steps: all } =')
    .replace('console', 'const steps = await all;\nconsole');

let service: ServiceProcess;
beforeAll(installClients, 300_000);
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.dispose());

async function run(code: string, provider: Awaited<ReturnType<typeof taskProvider>>) {
  return runExample(code, {
    url: service.url,
    environment: { OPENAI_BASE_URL: provider.url, MASTRA_TELEMETRY_DISABLED: '1' },
  });
}

it.each([
  ['AI SDK 6', six],
  ['AI SDK 7', EXAMPLE],
  ['AI SDK 6, streamed', streamed(six)],
])(
  'an agent of Mastra keeps within its window: %s',
  async (_, code) => {
    const provider = await taskProvider({ rounds: ROUNDS, window: WINDOW });
    expect(await run(code, provider)).toBe(`${ROUNDS + 1} steps: ${LAST_WORDS}\n`);
    expect(provider.problems).toEqual([]);
    const client = createClient({ url: service.url });
    const { data } = await client.listCompactions({ id: 'harbour-tower' });
    expect(data.length).toBeGreaterThanOrEqual(2);
    let tokens = 0;
    for await (const item of client.each('listItems', { id: 'harbour-tower' }))
      tokens += item.tokens;
    expect(tokens).toBeGreaterThan(atScale({ brief: 2.5, short: 4, long: 10 }) * WINDOW);
    await provider.close();
  },
  MOST_MS,
);

it(
  'an agent of Mastra ends its task though the service is killed',
  async () => {
    const provider = await taskProvider({ rounds: ROUNDS, window: 1_000_000 });
    provider.onRound(async (round) => {
      if (round === ROUNDS / 2) await service.kill();
    });
    expect(await run(six, provider)).toBe(`${ROUNDS + 1} steps: ${LAST_WORDS}\n`);
    expect(provider.problems).toEqual([]);
    expect(provider.sizes.at(-1)).toBeGreaterThan(2.5 * WINDOW);
    await provider.close();
  },
  MOST_MS,
);
