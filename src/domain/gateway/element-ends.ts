import { eachPart } from './json-parts.ts';
import { memberRange } from './replace-member.ts';

/** Where an array stands in a text, and where each of its elements ends, in UTF-16 units. */
export type Elements = { start: number; ends: number[] };

/** Of the array in one of the own fields of a JSON object, whose text is valid; null: it has no such array. */
export function elementsOf(text: string, name: string): Elements | null {
  const range = memberRange(text, name);
  if (range === null || text[range.start] !== '[') return null;
  const ends: number[] = [];
  eachPart(text, range.start, (_, end) => ends.push(end));
  return { start: range.start, ends };
}
