import { safeCuts } from '../context/invariants/safe-cuts.ts';
import { sumTokens } from '../context/view.ts';
import { isAgentTask, isUserMessage } from '../items/speaker.ts';
import { type ResultEdit, savedBy } from '../session/result-edits.ts';
import { withSafetyMargin } from '../tokens/count.ts';
import { itemsOf, type Material } from './material.ts';
import { loggedResults, mostOfOne, newestResults, shortenedResults } from './newest-results.ts';
import type { PlanInput } from './plan-input.ts';
import { shortener } from './shorten-result.ts';

/** How the newest results stay after the cut: it stands at `end` or before, and what is shortened. */
type KeptNewest = { end: number; edits: ResultEdit[]; material: readonly Material[] };

/**
 * The ways in which a summary can leave the newest results in the context, the gentlest first: whole
 * unless no compaction could carry them, then at most a tenth of the window each. In the middle of its
 * work the agent keeps what it has not read yet, and what was once longer than that tenth: a summary in
 * its place would send it back to read it again. Who asks for a summary gets one of everything, as the
 * documents of the profiles have it, but for an unread result that is too long to be told: nobody would
 * know what was in it. Empty where nothing has to stay, or where what stays would leave no room.
 */
export function waysToKeepNewest(input: PlanInput, first: number): KeptNewest[] {
  const {
    material,
    config,
    count,
    threshold,
    context_window,
    is_automatic,
    cuts = safeCuts,
  } = input;
  if (context_window === null) return [];
  const results = loggedResults(input);
  const newest = newestResults(material, results);
  const most = mostOfOne(context_window, config);
  const wasLong = ({ original, tokens }: (typeof results)[number]) =>
    tokens > most ||
    original.content.some((part) => part.kind === 'text' && count(part.text) > most);
  if (newest === null) return [];
  const isLong = newest.results.some(wasLong);
  const stays = is_automatic ? newest.isUnread || isLong : newest.isUnread && isLong;
  if (!stays) return [];
  const [oldest] = newest.results;
  const end = oldest === undefined ? -1 : cuts(itemsOf(material)).lastIndexOf(true, oldest.index);
  if (end <= first) return [];
  const gentle = shortenedResults({ ...input, context_window }, newest.results, newest);
  const shorten = shortener(input);
  const short = newest.results.flatMap((result) => shorten(result, most));
  return [gentle, short].flatMap((edits) => {
    const shortened = withSizes(material, edits);
    const tail = sumTokens(shortened.slice(end).map(({ entry }) => entry));
    return withSafetyMargin(tail, config) < threshold / 2
      ? [{ end, edits, material: shortened }]
      : [];
  });
}

/** The entries with the tokens that they will count after the edits. */
function withSizes(
  material: readonly Material[],
  edits: readonly ResultEdit[],
): readonly Material[] {
  if (edits.length === 0) return material;
  const saved = new Map<number, number>();
  for (const edit of edits) saved.set(edit.seq, (saved.get(edit.seq) ?? 0) + savedBy([edit]));
  return material.map((one) => {
    const less = saved.get(one.entry.seq ?? -1);
    if (less === undefined) return one;
    return { ...one, entry: { ...one.entry, tokens: one.entry.tokens - less } };
  });
}

/**
 * The user's latest own message; null when there is none, or only what hooks say, or where another agent has
 * given this one a task since: what the user had asked before that is for the other one.
 */
export function latestRequest(material: readonly Material[]): Material | null {
  const latest = material.findLast(
    ({ entry, item }) => isAgentTask(item) || (entry.origin !== 'hook' && isUserMessage(item)),
  );
  return latest === undefined || isAgentTask(latest.item) ? null : latest;
}
