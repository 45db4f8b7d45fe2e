import type { Format } from '../domain/items/codecs.ts';
import type { Item } from '../domain/items/item.ts';
import { isJsonObject, type Json, type JsonObject } from '../domain/json.ts';

/**
 * One conversation of a transcript file. Every entry of the file is either an item or counted in
 * `skipped` under the name of its kind; `notes` says in sentences what was changed on the way.
 */
export type Transcript = Omit<Conversation, 'skipped' | 'notes'> & {
  /** Made from the file's name, fit for a session id; numbered when a file holds several. */
  name: string;
  /** The recognised kind of file, such as `claude-code`. */
  source: string;
  skipped: Record<string, number>;
  notes?: string[];
};

/** What an importer makes of one conversation, before names are given and items are checked. */
export type Conversation = {
  format: Format;
  model: string | null;
  /** Where the file names them. */
  profile?: string;
  contextWindow?: number;
  items: Item[];
  skipped: Tally;
  notes: string[];
};

/** A file as an importer sees it: one JSON document, the objects of its lines, or a text of another kind. */
export type Content =
  | { kind: 'document'; value: JsonObject | JsonObject[] }
  | { kind: 'lines'; lines: JsonObject[] }
  | { kind: 'text'; text: string };

/** One kind of transcript file. Neither function throws, whatever the JSON. */
export type Importer = {
  source: string;
  /** What such a file looks like, for the message about a file that nothing understands. */
  description: string;
  matches(content: Content): boolean;
  read(content: Content): Conversation[];
};

/**
 * An importer of files of JSON lines, known by lines that only one program writes. `split`: the lines of
 * each conversation, where a file may hold several.
 */
export function linesImporter({
  source,
  description,
  isOwn,
  read,
  split = (lines) => [lines],
}: Pick<Importer, 'source' | 'description'> & {
  isOwn: (line: JsonObject) => boolean;
  read: (lines: JsonObject[]) => Conversation;
  split?: (lines: JsonObject[]) => JsonObject[][];
}): Importer {
  return {
    source,
    description,
    matches: (content) => content.kind === 'lines' && content.lines.some(isOwn),
    read: (content) => (content.kind === 'lines' ? split(content.lines).map(read) : []),
  };
}

/** The objects of a file: its lines, the elements of its array, or the one that it is. */
export function entriesOf(content: Content): JsonObject[] {
  if (content.kind === 'text') return [];
  if (content.kind === 'lines') return content.lines;
  return Array.isArray(content.value) ? content.value : [content.value];
}

type TranscriptErrorCode =
  | 'empty'
  | 'broken_gzip'
  | 'too_large'
  | 'not_a_transcript'
  | 'unknown_format';

/** The file as a whole cannot be imported; the message says what was seen and what is known. */
export class TranscriptError extends Error {
  readonly code: TranscriptErrorCode;
  constructor(code: TranscriptErrorCode, message: string) {
    super(message);
    this.name = 'TranscriptError';
    this.code = code;
  }
}

/** Counts by kind, in the order of first appearance. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(kind: string, count = 1): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  toRecord(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }

  /** `name (count), name (count)`, for notes. */
  toText(): string {
    return [...this.#counts].map(([kind, count]) => `${kind} (${count})`).join(', ');
  }
}

/**
 * Counts the fields of a document beside its messages: an array as its number of elements, so that
 * a second record of the same steps is seen in full, anything else as one.
 */
export function countOtherFields(document: JsonObject, messages: string, skipped: Tally): void {
  for (const [key, value] of Object.entries(document)) {
    if (key === messages) continue;
    skipped.add(key, Array.isArray(value) ? Math.max(1, value.length) : 1);
  }
}

/** Says which parts of messages were left out, where any was. */
export function notesOf(leftOut: Tally, parts = 'Parts'): string[] {
  return leftOut.isEmpty ? [] : [`${parts} left out of messages: ${leftOut.toText()}.`];
}

/** The object in a field, or an empty one: reading on finds nothing, which is then counted. */
export function objectField(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}

/** The objects in an array field; undefined when the field is no array of objects only. */
export function objectsField(object: JsonObject, key: string): JsonObject[] | undefined {
  const value = object[key];
  return Array.isArray(value) && value.every(isJsonObject) ? value : undefined;
}

/** A figure in a field, 0 when there is none. */
export function numberField(object: JsonObject, key: string): number {
  const value = object[key];
  return typeof value === 'number' ? value : 0;
}

/** A time that is written in milliseconds, as ISO 8601; undefined for a value that is no time. */
export function isoTime(milliseconds: Json | undefined): string | undefined {
  const at = new Date(typeof milliseconds === 'number' ? milliseconds : Number.NaN);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
