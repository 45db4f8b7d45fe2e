import { createOpenAI } from '@ai-sdk/openai';
import {
  generateText,
  type ModelMessage,
  Output,
  stepCountIs,
  streamText,
  tool,
  wrapLanguageModel,
} from 'ai';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import * as sdk7 from 'ai7';
import { MockLanguageModelV4 } from 'ai7/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { palimpsest } from '../../src/adapters/ai-sdk.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { LAST_WORDS, logOf, taskProvider } from './task-provider.ts';

/** What messages of the AI SDK can hold beside texts and calls of its own tools. */

const WINDOW = 10_000;
const BULK = 'nothing unusual was seen at the gate of the north tower; '.repeat(60);
const BYTES = new Uint8Array([1, 2, 3]);
const usage = {
  inputTokens: {
    total: undefined,
    noCache: undefined,
    cacheRead: undefined,
    cacheWrite: undefined,
  },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

const HISTORIES: Record<string, ModelMessage[]> = {
  'tools that the provider runs': [
    { role: 'user', content: 'Search.' },
    {
      role: 'assistant',
      content: [
        {
          type: 'tool-call',
          toolCallId: 'w1',
          toolName: 'web_search',
          input: { q: 'kingfisher' },
          providerExecuted: true,
        },
        {
          type: 'tool-result',
          toolCallId: 'w1',
          toolName: 'web_search',
          output: { type: 'json', value: [{ url: 'https://a.example' }] },
        },
        { type: 'text', text: 'Found.' },
      ],
    },
  ],
  'leave that the provider asks for': [
    { role: 'user', content: 'Remove it.' },
    {
      role: 'assistant',
      content: [
        {
          type: 'tool-call',
          toolCallId: 'm1',
          toolName: 'mcp.remove',
          input: {},
          providerExecuted: true,
        },
        { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'm1' },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-approval-response',
          approvalId: 'a1',
          approved: true,
          providerExecuted: true,
        },
      ],
    },
  ],
  'reasoning with its signature': [
    { role: 'user', content: 'Think.' },
    {
      role: 'assistant',
      content: [
        {
          type: 'reasoning',
          text: 'Hm.',
          providerOptions: { anthropic: { signature: 'sealed' } },
        },
        { type: 'text', text: 'Thought.' },
      ],
    },
  ],
  'one answer twice, each with ids of its own': [
    { role: 'user', content: 'Shut it.' },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Shut.', providerOptions: { openai: { itemId: 'rs_1' } } },
        { type: 'text', text: 'Done.', providerOptions: { openai: { itemId: 'msg_1' } } },
      ],
    },
    { role: 'user', content: 'Shut it.' },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Again.', providerOptions: { openai: { itemId: 'rs_2' } } },
        { type: 'text', text: 'Done.', providerOptions: { openai: { itemId: 'msg_2' } } },
      ],
    },
  ],
  'results that are files': [
    { role: 'user', content: 'Fetch it.' },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'f1', toolName: 'fetch', input: {} }],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'f1',
          toolName: 'fetch',
          output: {
            type: 'content',
            value: [
              { type: 'file-id', fileId: 'file_1' },
              { type: 'file-data', mediaType: 'application/pdf', data: 'JVBERg==' },
              { type: 'image-url', url: 'https://a.example/c.png' },
              { type: 'custom', providerOptions: { any: { kind: 'map' } } },
            ],
          },
        },
      ],
    },
  ],
  'sound, and texts as files': [
    {
      role: 'user',
      content: [
        { type: 'file', mediaType: 'audio/wav', data: BYTES },
        { type: 'file', mediaType: 'text/plain', data: 'SGVsbG8=' },
      ],
    },
    { role: 'assistant', content: 'Heard.' },
  ],
  'files of all kinds': [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look.' },
        { type: 'file', mediaType: 'application/pdf', data: BYTES, filename: 'a.pdf' },
        { type: 'image', image: new URL('https://a.example/b.png') },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' }],
    },
  ],
};

describe('palimpsest/ai-sdk, in use', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.dispose());
  const errors: unknown[] = [];

  function modelOf(session: string, text = 'Yes.') {
    const given = new MockLanguageModelV3({
      supportedUrls: { '*/*': [/.*/] },
      doGenerate: async () => ({
        content: [{ type: 'text', text }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      }),
      doStream: async ({ abortSignal }) => {
        abortSignal?.throwIfAborted();
        return {
          stream: simulateReadableStream({
            chunks: [
              { type: 'text-start', id: '1' },
              { type: 'text-delta', id: '1', delta: text },
              { type: 'text-delta', id: '1', delta: ' And so on.' },
              { type: 'text-end', id: '1' },
              { type: 'finish', usage, finishReason: { unified: 'stop', raw: undefined } },
            ],
          }),
        };
      },
    });
    const onError = (error: unknown) => errors.push(error);
    const middleware = palimpsest({ url: service.url, session, contextWindow: WINDOW, onError });
    return { given, middleware, model: wrapLanguageModel({ model: given, middleware }) };
  }

  test.each(Object.entries(HISTORIES))('%s', async (name, history) => {
    const session = name.replaceAll(/\W+/g, '-');
    const { given, model } = modelOf(session);
    const messages: ModelMessage[] = [...history, { role: 'user', content: 'Well?' }];
    await generateText({ model, messages, maxRetries: 0 });
    const plain = new MockLanguageModelV3({
      supportedUrls: { '*/*': [/.*/] },
      doGenerate: given.doGenerate,
    });
    await generateText({ model: plain, messages, maxRetries: 0 });
    // Nothing has been compacted: the model is given what it would be given without us.
    expect(given.doGenerateCalls[0]?.prompt).toEqual(plain.doGenerateCalls[0]?.prompt);
    for (let turn = 0; turn < 20; turn++) {
      messages.push(
        { role: 'assistant', content: 'Yes.' },
        { role: 'user', content: `Question ${turn}: ${BULK}` },
      );
      await generateText({ model, messages, maxRetries: 0 });
    }
    expect(JSON.stringify(messages).length / 4).toBeGreaterThan(1.5 * WINDOW);
    const sizes = given.doGenerateCalls.map(({ prompt }) => JSON.stringify(prompt).length / 4);
    expect(Math.max(...sizes)).toBeLessThan(WINDOW);
    expect(errors).toEqual([]);
  });

  test('gives files on that only the provider has, with AI SDK 7', async () => {
    const { middleware } = modelOf('references');
    const given = new MockLanguageModelV4({
      doGenerate: async () => ({
        content: [{ type: 'text', text: 'Read.' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      }),
    });
    const kept = (id: string) => ({ type: 'reference' as const, reference: { any: id } });
    const file = (id: string) => [
      { type: 'file' as const, mediaType: 'application/pdf', data: kept(id) },
    ];
    const compacted = { any: { encrypted: 'sealed' } };
    const messages: sdk7.ModelMessage[] = [
      { role: 'user', content: file('file_1') },
      {
        role: 'assistant',
        content: [{ type: 'custom', kind: 'any.compaction', providerOptions: compacted }],
      },
      { role: 'user', content: file('file_2') },
    ];
    const model = sdk7.wrapLanguageModel({ model: given, middleware });
    await sdk7.generateText({ model, messages });
    await sdk7.generateText({ model: given, messages });
    const [ours, theirs] = given.doGenerateCalls.map(({ prompt }) => prompt);
    expect(ours).toEqual(theirs);
    expect(JSON.stringify(ours)).toMatch(/file_1.*sealed.*file_2/);
    expect(errors).toEqual([]);
  });

  test('keeps calls with their results where a provider gives ids twice', async () => {
    const provider = await taskProvider({ rounds: 8, window: WINDOW, repeatsIds: true });
    const { middleware } = modelOf('repeated');
    const model = wrapLanguageModel({
      model: createOpenAI({ apiKey: 'any', baseURL: provider.url }).chat('gpt-4o-mini'),
      middleware,
    });
    const tools = {
      read_log: tool({
        description: 'reads a log',
        inputSchema: z.object({ step: z.number() }),
        execute: async ({ step }) => logOf(step),
      }),
    };
    const stopWhen = stepCountIs(20);
    const { text } = await generateText({ model, tools, prompt: 'Read all logs.', stopWhen });
    expect([text, provider.problems, errors]).toEqual([LAST_WORDS, [], []]);
    // All of the first two rounds are there still.
    expect(provider.results.slice(0, 3)).toEqual([0, 2, 4]);
    await provider.close();
  });

  test('goes on after a stream that was broken off', async () => {
    const { given, model } = modelOf('broken', 'Half.');
    const messages: ModelMessage[] = [{ role: 'user', content: 'Tell all.' }];
    const abort = new AbortController();
    const { fullStream } = streamText({ model, messages, abortSignal: abort.signal });
    let said = '';
    for await (const part of fullStream) {
      if (part.type !== 'text-delta') continue;
      said += part.text;
      abort.abort();
    }
    expect(said).toBe('Half.');
    messages.push({ role: 'assistant', content: said }, { role: 'user', content: 'Go on.' });
    await generateText({ model, messages });
    expect(JSON.stringify(given.doGenerateCalls[0]?.prompt)).toMatch(/Tell all.*Half.*Go on/);
    expect(errors).toEqual([]);
  });

  test('gives answers that have a shape', async () => {
    const { model } = modelOf('shaped', '{"town":"Ulm"}');
    const output = Output.object({ schema: z.object({ town: z.string() }) });
    expect((await generateText({ model, prompt: 'Where?', output })).output).toEqual({
      town: 'Ulm',
    });
    expect(errors).toEqual([]);
  });
});
