import { isJsonObject } from '../json.ts';
import type { ToolCall } from './item.ts';

/**
 * Whether the model works on without the result of the call, which comes in whatever later request the
 * client has it for: tools of the Responses API with `async`.
 */
export function isAsyncCall({ source }: ToolCall): boolean {
  return isJsonObject(source) && source.async === true;
}
