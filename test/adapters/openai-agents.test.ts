import {
  Agent,
  type AgentInputItem,
  OpenAIChatCompletionsModel,
  Runner,
  tool,
} from '@openai/agents';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { palimpsest } from '../../src/adapters/openai-agents.ts';
import { createClient } from '../../src/client/client.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { LAST_WORDS, logOf, taskProvider } from './task-provider.ts';

type ModelClient = ConstructorParameters<typeof OpenAIChatCompletionsModel>[0];
const isBrief = inject('scale') === 'brief';
const WINDOW = 10_000;
const ROUNDS = isBrief ? 12 : 40;
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';
/** The order, and a picture of the place. */
const ORDER: AgentInputItem[] = [
  {
    role: 'user',
    content: [
      { type: 'input_text', text: 'Read all logs.' },
      { type: 'input_image', image: `data:image/png;base64,${PIXEL}` },
    ],
  },
];
const readLog = tool({
  name: 'read_log',
  description: 'reads a log',
  parameters: z.object({ step: z.number() }),
  execute: async ({ step }) => logOf(step),
});

describe('palimpsest/openai-agents', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.dispose());

  async function taskOf(session: string, url = service.url) {
    const provider = await taskProvider({ rounds: ROUNDS, window: WINDOW });
    const errors: unknown[] = [];
    const openai = new OpenAI({ apiKey: 'any', baseURL: provider.url, maxRetries: 0 });
    const agent = new Agent({
      name: 'reader',
      instructions: 'You read logs.',
      // The package brings a client of its own, of the same shape.
      model: new OpenAIChatCompletionsModel(openai as unknown as ModelClient, 'gpt-4o-mini'),
      tools: [readLog],
    });
    const options = {
      url,
      session,
      contextWindow: WINDOW,
      onError: (e: unknown) => errors.push(e),
    };
    return { provider, errors, agent, options };
  }
  const runner = new Runner({ tracingDisabled: true });

  test('keeps a run of many windows inside one, and another process goes on', async () => {
    const { provider, errors, agent, options } = await taskOf('whole');
    const done = await runner.run(agent, ORDER, {
      ...palimpsest(options),
      maxTurns: 100,
    });
    expect(done.finalOutput).toBe(LAST_WORDS);
    expect([provider.problems, errors]).toEqual([[], []]);
    const client = createClient({ url: service.url });
    let tokens = 0;
    for await (const item of client.each('listItems', { id: 'whole' })) tokens += item.tokens;
    expect(tokens).toBeGreaterThan((isBrief ? 2.5 : 10) * WINDOW);
    const again = palimpsest(options);
    const items = await again.session.getItems();
    expect(items).toHaveLength(ROUNDS * 5 + 2);
    expect(items[0]).toEqual(ORDER[0]);
    expect(items[4]).toMatchObject({ type: 'function_call_result', name: 'read_log' });
    const second = await runner.run(agent, 'And now?', again);
    expect(second.finalOutput).toBe(LAST_WORDS);
    expect([provider.problems, errors]).toEqual([[], []]);
    expect(await again.session.getItems(1)).toMatchObject([{ role: 'assistant' }]);
    // What is added by hand in another's place is as it was added.
    const other = { role: 'user', content: 'And before that?' } as const;
    const asked = await again.session.getItems(2);
    await again.session.popItem();
    await again.session.popItem();
    await again.session.addItems([other]);
    expect(await again.session.getItems(1)).toEqual([other]);
    expect(asked[0]).not.toEqual(other);
    await provider.close();
  });

  test.skipIf(isBrief)('and a streamed one', async () => {
    const { provider, errors, agent, options } = await taskOf('streamed');
    const more = { ...palimpsest(options), maxTurns: 100, stream: true } as const;
    const result = await runner.run(agent, ORDER, more);
    await result.completed;
    expect(result.finalOutput).toBe(LAST_WORDS);
    expect([provider.problems, errors]).toEqual([[], []]);
    await provider.close();
  });

  test.skipIf(isBrief)('goes on with the history as it is when the service dies', async () => {
    const mortal = await startService();
    const { provider, errors, agent, options } = await taskOf('mortal', mortal.url);
    provider.onRound(async (round) => {
      if (round === ROUNDS / 2) await mortal.kill();
    });
    const more = { ...palimpsest(options), maxTurns: 100 };
    const done = await runner.run(agent, ORDER, more);
    expect(done.finalOutput).toBe(LAST_WORDS);
    expect(errors[0]).toMatchObject({ name: 'ConnectionError' });
    expect(provider.problems.filter((problem) => !problem.includes('in a window'))).toEqual([]);
    expect(provider.sizes.at(-1)).toBeGreaterThan(5 * WINDOW);
    await provider.close();
    await mortal.dispose();
  });

  test('takes the last item back, and forgets all when it is cleared', async () => {
    const options = { url: service.url, session: 'small' };
    const { session } = palimpsest(options);
    const user = (content: string) => ({ role: 'user', content }) as const;
    await session.addItems([user('one'), user('two')]);
    expect(await session.popItem()).toEqual(user('two'));
    expect(await session.getItems()).toEqual([user('one')]);
    expect(await palimpsest(options).session.getItems()).toHaveLength(2);
    await session.clearSession();
    expect(await session.getItems()).toEqual([]);
    expect(await palimpsest(options).session.getItems()).toEqual([]);
    expect(await session.getSessionId()).toBe('small');
  });
});
