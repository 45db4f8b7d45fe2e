import { isJsonObject, type Json, stringField } from '../json.ts';
import type { Item } from './item.ts';

/** What tells of an item in whose name it speaks. */
export type Speaking = { role?: unknown; type?: unknown };

const INSTRUCTING: ReadonlySet<unknown> = new Set(['system', 'developer']);

/** Whether it stands in a history as `system` and `instructions` stand beside one. */
export function isInstructing({ role, type = 'message' }: Speaking): boolean {
  return INSTRUCTING.has(role) && type === 'message';
}

/**
 * How many items at the head of a history tell the model what to do, before the user has said anything.
 * None where no user speaks next: then they are what the conversation is known by.
 */
export function leadingInstructions(items: readonly Speaking[]): number {
  const end = items.findIndex((item) => !isInstructing(item));
  return items[end]?.role === 'user' ? end : 0;
}

/** More of them says nothing more about whose instructions they are. */
const LONGEST_OPENING = 200;

/**
 * What instructions are known by, which may hold the time of day, or what the agent remembers: how their
 * first line begins, up to a figure. A request beside the conversation, such as for a title, has others.
 * Null for those that begin with a figure, or with no text.
 */
export function openingOf({ content = null }: Item): string | null {
  const blocks = Array.isArray(content) ? content : [content];
  const text = textOf(blocks[0] ?? null).slice(0, LONGEST_OPENING);
  return /^[^\d\n]+/.exec(text.trimStart())?.[0] ?? null;
}

function textOf(block: Json): string {
  if (typeof block === 'string') return block;
  return (isJsonObject(block) && stringField(block, 'text')) || '';
}
