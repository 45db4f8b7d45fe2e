import { isJsonObject, type Json } from '../../json.ts';
import type { Item } from '../item.ts';

/**
 * Stands for an id that is not there: what belongs together is told by its order then, as where ids come
 * again.
 */
const UNNAMED = 'unnamed';

/**
 * The message with an id for each call, and in each result, that has none: some servers give their calls
 * no id, or an empty one, and take them back so. The very same message where all have one.
 */
export function withNamedCalls(message: Item): Item {
  if (message.role === 'tool') {
    return isUnnamed(message.tool_call_id) ? { ...message, tool_call_id: UNNAMED } : message;
  }
  const { tool_calls: calls } = message;
  if (!Array.isArray(calls) || !calls.some(isUnnamedCall)) return message;
  return {
    ...message,
    tool_calls: calls.map((call) =>
      isJsonObject(call) && isUnnamedCall(call) ? { ...call, id: UNNAMED } : call,
    ),
  };
}

function isUnnamedCall(call: Json): boolean {
  return isJsonObject(call) && isUnnamed(call.id);
}

function isUnnamed(id: Json | undefined): boolean {
  return id === undefined || id === null || id === '';
}
