import { JSON_DEPTH } from '../exact-json.ts';
import { type JsonObject, jsonObjectIn } from '../json.ts';
import { MOST_VALUES, measureJson } from '../json-text.ts';

const MOST = { values: MOST_VALUES, depth: JSON_DEPTH };

/**
 * The object that a text of an answer holds, or of one of its events; null where it holds none, and for more
 * than a model says, which would take too long to parse.
 */
export function answerJson(text: string): JsonObject | null {
  const { values, depth } = measureJson(text, MOST);
  return values > MOST.values || depth > MOST.depth ? null : jsonObjectIn(text);
}
