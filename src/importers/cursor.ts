import type { Item } from '../domain/items/item.ts';
import { isJsonObject, type JsonObject, stringField } from '../domain/json.ts';
import { UNRECORDED } from '../domain/workspace/result-text.ts';
import { type Conversation, linesImporter, notesOf, objectsField, Tally } from './transcript.ts';

/**
 * Transcripts of Cursor's agent (`~/.cursor/projects/<name>/agent-transcripts/<id>.jsonl`): a message a
 * line, with calls that have no ids, and without what the calls have brought. What the user typed stands in
 * a tag; around it Cursor tells of pictures, documents and the time.
 */
export const cursor = linesImporter({
  source: 'cursor',
  description: 'Cursor transcript (JSON lines with role and message, without type)',
  isOwn: (line) =>
    (line.role === 'user' || line.role === 'assistant') &&
    line.type === undefined &&
    line.uuid === undefined &&
    blocksOf(line) !== undefined,
  read,
});

const QUERY = /<user_query>\n?([\s\S]*?)\n?<\/user_query>/g;
const TIME = /<timestamp>([^<\n]{1,100})<\/timestamp>/g;
/** As in "Monday, Apr 27, 2026, 1:32 PM (UTC-7)". */
const MINUTE =
  /^\w{6,9}, (\w{3}) (\d{1,2}), (\d{4}), (\d{1,2}:\d\d [AP]M) \(UTC([+-]\d{1,2})(?::?(\d\d))?\)$/;

function read(lines: readonly JsonObject[]): Conversation {
  const items: Item[] = [];
  const skipped = new Tally();
  const leftOut = new Tally();
  let calls = 0;
  let before = '';
  for (const line of lines) {
    const blocks = blocksOf(line);
    // What was sent again stands there twice.
    const said = JSON.stringify(line);
    if (blocks === undefined || said === before) {
      skipped.add(
        blocks === undefined
          ? (stringField(line, 'type') ?? 'line_without_type')
          : 'repeated_message',
      );
      continue;
    }
    before = said;
    if (line.role === 'user') {
      items.push(...userItems(blocks, leftOut));
      continue;
    }
    const content = blocks.flatMap((block) => {
      if (block.type === 'tool_use') return [{ ...block, id: `call_${++calls}` }];
      if (block.type === 'text' && block.text !== '') return [block];
      if (block.type !== 'text') leftOut.add(stringField(block, 'type') ?? 'part_without_type');
      return [];
    });
    if (content.length === 0) {
      skipped.add('empty_message');
      continue;
    }
    items.push({ role: 'assistant', content });
    const results = content.flatMap((block) =>
      'id' in block ? [{ type: 'tool_result', tool_use_id: block.id, content: UNRECORDED }] : [],
    );
    if (results.length > 0) items.push({ role: 'user', content: results });
  }
  return { format: 'anthropic', model: null, items, skipped, notes: notesOf(leftOut) };
}

/** What the program says around the user's words goes before them, as its own. */
function userItems(blocks: readonly JsonObject[], leftOut: Tally): Item[] {
  const text = blocks.map((block) => stringField(block, 'text') ?? '').join('\n');
  const words = [...text.matchAll(QUERY)].map(([, query = '']) => query).join('\n\n');
  const times = [...text.matchAll(TIME)].map(([, time = '']) => time);
  const at = timeOf(times[0] ?? '');
  if (times.length > (at === null ? 0 : 1)) leftOut.add('timestamp', times.length);
  const timed = at === null ? {} : { timestamp: at };
  const around = text.replace(QUERY, '').replace(TIME, '').trim();
  return [
    ...(around === '' ? [] : [{ role: 'user', content: around, is_meta: true, ...timed }]),
    ...(words.trim() === '' ? [] : [{ role: 'user', content: words, ...timed }]),
  ];
}

function timeOf(time: string): string | null {
  const found = MINUTE.exec(time);
  if (found === null) return null;
  const [, month, day, year, clock, hours = '', minutes = '00'] = found;
  const zone = hours.slice(0, 1) + hours.slice(1).padStart(2, '0') + minutes;
  const ms = Date.parse(`${month} ${day}, ${year} ${clock} GMT${zone}`);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

function blocksOf({ message }: JsonObject): JsonObject[] | undefined {
  return isJsonObject(message) ? objectsField(message, 'content') : undefined;
}
