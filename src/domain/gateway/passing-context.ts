import type { Item } from '../items/item.ts';
import { isJsonObject, type Json, stringField } from '../json.ts';
import type { Protocol } from './protocol.ts';

/** What programs write around it, by the protocols in which they do. */
const MARKS: readonly { opening: string; closing: string; protocols: readonly Protocol[] }[] = [
  {
    opening: '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\n',
    closing: '\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>',
    protocols: ['chat'],
  },
  {
    opening: '\n\n<context-status>\n<used>',
    closing: '</remaining>\n</context-status>',
    protocols: ['chat', 'responses'],
  },
];

/** A history without what holds for its request alone, and that. */
type Split = { lasting: readonly Item[]; passing: Item[] };

/**
 * Takes out of a history what its client tells anew in each request, at another place, and tells in no
 * later one: the messages in which OpenClaw says what is running at the moment, and those in which Strands
 * says how full the context is. The history itself where there are none, or nothing else. By Responses
 * OpenClaw tells them once, and keeps them where they are.
 */
export function splitPassing(protocol: Protocol, history: readonly Item[]): Split {
  const passing = history.filter((item) => isPassing(protocol, item));
  return passing.length === 0 || passing.length === history.length
    ? { lasting: history, passing: [] }
    : { lasting: history.filter((item) => !isPassing(protocol, item)), passing };
}

function isPassing(protocol: Protocol, { role, content }: Item): boolean {
  if (role !== 'user') return false;
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.length > 0 && blocks.every((block) => isMarked(protocol, textOf(block)));
}

function textOf(block: Json | undefined): string {
  return typeof block === 'string'
    ? block
    : (isJsonObject(block) && stringField(block, 'text')) || '';
}

function isMarked(protocol: Protocol, text: string): boolean {
  return MARKS.some(
    ({ opening, closing, protocols }) =>
      protocols.includes(protocol) && text.startsWith(opening) && text.endsWith(closing),
  );
}
