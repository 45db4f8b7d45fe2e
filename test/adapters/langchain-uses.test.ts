import { Command, interrupt, MemorySaver } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { palimpsest } from '../../src/adapters/langchain.ts';
import { createClient } from '../../src/client/client.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { startService } from '../support/start-service.ts';
import { LAST_WORDS, logOf, taskProvider } from './task-provider.ts';

/** Threads of LangGraph that stop, wait for leave and go on, with a session of ours. */

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
