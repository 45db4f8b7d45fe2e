import { isJsonObject, type Json, type JsonObject, objectsIn } from '../json.ts';
import { FORMATS, type Format } from './codecs.ts';

/** Of which format an item looks, or whose it is that no session takes; and what shows it. */
type Look = ({ format: Format } | { whose: string }) & { sign: string };

/**
 * What to do about an item that was written for another format than the session's; null when it looks
 * like one of this format. Content that only another format knows would be stored and never shown.
 */
export function foreignHint(format: Format, item: Json): string | null {
  const look = isJsonObject(item) ? lookOf(item, format) : null;
  if (look === null) return null;
  if ('whose' in look) {
    return (
      `this looks like ${look.whose} (${look.sign}), which no session takes: convert it to one of ` +
      `${FORMATS.join(', ')}, as it is sent to the provider`
    );
  }
  if (look.format === format) return null;
  return (
    `this looks like format "${look.format}" (${look.sign}), and the session has format ` +
    `"${format}": create the session first, with POST /sessions and {"format": "${look.format}"}`
  );
}

const OF_GEMINI = 'a content of Gemini';
const OF_AI_SDK = 'a message of the AI SDK';

function lookOf(item: JsonObject, format: Format): Look | null {
  const { role, type, content, parts, tool_calls: calls } = item;
  if (Array.isArray(parts) && content === undefined) {
    const isUi = parts.some((part) => isJsonObject(part) && typeof part.type === 'string');
    return { whose: isUi ? OF_AI_SDK : OF_GEMINI, sign: 'it has "parts"' };
  }
  if (role === 'model') return { whose: OF_GEMINI, sign: 'its role is "model"' };
  const held = objectsIn(content);
  if (held.some(isFileOfAiSdk)) {
    return { format: 'ai-sdk', sign: 'it has a file with "mediaType"' };
  }
  const blocks = held.flatMap((block) => (typeof block.type === 'string' ? [block.type] : []));
  for (const block of blocks) {
    if (block === 'tool-call' || block === 'tool-result') {
      return { format: 'ai-sdk', sign: `its content has a "${block}"` };
    }
    if (block === 'tool_use' || block === 'tool_result') {
      return { format: 'anthropic', sign: `its content has a ${block} block` };
    }
    // Servers of Chat Completions take some of these as well.
    if (RESPONSES_PARTS.has(block) && (format === 'anthropic' || format === 'ai-sdk')) {
      return { format: 'openai-responses', sign: `its content has a part "${block}"` };
    }
  }
  if (Array.isArray(calls) && calls.length > 0) {
    return { format: 'openai-chat', sign: 'it has "tool_calls"' };
  }
  // The Responses API has its own words for a tool message.
  // A tool message of the AI SDK may hold nothing but the user's leave.
  const isChat =
    role === 'function' || (role === 'tool' && (format !== 'ai-sdk' || 'tool_call_id' in item));
  if (isChat && typeof type !== 'string') {
    return { format: 'openai-chat', sign: `its role is "${role}"` };
  }
  const isResponses = typeof type === 'string' && RESPONSES_TYPES.has(type);
  if (isResponses && role === undefined && format !== 'openai-responses') {
    return { format: 'openai-responses', sign: `its type is "${type}"` };
  }
  return null;
}

function isFileOfAiSdk({ type, mediaType }: JsonObject): boolean {
  return (type === 'file' || type === 'image') && typeof mediaType === 'string';
}

const RESPONSES_TYPES: ReadonlySet<string> = new Set(
  `function_call function_call_output custom_tool_call custom_tool_call_output
  local_shell_call local_shell_call_output reasoning`.split(/\s+/),
);

const RESPONSES_PARTS: ReadonlySet<string> = new Set([
  'input_text',
  'output_text',
  'input_image',
  'input_file',
]);
