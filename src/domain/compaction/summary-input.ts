import type { Normalised } from '../items/item.ts';
import type { Config } from '../policy/config.ts';
import type { LeftOut } from '../session/events.ts';
import type { TextCounter } from '../tokens/count.ts';
import { fitInput } from './fit-input.ts';
import { transcriptText } from './transcript-text.ts';
import { turnsTranscript } from './transcript-turns.ts';
import { turnsOf } from './turns.ts';

/** The conversation as a summariser reads it, and what had to be left out of it. */
type SummaryInput = { transcript: string; truncated_turns: number; left_out: LeftOut };

/**
 * Writes a filtered conversation in the configured style so that it counts at most `maxTokens`
 * without margin, nor more than `transcript_max_tokens` (SPEC sections 8 and 13). Null when nothing
 * but an earlier summary would be left: a summary of nothing would wipe out what it stands for.
 */
export function summaryInput(
  conversation: readonly Normalised[],
  maxTokens: number,
  count: TextCounter,
  config: Config,
): SummaryInput | null {
  const budget = Math.min(maxTokens, config.transcript_max_tokens ?? maxTokens);
  switch (config.transcript_style) {
    case 'record': {
      const { items, left_out } = fitInput(conversation, budget, count, config);
      if (!items.some(isNotSummary)) return null;
      return { transcript: transcriptText(items), truncated_turns: 0, left_out };
    }
    case 'turns':
      return turnsTranscript(turnsOf(conversation), budget, count);
    default:
      return config.transcript_style satisfies never;
  }
}

function isNotSummary(item: Normalised): boolean {
  return item.kind === 'attachment' || (item.kind === 'message' && !item.is_compact_summary);
}
