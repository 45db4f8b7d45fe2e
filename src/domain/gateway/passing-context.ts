import type { Item } from '../items/item.ts';
import { isJsonObject, type Json, stringField } from '../json.ts';
import type { Protocol } from './protocol.ts';

/** What OpenClaw writes around it. */
const OPENING = '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\n';
const CLOSING = '\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>';

/** A history without what holds for its request alone, and that. */
type Split = { lasting: readonly Item[]; passing: Item[] };

/**
 * Takes out of a history what its client tells anew in each request, at another place, and tells in no
 * later one: the messages in which OpenClaw says what is running at the moment. The history itself where
 * there are none, or nothing else. By Responses it tells them once, and keeps them where they are.
 */
export function splitPassing(protocol: Protocol, history: readonly Item[]): Split {
  const passing = protocol === 'chat' ? history.filter(isPassing) : [];
  return passing.length === 0 || passing.length === history.length
    ? { lasting: history, passing: [] }
    : { lasting: history.filter((item) => !isPassing(item)), passing };
}

function isPassing({ role, content }: Item): boolean {
  if (role !== 'user') return false;
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.length > 0 && blocks.every((block) => isInternal(textOf(block)));
}

function textOf(block: Json | undefined): string {
  return typeof block === 'string'
    ? block
    : (isJsonObject(block) && stringField(block, 'text')) || '';
}

function isInternal(text: string): boolean {
  return text.startsWith(OPENING) && text.endsWith(CLOSING);
}
