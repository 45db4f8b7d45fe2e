import type { Mode } from '../../../domain/session/events.ts';

const ASKED: Record<Mode, string> = {
  auto: 'as much as it takes: clearing first, a summary where that is not enough',
  micro: 'clearing old tool results only',
  full: 'a summary',
  remote: 'a compaction by the provider',
};

/** What a compaction was to do. */
export function modeWords(mode: Mode): string {
  return ASKED[mode];
}

/**
 * Why the figures of single items do not add up to those of the context: it is reckoned with a margin,
 * or the provider has counted it. Null where they do.
 */
export function marginWords(multiplier: number, isCounted = false): string | null {
  const estimates = 'Figures of single items are estimates. For the context as a whole the service';
  if (isCounted) {
    return `${estimates} goes by what the provider has counted, system prompt and tools included.`;
  }
  return multiplier === 1
    ? null
    : `${estimates} reckons with × ${multiplier.toFixed(2)}, to be on the safe side.`;
}

const WHO = {
  auto: 'by itself',
  manual: 'asked for',
  tool: 'by the agent',
} as const;

export function whoWords(trigger: keyof typeof WHO): string {
  return WHO[trigger];
}
