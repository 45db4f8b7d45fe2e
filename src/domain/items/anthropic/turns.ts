import { type JsonObject, objectsIn } from '../../json.ts';
import type { Item } from '../item.ts';

/** One content block; for a tool call its result, for calls and results their order in the log. */
export type Slot = { block: JsonObject; result: Slot | null; position: number };

/**
 * A message under construction. `id` is the API message that the items are pieces of. `isOfUser`: it
 * holds words of the user, and not only results, attachments and notes of the client.
 */
export type Turn = {
  role: 'user' | 'assistant' | 'system';
  id: string | undefined;
  isOfUser: boolean;
  fields: Item;
  slots: Slot[];
  /** The content came as a plain string and is still that one text. */
  isString: boolean;
};

export function isCall(slot: Slot): boolean {
  return slot.block.type === 'tool_use';
}

export function isResult(slot: Slot): boolean {
  return slot.block.type === 'tool_result';
}

export function isThinking(slot: Slot): boolean {
  return slot.block.type === 'thinking' || slot.block.type === 'redacted_thinking';
}

/** Where a message comes from, as far as the stripped message does not say it. */
type TurnSource = { id?: string | undefined; isOfUser?: boolean };

/** Splits a stripped message into its blocks; blank text, which the provider refuses, is left out. */
export function turnOf(item: Item, { id, isOfUser = false }: TurnSource = {}): Turn {
  const { content, ...fields } = item;
  const isString = typeof content === 'string';
  const blocks = isString ? [{ type: 'text', text: content }] : objectsIn(content);
  const slots = blocks
    .map(withoutBlankResultText)
    .filter((block) => !isBlankText(block))
    .map((block) => ({ block, result: null, position: 0 }));
  return {
    role: item.role === 'assistant' || item.role === 'system' ? item.role : 'user',
    id,
    isOfUser,
    fields,
    isString,
    slots,
  };
}

function isBlankText(block: JsonObject): boolean {
  return block.type === 'text' && (typeof block.text !== 'string' || block.text.trim() === '');
}

function withoutBlankResultText(block: JsonObject): JsonObject {
  if (block.type !== 'tool_result') return block;
  const isBlank =
    typeof block.content === 'string'
      ? block.content.trim() === ''
      : objectsIn(block.content).every(isBlankText);
  // An error without any text is refused, an ordinary result without text is not.
  if (isBlank && block.is_error === true) return { ...block, content: '[no output]' };
  if (!Array.isArray(block.content)) return block;
  const content = objectsIn(block.content).filter((part) => !isBlankText(part));
  return content.length === block.content.length ? block : { ...block, content };
}

/** A user message of tool results. */
export function turnOfResults(slots: Slot[]): Turn {
  const fields = { role: 'user' };
  return { role: 'user', id: undefined, isOfUser: false, fields, isString: false, slots };
}

/**
 * Joins neighbours of one role, and the pieces of one API message also when no words of the user stand
 * between them: clients log results, hooks and notes as soon as they are there, in the middle of a
 * message with parallel calls. Turns without content vanish.
 */
export function mergeTurns(turns: readonly Turn[]): Turn[] {
  const merged: Turn[] = [];
  for (const turn of turns) {
    if (turn.slots.length === 0) continue;
    const target = mergeTarget(merged, turn);
    if (target === undefined) merged.push({ ...turn, slots: [...turn.slots] });
    else absorb(target, turn);
    joinTorn(merged);
  }
  return merged;
}

/** What had no id, and has got that of an API message by what was joined to it, may be the rest of one. */
function joinTorn(merged: Turn[]): void {
  const [before, between, last] = merged.slice(-3);
  if (last?.id === undefined || before?.id !== last.id || between?.isOfUser !== false) return;
  merged.pop();
  absorb(before, last);
}

function mergeTarget(merged: readonly Turn[], turn: Turn): Turn | undefined {
  const last = merged.at(-1);
  if (last?.role === turn.role) return last;
  const before = merged.at(-2);
  const isTornApart = turn.id !== undefined && before?.id === turn.id && last?.isOfUser === false;
  return isTornApart ? before : undefined;
}

function absorb(target: Turn, turn: Turn): void {
  for (const slot of turn.slots) target.slots.push(slot);
  target.fields = { ...turn.fields, ...target.fields };
  target.id = turn.id;
  target.isOfUser ||= turn.isOfUser;
  target.isString = false;
}

/** The finished message. */
export function messageOfTurn({ role, fields, slots, isString }: Turn): Item {
  const content = slots.map((slot) => slot.block);
  const text = isString && content.length === 1 ? content[0]?.text : undefined;
  // A system message may do nothing but set an option.
  if (role === 'system' && content.length === 0) return fields;
  return { ...fields, content: text ?? content };
}
