import { isJsonObject, type Json, stringField } from '../json.ts';
import type { Atom } from './atoms.ts';
import type { Item } from './item.ts';

/** What tells of an item in whose name it speaks. */
export type Speaking = { role?: unknown; type?: unknown };

/** The roles of those who tell the model what to do. */
export const INSTRUCTING: ReadonlySet<unknown> = new Set(['system', 'developer']);

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

/** The pieces of instructions that are known by how they begin, however many blocks they go on with. */
export function atomsByOpening(atoms: readonly Atom[], opening: string): readonly Atom[] {
  if (!atoms.some(({ isFirm }) => isFirm)) return atoms;
  return [{ text: opening, isFirm: true, isOfModel: false, anchor: null }];
}

/** A shorter answer, such as a greeting, many conversations have that only their instructions tell apart. */
export const TELLS_WHICH = 200;

/** So many characters an item has of the model; a call of a tool is as good as a long answer. */
export function saidIn({ role, type, content = null, tool_calls: calls = null }: Item): number {
  if (/_call$/.test(String(type))) return TELLS_WHICH;
  if (role !== 'assistant') return 0;
  if (Array.isArray(calls) && calls.length > 0) return TELLS_WHICH;
  let said = 0;
  for (const block of Array.isArray(content) ? content : [content]) {
    const isCall = isJsonObject(block) && block.type === 'tool_use';
    said += isCall ? TELLS_WHICH : textOf(block).trim().length;
  }
  return said;
}

/** Whether the model has said so many characters: before that, its instructions say which conversation it is. */
export function hasSaid(items: readonly Item[], enough: number): boolean {
  let said = 0;
  return items.some((item) => {
    said += saidIn(item);
    return said >= enough;
  });
}

/** A history as it is told whatever its instructions go on with; null where these say which one it is. */
export function toldByOpenings(items: readonly Item[], enough: number): Item[] | null {
  const count = hasSaid(items, enough) ? leadingInstructions(items) : 0;
  if (count === 0) return null;
  const head = items.slice(0, count).map((item): Item => {
    const opening = openingOf(item);
    return opening === null ? item : { role: item.role ?? null, opening };
  });
  return [...head, ...items.slice(count)];
}

function textOf(block: Json): string {
  if (typeof block === 'string') return block;
  return (isJsonObject(block) && stringField(block, 'text')) || '';
}
