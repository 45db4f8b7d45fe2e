import * as openai6 from '@ai-sdk/openai';
import * as sdk6 from 'ai';
import * as sdk7 from 'ai7';
import * as openai7 from 'ai7-openai';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { palimpsest } from '../../src/adapters/ai-sdk.ts';
import { createClient } from '../../src/client/client.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { LAST_WORDS, logOf, taskProvider } from './task-provider.ts';

const WINDOW = 10_000;
const isBrief = inject('scale') === 'brief';
/** Two results of some 1,500 tokens each: ten windows. */
const ROUNDS = isBrief ? 12 : 40;
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Two releases with the same calls, whose types know nothing of each other. */
const SDKS = [
  ['6', { ...sdk6, ...openai6 }],
  ['7', { ...sdk7, ...openai7 } as unknown as typeof sdk6 & typeof openai6],
] as const;

describe.each(isBrief ? SDKS.slice(0, 1) : SDKS)(
  'palimpsest/ai-sdk with AI SDK %s',
  (version, sdk) => {
    const { createOpenAI, generateText, stepCountIs, streamText, tool, wrapLanguageModel } = sdk;
    let service: ServiceProcess;
    beforeAll(async () => {
      service = await startService();
    });
    afterAll(() => service.dispose());

    const tools = {
      read_log: tool({
        description: 'reads a log',
        inputSchema: z.object({ step: z.number() }),
        execute: async ({ step }) => logOf(step),
        // Every tenth shows a picture beside it.
        toModelOutput: ({ output }) => ({
          type: 'content',
          value: output.includes('step 10, line 0')
            ? [
                { type: 'text', text: output },
                { type: 'image-data', data: PIXEL, mediaType: 'image/png' },
              ]
            : [{ type: 'text', text: output }],
        }),
      }),
    };
    const messages: sdk6.ModelMessage[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Read all logs of the north tower, and look at this picture.' },
          { type: 'image', image: PIXEL, mediaType: 'image/png' },
        ],
      },
    ];

    /** An agent on a task that is ten times its window; answers what it needs to be judged. */
    async function taskOf(session: string, place: object = { url: service.url }) {
      const provider = await taskProvider({ rounds: ROUNDS, window: WINDOW });
      const errors: unknown[] = [];
      const model = wrapLanguageModel({
        model: createOpenAI({ apiKey: 'any', baseURL: provider.url }).chat('gpt-4o-mini'),
        middleware: palimpsest({
          ...place,
          session,
          contextWindow: WINDOW,
          onError: (error) => errors.push(error),
        }),
      });
      return { provider, errors, model };
    }
    const settings = { system: 'You read logs.', tools, stopWhen: stepCountIs(100), maxRetries: 0 };

    test('keeps a task of ten windows inside one', async () => {
      const { provider, errors, model } = await taskOf(`whole-${version}`);
      const { text, steps } = await generateText({ ...settings, model, messages });
      expect([text, steps.length, errors]).toEqual([LAST_WORDS, ROUNDS + 1, []]);
      expect(provider.problems).toEqual([]);
      const client = createClient({ url: service.url });
      let tokens = 0;
      for await (const item of client.each('listItems', { id: `whole-${version}` }))
        tokens += item.tokens;
      expect(tokens).toBeGreaterThan((isBrief ? 2.5 : 10) * WINDOW);
      expect((await client.getSession({ id: `whole-${version}` })).context_window).toBe(WINDOW);
      await provider.close();
    });

    test.skipIf(isBrief)('and a streamed one', async () => {
      const { provider, errors, model } = await taskOf(`streamed-${version}`);
      const result = streamText({ ...settings, model, messages });
      expect(await result.text).toBe(LAST_WORDS);
      expect([provider.problems, errors]).toEqual([[], []]);
      await provider.close();
    });

    test.skipIf(isBrief)(
      'goes on with the messages as they are when the service dies',
      async () => {
        const mortal = await startService();
        const { provider, errors, model } = await taskOf('mortal', { url: mortal.url });
        provider.onRound(async (round) => {
          if (round === ROUNDS / 2) await mortal.kill();
        });
        const { text } = await generateText({ ...settings, model, messages });
        expect(text).toBe(LAST_WORDS);
        expect(errors).toHaveLength(ROUNDS / 2);
        expect(errors[0]).toMatchObject({ name: 'ConnectionError' });
        // Whole, and so larger than the window: nothing else is wrong with them.
        expect(provider.problems.filter((problem) => !problem.includes('in a window'))).toEqual([]);
        expect(provider.sizes.at(-1)).toBeGreaterThan(5 * WINDOW);
        await provider.close();
        await mortal.dispose();
      },
    );

    test.skipIf(isBrief)('and streams on within its window when the service is back', async () => {
      const mortal = await startService();
      // Each process of the service has an address of its own.
      const client = createClient({
        fetch: (request) => {
          const { pathname, search } = new URL(request.url);
          return fetch(new Request(new URL(pathname + search, mortal.url), request));
        },
      });
      const { provider, errors, model } = await taskOf('back', { client });
      provider.onRound(async (round) => {
        if (round === ROUNDS / 2) await mortal.kill();
        if (round === ROUNDS / 2 + 4) await mortal.restart();
      });
      const result = streamText({ ...settings, model, messages });
      expect(await result.text).toBe(LAST_WORDS);
      expect(errors).toHaveLength(4);
      const isLarge = provider.sizes.map((size) => size > WINDOW);
      expect(isLarge.lastIndexOf(true)).toBe(ROUNDS / 2 + 4);
      // All of it is there, what was said meanwhile as well.
      let results = 0;
      for await (const { item } of client.each('listItems', { id: 'back' }))
        results += JSON.stringify(item).split('"tool_result"').length - 1;
      expect(results).toBe(2 * ROUNDS);
      await provider.close();
      await mortal.dispose();
    });
  },
);

test('the middleware fits the types of AI SDK 7', () => {
  const middleware = palimpsest({ session: 'typed' });
  const model = openai7.createOpenAI({ apiKey: 'any' }).chat('gpt-4o-mini');
  expect(sdk7.wrapLanguageModel({ model, middleware }).modelId).toBe('gpt-4o-mini');
});
