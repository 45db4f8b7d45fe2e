import { endOfString } from '../json-text.ts';
import { memberRange } from './replace-member.ts';

const QUOTE = 0x22;

/** Where an array stands in a text, and where each of its elements ends, in UTF-16 units. */
export type Elements = { start: number; ends: number[] };

/** Of the array in one of the own fields of a JSON object, whose text is valid; null: it has no such array. */
export function elementsOf(text: string, name: string): Elements | null {
  const range = memberRange(text, name);
  if (range === null || text[range.start] !== '[') return null;
  const ends: number[] = [];
  let depth = 0;
  let end = 0;
  for (let at = range.start; at < range.end; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        end = at + 1;
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        if (depth === 0 && end > range.start) ends.push(end);
        end = at + 1;
        break;
      case 0x2c: // ,
        if (depth === 1) ends.push(end);
        break;
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        break;
      default:
        end = at + 1;
    }
  }
  return { start: range.start, ends };
}
