import { isJsonObject, type Json, type JsonObject, stringField } from '../json.ts';
import type { ImagePart, Message, OpaquePart, Part, Source, TextPart, ToolResult } from './item.ts';
import { isSetting } from './openai-responses/settings.ts';
import { providerNotes } from './provider-notes.ts';

export type FilePart = { kind: 'file'; name: string; source: Source };
export type AudioPart = { kind: 'audio'; format: string; data: string };
/** What can be said to a model of any provider, as far as its format goes. */
export type SaidPart = TextPart | ImagePart | FilePart | AudioPart;
export type PlainPart = Exclude<Part, OpaquePart> | SaidPart;

/** Base64 and encrypted text in words of this length say nothing to another provider's model. */
const LONGEST_WORD = 400;
const DATA_URL = /^data:([^;,]*)(?:;[^,]*)?;base64,/;

/**
 * What a block that no codec names means to another provider: texts, images, files and sound as far as
 * they can travel, what its provider has done in labelled words, nothing of what it only sets, else its JSON.
 * Base64 is never part of a text.
 */
export function readOpaque(json: Json): SaidPart[] {
  if (!isJsonObject(json)) return [text(jsonText(json))];
  switch (json.type) {
    case 'document':
      return readDocument(json);
    case 'file':
      return typeof json.mediaType === 'string'
        ? readTypedFile(json, json.mediaType)
        : readFile(json, isJsonObject(json.file) ? json.file : {});
    case 'input_file':
      return readFile(json, json);
    case 'input_audio':
      return readAudio(json);
    case 'search_result':
      return [text(searchResult(json))];
    case 'container_upload':
      return [text(`[uploaded file ${stringField(json, 'file_id') ?? ''}]`)];
    default: {
      if (isSetting(json)) return [];
      const notes = providerNotes(json);
      return notes.length === 0 ? [text(jsonText(json))] : notes.map(text);
    }
  }
}

/** A part as parts that every format knows. */
export function plainParts(part: ToolResult['content'][number]): SaidPart[];
export function plainParts(part: Part): PlainPart[];
export function plainParts(part: Part): PlainPart[] {
  return part.kind === 'opaque' ? readOpaque(part.json) : [part];
}

/** What a message brings beside its words, its calls and its results: pictures, files, sound, documents. */
export function partsBeside({ parts }: Pick<Message, 'parts'>): PlainPart[] {
  return parts
    .filter(({ kind }) => kind === 'opaque' || kind === 'image')
    .flatMap((part) => plainParts(part));
}

/** The characters of base64 that a file or sound holds; null for any other block. */
export function binaryLength(json: Json): number | null {
  const types: Json[] = ['document', 'file', 'input_file', 'input_audio'];
  if (!isJsonObject(json) || !types.includes(json.type ?? null)) return null;
  for (const part of readOpaque(json)) {
    if (part.kind === 'audio') return part.data.length;
    if (part.kind === 'file' && part.source.kind === 'base64') return part.source.data.length;
  }
  return null;
}

/** What stands for a file where it cannot travel. */
export function fileNote({ name, source }: FilePart): string {
  const place = source.kind === 'url' ? source.url : source.media_type;
  return `[file ${name}: ${place}]`;
}

/** What stands for sound where it cannot travel. */
export function audioNote({ format }: AudioPart): string {
  return `[audio: ${format}]`;
}

function text(value: string): TextPart {
  return { kind: 'text', text: value };
}

/** A document of Anthropic. A file id is one of that provider and means nothing to another. */
function readDocument(block: JsonObject): (TextPart | ImagePart | FilePart)[] {
  const source = isJsonObject(block.source) ? block.source : {};
  const title = stringField(block, 'title') ?? 'document';
  const context = stringField(block, 'context');
  const about = context === undefined ? [] : [text(`About ${title}: ${context}`)];
  const { type, data, url, content, media_type: mediaType } = source;
  if (type === 'base64' && typeof data === 'string') {
    const media_type = typeof mediaType === 'string' ? mediaType : 'application/pdf';
    return [...about, { kind: 'file', name: title, source: { kind: 'base64', media_type, data } }];
  }
  if (type === 'url' && typeof url === 'string') {
    return [...about, { kind: 'file', name: title, source: { kind: 'url', url } }];
  }
  if (type === 'text' && typeof data === 'string') return [...about, text(`${title}:\n${data}`)];
  if (type === 'content') return [...about, text(`${title}:`), ...readContent(content)];
  return [...about, text(`[file ${title}: ${stringField(source, 'file_id') ?? 'no content'}]`)];
}

function readContent(content: Json | undefined): (TextPart | ImagePart)[] {
  if (typeof content === 'string') return content === '' ? [] : [text(content)];
  if (!Array.isArray(content)) return [];
  return content.filter(isJsonObject).map((block): TextPart | ImagePart => {
    if (block.type === 'text') return text(stringField(block, 'text') ?? '');
    const { type, media_type, data, url } = isJsonObject(block.source) ? block.source : {};
    if (type === 'base64' && typeof media_type === 'string' && typeof data === 'string') {
      return { kind: 'image', source: { kind: 'base64', media_type, data } };
    }
    if (type === 'url' && typeof url === 'string') {
      return { kind: 'image', source: { kind: 'url', url } };
    }
    return text(jsonText(block));
  });
}

/** A file of the OpenAI formats, whose data is a data URL or plain base64. */
function readFile(block: JsonObject, file: JsonObject): (TextPart | FilePart)[] {
  const name = stringField(file, 'filename') ?? 'file';
  const raw = stringField(file, 'file_data');
  if (raw !== undefined) {
    const match = DATA_URL.exec(raw);
    const media_type = match?.[1] || (name.endsWith('.txt') ? 'text/plain' : 'application/pdf');
    const data = match === null ? raw : raw.slice(match[0].length);
    return [{ kind: 'file', name, source: { kind: 'base64', media_type, data } }];
  }
  const url = stringField(block, 'file_url');
  if (url !== undefined) return [{ kind: 'file', name, source: { kind: 'url', url } }];
  return [text(`[file ${name}: ${stringField(file, 'file_id') ?? 'no content'}]`)];
}

/** A file of the AI SDK: an address, or bytes in base64. */
function readTypedFile(block: JsonObject, media_type: string): (TextPart | FilePart)[] {
  const name = stringField(block, 'filename') ?? 'file';
  const data = stringField(block, 'data') ?? stringField(block, 'url');
  if (data === undefined) return [text(`[file ${name}: ${media_type}]`)];
  if (/^https?:/.test(data)) return [{ kind: 'file', name, source: { kind: 'url', url: data } }];
  const match = DATA_URL.exec(data);
  const bytes = match === null ? data : data.slice(match[0].length);
  return [{ kind: 'file', name, source: { kind: 'base64', media_type, data: bytes } }];
}

function readAudio({ input_audio: audio }: JsonObject): (TextPart | AudioPart)[] {
  const data = isJsonObject(audio) ? stringField(audio, 'data') : undefined;
  const format = isJsonObject(audio) ? (stringField(audio, 'format') ?? 'unknown') : 'unknown';
  return data === undefined ? [text('[audio]')] : [{ kind: 'audio', format, data }];
}

function searchResult(block: JsonObject): string {
  const found = readContent(block.content).map((part) => (part.kind === 'text' ? part.text : ''));
  const from = stringField(block, 'source') ?? '';
  return [`${stringField(block, 'title') ?? 'Search result'} (${from}):`, ...found].join('\n');
}

/** The JSON of a block, without what only its provider or a program can read. */
function jsonText(json: Json): string {
  return JSON.stringify(json, (_field, value: unknown) =>
    typeof value === 'string' ? withoutBinary(value) : value,
  );
}

function withoutBinary(value: string): string {
  const isBinary =
    DATA_URL.test(value.slice(0, LONGEST_WORD)) ||
    (value.length > LONGEST_WORD && /^[\w+/=-]+$/.test(value));
  return isBinary ? '[binary data]' : value;
}
