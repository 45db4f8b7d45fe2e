import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { FORMATS, type Format } from './item.ts';

type Look = { kind: Format | 'gemini' | 'ai-sdk'; sign: string };

/**
 * What to do about an item that was written for another format than the session's; null when it looks
 * like one of this format. Content that only another format knows would be stored and never shown.
 */
export function foreignHint(format: Format, item: Json): string | null {
  const look = isJsonObject(item) ? lookOf(item, format) : null;
  if (look === null || look.kind === format) return null;
  const { kind, sign } = look;
  switch (kind) {
    case 'gemini':
    case 'ai-sdk': {
      const whose = kind === 'gemini' ? 'a content of Gemini' : 'a message of the AI SDK';
      return (
        `this looks like ${whose} (${sign}), which no session takes: convert it to one of ` +
        `${FORMATS.join(', ')}, as it is sent to the provider`
      );
    }
    case 'anthropic':
    case 'openai-chat':
    case 'openai-responses':
      return (
        `this looks like format "${kind}" (${sign}), and the session has format "${format}": create ` +
        `the session first, with POST /sessions and {"format": "${kind}"}`
      );
    default:
      return kind satisfies never;
  }
}

function lookOf(item: JsonObject, format: Format): Look | null {
  const { role, type, content, parts, tool_calls: calls } = item;
  if (Array.isArray(parts) && content === undefined) {
    const isUi = parts.some((part) => isJsonObject(part) && typeof part.type === 'string');
    return { kind: isUi ? 'ai-sdk' : 'gemini', sign: 'it has "parts"' };
  }
  if (role === 'model') return { kind: 'gemini', sign: 'its role is "model"' };
  const blocks = (Array.isArray(content) ? content : []).flatMap((block) =>
    isJsonObject(block) && typeof block.type === 'string' ? [block.type] : [],
  );
  for (const block of blocks) {
    if (block === 'tool-call' || block === 'tool-result') {
      return { kind: 'ai-sdk', sign: `its content has a "${block}"` };
    }
    if (block === 'tool_use' || block === 'tool_result') {
      return { kind: 'anthropic', sign: `its content has a ${block} block` };
    }
  }
  if (Array.isArray(calls) && calls.length > 0) {
    return { kind: 'openai-chat', sign: 'it has "tool_calls"' };
  }
  // The Responses API has its own words for a tool message.
  if ((role === 'tool' || role === 'function') && typeof type !== 'string') {
    return { kind: 'openai-chat', sign: `its role is "${role}"` };
  }
  const isResponses = typeof type === 'string' && RESPONSES_TYPES.has(type);
  if (isResponses && role === undefined && format !== 'openai-responses') {
    return { kind: 'openai-responses', sign: `its type is "${type}"` };
  }
  return null;
}

const RESPONSES_TYPES: ReadonlySet<string> = new Set([
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'reasoning',
]);
