import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { convertToOpenAITool, isLangChainTool } from '@langchain/core/utils/function_calling';
import { createMiddleware } from 'langchain';
import { fileBlock, isRecord, keyOf, textOf } from './content.ts';
import { type AdapterOptions, conversation } from './conversation.ts';

type Block = Record<string, unknown>;

/**
 * Middleware for `createAgent` of LangChain: before each call of the model the messages are synced with a
 * session, and the model is given the session's context. The state of the graph keeps all messages. What
 * no compaction has touched is sent as the same message. When the service is away, the messages go out as
 * they are.
 */
export function palimpsest(options: AdapterOptions) {
  const { contextOf, counted } = conversation(options, 'anthropic');
  return createMiddleware({
    name: 'palimpsest',
    wrapModelCall: async (request, handler) => {
      const { model, runtime, systemMessage, tools } = request;
      const known = knownMessages(request.messages);
      const messages = await contextOf(known.items, {
        messagesOf: (item) => messagesOf(item, known),
        sent: partsSent,
        besides: [systemMessage.content, tools.map(definitionOf)],
        model: nameOf(model),
        signal: runtime.signal,
      });
      const answer = await handler(messages === null ? request : { ...request, messages });
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
    const messagesOfItem = (item: Block) => messagesOf(item, known);
    const call = { messagesOf: messagesOfItem, sent: partsSent, signal };
    return (await contextOf(known.items, call)) ?? messages;
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

/** The messages as items, and where each item, block and result came from. */
function knownMessages(history: readonly BaseMessage[]) {
  const messages = new Map<string, BaseMessage>();
  const parts = new Map<string, Block>();
  const results = new Map<string, ToolMessage>();
  const items = history.flatMap((message) => {
    const blocks = partsOf(message.content).flatMap((part) => {
      const block = blockOf(part);
      if (block === null) return [];
      parts.set(keyOf(block), part);
      return [block];
    });
    if (ToolMessage.isInstance(message)) results.set(message.tool_call_id, message);
    const item = itemOf(message, blocks);
    if (item === null) return [];
    messages.set(keyOf(item), message);
    return [item];
  });
  return { items, messages, parts, results };
}

type Known = ReturnType<typeof knownMessages>;

function partsOf(content: unknown): Block[] {
  return Array.isArray(content) ? content.filter(isRecord) : [{ type: 'text', text: content }];
}

/** Calls stand in `tool_calls`; reasoning is bound to its message, and comes back with that or not at all. */
function blockOf(part: Block): Block | null {
  const { type, text } = part;
  if (type === 'text') return text === '' ? null : { type, text };
  return ['image_url', 'image', 'file'].includes(String(type)) ? fileBlock(part) : null;
}

/** Null for what has nothing to say, such as a message that only removes others. */
function itemOf(message: BaseMessage, blocks: Block[]): Block | null {
  if (ToolMessage.isInstance(message)) {
    const { tool_call_id: tool_use_id, status } = message;
    const isError = status === 'error' && { is_error: true };
    const result = { type: 'tool_result', tool_use_id, content: blocks, ...isError };
    return { role: 'user', content: [result] };
  }
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  const uses = calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }));
  const content = [...blocks, ...uses];
  if (content.length === 0) return null;
  if (AIMessage.isInstance(message)) return { role: 'assistant', content };
  return { role: SystemMessage.isInstance(message) ? 'system' : 'user', content };
}

/** The message of an item: the one that it was, or what a compaction has left or made of it. */
function messagesOf(item: Block, known: Known): BaseMessage[] {
  const same = known.messages.get(keyOf(item));
  if (same !== undefined) return [same];
  const blocks = partsOf(item.content);
  const text = textOf(item.content);
  if (item.role === 'system') return [new SystemMessage(text)];
  if (item.role === 'assistant') {
    const calls = blocks.filter(({ type }) => type === 'tool_use');
    const tool_calls = calls.map(({ id, name, input }) => ({
      id: String(id),
      name: String(name),
      args: isRecord(input) ? input : {},
    }));
    return [new AIMessage({ content: text, tool_calls })];
  }
  const results = blocks.flatMap(({ type, tool_use_id, content, is_error }) => {
    if (type !== 'tool_result') return [];
    const tool_call_id = String(tool_use_id);
    // Of an id that the provider has given twice, the second is another one in the context.
    const { name, status = is_error === true ? 'error' : 'success' }: Partial<ToolMessage> =
      known.results.get(tool_call_id) ?? {};
    const named = name === undefined ? {} : { name };
    return new ToolMessage({ content: textOf(content), tool_call_id, status, ...named });
  });
  // Pictures are sent as the parts that they were.
  const told = blocks.flatMap((block) => {
    const part = known.parts.get(keyOf(block)) ?? blockOf(block);
    return part === null ? [] : [{ ...part, type: String(part.type) }];
  });
  return told.length === 0 ? results : [...results, new HumanMessage({ content: told })];
}
