import type { Normalised, Part, ToolResult } from '../items/item.ts';
import { binaryLength } from '../items/opaque.ts';
import type { Json } from '../json.ts';
import type { Config } from '../policy/config.ts';

/** Counts the tokens of a text. Pure; tokenizers are handed in, see `tokenizers.ts`. */
export type TextCounter = (text: string) => number;

/** The estimate of SPEC section 5: ceil(UTF-8 bytes / n), or round(UTF-16 length / 4). */
export function estimator(config: Config): TextCounter {
  if (config.token_estimate === 'utf16_round') return (text) => Math.round(text.length / 4);
  const bytesPerToken = config.approx_bytes_per_token;
  return (text) => Math.ceil(utf8Length(text) / bytesPerToken);
}

const encoder = new TextEncoder();
/** Three bytes are the most that one UTF-16 unit can take. */
const scratch = new Uint8Array(3 * 16_384);

/** Bytes of the text in UTF-8; a lone surrogate counts three, as its replacement character does. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let start = 0; start < text.length; ) {
    const chunk = start === 0 && text.length <= 16_384 ? text : text.slice(start, start + 16_384);
    const { read, written } = encoder.encodeInto(chunk, scratch);
    // A pair that the end of the chunk splits is left for the next one.
    const isSplit =
      start + chunk.length < text.length && isHighSurrogate(chunk.charCodeAt(read - 1));
    bytes += isSplit ? written - 3 : written;
    start += isSplit ? read - 1 : read;
  }
  return bytes;
}

/** Whether a UTF-16 unit is the first half of a pair. */
export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/** Tokens of one tool result: its text and image parts; any other part as its JSON. */
export function countToolResult(result: ToolResult, count: TextCounter, config: Config): number {
  let sum = 0;
  for (const part of result.content) sum += countPart(part, count, config);
  return sum;
}

function countPart(part: Part, count: TextCounter, config: Config): number {
  switch (part.kind) {
    case 'text':
      return count(part.text);
    case 'image':
      return config.tokens_per_image;
    case 'tool_result':
      return countToolResult(part, count, config);
    case 'thinking':
    case 'tool_call':
      return count(JSON.stringify(part.source));
    case 'opaque':
      return countOpaque(part.json, count, config);
    default:
      return part satisfies never;
  }
}

/** About one page of a scanned document, in characters of base64. */
const BASE64_PER_PAGE = 100_000;

/** The bytes of a file or of sound count as pages, each like an image; everything else as its JSON. */
function countOpaque(json: Json, count: TextCounter, config: Config): number {
  const data = binaryLength(json);
  if (data === null) return count(JSON.stringify(json));
  return Math.ceil(data / BASE64_PER_PAGE) * config.tokens_per_image;
}

/**
 * Tokens of one item without safety margin. Messages count, and attachments, which reach the model
 * as user messages; progress, system markers and ghost snapshots never reach it and count nothing.
 */
export function countItem(item: Normalised, count: TextCounter, config: Config): number {
  switch (item.kind) {
    case 'message': {
      let sum = 0;
      for (const part of item.parts) sum += countPart(part, count, config);
      return sum;
    }
    case 'attachment':
      return count(item.text);
    case 'progress':
    case 'system':
    case 'ghost_snapshot':
      return 0;
    default:
      return item satisfies never;
  }
}

/** A sum of estimates with the safety margin on top (SPEC section 5). */
export function withSafetyMargin(sum: number, config: Config): number {
  return Math.ceil(sum * config.token_safety_multiplier);
}
