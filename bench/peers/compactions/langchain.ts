import type { BaseMessage } from '@langchain/core/messages';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import {
  countTokensApproximately,
  createAgent,
  summarizationMiddleware,
  trimMessages,
} from 'langchain';
import { langchainMessage, pairingOf } from '../langchain-messages.ts';
import type { Compacted, CompactionPeer } from '../peer.ts';

const TARGET_TOKENS = 100_000;

/** With the options of its documents for chat models: whole turns, the newest last. */
export const langchainTrim: CompactionPeer = async (messages) => {
  const all = messages.map(langchainMessage);
  const started = performance.now();
  const left = await trimMessages(all, {
    maxTokens: TARGET_TOKENS,
    tokenCounter: countTokensApproximately,
    strategy: 'last',
    startOn: 'human',
    endOn: ['human', 'tool'],
  });
  return compacted(performance.now() - started, left);
};

/** An agent's call with the middleware, less the same call without it; both models answer at once. */
export const langchainSummary: CompactionPeer = async (messages) => {
  const all = messages.map(langchainMessage);
  const model = () => new FakeListChatModel({ responses: ['Done so far: the tests pass.'] });
  const plain = createAgent({ model: model(), tools: [] });
  const summarizing = createAgent({
    model: model(),
    tools: [],
    middleware: [summarizationMiddleware({ model: model(), trigger: { tokens: TARGET_TOKENS } })],
  });
  // What both load on their first call is not the compaction.
  const first = langchainMessage({ role: 'user', text: 'Begin.' });
  await plain.invoke({ messages: [first] });
  await summarizing.invoke({ messages: [first] });
  const without = await timed(() => plain.invoke({ messages: all }));
  const summarized = await timed(() => summarizing.invoke({ messages: all }));
  // The last one is the agent's answer.
  const left = summarized.result.messages.slice(0, -1);
  return compacted(summarized.milliseconds - without.milliseconds, left);
};

async function timed<T>(work: () => Promise<T>) {
  const started = performance.now();
  const result = await work();
  return { milliseconds: performance.now() - started, result };
}

function compacted(milliseconds: number, left: readonly BaseMessage[]): Compacted {
  return {
    milliseconds,
    characters: left.reduce((sum, { content }) => sum + JSON.stringify(content).length, 0),
    messages: left.map(pairingOf),
  };
}
