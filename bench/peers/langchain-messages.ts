import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { Message, Pairing } from './message.ts';

export function langchainMessage(message: Message): BaseMessage {
  switch (message.role) {
    case 'user':
      return new HumanMessage(message.text);
    case 'tool': {
      const { call_id: tool_call_id, name, text: content } = message;
      return new ToolMessage({ tool_call_id, name, content });
    }
    case 'assistant': {
      const tool_calls = message.calls.map(({ id, name, input: args }) => ({ id, name, args }));
      return new AIMessage({ content: message.text, tool_calls });
    }
  }
}

export function pairingOf(message: BaseMessage): Pairing {
  if (ToolMessage.isInstance(message)) return { calls: [], result: message.tool_call_id };
  if (!AIMessage.isInstance(message)) return { calls: [], result: null };
  return { calls: (message.tool_calls ?? []).map(({ id }) => id ?? ''), result: null };
}
