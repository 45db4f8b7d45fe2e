import { performance } from 'node:perf_hooks';
import type { z } from 'zod';
import { compactionDetail } from '../../api/compactions/detail.ts';
import { dryRunBody, requestedCompaction } from '../../api/compactions/schemas.ts';
import { endWords } from '../../app/reason-words.ts';
import { type Answer, ask } from '../ask.ts';
import { quantity } from '../quantity.ts';
import { compactionPath, type ReadingFlags, reading, sessionPath } from '../reading.ts';
import type { Target } from '../target.ts';
import { plainLine, plainText } from '../terminal/plain-text.ts';
import type { Screen } from '../terminal/screen.ts';
import { figure, resultOf, tokensOf } from '../words.ts';

export type CompactFlags = ReadingFlags & {
  mode?: string;
  focus?: string;
  instructions?: string;
  dryRun?: boolean;
  propose?: boolean;
  wait: number;
};
type Compaction = z.infer<typeof requestedCompaction>;
type DryRun = z.infer<typeof dryRunBody>;

/** The API holds an answer for so long at most. */
const LONGEST_HOLD_S = 60;

/**
 * Compacts a session and prints what came of it, or what would come of it. Answers false when it has
 * failed, was cancelled, or has not ended within the wait.
 */
export function compactCommand(
  id: string,
  { mode, focus, instructions, dryRun: dry_run, propose, wait, ...flags }: CompactFlags,
): Promise<boolean> {
  return reading(flags, async (target, output) => {
    const until = performance.now() + wait * 1000;
    const path = `${sessionPath(id)}/compact`;
    const body = { mode, focus, instructions, dry_run, propose };
    if (dry_run === true) {
      const planned = await ask(target, dryRunBody, path, { body });
      await output.say(planned.text, (screen) => planLines(id, planned.value, screen));
      return true;
    }
    const headers = { prefer: `wait=${Math.min(wait, LONGEST_HOLD_S)}` };
    const first = await ask(target, requestedCompaction, path, { body, headers });
    const { text, value } = await ended(target, id, first, until);
    await output.say(text, async (screen) =>
      lines(value, await failureOfModel(target, value), screen),
    );
    const { status, outcome } = value;
    return status === 'ended' && outcome !== 'failed' && outcome !== 'cancelled';
  });
}

/** The compaction when it has ended, or as it stands when the time is over. */
async function ended(
  target: Target,
  id: string,
  first: Answer<Compaction>,
  until: number,
): Promise<Answer<Compaction>> {
  let now = first;
  while (now.value.status !== 'ended' && performance.now() < until) {
    // A minute is over: requested by a command that was killed, nobody else would run it.
    target.local?.takeUp(id, first.value.id);
    const over = AbortSignal.timeout(Math.ceil(until - performance.now()));
    try {
      // Holds while it is under way, a minute at most.
      const path = `${sessionPath(id)}/context?wait=compaction`;
      const held = await target.request(path, { method: 'HEAD', signal: over });
      await held.arrayBuffer();
    } catch (error) {
      if (!over.aborted) throw error;
    }
    now = await ask(target, requestedCompaction, compactionPath(id, first.value.id));
  }
  return now;
}

/** Why the summary in place was taken from the log; null where it was not, or no model was asked. */
async function failureOfModel(target: Target, { session_id, id, outcome }: Compaction) {
  if (outcome !== 'full_compacted') return null;
  const { value } = await ask(target, compactionDetail, compactionPath(session_id, id));
  const failures = value.attempt_history.flatMap(({ failure }) => failure ?? []);
  // An attempt that broke off by itself says nothing of a model.
  const ofModel = failures.filter(({ reason }) => reason !== 'interrupted');
  return value.summarizer === 'extractive' ? (ofModel.at(-1)?.message ?? null) : null;
}

function* lines(compaction: Compaction, failure: string | null, screen: Screen) {
  const id = plainText(compaction.session_id);
  const cid = plainText(compaction.id);
  const { status, outcome, outcome_reason } = compaction;
  const why = outcome_reason === null ? '' : `: ${plainLine(endWords(outcome_reason).why, 500)}`;
  if (status !== 'ended' || outcome === null) {
    yield `Compaction ${cid} is still ${status}. It goes on; see: palimpsest show ${id}`;
    return;
  }
  switch (outcome) {
    case 'skipped':
    case 'not_needed':
      yield `Nothing to do${why}`;
      return;
    case 'failed':
    case 'cancelled':
    case 'discarded':
      yield `${screen.style('bad', `Compaction ${cid}: ${resultOf(compaction)}`)}${why}. The context is as it was.`;
      return;
    case 'proposed':
      yield `${screen.style('title', 'Proposed')}: ${tokensOf(compaction)} tokens. Nothing has changed yet.`;
      yield `What it would change:  palimpsest diff ${id} ${cid}`;
      return;
    case 'full_compacted':
    case 'micro_compacted':
    case 'remote_compacted':
      yield `${screen.style('good', 'Compacted')} (${resultOf(compaction)}): ${tokensOf(compaction)} tokens.`;
      if (failure !== null) {
        yield `The model gave no summary (${plainLine(failure, 500)}): this one was taken from the log.`;
      }
      yield `What has changed:  palimpsest diff ${id} ${cid}`;
      yield `Undo it:           palimpsest revert ${id} ${cid}`;
      return;
    default:
      outcome satisfies never;
  }
}

const ACTIONS = {
  skip: 'do nothing',
  micro: 'clear old tool results',
  full: 'summarise the past',
  remote: 'have the provider compact',
} as const;

function* planLines(id: string, plan: DryRun, screen: Screen) {
  const { action, skip, through, cleared_tool_results: cleared } = plan;
  yield `${screen.style('title', `A compaction of ${plainText(id)} would ${ACTIONS[action]}`)}. Nothing was changed.`;
  if (skip !== null) yield `Why: ${plainLine(skip.detail ?? endWords(skip.reason).why, 500)}`;
  yield `The context has ${figure(plan.tokens_before)} tokens.`;
  if (cleared.length > 0) {
    yield `It would clear ${quantity(cleared.length, 'tool result')}: ${figure(plan.tokens_after_micro)} tokens are left then.`;
  }
  if (through !== null) {
    yield `A summary of at most ${figure(plan.summary_budget ?? 0)} tokens would stand for everything up to ` +
      `seq ${through}, which are ${figure(plan.covered_tokens ?? 0)} tokens; ${figure(plan.kept_tokens ?? 0)} stay as they are.`;
    yield 'What it covers and what stays are estimated without the safety margin.';
  }
}
