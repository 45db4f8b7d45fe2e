import type { CompactionOutcome, CompactionRow } from '../app/ports/event-store.ts';
import { endWords, requestWords } from '../app/reason-words.ts';
import type { Trigger } from '../domain/session/events.ts';
import { plainLine } from './terminal/plain-text.ts';

const LONGEST_CAUSE = 500;

/** 1234567 as `1,234,567`. */
export function figure(count: number): string {
  return count.toLocaleString('en-US');
}

/** A size in bytes as `1,235 kB`. */
export function kilobytes(bytes: number): string {
  return `${figure(Math.ceil(bytes / 1000))} kB`;
}

/** A time as `2026-01-02 03:04`, UTC. */
export function minute(at: string): string {
  return at.slice(0, 16).replace('T', ' ');
}

const RESULTS = {
  full_compacted: 'full',
  micro_compacted: 'micro',
  remote_compacted: 'remote',
  not_needed: 'not needed',
  skipped: 'skipped',
  proposed: 'proposed',
  discarded: 'discarded',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<CompactionOutcome, string>;

/** What came of a compaction, in a word or two. */
export function resultOf({
  status,
  outcome,
  reverted_at,
}: Pick<CompactionRow, 'status' | 'outcome' | 'reverted_at'>): string {
  if (reverted_at !== null) return 'reverted';
  return outcome === null ? status : RESULTS[outcome];
}

/** Tokens before and after, as far as they are known. */
export function tokensOf({
  tokens_before,
  tokens_after,
}: Pick<CompactionRow, 'tokens_before' | 'tokens_after'>): string {
  if (tokens_before === null) return '';
  return tokens_after === null
    ? figure(tokens_before)
    : `${figure(tokens_before)} → ${figure(tokens_after)}`;
}

const TRIGGERS = {
  auto: 'by itself',
  manual: 'on request',
  tool: 'asked for by the agent',
} as const satisfies Record<Trigger, string>;

/** When, how and why a compaction came about: one line, safe for a terminal. */
export function causeOf({
  ended_at,
  requested_at,
  trigger,
  reason,
  outcome_reason,
}: Pick<CompactionRow, 'ended_at' | 'requested_at' | 'trigger' | 'reason' | 'outcome_reason'>) {
  // That somebody discarded it is said by its outcome.
  const isTold = outcome_reason === null || outcome_reason === 'requested';
  const came = isTold ? '' : `; ${endWords(outcome_reason).why}`;
  // A request that asked for it is what "on request" means.
  const asked = reason === 'requested' ? '' : `: ${requestWords(reason)}`;
  return `${minute(ended_at ?? requested_at)} UTC, ${TRIGGERS[trigger]}${plainLine(`${asked}${came}`, LONGEST_CAUSE)}`;
}
