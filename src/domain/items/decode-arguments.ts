import { quoteInexactNumbers } from '../exact-json.ts';
import type { Json } from '../json.ts';
import { parseInside } from '../json-text.ts';

/**
 * Decodes JSON arguments; what does not parse, or would be huge, stays the raw string, and a number
 * that would come out as another one becomes a string of its digits. Where nothing is written there
 * are no arguments: so models call functions that take none.
 */
export function decodeArguments(raw: Json | undefined): Json {
  if (typeof raw !== 'string') return raw ?? {};
  if (isBlank(raw)) return {};
  return parseInside(quoteInexactNumbers(raw).text) ?? raw;
}

/** Whether a text holds white space only. */
export function isBlank(text: string): boolean {
  return !/\S/.test(text);
}
