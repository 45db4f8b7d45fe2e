import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { Command, interrupt, MemorySaver } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { palimpsest, palimpsestContext } from '../../src/adapters/langchain.ts';
import { createClient } from '../../src/client/client.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { LAST_WORDS, logOf, taskProvider } from './task-provider.ts';

/** Threads of LangGraph that stop, wait for leave and go on, with a session of ours. */

const SOUND = { data: 'UklGRg==', format: 'wav' };
const PDF = { file_data: 'data:application/pdf;base64,JVBERg==', filename: 'a.pdf' };
const said = (...content: object[]) =>
  new HumanMessage({ content: content.map((part) => ({ type: '', ...part })) });
const called = new AIMessage({ content: '', tool_calls: [{ id: 'c1', name: 'look', args: {} }] });

/** What messages of LangChain can hold beside texts and pictures. */
const HISTORIES: Record<string, BaseMessage[]> = {
  sound: [said({ type: 'input_audio', input_audio: SOUND }), new AIMessage('Heard.')],
  'sound and film, in blocks of LangChain': [
    said({ type: 'audio', mimeType: 'audio/wav', data: SOUND.data }),
    new AIMessage('Heard.'),
    said({ type: 'video', mimeType: 'video/mp4', data: 'AAAA' }),
    new AIMessage('Seen.'),
  ],
  documents: [
    said({ type: 'document', title: 'a', source: { type: 'text', data: 'Hello.' } }),
    new AIMessage('Read.'),
    said({ type: 'file', file: PDF }),
    new AIMessage('Read.'),
  ],
  'files that only the provider has': [
    said({ type: 'file', file: { file_id: 'file_1' } }),
    new AIMessage('Read.'),
    said({ type: 'file', file: { file_id: 'file_2' } }),
    new AIMessage('Read.'),
  ],
  'tools that the provider runs': [
    new HumanMessage('Search.'),
    new AIMessage({
      content: [
        { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'kingfisher' } },
        { type: 'web_search_tool_result', tool_use_id: 's1', content: [] },
        { type: 'text', text: 'Found.' },
      ],
    }),
  ],
  'one answer twice, each with its own id': [
    new HumanMessage('Shut it.'),
    new AIMessage({ content: 'Done.', id: 'msg_1' }),
    new HumanMessage('Shut it.'),
    new AIMessage({ content: 'Done.', id: 'msg_2' }),
  ],
  'results with pictures and artifacts, right before the next question': [
    new HumanMessage('Look.'),
    called,
    new ToolMessage({
      content: [
        { type: 'text', text: 'A bird.' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
      ],
      tool_call_id: 'c1',
      artifact: { frames: [1, 2] },
    }),
  ],
};

const WINDOW = 10_000;
const ROUNDS = 6;

describe('palimpsest/langchain, in use', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.dispose());

  const checkpointer = new MemorySaver();
  const errors: unknown[] = [];

  async function agentOf(session: string) {
    const provider = await taskProvider({ rounds: ROUNDS, window: WINDOW });
    const ask = async ({ step }: { step: number }) => (interrupt(`${step}?`) ? logOf(step) : 'No.');
    const readLog = tool(ask, {
      name: 'read_log',
      description: 'reads a log',
      schema: z.object({ step: z.number() }),
    });
    const agent = createAgent({
      model: new ChatOpenAI({
        model: 'gpt-4o-mini',
        apiKey: 'any',
        configuration: { baseURL: provider.url },
        maxRetries: 0,
      }),
      tools: [readLog],
      checkpointer,
      middleware: [
        palimpsest({
          url: service.url,
          session,
          contextWindow: WINDOW,
          onError: (error) => errors.push(error),
        }),
      ],
    });
    return { provider, agent };
  }

  /** Asks, and gives leave to every call until there is none more. */
  async function approved(
    { agent }: Awaited<ReturnType<typeof agentOf>>,
    content: string,
    thread: { configurable: { thread_id: string } },
  ) {
    let state = await agent.invoke({ messages: [{ role: 'user', content }] }, thread);
    for (;;) {
      const asked = state.__interrupt__ ?? [];
      if (asked.length === 0) return state;
      const resume = Object.fromEntries(asked.map(({ id }) => [`${id}`, true]));
      state = await agent.invoke(new Command({ resume }), thread);
    }
  }

  test('goes on with a thread that waits for leave, round after round, and in another agent', async () => {
    const first = await agentOf('thread');
    const thread = { configurable: { thread_id: 't1' }, recursionLimit: 500 };
    const done = await approved(first, 'Read all logs.', thread);
    expect(done.messages.at(-1)?.text).toBe(LAST_WORDS);
    expect(done.messages).toHaveLength(3 * ROUNDS + 2);
    expect([first.provider.problems, errors]).toEqual([[], []]);
    await first.provider.close();

    const other = await agentOf('thread');
    const again = await approved(other, 'And again?', thread);
    expect(again.messages.at(-1)?.text).toBe(LAST_WORDS);
    expect([other.provider.problems, errors]).toEqual([[], []]);
    await other.provider.close();
    const client = createClient({ url: service.url });
    const { data } = await client.listSessions({});
    // All of it is one session.
    expect(data.map(({ id, counts }) => [id, counts.items])).toEqual([
      // The last answer comes with the next call.
      ['thread', again.messages.length - 1],
    ]);
    const { data: compactions } = await client.listCompactions({ id: 'thread' });
    expect(compactions.length).toBeGreaterThan(0);
  });

  test.each(Object.entries(HISTORIES))('%s', async (name, history) => {
    const session = name.replaceAll(/\W+/g, '-');
    const onError = (error: unknown) => errors.push(error);
    const options = { url: service.url, session, contextWindow: WINDOW, onError };
    const messages = [...history, new HumanMessage('Well?')];
    const given = await palimpsestContext(options)(messages);
    // Nothing has been compacted: the very same messages, not others that say the same.
    const places = given.slice(0, -1).map((message) => messages.indexOf(message));
    expect(places).toEqual(history.map((_, place) => place));
    expect(given.at(-1)?.text).toBe('Well?');
    expect(errors).toEqual([]);
  });

  test('goes on after a stream that was broken off', async () => {
    const { provider, agent } = await agentOf('broken');
    const thread = { configurable: { thread_id: 't2' } };
    const abort = new AbortController();
    const first = { messages: [{ role: 'user', content: 'Read all logs.' }] };
    const options = { ...thread, signal: abort.signal, streamMode: 'messages' as const };
    const reading = async () => {
      for await (const _ of await agent.stream(first, options)) abort.abort();
    };
    await expect(reading()).rejects.toThrow(/abort/i);
    expect(errors).toEqual([]);
    const { messages } = await agent.invoke(
      { messages: [{ role: 'user', content: 'Go on.' }] },
      thread,
    );
    expect(messages.map(({ text }) => text).join()).toMatch(/Read all logs.*Go on/);
    expect([provider.problems, errors]).toEqual([[], []]);
    await provider.close();
  });
});
