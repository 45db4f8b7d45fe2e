import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { importedItems } from '../../src/app/import-batches.ts';
import { importTranscript } from '../../src/cli/import-transcript.ts';
import { jsonOf, type Target } from '../../src/cli/target.ts';
import { codecFor, FORMATS, type Format } from '../../src/domain/items/codecs.ts';
import {
  DEFAULT_CONTEXT_WINDOW,
  type Profile,
  profileConfig,
} from '../../src/domain/policy/profiles.ts';
import { estimator, withSafetyMargin } from '../../src/domain/tokens/count.ts';
import { measureItem } from '../../src/domain/tokens/measure.ts';
import type { Transcript } from '../../src/importers/transcript.ts';
import { providerProblems } from '../../test/support/foreign/context-rules.ts';
import type { LocalService } from '../local-service.ts';
import { contextProblems, expectedContext } from './check-context.ts';
import {
  effectProblems,
  endedCompaction,
  terminalProblems,
  unexplainedExcess,
} from './check-log.ts';
import {
  type CompactionEvent,
  type ContextBody,
  type LoggedItem,
  SessionReader,
} from './session-log.ts';

/** The share of a transcript that its window holds, so that several compactions happen. */
const WINDOW_SHARE = 1 / 8;
/** Below this a single tool result is often larger than the window, tokens. */
const SMALLEST_WINDOW = 8_000;

export type SessionCheck = {
  items: number;
  /** How many contexts were looked at, each version in each format. */
  contexts: number;
  /** Estimates with margin: of everything that was appended, and of the context at the end. */
  tokens_before: number;
  tokens_after: number;
  micro: number;
  full: number;
  skipped: number;
  /** Compactions that ended at or above the threshold, and said so. */
  exceeded: number;
  lost_items: number;
  /** Provider rules that a context broke, and everything else that is wrong; empty when fine. */
  broken_rules: string[];
  problems: string[];
};

export type SessionChoices = {
  /** Tokens; default: an eighth of the conversation. */
  window?: number | undefined;
  /** Default: the one that fits the transcript's source. */
  profile?: Profile | undefined;
  /** How many more versions to look at, spread over the log: before results, amid answers. */
  prefixes?: number | undefined;
  /** Whether the end is compacted once more, so that something is in a large window, too. */
  isCompactedAtEnd?: boolean | undefined;
};

const sessionBody = z.object({
  context: z.object({ tokens: z.number(), limit: z.number(), is_above_auto_compact: z.boolean() }),
  config: z.object({ min_new_tokens_between_compactions: z.number() }),
  version: z.number(),
});

/**
 * Imports one conversation with a small window and checks the context after every compaction, before
 * the next one, and at the end.
 */
export async function checkSession(
  { target }: LocalService,
  transcript: Transcript,
  choices: SessionChoices,
  onProgress: (items: number) => void,
): Promise<SessionCheck> {
  const codec = codecFor(transcript.format);
  const tokens = transcriptTokens(transcript);
  const window = choices.window ?? Math.max(SMALLEST_WINDOW, Math.floor(tokens * WINDOW_SHARE));
  const { profile } = choices;
  const imported = await importTranscript(
    target,
    transcript,
    { idPrefix: '', contextWindow: window, ...(profile !== undefined && { profile }) },
    onProgress,
  );
  const path = `/sessions/${encodeURIComponent(imported.id)}`;
  if (choices.isCompactedAtEnd) await compactAtEnd(target, path);
  const session = sessionBody.parse(await jsonOf(await target.request(path)));
  const reader = new SessionReader(target, imported.id);
  const [items, events] = [await reader.items(), await reader.events()];
  const problems = [...terminalProblems(events), ...effectProblems(events)];
  const rules = new Set<string>();
  const lost = lostItems(importedItems(transcript), items);
  if (lost > 0) problems.push(`${lost} items are missing or changed in the raw log`);
  const versions = new Set([
    ...versionsToCheck(events),
    ...spreadVersions(session.version, choices.prefixes ?? 0),
    session.version,
  ]);
  for (const at of versions) {
    const context = await reader.context(at);
    const expected = expectedContext(codec, items, events, context.version);
    const found = contextProblems(codec, context, expected);
    for (const rule of found.rules) rules.add(rule);
    for (const rule of await foreignProblems(reader, transcript.format, context)) rules.add(rule);
    problems.push(...found.others.map((problem) => `version ${context.version}: ${problem}`));
  }
  problems.push(...thresholdProblems(session, items, events, { tokens, window }));
  return {
    items: items.length,
    contexts: versions.size * FORMATS.length,
    tokens_before: tokens,
    tokens_after: session.context.tokens,
    micro: events.filter((event) => event.type === 'compaction.micro_completed').length,
    full: events.filter((event) => event.type === 'compaction.completed').length,
    skipped: events.filter((event) => event.type === 'compaction.skipped').length,
    exceeded: events.filter((event) => event.type === 'compaction.threshold_exceeded').length,
    lost_items: lost,
    broken_rules: [...rules],
    problems,
  };
}

async function compactAtEnd(target: Target, path: string): Promise<void> {
  await jsonOf(
    await target.request(`${path}/compact`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'wait=60' },
      body: JSON.stringify({ mode: 'full' }),
    }),
  );
}

/** What providers would say to the context: its own, and those of the other formats. */
async function foreignProblems(
  reader: SessionReader,
  own: Format,
  context: ContextBody,
): Promise<string[]> {
  const found: string[] = [];
  for (const format of FORMATS) {
    const isConverted = format !== own;
    const { items } = isConverted ? await reader.context(context.version, format) : context;
    const problems = providerProblems(format, items, { isConverted });
    found.push(...problems.map((problem) => `${format}: ${problem}`));
  }
  return found;
}

/** Where a context changes by compaction, and the last moment before each compaction. */
function versionsToCheck(events: readonly CompactionEvent[]): number[] {
  return events
    .filter(
      (event) =>
        event.type === 'compaction.requested' ||
        event.type === 'compaction.micro_completed' ||
        event.type === 'compaction.completed',
    )
    .map((event) => event.version);
}

/** Versions at equal distances; a client may read the context at any of them. */
function spreadVersions(last: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) =>
    Math.max(1, Math.floor(((index + 1) * last) / (count + 1))),
  );
}

/** How many posted items are not in the log as they came and where they belong. */
function lostItems(posted: readonly object[], logged: readonly LoggedItem[]): number {
  const wrong = posted.filter((item, index) => !isDeepStrictEqual(logged[index]?.item, item));
  return wrong.length + Math.max(0, logged.length - posted.length);
}

function thresholdProblems(
  { context, config }: z.infer<typeof sessionBody>,
  items: readonly LoggedItem[],
  events: readonly CompactionEvent[],
  { tokens, window }: { tokens: number; window: number },
): string[] {
  const problems: string[] = [];
  const excess = unexplainedExcess(events, context.limit);
  if (excess !== null) problems.push(excess);
  const last = events.findLast((event) => endedCompaction(event) !== null)?.version ?? 0;
  if (last === 0 && tokens > 2 * window) {
    problems.push(`no compaction although ${tokens} tokens went into a window of ${window}`);
  }
  const news = items.reduce((sum, item) => (item.seq > last ? sum + item.tokens : sum), 0);
  const isBreakerOpen = events.findLast(isBreakerEvent)?.type === 'breaker.opened';
  const isHeldBack = news < config.min_new_tokens_between_compactions || isBreakerOpen;
  if (context.is_above_auto_compact && !isHeldBack) {
    problems.push(`${context.tokens} tokens at the end, threshold ${context.limit}`);
  }
  return problems;
}

function isBreakerEvent(event: CompactionEvent): boolean {
  return event.type === 'breaker.opened' || event.type === 'breaker.closed';
}

/** The estimate with margin of all items, as the service counts them. */
function transcriptTokens(transcript: Transcript): number {
  const config = profileConfig('default', DEFAULT_CONTEXT_WINDOW);
  const codec = codecFor(transcript.format);
  const count = estimator(config);
  const sum = importedItems(transcript).reduce(
    (total, item) => total + measureItem(codec, item, count, config).tokens,
    0,
  );
  return withSafetyMargin(sum, config);
}
