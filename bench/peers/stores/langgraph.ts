import { join } from 'node:path';
import {
  type BaseCheckpointSaver,
  END,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { langchainMessage } from '../langchain-messages.ts';
import { databaseOf, type OpenStore, type StorePeer } from '../peer.ts';

const NODE = 'agent';

/** The graph of the quickstart, over MessagesAnnotation; `updateState` writes one checkpoint. */
function over(saver: BaseCheckpointSaver, close: () => Promise<void>): OpenStore {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode(NODE, () => ({ messages: [] }))
    .addEdge(START, NODE)
    .addEdge(NODE, END)
    .compile({ checkpointer: saver });
  const thread = { configurable: { thread_id: 'bench' } };
  const fill: OpenStore['fill'] = async (messages) => {
    await graph.updateState(thread, { messages: messages.map(langchainMessage) }, NODE);
  };
  return {
    append: (message) => fill([message]),
    fill,
    read: async () => {
      const { values } = await graph.getState(thread);
      return values.messages.length;
    },
    close,
  };
}

export const langgraphOnSqlite: StorePeer = async ({ folder }) => {
  const saver = SqliteSaver.fromConnString(join(folder, 'langgraph.db'));
  return over(saver, async () => {
    saver.db.close();
  });
};

export const langgraphOnPostgres: StorePeer = async (place) => {
  const saver = PostgresSaver.fromConnString(databaseOf(place));
  await saver.setup();
  return over(saver, () => saver.end());
};
