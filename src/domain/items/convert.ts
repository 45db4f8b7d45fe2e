import { fnv1a } from '../fnv.ts';
import { isJsonObject, type Json, type JsonObject, stringField } from '../json.ts';
import { isBlank } from './decode-arguments.ts';
import type { ImagePart, Message, Part, Source, ToolCall, ToolResult } from './item.ts';
import { audioNote, fileNote, plainParts, type SaidPart } from './opaque.ts';

/** Stands for an image that a format cannot carry or whose data is not in the item. */
export const IMAGE_NOTE = '[image]';

const DATA_URL = /^data:([^;,]+);base64,/;

/** The source of an image URL; a base64 data URL is taken apart. */
export function sourceOfUrl(url: string): Source {
  const match = DATA_URL.exec(url);
  const mediaType = match?.[1];
  if (match === null || mediaType === undefined) return { kind: 'url', url };
  return { kind: 'base64', media_type: mediaType, data: url.slice(match[0].length) };
}

/** The source as one URL, which is how the OpenAI formats carry images. */
export function urlOfSource(source: Source): string {
  return source.kind === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`;
}

/** The image of a block, with its dimensions in pixels only where the block states them. */
export function imageOf(block: JsonObject, source: Source | undefined): ImagePart {
  const { width, height } = block;
  return {
    kind: 'image',
    ...(typeof width === 'number' && { width }),
    ...(typeof height === 'number' && { height }),
    ...(source !== undefined && { source }),
  };
}

/** The text of a result part, with notes for what is no text. */
export function resultPartText(part: ToolResult['content'][number]): string {
  return plainParts(part).map(textOf).join('\n');
}

/** A part as text, with notes for what is no text. */
export function textOf(part: SaidPart): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'image':
      return IMAGE_NOTE;
    case 'file':
      return fileNote(part);
    case 'audio':
      return audioNote(part);
    default:
      return part satisfies never;
  }
}

/** The parts of a message, with the name of its user before them: not every format has a field for it. */
export function namedParts({ name, parts }: Message): Part[] {
  if (name === undefined || parts.length === 0) return parts;
  const [first, ...others] = parts;
  return first?.kind === 'text'
    ? [{ ...first, text: `${name}: ${first.text}` }, ...others]
    : [{ kind: 'text', text: `${name}:` }, ...parts];
}

/** Longer tool names are refused by every provider, longer call ids by the Responses API. */
const LONGEST_NAME = 64;

/** A tool's name as every provider accepts it: at most 64 letters, digits, `_` and `-`. */
export function safeName(name: string): string {
  return shortened(plainLetters(name), name, LONGEST_NAME);
}

/** The same with a hash of the original, where another tool has that name. */
export function hashedName(name: string): string {
  return withHash(plainLetters(name), name, LONGEST_NAME);
}

/** A call id that Anthropic gave or accepts stays as it is, however long; another one is as `safeId`. */
export function anthropicId(id: string): string {
  return plainLetters(id) === id ? id : safeId(id);
}

/**
 * A call id in the letters of `safeName`, which Anthropic wants. An id that had to change carries a
 * hash of the original, so that ids which differ only in what was replaced stay apart.
 */
export function safeId(id: string): string {
  const plain = plainLetters(id);
  return plain === id ? shortId(id, LONGEST_NAME) : withHash(plain, id, LONGEST_NAME);
}

/** A call id of at most `longest` characters; a longer one ends with a hash of the whole. */
export function shortId(id: string, longest: number): string {
  return shortened(id, id, longest);
}

function plainLetters(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]/g, '_') || '_';
}

function shortened(text: string, original: string, longest: number): string {
  return text.length <= longest ? text : withHash(text, original, longest);
}

function withHash(text: string, original: string, longest: number): string {
  const hash = `_${fnv1a(original, 0x811c9dc5)}${fnv1a(original, 0x9747b28c)}`;
  return text.slice(0, longest - hash.length) + hash;
}

/** Tool input as an object, which is what Anthropic and JSON-schema functions take. */
export function inputObject(input: Json): JsonObject {
  return isJsonObject(input) ? input : { input };
}

/**
 * The arguments of a call as the JSON text of an object. Where the call came with such a text, it is
 * that very text: numbers beyond the precision of a double would not survive being written again.
 */
export function argumentsText({ input, source }: ToolCall): string {
  const own = isJsonObject(input) ? sourceArguments(source) : undefined;
  return own === undefined || isBlank(own) ? JSON.stringify(inputObject(input)) : own;
}

/** The `arguments` text of a call that came from an OpenAI format. */
function sourceArguments(source: Json): string | undefined {
  // In a tool_use block of Anthropic a field of this name would mean something else.
  if (!isJsonObject(source) || source.type === 'tool_use') return undefined;
  return stringField(isJsonObject(source.function) ? source.function : source, 'arguments');
}
