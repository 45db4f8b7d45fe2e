import { type JSONValue, type ModelMessage, pruneMessages } from 'ai';
import type { Message } from '../message.ts';
import type { CompactionPeer } from '../peer.ts';

/** With the options of its documents: reasoning and tools go, but those of the last three messages. */
export const aiSdkPrune: CompactionPeer = async (messages) => {
  const all = messages.map(modelMessage);
  const started = performance.now();
  const left = pruneMessages({
    messages: all,
    reasoning: 'all',
    toolCalls: 'before-last-3-messages',
    emptyMessages: 'remove',
  });
  return {
    milliseconds: performance.now() - started,
    characters: left.reduce((sum, { content }) => sum + JSON.stringify(content).length, 0),
    messages: left.map(({ role, content }) => {
      const parts = typeof content === 'string' ? [] : content;
      const ids = (type: string) =>
        parts.flatMap((part) =>
          part.type === type && 'toolCallId' in part ? [part.toolCallId] : [],
        );
      const [result = null] = role === 'tool' ? ids('tool-result') : [];
      return { calls: ids('tool-call'), result };
    }),
  };
};

function modelMessage(message: Message): ModelMessage {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.text };
    case 'tool': {
      const { call_id: toolCallId, name: toolName, text: value } = message;
      const output = { type: 'text' as const, value };
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] };
    }
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          { type: 'text', text: message.text },
          ...message.calls.map(({ id, name, input }) => ({
            type: 'tool-call' as const,
            toolCallId: id,
            toolName: name,
            input: input as JSONValue,
          })),
        ],
      };
  }
}
