import { sumTokens } from '../context/view.ts';
import { isProviderCompaction } from '../items/provider-compaction.ts';
import type { Entry } from '../session/entry.ts';
import { withSafetyMargin } from '../tokens/count.ts';
import { chooseCut, laterCuts } from './cut.ts';
import { standingInstructions } from './instructions.ts';
import type { Material } from './material.ts';
import type { PlanInput } from './plan-input.ts';

/** What stays whatever the summary says: initial context, instructions, everything from the cut. */
export function verbatimEntries(
  { material, threshold }: Pick<PlanInput, 'material' | 'threshold'>,
  initial: number,
  cut: number,
): Entry[] {
  const entries = material.map(({ entry }) => entry);
  return [
    ...entries.slice(0, initial),
    ...standingInstructions(material, initial, cut, threshold),
    ...providerCompactions(material.slice(initial, cut)),
    ...entries.slice(cut),
  ];
}

/** Entries that only the provider can read, and that it has to get back as they are. */
export function providerCompactions(covered: readonly Material[]): Entry[] {
  return covered
    .filter(({ entry }) => isProviderCompaction(entry.item))
    .map(({ entry }) => ({ ...entry, seq: null, origin: 'remote' }));
}

/**
 * The cut, with as much protected after it as leaves room for a summary; null when nothing can be
 * covered. `initial` is the number of entries of the initial context, `most` the last place for a cut.
 */
export function roomyCut(input: PlanInput, initial: number, most: number): number | null {
  const { material, config, threshold, before } = input;
  const firstLog = material.findIndex(({ entry }) => entry.seq !== null);
  if (firstLog === -1) return null;
  const limit = material.findIndex(({ entry }) => before !== null && (entry.seq ?? 0) >= before);
  const end = Math.min(most, limit === -1 ? material.length : limit);
  const cut = chooseCut(material, firstLog, end, config);
  if (cut === null) return null;
  const leavesRoom = (tokens: number) => withSafetyMargin(tokens, config) < threshold;
  let needed = sumTokens(verbatimEntries(input, initial, cut)) + config.summary_max_tokens;
  if (leavesRoom(needed)) return cut;
  let roomy = cut;
  for (const later of laterCuts(material, cut, end)) {
    needed -= sumTokens(material.slice(roomy, later).map(({ entry }) => entry));
    roomy = later;
    if (leavesRoom(needed)) break;
  }
  return roomy;
}
