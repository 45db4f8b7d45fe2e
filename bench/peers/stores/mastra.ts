import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { MastraDBMessage } from '@mastra/core/agent';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { PostgresStore } from '@mastra/pg';
import type { Message } from '../message.ts';
import { databaseOf, type OpenStore, type StorePeer } from '../peer.ts';

const THREAD = { threadId: 'bench', resourceId: 'bench' };

/** Calls are stored once, with their result: so the framework itself does it. */
function stored(message: Message, at: number): MastraDBMessage {
  const shared = { id: randomUUID(), createdAt: new Date(at), ...THREAD };
  const text = { type: 'text' as const, text: message.text };
  if (message.role !== 'tool') {
    return { ...shared, role: message.role, content: { format: 2, parts: [text] } };
  }
  const toolInvocation = {
    state: 'result' as const,
    toolCallId: message.call_id,
    toolName: message.name,
    args: {},
    result: message.text,
  };
  return {
    ...shared,
    role: 'assistant',
    content: { format: 2, parts: [{ type: 'tool-invocation', toolInvocation }] },
  };
}

async function over(storage: LibSQLStore | PostgresStore): Promise<OpenStore> {
  await storage.init();
  const memory = new Memory({ storage });
  if ((await memory.getThreadById({ threadId: THREAD.threadId })) === null) {
    await memory.createThread(THREAD);
  }
  // Messages are ordered by time.
  let clock = Date.now();
  const save = async (messages: readonly Message[]) => {
    await memory.saveMessages({ messages: messages.map((message) => stored(message, clock++)) });
  };
  return {
    append: (message) => save([message]),
    fill: async (messages) => {
      for (let start = 0; start < messages.length; start += BATCH) {
        await save(messages.slice(start, start + BATCH));
      }
    },
    read: async () => (await memory.recall({ ...THREAD, perPage: false })).messages.length,
    close: async () => {
      await storage.close();
    },
  };
}

const BATCH = 500;

export const mastraOnLibsql: StorePeer = ({ folder }) =>
  over(new LibSQLStore({ id: 'bench', url: `file:${join(folder, 'mastra.db')}` }));

export const mastraOnPostgres: StorePeer = (place) =>
  over(new PostgresStore({ id: 'bench', connectionString: databaseOf(place) }));
