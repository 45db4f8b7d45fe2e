import type { Item } from '../domain/items/item.ts';
import { isJsonObject, type JsonObject, stringField } from '../domain/json.ts';
import {
  type Conversation,
  linesImporter,
  objectField,
  objectsField,
  Tally,
} from './transcript.ts';
import { abandonedBranches, linesInOrderOfChain } from './tree.ts';

/** Sessions of Factory's Droid: lines around messages of Anthropic, which form a tree by `parentId`. */
export const droid = linesImporter({
  source: 'droid',
  description: 'Droid session (JSON lines with type session_start, message …)',
  isOwn: isOfDroid,
  read: readLines,
});

/** Lines of pi have the same type, but name their calls otherwise. */
function isOfDroid({ type, id, message }: JsonObject): boolean {
  if (type === 'session_start') return typeof id === 'string';
  const blocks = isJsonObject(message) ? (objectsField(message, 'content') ?? []) : [];
  return type === 'message' && blocks.some((block) => block.type === 'tool_use');
}

function readLines(file: JsonObject[]): Conversation {
  const lines = linesInOrderOfChain(file);
  const isAbandoned = abandonedBranches(lines);
  const items: Item[] = [];
  const skipped = new Tally();
  let model: string | null = null;
  for (const line of lines) {
    const type = stringField(line, 'type') ?? 'line_without_type';
    const message = objectField(line, 'message');
    if (type !== 'message') {
      skipped.add(type);
    } else if (isAbandoned(line)) {
      skipped.add('other_branch');
    } else if (Array.isArray(message.content) && message.content.length === 0) {
      skipped.add('empty_message');
    } else {
      const item: Item = { role: message.role ?? null, content: message.content ?? null };
      if (typeof message.model === 'string') item.model = message.model;
      if (typeof line.timestamp === 'string') item.timestamp = line.timestamp;
      model = stringField(message, 'model') ?? model;
      items.push(item);
    }
  }
  return { format: 'anthropic', model, items, skipped, notes: [] };
}
