import type { Json, JsonObject } from '../json.ts';
import type { ImagePart, ImageSource, ToolResult } from './item.ts';

/** Stands for an image that a format cannot carry or whose data is not in the item. */
export const IMAGE_NOTE = '[image]';

const DATA_URL = /^data:([^;,]+);base64,/;

/** The source of an image URL; a base64 data URL is taken apart. */
export function sourceOfUrl(url: string): ImageSource {
  const match = DATA_URL.exec(url);
  const mediaType = match?.[1];
  if (match === null || mediaType === undefined) return { kind: 'url', url };
  return { kind: 'base64', media_type: mediaType, data: url.slice(match[0].length) };
}

/** The source as one URL, which is how the OpenAI formats carry images. */
export function urlOfSource(source: ImageSource): string {
  return source.kind === 'url' ? source.url : `data:${source.media_type};base64,${source.data}`;
}

/** The image of a block, with its dimensions in pixels only where the block states them. */
export function imageOf(block: JsonObject, source: ImageSource | undefined): ImagePart {
  const { width, height } = block;
  return {
    kind: 'image',
    ...(typeof width === 'number' && { width }),
    ...(typeof height === 'number' && { height }),
    ...(source !== undefined && { source }),
  };
}

/** The text of a result part that is not an image; opaque parts are shown as their JSON. */
export function resultPartText(part: ToolResult['content'][number]): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'image':
      return IMAGE_NOTE;
    case 'opaque':
      return JSON.stringify(part.json);
    default:
      return part satisfies never;
  }
}

/** Ids and names as every provider accepts them: letters, digits, `_` and `-`. */
export function safeName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_') || '_';
}

/** Tool input as an object, which is what Anthropic and JSON-schema functions take. */
export function inputObject(input: Json): JsonObject {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { input };
}

/** Decodes JSON arguments; what does not parse stays the raw string. */
export function decodeArguments(raw: Json | undefined): Json {
  if (typeof raw !== 'string') return raw ?? {};
  try {
    // JSON.parse yields exactly the values that Json names.
    return JSON.parse(raw) as Json;
  } catch {
    return raw;
  }
}
