import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { fileBlock, isRecord, keyOf, textOf } from './content.ts';

export type Block = Record<string, unknown>;

/** The messages as items, the message of each, and where each block and result came from. */
export function knownMessages(history: readonly BaseMessage[]) {
  const messages: BaseMessage[] = [];
  const parts = new Map<string, Block>();
  /** By the id of their call; those that are whole are found by what they say as well. */
  const results = new Map<string, ToolMessage>();
  const items = history.flatMap((message) => {
    const blocks = partsOf(message.content).flatMap((part) => {
      const block = blockOf(part);
      if (block === null) return [];
      parts.set(keyOf(block), part);
      return [block];
    });
    const item = itemOf(message, blocks);
    if (item === null) return [];
    if (ToolMessage.isInstance(message)) {
      results.set(message.tool_call_id, message);
      for (const result of partsOf(item.content)) results.set(keyOf(result), message);
    }
    messages.push(message);
    return [item];
  });
  return { items, messages, parts, results };
}

type Known = ReturnType<typeof knownMessages>;

function partsOf(content: unknown): Block[] {
  return Array.isArray(content) ? content.filter(isRecord) : [{ type: 'text', text: content }];
}

/** Calls stand in `tool_calls`; reasoning is bound to its message, and comes back with that or not at all. */
const ELSEWHERE =
  /^(?:tool_use|tool_result|tool_call|tool_call_chunk|input_json_delta|reasoning|thinking|redacted_thinking)$/;

/** What the service knows by the same name. */
const KNOWN = /^(?:input_audio|search_result|server_tool_use|mcp_tool_use|\w+_tool_result)$/;

/** What only the provider knows, such as a file that it keeps, is a block of its own. */
function blockOf(part: Block): Block | null {
  const { type, text, cache_control: _mark, ...said } = part;
  if (type === 'text') return text === '' ? null : { type, text };
  if (typeof type !== 'string' || ELSEWHERE.test(type)) return null;
  if (KNOWN.test(type)) return { type, ...said };
  const own = text === undefined ? said : { ...said, text };
  return fileBlock(part) ?? { ...own, type: `provider.${type}` };
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
export function messagesOf(item: Block, place: number | null, known: Known): BaseMessage[] {
  const same = place === null ? undefined : known.messages[place];
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
  const results = blocks.flatMap((block) => {
    const { type, tool_use_id, content, is_error } = block;
    if (type !== 'tool_result') return [];
    const whole = known.results.get(keyOf(block));
    if (whole !== undefined) return whole;
    const tool_call_id = String(tool_use_id);
    // Of an id that the provider has given twice, the second is another one in the context.
    const {
      name,
      artifact,
      status = is_error === true ? 'error' : 'success',
    }: Partial<ToolMessage> = known.results.get(tool_call_id) ?? {};
    const named = name === undefined ? {} : { name };
    return new ToolMessage({ content: textOf(content), tool_call_id, status, artifact, ...named });
  });
  // Pictures are sent as the parts that they were.
  const told = blocks.flatMap((block) => {
    const part = known.parts.get(keyOf(block)) ?? blockOf(block);
    return part === null ? [] : [{ ...part, type: String(part.type) }];
  });
  return told.length === 0 ? results : [...results, new HumanMessage({ content: told })];
}
