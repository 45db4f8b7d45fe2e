import type { Item } from '../../src/domain/items/item.ts';
import type { Json, JsonObject } from '../../src/domain/json.ts';

/** Items in the format `anthropic`, as short to write as to read. Not a test file. */

export function user(content: Json, fields: Item = {}): Item {
  return { role: 'user', content, ...fields };
}

export function assistant(content: Json, fields: Item = {}): Item {
  return { role: 'assistant', content, ...fields };
}

export function text(value: string): JsonObject {
  return { type: 'text', text: value };
}

export function thinking(value: string): JsonObject {
  return { type: 'thinking', thinking: value, signature: 'sig' };
}

export const IMAGE: JsonObject = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
};

export function call(id: string, name: string, input: JsonObject = {}): Item {
  return assistant([{ type: 'tool_use', id, name, input }]);
}

export function result(id: string, content: Json, fields: JsonObject = {}): Item {
  return user([{ type: 'tool_result', tool_use_id: id, content, ...fields }]);
}

/** A call and its result, which counts `tokens` by the estimate of four bytes each. */
export function tool(id: string, name: string, tokens: number, input: JsonObject = {}): Item[] {
  return [call(id, name, input), result(id, ofTokens(tokens))];
}

/** A text that counts exactly `tokens` by the estimate of four bytes each. */
export function ofTokens(tokens: number): string {
  return 'abc '.repeat(tokens);
}

export function attachment(
  kind: 'file' | 'todo' | 'plan' | 'memory',
  content: Json,
  path?: string,
): Item {
  return {
    type: 'attachment',
    attachment: { kind, content, ...(path === undefined ? {} : { path }) },
  };
}

export const PROGRESS: Item = { type: 'progress', percent: 40 };
export const GHOST: Item = { type: 'ghost_snapshot', ghost_commit: { id: 'abc' } };
export const BOUNDARY: Item = {
  type: 'system',
  subtype: 'compact_boundary',
  content: 'Conversation compacted',
};
