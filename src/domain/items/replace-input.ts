import type { Json, JsonObject } from '../json.ts';
import { parseInside } from '../json-text.ts';

/**
 * An object with the field that holds the input of a call replaced: a field of text by the text itself,
 * any other by the JSON that the text is. Without a text, or where it is no JSON, it stays as it is.
 */
export function withInput(holder: JsonObject, field: string, text: string | undefined): JsonObject {
  const before = holder[field];
  if (text === undefined || before === undefined) return holder;
  const input = typeof before === 'string' ? text : parseInside(text);
  return input === undefined ? holder : { ...holder, [field]: input };
}

/** The text that stands for an input in `withInput`. */
export function inputText(input: Json): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}
