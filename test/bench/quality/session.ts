import { type Conversation, conversationOf } from '../../../bench/quality/conversation.ts';
import { codecFor } from '../../../src/domain/items/codecs.ts';
import type { Item } from '../../../src/domain/items/item.ts';
import type { Json } from '../../../src/domain/json.ts';

/** A message of the user. */
export function user(text: string): Item[] {
  return [{ role: 'user', content: text }];
}

/** Words of the assistant. */
export function said(text: string): Item[] {
  return [{ role: 'assistant', content: [{ type: 'text', text }] }];
}

let last = 0;

/** A call and its result; without a result it is open. */
export function call(name: string, input: Json, result?: string, isError = false): Item[] {
  const id = `toolu_${++last}`;
  const use: Item = { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] };
  if (result === undefined) return [use];
  const block = { type: 'tool_result', tool_use_id: id, content: result, is_error: isError };
  return [use, { role: 'user', content: [block] }];
}

/** Items of the Anthropic format as a conversation. */
export function conversation(...items: Item[][]): Conversation {
  const codec = codecFor('anthropic');
  return conversationOf(items.flat().map((item) => codec.normalise(item)));
}
