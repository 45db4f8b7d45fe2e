import type { Item } from '../items/item.ts';
import { isJsonObject, type Json, type JsonObject, stringField } from '../json.ts';

/** A turn in which Claude Code asks its model for a summary of everything before (PROTOCOLS). */
type SummaryTurn = {
  /** The messages without the instruction. */
  messages: Item[];
  /** What the user wants the summary to tell (`/compact …`); null: nothing special. */
  focus: string | null;
};

/** How the instruction begins, in older and newer versions. */
const OPENING =
  /^(?:Your task is to create a detailed summary of (?:the|this)\b|CRITICAL: Respond with TEXT ONLY\b)/;
const TASK = 'Your task is to create a detailed summary of ';
/** One of these stands in the body of each such request, as it is usually written. */
export const INSTRUCTIONS: readonly string[] = [TASK, 'CRITICAL: Respond with TEXT ONLY'];
const FOCUS = /\n\s{0,20}Additional Instructions:[ \t]*\n?/g;
/** What stands behind the additional instructions. */
const REMINDER = /\n\s{0,20}(?:REMINDER|CRITICAL|IMPORTANT): Do NOT call any tools\b/;
const LONGEST_FOCUS = 4_000;

/**
 * The request for a summary at the end of a history; null for any other turn. It is the last block of
 * the last message of the user, alone or behind the results of tools. Messages of the program may follow.
 */
export function summaryTurn(messages: readonly Item[]): SummaryTurn | null {
  const place = messages.findLastIndex(({ role }) => role !== 'system');
  const message = messages[place];
  if (message?.role !== 'user') return null;
  const blocks = blocksOf(message.content);
  const last = blocks.at(-1);
  const text = isJsonObject(last) && last.type === 'text' ? stringField(last, 'text') : undefined;
  if (text === undefined || !isInstruction(text)) return null;
  const content = blocks.slice(0, -1);
  const kept: Item[] = content.length === 0 ? [] : [{ ...message, content }];
  const before = [...messages.slice(0, place), ...kept];
  if (!before.some(({ role }) => role === 'assistant')) return null;
  return { messages: before, focus: focusOf(text) };
}

function isInstruction(text: string): boolean {
  const begun = text.trimStart();
  if (!OPENING.test(begun)) return false;
  return begun.includes(TASK) || (begun.includes('<analysis>') && begun.includes('<summary>'));
}

/** The instruction describes such a section itself: the last one is the user's. */
function focusOf(text: string): string | null {
  const found = [...text.matchAll(FOCUS)].at(-1);
  if (found === undefined) return null;
  const behind = text.slice(found.index + found[0].length);
  const end = REMINDER.exec(behind)?.index ?? behind.length;
  const focus = behind.slice(0, end).trim().slice(0, LONGEST_FOCUS);
  return focus === '' ? null : focus;
}

function blocksOf(content: Json | undefined): (Json | JsonObject)[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : [];
}
