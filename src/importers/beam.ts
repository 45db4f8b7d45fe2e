import { isJsonObject, type JsonObject } from '../domain/json.ts';
import { type Content, type Importer, notesOf, objectsField, Tally } from './transcript.ts';

/** Long chats of the BEAM benchmark: batches of turns, each turn a list of messages. */
export const beam: Importer = {
  source: 'beam',
  description: 'BEAM chat (a JSON array of batches with "turns")',
  matches: (content) => batchesOf(content).some((batch) => Array.isArray(batch.turns)),
  read: (content) => {
    const items: JsonObject[] = [];
    const skipped = new Tally();
    const leftOut = new Tally();
    for (const batch of batchesOf(content)) {
      const turns = Array.isArray(batch.turns) ? batch.turns : undefined;
      if (!turns) skipped.add('batch_without_turns');
      for (const message of turns?.flat() ?? []) {
        if (!isJsonObject(message)) {
          skipped.add('turn_without_message');
          continue;
        }
        const { role = null, content: text = null, ...rest } = message;
        items.push({ role, content: text });
        for (const key of Object.keys(rest)) leftOut.add(key);
      }
    }
    const notes = notesOf(leftOut, 'Fields');
    return [{ format: 'openai-chat', model: null, items, skipped, notes }];
  },
};

/** The benchmark's question files lie beside the chats: questions with rubrics, no conversation. */
export function isProbingQuestions(content: Content): boolean {
  if (content.kind !== 'document' || Array.isArray(content.value)) return false;
  const groups = Object.keys(content.value);
  const { value } = content;
  return (
    groups.length > 0 &&
    groups.every((group) =>
      objectsField(value, group)?.every((entry) => typeof entry.question === 'string'),
    )
  );
}

function batchesOf(content: Content): JsonObject[] {
  return content.kind === 'document' && Array.isArray(content.value) ? content.value : [];
}
