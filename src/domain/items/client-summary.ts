import { isJsonObject, type JsonObject } from '../json.ts';
import type { Item, Normalised, Part } from './item.ts';
import { messageText } from './message-text.ts';
import { isProviderCompaction } from './provider-compaction.ts';
import { utterancesOf } from './speaker.ts';

/**
 * What an item says in place of a past that its client, or the client's provider, has compacted; null
 * for any other. Where only the provider can read it, it says nothing.
 */
export function clientSummary(item: Item, normalised: Normalised): string | null {
  if (normalised.kind !== 'message') return null;
  if (isProviderCompaction(item) || normalised.parts.some(isCompactionBlock)) return '';
  if (normalised.role === 'assistant') return null;
  const isSummary = utterancesOf(normalised)
    .flat()
    .some(({ speaker }) => speaker === 'summary');
  return isSummary ? messageText(normalised) : null;
}

/** OpenCode and Kilo Code put their summary behind this question, as the answer to it. */
const SUMMARY_ASKED = 'What did we do so far?';

/** Whether a message at the head of a history asks for what stands in place of the past. */
export function asksForSummary(normalised: Normalised): boolean {
  if (normalised.kind !== 'message' || normalised.role !== 'user') return false;
  // The program may tell its surroundings beside it.
  const said = utterancesOf(normalised)
    .flat()
    .flatMap(({ speaker, text }) => (speaker === 'user' ? [text.trim()] : []));
  return said.filter((text) => text !== '').join('\n') === SUMMARY_ASKED;
}

/**
 * The summary that answers such a question; null for what is none. Where the next answer stands in the same
 * message, which calls a tool then, it is the first text.
 */
export function answeredSummary(normalised: Normalised): string | null {
  if (normalised.kind !== 'message' || normalised.role !== 'assistant') return null;
  const { parts } = normalised;
  if (parts.every(({ kind }) => kind !== 'tool_call')) return messageText(normalised) || null;
  const [first, ...more] = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  return more.length === 0 ? null : (first ?? null);
}

/** What Anthropic's API puts at the head of a conversation that it has compacted. */
function isCompactionBlock(part: Part): boolean {
  return part.kind === 'opaque' && isJsonObject(part.json) && isTyped(part.json);
}

function isTyped({ type }: JsonObject): boolean {
  return type === 'compaction';
}
