import { stringsOf } from '../../src/domain/compaction/extractive/facts.ts';
import { summarizeExtractively } from '../../src/domain/compaction/extractive/summarize.ts';
import {
  type NameReader,
  nameKey,
  nameReader,
  namesStandingIn,
} from '../../src/domain/compaction/names.ts';
import type { Normalised } from '../../src/domain/items/item.ts';
import { DEFAULT_CONTEXT_WINDOW, profileConfig } from '../../src/domain/policy/profiles.ts';
import { estimator } from '../../src/domain/tokens/count.ts';
import type { RecordedCompaction } from './cases.ts';

/** Tokens that our summary may take beyond the recorded one. */
const EXTRA_TOKENS = 1_000;

/** How much of one compaction is still there in a summary of ours and in the recorded one. */
export type Retention = {
  name: string;
  /** Distinct names that the assistant wrote later and that occurred before. */
  names: number;
  extractive: { share: number; tokens: number };
  recorded: { share: number; tokens: number };
  max_tokens: number;
  summary: string;
  missing: string[];
};

const count = estimator(profileConfig('default', DEFAULT_CONTEXT_WINDOW));

/**
 * Compacts the covered part of a recorded compaction and measures which of the names that the
 * assistant writes later stand in the summary text. Only the text counts, not the tail and the files
 * that the service keeps besides it.
 */
export function measureRetention(compaction: RecordedCompaction): Retention {
  const names = namesWrittenAgain(compaction);
  const recorded = compaction.recorded_summary;
  const maxTokens = count(recorded) + EXTRA_TOKENS;
  const summary = summarizeExtractively(compaction.covered, {
    max_tokens: maxTokens,
    count,
    template: 'nine-sections',
  });
  const stands = namesStandingIn(summary);
  return {
    name: compaction.name,
    names: names.length,
    extractive: { share: shareIn(names, summary), tokens: count(summary) },
    recorded: { share: shareIn(names, recorded), tokens: count(recorded) },
    max_tokens: maxTokens,
    summary,
    missing: names.filter((name) => !stands(name)),
  };
}

/** The mean share over all compactions, each counting the same. */
export function meanShare(rows: readonly Retention[], of: 'extractive' | 'recorded'): number {
  return rows.reduce((sum, row) => sum + row[of].share, 0) / rows.length;
}

function shareIn(names: readonly string[], text: string): number {
  const stands = namesStandingIn(text);
  return names.filter(stands).length / names.length;
}

function namesWrittenAgain(compaction: RecordedCompaction): string[] {
  const read = nameReader();
  const before = new Set<string>();
  for (const item of compaction.covered) addNames(read, textsOf(item), before);
  const after = new Set<string>();
  for (const item of compaction.after) {
    if (item.kind === 'message' && item.role === 'assistant') addNames(read, textsOf(item), after);
  }
  return [...after].filter((name) => before.has(name));
}

function addNames(read: NameReader, texts: readonly string[], names: Set<string>): void {
  for (const text of texts) read(text, (name) => names.add(nameKey(name)));
}

/** What a message says, calls and gets back; thinking is not written to anyone. */
function textsOf(item: Normalised): string[] {
  if (item.kind !== 'message') return [];
  return item.parts.flatMap((part) => {
    if (part.kind === 'text') return [part.text];
    if (part.kind === 'tool_call') return stringsOf(part.input);
    if (part.kind !== 'tool_result') return [];
    return part.content.map((inner) => (inner.kind === 'text' ? inner.text : ''));
  });
}
