import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  jsonObjectIn,
  stringField,
} from '../../src/domain/json.ts';
import { textOf as textOfFile } from '../../src/importers/read-transcripts.ts';
import { type Session, sessionOf, transcriptsIn } from './sessions.ts';

/** A compaction that the agent's own program made and recorded. */
export type Recorded = {
  /** How many items of the session had come before it, and those up to the next one. */
  covered: Session;
  until: Session;
  /** Length of what both have in common; what `until` holds beyond it came later. */
  cut: number;
  /** What the program put in the place of them, as far as it can be read. */
  text: string;
  /** Whether that is a summary, or only the messages that stayed beside one that nobody can read. */
  is_summary: boolean;
};

/** Where the program compacted, in the order of the file; only what says what it put in its place. */
export function recordedCompactions(session: Session): Recorded[] {
  const lines = textOfFile(session.name, readFileSync(session.path)).split('\n');
  const objects = lines.map((line) => jsonObjectIn(line));
  const at = objects.flatMap((line, index) => (isBoundary(line) ? [index] : []));
  return at.flatMap((line, index) => {
    const replacement = replacementAt(objects, line);
    const next = at[index + 1] ?? lines.length;
    const covered = partOf(session, lines.slice(0, line));
    const until = partOf(session, lines.slice(0, next));
    if (replacement.text === '' || covered === null || until === null) return [];
    return [{ covered, until, cut: common(covered, until), ...replacement }];
  });
}

function isBoundary(line: JsonObject | null): boolean {
  return (
    line !== null &&
    (line.subtype === 'compact_boundary' || line.type === 'compacted' || line.type === 'compaction')
  );
}

type Replacement = Pick<Recorded, 'text' | 'is_summary'>;

function replacementAt(lines: readonly (JsonObject | null)[], at: number): Replacement {
  const line = lines[at];
  if (line?.type === 'compacted') return ofCodex(isJsonObject(line.payload) ? line.payload : {});
  if (line?.type === 'compaction') return summaryOf(stringField(line, 'summary') ?? '');
  const summary = lines.slice(at + 1, at + 8).find((one) => one?.isCompactSummary === true);
  const message = summary?.message;
  return summaryOf(isJsonObject(message) ? textIn(message.content ?? null) : '');
}

/** Newer versions let the provider compact: then only the messages that stay can be read. */
function ofCodex(payload: JsonObject): Replacement {
  const message = stringField(payload, 'message') ?? '';
  if (message !== '') return summaryOf(message);
  const history = Array.isArray(payload.replacement_history) ? payload.replacement_history : [];
  const text = history
    .filter(isJsonObject)
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .map(({ content }) => textIn(content ?? null))
    .join('\n\n');
  return { text, is_summary: false };
}

function summaryOf(text: string): Replacement {
  return { text, is_summary: true };
}

function textIn(content: Json): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => (isJsonObject(part) ? (stringField(part, 'text') ?? '') : ''))
    .join('\n');
}

function partOf(session: Session, lines: readonly string[]): Session | null {
  const [transcript] = transcriptsIn(session.path, lines.join('\n'));
  return transcript === undefined ? null : { ...session, ...sessionOf(transcript) };
}

function common(covered: Session, until: Session): number {
  const differs = covered.items.findIndex(
    (item, index) => !isDeepStrictEqual(item, until.items[index]),
  );
  return differs === -1 ? covered.items.length : differs;
}
