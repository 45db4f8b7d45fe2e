import type { Item } from '../domain/items/item.ts';
import { isJsonObject, type Json, type JsonObject, stringField } from '../domain/json.ts';
import {
  type Conversation,
  linesImporter,
  notesOf,
  numberField,
  objectsField,
  Tally,
} from './transcript.ts';
import { abandonedBranches, linesInOrderOfChain } from './tree.ts';

/** Sessions of the pi coding agent. Newer versions write a tree by `id` and `parentId`. */
export const pi = linesImporter({
  source: 'pi',
  description: 'pi session (JSON lines with type session, message …)',
  isOwn: ({ type, message }) => type === 'message' && isJsonObject(message),
  read: readLines,
});

function readLines(file: JsonObject[]): Conversation {
  const lines = linesInOrderOfChain(file);
  const isAbandoned = abandonedBranches(lines);
  const items: Item[] = [];
  const skipped = new Tally();
  const leftOut = new Tally();
  let model: string | null = null;
  for (const line of lines) {
    const type = stringField(line, 'type') ?? 'line_without_type';
    if (type === 'session') model = stringField(line, 'modelId') ?? model;
    const message = messageOf(line, type);
    if (message === null) {
      skipped.add(type === 'compaction' ? 'recorded_compaction' : type);
      continue;
    }
    if (isAbandoned(line)) {
      skipped.add('other_branch');
      continue;
    }
    const item = messageItem(message, leftOut);
    if (typeof item === 'string') {
      skipped.add(item);
      continue;
    }
    if (typeof line.timestamp === 'string') item.timestamp = line.timestamp;
    model = stringField(item, 'model') ?? model;
    items.push(item);
  }
  return { format: 'anthropic', model, items, skipped, notes: notesOf(leftOut, 'Blocks') };
}

/** The message of a line, if it is one that the model reads: extensions put in messages of their own. */
function messageOf(line: JsonObject, type: string): JsonObject | null {
  if (type === 'message') return isJsonObject(line.message) ? line.message : null;
  const isOfExtension = type === 'custom_message' && line.content !== undefined;
  return isOfExtension ? { role: 'extension', content: line.content ?? null } : null;
}

function messageItem(message: JsonObject, leftOut: Tally): Item | string {
  const role = stringField(message, 'role') ?? 'missing';
  switch (role) {
    case 'user':
      return { role, content: contentOf(message, leftOut) };
    case 'extension': {
      const content = contentOf(message, leftOut);
      const isReminder = typeof content === 'string' && content.startsWith('<system-reminder>');
      return { role: 'user', content, speaker: isReminder ? 'program' : 'hook' };
    }
    case 'assistant':
      return assistantItem(message, leftOut);
    case 'toolResult': {
      const result: JsonObject = {
        type: 'tool_result',
        tool_use_id: message.toolCallId ?? null,
        content: contentOf(message, leftOut),
      };
      if (message.isError === true) result.is_error = true;
      return { role: 'user', content: [result] };
    }
    case 'bashExecution': {
      const head = `The user ran a shell command (exit code ${JSON.stringify(message.exitCode ?? null)}):`;
      const [command, output] = ['command', 'output'].map((key) => stringField(message, key) ?? '');
      const content = `${head}\n$ ${command}\n${output}`;
      return { role: 'user', content, speaker: 'tool' };
    }
    default:
      return `role:${role}`;
  }
}

function assistantItem(message: JsonObject, leftOut: Tally): Item | string {
  const content = contentOf(message, leftOut);
  // Aborted and refused calls leave a message without anything in it.
  if (Array.isArray(content) && content.length === 0) {
    return `empty_message:${stringField(message, 'stopReason') ?? 'unnamed'}`;
  }
  const item: Item = { role: 'assistant', content };
  if (typeof message.model === 'string') item.model = message.model;
  const { usage } = message;
  if (isJsonObject(usage)) {
    item.usage = {
      input_tokens: numberField(usage, 'input'),
      output_tokens: numberField(usage, 'output'),
      cache_read_input_tokens: numberField(usage, 'cacheRead'),
      cache_creation_input_tokens: numberField(usage, 'cacheWrite'),
    };
  }
  return item;
}

function contentOf(message: JsonObject, leftOut: Tally): Json {
  const parts = objectsField(message, 'content');
  if (!parts) return message.content ?? null;
  const isAnthropic = message.api === 'anthropic-messages';
  return parts.flatMap((part) => {
    const block = blockOf(part, isAnthropic);
    if (typeof block !== 'string') return [block];
    leftOut.add(block);
    return [];
  });
}

/** The block of a part, or the kind under which it is left out. */
function blockOf(part: JsonObject, isAnthropic: boolean): JsonObject | string {
  switch (part.type) {
    case 'text':
      return part.text === '' ? 'empty text' : { type: 'text', text: part.text ?? null };
    case 'thinking': {
      // Anthropic refuses thinking without its own signature.
      const signature = stringField(part, 'thinkingSignature') ?? '';
      if (!isAnthropic || signature === '') return 'thinking without signature';
      return { type: 'thinking', thinking: part.thinking ?? null, signature };
    }
    case 'toolCall':
      return {
        type: 'tool_use',
        id: part.id ?? null,
        name: part.name ?? null,
        input: isJsonObject(part.arguments) ? part.arguments : { input: part.arguments ?? null },
      };
    case 'image':
      return {
        type: 'image',
        source: { type: 'base64', media_type: part.mimeType ?? null, data: part.data ?? null },
      };
    default:
      return stringField(part, 'type') ?? 'part without type';
  }
}
