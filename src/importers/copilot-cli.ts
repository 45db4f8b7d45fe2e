import type { Item } from '../domain/items/item.ts';
import { isJsonObject, type JsonObject, stringField } from '../domain/json.ts';
import { functionCall } from './chat-message.ts';
import {
  type Conversation,
  linesImporter,
  notesOf,
  objectField,
  objectsField,
  Tally,
} from './transcript.ts';
import { linesInOrderOfChain } from './tree.ts';

/** Event logs of the Copilot CLI: messages, calls and results are events of their own. */
export const copilotCli = linesImporter({
  source: 'copilot-cli',
  description:
    'Copilot CLI events (JSON lines with type user.message, assistant.message … and data)',
  isOwn: ({ type, data }) =>
    (type === 'user.message' || type === 'assistant.message') && isJsonObject(data),
  read: readLines,
});

function readLines(lines: JsonObject[]): Conversation {
  const items: Item[] = [];
  const skipped = new Tally();
  let model: string | null = null;
  let systemPrompt: string | undefined;
  const leftOut = new Tally();
  for (const line of linesInOrderOfChain(lines)) {
    const type = stringField(line, 'type') ?? 'line_without_type';
    const data = objectField(line, 'data');
    model = stringField(data, 'newModel') ?? stringField(data, 'model') ?? model;
    const item = eventItem(type, data);
    if (!item) {
      skipped.add(type);
      continue;
    }
    if (typeof data.parentToolCallId === 'string') {
      skipped.add('sidechain');
      continue;
    }
    if (type === 'system.message') {
      // Written again with every request of the user.
      if (data.content === systemPrompt) {
        skipped.add('repeated_system_message');
        continue;
      }
      systemPrompt = stringField(data, 'content');
    }
    if (item.content === null && !('tool_calls' in item)) {
      skipped.add('empty_message');
      continue;
    }
    if (typeof data.reasoningText === 'string') leftOut.add('reasoning');
    if (typeof line.timestamp === 'string') item.timestamp = line.timestamp;
    items.push(item);
  }
  return { format: 'openai-chat', model, items, skipped, notes: notesOf(leftOut) };
}

/** The message of an event; undefined when it is none. */
function eventItem(type: string, data: JsonObject): Item | undefined {
  const content = data.content === '' ? null : (data.content ?? null);
  switch (type) {
    case 'system.message':
      return { role: 'system', content };
    case 'user.message': {
      // Skills and the program itself speak under the name of their source.
      const source = stringField(data, 'source') ?? 'user';
      return source === 'user'
        ? { role: 'user', content }
        : { role: 'user', content, speaker: 'program' };
    }
    case 'assistant.message': {
      const item: Item = { role: 'assistant', content };
      const calls = objectsField(data, 'toolRequests') ?? [];
      if (calls.length > 0) {
        item.tool_calls = calls.map((call) =>
          functionCall(call.toolCallId, call.name, call.arguments),
        );
      }
      if (typeof data.model === 'string') item.model = data.model;
      return item;
    }
    case 'tool.execution_complete': {
      const { content: output } = objectField(data, 'result');
      const { message } = objectField(data, 'error');
      const text = output ?? message ?? '';
      return {
        role: 'tool',
        tool_call_id: data.toolCallId ?? null,
        content: typeof text === 'string' ? text : JSON.stringify(text),
      };
    }
    default:
      return undefined;
  }
}
