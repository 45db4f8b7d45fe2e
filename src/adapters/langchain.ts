import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import { convertToOpenAITool, isLangChainTool } from '@langchain/core/utils/function_calling';
import { createMiddleware } from 'langchain';
import { isRecord } from './content.ts';
import { type AdapterOptions, conversation } from './conversation.ts';
import { type Block, knownMessages, messagesOf } from './langchain-messages.ts';

/**
 * Middleware for `createAgent` of LangChain: before each call of the model the messages are synced with a
 * session, and the model is given the session's context. The state of the graph keeps all messages. What
 * no compaction has touched is sent as the same message. When the service is away, the messages go out as
 * they are.
 */
export function palimpsest(options: AdapterOptions) {
  const { contextOf } = conversation(options, 'anthropic');
  return createMiddleware({
    name: 'palimpsest',
    wrapModelCall: async (request, handler) => {
      const { model, runtime, systemMessage, tools } = request;
      const known = knownMessages(request.messages);
      const context = await contextOf(known.items, {
        messagesOf: (item, place) => messagesOf(item, place, known),
        sent: partsSent,
        besides: [systemMessage.content, tools.map(definitionOf)],
        model: nameOf(model),
        signal: runtime.signal,
      });
      if (context === null) return handler(request);
      const { messages, counted } = context;
      const answer = await handler({ ...request, messages });
      // A command of another middleware has none.
      const { usage_metadata: usage }: Block = { ...answer };
      if (isRecord(usage)) counted(usage.input_tokens);
      return answer;
    },
  });
}

/** For a graph of your own: what to send to the model in place of the messages of its state. */
export function palimpsestContext(options: AdapterOptions) {
  const { contextOf } = conversation(options, 'anthropic');
  return async (messages: BaseMessage[], signal?: AbortSignal): Promise<BaseMessage[]> => {
    const known = knownMessages(messages);
    const context = await contextOf(known.items, {
      messagesOf: (item, place) => messagesOf(item, place, known),
      sent: partsSent,
      signal,
    });
    return context?.messages ?? messages;
  };
}

/** The rest of a message is about it: figures, names of models, traces. */
function partsSent(message: BaseMessage): unknown {
  return [message.content, AIMessage.isInstance(message) ? message.tool_calls : message.id];
}

function nameOf(model: object): string | undefined {
  const { model: name, modelName = name }: Block = { ...model };
  return typeof modelName === 'string' ? modelName : undefined;
}

function definitionOf(tool: object): object {
  return isLangChainTool(tool) ? convertToOpenAITool(tool) : tool;
}
