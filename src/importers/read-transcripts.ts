import { gunzipSync } from 'node:zlib';
import { errorMessage } from '../domain/error-message.ts';
import { flawOf, JSON_DEPTH, quoteInexactNumbers } from '../domain/exact-json.ts';
import type { Codec } from '../domain/items/codec.ts';
import { codecFor } from '../domain/items/codecs.ts';
import { foreignHint } from '../domain/items/foreign-format.ts';
import type { Item } from '../domain/items/item.ts';
import { isJsonObject, type JsonObject, objectsIn, stringField } from '../domain/json.ts';
import { measureJson } from '../domain/json-text.ts';
import { detect } from './detect.ts';
import { pairingNotes } from './pairing-notes.ts';
import {
  type Content,
  type Conversation,
  Tally,
  type Transcript,
  TranscriptError,
} from './transcript.ts';

/** What a file may come to, unpacked. */
type FileLimits = { bytes: number; values: number };

/** A file of one's own: the longest text that the runtime can hold in one string. */
const OWN_FILE: FileLimits = { bytes: 512 * 1024 * 1024, values: Number.POSITIVE_INFINITY };
/** Items may be nested so deep, and stand within the records of their program. */
const MOST_DEPTH = 2 * JSON_DEPTH;
/** What a decoder takes away, and a text that was decoded elsewhere may still begin with. */
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Reads the conversations of a transcript file (SPEC section 17, `palimpsest import`), gzipped or
 * not. Its format is recognised by content; `fileName` only names the result. Broken lines are
 * counted as `invalid_json`, items that the format's codec refuses as `invalid_item: …`.
 *
 * @throws TranscriptError when the file is empty, broken, in no known format, or beyond the limits.
 */
export function readTranscripts(
  fileName: string,
  file: Uint8Array | string,
  most: FileLimits = OWN_FILE,
): Transcript[] {
  const given = typeof file === 'string' ? file : textOf(fileName, file, most.bytes);
  const text = given.startsWith(BYTE_ORDER_MARK) ? given.slice(1) : given;
  if (text.trim() === '') throw new TranscriptError('empty', `${fileName} is empty.`);
  refuseTooManyValues(fileName, text, most.values);
  const changes: Changes = { quoted: 0, repeated: 0 };
  const { views, unread, seen } = parse(text, changes);
  const { importer, content } = detect(fileName, views, seen);
  const conversations = importer.read(content);
  const isJson = content.kind !== 'text';
  for (const [kind, count] of isJson ? Object.entries(unread.toRecord()) : []) {
    conversations[0]?.skipped.add(kind, count);
  }
  conversations[0]?.notes.push(...changeNotes(changes));
  const name = nameOf(fileName);
  const transcripts = conversations.map((conversation, index) => ({
    name: conversations.length === 1 ? name : `${name}-${index + 1}`,
    source: importer.source,
    ...withCheckedItems(fileName, conversation),
  }));
  refuseUnreadable(fileName, transcripts);
  return transcripts;
}

const REFUSED = 'invalid_item: ';

/** A file of messages that are all refused has the shape of a format, and is in another one. */
function refuseUnreadable(fileName: string, transcripts: readonly Transcript[]): void {
  const refused = transcripts.flatMap(({ skipped }) =>
    Object.entries(skipped).filter(([kind]) => kind.startsWith(REFUSED)),
  );
  const [first] = refused;
  if (first === undefined || transcripts.some(({ items }) => items.length > 0)) return;
  const count = refused.reduce((sum, [, one]) => sum + one, 0);
  throw new TranscriptError(
    'unknown_format',
    `${fileName} looks like ${transcripts[0]?.source}, and none of its messages can be read as such ` +
      `(${count} refused): ${first[0].slice(REFUSED.length).replace(/\.$/, '')}.`,
  );
}

/** Before anything is made of them: three bytes of `{},` become some sixty of objects. */
function refuseTooManyValues(fileName: string, text: string, most: number): void {
  if (most === Number.POSITIVE_INFINITY) return;
  if (measureJson(text, { values: most, depth: Number.POSITIVE_INFINITY }).values <= most) return;
  throw new TranscriptError(
    'too_large',
    `${fileName} holds more than ${most} JSON values. ${ELSEWHERE}`,
  );
}

const ELSEWHERE = 'Run "palimpsest import", which reads longer files.';

/**
 * The text of a file, gzipped or not. Throws TranscriptError when it cannot be unzipped, or comes to more
 * than `most` bytes then.
 */
export function textOf(fileName: string, bytes: Uint8Array, most = OWN_FILE.bytes): string {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  // What PowerShell has redirected into a file.
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  if (!isGzip) return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes);
  try {
    return new TextDecoder().decode(gunzipSync(bytes, { maxOutputLength: most }));
  } catch (error) {
    if (error instanceof RangeError) {
      const advice = most < OWN_FILE.bytes ? ` ${ELSEWHERE}` : '';
      throw new TranscriptError('too_large', `${fileName} unpacks to over ${most} bytes.${advice}`);
    }
    const reason = errorMessage(error);
    throw new TranscriptError('broken_gzip', `${fileName} cannot be unzipped: ${reason}.`);
  }
}

type Parsed = {
  views: Content[];
  /** Lines or elements that are no JSON objects. */
  unread: Tally;
  /** What the file holds, in a few words, for error messages. */
  seen: string;
};

function parse(text: string, changes: Changes): Parsed {
  const document = parseJson(text, changes);
  if (document === undefined) return parseLines(text, changes);
  const seen = describe(document);
  const unread = new Tally();
  if (isJsonObject(document)) {
    const asLine: Content = { kind: 'lines', lines: [document] };
    return { views: [{ kind: 'document', value: document }, asLine], unread, seen };
  }
  const objects = objectsIn(document);
  if (objects.length === 0) return { views: [], unread, seen };
  const others = Array.isArray(document) ? document.length - objects.length : 0;
  if (others > 0) unread.add('not_an_object', others);
  return { views: [{ kind: 'document', value: objects }], unread, seen };
}

function parseLines(text: string, changes: Changes): Parsed {
  const lines: JsonObject[] = [];
  const unread = new Tally();
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const value = parseJson(line, changes);
    if (value === undefined) unread.add('invalid_json');
    else if (isJsonObject(value)) lines.push(value);
    else unread.add('not_an_object');
  }
  // A text may hold JSON on lines of its own.
  const views: Content[] = [
    { kind: 'text', text },
    { kind: 'lines', lines },
  ];
  return { views, unread, seen: describeLines(lines, unread) };
}

/** What a JSON parser would have changed without a word; counted over the texts of a file. */
type Changes = { quoted: number; repeated: number };

/** Undefined for what is no JSON; JSON itself never is undefined. */
function parseJson(text: string, changes: Changes): unknown {
  try {
    const exact = quoteInexactNumbers(text);
    const flaw = flawOf(exact.text, MOST_DEPTH);
    // Each bracket costs the parser 70 bytes: a few megabytes of them would take all memory there is.
    if (flaw?.kind === 'too_deep') return undefined;
    const value: unknown = JSON.parse(exact.text);
    changes.quoted += exact.quoted;
    if (flaw?.kind === 'repeated_key') changes.repeated += 1;
    return value;
  } catch {
    return undefined;
  }
}

function changeNotes({ quoted, repeated }: Changes): string[] {
  return [
    ...(quoted === 0
      ? []
      : [
          `${quoted} ${quoted === 1 ? 'number has' : 'numbers have'} more digits than JSON readers ` +
            'keep: imported as strings, digit by digit',
        ]),
    ...(repeated === 0
      ? []
      : [
          `${repeated} ${repeated === 1 ? 'record holds' : 'records hold'} a key twice: the last ` +
            'value was imported',
        ]),
  ];
}

function describe(document: unknown): string {
  if (Array.isArray(document)) return `a JSON array of ${document.length} elements`;
  if (!isJsonObject(document)) return `a JSON ${typeof document}`;
  return `a JSON object with the fields ${listed(Object.keys(document))}`;
}

function describeLines(lines: JsonObject[], unread: Tally): string {
  const types = new Set(lines.map((line) => stringField(line, 'type') ?? 'none'));
  const others = unread.isEmpty ? '' : `, beside ${unread.toText()}`;
  if (lines.length === 0) return `text without a JSON object on any line${others}`;
  return `${lines.length} JSON lines of the types ${listed([...types])}${others}`;
}

function listed(names: string[]): string {
  const shown = names.slice(0, 10).map((name) => JSON.stringify(name.slice(0, 60)));
  return shown.join(', ') + (names.length > shown.length ? ', …' : '');
}

function withCheckedItems(
  fileName: string,
  conversation: Conversation,
): Omit<Transcript, 'name' | 'source'> {
  const { items: read, skipped, notes, ...rest } = conversation;
  const { format } = rest;
  const codec = codecFor(format);
  const items: Item[] = [];
  for (const [index, item] of read.entries()) {
    if (foreignHint(format, item) !== null) {
      throw new TranscriptError(
        'unknown_format',
        `${fileName} holds messages of several formats: most are of "${format}", and message ` +
          `${index + 1} is not. Write all of them in one format.`,
      );
    }
    const problem = firstProblem(codec, item);
    if (problem === undefined) items.push(item);
    else skipped.add(`${REFUSED}${problem}`);
  }
  const transcript = { ...rest, items, skipped: skipped.toRecord() };
  const all = [...notes, ...pairingNotes(items.map((item) => codec.normalise(item)))];
  return all.length > 0 ? { ...transcript, notes: all } : transcript;
}

function firstProblem(codec: Codec, item: Item): string | undefined {
  return codec.check(item)[0]?.message;
}

/** No file system has longer ones, in characters. */
const LONGEST_NAME = 255;

/** The file's name without folders and extensions, fit for a session id (SPEC section 2). */
function nameOf(fileName: string): string {
  const base = (fileName.split(/[/\\]/).at(-1) ?? '').slice(0, LONGEST_NAME);
  const stem = base.replace(/(\.(gz|jsonl|ndjson|json|traj))+$/i, '');
  // Room is left for the number of a conversation.
  return stem.replaceAll(/[^A-Za-z0-9._:-]/g, '-').slice(0, 116) || 'transcript';
}
