import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { readText } from '../house/sources.ts';
import { runExample } from '../support/run-example.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { LAST_WORDS, taskProvider } from './task-provider.ts';

const ROUNDS = inject('scale') === 'brief' ? 6 : 20;

describe('examples/', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.dispose());

  test.each([
    ['ai-sdk', 'north-tower', `${ROUNDS + 1} steps: ${LAST_WORDS}\n`],
    ['openai-agents', 'south-tower', `${LAST_WORDS}\n`],
  ])('%s.mjs runs, and its session is compacted', async (name, session, output) => {
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
