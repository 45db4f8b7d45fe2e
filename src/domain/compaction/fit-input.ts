import { cutsThroughPrograms } from '../context/invariants/safe-cuts.ts';
import type { Normalised, Part } from '../items/item.ts';
import { resultText } from '../items/message-text.ts';
import { callsByResult, pairedParts } from '../items/pairing.ts';
import { keptBehind } from '../items/reminders.ts';
import { userAnswerIn } from '../items/user-words.ts';
import type { Config } from '../policy/config.ts';
import { type LeftOut, NOTHING_LEFT_OUT } from '../session/events.ts';
import { countItem, countToolResult, type TextCounter } from '../tokens/count.ts';
import { truncateMiddle } from '../tokens/truncate.ts';
import { withKept } from './replace-result.ts';

const CLEARED = '[tool output left out]';
/** Tokens that a single text may keep when the input has to be cut down. */
const LONG_TEXT_TOKENS = 1_000;

type FittedInput = { items: Normalised[]; left_out: LeftOut };

/**
 * Cuts the summariser's input down to `maxTokens`: clears tool results oldest first, then truncates
 * long texts in the middle, then drops the oldest items pair-safely; says what was left out (SPEC
 * section 8, phase 3). An earlier summary at the head is never dropped: everything before it lives on
 * in it alone.
 */
export function fitInput(
  items: readonly Normalised[],
  maxTokens: number,
  count: TextCounter,
  config: Config,
): FittedInput {
  const left_out = { ...NOTHING_LEFT_OUT };
  const fitted = [...items];
  const sizes = fitted.map((item) => countItem(item, count, config));
  let total = sizes.reduce((sum, size) => sum + size, 0);
  const replace = (index: number, item: Normalised) => {
    const size = countItem(item, count, config);
    total += size - (sizes[index] ?? 0);
    sizes[index] = size;
    fitted[index] = item;
  };
  const calls = callsByResult(pairedParts(items));
  for (let i = 0; i < fitted.length && total > maxTokens; i++) {
    const item = fitted[i];
    const cleared = mapParts(item, (part) => {
      if (part.kind !== 'tool_result') return part;
      const call = calls.get(part) ?? null;
      // What the user says in a result, or behind it, is no output.
      if (call !== null && userAnswerIn(call, part) !== null) return part;
      const said = truncateMiddle(keptBehind(call, resultText(part)), LONG_TEXT_TOKENS, count);
      const text = withKept(CLEARED, said);
      if (countToolResult(part, count, config) <= count(text)) return part;
      left_out.cleared_results += 1;
      return { ...part, content: [{ kind: 'text', text }] };
    });
    if (cleared) replace(i, cleared);
  }
  for (let i = 0; i < fitted.length && total > maxTokens; i++) {
    if ((sizes[i] ?? 0) <= LONG_TEXT_TOKENS) continue;
    const shorten = (text: string): string => {
      const shorter = truncateMiddle(text, LONG_TEXT_TOKENS, count);
      if (shorter !== text) left_out.truncated_results += 1;
      return shorter;
    };
    const item = fitted[i];
    const truncated =
      item?.kind === 'attachment'
        ? { ...item, text: shorten(item.text) }
        : mapParts(item, (part) =>
            part.kind === 'text' ? { ...part, text: shorten(part.text) } : part,
          );
    if (truncated) replace(i, truncated);
  }
  if (total <= maxTokens) return { items: fitted, left_out };
  return dropOldest(fitted, sizes, total - maxTokens, left_out);
}

function mapParts(
  item: Normalised | undefined,
  change: (part: Part) => Part,
): Normalised | undefined {
  if (item?.kind !== 'message' || item.is_compact_summary) return undefined;
  return { ...item, parts: item.parts.map(change) };
}

function dropOldest(
  items: Normalised[],
  sizes: number[],
  excess: number,
  left_out: LeftOut,
): FittedInput {
  const summary = items.filter((item) => item.kind === 'message' && item.is_compact_summary);
  // Nobody calls anything in what a summariser reads.
  const legal = cutsThroughPrograms(items);
  let freed = 0;
  let cut = 0;
  for (let i = 0; i < items.length; i++) {
    if (freed >= excess && legal[i]) break;
    const item = items[i];
    const isSummary = item?.kind === 'message' && item.is_compact_summary;
    if (!isSummary) freed += sizes[i] ?? 0;
    cut = i + 1;
  }
  const kept = items.slice(cut);
  const stays = new Set(kept);
  const carried = summary.filter((item) => !stays.has(item));
  const result = [...carried, ...kept];
  left_out.dropped_items = items.length - result.length;
  return { items: result, left_out };
}
