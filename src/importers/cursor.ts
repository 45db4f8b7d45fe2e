import type { Item } from '../domain/items/item.ts';
import { isJsonObject, type JsonObject, stringField } from '../domain/json.ts';
import { UNRECORDED } from '../domain/workspace/result-text.ts';
import { type Conversation, linesImporter, notesOf, objectsField, Tally } from './transcript.ts';

/**
 * Transcripts of Cursor's agent (`~/.cursor/projects/<name>/agent-transcripts/<id>.jsonl`): a message a
 * line, with calls that have no ids, without what the calls have brought and what was thought. What the user
 * typed stands in a tag; around it Cursor tells of pictures, documents and the time.
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
const QUERY_END = '</user_query>';
const TIME = /<timestamp>([^<\n]{1,100})<\/timestamp>/g;
/** Cursor's own words where it goes on after a break, which stand in no tag either. */
const GOES_ON = 'Your previous response was interrupted. Continue from where you left off.';
/** What stands in place of what the model has thought, alone or below what it said. */
const THOUGHT = /(?:^|\n\n)\[REDACTED\]$/;
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
    if (blocks === undefined) {
      skipped.add(stringField(line, 'type') ?? 'line_without_type');
      continue;
    }
    // What the user has sent again stands there twice.
    const said = line.role === 'user' ? JSON.stringify(line) : '';
    if (said !== '' && said === before) {
      skipped.add('repeated_message');
      continue;
    }
    before = said;
    if (line.role === 'user') {
      items.push(...userItems(blocks, leftOut));
      continue;
    }
    const content = blocks.flatMap((block): JsonObject[] => {
      if (block.type === 'tool_use') return [{ ...block, id: `call_${++calls}` }];
      if (block.type !== 'text') return leave(block, leftOut);
      const text = stringField(block, 'text') ?? '';
      if (THOUGHT.test(text)) leftOut.add('thoughts');
      const own = text.replace(THOUGHT, '');
      return own === '' ? [] : [{ ...block, text: own }];
    });
    if (content.length === 0) {
      skipped.add('empty_message');
      continue;
    }
    items.push({ role: 'assistant', content });
    const results = content.flatMap(({ type, id = '' }): JsonObject[] =>
      type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: UNRECORDED }] : [],
    );
    if (results.length > 0) items.push({ role: 'user', content: results });
  }
  return { format: 'anthropic', model: null, items, skipped, notes: notesOf(leftOut) };
}

function leave(block: JsonObject, leftOut: Tally): [] {
  leftOut.add(stringField(block, 'type') ?? 'part_without_type');
  return [];
}

/**
 * What the program says around the user's words goes before them, as its own. A text without the tag is what
 * was typed, as the agent in a terminal writes it and what asks a subagent.
 */
function userItems(blocks: readonly JsonObject[], leftOut: Tally): Item[] {
  const text = blocks
    .flatMap((block) =>
      block.type === 'text' ? (stringField(block, 'text') ?? '') : leave(block, leftOut),
    )
    .join('\n');
  const times = [...text.matchAll(TIME)].map(([, time = '']) => time);
  const at = timeOf(times[0] ?? '');
  if (times.length > (at === null ? 0 : 1)) leftOut.add('timestamp', times.length);
  const timed = at === null ? {} : { timestamp: at };
  // Behind the last end no query is looked for: each beginning would be followed to the end of the text.
  const end = text.lastIndexOf(QUERY_END) + QUERY_END.length;
  const [front, rest] = text.includes(QUERY_END)
    ? [text.slice(0, end), text.slice(end)]
    : ['', text];
  const queries = [...front.matchAll(QUERY)].map(([, query = '']) => query);
  const outside = `${front.replace(QUERY, '')}${rest}`.replace(TIME, '').trim();
  const isTyped = queries.length === 0 && !outside.startsWith('<') && outside !== GOES_ON;
  const [around, words] = isTyped ? ['', outside] : [outside, queries.join('\n\n')];
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
