import type { Item } from '../domain/items/item.ts';
import { isJsonObject, type JsonObject, stringField } from '../domain/json.ts';
import { lastLineOfEachMessage, messageItem, modelOf } from './claude-code.ts';
import { type Conversation, entriesOf, type Importer, Tally } from './transcript.ts';

/**
 * What `claude -p --output-format stream-json` prints, and the messages that the Claude Agent SDK gives: as
 * lines, or as the list that GitHub's action for Claude Code writes to a file.
 */
export const claudeStream: Importer = {
  source: 'claude-stream',
  description: 'Claude Code output (stream-json: objects with type, message and session_id)',
  matches: (content) => entriesOf(content).some(isMessage),
  read: (content) => [readMessages(entriesOf(content))],
};

function isMessage(entry: JsonObject): boolean {
  return (
    (entry.type === 'user' || entry.type === 'assistant') &&
    isJsonObject(entry.message) &&
    'parent_tool_use_id' in entry
  );
}

/** What agents have said to each other that this one has called is theirs, and is left out. */
function readMessages(entries: readonly JsonObject[]): Conversation {
  const isOwn = (entry: JsonObject) => isMessage(entry) && entry.parent_tool_use_id === null;
  const usageLines = lastLineOfEachMessage(entries.filter(isOwn));
  const items: Item[] = [];
  const skipped = new Tally();
  let model: string | null = null;
  for (const entry of entries) {
    if (isOwn(entry)) {
      items.push(messageItem(entry, usageLines.has(entry)));
      model = modelOf(entry) ?? model;
    } else {
      skipped.add(isMessage(entry) ? 'sidechain' : kindOf(entry));
    }
  }
  return { format: 'anthropic', model, items, skipped, notes: [] };
}

function kindOf(entry: JsonObject): string {
  const kinds = [stringField(entry, 'type'), stringField(entry, 'subtype')];
  return kinds.filter((kind) => kind !== undefined).join(':') || 'line_without_type';
}
