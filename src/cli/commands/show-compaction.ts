import type { z } from 'zod';
import { compactionDetail } from '../../api/compactions/detail.ts';
import { wholePercent } from '../../app/whole-percent.ts';
import { ask } from '../ask.ts';
import type { Output } from '../output.ts';
import { compactionPath, type ReadingFlags, reading } from '../reading.ts';
import type { Target } from '../target.ts';
import { longText, plainLine, plainText } from '../terminal/plain-text.ts';
import type { Screen } from '../terminal/screen.ts';
import { causeOf, figure, resultOf, tokensOf } from '../words.ts';

type Detail = z.infer<typeof compactionDetail>;

/** Prints one compaction: why it was, what came of it, and its summary. */
export function showCompaction(id: string, compaction: string, flags: ReadingFlags): Promise<void> {
  return reading(flags, (target, output) => sayCompaction(target, output, id, compaction));
}

export async function sayCompaction(
  target: Target,
  output: Output,
  id: string,
  compaction: string,
): Promise<void> {
  const answer = await ask(target, compactionDetail, compactionPath(id, compaction));
  await output.say(answer.text, (screen) => lines(answer.value, screen));
}

const LONGEST_MESSAGE = 500;

function* lines(detail: Detail, screen: Screen) {
  const { retention, summary, through, attempt_history, cost } = detail;
  const id = plainText(detail.session_id);
  const cid = plainText(detail.id);
  const tokens = tokensOf(detail);
  yield `${screen.style('title', `Compaction ${cid}`)} of ${id}`;
  yield `  ${resultOf(detail)}${tokens === '' ? '' : `, ${tokens} tokens`}`;
  yield `  ${causeOf(detail)}`;
  for (const { attempt, failure } of attempt_history) {
    if (failure === null) continue;
    yield `  attempt ${attempt} failed: ${plainLine(failure.message, LONGEST_MESSAGE)}`;
  }
  if (detail.summarizer !== null) {
    const model = detail.model === null ? '' : ` (${plainLine(detail.model, screen.columns)})`;
    yield `  summary by ${plainText(detail.summarizer)}${model} of everything up to seq ${through}`;
  }
  if (retention !== null) {
    yield `  ${wholePercent(retention.share)} % of what has to be kept stands in the context after it`;
  }
  if (cost.usd !== null) yield `  cost ${cost.usd.toFixed(4)} US dollars`;
  const cleared = detail.cleared_tool_results.length;
  if (cleared > 0) yield `  ${figure(cleared)} tool results shortened`;
  if (summary !== null) {
    yield '';
    yield* longText(summary);
  }
  yield '';
  yield screen.style('faint', `What it has changed: palimpsest diff ${id} ${cid}`);
}
