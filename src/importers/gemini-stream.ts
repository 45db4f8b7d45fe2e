import type { Item } from '../domain/items/item.ts';
import { isJsonObject, type JsonObject, stringField } from '../domain/json.ts';
import { type Conversation, linesImporter, Tally } from './transcript.ts';

/** What `gemini --output-format stream-json` prints: a line for each event, and texts in pieces. */
export const geminiStream = linesImporter({
  source: 'gemini-stream',
  description: 'Gemini CLI output (stream-json: lines with type message, tool_use, tool_result …)',
  isOwn: ({ type, tool_id, tool_name }) =>
    type === 'tool_use' && typeof tool_id === 'string' && typeof tool_name === 'string',
  read: readLines,
});

function readLines(lines: readonly JsonObject[]): Conversation {
  const items: Item[] = [];
  const skipped = new Tally();
  let model: string | null = null;
  for (const line of lines) {
    const piece = continued(items.at(-1), line);
    const item = piece === undefined ? itemOf(line) : undefined;
    if (piece !== undefined) {
      items.splice(-1, 1, piece);
      skipped.add('piece_of_message');
    } else if (item !== undefined) {
      items.push(
        typeof line.timestamp === 'string' ? { ...item, timestamp: line.timestamp } : item,
      );
    } else {
      skipped.add(stringField(line, 'type') ?? 'line_without_type');
    }
    if (line.type === 'init') model = stringField(line, 'model') ?? model;
  }
  return { format: 'openai-chat', model, items, skipped, notes: [] };
}

/**
 * What the model has said so far, with a further piece of its text or one more call: calls that it makes at
 * once come in lines of their own. Undefined for a line that begins something else.
 */
function continued(item: Item | undefined, line: JsonObject): Item | undefined {
  if (item?.role !== 'assistant') return undefined;
  const calls = Array.isArray(item.tool_calls) ? item.tool_calls : [];
  if (line.type === 'tool_use') return { ...item, tool_calls: [...calls, callOf(line)] };
  const isPiece = line.type === 'message' && line.role === 'assistant' && line.delta === true;
  if (!isPiece) return undefined;
  const before = stringField(item, 'content') ?? '';
  return { ...item, content: before + (stringField(line, 'content') ?? '') };
}

function itemOf(line: JsonObject): Item | undefined {
  const text = stringField(line, 'content') ?? '';
  switch (line.type) {
    case 'message':
      if (line.role !== 'user' && line.role !== 'assistant') return undefined;
      return text === '' ? undefined : { role: line.role, content: text };
    case 'tool_use':
      return { role: 'assistant', content: null, tool_calls: [callOf(line)] };
    case 'tool_result':
      return { role: 'tool', tool_call_id: idOf(line), content: answerOf(line) };
    default:
      return undefined;
  }
}

function callOf(line: JsonObject): JsonObject {
  const input = JSON.stringify(line.parameters ?? {});
  const call = { name: stringField(line, 'tool_name') ?? '', arguments: input };
  return { id: idOf(line), type: 'function', function: call };
}

function idOf(line: JsonObject): string {
  return stringField(line, 'tool_id') ?? '';
}

/** What a tool has answered; a failure says so, since a chat message has no field for it. */
function answerOf(line: JsonObject): string {
  const output = stringField(line, 'output') ?? '';
  if (line.status !== 'error') return output;
  const error = isJsonObject(line.error) ? (stringField(line.error, 'message') ?? '') : '';
  return `Error: ${error || output}`;
}
