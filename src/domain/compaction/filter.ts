import type { Message, Normalised, Part } from '../items/item.ts';
import { leavesResultOpen } from '../items/speaker.ts';

/**
 * What a summariser gets to read, in the order of SPEC section 9: attachments go before the next user
 * message; progress, system markers other than boundaries, synthetic errors, meta messages and
 * thinking-only messages are dropped; consecutive user messages and assistant messages of one id are
 * merged; trailing thinking is dropped.
 */
export function filterForSummary(items: readonly Normalised[]): Normalised[] {
  const merged: Normalised[] = [];
  let before: Normalised | null = null;
  for (const item of reorganiseAttachments(items).filter(isWorthSummarising)) {
    const last = merged.at(-1);
    if (
      last?.kind === 'message' &&
      item.kind === 'message' &&
      canMerge(last, item) &&
      // The words of the user must not follow a result of which nobody knows where it ends.
      !(before?.kind === 'message' && leavesResultOpen(before))
    ) {
      // `last` is a copy of ours: thousands of small messages in a row must stay linear.
      for (const part of item.parts) last.parts.push(part);
    } else merged.push(item.kind === 'message' ? { ...item, parts: [...item.parts] } : item);
    before = item;
  }
  return withoutTrailingThinking(merged);
}

function reorganiseAttachments(items: readonly Normalised[]): Normalised[] {
  const result: Normalised[] = [];
  let pending: Normalised[] = [];
  for (const item of items) {
    if (item.kind === 'attachment') {
      pending.push(item);
      continue;
    }
    if (item.kind === 'message' && item.role === 'user') {
      for (const attachment of pending) result.push(attachment);
      pending = [];
    }
    result.push(item);
  }
  return [...result, ...pending];
}

function isWorthSummarising(item: Normalised): boolean {
  switch (item.kind) {
    case 'progress':
    case 'ghost_snapshot':
      return false;
    case 'system':
      return item.subtype === 'compact_boundary';
    case 'attachment':
      return !item.is_empty;
    case 'message':
      return !item.is_meta && !isSyntheticError(item) && !isThinkingOnly(item);
    default:
      return item satisfies never;
  }
}

function isSyntheticError(message: Message): boolean {
  const { role, is_api_error_message, model } = message;
  return role === 'assistant' && is_api_error_message && model === '<synthetic>';
}

function isThinkingOnly(message: Message): boolean {
  return message.role === 'assistant' && message.parts.every((part) => part.kind === 'thinking');
}

/** An earlier summary stays a message of its own, so that it is still known by its flag. */
function canMerge(last: Message, next: Message): boolean {
  if (last.role !== next.role || last.is_compact_summary || next.is_compact_summary) return false;
  // What the client says about who speaks is said of the whole message.
  if (last.speaker !== next.speaker || last.agent_id !== next.agent_id) return false;
  if (last.role === 'user') return true;
  return last.role === 'assistant' && last.id !== undefined && last.id === next.id;
}

function withoutTrailingThinking(items: Normalised[]): Normalised[] {
  const last = items.at(-1);
  if (last?.kind !== 'message' || last.role !== 'assistant') return items;
  const parts: Part[] = [...last.parts];
  while (parts.at(-1)?.kind === 'thinking') parts.pop();
  return [...items.slice(0, -1), { ...last, parts }];
}
