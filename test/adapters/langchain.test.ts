import { HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { palimpsest, palimpsestContext } from '../../src/adapters/langchain.ts';
import { createClient } from '../../src/client/client.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { LAST_WORDS, logOf, taskProvider } from './task-provider.ts';

const WINDOW = 10_000;
const isBrief = inject('scale') === 'brief';
const ROUNDS = isBrief ? 12 : 40;
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const readLog = tool(({ step }) => logOf(step), {
  name: 'read_log',
  description: 'reads a log',
  schema: z.object({ step: z.number() }),
});
const messages = [
  new HumanMessage({
    content: [
      { type: 'text', text: 'Read all logs of the north tower, and look at this picture.' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
    ],
  }),
];
const LIMIT = { recursionLimit: 500 };

describe('palimpsest/langchain', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.dispose());

  async function taskOf(session: string, url = service.url) {
    const provider = await taskProvider({ rounds: ROUNDS, window: WINDOW });
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const options = { url, session, contextWindow: WINDOW, onError };
    const configuration = { baseURL: provider.url };
    const model = new ChatOpenAI({
      model: 'gpt-4o-mini',
      apiKey: 'any',
      configuration,
      maxRetries: 0,
    });
    const agent = createAgent({
      model,
      tools: [readLog],
      systemPrompt: 'You read logs.',
      middleware: [palimpsest(options)],
    });
    return { provider, errors, options, model, agent };
  }

  async function tokensOf(id: string): Promise<number> {
    let tokens = 0;
    for await (const item of createClient({ url: service.url }).each('listItems', { id }))
      tokens += item.tokens;
    return tokens;
  }

  test('keeps a task of ten windows inside one, and the state whole', async () => {
    const { provider, errors, agent } = await taskOf('whole');
    const state = await agent.invoke({ messages }, LIMIT);
    expect([state.messages.at(-1)?.text, errors]).toEqual([LAST_WORDS, []]);
    expect(state.messages).toHaveLength(ROUNDS * 3 + 2);
    expect(provider.problems).toEqual([]);
    expect(await tokensOf('whole')).toBeGreaterThan((isBrief ? 2.5 : 10) * WINDOW);
    await provider.close();
  });

  test.skipIf(isBrief)('and a streamed one', async () => {
    const { provider, errors, agent } = await taskOf('streamed');
    let text = '';
    for await (const [message] of await agent.stream(
      { messages },
      { ...LIMIT, streamMode: 'messages' },
    ))
      text += message.text;
    expect(text).toContain(LAST_WORDS);
    expect([provider.problems, errors]).toEqual([[], []]);
    await provider.close();
  });

  test.skipIf(isBrief)('and a graph of LangGraph that is put together by hand', async () => {
    const { provider, errors, options, model } = await taskOf('graph');
    const contextOf = palimpsestContext(options);
    const withTools = model.bindTools([readLog]);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('model', async (state) => ({
        messages: [await withTools.invoke(await contextOf(state.messages))],
      }))
      .addNode('tools', new ToolNode([readLog]))
      .addEdge(START, 'model')
      .addConditionalEdges('model', toolsCondition, ['tools', END])
      .addEdge('tools', 'model')
      .compile();
    const state = await graph.invoke({ messages }, LIMIT);
    expect([state.messages.at(-1)?.text, provider.problems, errors]).toEqual([LAST_WORDS, [], []]);
    await provider.close();
  });

  test.skipIf(isBrief)('goes on with the messages as they are when the service dies', async () => {
    const mortal = await startService();
    const { provider, errors, agent } = await taskOf('mortal', mortal.url);
    provider.onRound(async (round) => {
      if (round === ROUNDS / 2) await mortal.kill();
    });
    const state = await agent.invoke({ messages }, LIMIT);
    expect(state.messages.at(-1)?.text).toBe(LAST_WORDS);
    expect(errors).toHaveLength(ROUNDS / 2);
    expect(errors[0]).toMatchObject({ name: 'ConnectionError' });
    expect(provider.problems.filter((problem) => !problem.includes('in a window'))).toEqual([]);
    expect(provider.sizes.at(-1)).toBeGreaterThan(5 * WINDOW);
    await provider.close();
    await mortal.dispose();
  });
});
